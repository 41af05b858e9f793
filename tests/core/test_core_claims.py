"""Claims: which a machine can settle by their words, what verdicts make of them, and which texts they hold for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roundzero.core.anatomy import Anatomy, Claim, ClaimVerdict, Probe, Votes
from roundzero.core.change import Change, FileChange, Side, Source, Status
from roundzero.core.claim_words import settling
from roundzero.core.claims import (
    Outcome,
    asked_of,
    bound,
    checked,
    is_outdated,
    refutation,
    renewed,
    settled,
    texts_of,
    unchecked,
    whole,
)
from roundzero.core.gate import GatePolicy
from roundzero.core.item import Severity
from roundzero.core.text import RelPath
from support.changes import change_of
from support.defects import Said, draft

ONE = draft(Said("d", 1, 11, "crash", "take() fails", "`parse_header` does not exist", more=(4,))).observation
V, R, U = ClaimVerdict.VERIFIED, ClaimVerdict.REFUTED, ClaimVerdict.UNVERIFIABLE
PATH = RelPath("a.py")


def claiming(*claims: Claim, votes: Votes | None = None, confirmed: bool | None = None) -> Anatomy:
    """A case with these claims."""
    return Anatomy(claims=claims, votes=votes, confirmed=confirmed)


def change(head: str = "h", snapshot: str = "s") -> Change:
    """A change of one file, whose head has this blob."""
    return change_of(
        FileChange(
            path=PATH,
            status=Status.MODIFIED,
            base=Source(PATH, "x\n", "b"),
            head=Source(PATH, "y\n", head),
            hunks=(),
        ),
        commit=None,
        snapshot=snapshot,
    )


@pytest.mark.parametrize(
    ("text", "probe"),
    [
        ("`parse_header` does not exist", ("symbol-exists", "parse_header", "", "absent")),
        ("parse_header() no longer exists in parser.py.", ("symbol-exists", "parse_header", "parser.py", "absent")),
        ("the method `reload` does not exist on Config", ("symbol-exists", "reload", "Config", "no function")),
        ("Config has no method `reload`", ("symbol-exists", "reload", "Config", "no function")),
        ("no class named Foo exists", ("symbol-exists", "Foo", "", "no class")),
        ("`self.cache` is not defined", ("symbol-exists", "self.cache", "", "absent")),
        ("函数 parse_header 不存在", ("symbol-exists", "parse_header", "", "no function")),
        ("parser.py 中没有定义 parse_header", ("symbol-exists", "parse_header", "parser.py", "undefined")),
        ("`old_name` is never used", ("grep-count", "old_name", "", "unused")),
        ("nothing calls parse_header() any more", ("grep-count", "parse_header", "", "uncalled")),
        ("`old_name` 从未被调用", ("grep-count", "old_name", "", "uncalled")),
        ("`from app.a import b_c` fails", ("import-resolves", "app.a:b_c", "", "fails")),
        ("`from app.a import b_c` does not resolve", ("import-resolves", "app.a:b_c", "", "absent")),
        ("MAX_RETRIES is 3", ("value-equals", "MAX_RETRIES", "", "3")),
        ("the default of `timeout` is 30", ("value-equals", "timeout", "", "30")),
        ("`test_take` is not collected by pytest", ("test-collected", "test_take", "", "absent")),
        ("BUILD still names test_x.py, which was deleted", ("file-names", "test_x.py", "BUILD", "absent")),
        ("文件 tests/a.py 已不存在", ("file-names", "tests/a.py", "", "absent")),
    ],
)
def test_a_plain_claim_names_its_probe(text: str, probe: tuple[str, ...]) -> None:
    """In English and in Chinese: what is to be looked for, where, and what is expected."""
    (found,) = settling(text)
    assert (found.probe.kind, found.probe.subject, found.probe.path, found.probe.expect) == probe
    assert not found.more


@pytest.mark.parametrize(
    "text",
    [
        "nothing checks count before pop() is called",
        "the guard does not exist",
        "helper() does not exist when the file is missing",
        "`cache` does not exist before load() runs",
        "`parse_header` does not exist on Python 3.8",
        "`parse_header` does not exist, if the extra is not installed",
        "the class `Foo` does not exist at base",
        "`Foo` does not exist; it was there in the base",
        "parse_header was not defined",
        "`user` is None",
        "`parse_header` might not exist",
        "it is not true that `parse_header` does not exist",
        "`test_x` is never run",
        "this is never called",
        "`parse_header` 不存在，除非安装了扩展",
    ],
)
def test_a_claim_with_a_condition_or_without_a_name_is_for_nobody_to_settle_by_machine(text: str) -> None:
    """What a machine sees is the head, at all times; a word of prose is no name."""
    assert settling(text) == ()


def test_a_claim_that_says_more_can_be_refuted_and_not_proved() -> None:
    """That the name is missing does not show what follows from it."""
    (found,) = settling("`parse_header` does not exist, so that handler.py fails")
    assert found.more
    seen = replace(
        ONE, anatomy=claiming(Claim(text="`parse_header` does not exist, so that handler.py fails", decisive=True))
    )
    (row,) = asked_of(seen)
    for verdict, expected in ((V, U), (R, R)):
        after = checked(seen, [(row, Outcome(verdict=verdict, words="w", blobs=("h",)))])
        assert after.anatomy is not None
        assert after.anatomy.claims[0].verdict is expected


def test_a_proposed_probe_refutes_and_never_proves() -> None:
    """Who drafted a finding chose it: that a quote stands where it stands proves nothing about the defect."""
    text = "`take` pops before it compares"
    proposed = Probe(kind="quote-at", subject="take", path="a.py")
    seen = replace(ONE, anatomy=claiming(Claim(text=text, decisive=True, proposed=(proposed,))))
    (row,) = asked_of(seen)
    assert not row.settles
    for verdict, expected in ((V, U), (R, R)):
        after = checked(seen, [(row, Outcome(verdict=verdict, words="a.py:3 reads so", blobs=("h",)))])
        assert after.anatomy is not None
        (claim,) = after.anatomy.claims
        assert (claim.verdict, claim.probe) == (expected, "a.py:3 reads so")
    other = replace(proposed, subject="something the claim does not name")
    assert asked_of(replace(ONE, anatomy=claiming(Claim(text=text, decisive=True, proposed=(other,))))) == ()


def test_a_proposal_says_where_the_name_should_be() -> None:
    """The probe that the words ask for takes the place from the proposal of the same."""
    proposed = Probe(kind="symbol-exists", subject="parse_header", path="pkg/parser.py", expect="absent")
    claim = Claim(text="`parse_header` does not exist", decisive=True, proposed=(proposed,))
    (row,) = asked_of(replace(ONE, anatomy=claiming(claim)))
    assert (row.settles, row.probe.path, row.places) == (True, "pkg/parser.py", ((PATH, 11), (PATH, 4)))


def test_where_answers_differ_nothing_is_settled() -> None:
    """A claim that one probe proves and another refutes is unverifiable, with what both saw."""
    seen = replace(ONE, anatomy=claiming(Claim(text="`parse_header` does not exist", decisive=True)))
    (row,) = asked_of(seen)
    results = [(row, Outcome(verdict=V, words="one", blobs=("h",))), (row, Outcome(verdict=R, words="two"))]
    after = checked(seen, results)
    assert after.anatomy is not None
    (claim,) = after.anatomy.claims
    assert (claim.verdict, claim.probe, claim.blobs) == (U, "one; two", ())


def test_what_was_settled_before_stays_settled_in_the_same_texts_and_is_forgotten_in_others() -> None:
    """A probe that can tell nothing takes nothing back; another text has to be looked at again, as a whole."""
    case = claiming(
        Claim(text="`parse_header` does not exist", decisive=True, verdict=V, probe="p", blobs=("h",)), confirmed=True
    )
    seen = replace(ONE, anatomy=case)
    assert renewed(seen, {"h"}) == seen
    (row,) = asked_of(seen)
    assert checked(seen, [(row, Outcome(verdict=U, words="cannot be told"))]) == seen
    after = renewed(seen, {"h2"}).anatomy
    assert after is not None
    assert (after.claims[0].verdict, after.claims[0].probe, after.confirmed) == (U, None, None)


def test_a_claim_is_bound_to_the_texts_it_was_read_in() -> None:
    """A changed file by its blob, the base by the merge base, anything else by the change as a whole."""
    made = change()
    assert bound(made, [(PATH, Side.HEAD)]) == ("h",)
    assert bound(made, [(PATH, Side.BASE)]) == ("m",)
    assert bound(made, [(RelPath("other.py"), Side.HEAD)]) == (whole(made),)
    assert set(bound(made, [(PATH, Side.HEAD)], wide=True)) == {"h", whole(made)}
    assert bound(made, []) == (whole(made),)


@pytest.mark.parametrize(
    ("blobs", "outdated"),
    [(("h",), False), (("old",), True), (("h", "old"), True), (("m:s",), False), (("m:older",), True), ((), True)],
)
def test_a_claim_that_was_settled_in_another_text_is_outdated(blobs: tuple[str, ...], outdated: bool) -> None:
    """One text that is no more is enough, and a claim that names none is settled in none."""
    case = claiming(Claim(text="c", decisive=True, verdict=V, blobs=blobs))
    assert is_outdated(case, texts_of(change())) is outdated
    open_ = claiming(Claim(text="c", decisive=True, blobs=blobs), Claim(text="d", verdict=V, blobs=("old",)))
    assert not is_outdated(open_, texts_of(change()))


def test_a_refuted_decisive_claim_refutes_with_its_reason() -> None:
    """However many drafts raised it; another claim's refutation does not."""
    gone = Claim(text="c", decisive=True, verdict=R, probe="a.py:3 defines it")
    assert refutation(claiming(gone, votes=Votes(5, 5))) == "its decisive claim is refuted: a.py:3 defines it"
    assert refutation(claiming(replace(gone, decisive=False))) is None
    assert refutation(None) is None


