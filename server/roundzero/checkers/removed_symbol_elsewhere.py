"""removed-symbol-elsewhere: the change removed a definition that is not Python's, and something still uses it.

For TypeScript, JavaScript, Starlark, C, C++, CUDA, Go, CMake and shell. Each language has a module that says what its
texts define and who sees that; Python has removed_symbol_still_used, with the index. Looks at the removed lines first:
a change that takes no definition away costs nothing more. Invariant: what is reported was defined on a removed line of
this change, and the language's module found nothing else that may define it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._documents import mentioned
from roundzero.checkers._gone_definitions import Around
from roundzero.checkers._paths import is_example
from roundzero.core.change import Side
from roundzero.core.finding import Hit, evidence_at
from roundzero.core.item import Severity, language_of
from roundzero.core.samples import is_copy, is_sample

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._gone_definitions import Family, Gone, Use
    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath, Span

_MODULES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("typescript", "tsx", "javascript", "jsx"), "_ecmascript"),
    **dict.fromkeys(("c", "cpp", "cuda"), "_cpp_names"),
    "starlark": "_starlark_names",
    "go": "_go_names",
    "cmake": "_cmake_names",
    "bash": "_shell_names",
}
"""Which module knows a language; imported when a change needs it."""
_TOLD: Final = frozenset({"function", "class", "type"})
"""What documentation names for its own sake."""
MOST_USES: Final = 3
"""Uses of one name that are reported in one file."""


class RemovedSymbolElsewhere(ChangeChecker):
    """Finds uses of what the change removed."""

    name = "removed-symbol-elsewhere"

    def __init__(self) -> None:
        """Start before the change is known."""
        self._gone: list[tuple[Family, Gone]] | None = None

    def words(self, change: Change) -> Collection[str]:
        """The names that went."""
        return {word for _, gone in self._removed(change) for word in (gone.word, *gone.also) if word}

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at every use of every name that went."""
        around = Around(change, repository, found)
        seen: Counter[tuple[str, str]] = Counter()
        told: set[Use] = set()
        for family, gone in self._removed(change):
            uses = [use for use in family.uses(gone, around) if use not in told and not is_example(use.path)]
            told.update(uses)
            whole = gone.file.head is None or (family.by_path and gone.file.old_path is not None)
            owner, most = (gone.base.path, 1) if whole else (gone.name, MOST_USES)
            for use in uses:
                seen[owner, use.path] += 1
                if seen[owner, use.path] <= most:
                    yield _hit(around, gone, use)
            if gone.kind in _TOLD:
                yield from _in_documents(around, gone, {use.path for use in uses})

    def _removed(self, change: Change) -> list[tuple[Family, Gone]]:
        if self._gone is None:
            self._gone = [row for file in change.files for row in _gone_from(file)]
        return self._gone


def _gone_from(file: FileChange) -> Iterator[tuple[Family, Gone]]:
    base = file.base
    if base is None or is_copy(base.path) or is_sample(base.path):
        return
    family = _family(base.path)
    if family is None:
        return
    moved = family.by_path and file.old_path is not None
    if moved or any(family.defines.search(base.index.line(line)) for line in file.removed):
        for gone in family.gone(file, base):
            if moved or gone.line in file.removed:
                yield family, gone


def _family(path: RelPath) -> Family | None:
    module = _MODULES.get(language_of(path) or "")
    return cast("Family", import_module(f"{__package__}.{module}").FAMILY) if module is not None else None


def _hit(around: Around, gone: Gone, use: Use) -> Hit:
    source = around.source(use.path)
    span = source.index.span(use.start, use.end) if source is not None else None
    return _told(around, gone, use.path, span, source.text[use.start : use.end] if source is not None else gone.name)


def _told(around: Around, gone: Gone, path: RelPath, span: Span | None, subject: str) -> Hit:
    file = around.change.file(path)
    own = file is not None and span is not None and span.start.line in file.added
    shown = (evidence_at(gone.base, gone.line, "definition", Side.BASE),)
    return Hit(path=path, span=span, subject=code(subject), evidence=shown, cause=None if own else gone.cause)


def _in_documents(around: Around, gone: Gone, using: Collection[str]) -> Iterator[Hit]:
    """Documents that name it, when no code does but what was reported."""
    hits = around.hits(gone)
    for hit, span in mentioned(around.repository, hits, gone.name, lambda hit: hit.path not in using):
        yield replace(_told(around, gone, hit.path, span, gone.name), severity=Severity.P3)


CHECKER: Final = RemovedSymbolElsewhere
