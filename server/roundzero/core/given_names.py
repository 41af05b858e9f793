"""Names that a file is given from outside: what runs it puts them there, so that nothing in the file defines them.

A controller of a web framework, a build script, a method whose decorator lends it a fixture. That it is one is seen in
its base: it lives with names that are defined nowhere. Invariant: a name is called given only where the base of its
file uses it undefined too, or so many others that none of them can be a slip; what is hidden keeps its reason.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.core.finding import Origin
from roundzero.core.item import UNDEFINED_CODE, RuffCheck

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from roundzero.core.finding import Finding
    from roundzero.core.item import ItemId
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath

MANY: Final = 4
"""Distinct undefined names in the base of a file, from which on it is one that is given names: fewer may be slips."""

REASON: Final = "the base of the file lives with such names"


def without_given(findings: Sequence[Finding], ruleset: Ruleset) -> list[Finding]:
    """The findings, in order, those hidden that are about names which their file seems to be given."""
    before: dict[tuple[ItemId, RelPath | None], set[str]] = defaultdict(set)
    for finding in findings:
        if finding.origin is Origin.PRE_EXISTING and _is_about_names(finding, ruleset):
            before[finding.seen.item, finding.seen.path].add(finding.seen.title)
    return [
        finding.hidden_for(REASON)
        if _is_given(finding, before.get((finding.seen.item, finding.seen.path), ()))
        else finding
        for finding in findings
    ]


def _is_about_names(finding: Finding, ruleset: Ruleset) -> bool:
    checks = ruleset.by_id[finding.seen.item].checks
    return any(isinstance(check, RuffCheck) and UNDEFINED_CODE in check.codes for check in checks)


def _is_given(finding: Finding, before: Collection[str]) -> bool:
    if not before or finding.hidden is not None or finding.origin is not Origin.INTRODUCED:
        return False
    return finding.seen.title in before or len(before) >= MANY
