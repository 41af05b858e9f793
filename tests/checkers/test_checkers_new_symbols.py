"""Checkers whose hits only a model is told: new definitions without a consumer, tests that skip at several places."""

from __future__ import annotations

import pytest

from support.checking import run

UNUSED = "python/new-symbol-unused"
SKIPS = "tests/skips-before-assert"
NEW = "+def wrapped(name):\n+    return name.strip()\n"


def subjects(text: str, item: str) -> list[str]:
    """What is shown, by what the title ends with."""
    done = run(text, item)
    assert done.failures == ()
    return [seen.title.partition(": ")[2] for seen in done.shown]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app/a.py", f"{NEW}+x = wrapped\n"),
        ("app/a.py", f"{NEW}//- app/table.toml\n codec = 'app.a:wrapped'\n"),
        ("app/a.py", f"{NEW}//- app/__init__.py\n+from app.a import wrapped\n"),
        ("app/a.py", f"+@command\n{NEW}"),
        ("app/a.py", "+class Closed(Exception): ...\n"),
        ("app/a.py", "+def _wrapped(name): ...\n+def visit_name(node): ...\n"),
        ("app/a.py", "-def wrapped(name): ...\n+def wrapped(name, by): ...\n"),
        ("app/a.py", " def wrapped(name):\n+    name = name.strip()\n     return name\n"),
        ("app/__init__.py", NEW),
        ("tests/helpers.py", NEW),
        ("scripts/a.py", NEW),
        ("app/a.py", f"{NEW}+def (\n"),
    ],
    ids=["same file", "by name", "offered", "registered", "derived", "private", "old", "changed", "package", "test",
         "script", "broken"],
)  # fmt: skip
def test_a_definition_that_may_be_reached_is_left_alone(path: str, text: str) -> None:
    """By code, by configuration, by a framework, or because somebody runs the file."""
    assert subjects(f"//- {path}\n{text}", UNUSED) == []


@pytest.mark.parametrize(
    "text",
    [
        f"//- app/a.py\n{NEW}",
        f"//- app/a.py\n{NEW}//- tests/test_a.py\n+from app.a import wrapped\n",
        f"//- app/a.py\n{NEW}//- README.md\n+`wrapped` is new\n",
    ],
    ids=["nobody", "tests", "prose"],
)
def test_a_definition_that_only_tests_and_prose_name_is_told(text: str) -> None:
    """Neither makes a consumer."""
    assert subjects(text, UNUSED) == ["`wrapped`"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("    if a: pytest.skip('a')\n    if b: pytest.skip('b')\n    with pytest.raises(E): pay()\n", True),
        ("    if a: raise SkipTest('a')\n    self.skipTest('b')\n    self.assertEqual(pay(), 1)\n", True),
        ("    if a: pytest.skip('a')\n    if b: pytest.skip('b')\n", False),
        ("    if a: pytest.skip('a')\n    def other():\n        pytest.skip('b')\n    assert pay()\n", False),
        ("    if a: pytest.skip('a')\n    assert pay()\n    pytest.skip('b')\n", False),
    ],
    ids=["pytest", "unittest", "nothing asserted", "nested", "after"],
)
def test_the_second_skip_before_an_assertion_is_told(body: str, told: bool) -> None:
    """Only of the test itself, and only where it asserts something after them."""
    lines = "".join(f"+{line}\n" for line in ("def test_pay(self):", *body.splitlines()))
    assert bool(subjects(f"//- tests/test_a.py\n import pytest\n{lines}", SKIPS)) is told
    assert subjects(f"//- app/a.py\n import pytest\n{lines}", SKIPS) == []
