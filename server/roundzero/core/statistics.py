"""What a report says about itself in numbers.

Everything is counted from the report, so that it cannot differ from what is listed. What a model was asked cannot be
counted from it and is in ``Stats.model``; where none took part there is nothing, because zero would be a claim.
Invariant: equal reports give equal numbers.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from roundzero.core.finding import Origin, State
from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.change import Change
    from roundzero.core.judge import View
    from roundzero.core.report import ItemStatus, Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counts of listed findings and of items.

    ``origins``: open ones. ``new``: first seen in this round, ``returned``: fixed once and back; None without a round.
    ``unchanged``: blocking on lines the branch did not touch.
    """

    origins: Mapping[Origin, int]
    states: Mapping[State, int]
    items: Mapping[ItemStatus, int]
    new: int | None
    returned: int | None
    unchanged: int


def statistics(report: Report) -> Statistics:
    """The numbers of a report."""
    found, index = report.findings, report.round.index
    return Statistics(
        origins=Counter(each.origin for each in found if each.state is State.OPEN),
        states=Counter(each.state for each in found),
        items=Counter(line.status for line in report.checklists),
        new=None if index is None else sum(each.first_seen == index for each in found),
        returned=None if index is None else sum(each.regressions > 0 and each.state is State.OPEN for each in found),
        unchanged=sum(each.blocking and not each.in_diff for each in found),
    )


def patch_bytes(change: Change, view: View) -> int:
    """Bytes, in UTF-8, of the lines that the reviewed change adds and removes."""
    total = 0
    for file in change.files:
        if not view.covers(file.path):
            continue
        for hunk in file.hunks:
            for source, start, count in (
                (file.base, hunk.base_start, hunk.base_count),
                (file.head, hunk.head_start, hunk.head_count),
            ):
                if source is not None and count:
                    index = source.index
                    lines = source.text[index.line_start(start) : index.line_start(start + count)]
                    total += len(lines) if lines.isascii() else len(lines.encode("utf-8", "surrogatepass"))
    return total