@pytest.mark.parametrize(
    ("case", "severity"),
    [
        (claiming(Claim(text="c", decisive=True, verdict=V, blobs=("h",)), votes=Votes(3, 5)), Severity.P1),
        (claiming(Claim(text="c", decisive=True, probe="looked"), votes=Votes(5, 5)), Severity.P2),
        (claiming(Claim(text="c", decisive=True), votes=Votes(5, 5)), Severity.P1),
        (claiming(Claim(text="c", verdict=V), votes=Votes(5, 5)), Severity.P2),
        (claiming(Claim(text="c", decisive=True, verdict=V), votes=Votes(1, 5), confirmed=False), Severity.P2),
        (claiming(Claim(text="c", decisive=True, verdict=V), votes=Votes(1, 5), confirmed=True), Severity.P1),
        (claiming(Claim(text="c", decisive=True, verdict=V), votes=Votes(1, 5)), Severity.P1),
        (claiming(Claim(text="c", decisive=True, probe="looked")), Severity.P1),
    ],
)
def test_what_fails_its_gate_is_p2_and_says_why(case: Anatomy, severity: Severity) -> None:
    """What nobody has looked at yet is left as it is, and so is what is no deep review's."""
    after = settled(replace(ONE, anatomy=case), GatePolicy())
    assert after.severity is severity
    assert after.anatomy is not None
    assert (after.anatomy.severity_reason or "").startswith("P2 and not P1, because") == (severity is Severity.P2)
    mild = replace(ONE, severity=Severity.P3, anatomy=case)
    assert settled(mild, GatePolicy()) == mild


def test_what_nobody_could_be_asked_about_is_unchecked() -> None:
    """A probe that could tell nothing is no check."""
    case = claiming(Claim(text="c", decisive=True, probe="3 hits"), Claim(text="d", probe="1 hit"))
    after = unchecked(replace(ONE, anatomy=case))
    assert after.anatomy is not None
    assert [claim.probe for claim in after.anatomy.claims] == [None, "1 hit"]
