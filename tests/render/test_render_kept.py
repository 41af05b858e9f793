"""A report that is kept and read again."""

from __future__ import annotations

import json
import zlib
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
    Votes,
)
from roundzero.core.change import FileChange, Side, Skip, SkipKind, Source, Status
from roundzero.core.finding import Anchor, Edit, Evidence, FindingId, Fix, Grounds, Origin, State, Verified
from roundzero.core.item import ItemId, Severity
from roundzero.core.linemap import Hunk
from roundzero.core.model_part import ModelStats, Strength
from roundzero.core.report import ChecklistLine, FileSummary, ItemStatus, Report, RoundInfo
from roundzero.core.text import Position, RelPath, Span
from roundzero.render import json as json_format
from roundzero.render import markdown, sarif
from roundzero.render.kept import pack, unpack
from roundzero.render.look import Look
from support.report import finding, fix, report, span

if TYPE_CHECKING:
    from collections.abc import Callable

ODD = RelPath("caf\udce9 #1.py")
FORMATS = (json_format.render, markdown.render, sarif.render)
MODEL = ModelStats(
    name="m",
    hunks=3,
    covered=2,
    gaps=("2 of 3 hunks were looked at by the model: 1 offline",),
    outcomes=(("offline", 1), ("ok", 2)),
    gates=(("admitted", 1),),
    capped=1,
    requests=2,
    cached=1,
    sent=10,
    received=5,
    cost=0.5,
)
TEXT = 'import os\r\ndef load(path, cache={}):\r\n    """é"""\r\n    return cache\r\n\r\nlast = "no newline"'


def again(made: Report) -> Report:
    """The report as it comes back."""
    return unpack(pack(made, scope="worktree", base=None, untracked=True)).report


def rich() -> Report:
    """A report in which everything is there."""
    proof = Evidence(
        path=ODD, side=Side.BASE, line=2, quote="old = 1", role="use", blob="1" * 40, verified=Verified.WHITESPACE
    )
    two = Fix(
        "Both",
        False,
        (Edit(ODD, Span(Position(2, 22), Position(2, 24)), "{}", "None"), Edit(ODD, span(4, 12, 17), "cache", "x")),
    )
    findings = [
        finding(ODD, span(2, 16, 24), identity="rz-1", fixes=(two,), severity=Severity.P0, blocking=True),
        finding(ODD, span(6, 1, 5), identity="rz-2", fixes=(fix(ODD, span(6, 1, 5), "last", "end"),)),
        finding("far.py", span(3, 1, 4), identity="rz-3").but(in_diff=False, anchor=Anchor(ODD, 2)),
        finding("old.py", span(2, 1, 4), identity="rz-4", side="base", origin=Origin.PRE_EXISTING),
        finding(None, identity="rz-5", state=State.DISMISSED, state_text="known").but(
            state_by="ann", grounds=Grounds(at="2026-01-01", expires="2027-01-01"), regressions=2
        ),
        finding(ODD, identity="rz-6", state=State.FIXED, state_text="gone").but(
            first_seen=1, last_seen=2, family=FindingId("rz-6"), grounds=Grounds(path=ODD, line=3, commit="c" * 40)
        ),
    ]
    case = Anatomy(
        trigger="t",
        mechanism=(Step("one", (0,)),),
        consequence=Consequence("it stops", FailureClass.CRASH),
        negative_evidence=(NegativeEvidence(query="q", scope="s", side=Side.BASE, hits=0),),
        claims=(Claim(text="c", verdict=ClaimVerdict.VERIFIED, decisive=True),),
        open_questions=(OpenQuestion(text="why", decides=Decides.SEVERITY),),
        votes=Votes(3, 5),
        suggestions=(Suggestion(text="do", kind="test"),),
    )
    seen = replace(findings[0].seen, evidence=(proof,), symbol="load", unused=True, anatomy=case)
    findings[0] = findings[0].but(seen=seen)
    files = (
        FileChange(
            path=ODD,
            status=Status.RENAMED,
            base=Source(RelPath("old.py"), "x = 1\nold = 1\n", "2" * 40),
            head=Source(ODD, TEXT, "3" * 40),
            hunks=(Hunk(0, 0, 1, 6),),
        ),
    )
    made = report(findings, texts={"other.py": "x = 1\n"}, doubts=("stale",), notices=("note",), language="zh")
    skip = Skip(path=RelPath("a.png"), kind=SkipKind.BY_RULE, reason="binary", status=Status.ADDED)
    row = FileSummary(path=ODD, old_path=RelPath("old.py"), status=Status.RENAMED, added=6, deleted=2, summary="s")
    line = ChecklistLine(
        pack="python",
        item=ItemId("python/x"),
        title="t",
        status=ItemStatus.FAIL,
        findings=(FindingId("rz-1"),),
        why="w",
    )
    return replace(
        made,
        change=replace(made.change, files=files + made.change.files, skipped=(skip,)),
        coverage=replace(made.coverage, skipped=(skip,)),
        overview=(row, *made.overview),
        checklists=(line, *made.checklists),
        strengths=(Strength("good", (proof,)),),
        round=RoundInfo(index=2, previous=1, delta_files=1, full_files=2),
        summary="in short",
        settings_changed=(".roundzero.toml",),
        gravest=Severity.P0,
        stats=replace(made.stats, model=MODEL),
        outside=(Source(RelPath("far.py"), "\n\nuse(load)\n", "4" * 40),),
    )


