"""The repository's formatting hooks: which run, over what, and that no command of the repository does."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from roundzero.core.change import Source, blob_id
from roundzero.core.item import Item, ItemId, LinterCheck, Prose, Severity
from roundzero.core.text import RelPath
from roundzero.linters import Linter, LinterResult, optional
from support.loop import run
from support.repo import Repo

NOT_INSTALLED = "its hooks that format are not installed (pre-commit install-hooks)"
OF_THEIR_OWN = "its hooks that format say themselves how they run"
ITEM = Item(
    id=ItemId("test/item"),
    title=Prose("t"),
    why=Prose("w"),
    severity=Severity.P2,
    checks=(LinterCheck("pre-commit", ()),),
)
MANIFEST = """\
- {id: trailing-whitespace, name: x, entry: trailing-whitespace-fixer, language: golang, files: '\\.txt$'}
- {id: mixed-line-ending, name: x, entry: cat, language: system}
- {id: black, name: x, entry: sh -c 'touch MARK', language: golang}
- {id: cmake-format, name: x, entry: cmake-format, language: golang}
- {id: other, name: x, entry: other, language: golang}
"""


@dataclass(frozen=True, slots=True)
class Hooks:
    """A work tree, the repository its hooks come from, and a file that appears when something runs that must not."""

    tree: Path
    repository: str
    rev: str
    mark: Path

    def configure(self, *hooks: str, top: str = "") -> Linter | str:
        """Name hooks in the configuration; the linter then, or why it does not run."""
        lines = "".join(f"  - {hook.replace('MARK', str(self.mark))}\n" for hook in hooks)
        text = f"{top}repos:\n- repo: {self.repository}\n  rev: {self.rev}\n  hooks:\n{lines}"
        (self.tree / ".pre-commit-config.yaml").write_text(text)
        (linter,) = (each for each in optional() if each.name == "pre-commit")
        return run(linter.ready(None, self.tree))

    def install(self) -> None:
        """Let pre-commit clone the hooks, and put programs where it would build them."""
        script = f"from pre_commit.store import Store; print(Store().clone({self.repository!r}, {self.rev!r}))"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
        programs = Path(done.stdout.strip()) / "golangenv-system" / "bin"
        programs.mkdir(parents=True)
        (programs.parent / ".install_state_v2").touch()
        for name, does in {
            "trailing-whitespace-fixer": "for each; do case $each in -*) ;; *) sed -i 's/ *$//' \"$each\";; esac; done",
            "cmake-format": f"touch {self.mark}",
            "other": f"touch {self.mark}",
        }.items():
            (programs / name).write_text(f"#!/bin/sh\n{does}\n")
            (programs / name).chmod(0o755)


@pytest.fixture
def hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hooks:
    """Hooks that pre-commit has not installed yet."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "home"))
    repository = Repo(tmp_path / "hooks")
    mark = tmp_path / "ran"
    rev = repository.commit("hooks", {".pre-commit-hooks.yaml": MANIFEST.replace("MARK", str(mark))})
    tree = tmp_path / "tree"
    tree.mkdir()
    return Hooks(tree, str(repository.root), rev, mark)


def source(path: str, text: str) -> Source:
    """A text under a path."""
    return Source(RelPath(path), text, blob_id(text.encode()))


def check(linter: Linter | str, *sources: Source) -> LinterResult:
    """Run a linter that is there."""
    assert not isinstance(linter, str), linter
    return run(linter.run(sources, [ITEM]))


def test_hooks_that_are_not_installed_do_not_run(hooks: Hooks) -> None:
    """Nothing is downloaded: the reason says how to install them."""
    assert hooks.configure("id: trailing-whitespace") == NOT_INSTALLED


def test_hooks_that_format_run_on_the_text_given(hooks: Hooks) -> None:
    """Installed formatters run over a copy, in the environment that is there; other hooks do not."""
    hooks.install()
    linter = hooks.configure(
        "{id: trailing-whitespace, args: [--markdown-linebreak-ext=md], exclude: ^b}",
        "id: other",
        top="default_language_version: {golang: 1.2.3}\n",
    )
    result = check(linter, source("a.txt", "one \ntwo\nthree  \n"), source("b.txt", "kept \n"))
    assert result.failures == ()
    edits = [(at, edit.old_text, edit.new_text) for at, _, hit in result.hits for edit in hit.fixes[0].edits]
    assert edits == [(0, "one ", "one"), (0, "three  ", "three")]
    assert not hooks.mark.exists()
    assert [path.name for path in hooks.tree.iterdir()] == [".pre-commit-config.yaml"]


