"""What is in a change, with which hunks, and what is skipped for which reason: one test per kind of input."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from roundzero.core.change import FileChange, Side, Status, blob_id
from roundzero.core.text import RelPath
from roundzero.errors import UserError
from roundzero.git.repository import CollectRules, Git, Scope
from support.gitwork import change_of, hunks_of, skips_of, with_git
from support.repo import Repo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.core.change import Change

NOBODY = 65534
"""The user id without rights on every system."""

NUMBERS = "".join(f"line {number}\n" for number in range(1, 21))


def _changed(repo: Repo, before: dict[str, str | bytes], after: dict[str, str | bytes]) -> Change:
    """The change of the work tree from one state to another."""
    repo.commit("before", {"README": "x\n", **before})
    repo.branch("feature")
    for path, content in after.items():
        repo.write(path, content)
    return change_of(repo.root)


def _file(change: Change, path: str) -> FileChange:
    file = change.file(RelPath(path))
    assert file is not None, change
    return file


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param("a\nb\nc\n", "a\nB\nc\n", [(2, 1, 2, 1)], id="one line, one-line hunk header"),
        pytest.param("a\n", "b\n", [(1, 1, 1, 1)], id="the only line"),
        pytest.param("a\nb\n", "new\na\nb\n", [(0, 0, 1, 1)], id="insertion at the top"),
        pytest.param("a\nb\nc\n", "a\nc\n", [(2, 1, 1, 0)], id="deletion only"),
        pytest.param("a\nb\n", "b\n", [(1, 1, 0, 0)], id="deletion at the top"),
        pytest.param("a\nb\n", "", [(1, 2, 0, 0)], id="emptied"),
        pytest.param("", "a\nb\n", [(0, 0, 1, 2)], id="filled"),
        pytest.param("a\nb", "a\nb\nc", [(2, 0, 3, 1)], id="no final newline on both sides"),
        pytest.param("a\nb", "a\nb\nc\n", [(2, 0, 3, 1)], id="final newline added with a line"),
        pytest.param("a\nb\nc\n", "A\nb\nc", [(1, 1, 1, 1)], id="final newline removed with an edit elsewhere"),
        pytest.param("a\r\nb\r\n", "a\nB\n", [(2, 1, 2, 1)], id="CRLF turned LF with an edit"),
        pytest.param("a\nb\n", "a\r\nB\r\n", [(2, 1, 2, 1)], id="LF turned CRLF with an edit"),
        pytest.param("a\r\nb\r\n", "a\r\nB\r\n", [(2, 1, 2, 1)], id="CRLF kept"),
        pytest.param("a\rb\n", "a\rB\n", [(1, 1, 1, 1)], id="lone carriage return"),
        pytest.param("a\x0cb\nc\n", "a\x0cb\nC\n", [(2, 1, 2, 1)], id="form feed"),
        pytest.param("a\u0085b\nc\n", "a\u0085b\nC\n", [(2, 1, 2, 1)], id="NEL"),
        pytest.param("a\u2028b\u2029\nc\n", "a\u2028b\u2029\nC\n", [(2, 1, 2, 1)], id="U+2028 and U+2029"),
        pytest.param("\x1c\x1d\n\x0b\n", "\x1c\x1d\n\x0b!\n", [(2, 1, 2, 1)], id="separators and vertical tab"),
        pytest.param("a\nb\n", "a\nBinary files a/x and b/x differ\n", [(2, 1, 2, 1)], id="text about binary files"),
        pytest.param("a\n-- x\nb\n", "a\n++ x\nb\n", [(2, 1, 2, 1)], id="lines that look like file headers"),
        pytest.param(
            "a\nb\n", "a\n@@ -1 +1 @@\ndiff --git a/x b/x\n--- a/x\n+++ b/x\nb\n", [(1, 0, 2, 4)], id="a diff in a file"
        ),
        pytest.param("\ufeffa\nb\n", "\ufeffa\nB\n", [(2, 1, 2, 1)], id="byte-order mark kept"),
        pytest.param("\ufeffa\nb\n", "a\nB\n", [(2, 1, 2, 1)], id="byte-order mark removed"),
        pytest.param(
            "a\n", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", [(0, 0, 1, 1), (1, 0, 3, 3)], id="markers"
        ),
        pytest.param("a\n\n\nb\n", "a\n\n\n\nb\n", [(3, 0, 4, 1)], id="blank line among blank lines"),
    ],
)
def test_hunks_are_those_of_the_lines_that_changed(
    repo: Repo, before: str, after: str, expected: list[tuple[int, int, int, int]]
) -> None:
    """A line is changed when its text is, by git's line rule; terminators never count."""
    change = _changed(repo, {"f.txt": before}, {"f.txt": after})
    assert hunks_of(change, "f.txt") == expected
    file = _file(change, "f.txt")
    assert file.head is not None
    assert file.base is not None
    assert file.head.text == after.removeprefix("\ufeff")
    assert file.head.bom == after.startswith("\ufeff")
    assert file.head.blob == repo.git("hash-object", "--no-filters", "f.txt")
    assert file.base.text == before.removeprefix("\ufeff")
    assert file.base.blob == repo.git("rev-parse", "main:f.txt")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("a\r\nb\r\n", "a\nb\n", id="CRLF turned LF"),
        pytest.param("a\nb\n", "a\r\nb\r\n", id="LF turned CRLF"),
        pytest.param("a\nb", "a\nb\n", id="final newline added"),
        pytest.param("a\nb\n", "a\nb", id="final newline removed"),
        pytest.param("\ufeffa\n", "a\n", id="only the byte-order mark removed"),
    ],
)
def test_a_file_without_a_changed_line_is_left_out(repo: Repo, before: str, after: str) -> None:
    """A file whose lines are the same is no part of the change, neither reviewed nor skipped."""
    change = _changed(repo, {"f.txt": before}, {"f.txt": after})
    assert (change.files, change.skipped) == ((), ())


