"""Repositories in odd states, hostile or opinionated configuration: the same lines are found, or the advice fits."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Cli, Ran
    from support.repo import Repo

LINE: Final = "x = eval(y == None)  # MARK"
BAD: Final = f"{LINE}\n"


def wire(ran: Ran) -> dict[str, Any]:
    """The report of a JSON run that ended well."""
    assert (ran.err, ran.status) == ("", 0)
    loaded: dict[str, Any] = json.loads(ran.out)
    return loaded


def lines(ran: Ran) -> list[tuple[str, int]]:
    """Where something was found."""
    return sorted({(each["path"], each["range"]["start"]["line"]) for each in wire(ran)["findings"]})


def review(cli: Cli, *options: str, here: Path | None = None) -> Ran:
    """A review as JSON."""
    return cli("review", "--format", "json", *options, here=here)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("color.ui", "always"),
        ("diff.renames", "copies"),
        ("diff.renameLimit", "1"),
        ("diff.context", "25"),
        ("diff.interHunkContext", "50"),
        ("diff.algorithm", "patience"),
        ("diff.orderFile", "/nonexistent"),
        ("diff.relative", "true"),
        ("diff.wordRegex", "."),
        ("diff.submodule", "log"),
        ("diff.ignoreSubmodules", "all"),
        ("diff.suppressBlankEmpty", "true"),
        ("diff.srcPrefix", "x/"),
        ("core.quotePath", "true"),
        ("core.abbrev", "4"),
        ("core.precomposeUnicode", "true"),
        ("core.autocrlf", "true"),
        ("core.safecrlf", "true"),
        ("core.untrackedCache", "true"),
        ("core.splitIndex", "true"),
        ("core.pager", "false"),
        ("status.showUntrackedFiles", "no"),
        ("grep.patternType", "perl"),
        ("grep.column", "true"),
        ("grep.fullName", "false"),
        ("core.ignoreCase", "true"),
        ("core.commentChar", "x"),
        ("i18n.logOutputEncoding", "utf-16"),
    ],
)
def test_a_persons_settings_change_nothing(cli: Cli, house: Repo, name: str, value: str) -> None:
    """Whatever git is set to, the same lines are found."""
    house.commit("base", {"a.py": "a = 1\nb = 2\nc = 3\n", "old.py": "".join(f"a{n} = {n}\n" for n in range(20))})
    house.branch("topic")
    house.config(name, value)
    house.write("a.py", f"a = 1\n{BAD}c = 3\n")
    house.rename("old.py", "new ü.py")
    house.write("new ü.py", house.read("new ü.py") + BAD)
    house.write("loose.py", BAD)
    assert lines(review(cli)) == [("a.py", 2), ("loose.py", 1), ("new ü.py", 21)]


PROGRAMS: Final = (
    "core.fsmonitor", "core.sshCommand", "core.editor", "core.pager", "core.askPass", "diff.external",
    "diff.evil.command",
    "diff.evil.textconv", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "credential.helper",
    "gpg.program", "merge.evil.driver", "uploadpack.packObjectsHook", "remote.origin.uploadpack", "remote.origin.vcs",
    "core.gitProxy", "sequence.editor", "core.alternateRefsCommand", "alias.diff", "alias.ls-files", "init.templateDir",
)  # fmt: skip


@pytest.mark.parametrize("command", [["review"], ["base"], ["doctor"], ["trust"], ["packs", "list"]])
def test_no_program_of_the_repository_runs(cli: Cli, house: Repo, tmp_path: Path, command: list[str]) -> None:
    """Every setting, hook and attribute that names a program is there, and none is started by any subcommand."""
    proof = tmp_path / "ran"
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\necho $0 $* >> {proof}\ncat\n")
    evil.chmod(0o755)
    house.commit("base", {"a.py": "a = 1\n", ".gitattributes": "*.py diff=evil merge=evil\n*.txt filter=evil\n"})
    house.commit("base", {"a.txt": "x\n"})
    house.branch("topic")
    house.write("a.py", BAD)
    house.write("a.txt", "y\n")
    hooks = house.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "pre-commit", "fsmonitor-watchman", "reference-transaction", "post-checkout"):
        (hooks / name).symlink_to(evil)
    config = house.root / ".git" / "config"
    for name in PROGRAMS:
        section, _, key = name.rpartition(".")
        head, _, rest = section.partition(".")
        title = f'[{head} "{rest}"]' if rest else f"[{head}]"
        value = f"!{evil}" if head == "alias" else str(evil)
        config.write_text(config.read_text() + f"{title}\n\t{key} = {value}\n")
    text = '[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n\turl = ext::' + f"{evil}\n"
    config.write_text(config.read_text() + text)
    proof.unlink(missing_ok=True)
    ran = cli(*command)
    assert ran.status == 0, ran.err
    assert not proof.exists(), proof.read_text()


def test_no_commits(cli: Cli, house: Repo, repo: Repo) -> None:
    """Before the first commit everything is new."""
    house.git("checkout", "--quiet", "--orphan", "fresh")
    repo.write("a.py", BAD)
    repo.stage("a.py")
    repo.write("b.py", BAD)
    assert [each for each in lines(review(cli)) if "/" not in each[0]] == [("a.py", 1), ("b.py", 1)]
    assert review(cli, "--scope", "committed").status == 2
    assert ("a.py", 1) in lines(review(cli, "--scope", "staged"))


def test_a_detached_head(cli: Cli, house: Repo) -> None:
    """The base is found for a commit as for a branch."""
    house.branch("topic")
    house.commit("one", {"a.py": BAD})
    house.checkout(house.head())
    document = wire(review(cli))
    assert (document["head"]["branch"], document["base"]["ref"]) == (None, "main")
    assert lines(review(cli)) == [("a.py", 1)]


def test_the_default_branch_has_another_name(cli: Cli, house: Repo, tmp_path: Path) -> None:
    """Without origin/HEAD and without main, a usual name on the remote is taken."""
    house.git("branch", "-m", "main", "develop")
    clone = house.clone(tmp_path / "clone")
    clone.git("remote", "set-head", "origin", "--delete")
    clone.branch("topic")
    clone.write("a.py", BAD)
    ran = review(cli, here=clone.root)
    assert (wire(ran)["base"]["ref"], lines(ran)) == ("origin/develop", [("a.py", 1)])


def test_already_merged_into_dev(cli: Cli, house: Repo) -> None:
    """A branch that one candidate holds already is reviewed against the other, and this is said."""
    house.git("branch", "dev")
    house.branch("topic")
    house.commit("one", {"a.py": BAD})
    house.checkout("dev")
    house.merge("topic")
    house.checkout("topic")
    ran = review(cli)
    assert (wire(ran)["base"]["ref"], lines(ran)) == ("main", [("a.py", 1)])
    assert wire(ran)["base"]["doubts"] == ["HEAD is already merged into dev"]
    assert "not dev: HEAD is already merged into it" in cli("base").out


def test_a_shallow_clone_without_merge_base(cli: Cli, house: Repo, tmp_path: Path) -> None:
    """Status 2 and how to get the merge base; with a base that is here the review is made."""
    house.branch("topic")
    house.commit("one", {"a.py": "a = 1\n"})
    house.commit("two", {"a.py": BAD})
    house.checkout("main")
    house.commit("three", {"m.py": "m = 1\n"})
    clone = house.clone(tmp_path / "shallow", "--depth=1", "--no-single-branch")
    clone.checkout("topic")
    ran = review(cli, here=clone.root)
    assert ran.status == 2
    assert "git fetch --unshallow" in ran.err
    assert lines(review(cli, "--base", "HEAD", here=clone.root)) == []


def test_a_partial_clone(cli: Cli, house: Repo, tmp_path: Path) -> None:
    """A base that is not here costs its own file, and nothing is fetched."""
    house.config("uploadpack.allowFilter", "true")
    house.commit("base", {"a.py": "a = 1\n", "b.py": "b = 1\n"})
    clone = house.clone(tmp_path / "partial", "--filter=blob:none", "--no-checkout")
    clone.git("checkout", "--quiet", "-b", "topic", "origin/main")
    clone.commit("one", {"a.py": BAD})
    house.commit("late", {"b.py": "b = 2\n"})
    clone.write("n.py", BAD)
    assert ("n.py", 1) in lines(review(cli, here=clone.root))


def test_a_merge_in_progress(cli: Cli, house: Repo) -> None:
    """What the merge brings is not the branch's; a file in conflict is named as not checked."""
    house.commit("base", {"a.py": "a = 1\n"})
    house.branch("topic")
    house.commit("ours", {"a.py": "a = 2\n", "own.py": BAD})
    house.checkout("main")
    house.commit("theirs", {"a.py": "a = 3\n", "brought.py": BAD})
    house.checkout("topic")
    house.git("merge", "main", check=False)
    ran = review(cli)
    assert lines(ran) == [("own.py", 1)]
    assert wire(ran)["verdict"]["status"] == "INCOMPLETE"
    assert [(skip["path"], skip["kind"]) for skip in wire(ran)["coverage"]["skipped"]] == [("a.py", "not-checked")]


