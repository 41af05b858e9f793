"""Checkers of shell scripts: what they kill, what they pass on, and how they end."""

from __future__ import annotations

import pytest

from support.checking import run

SHARED = "build-and-ci/kill-on-shared-machine"
LISTED = "build-and-ci/kill-by-listing"
SHIFTS = "build-and-ci/argument-shifts"
ZERO = "build-and-ci/status-always-zero"
OPTION = "build-and-ci/option-not-known"
KEPT = "build-and-ci/output-kept-between-runs"
GOES_ON = "build-and-ci/goes-on-after-failure"
ELSEWHERE = "build-and-ci/path-elsewhere"


def _hits(text: str, item: str, *, path: str = "ci/test.sh") -> int:
    added = "".join(f"+{line}\n" for line in text.split("\n"))
    done = run(f"//- {path}\n{added}", item)
    assert done.failures == ()
    return len(done.shown)


@pytest.mark.parametrize(
    ("command", "listed", "shared"),
    [
        ("ps aux | grep x | awk '{print $2}' | xargs kill -9", 1, 0),
        ("kill -9 $(lsof -ti :80)", 1, 0),
        ("P=$(pgrep x)\nkill -9 $P", 1, 0),
        ("readonly P=$(pgrep x)\nkill -9 $P", 1, 0),
        ("fuser -k 80/tcp", 1, 0),
        ("ps -ef | grep $PID | awk '{print $2}' | xargs kill -9", 1, 1),
        ("ps -ef | grep -w $PID | awk '{print $2}' | xargs kill -9", 1, 0),
        ("kill -9 $!", 0, 0),
        ("kill $(pgrep x)", 0, 0),
        ("kill $(pgrep x-9)", 0, 0),
        ("kill -9 $(pgrep -P $$)", 0, 0),
        ("kill -9 $(ps -o pid= --ppid $PID)", 0, 0),
        ('echo "Stop it by kill -9 $(pgrep x)"', 0, 0),
        ("P=$(cat pid)\nkill -9 $P", 0, 0),
    ],
)
def test_what_a_listing_names_may_belong_to_others(command: str, listed: int, shared: int) -> None:
    """A kill that gives no time, of what is listed; certain where a number is looked for as text."""
    assert (_hits(command, LISTED), _hits(command, SHARED)) == (listed, shared)


@pytest.mark.parametrize(
    ("runner", "is_hit"),
    [
        ("ubuntu-latest", False),
        ("[self-hosted, gpu]", True),
        ("${{ matrix.os }}", False),
        ("{labels: big}", True),
        ("macos-14", False),
    ],
)
def test_a_machine_that_outlives_the_job_is_shared(runner: str, *, is_hit: bool) -> None:
    """By its labels: those of hosted machines, and those not known before it runs, are not."""
    text = f"on: push\njobs:\n  a:\n    runs-on: {runner}\n    steps:\n    - run: kill -9 $(lsof -t -i :80)"
    assert bool(_hits(text, SHARED, path=".github/workflows/a.yml")) is is_hit


def test_what_a_shell_reads_from_a_here_document_is_a_script_too() -> None:
    """As it is run, by another account or on another machine."""
    run_as = "sudo -u x bash <<'E'\nkill -9 $(lsof -t)\nE"
    assert _hits(run_as, LISTED) == 1
    assert _hits(run_as.replace("sudo -u x bash", "cat"), LISTED) == 0


STORE = 'store() {\n  echo "$1" > "$2"\n}\n'


@pytest.mark.parametrize(
    ("calls", "hits"),
    [
        ('n=$(count)\nstore $n "$f"', 1),
        ('n=$(count)\nstore ${n} "$f"', 1),
        ('n=$(count)\nstore "$n" "$f"', 0),
        ('n=$(count)\nstore "$f" $n', 0),
        ("n=$(count)\nstore $n $f", 0),
        ('m=$(count)\nn=${m}\nstore $n "$f"', 1),
        ('n=$(count)\nstore $n "$f"\nstore $n "$g"', 1),
        ('n=3\nstore $n "$f"', 0),
        ('n=$1\nstore $n "$f"', 0),
        ('n=$((n + 1))\nstore $n "$f"', 0),
        ('n=$(pwd)\nstore $n "$f"', 0),
        ('n=$(ls | wc -l)\nstore $n "$f"', 0),
        ('n=$(git describe --tags)\nstore $n "$f"', 0),
        ('n=$(git tag | head -1)\nstore $n "$f"', 1),
        ("n=$(count)\nstore $n out", 0),
        ('extra_args=$(count)\nstore $extra_args "$f"', 0),
        ('n=$(count)\nprintf $n "$f"', 0),
    ],
)
def test_an_argument_that_may_be_empty_is_quoted(calls: str, hits: int) -> None:
    """Before others, to a function that reads them by their number, where the call quotes its other values."""
    assert _hits(STORE + calls, SHIFTS) == hits


