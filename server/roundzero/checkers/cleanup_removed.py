"""cleanup-removed: a call that gives something back went from one branch or function, while its siblings keep theirs.

A question for whoever reads the change, seldom an answer: the resource may be gone as well, or a ``with`` closes it.
Siblings are the other branches of the function, where control does not come from the branch to their call, or, of a
function that gives nothing back any more, the other functions of the file. Silent where the function got such a call,
or another way of giving back, and where the branch went. Invariant: the hit lies on a removed line, and the function is
still there.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import cause_of
from roundzero.checkers._base import Pair, RelationChecker, base_hit
from roundzero.checkers._paths import is_test_path
from roundzero.checkers._python import definitions, dotted, within
from roundzero.core.finding import Edit, Fix
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.text import Position, Span, dominant_eol, with_eol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from roundzero.checkers._python import Function
    from roundzero.core.finding import Hit

_GIVES_BACK: Final = regex(
    r"(?:^|_)(?:close|release|free|unlock|shutdown|cancel|cleanup|clean_up|tear_?down|dispose|destroy|unsubscribe|"
    r"unregister|disconnect|detach|terminate|rollback|rmtree|unlink|kill)(?:_|$)"
)
_ENDS: Final = regex(
    r"(?:^|_)(?:stop|end|exit|leave|finish|finali[sz]e|flush|restore|reset|clear|remove|discard|delete|drop|abort|undo|"
    r"revert|disable|deactivate|decref|deallocate|reclaim|recycle|give_?back|put_?back|hand_?back)(?:_|$)"
)
"""More words for the same, which say it where siblings do alike."""
_TAKES_OVER: Final = regex(r"\bwith\b|ExitStack|finally|atexit|weakref|contextmanager")
"""Another way of giving back."""

_LEAVES: Final = (ast.Return, ast.Raise, ast.Continue, ast.Break)
RESTORABLE: Final = 4
"""Longest call, in lines, that is offered back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A call that is a statement, its last name, its text, and the blocks it stands in, outermost first."""

    call: ast.Call
    name: str
    text: str
    blocks: tuple[Sequence[ast.stmt], ...]


class CleanupRemoved(RelationChecker):
    """Finds clean-ups that went from one place only."""

    name = "cleanup-removed"
    version = "2"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Compare function by function."""
        file = pair.file
        if not pair.is_python or is_test_path(file.path) or file.base is None or file.head is None:
            return
        index = file.base.index
        words = {word for line in file.removed for word in re.findall(r"\w+(?=\()", index.line(line))}
        if not any(_GIVES_BACK.search(word) or _ENDS.search(word) for word in words):
            return
        after = definitions(pair.head.tree)
        kept = {name for part in ast.walk(pair.head.tree) if (name := _clean_up(part))}
        for name, before in definitions(pair.base.tree).items():
            if name not in after or pair.adds(_TAKES_OVER, after[name]):
                continue
            still = {found for _, found in _calls(after[name])}
            gone = (
                call
                for call, found in _calls(before)
                if pair.base.start(call).line in file.removed and not still and found in kept
            )
            call = next(gone, None) or _lost_by_branch(pair, before, after[name])
            if call is not None:
                yield base_hit(
                    file,
                    pair.base.span(call),
                    pair.base.text(call),
                    fixes=_restored(pair, call),
                    cause=cause_of(file, pair.base.start(call).line),
                )


def _lost_by_branch(pair: Pair, before: Function, after: Function) -> ast.Call | None:
    """The first call that went from a branch that is still there, while another branch keeps the same call."""
    file = pair.file
    now = [step for step in _steps(after.body, ()) if _clean_up(step.call) or _ENDS.search(step.name)]
    names = {step.name for step in now if pair.head.start(step.call).line not in file.added}
    names -= {step.name for step in now if pair.head.start(step.call).line in file.added}
    steps = [step for step in _steps(before.body, ()) if step.name in names]
    removed = [step for step in steps if pair.base.start(step.call).line in file.removed]
    for step in removed:
        siblings = [other for other in steps if other not in removed and other.text == step.text]
        if _is_left(pair, step, before) and any(_is_sibling(step, other) for other in siblings):
            return step.call
    return None


def _steps(body: Sequence[ast.stmt], around: tuple[Sequence[ast.stmt], ...]) -> Iterator[_Step]:
    """The calls that are statements of a function, without those of functions and classes inside it."""
    blocks = (*around, body)
    for node in body:
        value = node.value if isinstance(node, ast.Expr) else None
        call = value.value if isinstance(value, ast.Await) else value
        if isinstance(call, ast.Call) and (name := dotted(call.func).rpartition(".")[2]):
            yield _Step(call=call, name=name, text=ast.unparse(call), blocks=blocks)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from _steps(getattr(node, field, ()), blocks)
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from _steps(part.body, blocks)


def _is_left(pair: Pair, step: _Step, function: Function) -> bool:
    """Whether something else of the block of a removed call is still there: a statement, or what it belongs to."""
    removed = pair.file.removed
    block = step.blocks[-1]
    lines = [pair.base.start(node).line for node in block]
    if any(line not in removed for line in lines):
        return True
    owner = next((node for node in ast.walk(function) if block in _own_blocks(node)), None)
    return owner is not None and hasattr(owner, "lineno") and owner.lineno not in removed


def _own_blocks(node: ast.AST) -> list[Sequence[ast.stmt]]:
    return [block for field in ("body", "orelse", "finalbody") if isinstance(block := getattr(node, field, None), list)]


def _is_sibling(step: _Step, other: _Step) -> bool:
    """Whether control that passes where a call was does not come to the other one."""
    if other.blocks[-1] is step.blocks[-1]:
        return False
    if any(block is other.blocks[-1] for block in step.blocks):
        return isinstance(step.blocks[-1][-1], _LEAVES)
    return not any(block is step.blocks[-1] for block in other.blocks)


def _restored(pair: Pair, call: ast.Call) -> tuple[Fix, ...]:
    """Put a call back where nothing but its lines went and nothing replaced it."""
    base, head = pair.file.base, pair.file.head
    lines = pair.base.span(call).lines
    hunk = next((hunk for hunk in pair.file.hunks if lines.start in hunk.base_lines), None)
    if base is None or head is None or hunk is None or hunk.head_count or hunk.base_lines != lines:
        return ()
    after = hunk.head_gap + 1
    if len(lines) > RESTORABLE or (after > head.index.line_count and not head.text.endswith("\n")):
        return ()
    place = Position(after, 1)
    new = with_eol("".join(f"{base.index.line(line)}\n" for line in lines), dominant_eol(head.text))
    return (Fix("Restore the call", safe=False, edits=(Edit(pair.file.path, Span(place, place), "", new),)),)


def _clean_up(node: ast.AST) -> str:
    """The last name of a call that gives something back; "" for anything else."""
    name = dotted(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
    return name if _GIVES_BACK.search(name) else ""


def _calls(function: Function) -> Iterator[tuple[ast.Call, str]]:
    for part in within(function):
        if isinstance(part, ast.Call) and (name := _clean_up(part)):
            yield part, name


CHECKER: Final = CleanupRemoved
