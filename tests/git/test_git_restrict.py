"""``--diff``: only the lines that a given diff adds, and only if it leads to the text that is reviewed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roundzero.core.text import RelPath
from roundzero.errors import UserError
from support.gitwork import hunks_of, skips_of, with_git

if TYPE_CHECKING:
    from roundzero.core.change import Change
    from roundzero.git.repository import Git
    from support.repo import Repo

TEXT = "".join(f"line {number}\n" for number in range(1, 31))


def _restricted(repo: Repo, diff: str | bytes, *, overlays: dict[str, str] | None = None) -> Change:
    async def ask(git: Git) -> Change:
        base = await git.choose_base(explicit="main", environ={})
        texts = {RelPath(path): text for path, text in (overlays or {}).items()}
        change = await git.collect(base, overlays=texts)
        return await git.restrict(change, diff if isinstance(diff, bytes) else diff.encode("utf-8", "surrogateescape"))

    return with_git(repo.root, ask)


@pytest.fixture
def edited(repo: Repo) -> Repo:
    """A branch with a committed and an uncommitted edit."""
    repo.commit("before", {"a.py": TEXT, "odd b/näme \t.py": TEXT, "gone.py": "x\n", "same.py": "1\n"})
    repo.branch("feature")
    repo.commit("mine", {"a.py": TEXT.replace("line 2\n", "committed\n")})
    repo.write("a.py", repo.read("a.py").replace("line 9\n", "uncommitted\nmore\n"))
    repo.write("odd b/näme \t.py", TEXT.replace("line 30\n", "line 30"))
    repo.write("odd b/näme \t.py", TEXT.replace("line 4\n", ""))
    repo.write("new.py", "1\n2\n")
    repo.remove("gone.py")
    return repo


@pytest.mark.parametrize(
    "options",
    [(), ("-U0",), ("-U10",), ("--no-prefix",), ("--src-prefix=i/", "--dst-prefix=w/"), ("--patch-with-stat",)],
)
def test_only_the_diffs_own_lines_are_left(edited: Repo, options: tuple[str, ...]) -> None:
    """A diff of any make and context restricts the change to its own lines; the rest of the branch counts as old."""
    change = _restricted(edited, edited.git("diff", *options, "HEAD"))
    assert [file.path for file in change.files] == ["a.py", "gone.py", "odd b/näme \t.py"]
    assert hunks_of(change, "a.py") == [(9, 1, 9, 2)]
    assert hunks_of(change, "odd b/näme \t.py") == [(4, 1, 3, 0)]
    assert skips_of(change) == {"gone.py": ("by-rule", "deleted")}
    file = change.file(RelPath("a.py"))
    assert file is not None
    assert file.base is not None
    assert "committed\n" in file.base.text
    assert file.base.blob == edited.git("rev-parse", "HEAD:a.py")


def test_a_diff_against_the_base_gives_the_whole_change(edited: Repo) -> None:
    """The merge base's own diff restricts to everything it adds, with the real base texts."""
    edited.stage()
    change = _restricted(edited, edited.git("diff", "main"))
    assert hunks_of(change, "a.py") == [(2, 1, 2, 1), (9, 1, 9, 2)]
    file = change.file(RelPath("a.py"))
    assert file is not None
    assert file.base is not None
    assert file.base.blob == edited.git("rev-parse", "main:a.py")
    assert hunks_of(change, "new.py") == [(0, 0, 1, 2)]


def test_a_plain_unified_diff_serves_too(edited: Repo) -> None:
    """Time stamps, no prefix and CRLF line ends of the diff itself are understood."""
    diff = "--- new.py\t2024-01-01 00:00:00\n+++ new.py\t2024-01-02 00:00:00\n@@ -1 +1,2 @@\n 1\n+2\n"
    for text in (diff, diff.replace("\n", "\r\n")):
        assert hunks_of(_restricted(edited, text), "new.py") == [(1, 0, 2, 1)]


def test_lines_that_look_like_headers_are_content(repo: Repo) -> None:
    """A removed line ``-- x`` and an added line ``++ x`` are not file headers."""
    repo.commit("before", {"a.sql": "-- x\nend\n"})
    repo.branch("feature")
    repo.write("a.sql", "++ x\nend\n")
    assert hunks_of(_restricted(repo, repo.git("diff", "HEAD")), "a.sql") == [(1, 1, 1, 1)]


def test_the_diff_has_to_lead_to_the_reviewed_text(edited: Repo) -> None:
    """A diff that does not reverse-apply is refused naming the file and line; an unsaved text is what counts."""
    diff = edited.git("diff", "HEAD", "--", "a.py")
    edited.write("a.py", edited.read("a.py").replace("uncommitted\n", "moved on\n"))
    with pytest.raises(UserError, match=r"a\.py: the diff does not fit at line 6"):
        _restricted(edited, diff)
    restored = edited.read("a.py").replace("moved on\n", "uncommitted\n")
    assert hunks_of(_restricted(edited, diff, overlays={"a.py": restored}), "a.py") == [(9, 1, 9, 2)]


@pytest.mark.parametrize(
    ("diff", "message"),
    [
        ("--- a/no.py\n+++ b/no.py\n@@ -1 +1 @@\n-1\n+2\n", "no.py: the diff changes it, but it is not there"),
        ("--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n", "a.py: the diff deletes it, but it is still there"),
        ("--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n line 1\n", "a.py: the diff is cut off"),
        ("@@@ -1,1 -1,1 +1,1 @@@\n", "combined"),
        ("hello\n", "names no file"),
        ("see diff --git a/a.py b/a.py\n", "names no file"),
        ("--- a/a.py\n+++ b/a.py\n", "a.py: the diff is cut off before what it changes"),
        ("--- a/a.py\n+++ b/a.py\n@@ -1 +99999,0 @@\n-x\n", "a.py: the diff does not fit at line 99999"),
        (
            "--- a/a.py\n+++ b/a.py\n@@ -1 +12345678901 @@\n-x\n+y\n",
            "a.py: the diff has no readable hunk at its line 3",
        ),
        ("--- a/../x\n+++ b/../../etc/passwd\n@@ -0,0 +1 @@\n+x\n", "etc/passwd: the diff changes it"),
    ],
)
def test_a_diff_that_cannot_be_used_is_refused_with_its_reason(edited: Repo, diff: str, message: str) -> None:
    """Whatever is wrong with a diff is said, with the file's name."""
    with pytest.raises(UserError, match=message):
        _restricted(edited, diff)


def test_a_diff_in_colours_is_read(edited: Repo) -> None:
    """What a person's settings make git show on a terminal says the same."""
    plain, coloured = (edited.git("diff", f"--color={when}") for when in ("never", "always"))
    assert "\x1b[" in coloured
    seen = [[(file.path, file.hunks) for file in _restricted(edited, diff).files] for diff in (plain, coloured)]
    assert seen[0]
    assert seen[0] == seen[1]


def test_an_empty_diff_leaves_nothing(edited: Repo) -> None:
    """No diff, no lines."""
    change = _restricted(edited, "")
    assert (change.files, change.skipped) == ((), ())


def test_a_file_outside_the_branchs_change_is_taken_from_the_diff(edited: Repo) -> None:
    """A diff may add lines that are at the merge base as well: they are what was asked about."""
    change = _restricted(edited, "--- a/same.py\n+++ b/same.py\n@@ -0,0 +1 @@\n+1\n")
    assert hunks_of(change, "same.py") == [(0, 0, 1, 1)]
