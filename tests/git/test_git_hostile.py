"""A repository's own configuration tries to run a program; the program touches a marker; no marker appears."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from roundzero.core.change import Change, Side
from roundzero.core.text import RelPath
from roundzero.errors import OutsideError, UserError
from roundzero.git.repository import Git, Scope
from support.gitwork import skips_of, with_git
from support.repo import Repo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """What the hostile program leaves behind."""
    return tmp_path / "marker"


@pytest.fixture
def program(tmp_path: Path, marker: Path) -> Path:
    """A program that proves that it ran."""
    path = tmp_path / "evil"
    path.write_text(f"#!/bin/sh\necho ran >> '{marker}'\ncat 2>/dev/null\nexit 0\n")
    path.chmod(0o755)
    return path


def _victim(root: Path) -> Repo:
    repo = Repo(root)
    repo.commit("first", {"a.py": "one\ntwo\n", "b.bin": "text\n", ".gitattributes": "*.bin diff=evil\n"})
    repo.branch("feature")
    repo.commit("second", {"a.py": "one\nTWO\n"})
    repo.write("a.py", "one\nTWO\nthree\n")
    repo.write("b.bin", "other\n")
    repo.write("new.py", "new\n")
    repo.remove(".gitattributes")
    repo.write(".gitattributes", "*.bin diff=evil\n*.py filter=evil\n")
    return repo


async def _everything(git: Git) -> Change:
    """Every question there is, in every scope; a failure is fine, a started program is not."""
    choice = await git.choose_base(explicit="main", environ={})
    for scope in (Scope.STAGED, Scope.COMMITTED, Scope.WORKTREE):
        change = await git.collect(choice, scope=scope, overlays={RelPath("a.py"): "buffer\n"})
    await git.collect(choice, head="feature")
    for side in Side:
        await git.paths(side, change)
        await git.read(RelPath("a.py"), side, change)
        await git.read(RelPath("b.bin"), side, change)
    await git.grep(["one", "other"], change)
    await git.refresh(change, RelPath("b.bin"), "again\n")
    await git.refresh(change, RelPath("unknown.py"), "again\n")
    await git.restrict(change, b"--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+new\n")
    await git.hunks("a\n", "b\n")
    await git.head_key()
    return change


def _fsmonitor(repo: Repo, program: Path) -> None:
    repo.config("core.fsmonitor", str(program))
    repo.config("core.fsmonitorHookVersion", "1")


def _hooks(repo: Repo, program: Path) -> None:
    hooks = repo.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
        (hooks / name).write_text(program.read_text())
        (hooks / name).chmod(0o755)
    repo.config("core.hooksPath", str(hooks))


def _external_diff(repo: Repo, program: Path) -> None:
    repo.config("diff.external", str(program))
    repo.config("diff.evil.command", str(program))


def _textconv(repo: Repo, program: Path) -> None:
    repo.config("diff.evil.textconv", str(program))
    repo.config("diff.evil.cachetextconv", "true")


def _filters(repo: Repo, program: Path) -> None:
    for key in ("clean", "smudge"):
        repo.config(f"filter.evil.{key}", str(program))
    repo.config("filter.evil.required", "true")


def _filter_process(repo: Repo, program: Path) -> None:
    repo.config("filter.evil.process", str(program))
    repo.config("filter.evil.required", "true")


def _filter_in_an_included_file(repo: Repo, program: Path) -> None:
    repo.write("gitconfig", f'[filter "evil"]\n\tclean = {program}\n\tprocess = {program}\n')
    repo.config("include.path", "../gitconfig")


def _odd_filter_name(repo: Repo, program: Path) -> None:
    repo.write(".gitattributes", "*.py filter=Ev.il\n*.bin filter=é\n")
    for name in ("Ev.il", "é", ""):
        repo.config(f"filter.{name}.clean", str(program))


def _settings_that_name_programs(repo: Repo, program: Path) -> None:
    for name in ("core.pager", "core.editor", "core.askPass", "core.sshCommand", "core.gitProxy", "gpg.program"):
        repo.config(name, str(program))
    repo.config("core.alternateRefsCommand", str(program))
    repo.config("pager.diff", str(program))
    repo.config("pager.grep", str(program))
    repo.config("log.showSignature", "true")
    repo.config("interactive.diffFilter", str(program))
    repo.config("credential.helper", str(program))
    repo.config("alias.diff", f"!{program}")


@pytest.mark.parametrize(
    "attack",
    [
        _fsmonitor,
        _hooks,
        _external_diff,
        _textconv,
        _filters,
        _filter_process,
        _filter_in_an_included_file,
        _odd_filter_name,
        _settings_that_name_programs,
    ],
)
def test_no_setting_of_a_repository_starts_a_program(
    tmp_path: Path, marker: Path, program: Path, attack: Callable[[Repo, Path], None]
) -> None:
    """Whatever program a repository's configuration names, no question to it starts that program."""
    repo = _victim(tmp_path / "victim")
    attack(repo, program)
    change = with_git(repo.root, _everything)
    assert not marker.exists()
    assert change.files or change.skipped


