"""raises-without-match: a test expects an error that the code it calls raises for several reasons, and compares none.

Only where the block is one call that the index follows to a function of the repository, and only where that function,
or one of its file that it calls, raises the type in at least FEWEST places; of a type that says something (one that is
not among ruff's PT011), with as many messages. Silent where the message is looked at in any way. Invariant: the hit
lies on a line of the change.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import SymbolChecker, SymbolView, code
from roundzero.checkers._paths import is_test_path
from roundzero.checkers._python import dotted, parse, parse_or_none, within
from roundzero.core.change import Side
from roundzero.core.finding import Edit, Fix, Hit, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.resolution import Found
from roundzero.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.checkers._python import Function, Parsed
    from roundzero.core.change import FileChange
    from roundzero.core.ports import Symbols
    from roundzero.core.resolution import NameAnswer
    from roundzero.core.text import RelPath

FEWEST: Final = 2
MOST_FIXES: Final = 3

_OS_ERRORS: Final = frozenset({"OSError", "IOError", "EnvironmentError", "socket.error"})
_BROAD: Final[Mapping[str, frozenset[str] | None]] = {
    "BaseException": None,
    "Exception": None,
    "ValueError": frozenset({"ValueError"}),
    **dict.fromkeys(_OS_ERRORS, _OS_ERRORS),
}
"""Types that say nothing, with the names they are raised by; None: by any."""

_NO_PLAIN_TEXT: Final = regex(r"%\S?|\{[^}]*\}|[^\w ,;:'=-]")
"""What parts a message into pieces that mean themselves in a regular expression."""

_EXPECTS: Final = regex(r"aises\(\s*(?:$|[\w.]+\s*(?:[,)]|$))")


@dataclass(frozen=True, slots=True)
class _Expectation:
    """A place in a test that expects an error of a kind from a call of ``callee``."""

    node: ast.Call
    kind: str
    callee: ast.expr
    test: Function


@dataclass(frozen=True, slots=True)
class _Target:
    """A function of the repository."""

    path: RelPath
    qualified: str


class RaisesWithoutMatch(SymbolChecker):
    """Finds expectations that several causes satisfy."""

    name = "raises-without-match"
    version = "2"

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Look at the expectations on added lines of test files."""
        for file in view.change.files:
            head = file.head
            if head is None or language_of(file.path) != "python" or not is_test_path(file.path):
                continue
            if not any(_EXPECTS.search(head.index.line(line)) for line in file.added):
                continue
            parsed = parse_or_none(head)
            if parsed is None:
                continue
            for expected in _expectations(parsed):
                if parsed.start(expected.node).line in file.added and not _was_there(file, parsed, expected):
                    yield from _judged(expected, parsed, view)


def _judged(expected: _Expectation, parsed: Parsed, view: SymbolView) -> Iterator[Hit]:
    for target in _targets(expected, parsed, view.symbols):
        is_broad = expected.kind in _BROAD
        names = _BROAD[expected.kind] if is_broad else frozenset({expected.kind.rpartition(".")[2]})
        lines = _raising_lines(target, names, view.symbols)
        if len(lines) < FEWEST:
            continue
        source = view.repository.read(target.path, Side.HEAD)
        if source is None:
            continue
        messages = _messages(parse(source), lines)
        if not is_broad and len(messages) < FEWEST:
            continue
        yield Hit(
            path=parsed.source.path,
            span=parsed.span(expected.node),
            subject=f"{code(expected.kind)}, {code(target.qualified)}",
            evidence=tuple(evidence_at(source, line, "raises") for line in lines[:4]),
            fixes=_fixes(expected, parsed, messages),
        )
        return


def _was_there(file: FileChange, parsed: Parsed, expected: _Expectation) -> bool:
    """Whether the same line was removed: it was moved, or indented anew."""
    line = parsed.source.index.line(parsed.start(expected.node).line).strip()
    return file.base is not None and any(file.base.index.line(number).strip() == line for number in file.removed)


