"""A real Neovim 0.11 with nothing but the folder that ships. The stories it lives through are in neovim/*.lua."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.replies import draft, found, script
from support.repo import Repo
from support.shown import FIXED, NEW, OLD

NEOVIM = Path(sys.executable).parent / "nvim"
STORIES = Path(__file__).parent / "neovim"
BARE = "\n\ntry:\n    new()\nexcept: eval(new)\n"
CONFLICT = "<<<<<<< HEAD\nour line\n=======\ntheir line\n>>>>>>> work\n"

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


@dataclass(frozen=True, slots=True)
class Editor:
    """Neovim with our folder on its runtime path, and the server's program."""

    plugin: Path
    program: Path

    def live(self, story: str, file: Path, tmp_path: Path, *, plain: bool = False, **set_up: str) -> dict[str, Any]:
        """What Neovim saw while a person would have worked on ``file``.

        ``plain``: with the folder on the runtime path and nothing else. ``set_up`` is said to the story.
        """
        seen_in = tmp_path / "seen.json"
        environ = {**os.environ, "STORY_SEEN": str(seen_in), "STORY_PLUGIN": str(self.plugin)}
        environ |= {"STORY_PLAIN": "yes"} if plain else {"STORY_COMMAND": str(self.program)}
        done = subprocess.run(
            [NEOVIM, "--headless", "--clean", "-u", STORIES / "story.lua", file, "-S", STORIES / f"{story}.lua"],
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
            cwd=file.parent,
            env={**environ, **set_up},
        )
        seen: dict[str, Any] = json.loads(seen_in.read_text()) if seen_in.exists() else {}
        assert done.returncode == 0, f"{seen.get('failed')}\n{done.stderr}{json.dumps(seen, indent=1)}"
        assert seen["stopped"] is True
        return seen


@pytest.fixture(scope="module")
def editor(roundzero: Path) -> Editor:
    """With the folder that ``roundzero doctor`` names: of the wheel when that is what is tested."""
    said = subprocess.run([roundzero, "doctor"], capture_output=True, text=True, check=True, timeout=60).stdout
    (folder,) = re.findall(r"^neovim +(.+)$", said, re.MULTILINE)
    return Editor(Path(folder), roundzero)


def branch_of(repo: Repo) -> Repo:
    """The repository on a branch ``work`` off ``main``, with a branch ``other`` beside them."""
    repo.commit("base", {"a.py": OLD})
    repo.branch("other")
    repo.branch("work")
    repo.checkout("work")
    return repo


@pytest.fixture
def branch(repo: Repo) -> Repo:
    """A branch with nothing of its own yet."""
    return branch_of(repo)


