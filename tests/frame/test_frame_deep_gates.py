"""The measurement of a deep review's gates with scripted drafts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import deep_gates
from gate_counts import Tally
from roundzero.core.change import Source
from roundzero.core.text import RelPath
from scripted_drafts import Kind, Tag, stale_line, tags_in

if TYPE_CHECKING:
    from pathlib import Path

    from support.repo import Repo

BEFORE = """\
def take_from(shelf, wanted_count):
    if wanted_count > len(shelf):
        raise ValueError(wanted_count)
    return [shelf.pop() for _ in range(wanted_count)]
"""
AFTER = """\
def take_from(shelf, wanted_count):
    taken_now = [shelf.pop() for _ in range(wanted_count)]
    return taken_now


def give_back(shelf, given_things):
    for each_thing in given_things:
        shelf.append(each_thing)
    take_from(shelf, len(given_things))
"""
FINDINGS = [
    ("P1", "take_from() empties the shelf when the count is too large", 2),
    ("P1", "give_back() takes away again what it has put on the shelf", 9),
    ("P2", "a thing that is given twice is on the shelf twice", 8),
    ("P1", "nobody can call take_from() here", 9),
]


@pytest.fixture
def rounds(repo: Repo, tmp_path: Path) -> Path:
    """Four findings about a commit, and one about a commit that is not there."""
    base = repo.commit("first", {"shop.py": BEFORE, ".roundzero.toml": 'packs = ["general"]\n'})
    head = repo.commit("Take faster", {"shop.py": AFTER})
    findings = [
        {"severity": severity, "title": title, "path": "shop.py", "line": line} for severity, title, line in FINDINGS
    ]
    lost = {"commit": "0" * 12, "findings": findings}
    file = tmp_path / "rounds.json"
    document = {"about": f"{base[:12]} for {head[:12]}", "rounds": [{"commit": head[:12], "findings": findings}, lost]}
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def test_what_must_not_block_does_not_and_a_replay_prints_the_same(
    repo: Repo, rounds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every finding is drafted as each kind; stale and open drafts never block, wrong claims are refuted by a probe."""
    arguments = [str(rounds), "--repo", str(repo.root)]
    assert deep_gates.main([*arguments, "--record", str(tmp_path / "kept")]) == 0
    first = capsys.readouterr().out.splitlines()
    assert first[-1].startswith("blocked-on-stale 0 blocked-on-unverifiable 0 joined ")
    columns = [line.strip("| ").split(" | ") for line in first if line.startswith("| ")]
    ends = {row[0]: dict(zip(columns[7], row, strict=True)) for row in columns[8:]}
    assert list(ends) == ["true", "stale", "wrong", "open"]
    assert all(int(row["drafted"]) > 0 for row in ends.values())
    assert int(ends["true"]["blocking"]) > 0
    assert int(ends["wrong"]["refuted by a probe"]) > 0
    assert deep_gates.main([*arguments, "--replay", str(tmp_path / "kept")]) == 0
    assert capsys.readouterr().out.splitlines() == first


def test_drafts_are_known_by_their_open_questions() -> None:
    """A tag is read back; what else is asked is none."""
    tag = Tag(Kind.STALE, 12, 3)
    assert tags_in([tag.text, "is this reached?"]) == [tag]


@pytest.mark.parametrize(("kinds", "blocked"), [({Kind.STALE}, 1), ({Kind.STALE, Kind.TRUE}, 0), ({Kind.OPEN}, 0)])
def test_what_blocks_on_stale_drafts_alone_is_counted(kinds: set[Kind], blocked: int) -> None:
    """A finding that a true draft raised as well blocks by right."""
    tags = [Tag(kind, 0, voice) for voice, kind in enumerate(sorted(kinds, key=str), 1)]
    finding = {
        "source": "model", "severity": "P1", "state": "open", "blocking": True, "confirmed": None,
        "severity_reason": None, "not_blocking_because": None,
        "claims": [{"decisive": True, "verdict": "verified", "probe": "read by the model: shop.py:2"}],
        "open_questions": [{"text": tag.text} for tag in tags],
    }  # fmt: skip
    clusters = {"drafted": len(tags), "distinct": 1}
    stats = {"drafts": {"gates": {"admitted": len(tags)}, "capped": 0}, "clusters": clusters}
    tally = Tally()
    tally.count({"findings": [finding], "stats": stats}, tags, 1)
    assert tally.blocked(Kind.STALE) == blocked
    assert (tally.joined, tally.wrong, tally.missed) == (len(tags) - 1, 0, 0)


def test_a_line_that_was_laid_out_anew_is_not_stale() -> None:
    """Only what is nowhere in the head is, whatever line breaks and parentheses it has got."""
    head = Source(RelPath("a.py"), "is_there = (\n    os.path.exists(name)\n    and name\n)\n", blob="")
    older = "is_there = os.path.exists(name) and name\nis_gone = not is_there\n"
    assert stale_line(head, 1, [older]) == (2, "is_gone = not is_there")
    assert stale_line(head, 1, [older.split("\n", maxsplit=1)[0]]) is None
