"""The comparison with the test files of public linters, over small repositories laid out like theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

import fixture_labels
import public_fixtures
from fixture_labels import Case

if TYPE_CHECKING:
    from support.repo import Repo

RUFF: Final = {
    "crates/ruff_linter/resources/test/fixtures/bugs/E722_1/__init__.py": (
        "try:\n    run()\nexcept:\n    stop()\ntry:\n    run()\nexcept:\n    halt()\n"
    ),
    "crates/ruff_linter/src/rules/bugs/snapshots/ruff_linter__rules__bugs__tests__E722_E722_1____init__.py.snap": """\
---
source: mod.rs
---
E722 Do not use bare `except`
 --> __init__.py:3:1
  |
1 |   try:
2 |       run()
3 | / except:
4 | |     stop()
  | |__________^
5 |   try:
  |
help: Name it
  |
9 - except:

F401 [*] `os` imported but unused
 --> __init__.py:9:1
  |
9 | import os
  |        ^^
  |
""",
}
PYLINT: Final = {
    "pylint/checkers/base.py": "",
    "tests/functional/b/bare_except.py": "import os\ntry:\n    run()\nexcept:\n    stop()\n",
    "tests/functional/b/bare_except.txt": (
        "unused-import:1:0:None:None::Unused:UNDEFINED\nbare-except:4:0:5:10::No exception type(s) specified:HIGH\n"
    ),
    "tests/functional/u/undefined_variable.py": "print(early)\n",
    "tests/functional/u/undefined_variable.txt": "used-before-assignment:1:6:1:11::Using it:HIGH\n",
}
ESLINT: Final = {
    "tests/lib/rules/use-isnan.js": """\
ruleTester.run("use-isnan", rule, {
    valid: [
        "isNaN(NaN) === true;", // "x === NaN"
        { code: "x.indexOf(NaN)", options: [{ enforceForIndexOf: false }] },
        { code: "x === \\u0022NaN\\u0022", languageOptions: { ecmaVersion: 6 } },
    ],
    invalid: [
        { code: "x === " + "NaN;", errors: [{ messageId: "code: never" }] },
        { code: `f(x)\n  == NaN`, errors: [comparisonError] },
        "y < (1, NaN)",
    ],
});
""",
}
WORKFLOW: Final = "on: push\njobs:\n  one:\n    steps:\n      - run: echo ${{ github.event.issue.title }}\n"
ZIZMOR: Final = {
    "crates/zizmor/tests/integration/test-data/template-injection/one.yml": WORKFLOW,
    "crates/zizmor/tests/integration/test-data/template-injection/two.yml": WORKFLOW,
    "crates/zizmor/tests/integration/audit/template_injection.rs": """\
    insta::assert_snapshot!(
        zizmor().input(input_under_test("template-injection/one.yml")).args(["--persona=auditor"]).run()?,
        @"No findings to report."
    );
    insta::assert_snapshot!(
        zizmor()
            .input(input_under_test(
                "template-injection/two.yml"
            ))
            .run()?,
        @r#"
    error[template-injection]: code injection via template expansion
      --> @@INPUT@@:5:25
       |
    warning[artipacked]: credential persistence
      --> @@INPUT@@:4:9
    "#
    );
""",
}


def labels(repo: Repo, files: dict[str, str]) -> list[tuple[str, str, tuple[tuple[int, int], ...] | None]]:
    """What is read of a repository: rule, text and expected lines."""
    repo.commit("tests", files)
    return [(case.rule, case.text, case.expected) for case in fixture_labels.cases(repo.root)]


def test_ruff_is_read_from_its_snapshots(repo: Repo) -> None:
    """The lines of the snapshot's own rule, from the place to the last line shown above the carets."""
    assert labels(repo, RUFF) == [("E722", next(iter(RUFF.values())), ((3, 4),))]


def test_pylint_is_read_from_what_stands_beside_its_files(repo: Repo) -> None:
    """A rule had its say where it is expected or the file is named after it; kindred names are known."""
    repo.commit("tests", PYLINT)
    found = {(case.rule, case.expected, case.kindred) for case in fixture_labels.cases(repo.root)}
    assert found == {
        ("bare-except", ((4, 5),), ()),
        ("unused-import", ((1, 1),), ()),
        ("undefined-variable", (), ((1, 1),)),
    }


def test_eslint_is_read_from_the_cases_of_its_tests(repo: Repo) -> None:
    """Pieces of code are joined and unescaped, and cases that set options are left out."""
    assert labels(repo, ESLINT) == [
        ("use-isnan", "isNaN(NaN) === true;\n", ()),
        ("use-isnan", 'x === "NaN"\n', ()),
        ("use-isnan", "x === NaN;\n", None),
        ("use-isnan", "f(x)\n  == NaN\n", None),
        ("use-isnan", "y < (1, NaN)\n", None),
    ]


def test_zizmor_is_read_from_its_usual_runs(repo: Repo) -> None:
    """Runs with another persona are left out, and so are other audits."""
    assert labels(repo, ZIZMOR) == [("template-injection", WORKFLOW, ((5, 5),))]


def test_any_other_repository_is_refused(repo: Repo) -> None:
    """One that is laid out like none of them has no labels that could be read."""
    repo.commit("one", {"a.py": ""})
    with pytest.raises(ValueError, match="none of ruff, pylint, eslint, zizmor"):
        list(fixture_labels.cases(repo.root))


def test_what_both_say_and_what_one_says_is_told_apart() -> None:
    """Each hit answers one report whose lines it begins in; on kindred lines ours counts for nobody."""
    expected, kindred = ((3, 5), (9, 9)), ((20, 20),)
    case = Case(source="ruff", rule="E722", name="a", path="a.py", text="", expected=expected, kindred=kindred)
    hits = [("python/bare-except", line) for line in (4, 5, 20)] + [("python/unused-import", 9)]
    assert list(public_fixtures.compared(case, hits)) == [("both", 3), ("theirs", 9), ("ours", 5)]


def test_repositories_are_compared_with_a_review_of_their_files(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    """The second bare except of ruff's file is ours alone, since its snapshot does not have it."""
    repo.commit("tests", RUFF)
    assert public_fixtures.main(["--repo", str(repo.root), "--show", "python/bare-except"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("E722_1/__init__.py:7: except:")
    assert lines[-1] == "both 1 theirs 0 ours 1"
