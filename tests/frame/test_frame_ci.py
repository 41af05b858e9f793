"""What CI systems and the pre-commit framework are told runs as they would run it."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from roundzero.cli import review
from roundzero.render.markdown_text import MARK

if TYPE_CHECKING:
    from support.repo import Repo

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def parse(command: str) -> argparse.Namespace:
    """The options of a ``roundzero review`` command."""
    program, subcommand, *arguments = shlex.split(command)
    assert (program, subcommand) == ("roundzero", "review")
    parser = argparse.ArgumentParser(exit_on_error=False)
    review.arguments(parser)
    return parser.parse_args(arguments)


def test_the_hook_is_one_the_framework_accepts() -> None:
    """It has the required keys, is built from this repository, and its command is one we install and understand."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for hook in HOOKS:
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert hook["language"] == "python"
        assert hook["pass_filenames"] is False
        assert shlex.split(hook["entry"])[0] in project["scripts"]
    assert [hook["stages"] for hook in HOOKS] == [["pre-commit"], ["pre-push"]]
    for hook in HOOKS:
        assert shlex.split(hook["entry"]) == ["roundzero", "hook", "run", "--stage", *hook["stages"]]
        assert hook["always_run"] is True


def test_the_hook_stops_a_bad_commit(roundzero: Path, repo: Repo) -> None:
    """Run as the framework runs it, it fails on a staged conflict marker and passes without one."""
    _, *arguments = shlex.split(HOOKS[0]["entry"])
    repo.commit("first", {"a.py": "x = 1\n"})
    repo.write("a.py", "<<<<<<< ours\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n")
    for staged, status in ((False, 0), (True, 1)):
        if staged:
            repo.git("add", "a.py")
        done = subprocess.run([roundzero, *arguments], cwd=repo.root, capture_output=True, check=False)
        assert done.returncode == status, done.stderr.decode()


def test_nothing_but_findings_stops_a_commit_or_push_under_the_framework(roundzero: Path, repo: Repo) -> None:
    """Settings that cannot be read end a review with status 2; under either hook they are told, and git goes on."""
    repo.commit("first", {"a.py": "x = 1\n"})
    repo.write(".roundzero.toml", "[[[")
    repo.git("add", ".")
    for hook in HOOKS:
        _, *arguments = shlex.split(hook["entry"])
        done = subprocess.run(
            [roundzero, *arguments],
            cwd=repo.root,
            env={**os.environ, "PRE_COMMIT": "1"},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, b".roundzero.toml" in done.stderr) == (0, True), done.stderr.decode()


def test_the_hook_before_a_push_reviews_what_the_framework_says_is_pushed(roundzero: Path, repo: Repo) -> None:
    """The framework reads git's lines itself and hands one ref on in the environment."""
    _, *arguments = shlex.split(HOOKS[1]["entry"])
    first = repo.commit("first", {"a.py": "x = 1\n"})
    repo.branch("topic")
    bad = repo.commit("bad", {"a.py": "<<<<<<< ours\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n"})
    repo.checkout("main")
    pushed = {
        "PRE_COMMIT": "1",
        "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/topic",
        "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/topic",
        "PRE_COMMIT_FROM_REF": first,
        "PRE_COMMIT_TO_REF": bad,
    }
    for given, status in ((pushed, 1), ({"PRE_COMMIT": "1"}, 0)):
        done = subprocess.run(
            [roundzero, *arguments],
            cwd=repo.root,
            env={**os.environ, **given},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, b"a.py:1:1 P0" in done.stderr) == (status, bool(status)), done.stderr.decode()


@pytest.mark.parametrize("command", ["review --scope staged", HOOKS[0]["entry"].removeprefix("roundzero ")])
@pytest.mark.parametrize("options", [("-a",), ("a.py",), ("--include", "a.py")])
def test_the_hook_sees_what_git_is_about_to_commit(
    roundzero: Path, repo: Repo, options: tuple[str, ...], command: str
) -> None:
    """``git commit -a`` and ``git commit PATH`` prepare an index of their own; that one is reviewed."""
    repo.commit("first", {"a.py": "x = 1\n", "b.py": "x = 1\n"})
    repo.write("b.py", "x = 2\n")
    repo.git("add", "b.py")
    repo.write("a.py", "<<<<<<< ours\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n")
    hook = repo.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {shlex.quote(str(roundzero))} {command}\n", encoding="utf-8")
    hook.chmod(0o755)
    settings = (f"core.hooksPath={hook.parent}", "user.name=A", "user.email=a@example.com")
    given = [part for setting in settings for part in ("-c", setting)]
    done = subprocess.run(
        ["git", *given, "commit", "-m", "second", *options], cwd=repo.root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "a.py:1:1 P0" in done.stdout + done.stderr


@pytest.mark.parametrize("command", sorted(set(re.findall(r"roundzero review[^\n|#`]*", PAGE))))
def test_every_command_of_the_page_is_understood(command: str) -> None:
    """The options in docs/ci.md exist."""
    parse(command)


def test_the_examples_are_yaml_and_python() -> None:
    """Each example parses in its language, the steps write both formats, and the comment is found by our mark."""
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert [language for language, _ in blocks] == ["yaml", "yaml", "python", "yaml"]
    for language, text in blocks:
        if language == "yaml":
            assert isinstance(yaml.safe_load(text), dict)
        else:
            compile(text, "docs/ci.md", "exec")
    for _, text in blocks[:2]:
        assert {"sarif", "markdown"} <= {parse(each).format for each in re.findall(r"roundzero review[^\n|#]*", text)}
    assert f'startswith("{MARK}")' in blocks[0][1]
