"""encoding-left-to-platform: a text file is opened without saying its encoding.

On another machine the same bytes are then read otherwise, or not at all. A question for whoever reads the change, since
a file that only this machine writes and reads is none. Silent in tests. Invariant: one hit a function, on its first
such call.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import dotted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.finding import Hit

_OPENING: Final = frozenset({"open", "io.open"})
_PATH_METHODS: Final = {"read_text": 0, "write_text": 1}
"""Methods of a path, with the arguments that stand before the encoding."""
_ENCODING_OF_OPEN: Final = 3


class EncodingLeftToPlatform(PythonChecker):
    """Finds texts that another machine reads otherwise."""

    name = "encoding-left-to-platform"
    nodes = (ast.Call,)

    def __init__(self) -> None:
        """Start with nothing reported."""
        self._reported: set[int] = set()

    def concerns(self, ctx: CheckContext) -> bool:
        """Only production code that opens something."""
        text = ctx.file.source.text
        return not ctx.is_test and ("open(" in text or "_text(" in text)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one call."""
        if isinstance(node, ast.Call) and id(ctx.function) not in self._reported and _is_open(node):
            self._reported.add(id(ctx.function))
            yield ctx.hit(node)


def _is_open(call: ast.Call) -> bool:
    """Whether a call reads or writes text in an encoding that it does not name."""
    if any(row.arg in {"encoding", None} for row in call.keywords):
        return False
    if any(isinstance(each, ast.Starred) for each in call.args):
        return False
    if isinstance(call.func, ast.Attribute) and call.func.attr in _PATH_METHODS:
        return len(call.args) == _PATH_METHODS[call.func.attr]
    if dotted(call.func) not in _OPENING or not 0 < len(call.args) <= _ENCODING_OF_OPEN:
        return False
    given = [row.value for row in call.keywords if row.arg == "mode"]
    mode = call.args[1] if len(call.args) > 1 else given[0] if given else None
    return mode is None or (isinstance(mode, ast.Constant) and isinstance(mode.value, str) and "b" not in mode.value)


CHECKER: Final = EncodingLeftToPlatform
