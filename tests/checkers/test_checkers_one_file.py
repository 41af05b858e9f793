"""Checks of single Python files: other spellings of what each is about, and what only looks like it."""

from __future__ import annotations

import pytest

from support.checking import run

GRID = "general/unguarded-kernel-grid"
PREDICATE = "python/predicate-raises"
LOCK = "python/callback-under-lock"
DUMP = "python/environment-dump"
MODULES = "python/test-writes-sys-modules"
ENV = "tests/test-env-unrestored"
SKIP = "tests/constant-skip"
SOURCE = "tests/source-text-test"
IMPORTING = "python/import-side-effect"
NAMES = "python/identifier-check-gap"
KEYWORDS = "python/kwargs-passthrough"
STATE = "python/state-outside-init"
WAIT = "tests/wait-without-timeout"
NOTHING = "python/docstring-names-nothing"
PROBE = "python/signature-probe"
STANDS = "python/constructor-bypassed"
TWICE = "python/redundant-except"


def added(text: str, item: str) -> list[str]:
    """The subjects of what is shown of a fixture; nothing may go wrong."""
    done = run(text, item)
    assert not done.failures
    return [seen.title.partition(": ")[2] for seen in done.shown]


LAMBDA = "`lambda meta: (triton.cdiv(len(x), meta['B']),)`"
GUARDED = (
    " import triton\n def a(x):\n     if x.numel() == 0:\n         return\n     a_kernel[(x.numel(),)](x)\n"
    " def b(x, n):\n     assert n > 0\n     b_kernel[(n,)](x)\n"
)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("c_kernel[(x.shape[0],)](x)", ["`(x.shape[0],)`"]),
        ("rows, width = x.shape\n+    grid = (rows, 4)\n+    c_kernel[grid](x)", ["`grid`"]),
        ("c_kernel[lambda meta: (triton.cdiv(len(x), meta['B']),)](x)", [LAMBDA]),
        ("c_kernel[(num_tokens,)](x)", ["`(num_tokens,)`"]),
        ("c_kernel[(num_sms,)](x)", []),
        ("c_kernel[(max(1, len(x)),)](x)", []),
        ("if not num_tokens:\n+        return\n+    c_kernel[(num_tokens,)](x)", []),
        ("if len(x):\n+        c_kernel[(len(x),)](x)", []),
        ("if len(x) > 0:\n+        c_kernel[(len(x),)](x)", []),
        ("table[(len(x),)](x)", []),
        ("c_kernel[(4, 4)](x)", []),
    ],
)
def test_a_launch_of_python_is_judged_by_its_siblings(body: str, found: list[str]) -> None:
    """A size of the data counts wherever it comes from; what is fixed, at least one or asked for does not."""
    assert added(f"//- ops/a.py\n{GUARDED}+def c(x, num_tokens, num_sms):\n+    {body}\n", GRID) == found


def test_launches_without_a_rule_are_left_alone() -> None:
    """Where the siblings do not ask either, nothing is said; nor in a file that programs no kernels."""
    launch = "+def c(x):\n+    c_kernel[(len(x),)](x)\n"
    assert added(f"//- ops/a.py\n import triton\n{launch}{launch}{launch}", GRID) == []
    assert added(f"//- ops/a.py\n{GUARDED.replace('triton', 'other')}{launch}", GRID) == []


TRIES = "def can_pay(a) -> bool:\n+    try:\n+        raise KeyError(a)\n+    except {}:\n+        return False"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("async def can_pay(a) -> bool:\n+    raise KeyError(a)", ["`can_pay: raise KeyError(a)`"]),
        ("def supports(a) -> 'bool':\n+    raise KeyError(a)", ["`supports: raise KeyError(a)`"]),
        (TRIES.format("KeyError"), []),
        (TRIES.format("Exception"), []),
        (TRIES.format("OSError"), ["`can_pay: raise KeyError(a)`"]),
    ],
)
def test_a_question_is_answered_also_where_it_raises_for_itself(text: str, found: list[str]) -> None:
    """Coroutines and annotations in quotes promise as well; what the function catches never reaches who asks."""
    assert added(f"//- app/a.py\n+{text}\n", PREDICATE) == found


