"""Answers of the index: what a module or name is found to be.

Three-valued on purpose: *missing* is said only where everything that could provide the name was seen. A check that
acts on ``Missing`` alone cannot be fooled by what is generated, native, external, dynamic or unparsable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from roundzero.core.facts import Binding, Definition, Import, Member, ModuleUses, Use
    from roundzero.core.text import RelPath


@dataclass(frozen=True, slots=True)
class InRepository:
    """A module of the repository. Several ``paths`` where it cannot be told which of them is imported.

    ``sure``: the importing file's place or the project's configuration says so, not the name alone.
    """

    paths: tuple[RelPath, ...]
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Namespace:
    """A folder without ``__init__.py``: other distributions may add to it."""

    folders: tuple[RelPath, ...]


@dataclass(frozen=True, slots=True)
class External:
    """Not of this repository: the standard library or an installed distribution. Never judged."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Cannot be told, and why, in words for people."""

    reason: str


@dataclass(frozen=True, slots=True)
class AbsentModule:
    """The package is a regular one of this repository and has no such module. ``package`` is its ``__init__``."""

    package: RelPath


ModuleAnswer: TypeAlias = InRepository | Namespace | External | Unknown | AbsentModule


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A name that exists. ``path`` is the file that binds it, as far as re-exports could be followed.

    ``binding`` is None where the name is a submodule, which then is ``path``. ``definition`` is set for functions and
    classes. ``via`` are the files it was re-exported through, the asked module first. ``sure``: no other module of the
    repository may be meant, and the name is bound once. Ask for it before a *missing* attribute is believed.
    """

    path: RelPath
    binding: Binding | None
    definition: Definition | None = None
    via: tuple[RelPath, ...] = ()
    sure: bool = True

    @property
    def is_module(self) -> bool:
        """Whether the name is a submodule."""
        return self.binding is None


@dataclass(frozen=True, slots=True)
class Missing:
    """A name that the module does not have. ``path`` is the file that would have to bind it.

    ``near`` are names it has that resemble the missing one, best first.
    """

    path: RelPath
    name: str
    near: tuple[str, ...] = ()


NameAnswer: TypeAlias = Found | Missing | Unknown


@dataclass(frozen=True, slots=True)
class ChainAnswer:
    """What ``a.b.c`` in a file is.

    ``answer`` is about the last part that was looked at; ``rest`` are those after it, as in ``Class.attribute``, which
    are not names of a module. With a rest, what was found is no import: it is where the name comes from.
    """

    answer: NameAnswer
    rest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UseSite:
    """A place that reads a name or dotted name of ``path``."""

    path: RelPath
    use: Use
    uses: ModuleUses


@dataclass(frozen=True, slots=True)
class ImportSite:
    """An import of a module by ``path``."""

    path: RelPath
    imported: Import


@dataclass(frozen=True, slots=True)
class DefinitionSite:
    """A definition in ``path``."""

    path: RelPath
    definition: Definition


@dataclass(frozen=True, slots=True)
class ClassMembers:
    """The attributes of a class, its own first, then those of its bases as they are inherited.

    ``unseen`` says why there may be more (a base outside the repository, ``__getattr__``, a metaclass, ...), or None.
    What ``type``, ``object`` and ``ABCMeta`` give (``__name__``, ``mro``, ``register``) is not listed.
    """

    members: tuple[tuple[RelPath, Member], ...]
    unseen: str | None

    def named(self, name: str) -> tuple[tuple[RelPath, Member], ...]:
        """The members with a name."""
        return tuple(row for row in self.members if row[1].name == name)
