"""What an item says again and again of one file, told once: the first finding names the others and mends them too.

In an editor each place is marked all the same, and each finding keeps its identity, so that one of them can be
answered, or mended, without the others. Which items these are is in the packs (``one_a_file``). Invariant: nothing is
told through a finding that says less: both are open, of the branch alike, as grave, and block as much.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.finding import Fix, State

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from roundzero.core.finding import Edit, Finding, Observation
    from roundzero.core.item import Item
    from roundzero.core.ruleset import Ruleset

REASON: Final = "told with another of its file"

FEWEST: Final = 3
"""Findings of an item in one file that are a habit; one or two stand for themselves, unless they say the same."""

NAMED: Final = 3
"""Most subjects that a title names."""


def told_once(findings: Sequence[Finding], ruleset: Ruleset) -> list[Finding]:
    """The findings, in order: the first of each kind and file with the others in it, those hidden."""
    groups: dict[Hashable, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.hidden is None and finding.state is State.OPEN and finding.seen.source == "check":
            item = ruleset.by_id.get(finding.seen.item)
            if item is not None and item.one_a_file and finding.seen.path is not None:
                groups[_kind(finding, item)].append(finding)
    heads = {group[0].id: group for group in groups.values() if len(group) >= FEWEST or _says_the_same(group)}
    others = {finding.id for group in heads.values() for finding in group[1:]}
    if not others:
        return list(findings)
    return [
        finding.but(hidden=REASON, counts=False, blocking=False, not_blocking_because=None)
        if finding.id in others
        else finding.but(seen=_joined([each.seen for each in heads[finding.id]]))
        if finding.id in heads
        else finding
        for finding in findings
    ]


def _kind(finding: Finding, item: Item) -> Hashable:
    seen = finding.seen
    subject = seen.title if item.one_a_file == "subject" else ""
    return (seen.item, subject, seen.path, seen.side, seen.severity, finding.origin, finding.blocking)


def _says_the_same(group: Sequence[Finding]) -> bool:
    """Whether there are several, with one title."""
    return len(group) > 1 and len({each.seen.title for each in group}) == 1


def _joined(group: Sequence[Observation]) -> Observation:
    """The first, which says what the others do."""
    first, *rest = group
    places = {(each.path, each.side, each.line): each for other in rest for each in other.evidence[:1]}
    also = (replace(each, role="also here") for each in places.values() if not first.stands_at(each))
    return replace(first, title=_title(group), evidence=(*first.evidence, *also), fixes=_fixes(group))


def _title(group: Sequence[Observation]) -> str:
    """One title with the subjects of all: those of a kind begin alike, up to the first name."""
    head = group[0].title.partition("`")[0]
    subjects = [each.title.removeprefix(head) for each in group if each.title.startswith(head)]
    shown = ", ".join(dict.fromkeys(subject for subject in subjects[:NAMED] if subject))
    more = len(group) > NAMED or not shown
    return f"{head}{shown}{', …' if more and shown else ''}{f' ({len(group)})' if more else ''}"


def _fixes(group: Sequence[Observation]) -> tuple[Fix, ...]:
    """One fix that does what the first fix of each does; the first finding's own where they are not to be joined."""
    firsts = [each.fixes[0] for each in group if each.fixes]
    edits = tuple(dict.fromkeys(edit for fix in firsts for edit in fix.edits))
    if len(firsts) < len(group) or any(_meet(one, other) for at, one in enumerate(edits) for other in edits[:at]):
        return group[0].fixes
    title = f"{firsts[0].title.partition('`')[0].rstrip(' :')} ({len(group)})"
    return (Fix(title, safe=all(fix.safe for fix in firsts), edits=edits), *group[0].fixes[1:])


def _meet(one: Edit, other: Edit) -> bool:
    """Whether two edits touch the same text."""
    return one.path == other.path and not (one.span.end <= other.span.start or other.span.end <= one.span.start)