def test_a_linked_worktree(cli: Cli, house: Repo, tmp_path: Path) -> None:
    """A linked worktree is reviewed for itself."""
    linked = tmp_path / "linked"
    house.git("worktree", "add", "--quiet", "-b", "topic", str(linked))
    (linked / "a.py").write_text(BAD)
    assert lines(review(cli, here=linked)) == [("a.py", 1)]
    doctor = cli("doctor").out
    assert f"worktree {linked}: topic" in doctor


def test_a_dirty_submodule(cli: Cli, house: Repo, tmp_path: Path) -> None:
    """What changed inside a submodule is not looked at, and a moved one is named."""
    inner = type(house)(tmp_path / "inner")
    inner.commit("first", {"x.py": "1\n"})
    house.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.root.as_uri(), "sub")
    house.commit("sub")
    house.branch("topic")
    house.write("sub/x.py", BAD)
    house.write("a.py", BAD)
    assert lines(review(cli)) == [("a.py", 1)]
    house.git("commit", "--quiet", "-am", "inner", cwd=house.root / "sub")
    ran = review(cli)
    assert lines(ran) == [("a.py", 1)]
    assert [(each["path"], each["reason"]) for each in wire(ran)["coverage"]["skipped"]] == [("sub", "submodule")]


def test_a_sparse_checkout(cli: Cli, house: Repo) -> None:
    """Files that are only in the index are no deletions, and their changes are reviewed."""
    house.commit("base", {"in/a.py": "a = 1\n", "out/b.py": "b = 1\n"})
    house.branch("topic")
    house.commit("one", {"out/b.py": f"b = 1\n{BAD}"})
    house.git("sparse-checkout", "set", "--no-cone", "/in/", "/.roundzero/", "/.roundzero.toml")
    house.write("in/a.py", BAD)
    assert lines(review(cli)) == [("in/a.py", 1), ("out/b.py", 2)]


