"""Probes: what each can tell of a claim, and the many cases in which it must not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from roundzero.core.anatomy import Anatomy, Claim, ClaimVerdict, Probe
from roundzero.core.change import Skip, SkipKind
from roundzero.core.claims import refutation, whole
from roundzero.core.text import Position, RelPath, Span
from roundzero.engine import probes
from roundzero.engine.fact_check import probe_all
from roundzero.engine.probes import discover
from roundzero.index.fact_store import FactStore
from roundzero.index.limit import TimeLimit
from roundzero.index.symbols import RepositorySymbols
from support.defects import Said, draft
from support.probing import probed
from support.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Mapping


V, R, U = ClaimVerdict.VERIFIED, ClaimVerdict.REFUTED, ClaimVerdict.UNVERIFIABLE


def verdict(head: Mapping[str, str], text: str, **more: object) -> ClaimVerdict:
    """What became of it."""
    return probed(head, text, **more).verdict  # type: ignore[arg-type]


APP = {"app.py": "from parser import parse_header\n\nparse_header()\n"}


def test_every_kind_is_found_by_its_file() -> None:
    """A file a kind."""
    files = Path(probes.__file__).parent.glob("[!_]*.py")
    assert set(discover()) == {path.stem.replace("_", "-") for path in files}


def test_a_unanimous_does_not_exist_is_refuted_where_it_does() -> None:
    """With the line that has it, bound to the texts that were read."""
    head = APP | {"parser.py": "def parse_header():\n    return 1\n"}
    base = APP | {"parser.py": "def parse():\n    return 1\n"}
    claim = probed(head, "`parse_header` does not exist", base=base)
    assert (claim.verdict, claim.probe) == (R, "parser.py:1 defines parse_header")
    assert claim.blobs
    why = refutation(Anatomy(claims=(claim,)))
    assert why == "its decisive claim is refuted: parser.py:1 defines parse_header"


def test_what_was_removed_and_is_still_used_is_verified_to_be_gone() -> None:
    """By the import that names the file which would have to have it."""
    base = APP | {"parser.py": "def parse_header():\n    return 1\n"}
    claim = probed(APP | {"parser.py": "x = 1\n"}, "`parse_header` no longer exists", base=base)
    assert (claim.verdict, claim.probe) == (V, "parser.py has no parse_header, nor does anything set it")


@pytest.mark.parametrize(
    ("files", "claim"),
    [
        # made while the program runs
        ({"parser.py": "def __getattr__(name):\n    return name\n"}, "`parse_header` does not exist"),
        ({"parser.py": "globals()['parse_' + 'header'] = print\n"}, "`parse_header` does not exist"),
        ({"parser.py": "x = 1\n", "setup_it.py": "import parser\nparser.parse_header = print\n"},
         "`parse_header` does not exist"),
        ({"parser.py": "x = 1\n", "b.py": "setattr(mod, 'parse_header', print)\n"}, "`parse_header` does not exist"),
        # brought by a star that is not seen
        ({"parser.py": "from outside_of_here import *\n"}, "`parse_header` does not exist"),
        # there under a condition
        ({"parser.py": "import sys\nif sys.platform == 'win32':\n    def parse_header(): pass\n"},
         "`parse_header` does not exist"),
        ({"parser.py": "try:\n    from fast import parse_header\nexcept ImportError:\n    parse_header = None\n"},
         "`parse_header` does not exist"),
        ({"parser.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from b import parse_header\n",
          "b.py": "def parse_header(): pass\n"}, "`parse_header` does not exist"),
        # taken away or replaced later
        ({"parser.py": "def parse_header(): pass\n\ndel parse_header\n"}, "`parse_header` does not exist"),
        ({"parser.py": "def parse_header(): pass\n\nparse_header = None\n"}, "`parse_header` does not exist"),
        ({"parser.py": "def parse_header(): pass\n\ndef drop():\n    global parse_header\n    del parse_header\n"},
         "`parse_header` does not exist"),
        ({"parser.py": "try:\n    from b import *\nexcept ImportError:\n    pass\n",
          "b.py": "def parse_header(): pass\n"}, "`parse_header` does not exist"),
        # not at the top level
        ({"parser.py": "class P:\n    def parse_header(self): pass\n"}, "`parse_header` does not exist in parser.py"),
        ({"parser.py": "def outer():\n    def parse_header(): pass\n"}, "`parse_header` does not exist in parser.py"),
        # only in words
        ({"parser.py": "NAME = 'parse_header'\nfrom elsewhere import *\n"}, "`parse_header` does not exist"),
        # does not parse
        ({"parser.py": "def parse_header(:\n"}, "`parse_header` does not exist"),
        # native or built
        ({"parser.pyx": "def parse_header(): pass\n"}, "`parse_header` does not exist"),
    ],
)  # fmt: skip
def test_what_may_be_or_may_not_be_is_neither(files: dict[str, str], claim: str) -> None:
    """Dynamic, conditional, replaced, starred, native or unparsable code settles nothing."""
    assert verdict(APP | files, claim) is U


def test_a_namesake_elsewhere_refutes_nothing() -> None:
    """The name is judged where it is used: another file's function is another function."""
    head = APP | {"parser.py": "x = 1\n", "legacy.py": "def parse_header(): pass\n"}
    base = APP | {"parser.py": "def parse_header(): pass\n", "legacy.py": "def parse_header(): pass\n"}
    assert verdict(head, "`parse_header` no longer exists", base=base) is V
    unrelated = {"app.py": "print(1)\n", "legacy.py": "def parse_header(): pass\n"}
    assert verdict(unrelated, "`parse_header` does not exist") is U


