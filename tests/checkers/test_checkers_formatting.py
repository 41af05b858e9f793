"""formatting-mixed: what is only layout, what is a real change, and what is neither."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roundzero.checkers._formatting_purpose import configures_formatting
from roundzero.core.change import FileChange, Status
from roundzero.core.linemap import Hunk
from roundzero.packs.examples import parse
from support.checking import change_of, check, run, source
from support.growth import is_linear

ITEM = "general/formatting-mixed"
REAL = "//- a.py\n def f(a):\n-    b = 1\n+    b = 2\n     return a + b\n \n \n x = 1\n y = 2\n z = 3\n \n"
ONE = "-k = {'k':1}\n+k = {\"k\": 1}\n \n l = 1\n \n"


@pytest.mark.parametrize(
    "layout",
    [
        "-t = {'a':1}\n+t = {\"a\": 1}\n",
        "-u = g(1,\n-      2)\n+u = g(1, 2)\n",
        "-if (a and b):\n+if a and b:\n     pass\n",
        "-s = 'a' 'b'  # note\n+s = \"ab\"  #  note\n",
        ' def g():\n-    """ Text. """\n+    """Text."""\n     return 1\n',
        ' def g():\n-    """One or two."""\n+    """One\n+    or two.\n+    """\n     return 1\n',
    ],
    ids=["quotes", "wrapping", "parentheses", "comment", "docstring", "docstring of more lines"],
)
def test_layout_apart_from_a_real_change_is_seen_once(layout: str) -> None:
    """Quotes, wrapping, parentheses, spacing of comments and docstrings are layout."""
    assert len(run(REAL + ONE + layout, ITEM).shown) == 1
    assert run("//- a.py\n" + ONE + layout, ITEM).shown == ()


@pytest.mark.parametrize(("times", "count"), [(2, 0), (5, 0), (6, 1)])
def test_a_few_lines_without_the_white_space_at_their_ends_are_left_alone(times: int, count: int) -> None:
    """An editor takes it away when it saves; from some lines on it is work for the reader."""
    lost = "".join(f"-t{number} = 1 \n+t{number} = 1\n \n u{number} = 2\n \n" for number in range(times))
    assert len(run(REAL + lost, ITEM).shown) == count


@pytest.mark.parametrize(
    "change",
    [
        "-t = {'a': 1}\n+t = {'a': 2}\n",
        "-t = 1  # one\n+t = 1  # uno\n",
        "-def g(a: A) -> int: ...\n+def g(a: B) -> int: ...\n",
        "-t = 1\n",
        "+\n",
        "-# one line that is long\n-# enough\n+# one line that is\n+# long enough\n",
        " def h():\n-    # one line that is long\n+    # one line that\n+    # is long\n     return 1\n",
        "-import b\n-import a\n+import a\n+import b\n",
        "-t = 'a  b'\n+t = 'a b'\n",
    ],
    ids=["value", "comment", "annotation", "deleted", "blank", "broken", "broken inside", "imports", "string"],
)
def test_what_is_not_mere_layout(change: str) -> None:
    """Values, words of comments, signatures and removals are changes; blank lines and import order are nothing.

    Nor are lines of comments that are broken in other places: with layout alone they are no real change.
    """
    check(REAL + ONE + change, ITEM)
    if change.startswith(("+\n", "-# one", " def h")):
        layout = "".join(f"-v{each} = {{'v':1}}\n+v{each} = {{\"v\": 1}}\n \n w{each} = 1\n \n" for each in range(3))
        assert run(f"//- a.py\n{layout} x = 1\n \n y = 1\n \n z = 1\n \n{change}", ITEM).shown == ()


def _requoted(count: int) -> str:
    """One statement, of which so many lines got other quotes."""
    lines = [f"    'k{number}': {number},\n" for number in range(count)]
    before, after = "".join(f"-{line}" for line in lines), "".join(f"+{line}" for line in lines).replace("'", '"')
    return f" t = {{\n{before}{after} }}\n"


DOCSTRING = (
    ' def g():\n-    """One two\n-    three four\n-    five.\n'
    '+    """\n+    One\n+    two three\n+    four five.\n     """\n     return 1\n'
)


@pytest.mark.parametrize(
    ("layout", "seen"),
    [
        ("-t = [1,2, 3]\n+t = [\n+    1, 2, 3,\n+]\n", 0),
        ("-t = f(1,2)\n+t = f(\n+    1,\n+    2,\n+)\n", 1),
        ("-t = f(\n-    1,\n-    2,\n-)\n+t = f(1, 2)\n", 1),
        ("-t = [1,2]\n-u = [1,2]\n+t = [1, 2]\n+u = [1, 2]\n", 1),
        (_requoted(2), 0),
        (_requoted(3), 1),
        (DOCSTRING, 1),
    ],
    ids=["short", "split", "joined", "two", "two quotes", "three quotes", "docstring"],
)
def test_a_single_short_statement_is_left_alone(layout: str, seen: int) -> None:
    """The formatter of the repository caught it in passing, and nobody is kept from reading the rest.

    One of which many lines were broken or written anew keeps a reader, as two do.
    """
    assert len(run(REAL + layout, ITEM).shown) == seen


