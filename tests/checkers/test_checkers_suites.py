"""Checks of tests and of single Python files: what each finds, and what only looks like it."""

from __future__ import annotations

import pytest

from support.checking import run

ENV = "tests/test-env-unrestored"
PRIVATE = "tests/test-writes-private"
SOURCE = "tests/source-text-test"
SKIP = "tests/constant-skip"
WAIT = "tests/wait-without-timeout"
TEARDOWN = "tests/restored-in-teardown-only"
UNTESTED = "tests/new-logic-untested"
LOCK = "python/callback-under-lock"
BEFORE = "python/set-before-try"
STATE = "python/state-outside-init"
KEYWORDS = "python/kwargs-passthrough"
PROBE = "python/signature-probe"

SETS = '+def test_a():\n+    os.environ["A"] = "1"\n'
CASE = '+class ATest({base}):\n+    def test_a(self):\n+        os.environ["A"] = "1"\n'


def added(text: str, item: str) -> list[str]:
    """The subjects of what is shown of a fixture; nothing may go wrong."""
    done = run(text, item)
    assert not done.failures
    return [seen.title.partition(": ")[2] for seen in done.shown]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "tests/test_a.py",
            SETS + "+@pytest.fixture(autouse=True)\n+def own():\n+    yield\n+    os.environ.pop('A')\n",
        ),
        ("tests/test_a.py", '+def test_a():\n+    with _env("A"):\n+        os.environ["A"] = "1"\n'),
        ("tests/test_a.py", '+def test_a(clean_env):\n+    os.environ["A"] = "1"\n'),
        ("tests/test_a.py", CASE.format(base="OwnCase")),
        ("tests/test_a.py", "+class ATest(TestCase):\n+    def setUp(self):\n+        os.environ.pop('A', None)\n"),
        ("tests/test_a.py", '+os.environ["A"] = "1"\n'),
        ("tests/helpers.py", SETS),
        ("tests/test_a.py", SETS + "+    self.addCleanup(os.environ.pop, 'A')\n"),
        ("tests/test_a.py", SETS.replace('"A"', '"APP_TEST_FLAG"')),
        ("tests/test_a.py", SETS.replace('"A"', '"MASTER_PORT"')),
    ],
    ids=["fixture", "with", "asked for", "base", "clean start", "module", "no test", "registered", "made", "group"],
)
def test_a_restored_environment_is_left_alone(path: str, text: str) -> None:
    """Whatever may put it back is silent, and so is what is meant for the whole file."""
    assert added(f"//- {path}\n import os\n{text}", ENV) == []


def test_a_variable_that_a_file_leaves_set_is_told_once() -> None:
    """Its second test says nothing that the first did not."""
    assert added(f"//- tests/test_a.py\n import os\n{SETS}{CASE.format(base='TestCase')}", ENV) == ['`os.environ["A"]`']


def test_the_environment_is_restored_by_pytest_or_by_a_decorator() -> None:
    """A plain test asks for monkeypatch; a method gets ``patch.dict`` where the file has it."""
    other = CASE.format(base="TestCase").replace('["A"]', '["B"]')
    plain, method = run(f"//- tests/test_a.py\n import os\n from unittest import mock\n{SETS}{other}", ENV).shown
    assert [edit.new_text for edit in plain.fixes[0].edits] == ["monkeypatch", 'monkeypatch.setenv("A", "1")']
    assert [edit.new_text for edit in method.fixes[0].edits] == ['    @mock.patch.dict("os.environ")\n']
    assert (plain.fixes[0].safe, method.fixes[0].safe) == (False, True)


@pytest.mark.parametrize(
    "text",
    [
        "+def test_a():\n+    old = Desk._rate\n+    Desk._rate = 2\n+    Desk._rate = old\n",
        "+def test_a():\n+    desk = Desk()\n+    desk._rate = 2\n",
        '+def test_a(monkeypatch):\n+    monkeypatch.setattr(Desk, "_rate", 1)\n+    Desk._rate = 2\n',
        "+def test_a():\n+    Desk.rate = 2\n+    Desk.__doc__ = ''\n",
    ],
    ids=["saved", "own object", "patched", "public"],
)
def test_private_state_that_ends_with_the_test_is_left_alone(text: str) -> None:
    """Objects of the test and what is put back do not reach the next test."""
    assert added(f"//- tests/test_a.py\n from app.desk import Desk\n{text}", PRIVATE) == []