def test_of_a_name_that_the_change_removes_somewhere_its_namesake_is_not_taken() -> None:
    """The finding stands in a file with its own function of that name; the removed one may well be meant."""
    head = {"app.py": "def load_it(): pass\n\nload_it()\n", "other.py": "x = 1\n"}
    base = {"app.py": "def load_it(): pass\n\nload_it()\n", "other.py": "def load_it(): pass\n"}
    assert verdict(head, "`load_it` does not exist", base=base) is U
    assert verdict(head, "`load_it` does not exist", base=head) is R


@pytest.mark.parametrize(
    ("files", "claim", "expected"),
    [
        ({"c.py": "class Config:\n    def reload(self): pass\n"}, "Config has no method `reload`", R),
        ({"c.py": "class Config:\n    retries: int = 3\n"}, "`Config.retries` does not exist", R),
        ({"c.py": "class Config:\n    def load(self): pass\n"}, "Config has no method `reload`", V),
        ({"c.py": "class Base:\n    def reload(self): pass\n\nclass Config(Base):\n    pass\n"},
         "Config has no method `reload`", R),
        ({"c.py": "from outside import Base\n\nclass Config(Base):\n    pass\n"}, "Config has no method `reload`", U),
        ({"c.py": "class Config:\n    def __getattr__(self, name): pass\n"}, "Config has no method `reload`", U),
        ({"c.py": "class Config:\n    def __init__(self):\n        self.reload = print\n"},
         "Config has no method `reload`", U),
        ({"c.py": "class Config:\n    if True:\n        def reload(self): pass\n"}, "Config has no method `reload`", U),
        ({"c.py": "class Config:\n    pass\n\nclass Sub(Config):\n    def reload(self): pass\n"},
         "Config has no method `reload`", U),
        ({"c.py": "class Config:\n    pass\n\nConfig.reload = print\n"}, "Config has no method `reload`", U),
        ({"c.py": "import plugin\n\n@plugin.extend\nclass Config:\n    pass\n"}, "Config has no method `reload`", U),
        ({"c.py": "class Config(metaclass=Meta):\n    pass\n"}, "Config has no method `reload`", U),
        ({"c.py": "class Config:\n    def reload(self): pass\n    reload = 1\n"}, "Config has no method `reload`", U),
        ({"c.py": "class Config: pass\n", "d.py": "class Config:\n    def reload(self): pass\n"},
         "Config has no method `reload`", U),
    ],
)  # fmt: skip
def test_an_attribute_is_there_or_not_only_where_the_whole_class_is_seen(
    files: dict[str, str], claim: str, expected: ClaimVerdict
) -> None:
    """Bases, metaclasses, decorators, subclasses and assignments from outside may all give it."""
    assert verdict(files | {"app.py": "print(1)\n"}, claim) is expected


