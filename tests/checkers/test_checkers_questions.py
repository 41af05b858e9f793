"""Checks that ask rather than tell: what a change leaves untried, unset, or to every caller."""

# ruff: noqa: E501  a fixture on one line is easier to compare with its neighbours

from __future__ import annotations

import pytest

from support.checking import run

PASSED = "python/parameter-not-passed"
CONDITIONAL = "python/call-now-conditional"
STEP = "python/step-in-several-places"
ENCODING = "python/encoding-left-to-platform"
SKIPPED = "python/conversion-skipped"
BOUNDARY = "tests/boundary-always-replaced"
TOGETHER = "tests/inputs-never-together"
NAMED = "tests/name-against-input"
EFFECT = "tests/assertion-without-effect"

_PAY = "//- desk.py\n-def pay(a):\n+def pay(a, {}):\n     return a\n"


@pytest.mark.parametrize(
    ("parameter", "calls", "counted"),
    [
        ("b=1", "pay(1)", "0/1"),
        ("b=1", "pay(1); desk.pay(2)", "0/2"),
        ("*, b=1", "pay(1); print(b)", "0/1"),
        ("b=1", "pay(1, 2)", None),
        ("b=1", "pay(1, b=2)", None),
        ("b=1", "pay(*these)", None),
        ("b=1", "pay(1, **these)", None),
        ("b=1", "partial(pay, b=2); pay(3)", None),
        ("b=1", "later(pay, b=2); pay(3)", None),
        ("b=1", "pay(1); options = ['b']", None),
        ("b=1", "pay(1); run('pay(1, b=2)')", None),
        ("b=1", "print(1)", None),
        ("_b=1", "pay(1)", None),
        ("b", "pay(1)", None),
    ],
)
def test_a_new_parameter_is_asked_about_with_its_calls(parameter: str, calls: str, counted: str | None) -> None:
    """Where nothing passes it for sure, and something calls the function at all."""
    shown = run(f"{_PAY.format(parameter)}//- shop.py\n {calls}\n", PASSED).shown
    assert [seen.title.rpartition(", ")[2] for seen in shown] == ([counted] if counted else [])


def test_a_parameter_of_init_is_passed_to_the_class() -> None:
    """``self`` is none of a call's arguments, and calls name the class."""
    text = "//- desk.py\n class Desk:\n-    def __init__(self, a):\n+    def __init__(self, a, b=1):\n         self.a = a\n"
    (seen,) = run(f"{text}//- shop.py\n Desk(1)\n", PASSED).shown
    assert seen.title.endswith("`Desk(b)`, 0/1")
    assert run(f"{text}//- shop.py\n Desk(1, 2)\n", PASSED).shown == ()


_TWO = """\
//- desk.py
 class Desk{first}:
-    def note(self, a):
+    def note(self, a, b=1):
         self.a = a

 class Bench{second}:
-    def note(self, a):
+    def note(self, a, b=1):
         self.b = a
//- shop.py
 x.note(1, b=2)
"""


@pytest.mark.parametrize(
    ("first", "second", "count"), [("", "", 2), ("(Base)", "(Base)", 0), ("", "(Desk)", 0), ("(object)", "(object)", 2)]
)
def test_one_call_is_enough_only_for_related_classes(first: str, second: str, count: int) -> None:
    """A call may reach any override; of two classes that have nothing in common one is left out."""
    assert len(run(_TWO.format(first=first, second=second), PASSED).shown) == count


def test_a_registered_function_and_a_new_one_are_left_alone() -> None:
    """A decorator may call it with anything; a function that is new has no calls from before."""
    routed = "//- desk.py\n @route\n-def pay(a):\n+def pay(a, b=1):\n     return a\n//- shop.py\n pay(1)\n"
    new = "//- desk.py\n+def pay(a, b=1):\n+    return a\n//- shop.py\n+pay(1)\n"
    assert run(routed, PASSED).shown == ()
    assert run(new, PASSED).shown == ()


_STATE = """\
//- desk.py
 class Desk:
     rows = {{}}

     def take(self, row, listed=True):
{call}

     def _list(self, row):
         {sets}

     def close(self):
         return {reads}
"""
_SETS = "self.rows[row.id] = row"
_CALL = "-        self._list(row)\n+        if listed:\n+            self._list(row)"


