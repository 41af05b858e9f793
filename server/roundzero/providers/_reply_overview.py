"""The form of an overview: what a change is for, file by file, what it does well, where its description is wrong.

Knows form only; whether a quote is true is asked elsewhere. Invariant: a line, a strength or a disagreement that cannot
be read costs itself.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from roundzero.core.harmless import line
from roundzero.core.overview import MismatchDraft, OverviewDraft, StrengthDraft
from roundzero.providers._reply_base import Fault, Form, Line, Quoted, Strict, Text, each_of, parsed, quotes, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_FILES: Final = 80


class _File(Strict):
    path: Line
    text: Line


class _Strength(Strict):
    text: Line
    quotes: list[Quoted] = Field(max_length=4)


class _Mismatch(Strict):
    said: Line
    text: Line
    quotes: list[Quoted] = Field(max_length=4)


class _Reply(Strict):
    summary: Text
    themes: list[Line] = Field(max_length=6)
    files: list[_File] = Field(max_length=MOST_FILES)
    strengths: list[_Strength] = Field(max_length=6)
    description: list[_Mismatch] = Field(max_length=6)


class _Loose(Strict):
    """A reply whose parts are still to be read one by one."""

    summary: Text
    themes: list[Line] = Field(max_length=6)
    files: list[Any] = Field(max_length=MOST_FILES)
    strengths: list[Any] = Field(max_length=6)
    description: list[Any] = Field(max_length=6)


@cache
def schema_overview() -> Mapping[str, object]:
    """The JSON schema of an overview, in one piece."""
    return schema_of(_Reply)


def read_overview(text: str) -> OverviewDraft | Fault:
    """The overview in a reply, or why there is none."""
    reply = parsed(text, _Loose)
    if isinstance(reply, Fault):
        return reply
    files, strengths = each_of(reply.files, _File), each_of(reply.strengths, _Strength)
    description = each_of(reply.description, _Mismatch)
    return OverviewDraft(
        summary=line(reply.summary),
        themes=tuple(line(each) for each in reply.themes),
        files=tuple((line(each.path), line(each.text)) for each in files),
        strengths=tuple(StrengthDraft(line(each.text), quotes(each.quotes)) for each in strengths),
        mismatches=tuple(
            MismatchDraft(said=line(each.said), text=line(each.text), quotes=quotes(each.quotes))
            for each in description
        ),
    )


FORM: Final = Form("overview", read_overview, schema_overview)