@pytest.mark.parametrize(
    ("files", "claim", "expected"),
    [
        ({"p.py": "from q import load_it\n", "q.py": "def load_it(): pass\n"}, "p.py does not define load_it", U),
        ({"p.py": "from q import load_it\n", "q.py": "def load_it(): pass\n"}, "load_it() does not exist in p.py", R),
        ({"p.py": "def load_it(): pass\n"}, "p.py does not define load_it", R),
        ({"p.py": "load_it = 3\n"}, "there is no function `load_it` in p.py", U),
        ({"p.py": "class Load_it: pass\n"}, "there is no function `Load_it` in p.py", U),
        ({"p.py": "def Load_it(): pass\n"}, "no class named Load_it exists", U),
        ({"c.py": "class B:\n    def f_x(self): pass\n\nclass C(B): pass\n"}, "class C does not define f_x", U),
        ({"c.py": "class C:\n    reload = 3\n"}, "C has no method `reload`", U),
    ],
)
def test_what_is_there_must_be_what_is_said_not_to_be(
    files: dict[str, str], claim: str, expected: ClaimVerdict
) -> None:
    """Imported or inherited is not defined there; a number is no function."""
    assert verdict(files | {"app.py": "print(1)\n"}, claim) is expected


@pytest.mark.parametrize("line", ["x['user_id']\n", "row = db.get('user_id')\n", "print(1)\n"])
def test_a_key_that_reads_like_a_name_is_no_name(line: str) -> None:
    """The file has a function that is called so; the claim may be about a column."""
    text = f"{line}\ndef user_id(): pass\n"
    assert verdict({"app.py": text}, "`user_id` does not exist") is U
    assert verdict({"app.py": text}, "user_id() does not exist") is R
    assert verdict({"app.py": text}, "`user_id` does not exist", line=3) is R


def test_what_every_module_has_is_nobodys_to_miss() -> None:
    """``id`` may be a column, and ``input`` a parameter."""
    assert verdict({"app.py": "x['id']\n"}, "`id` does not exist") is U
    assert verdict({"app.py": "id(x)\n"}, "`id` does not exist") is U


def test_self_is_the_class_the_finding_stands_in() -> None:
    """The innermost class around its line."""
    text = "class A:\n    def f(self):\n        self.gone()\n    def there(self): pass\n"
    assert verdict({"app.py": text}, "`self.gone` does not exist", line=3, symbol="A.f") is V
    assert verdict({"app.py": text}, "`self.there` does not exist", line=3, symbol="A.f") is R
    assert verdict({"app.py": text}, "`self.gone` does not exist", line=1) is U


@pytest.mark.parametrize(
    "text",
    [
        "helper()\n\ndef helper(): pass\n",
        "class A:\n    x = helper()\n\ndef helper(): pass\n",
        "def f():\n    helper()\n    helper = 1\n\ndef helper(): pass\n",
    ],
)
def test_a_name_that_is_read_too_early_or_is_a_local_is_not_there_because_the_module_has_it(text: str) -> None:
    """It fails where it is read, though the file defines it; read within a function it is there."""
    assert verdict({"app.py": text}, "`helper` is not defined", more=(2, 3)) is U
    assert verdict({"app.py": "def f():\n    helper()\n\ndef helper(): pass\n"}, "helper() is not defined") is R


def test_a_name_that_is_only_there_in_another_language_is_not_judged() -> None:
    """Nor is a bare name that is not used where the finding stands."""
    files = {"a.c": "int parse_header(void) { return 1; }\n", "app.py": "x = 1\n"}
    assert verdict(files, "`parse_header` does not exist") is U
    assert verdict(files, "`parse_header` does not exist", at="app.py") is U


def test_a_file_of_the_change_that_nobody_read_leaves_absence_open() -> None:
    """It may hold what is missing; what is there stays there."""
    head = APP | {"parser.py": "x = 1\n"}
    texts = Texts(head, APP | {"parser.py": "def parse_header(): pass\n"})
    skip = Skip(path=RelPath("big.py"), kind=SkipKind.NOT_CHECKED, reason="too large", mode="100644")
    change = replace(texts.change(), skipped=(skip,))
    assert verdict(head, "`parse_header` does not exist", change=change) is U
    gone = replace(change, skipped=(replace(skip, mode="000000"),))
    base = APP | {"parser.py": "def parse_header(): pass\n"}
    assert verdict(head, "`parse_header` does not exist", change=gone, base=base) is V


