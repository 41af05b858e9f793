"""What a person has put aside: a finding, an item in a file, an item everywhere, or every line like one.

Values, the question which findings a dismissal covers, and the shared file ``.roundzero/dismissals.toml``, which a
clone and CI read. Does not know the ledger or the disk. Invariants: formatting what was parsed gives the same text,
tables are sorted and independent of each other, so that two branches that add one each merge without conflict as far
as git can; no line of code is stored, only its fingerprint.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from roundzero.core.finding import FindingId, first_id
from roundzero.core.item import ItemId
from roundzero.core.secrets import redact
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Protocol

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


SHARED_FILE: Final = RelPath(".roundzero/dismissals.toml")
"""Where dismissals lie that everyone shares."""


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
    standing = sorted((each for each in dismissals if not each.over(now)), key=_order)
    found = _singles([each for each in standing if each.scope is DismissalScope.FINDING], seen, ids)
    wide = [each for each in standing if each.scope is not DismissalScope.FINDING]
    if wide:
        for at, each in enumerate(seen):
            if at not in found and (one := next((row for row in wide if _reaches(row, each)), None)) is not None:
                found[at] = one
    return found


def _reaches(dismissal: Dismissal, seen: Seen) -> bool:
    if dismissal.item != seen.item:
        return False
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


def _order(dismissal: Dismissal) -> tuple[str, str, str, str]:
    return (dismissal.path or "", dismissal.item, dismissal.id, dismissal.scope.value)


_HEAD: Final = "# Findings this repository has put aside. Written by `roundzero ledger dismiss --shared`.\n"
_FIELDS: Final = ("id", "scope", "item", "path", "symbol", "anchor", "reason", "by", "at", "expires")


def format_shared(dismissals: Iterable[Dismissal]) -> str:
    """The text of the shared file: one table each, sorted, the later of two with one name."""
    unique = {each.name: each for each in sorted(dismissals, key=lambda each: each.at)}
    parts = [_HEAD]
    for each in sorted(unique.values(), key=_order):
        values = {name: getattr(each, name) for name in _FIELDS}
        values["scope"] = each.scope.value
        rows = [f"{name} = {_quoted(str(value))}\n" for name, value in values.items() if value is not None]
        parts.append("\n[[dismissal]]\n" + "".join(rows))
    return "".join(parts)


def parse_shared(text: str) -> tuple[tuple[Dismissal, ...], tuple[str, ...]]:
    """The dismissals of a shared file, and what is wrong with it in words. A broken table costs itself only."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return (), (f"{SHARED_FILE}: {error}",)
    tables = document.get("dismissal", [])
    if not isinstance(tables, list):
        return (), (f"{SHARED_FILE}: dismissal must be a list of tables, [[dismissal]]",)
    found: list[Dismissal] = []
    problems: list[str] = []
    for number, table in enumerate(tables, 1):
        fields = {str(name): str(value) for name, value in table.items()} if isinstance(table, dict) else {}
        try:
            found.append(_parsed(fields))
        except (KeyError, ValueError) as error:
            problems.append(f"{SHARED_FILE}: dismissal {number}: {_complaint(error)}")
    return tuple(sorted(found, key=_order)), tuple(problems)


def _parsed(fields: Mapping[str, str]) -> Dismissal:
    item, path, symbol, anchor = ItemId(fields["item"]), fields.get("path"), fields.get("symbol"), fields["anchor"]
    if not fields["reason"].strip():
        raise ValueError("reason is empty")
    return Dismissal(
        id=FindingId(fields.get("id") or first_id(item, RelPath(path) if path else None, symbol, anchor, 0)),
        scope=DismissalScope(fields.get("scope", "finding")),
        item=item,
        path=RelPath(path) if path is not None else None,
        symbol=symbol,
        anchor=anchor,
        reason=fields["reason"],
        by=fields.get("by"),
        at=fields.get("at", ""),
        expires=fields.get("expires"),
    )


def _complaint(error: Exception) -> str:
    return f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)


_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _quoted(value: str) -> str:
    """A TOML basic string. Bytes that are not UTF-8 cannot be said in TOML and become U+FFFD."""
    clean = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    escaped = "".join(
        _ESCAPES.get(char) or (f"\\u{ord(char):04X}" if ord(char) < 0x20 or ord(char) == 0x7F else char)
        for char in clean
    )
    return f'"{escaped}"'