@pytest.mark.parametrize(
    "more",
    [
        "language: system, entry: sh -c 'id > MARK'",
        "entry: sh -c 'id > MARK'",
        "language: golang",
        "language_version: ../../tree",
        "log_file: MARK, verbose: true",
        "additional_dependencies: [./evil]",
        "stages: [manual]",
        "pass_filenames: false",
        "args: [--config, evil.toml]",
        "args: [--plugin=./evil]",
        "args: [--style=file:/tmp/x]",
        "args: --safe",
        "files: [a]",
    ],
)
def test_a_hook_that_says_how_it_runs_does_not_run(hooks: Hooks, more: str) -> None:
    """Beside one that does run it is left out; alone it is the reason that none does; no file appears either way."""
    hooks.install()
    odd = f"{{id: trailing-whitespace, {more}}}"
    assert hooks.configure(odd) == OF_THEIR_OWN
    linter = hooks.configure("{id: trailing-whitespace, files: ^a}", odd)
    assert len(check(linter, source("a.txt", "one \n"), source("b.txt", "one \n")).hits) == 1
    assert not hooks.mark.exists()


@pytest.mark.parametrize("name", ["mixed-line-ending", "black"])
def test_a_hook_without_its_formatter_in_an_environment_does_not_run(hooks: Hooks, name: str) -> None:
    """A formatter's id is not enough: the program must be the formatter's, from an environment that is installed."""
    hooks.install()
    assert hooks.configure(f"id: {name}") == NOT_INSTALLED
    assert not hooks.mark.exists()


@pytest.mark.parametrize("name", ["cmake-format", "prettier", "dprint", "gersemi", "biome-format", "fmt", "go-fmt"])
def test_formatters_that_run_code_as_configuration_do_not_run(hooks: Hooks, name: str) -> None:
    """What a reviewed .cmake-format.py says is not done."""
    hooks.install()
    assert hooks.configure(f"id: {name}") == "no hook formats"
    linter = hooks.configure("id: trailing-whitespace", f"id: {name}")
    texts = [
        source("CMakeLists.txt", "project( x ) \n"),
        source(".cmake-format.py", f"open({str(hooks.mark)!r}, 'w')\n"),
    ]
    assert len(check(linter, *texts).hits) == 1
    assert not hooks.mark.exists()


def test_a_hook_of_the_repository_itself_does_not_run(hooks: Hooks) -> None:
    """Neither a local hook that takes a formatter's id, nor another file that is no configuration, does any harm."""
    for text in (
        f"repos: [{{repo: local, hooks: [{{id: black, name: b, entry: touch {hooks.mark}, language: system}}]}}]\n",
        "repos: 1\n",
        "[]\n",
        "repos: [{repo: [], rev: 1, hooks: [{id: []}]}]\n",
    ):
        (hooks.tree / ".pre-commit-config.yaml").write_text(text)
        (linter,) = (each for each in optional() if each.name == "pre-commit")
        assert run(linter.ready(None, hooks.tree)) == "no hook formats"
    assert not hooks.mark.exists()


def test_a_reviewed_configuration_does_not_take_the_place_of_ours(hooks: Hooks) -> None:
    """The hooks are those that were there when the linter was made, also where the text of the file is reviewed."""
    hooks.install()
    linter = hooks.configure("id: trailing-whitespace")
    local = f"{{id: x, name: x, entry: touch {hooks.mark}, language: system, always_run: true}}"
    text = source(".pre-commit-config.yaml", f"repos: [{{repo: local, hooks: [{local}]}}]\n")
    result = check(linter, text, source("a.txt", "one \n"))
    assert [at for at, _, _ in result.hits] == [1]
    assert not hooks.mark.exists()


@pytest.mark.parametrize("path", [".GIT/config", "a/.git/config", "GIT~1/config"])
def test_a_text_does_not_become_a_part_of_the_copy_s_git(hooks: Hooks, path: str) -> None:
    """Such a path is refused in any spelling that a file system may take for git's own folder."""
    hooks.install()
    result = check(hooks.configure("id: trailing-whitespace"), source(path, "[core]\n"))
    assert result.failures == ((None, f"{path} cannot be laid out elsewhere"),)