@pytest.mark.parametrize(
    ("signature", "body", "found"),
    [
        ("self", "for hook in HOOKS:\n+                hook(1)", ["`hook(1)`"]),
        ("self", "for each in self._listeners:\n+                each.on_event(1)", ["`each.on_event(1)`"]),
        ("self", "for each in self._listeners:\n+                each.close()", []),
        ("self, a", "found = self._handlers.get(a)\n+            found(1)", ["`found(1)`"]),
        ("self, done: Callable[[], None]", "done()", ["`done()`"]),
        ("self, fn", "self.value = fn(self.value)", ["`fn(self.value)`"]),
        ("self, fn, *args", "return fn(*args)", []),
        ("self, make_value: Callable[[], int]", "return make_value()", []),
        ("self, done", "done()", []),
    ],
)
def test_what_somebody_else_gave_is_not_called_under_a_lock(signature: str, body: str, found: list[str]) -> None:
    """Listeners by their methods, entries under a name, and parameters by annotation; factories and wrappers may be."""
    text = f"+class A:\n+    def send({signature}):\n+        with self._lock:\n+            {body}\n"
    assert added(f"//- app/a.py\n{text}", LOCK) == found


def test_a_value_of_a_cache_may_be_made_under_its_lock() -> None:
    """Whoever asks at the same time is to wait for it."""
    text = "+class A:\n+    def get_or_create(self, a, func):\n+        with self._lock:\n+            return func(a)\n"
    assert added(f"//- app/a.py\n{text}", LOCK) == []


@pytest.mark.parametrize(
    ("body", "moved"),
    [
        (
            "for hook in self._hooks:\n                hook(1)",
            "            to_call = list(self._hooks)\n        for hook in to_call:\n            hook(1)",
        ),
        ("self.n = 1\n            handler(1)", "        handler(1)"),
        ("handler(1)", None),
        ("handler(1)\n            self.n = 1", None),
    ],
)
def test_what_comes_last_under_a_lock_can_come_after_it(body: str, moved: str | None) -> None:
    """A loop goes over a copy; where something follows, or nothing would be left, a person has to see."""
    text = f"class A:\n    def send(self, handler):\n        with self._lock:\n            {body}\n"
    (seen,) = run("//- app/a.py\n" + "".join(f"+{line}\n" for line in text.splitlines()), LOCK).shown
    assert [fix.edits[0].new_text for fix in seen.fixes] == ([] if moved is None else [moved])


def test_a_message_may_say_how_many_entries_there_are() -> None:
    """The fix is offered where anything may stand, not where a mapping or a list has to."""
    text = "+raise ValueError(f'{os.environ!r}', sys.argv, dict(os.environ), ':'.join(sys.path))\n"
    seen = run(f"//- app/a.py\n import os, sys\n{text}", DUMP).shown
    assert [[fix.edits[0].new_text for fix in each.fixes] for each in seen] == [
        ["len(os.environ)"],
        ["sys.argv[0]"],
        [],
        [],
    ]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("raise ValueError(str(environ))", ["`environ`"]),
        ("message = f'bad {os.environ}'\n+    raise ValueError(message)", ["`os.environ`"]),
        ("logging.getLogger('a').info(os.environ)", ["`os.environ`"]),
        ("warnings.warn(f'bad {sys.path}')", ["`sys.path`"]),
        ("message = f'bad {os.environ}'\n+    send(message)", []),
        ("message = os.environ\n+    raise ValueError(len(message))", []),
        ("raise ValueError(environ.get('A'))", []),
    ],
)
def test_the_environment_is_dumped_under_any_name(body: str, found: list[str]) -> None:
    """Imported by itself, by way of a message, and in warnings; not where the message goes elsewhere."""
    assert added(f"//- app/a.py\n import os\n from os import environ\n+def f():\n+    {body}\n", DUMP) == found


def test_modules_under_another_name_and_a_decorator() -> None:
    """``from sys import modules`` is the same table; a decorated test puts it back."""
    text = "//- tests/test_a.py\n from sys import modules\n from unittest import mock\n"
    test = "+def test_{0}():\n+    modules['{0}'] = None\n"
    assert added(text + test.format("a"), MODULES) == ["`modules['a']`"]
    decorated = '+@mock.patch.dict("sys.modules")\n' + test.format("b")
    assert added(text + decorated, MODULES) == []


def test_pytest_restores_what_a_test_sets() -> None:
    """The fix is safe in a test that nobody calls by name."""
    for called, safe in (("", True), ("+test_a()\n", False)):
        (seen,) = run(
            f"//- tests/test_a.py\n import sys\n+def test_a():\n+    sys.modules['a'] = None\n{called}", MODULES
        ).shown
        assert [edit.new_text for edit in seen.fixes[0].edits] == [
            "monkeypatch",
            "monkeypatch.setitem(sys.modules, 'a', None)",
        ]
        assert seen.fixes[0].safe is safe


