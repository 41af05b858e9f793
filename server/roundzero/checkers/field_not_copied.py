"""field-not-copied: a class got a new field, and a block that copies its fields one by one was left without it.

A block is a run of ``x.f = y.f`` in one list of statements, or a call with ``f=y.f`` keywords. It is a copy of the
class only where the function says so: one side is made by the class, annotated with it or is ``self`` in it. Where
both are, three fields are enough; where one is, the block has to copy most of what the class had, or all of it onto
what the class made. Silent where another class takes what it needs onto ``self``, where the function mentions the new
field at all, and in tests, which set what they need. One hit a block. Invariant: the field is new in this change, and
the hit hangs on its line.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import SymbolChecker, SymbolView, code, replace
from roundzero.checkers._paths import is_test_path
from roundzero.checkers._python import blocks, dotted, parse_or_none, within
from roundzero.core.change import Side
from roundzero.core.finding import Anchor, Hit, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from roundzero.checkers._python import Function, Parsed
    from roundzero.core.change import Change, FileChange
    from roundzero.core.facts import Member, ModuleFacts
    from roundzero.core.finding import Fix
    from roundzero.core.ports import Repository, Symbols
    from roundzero.core.text import LineIndex, RelPath

FEWEST: Final = 3
"""Fields copied by name that make a block."""
MOST: Final = 0.8
"""Share of the class's old fields that a block copies where only one side is known to be of the class."""
_FIELD: Final = regex(r"[ \t]+(?P<self>self\.)?(?!(?:try|else|except|finally)\b)[^\W\d]\w*[ \t]*(?::|=(?!=))")
_AROUND: Final = regex(r"[ \t]*(?:class[ \t]|(?:async[ \t]+)?def[ \t]+(?P<method>\w+))")
_NO_RECORD: Final = regex(r"(?:Enum|Flag|Protocol|TestCase|Exception|Error|Base)$")


@dataclass(frozen=True, slots=True)
class _Grown:
    """A class that got fields. ``new`` are their lines at the head."""

    file: FileChange
    name: str
    before: frozenset[str]
    new: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Block:
    """Fields copied from ``source`` to ``target``; ``nodes`` are the places of the copies, in order.

    ``set`` is every attribute or keyword the block sets on the target. ``is_call``: the target is made by ``target``.
    """

    function: Function
    owner: str
    target: str
    source: str
    nodes: Mapping[str, ast.Assign | ast.keyword]
    set: frozenset[str]
    is_call: bool


