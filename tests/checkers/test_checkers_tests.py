"""Checkers of tests that look beyond the one test: what is collected, what was deleted, what an error stands for."""

from __future__ import annotations

import pytest

from support.checking import run

LOST = "python/test-never-collected"
DELETED = "python/deleted-test-subject-alive"
RAISES = "python/raises-without-match"


def added(body: str) -> str:
    """A body as added lines."""
    return "".join(f"+{line}\n" for line in body.removesuffix("\n").split("\n"))


def subjects(text: str, item: str) -> list[str]:
    """What the titles name."""
    return [seen.title.partition(": ")[2] for seen in run(text, item).shown]


@pytest.mark.parametrize(
    ("body", "subject"),
    [
        ("def test_a():\n    def test_b():\n        assert 1\n", "`test_a.test_b`"),
        ("class TestA:\n    def test_a(self):\n        if 1:\n            def test_b(): pass\n", "`test_a.test_b`"),
        (
            "class A(Base):\n    def __init__(self):\n        def test_b(): pass\n        def test_c(): pass\n",
            "`__init__.test_b`",
        ),
        ("class TestA:\n    def test_b(self): pass\n\nclass TestA:\n    def test_c(self): pass\n", "`TestA`"),
        ("class TestA:\n    def test_b(self): pass\n    def test_b(self): pass\n", "`test_b`"),
        ("@pytest.mark.slow\ndef test_b(): pass\ndef test_b(): pass\n", "`test_b`"),
    ],
)
def test_a_test_that_cannot_run_is_found_under_any_runner(body: str, subject: str) -> None:
    """Nested and replaced tests never run, whoever collects."""
    assert subjects(f"//- tests/test_a.py\n{added(body)}", LOST) == [subject]


@pytest.mark.parametrize(
    "body",
    [
        "def test_a():\n    def test_b(): pass\n    run(test_b)\n",
        "def test_a():\n    @app.route\n    def test_b(): pass\n",
        "def test_a():\n    class Case:\n        def test_b(self): pass\n    run(Case)\n",
        "def test_a():\n    def test_b(): pass\n    run(locals())\n",
        "def test_a(): pass\ndef test_b(x=test_a): pass\ndef test_a(): pass\n",
        "@register\ndef test_a(): pass\ndef test_a(): pass\n",
        "if A:\n    def test_a(): pass\nelse:\n    def test_a(): pass\n",
        "class TestA(Base):\n    def __init__(self): pass\n    def test_a(self): pass\n",
        "class Helper:\n    def test_connection(self): pass\n",
    ],
)
def test_what_may_run_another_way_is_left_alone(body: str) -> None:
    """A use, a decorator, a condition, an unknown base and a class that is no test are silent."""
    assert subjects(f"//- conftest.py\n import os\n//- tests/test_a.py\n{added(body)}", LOST) == []


CLASSES = added("class OrderTests:\n    def test_a(self): pass\n")


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("pytest.ini", "[pytest]\naddopts = -q", True),
        ("setup.cfg", "[tool:pytest]\naddopts = -q", True),
        ("tox.ini", "[pytest]\npython_files = test_*.py", False),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-q"', True),
        ("pyproject.toml", '[tool.pytest.ini_options]\npython_classes = ["*Tests"]', False),
        ("pyproject.toml", "[tool.pytest\nbroken", False),
        ("tests/conftest.py", "import os", True),
        ("other/conftest.py", "import os", False),
        ("setup.cfg", "[flake8]\nmax-line-length = 9", False),
    ],
)
def test_a_class_without_the_prefix_is_lost_under_default_rules_only(path: str, text: str, found: bool) -> None:
    """The nearest of pytest's files decides; where none says that pytest runs a file of unittest, nothing is said."""
    config = "".join(f" {line}\n" for line in text.split("\n"))
    tests = f"//- tests/test_a.py\n import unittest\n{CLASSES}"
    assert subjects(f"//- {path}\n{config}{tests}", LOST) == (["`OrderTests`"] if found else [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (CLASSES, True),
        (f" import pytest\n import unittest\n{CLASSES}", True),
        (added("class Orders:\n    def test_a(self): pass\n"), True),
        (added("class _Orders:\n    def test_a(self): pass\n"), False),
        (f" from django.test import TestCase\n{CLASSES}", False),
        (f'{CLASSES}+if __name__ == "__main__":\n+    run(globals())\n', False),
        (added("class Orders:\n    def test_a(self): pass\n\ndef test_b():\n    assert Orders().test_a()\n"), False),
    ],
)
def test_a_class_without_the_prefix_is_lost_where_only_pytest_can_run_it(text: str, found: bool) -> None:
    """Without a configuration the text says whose it is: it has no other runner's name and does not run by itself."""
    assert bool(subjects(f"//- tests/test_a.py\n{text}", LOST)) == found