@pytest.mark.parametrize(
    ("files", "claim", "expected"),
    [
        ({"a.py": "def _old(): pass\n"}, "`_old` is never used", V),
        ({"a.py": "def _old(): pass\n\n_old()\n"}, "`_old` is never called", R),
        ({"a.py": "def _old(): pass\n", "app.py": "from a import _old\n\n_old()\n"}, "nothing calls `_old`", R),
        ({"a.py": "def _old(): pass\n\nTABLE = [_old]\n"}, "`_old` is never used", R),
        # passed on, and not called where it is seen
        ({"a.py": "def _old(): pass\n\nTABLE = [_old]\n"}, "`_old` is never called", U),
        # only itself calls it
        ({"a.py": "def _old():\n    _old()\n"}, "`_old` is never called", U),
        # named in a string, a comment, a build file
        ({"a.py": "def _old(): pass\n\ngetattr(x, '_old')\n"}, "`_old` is never used", U),
        ({"a.py": "def _old(): pass\n# see _old\n"}, "`_old` is never used", U),
        ({"a.py": "def _old(): pass\n", "setup.cfg": "run = a:_old\n"}, "`_old` is never used", U),
        # others may use it
        ({"a.py": "def old_name(): pass\n"}, "`old_name` is never used", U),
        ({"a.py": "@route('/')\ndef _old(): pass\n"}, "`_old` is never used", U),
        ({"a.py": "class _Old(Plugin): pass\n"}, "`_Old` is never used", U),
        ({"a.py": "def _old(): pass\n\nglobals()['x'] = 1\n"}, "`_old` is never used", U),
        # which one
        ({"a.py": "def _old(): pass\n", "b.py": "def _old(): pass\n\n_old()\n"}, "`_old` is never called", U),
        ({"a.py": "class A:\n    def _old(self): pass\n"}, "`_old` is never called", U),
        # a local of the same name
        ({"a.py": "def _old(): pass\n", "b.py": "def f(_old):\n    _old()\n"}, "`_old` is never called", U),
    ],
)  # fmt: skip
def test_use_is_what_surely_is_use(files: dict[str, str], claim: str, expected: ClaimVerdict) -> None:
    """Nothing uses a private function that is named nowhere else; a sure use refutes it; the rest is open."""
    assert verdict({"app.py": "print(1)\n"} | files, claim) is expected


@pytest.mark.parametrize(
    ("expect", "expected"),
    [
        ("2", U), ("0", U), ("absent", U), (">=1", U), ("5", R), (">=4", R), ("> 3", R), ("present", U), ("<=3", U),
        ("many", U),
    ],
)  # fmt: skip
def test_a_proposed_count_refutes_where_there_are_fewer(expect: str, expected: ClaimVerdict) -> None:
    """Three times on two lines. That there are more is no proof: a comment counts as well."""
    head = {"app.py": "foo(foo)\n# foo\n"}
    probe = Probe(kind="grep-count", subject="foo", expect=expect)
    claim = probed(head, "there are callers of foo", proposed=(probe,))
    assert claim.verdict is expected
    assert claim.probe is not None
    assert ("grep -w foo: 2 hits" in claim.probe) == (expect != "many")


def test_a_count_narrowed_to_a_folder_counts_there() -> None:
    """And of a folder that is not there nothing is told."""
    head = {"app.py": "foo()\n", "lib/a.py": "foo()\nfoo()\n"}
    probe = Probe(kind="grep-count", subject="foo", path="lib", expect="5")
    claim = probed(head, "foo is called in lib", proposed=(probe,))
    assert (claim.verdict, claim.probe) == (R, "grep -w foo lib: 2 hits")
    assert verdict(head, "foo is called in lib", proposed=(replace(probe, path="nowhere"),)) is U


def test_what_is_nowhere_is_bound_to_the_whole_change() -> None:
    """Any other text may bring it back."""
    head = {"app.py": "x = 1\n", "a.py": "def _old(): pass\n"}
    claim = probed(head, "`_old` is never used")
    assert claim.blobs == (whole(Texts(head).change()),)