@pytest.mark.parametrize(
    "path",
    [
        "with space.py", "a b/y.py", "x b/y.py", 'quo"te.py', "tab\there.py", "new\nline.py", "back\\slash.py",
        "ünï/cödé.py", "日本.py", "#hash.py", "per%cent.py", "[brackets].py", "*star?.py", ":(top)magic.py", "-dash.py",
        "--output=x.py", "bell\x07\x7f.py", "../a.py".replace("..", "dots.."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tracked", [True, False])
def test_odd_paths_are_found_whole(repo: Repo, path: str, tracked: bool) -> None:
    """Any path git can hold comes out unchanged, tracked or not, and its texts can be read."""
    change = _changed(repo, {path: "a\nb\n"} if tracked else {}, {path: "a\nB\n"})
    assert [file.path for file in change.files] == [path]
    assert hunks_of(change, path) == ([(2, 1, 2, 1)] if tracked else [(0, 0, 1, 2)])

    async def look(git: Git) -> None:
        assert await _text(git, path, Side.HEAD, change) == "a\nB\n"
        at_base = await git.text_at(repo.head("main"), RelPath(path))
        assert (at_base.text if at_base is not None else None) == ("a\nb\n" if tracked else None)

    with_git(repo.root, look)


@pytest.mark.parametrize("tracked", [True, False])
def test_a_path_that_is_not_utf8_survives(repo: Repo, tracked: bool) -> None:
    """Bytes of a path that are not UTF-8 are carried as surrogate escapes."""
    repo.commit("before", {"README": "x\n"})
    if tracked:
        repo.write(b"caf\xe9.py", "a\n")
        repo.commit("with an old name")
    repo.branch("feature")
    repo.write(b"caf\xe9.py", "b\n")
    rules = CollectRules(exclude=("nothing-*",))
    change = change_of(repo.root, base="main", rules=rules)
    assert [file.path for file in change.files] == ["caf\udce9.py"]
    assert len(change.snapshot) == 64


def test_staged_unstaged_committed_and_untracked_work_is_one_change(repo: Repo) -> None:
    """The work tree is compared as it is, however much of it git has been told."""
    repo.commit("before", {"a.py": NUMBERS, "b.py": NUMBERS})
    repo.branch("feature")
    repo.commit("committed", {"a.py": NUMBERS.replace("line 2\n", "committed\n")})
    repo.write("a.py", repo.read("a.py").replace("line 5\n", "staged\n"))
    repo.stage("a.py")
    repo.write("a.py", repo.read("a.py").replace("line 9\n", "unstaged\n"))
    repo.write("sub/new.py", "untracked\n")
    change = change_of(repo.root)
    assert [file.path for file in change.files] == ["a.py", "sub/new.py"]
    assert hunks_of(change, "a.py") == [(2, 1, 2, 1), (5, 1, 5, 1), (9, 1, 9, 1)]
    assert _file(change, "sub/new.py").status is Status.ADDED
    assert (change.head.commit, change.head.branch, change.head.dirty) == (repo.head(), "feature", True)
    assert change.head_tree is None


def test_the_scopes_see_their_own_text(repo: Repo) -> None:
    """STAGED is the index against HEAD, COMMITTED is HEAD against the merge base; neither looks at the work tree."""
    repo.commit("before", {"a.py": "1\n2\n3\n"})
    repo.branch("feature")
    repo.commit("committed", {"a.py": "one\n2\n3\n"})
    repo.write("a.py", "one\ntwo\n3\n")
    repo.stage("a.py")
    repo.write("a.py", "one\ntwo\nthree\n")
    repo.write("new.py", "untracked\n")
    staged = change_of(repo.root, scope=Scope.STAGED)
    assert hunks_of(staged, "a.py") == [(2, 1, 2, 1)]
    assert (staged.base.merge_base, staged.head_tree) == (repo.head(), "")
    committed = change_of(repo.root, scope=Scope.COMMITTED)
    assert hunks_of(committed, "a.py") == [(1, 1, 1, 1)]
    assert (committed.head.dirty, committed.head_tree) == (False, repo.head())
    for change in (staged, committed):
        assert [file.path for file in change.files] == ["a.py"]


def test_another_head_is_reviewed_from_objects_alone(repo: Repo) -> None:
    """A commit that is not checked out is compared with its own merge base, whatever lies in the work tree."""
    first = repo.commit("before", {"a.py": "1\n", "b.py": "1\n"})
    repo.branch("feature")
    repo.commit("theirs", {"a.py": "2\n"})
    repo.checkout("main")
    repo.commit("main goes on", {"b.py": "2\n"})
    repo.write("a.py", "dirt\n")
    change = change_of(repo.root, base="main", head="feature")
    assert [file.path for file in change.files] == ["a.py"]
    assert hunks_of(change, "a.py") == [(1, 1, 1, 1)]
    assert change.base.merge_base == first
    assert (change.head.commit, change.head.branch) == (repo.head("feature"), "feature")

    async def look(git: Git) -> None:
        assert (await _text(git, "a.py", Side.HEAD, change), await _text(git, "b.py", Side.HEAD, change)) == (
            "2\n",
            "1\n",
        )
        assert await git.paths(Side.HEAD, change) == {"a.py", "b.py"}
        assert [hit.text for hit in (await git.grep(["1"], change))["1"]] == ["1"]

    with_git(repo.root, look)


def test_a_renamed_and_edited_file_keeps_its_base(repo: Repo) -> None:
    """A rename with an edit is one file with the old path at the base and only the edited lines changed."""
    repo.commit("before", {"old.py": NUMBERS})
    repo.branch("feature")
    repo.rename("old.py", "deep/new.py")
    repo.write("deep/new.py", NUMBERS.replace("line 3\n", "edited\n"))
    unstaged = change_of(repo.root)
    repo.stage()
    staged = change_of(repo.root)
    for change in (unstaged, staged):
        (file,) = change.files
        assert (file.path, file.status, file.old_path) == ("deep/new.py", Status.RENAMED, "old.py")
        assert hunks_of(change, "deep/new.py") == [(3, 1, 3, 1)]
        assert change.skipped == ()
    assert unstaged.snapshot == staged.snapshot


def test_a_deleted_file_is_a_change_and_a_skip(repo: Repo) -> None:
    """A deletion keeps its base text for relation checks and is named as skipped by rule."""
    repo.commit("before", {"gone.py": "a\nb\n", "empty.py": ""})
    repo.branch("feature")
    repo.remove("gone.py")
    repo.remove("empty.py")
    change = change_of(repo.root)
    file = _file(change, "gone.py")
    assert (file.status, file.head, hunks_of(change, "gone.py")) == (Status.DELETED, None, [(1, 2, 0, 0)])
    assert skips_of(change) == {"gone.py": ("by-rule", "deleted"), "empty.py": ("by-rule", "deleted")}


def _binary(repo: Repo) -> None:
    repo.write("f.dat", b"\0\1\2")


def _lfs(repo: Repo) -> None:
    repo.write("f.dat", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")


def _attributes(repo: Repo, attributes: str) -> None:
    repo.write(".gitattributes", f"f.dat {attributes}\n")
    repo.write("f.dat", "new\n")


@pytest.mark.parametrize(
    ("make", "kind", "reason"),
    [
        pytest.param(_binary, "by-rule", "binary", id="binary"),
        pytest.param(_lfs, "by-rule", "stored by Git LFS", id="LFS pointer"),
        pytest.param(lambda repo: _attributes(repo, "-diff"), "by-rule", "attribute -diff", id="-diff"),
        pytest.param(lambda repo: _attributes(repo, "binary"), "by-rule", "attribute -diff", id="binary macro"),
        pytest.param(lambda repo: _attributes(repo, "filter=x"), "by-rule", "attribute filter=x", id="filter"),
        pytest.param(lambda repo: _attributes(repo, "filter=lfs"), "by-rule", "stored by Git LFS", id="LFS filter"),
        pytest.param(
            lambda repo: _attributes(repo, "linguist-generated"),
            "by-rule", "generated (attribute linguist-generated)", id="generated",
        ),
        pytest.param(
            lambda repo: _attributes(repo, "linguist-generated=true"),
            "by-rule", "generated (attribute linguist-generated)", id="generated=true",
        ),
        pytest.param(
            lambda repo: repo.write(".roundzeroignore", "*.dat\n") and repo.write("f.dat", "new\n"),
            "by-rule", "excluded by .roundzeroignore", id="ignore file",
        ),
        pytest.param(
            lambda repo: repo.write("f.dat", b"caf\xe9\n"),
            "not-checked", "its bytes are not valid in its encoding", id="undecodable",
        ),
        pytest.param(
            lambda repo: repo.write("f.dat", "x" * 3_000_000),
            "not-checked", "3000000 bytes are more than maxFileBytes (1000000)", id="three megabytes in one line",
        ),
        pytest.param(
            lambda repo: repo.remove("f.dat") or repo.path("f.dat").symlink_to("nowhere"),
            "by-rule", "symbolic link", id="file turned link",
        ),
        pytest.param(
            lambda repo: repo.path("f.dat").chmod(0o755), "by-rule", "only its mode changed", id="mode only"
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("staged", [False, True])
def test_what_is_not_reviewed_is_named_with_its_reason(
    repo: Repo, make: object, kind: str, reason: str, staged: bool
) -> None:
    """Every kind of file that is not reviewed is skipped with a kind and a reason, in each scope alike."""
    assert callable(make)
    repo.commit("before", {"f.dat": "old\n"})
    repo.branch("feature")
    make(repo)
    if staged:
        repo.stage()
    change = change_of(repo.root, scope=Scope.STAGED if staged else Scope.WORKTREE)
    assert skips_of(change)["f.dat"] == (kind, reason)
    assert change.file(RelPath("f.dat")) is None
    (skip,) = (skip for skip in change.skipped if skip.path == "f.dat")
    if not staged or not reason.startswith("attribute filter"):
        expected = repo.git("rev-parse", ":f.dat") if staged else None
        assert skip.blob == (expected or skip.blob)
    assert skip.mode in ("100644", "100755", "120000")


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize(
    ("name", "reason"), [("clip.mp4", "binary"), ("Clip.MP4", "binary"), ("clip", "2000000 bytes are more")]
)
def test_a_film_is_binary_however_large_it_is(repo: Repo, name: str, reason: str, staged: bool) -> None:
    """Its bytes are not read, and nobody misses the review of it; what may be text is not checked."""
    repo.commit("before", {"f": "old\n"})
    repo.branch("feature")
    repo.write(name, "x" * 2_000_000)
    if staged:
        repo.stage()
    change = change_of(repo.root, scope=Scope.STAGED if staged else Scope.WORKTREE)
    (skip,) = change.skipped
    assert skip.reason.startswith(reason)
    assert (skip.binary, skip.size) == (reason == "binary", 2_000_000)


def test_a_text_in_another_encoding_on_disk_is_not_checked_there(repo: Repo) -> None:
    """Its bytes look binary, but it is a program; as an object, which is what is staged, it can be read."""
    repo.commit(
        "before",
        {"README": "x\n", ".gitattributes": "a.py working-tree-encoding=UTF-16LE\nb.py working-tree-encoding=UTF-8\n"},
    )
    repo.branch("feature")
    repo.write("a.py", "x = 1\n".encode("utf-16-le"))
    repo.write("b.py", "x = 1\n")
    change = change_of(repo.root)
    assert skips_of(change) == {"a.py": ("not-checked", "attribute working-tree-encoding=UTF-16LE")}
    assert [file.path for file in change.files] == ["b.py"]
    repo.stage()
    assert [file.path for file in change_of(repo.root, scope=Scope.STAGED).files] == ["a.py", "b.py"]


def test_a_notebook_is_skipped_by_rule(repo: Repo) -> None:
    """Notebooks are not reviewed in this form."""
    change = _changed(repo, {}, {"n.ipynb": "{}\n"})
    assert skips_of(change) == {"n.ipynb": ("by-rule", "notebook")}


def test_ignored_and_excluded_files_are_not_reviewed(repo: Repo) -> None:
    """What git ignores is no part of the change; what the settings exclude is named."""
    change_files = {".gitignore": "*.log\n", "x.log": "secret\n", "gen/a.py": "x\n", "a.py": "x\n"}
    repo.commit("before", {"README": "x\n"})
    repo.branch("feature")
    for path, content in change_files.items():
        repo.write(path, content)
    change = change_of(repo.root, rules=CollectRules(exclude=("gen/", "!gen/kept.py")))
    assert [file.path for file in change.files] == [".gitignore", "a.py"]
    assert skips_of(change) == {"gen/a.py": ("by-rule", "excluded by the settings")}


def test_a_broken_pattern_excludes_nothing(repo: Repo) -> None:
    """A pattern that is not gitignore syntax costs itself only, and one made to be slow is quick."""
    repo.commit("before", {"README": "x\n"})
    repo.branch("feature")
    repo.write("a" * 200 + ".py", "x\n")
    repo.write("b.py", "x\n")
    repo.write(".roundzeroignore", "!\n" + "*a" * 40 + "b\nb.py\n")
    change = change_of(repo.root)
    assert [file.path for file in change.files] == [".roundzeroignore", "a" * 200 + ".py"]


def test_untracked_files_can_be_left_out(repo: Repo) -> None:
    """With ``untracked`` off, only what git tracks is reviewed."""
    repo.commit("before", {"a.py": "1\n"})
    repo.branch("feature")
    repo.write("new.py", "x\n")
    repo.write("a.py", "2\n")
    change = change_of(repo.root, rules=CollectRules(untracked=False))
    assert [file.path for file in change.files] == ["a.py"]


@pytest.mark.parametrize(
    ("content", "encoding", "text"),
    [
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "latin-1", "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        (b"\xef\xbb\xbfx = '\xc3\xa9'\n", "utf-8", "x = 'é'\n"),
    ],
)
def test_declared_encodings_are_honoured(repo: Repo, content: bytes, encoding: str, text: str) -> None:
    """A Python file is decoded as it declares, and a byte-order mark is no part of the text."""
    change = _changed(repo, {}, {"f.py": content})
    head = _file(change, "f.py").head
    assert head is not None
    assert (head.text, head.encoding, head.blob) == (text, encoding, blob_id(content))


def test_an_undecodable_base_does_not_hide_its_repair(repo: Repo) -> None:
    """A file that was not valid before and is now has a base that counts the same lines."""
    change = _changed(repo, {"f.txt": b"a\ncaf\xe9\nb\n"}, {"f.txt": "a\ncafé\nb\n"})
    assert hunks_of(change, "f.txt") == [(2, 1, 2, 1)]


def test_only_the_head_of_a_file_with_declared_encoding_may_change_it(repo: Repo) -> None:
    """A file whose encoding changed is compared by its text."""
    change = _changed(repo, {"f.py": b"# coding: latin-1\nx = '\xe9'\n"}, {"f.py": "# coding: utf-8\nx = 'é'\n"})
    assert hunks_of(change, "f.py") == [(1, 1, 1, 1)]


def test_nothing_has_been_committed_yet(repo: Repo) -> None:
    """Without commits every file is new, staged or not."""
    repo.write("a.py", "1\n")
    repo.stage()
    repo.write("a.py", "1\n2\n")
    repo.write("b.py", "1\n")
    change = change_of(repo.root)
    assert [(file.path, file.status) for file in change.files] == [("a.py", Status.ADDED), ("b.py", Status.ADDED)]
    assert (change.head.commit, change.head.branch) == (None, "main")
    staged = change_of(repo.root, scope=Scope.STAGED)
    assert hunks_of(staged, "a.py") == [(0, 0, 1, 1)]
    with pytest.raises(UserError, match="no commits"):
        change_of(repo.root, scope=Scope.COMMITTED)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_both_object_formats_work(tmp_path: Path, object_format: str) -> None:
    """Ids are those of the repository's own object format."""
    repo = Repo(tmp_path / "repo", object_format=object_format)
    repo.write("a.py", "1\n")
    assert len(change_of(repo.root).files) == 1
    repo.commit("before")
    repo.branch("feature")
    repo.write("a.py", "2\n")
    file = _file(change_of(repo.root), "a.py")
    assert file.base is not None
    assert file.head is not None
    assert file.base.blob == repo.git("rev-parse", "HEAD:a.py")
    assert file.head.blob == repo.git("hash-object", "a.py")


def test_a_persons_diff_settings_change_nothing(repo: Repo) -> None:
    """Every ``diff.*`` setting that shapes git's output is overruled."""
    before = {"old name.py": NUMBERS, "copied.py": "z\n" * 30, "x b/y.py": "1\n"}
    repo.commit("before", before)
    repo.branch("feature")
    repo.git("mv", "old name.py", "new name.py")
    repo.write("new name.py", NUMBERS.replace("line 4\n", "four\n"))
    repo.write("copy.py", "z\n" * 30)
    repo.write("copied.py", "z\n" * 30 + "changed\n")
    repo.write("x b/y.py", "2\n")
    repo.stage()
    plain = change_of(repo.root)
    for name, value in {
        "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "color.ui": "always", "color.diff": "always",
        "diff.external": "false", "diff.renames": "copies", "diff.context": "10", "diff.interHunkContext": "10",
        "diff.algorithm": "patience", "diff.indentHeuristic": "false", "diff.orderFile": "nowhere",
        "diff.ignoreSubmodules": "all", "diff.submodule": "diff", "diff.relative": "true", "diff.wordRegex": ".",
        "diff.suppressBlankEmpty": "true", "diff.colorMoved": "zebra", "core.quotePath": "true",
        "diff.dirstat": "lines",
        "diff.wsErrorHighlight": "all", "grep.lineNumber": "false", "grep.fullName": "false", "grep.column": "true",
        "grep.patternType": "perl", "status.relativePaths": "true", "diff.renameLimit": "1", "core.pager": "false",
        "diff.statGraphWidth": "1", "diff.noIndex": "true", "diff.srcPrefix": "x/", "diff.dstPrefix": "y/",
    }.items():  # fmt: skip
        repo.config(name, value)
    assert _shape(change_of(repo.root)) == _shape(plain)
    assert hunks_of(plain, "new name.py") == [(4, 1, 4, 1)]
    assert _file(plain, "copy.py").status is Status.ADDED


def _shape(change: Change) -> list[tuple[str, Status, str | None, tuple[object, ...]]]:
    return [(file.path, file.status, file.old_path, file.hunks) for file in change.files]


def test_line_ending_rules_of_the_repository_change_no_line(repo: Repo) -> None:
    """With eol=crlf and autocrlf the work tree's bytes differ from the blob's, and only edited lines are changed."""
    repo.commit("before", {"a.txt": "1\n2\n3\n", "b.txt": "1\n2\n3\n", ".gitattributes": "a.txt text eol=crlf\n"})
    repo.config("core.autocrlf", "true")
    repo.branch("feature")
    repo.write("a.txt", "1\r\ntwo\r\n3\r\n")
    repo.write("b.txt", "1\r\ntwo\r\n3\r\n")
    change = change_of(repo.root)
    assert hunks_of(change, "a.txt") == hunks_of(change, "b.txt") == [(2, 1, 2, 1)]
    assert _file(change, "a.txt").head is not None


def test_a_touched_file_is_not_a_change(repo: Repo) -> None:
    """A file that was written again with the same bytes is neither changed nor dirt."""
    repo.commit("before", {"a.py": "1\n"})
    repo.branch("feature")
    repo.write("a.py", "1\n")
    os.utime(repo.path("a.py"), ns=(1, 1))
    change = change_of(repo.root)
    assert (change.files, change.skipped, change.head.dirty) == ((), (), False)


def test_touched_files_of_every_kind_are_no_change(repo: Repo) -> None:
    """A copied work tree has new time stamps everywhere: nothing is named, neither as changed nor as skipped."""
    files = {
        "a.png": b"\x89PNG\0\xff",
        "latin.txt": b"\xe9\n",
        "kept/x.py": b"x = 1\n",
        "empty": b"",
        "crlf.txt": b"a\r\n",
    }
    repo.commit("base", {**files, ".roundzeroignore": "kept/\n", "big.txt": b"x" * 2_000_000})
    repo.branch("topic")
    for path in [*files, "big.txt"]:
        os.utime(repo.path(path), (1, 1))
    change = change_of(repo.root)
    assert (change.files, change.skipped) == ((), ())


def test_dirt_is_what_head_does_not_hold(repo: Repo) -> None:
    """Committed work is not dirty; uncommitted, staged, untracked and unsaved work is."""
    repo.commit("before", {"a.py": "1\n", "b.py": "1\n"})
    repo.branch("feature")
    repo.commit("mine", {"a.py": "2\n"})
    assert not change_of(repo.root).head.dirty
    assert change_of(repo.root, overlays={"b.py": "unsaved\n"}).head.dirty
    assert not change_of(repo.root, overlays={"b.py": "1\n", "a.py": "2\n"}).head.dirty
    repo.write("a.py", "1\n")
    assert change_of(repo.root).head.dirty
    repo.write("a.py", "2\n")
    repo.write("new.py", "2\n")
    assert change_of(repo.root).head.dirty


def test_dirt_is_about_the_text_that_is_reviewed(repo: Repo) -> None:
    """The index is dirty when anything is staged, a mode too; what is beside the reviewed text never counts."""

    def dirt() -> tuple[bool, bool, bool]:
        staged, committed = (change_of(repo.root, scope=scope) for scope in (Scope.STAGED, Scope.COMMITTED))
        return change_of(repo.root).head.dirty, staged.head.dirty, committed.head.dirty

    repo.commit("before", {"a.py": "1\n"})
    repo.branch("feature")
    repo.commit("mine", {"a.py": "2\n"})
    assert dirt() == (False, False, False)
    repo.write("a.py", "3\n")
    repo.write("new.py", "1\n")
    assert dirt() == (True, False, False)
    repo.git("update-index", "--chmod=+x", "a.py")
    assert dirt() == (True, True, False)
    repo.stage()
    repo.git("restore", "--source=HEAD", "--worktree", "a.py")
    assert dirt() == (True, True, False)
    assert not change_of(repo.root, head="feature").head.dirty


def test_before_the_first_commit_all_that_is_staged_is_dirt(repo: Repo) -> None:
    """There is no commit that could hold it."""
    repo.write("a.py", "1\n")
    assert not change_of(repo.root, scope=Scope.STAGED).head.dirty
    repo.stage()
    assert change_of(repo.root, scope=Scope.STAGED).head.dirty


def test_the_snapshot_is_that_of_the_bytes(repo: Repo) -> None:
    """Committing or amending the same text keeps the snapshot; any other byte, path or mode changes it."""
    repo.commit("before", {"a.py": "1\n", "gone.py": "1\n", "bin": b"\0"})
    repo.branch("feature")
    repo.write("a.py", "2\n")
    repo.write("new.py", "2\n")
    repo.write("bin", b"\0\1")
    repo.remove("gone.py")
    first = change_of(repo.root).snapshot
    repo.stage()
    assert change_of(repo.root).snapshot == first
    repo.commit_staged("mine")
    assert change_of(repo.root).snapshot == first
    assert change_of(repo.root, scope=Scope.COMMITTED).snapshot == first
    repo.git("commit", "--quiet", "--amend", "--no-verify", "-m", "other words")
    assert change_of(repo.root).snapshot == first
    seen = {first}
    for edit in (
        lambda: repo.write("a.py", "3\n"),
        lambda: repo.write("bin", b"\0\2"),
        lambda: repo.path("new.py").chmod(0o755),
        lambda: repo.rename("new.py", "newer.py"),
    ):
        edit()
        seen.add(change_of(repo.root).snapshot)
    assert len(seen) == 5


def test_unsaved_buffers_count_as_the_files_text(repo: Repo) -> None:
    """A buffer replaces what is on disk: of changed, unchanged, deleted, new and ignored files."""
    repo.commit("before", {"a.py": "1\n2\n", "b.py": "1\n2\n", "gone.py": "1\n", ".gitignore": "*.log\n"})
    repo.branch("feature")
    repo.write("a.py", "on disk\n2\n")
    repo.remove("gone.py")
    change = change_of(
        repo.root,
        overlays={
            "a.py": "1\nunsaved\n",
            "b.py": "1\n2\nunsaved\n",
            "gone.py": "back\n",
            "sub/new.py": "new\n",
            "x.log": "secret\n",
        },
    )
    assert hunks_of(change, "a.py") == [(2, 1, 2, 1)]
    assert hunks_of(change, "b.py") == [(2, 0, 3, 1)]
    assert hunks_of(change, "gone.py") == [(1, 1, 1, 1)]
    assert hunks_of(change, "sub/new.py") == [(0, 0, 1, 1)]
    assert [file.path for file in change.files] == ["a.py", "b.py", "gone.py", "sub/new.py"]
    assert skips_of(change) == {}
    assert _file(change, "a.py").head is not None
    undone = change_of(repo.root, overlays={"a.py": "1\n2\n"})
    assert undone.file(RelPath("a.py")) is None


def test_a_buffer_has_the_bytes_that_saving_it_would_write(repo: Repo) -> None:
    """The blob id of an unsaved text accounts for the file's encoding and byte-order mark."""
    repo.commit("before", {"bom.py": "\ufeffx\n", "latin.py": b"# coding: latin-1\n\xe9\n"})
    repo.branch("feature")
    overlays = {"bom.py": "y\n", "latin.py": "# coding: latin-1\nè\n"}
    change = change_of(repo.root, overlays=overlays)
    bom, latin = _file(change, "bom.py").head, _file(change, "latin.py").head
    assert bom is not None
    assert latin is not None
    assert (bom.blob, bom.text) == (blob_id(b"\xef\xbb\xbfy\n"), "y\n")
    assert latin.blob == blob_id(b"# coding: latin-1\n\xe8\n")


def test_a_nested_repository_is_skipped_by_rule(repo: Repo) -> None:
    """Another repository inside the work tree is one skipped path, not its files."""
    repo.commit("before", {"a.py": "1\n"})
    repo.branch("feature")
    Repo(repo.root / "nested").commit("inner", {"x.py": "x\n"})
    change = change_of(repo.root)
    assert skips_of(change) == {"nested": ("by-rule", "nested repository")}
    assert change.files == ()


def test_sparse_checkout_does_not_look_like_deletion(repo: Repo) -> None:
    """A file outside the sparse cone is read from the index, as git sees it."""
    repo.commit("before", {"in/a.py": "1\n", "out/b.py": "1\n", "out/c.py": "1\n"})
    repo.branch("feature")
    repo.commit("mine", {"out/b.py": "2\n"})
    repo.git("sparse-checkout", "set", "--cone", "in")
    assert not repo.path("out/b.py").exists()
    change = change_of(repo.root)
    assert hunks_of(change, "out/b.py") == [(1, 1, 1, 1)]
    assert change.skipped == ()

    async def look(git: Git) -> None:
        assert await _text(git, "out/c.py", Side.HEAD, change) == "1\n"
        assert await git.paths(Side.HEAD, change) == {"in/a.py", "out/b.py", "out/c.py"}

    with_git(repo.root, look)


def test_paths_that_differ_in_case_only_are_two_files(repo: Repo) -> None:
    """Twins are kept apart."""
    change = _changed(repo, {"A.py": "1\n", "a.py": "1\n"}, {"A.py": "2\n", "a.py": "1\n3\n"})
    assert hunks_of(change, "A.py") == [(1, 1, 1, 1)]
    assert hunks_of(change, "a.py") == [(1, 0, 2, 1)]


def test_a_long_file_is_read_whole(repo: Repo) -> None:
    """50,000 lines are reviewed when the limit allows, and both their ends are compared."""
    lines = [f"some_value_{number} = {number}\n" for number in range(50_000)]
    before = "".join(lines)
    lines[0], lines[-1] = "first = 0\n", "last = 0\n"
    repo.commit("before", {"long.py": before})
    repo.branch("feature")
    repo.write("long.py", "".join(lines))
    change = change_of(repo.root, rules=CollectRules(max_file_bytes=5_000_000))
    assert hunks_of(change, "long.py") == [(1, 1, 1, 1), (50_000, 1, 50_000, 1)]
    assert "maxFileBytes" in skips_of(change_of(repo.root))["long.py"][1]


def test_many_changed_files_are_all_there(repo: Repo) -> None:
    """A change of thousands of files is collected whole, with its hunks."""
    count = 5_000
    repo.commit("before", {f"d{number % 50}/f{number}.py": f"1\n{number}\n" for number in range(count)})
    repo.branch("feature")
    for number in range(count):
        repo.write(f"d{number % 50}/f{number}.py", f"2\n{number}\n")
    change = change_of(repo.root)
    assert len(change.files) == count
    assert {tuple(hunks_of(change, file.path)) for file in change.files[::500]} == {((1, 1, 1, 1),)}


def test_a_file_removed_from_the_index_only_is_still_compared(repo: Repo) -> None:
    """``git rm --cached`` leaves an untracked file that still has a base."""
    repo.commit("before", {"a.py": "1\n2\n"})
    repo.branch("feature")
    repo.git("rm", "--quiet", "--cached", "a.py")
    repo.write("a.py", "1\ntwo\n")
    change = change_of(repo.root)
    assert hunks_of(change, "a.py") == [(2, 1, 2, 1)]
    assert skips_of(change) == {}


def test_a_file_that_only_intends_to_be_added_is_new(repo: Repo) -> None:
    """``git add -N`` makes no difference."""
    repo.commit("before", {"a.py": "1\n"})
    repo.branch("feature")
    repo.write("new.py", "1\n")
    repo.git("add", "--intent-to-add", "new.py")
    change = change_of(repo.root)
    assert [(file.path, file.status) for file in change.files] == [("new.py", Status.ADDED)]


def test_the_rest_of_the_repository_can_be_read(repo: Repo) -> None:
    """Unchanged files are read and searched on both sides, changed ones with their text in the change."""
    repo.commit("before", {"a.py": "alpha beta\n", "b.py": "alpha\nalphabet\n", "old.py": NUMBERS})
    repo.branch("feature")
    repo.write("a.py", "on disk\n")
    repo.rename("old.py", "new.py")
    repo.write("c.py", "alpha untracked\r\n")
    repo.write("bin", b"\0alpha\n")
    change = change_of(repo.root, overlays={"a.py": "beta alpha-beta\n"})

    async def look(git: Git) -> None:
        assert await _text(git, "a.py", Side.HEAD, change) == "beta alpha-beta\n"
        assert await _text(git, "a.py", Side.BASE, change) == "alpha beta\n"
        assert await _text(git, "b.py", Side.HEAD, change) == "alpha\nalphabet\n"
        assert await _text(git, "b.py", Side.BASE, change) == "alpha\nalphabet\n"
        assert await _text(git, "old.py", Side.BASE, change) == NUMBERS
        assert await _text(git, "old.py", Side.HEAD, change) is None
        assert await _text(git, "c.py", Side.BASE, change) is None
        assert await _text(git, "bin", Side.HEAD, change) is None
        assert await git.paths(Side.BASE, change) == {"a.py", "b.py", "old.py"}
        assert await git.paths(Side.HEAD, change) == {"a.py", "b.py", "bin", "c.py", "new.py"}
        hits = await git.grep(["alpha", "nowhere", "line 3", "beta"], change)
        assert [(hit.path, hit.line, hit.text) for hit in hits["alpha"]] == [
            ("a.py", 1, "beta alpha-beta"),
            ("b.py", 1, "alpha"),
            ("c.py", 1, "alpha untracked"),
        ]
        assert hits["nowhere"] == ()
        assert [(hit.path, hit.line) for hit in hits["line 3"]] == [("new.py", 3)]
        assert (await git.text_at(repo.head("main"), RelPath("b.py"))) is not None
        assert (await git.text_at("--help", RelPath("b.py"))) is None

    with_git(repo.root, look)


def test_a_tracked_file_that_is_ignored_is_searched_all_the_same(repo: Repo) -> None:
    """Ignore rules are for what is not tracked; what is neither tracked nor wanted stays out."""
    repo.commit("before", {"kept.py": "alpha\n", "other.py": "alpha\n"})
    repo.branch("feature")
    repo.write(".gitignore", "kept.py\nbuild.py\n")
    repo.write("build.py", "alpha\n")
    repo.write("new.py", "alpha\n")
    change = change_of(repo.root)

    async def look(git: Git) -> None:
        hits = await git.grep(["alpha"], change)
        assert [(hit.path, hit.line) for hit in hits["alpha"]] == [("kept.py", 1), ("new.py", 1), ("other.py", 1)]

    with_git(repo.root, look)


async def _text(git: Git, path: str, side: Side, change: Change) -> str | None:
    source = await git.read(RelPath(path), side, change)
    return source.text if source is not None else None


@contextmanager
def _powerless(home: Path) -> Iterator[None]:
    """Be somebody whom the file system can refuse something, with everything below ``home`` as their own."""
    if os.geteuid() != 0:
        yield
        return
    for path in (home, *home.rglob("*")):
        os.lchown(path, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_what_lies_in_a_folder_that_may_not_be_entered_is_not_called_deleted_or_absent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Git calls the tracked file there deleted and passes over the untracked one; both are named as not checked."""
    with TemporaryDirectory(prefix="roundzero-test-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        monkeypatch.setenv("HOME", str(home))
        repo = Repo(home / "repo")
        repo.commit("before", {"kept/a.py": "1\n", "b.py": "1\n"})
        repo.branch("feature")
        repo.write("b.py", "2\n")
        repo.write("new/n.py", "def f(x=[]): ...\n")
        closed = [repo.path("kept"), repo.path("new")]
        with _powerless(home):
            for path in closed:
                path.chmod(0)
            change = change_of(repo.root)
            for path in closed:
                path.chmod(0o755)
    refused = "could not be read: Permission denied"
    assert [file.path for file in change.files] == ["b.py"]
    assert skips_of(change) == {
        "kept": ("not-checked", f"the folder {refused}"),
        "kept/a.py": ("not-checked", f"it {refused}"),
        "new": ("not-checked", f"the folder {refused}"),
    }


def test_what_git_writes_into_an_ident_line_is_no_change(repo: Repo) -> None:
    """Neither on disk, nor in a buffer, nor under a diff: only the line that was edited is."""
    text = "one\n# $Id$\ntwo\n"
    repo.commit("before", {".gitattributes": "*.py ident\n", "a.py": text, "b.py": text})
    repo.branch("feature")
    for path in ("a.py", "b.py"):
        repo.path(path).unlink()
        repo.git("checkout", "--", path)
    expanded = repo.read("a.py")
    assert "$Id: " in expanded
    repo.write("a.py", expanded.replace("one", "ONE").replace("two", "TWO"))
    buffer = {RelPath("b.py"): expanded.replace("two", "TWO")}
    wanted = [(1, 1, 1, 1), (3, 1, 3, 1)]

    async def ask(git: Git) -> None:
        base = await git.choose_base(explicit="main", environ={})
        change = await git.collect(base, overlays=buffer)
        assert (hunks_of(change, "a.py"), hunks_of(change, "b.py")) == (wanted, wanted[1:])
        change = await git.refresh(change, RelPath("a.py"), repo.read("a.py"))
        assert hunks_of(change, "a.py") == wanted
        change = await git.refresh(change, RelPath("b.py"), expanded)
        assert change.file(RelPath("b.py")) is None
        change = await git.restrict(change, repo.git("diff", "main", "--", "a.py").encode() + b"\n")
        assert hunks_of(change, "a.py") == wanted

    with_git(repo.root, ask)


@pytest.mark.parametrize(
    "inside",
    [
        ": 0 '; secret = 'of the branch'; x = '",
        f": {'0' * 40} '; eval(x) # ",
        f": {'0' * 39} ",
        f": {'A' * 40} ",
        ": ",
    ],
)
def test_what_git_does_not_write_between_ident_marks_is_somebodys_work(repo: Repo, inside: str) -> None:
    """On disk, in a buffer and under a diff: code between ``$Id:`` and a dollar is reviewed as any other."""
    before, after = "one\nv = '$Id$'\ntwo\n", f"one\nv = '$Id{inside}$'\ntwo\n"
    repo.commit("before", {"a.py": before, "b.py": before})
    repo.branch("feature")
    repo.write("a.py", after)
    wanted = [(2, 1, 2, 1)]

    async def ask(git: Git) -> None:
        base = await git.choose_base(explicit="main", environ={})
        change = await git.collect(base, overlays={RelPath("b.py"): after})
        assert (hunks_of(change, "a.py"), hunks_of(change, "b.py")) == (wanted, wanted)
        change = await git.refresh(change, RelPath("b.py"), before)
        assert change.file(RelPath("b.py")) is None
        change = await git.refresh(change, RelPath("b.py"), after)
        assert hunks_of(change, "b.py") == wanted
        change = await git.restrict(change, repo.git("diff", "main", "--", "a.py").encode() + b"\n")
        assert hunks_of(change, "a.py") == wanted

    with_git(repo.root, ask)


@pytest.mark.parametrize("base", [b"\0\1\2", "one\ntwo\n".encode("utf-16"), b"one\ntwo\0\n"])
def test_text_over_a_base_that_is_none_is_all_added(repo: Repo, base: bytes) -> None:
    """A binary or UTF-16 base has no lines to compare with; the text that replaces it is reviewed, not skipped."""
    repo.commit("before", {"a.py": base, "same.py": base})
    repo.branch("feature")
    repo.write("a.py", "one\ntwo\n")

    async def ask(git: Git) -> None:
        chosen = await git.choose_base(explicit="main", environ={})
        change = await git.collect(chosen)
        assert skips_of(change) == {}
        assert hunks_of(change, "a.py") == [(0, 0, 1, 2)]
        change = await git.refresh(change, RelPath("a.py"), "one\n")
        assert hunks_of(change, "a.py") == [(0, 0, 1, 1)]
        change = await git.refresh(change, RelPath("same.py"), "one\n")
        assert hunks_of(change, "same.py") == [(0, 0, 1, 1)]
        repo.write("same.py", "one\n")
        repo.write("a.py", "one\n")
        again = await git.collect(chosen)
        assert (again.snapshot, [hunks_of(again, path) for path in ("a.py", "same.py")]) == (
            change.snapshot,
            [[(0, 0, 1, 1)]] * 2,
        )

    with_git(repo.root, ask)


def test_a_buffer_of_a_binary_file_that_nobody_touched_is_no_change(repo: Repo) -> None:
    """Neither at once nor after an edit was taken back."""
    repo.commit("before", {"a.py": b"one\0\n"})
    repo.branch("feature")

    async def ask(git: Git) -> None:
        path, chosen = RelPath("a.py"), await git.choose_base(explicit="main", environ={})
        change = await git.collect(chosen, overlays={path: "one\0\n"})
        assert (change.files, change.skipped) == ((), ())
        change = await git.refresh(change, path, "one\n")
        assert hunks_of(change, "a.py") == [(0, 0, 1, 1)]
        change = await git.refresh(change, path, "one\0\n")
        assert (change.files, change.skipped) == ((), ())

    with_git(repo.root, ask)