def test_a_method_gets_the_import_of_its_decorator() -> None:
    """Behind ``import unittest``, where nothing else is called mock."""
    case = "+class T(unittest.TestCase):\n+    def test_a(self):\n+        os.environ['A'] = '1'\n"
    (seen,) = run(f"//- tests/test_a.py\n import os\n import unittest\n{case}", ENV).shown
    edits = [edit.new_text for edit in seen.fixes[0].edits]
    assert edits == ["from unittest import mock\n", '    @mock.patch.dict("os.environ")\n']
    (seen,) = run(f"//- tests/test_a.py\n import os\n import unittest\n mock = 1\n{case}", ENV).shown
    assert seen.fixes == ()


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("has = count() > 1\n+    has = False\n+    if not has:\n+        pytest.skip('a')", ["`has = False`"]),
        ("has = count() > 1\n+    log(has)\n+    has = False\n+    if not has:\n+        pytest.skip('a')", []),
        ("has = False\n+    has = False\n+    if not has:\n+        pytest.skip('a')", []),
        (
            "has = a()\n+    has = False\n+    for b in c:\n+        has = True\n+    if has:\n+        pytest.skip()",
            [],
        ),
        ("if not count() or True:\n+        pytest.skip('a')", ["`not count() or True`"]),
        ("if count() and True:\n+        pytest.skip('a')", []),
    ],
)
def test_a_skip_is_decided_by_a_constant_inside_of_a_test_too(body: str, found: list[str]) -> None:
    """What was computed is overwritten before anybody looked, or a constant decides beside it."""
    assert added(f"//- tests/test_a.py\n import pytest\n+def test_a():\n+    {body}\n", SKIP) == found


@pytest.mark.parametrize(
    ("read", "found"),
    [
        ('Path("app/desk.py").read_text()', True),
        ('(ROOT / "app" / "desk.cpp").read_text()', True),
        ('(Path(__file__).parent / "desk.py").read_text()', True),
        ('open("app/desk.py").read()', True),
        ('(tmp_path / "desk.py").read_text()', False),
        ('Path("app/golden.txt").read_text()', False),
        ('Path("desk.py").read_text()', False),
        ('Path("tests/made.py").read_text()', False),
    ],
)
def test_code_is_read_by_its_path(read: str, found: bool) -> None:
    """A path below the repository that is written out; what a test made or keeps as data is its own."""
    text = f"+def test_a(tmp_path):\n+    text = {read}\n+    assert text.count('lock') == 1\n"
    assert added(f"//- tests/test_a.py\n from pathlib import Path\n{text}", SOURCE) == ([f"`{read}`"] if found else [])


@pytest.mark.parametrize(
    "look",
    ["sum('a' in line for line in lines) == 3", "not any('a' in each for each in lines[1:])", "'a' in lines[0]"],
)
def test_lines_of_code_are_text_too(look: str) -> None:
    """With their first number, one by one, or one of them."""
    text = f"+def test_a():\n+    lines, first = inspect.getsourcelines(app.a)\n+    assert {look}\n"
    assert added(f"//- tests/test_a.py\n import app\n{text}", SOURCE) == ["`inspect.getsourcelines(app.a)`"]


BANK = (
    "//- bank/__init__.py\n # bank\n//- bank/core.py\n class BankError(Exception): ...\n class Vault:\n"
    "     def open(self, code):\n         if not code:\n             raise BankError('no code at all')\n"
    "         raise {}\n//- tests/test_core.py\n from bank.core import BankError, Vault\n"
)


@pytest.mark.parametrize(
    ("second", "test", "found"),
    [
        ("BankError('this code is wrong')", "pytest.raises(BankError)", True),
        ("BankError('this code is wrong')", "pytest.raises(BankError, match='wrong')", False),
        ("BankError('no code at all')", "pytest.raises(BankError)", False),
        ("KeyError('this code is wrong')", "pytest.raises(BankError)", False),
    ],
)
def test_own_errors_have_several_reasons_too(second: str, test: str, found: bool) -> None:
    """A type that says something is enough where it is raised for one reason."""
    text = (
        " class VaultTest(TestCase):\n     def setUp(self):\n         self.vault = Vault()\n"
        f"+    def test_open(self):\n+        with {test}:\n+            self.vault.open('')\n"
    )
    expected = ["`BankError`, `Vault.open`"] if found else []
    assert added(BANK.format(second) + text, "python/raises-without-match") == expected