def test_a_class_that_another_file_uses_may_be_a_base() -> None:
    """Its tests run in the subclass."""
    other = "//- tests/test_b.py\n from tests.test_a import OrderTests\n"
    assert subjects(f"//- conftest.py\n import os\n{other}//- tests/test_a.py\n{CLASSES}", LOST) == []


def test_what_was_lost_before_is_not_this_branchs() -> None:
    """An old nested test beside an added line is silent."""
    text = "//- tests/test_a.py\n def test_a():\n     def test_b(): pass\n+    assert 1\n"
    assert subjects(text, LOST) == []


BUILD = '//- tests/BUILD\n py_test(\n     name = "a_test",\n     srcs = ["a_test.py"],\n )\n'
CASE = "import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"


@pytest.mark.parametrize(
    ("build", "body", "found"),
    [
        (BUILD, CASE, True),
        (BUILD, CASE + '\nif __name__ == "__main__":\n    unittest.main()\n', False),
        (BUILD, CASE + "\nunittest.main()\n", False),
        (BUILD.replace("a_test.py", "b_test.py"), CASE, False),
        (BUILD.replace("srcs", 'main = "main.py",\n     srcs'), CASE, False),
        (BUILD.replace("BUILD\n", 'BUILD\n load("//tools:defs.bzl", "py_test")\n'), CASE, False),
        ("", CASE, False),
    ],
)
def test_a_unittest_file_that_bazel_runs_needs_a_main(build: str, body: str, found: bool) -> None:
    """Bazel's py_test runs the file as a program; a macro of that name may bring a main."""
    done = run(f"{build}//- tests/a_test.py\n{added(body)}", LOST)
    assert [seen.title.partition(": ")[2] for seen in done.shown] == (["`A`"] if found else [])
    assert all(seen.fixes[0].safe for seen in done.shown)


PRODUCTION = "//- app/orders.py\n def total_price(order):\n     return sum(order)\n"
GONE = "-def test_total_price():\n-    assert total_price([1]) == 1\n"


def test_a_subject_that_another_test_uses_is_tested() -> None:
    """A use in any test file, not an import alone, silences."""
    head = f"{PRODUCTION}//- tests/test_a.py\n from app.orders import total_price\n{GONE}"
    assert len(run(head, DELETED).shown) == 1
    other = "//- tests/test_b.py\n from app.orders import total_price\n \n def test_b():\n     total_price([])\n"
    assert run(head + other, DELETED).shown == ()


@pytest.mark.parametrize(
    ("production", "test"),
    [
        (PRODUCTION.replace(" def", "-def").replace("     return", "-    return") + "+x = 1\n", GONE),
        (PRODUCTION, GONE + "+def test_total_price():\n+    assert other()\n"),
        (PRODUCTION, GONE.replace("test_total_price", "test_other").replace("assert", "make_order();")),
        (PRODUCTION, GONE.replace("total_price([1])", "price([1])")),
    ],
)
def test_a_deleted_test_whose_subject_went_or_is_unclear_is_left_alone(production: str, test: str) -> None:
    """So is one that was rewritten under its name, and one that called several things its name does not say."""
    head = "//- tests/test_a.py\n from app.orders import total_price\n from app.make import make_order\n"
    assert run(production + head + test, DELETED).shown == ()


