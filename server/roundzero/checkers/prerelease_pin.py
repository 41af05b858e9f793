"""prerelease-pin: a dependency is pinned to an alpha, beta, release candidate or development version.

Only pins that are new as such: moving from one release candidate to the next is not, nor is a pin to the very version
that the pinning package has itself, for both are released together. Local versions (``+cu129``) are no pre-releases.
Invariant: the pin is exact, and the base did not pin a pre-release of the same name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import RelationChecker, code
from roundzero.checkers._pins import pins
from roundzero.core.finding import Hit
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._base import Pair

_OWN_VERSION: Final = regex(r"^[ \t]*[\"']?version[\"']?[ \t]*[:=][ \t]*[\"'](?P<version>[^\"'\n]+)[\"']", re.MULTILINE)


class PrereleasePin(RelationChecker):
    """Finds pins of versions that are not released."""

    name = "prerelease-pin"
    version = "2"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Compare the pins of both sides."""
        now = pins(pair.file.path, pair.file.head)
        if not any(pin.version.is_prerelease for pin in now.values()):
            return
        before = pins(pair.file.path, pair.file.base)
        own = _OWN_VERSION.search(pair.file.head.text) if pair.file.head is not None else None
        for name, pin in now.items():
            old = before.get(name)
            if not pin.version.is_prerelease or pin.span.start.line not in pair.file.added:
                continue
            if (old is None or not old.version.is_prerelease) and (own is None or pin.shown != own["version"]):
                yield Hit(path=pair.file.path, span=pin.span, subject=f"{code(name)} ({pin.shown})")


CHECKER: Final = PrereleasePin