@pytest.mark.parametrize("attack", [_fsmonitor, _external_diff, _textconv, _filters])
def test_the_attacks_are_real(
    tmp_path: Path, marker: Path, program: Path, attack: Callable[[Repo, Path], None]
) -> None:
    """Plain git does start these programs, so that their silence above means something."""
    repo = _victim(tmp_path / "victim")
    attack(repo, program)
    repo.git("diff", "HEAD", check=False)
    assert marker.exists()


def test_a_file_with_a_filter_is_skipped_by_rule(tmp_path: Path, program: Path) -> None:
    """The bytes of a file with a filter are not its text, so it is named and not reviewed."""
    repo = _victim(tmp_path / "victim")
    _filters(repo, program)
    change = with_git(repo.root, _everything)
    assert skips_of(change)["a.py"] == ("by-rule", "attribute filter=evil")


def test_a_filter_that_appears_between_two_collections_is_disarmed(tmp_path: Path, marker: Path, program: Path) -> None:
    """The names of filters are read again before every look at the work tree."""
    repo = _victim(tmp_path / "victim")

    async def twice(git: Git) -> None:
        choice = await git.choose_base(explicit="main", environ={})
        await git.collect(choice)
        _filters(repo, program)
        repo.write("a.py", "touched\n")
        await git.collect(choice)

    with_git(repo.root, twice)
    assert not marker.exists()


