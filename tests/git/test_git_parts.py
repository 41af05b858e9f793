"""The pure parts: hunks that fit or are refused, sections matched to paths, renames paired."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.change import Status
from roundzero.core.linemap import Hunk
from roundzero.core.text import RelPath
from roundzero.git.blobs import Blob
from roundzero.git.build import Candidate, build
from roundzero.git.diff import parse
from roundzero.git.hunks import parse_hunks, settle, split_lines
from roundzero.git.renames import MOST, pair

ZEROS = b"0" * 40
ONES = b"1" * 40


def _raw(letter: bytes, *paths: bytes) -> bytes:
    return b":100644 100644 " + ONES + b" " + ZEROS + b" " + letter + b"\0" + b"\0".join(paths) + b"\0"


def test_sections_belong_to_paths_by_their_whole_header() -> None:
    """A path that looks like two, quoted paths and a content line that looks like a header are told apart."""
    output = (
        _raw(b"M", b"x b/y")
        + _raw(b"R090", b"old", b'new"name')
        + _raw(b"M", b"mode")
        + b"\0"
        + b"diff --git a/x b/y b/x b/y\nindex 1..2\n--- a/x b/y\n+++ b/x b/y\n@@ -1 +1 @@\n"
        + b"-diff --git a/mode b/mode\n+z\n"
        + b'diff --git a/old "b/new\\"name"\n--- a/old\n+++ "b/new\\"name"\n@@ -2,0 +3 @@\n+z\n'
        + b"diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n"
    )
    listing = parse(output)
    assert [(entry.path, entry.old_path, entry.letter) for entry in listing.entries] == [
        ("x b/y", "x b/y", "M"),
        ('new"name', "old", "R"),
        ("mode", "mode", "M"),
    ]
    hunks = {path: parse_hunks(body) for path, body in listing.bodies.items()}
    assert hunks == {"x b/y": [Hunk(1, 1, 1, 1)], 'new"name': [Hunk(2, 0, 3, 1)]}


@pytest.mark.parametrize("body", [b"@@ -1 +1 @@\n", b"@@ -1,2 +1 @@\n-a\n+b\n", b"@@ -x +1 @@\n"])
def test_an_unreadable_section_costs_itself(body: bytes) -> None:
    """A section that is cut off or no diff gives no hunks instead of wrong ones or an exception."""
    assert parse_hunks(body) in (None, [])


LINES = st.lists(st.sampled_from("abc"), max_size=8)
HUNKS = st.lists(st.builds(Hunk, *[st.integers(0, 9)] * 4), max_size=3)


@given(LINES, LINES, HUNKS)
def test_hunks_that_do_not_fit_are_refused(base: list[str], head: list[str], hunks: list[Hunk]) -> None:
    """Whatever hunks come in, those that come out turn one text into the other."""
    settled = settle(hunks, base, head)
    if settled is None:
        return
    built: list[str] = []
    at = 0
    for hunk in settled:
        built += base[at : hunk.base_gap] + [head[line - 1] for line in hunk.head_lines]
        at = hunk.base_gap + hunk.base_count
    assert built + base[at:] == head


def test_a_file_that_changed_after_git_looked_is_compared_again() -> None:
    """Hunks of another moment than the bytes are not believed."""
    candidate = Candidate(
        path=RelPath("a.py"),
        base_path=RelPath("a.py"),
        status=Status.MODIFIED,
        base_mode="100644",
        base_id="1" * 40,
        base=Blob("1" * 40, "blob", 4, b"1\n2\n"),
        head_mode="100644",
        head_id="2" * 40,
        head=b"1\n2\n3\n4\n",
        head_size=8,
        body=b"@@ -2,0 +3 @@\n+3\n",
    )
    outcome = build(candidate, max_bytes=100)
    assert outcome.compare
    assert outcome.file is not None
    assert outcome.file.hunks == ()


def test_lines_are_split_at_line_feeds_only() -> None:
    """A carriage return before the feed belongs to the terminator; nothing else ends a line."""
    assert split_lines("a\r\nb\rc\x0c\x85\u2028d\n\ne") == ["a", "b\rc\x0c\x85\u2028d", "", "e"]
    assert split_lines("") == []
    assert split_lines("\n") == [""]


def _paths(files: dict[str, bytes]) -> dict[RelPath, bytes]:
    return {RelPath(path): data for path, data in files.items()}


def test_renames_are_paired_surest_first_and_once() -> None:
    """Identical files first, equal names before others, then the most similar; unlike and empty files never."""
    text = b"".join(b"line %d\n" % number for number in range(20))
    deleted = _paths({"a/x.py": text, "b/y.py": text, "c.py": b"c\n" * 9, "empty.py": b""})
    added = _paths(
        {"n/y.py": text, "n/x.py": text.replace(b"line 3\n", b"edited\n"), "d.py": b"unlike\n" * 9, "void.py": b""}
    )
    assert pair(deleted, added) == {"n/y.py": "b/y.py", "n/x.py": "a/x.py"}


def test_very_many_files_are_paired_only_if_identical() -> None:
    """Beyond the limit similarity is not tried, as comparing all with all is quadratic."""
    deleted = _paths({f"old{number}.py": b"%d\n" % number * 9 for number in range(MOST + 1)})
    similar = _paths({f"new{number}.py": b"%d\n" % number * 8 for number in range(MOST + 1)})
    assert pair(deleted, similar) == {}
    assert pair(deleted, {RelPath("same.py"): b"7\n" * 9}) == {"same.py": "old7.py"}