@pytest.mark.parametrize(
    ("call", "sets", "reads", "lines"),
    [
        (_CALL, _SETS, "len(self.rows)", [2, 12]),
        (_CALL, "self.rows.append(row)", "self.rows[-1]", [2, 12]),
        (_CALL, "self.last = row", "self.last", [12]),
        (_CALL, "row.last = 1", "row.last", []),
        (_CALL, "print(row)", "len(self.rows)", []),
        (_CALL, _SETS, "1", []),
        (_CALL + "\n         self._list(row)", _SETS, "len(self.rows)", []),
        (
            "-        if listed:\n+        if listed and row:\n             self._list(row)",
            _SETS,
            "len(self.rows)",
            [],
        ),
        (
            "         if listed:\n-            self._list(row)\n+            self._list(row, 1)",
            _SETS,
            "len(self.rows)",
            [],
        ),
        ("+        if listed:\n+            self._list(row)", _SETS, "len(self.rows)", []),
    ],
    ids=[
        "item",
        "append",
        "attribute",
        "of another",
        "sets nothing",
        "read by none",
        "twice",
        "another condition",
        "as before",
        "new call",
    ],
)
def test_what_a_call_set_is_asked_about_once_it_is_conditional(
    call: str, sets: str, reads: str, lines: list[int]
) -> None:
    """The start that all instances share and each reader, because of the new condition."""
    shown = run(_STATE.format(call=call, sets=sets, reads=reads), CONDITIONAL).shown
    assert [seen.line for seen in shown] == lines
    assert all(seen.cause is not None and seen.cause.line == 5 for seen in shown)


_STEP = "//- a.py\n+def start_all(names):\n+    {}\n//- b.py\n+def one():\n+    {}\n//- c.py\n+def two():\n+    {}\n"


@pytest.mark.parametrize(
    ("body", "first", "second", "count"),
    [
        ("go(names)", "start_all(1)", "a.start_all(2)", 3),
        ("return go(names)", "start_all(1)", "start_all(2)", 0),
        ("yield names", "start_all(1)", "start_all(2)", 0),
        ("go(names)", "start_all(1)", "x = start_all(2)", 0),
        ("go(names)", "start_all(1)", "pass", 0),
    ],
)
def test_a_step_is_asked_about_where_two_modules_take_it(body: str, first: str, second: str, count: int) -> None:
    """At its definition and at each call; a function with a result is no step."""
    assert len(run(_STEP.format(body, first, second), STEP).shown) == count


def test_a_step_with_another_signature_is_not_new() -> None:
    """Its callers knew of it before."""
    text = _STEP.format("go(names)", "start_all(1)", "start_all(2)")
    assert run(text.replace("+def start_all", "-def start_all():\n+def start_all"), STEP).shown == ()


@pytest.mark.parametrize(
    ("call", "count"),
    [
        ("open(p)", 1),
        ("open(p, 'w')", 1),
        ("open(p, mode='a')", 1),
        ("io.open(p, 'r', 1)", 1),
        ("p.write_text(t)", 1),
        ("open(p, 'rb')", 0),
        ("open(p, mode)", 0),
        ("open(p, encoding='utf-8')", 0),
        ("open(p, **how)", 0),
        ("open(*these)", 0),
        ("p.write_text(t, 'utf-8')", 0),
        ("p.open()", 0),
    ],
)
def test_a_text_file_needs_an_encoding(call: str, count: int) -> None:
    """Not where bytes are meant, where it is given, and where it cannot be seen."""
    assert len(run(f"//- a.py\n+def f(p, t, mode, how, these):\n+    {call}\n+    {call}\n", ENCODING).shown) == count
    assert run(f"//- tests/test_a.py\n+def test_f(p):\n+    {call}\n", ENCODING).shown == ()


@pytest.mark.parametrize(
    ("call", "handler", "count"),
    [
        ("int(t)", "ValueError:\n+        pass", 1),
        ("json.loads(t)", "json.JSONDecodeError:\n+        pass", 1),
        ("action.type(t)", "(ValueError, TypeError) as e:\n+        pass", 1),
        ("parse_port(t)", "ValueError: pass", 1),
        ("int(t)", "(ValueError, KeyError):\n+        pass", 0),
        ("int(t)", "Exception:\n+        pass", 0),
        ("int(t)", "ValueError:\n+        return 1", 0),
        ("int()", "ValueError:\n+        pass", 0),
        ("t.remove(t)", "ValueError:\n+        pass", 0),
    ],
)
def test_what_cannot_be_converted_is_asked_about_where_nothing_is_said(call: str, handler: str, count: int) -> None:
    """Only the errors of a conversion, and only where the handler does nothing."""
    body = f"+def f(t):\n+    try:\n+        x = {call}\n+    except {handler}\n"
    assert len(run(f"//- a.py\n{body}", SKIPPED).shown) == count
    assert run(f"//- tests/test_a.py\n{body}", SKIPPED).shown == ()