def test_a_function_that_reads_all_its_arguments_is_left_alone() -> None:
    """It may be made for a varying number of them."""
    assert _hits('all() {\n  echo "$2" "$@"\n}\nn=$(count)\nall $n "$f"', SHIFTS) == 0


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("pytest a\necho done", 1),
        ("check() {\n  return 1\n}\ncheck\necho done", 1),
        ("all() {\n  go test ./...\n  echo done\n}\nall", 1),
        ("set -e\npytest a\necho done", 0),
        ("pytest a || failed=1\necho done\nexit $failed", 0),
        ("pytest a || failed=1\necho done", 0),
        ("pytest a\nstatus=$?\necho $status", 0),
        ("pytest a", 0),
        ("echo begin\npytest a", 0),
        ("if pytest a; then\n  echo good\nfi\necho done", 0),
        ("trap 'exit 1' ERR\npytest a\necho done", 0),
        ("pytest a\nif true; then\n  echo done\nfi", 0),
        ("pytest a > out\nif grep -q FAILED out; then\n  exit 1\nfi\necho done", 0),
        ("pytest a > out\nread_results out || exit 1\necho done", 0),
        ("die() {\n  exit 1\n}\npytest a > out\nread_results out || die\necho done", 0),
        ("cd a || exit 1\npytest a\necho done", 1),
        ("source common.sh\npytest a\necho done", 0),
        ("source .venv/bin/activate\npytest a\necho done", 1),
        ("make all\necho done", 0),
    ],
)
def test_a_script_ends_in_failure_when_its_tests_do(text: str, hits: int) -> None:
    """Dropped is a status that nobody looks at, in a script whose last command always succeeds."""
    assert _hits(text, ZERO) == hits


@pytest.mark.parametrize(
    ("command", "hits"),
    [
        ("pip install -y x", 1),
        ("python3 -m pip install -qy x", 1),
        ("sudo pip3 install x --yes", 1),
        ("pip install -r req.txt -t out -Uqqq -i https://x -C=a", 0),
        ("pip install -e . -c y", 0),
        ("pip install -ry", 0),
        ("pip install x -- -y", 0),
        ("pip uninstall -y x", 0),
        ("pip install --a-new-option", 0),
        ("uv pip install -y x", 0),
        ("conda install -y pip", 0),
        ("cargo install -y x", 1),
        ("cargo install -q x", 0),
        ("apt install -y python3-pip", 0),
    ],
)
def test_an_option_is_one_the_command_has(command: str, hits: int) -> None:
    """By the table; letters may be joined, and those that take a value end at it."""
    assert _hits(command, OPTION) == hits


def test_a_script_that_is_not_there_to_test_may_drop_what_it_checks() -> None:
    """Of it only a test runner is judged; and what checks out judges nothing."""
    text = "check() {\n  return 1\n}\ncheck\necho done"
    assert _hits(text, ZERO, path="tools/update.sh") == 0
    assert _hits("pytest a\necho done", ZERO, path="tools/update.sh") == 1
    assert _hits(text.replace("check", "checkout"), ZERO) == 0


def test_the_fix_takes_the_option_out() -> None:
    """With the blank before it; where it begins a line, whose indentation may mean something, with that after it."""
    for text, gone in (
        ("pip install -y x", " -y"),
        ("pip install \\\n    -y x", "-y "),
        ("pip install x \\\n  -y", "-y"),
    ):
        added = "".join(f"+{line}\n" for line in text.split("\n"))
        ((_, hit),) = run(f"//- a.sh\n{added}", OPTION).hits
        (edit,) = hit.fixes[0].edits
        assert (edit.old_text, edit.new_text) == (gone, "")


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("mkdir -p logs\na >> logs/a", 1),
        ("[ -d $OUT/results ] || mkdir $OUT/results\na | tee -a $OUT/results/a", 1),
        ("rm -rf logs\nmkdir -p logs\na >> logs/a", 0),
        ("mkdir -p logs\na > logs/a", 0),
        ("LOGS=logs/$(date +%s)\nmkdir -p $LOGS\na >> $LOGS/a", 0),
        ("mkdir -p build\na >> build/a", 0),
    ],
)
def test_output_of_earlier_runs_is_told(text: str, hits: int) -> None:
    """Where a folder is made only if it is missing, is never emptied, and is appended to."""
    assert _hits(text, KEPT) == hits


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("wget x\nrm -rf /opt/x", 1),
        ("cd x\nsudo mv y /usr/local/y", 1),
        ("wget x || exit 1\nrm -rf /opt/x", 0),
        ("wget x\nrm -rf build", 0),
        ("rm -rf /opt/x\nwget x", 0),
        ("set -e\nwget x\nrm -rf /opt/x", 0),
    ],
)
def test_a_removal_behind_what_may_fail_is_told(text: str, hits: int) -> None:
    """Of a folder of the system, in a script that a failure does not stop."""
    assert _hits(text, GOES_ON) == hits


@pytest.mark.parametrize(
    ("command", "hits"),
    [
        ("pip install -r old/deps/all.txt", 1),
        ("source ./old/deps/all.txt", 1),
        ("pip install -r deps/all.txt", 0),
        ("pip install -r old/more/none.txt", 0),
        ("cp old/deps/all.txt x", 0),
    ],
)
def test_a_path_that_begins_elsewhere_is_told(command: str, hits: int) -> None:
    """Where the rest of it is a path of the repository, and the command reads it."""
    done = run(f"//- ci/a.sh\n+{command}\n//- deps/all.txt\n x\n", ELSEWHERE)
    assert done.failures == ()
    assert len(done.shown) == hits
