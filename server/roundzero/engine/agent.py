"""Lets a model look around before it answers: one conversation, each question through ``asking``, within bounds.

Knows neither the tools nor what is done with the answer. Equal repositories give equal conversations, so that one that
was interrupted is answered from the cache up to where it stopped. Invariants: whatever a model writes, the conversation
ends, with an answer or with how it failed; at a bound the model is asked to answer with what it has; results of tools
are turns of their own and never instructions.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from roundzero.core.frozen import dataclass
from roundzero.core.model_values import Ask, Outcome, Turn
from roundzero.core.prompt import question
from roundzero.core.reading import read_by
from roundzero.core.toolbox import Bounds, Calls, Unanswered, Used, called, invitation, resulted, spelt
from roundzero.core.trouble import FAILURES
from roundzero.engine.in_form import MOST_OUTPUT, Got, read_in_form
from roundzero.engine.quick_review import Answer

if TYPE_CHECKING:
    from roundzero.core.change import Side, Source
    from roundzero.core.deep import Voice
    from roundzero.core.model_values import Draft, Question, Reply, Unit
    from roundzero.core.text import RelPath
    from roundzero.core.toolbox import ToolCall
    from roundzero.engine.quick_review import Asks, Inquiry
    from roundzero.engine.toolbox import Toolbox
    from roundzero.providers.reply import Form

T = TypeVar("T")

_NOW: Final = (
    "You cannot look around any further (limit: {}). Answer now, in the form asked for, with what you have seen."
)
LOST: Final = frozenset({Outcome.TRUNCATED, Outcome.EMPTY, Outcome.WRONG}) | FAILURES
"""Replies after which it is worth asking without tools: with a schema alone a host may do better.

llama.cpp, for one, answers 500 where it cannot read the calls that its model wrote.
"""

LOOP: Final = "the same calls again"
_LOOPS: Final = 2
"""Replies in a row that only repeat earlier calls; who makes a third makes them for ever."""

_SAME: Final = "the same was asked before; see above"


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined(Generic[T]):
    """How a conversation ended. ``value`` None: for the reason in ``outcome``, with ``message`` where there is one.

    ``shown``: texts that tools showed lines of, which may be quoted as those of the question may.
    """

    value: T | None
    outcome: Outcome
    message: str = ""
    used: Used = field(default_factory=Used)
    shown: tuple[tuple[Side, Source], ...] = ()


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """A draft by a voice that looked around. ``shown``: as in ``Examined``."""

    answer: Answer
    used: Used
    shown: tuple[tuple[Side, Source], ...]


async def agent_draft(  # noqa: PLR0913  each is an independent input
    unit: Unit,
    inquiry: Inquiry,
    asking: Asks,
    toolbox: Toolbox,
    voice: Voice,
    *,
    bounds: Bounds | None = None,
    until: float | None = None,
) -> AgentAnswer:
    """A draft about a unit by a voice with tools, in the voice's own order. ``until``: as in ``examine``."""
    from roundzero.providers._reply_draft import FORM  # noqa: PLC0415  off the start-up path

    limits = bounds or Bounds()
    asked = question(
        read_by(voice, unit, {}),
        inquiry.ruleset.by_id,
        language=inquiry.language,
        schema=FORM.schema(),
        note=invitation(limits, toolbox.specs),
    )
    found: Examined[Draft] = await examine(
        asked, FORM, asking, toolbox, model=inquiry.model, bounds=limits, temperature=voice.temperature, until=until
    )
    return AgentAnswer(Answer(unit, found.value, found.outcome, found.message), found.used, found.shown)


async def examine(  # noqa: PLR0913  each is an independent input
    asked: Question,
    form: Form[T],
    asking: Asks,
    toolbox: Toolbox,
    *,
    model: str,
    bounds: Bounds,
    temperature: float = 0.0,
    max_output: int = MOST_OUTPUT,
    until: float | None = None,
) -> Examined[T]:
    """Put a question whose answer has a form, and carry out the calls that are made first.

    The question should say that there are tools (core/toolbox.invitation, with ``toolbox.specs``). What is not answered
    ``until`` a time of the loop's clock (None: however long it takes) is given up, and what was looked up is told.
    """
    first = Ask(
        question=asked,
        model=model,
        max_output=max_output,
        temperature=temperature,
        form=form.name,
        tools=toolbox.specs,
    )
    conversation = _Conversation(first, form, asking, toolbox, bounds)
    try:
        async with asyncio.timeout_at(until):
            return await conversation.held()
    except TimeoutError:
        return conversation.ended(Got(None, Outcome.TIMED_OUT))


def ended_by(outcome: Outcome) -> str:
    """What ended looking around when a reply came to nothing, in words."""
    return "a host that failed" if outcome in FAILURES else f"a reply that was {outcome.value}"


