"""prerelease-pin: a dependency is pinned to an alpha, beta, release candidate or development version.

Only pins that are new as such: moving from one release candidate to the next is not. Local versions (``+cu129``) are no
pre-releases. Invariant: the pin is exact, and the base did not pin a pre-release of the same name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import RelationChecker, code
from roundzero.checkers._pins import pins
from roundzero.core.finding import Hit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._base import Pair


class PrereleasePin(RelationChecker):
    """Finds pins of versions that are not released."""

    name = "prerelease-pin"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Compare the pins of both sides."""
        now = pins(pair.file.path, pair.file.head)
        if not any(pin.version.is_prerelease for pin in now.values()):
            return
        before = pins(pair.file.path, pair.file.base)
        for name, pin in now.items():
            old = before.get(name)
            if not pin.version.is_prerelease or pin.span.start.line not in pair.file.added:
                continue
            if old is None or not old.version.is_prerelease:
                yield Hit(path=pair.file.path, span=pin.span, subject=f"{code(name)} ({pin.shown})")


CHECKER: Final = PrereleasePin
