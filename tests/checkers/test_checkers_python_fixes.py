"""What the fixes of Python checkers make of a file, and where they are left to the person."""

from __future__ import annotations

import pytest

from support.checking import run
from support.fixing import mended

DEAD = "python/parameter-now-dead"
STATE = "python/state-outside-init"
RAISE = "python/tautological-raise"
SIBLING = "python/sibling-outlier"
DIFFER = "python/handlers-differ"


def dead(signature: str, rest: str = "", *, doc: str = "") -> str:
    """A function that no longer reads ``b``, and what else its file holds."""
    body = "".join(f"     {line}\n" if line else "\n" for line in doc.split("\n")) if doc else ""
    more = "".join(f" {line}\n" if line else "\n" for line in rest.split("\n")) if rest else ""
    return f"//- a.py\n def load({signature}):\n{body}-    return read(a, b)\n+    return read(a, 1)\n\n{more}"


def case(name: str, expected: str, body: str, *, top: str = "", add: str = "+") -> str:
    """A test that expects an error, and nothing else of it."""
    return f"//- tests/test_a.py\n{top}{add}def test_{name}():\n{add}    with {expected}:\n{add}        {body}\n"


@pytest.mark.parametrize(
    ("signature", "call", "left", "wanted"),
    [
        ("a, b", "load(1, 2)", "a", "load(1)"),
        ("a, b", "load(1, b=2)", "a", "load(1)"),
        ("a, b, c=3", "load(1, 2, c=4)", "a, c=3", "load(1, c=4)"),
        ("b, a", "load((2), 1)", "a", "load(1)"),
        ("b, /, a", "load(2, 1)", "a", "load(1)"),
        ("a, *, b=(1, 2)", "load(1, b=[3, 4])", "a", "load(1)"),
        ("a, *, b: 'int' = 2, c=3", "load(1, c=3, b=2)", "a, *, c=3", "load(1, c=3)"),
        ("a, *rest, b", "load(1, 2, b=3,)", "a, *rest", "load(1, 2,)"),
        ("a, b=f\"{','}(\", c=1", "load(1, c=2)", "a, c=1", "load(1, c=2)"),
        ("\n    a,\n    b,\n    c=1,\n", "load(\n  1,\n  2,\n  3,\n)", "\n    a,\n    c=1,\n", "load(\n  1,\n  3,\n)"),
        ("\n    a,\n    b,\n", "load(\n    1,\n    2\n)", "\n    a,\n", "load(\n    1\n)"),
    ],
)  # fmt: skip
def test_a_dead_parameter_goes_with_its_arguments(signature: str, call: str, left: str, wanted: str) -> None:
    """The commas, brackets and lines of what is left stay as they are."""
    done = mended(dead(signature.replace("\n", "\n "), f"x = {call}"), DEAD)
    assert done is not None
    assert done.after.startswith(f"def load({left}):\n")
    assert done.after.endswith(f"x = {wanted}\n")


@pytest.mark.parametrize("crlf", [False, True])
def test_its_entry_in_the_docstring_goes_too(crlf: bool) -> None:
    """As Google, Sphinx and NumPy write it, with the lines that belong to it."""
    entries = [
        "Args:\n    a: one.\n    b: two,\n        and more.\n\nReturns: all.",
        ":param a: one.\n:type b: int\n:param b: two.",
    ]
    entries.append("Parameters\n----------\na : int\n    One.\nb : int\n    Two.\n\nReturns\n-------\nint")
    for entry in entries:
        done = mended(dead("a, b", "load(1, 2)\nload(3, 4)", doc=f'"""Load.\n\n{entry}\n"""'), DEAD, crlf=crlf)
        assert done is not None
        assert " b:" not in done.after
        assert " b :" not in done.after
        assert "wo" not in done.after
        assert "ne." in done.after