def test_private_state_is_set_through_monkeypatch() -> None:
    """The fix names the owner and the attribute."""
    (seen,) = run(
        "//- tests/test_a.py\n from app.desk import Desk\n+def test_a(monkeypatch):\n+    Desk._rate = 2\n", PRIVATE
    ).shown
    assert [edit.new_text for edit in seen.fixes[0].edits] == ['monkeypatch.setattr(Desk, "_rate", 2)']


@pytest.mark.parametrize("how", ["assert 'a' in text", "self.assertIn('a', text)", "assert text.count('a') == 1"])
def test_text_of_code_is_found_whatever_looks_into_it(how: str) -> None:
    """Membership, unittest's assertions and counting."""
    text = f"+def test_a(self):\n+    text = textwrap.dedent(inspect.getsource(app.a))\n+    {how}\n"
    assert added(f"//- tests/test_a.py\n import app\n{text}", SOURCE) == ["`inspect.getsource(app.a)`"]


@pytest.mark.parametrize(
    "text",
    [
        "+def pytest_mark():\n+    return unittest.skipIf(False, '')\n",
        "+@unittest.skipIf('True', 'a')\n+def test_a(): ...\n",
        "+HAS = True\n+HAS = False\n+@unittest.skipIf(HAS, 'a')\n+def test_a(): ...\n",
        "+@pytest.mark.skip(reason='a')\n+def test_a(): ...\n",
    ],
    ids=["no decorator", "evaluated", "never computed", "plain"],
)
def test_a_skip_that_says_what_it_does_is_left_alone(text: str) -> None:
    """Only conditions that pretend to decide are reported."""
    assert added(f"//- tests/test_a.py\n import pytest, unittest\n{text}", SKIP) == []


def test_a_wait_gets_a_limit() -> None:
    """Threads are joined, processes and events waited for; the fix fills the empty parentheses."""
    text = (
        "+def test_a():\n+    t = threading.Thread()\n+    p = Popen([])\n+    t.join()\n+    p.wait()\n+    a.join()\n"
    )
    seen = run(f"//- tests/test_a.py\n import threading\n{text}", WAIT).shown
    assert [(each.line, each.fixes[0].edits[0].new_text) for each in seen] == [(5, "timeout=10"), (6, "timeout=10")]


def test_a_file_with_a_time_limit_may_wait() -> None:
    """A marker or an alarm ends the test."""
    text = "+@pytest.mark.timeout(5)\n+def test_a():\n+    t = Thread()\n+    t.join()\n"
    assert added(f"//- tests/test_a.py\n import pytest\n{text}", WAIT) == []


def test_other_state_is_no_example() -> None:
    """A sibling that registers something else says nothing about the environment."""
    text = (
        " class ATest(TestCase):\n     def setUp(self):\n         self.addCleanup(stop)\n"
        "+class BTest(TestCase):\n+    def setUp(self):\n+        os.environ.clear()\n"
        "+    def tearDown(self):\n+        os.environ.update(OLD)\n"
    )
    assert added(f"//- tests/test_a.py\n import os\n{text}", TEARDOWN) == []


NEW = "+def pay(a):\n+    if a:\n+        return 1\n+    if a is None:\n+        return 2\n"


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("//- tests/test_b.py\n def test_b(): ...\n", ["`pay`"]),
        ("//- tests/test_b.py\n from app import desk\n", []),
        ("//- tests/test_b.py\n pay(1)\n", ["`buy`"]),
        ("//- app/b.py\n pay(1)\n", []),
        ("+DESKS = {'pay': pay, 'buy': buy}\n//- tests/test_b.py\n def test_b(): ...\n", []),
        ("//- tests/test_desk.py\n def test_b(): ...\n", []),
    ],
    ids=["not named", "module named", "named", "no tests", "in a table", "module in the test's name"],
)
def test_new_logic_is_named_by_its_module_too(rest: str, found: list[str]) -> None:
    """One function a file, and only where tests exist and name neither."""
    assert added(f"//- app/desk.py\n{NEW}{NEW.replace('pay', 'buy')}{rest}", UNTESTED) == found


def test_new_logic_in_a_module_that_no_test_knew_is_left_alone() -> None:
    """What was there before is not tested there either."""
    old = "//- app/desk.py\n def sell(a):\n     return a\n"
    for test, found in (("from app.desk import sell", ["`pay`"]), ("from app import till", [])):
        assert added(f"{old}{NEW}//- tests/test_b.py\n {test}\n", UNTESTED) == found


