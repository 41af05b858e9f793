"""Tools on the way to a provider and back: as its protocol has them, or in words.

A conversation says calls and results in JSON of our own (core/toolbox); protocols say them each in its own way, hosts
without tools not at all. Invariants: what goes out natively has ids made from its place, so that equal conversations
give equal requests; where no tool is offered, earlier calls and results are plain turns, since no host then knows what
they are.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from roundzero.core.model_values import ToolSpec, Turn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roundzero.core.model_values import Ask

REPORT: Final = "report"
"""The tool whose call is the answer: with it the schema of the answer holds while tools are offered, too."""

_WORDS: Final = """

Tools
Instead of answering at once you may look around with tools. To do so, reply with JSON only, of this form, and nothing \
else: {"calls": [{"name": "...", "arguments": {...}}]}
You then get the results and may call again. When you have seen enough, answer in the form asked for, without "calls".
"""


def native(ask: Ask) -> tuple[ToolSpec, ...]:
    """The tools to offer as the protocol has them, the answer among them; none where there are none, or in words."""
    return (*ask.tools, report(ask)) if ask.tools and not ask.plain else ()


def report(ask: Ask) -> ToolSpec:
    """The answer as a tool."""
    said = "Give the answer. Call it once, alone, when you have seen enough."
    return ToolSpec(name=REPORT, description=said, parameters=ask.question.schema)


def in_words(ask: Ask) -> tuple[str, tuple[Turn, ...]]:
    """System text and turns of an ask without any call: tools are described, calls and results are plain turns.

    Turns alternate, as many a host insists on, llama.cpp among them with the templates of some models.
    """
    question = ask.question
    system = question.system
    if ask.tools:
        system += _WORDS + "".join(f"- {tool.name}: {tool.description}{_takes(tool)}\n" for tool in ask.tools)
    turns: list[Turn] = []
    for turn in question.turns:
        said = Turn("user", _told(turn)) if turn.role == "tool" else turn
        if turns and turns[-1].role == said.role:
            said = Turn(said.role, f"{turns.pop().text}\n\n{said.text}")
        turns.append(said)
    return system, tuple(turns)


def plainly(turns: Sequence[Turn]) -> list[dict[str, object]]:
    """Turns as messages that know no calls, in the one way all protocols have in common."""
    return [{"role": turn.role, "content": turn.text} for turn in turns]


def calls_in(turn: Turn) -> list[tuple[str, Mapping[str, Any]]]:
    """The calls that an assistant's turn is; [] where it answers, or wrote what is no list of calls."""
    try:
        said = json.loads(turn.text) if turn.role == "assistant" else None
    except (ValueError, RecursionError):
        return []
    rows = said["calls"] if isinstance(said, dict) and set(said) == {"calls"} else None
    if not isinstance(rows, list) or not all(map(_is_call, rows)):
        return []
    return [(_callable(row["name"]), row["arguments"]) for row in rows]


def _is_call(row: object) -> bool:
    return isinstance(row, dict) and isinstance(row.get("name"), str) and isinstance(row.get("arguments"), dict)


def results_in(turn: Turn) -> list[tuple[str, str]]:
    """The results that a turn of tools holds, each with the name of its tool."""
    return [(_callable(row["name"]), row["result"]) for row in json.loads(turn.text)]


def call_id(turn: int, number: int) -> str:
    """The id of a call by its place. Nine letters and digits: Mistral's API takes no other."""
    return f"call{turn:02d}{number:03d}"


def _callable(name: str) -> str:
    """A name as protocols allow it: a model may have called what is none, and is told so by the result."""
    return "".join(each if each.isascii() and (each.isalnum() or each in "_-") else "_" for each in name)[:64] or "_"


def _told(turn: Turn) -> str:
    return "\n\n".join(f"Result of {name}:\n{text}" for name, text in results_in(turn))


def _takes(tool: ToolSpec) -> str:
    return f" Arguments: {json.dumps(tool.parameters.get('properties', {}), ensure_ascii=False)}"


class Heard:
    """The calls of a streamed answer, as they come in parts."""

    def __init__(self) -> None:
        """None yet."""
        self._calls: list[_Parts] = []
        self._at: dict[int, _Parts] = {}

    def begin(self, number: int, name: str, own: str = "") -> None:
        """The call of a number begins, or its name goes on; one with an id of its ``own`` is another call.

        Some hosts give every call the number 0, and tell them apart by their ids alone.
        """
        parts = self._at.get(number)
        if parts is None or (own and parts.own not in {"", own}):
            self._at[number] = parts = _Parts()
            self._calls.append(parts)
        parts.own = parts.own or own
        parts.name += name

    def add(self, number: int, part: str) -> None:
        """More of a call's arguments."""
        if number in self._at:
            self._at[number].arguments.append(part)

    def whole(self, said: Sequence[tuple[str, object]] = ()) -> str | None:
        """What the answer is, in place of the text that came: calls, or the answer that was given as one.

        None: the text. ``said``: calls that came in one piece. An answer beside calls was given too early. In ASCII,
        since JSON may spell halves of characters.
        """
        calls = [*(parts.whole() for parts in self._calls), *said]
        rows = [{"name": name, "arguments": arguments} for name, arguments in calls if name != REPORT]
        if rows:
            return json.dumps({"calls": rows})
        for _, arguments in calls:
            return arguments if isinstance(arguments, str) else json.dumps(arguments)
        return None


class _Parts:
    """What came of one call."""

    __slots__ = ("arguments", "name", "own")

    def __init__(self) -> None:
        self.own = ""
        self.name = ""
        self.arguments: list[str] = []

    def whole(self) -> tuple[str, object]:
        text = "".join(self.arguments)
        return self.name, text if self.name == REPORT else _parsed(text)


def _parsed(text: str) -> object:
    """Arguments as JSON; the text itself where it is none, and no text for none at all."""
    try:
        return json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return text