@pytest.mark.parametrize(
    ("signature", "rest"),
    [
        ("a, b", "load(*all)"),
        ("a, b", "load(1, **all)"),
        ("a, b", "load(1, next(b))"),
        ("a, b", "load(1, (c := 2))"),
        ("a, b", "load(1, 2  # why\n)"),
        ("a, b, **more", "load(1, 2)"),
        ("a, b=(c := 2)", "load(1)\nprint(c)"),
        ("a, *, c=1, b=register()", "load(1)"),
        ("a,\n     # about b\n     b,\n     c=1", "load(1)"),
        ("a, b", "load(1, 2)\nload = None"),
        ("a, b", "patch('a.load')"),
        ("a, b", "def other(load):\n    load(1, 2)"),
        ("a, b", "class A:\n    def load(self): ..."),
    ],
)
def test_a_dead_parameter_stays_where_a_use_is_in_doubt(signature: str, rest: str) -> None:
    """Stars, arguments that do something, comments, other meanings of the name: the finding is all there is."""
    assert mended(dead(signature, rest), DEAD) is None


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ("    def all(self):\n        return self.load(1, 2)\n", "self.load(1)"),
        ("    def all(self):\n        return [self.load(b=2, a=1) for _ in self]\n", "self.load(a=1)"),
        ("    def all(self, other):\n        return other.load(1, 2)\n", None),
        ("class B(A):\n    def all(self):\n        return self.load(1, 2)\n", None),
        ("    def all(self):\n        self = other\n        return self.load(1, 2)\n", None),
    ],
)
def test_a_method_is_called_on_itself(more: str, wanted: str | None) -> None:
    """Only calls on ``self`` inside of the class are surely the method's."""
    lines = "".join(f" {line}\n" for line in more.splitlines())
    text = "//- a.py\n class A:\n     def load(self, a, b):\n-        return read(a, b)\n+        return read(a, 1)\n\n"
    done = mended(text + lines, DEAD)
    assert (done is None) is (wanted is None)
    if done is not None and wanted is not None:
        assert wanted in done.after
        assert "def load(self, a):" in done.after


def test_how_many_calls_lose_the_argument_is_said() -> None:
    """Calls of other files are not looked at, so the title says whose are, and a function only they call stays."""
    texts = [dead("a, b", calls) for calls in ("load(1, 2)", "load(1, 2)\nload(2, 3)", "")]
    assert [[fix.title for fix in run(text, DEAD).shown[0].fixes] for text in texts] == [
        ["Take b out of the signature and 1 call of this file"],
        ["Take b out of the signature and 2 calls of this file"],
        [],
    ]
    (private,) = run(texts[-1].replace("load", "_load"), DEAD).shown
    assert [fix.title for fix in private.fixes] == ["Take b out of the signature"]


def book(init: str, body: str = "self.rows = []", *, add: str = "") -> str:
    """A class whose method sets a collection anew each time."""
    inits = "".join(f"         {line}\n" for line in init.split("\n"))
    method = f"     def add(self, row):\n{add}+        {body}\n         self.rows.append(row)\n"
    return f"//- a.py\n class Book:\n     def __init__(self, rows):\n{inits}\n{method}"


@pytest.mark.parametrize("crlf", [False, True])
@pytest.mark.parametrize(
    ("init", "at"),
    [
        ("self.add(1)\nself.add(2)", 0),
        ("self.name = 1\nfor row in rows:\n    self.add(row)", 1),
        ('"""Start."""\nself.add(1)\nself.add(2)\nself.name = 1', 1),
        ("super().__init__()\nlist(map(self.add, rows))\nself.add(1)\nself.add(2)", 1),
        ("self.name = name(\n    rows\n)\nprint(1)\nself.add(1)\nself.add(2)", 3),
    ],
)
def test_a_collection_is_set_before_anything_may_fill_it(init: str, at: int, crlf: bool) -> None:
    """It goes behind the attributes that are set first, and out of the method."""
    done = mended(book(init), STATE, crlf=crlf)
    assert done is not None
    inits, _, method = done.after.partition("\n\n")
    lines = init.split("\n")
    lines.insert(at, "self.rows = []")
    assert inits.split("\n")[2:] == [f"        {line}" for line in lines]
    assert method == "    def add(self, row):\n        self.rows.append(row)\n"


@pytest.mark.parametrize(
    ("init", "body", "add"),
    [
        ("if not rows:\n    return\nself.add(1)\nself.add(2)", "self.rows = []", ""),
        ("self.add(1)\nself.add(2)", "self.rows = []  # afresh", ""),
        ("self.add(1)\nself.add(2)", "self.rows = []", "+        # Afresh.\n"),
        ("# First.\nself.add(1)\nself.add(2)", "self.rows = []", ""),
        ("self.add(1)\nself.add(2)", "self.rows = self.others = []", ""),
        ("self.add(1)\nself.add(2)", "self.rows = defaultdict(row)", ""),
    ],
)
def test_a_collection_stays_where_moving_it_is_in_doubt(init: str, body: str, add: str) -> None:
    """A way out of ``__init__``, comments, several targets, a value of the method's own."""
    done = run(book(init, body, add=add), STATE)
    assert [seen.fixes for seen in done.shown] in ([()], [(), ()])


