"""The installed hook, as git runs it: real pushes to a real bare remote, real commits."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from roundzero.core.report import VerdictStatus
from roundzero.store.ledger_db import LedgerDb

if TYPE_CHECKING:
    from support.repo import Repo

pytestmark = pytest.mark.e2e

GOOD: Final = "x = 1\n"
BAD: Final = "<<<<<<< ours\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n"
FOUND: Final = "a.py:1:1 P0"


@dataclass(frozen=True)
class Clone:
    """A repository with a remote, and git as a person starts it."""

    repo: Repo
    remote: Path
    roundzero: Path

    def git(self, *arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run git with hooks."""
        person = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always")
        return subprocess.run(
            ["git", *person, *arguments],
            cwd=cwd or self.repo.root,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def push(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Push to the remote."""
        return self.git("push", "--quiet", "origin", *arguments, cwd=cwd)

    def there(self, ref: str) -> str:
        """The commit a ref of the remote is at; "" for none."""
        return self.repo.git("rev-parse", "--verify", "--quiet", ref, cwd=self.remote, check=False)

    def review(self, *options: str) -> None:
        """Make a round."""
        subprocess.run([self.roundzero, "review", *options], cwd=self.repo.root, capture_output=True, check=False)

    def hook(self, action: str, *options: str, cwd: Path | None = None) -> None:
        """Install or uninstall."""
        done = subprocess.run([self.roundzero, "hook", action, *options], cwd=cwd or self.repo.root, check=False)
        assert done.returncode == 0

    @property
    def hooks(self) -> Path:
        """The folder of hooks."""
        return self.repo.root / ".git" / "hooks"

    def script(self, name: str, text: str) -> Path:
        """A hook of the person's own."""
        self.hooks.mkdir(exist_ok=True)
        path = self.hooks / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path


@pytest.fixture
def clone(repo: Repo, tmp_path: Path, roundzero: Path) -> Clone:
    """Main is pushed; the hook is installed; a branch is checked out."""
    remote = tmp_path / "remote.git"
    repo.git("init", "--quiet", "--bare", "--initial-branch=main", str(remote))
    repo.commit("first", {"main.py": GOOD})
    repo.git("remote", "add", "origin", str(remote))
    repo.git("push", "--quiet", "--set-upstream", "origin", "main")
    made = Clone(repo, remote, roundzero)
    made.hook("install")
    repo.branch("topic")
    return made


def test_a_push_is_stopped_by_what_it_brings(clone: Clone) -> None:
    """The findings, short, and how to push all the same; nothing has arrived. A good push says its verdict."""
    repo = clone.repo
    repo.commit("bad", {"a.py": BAD})
    done = clone.push("topic")
    assert done.returncode == 1
    assert "roundzero: topic: BLOCKED (checks only)" in done.stderr
    assert f"  {FOUND}" in done.stderr
    assert "  all of it: roundzero review --scope committed" in done.stderr
    assert "git push --no-verify" in done.stderr
    assert done.stdout == ""
    assert clone.there("topic") == ""
    assert clone.push("--no-verify", "topic").returncode == 0
    repo.commit("good", {"a.py": GOOD})
    done = clone.push("topic")
    assert (done.returncode, done.stderr) == (0, "roundzero: topic: LGTM (checks only)\n")
    assert clone.there("topic") == repo.head()


def test_what_is_pushed_is_reviewed_and_not_the_work_tree(clone: Clone) -> None:
    """Other branches and bare commits too, from any folder, while the work tree holds something else."""
    repo = clone.repo
    bad = repo.commit("bad", {"a.py": BAD})
    repo.branch("other", "main")
    repo.commit("good", {"sub/b.py": GOOD})
    done = clone.push("topic", cwd=repo.root / "sub")
    assert (done.returncode, FOUND in done.stderr) == (1, True)
    done = clone.push(f"{bad}:refs/heads/new")
    assert (done.returncode, FOUND in done.stderr) == (1, True)
    repo.write("sub/b.py", BAD)
    repo.write("untracked.py", BAD)
    repo.stage("sub/b.py")
    before = repo.git("status", "--porcelain=v2")
    done = clone.push("HEAD")
    assert (done.returncode, done.stderr) == (0, "roundzero: other: LGTM (checks only)\n")
    assert repo.git("status", "--porcelain=v2") == before


def test_several_refs_are_each_reviewed_once(clone: Clone) -> None:
    """Two names of one commit are one review; deletions and tags of what is there are none; one bad ref stops all."""
    repo = clone.repo
    repo.commit("good", {"b.py": GOOD})
    assert clone.push("topic", "topic:copy").stderr == "roundzero: topic: LGTM (checks only)\n"
    repo.git("tag", "light")
    repo.git("tag", "-m", "annotated", "heavy")
    done = clone.push("light", "heavy", ":copy")
    assert (done.returncode, done.stderr) == (0, "")
    assert clone.there("copy") == ""
    repo.git("checkout", "--quiet", "--detach")
    repo.commit("bad", {"a.py": BAD})
    repo.git("tag", "bad")
    repo.checkout("topic")
    done = clone.push("bad", "topic:again")
    assert (done.returncode, FOUND in done.stderr, clone.there("again")) == (1, True, "")
    assert "topic: LGTM" in done.stderr


def test_the_default_branch_is_compared_with_what_the_remote_has(clone: Clone) -> None:
    """Unpushed commits of main, with an upstream or without; a first push has nothing to be compared with."""
    repo = clone.repo
    repo.checkout("main")
    repo.commit("bad", {"a.py": BAD})
    done = clone.push("main")
    assert (done.returncode, FOUND in done.stderr) == (1, True)
    repo.git("branch", "--unset-upstream")
    done = clone.push("main")
    assert (done.returncode, FOUND in done.stderr) == (1, True)
    repo.git("remote", "remove", "origin")
    empty = clone.remote.parent / "empty.git"
    repo.git("init", "--quiet", "--bare", str(empty))
    done = clone.git("push", "--quiet", str(empty), "main")
    assert done.returncode == 0
    assert done.stderr == (
        "roundzero: main: not reviewed, which does not stop the push: there is nothing to compare it with\n"
    )


def test_a_fresh_verdict_is_used_again(clone: Clone) -> None:
    """A round over the very change stands, committed or not when it was made; a commit, or a setting, ends that.

    A push of the current branch is a review of the whole branch, and so a round itself.
    """
    repo = clone.repo
    repo.write("a.py", GOOD)
    clone.review()
    repo.commit("mine")
    done = clone.push("topic")
    assert (done.returncode, done.stderr) == (0, "roundzero: topic: LGTM, as round 1 found\n")
    repo.commit("more", {"b.py": GOOD})
    assert clone.push("topic").stderr == "roundzero: topic: LGTM (checks only)\n"
    assert clone.push("topic:second").stderr == "roundzero: topic: LGTM, as round 2 found\n"
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "roundzero" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[items]\n"general/debug-left" = "off"\n')
    assert clone.push("topic:third").stderr == "roundzero: topic: LGTM (checks only)\n"
    ledgers = LedgerDb(repo.root / ".git")
    assert [each.index for each in ledgers.rounds(ledgers.find("refs/heads/topic"))] == [1, 2, 3]


def test_a_dismissal_counts_and_so_does_taking_it_back(clone: Clone) -> None:
    """The ledger's dismissals let a push pass; a verdict from before a reopening is not used again."""
    repo = clone.repo
    repo.commit("bad", {"a.md": BAD})
    clone.review()
    ledgers = LedgerDb(repo.root / ".git")
    (finding,) = ledgers.load(ledgers.find("refs/heads/topic")).entries
    command = [str(clone.roundzero), "ledger"]
    subprocess.run([*command, "dismiss", finding, "--reason", "a fixture"], cwd=repo.root, check=True)
    repo.commit("good", {"b.py": GOOD})
    assert clone.push("topic").stderr == "roundzero: topic: LGTM (checks only)\n"
    rounds = ledgers.rounds(ledgers.find("refs/heads/topic"))
    assert [each.verdict for each in rounds] == [VerdictStatus.BLOCKED, VerdictStatus.LGTM]
    subprocess.run([*command, "reopen", finding], cwd=repo.root, check=True)
    done = clone.push("topic:again")
    assert (done.returncode, "a.md:1:1 P0" in done.stderr) == (1, True)


def test_an_existing_hook_is_called_first_and_decides_too(clone: Clone, tmp_path: Path) -> None:
    """With the same arguments and standard input; its failure stops the push before anything is reviewed."""
    repo = clone.repo
    clone.hook("uninstall")
    seen = tmp_path / "seen"
    clone.script("pre-push", f'printf "%s\\n" "$@" >{seen}; cat >>{seen}; exit "${{FAIL:-0}}"')
    clone.hook("install")
    repo.commit("bad", {"a.py": BAD})
    done = clone.push("topic", "topic:copy")
    assert (done.returncode, FOUND in done.stderr) == (1, True)
    head, zeros = repo.head(), "0" * 40
    assert seen.read_text() == (
        f"origin\n{clone.remote}\nrefs/heads/topic {head} refs/heads/topic {zeros}\n"
        f"refs/heads/topic {head} refs/heads/copy {zeros}\n"
    )
    done = clone.git("push", "--quiet", "origin", "topic", FAIL="3")
    assert (done.returncode, "roundzero" in done.stderr) == (1, False)
    clone.hook("uninstall")
    assert clone.push("topic").returncode == 0


def test_a_hook_that_wraps_ours_makes_no_circle(clone: Clone) -> None:
    """The pre-commit framework moves ours beside its own and calls it, and ours may call an older one of its own."""
    repo = clone.repo
    clone.hook("uninstall")
    text = 'legacy=${0%/*}/pre-push.legacy; if [ -x "$legacy" ]; then "$legacy" "$@" || exit; fi; echo framework >&2'
    clone.script("pre-push", text)
    clone.hook("install")
    (clone.hooks / "pre-push").rename(clone.hooks / "pre-push.legacy")
    clone.script("pre-push", text)
    repo.commit("bad", {"a.py": BAD})
    done = clone.push("topic")
    assert (done.returncode, done.stderr.count(FOUND)) == (1, 1)
    done = clone.git("push", "--quiet", "origin", "topic", PRE_COMMIT="1")
    assert (done.returncode, done.stderr.count(FOUND)) == (1, 1)


def test_linked_worktrees_and_foreign_folders_find_their_repository(clone: Clone, tmp_path: Path) -> None:
    """Git exports GIT_DIR there; the repository it names is reviewed, wherever the push was started."""
    repo = clone.repo
    repo.commit("bad", {"a.py": BAD})
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "--quiet", "-b", "second", str(linked), "main")
    (linked / "b.py").write_text(GOOD)
    assert clone.git("add", "b.py", cwd=linked).returncode == 0
    assert clone.git("commit", "--quiet", "-m", "good", cwd=linked).returncode == 0
    done = clone.push("HEAD", cwd=linked)
    assert (done.returncode, done.stderr) == (0, "roundzero: second: LGTM (checks only)\n")
    for cwd, options in (
        (linked, (f"--git-dir={repo.root / '.git'}", f"--work-tree={repo.root}")),
        (tmp_path, (f"--git-dir={repo.root / '.git'}",)),
        (tmp_path, (f"--git-dir={repo.root / '.git' / 'worktrees' / 'linked'}",)),
        (repo.root / ".git", ()),
    ):
        done = clone.git(*options, "push", "--quiet", "origin", "topic", cwd=cwd)
        assert (done.returncode, FOUND in done.stderr) == (1, True), (options, done.stderr)


def test_what_cannot_be_reviewed_goes_on_and_says_so(clone: Clone) -> None:
    """An unrelated history, broken settings: the push arrives, and nobody takes it for reviewed."""
    repo = clone.repo
    repo.git("checkout", "--quiet", "--orphan", "island")
    repo.commit("alone", {"a.py": BAD})
    done = clone.push("island")
    assert done.returncode == 0
    assert "roundzero: island: not reviewed, which does not stop the push" in done.stderr
    assert "no common history" in done.stderr
    repo.checkout("topic")
    repo.write(".roundzero.toml", "[broken\n")
    repo.commit("bad", {"b.py": BAD})
    done = clone.push("topic")
    assert done.returncode == 0
    assert ".roundzero.toml" in done.stderr
    assert "nothing was reviewed, and the push goes on" in done.stderr


def test_an_incomplete_review_stops_nothing(clone: Clone) -> None:
    """What was not looked at is named."""
    clone.repo.commit("odd", {"b.py": b"x = '\xff'\n"})
    done = clone.push("topic")
    assert done.returncode == 0
    assert "topic: INCOMPLETE (checks only): 1 file not checked: b.py" in done.stderr


@pytest.mark.parametrize("how", ["interpreter", "package"])
def test_without_round_zero_the_push_goes_on(clone: Clone, tmp_path: Path, how: str) -> None:
    """A removed environment, or one without the package, stops nothing; the message says what to do."""
    repo = clone.repo
    hook = clone.hooks / "pre-push"
    (line,) = (line for line in hook.read_text().split("\n") if line.startswith("python="))
    python = tmp_path / "bin" / "python"
    if how == "package":
        python.parent.mkdir()
        python.symlink_to(Path(shutil.which("python3", path=os.defpath) or "/usr/bin/python3"))
        python.unlink()
        python.write_text('#!/bin/sh\necho "No module named roundzero" >&2; exit 1\n')
        python.chmod(0o755)
    hook.write_text(hook.read_text().replace(line, f"python={python}"))
    repo.commit("bad", {"a.py": BAD})
    done = clone.push("topic")
    assert (done.returncode, clone.there("topic")) == (0, repo.head())
    assert "nothing was reviewed and the push goes on" in done.stderr
    assert how == "package" or "roundzero hook install" in done.stderr


def test_the_repository_cannot_put_its_own_modules_in_the_way(clone: Clone) -> None:
    """Git runs hooks in the work tree's root, where the repository may have files of any name."""
    repo = clone.repo
    evil = "import pathlib\npathlib.Path('ran').touch()\nraise SystemExit(0)\n"
    repo.commit("evil", {"roundzero/__init__.py": evil, "json.py": evil, "argparse.py": evil, "a.py": BAD})
    done = clone.push("topic")
    assert (done.returncode, FOUND in done.stderr) == (1, True)
    assert not (repo.root / "ran").exists()


@pytest.mark.parametrize("options", [(), ("-a",), ("a.py",)])
def test_a_commit_is_stopped_by_what_is_staged(clone: Clone, options: tuple[str, ...]) -> None:
    """The index that git is about to commit is reviewed, whichever that is; the way around is named."""
    repo = clone.repo
    repo.commit("good", {"a.py": GOOD})
    clone.hook("install", "--stage", "pre-commit")
    repo.write("a.py", BAD)
    if not options:
        repo.stage("a.py")
        repo.write("a.py", GOOD)
    done = clone.git("commit", "--quiet", "-m", "bad", *options)
    assert (done.returncode, FOUND in done.stderr) == (1, True)
    assert "roundzero: what is staged: BLOCKED (checks only)" in done.stderr
    still_there = "roundzero review --base HEAD" if options else "roundzero review --scope staged"
    assert f"all of it: {still_there}\n" in done.stderr
    assert "git commit --no-verify" in done.stderr
    repo.write("a.py", "x = 2\n")
    repo.stage()
    done = clone.git("commit", "--quiet", "-m", "good")
    assert (done.returncode, done.stderr) == (0, "roundzero: what is staged: LGTM (checks only)\n")


def test_the_first_commit_and_one_in_a_linked_worktree_are_reviewed(clone: Clone, tmp_path: Path) -> None:
    """Each by its own index."""
    repo = clone.repo
    clone.hook("install", "--stage", "pre-commit")
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "--quiet", "-b", "second", str(linked), "main")
    (linked / "a.py").write_text(BAD)
    clone.git("add", "a.py", cwd=linked)
    done = clone.git("commit", "--quiet", "-m", "bad", cwd=linked)
    assert (done.returncode, FOUND in done.stderr) == (1, True)
    repo.git("checkout", "--quiet", "--orphan", "island")
    repo.write("a.py", BAD)
    repo.stage()
    done = clone.git("commit", "--quiet", "-m", "bad")
    assert (done.returncode, FOUND in done.stderr) == (1, True)


def test_the_words_are_the_persons(clone: Clone) -> None:
    """In the language of the settings."""
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "roundzero" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('language = "zh"\n')
    clone.repo.commit("bad", {"a.py": BAD})
    done = clone.push("topic")
    assert "推送已被阻止" in done.stderr
    assert "git push --no-verify" in done.stderr
