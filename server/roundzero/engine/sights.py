"""What an analysis gives: everything that was seen, before anyone judges it.

Values and how they are put together. Invariant: ``base`` is complete for the items in ``based``, so that a missing
counterpart means something.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from roundzero.core.checklist import Failure
from roundzero.core.frozen import dataclass
from roundzero.core.item import AstGrepCheck, RuffCheck
from roundzero.core.judge import Sight

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from roundzero.core.change import Source
    from roundzero.core.finding import Observation
    from roundzero.core.item import ItemId
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.suppress import Directive
    from roundzero.core.text import RelPath


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSight:
    """What was seen in one changed file.

    ``head`` holds a part for each program that ran to its end. ``base`` holds all base observations of the items in
    ``based``. ``broken`` says where and how the head does not parse: then parts are incomplete.
    """

    path: RelPath
    head: Mapping[str, tuple[Observation, ...]] = field(default_factory=dict)
    base: tuple[Observation, ...] = ()
    based: frozenset[ItemId] = frozenset()
    listened: frozenset[ItemId] = frozenset()
    directives: tuple[Directive, ...] = ()
    failures: tuple[Failure, ...] = ()
    broken: str | None = None

    @property
    def seen(self) -> tuple[Observation, ...]:
        """All head observations."""
        return tuple(observation for part in self.head.values() for observation in part)


@dataclass(frozen=True, slots=True)
class ChangeSight:
    """What was seen in the change as a whole.

    ``listened`` are the items that were really checked. ``outside`` are the texts of files beyond the change that
    something was seen in.
    """

    seen: tuple[Observation, ...] = ()
    failures: tuple[Failure, ...] = ()
    listened: frozenset[ItemId] = frozenset()
    outside: Mapping[RelPath, Source] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Base observations of other files whose removed lines some hit's text was among."""

    base: tuple[Observation, ...] = ()
    based: frozenset[tuple[RelPath, ItemId]] = frozenset()


def lacking(
    wanted: Mapping[RelPath, frozenset[ItemId]], sights: Iterable[FileSight]
) -> dict[RelPath, frozenset[ItemId]]:
    """Of the wanted bases, those that were not looked at for their own files."""
    known = {sight.path: sight.based for sight in sights}
    rest = {path: items - known.get(path, frozenset()) for path, items in wanted.items()}
    return {path: items for path, items in rest.items() if items}


def combine(sights: Iterable[FileSight], elsewhere: Elsewhere, wide: ChangeSight) -> Sight:
    """Everything seen, for judge."""
    sights = list(sights)
    return Sight(
        head=(*(seen for sight in sights for seen in sight.seen), *wide.seen),
        base=(*(seen for sight in sights for seen in sight.base), *elsewhere.base),
        based=frozenset((sight.path, item) for sight in sights for item in sight.based) | elsewhere.based,
        listened={sight.path: sight.listened | wide.listened for sight in sights if sight.directives},
        directives={sight.path: sight.directives for sight in sights if sight.directives},
    )


def failures_of(sights: Iterable[FileSight], wide: ChangeSight) -> tuple[Failure, ...]:
    """All failures; what cost many files is said once."""
    merged: dict[tuple[str, RelPath | None], Failure] = {}
    for failure in (*(failure for sight in sights for failure in sight.failures), *wide.failures):
        key = (failure.message, failure.path)
        known = merged.setdefault(key, failure)
        merged[key] = replace(known, items=known.items | failure.items)
    return tuple(merged.values())


def gaps(ruleset: Ruleset, running: Collection[str], paths: Iterable[RelPath]) -> tuple[Failure, ...]:
    """What cannot be checked at all: items lost with a broken pack, and those whose linter is switched off.

    ``running`` are the names of the linters in use; a linter is missed only where an item of it applies to a path.
    """
    lost = [Failure(message=str(problem), items=frozenset()) for problem in ruleset.problems if problem.lost]
    changed = tuple(paths)
    idle: dict[str, set[ItemId]] = {}
    for item in ruleset.checked:
        for check in item.checks:
            name = "ruff" if isinstance(check, RuffCheck) else "ast-grep" if isinstance(check, AstGrepCheck) else None
            if name is not None and name not in running and any(item.applies.matches(path) for path in changed):
                idle.setdefault(name, set()).add(item.id)
    off = [Failure(message=f"{name} is switched off", items=frozenset(items)) for name, items in sorted(idle.items())]
    return (*lost, *off)
