"""Proving packs: rules by their programs, examples by a review."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from roundzero.errors import UserError
from roundzero.linters import discover
from roundzero.packs.check import check_packs
from roundzero.packs.loader import built_in_files, load
from support.linter_review import Judges, review
from support.loop import run

if TYPE_CHECKING:
    from roundzero.core.ruleset import Problem

HEAD = "pack: mine\ntitle: t\nitems:\n"


def check(folder: Path, *texts: str) -> list[Problem]:
    """Check these texts as pack files."""
    files = []
    for number, text in enumerate(texts):
        files.append(folder / f"{number}.yaml")
        files[-1].write_text(text, encoding="utf-8")
    return run(check_packs(files, review, Judges()))


def told(problems: list[Problem]) -> list[tuple[int, str]]:
    """Lines and messages."""
    return [(problem.line, problem.message) for problem in problems]


def test_every_shipped_example_of_a_linter_fires_exactly_where_it_is_marked() -> None:
    """What ruff and ast-grep find in the built-in packs is what their examples say, in scope and with its origin."""
    ruleset = load(repository=None, overrides={}, packs=None, cache_dir=None)
    linted = tuple(f"{item.id}:" for item in ruleset.checked if any(linter.takes(item) for linter in discover()))
    problems = run(check_packs(built_in_files(), review, Judges()))
    assert len(linted) >= 10
    assert [problem for problem in problems if problem.message.startswith(linted)] == []


def test_rules_are_shown_to_their_programs(tmp_path: Path) -> None:
    """A code ruff does not run, a rule ast-grep refuses and a checker that is not there each name their item."""
    text = (
        HEAD
        + "  - {id: a, title: t, severity: P1, why: w, check: {ruff: [ZZZ999, B909, E722]}}\n"
        + "  - {id: b, title: t, severity: P1, why: w, check: {ast-grep: {language: rust, rule: {kind: nothing}}}}\n"
        + "  - {id: c, title: t, severity: P1, why: w, check: {checker: no-such-checker}}\n"
    )
    problems = [problem for problem in told(check(tmp_path, text)) if "example" not in problem[1]]
    assert [(line, message.split(":")[0]) for line, message in problems] == [
        (4, "mine/a"), (4, "mine/a"), (5, "mine/b"), (6, "mine/c"),
    ]  # fmt: skip
    assert "ZZZ999" in problems[0][1]
    assert "B909" in problems[1][1]
    assert "nothing" in problems[2][1]


EXAMPLES = (
    HEAD
    + """\
  - id: a
    title: caught everything
    severity: P1
    default: off
    why: w
    check: {ruff: [E722]}
    examples:
      bad:
"""
)
CODE = "          //- a.py\n          +try: f()\n          +except: g()\n"
GOOD = "      good:\n        - |\n          //- a.py\n          +x = 1\n"


def test_a_right_example_is_silent(tmp_path: Path) -> None:
    """Also for an item that is off by default."""
    assert check(tmp_path, EXAMPLES + "        - |\n" + CODE + "          ^^^^^^^ mine/a: caught\n" + GOOD) == []


def test_a_wrong_example_names_the_line_of_the_pack_file(tmp_path: Path) -> None:
    """A mark at the wrong place, a mark that says nothing, and a good example that fires."""
    (missing, surplus) = told(check(tmp_path, EXAMPLES + "        - |\n" + CODE + "          ^ ^ mine/a\n" + GOOD))
    assert (missing[0], missing[1][:16]) == (12, "mine/a: not expe")
    assert (surplus[0], surplus[1][:16]) == (16, "mine/a: missing:")
    ((line, words),) = told(check(tmp_path, EXAMPLES + "        - |\n" + CODE + "          ^ ?\n" + GOOD))
    assert (line, "an expectation is" in words) == (16, True)
    good = GOOD + "        - |\n" + CODE
    ((line, words),) = told(check(tmp_path, EXAMPLES + "        - |\n" + CODE + "          ^^^^^^^ mine/a\n" + good))
    assert (line, "not expected" in words) == (21, True)


def test_examples_must_say_something(tmp_path: Path) -> None:
    """A bad example without a mark, a good one with one, and a checked item without both kinds."""
    ((line, words),) = told(check(tmp_path, EXAMPLES + "        - |\n" + CODE + GOOD))
    assert (line, "marks nothing" in words) == (12, True)
    ((line, words),) = told(check(tmp_path, EXAMPLES + "        - |\n" + CODE + "          ^^^^^^^ mine/a\n"))
    assert (line, "needs a bad and a good" in words) == (4, True)


def test_names_taken_twice_and_texts_that_are_not_utf_8_are_problems(tmp_path: Path) -> None:
    """And the rest is still checked."""
    problems = check(tmp_path, HEAD + "  - {id: a, title: t, severity: P1, why: w, ask: q}\n", HEAD + "  []\n")
    assert [(Path(problem.file).name, problem.line) for problem in problems] == [("1.yaml", 1)]
    (tmp_path / "no").write_bytes(b"\xff")
    assert [problem.line for problem in run(check_packs([tmp_path / "no"], review, Judges()))] == [0]


def test_a_file_that_cannot_be_read_is_the_persons_to_put_right(tmp_path: Path) -> None:
    """Which file and why, in the system's own words."""
    with pytest.raises(UserError, match=r"no cannot be read: No such file or directory$"):
        run(check_packs([tmp_path / "no"], review, Judges()))