def _expectations(parsed: Parsed) -> Iterator[_Expectation]:
    for test in ast.walk(parsed.tree):
        if not isinstance(test, (ast.FunctionDef, ast.AsyncFunctionDef)) or _injects(test):
            continue
        for node in within(test):
            if isinstance(node, (ast.With, ast.AsyncWith)) and len(node.body) == 1:
                for item in node.items:
                    kind = _kind(item.context_expr, arguments=1)
                    callee = _only_call(node.body[0])
                    call = item.context_expr
                    if not isinstance(call, ast.Call) or not kind or callee is None:
                        continue
                    if not _looks_at(item.optional_vars, test):
                        yield _Expectation(call, kind, callee, test)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                kind = _kind(node.value, arguments=2)
                if kind:
                    yield _Expectation(node.value, kind, node.value.args[1], test)


def _injects(test: Function) -> bool:
    """Whether a test makes something raise by itself: then that is the reason."""
    return any(
        (isinstance(part, ast.keyword) and part.arg == "side_effect")
        or (isinstance(part, ast.Attribute) and part.attr in {"side_effect", "setattr"})
        or (isinstance(part, ast.Raise))
        for part in ast.walk(test)
    )


def _kind(node: ast.expr, *, arguments: int) -> str:
    """The type that a call of ``raises`` expects without a message; "" where it is no such call."""
    if not isinstance(node, ast.Call) or (dotted(node.func).rpartition(".")[2] not in {"raises", "assertRaises"}):
        return ""
    if arguments == 1 and (len(node.args) != 1 or node.keywords):
        return ""
    if len(node.args) < arguments:
        return ""
    return dotted(node.args[0])


def _only_call(statement: ast.stmt) -> ast.expr | None:
    """The callee of the one call a statement makes, calls that make its arguments aside."""
    value = getattr(statement, "value", None)
    if not isinstance(statement, (ast.Expr, ast.Assign, ast.Return)):
        return None
    if isinstance(value, ast.Await):
        value = value.value
    if not isinstance(value, ast.Call):
        return None
    inner = [part for argument in (*value.args, *value.keywords) for part in ast.walk(argument)]
    return None if any(isinstance(part, ast.Call) for part in inner) else value.func


def _looks_at(variable: ast.expr | None, test: Function) -> bool:
    """Whether what was caught is read afterwards."""
    if variable is None:
        return False
    name = dotted(variable)
    return not name or any(isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
                           for part in ast.walk(test))  # fmt: skip


def _targets(expected: _Expectation, parsed: Parsed, symbols: Symbols) -> Iterator[_Target]:
    """The functions a callee may be: a function, a method of a class, or what makes an object."""
    callee = expected.callee
    rest: tuple[str, ...] = ()
    if isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Call):
        rest = (callee.attr,)
        callee = callee.value.func
    chain = dotted(callee)
    root, *below = chain.split(".")
    if len(below) == 1 and (made := _made_by(root, expected.test)):
        chain, rest = made, (*below, *rest)
    elif len(below) == 2 and root == "self" and (made := _made_by(f"self.{below[0]}", parsed.tree)):
        chain, rest = made, (below[1], *rest)
    found, attributes = _resolved(chain, parsed, expected.test, symbols)
    if not isinstance(found, Found) or not found.sure or found.definition is None or is_test_path(found.path):
        return
    attributes = (*attributes, *rest)
    qualified = found.definition.qualified
    if found.definition.kind != "class":
        if not attributes:
            yield _Target(found.path, qualified)
    elif len(attributes) == 1:
        yield _Target(found.path, f"{qualified}.{attributes[0]}")
    elif not attributes:
        yield _Target(found.path, f"{qualified}.__init__")
        yield _Target(found.path, f"{qualified}.__post_init__")


def _made_by(name: str, test: Function | ast.Module) -> str:
    """What a variable was made by, where it is set once in the test, or an attribute of tests once in their file."""
    values = [
        part.value
        for part in ast.walk(test)
        if isinstance(part, ast.Assign) and any(dotted(target) == name for target in part.targets)
    ]
    return dotted(values[0].func) if len(values) == 1 and isinstance(values[0], ast.Call) else ""