class FieldNotCopied(SymbolChecker):
    """Finds copies of a class's fields that a new field is missing from."""

    name = "field-not-copied"
    version = "3"

    def __init__(self) -> None:
        """Know no change yet."""
        self._known: tuple[Change, list[_Grown]] | None = None

    def words(self, view: SymbolView) -> Collection[str]:
        """The classes: whoever copies one says its name."""
        return {grown.name for grown in self._grown_in(view)}

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Read the files that name a class and copy fields."""
        trees: dict[RelPath, Parsed | None] = {}
        for grown in self._grown_in(view):
            paths = {hit.path for hit in view.found.get(grown.name, ()) if not is_test_path(hit.path)}
            for path in sorted(paths):
                parsed = trees.get(path) or _read(path, grown, view.repository)
                trees[path] = parsed
                if parsed is None:
                    continue
                for block in _blocks(parsed.tree):
                    if _copies(block, grown):
                        yield from _missing(block, grown, parsed)

    def _grown_in(self, view: SymbolView) -> list[_Grown]:
        """Looked for once in a change."""
        if self._known is None or self._known[0] is not view.change:
            self._known = (view.change, [grown for file in view.change.files for grown in _grown(file, view.symbols)])
        return self._known[1]


def _grown(file: FileChange, symbols: Symbols) -> Iterator[_Grown]:
    """The records of a file that lost no field and got one."""
    if file.base is None or file.head is None or not file.added or language_of(file.path) != "python":
        return
    if not _may_have_field(file.head.index, file.added):
        return
    after = symbols.facts(file.path, Side.HEAD)
    if after is None or not any(_is_field(row) and row.line in file.added for row in after.members):
        return
    before = symbols.facts(file.base.path, Side.BASE)
    if before is None:
        return
    for row in after.definitions:
        if row.kind != "class" or any(_NO_RECORD.search(base) for base in row.bases):
            continue
        now, had = _fields(after, row.qualified), _fields(before, row.qualified)
        new = {name: line for name, line in now.items() if name not in had and line in file.added}
        if new and len(had) >= FEWEST and had.keys() <= now.keys():
            yield _Grown(file, row.name, frozenset(had), new)


def _may_have_field(index: LineIndex, lines: Collection[int]) -> bool:
    """Whether one of the lines looks like a field, by its text and the definition around it, without parsing."""
    indented = _Indented(index)
    for number in sorted(lines):
        if (field := _FIELD.match(index.line(number))) is None:
            continue
        around = indented.around(number)
        if around is not None and around["method"] == ("__init__" if field["self"] else None):
            return True
    return False


class _Indented:
    """What lies around lines, by indentation. Looks at no line of a text twice, however many are asked about."""

    def __init__(self, index: LineIndex) -> None:
        self._index = index
        self._above: dict[int, int] = {}  # the nearest line above that is indented less
        self._around: dict[int, re.Match[str] | None] = {}

    def around(self, number: int) -> re.Match[str] | None:
        """The line of the definition that a line is in."""
        within: list[int] = []
        found: re.Match[str] | None = None
        while number and found is None:
            if number in self._around:
                found = self._around[number]
                break
            within.append(number)
            number = self._less_indented(number)
            found = _AROUND.match(self._text(number))
        self._around |= dict.fromkeys(within, found)
        return found

    def _less_indented(self, number: int) -> int:
        """Its number; 0 where there is none."""
        if number not in self._above:
            indent = _indent(self._text(number))
            above = number - 1 if indent else 0
            while above and not _indent(text := self._text(above)) < min(indent, len(text)):
                above = self._above.get(above, above - 1)
            self._above[number] = above
        return self._above[number]

    def _text(self, number: int) -> str:
        return self._index.line(number).expandtabs()


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _fields(facts: ModuleFacts, qualified: str) -> dict[str, int]:
    """Public fields of a record: annotated or assigned in the body, or set on ``self`` by ``__init__``."""
    fields: dict[str, int] = {}
    for row in facts.members_of(qualified):
        if _is_field(row):
            fields.setdefault(row.name, row.line)
    return fields


def _is_field(row: Member) -> bool:
    return (
        row.kind in {"body", "annotation"} or (row.kind == "self" and row.method.rpartition(".")[2] == "__init__")
    ) and not (row.name.startswith(("_", "*")) or row.name.isupper())


def _read(path: RelPath, grown: _Grown, repository: Repository) -> Parsed | None:
    """A Python file that may copy fields; None for others."""
    source = repository.read(path, Side.HEAD) if language_of(path) == "python" else None
    if source is None or sum(f".{field}" in source.text for field in grown.before) < FEWEST:
        return None
    return parse_or_none(source)


def _blocks(tree: ast.Module) -> Iterator[_Block]:
    """The blocks of every function, with the name of the class around it."""
    stack: list[tuple[str, ast.stmt]] = [("", node) for node in reversed(tree.body)]
    while stack:
        owner, node = stack.pop()
        if isinstance(node, ast.ClassDef):
            stack += [(node.name, child) for child in reversed(node.body)]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _assigned(node, owner)
            yield from _passed(node, owner)
            stack += [
                (owner, child) for child in ast.walk(node) if child is not node and isinstance(child, ast.ClassDef)
            ]
        else:
            stack += [(owner, child) for child in reversed(blocks(node))]


def _assigned(function: Function, owner: str) -> Iterator[_Block]:
    bodies = [function.body]
    while bodies:
        body = bodies.pop()
        runs: dict[tuple[str, str], dict[str, ast.Assign | ast.keyword]] = {}
        touched: dict[str, set[str]] = {}
        for node in body:
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                for name in ("body", "orelse", "finalbody"):
                    bodies += [inner] if (inner := getattr(node, name, None)) else []
            if not isinstance(node, ast.Assign) or len(node.targets) != 1:
                continue
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Attribute) and (left := dotted(target.value)):
                touched.setdefault(left, set()).add(target.attr)
                if isinstance(value, ast.Attribute) and value.attr == target.attr and (right := dotted(value.value)):
                    runs.setdefault((left, right), {})[target.attr] = node
        for (left, right), nodes in runs.items():
            if len(nodes) >= FEWEST and left != right:
                yield _Block(function, owner, left, right, nodes, frozenset(touched[left]), is_call=False)


def _passed(function: Function, owner: str) -> Iterator[_Block]:
    for node in within(function):
        if not isinstance(node, ast.Call) or any(keyword.arg is None for keyword in node.keywords) or node.args:
            continue
        by_source: dict[str, dict[str, ast.Assign | ast.keyword]] = {}
        for keyword in node.keywords:
            value = keyword.value
            if isinstance(value, ast.Attribute) and value.attr == keyword.arg and (right := dotted(value.value)):
                by_source.setdefault(right, {})[keyword.arg] = keyword
        names = frozenset(keyword.arg for keyword in node.keywords if keyword.arg is not None)
        callee = dotted(node.func)
        for right, nodes in by_source.items():
            if len(nodes) >= FEWEST and callee:
                yield _Block(function, owner, callee, right, nodes, names, is_call=True)


def _copies(block: _Block, grown: _Grown) -> bool:
    """Whether a block is a copy of the class that grew."""
    fields = grown.before.intersection(block.nodes)
    if len(fields) < FEWEST or len(fields) < MOST * len(block.nodes):
        return False
    known = [_is_of(block.source, block, grown.name)]
    known.append(_makes(block, grown.name) if block.is_call else _is_of(block.target, block, grown.name))
    if all(known):
        return True
    if block.target == "self" and block.owner != grown.name:
        return False
    is_all = known[1] and not block.is_call and fields == grown.before
    return is_all or (any(known) and len(fields) >= max(FEWEST + 1, MOST * len(grown.before)))


def _makes(block: _Block, name: str) -> bool:
    return block.target.rpartition(".")[2] == name or (block.owner == name and block.target in {"cls", "type"})


def _is_of(expression: str, block: _Block, name: str) -> bool:
    """Whether the function says that an expression is of a class."""
    if expression == "self":
        return block.owner == name
    arguments = block.function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if argument.arg == expression and argument.annotation is not None:
            return _names(argument.annotation, name)
    for part in ast.walk(block.function):
        if isinstance(part, ast.AnnAssign) and dotted(part.target) == expression:
            return _names(part.annotation, name)
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call):
            made = dotted(part.value.func).rpartition(".")[2]
            if made == name and any(dotted(target) == expression for target in part.targets):
                return True
    return False


def _names(annotation: ast.expr, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", ast.unparse(annotation)) is not None


def _missing(block: _Block, grown: _Grown, parsed: Parsed) -> Iterator[Hit]:
    """The new fields that neither the block nor its function mentions."""
    mentioned = {
        name
        for part in ast.walk(block.function)
        for name in (getattr(part, kind, None) for kind in ("attr", "arg", "id", "value"))
        if isinstance(name, str)
    }
    last = max(block.nodes.values(), key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
    missing = [name for name in grown.new if name not in block.set and name not in mentioned]
    if not missing:
        return
    copies = [
        f"{name}={block.source}.{name}" if block.is_call else f"{block.target}.{name} = {block.source}.{name}"
        for name in missing
    ]
    head = grown.file.head
    yield Hit(
        path=parsed.source.path,
        span=parsed.span(last),
        subject=", ".join(map(code, copies)),
        evidence=tuple(evidence_at(head, grown.new[name], "the new field") for name in missing if head is not None),
        fixes=_copied(block, last, copies, parsed),
        cause=Anchor(grown.file.path, grown.new[missing[0]]),
    )


def _copied(block: _Block, last: ast.Assign | ast.keyword, copies: Sequence[str], parsed: Parsed) -> tuple[Fix, ...]:
    """Copy the fields after the last one that is, the way it is written."""
    end, start = parsed.end(last), parsed.start(last)
    indent = parsed.source.index.line(start.line)[: start.column - 1]
    alone = not indent.strip()
    if "\r" in indent or not (alone or block.is_call):
        return ()
    gap = f"\n{indent}" if alone else " "
    new = "".join(f",{gap}{copy}" if block.is_call else f"{gap}{copy}" for copy in copies)
    return (replace(parsed.source, f"Copy {copies[0]}", new, Span(end, end), safe=False),)


CHECKER: Final = FieldNotCopied