@pytest.mark.parametrize(
    ("files", "claim", "expected"),
    [
        ({"pkg/__init__.py": "", "pkg/a.py": "x = 1\n"}, "`from pkg.a import gone` fails", V),
        ({"pkg/__init__.py": "", "pkg/a.py": "x = 1\n"}, "`from pkg.a import x` does not resolve", R),
        ({"pkg/__init__.py": "", "pkg/a.py": "x = 1\n"}, "`from pkg.a import x` fails", U),
        ({"pkg/__init__.py": "", "pkg/a.py": "x = 1\n"}, "`import pkg.a` does not resolve", R),
        ({"pkg/__init__.py": "", "pkg/a.py": "x = 1\n"}, "`import pkg.a` raises ModuleNotFoundError", U),
        ({"pkg/__init__.py": "", "pkg/a.py": "x = 1\n"}, "`import pkg.gone` raises ModuleNotFoundError", V),
        ({"pkg/__init__.py": "__path__ = []\n"}, "`import pkg.gone` fails", U),
        ({"pkg/a.py": "x = 1\n"}, "`import pkg.gone` fails", U),
        ({}, "`import requests` fails", U),
        ({}, "`from requests import nothing_there` fails", U),
        ({"app.py": "try:\n    import pkg.gone\nexcept ImportError:\n    pass\n", "pkg/__init__.py": ""},
         "`import pkg.gone` fails", U),
        ({"pkg/__init__.py": "", "pkg/a.py": "def __getattr__(n): pass\n"}, "`from pkg.a import gone` fails", U),
        ({"pkg/__init__.py": "", "pkg/a_pb2.pyi": ""}, "`import pkg.gone_pb2` fails", U),
    ],
)  # fmt: skip
def test_an_import_is_judged_within_the_repository(files: dict[str, str], claim: str, expected: ClaimVerdict) -> None:
    """What is installed, generated, namespaced, dynamic or tried is not."""
    assert verdict({"app.py": "import pkg\n"} | files, claim) is expected


@pytest.mark.parametrize(
    ("files", "claim", "expected"),
    [
        ({"app.py": "MAX_TRIES = 3\n"}, "MAX_TRIES is 3", V),
        ({"app.py": "MAX_TRIES = 3\n"}, "MAX_TRIES is 5", R),
        ({"app.py": "MAX_TRIES: int = 3\n"}, "MAX_TRIES is 3", V),
        ({"app.py": "MAX_TRIES = True\n"}, "MAX_TRIES is 1", R),
        ({"app.py": "MAX_TRIES = 3\nMAX_TRIES = 5\n"}, "MAX_TRIES is 3", U),
        ({"app.py": "MAX_TRIES = 3\nMAX_TRIES += 2\n"}, "MAX_TRIES is 3", U),
        ({"app.py": "MAX_TRIES = 3\nif x:\n    MAX_TRIES = 5\n"}, "MAX_TRIES is 5", U),
        ({"app.py": "if x:\n    MAX_TRIES = 3\n"}, "MAX_TRIES is 5", U),
        ({"app.py": "MAX_TRIES = 3\n\ndef f():\n    global MAX_TRIES\n    MAX_TRIES = 5\n"}, "MAX_TRIES is 5", U),
        ({"app.py": "MAX_TRIES = 3\n", "conf.py": "import app\napp.MAX_TRIES = 5\n"}, "MAX_TRIES is 5", U),
        ({"app.py": "MAX_TRIES = 3\n", "t.py": "m.setattr(app, 'MAX_TRIES', 5)\n"}, "MAX_TRIES is 5", U),
        ({"app.py": "MAX_TRIES = int('3')\n"}, "MAX_TRIES is 5", U),
        ({"app.py": "MAX_TRIES = 3\nglobals().update(x)\n"}, "MAX_TRIES is 5", U),
        ({"app.py": "A = MAX_TRIES = 3\n"}, "MAX_TRIES is 3", V),
        ({"app.py": "MAX_TRIES, B = 3, 4\n"}, "MAX_TRIES is 5", U),
        ({"app.py": "for MAX_TRIES in x: pass\n"}, "MAX_TRIES is 5", U),
        ({"app.py": "MAX_TRIES = 3\n", "b.py": "MAX_TRIES = 5\n"}, "MAX_TRIES is 5", U),
    ],
)
def test_a_value_is_a_literal_that_is_bound_once(files: dict[str, str], claim: str, expected: ClaimVerdict) -> None:
    """Whatever may set it again, here or elsewhere, leaves it open."""
    assert verdict(files, claim) is expected


