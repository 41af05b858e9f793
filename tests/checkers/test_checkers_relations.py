"""What is between the two sides of a change: guards, clean-ups, keys, new decisions, parts, promises and locks."""

from __future__ import annotations

import pytest

from support.checking import run

GUARD = "python/guard-removed"
CLEAN = "python/cleanup-removed"
RELAXED = "python/required-key-relaxed"
UNTESTED = "tests/new-logic-untested"
UNRELATED = "general/unrelated-changes"
LOCK = "dependencies/lock-partly-regenerated"
PROMISE = "general/description-contradicts"
CONFLICT = "general/conflict-marker"


def seen(text: str, item: str) -> list[int]:
    """The lines an item speaks of."""
    done = run(text, item)
    assert not done.failures
    return sorted({each.line for each in done.shown})


@pytest.mark.parametrize(
    ("rest", "expected"),
    [("     def freeze(self):\n         self.frozen = True\n", [3]), ("", [])],
    ids=["the class still knows it", "gone"],
)
def test_a_guard_may_ask_of_an_attribute_that_its_function_does_not_use_otherwise(
    rest: str, expected: list[int]
) -> None:
    """An attribute is there as long as its file speaks of it."""
    text = (
        "//- a.py\n class Account:\n     def take(self, amount):\n-        if self.frozen:\n"
        "-            raise Frozen(amount)\n         self.log(amount)\n         self.total -= amount\n"
    )
    assert seen(text + rest, GUARD) == [line + 1 for line in expected]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("return 3.14 * shape.radius", []),
        ("return None", [3]),
        ("return ''", [3]),
        ("log.warning(shape)", [3]),
    ],
)
def test_what_was_refused_and_has_an_answer_now_lost_no_guard(answer: str, expected: list[int]) -> None:
    """A constant is no answer."""
    text = (
        "//- a.py\n def area(shape):\n     if shape.is_round:\n-        raise ValueError(shape)\n"
        f"+        {answer}\n     width = shape.width\n     return width * shape.height\n"
    )
    assert seen(text, GUARD) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("     if x.empty:\n-        free(s)\n         return 1\n     x.use()\n     free(s)\n", [4]),
        ("     if x.empty:\n-        free(s)\n         x.skip()\n     else:\n         free(s)\n", [4]),
        ("     if x.empty:\n-        free(s)\n         x.skip()\n     free(s)\n", []),
        ("-    if x.empty:\n-        free(s)\n-        return 1\n     x.use()\n     free(s)\n", []),
        ("     if x.empty:\n-        free(s)\n         return 1\n     x.use()\n     free(t)\n", []),
        ("     if x.empty:\n-        free(s)\n+        x.free(s)\n         return 1\n     x.use()\n     free(s)\n", []),
        ("     if x.empty:\n-        s.stop()\n         return 1\n     x.use()\n     s.stop()\n", [4]),
        ("     if x.empty:\n-        print(s)\n         return 1\n     x.use()\n     print(s)\n", []),
    ],
    ids=["left early", "other arm", "reached anyway", "branch gone", "of another", "moved", "stopped", "no clean-up"],
)
def test_a_clean_up_that_one_branch_lost_is_told_while_its_siblings_keep_it(body: str, expected: list[int]) -> None:
    """Only where control no longer comes to such a call, and the branch is still there."""
    assert seen(f"//- a.py\n def work(x):\n     s = take()\n{body}", CLEAN) == expected


def test_a_lost_clean_up_comes_back_where_it_was() -> None:
    """The fix is one insertion that makes the base text again."""
    done = run("//- a.py\n def f(x):\n     if x:\n-        free(x)\n         return 1\n     free(x)\n", CLEAN)
    ((fix,),) = (each.fixes for each in done.shown)
    ((edit,),) = (fix.edits,)
    assert (edit.span.start.line, edit.old_text, edit.new_text, fix.safe) == (3, "", "        free(x)\n", False)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("os.environ['TOKEN']", "os.getenv('TOKEN', '')", [2]),
        ("environ['TOKEN']", "getenv('TOKEN')", [2]),
        ("d[PORT]", "d.get(PORT, 80)", [2]),
        ("d[port]", "d.get(port, 80)", []),
        ("d['port']", "d.get('port', None)", [2]),
        ("int(d['port'])", "int(d.get('port', None))", []),
    ],
)
def test_a_key_is_a_text_or_a_constant_and_the_environment_has_keys(
    before: str, after: str, expected: list[int]
) -> None:
    """A variable may be anything, as when things are counted; None is as good as no default."""
    assert seen(f"//- a.py\n def f(d):\n-    return {before}\n+    return {after}\n", RELAXED) == expected