def _resolved(
    chain: str, parsed: Parsed, test: Function, symbols: Symbols
) -> tuple[NameAnswer | None, tuple[str, ...]]:
    """What a chain read in a test is, imports inside of the test first."""
    root, *rest = chain.split(".")
    path, lines = parsed.source.path, parsed.span(test).lines
    facts = symbols.facts(path, Side.HEAD)
    if facts is None or not root:
        return None, ()
    local = [row for row in facts.imports if row.bound == root and row.line in lines]
    if not local:
        answer = symbols.resolve_chain(path, chain, Side.HEAD)
        return answer.answer, answer.rest
    found = symbols.resolve_imports(path, local[:1], Side.HEAD)[local[0]]
    if isinstance(found, Found) and found.is_module and rest and local[0].name:
        return symbols.resolve_name(found.path, rest[0], Side.HEAD), tuple(rest[1:])
    return found, tuple(rest)


def _raising_lines(target: _Target, names: frozenset[str] | None, symbols: Symbols) -> list[int]:
    """Where a function, and the functions of its file it calls by name, raise one of some types."""
    facts, uses = symbols.facts(target.path, Side.HEAD), symbols.uses(target.path, Side.HEAD)
    if facts is None or uses is None or facts.definition(target.qualified) is None:
        return []
    owner = target.qualified.rpartition(".")[0]
    functions = {target.qualified}
    for call in uses.calls_in(target.qualified):
        root, _, rest = call.callee.partition(".")
        helper = f"{owner}.{rest}" if root in {"self", "cls"} and owner and rest else call.callee
        if "." not in rest and facts.definition(helper) is not None and not (root == call.callee and call.local):
            functions.add(helper)
    return sorted(
        row.line
        for function in functions
        for row in uses.raises_in(function)
        if row.exception and (names is None or not names.isdisjoint({row.exception, row.exception.rpartition(".")[2]}))
    )


def _messages(parsed: Parsed, lines: list[int]) -> list[str]:
    """The fixed part of the messages raised on some lines."""
    found: list[str] = []
    for node in ast.walk(parsed.tree):
        if (
            isinstance(node, ast.Raise)
            and isinstance(node.exc, ast.Call)
            and node.exc.args
            and parsed.start(node).line in lines
        ):
            first = node.exc.args[0]
            while isinstance(first, (ast.BinOp, ast.Attribute, ast.Call)):
                first = (
                    first.left
                    if isinstance(first, ast.BinOp)
                    else getattr(first, "value", getattr(first, "func", first))
                )
            parts = first.values if isinstance(first, ast.JoinedStr) else [first]
            texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            pieces = [piece.strip() for text in texts for piece in _NO_PLAIN_TEXT.split(text)]
            best = max(pieces, key=len, default="")
            if len(best) >= 8 and best not in found:
                found.append(best)
    return found


def _fixes(expected: _Expectation, parsed: Parsed, messages: list[str]) -> tuple[Fix, ...]:
    """Compare with one of the messages, in the words of pytest or of unittest."""
    node = expected.node
    if len(node.args) != 1:
        return ()
    end = parsed.end(node.args[0])
    is_unittest = isinstance(node.func, ast.Attribute) and node.func.attr == "assertRaises"
    fixes: list[Fix] = []
    for message in messages[:MOST_FIXES]:
        new = f', "{message}"' if is_unittest else f', match="{message}"'
        edits = [Edit(parsed.source.path, Span(end, end), "", new)]
        if is_unittest:
            name = parsed.end(node.func)
            edits.insert(0, Edit(parsed.source.path, Span(name, name), "", "Regex"))
        fixes.append(Fix(f"Expect “{message}”", safe=False, edits=tuple(edits)))
    return tuple(fixes)


CHECKER: Final = RaisesWithoutMatch
