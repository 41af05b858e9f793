"""What a tool takes, as a JSON schema for the model, and the reading of what the model wrote instead.

Forgives what means the same (a number as text, null for nothing); refuses the rest in words. Invariant: what comes out
is of the kind and size that the parameter says, and holds no NUL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from roundzero.core.change import Side
from roundzero.core.frozen import dataclass
from roundzero.core.toolbox import Unanswered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST_NUMBER: Final = 10_000_000
_DIGITS: Final = 9
_SIDES: Final = ("head", "base")


class RefusedError(Exception):
    """A call that is not carried out, in words for the model that made it. ``near``: lines from the repository."""

    def __init__(self, words: str, near: Sequence[str] = (), why: Unanswered = Unanswered.WRONG) -> None:
        """Say why, and what there is instead. ``why``: the same for people."""
        super().__init__(words)
        self.near = tuple(near)
        self.why = why


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter. ``most``: characters of a text. A text is one line unless nothing else would do."""

    name: str
    description: str
    kind: Literal["text", "number", "side"] = "text"
    required: bool = False
    most: int = 200


SIDE: Final = Parameter(
    name="side", kind="side", description='"head" is the text under review, "base" the one before it; head if left out'
)


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a call gives, each value checked."""

    texts: Mapping[str, str]
    numbers: Mapping[str, int]
    side: Side = Side.HEAD

    def text(self, name: str) -> str:
        """A text without the space around it; "" where none was given."""
        return self.texts.get(name, "")

    def number(self, name: str, otherwise: int) -> int:
        """A number from 1."""
        return self.numbers.get(name, otherwise)


def schema(parameters: Sequence[Parameter]) -> Mapping[str, object]:
    """The JSON schema of a call's arguments."""
    return {
        "type": "object",
        "properties": {each.name: _schema(each) for each in parameters},
        "required": [each.name for each in parameters if each.required],
        "additionalProperties": False,
    }


def _schema(parameter: Parameter) -> Mapping[str, object]:
    kinds: Mapping[str, Mapping[str, object]] = {
        "text": {"type": "string", "maxLength": parameter.most},
        "number": {"type": "integer", "minimum": 1},
        "side": {"type": "string", "enum": list(_SIDES)},
    }
    return {**kinds[parameter.kind], "description": parameter.description}


def checked(said: Mapping[str, object] | None, parameters: Sequence[Parameter]) -> Arguments:
    """The arguments of a call. Raises RefusedError."""
    if said is None:
        raise RefusedError("the arguments are no JSON object")
    known = {each.name: each for each in parameters}
    if strange := sorted(set(said) - set(known)):
        raise RefusedError(f"there is no argument {_shown(strange[0])}; there are: {', '.join(known)}")
    texts: dict[str, str] = {}
    numbers: dict[str, int] = {}
    side = Side.HEAD
    for name, each in known.items():
        value = said.get(name)
        if value is None or value == "":
            if each.required:
                raise RefusedError(f"the argument {name} is missing")
        elif each.kind == "text":
            texts[name] = _text(each, value)
        elif each.kind == "number":
            numbers[name] = _number(each, value)
        else:
            side = _side(value)
    return Arguments(texts, numbers, side)


def _text(parameter: Parameter, value: object) -> str:
    if not isinstance(value, str):
        raise RefusedError(f"the argument {parameter.name} must be a text")
    text = value.strip()
    if len(text) > parameter.most:
        raise RefusedError(f"the argument {parameter.name} is longer than {parameter.most} characters")
    if any(character in text for character in "\0\r\n"):
        raise RefusedError(f"the argument {parameter.name} must be one line without control characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RefusedError(f"the argument {parameter.name} holds characters that are none") from None
    if not text and parameter.required:
        raise RefusedError(f"the argument {parameter.name} is missing")
    return text


def _number(parameter: Parameter, value: object) -> int:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdecimal() and len(value) < _DIGITS:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _MOST_NUMBER:
        raise RefusedError(f"the argument {parameter.name} must be a whole number from 1 to {_MOST_NUMBER}")
    return value


def _side(value: object) -> Side:
    if isinstance(value, str) and value.strip().lower() in _SIDES:
        return Side(value.strip().lower())
    raise RefusedError('the argument side must be "head" or "base"')


def _shown(name: object) -> str:
    return repr(str(name)[:40])
