"""The form of a second look: whether a finding holds, and the lines that bear it out.

Knows form only; whether a quote is true is asked elsewhere. Invariant: what is read holds no character that could
disturb a display.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field

from roundzero.core.change import Side
from roundzero.core.confirming import SecondLook
from roundzero.core.model_values import Quote
from roundzero.providers._reply_base import Fault, Form, Line, Strict, Word, clean, line, parsed, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Quoted(Strict):
    """A line that bears something out."""

    path: Line
    side: Literal["head", "base"]
    line: int = Field(ge=0, le=10_000_000)
    quote: Line
    role: Word


class _Reply(Strict):
    answer: Literal["holds", "does-not-hold", "cannot-tell"]
    reason: Line
    evidence: list[Quoted] = Field(max_length=8)


def quotes(said: Sequence[Quoted]) -> tuple[Quote, ...]:
    """Lines as they are said to stand."""
    return tuple(
        Quote(path=line(each.path), side=Side(each.side), line=each.line, text=clean(each.quote), role=line(each.role))
        for each in said
    )


@cache
def schema() -> Mapping[str, object]:
    """The JSON schema of a second look, in one piece."""
    return schema_of(_Reply)


def read(text: str) -> SecondLook | Fault:
    """The answer in a reply, or why there is none."""
    reply = parsed(text, _Reply)
    if isinstance(reply, Fault):
        return reply
    return SecondLook(answer=reply.answer, reason=line(reply.reason), quotes=quotes(reply.evidence))


FORM: Final = Form("confirmation", read, schema)
