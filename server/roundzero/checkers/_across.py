"""What the checks across files share: what this change took away, which lines it touched, and what a chain leads to.

Looks at text before it asks for facts, so that a change without a removed definition parses nothing. Invariant: a name
counts as removed only when the base bound it at module level and the head does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import code
from roundzero.core.change import Side
from roundzero.core.finding import Anchor, Evidence, Hit, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    from roundzero.checkers._base import SymbolView
    from roundzero.core.change import FileChange
    from roundzero.core.facts import Binding, Import
    from roundzero.core.finding import Fix
    from roundzero.core.text import RelPath, Span

_BINDS: Final = regex(
    r"(?:async[ \t]+def|def|class)[ \t]+\w|\w+[ \t]*(?::[^=]*)?=|(?:from|import)[ \t]|[ \t]+\w+,?\s*$"
)
"""A line that may bind a name at module level: a definition, an assignment, an import or one line of a long one."""

FEW_FILES: Final = 30
"""Files that are parsed without asking whether they name the module: under half a second."""

SHORTEST_OFFERED: Final = 5
"""Shortest name, in code points, that others are thought to import from a module that only imported it."""

BINDING_NOTHING: Final = frozenset({"annotate", "delete", "global"})


@dataclass(frozen=True, slots=True)
class Removed:
    """A name that a file of the change bound at the base and does not bind at the head."""

    file: FileChange
    binding: Binding

    @property
    def path(self) -> RelPath:
        """The path at the head."""
        return self.file.path

    @property
    def name(self) -> str:
        """The name."""
        return self.binding.name

    @property
    def cause(self) -> Anchor:
        """The changed line that the removal left behind."""
        return cause_of(self.file, self.binding.line)


def cause_of(file: FileChange, base_line: int) -> Anchor:
    """The head line where a base line was."""
    return Anchor(file.path, max(1, file.line_map.nearest(base_line)) if file.head is not None else 1)


def python_heads(view: SymbolView) -> Iterator[FileChange]:
    """The changed Python files that exist at the head."""
    for file in view.change.files:
        if file.head is not None and language_of(file.path) == "python":
            yield file


def added_matches(file: FileChange, pattern: re.Pattern[str]) -> bool:
    """Whether an added line matches."""
    return any(pattern.search(line) for line in file.added_lines)


def touched(file: FileChange, row: Import) -> bool:
    """Whether the change touched an import: its name, or the line that says from where."""
    return row.line in file.added or row.first_line in file.added


def removed_names(view: SymbolView) -> list[Removed]:
    """The names that changed files no longer bind; none of files that went."""
    gone: list[Removed] = []
    for file in python_heads(view):
        base = file.base
        if base is None or language_of(base.path) != "python" or base.path != file.path:
            continue
        if not any(_BINDS.match(base.index.line(line)) for line in file.removed):
            continue
        before = view.symbols.facts(base.path, Side.BASE)
        after = view.symbols.facts(file.path, Side.HEAD)
        if before is None or after is None:
            continue
        there = {row.name for row in after.bindings if row.kind != "delete"}
        last = {row.name: row for row in before.bindings if row.kind not in BINDING_NOTHING}
        gone += [
            Removed(file, row)
            for name, row in last.items()
            if name not in there and name != "_" and (row.kind != "import" or _is_offered(file.path, name))
        ]
    return gone


def _is_offered(path: RelPath, name: str) -> bool:
    """Whether others may import a name from a module that imported it: ``nn`` and the like come from their homes."""
    return path.endswith("/__init__.py") or len(name) >= SHORTEST_OFFERED


def files_about(view: SymbolView, word: str, home: RelPath, line: re.Pattern[str]) -> list[RelPath]:
    """The Python files with a word, on a line that matches, that may know the module ``home``.

    To know it they name it, lie beside it (``from . import``), or are few enough to be looked at anyway.
    """
    stem = module_stem(home)
    hits = view.symbols.mentions({word, stem}, Side.HEAD)
    paths = {hit.path for hit in hits[word] if language_of(hit.path) == "python" and line.search(hit.text)}
    if len(paths) > FEW_FILES:
        folder = home.rpartition("/")[0]
        naming = {hit.path for hit in hits[stem]}
        paths = {path for path in paths if path in naming or path.rpartition("/")[0] == folder}
    return sorted(paths)


def gone_files(view: SymbolView) -> dict[RelPath, Anchor]:
    """The Python files of the base that are not there any more, with what to hang on."""
    gone: dict[RelPath, Anchor] = {}
    for file in view.change.files:
        if file.base is not None and language_of(file.base.path) == "python":
            if file.head is None:
                gone[file.base.path] = Anchor(file.path, 1)
            elif file.old_path is not None:
                gone[file.base.path] = Anchor(file.path, file.first_changed_line)
    return gone


def module_stem(path: RelPath) -> str:
    """The last part of a module's dotted name."""
    parts = path.removesuffix(".pyi").removesuffix(".py").removesuffix("/__init__").split("/")
    return parts[-1]


def evidence(view: SymbolView, path: RelPath, side: Side, line: int, role: str) -> tuple[Evidence, ...]:
    """A line of a file as evidence; none where the file is not there."""
    source = view.repository.read(path, side)
    if source is None or not 1 <= line <= source.index.line_count:
        return ()
    return (evidence_at(source, line, role, side),)


def hit_in(  # noqa: PLR0913  the parts of a hit
    view: SymbolView,
    path: RelPath,
    span: Span,
    subject: str,
    *,
    cause: Anchor | None,
    evidence: Iterable[Evidence] = (),
    fixes: Iterable[Fix] = (),
) -> Hit:
    """A hit at the head. The cause is left out on a line that the change itself touched."""
    file = view.change.file(path)
    own = file is not None and span.start.line in file.added
    return Hit(
        path=path,
        span=span,
        subject=code(subject),
        evidence=tuple(evidence),
        fixes=tuple(fixes),
        cause=None if own else cause,
    )
