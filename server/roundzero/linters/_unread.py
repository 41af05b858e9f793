"""Names that ruff calls unused or replaced, and that stand there for another reason.

A variable of what is called for its effect, as an import that may fail; one in what has to raise or warn, where the
value does not matter; a parameter named like an import, which is how pytest asks for a fixture. Works on lines, which a
parser has found to be Python. Invariant: nothing is looked for outside the function that the name stands in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex

if TYPE_CHECKING:
    from roundzero.core.text import LineIndex, Position

_FOR_EFFECT: Final = regex(
    r"[ \t]*\w+[ \t]*(?::[^=]*)?=[ \t]*(?:await[ \t]+)?(?:[\w.]*\.)?(?:importorskip|import_module|__import__)\("
)
_HAS_TO_FAIL: Final = regex(r"[ \t]*(?:async[ \t]+)?with\b.*(?:[rR]aises|[wW]arns)\w*\(")
_MARKED: Final = regex(r"[ \t]*@[\w.]*(?:raises|xfail|expectedFailure)\b")
_DEFINES: Final = regex(r"[ \t]*(?:async[ \t]+)?def[ \t]+\w+[ \t]*(?:\[[^\]]*\])?\(")
_BEGINS: Final = regex(r"[ \t]*(?:(?:async[ \t]+)?def|class|from|import|with|async[ \t]+with|for|if|while)\b|[ \t]*@")
_BLANK: Final = regex(r"[ \t]*(?:#.*)?\r?")
LONGEST: Final = 200
"""Lines above a name within which its function has to begin."""


def need_not_be_read(index: LineIndex, number: int) -> bool:
    """Whether a variable assigned on a line is only there because what gives it was called."""
    line = index.line(number)
    if _FOR_EFFECT.match(line):
        return True
    indent = _indent(line)
    for above in range(number - 1, max(0, number - LONGEST), -1):
        line = index.line(above)
        if _BLANK.fullmatch(line) or _indent(line) >= indent:
            continue
        indent = _indent(line)
        if _HAS_TO_FAIL.match(line):
            return True
        if _DEFINES.match(line):
            return _is_marked(index, above)
    return False


def is_parameter(index: LineIndex, start: Position) -> bool:
    """Whether a name stands among the parameters of a function, on the line of its ``def`` or below."""
    number = start.line
    before = index.line(number)[: start.column - 1]
    if (match := _DEFINES.match(before)) is not None:
        return start.column - 1 >= match.end()
    if before.strip():
        return False
    for above in range(number - 1, max(0, number - LONGEST), -1):
        line = index.line(above)
        if _BEGINS.match(line):
            return _DEFINES.match(line) is not None and not line.rstrip().endswith(":")
    return False


def _is_marked(index: LineIndex, number: int) -> bool:
    """Whether a decorator of the function on a line says that it has to fail."""
    for above in range(number - 1, max(0, number - LONGEST), -1):
        line = index.line(above)
        if not line.lstrip().startswith("@"):
            return False
        if _MARKED.match(line):
            return True
    return False


def _indent(line: str) -> int:
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())
