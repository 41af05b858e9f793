"""What a reply must look like, and its reading into a draft.

The one place where a model's words are validated: bounds on every text and list, no unknown field, no control
characters. Knows form only; whether a quote is true is asked elsewhere. Invariants: ``schema()`` has no references and
allows no further properties; ``read`` raises nothing; what it returns holds no character that could disturb a display.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from roundzero.core.anatomy import (
    Anatomy,
    Claim,
    Consequence,
    Decides,
    FailureClass,
    OpenQuestion,
    Step,
    Suggestion,
)
from roundzero.core.change import Side
from roundzero.core.item import Severity
from roundzero.core.model_values import Draft, DraftFinding, Quote

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_FINDINGS: Final = 8
_UNSAFE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_FENCE: Final = re.compile(r"\A\s*```[a-zA-Z]*\n(.*?)\n?```\s*\Z", re.DOTALL)

_Word = Annotated[str, Field(max_length=80)]
_Line = Annotated[str, Field(max_length=300)]
_Text = Annotated[str, Field(max_length=800)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Evidence(_Strict):
    path: _Line
    side: Literal["head", "base"]
    line: int = Field(ge=0, le=10_000_000)
    quote: _Line
    role: _Word
    decisive: bool


class _Step(_Strict):
    text: _Line
    evidence: list[int] = Field(max_length=8)


class _Consequence(_Strict):
    text: _Line
    failure: FailureClass


class _Claim(_Strict):
    text: _Line
    decisive: bool


class _Question(_Strict):
    text: _Line
    decides: Decides


class _Suggestion(_Strict):
    text: _Text
    kind: Literal["fix", "mitigation", "test", "doc", "split"]


class _Finding(_Strict):
    item: _Word
    severity: Literal["P0", "P1", "P2", "P3"]
    title: _Line
    path: _Line
    line: int = Field(ge=1, le=10_000_000)
    end_line: int = Field(ge=1, le=10_000_000)
    trigger: _Line
    base_to_head: _Line
    mechanism: list[_Step] = Field(max_length=8)
    consequence: _Consequence
    severity_reason: _Line
    evidence: list[_Evidence] = Field(max_length=12)
    claims: list[_Claim] = Field(max_length=6)
    open_questions: list[_Question] = Field(max_length=4)
    suggestions: list[_Suggestion] = Field(max_length=3)
    replacement: Annotated[str, Field(max_length=2000)] | None


class _Reply(_Strict):
    summary: _Text
    findings: list[_Finding] = Field(max_length=MOST_FINDINGS)
    clean: list[_Word] = Field(max_length=60)


class _Loose(_Strict):
    """A reply whose findings are still to be read one by one: a broken one costs itself."""

    summary: _Text
    findings: list[Any] = Field(max_length=MOST_FINDINGS)
    clean: list[_Word] = Field(max_length=60)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a reply could not be read, in words a model can act on."""

    message: str


@cache
def schema() -> Mapping[str, object]:
    """The JSON schema of a reply, in one piece."""
    made = _Reply.model_json_schema()
    definitions = made.pop("$defs", {})
    plain: Mapping[str, object] = _plain(made, definitions)
    return plain


def _plain(node: Any, definitions: Mapping[str, Any]) -> Any:  # noqa: ANN401  any JSON
    """A schema without references, titles and defaults, in which every property is required."""
    if isinstance(node, list):
        return [_plain(each, definitions) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _plain(definitions[node["$ref"].rsplit("/", 1)[-1]], definitions)
    kept = {key: value for key, value in node.items() if key not in {"title", "default", "description"}}
    if "properties" in kept:
        kept["properties"] = {name: _plain(each, definitions) for name, each in kept["properties"].items()}
        kept["required"] = list(kept["properties"])
        return {key: value if key == "properties" else _plain(value, definitions) for key, value in kept.items()}
    return {key: _plain(value, definitions) for key, value in kept.items()}


def read(text: str) -> Draft | Fault:
    """The draft in a reply, or why there is none. Fences and prose around the JSON are forgiven, nothing within."""
    bare = _json_in(text)
    if bare is None:
        return Fault("there is no JSON object in it")
    try:
        reply = _Loose.model_validate(json.loads(bare))
    except (ValueError, RecursionError) as error:
        return Fault(_words(error))
    findings: list[DraftFinding] = []
    faults: list[str] = []
    for number, each in enumerate(reply.findings):
        try:
            findings.append(_finding(_Finding.model_validate(each)))
        except (ValueError, RecursionError) as error:
            faults.append(f"findings.{number}: {_words(error)}")
    if faults and not findings:
        return Fault("; ".join(faults))
    return Draft(
        findings=tuple(findings),
        faults=tuple(faults),
        answered=tuple(_line(each) for each in reply.clean),
        summary=_clean(reply.summary),
    )


def _json_in(text: str) -> str | None:
    fenced = _FENCE.match(text)
    if fenced is not None:
        text = fenced[1]
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else None


def _words(error: Exception) -> str:
    if isinstance(error, ValidationError):
        rows = error.errors(include_url=False, include_context=False, include_input=False)[:5]
        return "; ".join(f"{'.'.join(str(part) for part in row['loc'])}: {row['msg']}" for row in rows)
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno}, column {error.colno}"
    return "it is nested too deeply"


def _finding(said: _Finding) -> DraftFinding:
    evidence = tuple(
        Quote(
            path=_line(each.path),
            side=Side(each.side),
            line=each.line,
            text=_clean(each.quote),
            role=_line(each.role),
            decisive=each.decisive,
        )
        for each in said.evidence
    )
    return DraftFinding(
        item=_line(said.item),
        title=_line(said.title),
        why=_clean(said.consequence.text),
        severity=Severity[said.severity],
        path=_line(said.path),
        line=said.line,
        end_line=max(said.line, said.end_line),
        quotes=evidence,
        anatomy=Anatomy(
            trigger=_clean(said.trigger) or None,
            base_to_head=_clean(said.base_to_head) or None,
            mechanism=tuple(
                Step(_clean(each.text), tuple(at for at in each.evidence if 0 <= at < len(evidence)))
                for each in said.mechanism
            ),
            consequence=Consequence(_clean(said.consequence.text), said.consequence.failure),
            severity_reason=_clean(said.severity_reason) or None,
            claims=tuple(Claim(text=_clean(each.text), decisive=each.decisive) for each in said.claims),
            open_questions=tuple(
                OpenQuestion(text=_clean(each.text), decides=each.decides) for each in said.open_questions
            ),
            suggestions=tuple(Suggestion(text=_clean(each.text), kind=each.kind) for each in said.suggestions),
        ),
        replacement=None if said.replacement is None else _clean(said.replacement),
    )


def _clean(text: str) -> str:
    """Without control characters, bidirectional controls and invisible ones; tabs and line feeds stay."""
    return _UNSAFE.sub("", text).encode("utf-8", "ignore").decode("utf-8").strip("\n")


def _line(text: str) -> str:
    """The same on one line."""
    return " ".join(_clean(text).split())
