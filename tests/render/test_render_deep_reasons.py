"""What a deep review gives as a reason has its Chinese."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from roundzero.core.anatomy import Anatomy, Claim, ClaimVerdict, Votes
from roundzero.core.change import Side
from roundzero.core.claims import milder, refutation, settled
from roundzero.core.confirming import ClaimAnswer, FactAnswer, SecondLook, fact_checked, looked
from roundzero.core.drafting import Texts
from roundzero.core.finding import Verified
from roundzero.core.gate import OUTDATED, GatePolicy, shortfall
from roundzero.core.item import ItemId, Severity
from roundzero.core.model_values import Outcome, Quote
from roundzero.core.regrading import LOOKED_DEEPLY
from roundzero.core.votes import merge
from roundzero.engine.confirming import gaps_of
from roundzero.engine.fact_check import probe_all
from roundzero.engine.gaps import FACTS, LOOKS
from roundzero.index.fact_store import FactStore
from roundzero.index.limit import TimeLimit
from roundzero.index.symbols import RepositorySymbols
from roundzero.render.reasons import reason
from support.defects import Said, draft
from support.texts import Texts as Files

ONE = Said("d", 1, 1, "crash", "t", "c", item="p/a")
SEEN = draft(ONE).observation
CHANGE = Files({"a.py": "text of a line\n"}, {}).change()


def is_chinese(text: str | None) -> bool:
    """Whether it has been put into Chinese, to the last word that is ours."""
    said = reason(text or "", "zh")
    return said != text and "because" not in said and "second look" not in said


def test_every_shortfall_has_its_chinese() -> None:
    """Whatever combination of votes, second looks and verdicts gives it; also as the reason of a severity."""
    found = {OUTDATED, LOOKED_DEEPLY}
    for given, confirmed, verdict, probe, decisive in itertools.product(
        (None, 1, 5), (None, True, False), ClaimVerdict, (None, "p"), (True, False)
    ):
        claim = Claim(text="c", verdict=verdict, probe=probe, decisive=decisive)
        votes = Votes(given, 5) if given is not None else None
        seen = replace(SEEN, anatomy=Anatomy(claims=(claim,), votes=votes, confirmed=confirmed))
        short = shortfall(seen, GatePolicy())
        found |= {short.words} if short is not None else set()
        after = settled(seen, GatePolicy())
        if after is not seen and after.anatomy is not None:
            found.add(after.anatomy.severity_reason or "")
        found |= {why} if (why := refutation(seen.anatomy)) is not None else set()
    lost = tuple(replace(each, verified=Verified.MISSING) for each in SEEN.evidence)
    seen = replace(SEEN, evidence=lost, anatomy=Anatomy(votes=Votes(5, 5)))
    short = shortfall(seen, GatePolicy())
    assert short is not None
    found.add(short.words)
    assert len(found) > 10
    assert [text for text in sorted(found) if not is_chinese(text)] == []


@pytest.mark.parametrize("answer", ["holds", "does-not-hold", "cannot-tell"])
@pytest.mark.parametrize("line", [0, 1])
def test_what_a_second_look_found_has_its_chinese(answer: str, line: int) -> None:
    """The reason of the severity and what is said against it."""
    quote = Quote(path="a.py", side=Side.HEAD, line=1, text="text of a line" if line else "no such line")
    look = SecondLook(answer=answer, reason="checked above", quotes=(quote,))  # type: ignore[arg-type]
    case = looked(SEEN, look, Texts.of(CHANGE)).anatomy
    assert case is not None
    assert all(map(is_chinese, case.contradictions))
    assert case.confirmed or is_chinese(case.severity_reason)


def test_what_a_fact_check_found_has_its_chinese() -> None:
    """Why a claim is refuted."""
    quote = Quote(path="a.py", side=Side.HEAD, line=1, text="text of a line")
    said = ClaimAnswer(claim=0, verdict=ClaimVerdict.REFUTED, reason="checked above", quotes=(quote,))
    case = fact_checked(SEEN, FactAnswer((said,)), CHANGE, Texts.of(CHANGE)).anatomy
    assert case is not None
    assert is_chinese(case.contradictions[-1])
    assert all(is_chinese(claim.probe) for claim in case.claims if claim.verdict is ClaimVerdict.REFUTED)


def test_what_drafts_say_against_each_other_has_its_chinese() -> None:
    """Their gradings and their silence."""
    rows = [draft(ONE._replace(voice=voice)) for voice in (1, 2, 3)]
    rows.append(draft(ONE._replace(voice=4), severity=Severity.P3))
    unit = rows[0].unit
    (seen,) = merge(rows, {unit: frozenset({1, 2, 3, 4, 5})}, {(unit, 5): frozenset({ItemId("p/a")})})
    assert seen.anatomy is not None
    assert len(seen.anatomy.contradictions) == 2
    assert all(map(is_chinese, (*seen.anatomy.contradictions, seen.anatomy.severity_reason)))


def test_what_could_not_be_asked_has_its_chinese() -> None:
    """One or several, and why."""
    for number in (1, 3):
        for what in (LOOKS, FACTS):
            (said,) = gaps_of({("", Outcome.OFFLINE): number}, what)
            assert reason(said, "zh").endswith("：离线")


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({"a.py": "def _old(): pass\n\n_old()\n"}, "`_old` is never called"),
        ({"a.py": "def _old(): pass\n\nx = _old\n"}, "`_old` is never used"),
        ({"a.py": "def _old(): pass\n"}, "`_old` is never used"),
        ({"a.py": "def load_it(): pass\n"}, "`load_it` does not exist"),
        ({"a.py": "import b\n", "b.py": "x = 1\n"}, "`load_it` does not exist in b.py"),
        ({"a.py": "class C:\n    pass\n"}, "C has no method `load_it`"),
        ({"test_a.py": "def f():\n    def test_x(): pass\n", "a.py": ""}, "`test_a.py::test_x` is not collected"),
        ({"test_a.py": "class A:\n    def test_x(self): pass\n", "a.py": ""}, "`test_a.py::test_x` is not collected"),
        ({"test_a.py": "class TestA:\n    def __init__(s): pass\n    def test_x(s): pass\n", "a.py": ""},
         "`test_a.py::test_x` is not collected"),
        ({"a.py": "x = 1\n", "t/b.py": ""}, "`t/b.py` does not exist"),
    ],
)  # fmt: skip
def test_what_a_probe_saw_has_its_chinese(files: dict[str, str], text: str) -> None:
    """Where it settles a claim; names and places stay as they are."""
    texts = Files(files)
    seen = replace(SEEN, symbol=None, anatomy=Anatomy(claims=(Claim(text=text, decisive=True),)))
    symbols = RepositorySymbols(texts, texts.change(), FactStore(), TimeLimit(60))
    (after,) = probe_all([seen], texts.change(), texts, symbols)
    assert after.anatomy is not None
    (claim,) = after.anatomy.claims
    assert claim.verdict is not ClaimVerdict.UNVERIFIABLE, claim.probe
    assert is_chinese(claim.probe), claim.probe


def test_how_a_claim_was_checked_has_its_chinese() -> None:
    """By a model; what a probe saw is names and places."""
    after = fact_checked(SEEN, FactAnswer(()), CHANGE, Texts.of(CHANGE))
    assert after.anatomy is not None
    for words in (
        after.anatomy.claims[0].probe,
        "the model could not tell",
        "the model quotes nothing",
        "read by the model: a.py:3",
    ):
        assert is_chinese(words)
    mild = milder(SEEN, "no claim of it is decisive")
    assert mild.anatomy is not None
    assert is_chinese(mild.anatomy.severity_reason)