@pytest.mark.parametrize("render", FORMATS)
def test_what_comes_back_renders_the_same(render: Callable[[Report, Look], str]) -> None:
    """Every format shows the same of it, and of what came back twice."""
    made = rich()
    said = render(made, Look())
    assert render(again(made), Look()) == said
    assert render(again(again(made)), Look()) == said


def test_what_comes_back_is_the_same_value() -> None:
    """Findings too, with all that no format shows yet; but for what secrets could hide in."""
    made = rich()
    assert again(made).stats == made.stats
    for before, after in zip(made.findings, again(made).findings, strict=True):
        assert after == before.but(seen=replace(before.seen, anchor_text=""))


def test_what_was_asked_for_comes_back() -> None:
    """Scope, base and untracked files."""
    kept = unpack(pack(report(), scope="committed", base="origin/\udce9", untracked=False))
    assert (kept.scope, kept.base, kept.untracked) == ("committed", "origin/\udce9", False)


def test_only_lines_that_are_shown_are_kept() -> None:
    """The rest of the reviewed texts stays where it is."""
    texts = {"app.py": "".join(f"secretless_{number} = {number}\n" for number in range(1, 90))}
    made = report([finding(at=span(40, 1, 4), fixes=(fix("app.py", span(42, 1, 4), "sec", "x"),))], texts=texts)
    plain = zlib.decompress(pack(made, scope="worktree", base=None, untracked=True)).decode()
    assert [number for number in range(1, 90) if f"secretless_{number} " in plain] == [40, 42]


def test_no_secret_is_kept() -> None:
    """Not in titles, quotes, fixes, lines, ignores, notices, nor in a text that several places repeat."""
    key = "AKIAIOSFODNN7QWERTYU"
    word = "x9Kq2LmZ7vRt4WpYb8Nc"
    text = f'key = "{key}"\npassword = "{word}"\n'
    at = span(1, 1, 4)
    proof = Evidence(path=RelPath("app.py"), side=Side.HEAD, line=1, quote=text, role="use", blob="1" * 40)
    bad = finding(at=at, title=f"see {key}", why=word, state_text=key, fixes=(fix("app.py", at, key, ""),))
    case = Anatomy(trigger=key, mechanism=(Step(f"first {key}", (0,)),), claims=(Claim(text=f"it is {word}"),))
    bad = bad.but(seen=replace(bad.seen, evidence=(proof,), anchor_text=text, anatomy=case))
    made = replace(
        report([bad], texts={"app.py": text}, notices=(key,), doubts=(key,)), settings_changed=(key,), summary=word
    )
    plain = zlib.decompress(pack(made, scope="worktree", base=None, untracked=True)).decode()
    assert key not in plain
    assert word not in plain


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nothing",
        zlib.compress(b"{"),
        zlib.compress(b"[]"),
        zlib.compress(b"{}"),
        zlib.compress(json.dumps({"report": 1, "files": [], "outside": [], "scope": "x"}).encode()),
        zlib.compress(b"[" * 100_000),
    ],
)
def test_what_is_no_report_is_refused(data: bytes) -> None:
    """Garbage, and what another version may have kept, is a ValueError and nothing else."""
    with pytest.raises(ValueError, match=r".+"):
        unpack(data)


def test_a_field_that_is_not_known_is_refused_and_one_that_is_missing_has_its_default() -> None:
    """So a newer report is not shown as if it were whole, and an older one is."""
    plain = json.loads(zlib.decompress(pack(report([finding()]), scope="worktree", base=None, untracked=True)))
    del plain[0]["stats"]
    assert unpack(zlib.compress(json.dumps(plain).encode())).report.stats.seconds == ()
    plain[0]["findings"][0]["mood"] = "good"
    with pytest.raises(ValueError, match="mood"):
        unpack(zlib.compress(json.dumps(plain).encode()))
