"""A report of a deep review made by hand, with every part that only such a review has.

Invariant: each of ``TEXTS`` is in it once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.anatomy import (
    Anatomy,
    Claim,
    ClaimVerdict,
    Consequence,
    FailureClass,
    Step,
    Suggestion,
    Votes,
)
from roundzero.core.change import Side
from roundzero.core.finding import Evidence, Grounds, State
from roundzero.core.item import Severity
from roundzero.core.model_part import (
    Clusters,
    Confirmations,
    FactChecks,
    Mismatch,
    ModelStats,
    Rechecks,
    Strength,
    ToolUse,
    VoiceStats,
)
from roundzero.core.report import RoundInfo
from roundzero.core.text import RelPath
from support.report import finding, report, span

if TYPE_CHECKING:
    from roundzero.core.finding import Finding
    from roundzero.core.item import Language
    from roundzero.core.report import Report

TEXT = "def take(shelf, count):\n    return [shelf.pop() for _ in range(count)]\n"
TEXTS = (
    "it empties the shelf", "a count too large", "nothing guards it", "articles are lost", "nothing brings them back",
    "callers never check", "nobody catches it", "draft 4 was of another mind", "guard it first",
    "a sum of what is for sale", "sales and stock", "a line on this file", "checks are gone though",
    "all is as safe as before", "it says what it takes", "the guard is there again", "if count > stock:",
)  # fmt: skip
"""What has to be read somewhere, and nowhere twice."""


def proof(line: int, quote: str) -> Evidence:
    """A quote."""
    return Evidence(path=RelPath("app.py"), side=Side.HEAD, line=line, quote=quote, role="", blob="1" * 40)


CASE = Anatomy(
    trigger="a count too large",
    mechanism=(Step("nothing guards it", (0,)),),
    consequence=Consequence("articles are lost", FailureClass.DATA_LOSS),
    severity_reason="nothing brings them back",
    claims=(
        Claim(
            text="Nothing guards it.",
            verdict=ClaimVerdict.VERIFIED,
            decisive=True,
            probe="grep -w guard: 0 hits",
            blobs=("1" * 40,),
        ),
        Claim(text="callers never check", verdict=ClaimVerdict.REFUTED, probe="read by the model: use.py:3"),
        Claim(text="nobody catches it", probe="nothing to look at"),
    ),
    votes=Votes(4, 5),
    suggestions=(Suggestion(text="guard it first"),),
    confirmed=True,
    contradictions=("draft 4 was of another mind",),
    reverses=("rz-00000000000a, fixed in round 1: count is checked twice", "praised in round 2: it asks first"),
)
TOOLS = ToolUse(
    calls=31,
    bytes=8100,
    unanswered=(("may be shown to nobody", 2), ("past a limit", 1)),
    cut=4,
    ended=(("16 calls", 1), ("a reply that was truncated", 2)),
)
MODEL = ModelStats(
    name="a-model",
    hunks=4,
    covered=4,
    outcomes=(("ok", 9), ("truncated", 1)),
    voices=(VoiceStats(1, 2, 2), VoiceStats(4, 2, 1)),
    clusters=Clusters(12, 7),
    confirmations=Confirmations(asked=3, held=1, fell=1),
    fact_checks=FactChecks(checked=7, hold=4, refuted=1, unverifiable=2, proposed=9, dropped=1),
    rechecks=Rechecks(fixed=2, open=1, failed=1, unanswered=1),
    tools=TOOLS,
)


def argued() -> Finding:
    """A finding that blocks, with everything that was found out about it."""
    made = finding(
        at=span(2, 5, 11), severity=Severity.P1, title="it empties the shelf", why="articles are lost", blocking=True
    )
    evidence = (proof(2, "return [shelf.pop() for _ in range(count)]"),)
    return made.but(seen=replace(made.seen, source="model", anatomy=CASE, evidence=evidence))


def deep_report(language: Language = "en") -> Report:
    """The whole of it."""
    fixed = finding(at=span(1, 1, 4), identity="rz-00000000000b", state=State.FIXED, title="was wrong", why="w")
    grounds = Grounds(path=RelPath("app.py"), line=1, quote="if count > stock:", commit="d" * 40)
    fixed = fixed.but(state_text="the guard is there again", grounds=grounds)
    made = report([argued(), fixed], texts={"app.py": TEXT}, language=language)
    return replace(
        made,
        verdict=replace(made.verdict, depth="deep"),
        round=RoundInfo(index=3, previous=2, delta_files=1, full_files=1),
        summary="a sum of what is for sale",
        themes=("sales and stock", "errors"),
        overview=tuple(replace(row, summary="a line on this file") for row in made.overview),
        mismatches=(
            Mismatch(
                said="all is as safe as before",
                text="checks are gone though",
                evidence=(proof(1, "def take(shelf, count):"),),
                commit="e" * 40,
            ),
        ),
        strengths=(Strength("it says what it takes", (proof(1, "def take(shelf, count):"),), 2),),
        stats=replace(made.stats, model=MODEL),
    )
