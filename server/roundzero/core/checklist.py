"""How each item of the checklists came out.

Invariant: an item passes only where something listened on every file it applies to; silence of what did not run is
*not checked*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.finding import Origin, State
from roundzero.core.frozen import dataclass
from roundzero.core.judge import shown
from roundzero.core.report import ChecklistLine, ItemStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from roundzero.core.change import Change
    from roundzero.core.finding import Finding
    from roundzero.core.item import Item, ItemId, Language
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Something that should have looked and did not. ``items`` are not checked, in ``path`` or (None) anywhere.

    ``gap`` False: it could not be otherwise, and the branch cannot help it, so it is said and does not hinder LGTM.
    """

    message: str
    items: frozenset[ItemId]
    path: RelPath | None = None
    gap: bool = True


def what_failed(failures: Iterable[Failure], *, gaps: bool) -> tuple[str, ...]:
    """What failures that leave a gap, or those that leave none, say: sorted, each once."""
    return tuple(sorted({failure.message for failure in failures if failure.gap is gaps}))


def checklist(  # noqa: PLR0913  each is an independent input
    ruleset: Ruleset,
    change: Change,
    findings: Iterable[Finding],
    failures: Sequence[Failure],
    *,
    language: Language = "en",
    answered: Collection[ItemId] = (),
    spared: Collection[ItemId] = (),
) -> tuple[ChecklistLine, ...]:
    """One line for each item that is on, in the packs' order.

    ``answered`` are the items a model was asked about for every part of the change that they apply to, ``spared`` those
    it is not asked about a change as small as this one.
    """
    failing: dict[ItemId, list[Finding]] = {}
    for finding in findings:
        if shown(finding) and finding.state is State.OPEN and finding.origin is not Origin.PRE_EXISTING:
            failing.setdefault(finding.seen.item, []).append(finding)
    silent = frozenset(item for failure in failures for item in failure.items)
    paths = [path for file in change.files for path in (file.path, file.old_path) if path is not None]
    asked = {item.applies for item in ruleset.items if item.enabled}
    touched = {applies: any(map(applies.matches, paths)) for applies in asked}
    return tuple(
        ChecklistLine(
            pack=item.pack,
            item=item.id,
            title=item.title.text(language),
            status=_status(
                item,
                silent,
                failed=item.id in failing,
                touched=touched[item.applies],
                answered=answered,
                spared=spared,
            ),
            findings=tuple(finding.id for finding in failing.get(item.id, ())),
            why=item.why.text(language),
            severity=item.severity,
        )
        for item in ruleset.items
        if item.enabled and not item.trigger
    )


def _status(
    item: Item,
    silent: frozenset[ItemId],
    *,
    failed: bool,
    touched: bool,
    answered: Collection[ItemId],
    spared: Collection[ItemId],
) -> ItemStatus:
    if failed:
        return ItemStatus.FAIL
    if not touched:
        return ItemStatus.NOT_APPLICABLE
    if item.id in spared and not item.checks:
        return ItemStatus.NOT_APPLICABLE
    if item.id in silent or not (item.checks or item.id in answered):
        return ItemStatus.NOT_CHECKED
    return ItemStatus.PASS
