"""Checkers of build files: tests that nothing runs, labels that lead nowhere, platforms that were passed over."""

from __future__ import annotations

import pytest

from support.checking import run

NOT_RUN = "build-and-ci/test-target-not-run"
LABEL = "build-and-ci/label-names-nothing"
GONE = "general/deleted-file-still-named"
PATH = "general/missing-path"

TEST = "//- t/a_test.py\n A = 1\n+assert A\n"


@pytest.mark.parametrize(
    ("build", "is_hit"),
    [
        ('py_test(name = "a", srcs = ["a_test.py"])', False),
        ('py_test(name = "a", srcs = ["a_test.py"], tags = ["manual"])', True),
        ('py_test(name = "a", srcs = [":a_test.py"], tags = select({"//:x": ["no_skip"], "//c": ["gpu"]}))', True),
        ('py_test(name = "a", srcs = ["a_test.py"], tags = ["gpu", "H20"])', False),
        ('py_test(name = "a", srcs = ["a_test.py"], tags = ["skip-windows", "skip_cmake"])', False),
        ('py_test(name = "a", srcs = ["a_test.py"], tags = ["skip-ci"])', True),
        ('py_test(name = "a", srcs = ["a_test.py"], tags = ["slow"])', True),
        ('py_test(name = "a_perf", srcs = ["a_test.py"], tags = ["manual"])', False),
        ('py_library(name = "a", srcs = ["a_test.py"], tags = ["manual"])', False),
        ('py_test(name = "b", srcs = ["b_test.py"], tags = ["manual"])', False),
        ('py_test(name = "a", srcs = ["a_test.py"], tags = [', False),
    ],
)
def test_a_tag_that_leaves_a_changed_test_out_is_told(build: str, is_hit: bool) -> None:
    """``manual``, words that say so, and the tags that the repository's own filter excludes."""
    text = f"//- .bazelrc\n test --test_tag_filters=-slow,fast\n//- t/BUILD\n+{build}\n{TEST}"
    done = run(text, NOT_RUN)
    assert done.failures == ()
    assert bool(done.shown) is is_hit


def test_a_test_that_did_not_change_is_not_looked_at() -> None:
    """Its target carries the tag for whoever put it there."""
    text = f'//- t/BUILD\n py_test(name = "a", srcs = ["a_test.py"], tags = ["manual"])\n{TEST}'
    assert run(text.replace("+assert A\n", ""), NOT_RUN).shown == ()
    (seen,) = run(text, NOT_RUN).shown
    assert seen.cause is not None
    assert seen.cause.path == "t/a_test.py"


@pytest.mark.parametrize(("mark", "is_hit"), [("+", True), (" ", False)])
def test_what_an_old_tag_means_is_not_guessed(mark: str, is_hit: bool) -> None:
    """Nothing here excludes it, and whoever put it there knows; one that comes with the change is asked about."""
    build = f'//- t/BUILD\n{mark}py_test(name = "a", srcs = ["a_test.py"], tags = ["open_skip"])\n'
    assert bool(run(f"{build}{TEST}", NOT_RUN).shown) is is_hit


@pytest.mark.parametrize(
    ("path", "row", "is_hit"),
    [
        ("a_test.py", "make(limit=limit)", False),
        ("a_test.py", "from app import make", False),
        ("a_test.py", "def test_more(): ...", True),
        ("a_test.py", "self.assertTrue(made)", True),
        ("a_test.cc", "  options.limit = 3;", False),
        ("a_test.cc", "TEST_F(Options, Limit) {", True),
        ("a_test.cc", "  EXPECT_EQ(options.limit, 3);", True),
        ("a_test.go", "func TestLimit(t *testing.T) {", True),
    ],
)
def test_a_test_that_only_keeps_in_step_is_left_alone(path: str, row: str, is_hit: bool) -> None:
    """Without a new test or assertion there is nothing new that nobody runs; a tag that is new is told all the same."""
    target = f'py_test(name = "a", srcs = ["{path}"], tags = ["manual"])'
    test = f"//- t/{path}\n A = 1\n+{row}\n"
    assert bool(run(f"//- t/BUILD\n {target}\n{test}", NOT_RUN).shown) is is_hit
    assert run(f"//- t/BUILD\n+{target}\n{test}", NOT_RUN).shown


