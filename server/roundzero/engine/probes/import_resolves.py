"""Whether an import of a Python file finds what it names within this repository.

The subject is ``module`` or ``module:name``, with leading dots for a relative one. What is installed beside the
repository is never judged. Invariant: an import that may fail on purpose, in a ``try`` or for type checkers only, is
not judged either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.claim_words import FAILS, IMPORT
from roundzero.core.claims import unsure
from roundzero.core.facts import Import, Where
from roundzero.core.resolution import AbsentModule, InRepository, Missing
from roundzero.engine.probes._names import Look, in_import, of_answer, unknown
from roundzero.engine.probes._view import bare, is_python

if TYPE_CHECKING:
    from collections.abc import Collection

    from roundzero.core.claims import Asked, Outcome
    from roundzero.core.text import RelPath
    from roundzero.engine.probes._view import ProbeView


class ImportResolves:
    """See the module. ``path`` is the importing file, by default the finding's."""

    kind = IMPORT

    def words(self, asked: Asked) -> Collection[str]:
        """The name and the last part of the module."""
        module, _, name = _parts(asked)
        return {word for word in (name, module.rpartition(".")[2]) if word.isidentifier()}

    def look(self, asked: Asked, view: ProbeView) -> Outcome:
        """See Probing."""
        path = view.file(asked.probe.path, asked.path) if is_python_name(asked.probe.path) else asked.path
        module, level, name = _parts(asked)
        if path is None or not is_python(path) or not (module or level):
            return unsure("it is not clear which file imports it")
        look = _resolved(view, path, module, level, name)
        if look.there is None or (look.there and asked.probe.expect == FAILS):
            return unsure(look.words)  # what is there may fail for other reasons: a cycle, an error of its own
        return view.answer(asked, there=look.there, words=look.words, reads=look.reads, wide=True)


PROBE: Final = ImportResolves()


def is_python_name(said: str) -> bool:
    """Whether a text names a Python file."""
    return bare(said).endswith((".py", ".pyi"))


def _parts(asked: Asked) -> tuple[str, int, str]:
    module, _, name = bare(asked.probe.subject).partition(":")
    return module.lstrip("."), len(module) - len(module.lstrip(".")), name


def _resolved(view: ProbeView, path: RelPath, module: str, level: int, name: str) -> Look:
    last = name or module.rpartition(".")[2]
    facts = view.symbols.facts(path, Side.HEAD) if not last or view.names(path, last) else None
    if facts is None and (not last or view.names(path, last)):
        return unknown(f"{path} is no Python that can be read")
    imports = facts.imports if facts is not None else ()
    rows = [row for row in imports if (row.module, row.level, row.name) == (module, level, name)]
    if any(row.where & (Where.TRIED | Where.TYPING | Where.CONDITIONAL) for row in rows):
        return unknown(f"{path} imports it under a condition")
    if name:
        return in_import(view, path, rows[0] if rows else Import(module, level, name, "", 1, 1, 1, 1, 1, 0, ""))
    return _module(view, path, module, level)


def _module(view: ProbeView, path: RelPath, module: str, level: int) -> Look:
    answer = view.symbols.module(path, module, level, Side.HEAD)
    if isinstance(answer, InRepository) and answer.sure:
        return Look(there=True, words=f"{answer.paths[0]} is {module}", reads=(path, answer.paths[0]))
    if isinstance(answer, AbsentModule):
        package = view.symbols.facts(answer.package, Side.HEAD)
        if package is None or package.dynamic or package.computed_path:
            return unknown(f"{answer.package} may make modules while it runs")
        missing = view.symbols.missing_module(path, answer.package, module.rpartition(".")[2], Side.HEAD)
        if isinstance(missing, Missing):
            return of_answer(view, path, missing.name, missing)
    return unknown(f"{module} is not surely of this repository")