def test_a_bare_repository(cli: Cli, house: Repo, tmp_path: Path) -> None:
    """Objects can be reviewed without a work tree, by the commit's own rules; anything else says what to do."""
    house.branch("topic")
    house.commit("one", {"a.py": BAD})
    bare = house.clone(tmp_path / "bare.git", "--bare")
    ran = review(cli, "--head", "topic", "--base", "main", here=bare.root)
    assert ("a.py", 1) in lines(ran)
    assert wire(ran)["coverage"]["files"] == 1
    assert ("a.py", 1) in lines(review(cli, "--head", "topic", here=bare.root))
    assert cli("base", here=bare.root).out.startswith("Base main at ")
    found = next(each for each in wire(ran)["findings"] if each["path"] == "a.py")
    house.commit("two", {".roundzero.toml": f'packs = ["house"]\n[items]\n"{found["item"]}" = "P3"\n'})
    house.git("push", "--quiet", str(bare.root), "topic")
    again = wire(review(cli, "--head", "topic", here=bare.root))["findings"]
    raised = next(each for each in again if each["id"] == found["id"])
    assert (found["severity"] != "P3", raised["severity"]) == (True, "P3")
    for options in ((), ("--scope", "staged"), ("--scope", "committed"), ("--base", "main")):
        ran = review(cli, *options, here=bare.root)
        assert ran.status == 2
        assert "is bare" in ran.err
        assert "--head REV" in ran.err


def test_not_a_repository(cli: Cli, tmp_path: Path) -> None:
    """Status 2 and what to do."""
    ran = review(cli, here=tmp_path)
    assert ran.status == 2
    assert "is not in a git repository" in ran.err


def test_git_is_missing(cli: Cli, house: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Status 2 and what to install, also where PATH names the repository's own folder."""
    house.write("git", "#!/bin/sh\ntouch ran\n", executable=True)
    monkeypatch.setenv("PATH", f".{os.pathsep}/nonexistent")
    ran = review(cli)
    assert ran.status == 2
    assert "git was not found on PATH" in ran.err
    assert not house.path("ran").exists()


def test_somebody_elses_repository(cli: Cli, house: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git's refusal names the command that allows it."""
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text(f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {shutil.which("git")} "$@"\n')
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(git.parent), prepend=os.pathsep)
    ran = review(cli)
    assert ran.status == 2
    assert "git config --global --add safe.directory" in ran.err


@pytest.mark.parametrize(
    "damage", ["HEAD", "config", "index", "objects", "refs", "packed-refs", "shallow", "MERGE_HEAD", "info/exclude"]
)
@pytest.mark.parametrize("content", [b"", b"\xff\0garbage\n", b"[x\n"])
def test_a_damaged_git_directory_is_not_our_fault(cli: Cli, house: Repo, damage: str, content: bytes) -> None:
    """Whatever of git's own files is broken, the status is that of a review, or 2 with git's words; never 3."""
    house.branch("topic")
    house.write("a.py", BAD)
    target = house.root / ".git" / damage
    if target.is_dir():
        shutil.rmtree(target)
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(content)
    for command in (["review"], ["base"], ["doctor"]):
        ran = cli(*command)
        assert ran.status in (0, 2), ran.err
        assert "our fault" not in ran.err
