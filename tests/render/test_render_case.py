"""The argued case of a model's finding, as people read it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from roundzero.core.anatomy import (
    Anatomy,
    Claim,
    ClaimVerdict,
    Consequence,
    Decides,
    FailureClass,
    NegativeEvidence,
    OpenQuestion,
    Step,
    Suggestion,
)
from roundzero.core.change import Side
from roundzero.core.finding import Evidence, Verified
from roundzero.core.text import RelPath
from roundzero.render import markdown, terminal
from roundzero.render.case import argument, case_words, proofs, rest
from roundzero.render.look import Look
from support.report import finding, report, span

if TYPE_CHECKING:
    from roundzero.core.finding import Finding, Observation
    from roundzero.core.item import Language

HOSTILE = "\x1b[31m<b>x</b> @ada [l](http://e.example)\u202e\n# top"


def evidence(line: int, verified: Verified, quote: str = "return cache") -> Evidence:
    """A quote of the reviewed file."""
    return Evidence(
        path=RelPath("app.py"), side=Side.HEAD, line=line, quote=quote, role="use", blob="1" * 40, verified=verified
    )


def argued(case: Anatomy, *proved: Evidence) -> Finding:
    """A model's finding."""
    made = finding(at=span(2, 1, 4))
    return made.but(seen=replace(made.seen, source="model", anatomy=case, evidence=proved))


CASE = Anatomy(
    trigger="when asked twice",
    base_to_head="it was guarded",
    mechanism=(Step("first this", (0, 1)), Step("then that")),
    consequence=Consequence("it stops", FailureClass.CRASH),
    severity_reason="always",
    negative_evidence=(NegativeEvidence(query="guard(", scope="app.py", side=Side.HEAD, hits=0),),
    claims=(Claim(text="proved", verdict=ClaimVerdict.VERIFIED), Claim(text="unproved")),
    open_questions=(OpenQuestion(text="who calls it", decides=Decides.EXISTENCE, answer="nobody"),),
    suggestions=(Suggestion(text="guard it", verify="run the test"),),
)
ALL = [evidence(number, each) for number, each in enumerate(Verified, 1)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_case_reads_in_order(language: Language) -> None:
    """Trigger, base and head, mechanism, consequence, severity; then the rest; evidence is named by number."""
    seen: Observation = argued(CASE, *ALL).seen
    said = case_words(language)
    assert [row.label for row in argument(seen, language)] == [
        said.trigger,
        said.base_to_head,
        said.mechanism,
        said.consequence,
        said.severity.format(severity="P2"),
    ]
    assert [row.text for row in argument(seen, language)][2] == "1 first this [E1,E2] · 2 then that"
    assert [row.label for row in rest(seen, language)] == [said.evidence, said.claims, said.open, said.suggestion]
    assert [each.name for each in proofs(seen, language)] == ["E1", "E2", "E3", "E4"]
    assert [each.mark[0] for each in proofs(seen, language)] == ["✓", "✓", "✓", "✗"]


def test_a_claim_that_nobody_checked_is_not_shown() -> None:
    """It is the title in other words, and says nothing about itself."""
    texts = [row.text for row in rest(argued(CASE).seen, "en")]
    assert any(text.startswith("proved") for text in texts)
    assert not any("unproved" in text for text in texts)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_both_formats_show_all_of_it_once(language: Language) -> None:
    """Each text of the case, and the mark of each quote."""
    made = report(
        [argued(CASE, *ALL)], texts={"app.py": "import os\ndef load():\n    return cache\n"}, language=language
    )
    for text in (terminal.render(made, Look(width=200)), markdown.render(made, Look())):
        for words in (
            "when asked twice",
            "it was guarded",
            "first this",
            "it stops",
            "always",
            "who calls it",
            "guard it",
        ):
            assert text.count(words) == 1, words
        assert text.count("✗") == 1


def test_what_a_model_says_does_nothing() -> None:
    """No escape sequence, no markup, no mention, no line of its own."""
    case = Anatomy(
        trigger=HOSTILE,
        mechanism=(Step(HOSTILE),),
        consequence=Consequence(HOSTILE, FailureClass.CRASH),
        suggestions=(Suggestion(text=HOSTILE),),
    )
    made = report([argued(case, evidence(1, Verified.EXACT, HOSTILE))], texts={"app.py": "import os\nx = 1\n"})
    shown = terminal.render(made, Look(width=200))
    marked = markdown.render(made, Look())
    for text in (shown, marked):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\n# top" not in text
    outside = "".join(marked.split("`")[::2])
    assert "<b>" not in outside
    assert "@ada" not in outside
    assert "[l](http" not in outside


def test_much_evidence_is_counted_at_a_terminal() -> None:
    """Six lines are shown, the rest is a number; the report for a forge shows all."""
    many = [evidence(1, Verified.EXACT, f"quote {number}") for number in range(9)]
    made = report([argued(CASE, *many)], texts={"app.py": "import os\nx = 1\n"})
    shown = terminal.render(made, Look(width=100))
    assert "quote 5" in shown
    assert "quote 6" not in shown
    assert "3 more" in shown
    assert "quote 8" in markdown.render(made, Look())