@pytest.mark.parametrize(
    ("setting", "between", "last", "found"),
    [
        ("os.chdir(a)", "load()", "os.chdir(old)", ["`os.chdir(a)`"]),
        ("log.setLevel(a)", "load()", "log.setLevel(old)", ["`log.setLevel(a)`"]),
        ("signal.signal(SIGINT, a)", "load()", "signal.signal(SIGTERM, old)", []),
        ("signal.signal(SIGINT, a)", "load()", "signal.signal(SIGINT, old)", ["`signal.signal(SIGINT, a)`"]),
        ("os.chdir(a)", "load()", "os.chdir(a)", []),
        ("os.chdir(a)", "n = 1", "os.chdir(old)", []),
        ("queue.put(a)", "load()", "queue.put(old)", []),
    ],
)
def test_setters_set_state_too(setting: str, between: str, last: str, found: list[str]) -> None:
    """A call that another call of the same thing takes back, and something that may raise between."""
    body = f"+    {setting}\n+    {between}\n+    try:\n+        go()\n+    finally:\n+        {last}\n"
    assert added(f"//- app/a.py\n import os\n+def f(a, old):\n{body}", "python/set-before-try") == found


def test_importing_makes_folders() -> None:
    """Methods of paths write as the functions of ``os`` do, here or in a function that is called."""
    text = "+from pathlib import Path\n+def _make():\n+    Path('a').mkdir()\n+_make()\n+Path('b').write_text('')\n"
    assert added(f"//- app/a.py\n{text}", IMPORTING) == ["`_make()`", "`Path('b').write_text('')`"]


def test_the_method_of_str_is_half_a_question_too() -> None:
    """Given on or called with the text; a file that imports nothing gets its first import."""
    text = "+def a(names, b):\n+    return all(map(str.isidentifier, names)) and str.isidentifier(b)\n"
    assert added(f"//- app/a.py\n{text}", NAMES) == ["`str.isidentifier`", "`str.isidentifier`"]
    (seen,) = run('//- app/a.py\n """Names."""\n+def a(b):\n+    return b.isidentifier()\n', NAMES).shown
    assert [edit.new_text for edit in seen.fixes[0].edits] == [
        "import keyword\n\n\n",
        "(b.isidentifier() and not keyword.iskeyword(b))",
    ]


