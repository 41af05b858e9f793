"""Where a repository is, what cannot be one, and what tells that it moved."""

from __future__ import annotations

import asyncio
import os
import re
from typing import TYPE_CHECKING

import pytest

from roundzero.core.change import Side
from roundzero.core.text import RelPath
from roundzero.errors import OutsideError, UserError
from roundzero.git.repository import Git
from support.gitwork import change_of, hunks_of, skips_of, with_git
from support.loop import run
from support.repo import Repo

if TYPE_CHECKING:
    from pathlib import Path


def _open(directory: Path) -> tuple[Path, Path, Path]:
    async def ask() -> tuple[Path, Path, Path]:
        git = await Git.open(directory)
        await git.close()
        return git.root, git.git_dir, git.common_dir

    return run(ask())


def test_a_repository_is_found_from_any_folder_inside(repo: Repo) -> None:
    """A folder below the root leads to the root."""
    repo.write("a/b/c.py")
    assert _open(repo.root / "a" / "b") == (repo.root, repo.root / ".git", repo.root / ".git")


def test_a_linked_worktree_has_a_git_directory_of_its_own(repo: Repo, tmp_path: Path) -> None:
    """A linked worktree shares the common directory only."""
    repo.commit("first", {"a.py": "1\n"})
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "--quiet", "-b", "feature", str(linked))
    assert _open(linked) == (linked, repo.root / ".git" / "worktrees" / "linked", repo.root / ".git")
    (linked / "a.py").write_text("2\n")
    change = change_of(linked)
    assert hunks_of(change, "a.py") == [(1, 1, 1, 1)]
    assert change.head.branch == "feature"