@pytest.mark.parametrize(
    ("path", "text", "subject", "expect", "expected"),
    [
        ("app.py", "def f(a, b=2): pass\n", "f(b)", "3", R),
        ("app.py", "def f(a, b=2): pass\n", "f(b)", "2", U),
        ("app.py", "def f(a, *, b=None): pass\n", "f(b)", "3", R),
        ("app.py", "@wrap\ndef f(b=2): pass\n", "f(b)", "3", U),
        ("app.py", "def f(b=2): pass\n\nf = wrap(f)\n", "f(b)", "3", U),
        ("app.py", "def f(b=LIMIT): pass\n", "f(b)", "3", U),
        ("app.py", "class C:\n    size = 4\n", "C.size", "5", R),
        ("app.py", "class C:\n    size = 4\n    def f(self):\n        self.size = 5\n", "C.size", "5", U),
        ("pyproject.toml", "[project]\nrequires-python = '>=3.9'\n", "project.requires-python", "'>=3.11'", R),
        ("package.json", '{"version": "1.0"}', "version", '"2.0"', R),
        ("package.json", '{"version": "1.0"}', "name", '"2.0"', U),
        ("package.json", '{"version": ', "version", '"2.0"', U),
        ("settings.json", '{"api_key": "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"}', "api_key", '"x"', U),
        ("app.rb", "SIZE = 4\n", "SIZE", "5", U),
    ],
)
def test_a_proposed_value_is_compared_where_it_can_be_read(
    path: str, text: str, subject: str, expect: str, expected: ClaimVerdict
) -> None:
    """Defaults, attributes, TOML and JSON; no secret is told."""
    probe = Probe(kind="value-equals", subject=subject, path=path, expect=expect)
    claim = probed({path: text, "app2.py": "\n"}, f"the value of {subject} is odd", proposed=(probe,), at=path)
    assert claim.verdict is expected
    assert "ghp_" not in (claim.probe or "")


@pytest.mark.parametrize(
    ("files", "claim", "expected"),
    [
        ({"test_a.py": "def test_one(): pass\n"}, "`test_one` is not collected", R),
        ({"test_a.py": "class TestA:\n    def test_one(self): pass\n"}, "`test_one` is not collected", R),
        ({"test_a.py": "class TestA:\n    def __init__(self): pass\n    def test_one(self): pass\n"},
         "`test_one` is not collected", V),
        ({"test_a.py": "class Checks:\n    def test_one(self): pass\n"}, "`test_one` is not collected", V),
        ({"test_a.py": "def outer():\n    def test_one(): pass\n"}, "`test_one` is not collected", V),
        ({"test_a.py": "def test_one(): pass\n\ndef test_one(): pass\n"}, "`test_one` is not collected", V),
        ({"test_a.py": "import unittest\n\nclass Checks(unittest.TestCase):\n    def test_one(self): pass\n"},
         "`test_one` is not collected", U),
        ({"test_a.py": "if x:\n    def test_one(): pass\n"}, "`test_one` is not collected", U),
        ({"test_a.py": "@fixture\ndef test_one(): pass\n"}, "`test_one` is not collected", U),
        ({"test_a.py": "def test_one(): pass\n", "pytest.ini": "python_functions = check_*\n"},
         "`test_one` is not collected", U),
        ({"test_a.py": "class Checks:\n    def test_one(self): pass\n",
          "conftest.py": "def pytest_collect_file(): pass\n"}, "`test_one` is not collected", U),
        ({"test_a.py": "def test_one(): pass\n", "pytest.ini": "testpaths = unit\n"}, "`test_one` is not collected", U),
        ({"test_a.py": "class Checks:\n    def test_one(self): pass\n", "pytest.ini": "testpaths = unit\n"},
         "`test_one` is not collected", V),
        ({"test_a.py": "__test__ = False\n\ndef test_one(): pass\n"}, "`test_one` is not collected", U),
        ({"test_a.py": "x = 1\n"}, "`test_one` is not collected", U),
        ({"test_a.py": "def test_one(): pass\n\ntest_one = None\n"}, "`test_one` is not collected", U),
    ],
)  # fmt: skip
def test_a_test_is_collected_by_pytests_own_rules(files: dict[str, str], claim: str, expected: ClaimVerdict) -> None:
    """Where these are changed, or another runner's, nothing is told."""
    assert verdict(files, claim, at="test_a.py", line=1) is expected


def test_a_file_that_pytest_is_given_by_name_may_be_collected() -> None:
    """Its name alone settles nothing."""
    assert verdict({"checks.py": "def test_one(): pass\n"}, "`test_one` is not collected", at="checks.py") is U