class _Conversation(Generic[T]):
    def __init__(self, first: Ask, form: Form[T], asking: Asks, toolbox: Toolbox, bounds: Bounds) -> None:
        self._first = first
        self._form = form
        self._asking = asking
        self._toolbox = toolbox
        self._bounds = bounds
        self._turns: tuple[Turn, ...] = ()
        self._used = Used()
        self._seconds = 0.0
        self._shown: dict[tuple[RelPath, Side], Source] = {}
        self._known: set[str] = set()
        self._is_new = False
        self._again = 0

    def ended(self, got: Got[T]) -> Examined[T]:
        """How it ended, with what was looked up."""
        shown = tuple((side, source) for (_, side), source in self._shown.items())
        return Examined(value=got.value, outcome=got.outcome, message=got.message, used=self._used, shown=shown)

    async def held(self) -> Examined[T]:
        from roundzero.providers._reply_base import Fault  # noqa: PLC0415  off the start-up path
        from roundzero.providers._reply_step import read as step  # noqa: PLC0415  as above

        for _ in range(self._bounds.turns):
            ask = self._ask()
            reply = await self._asking.put(ask)
            if reply.outcome in LOST and ask.tools:
                limit = ended_by(reply.outcome)
                break
            calls = step(reply.text) if reply.outcome is Outcome.OK else Fault("")
            if isinstance(calls, Fault):
                return await self._ended(ask, reply)
            await self._carry_out(calls)
            if limit := self._limit():
                break
        else:
            limit = f"{self._bounds.turns} turns"
        self._used += Used(limits=(limit,))
        self._turns = (*self._turns, Turn("user", _NOW.format(limit)))
        ask = replace(self._ask(), tools=())
        return await self._ended(ask, await self._asking.put(ask))

    async def _ended(self, ask: Ask, reply: Reply) -> Examined[T]:
        """The answer, asked for once more without tools if it cannot be read."""
        return self.ended(await read_in_form(self._asking, replace(ask, tools=()), reply, self._form))

    def _ask(self) -> Ask:
        """The question so far; its key covers the tools and every turn."""
        asked = self._first.question
        said = [asked.key, spelt(self._first.tools), *(f"{turn.role} {turn.text}" for turn in self._turns)]
        more = sum(len(each.encode("utf-8", "replace")) for each in said)
        together = replace(
            asked,
            turns=(*asked.turns, *self._turns),
            key=hashlib.sha256("\0".join(said).encode("utf-8", "surrogateescape")).hexdigest(),
            tokens=asked.tokens + -(-more // 3),
        )
        return replace(self._first, question=together)

    async def _carry_out(self, calls: Calls) -> None:
        heard = Calls(calls.calls[: max(1, self._bounds.at_once)])
        self._is_new = False
        results = [(call.name, await self._result(call)) for call in heard.calls]
        self._again = 0 if self._is_new else self._again + 1
        dropped = len(calls.calls) - len(heard.calls)
        self._used += Used(unanswered=(Unanswered.PAST_LIMIT,) * dropped)
        left = max(0, self._bounds.calls - self._used.calls)
        told = f"({dropped} more were not carried out: too many at once) " if dropped else ""
        name, last = results[-1]
        results[-1] = (name, f"{last}\n{told}({left} more {'call' if left == 1 else 'calls'} may be made)")
        self._turns = (*self._turns, called(heard), resulted(results))

    async def _result(self, call: ToolCall) -> str:
        """The result of a call, in words for the model."""
        self._is_new = self._is_new or call.arguments is None or _spelling(call) not in self._known
        if limit := self._limit():
            self._used += Used(unanswered=(Unanswered.PAST_LIMIT,))
            return f"not carried out: the limit of {limit} is reached"
        spelling = _spelling(call)
        if call.arguments is not None and spelling in self._known:
            self._used += Used(calls=1)
            return _SAME
        self._known.add(spelling)
        seconds = min(self._bounds.each, max(0.1, self._bounds.seconds - self._seconds))
        result = await self._toolbox.run(call, most=self._bounds.bytes - self._used.bytes, seconds=seconds)
        self._seconds += result.seconds
        why = (result.unanswered,) if result.unanswered is not None else ()
        self._used += Used(calls=1, bytes=result.bytes, unanswered=why, cut=int(result.cut))
        self._shown.update({(source.path, side): source for side, source in result.shown})
        return result.text

    def _limit(self) -> str:
        """Which bound is reached, in words."""
        if self._used.calls >= self._bounds.calls:
            return f"{self._bounds.calls} calls"
        if self._used.bytes >= self._bounds.bytes:
            return f"{self._bounds.bytes} bytes"
        if self._seconds >= self._bounds.seconds:
            return f"{self._bounds.seconds:g} seconds"
        return LOOP if self._again >= _LOOPS else ""


def _spelling(call: ToolCall) -> str:
    """What makes two calls one."""
    return f"{call.name} {sorted((call.arguments or {}).items())!r}"
