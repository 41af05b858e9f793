"""The form of a recheck: whether the claim of an earlier finding holds in the code of now.

Knows form only; whether a quote is true is asked elsewhere.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from pydantic import Field

from roundzero.core.harmless import line
from roundzero.core.rechecking import RecheckDraft, Stand
from roundzero.providers._reply_base import Fault, Form, Line, Strict, WeighedProof, parsed, quotes, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Reply(Strict):
    claim: Stand
    because: Line
    quotes: list[WeighedProof] = Field(max_length=6)


@cache
def schema_recheck() -> Mapping[str, object]:
    """The JSON schema of a recheck, in one piece."""
    return schema_of(_Reply)


def read_recheck(text: str) -> RecheckDraft | Fault:
    """The recheck in a reply, or why there is none."""
    reply = parsed(text, _Reply)
    if isinstance(reply, Fault):
        return reply
    return RecheckDraft(stand=reply.claim, because=line(reply.because), quotes=quotes(reply.quotes))


FORM: Final = Form("recheck", read_recheck, schema_recheck)
