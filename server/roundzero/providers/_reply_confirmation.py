"""The form of a second look: whether a finding holds, and the lines that bear it out.

Knows form only; whether a quote is true is asked elsewhere. Invariant: what is read holds no character that could
disturb a display.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field

from roundzero.core.confirming import SecondLook
from roundzero.core.harmless import line
from roundzero.providers._reply_base import Fault, Form, Line, Proof, Strict, parsed, quotes, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Reply(Strict):
    answer: Literal["holds", "does-not-hold", "cannot-tell"]
    reason: Line
    evidence: list[Proof] = Field(max_length=8)


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
