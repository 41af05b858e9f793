"""The name that somebody who misspelt one may have meant.

For full names of items and settings, whose first part many have in common. Invariant: what all of a family begin with
never makes one of them near.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_LIKE: Final = 0.6
"""How alike two last parts are, of 1, for one to be meant by the other: a letter or two of six."""
_VERY_LIKE: Final = 0.75
"""The same where the first parts differ: a right name in a wrong family."""


def near(name: str, known: Iterable[str], most: int = 1) -> tuple[str, ...]:
    """The known names that may be meant by one that is unknown, the likeliest first."""
    from difflib import SequenceMatcher  # noqa: PLC0415  only for a message

    family, last = _parts(name)
    found = []
    for each in known:
        its_family, its_last = _parts(each)
        alike = SequenceMatcher(None, its_last, last).ratio()
        if alike >= (_LIKE if its_family == family else _VERY_LIKE):
            found.append((-alike, -SequenceMatcher(None, each, name).ratio(), each))
    return tuple(each for _, _, each in sorted(found)[:most])


def _parts(name: str) -> tuple[str, str]:
    """What stands before the last slash or dot, and what behind it."""
    *first, last = re.split(r"[/.]", name)
    return ".".join(first), last