def test_a_promisor_remote_is_never_asked(tmp_path: Path, marker: Path, program: Path) -> None:
    """A blob that a partial clone lacks is named as not here; nothing is fetched for it."""
    origin = Repo(tmp_path / "origin")
    origin.commit("first", {"a.py": "one\n", "b.py": "1\n2\n3\n"})
    origin.config("uploadpack.allowFilter", "true")
    clone = origin.clone(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    clone.config("remote.origin.url", "ssh://nowhere.invalid/repository")
    clone.config("core.sshCommand", str(program))
    clone.config("remote.origin.uploadpack", str(program))
    clone.git("symbolic-ref", "HEAD", "refs/heads/feature")
    clone.git("update-ref", "refs/heads/feature", "refs/remotes/origin/main")
    clone.git("read-tree", "HEAD")
    clone.write("a.py", "one\nmore\n")
    clone.write("b.py", "1\n2\n3\n")
    change = with_git(clone.root, _collected)
    assert not marker.exists()
    kind, reason = skips_of(change)["a.py"]
    assert kind == "not-checked"
    assert "git fetch --refetch" in reason


def test_a_hostile_submodule_runs_nothing(tmp_path: Path, marker: Path, program: Path) -> None:
    """A dirty submodule's own filters and monitor do not run, and the submodule is skipped by rule."""
    inner = Repo(tmp_path / "inner")
    inner.commit("first", {"x.py": "x\n", ".gitattributes": "*.py filter=evil\n"})
    repo = Repo(tmp_path / "outer")
    repo.commit("first", {"a.py": "one\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.root.as_uri(), "sub")
    repo.commit("with a submodule")
    repo.branch("feature")
    sub = repo.root / "sub"
    for name, value in (("filter.evil.clean", str(program)), ("core.fsmonitor", str(program))):
        repo.git("config", name, value, cwd=sub)
    (sub / "x.py").write_text("changed\n")
    repo.config("submodule.recurse", "true")
    repo.config("diff.ignoreSubmodules", "none")
    repo.config("diff.submodule", "log")
    repo.write("a.py", "two\n")
    change = with_git(repo.root, _collected)
    assert not marker.exists()
    assert [file.path for file in change.files] == ["a.py"]
    repo.git("commit", "--quiet", "--allow-empty", "--no-verify", "-m", "inner", cwd=sub)
    marker.unlink()  # that was plain git, of this test
    change = with_git(repo.root, _collected)
    assert skips_of(change)["sub"] == ("by-rule", "submodule")
    assert not marker.exists()


def test_git_of_a_relative_path_entry_is_not_run(
    tmp_path: Path, marker: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program named git inside the repository is not taken for git, even with ``.`` on PATH."""
    repo = _victim(tmp_path / "victim")
    repo.write("git", program.read_text(), executable=True)
    monkeypatch.chdir(repo.root)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    with_git(repo.root, _everything)
    assert not marker.exists()


def test_nothing_is_written_into_the_repository(tmp_path: Path) -> None:
    """No question changes the index or any other file of the git directory."""
    repo = _victim(tmp_path / "victim")
    before = _contents(repo.root)
    with_git(repo.root, _everything)
    assert _contents(repo.root) == before


def test_a_link_out_of_the_tree_is_never_read(tmp_path: Path) -> None:
    """Neither a linked file nor a file behind a linked folder shows what lies outside."""
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.py").write_text("token\n")
    repo = Repo(tmp_path / "victim")
    repo.commit("first", {"dir/key.py": "old\n", "link.py": "old\n"})
    repo.branch("feature")
    repo.remove("dir/key.py")
    repo.path("dir").rmdir()
    repo.path("dir").symlink_to(secret)
    repo.remove("link.py")
    repo.path("link.py").symlink_to(secret / "key.py")
    repo.path("broken.py").symlink_to("nowhere")

    async def look(git: Git) -> Change:
        change = await _collected(git)
        assert await git.read(RelPath("dir/key.py"), Side.HEAD, change) is None
        assert await git.read(RelPath("link.py"), Side.HEAD, change) is None
        assert not (await git.grep(["token"], change))["token"]
        refreshed = await git.refresh(change, RelPath("link.py"), "buffer\n")
        assert refreshed == change
        return change

    change = with_git(repo.root, look)
    assert skips_of(change) == {
        "broken.py": ("by-rule", "symbolic link"),
        "dir": ("by-rule", "symbolic link"),
        "dir/key.py": ("by-rule", "deleted"),
        "link.py": ("by-rule", "symbolic link"),
    }


@pytest.mark.parametrize("ref", ["--output=pwned", "-h", "", "a\nb", "main:a.py", "\0"])
def test_a_ref_is_never_an_option(tmp_path: Path, ref: str) -> None:
    """A base that looks like an option or names no commit is refused, and nothing is written."""
    repo = _victim(tmp_path / "victim")

    async def choose(git: Git) -> None:
        if ref:
            with pytest.raises((UserError, OutsideError)):
                await git.choose_base(explicit=ref, environ={})
        choice = await git.choose_base(explicit="main", environ={})
        with pytest.raises((UserError, OutsideError)):
            await git.collect(choice, head=ref)

    with_git(repo.root, choose)
    assert not (repo.root / "pwned").exists()


async def _collected(git: Git) -> Change:
    return await git.collect(await git.choose_base(explicit=None, environ={}))


def _contents(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in sorted(root.rglob("*")) if path.is_file()
    }
