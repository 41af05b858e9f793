"""Answers from a file, so that the whole lane can be shown and tested with no model.

The file is JSON Lines of ``{"match": ..., "reply": ...}``; the first line whose ``match`` occurs in the question, as
text or as a pattern (RE2), answers. ``reply`` is a text, or a JSON value that is sent as JSON. Invariant: nothing
leaves the process.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.core.model_values import Outcome, Reply, Usage
from roundzero.errors import UserError
from roundzero.providers._calls import in_words

if TYPE_CHECKING:
    from roundzero.core.model_values import Ask


class Scripted:
    """A file of answers."""

    name = "scripted"

    def __init__(self, script: Path | str) -> None:
        """Read the file. Raises UserError with line number for what is no answer."""
        path = Path(script).expanduser()
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"the script of answers {path} cannot be read; check model.script") from error
        self.version = hashlib.sha256(text.encode()).hexdigest()
        self._answers = [_answer(path, number, line) for number, line in _lines(text)]

    async def complete(self, ask: Ask) -> Reply:
        """The first answer that fits."""
        system, turns = in_words(ask)
        text = "\n".join((system, *(turn.text for turn in turns)))
        for match, reply in self._answers:
            if _fits(match, text):
                usage = Usage(len(text.encode("utf-8", "replace")) // 4, len(reply.encode("utf-8", "replace")) // 4)
                outcome = Outcome.OK if reply.strip() else Outcome.EMPTY
                return Reply(outcome=outcome, text=reply, usage=usage)
        return Reply(outcome=Outcome.EMPTY, message="no scripted answer fits the question")


def _lines(text: str) -> list[tuple[int, str]]:
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _answer(path: Path, number: int, line: str) -> tuple[str, str]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise UserError(f"{path}:{number}: not a line of JSON") from error
    if not isinstance(value, dict) or not isinstance(value.get("match"), str) or "reply" not in value:
        raise UserError(f'{path}:{number}: expected {{"match": text, "reply": text or JSON}}')
    reply = value["reply"]
    return value["match"], reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def _fits(match: str, text: str) -> bool:
    if match in text:
        return True
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415  off the start-up path

    try:
        return re2.search(match, text) is not None
    except re2.error:
        return False


PROVIDER: Final = Scripted