def test_methods_of_nested_derived_classes_are_not_new_logic() -> None:
    """What has a base may be called by it, at any depth; what has none is named."""
    method = NEW.replace("+", "+        ").replace("(a)", "(self, a)")
    tests = "//- tests/test_b.py\n def test_b(): ...\n"
    for base, found in (("(Base)", []), ("", ["`Outer.Inner.pay`"])):
        text = f"//- app/desk.py\n+class Outer:\n+    class Inner{base}:\n{method}{tests}"
        assert added(text, UNTESTED) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("with self._lock:\n+            handler(1)", ["`handler(1)`"]),
        ("with self._lock:\n+            self._hooks[1](2)", ["`self._hooks[1](2)`"]),
        ("with self._lock:\n+            later = lambda: handler(1)", []),
        ("with self.block:\n+            handler(1)", []),
        ("with self._lock:\n+            self.handlers.clear()", []),
    ],
)
def test_callbacks_under_a_lock(body: str, found: list[str]) -> None:
    """Only what is called there and then, and only under what is named a lock."""
    assert added(f"//- app/a.py\n+class A:\n+    def send(self, handler):\n+        {body}\n", LOCK) == found


@pytest.mark.parametrize(
    ("between", "found"),
    [
        ("load()", ["`self.on = True`"]),
        ("log.info('a')", []),
        ("self.on = compute()", []),
        ("a = 1", []),
    ],
)
def test_state_before_a_try(between: str, found: list[str]) -> None:
    """Something that may raise has to stand between, and what is set again counts from there."""
    text = (
        f"+def run(self):\n+    self.on = True\n+    {between}\n+    try:\n+        go()\n"
        "+    finally:\n+        self.on = False\n"
    )
    assert added(f"//- app/a.py\n{text}", BEFORE) == found


@pytest.mark.parametrize(
    ("name", "body", "found"),
    [
        ("add", "self.rows = []\n+        self.rows.append(1)", ["`A.add: self.rows`"]),
        ("reset", "self.rows = []\n+        self.rows.append(1)", []),
        ("add", "self.rows = []\n+        self.stack.append(self.rows)", []),
        ("add", "if not self.ready:\n+            self.rows = []\n+        self.rows.append(1)", []),
        ("add", "self.rows = deque()", ["`A.add: self.rows`"]),
        ("add", "self.rows = defaultdict(list)\n+        self.rows[1] = 2", ["`A.add: self.rows`"]),
        ("add", "self.rows = list(rows)", []),
        ("add", "self.rows = Counter(a=1)", []),
        ("add", "self.rows = []\n+        self.more()", []),
        ("add", "self.rows = []\n+        for row in read():\n+            self.more(row)", []),
        ("add", "self.rows = []\n+        if not self.name:\n+            self.rows.append(1)", []),
        ("add", "self.rows = []\n+        self.rows.append(1)\n+        self.rows.append(2)", []),
    ],
    ids=[
        "lost",
        "says so",
        "kept",
        "asked",
        "deque",
        "by key",
        "copied",
        "counted",
        "leads to the filling",
        "leads there in a loop",
        "fills if",
        "fills twice",
    ],
)
def test_collections_that_are_set_anew(name: str, body: str, found: list[str]) -> None:
    """A collection that goes elsewhere, is asked for, or is filled by the same call is no loss; nor is a told one."""
    text = (
        f"+class A:\n+    def __init__(self):\n+        self.{name}()\n+        self.{name}()\n+        self.more()\n"
        f"+    def more(self):\n+        self.rows.append(2)\n+    def {name}(self):\n+        {body}\n"
    )
    assert added(f"//- app/a.py\n{text}", STATE) == found


def test_methods_of_derived_classes_may_pass_keywords_on() -> None:
    """They answer to a protocol; in a class of its own the parameters can be named."""
    method = "+    def pay(self, **more):\n+        return self._pay(**more)\n+    def _pay(self, a): ...\n"
    text = f"//- app/a.py\n+class A(Base):\n{method}+class B:\n{method}"
    assert added(text, KEYWORDS) == ["`B.pay(**more)`, `B._pay()`"]


def test_a_conversion_is_no_probe() -> None:
    """``int`` and the like raise TypeError for the value."""
    text = "+try:\n+    a = int(a)\n+except TypeError:\n+    a = int(a, 16)\n"
    assert added(f"//- app/a.py\n{text}", PROBE) == []