def test_a_submodule_is_a_repository_of_its_own(repo: Repo, tmp_path: Path) -> None:
    """Opened inside a submodule, the submodule is what is reviewed."""
    inner = Repo(tmp_path / "inner")
    inner.commit("first", {"x.py": "1\n"})
    repo.commit("first", {"a.py": "1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.root.as_uri(), "sub")
    root, git_dir, _ = _open(repo.root / "sub")
    assert (root, git_dir) == (repo.root / "sub", repo.root / ".git" / "modules" / "sub")
    (repo.root / "sub" / "x.py").write_text("2\n")
    assert hunks_of(change_of(repo.root / "sub"), "x.py") == [(1, 1, 1, 1)]


@pytest.mark.parametrize("name", ["with space", "ünï", "#%[x]", "-dash", "quo\"te'"])
def test_the_root_may_have_any_name(tmp_path: Path, name: str) -> None:
    """Odd folder names work, also ones that look like options or patterns."""
    repo = Repo(tmp_path / name)
    repo.commit("first", {"a.py": "1\n"})
    repo.branch("feature")
    repo.write("a.py", "2\n")
    change = change_of(repo.root)
    assert hunks_of(change, "a.py") == [(1, 1, 1, 1)]


def test_a_root_that_is_not_utf8_works(tmp_path: Path) -> None:
    """The root's own bytes are kept."""
    repo = Repo(tmp_path / os.fsdecode(b"caf\xe9"))
    repo.write("a.py", "1\n")
    assert hunks_of(change_of(repo.root), "a.py") == [(0, 0, 1, 1)]


def test_what_is_no_repository_says_what_to_do(tmp_path: Path, repo: Repo) -> None:
    """No repository, a bare one, the inside of .git, no folder: each is an error with its own advice."""
    bare = tmp_path / "bare"
    bare.mkdir()
    repo.git("init", "--quiet", "--bare", str(bare))
    plain = tmp_path / "plain"
    plain.mkdir()
    for directory, advice in {
        plain: "is not in a git repository; go to one, name one with --repo, or run: git init",
        bare: "is bare, so there are no files to review; name a commit with --head REV",
        repo.root / ".git": "is inside a git directory; use the folder with the files instead",
        tmp_path / "nowhere": "is not a folder",
    }.items():
        with pytest.raises(UserError, match=re.escape(f"{directory} {advice}")):
            _open(directory)


def test_a_repository_of_somebody_else_is_refused_with_the_remedy(repo: Repo) -> None:
    """What git calls dubious ownership names the command that allows it, from any folder inside."""
    repo.commit("first", {"sub/a.py": "1\n"})
    if os.geteuid() == 0:
        for path in (repo.root, *repo.root.rglob("*")):
            os.chown(path, 12345, 12345)
        for folder in (repo.root, repo.root / "sub"):
            with pytest.raises(UserError, match=rf"git config --global --add safe.directory {repo.root}$"):
                _open(folder)
    else:
        assert _open(repo.root)[0] == repo.root


def test_a_work_tree_that_git_cannot_be_found_from_is_refused_with_the_remedy(repo: Repo, tmp_path: Path) -> None:
    """Where the configuration keeps the files elsewhere, a file of one line there makes it a repository."""
    repo.write("a.py", "1\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    repo.config("core.worktree", str(elsewhere))
    with pytest.raises(UserError, match=rf"write into {elsewhere}/.git: gitdir: {repo.root}/.git"):
        _open(repo.root)
    (elsewhere / ".git").write_text(f"gitdir: {repo.root}/.git\n")
    assert _open(repo.root)[0] == elsewhere


def test_a_broken_repository_is_explained_in_gits_words(repo: Repo) -> None:
    """A configuration that git cannot read is passed on as git says it."""
    (repo.root / ".git" / "config").write_text("[core\n")
    with pytest.raises(UserError, match=r"git cannot use the repository.*bad config"):
        _open(repo.root)


def test_missing_git_is_an_error_that_says_so(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git on PATH nothing works, and the message names what to install."""
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(UserError, match="git was not found on PATH; install git"):
        _open(repo.root)


def test_a_git_without_the_protections_is_refused(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that ignores configuration from the environment could be made to run programs."""
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho git version 2.25.1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent))
    with pytest.raises(UserError, match=re.escape("git version 2.25.1 is too old; install git 2.32 or newer")):
        _open(repo.root)


def test_the_ambient_git_environment_leads_nowhere(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git hooks export GIT_DIR and GIT_INDEX_FILE; the folder that is asked about counts all the same."""
    other = Repo(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / "index"))
    assert _open(repo.root)[0] == repo.root


def test_the_key_moves_with_head_refs_index_and_merges(repo: Repo) -> None:
    """Whatever may change the base or the committed text changes the key; edits of files do not."""
    repo.commit("first", {"a.py": "1\n"})
    repo.git("pack-refs", "--all")

    def key() -> str:
        return with_git(repo.root, lambda git: git.head_key())

    seen = [key()]
    repo.write("a.py", "2\n")
    assert key() == seen[0]
    repo.stage()
    seen.append(key())
    repo.commit_staged("second")
    seen.append(key())
    repo.branch("team/feature")
    seen.append(key())
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    seen.append(key())
    repo.git("pack-refs", "--all")
    seen.append(key())
    (repo.root / ".git" / "MERGE_HEAD").write_text(f"{repo.head()}\n")
    seen.append(key())
    assert len(set(seen)) == len(seen)


def test_what_to_watch_belongs_to_this_worktree(repo: Repo, tmp_path: Path) -> None:
    """HEAD and index of the linked worktree, refs of the common directory."""
    repo.commit("first", {"a.py": "1\n"})
    repo.git("worktree", "add", "--quiet", "-b", "feature", str(tmp_path / "linked"))

    async def watched(git: Git) -> tuple[Path, ...]:
        await asyncio.sleep(0)
        return git.watch_files()

    files = with_git(tmp_path / "linked", watched)
    own = repo.root / ".git" / "worktrees" / "linked"
    assert {own / "HEAD", own / "index", repo.root / ".git" / "refs" / "heads"} <= set(files)
    assert repo.root / ".git" / "HEAD" not in files


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../outside.py", "a/../../outside.py", ".git/config", "sub/.GIT/config"]
)
def test_nothing_outside_the_work_tree_is_read(repo: Repo, path: str) -> None:
    """Absolute paths, paths that climb, and git's own files are not files of the repository."""
    repo.commit("first", {"a.py": "1\n"})
    (repo.root.parent / "outside.py").write_text("secret\n")
    change = change_of(repo.root)

    async def look(git: Git) -> None:
        for side in Side:
            assert await git.read(RelPath(path), side, change) is None
        refreshed = await git.refresh(change, RelPath(path), "text\n")
        assert refreshed.files == change.files

    with_git(repo.root, look)


def test_a_lost_object_costs_its_own_file(repo: Repo) -> None:
    """Where one blob is missing, the others are reviewed and that one is named."""
    repo.commit("first", {"a.py": "1\n", "b.py": "1\n2\n", "c.py": "1\n"})
    repo.branch("feature")
    for path in ("a.py", "b.py", "c.py"):
        repo.write(path, "changed\n")
    blob = repo.git("rev-parse", "main:b.py")
    (repo.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    change = change_of(repo.root)
    assert [file.path for file in change.files] == ["a.py", "c.py"]
    assert hunks_of(change, "a.py") == [(1, 1, 1, 1)]
    assert skips_of(change)["b.py"][0] == "not-checked"


def test_the_reader_of_objects_survives_its_own_death(repo: Repo) -> None:
    """When git's reader was killed, or a question was cancelled half-way, the next answer is right."""
    repo.commit("first", {f"f{number}.py": f"{number}\n" * 2000 for number in range(50)})
    ids = [repo.git("rev-parse", f"HEAD:f{number}.py") for number in range(50)]

    async def ask(git: Git) -> None:
        first = await git.text_at("HEAD", RelPath("f1.py"))
        child = git._blobs._child
        assert first is not None
        assert child is not None
        child.kill()
        with pytest.raises(OutsideError, match="ended unexpectedly"):
            await git.text_at("HEAD", RelPath("f2.py"))
        second = await git.text_at("HEAD", RelPath("f2.py"))
        assert second is not None
        assert second.text == "2\n" * 2000
        question = asyncio.ensure_future(git._blobs.get(ids, max_bytes=10**6))
        for _ in range(3):
            await asyncio.sleep(0)
        question.cancel()
        with pytest.raises(asyncio.CancelledError):
            await question
        found = await git._blobs.get(ids, max_bytes=10**6)
        assert [found[name].data for name in ids] == [f"{number}\n".encode() * 2000 for number in range(50)]
        small = await git._blobs.get(["0" * 40, ids[3]], max_bytes=10)
        assert list(small) == [ids[3]]

    with_git(repo.root, ask)
