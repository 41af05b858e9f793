"""Findings with one root: they share their fix, or what caused them, or every piece of their evidence.

One root cause is one blocker. Only findings that still say something take part. Sharing *some* evidence is not
enough: two defects may be shown at one definition. Invariant: a family is named by the first of its members in the
order given, and a finding without relatives has none.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from roundzero.core.finding import Finding, FindingId, Observation


def families(
    findings: Sequence[Finding], known: dict[FindingId, FindingId] | None = None
) -> dict[FindingId, FindingId]:
    """The family of each finding that has one, by id. ``known`` families keep their name while a member is there."""
    root = {finding.id: finding.id for finding in findings}

    def find(name: FindingId) -> FindingId:
        while root[name] != name:
            root[name] = root[root[name]]
            name = root[name]
        return name

    first: dict[Hashable, FindingId] = {}
    for finding in findings:
        for key in _roots(finding.seen):
            other = first.setdefault(key, finding.id)
            root[find(finding.id)] = find(other)
    members: dict[FindingId, list[FindingId]] = defaultdict(list)
    for finding in findings:
        members[find(finding.id)].append(finding.id)
    named: dict[FindingId, FindingId] = {}
    for group in members.values():
        if len(group) > 1:
            old = next((known[name] for name in group if known and name in known), group[0])
            named.update(dict.fromkeys(group, old))
    return named


def _roots(seen: Observation) -> Iterator[Hashable]:
    for fix in seen.fixes:
        yield ("fix", *((edit.path, edit.span, edit.new_text) for edit in fix.edits))
    if seen.cause is not None:
        yield ("cause", seen.item, seen.cause)
    if seen.beyond:
        yield ("evidence", frozenset((each.path, each.side, each.line) for each in seen.beyond))


def one_blocker(findings: Sequence[Finding]) -> list[Finding]:
    """The findings with ``blocking`` left to the first of each family (``family`` set), in the order given."""
    taken: dict[FindingId, FindingId] = {}
    result: list[Finding] = []
    for finding in findings:
        if finding.blocking and finding.family is not None:
            chief = taken.setdefault(finding.family, finding.id)
            if chief != finding.id:
                reason = f"{chief} blocks for the same cause"
                result.append(finding.but(blocking=False, not_blocking_because=reason))
                continue
        result.append(finding)
    return result
