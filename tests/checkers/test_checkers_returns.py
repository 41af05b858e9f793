"""A lone carriage return ends a line for the parser and not for us: no checker may take one count for the other."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from support.checking import checker_examples, run

if TYPE_CHECKING:
    from roundzero.core.finding import Observation

_SECTION: Final = re.compile(r"^(//- .*\.py)\n((?:(?!//- ).*\n?)+)", re.MULTILINE)
_TWENTY: Final = [f"# line {number}" for number in range(20)]
_LOCAL: Final = """\
//- app/__init__.py
 # orders
//- app/orders.py
 def total(order):
     if not order:
         raise ValueError("the order is empty")
     if min(order) < 0:
         raise ValueError("a price is negative")
     return sum(order)
//- tests/test_orders.py
 import pytest

+def test_negative():
+    from app.orders import total
+    with pytest.raises(ValueError):
+        total([-1])
"""
_CASES: Final = """\
//- tests/BUILD
 py_test(
     name = "a_test",
     srcs = ["a_test.py"],
 )
//- tests/a_test.py
-import os
 import unittest

-class A: pass
+class A(unittest.TestCase):
+    def test_a(self): pass

+class B(unittest.TestCase):
+    def test_b(self): pass
"""
EXAMPLES: Final = [
    *((item, text) for item, text in checker_examples() if _SECTION.search(text)),
    ("python/raises-without-match", _LOCAL),
    ("python/test-never-collected", _CASES),
]


def lengthened(text: str, line: str) -> str:
    """The fixture with a line more at the top of each Python file."""

    def longer(section: re.Match[str]) -> str:
        marks = {each[0] for each in section[2].split("\n") if each and each[0] in " +-"}
        mark = marks.pop() if len(marks) == 1 else " "
        return f"{section[1]}\n{mark}{line}\n{section[2]}"

    return _SECTION.sub(longer, text)


def without_returns(seen: Observation) -> Observation:
    """What was seen, fixes aside, as it would quote the line more if that had a space in it."""
    evidence = tuple(replace(each, quote=each.quote.replace("\r", " "), blob="") for each in seen.evidence)
    return replace(seen, evidence=evidence, fixes=())


@pytest.mark.parametrize(("item", "text"), EXAMPLES, ids=[f"{item}-{at}" for at, (item, _) in enumerate(EXAMPLES)])
def test_the_same_is_seen_below_a_line_that_is_twenty_for_the_parser(item: str, text: str) -> None:
    """Its place, its evidence, its cause and its fix."""
    plain, done = (run(lengthened(text, end.join(_TWENTY)), item) for end in (" ", "\r"))
    assert not done.failures
    assert list(map(without_returns, done.shown)) == list(map(without_returns, plain.shown))
    for one, other in zip(plain.shown, done.shown, strict=True):
        assert other.fixes == one.fixes
