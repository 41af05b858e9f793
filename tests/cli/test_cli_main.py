"""Exit statuses, messages, and what is loaded."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from roundzero import __version__
from roundzero.cli import init
from roundzero.cli.main import subcommands
from roundzero.errors import OutsideError, UserError

if TYPE_CHECKING:
    from support.command import Cli
    from support.repo import Repo

HEAVY = frozenset({"pygls", "lsprotocol", "rich", "httpx", "git", "pydantic"})


def loaded_by(here: Path, *arguments: str) -> set[str]:
    """Top-level modules loaded after a run."""
    program = (
        "import sys\nfrom roundzero.cli.main import main\nmain(sys.argv[1:])\n"
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=here,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())


def test_version(cli: Cli) -> None:
    """``--version`` names the program and its version."""
    ran = cli("--version")
    assert (ran.status, ran.out, ran.err) == (0, f"roundzero {__version__}\n", "")


def test_help_lists_every_subcommand_and_no_other(cli: Cli) -> None:
    """The help names exactly the subcommands that exist, each with a summary."""
    ran = cli("--help")
    assert ran.status == 0
    listed = re.findall(r"^    ([a-z]+)  +\S", ran.out, re.MULTILINE)
    of_the_contract = {"base", "doctor", "hook", "init", "ledger", "lsp", "packs", "report", "review", "trust"}
    assert listed == subcommands()
    assert set(listed) <= of_the_contract


@pytest.mark.parametrize("name", subcommands())
def test_every_subcommand_takes_repo(cli: Cli, name: str) -> None:
    """``--repo DIR`` is an option of each subcommand."""
    ran = cli(name, "--help")
    assert ran.status == 0
    assert "--repo DIR" in ran.out


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nonsense",),
        ("review", "--nonsense"),
        ("review", "--format", "pdf"),
        ("review", "--fail", "P1"),
        ("packs",),
        ("packs", "frob"),
        ("ledger",),
        ("ledger", "frob"),
        ("base", "main"),
        ("trust", "a", "b"),
        ("init", "here"),
        ("doctor", "a", "b"),
        ("lsp", "--port", "1"),
        ("report", "--format", "pdf"),
        ("help", "nonsense"),
    ],
)
def test_wrong_usage_exits_with_2(cli: Cli, arguments: tuple[str, ...]) -> None:
    """What is not understood is said on standard error, with status 2 and the help to read."""
    ran = cli(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ("usage: roundzero" in ran.err) != ("invalid choice: 'pdf'" in ran.err)
    assert not arguments or ran.err.endswith(" --help says more\n")


def test_a_misspelt_option_is_met_with_the_right_one(cli: Cli) -> None:
    """Also where only its beginning was typed, which is no option."""
    assert "did you mean --min-severity?" in cli("review", "--minseverity=P1").err
    assert "did you mean --scope?" in cli("review", "--scop", "staged").err


def test_help_is_a_command_too(cli: Cli) -> None:
    """``help``, and ``help COMMAND`` with whatever follows, say what ``--help`` does there."""
    assert cli("help") == cli("--help")
    assert cli("help", "packs") == cli("help", "packs", "show") == cli("packs", "--help")
    assert cli("help").status == 0


@pytest.mark.parametrize("name", ["packs", "ledger"])
def test_commands_with_actions_say_what_each_takes(cli: Cli, name: str) -> None:
    """The usage has a line for what may be typed, not a list of words in braces."""
    ran = cli(name, "show", "--help")
    assert ran.status == 0
    assert re.search(rf"usage: roundzero {name} list \| show (ITEM|ID) \|", ran.out)


def test_a_folder_that_is_no_repository_exits_with_2(cli: Cli, tmp_path: Path) -> None:
    """Outside a repository the message says what to do and has no stack."""
    outside = tmp_path / "outside"
    outside.mkdir()
    ran = cli("review", "--repo", str(outside))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("roundzero: ")
    assert "Traceback" not in ran.err
    assert cli("review", "--repo", str(tmp_path / "missing")).status == 2


def test_a_bug_exits_with_3_and_names_a_log(cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected error leaves its stack in a private file, which the message names, and no stack on the screen."""

    def broken(args: object) -> int:
        raise ZeroDivisionError("secret source text")

    monkeypatch.setattr(init, "run", broken)
    ran = cli("init")
    assert (ran.status, ran.out) == (3, "")
    assert "Traceback" not in ran.err
    log = Path(re.findall(r"details are in (\S+)", ran.err)[0])
    assert log.is_relative_to(home)
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    text = log.read_text()
    assert "ZeroDivisionError" in text
    assert "in broken" in text
    assert "command: ['init']" in text


@pytest.mark.parametrize(
    ("errors", "status"),
    [((UserError("mend it"), OutsideError("gone")), 2), ((UserError("mend it"), ZeroDivisionError()), 3)],
)
def test_failures_of_tasks_side_by_side_are_told_as_one(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, errors: tuple[Exception, ...], status: int
) -> None:
    """A group of expected failures is the first of them; with a bug among them it is a bug."""

    def broken(args: object) -> int:
        raise ExceptionGroup("tasks", errors)

    monkeypatch.setattr(init, "run", broken)
    ran = cli("init")
    assert ran.status == status
    assert (ran.err == "roundzero: mend it\n") is (status == 2)