def test_a_class_of_the_file_takes_what_it_names() -> None:
    """Keywords that go to a constructor could be written out as well, unless it takes any itself."""
    text = "+def make(**more):\n+    return Desk(**more)\n class Desk:\n     def __init__(self, {}): ...\n"
    assert added(f"//- app/a.py\n{text.format('a=1')}", KEYWORDS) == ["`make(**more)`, `Desk()`"]
    assert added(f"//- app/a.py\n{text.format('**more')}", KEYWORDS) == []


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("self.load(a)\n+        self.load(b)\n+        return self.rows", True),
        ("for each in (a, b):\n+            self.load(each)\n+        return self.rows", True),
        ("for each in (a, b):\n+            self.load(each)\n+            use(self.rows)", False),
        ("self.load(a)\n+        first = self.rows\n+        self.load(b)\n+        return first, self.rows", False),
        (
            "if a:\n+            self.load(a)\n+        else:\n+            self.load(b)\n+        return self.rows",
            False,
        ),
        ("for each in (a, b):\n+            self.load(each)\n+            break\n+        return self.rows", False),
        ("self.load(a)\n+        return self.rows", False),
    ],
)
def test_the_last_call_alone_is_kept(body: str, found: bool) -> None:
    """A method that gathers by several calls and looks at the end sees what the last one left."""
    text = (
        "+class A:\n+    def __init__(self):\n+        self.n = 0\n+    def load(self, path):\n"
        f"+        self.rows = list(path)\n+    def run(self, a, b):\n+        {body}\n"
    )
    assert added(f"//- app/a.py\n{text}", STATE) == (["`A.load: self.rows`"] if found else [])


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("app/a.py", "def open(self):\n+    done = threading.Event()\n+    done.wait()", ["`done.wait()`"]),
        ("app/a.py", "def serve(self):\n+    done = threading.Event()\n+    done.wait()", []),
        ("app/a.py", "def open(self):\n+    shutdown = threading.Event()\n+    shutdown.wait()", []),
        ("app/a.py", "def open(self):\n+    done = threading.Event()\n+    while a():\n+        done.wait()", []),
        ("app/a.py", "def open(self):\n+    done = Popen([])\n+    done.wait()", []),
        ("app/a.py", "async def open(self):\n+    done = Event()\n+    await done.wait()", []),
        ("tests/test_a.py", "def test_a():\n+    done = torch.cuda.Event()\n+    done.wait()", []),
        ("tests/test_a.py", "async def test_a():\n+    done = Event()\n+    await done.wait()", []),
    ],
)
def test_code_that_has_to_come_back_waits_with_a_limit(path: str, text: str, found: list[str]) -> None:
    """Events of threads, in functions whose job is another; what is awaited or of a device is no such event."""
    assert added(f"//- {path}\n import threading\n+{text}\n", WAIT) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("//- docs/a.md\n # A\n+Call `load_ordres(a)` first.\n", ["`load_ordres`"]),
        ("//- docs/a.rst\n A\n+Call ``load_ordres`` first.\n", ["`load_ordres`"]),
        ("//- app/b.py\n def f():\n+    'Calls load_ordres first.'\n     return 1\n", ["`load_ordres`"]),
        ("//- docs/a.md\n # A\n+Call `load_receipts` first.\n", []),
        ("//- docs/a.md\n # A\n+The old `load_ordres` was renamed.\n", []),
        ("//- docs/CHANGELOG.md\n # A\n+Call `load_ordres` first.\n", []),
        ("//- docs/a.md\n # A\n+Call load_ordres first.\n", []),
        ("//- docs/a.md\n # A\n+Call `load_x_orders` first.\n//- app/c.py\n load_n_orders = 1\n", []),
        ("//- docs/a.md\n # A\n+Call `load_receits` first.\n//- app/c.py\n # load_receipts was there\n", []),
        ("//- app/b.py\n def f():\n+    'Reads shop.load_ordres and load_ordres=1.'\n     return 1\n", []),
    ],
)
def test_documentation_misspells_what_the_code_has(text: str, found: list[str]) -> None:
    """One slip away from a name of the code: in documents in backticks, in docstrings also bare."""
    assert added(f"//- app/a.py\n def load_orders():\n     return 1\n{text}", NOTHING) == found


def test_a_probe_is_told_at_its_handler() -> None:
    """Once, on the line that says which error decides."""
    text = "+try:\n+    a(1, 2)\n+except (TypeError, KeyError):\n+    b()\n+    a(1)\n+    a()\n"
    (seen,) = run(f"//- app/a.py\n{text}", PROBE).shown
    assert seen.span is not None
    assert (seen.span.start.line, seen.span.end.line) == (3, 3)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("fake = lambda *args: args[2]", ["`args[2]`"]),
        ("def fake(*args):\n+    return args[3] + args[4]", ["`args[3]`"]),
        ("def fake(*args):\n+    return args[1]", []),
        ("def fake(*args, a=None):\n+    return a if len(args) < 3 else args[2]", []),
        ("def fake(*args, **more):\n+    return more['a'] if 'a' in more else args[2]", []),
        ("def fake(args):\n+    return args[2]", []),
    ],
)
def test_a_stand_in_counts_arguments(text: str, found: list[str]) -> None:
    """From the third on, by number alone."""
    assert added(f"//- tests/test_a.py\n import app\n+{text}\n", STANDS) == found


ERRORS = (
    "//- app/__init__.py\n # app\n//- app/errors.py\n class ShopError(OSError): ...\n class Missing(ShopError): ...\n"
    "//- app/a.py\n from app.errors import Missing, ShopError\n"
)


@pytest.mark.parametrize(
    ("caught", "found"),
    [
        ("ShopError, Missing", ["`Missing`"]),
        ("Missing, Exception", ["`Missing`"]),
        ("Missing, EnvironmentError", ["`Missing`"]),
        ("Missing, KeyError", []),
        ("Missing, other.ShopError", []),
    ],
)
def test_imported_exceptions_cover_each_other(caught: str, found: list[str]) -> None:
    """Another module says what they derive from; what it does not say is not guessed."""
    assert added(f"{ERRORS}+try:\n+    a()\n+except ({caught}):\n+    b()\n", TWICE) == found


def test_a_name_that_is_no_builtin_here_covers_nothing() -> None:
    """A module may call another class by the name of a builtin one."""
    text = f"{ERRORS} from lib import Exception\n+try:\n+    a()\n+except (Missing, Exception):\n+    b()\n"
    assert added(text, TWICE) == []
