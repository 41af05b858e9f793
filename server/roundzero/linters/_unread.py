"""Names that ruff calls unused or replaced, and that stand there for another reason.

A variable of what is called for its effect, as an import that may fail; one in what has to raise or warn, where the
value does not matter; a session that is open; one of a program in another language, which a decorator reads as text; a
parameter named like an import, which is how pytest asks for a fixture; a function that a decorator handed on before its
name went. Works on lines, which a parser has found to be Python. Invariant: nothing is looked for outside the function
that the name stands in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.core.text import indentation

if TYPE_CHECKING:
    import re

    from roundzero.core.text import LineIndex, Position

_FOR_EFFECT: Final = regex(
    r"[ \t]*\w+[ \t]*(?::[^=]*)?=[ \t]*(?:await[ \t]+)?(?:[\w.]*\.)?(?:importorskip|import_module|__import__)\("
)
_IS_OPEN: Final = regex(r"[sS]ession\w*\([^#]*\)[ \t]+as[ \t]+\w+[ \t]*:|\)[ \t]+as[ \t]+sess(?:ion)?[ \t]*:")
"""A session that is the current one while it is open, whoever has its name."""
_ASSIGNED: Final = regex(
    r"[ \t]*(?!_?(?:res|ret|resp|response|out|output|actual|expect\w*|got|rv|val|values?|data|count|\w*result|"
    r"\w*response)\w?[ \t]*[:=])\w+[ \t]*(?::[^=]*)?=[ \t]*(?P<value>.{1,200})"
)
"""A variable that is not called a result, and what it gets."""
_HELD: Final = regex(
    r"(?<![a-z])(?<!is_)(?<!has_)(?:re|un|auto|pre)?(?:creat|open|begin|start(?!s)|make|build|connect|regist|mount|"
    r"launch|spawn|acquire|release|enter|install|patch|set_?up|attach|subscri|schedul|submit|bind|mapper|mock)\w*\("
)
"""A call that makes, begins or holds something."""
_OF_CLASS: Final = regex(r"[ \t]*\w+[ \t]*(?::[^=]*)?=[ \t]*(?:\w+\.)*[A-Z]\w*[a-z]\w*\(")
_PATCHED: Final = regex(r"[ \t]*@[\w.]*\bpatch\b")
"""A test with this looks at what the call of a class did elsewhere."""
_HAS_TO_FAIL: Final = regex(r"[ \t]*(?:async[ \t]+)?with\b.*(?:[rR]aises|[wW]arns)\w*\(")
_FAILS: Final = regex(
    r"[ \t]*(?:(?:self|pytest|unittest)\.)?(?:fail\(|assert[ ](?:False|0)\b|raise[ ]AssertionError\b)"
)
_MARKED: Final = regex(r"[ \t]*@[\w.]*(?:raises|xfail|expectedFailure)\b")
_READ_AS_TEXT: Final = regex(
    r"[ \t]*@(?:[\w.]*\b(?:ir_module|prim_func)|[RTI]\.(?:function|macro|ir_module|prim_func))\b"
)
"""Functions and classes that are programs of a compiler's own: TVM's scripts, in which an assignment is a node."""
_DEFINES: Final = regex(r"[ \t]*(?:async[ \t]+)?def[ \t]+\w+[ \t]*(?:\[[^\]]*\])?\(")
_BEGINS: Final = regex(r"[ \t]*(?:(?:async[ \t]+)?def|class|from|import|with|async[ \t]+with|for|if|while)\b|[ \t]*@")
_BLANK: Final = regex(r"[ \t]*(?:#.*)?\r?")
_TAKES: Final = regex(
    r"[ \t]*@(?:"
    r"(?!(?:pytest|unittest|mock|functools|contextlib|hypothesis|abc|typing|torch|np|numpy|jax|tf|triton|attrs?)\.)"
    r"\w[\w.]*\.(?!(?:patch|skip\w*|parametri[sz]e|mark|wraps|setter|getter|deleter|object|dict|multiple)\b)\w+\(|"
    r"(?:\w*(?:regist|receiv|hook|command|handl|listen|subscri|export|route|lower|impl|dispatch)\w*|overload\w*(?=\())"
    r"\b)"
)
"""A decorator that is a call on some object, or sounds as if it hands a function to somebody."""
_TEST: Final = regex(r"[ \t]*(?:async[ \t]+)?def[ \t]+test")
LONGEST: Final = 200
"""Lines above a name within which its function has to begin, and characters of a line that say what it gets."""


def need_not_be_read(index: LineIndex, number: int, *, in_test: bool = False) -> bool:
    """Whether a variable assigned on a line is only there because what gives it was called.

    In a test that may also be something that is made, begun or held, unless it is called a result: that one was to be
    looked at.
    """
    line = index.line(number)
    if _FOR_EFFECT.match(line) or _IS_OPEN.search(line) or (in_test and _is_held(line)):
        return True
    indent = indentation(line)
    if _is_followed_by_failing(index, number, indent):
        return True
    for above in range(number - 1, max(0, number - LONGEST), -1):
        line = index.line(above)
        if _BLANK.fullmatch(line) or indentation(line) >= indent:
            continue
        indent = indentation(line)
        if _HAS_TO_FAIL.match(line):
            return True
        if _DEFINES.match(line):
            made = in_test and _OF_CLASS.match(index.line(number)[:LONGEST]) is not None
            return _is_marked(index, above, _PATCHED if made else None)
    return False


def _is_held(line: str) -> bool:
    match = _ASSIGNED.match(line[:LONGEST])
    return match is not None and _HELD.search(match["value"]) is not None


def _is_followed_by_failing(index: LineIndex, number: int, indent: int) -> bool:
    """Whether the statement after the one on a line fails the test: the first should have raised."""
    for below in range(number + 1, min(number + LONGEST, index.line_count) + 1):
        line = index.line(below)
        if not (_BLANK.fullmatch(line) or indentation(line) > indent or line.lstrip().startswith((")", "]", "}"))):
            return indentation(line) == indent and _FAILS.match(line) is not None
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


def is_taken(index: LineIndex, number: int) -> bool:
    """Whether a decorator of the function on a line has handed it to somebody, who calls it whatever has its name.

    Not a test: a runner finds it by its name.
    """
    if not _DEFINES.match(index.line(number)) or _TEST.match(index.line(number)):
        return False
    indent = indentation(index.line(number))
    for above in range(number - 1, max(0, number - LONGEST), -1):
        line = index.line(above)
        if not line.lstrip().startswith("@"):
            if (
                _BLANK.fullmatch(line)
                or indentation(line) < indent
                or (indentation(line) == indent and line.strip()[0] not in ")]")
            ):
                return False
        elif _TAKES.match(line):
            return True
    return False


def _is_marked(index: LineIndex, number: int, also: re.Pattern[str] | None = None) -> bool:
    """Whether a decorator of the function on a line says that it has to fail, is no Python, or is one of ``also``."""
    for above in range(number - 1, max(0, number - LONGEST), -1):
        line = index.line(above)
        if not line.lstrip().startswith("@"):
            return False
        if _MARKED.match(line) or _READ_AS_TEXT.match(line) or (also is not None and also.match(line)):
            return True
    return False
