"""Text of an older Python: what explains a missing name or a line that does not parse."""

from __future__ import annotations

import pytest

from roundzero.core.older_python import explains_error, is_for_python_2, missing_today

TODAY = "def f(a: int) -> str:\n    return f'{a}'\n"


@pytest.mark.parametrize(
    "line",
    [
        'print "a"', "print x", "print >>sys.stderr, x", 'exec "x = 1"', 'raise ValueError, "no"', "f(i, 0700)",
        "if a <> b:", "x = `a`", "x = 10L", 'x = ur"a"', "def f(a, (b, c)):", "f = lambda (a, b): a",
        "    print 'in', i",
    ],
)  # fmt: skip
def test_a_statement_of_python_2_explains_the_error_where_nothing_is_of_python_3(line: str) -> None:
    """The same line is an error where an annotation or an f-string shows that the text is for today."""
    assert explains_error(line, f"import os\n{line}\n")
    assert not explains_error(line, f"{TODAY}{line}\n")


def test_a_template_that_asks_for_its_parent_is_no_sign_of_python_3() -> None:
    """Jinja's ``super()`` stands in double braces."""
    for call, explained in (("T = '{{ super() }} {{super()}}'", True), ("super().f()", False), ("x = {super()}", True)):
        assert explains_error("print x", f"{call}\nprint x\n") is explained


@pytest.mark.parametrize("line", ["asyncio.async(task)", "f(async=True)", "from asyncio import async"])
def test_async_as_a_name_explains_the_error(line: str) -> None:
    """It became a keyword in 3.7; texts from before may be for Python 3 otherwise."""
    assert explains_error(line, f"{TODAY}{line}\n")


@pytest.mark.parametrize("line", ["def pay(:", "if amount < 0", "x = (1", "print('a'"])
def test_an_error_in_every_python_is_not_explained(line: str) -> None:
    """Nothing of Python 2 is on the line."""
    assert not explains_error(line, f"{line}\n")


def test_names_of_python_2_are_explained_unless_the_text_is_for_python_3() -> None:
    """Some names are enough by themselves; names that may be slips need another sign; caught names count."""
    assert missing_today({"unicode"}, "unicode(x)\n")
    assert not missing_today({"unicode"}, f"{TODAY}unicode(x)\n")
    assert not missing_today({"file"}, "open(file)\n")
    assert missing_today({"file"}, "import urllib2\nfile(x)\n")
    assert missing_today({"exc"}, "try: f()\nexcept (A, B), exc:\n    g(exc)\n")
    assert missing_today({"exc"}, "import urllib2\ntry: f()\nexcept A as exc:\n    pass\ng(exc)\n")
    assert not missing_today({"exc"}, "try: f()\nexcept A as exc:\n    pass\ng(exc)\n")
    assert not missing_today({"excs"}, "try: f()\nexcept (A, B), exc:\n    g(excs)\n")


def test_signs_of_both_pythons_mean_python_3() -> None:
    """A text with an f-string cannot run in Python 2, whatever it imports, unless it asks what it runs on."""
    assert is_for_python_2(f"PY3 = sys.version_info[0] == 3\n{TODAY}")
    assert not is_for_python_2(f"NEW = sys.version_info >= (3, 11)\n{TODAY}")
    assert is_for_python_2("class A(object):\n    pass\n")
    assert not is_for_python_2(f"class A(object):\n    pass\n{TODAY}")
    assert not is_for_python_2("x = 1\n")