_LOADS = "//- shop/a.py\n import importlib, requests, subprocess\n from importlib import load, metadata\n{head}\n+    {calls}\n"
_TEST = '+@patch("shop.a.{target}")\n+def test_{number}(m):\n+    load_all([])\n'
_NEW = "+def load_all(names):"


@pytest.mark.parametrize(
    ("head", "calls", "first", "second", "count"),
    [
        (_NEW, "importlib.load(names)", "importlib.load", "importlib.load", 1),
        (_NEW, "for each in names: importlib.load(each)", "importlib.load", "importlib.load", 1),
        (_NEW, "first = names[0]; load(first)", "load", "load", 1),
        (_NEW, "importlib.load('a')", "importlib.load", "importlib.load", 0),
        (_NEW, "importlib.load(names)", "importlib.load", "importlib.find", 0),
        (_NEW, "importlib.other(names)", "importlib.load", "importlib.load", 0),
        (_NEW, "metadata.version(names)", "metadata.version", "metadata.version", 0),
        (_NEW, "load_one(names)", "load_one", "load_one", 0),
        (_NEW, "requests.get(names)", "requests.get", "requests.get", 0),
        (_NEW, "subprocess.run(names)", "subprocess.run", "subprocess.run", 0),
        ("-def load_all():\n" + _NEW, "importlib.load(names)", "importlib.load", "importlib.load", 0),
    ],
)
def test_a_callee_that_every_test_replaces_is_shown(head: str, calls: str, first: str, second: str, count: int) -> None:
    """Of a new function, once, at the first target; only what would give a test the same answer each time."""
    tests = "//- tests/test_a.py\n" + _TEST.format(target=first, number=1) + _TEST.format(target=second, number=2)
    text = _LOADS.format(head=head, calls=calls) + tests
    assert [seen.line for seen in run(text, BOUNDARY).shown] == [1] * count
    assert run(f"{text}//- tests/test_b.py\n from shop.a import load_all\n", BOUNDARY).shown == ()


_GIVEN = (
    "//- tests/test_a.py\n+class TestA:\n+    def test_a(self):\n+        {}\n+    def test_b(self):\n+        {}\n"
)
_ENVIRON = "os.environ['SHOP_PORT'] = '1'"


@pytest.mark.parametrize(
    ("environment", "arguments", "count"),
    [
        (_ENVIRON, "sys.argv = ['a', '--port', '2']", 1),
        (_ENVIRON, "main(['--port=2'])", 1),
        ("os.environ.update(PORT='1')", "main(['--port', '2'])", 1),
        ("monkeypatch.setenv('PORT', '1')", "main(['--port', '2'])", 1),
        ("monkeypatch.setitem(os.environ, 'PORT', '1')", "main(['--port', '2'])", 1),
        ("with patch.dict('os.environ', PORT='1'): pass", "main(('--port', '2'))", 1),
        ("with patch.dict(os.environ, {'PORT': '1'}): pass", "main(['--port', '2'])", 1),
        ("monkeypatch.setenv('MY_PORT', '1')", "main(['--my-port', '2'])", 1),
        ("monkeypatch.delenv('PORT')", "main(['--port', '2'])", 0),
        ("monkeypatch.setenv('SUPPORT', '1')", "main(['--port', '2'])", 0),
        (_ENVIRON, "main(['--host', '2'])", 0),
        (_ENVIRON, "add('--port')", 0),
    ],
)
def test_an_option_is_shown_that_each_source_gives_alone(environment: str, arguments: str, count: int) -> None:
    """However the two are set; the variable is the option's, with or without a prefix."""
    text = _GIVEN.format(environment, arguments)
    assert [seen.line for seen in run(text, TOGETHER).shown] == [2] * count


