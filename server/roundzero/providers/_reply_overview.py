"""The form of an overview: what a change is for, file by file, what it does well, where its description is wrong.

Knows form only; whether a quote is true is asked elsewhere. Invariant: a strength or a disagreement that cannot be read
costs itself, and is told of.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from pydantic import Field

from roundzero.core.change import Side
from roundzero.core.model_values import Quote
from roundzero.core.overview import MismatchDraft, OverviewDraft, StrengthDraft
from roundzero.providers._reply_base import Fault, Form, Line, Strict, Text, clean, line, parsed, schema_of, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

M = TypeVar("M", bound=Strict)

MOST_FILES: Final = 80


class _Quote(Strict):
    path: Line
    side: Literal["head", "base"]
    line: int = Field(ge=0, le=10_000_000)
    quote: Line


class _File(Strict):
    path: Line
    text: Line


class _Strength(Strict):
    text: Line
    quotes: list[_Quote] = Field(max_length=4)


class _Mismatch(Strict):
    said: Line
    text: Line
    quotes: list[_Quote] = Field(max_length=4)


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
    faults: list[str] = []
    files = _each("files", reply.files, _File, faults)
    strengths = _each("strengths", reply.strengths, _Strength, faults)
    description = _each("description", reply.description, _Mismatch, faults)
    return OverviewDraft(
        summary=line(reply.summary),
        themes=tuple(line(each) for each in reply.themes),
        files=tuple((line(each.path), line(each.text)) for each in files),
        strengths=tuple(StrengthDraft(line(each.text), _quotes(each.quotes)) for each in strengths),
        mismatches=tuple(
            MismatchDraft(said=line(each.said), text=line(each.text), quotes=_quotes(each.quotes))
            for each in description
        ),
        faults=tuple(faults),
    )


def _each(name: str, rows: Sequence[object], model: type[M], faults: list[str]) -> list[M]:
    """The rows that can be read; of the others ``faults`` tells."""
    found: list[M] = []
    for number, row in enumerate(rows):
        try:
            found.append(model.model_validate(row))
        except (ValueError, RecursionError) as error:
            faults.append(f"{name}.{number}: {words(error)}")
    return found


def _quotes(said: Sequence[_Quote]) -> tuple[Quote, ...]:
    return tuple(
        Quote(path=line(each.path), side=Side(each.side), line=each.line, text=clean(each.quote), role="")
        for each in said
    )


FORM: Final = Form("overview", read_overview, schema_overview)
