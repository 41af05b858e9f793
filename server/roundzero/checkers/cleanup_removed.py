"""cleanup-removed: a call that gives something back went from one function, while others around it keep theirs.

A question for whoever reads the change, seldom an answer: the resource may be gone as well, or a ``with`` closes it.
Silent where the function got one, or another call that gives back. Invariant: the hit lies on a removed line, and the
function is still there.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import cause_of
from roundzero.checkers._base import Pair, RelationChecker, base_hit
from roundzero.checkers._paths import is_test_path
from roundzero.checkers._python import definitions, dotted, within
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.checkers._python import Function
    from roundzero.core.finding import Hit

_GIVES_BACK: Final = regex(
    r"(?:^|_)(?:close|release|free|unlock|shutdown|cancel|cleanup|clean_up|tear_?down|dispose|destroy|unsubscribe|"
    r"unregister|disconnect|detach|terminate|rollback|rmtree|unlink|kill)(?:_|$)"
)
_TAKES_OVER: Final = regex(r"\bwith\b|ExitStack|finally|atexit|weakref|contextmanager")


class CleanupRemoved(RelationChecker):
    """Finds clean-ups that went from one place only."""

    name = "cleanup-removed"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Compare function by function."""
        file = pair.file
        if not pair.is_python or is_test_path(file.path) or file.base is None or file.head is None:
            return
        index = file.base.index
        if not any(
            _GIVES_BACK.search(word) for line in file.removed for word in re.findall(r"\w+(?=\()", index.line(line))
        ):
            return
        after = definitions(pair.head.tree)
        kept = {name for part in ast.walk(pair.head.tree) if (name := _clean_up(part))}
        for name, before in definitions(pair.base.tree).items():
            if name not in after or _takes_over(pair, after[name]):
                continue
            still = {found for _, found in _calls(after[name])}
            for call, found in _calls(before):
                span = pair.base.span(call)
                if span.start.line in file.removed and not still and found in kept:
                    yield base_hit(file, span, pair.base.text(call), cause=cause_of(file, span.start.line))
                    break


def _clean_up(node: ast.AST) -> str:
    """The last name of a call that gives something back; "" for anything else."""
    name = dotted(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
    return name if _GIVES_BACK.search(name) else ""


def _calls(function: Function) -> Iterator[tuple[ast.Call, str]]:
    for part in within(function):
        if isinstance(part, ast.Call) and (name := _clean_up(part)):
            yield part, name


def _takes_over(pair: Pair, function: Function) -> bool:
    """Whether an added line of a function brings another way of giving back."""
    head = pair.file.head
    lines = pair.head.span(function).lines
    return head is not None and any(
        line in pair.file.added and _TAKES_OVER.search(head.index.line(line)) is not None for line in lines
    )


CHECKER: Final = CleanupRemoved