@pytest.mark.parametrize(
    "more",
    [
        "+    def test_c(self):\n+        os.environ['HOST'] = 'a'\n+        main(['--port', '2'])\n",
        "+    def setUp(self):\n+        os.environ.setdefault('SHOP_PORT', '1')\n",
        "+def test_c():\n+    both({'SHOP_PORT': '1'}, ['--port', '2'])\n",
        "+@patch.dict(os.environ, SHOP_PORT='1')\n+class TestB: pass\n",
    ],
)
def test_an_option_is_left_alone_where_both_may_be_set(more: str) -> None:
    """By a test of the class, by what prepares it, or by a test elsewhere in the file."""
    text = _GIVEN.format(_ENVIRON, "main(['--port', '2'])")
    assert len(run(text, TOGETHER).shown) == 1
    assert run(text + more, TOGETHER).shown == ()


def test_tests_of_two_classes_are_not_compared() -> None:
    """They may be about two programs."""
    text = "//- tests/test_a.py\n+class TestA:\n+    def test_a(self):\n+        {}\n+class TestB:\n+    def test_b(self):\n+        {}\n"
    assert run(text.format(_ENVIRON, "main(['--port', '2'])"), TOGETHER).shown == ()


@pytest.mark.parametrize(
    ("name", "body", "count"),
    [
        ("space_separated", "f('a,b')", 1),
        ("with_spaces", "f('a b')", 0),
        ("with_unicode", "f('a')", 1),
        ("with_unicode", "f('é')", 0),
        ("newlines", "f(b'a\\nb')", 0),
        ("workspace", "f('ab')", 0),
        ("no_comma", "f('ab')", 0),
        ("non_ascii", "f('ab')", 1),
        ("with_spaces", "f(f'{a}')", 0),
        ("with_spaces", "f('a' * 3)", 0),
        ("with_spaces", "f(TEXT, 'a')", 0),
        ("with_spaces", "f(1)", 0),
    ],
)
def test_a_name_is_compared_with_the_literals(name: str, body: str, count: int) -> None:
    """Only where all texts of the test stand in it."""
    assert len(run(f"//- tests/test_a.py\n+def test_{name}():\n+    {body}\n", NAMED).shown) == count
    assert run(f"//- tests/test_a.py\n+def test_{name}(text):\n+    {body}\n", NAMED).shown == ()
    assert run(f"//- a.py\n+def test_{name}():\n+    {body}\n", NAMED).shown == ()


@pytest.mark.parametrize(
    ("call", "count"),
    [
        ("assertTrue(a, 1)", 1),
        ("assertFalse(a, -1)", 1),
        ("assertTrue(a, [1])", 1),
        ("assertTrue(a, None)", 1),
        ("assertTrue(a, 'why')", 0),
        ("assertTrue(a, f'{a}')", 0),
        ("assertTrue(a, why)", 0),
        ("assertTrue(a, (1, b))", 0),
        ("assertTrue(a, {'b': b})", 0),
        ("assertTrue(a, {'b': [1]})", 1),
        ("assertTrue(a, msg=1)", 0),
        ("assertEqual(a, 1)", 0),
    ],
)
def test_a_second_value_is_no_comparison(call: str, count: int) -> None:
    """A number or a list is nobody's message."""
    assert len(run(f"//- tests/test_a.py\n+def test_a(self):\n+    self.{call}\n", EFFECT).shown) == count


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("a == 1", 1),
        ("if a:\n+        a in b", 1),
        ("with patch('a'):\n+        a != 1", 1),
        ("with pytest.raises(TypeError):\n+        a < 1", 0),
        ("with self.assertWarns(W):\n+        a == 1", 0),
        ("try:\n+        a < 1\n+    except TypeError: pass", 0),
        ("with self.assertNumQueries(1):\n+        a == 1", 0),
        ("a == a  # must not raise", 0),
        ("a == 1  # the first", 1),
        ("b = a == 1", 0),
        ("f(a == 1)", 0),
    ],
)
def test_a_comparison_alone_is_thrown_away(body: str, count: int) -> None:
    """Unless it is there to raise."""
    assert len(run(f"//- tests/test_a.py\n+def test_a(self, a, b):\n+    {body}\n", EFFECT).shown) == count
    assert run(f"//- a.py\n+def test_a(self, a, b):\n+    {body}\n", EFFECT).shown == ()