@pytest.mark.parametrize(
    ("value", "empty", "wanted"),
    [
        ("[row for row in folder]", "[]", "self.rows += [row for row in folder]"),
        ("list(folder)", "[]", "self.rows += list(folder)"),
        ("{row for row in folder}", "set()", "self.rows.update({row for row in folder})"),
        ("{row: 1 for row in folder}", "{}", "self.rows.update({row: 1 for row in folder})"),
        ("parsed(folder)", None, None),
        ("sorted(folder)", None, None),
        ("([row for row in folder])", None, None),
    ],
)
def test_what_replaces_a_collection_is_added_to_it(value: str, empty: str | None, wanted: str | None) -> None:
    """A list, a set or a dictionary by its form grows; what else a call gives is not known to be one."""
    text = (
        "//- a.py\n class Book:\n     def __init__(self, folders):\n         self.read(folders[0])\n"
        "         self.read(folders[1])\n         print(self.rows)\n\n     def read(self, folder):\n"
        f"+        self.rows = {value}\n"
    )
    done = mended(text, STATE)
    assert (done is None) is (wanted is None)
    if done is not None:
        assert f"        self.rows = {empty}\n        self.read(folders[0])\n" in done.after
        assert done.after.endswith(f"        {wanted}\n")


@pytest.mark.parametrize(
    ("expected", "body", "top", "wanted"),
    [
        ("pytest.raises(SystemExit)", "parser.parse_args(['--size', 'x'])", "", "assert stopped.value.code == 2"),
        ("pytest.raises(SystemExit)", "main(['--help'])", "", "assert stopped.value.code == 0"),
        ("pytest.raises(SystemExit)", "main(['--no-such-option'])", "", "assert stopped.value.code == 2"),
        ("pytest.raises(SystemExit)", "leave()", " def leave():\n     sys.exit(3)\n", "assert stopped.value.code == 3"),
        ("raises(SystemExit)", "parse_args([])", " from pytest import raises\n", "assert stopped.value.code == 2"),
        ("raises(SystemExit)", "parse_args([])", " from sympy.testing import raises\n", None),
        ("pytest.raises(SystemExit)", "main(['run', 'missing.txt'])", "", None),
        ("pytest.raises(SystemExit)", "main(['--allow-unknown', 'missing.txt'])", "", None),
        ("pytest.raises(SystemExit)", "leave()", " def leave(a):\n     sys.exit(a)\n", None),
        ("pytest.raises(Exception)", "int('x')", "", "pytest.raises(ValueError)"),
        ("pytest.raises(Exception)", "json.loads('x')", " import json\n", "pytest.raises(ValueError)"),
        ("pytest.raises(Exception)", "json.loads('x')", " from app import json\n", None),
        ("pytest.raises(Exception)", "work()", " def work():\n     raise app.Error('x')\n", "pytest.raises(app.Error)"),
        ("pytest.raises(Exception)", "work()", " def work(Bad):\n     raise Bad('x')\n", None),
        ("pytest.raises(Exception)", "work()", " def work():\n     if a:\n         raise A\n     raise B\n", None),
        ("pytest.raises(Exception)", "work()", " def work():\n     yield\n     raise A\n", None),
        ("pytest.raises(Exception)", "work()[int('x')]", "", None),
        ("pytest.raises(Exception)", "total(None)", "", None),
    ],
)  # fmt: skip
def test_a_blind_expectation_asks_for_what_the_file_shows(
    expected: str, body: str, top: str, wanted: str | None
) -> None:
    """A type, or an exit code; where nothing is known nothing is offered."""
    done = mended(case("a", expected, body, top=top), RAISE)
    assert (done is None) is (wanted is None)
    if done is not None and wanted is not None:
        assert wanted in done.after


@pytest.mark.parametrize("crlf", [False, True])
def test_the_exit_code_is_compared_behind_the_block(crlf: bool) -> None:
    """In the words of unittest for a test case, and by another name where the first is taken."""
    text = (
        "//- tests/test_a.py\n class ATest(TestCase):\n+    def test_a(self):\n+        stopped = True\n"
        "+        with self.assertRaises(SystemExit), quiet(stopped):\n+            parse_args([])  # none\n"
    )
    done = mended(text, RAISE, crlf=crlf)
    assert done is not None
    assert done.after.endswith(
        "        with self.assertRaises(SystemExit) as exited, quiet(stopped):\n            parse_args([])  # none\n"
        "        self.assertEqual(exited.exception.code, 2)\n"
    )


@pytest.mark.parametrize(
    ("added", "wanted"),
    [
        ('add("f", (links()))', 'add("f", (links()), clock=CLOCK)'),
        ('add("f", links(),)', 'add("f", links(), clock=CLOCK,)'),
        ('add("f", links()  # none\n+    )', 'add("f", links(), clock=CLOCK  # none\n    )'),
    ],
)
def test_a_missing_argument_is_passed_behind_the_last(added: str, wanted: str) -> None:
    """Brackets of an argument, a comma at the end and a comment stay where they are."""
    calls = "".join(f'     add("{name}", links(), clock=CLOCK)\n' for name in "abcde")
    done = mended(f"//- app/a.py\n CLOCK = 1\n def f():\n{calls}+    {added}\n", SIBLING)
    assert done is not None
    assert done.after.endswith(f"    {wanted}\n")