@pytest.mark.parametrize(("default", "expected"), [("None", []), ("''", []), ("[]", []), ("80", [2])])
def test_an_empty_default_that_is_looked_at_is_no_silence(default: str, expected: list[int]) -> None:
    """Whoever asks for emptiness tells a missing key; another default is never empty."""
    text = (
        f"//- a.py\n def f(d):\n-    port = d['port']\n+    port = d.get('port', {default})\n"
        "+    if not port:\n+        raise Missing(d)\n     return port\n"
    )
    assert seen(text, RELAXED) == expected


BRANCHING = "+def pay(a, b):\n+    if a:\n+        return 1\n+    if b:\n+        return 2\n+    return 3\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("//- tests/test_desk.py\n from app import desk\n//- app/desk.py\n x = 1\n", [2]),
        ("//- tests/test_desk.py\n from app import desk\n+desk.refund()\n//- app/desk.py\n x = 1\n", []),
        ("//- tests/test_desk.py\n from app import desk\n//- app/desk.py\n", []),
        ("//- tests/test_a.py\n x = 1\n//- app/old.py\n x = 1\n-def pay(a, b):\n-    return a\n//- app/desk.py\n", []),
    ],
    ids=["old tests of the module", "tests of the change", "new module", "moved"],
)
def test_old_tests_of_a_module_are_none_of_a_new_function(text: str, expected: list[int]) -> None:
    """They were there before it; tests that the change touches may reach it, and what moved is not new."""
    assert seen(text + BRANCHING, UNTESTED) == expected


def _counted(folder: str, count: int, line: str) -> str:
    return "".join(f"//- {folder}/part{at:02}.py\n{line.format(at)}\n" for at in range(count))


@pytest.mark.parametrize(
    ("line", "is_split"),
    [("+shots = {0} + 1", True), ("+from bills.part00 import bills\n+shots = {0} + 1", False)],
    ids=["same names", "import"],
)
def test_files_that_two_folders_count_are_tied_by_imports_and_not_by_their_names(line: str, is_split: bool) -> None:
    """``part01`` here and ``part01`` there are two things; an import ties however many do it."""
    text = _counted("bills", 20, "+bills = {0} * 2") + _counted("shots", 16, line)
    assert bool(run(text, UNRELATED).shown) is is_split


LOCKED = """//- requirements.txt
 # This file is autogenerated by pip-compile with Python {0}
 certifi==2024.2.2
     # via requests
 idna==3.6
{1} requests==2.31.0
     # via -r requirements.in
{2}"""
NOTED = "-    # via requests\n+    # via {0}\n"
MORE = "-    # via requests\n+    # via\n+    #   requests\n+    #   {0}\n"


@pytest.mark.parametrize(
    ("note", "rest", "expected"),
    [
        (NOTED.format("certifi"), "", [4]),
        (NOTED.format("yarl"), "", [4]),
        (MORE.format("yarl"), "", [4]),
        (MORE.format("yarl"), "+yarl==1.9.4\n+    # via -r requirements.in\n", []),
        (MORE.format("yarl"), " yarl @ git+https://git.example/aio/yarl.git@1a2b\n", []),
        ("     # via requests\n", "", []),
    ],
    ids=["another row", "no row", "one more, no row", "new row", "repository", "as it was"],
)
def test_who_asked_for_a_row_changes_only_with_a_row(note: str, rest: str, expected: list[int]) -> None:
    """Rows with the same versions ask for the same, and for one program only what is there asks."""
    assert bool(seen(LOCKED.format("3.11", note, rest), LOCK)) is bool(expected)


@pytest.mark.parametrize(
    ("message", "is_broken"),
    [
        ("Tests only: cover the desk", True),
        ("Cover the desk. Tests only.", True),
        ("Run slow tests only on Linux", False),
        ("Name the modes docs-only and tests-only in tables", False),
        ("Add the option --tests-only", False),
    ],
)
def test_a_promise_may_begin_a_message_or_be_a_sentence(message: str, is_broken: bool) -> None:
    """In the middle of a sentence the same words mean something else."""
    text = f"//> Ada <ada@e.example>: {message}\n//- app/desk.py\n-x = 1\n+x = 2\n"
    assert bool(run(text, PROMISE).shown) is is_broken


@pytest.mark.parametrize(
    ("path", "lines", "expected"),
    [
        ("a.js", "+<<<<<<< HEAD\n let x = 1;\n", [1]),
        ("a.yaml", " a: 1\n+=======\n+a: 2\n+>>>>>>> topic\n", [4]),
        ("a.js", " let x = 1;\n+>>>>>>>\n", []),
        ("a.py", ' A = """\n+<<<<<<< HEAD\n """\n', []),
        ("a.c", " /*\n+>>>>>>> see there\n */\n", []),
        ("a.md", "+>>>>>>> topic\n", []),
        ("tests/data/a.js", "+<<<<<<< HEAD\n", []),
    ],
)
def test_one_marker_that_was_left_over_is_a_conflict_in_code(path: str, lines: str, expected: list[int]) -> None:
    """It has a name behind it and is no string, no comment, no page and no data of tests."""
    assert seen(f"//- {path}\n{lines}", CONFLICT) == expected