def test_a_bug_without_a_place_for_logs_still_exits_with_3(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the log folder cannot be made, the log lies in the folder for temporary files."""
    (home / "state").write_text("in the way")
    monkeypatch.setattr(init, "run", lambda _: 1 // 0)
    ran = cli("init")
    assert ran.status == 3
    log = Path(re.findall(r"details are in (\S+)", ran.err)[0])
    assert "ZeroDivisionError" in log.read_text()
    log.unlink()


def test_an_interrupt_exits_with_130(roundzero: Path, repo: Repo) -> None:
    """Ctrl-C while it waits for input ends it quietly."""
    repo.commit("first", {"a.py": "a = 1\n"})
    with subprocess.Popen(
        [sys.executable, "-X", "importtime", str(roundzero), "review", "--diff", "-"],
        cwd=repo.root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        while b"asyncio" not in process.stderr.readline():
            pass  # once asyncio is loaded, the command is about to read
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert b"Traceback" not in process.stderr.read()
        assert process.stdout is not None
        assert process.stdout.read() == b""


def test_what_breaks_because_of_an_interrupt_is_an_interrupt(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """As argparse does while it puts away what it was at: no log, and no word of a fault."""

    def broken(args: object) -> int:
        try:
            raise KeyboardInterrupt
        finally:
            int("what was not put aside")

    monkeypatch.setattr(init, "run", broken)
    ran = cli("init")
    assert (ran.status, ran.out, ran.err) == (130, "", "")


def test_a_reader_that_leaves_is_no_error(roundzero: Path, repo: Repo) -> None:
    """With nobody left to read its output it says nothing about that."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(
            [roundzero, "packs", "list"], cwd=repo.root, stdout=pipe, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_exits_with_2(roundzero: Path, repo: Repo) -> None:
    """Output that cannot be written is said, once and without a stack."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [roundzero, "packs", "list"], cwd=repo.root, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr == b"roundzero: standard output cannot be written: No space left on device\n"


@pytest.mark.parametrize("arguments", [("base", "--repo", "/"), ("packs", "list")])
def test_a_message_that_cannot_be_written_changes_no_status(
    roundzero: Path, repo: Repo, arguments: tuple[str, ...]
) -> None:
    """What failed failed with 2, also where standard error is on the same full disk."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([roundzero, *arguments], cwd=repo.root, stdout=full, stderr=full, check=False)
    assert done.returncode == 2


def test_closed_output_is_no_error(roundzero: Path, repo: Repo) -> None:
    """Without a standard output there is nobody to tell."""
    done = subprocess.run(
        ["sh", "-c", f'"{roundzero}" packs list >&-'], cwd=repo.root, stderr=subprocess.PIPE, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_hostile_text_in_a_message_is_spelled_out(cli: Cli) -> None:
    """A message never sends control characters to the terminal."""
    ran = cli("review", "--repo", "\x1b[2J")
    assert ran.status == 2
    assert "\\x1b[2J" in ran.err
    assert "\x1b" not in ran.err


def test_version_loads_next_to_nothing(tmp_path: Path) -> None:
    """``--version`` loads no argparse, no asyncio and nothing heavy."""
    assert not loaded_by(tmp_path, "--version") & (HEAVY | {"argparse", "asyncio", "sqlite3", "dataclasses"})


def test_the_server_starts_without_parsing_options(tmp_path: Path) -> None:
    """``lsp`` as editors start it loads no argparse, and ends when its input does."""
    assert "argparse" not in loaded_by(tmp_path, "lsp", "--stdio")
    done = subprocess.run(
        [sys.executable, "-m", "roundzero", "lsp", "--repo", "."], input=b"", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, b"")


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    """The help of all subcommands costs their options only."""
    assert not loaded_by(tmp_path, "--help") & (HEAVY | {"asyncio", "sqlite3"})


def test_review_loads_neither_the_server_nor_what_it_does_not_need(repo: Repo) -> None:
    """A review loads no language server, no HTTP client, no GitPython, no progress bar; pydantic only for new packs."""
    repo.commit("first", {"a.py": "a = 1\n"})
    repo.branch("topic")
    repo.write("a.py", "def f(x=[]):\n    return x\n")
    assert not loaded_by(repo.root, "review", "--format", "json") & (HEAVY - {"pydantic"})
    assert not loaded_by(repo.root, "review", "--format", "json") & HEAVY


def test_a_wrong_word_is_answered_with_the_right_one(cli: Cli) -> None:
    """Without the whole usage, which would hide it; a word cut short is understood too."""
    for wrong, right in (("md", "markdown"), ("jsn", "json"), ("term", "terminal")):
        ran = cli("review", "--format", wrong)
        assert (ran.status, f"did you mean {right}?" in ran.err, "usage" in ran.err) == (2, True, False)


def test_the_help_says_what_a_deep_review_costs(cli: Cli) -> None:
    """Five drafts and a long time, before anybody asks for one."""
    said = " ".join(cli("review", "--help").out.split())
    assert "deep sends more, makes five drafts of the review and takes long" in said
