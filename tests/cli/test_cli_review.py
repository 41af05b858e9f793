"""``roundzero review``: options, exit statuses, output."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from roundzero.render.shapes import Event, ReportWire

if TYPE_CHECKING:
    from support.command import Cli, Ran
    from support.repo import Repo

CONFLICT = "a = 1\n<<<<<<< ours\nb = 2\n=======\nb = 3\n>>>>>>> theirs\n"
DEFAULT = "def f(x=[]):\n    return x\n"
PACK = """\
pack: house
title: {en: House rules}
items:
  - id: none
    title: {en: a comparison with None}
    severity: P2
    why: {en: It asks for equality. Identity is meant.}
    looks_at: added
    check:
      ruff: [E711]
  - id: blocker
    title: {en: BLOCKER}
    severity: P1
    why: {en: It says so.}
    looks_at: added
    check:
      text: {regex: "BLOCKER"}
"""


@pytest.fixture
def branch(repo: Repo) -> Repo:
    """A repository on a branch from main, with items whose findings are known."""
    files: dict[str, str | bytes] = {"old.py": "x = 1\n", ".roundzero/checklists/house.yaml": PACK}
    files[".roundzero.toml"] = 'packs = ["house"]\n'
    repo.commit("first", files)
    repo.branch("topic")
    return repo


def wire(ran: Ran) -> dict[str, Any]:
    """The report of a JSON run, proved against the schema."""
    document = json.loads(ran.out)
    TypeAdapter(ReportWire).validate_python(document, strict=True, extra="forbid")
    assert ran.err == ""
    assert isinstance(document, dict)
    return document


def found(ran: Ran) -> list[tuple[str, int, str]]:
    """Path, line and item of each finding."""
    return [(each["path"], each["range"]["start"]["line"], each["item"]) for each in wire(ran)["findings"]]


def test_a_clean_branch_passes(cli: Cli, branch: Repo) -> None:
    """Nothing found: status 0, and the last line is LGTM."""
    branch.write("new.py", "x = 1\n")
    ran = cli("review")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines()[-1] == "LGTM (checks only)"
    assert "P0/0 · P1/0 · P2/0 · P3/0" in ran.out


def test_a_blocked_branch_fails(cli: Cli, branch: Repo) -> None:
    """An introduced P1 blocks: status 1, with place, caret and why."""
    branch.write("new.py", "x = 1  # BLOCKER\n")
    ran = cli("review")
    assert ran.status == 1
    assert (
        "new.py:1:10 P1 BLOCKER [house/blocker] rz-a5e619f\n"
        " 1 │ x = 1  # BLOCKER\n   │          ^^^^^^^\n    It says so.\n" in ran.out
    )
    assert ran.out.splitlines()[-1].startswith("BLOCKED (checks only): 1 blocking finding")


def test_a_gap_is_incomplete_and_passes(cli: Cli, branch: Repo) -> None:
    """A file that could not be checked: status 0, and the last line says INCOMPLETE."""
    branch.write("new.py", b"x = '\xff'\n")
    ran = cli("review")
    assert ran.status == 0
    assert ran.out.splitlines()[-1].startswith("INCOMPLETE (checks only): 1 file not checked: new.py")


@pytest.mark.parametrize(
    ("text", "fail_on", "status"),
    [
        ("x = y == None\n", None, 0),
        ("x = y == None\n", "P2", 1),
        ("x = y == None\n", "P3", 1),
        ("x = y == None\n", "p2", 1),
        ("x = 1  # BLOCKER\n", "P1", 1),
        ("x = 1  # BLOCKER\n", "P0", 0),
        ("x = 1  # BLOCKER\n", "never", 0),
        ("x = 1  # BLOCKER\n", "NEVER", 0),
    ],
)
def test_fail_on_sets_the_status_but_not_the_verdict(
    cli: Cli, branch: Repo, monkeypatch: pytest.MonkeyPatch, text: str, fail_on: str | None, status: int
) -> None:
    """``--fail-on`` decides the exit status alone; the setting does the same."""
    branch.write("new.py", text)
    ran = cli("review", "--format", "json", *(() if fail_on is None else ("--fail-on", fail_on)))
    assert ran.status == status
    assert wire(ran)["verdict"]["status"] == ("BLOCKED" if "BLOCKER" in text else "LGTM")
    if fail_on is not None:
        setting = {"p2": "P2", "NEVER": "never"}.get(fail_on, fail_on)
        monkeypatch.setenv("ROUNDZERO_GATE_FAIL_ON", setting)
        assert cli("review").status == status


def test_severities_are_read_in_any_case(cli: Cli, branch: Repo) -> None:
    """``p1`` is P1."""
    branch.write("new.py", "x = y == None  # BLOCKER\n")
    report = wire(cli("review", "--format", "json", "--min-severity", "p1"))
    assert [each["severity"] for each in report["findings"]] == ["P1"]


def test_json_follows_the_schema_and_is_reproducible(cli: Cli, branch: Repo) -> None:
    """Two runs give the same document but for the time and the seconds."""
    branch.write("new.py", "x = y == None  # BLOCKER\n")
    first, second = (wire(cli("review", "--format", "json")) for _ in range(2))
    for document in (first, second):
        document["reviewed_at"] = ""
        document["stats"]["seconds"] = {}
    assert first == second
    assert first["counts"] == {"P0": 0, "P1": 1, "P2": 1, "P3": 0}
    assert first["base"]["ref"] == "main"
    assert first["coverage"]["reviewed"] == 1


def test_a_path_that_is_not_utf8_is_reviewed_and_named(cli: Cli, branch: Repo) -> None:
    """Odd bytes in a name survive, in JSON as base64."""
    branch.write(b"caf\xe9.py", "x = 1  # BLOCKER\n")
    document = wire(cli("review", "--format", "json"))
    assert [(each["path"], each["path_bytes"]) for each in document["findings"]] == [("caf\ufffd.py", "Y2Fm6S5weQ==")]
    assert "caf\ufffd.py:1:10 P1" in cli("review").out


def test_ndjson_streams_the_same_report(cli: Cli, branch: Repo) -> None:
    """Events are valid, begin with start and end with end, and name progress in between."""
    branch.write("new.py", "x = 1  # BLOCKER\n")
    ran = cli("review", "--format", "ndjson")
    events = [json.loads(line) for line in ran.out.splitlines()]
    for event in events:
        TypeAdapter(Event).validate_python(event, strict=True, extra="forbid")
    kinds = [event["event"] for event in events]
    assert (ran.status, ran.err) == (1, "")
    assert (kinds[0], kinds[-2:]) == ("start", ["finding", "end"])
    assert set(kinds[1:-2]) == {"progress"}


def test_output_goes_to_a_file(cli: Cli, branch: Repo, tmp_path: Path) -> None:
    """``--output`` writes the document there and nothing to standard output; a folder that is missing exits with 2."""
    ran = cli("review", "--format", "json", "--output", str(tmp_path / "report.json"))
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    TypeAdapter(ReportWire).validate_python(json.loads((tmp_path / "report.json").read_text()), strict=True)
    ran = cli("review", "--output", str(tmp_path / "missing" / "x"))
    assert (ran.status, ran.out) == (2, "")
    assert "cannot be written" in ran.err


def test_scopes(cli: Cli, branch: Repo) -> None:
    """``committed``, ``staged`` and ``worktree`` see what their names say; ``--no-untracked`` leaves new files out."""
    branch.commit("second", {"committed.py": "# BLOCKER\n"})
    branch.write("staged.py", "# BLOCKER\n")
    branch.stage("staged.py")
    branch.write("old.py", "# BLOCKER\n")
    branch.write("untracked.py", "# BLOCKER\n")

    def paths(*arguments: str) -> list[str]:
        found = wire(cli("review", "--format", "json", *arguments))["findings"]
        return [each["path"] for each in found if each["state"] == "open"]

    assert paths() == ["committed.py", "old.py", "staged.py", "untracked.py"]
    assert paths("--no-untracked") == ["committed.py", "old.py", "staged.py"]
    assert paths("--scope", "committed") == ["committed.py"]
    assert paths("--scope", "staged") == ["staged.py"]
    assert paths("--base", "main", "--head", "topic") == ["committed.py"]
    assert paths("--head", "topic") == ["committed.py"]


def test_paths_restrict_what_is_shown(cli: Cli, branch: Repo) -> None:
    """PATH is relative to the current folder and may be a folder; one that names nothing exits with 2."""
    branch.write("sub/a.py", "# BLOCKER\n")
    branch.write("b.py", "# BLOCKER\n")
    assert found(cli("review", "--format", "json", "sub")) == [("sub/a.py", 1, "house/blocker")]
    assert found(cli("review", "--format", "json", "a.py", here=branch.root / "sub")) == [
        ("sub/a.py", 1, "house/blocker")
    ]
    assert len(found(cli("review", "--format", "json", "."))) == 2
    elsewhere = found(cli("review", "--repo", "repo/sub", "--format", "json", "a.py", here=branch.root.parent))
    assert elsewhere == [("sub/a.py", 1, "house/blocker")]
    assert cli("review", "nothing.py").status == 2
    ran = cli("review", "../outside.py")
    assert ran.status == 2
    assert "outside the repository" in ran.err


def test_an_odd_path_may_be_named(cli: Cli, branch: Repo) -> None:
    """A path that is not UTF-8 can be asked for."""
    branch.write(b"caf\xe9.py", "# BLOCKER\n")
    branch.write("b.py", "# BLOCKER\n")
    assert found(cli("review", "--format", "json", "caf\udce9.py")) == [("caf\ufffd.py", 1, "house/blocker")]


def test_a_deleted_path_may_be_named(cli: Cli, branch: Repo) -> None:
    """A path that only the base has is part of the change."""
    branch.remove("old.py")
    assert cli("review", "old.py").status == 0


def test_a_diff_restricts_the_lines(cli: Cli, branch: Repo, tmp_path: Path) -> None:
    """Only lines the diff adds count, from a file or standard input; one that does not fit exits with 2."""
    branch.commit("second", {"a.py": "# BLOCKER\n"})
    branch.write("a.py", "# BLOCKER\n# BLOCKER again\n")
    diff = branch.git("diff").encode() + b"\n"
    (tmp_path / "diff").write_bytes(diff)
    for arguments, stdin in ((("--diff", "-"), diff), (("--diff", str(tmp_path / "diff")), b"")):
        assert found(cli("review", "--format", "json", *arguments, stdin=stdin)) == [("a.py", 2, "house/blocker")]
    branch.write("a.py", "# something else\n")
    ran = cli("review", "--diff", "-", stdin=diff)
    assert ran.status == 2
    assert "a.py" in ran.err
    assert cli("review", "--diff", str(tmp_path / "missing")).status == 2


def test_standard_input_stands_for_a_file(cli: Cli, branch: Repo) -> None:
    """``--stdin-path`` reviews the text given, and shows only that file unless PATH says otherwise."""
    branch.write("other.py", "# BLOCKER\n")
    arguments = ("review", "--format", "json", "--stdin-path", "old.py")
    assert found(cli(*arguments, stdin=b"x = 1\n# BLOCKER\n")) == [("old.py", 2, "house/blocker")]
    both = found(cli(*arguments, ".", stdin=b"x = 1\n# BLOCKER\n"))
    assert [path for path, _, _ in both] == ["old.py", "other.py"]
    assert cli(*arguments, stdin=b"\xff").status == 2
    new = ("review", "--format", "json", "--stdin-path", "sub/brand_new.py")
    assert found(cli(*new, stdin=b"# BLOCKER\n")) == [("sub/brand_new.py", 1, "house/blocker")]
    assert branch.read("old.py") == "x = 1\n"


def test_min_severity_hides_the_mild(cli: Cli, branch: Repo) -> None:
    """Findings below ``--min-severity`` are not shown and not counted."""
    branch.write("new.py", "x = y == None\n")
    assert found(cli("review", "--format", "json")) == [("new.py", 1, "house/none")]
    assert found(cli("review", "--format", "json", "--min-severity", "P1")) == []
    assert "Not shown: 1 milder than P1\n" in cli("review", "--min-severity", "P1").out
    assert "Not shown" not in cli("review").out


def test_all_origins_shows_what_was_there(cli: Cli, repo: Repo) -> None:
    """Findings from before the branch are shown on request, apart, and never block."""
    pack = PACK.replace("looks_at: added", "looks_at: file")
    repo.commit("first", {"a.py": "# BLOCKER\n", ".roundzero/checklists/house.yaml": pack})
    repo.branch("topic")
    repo.write("a.py", "# BLOCKER\nx = 1\n")
    assert "BLOCKER [" not in cli("review").out
    ran = cli("review", "--all-origins")
    assert ran.status == 0
    assert "There before this branch (1)" in ran.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("--head", "HEAD", "--base", "main", "--scope", "committed"),
        ("--scope", "staged", "--base", "main"),
        ("--scope", "committed", "--fix"),
        ("--head", "HEAD", "--base", "main", "--diff", "-"),
        ("--diff", "-", "--stdin-path", "old.py"),
        ("--fix", "--diff", "-"),
        ("--fix", "--stdin-path", "old.py"),
        ("--model", "deep"),
        ("--base", "nowhere"),
        ("--base", "main", "--head", "nowhere"),
        ("--stdin-path", "../x.py"),
    ],
)
def test_what_cannot_be_reviewed_exits_with_2(cli: Cli, branch: Repo, arguments: tuple[str, ...]) -> None:
    """Contradictions and names of nothing are refused with a message and no stack."""
    ran = cli("review", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("roundzero: ")


def test_the_model_off_is_no_gap(cli: Cli, branch: Repo) -> None:
    """``--model off`` and ``--no-ledger`` are what happens anyway."""
    ran = cli("review", "--model", "off", "--no-ledger", "--format", "json")
    assert wire(ran)["verdict"] == {"status": "LGTM", "stale": False, "depth": "off", "blocking": 0, "reasons": []}


def test_wrong_settings_are_told_in_the_report(cli: Cli, branch: Repo) -> None:
    """A problem of the configuration is a notice with file and line, in every format, and costs nothing else."""
    branch.write(".roundzero.toml", 'packs = ["house"]\nrubbish = 1\n')
    ran = cli("review")
    assert (ran.status, ran.err) == (0, "")
    assert "note: .roundzero.toml:2: rubbish is not a setting" in ran.out
    assert any("rubbish" in notice for notice in wire(cli("review", "--format", "json"))["notices"])


def test_fix_applies_safe_fixes_and_reviews_again(cli: Cli, branch: Repo) -> None:
    """Safe fixes are written, unsafe ones are not, and the report is that of the fixed text."""
    pack = PACK.replace("E711", "F541")
    branch.commit("pack", {".roundzero/checklists/house.yaml": pack})
    branch.write("new.py", "x = f'a'\n")
    assert "fix (safe): " in cli("review").out
    ran = cli("review", "--fix", "--format", "json")
    document = wire(ran)
    assert branch.read("new.py") == "x = 'a'\n"
    assert document["notices"] == ["fixed 1 finding in 1 file: new.py"]
    assert [(each["state"], each["first_seen"]) for each in document["findings"]] == [("fixed", 1)]
    assert "note: fixed nothing" in cli("review", "--fix").out


def test_fix_goes_on_until_nothing_more_applies(cli: Cli, branch: Repo) -> None:
    """A fix that overlaps another one is applied after it, and is not reported as left."""
    pack = PACK.replace("E711", "F541").replace('text: {regex: "BLOCKER"}', "ruff: [Q000]")
    branch.commit("pack", {".roundzero/checklists/house.yaml": pack})
    branch.write("new.py", "x = f'a'\n")
    said = wire(cli("review", "--fix", "--format", "json"))["notices"]
    assert (branch.read("new.py"), said) == ('x = "a"\n', ["fixed 2 findings in 1 file: new.py"])


def test_min_severity_decides_nothing_of_what_is_remembered(cli: Cli, branch: Repo) -> None:
    """Shown are the grave ones; the round, its counts and the report kept of it hold all, and no round is added."""
    branch.commit("one", {"new.py": "x = y == None\n"})
    narrow = wire(cli("review", "--format", "json", "--min-severity", "P0"))
    assert (narrow["findings"], narrow["counts"]["P2"]) == ([], 0)
    assert "P2/1" in cli("ledger", "rounds").out
    assert len(json.loads(cli("report", "--format", "json").out)["findings"]) == 1
    assert wire(cli("review", "--format", "json"))["round"]["index"] == narrow["round"]["index"]


def test_a_verdict_by_the_branchs_own_rules_says_so(cli: Cli, branch: Repo) -> None:
    """A branch that leaves its own files out of the review is told of on the last line, and in every format."""
    branch.commit("one", {"new.py": "# BLOCKER\n", ".roundzeroignore": "new.py\n"})
    ran = cli("review")
    last = ran.out.splitlines()[-1]
    assert (ran.status, last) == (0, "LGTM (checks only): this branch changes what is reviewed: .roundzeroignore")
    assert "this branch changes what is reviewed" in wire(cli("review", "--format", "json"))["verdict"]["reasons"][0]


def test_the_last_line_agrees_with_the_exit_status(cli: Cli, branch: Repo) -> None:
    """Where --fail-on or gate.failOn decides against the verdict, the last line says that it does."""
    branch.commit("one", {"new.py": "# BLOCKER\n"})
    ran = cli("review", "--fail-on", "never")
    assert (ran.status, ran.out.splitlines()[-1].split("; ")[-1]) == (0, "passes by --fail-on never")
    branch.commit("two", {"new.py": "x = y == None\n"})
    ran = cli("review", "--fail-on", "P2")
    assert (ran.status, ran.out.splitlines()[-1]) == (1, "LGTM (checks only): fails by --fail-on P2")


def test_fix_keeps_crlf_and_mark(cli: Cli, branch: Repo) -> None:
    """A file with CRLF and a byte-order mark keeps both."""
    branch.commit("pack", {".roundzero/checklists/house.yaml": PACK.replace("E711", "F541")})
    branch.write("new.py", "\ufeffy = 1\r\nx = f'a'\r\n".encode())
    cli("review", "--fix")
    assert branch.path("new.py").read_bytes() == "\ufeffy = 1\r\nx = 'a'\r\n".encode()


def test_unsafe_fixes_are_left(cli: Cli, branch: Repo) -> None:
    """A fix that ruff calls unsafe is offered and never applied."""
    branch.write("new.py", "x = y == None\n")
    cli("review", "--fix")
    assert branch.read("new.py") == "x = y == None\n"


def test_colour_only_on_a_terminal(roundzero: Path, branch: Repo) -> None:
    """On a terminal there is colour, unless NO_COLOR is set; a pipe never gets any."""
    branch.write("new.py", "# BLOCKER\n")

    def output(**environment: str) -> bytes:
        leader, follower = os.openpty()
        with subprocess.Popen(
            [roundzero, "review"],
            cwd=branch.root,
            stdin=subprocess.DEVNULL,
            stdout=follower,
            stderr=subprocess.PIPE,
            env={**os.environ, "TERM": "xterm", **environment},
        ) as process:
            os.close(follower)
            chunks = []
            try:
                while chunk := os.read(leader, 65536):
                    chunks.append(chunk)
            except OSError:
                pass  # Linux says so when the other side has closed
            os.close(leader)
            assert process.stderr is not None
            assert process.stderr.read() == b""
        return b"".join(chunks)

    assert b"\x1b[1;31m" in output()
    assert b"\x1b" not in output(NO_COLOR="1")


def test_a_locale_without_utf8_is_no_obstacle(roundzero: Path, branch: Repo) -> None:
    """Output is UTF-8 whatever the locale."""
    branch.write("中文.py", "# BLOCKER\n")
    done = subprocess.run(
        [roundzero, "review"],
        cwd=branch.root,
        capture_output=True,
        check=False,
        env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 1
    assert "中文.py:1:3 P1".encode() in done.stdout


def test_a_settings_file_that_cannot_be_read_stops_the_review(cli: Cli, branch: Repo) -> None:
    """A gate that falls back to the defaults would be greener than the one that was asked for."""
    branch.write(".roundzero.toml", '[gate]\nfail_on = "P2"\nx=\n')
    ran = cli("review")
    assert (ran.status, ran.out) == (2, "")
    assert ".roundzero.toml:3: is not valid TOML" in ran.err
    assert "correct it" in ran.err


def test_a_restricted_review_says_of_what_its_verdict_is(cli: Cli, branch: Repo) -> None:
    """Only the files asked for are counted, and the last line names them."""
    branch.write("bad.py", "BLOCKER = 1\n")
    branch.write("good.py", "x = 1\n")
    ran = cli("review", "good.py")
    assert ran.status == 0
    assert "Reviewed 1 of 1 file (+1 line)" in ran.out
    assert ran.out.endswith("LGTM (checks only): only good.py was asked for\n")
