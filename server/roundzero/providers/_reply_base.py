"""What all forms of a reply share: strict models, schemas in one piece, JSON out of prose, harmless text.

A form is a module ``_reply_<name>.py`` beside this one that defines ``FORM``; ``reply`` finds them. Knows no form
itself. Invariants: a schema has no references and allows no further properties; nothing here raises for what a model
wrote; no text of a value holds a character that could disturb a display (core/harmless).
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from roundzero.core.change import Side
from roundzero.core.frozen import dataclass
from roundzero.core.harmless import clean, line, prose
from roundzero.core.model_values import Quote
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

T_co = TypeVar("T_co", covariant=True)
M = TypeVar("M", bound=BaseModel)

_FENCE: Final = regex(r"\A\s*```[a-zA-Z]*\n(.*?)\n?```\s*\Z", re.DOTALL)

_THOUGHT: Final = "</think>"
"""How thoughts end that a host passes on as text."""

_MOST_BRACES: Final = 2_000
"""Places in a reply at which an object is looked for."""

Word = Annotated[str, Field(max_length=80)]
Line = Annotated[str, Field(max_length=300)]
Text = Annotated[str, Field(max_length=800)]


class Strict(BaseModel):
    """A part of a reply that takes no field it does not name."""

    model_config = ConfigDict(extra="forbid")


class Quoted(Strict):
    """A line as it is said to stand."""

    path: Line
    side: Literal["head", "base"]
    line: int = Field(ge=0, le=10_000_000)
    quote: Line

    def meant(self) -> Quote:
        """It as a value."""
        return Quote(path=line(self.path), side=Side(self.side), line=self.line, text=clean(self.quote))


class Proof(Quoted):
    """The same, with what it shows."""

    role: Word

    def meant(self) -> Quote:
        """It as a value."""
        return replace(super().meant(), role=line(prose(self.role)))


class WeighedProof(Proof):
    """The same, with whether all depends on it."""

    decisive: bool

    def meant(self) -> Quote:
        """It as a value."""
        return replace(super().meant(), decisive=self.decisive)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a reply could not be read, in words a model can act on."""

    message: str


@dataclass(frozen=True, slots=True)
class Form(Generic[T_co]):
    """A form of reply by name: its JSON schema, and what reads a text into a value or says what is wrong with it."""

    name: str
    read: Callable[[str], T_co | Fault]
    schema: Callable[[], Mapping[str, object]]


def parsed(text: str, model: type[M]) -> M | Fault:
    """The JSON object of a reply as a model. Fences and prose around it are forgiven, nothing within.

    Prose may hold braces. Of several objects one must fit: which is meant is not guessed, since code that is quoted may
    hold an answer of its own. Thoughts before the answer are none.
    """
    text = text.rpartition(_THOUGHT)[2]
    alone = parsed_alone(text, model)
    if not isinstance(alone, Fault):
        return alone
    fitting: list[M] = []
    for value in _objects(text):
        with suppress(ValueError, RecursionError):
            fitting.append(model.model_validate(value))
    if not fitting:
        return alone
    return fitting[0] if all(each == fitting[0] for each in fitting) else Fault("there are several answers in it")


def parsed_alone(text: str, model: type[M]) -> M | Fault:
    """The same of a reply that has no other braces than those of the object."""
    bare = json_in(text)
    if bare is None:
        return Fault("there is no JSON object in it")
    try:
        return model.model_validate(json.loads(bare))
    except (ValueError, RecursionError) as error:
        return Fault(words(error))


def _objects(text: str) -> list[object]:
    """The JSON objects in a text that are in no other, in their order."""
    decoder = json.JSONDecoder()
    found: list[object] = []
    at = text.find("{")
    for _ in range(_MOST_BRACES):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
            found.append(value)
        except (ValueError, RecursionError):
            end = at + 1
        at = text.find("{", end)
    return found


def schema_of(model: type[BaseModel]) -> Mapping[str, object]:
    """The JSON schema of a model, in one piece: no references, titles or defaults, every property required."""
    made = model.model_json_schema()
    definitions = made.pop("$defs", {})
    plain: Mapping[str, object] = _plain(made, definitions)
    return plain


def json_in(text: str) -> str | None:
    """The part of a reply that may be a JSON object; None where there is none."""
    fenced = _FENCE.match(text)
    if fenced is not None:
        text = fenced[1]
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else None


def words(error: Exception) -> str:
    """What is wrong with a reply: an error of ``json.loads`` or of a model."""
    if isinstance(error, ValidationError):
        rows = error.errors(include_url=False, include_context=False, include_input=False)[:5]
        return "; ".join(f"{'.'.join(str(part) for part in row['loc'])}: {row['msg']}" for row in rows)
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at line {error.lineno}, column {error.colno}"
    return "it is nested too deeply"


def each_of(rows: Iterable[object], model: type[M], told: Callable[[int, str], None] | None = None) -> list[M]:
    """The rows that can be read; of each other one ``told`` hears its number, from 0, and what is wrong with it."""
    found: list[M] = []
    for number, row in enumerate(rows):
        try:
            found.append(model.model_validate(row))
        except (ValueError, RecursionError) as error:
            if told is not None:
                told(number, words(error))
    return found


def quotes(said: Iterable[Quoted]) -> tuple[Quote, ...]:
    """Lines as they are said to stand."""
    return tuple(each.meant() for each in said)


def _plain(node: Any, definitions: Mapping[str, Any]) -> Any:  # noqa: ANN401  any JSON
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
