"""A model's finding as hover, diagnostic and comment."""

from __future__ import annotations

import pytest
from lsprotocol import types

from roundzero.core.anatomy import (
    Anatomy,
    Consequence,
    Decides,
    FailureClass,
    OpenQuestion,
    Step,
    Suggestion,
    Votes,
)
from roundzero.core.change import Side
from roundzero.core.finding import Edit, Evidence, Finding, FindingId, Fix, Observation, Origin, State, Verified
from roundzero.core.item import ItemId, Language, Severity
from roundzero.core.text import Position, RelPath, Span
from roundzero.lsp.client import Client
from roundzero.lsp.diagnostics import Shown, diagnostic
from roundzero.lsp.hover_text import MOST_PROOFS, comment_text, hover_text
from roundzero.lsp.model_actions import ASK_ANSWER, about

SPAN = Span(Position(3, 1), Position(3, 9))
CASE = Anatomy(
    trigger="a *rare* flag",
    base_to_head="the guard [was](http://x) removed",
    mechanism=(Step("it is called", (0,)), Step("nothing stops it", (1, 2))),
    consequence=Consequence("the process ends", FailureClass.CRASH),
    severity_reason="only with the flag",
    open_questions=(OpenQuestion(text="is the flag ever set?", decides=Decides.EXISTENCE),),
    votes=Votes(1, 1),
    suggestions=(Suggestion(text="put the guard back", verify="run it"),),
)


def line(number: int, verified: Verified = Verified.EXACT, side: Side = Side.HEAD) -> Evidence:
    """A quoted line."""
    return Evidence(
        path=RelPath("b.py"), side=side, line=number, quote=f"call({number})", role="", blob="", verified=verified
    )


def finding(*evidence: Evidence, state: State = State.OPEN, case: Anatomy = CASE) -> Finding:
    """A model's finding."""
    seen = Observation(
        item=ItemId("general/other-defect"), producer="a-model", producer_version="1", source="model",
        severity=Severity.P2, title="it ends <b>badly</b>", why="the process ends", path=RelPath("a.py"),
        side=Side.HEAD, span=SPAN, symbol=None, anchor_text="", evidence=evidence, anatomy=case,
        fixes=(Fix("x", safe=False, edits=(Edit(RelPath("a.py"), SPAN, "bad()", "good()"),)),),
    )  # fmt: skip
    return Finding(
        id=FindingId("rz-1"), group="g", seen=seen, origin=Origin.INTRODUCED, in_diff=True, anchor=None, state=state,
        first_seen=2,
    )  # fmt: skip


PROOF = (line(1), line(2, Verified.MOVED), line(3, Verified.WHITESPACE, Side.BASE), line(4, Verified.MISSING))


def test_a_hover_is_read_from_what_to_what_now() -> None:
    """In order, each text once, evidence numbered as the steps name it and marked as it was verified."""
    text = hover_text(finding(*PROOF), "en", markdown=True)
    order = [
        "**P2** · it ends \\<b\\>badly\\</b\\>", "Seen since round 2", "**trigger**: a \\*rare\\* flag",
        "**base → head**",
        "1. it is called (E1)", "2. nothing stops it (E2 E3)", "**consequence**: the process ends (crash)",
        "**why P2**: only with the flag", "- E1 `call(1)` b.py:1 ✓\n", "- E2 `call(2)` b.py:2 ✓ moved",
        "- E3 `call(3)` b.py:3 (base) ✓ but for white space", "- E4 `call(4)` b.py:4 ✗ not in the text",
        "**open**: is the flag ever set? (decides existence)", "**suggestion**: put the guard back (run it)",
        "```diff\n- bad()\n+ good()\n```", "in 1 of 1 drafts · said by `a-model`", "`rz-1`",
    ]  # fmt: skip
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert text.count("the process ends") == 1
    assert "](http://x)" not in text
    assert len(text.split("\n")) <= 40


def test_a_hover_speaks_the_readers_language() -> None:
    """Labels, marks, classes and states."""
    text = hover_text(finding(*PROOF, state=State.STALE), "zh", markdown=False)
    for word in (
        "触发条件",
        "机制",
        "后果",
        "崩溃",
        "证据",
        "✓ 已移动",
        "✗ 文本中没有",
        "未决",
        "建议",
        "已过时",
        "提出者",
    ):
        assert word in text


def test_a_hover_stays_short_and_explain_does_not() -> None:
    """A float is small; what it leaves out is counted."""
    many = finding(*(line(number) for number in range(1, 12)))
    brief, whole = (hover_text(many, "en", markdown=True, whole=whole) for whole in (False, True))
    assert brief.count("- E") == MOST_PROOFS
    assert f"and {11 - MOST_PROOFS} more" in brief
    assert whole.count("- E") == 11


@pytest.mark.parametrize(
    ("state", "language", "mark"),
    [
        (State.STALE, "en", "(stale) "),
        (State.UNCONFIRMED, "en", "(unconfirmed) "),
        (State.STALE, "zh", "(已过时) "),
        (State.OPEN, "en", ""),
    ],
)
def test_what_does_not_stand_any_more_is_a_hint(state: State, language: Language, mark: str) -> None:
    """And says so before anything else."""
    nowhere = types.Range(start=types.Position(0, 0), end=types.Position(0, 0))
    shown = Shown(finding(*PROOF, state=state), nowhere)
    made = diagnostic(shown, Client(), {"P2": "warning"}, lambda _: None, language)
    assert made.message.startswith(f"{mark}it ends")
    assert made.severity is (types.DiagnosticSeverity.Hint if mark else types.DiagnosticSeverity.Warning)


def test_a_comment_says_each_text_once_and_no_secret() -> None:
    """Others will read it."""
    text = comment_text(finding(line(1)), "en")
    assert text.count("the process ends") == 1
    assert "- E1 `call(1)`" in text


def test_a_question_is_answered_by_a_command_any_editor_can_run() -> None:
    """Yes or no; an editor that can ask for words is told to, and what was answered is not asked again."""
    titles = [each.title for each in about(finding(line(1)), "en", ())]
    assert titles[-2:] == ["“is the flag ever set?” Yes", "“is the flag ever set?” No"]
    (asked,) = [each.command for each in about(finding(line(1)), "zh", {ASK_ANSWER})][-1:]
    assert asked is not None
    assert (asked.command, asked.title) == (ASK_ANSWER, "回答：is the flag ever set?")
    known = OpenQuestion(text="is the flag ever set?", decides=Decides.EXISTENCE, answer="yes")
    told = finding(line(1), case=Anatomy(open_questions=(known,)))
    assert len(list(about(told, "en", ()))) == 3
