"""core.ports.Symbols over one snapshot: joins modules, names, facts and greps of both sides.

Parses only files that a question names or a grep finds. Holds nothing beyond its snapshot but the fact store, which it
shares. Invariant: an answer never depends on the order in which questions were asked.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.resolution import (
    ChainAnswer,
    ClassMembers,
    DefinitionSite,
    Found,
    ImportSite,
    InRepository,
    Missing,
    NameAnswer,
    Unknown,
    UseSite,
)
from roundzero.index.classes import class_members
from roundzero.index.doubts import IMPORT_HOOK, doubt, gone_doubt, hook_doubt, is_package
from roundzero.index.mentions import Mentions
from roundzero.index.modules import Modules
from roundzero.index.names import Names
from roundzero.index.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from roundzero.core.change import Change, Source
    from roundzero.core.facts import Import, ModuleFacts, ModuleUses
    from roundzero.core.ports import GrepHit, Limit, Repository
    from roundzero.core.resolution import ModuleAnswer
    from roundzero.core.text import RelPath
    from roundzero.index.fact_store import FactStore


_REGISTERS: Final = regex(r"\bmodules\[(?![\"'][^\"']*[\"']\])[^\]\n]*\]\s*=(?!=)|\bmodules\.(?:update|setdefault)\(")
"""What puts modules into ``sys.modules`` under names that are not written out."""


class RepositorySymbols:
    """See core.ports.Symbols. For one thread. ``close`` hands new facts to the cache."""

    def __init__(
        self,
        repository: Repository,
        change: Change,
        store: FactStore,
        limit: Limit,
        *,
        external: Collection[str] = sys.stdlib_module_names,
    ) -> None:
        """Ask ``repository`` within ``limit``; ``external`` are first parts of modules that are never its own."""
        self._repository = repository
        self._store = store
        self._limit = limit
        self._external = external
        self._mentions = Mentions(repository, change, limit)
        self._edited = frozenset(file.path for file in change.files)
        self._left = frozenset(
            file.base.path
            for file in change.files
            if file.base is not None and (file.head is None or file.old_path is not None)
        )
        self._modules: dict[Side, Modules] = {}
        self._names: dict[Side, Names] = {}
        self._sources: dict[tuple[RelPath, Side], Source | None] = {}

    def know(self, found: Mapping[str, tuple[GrepHit, ...]]) -> None:
        """Take over the answers of a grep that was made already."""
        self._mentions.know(found)

    def close(self) -> None:
        """Keep what was learnt."""
        self._store.flush()

    def tree(self, side: Side) -> Tree:
        """The paths of a side."""
        return self._modules_of(side).tree

    def source(self, path: RelPath, side: Side) -> Source | None:
        """The text of a file; None when it does not exist or cannot be decoded."""
        if (path, side) not in self._sources:
            self._limit.check()
            self._sources[path, side] = self._repository.read(path, side)
        return self._sources[path, side]

    def facts(self, path: RelPath, side: Side) -> ModuleFacts | None:
        """See Symbols."""
        source = self._python(path, side)
        return self._store.module(source, keep=self._is_kept(path, side)) if source is not None else None

    def uses(self, path: RelPath, side: Side) -> ModuleUses | None:
        """See Symbols."""
        source = self._python(path, side)
        return self._store.uses(source, keep=self._is_kept(path, side)) if source is not None else None

    def module(self, importer: RelPath, module: str, level: int, side: Side) -> ModuleAnswer:
        """See Symbols."""
        return self._modules_of(side).find(importer, module, level)

    def resolve_name(self, path: RelPath, name: str, side: Side) -> NameAnswer:
        """See Symbols."""
        return self._doubted([self._names_of(side).name(path, name)], side)[0]

    def resolve_imports(self, importer: RelPath, imports: Sequence[Import], side: Side) -> Mapping[Import, NameAnswer]:
        """See Symbols."""
        names = self._names_of(side)
        answers = [names.imported(importer, row) for row in imports]
        facts = self.facts(importer, side) if any(isinstance(answer, Missing) for answer in answers) else None
        if facts is not None and facts.replaces_modules:
            reason = Unknown(f"{importer} replaces modules while it runs")
            answers = [
                reason if isinstance(answer, Missing) and not self._is_gone_for(importer, answer, side) else answer
                for answer in answers
            ]
        return dict(zip(imports, self._doubted(answers, side), strict=True))

    def missing_imports(self, importer: RelPath, imports: Sequence[Import], side: Side) -> Mapping[Import, Missing]:
        """See Symbols."""
        modules = self._modules_of(side)
        doubtful: list[Import] = []
        for row in imports:
            answer = modules.find(importer, row.module, row.level) if row.name not in {"", "*"} else None
            if isinstance(answer, InRepository) and answer.sure and not self._shows(answer.paths, row.name, side):
                doubtful.append(row)
        answers = self.resolve_imports(importer, doubtful, side) if doubtful else {}
        return {row: answer for row, answer in answers.items() if isinstance(answer, Missing)}

    def missing_module(self, importer: RelPath, package: RelPath, name: str, side: Side) -> NameAnswer:
        """See Symbols."""
        missing = Missing(package, name)
        asking = self.facts(importer, side)
        if asking is not None and asking.replaces_modules and not self._is_gone_for(importer, missing, side):
            return Unknown(f"{importer} replaces modules while it runs")
        source = self.source(package, side)
        if source is None or _REGISTERS.search(source.text) is not None:
            return Unknown(f"{package} may make modules while it runs")
        return self._doubted([missing], side)[0]

    def resolve_chain(self, path: RelPath, chain: str, side: Side) -> ChainAnswer:
        """See Symbols."""
        answer = self._names_of(side).chain(path, chain)
        return ChainAnswer(self._doubted([answer.answer], side)[0], answer.rest)

    def class_members(self, path: RelPath, qualified: str, side: Side) -> ClassMembers | None:
        """See Symbols."""
        names = self._names_of(side)
        return class_members(path, qualified, lambda at: self.facts(at, side), names.chain)

    def mentions(self, words: Collection[str], side: Side) -> Mapping[str, tuple[GrepHit, ...]]:
        """See Symbols."""
        return self._mentions.of(words, side)

    def uses_of(self, words: Collection[str], side: Side) -> Mapping[str, tuple[UseSite, ...]]:
        """See Symbols."""
        wanted = frozenset(words)
        rows: dict[str, list[UseSite]] = {word: [] for word in words}
        for path in self._hit_files(wanted, side):
            uses = self.uses(path, side)
            for use in uses.uses if uses is not None else ():
                for part in wanted.intersection(use.chain.split(".")):
                    rows[part].append(UseSite(path, use, uses))  # type: ignore[arg-type]  # uses is not None here
        return {word: tuple(sites) for word, sites in rows.items()}

    def definitions_of(self, words: Collection[str], side: Side) -> Mapping[str, tuple[DefinitionSite, ...]]:
        """See Symbols."""
        rows: dict[str, list[DefinitionSite]] = {word: [] for word in words}
        for path in self._hit_files(words, side, with_text=("def ", "class ")):
            facts = self.facts(path, side)
            for definition in facts.definitions if facts is not None else ():
                if definition.name in rows:
                    rows[definition.name].append(DefinitionSite(path, definition))
        return {word: tuple(sites) for word, sites in rows.items()}

    def importers(self, path: RelPath, side: Side) -> Iterator[ImportSite]:
        """See Symbols."""
        parts = path.removesuffix(".pyi").removesuffix(".py").removesuffix("/__init__").split("/")
        names = self._names_of(side)
        modules = self._modules_of(side)
        for importer in self._hit_files((parts[-1],), side):
            facts = self.facts(importer, side) if importer != path else None
            for row in facts.imports if facts is not None else ():
                answer = modules.find(importer, row.module, row.level)
                if isinstance(answer, InRepository) and path in answer.paths:
                    yield ImportSite(importer, row)
                elif row.name == parts[-1]:
                    found = names.imported(importer, row)
                    if isinstance(found, Found) and found.is_module and found.path == path:
                        yield ImportSite(importer, row)

    def _shows(self, paths: Collection[RelPath], name: str, side: Side) -> bool:
        """Whether the text of a file, unparsed, binds a name at the start of a line.

        Saves most parsing. A string that looks so hides a missing name, which is the harmless way to be wrong.
        """
        shown = re.compile(
            rf"^(?:(?:async[ \t]+)?def|class)[ \t]+{name}\b|^{name}[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE
        )
        sources = (self.source(path, side) for path in paths)
        return any(source is not None and shown.search(source.text) is not None for source in sources)

    def _hit_files(self, words: Collection[str], side: Side, with_text: tuple[str, ...] = ()) -> list[RelPath]:
        """The Python files with one of the words, on a line with one of some other texts if any are given."""
        paths = {
            hit.path: None
            for hits in self.mentions(words, side).values()
            for hit in hits
            if language_of(hit.path) == "python" and (not with_text or any(text in hit.text for text in with_text))
        }
        return sorted(paths)

    def _doubted(self, answers: list[NameAnswer], side: Side) -> list[NameAnswer]:
        """The answers, where *missing* stands only if nothing elsewhere sets the name: one grep for all of them."""
        missing = [answer for answer in answers if isinstance(answer, Missing)]
        if not missing:
            return answers
        words = {answer.name for answer in missing}
        if any(map(is_package, missing)):
            words.add(IMPORT_HOOK)
        hits = self._mentions.of(words, side)
        return [self._doubt(answer, hits, side) if isinstance(answer, Missing) else answer for answer in answers]

    def _doubt(self, missing: Missing, hits: Mapping[str, tuple[GrepHit, ...]], side: Side) -> NameAnswer:
        hooks = hits.get(IMPORT_HOOK, ())
        if is_package(missing) and self._modules_of(side).is_gone(missing.path, missing.name):
            source = self.source(missing.path, side)
            reason = gone_doubt(missing, hits[missing.name])
            if source is None or "__path__" in source.text:
                reason = f"{missing.path} may change where its submodules are found"
            hooks = tuple(hook for hook in hooks if hook.path in self._edited)  # the others did not make it before
        else:
            reason = doubt(missing, hits[missing.name])
        if reason is None and is_package(missing):
            reason = hook_doubt(missing, hooks)
        return missing if reason is None else Unknown(reason)

    def _is_gone_for(self, importer: RelPath, missing: Missing, side: Side) -> bool:
        """Whether a submodule is gone that a file which replaces modules does not put back: it names others."""
        if not is_package(missing) or not self._modules_of(side).is_gone(missing.path, missing.name):
            return False
        source = self.source(importer, side)
        package = missing.path.rpartition("/")[0].rpartition("/")[2]  # "" at the root, whose name is not known
        name = re.escape(f"{package}.{missing.name}" if package else missing.name)
        return source is not None and re.search(rf"[\"'][\w.]*\b{name}[\"']", source.text) is None

    def _python(self, path: RelPath, side: Side) -> Source | None:
        return self.source(path, side) if language_of(path) == "python" else None

    def _is_kept(self, path: RelPath, side: Side) -> bool:
        """Whether facts are worth keeping between runs: a text that is being changed is gone with the next key."""
        return side is Side.BASE or path not in self._edited

    def _modules_of(self, side: Side) -> Modules:
        if side not in self._modules:
            self._limit.check()
            self._modules[side] = Modules(
                Tree(self._repository.paths(side)),
                lambda path: source.text if (source := self.source(path, side)) is not None else None,
                external=self._external,
                gone=self._left if side is Side.HEAD else (),
            )
        return self._modules[side]

    def _names_of(self, side: Side) -> Names:
        if side not in self._names:
            self._names[side] = Names(self._modules_of(side), lambda path: self.facts(path, side))
        return self._names[side]
