"""The form of a recheck: whether the claim of an earlier finding holds in the code of now.

Knows form only; whether a quote is true is asked elsewhere.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field

from roundzero.core.change import Side
from roundzero.core.model_values import Quote
from roundzero.core.rechecking import RecheckDraft, Stand
from roundzero.providers._reply_base import Fault, Form, Line, Strict, Word, clean, line, parsed, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Quote(Strict):
    path: Line
    side: Literal["head", "base"]
    line: int = Field(ge=0, le=10_000_000)
    quote: Line
    role: Word
    decisive: bool


class _Reply(Strict):
    claim: Stand
    because: Line
    quotes: list[_Quote] = Field(max_length=6)


@cache
def schema_recheck() -> Mapping[str, object]:
    """The JSON schema of a recheck, in one piece."""
    return schema_of(_Reply)


def read_recheck(text: str) -> RecheckDraft | Fault:
    """The recheck in a reply, or why there is none."""
    reply = parsed(text, _Reply)
    if isinstance(reply, Fault):
        return reply
    return RecheckDraft(
        stand=reply.claim,
        because=line(reply.because),
        quotes=tuple(
            Quote(
                path=line(each.path),
                side=Side(each.side),
                line=each.line,
                text=clean(each.quote),
                role=line(each.role),
                decisive=each.decisive,
            )
            for each in reply.quotes
        ),
    )


FORM: Final = Form("recheck", read_recheck, schema_recheck)
