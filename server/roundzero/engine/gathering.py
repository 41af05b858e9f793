"""A file's sight while it is put together, by several programs at once, and how what they could not read is said.

Runs nothing. Invariants: what some program could not look at is in a ``Failure``, each text that does not parse in one
for the file; an item of whose base some program knows nothing is not in the sight's ``based``.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import field
from typing import TYPE_CHECKING, Final

from roundzero.core.checklist import Failure
from roundzero.core.frozen import dataclass
from roundzero.core.suppress import directives
from roundzero.engine.sights import FileSight

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import FileChange
    from roundzero.core.finding import Observation
    from roundzero.core.item import Applies, Item, ItemId
    from roundzero.core.suppress import Directive
    from roundzero.core.text import Position, RelPath

CHECKS: Final = "roundzero"
"""The part of a file's results that our own checks give, beside one part for each linter."""

_INTERPRETER: Final = f"Python {sys.version_info.major}.{sys.version_info.minor}, which runs Round Zero,"


@dataclass(slots=True)
class Parsing:
    """Who could read one version of a file: where the others failed and why, and whether a linter did not fail."""

    failed: dict[str, tuple[Position, str]] = field(default_factory=dict)
    readable: bool = False

    def decisive(self) -> tuple[str, int, str] | None:
        """Whose failure counts, on which line, and why.

        A linter's own parser knows newer grammars than the interpreter our checks run in: its word decides.
        """
        if not self.failed:
            return None
        who = min(self.failed, key=lambda name: (name == CHECKS, name))
        place, why = self.failed[who]
        return who, place.line, why


@dataclass(slots=True)
class Gathering:
    """What is known of a file so far.

    ``silent`` are the items not checked at the head, ``uncompared`` those that compare it with a base that does not
    parse, ``unbased`` those of which a program could not say what the base holds. ``silencers`` are comments in a
    linter's own language.
    """

    file: FileChange
    head: dict[str, list[Observation]] = field(default_factory=dict)
    base: list[Observation] = field(default_factory=list)
    based: set[ItemId] = field(default_factory=set)
    unbased: set[ItemId] = field(default_factory=set)
    silent: set[ItemId] = field(default_factory=set)
    uncompared: set[ItemId] = field(default_factory=set)
    failures: list[Failure] = field(default_factory=list)
    silencers: list[Directive] = field(default_factory=list)
    head_parsing: Parsing = field(default_factory=Parsing)
    base_parsing: Parsing = field(default_factory=Parsing)

    @property
    def known(self) -> frozenset[ItemId]:
        """The items of which ``base`` has everything."""
        return frozenset(self.based - self.unbased)

    def silence(self, message: str, items: frozenset[ItemId], *, everywhere: bool = False) -> None:
        """Note a failure and the items it costs in this file. ``everywhere``: it is no failure of this file alone."""
        self.silent |= items
        self.failures.append(Failure(message=message, items=items, path=None if everywhere else self.file.path))

    def done(self, checked: Applying, wide: frozenset[ItemId]) -> FileSight:
        """The sight. ``checked`` are the items that are on, ``wide`` those that look at the change as a whole."""
        file = self.file
        broken, unreadable = self._broken()
        failures = (*self.failures, *unreadable, *self._base_broken())
        return FileSight(
            path=file.path,
            head={name: tuple(part) for name, part in self.head.items()},
            base=tuple(self.base),
            based=self.known,
            listened=checked.to(file.path) - wide - self.silent - self.uncompared,
            directives=(*(directives(file.head) if file.head is not None else ()), *self.silencers),
            failures=failures,
            broken=broken,
        )

    def _broken(self) -> tuple[str | None, tuple[Failure, ...]]:
        """How the head does not parse, where nobody could read it; and what that costs."""
        found = self.head_parsing.decisive()
        if found is None:
            return None, ()
        path, (who, line, why) = self.file.path, found
        broken = None
        if who == CHECKS and self.head_parsing.readable:
            said = f"{path}: Python checks did not run: {_INTERPRETER} cannot parse line {line} ({why})"
        else:
            said = broken = f"{path}:{line}: does not parse: {why}"
        return broken, (Failure(message=said, items=frozenset(self.silent), path=path),)

    def _base_broken(self) -> tuple[Failure, ...]:
        """A base that does not parse is no fault of the branch, so it leaves no gap; but it is said."""
        found = self.base_parsing.decisive()
        if found is None:
            return ()
        path, (who, line, why) = self.file.path, found
        reader = _INTERPRETER if who == CHECKS else who
        said = (
            f"{path}: {reader} cannot parse line {line} of its base ({why}), so old and new were compared by line only"
        )
        return (Failure(message=said, items=frozenset(self.uncompared), path=path, gap=False),)


class Applying:
    """Which of some items apply to a path. Most items apply alike, so that few globs are looked at for a file."""

    def __init__(self, items: Iterable[Item]) -> None:
        """Sort ``items`` by where they apply."""
        alike: dict[Applies, list[ItemId]] = defaultdict(list)
        for item in items:
            alike[item.applies].append(item.id)
        self._groups = tuple((applies, frozenset(names)) for applies, names in alike.items())

    def to(self, path: RelPath) -> frozenset[ItemId]:
        """The items that apply to a path."""
        found: set[ItemId] = set()
        return frozenset(found.union(*(names for applies, names in self._groups if applies.matches(path))))