@pytest.mark.parametrize(("count", "seen"), [(30, 1), (50, 0)])
def test_a_little_layout_is_lost_in_a_large_change(count: int, seen: int) -> None:
    """Who reads fifty real changes is not kept by two lines."""
    large = "".join(f"-x{n} = {n}\n+x{n} = -{n}\n y{n} = 0\n" for n in range(count))
    assert len(run(f"{REAL}{ONE}{LAYOUT}//- b.py\n{large}", ITEM).shown) == seen


def test_a_change_is_told_once_where_most_of_it_is() -> None:
    """One commit of its own takes all of it; the other files are evidence."""
    more = "".join(f"-t{n} = {{'a':1}}\n+t{n} = {{\"a\": 1}}\n" for n in range(3))
    (seen,) = run(f"{REAL}{LAYOUT}{REAL.replace('a.py', 'b.py')}{more}", ITEM).shown
    assert (seen.path, [each.path for each in seen.evidence]) == ("b.py", ["a.py"])


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        ("+def h():\n+    if a:\n+        b()\n \n-    return u(a)\n+        return u(a)\n", 0),
        (" def h(a):\n-    if a:\n+    for a in a:\n         b()\n \n \n \n \n-        u( a)\n+        u(a)\n", 0),
        (" def h(a):\n     if a:\n         b()\n \n \n \n \n-        u( a)\n+        u(a)\n", 1),
    ],
    ids=["deeper", "other block", "same block"],
)
def test_a_statement_in_another_block_is_no_mere_layout(change: str, seen: int) -> None:
    """That it is indented anew is what the change is about."""
    assert len(run(REAL + ONE + change, ITEM).shown) == seen


LAYOUT = "-t = {'a':1}\n+t = {\"a\": 1}\n"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("//- .pre-commit-config.yaml\n-  rev: 1\n+  rev: 2\n", 0),
        ("//- ruff.toml\n+line-length = 100\n", 0),
        ("//- pyproject.toml\n [tool.black]\n-line-length = 79\n+line-length = 100\n", 0),
        ("//- requirements-dev.txt\n-black==23.1\n+black==24.1\n", 0),
        ("//- setup.cfg\n [flake8]\n-max-line-length = 79\n+max-line-length = 100\n", 0),
        ("//- pyproject.toml\n [project]\n-version = '1'\n+version = '2'\n [tool.black]\n line-length = 79\n", 1),
        ("//- requirements-dev.txt\n-attrs==23.1\n+attrs==24.1\n black==24.1\n", 1),
        ("".join(f"//- {name}.py\n{LAYOUT}" for name in "bcd"), 0),
        ("".join(f"//- {name}.py\n{LAYOUT}" for name in "b"), 1),
        ("".join(f"//- {name}.py\n{LAYOUT} x = 1\n-y = 1\n+y = 2\n" for name in "bcd"), 1),
    ],
    ids=[
        "hooks", "configuration", "section", "pin", "set-up", "other section", "other pin", "most", "two files", "half",
    ],
)  # fmt: skip
def test_a_change_whose_purpose_is_layout_is_left_alone(text: str, seen: int) -> None:
    """It configures a formatter, or most of its hunks in several files are layout; one or two files are by the way."""
    two = "-s = {'a':1}\n-t = {'a':1}\n+s = {\"a\": 1}\n+t = {\"a\": 1}\n"
    assert len(run(REAL + two + text, ITEM).shown) == seen


def test_a_text_that_cannot_be_encoded_is_sorted_like_any_other() -> None:
    """Half of a surrogate pair before the statement on its line."""
    body = (
        ' def f(a):\n     if a:\n-        print("\ud83d"); g(a,1)\n+        print("\ud83d"); g(a, 1)\n         h(a)\n'
    )
    done = run(f"{REAL}{ONE}{body}", ITEM)
    assert not done.failures
    assert len(done.shown) == 1


def test_whether_lines_are_about_a_formatter_costs_one_reading() -> None:
    """Of a file without sections, too, all of whose lines are new."""

    def ask(text: str) -> None:
        count = text.count("\n")
        head = source("requirements.txt", text)
        file = FileChange(path=head.path, status=Status.ADDED, base=None, head=head, hunks=(Hunk(0, 0, 1, count),))
        assert not configures_formatting(replace(change_of(parse("//- a.py\n x = 1\n")), files=(file,)))

    assert is_linear(ask, "    --hash=sha256:0123456789abcdef\n", 20_000)
