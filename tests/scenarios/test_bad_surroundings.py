"""Odd surroundings of the command itself: locale, streams, signals, folders that cannot be used, files that move.

The real command in a process of its own. Status 3 is our fault, so it is wrong everywhere here.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from support.repo import Repo

LINE: Final = "x = eval(y == None)  # MARK"
BAD: Final = f"{LINE}\n"
_SECONDS: Final = 60


def run(
    program: Path, root: Path, *arguments: str, env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a folder."""
    return subprocess.run(
        [program, *arguments],
        cwd=root,
        env={**os.environ, **(env or {})},
        input=stdin,
        capture_output=True,
        check=False,
        timeout=_SECONDS,
    )


def found(done: subprocess.CompletedProcess[bytes]) -> set[tuple[str, int]]:
    """Where a JSON run found something."""
    assert done.returncode in (0, 1), done.stderr
    return {(each["path"], each["range"]["start"]["line"]) for each in json.loads(done.stdout)["findings"]}


def scratch_left(folder: Path) -> list[Path]:
    """Temporary files of ours below a folder. What lies in it directly is Python's: whether it may write there."""
    return [
        path
        for path in folder.rglob("*")
        if path.parent != folder and (path.is_file() or path.name.startswith("roundzero-"))
    ]


@pytest.fixture
def topic(house: Repo) -> Repo:
    """A branch with a finding in a file of plain name, and in one of another script."""
    house.branch("topic")
    house.write("a.py", BAD)
    house.write("中文.py", f"{BAD}{BAD}")
    return house


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "xx_YY.nonsense"},
        {"LANG": "", "LC_ALL": ""},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_the_locale_changes_nothing(roundzero: Path, topic: Repo, env: dict[str, str]) -> None:
    """Files with names of any script are reviewed, named on the command line, and fixed, whatever the locale."""
    everything = {("a.py", 1), ("中文.py", 1), ("中文.py", 2)}
    assert found(run(roundzero, topic.root, "review", "--format", "json", env=env)) == everything
    named = run(roundzero, topic.root, "review", "--format", "json", "中文.py", env=env)
    assert found(named) == {("中文.py", 1), ("中文.py", 2)}
    assert "中文.py:1:5".encode() in run(roundzero, topic.root, "review", env=env).stdout


@pytest.mark.parametrize("name", ["review", "base", "doctor", "packs", "trust"])
def test_a_reader_that_leaves_is_no_error(roundzero: Path, topic: Repo, name: str) -> None:
    """Standard output closed at once: the status is what it would have been, and nothing is said."""
    command = [name, "list"] if name == "packs" else [name]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [roundzero, *command], cwd=topic.root, stdout=writing, stderr=subprocess.PIPE, check=False, timeout=_SECONDS
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_no_streams_at_all(roundzero: Path, topic: Repo) -> None:
    """Without standard input, output and error the status still tells."""
    done = subprocess.run(
        ["sh", "-c", f'exec "{roundzero}" review <&- >&- 2>&-'], cwd=topic.root, check=False, timeout=_SECONDS
    )
    assert done.returncode == 0