def test_an_argument_that_only_the_siblings_know_is_not_passed() -> None:
    """A name of other functions would be undefined."""
    calls = "".join(f" def f{at}(clock):\n     add({at}, links(), clock=clock, size=1)\n" for at in range(6))
    (seen,) = run(f"//- app/a.py\n{calls}+def g():\n+    add(7, links(), size=1)\n", SIBLING).shown
    assert seen.fixes == ()


def caught(one: str, other: str, *, call: str = "parse(path)", again: str = "parse(path)") -> str:
    """Two places that try a call, the second of which is new."""
    first = f" def f(path):\n     try:\n         return {call}\n     except {one}:\n         return None\n"
    second = f"+def g(path):\n+    try:\n+        return {again}\n+    except {other}:\n+        return None\n"
    return f"//- app/a.py\n import files\n from files import parse\n{first}\n{second}"


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("(OSError, ValueError)", "(OSError, UnicodeError)", ["(OSError, ValueError)", "(OSError, ValueError)"]),
        ("(OSError, UnicodeError)", "(OSError, ValueError)", ["(OSError, ValueError)", "(OSError, ValueError)"]),
        ("(OSError, KeyError)", "(OSError, EOFError)", ["(OSError, EOFError, KeyError)"] * 2),
        ("(OSError, Odd)", "(OSError, Even)", ["(OSError, Even, Odd)"] * 2),
        (
            "(OSError, ValueError)",
            "(\n+        OSError,\n+        UnicodeError,\n+    )",
            ["(OSError, ValueError)"] * 2,
        ),
    ],
)
def test_both_places_catch_what_one_does_or_both_together(one: str, other: str, wanted: list[str]) -> None:
    """The wider tuple is written in the other place, and where none is wider both are joined."""
    done = mended(caught(one, other), DIFFER)
    assert done is not None
    assert [line.strip()[7:-1] for line in done.after.split("\n") if "except" in line] == wanted


@pytest.mark.parametrize(
    "text",
    [
        caught("(OSError, ValueError)", "(IOError, ValueError, UnicodeError)"),
        caught("(OSError, KeyError)", "(OSError, shutil.Error, KeyError)"),
        caught("(OSError, ValueError)", "(KeyError, IndexError)"),
        caught("(OSError, ValueError)", "OSError"),
        caught("(OSError, ValueError)", "(OSError, KeyError)", again="parse(path, True)"),
        caught("(OSError, ValueError)", "(OSError, KeyError)", again="parse(path, strict=True)"),
        caught("(OSError, ValueError)", "(OSError, KeyError)", call="line.take(path)", again="line.take(path)"),
        caught("(OSError, ValueError)", "(OSError, KeyError)", call="files.run(path)", again="files.run(path)"),
        caught("(OSError, ValueError)", "(OSError, KeyError)", call="parse(name(path))", again="parse(name(path))"),
        caught("(OSError, ValueError)", "(OSError, KeyError)").replace("from files import parse", "parse = 1"),
        caught("(OSError, ValueError)", "(OSError, KeyError)").replace("app/a.py", "tests/test_a.py"),
        caught("(OSError, ValueError)", "(OSError, KeyError)").replace("\n+", "\n "),
    ],
)
def test_places_that_may_differ_are_left_alone(text: str) -> None:
    """Equal by Python's classes, nothing in common, another way to call, another object, old lines: no finding."""
    done = run(text, DIFFER)
    assert (done.shown, done.failures) == ((), ())


def test_places_are_not_made_equal_where_a_third_is_unlike_both() -> None:
    """One that catches something else, calls in another way, or says why in a comment, is the person's to judge."""
    two = caught("(OSError, ValueError)", "(OSError, UnicodeError)")
    third = " def h(path):\n     try:\n         return {}\n     except {}:\n         return None\n"
    for more in (
        third.format("parse(path)", "(OSError, EOFError)"),
        third.format("parse(1, 2)", "(OSError, ValueError)"),
    ):
        assert all(seen.fixes == () for seen in run(two + more, DIFFER).shown)
    commented = two.replace("(OSError, UnicodeError)", "(OSError, UnicodeError  # odd bytes\n+            )")
    assert [seen.fixes for seen in run(commented, DIFFER).shown] == [()]
    (seen,) = run(two + third.format("parse(path)", "(OSError, ValueError)"), DIFFER).shown
    assert seen.fixes[0].title == "Catch (OSError, ValueError) in all 3 places"


def test_two_new_places_that_differ_are_told_once() -> None:
    """At the second of them."""
    (seen,) = run(caught("(OSError, ValueError)", "(OSError, KeyError)").replace("\n ", "\n+"), DIFFER).shown
    assert seen.line == 12
