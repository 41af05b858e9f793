"""Defaults of parameters that may be shared by all calls: the function only reads them, or means to keep them.

Works on lines, which a parser has found to be a function. Invariant: what is changed, kept or handed back under the
parameter's own name is not only read; what another function does with it is not looked into.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.core.text import indentation

if TYPE_CHECKING:
    from roundzero.core.text import LineIndex, Position

_NAME: Final = regex(r"(\w+)[ \t]*(?::[^=()]*)?=[ \t]*$")
_DEFINES: Final = regex(r"[ \t]*(?:async[ \t]+)?def[ \t]")
_CHANGES: Final = (
    r"(?<![\w.]){name}[ \t]*(?:\.[ \t]*(?:append|extend|insert|add|update|pop|popitem|remove|discard|clear|setdefault|"
    r"sort|reverse|\w+_update|__\w+__)[ \t]*\(|(?:\[.*\])[ \t]*[-+*/|&^%@]*=(?!=)|[-+*/|&^%@]+=)|\bdel[ \t]+{name}\b|"
    r"(?:=|\breturn|\byield)[ \t]*{name}[ \t]*(?:#.*)?$"
)
"""Methods and assignments that change it, and what keeps or hands back the object itself."""
SIGNATURE: Final = 40
"""Lines above a default within which its ``def`` stands."""
LONGEST: Final = 400
"""Lines of a function that are looked at."""


def is_kept_on_purpose(index: LineIndex, start: Position) -> bool:
    """Whether the parameter whose default begins at a place has an underscore: no caller gives it, it is a memory."""
    match = _NAME.search(index.line(start.line)[: start.column - 1])
    return match is not None and match[1].startswith("_") and len(match[1]) > 1


def is_only_read(index: LineIndex, start: Position) -> bool:
    """Whether the parameter whose default begins at a place is never changed, kept or handed back in its function."""
    match = _NAME.search(index.line(start.line)[: start.column - 1])
    first = next(
        (at for at in range(start.line, max(0, start.line - SIGNATURE), -1) if _DEFINES.match(index.line(at))), None
    )
    if match is None or first is None:
        return False
    changes = re.compile(_CHANGES.format(name=re.escape(match[1])))
    indent = indentation(index.line(first))
    if changes.search(index.line(start.line), start.column - 1) is not None:
        return False
    for number in range(start.line + 1, min(first + LONGEST, index.line_count) + 1):
        line = index.line(number).rstrip("\r")
        if line.strip() and indentation(line) <= indent and not line.lstrip().startswith((")", "#")):
            return True
        if changes.search(line) is not None:
            return False
    return first + LONGEST > index.line_count