@pytest.mark.parametrize(
    ("head", "base", "claim", "at", "expected"),
    [
        ({"t/BUILD": "x"}, {"t/BUILD": "x", "t/test_x.py": "y"}, "`t/test_x.py` does not exist", "t/BUILD", V),
        ({"t/BUILD": "x"}, {"t/BUILD": "x", "t/test_x.py": "y"}, "`test_x.py` no longer exists", "t/BUILD", V),
        ({"t/BUILD": "x", "t/test_x.py": ""}, None, "`t/test_x.py` does not exist", "t/BUILD", R),
        ({"t/BUILD": "x", "t/test_x.py": ""}, None, "`test_x.py` does not exist", "t/BUILD", R),
        ({"t/BUILD": "x", "test_x.py": ""}, None, "`test_x.py` does not exist", "t/BUILD", U),
        ({"t/BUILD": "x"}, None, "`t/made.py` does not exist", "t/BUILD", U),
        ({"t/BUILD": "outs = ['test_x.py']"}, {"t/BUILD": "x", "t/test_x.py": "y"},
         "t/BUILD names test_x.py, which does not exist", "t/BUILD", U),
        ({"t/BUILD": "srcs = ['test_x.py']"}, {"t/BUILD": "x", "t/test_x.py": "y"},
         "t/BUILD still names test_x.py, which was deleted", "app.py", V),
    ],
)  # fmt: skip
def test_a_file_is_gone_only_where_it_was(
    head: dict[str, str], base: dict[str, str] | None, claim: str, at: str, expected: ClaimVerdict
) -> None:
    """What never was may be built, and a namesake elsewhere is another file."""
    assert verdict(head, claim, base=base, at=at) is expected


def test_a_quote_is_absent_only_where_nothing_reads_so() -> None:
    """Other white space, other marks, another line are all there; too little text is not looked for."""
    head = {"app.py": "def f(alpha):\n    return compute(alpha,  beta)\n", "x.txt": "y\n"}
    claim = "`compute` is called with beta"

    def looked(subject: str, path: str = "app.py", expect: str = "") -> ClaimVerdict:
        probe = Probe(kind="quote-at", subject=subject, path=path, expect=expect)
        return verdict(head, f"{claim}: {subject}", proposed=(probe,))

    assert looked("return compute(alpha, beta)") is U  # there, which proves nothing
    assert looked("return compute(gamma, beta)") is R
    assert looked("return compute(alpha, beta)", expect="absent") is R
    assert looked("return compute(gamma, beta)", path="nowhere.py") is U
    assert looked("()") is U


def test_a_kind_that_there_is_not_and_words_of_any_kind_harm_nothing() -> None:
    """Whatever a draft proposes comes back as words."""
    odd = ("", "\n", "(", "a" * 5000, "../../etc/passwd", "x\0y", "[", "\\", "名字", "*", "a.b.c.d", ".", "..", "-e x")
    for kind in (*discover(), "no-such-kind"):
        for subject in odd:
            probes = tuple(Probe(kind=kind, subject=subject, path=path, expect=subject) for path in odd[:8])
            claim = probed({"app.py": "x = 1\n"}, f"something about {subject}", proposed=probes)
            assert claim.verdict is not V
            assert json.dumps(claim.probe)


def test_one_grep_is_made_for_all_findings() -> None:
    """A hundred claims ask once."""
    head = {f"m{at}.py": f"def _f{at}(): pass\n" for at in range(50)} | {"app.py": "x = 1\n"}
    texts = Texts(head)
    rows = []
    for at in range(50):
        seen = draft(Said("d", 1, 1, "crash", "t", ""), f"m{at}.py", None).observation
        claims = (
            Claim(text=f"`_f{at}` is never used", decisive=True),
            Claim(text=f"`_g{at}` does not exist in m{at}.py"),
        )
        rows.append(replace(seen, anatomy=Anatomy(claims=claims), span=Span(Position(1, 1), Position(1, 2))))
    symbols = RepositorySymbols(texts, texts.change(), FactStore(), TimeLimit(60))
    after = probe_all(rows, texts.change(), texts, symbols)
    assert len(texts.greps) == 1
    verdicts = [[claim.verdict for claim in each.anatomy.claims] for each in after if each.anatomy is not None]
    assert verdicts == [[V, V]] * 50