CODE = """\
//- app/__init__.py
 # orders
//- app/orders.py
 class Order:
     def __init__(self, lines):
         if not lines:
             raise ValueError("no lines")
         self.check(lines)

     def check(self, lines):
         if len(lines) > 9:
             raise ValueError("too many lines")

     def first(self):
         raise ValueError("nothing")

 def once(lines):
     if not lines:
         raise ValueError("no lines")
     if lines == 3:
         raise KeyError(3)
"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("with pytest.raises(ValueError):\n        Order([])", True),
        ("with pytest.raises(Exception):\n        once([])", True),
        ("with pytest.raises(ValueError):\n        once([])", False),
        ("with pytest.raises(KeyError):\n        once([])", False),
        ("order = Order([1])\n    with pytest.raises(ValueError):\n        order.first()", False),
        ("with pytest.raises(ValueError, match='lines'):\n        Order([])", False),
        ("with pytest.raises(ValueError):\n        Order(once([]))", False),
        ("with pytest.raises(ValueError) as caught:\n        Order([])\n    assert 'no' in str(caught.value)", False),
        ("with pytest.raises(ValueError):\n        Order([])\n        once([])", False),
        ("stub = Mock(side_effect=ValueError)\n    with pytest.raises(ValueError):\n        Order([])", False),
    ],
)
def test_only_a_call_that_raises_the_type_in_several_places_is_found(body: str, found: bool) -> None:
    """Constructors and helpers are followed; a second call, a message and an injected error are silent."""
    test = f"import pytest\nfrom app.orders import Order, once\n\ndef test_a():\n    {body}\n"
    assert bool(run(f"{CODE}//- tests/test_a.py\n{added(test)}", RAISES).shown) is found


def test_the_messages_are_offered() -> None:
    """One fix for each message, as code that runs."""
    body = "with pytest.raises(ValueError):\n        Order([])"
    test = f"import pytest\nfrom app.orders import Order\n\ndef test_a():\n    {body}\n"
    (seen,) = run(f"{CODE}//- tests/test_a.py\n{added(test)}", RAISES).shown
    assert [fix.edits[0].new_text for fix in seen.fixes] == [', match="no lines"', ', match="too many lines"']


def test_unittest_is_offered_its_own_word_for_it() -> None:
    """``assertRaises`` becomes ``assertRaisesRegex``."""
    body = "with self.assertRaises(ValueError):\n            Order([])"
    test = f"from app.orders import Order\n\nclass TestA(TestCase):\n    def test_a(self):\n        {body}\n"
    (seen,) = run(f"{CODE}//- tests/test_a.py\n{added(test)}", RAISES).shown
    assert [edit.new_text for edit in seen.fixes[0].edits] == ["Regex", ', "no lines"']


def test_a_habit_of_making_objects_without_their_constructors_is_told_once_for_each_class() -> None:
    """A file of twenty tests that all do it has one thing to mend; another class is another."""
    test = "".join(f"def test_{n}():\n    a = object.__new__(A)\n    b = m.B.__new__(m.B)\n" for n in range(3))
    assert subjects(f"//- tests/test_a.py\n{added(test)}", "python/constructor-bypassed") == [
        "`object.__new__(A)`",
        "`m.B.__new__(m.B)`",
    ]


@pytest.mark.parametrize(
    ("made", "run_it", "count"),
    [
        ("importlib.util.module_from_spec(spec)", "spec.loader.exec_module(module)", 0),
        ("types.ModuleType(name)", "spec.loader.exec_module(module)", 1),
        ("importlib.util.module_from_spec(spec)", "module.x = 1", 1),
    ],
    ids=["recipe", "stub", "not run"],
)
def test_a_module_loaded_from_a_path_is_registered(made: str, run_it: str, count: int) -> None:
    """As importlib's documentation says; a stand-in for a module is another matter."""
    body = f"def load(name):\n    module = {made}\n    sys.modules[name] = module\n    {run_it}\n    return module\n"
    assert len(subjects(f"//- tests/test_a.py\n{added(body)}", "python/test-writes-sys-modules")) == count


@pytest.mark.parametrize(("restored", "count"), [("sys.modules.pop(name, None)", 0), ("forgotten(name)", 1)])
def test_what_a_fixture_lends_to_write_modules_is_undone_by_the_fixture(restored: str, count: int) -> None:
    """The function that writes stands inside of the one that puts back after its yield."""
    body = (
        "@pytest.fixture\ndef register():\n    def write(name, module):\n        sys.modules[name] = module\n"
        f"        names.add(name)\n    names = set()\n    yield write\n    for name in names:\n        {restored}\n"
    )
    assert len(subjects(f"//- tests/conftest.py\n{added(body)}", "python/test-writes-sys-modules")) == count