def test_fixes_move_or_remove_whole_lines() -> None:
    """The setting goes before the ``try``, the overwriting constant goes away."""
    (moved,) = run(
        "//- app/a.py\n+def run(self):\n+    self.on = True\n+    load()\n+    try:\n+        go()\n"
        "+    finally:\n+        self.on = False\n",
        BEFORE,
    ).shown
    assert [(edit.span.start.line, edit.old_text, edit.new_text) for edit in moved.fixes[0].edits] == [
        (2, "    self.on = True\n", ""),
        (4, "", "    self.on = True\n"),
    ]
    text = "+HAS = find()\n+HAS = False\n+@unittest.skipIf(HAS, 'a')\n+def test_a(): ...\n"
    (gone,) = run(f"//- tests/test_a.py\n import unittest\n{text}", SKIP).shown
    assert [(edit.old_text, edit.new_text) for edit in gone.fixes[0].edits] == [("HAS = False\n", "")]


OWN = "def own():\n     old = dict(os.environ)\n     yield\n     os.environ.update(old)\n"
PATCHED = "def own():\n     with patch.dict(os.environ):\n         yield\n"


@pytest.mark.parametrize(
    ("path", "fixture", "test"),
    [
        ("tests/conftest.py", f"@pytest.fixture(autouse=True)\n {OWN}", SETS),
        ("conftest.py", f"@pytest.fixture(autouse=True)\n {PATCHED}", SETS),
        ("conftest.py", f"@pytest.fixture\n {OWN}", SETS.replace("()", "(own)")),
        ("conftest.py", f"@pytest.fixture(name='mine')\n {OWN}", f"+@pytest.mark.usefixtures('mine')\n{SETS}"),
        ("conftest.py", f"@pytest.fixture\n {OWN}", f"+pytestmark = pytest.mark.usefixtures('own')\n{SETS}"),
        ("conftest.py", f"@pytest.fixture\n {OWN} @pytest.fixture\n def b(own): ...\n", SETS.replace("()", "(b)")),
        ("conftest.py", f"@pytest.fixture\n {OWN} @pytest.fixture(autouse=True)\n def bank(own): ...\n", SETS),
        ("conftest.py", "def pytest_runtest_teardown(item):\n     os.environ.update(BEFORE)\n", SETS),
    ],
)  # fmt: skip
def test_what_a_conftest_above_restores_is_left_alone(path: str, fixture: str, test: str) -> None:
    """A fixture for all tests, one that the test asks for in some way, and a hook."""
    assert added(f"//- {path}\n import pytest, os\n {fixture}//- tests/a/test_a.py\n import os\n{test}", ENV) == []


@pytest.mark.parametrize(
    ("path", "fixture"),
    [
        ("tests/b/conftest.py", f"@pytest.fixture(autouse=True)\n {OWN}"),
        ("tests/conftest.py", f"@pytest.fixture\n {OWN}"),
        ("tests/conftest.py", "@pytest.fixture(autouse=True)\n def own(mp):\n     monkeypatch.setenv('B', '1')\n"),
        ("tests/conftest.py", "@pytest.fixture(autouse=True)\n def own():\n     os.environ['B'] = '1'\n     yield\n"),
        ("tests/conftest.py", f"def own(:\n     environ\n @pytest.fixture(autouse=True)\n {OWN}"),
    ],
)  # fmt: skip
def test_what_no_conftest_above_restores_is_told(path: str, fixture: str) -> None:
    """One beside, one that nobody asks for, what restores another name or nothing, and one that is no Python."""
    text = f"//- {path}\n import pytest, os\n {fixture}//- tests/a/test_a.py\n import os\n{SETS}"
    assert added(text, ENV) == ['`os.environ["A"]`']


def test_an_environment_that_was_changed_before_is_not_told_again() -> None:
    """A line that only moved in is the base's, also in a file that was renamed; a second one like it is new."""
    old = ' import os\n def test_a():\n-    os.environ["A"] = "1"\n+    if True:\n+        os.environ["A"] = "1"\n'
    assert added(f"//- tests/test_b.py -> tests/test_a.py\n{old}", ENV) == []
    assert added(f"//- tests/test_a.py\n{old}{SETS.replace('test_a', 'test_c').replace('1', '2')}", ENV) == [
        '`os.environ["A"]`'
    ]