def test_a_full_disk_for_the_output(roundzero: Path, topic: Repo) -> None:
    """Output that cannot be written is an error that says so."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [roundzero, "review"], cwd=topic.root, stdout=full, stderr=subprocess.PIPE, check=False, timeout=_SECONDS
        )
    assert done.returncode == 2
    assert b"cannot be written: No space left" in done.stderr


@pytest.mark.parametrize("place", ["missing/x", ".", "a.py/x", "/dev/full"])
def test_output_to_an_unwritable_place(roundzero: Path, topic: Repo, place: str) -> None:
    """Status 2, and that it cannot be written."""
    done = run(roundzero, topic.root, "review", "--output", place)
    assert done.returncode == 2
    assert b"cannot be written" in done.stderr


def test_output_to_a_name_that_is_not_utf8(roundzero: Path, topic: Repo) -> None:
    """Any name that the system takes will do."""
    name = os.fsdecode("\ud800".encode("utf-8", "surrogatepass"))
    assert run(roundzero, topic.root, "review", "--output", name).returncode == 0
    assert topic.path(name).is_file()


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_ended_in_the_middle(roundzero: Path, house: Repo, tmp_path: Path, name: signal.Signals) -> None:
    """Status 130, no process and no temporary file left; what ``kill -9`` leaves goes with the next run."""
    house.branch("topic")
    for number in range(300):
        house.write(f"m{number}.py", BAD * 40)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    env = {**os.environ, "TMPDIR": str(temporary), "ROUNDZERO_TEST_MARK": str(tmp_path)}
    started = subprocess.Popen(
        [roundzero, "review"], cwd=house.root, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    waiting = time.monotonic() + _SECONDS
    while not scratch_left(temporary) and time.monotonic() < waiting and started.poll() is None:
        time.sleep(0.002)
    started.send_signal(name)
    _, said = started.communicate(timeout=_SECONDS)
    if name is signal.SIGKILL:
        assert started.returncode == -signal.SIGKILL
        assert run(roundzero, house.root, "review", env={"TMPDIR": str(temporary)}).returncode == 0
    else:
        assert (started.returncode, said) == (130, b"")
    assert scratch_left(temporary) == []
    while (left := _processes_with(str(tmp_path))) and time.monotonic() < waiting:
        time.sleep(0.01)
    assert left == []


def _processes_with(mark: str) -> list[str]:
    """Command lines of the processes whose environment holds the mark."""
    commands = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and f"ROUNDZERO_TEST_MARK={mark}".encode() in (folder / "environ").read_bytes():
                commands.append((folder / "cmdline").read_text())
        except OSError:
            continue
    return commands


@pytest.mark.parametrize(
    "env",
    [
        {
            "HOME": "/proc/nowhere",
            "XDG_CONFIG_HOME": "",
            "XDG_CACHE_HOME": "",
            "XDG_STATE_HOME": "",
            "XDG_DATA_HOME": "",
        },
        {
            "HOME": "/dev/null",
            "XDG_CONFIG_HOME": "/dev/null",
            "XDG_CACHE_HOME": "/dev/null",
            "XDG_STATE_HOME": "/dev/null",
        },
        {"XDG_CACHE_HOME": "/dev/full"},
        {"XDG_CACHE_HOME": "relative"},
        {"TMPDIR": "/nonexistent"},
        {"TMPDIR": "relative"},
        {"TERM": "dumb", "COLUMNS": "x"},
        {"COLUMNS": "1"},
        {"COLUMNS": "-5"},
        {"GIT_DIR": "/nonexistent", "GIT_WORK_TREE": "/", "GIT_INDEX_FILE": "/dev/null"},
        {"GIT_CONFIG_COUNT": "x"},
        {"GIT_EXTERNAL_DIFF": "false", "GIT_PAGER": "false"},
        {"GIT_TRACE": "1", "GIT_TRACE2": "1"},
        {"PYTHONOPTIMIZE": "2"},
        {"PYTHONWARNINGS": "error"},
    ],
)
@pytest.mark.parametrize("command", [["review", "--format", "json"], ["base"], ["doctor"], ["packs", "list"]])
def test_folders_and_variables_that_are_of_no_use(
    roundzero: Path, topic: Repo, env: dict[str, str], command: list[str]
) -> None:
    """No home, no cache, no temporary folder, odd variables: the result is the same."""
    done = run(roundzero, topic.root, *command, env=env)
    assert done.returncode == 0, done.stderr
    if command[0] == "review":
        assert found(done) == {("a.py", 1), ("中文.py", 1), ("中文.py", 2)}
        assert not topic.path("relative").exists()


def test_without_any_home(roundzero: Path, topic: Repo) -> None:
    """HOME may be unset."""
    env = {name: value for name, value in os.environ.items() if name != "HOME" and not name.startswith("XDG_")}
    done = subprocess.run(
        [roundzero, "review", "--format", "json"], cwd=topic.root, env=env, capture_output=True, check=False, timeout=60
    )
    assert len(found(done)) == 3


def test_files_that_change_meanwhile(roundzero: Path, topic: Repo) -> None:
    """Files replaced, removed and turned into folders during a review cost at most their own results."""
    for number in range(60):
        topic.write(f"m{number}.py", BAD)
    said = topic.root.parent / "report.json"
    with said.open("wb") as out:
        started = subprocess.Popen([roundzero, "review", "--format", "json"], cwd=topic.root, stdout=out)
        number = 0
        while started.poll() is None:
            path = topic.path(f"m{number % 60}.py")
            path.unlink(missing_ok=True)
            match number % 3:
                case 0:
                    path.write_text(BAD * 3)
                case 1:
                    path.symlink_to("a.py")
                case _:
                    pass
            number += 1
            time.sleep(0.001)
    assert started.returncode == 0
    assert ("a.py", 1) in {
        (each["path"], each["range"]["start"]["line"]) for each in json.loads(said.read_bytes())["findings"]
    }


def test_the_folder_one_stands_in_is_gone(roundzero: Path, topic: Repo) -> None:
    """Status 2, not a stack."""
    place = topic.root / "gone"
    place.mkdir()
    done = subprocess.run(
        ["sh", "-c", f'rmdir ../gone; exec "{roundzero}" review'],
        cwd=place,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2, done.stderr


def test_many_files(roundzero: Path, topic: Repo) -> None:
    """A thousand changed files are all reviewed, and of them only those asked for."""
    for number in range(1000):
        topic.write(f"p{number % 20}/m{number}.py", BAD)
    done = run(roundzero, topic.root, "review", "--format", "json", "p3", "--no-ledger", "p4")
    assert len(found(done)) == 100
    assert json.loads(done.stdout)["coverage"]["reviewed"] == 100
    everything = run(roundzero, topic.root, "review", "--format", "json")
    assert json.loads(everything.stdout)["coverage"]["reviewed"] == 1002
