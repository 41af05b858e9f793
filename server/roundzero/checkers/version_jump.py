"""version-jump: a pin goes over a major version, over two minor ones, or back.

A fact about a changed line, not a judgement: somebody should have read what changed in between. Locks are not looked
at, they follow. Versions that are dates (2025.2, 24.10) jump by nature. Invariant: both pins are exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import RelationChecker, code
from roundzero.checkers._pins import pins
from roundzero.core.finding import Hit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._base import Pair
    from roundzero.core.versions import Version

FEW_MINORS: Final = 2
CALENDAR: Final = 1900
SHORT_CALENDAR: Final = range(15, 100)
"""First numbers that may be years, where the second one may be a month."""


class VersionJump(RelationChecker):
    """Finds pins that moved far."""

    name = "version-jump"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Compare the pins of both sides."""
        before = pins(pair.file.path, pair.file.base)
        if not before:
            return
        for name, pin in pins(pair.file.path, pair.file.head).items():
            old = before.get(name)
            if old is not None and pin.span.start.line in pair.file.added and _is_far(old.version, pin.version):
                yield Hit(path=pair.file.path, span=pin.span, subject=f"{code(name)} ({old.shown} -> {pin.shown})")


def _is_far(old: Version, new: Version) -> bool:
    if _is_date(old) and _is_date(new):
        return False
    if old.epoch != new.epoch or old.major != new.major:
        return True
    return new.minor - old.minor >= FEW_MINORS or new.key < old.key


def _is_date(version: Version) -> bool:
    return version.major > CALENDAR or (version.major in SHORT_CALENDAR and version.minor <= 12)


CHECKER: Final = VersionJump
