"""One defect, one finding: where an item says what another says too, only the more telling one is shown.

Which items cover which is in the packs (``covers``); nothing is known here of any of them. Invariant: what is covered
is hidden with its reason, never dropped, and only by a finding that no other covers, that is as grave, and blocks as
much. So of two that cover each other both are shown.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from roundzero.core.change import Side
from roundzero.core.finding import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from roundzero.core.finding import Finding
    from roundzero.core.item import ItemId
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath

_Place = tuple["RelPath | None", Side, int]


def without_covered(findings: Sequence[Finding], ruleset: Ruleset) -> list[Finding]:
    """The findings, in order, those hidden that another one covers.

    A finding covers those of the items it names that lie on its line, or on a line of the file that its evidence names.
    """
    named = {finding.seen.item for finding in findings if finding.hidden is None}
    covering = {item: covered for item in named if (covered := _covered_by(item, ruleset) & named)}
    if not covering:
        return list(findings)
    places: dict[tuple[ItemId, _Place], list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.hidden is None:
            for item in covering.get(finding.seen.item, ()):
                for place in _places(finding):
                    places[item, place].append(finding)
    over = [_over(finding, places.get((finding.seen.item, _own_place(finding)), ())) for finding in findings]
    under = {id(finding) for finding, others in zip(findings, over, strict=True) if others}
    return [
        _under(finding, next((other for other in others if id(other) not in under), None))
        for finding, others in zip(findings, over, strict=True)
    ]


def _covered_by(item: ItemId, ruleset: Ruleset) -> frozenset[ItemId]:
    """The items that an item covers, by the names they have today."""
    return frozenset(
        ruleset.by_id[name].id for name in ruleset.by_id[item].covers if name in ruleset.by_id and name != item
    )


def _own_place(finding: Finding) -> _Place:
    return (finding.seen.path, finding.seen.side, finding.seen.line)


def _places(finding: Finding) -> set[_Place]:
    seen = finding.seen
    return {_own_place(finding), *((row.path, row.side, row.line) for row in seen.evidence if row.path == seen.path)}


def _over(finding: Finding, others: Iterable[Finding]) -> list[Finding]:
    """Those of ``others`` that say as much of the same: as grave, as blocking, as new."""
    if finding.hidden is not None:
        return []
    return [
        other
        for other in others
        if other.seen.severity <= finding.seen.severity
        and (other.blocking or not finding.blocking)
        and (other.origin is not Origin.PRE_EXISTING or finding.origin is Origin.PRE_EXISTING)
    ]


def _under(finding: Finding, other: Finding | None) -> Finding:
    """The finding, hidden if there is another one over it."""
    if other is None:
        return finding
    return finding.hidden_for(f"covered by {other.seen.item}")
