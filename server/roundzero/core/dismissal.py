"""What a person has put aside: a finding, an item in a file, an item everywhere, or every line like one.

Values, and the question which findings a dismissal covers. Does not know the ledger, the disk, or how the file that
everyone shares is written (shared_file). Invariant: no line of code is stored, only its fingerprint.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from enum import Enum
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Protocol

    from roundzero.core.finding import FindingId
    from roundzero.core.item import ItemId
    from roundzero.core.text import RelPath

    class Seen(Protocol):
        """The part of an observation that says what a dismissal is about."""

        @property
        def item(self) -> ItemId:
            """The item."""

        @property
        def path(self) -> RelPath | None:
            """Where it lies, None for the whole change."""

        @property
        def symbol(self) -> str | None:
            """The symbol around it."""

        @property
        def anchor_text(self) -> str:
            """The collapsed text of its line."""


class DismissalScope(Enum):
    """How far a dismissal reaches. FINDING and FILE belong to a branch, ITEM and SIMILAR to the repository."""

    FINDING = "finding"
    FILE = "file"
    ITEM = "item"
    SIMILAR = "similar"


OF_REPOSITORY: Final = frozenset({DismissalScope.ITEM, DismissalScope.SIMILAR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissal:
    """One dismissal. ``id`` is the finding it was made on; ``anchor`` the fingerprint of that finding's line.

    ``at`` and ``expires`` are ISO 8601 (``expires`` a date or a time, from which on the dismissal no longer counts).
    """

    id: FindingId
    scope: DismissalScope
    item: ItemId
    path: RelPath | None
    symbol: str | None
    anchor: str
    reason: str
    by: str | None
    at: str
    expires: str | None = None

    def over(self, now: str) -> bool:
        """Whether it has expired. ``now`` is an ISO 8601 time."""
        return self.expires is not None and now[: len(self.expires)] >= self.expires

    @property
    def name(self) -> str:
        """What tells dismissals apart: made twice on one finding with one scope is one dismissal."""
        return f"{self.scope.value}:{self.id}"


def anchor_print(text: str) -> str:
    """12 hex digits for a line's collapsed text, secrets left out."""
    return hashlib.sha256(redact(text).encode("utf-8", "surrogateescape")).hexdigest()[:12]


def dismiss(  # noqa: PLR0913  each is said by the person or the clock
    seen: Seen,
    name: FindingId,
    *,
    scope: DismissalScope,
    reason: str,
    by: str | None,
    at: str,
    expires: str | None = None,
) -> Dismissal:
    """The dismissal of a finding."""
    return Dismissal(
        id=name,
        scope=scope,
        item=seen.item,
        path=seen.path,
        symbol=seen.symbol,
        anchor=anchor_print(seen.anchor_text),
        reason=" ".join(reason.split()),
        by=by,
        at=at,
        expires=expires,
    )


def covered(
    dismissals: Iterable[Dismissal], seen: Sequence[Seen], ids: Sequence[FindingId], now: str
) -> dict[int, Dismissal]:
    """Which observations are dismissed, by index. One of scope FINDING covers one observation, surest first.

    Surest is the id, then item, path, symbol and text, then item, path and text, then item and text in any file.
    """
    standing = sorted((each for each in dismissals if not each.over(now)), key=place_in_file)
    found = _singles([each for each in standing if each.scope is DismissalScope.FINDING], seen, ids)
    wide: dict[ItemId, list[Dismissal]] = defaultdict(list)
    for each in standing:
        if each.scope is not DismissalScope.FINDING:
            wide[each.item].append(each)
    for at, place in enumerate(seen) if wide else ():
        if at not in found and (rows := wide.get(place.item)) is not None:
            one = next((row for row in rows if _reaches(row, place)), None)
            if one is not None:
                found[at] = one
    return found


def _reaches(dismissal: Dismissal, seen: Seen) -> bool:
    """Whether a dismissal of its item reaches a place."""
    if dismissal.scope is DismissalScope.FILE:
        return dismissal.path == seen.path
    return dismissal.scope is DismissalScope.ITEM or dismissal.anchor == anchor_print(seen.anchor_text)


def _singles(standing: list[Dismissal], seen: Sequence[Seen], ids: Sequence[FindingId]) -> dict[int, Dismissal]:
    found: dict[int, Dismissal] = {}
    if not standing:
        return found
    items = {each.item for each in standing}
    prints = {at: anchor_print(each.anchor_text) for at, each in enumerate(seen) if each.item in items}
    keys: tuple[tuple[Callable[[Dismissal], object], Callable[[int], object]], ...] = (
        (lambda each: each.id, lambda at: ids[at]),
        (
            lambda each: (each.item, each.path, each.symbol, each.anchor),
            lambda at: (seen[at].item, seen[at].path, seen[at].symbol, prints[at]),
        ),
        (lambda each: (each.item, each.path, each.anchor), lambda at: (seen[at].item, seen[at].path, prints[at])),
        (lambda each: (each.item, each.anchor), lambda at: (seen[at].item, prints[at])),
    )
    left = list(standing)
    for of_dismissal, of_seen in keys:
        free: dict[object, list[int]] = defaultdict(list)
        for at in prints:
            if at not in found:
                free[of_seen(at)].append(at)
        rest = []
        for each in left:
            places = free.get(of_dismissal(each), [])
            if places:
                found[places.pop(0)] = each
            else:
                rest.append(each)
        left = rest
    return found


def place_in_file(dismissal: Dismissal) -> tuple[str, str, str, str]:
    """The order of dismissals in the shared file, in which they also take effect: by path, then item."""
    return (dismissal.path or "", dismissal.item, dismissal.id, dismissal.scope.value)