@pytest.fixture(scope="module")
def day(editor: Editor, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What was seen by somebody who went through all of :RoundZero."""
    folder = tmp_path_factory.mktemp("day")
    repo = branch_of(Repo(folder / "repo"))
    repo.git("tag", "v1", "main")
    repo.git("update-ref", "refs/remotes/origin/topic", "main")
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/other")
    repo.git("update-ref", "refs/stash", "main")
    repo.write("b.txt", CONFLICT)
    return editor.live("commands", repo.write("a.py", NEW + BARE), folder)


def items(marks: list[dict[str, Any]]) -> list[str]:
    """The items of these marks."""
    return [mark["item"] for mark in marks]


def test_neovim_shows_hovers_fixes_saves_and_undoes(editor: Editor, branch: Repo, tmp_path: Path) -> None:
    """A mark on the changed line and none on the old one; hover; quick fix; save; undo brings the mark back."""
    seen = editor.live("loop", branch.write("a.py", NEW), tmp_path)
    mark = {"line": 5, "column": 14, "item": "python/mutable-default", "source": "roundzero"}
    assert seen["first"] == [mark]
    assert seen["encoding"] == "utf-8"
    assert "python/mutable-default" in "\n".join(seen["hover"])
    assert seen["saved"] == FIXED.splitlines()
    assert seen["after_save"] == []
    assert seen["after_undo"] == [mark]
    assert seen["text_after_undo"] == NEW.splitlines()


def test_the_status_line_says_the_verdict_and_the_numbers(day: dict[str, Any]) -> None:
    """It is empty before the server runs, and draws the same words as the function gives."""
    assert day["statusline_before"] == ""
    assert day["statusline"] == day["drawn"] == "RZ BLOCKED P0:1 P2:3"


def test_a_review_says_its_verdict_in_one_line(day: dict[str, Any]) -> None:
    """Of the whole change, of what is staged, and what is wrong with a scope that does not exist."""
    assert day["review"] == "Round Zero: BLOCKED P0:1 P2:3, base main"
    assert day["staged"] == "Round Zero: LGTM, base HEAD"
    assert day["nonsense"] == "Round Zero: scope is one of worktree, staged, committed"
    assert day["recheck"] == day["review"]


def test_a_finding_is_dismissed_with_a_reason_and_reopened(day: dict[str, Any]) -> None:
    """The mark goes and comes back; what is dismissed can be picked or named; without any, it is said so."""
    assert day["nothing_here"] == "Round Zero: no finding on this line"
    assert items(day["after_dismiss"]) == ["python/eval-of-text", "python/bare-except"]
    assert day["after_reopen"] == day["marks"]
    why, which = day["asked"][:2]
    assert why["items"] == ["false-positive", "intended", "later", "another reason"]
    assert which["items"] == ["P2 python/mutable-default: one default object is shared by all calls (a.py)"]
    assert day["nothing_dismissed"] == "Round Zero: nothing is dismissed"


def test_findings_fill_the_quickfix_list_gravest_first(day: dict[str, Any]) -> None:
    """Those of files that are not open too, without what is dismissed, and its window is shown."""
    assert day["quickfix_window"] == "qf"
    assert [(each["file"], each["line"], each["type"], each["text"].split(":")[0]) for each in day["quickfix"]] == [
        ("b.txt", 1, "E", "P0 general/conflict-marker"),
        ("a.py", 11, "W", "P2 python/eval-of-text"),
        ("a.py", 11, "W", "P2 python/bare-except"),
    ]


def test_a_finding_is_explained_and_asks_nothing(day: dict[str, Any]) -> None:
    """In a window that floats; a check's finding leaves no question open, and that is said."""
    assert any("python/mutable-default" in line for line in day["explained"])
    assert day["asks_nothing"] == "Round Zero: this finding asks nothing"


def test_a_finding_is_copied_as_a_comment(day: dict[str, Any]) -> None:
    """Into the register that is named, or the unnamed one; of two on a line, the one that was chosen."""
    assert day["comment"].startswith("**P2** · one default object is shared by all calls (`a.py:5`)")
    assert day["chosen_comment"].startswith("**P2** · every exception is caught here (`a.py:11`)")


def test_the_report_opens_once_in_a_buffer_that_is_no_file(day: dict[str, Any]) -> None:
    """Markdown, not editable, and the second time in the same window."""
    assert day["report"][0] == "# Round Zero: `work` into `main`"
    assert day["report_buffer"] == ["nofile", False, "roundzero://report", 2]
    assert day["report_windows"] == 2


def test_the_status_says_base_coverage_round_and_model(day: dict[str, Any]) -> None:
    """In a window that floats; the bare command shows the same."""
    assert day["status"][1:3] == ["- BLOCKED P0:1 P2:3", "- 1 blocking finding"]
    assert any(
        re.fullmatch(r"- base main at \w{10}, the latest merge base with a main branch", line) for line in day["status"]
    )
    assert {"- 2 of 2 changed files reviewed", "- round 1", "- model off"} <= set(day["status"])
    assert day["bare"] == day["status"]


def test_the_base_is_picked_from_the_branches_and_tags(day: dict[str, Any]) -> None:
    """Branches first, tags last, and nothing twice; or named, or chosen again; one that does not exist is refused."""
    choice = next(each for each in day["asked"] if each["prompt"] == "Compare with")
    assert set(choice["items"][:-2]) == {"auto", "main", "other", "work"}
    assert choice["items"][-2:] == ["origin/topic", "v1"]
    assert day["picked"] == "Round Zero: compares with other"
    assert day["automatic"] == "Round Zero: the base is chosen automatically"
    assert "no-such-ref" in day["wrong_base"]


def test_the_base_version_opens_as_a_diff(day: dict[str, Any]) -> None:
    """Closing it ends diff mode."""
    assert day["base"] == OLD.splitlines()
    assert (day["comparing"], day["comparing_after"]) == (True, False)


def test_names_and_arguments_complete(day: dict[str, Any]) -> None:
    """Names sorted; scopes, reasons and refs as arguments; behind a modifier too; unknown names are refused."""
    complete = day["complete"]
    assert complete["names"] == [
        "answer", "base", "copy", "diff", "dismiss", "explain", "findings", "log", "pause",
        "recheck", "reopen", "report", "resume", "review", "status", "stop",
    ]  # fmt: skip
    assert complete["lead"] == ["recheck", "reopen", "report", "resume", "review"]
    assert (complete["scope"], complete["base"], complete["none"]) == (["staged"], ["other", "origin/topic"], [])
    assert complete["depth"] == ["deep"]
    assert complete["reason"] == ["false-positive", "intended", "later"]
    assert "dance" in day["unknown"]


def test_checkhealth_names_programs_and_reviews(day: dict[str, Any]) -> None:
    """Neovim, git and the server with their versions; the client with base, verdict and model lane."""
    health = "\n".join(day["health"])
    for words in ("OK Neovim 0.11", "OK git version", "OK server: ", "roundzero 0.", "OK client 1: server 0."):
        assert words in health
    for words in ("BLOCKED P0:1 P2:3", "base main at ", "model off"):
        assert words in health
    assert "ERROR" not in health
    assert day["log"] == ["roundzero://log", "log"]


def test_a_missing_server_is_named_once_with_what_to_do(editor: Editor, branch: Repo, tmp_path: Path) -> None:
    """At the first file, not at the others; when a command is given; and by checkhealth."""
    branch.write("other.py")
    seen = editor.live("missing", branch.write("a.py", NEW), tmp_path, STORY_COMMAND=str(tmp_path / "nowhere"))
    (said,) = seen["said_at_opening"]
    assert said == "Round Zero: its program is missing; see :checkhealth roundzero"
    assert seen["asked_for"] == said
    assert seen["statusline"] == ""
    health = "\n".join(seen["health"])
    assert f"ERROR server: there is no program `{tmp_path / 'nowhere'}`" in health
    assert "pip install" in health
    assert "setup({ venv = 'FOLDER' })" in health


def test_setup_takes_an_environment_and_settings(editor: Editor, branch: Repo, tmp_path: Path) -> None:
    """Before it nothing runs and the command says how to enable it; after it the settings are in force."""
    file = branch.write("a.py", NEW)
    seen = editor.live("not_enabled", file, tmp_path, plain=True, STORY_SERVER=str(editor.program))
    assert seen["said_at_opening"] == []
    assert "vim.lsp.enable('roundzero')" in seen["hint"]
    assert "WARNING not enabled" in "\n".join(seen["health"])
    assert "colour" in seen["unknown_option"]
    assert seen["command"] == [str(editor.program), "lsp"]
    assert "*roundzero*" in seen["help"]


def test_what_a_model_asked_is_answered(editor: Editor, branch: Repo, tmp_path: Path) -> None:
    """With the words after the command, for the finding under the cursor."""
    question = {"text": "is the answer kept on purpose?", "decides": "severity"}
    said = draft(found("a.py", 6, "    return cache", open_questions=[question]))
    told = script(tmp_path / "script.jsonl", **{"return cache": said})
    subprocess.run([editor.program, "trust"], cwd=branch.root, check=True, timeout=60, capture_output=True)
    seen = editor.live(
        "answer",
        branch.write("a.py", NEW),
        tmp_path,
        STORY_LINE="6",
        ROUNDZERO_MODEL_PROVIDER="scripted",
        ROUNDZERO_MODEL_SCRIPT=str(told),
    )
    assert re.fullmatch(r"Round Zero: answered; rz-\w+ is \w+", seen["answered"])


def test_two_repositories_have_a_status_each(editor: Editor, branch: Repo, tmp_path: Path) -> None:
    """Commands go to the one of the buffer; a change of status triggers an event; what ends takes its words away."""
    other = branch_of(Repo(tmp_path / "other"))
    conflict = other.write("a.py", CONFLICT)
    seen = editor.live("two", branch.write("a.py", NEW), tmp_path, STORY_OTHER=str(conflict))
    assert seen["first"] == "RZ LGTM P2:1"
    assert seen["other"].startswith("RZ BLOCKED P0:1")
    assert seen["review"].startswith("Round Zero: BLOCKED P0:1")
    assert seen["servers"] == 2
    assert seen["paused"] == ["RZ paused", False]


def test_the_folder_in_the_wheel_finds_the_server_beside_it(editor: Editor, branch: Repo, tmp_path: Path) -> None:
    """Without anything on PATH and without configuration: the environment whose wheel the folder lies in."""
    environment = tmp_path / "env"
    folder = environment / "lib" / "python3.13" / "site-packages" / "roundzero" / "neovim"
    shutil.copytree(editor.plugin, folder)
    (environment / "bin").mkdir()
    (environment / "bin" / "roundzero").symlink_to(editor.program)
    path = os.pathsep.join(
        each for each in os.environ["PATH"].split(os.pathsep) if not Path(each, "roundzero").exists()
    )
    seen = editor.live(
        "beside", branch.write("a.py", NEW), tmp_path, STORY_PLUGIN=str(folder), STORY_COMMAND="", PATH=path
    )
    assert seen["command"] == [str(environment / "bin" / "roundzero"), "lsp"]


def test_the_manual_s_tags_are_those_that_helptags_makes(editor: Editor, tmp_path: Path) -> None:
    """So that :help works with nothing but the folder on the runtime path."""
    shutil.copytree(editor.plugin / "doc", tmp_path / "doc")
    (tmp_path / "doc" / "tags").unlink()
    subprocess.run(
        [NEOVIM, "--headless", "--clean", "-c", f"helptags {tmp_path / 'doc'}", "-c", "quit"], check=True, timeout=60
    )
    assert (tmp_path / "doc" / "tags").read_text() == (editor.plugin / "doc" / "tags").read_text()


def test_the_manual_s_links_lead_somewhere_and_it_names_every_subcommand(editor: Editor, tmp_path: Path) -> None:
    """Links into Neovim's own manual too."""
    seen = editor.live("help", tmp_path / "a.py", tmp_path, plain=True)
    assert len(seen["links"]) > 10
    assert seen["dead"] == []
    manual = (editor.plugin / "doc" / "roundzero.txt").read_text(encoding="utf-8")
    described = set(re.findall(r"\b[a-z]+\b", "\n".join(re.findall(r"^    ([a-z].{0,19})", manual, re.MULTILINE))))
    assert set(seen["subcommands"]) <= described


def test_at_a_terminal_the_whole_loop_works_by_keys(editor: Editor, branch: Repo, tmp_path: Path) -> None:
    """The real screen: mark and status line, jump, hover, fix from the menu, undo, dismiss with completion, report."""
    file = branch.write("a.py", NEW)
    inner = {
        "STORY_INNER": str(STORIES / "terminal_init.lua"),
        "STORY_FILE": str(file),
        "STORY_SERVER": str(editor.program),
    }
    seen = editor.live("terminal", file, tmp_path, plain=True, **inner)
    assert any("def new(cache={}):" in line and "one default object" in line for line in seen["mark"])
    assert not any("def old" in line and "one default object" in line for line in seen["mark"])
    assert seen["status"] == 0
    assert file.read_text() == NEW
