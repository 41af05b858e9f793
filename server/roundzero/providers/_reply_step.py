"""The form of a step: a reply that calls tools before it answers.

``{"calls": [{"name": ..., "arguments": {...}}]}``, whatever a provider makes of that. Also read is what models write
whose host does not know their own marks for a call: those marks, or one call alone. Whether there is such a tool, and
whether it takes such arguments, is asked elsewhere. Invariant: names are harmless and short; arguments are kept as they
came, or not at all.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from roundzero.core.harmless import line
from roundzero.core.regex import regex
from roundzero.core.toolbox import Calls, ToolCall
from roundzero.providers._reply_base import Fault, Form, Strict, Word, parsed, parsed_alone, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_CALLS: Final = 32
"""Calls read of one reply; how many of them are carried out is for whoever carries them out to say."""

_MOST_ARGUMENTS: Final = 2_000
"""Characters of one call's arguments; whatever is longer is none."""

_MARKED: Final = regex(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)


class _Call(Strict):
    name: Word
    arguments: Any


class _Bare(Strict):
    name: Word
    arguments: Any = None
    parameters: Any = None


class _Step(Strict):
    calls: list[_Call] = Field(min_length=1, max_length=MOST_CALLS)


@cache
def schema() -> Mapping[str, object]:
    """The JSON schema of a step; what arguments a tool takes is in the tool's own."""
    made = schema_of(_Step)
    return {**made, "properties": {"calls": {"type": "array", "minItems": 1, "maxItems": MOST_CALLS, "items": _CALL}}}


_CALL: Final[Mapping[str, object]] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
    "required": ["name", "arguments"],
    "additionalProperties": False,
}


def read(text: str) -> Calls | Fault:
    """The calls in a reply, or why there are none."""
    marked = _MARKED.findall(text)[:MOST_CALLS]
    step = parsed(f'{{"calls": [{",".join(marked)}]}}' if marked else text, _Step)
    if not isinstance(step, Fault):
        return Calls(tuple(ToolCall(line(each.name), _arguments(each.arguments)) for each in step.calls))
    alone = parsed_alone(text, _Bare)
    if isinstance(alone, Fault):
        return step
    return Calls((ToolCall(line(alone.name), _arguments(alone.arguments or alone.parameters or {})),))


def _arguments(said: object) -> Mapping[str, object] | None:
    """An object, also one that was written as text within the JSON; None for anything else."""
    try:
        value = json.loads(said) if isinstance(said, str) and len(said) <= _MOST_ARGUMENTS else said
        if not isinstance(value, dict) or len(json.dumps(value)) > _MOST_ARGUMENTS:
            return None
    except (ValueError, RecursionError):
        return None
    return {str(name): each for name, each in value.items()}


FORM: Final = Form("step", read, schema)
