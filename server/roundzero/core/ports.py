"""What the inner layers need of the outer ones, as Protocols. Implemented by the engine, over one snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from roundzero.core.change import Side, Source
    from roundzero.core.facts import Import, ModuleFacts, ModuleUses
    from roundzero.core.resolution import (
        ChainAnswer,
        ClassMembers,
        DefinitionSite,
        ImportSite,
        Missing,
        ModuleAnswer,
        NameAnswer,
        UseSite,
    )
    from roundzero.core.text import RelPath


@dataclass(frozen=True, slots=True)
class GrepHit:
    """A line of the head snapshot that contains a word. Line from 1; ``text`` without terminator."""

    path: RelPath
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit of the branch: what it says, who made it, and the paths it changed. Never sent to anybody.

    ``author`` and ``committer`` are a name and an address as written, without a mailmap. ``text`` is the message.
    """

    id: str
    author: tuple[str, str]
    committer: tuple[str, str]
    text: str
    paths: tuple[RelPath, ...]


class Repository(Protocol):
    """Read-only view of the whole repository at the snapshot. Every method may raise OutsideError: *not checked*."""

    def read(self, path: RelPath, side: Side) -> Source | None:
        """One side of a file, changed or not; None when it does not exist there or cannot be decoded."""

    def paths(self, side: Side) -> Collection[RelPath]:
        """Every path that exists on a side (tracked; at the head also untracked and not ignored)."""

    def grep(self, words: Collection[str]) -> Mapping[str, tuple[GrepHit, ...]]:
        """For each fixed string, the lines of the head snapshot that contain it as a whole word."""

    def commits(self) -> Sequence[Commit]:
        """The newest commits of the head that its base does not have, the oldest first; merges are left out."""


class Limit(Protocol):
    """How long a question may take. Over it, the question is *not checked*."""

    def check(self) -> None:
        """Raise OutsideError once the time is over or nobody wants the answer."""


class FactCache(Protocol):
    """Bytes by key, kept between runs. Never fails: what cannot be kept is made again."""

    def get(self, keys: Collection[str]) -> Mapping[str, bytes]:
        """The kept bytes of those keys that are known."""

    def put(self, rows: Mapping[str, bytes]) -> None:
        """Keep bytes."""


class Symbols(Protocol):
    """What Python code across the repository means, at both sides of one snapshot.

    Every method may raise OutsideError: *not checked*. Paths are repository paths of the side that is asked about.
    """

    def know(self, found: Mapping[str, tuple[GrepHit, ...]]) -> None:
        """Take over the answers of a grep of the head that was made already."""

    def source(self, path: RelPath, side: Side) -> Source | None:
        """The text of a file; None when it does not exist or cannot be decoded."""

    def facts(self, path: RelPath, side: Side) -> ModuleFacts | None:
        """What a file defines; None when it does not exist, is not Python, or does not parse."""

    def uses(self, path: RelPath, side: Side) -> ModuleUses | None:
        """What a file uses; None as for ``facts``."""

    def module(self, importer: RelPath, module: str, level: int, side: Side) -> ModuleAnswer:
        """What a dotted name in an import of ``importer`` is; ``level`` counts leading dots."""

    def resolve_name(self, path: RelPath, name: str, side: Side) -> NameAnswer:
        """What a name of a module is, through re-exports and star imports."""

    def resolve_imports(self, importer: RelPath, imports: Sequence[Import], side: Side) -> Mapping[Import, NameAnswer]:
        """What imported names are. Cheaper than one by one: all that seem missing are looked for by one grep."""

    def missing_imports(self, importer: RelPath, imports: Sequence[Import], side: Side) -> Mapping[Import, Missing]:
        """The imported names that no file provides. Cheaper than ``resolve_imports``: parses only where in doubt."""

    def missing_module(self, importer: RelPath, package: RelPath, name: str, side: Side) -> NameAnswer:
        """Missing, where a package that has no such submodule gets none while it runs or is built; else unknown.

        ``package`` is its ``__init__`` file; an ``importer`` may put a module there itself. What names the package has
        does not matter: no name is a module.
        """

    def resolve_chain(self, path: RelPath, chain: str, side: Side) -> ChainAnswer:
        """What ``a.b.c``, read at the module level of a file, is."""

    def class_members(self, path: RelPath, qualified: str, side: Side) -> ClassMembers | None:
        """The attributes of a class with those of its bases; None when there is no such class."""

    def mentions(self, words: Collection[str], side: Side) -> Mapping[str, tuple[GrepHit, ...]]:
        """The lines that contain each word as a whole word, in files of any kind."""

    def uses_of(self, words: Collection[str], side: Side) -> Mapping[str, tuple[UseSite, ...]]:
        """The places in Python files that read each word as a name or as a part of a dotted name."""

    def definitions_of(self, words: Collection[str], side: Side) -> Mapping[str, tuple[DefinitionSite, ...]]:
        """The functions and classes with each name, at any depth, anywhere."""

    def importers(self, path: RelPath, side: Side) -> Iterator[ImportSite]:
        """The imports of a module, or of a name in it, by other files, found one file at a time."""
