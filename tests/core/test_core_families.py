"""One root, one blocker."""

from __future__ import annotations

from dataclasses import replace

from roundzero.core.change import Side
from roundzero.core.families import families, one_blocker
from roundzero.core.finding import Edit, Evidence, FindingId, Fix
from roundzero.core.text import RelPath
from support.rounds import finding, observations, source

ONE, TWO, THREE = (FindingId(f"rz-{number}") for number in (1, 2, 3))
SEEN = observations(source("a.py", "bad(1)\nbad(2)\nbad(3)\n"))


def proof(*lines: int) -> tuple[Evidence, ...]:
    """Evidence on lines of one file."""
    return tuple(
        Evidence(path=RelPath("x.py"), side=Side.HEAD, line=line, quote="q", role="use", blob="b") for line in lines
    )


def test_equal_evidence_or_an_equal_fix_makes_a_family() -> None:
    """All evidence shared, or one edit that removes both; some evidence shared is not enough."""
    first = finding(ONE, replace(SEEN[0], evidence=proof(1, 2)))
    second = finding(TWO, replace(SEEN[1], evidence=proof(2, 1)))
    third = finding(THREE, replace(SEEN[2], evidence=proof(1)))
    assert families([first, second, third]) == {ONE: ONE, TWO: ONE}
    assert SEEN[0].span is not None
    fix = Fix("repair", safe=True, edits=(Edit(RelPath("x.py"), SEEN[0].span, "a", "b"),))
    fixed = [finding(name, replace(seen, fixes=(fix,))) for name, seen in zip((ONE, TWO), SEEN[:2], strict=True)]
    assert families(fixed) == {ONE: ONE, TWO: ONE}


def test_a_family_keeps_its_name() -> None:
    """When its first member leaves, the others go on under the old name."""
    second, third = (
        finding(name, replace(seen, evidence=proof(1))) for name, seen in ((TWO, SEEN[1]), (THREE, SEEN[2]))
    )
    assert families([second, third], {TWO: ONE}) == {TWO: ONE, THREE: ONE}


def test_one_family_has_one_blocker() -> None:
    """The first of the order blocks; the others say whose cause they share."""
    both = [finding(name, SEEN[0]).but(blocking=True, family=ONE) for name in (ONE, TWO)]
    first, second = one_blocker(both)
    assert (first.blocking, second.blocking) == (True, False)
    assert second.not_blocking_because == "rz-1 blocks for the same cause"