@pytest.mark.parametrize(
    ("patterns", "is_hit"),
    [
        ("//t:all", True),
        ("//web/test:all", False),
        ("//web/...", False),
        ("//...", False),
        ("//web/test:cart", False),
        ("//web/test:other", True),
        ('"$TARGETS"', False),
    ],
)
def test_a_script_that_selects_tests_selects_those_that_come_with_it(patterns: str, is_hit: bool) -> None:
    """Folders, packages and single targets; what a variable holds is not known."""
    build = '//- web/test/BUILD\n+py_test(name = "cart", srcs = ["cart_test.py"])\n//- web/test/cart_test.py\n+A = 1\n'
    done = run(f"//- ci/unit.sh\n set -e\n+bazelisk test {patterns} --config=x\n{build}", NOT_RUN)
    assert bool(done.shown) is is_hit


@pytest.mark.parametrize(
    ("label", "is_hit"),
    [
        ("a.py", False),
        ("none.py", True),
        (":none.py", True),
        ("made.py", False),
        (":lib", False),
        (":gone", True),
        ("//base:words", False),
        ("//base:gone", True),
        ("//base", True),
        ("//base/deep:x", True),
        ("@shop//base:gone", True),
        ("@pip//base:gone", False),
        ("//other/deep:x", False),
        ("//macros:anything", False),
        ("data", False),
    ],
)
def test_a_label_resolves_to_a_file_or_a_target(label: str, is_hit: bool) -> None:
    """Files, rules, what rules make, other packages and this repository by its own name."""
    text = (
        '//- WORKSPACE\n workspace(name = "shop")\n//- app/a.py\n A = 1\n'
        '//- app/BUILD\n genrule(name = "g", outs = ["made.py"])\n'
        f' py_library(name = "lib",\n+    srcs = ["{label}"],\n )\n'
        '//- base/BUILD\n py_library(name = "words")\n//- base/deep.py\n B = 1\n'
        '//- macros/BUILD\n load("//:x.bzl", "many")\n many(3)\n'
    )
    done = run(text, LABEL)
    assert done.failures == ()
    assert bool(done.shown) is is_hit


def test_a_missing_file_that_lies_below_is_offered() -> None:
    """Where the folder of the package has one file of that name, further down."""
    text = '//- app/sub/a.py\n A = 1\n//- app/BUILD\n+py_library(name = "lib", srcs = ["a.py"])\n'
    (seen,) = run(text, LABEL).shown
    (fix,) = seen.fixes
    assert (fix.edits[0].old_text, fix.edits[0].new_text) == ("a.py", "sub/a.py")


@pytest.mark.parametrize(
    ("naming", "line", "is_hit"),
    [
        ("lib/x.BUILD", 'srcs = ["//lib:parse.py"],', True),
        ("lib/BUILD", 'srcs = ["@shop//lib:parse.py"],', True),
        ("lib/BUILD", 'srcs = ["@@//lib:parse.py"],', True),
        ("lib/BUILD", 'srcs = ["@dep//lib:parse.py"],', False),
        ("lib/defs.bzl", '"""For parse.py files.', False),
        ("lib/defs.bzl", "It reads parse.py once.", False),
        ("lib/BUILD", "    $(location parse.py)", True),
        ("package.json", '"scripts": {"build": "python lib/parse.py"}', True),
        ("lib/package.json", '"bin": "./parse.py"', True),
    ],
)
def test_labels_of_this_repository_and_package_files_name_what_went(naming: str, line: str, is_hit: bool) -> None:
    """By the name of the workspace, and relative to the package."""
    text = f'//- MODULE.bazel\n module(\n     name = "shop",\n )\n//- lib/parse.py\n-old = 1\n//- {naming}\n {line}\n'
    assert bool(run(text, GONE).shown) is is_hit


@pytest.mark.parametrize(
    ("line", "is_hit"),
    [
        ('"build": "node scripts/make.js"', True),
        ('"build": "tsc && node --trace-warnings scripts/make.js"', True),
        ('"main": "scripts/make.js"', False),
        ('"build": "node tools/make.js"', False),
    ],
)
def test_a_path_that_a_package_runs_exists(line: str, is_hit: bool) -> None:
    """Only what is run: other paths of a package may be built."""
    text = f"//- tools/make.js\n x\n//- scripts/other.js\n x\n//- package.json\n {{\n+{line}\n }}\n"
    assert bool(run(text, PATH).shown) is is_hit
