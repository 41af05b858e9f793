"""YAML text to plain data, with the line of every value.

Reads by YAML 1.2's core rules: only ``true`` and ``false`` are booleans, so that ``on``, ``off``, ``yes`` and dates
stay the words they look like. Deliberately without aliases: a pack is data for people to read, and aliases can make a
small file explode. Invariant: whatever the text, the result is data or a ``NotReadableError`` with a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import yaml

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Data: TypeAlias = str | int | float | bool | list["Data"] | dict[str, "Data"] | None
DataPath: TypeAlias = tuple[str | int, ...]

DEEPEST: Final = 60
"""Levels of lists and mappings in each other; real packs have about ten."""

_LOADER: Final[type[yaml.SafeLoader | yaml.CSafeLoader]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER: Final = regex(r"[-+]?[0-9]+")
_FLOAT: Final = regex(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: Final = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_TOO_DEEP: Final = "nested too deeply"


class NotReadableError(Exception):
    """The text is no YAML that a pack may be written in. ``line`` from 1."""

    def __init__(self, line: int, message: str) -> None:
        """Say what is wrong and where."""
        super().__init__(message)
        self.line = line
        self.message = message


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data and where it was written."""

    data: Data
    lines: Mapping[DataPath, int]

    def line(self, path: Sequence[str | int]) -> int:
        """The line (from 1) of the value at ``path``, or of the nearest value around it that was written."""
        known: DataPath = ()
        for step in path:
            if (*known, step) in self.lines:
                known = (*known, step)
            elif isinstance(step, str):
                break
        return self.lines.get(known, 1)


def read(text: str) -> Document:
    """Read one YAML document. Raises NotReadableError."""
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise NotReadableError(mark.line + 1 if mark is not None else 1, error.problem or str(error)) from None
    except yaml.YAMLError as error:
        at = getattr(error, "position", 0)
        raise NotReadableError(text.count("\n", 0, at) + 1, "a character that YAML does not allow") from None
    except RecursionError:
        raise NotReadableError(1, _TOO_DEEP) from None
    except UnicodeEncodeError as error:
        raise NotReadableError(text.count("\n", 0, error.start) + 1, "text that is not Unicode") from None
    lines: dict[DataPath, int] = {}
    data = _convert(root, (), lines, set()) if root is not None else None
    return Document(data, lines)


def _convert(node: yaml.Node, path: DataPath, lines: dict[DataPath, int], seen: set[int]) -> Data:
    line = lines.setdefault(path, node.start_mark.line + 1)
    if id(node) in seen:
        raise NotReadableError(line, "anchors and aliases are not read in a pack: write the value out")
    if len(path) > DEEPEST:
        raise NotReadableError(line, _TOO_DEEP)
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        return node.value if node.style else _scalar(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_convert(child, (*path, at), lines, seen) for at, child in enumerate(node.value)]
    result: dict[str, Data] = {}
    for key, value in node.value:
        key_line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise NotReadableError(key_line, "a key must be a word")
        if key.value in result:
            raise NotReadableError(key_line, f'the key "{key.value}" is there twice')
        lines[(*path, key.value)] = key_line
        result[key.value] = _convert(value, (*path, key.value), lines, seen)
    return result


def _scalar(text: str) -> Data:
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) < 20 else text
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
