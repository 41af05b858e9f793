"""Checks across files: what each finds, and what only looks like it."""

# ruff: noqa: E501  a fixture on one line is easier to compare with its neighbours

from __future__ import annotations

import pytest

from support.checking import check, run

IMPORT = "python/unresolved-import"
ATTRIBUTE = "python/attribute-on-wrong-module"
ON_SELF = "python/class-attribute-only-on-self"
PATCH = "python/patch-at-definition"
SYMBOL = "python/removed-symbol-still-used"
LITERAL = "python/removed-literal-still-consumed"
ORPHAN = "python/orphaned-file"
PATH = "general/missing-path"

PACKAGE = '//- app/__init__.py\n NAME = "app"\n'


def silent(text: str, item: str) -> None:
    """Nothing is seen, and nothing went wrong."""
    done = run(PACKAGE + text, item)
    assert not done.failures
    assert [(seen.path, seen.title) for seen in done.shown] == []


@pytest.mark.parametrize(
    "text",
    [
        "//- app/a.py\n x = 1\n//- app/b.py\n+try:\n+    from app.a import y\n+except ImportError:\n+    y = None\n",
        "//- app/a.py\n globals().update(z=1)\n//- app/b.py\n+from app.a import y\n",
        "//- app/a.py\n import os\n//- app/b.py\n+from app.a import os\n",
        "//- app/a.py\n x = 1\n//- app/b.py\n from app.a import y\n+z = 1\n",
        "//- app/a.py\n x = 1\n//- app/b.py\n-from app.a import y\n+import os\n+from app.a import y\n",
        "//- app/a.py\n x = 1\n//- app/b.py\n+from app.generated_pb2 import Message\n+import app._speedups\n",
        "//- app/a.py\n from other import *\n//- app/b.py\n+from app.a import y\n",
        "//- app/a.py\n x = 1\n//- app/b.py\n+from other.a import y\n+import json.nothing\n",
        "//- app/a.py\n-y = 1\n+x = 1\n//- app/b.py\n from app import a\n//- tool.py\n import y\n from other.a import y\n",
        "//- app/a.py\n-y = 1\n+from app.c import y\n//- app/c.py\n+y = 1\n//- app/b.py\n from app.a import y\n",
    ],
    ids=["tried", "dynamic", "re-export", "old", "moved line", "generated", "star", "external", "alike", "moved name"],
)
def test_an_import_that_may_resolve_is_left_alone(text: str) -> None:
    """Whatever may provide the name, and whatever was missing before, is silent."""
    silent(text, IMPORT)


def test_a_missing_name_is_replaced_where_it_is_imported_and_used() -> None:
    """The fix renames the import and its uses together."""
    done = run(
        PACKAGE + "//- app/a.py\n def compute():\n     return 1\n"
        "//- app/b.py\n+from app.a import comptue\n+VALUE = comptue()\n",
        IMPORT,
    )
    (seen,) = done.shown
    assert [(edit.old_text, edit.new_text, edit.span.start.line) for edit in seen.fixes[0].edits] == [
        ("comptue", "compute", 1),
        ("comptue", "compute", 2),
    ]


def test_an_import_broken_elsewhere_hangs_on_the_line_that_broke_it() -> None:
    """The consequence lies in an unchanged file, its cause is where the definition was."""
    done = run(PACKAGE + "//- app/a.py\n x = 1\n-y = 2\n z = 3\n//- app/b.py\n from app.a import x, y\n", IMPORT)
    (seen,) = done.shown
    assert (seen.path, seen.cause is not None and (seen.cause.path, seen.cause.line)) == ("app/b.py", ("app/a.py", 1))


def test_a_module_that_went_breaks_its_imports() -> None:
    """Imports of the module, of names in it, and of the module from its package are all found."""
    done = run(
        PACKAGE
        + "//- app/old.py\n-x = 1\n//- app/b.py\n import app.old\n from app.old import x\n from app import old\n",
        IMPORT,
    )
    assert sorted(seen.line for seen in done.shown) == [1, 2, 3]


@pytest.mark.parametrize(
    "text",
    [
        "//- app/a.py\n+def load():\n+    return 1\n//- app/b.py\n x = 1\n//- app/c.py\n+from app import b\n+try:\n+    b.load()\n+except AttributeError:\n+    pass\n",
        "//- app/a.py\n+def load():\n+    return 1\n//- app/b.py\n x = 1\n//- app/c.py\n+from app import b\n+b.load = 1\n+b.load()\n",
        "//- app/a.py\n+y = 1\n//- app/b.py\n x = 1\n//- app/c.py\n+from app import b\n+def f(b):\n+    return b.load()\n",
        "//- app/b.py\n x = 1\n//- app/c.py\n+from app import b\n+b.load()\n",
        "//- app/a.py\n+def load():\n+    return 1\n//- app/b.py\n from app.a import load\n//- app/c.py\n+from app import b\n+b.load()\n",
    ],
    ids=["expected", "set", "parameter", "nowhere", "re-export"],
)
def test_an_attribute_that_may_be_there_is_left_alone(text: str) -> None:
    """Guards, assignments from outside, other objects of the name, and re-exports are silent."""
    silent(text, ATTRIBUTE)


def test_the_attribute_is_read_from_the_module_that_has_it() -> None:
    """Where that module is imported already, the fix names it."""
    done = run(
        PACKAGE + "//- app/a.py\n+def load():\n+    return 1\n//- app/b.py\n x = 1\n"
        "//- app/c.py\n+from app import a, b\n+VALUE = b.load()\n",
        ATTRIBUTE,
    )
    (fix,) = done.shown[0].fixes
    assert (fix.safe, fix.edits[0].old_text, fix.edits[0].new_text) == (True, "b.load", "a.load")


@pytest.mark.parametrize(
    ("read", "rest", "found"),
    [
        ("self.__class__.x", "", True),
        ("self.__class__.y", "", False),
        ("self.__class__.x", " class D(C):\n     x = 1\n", False),
        ("self.other.__class__.x", "", False),
    ],
)
def test_the_class_of_an_object_is_asked_like_the_class(read: str, rest: str, found: bool) -> None:
    """What the body has, or a subclass gives, is there."""
    body = " class C:\n     y = 1\n     def __init__(self):\n         self.x = 1\n     def f(self):\n"
    done = run(f"{PACKAGE}//- app/c.py\n{body}+        return {read}\n{rest}", ON_SELF)
    assert bool(done.shown) == found


@pytest.mark.parametrize(
    "body",
    [
        " class C(Unknown):\n     def __init__(self):\n         self.x = 1\n",
        " class C:\n     x = 0\n     def __init__(self):\n         self.x = 1\n",
        " class C:\n     __slots__ = ('x',)\n     def __init__(self):\n         self.x = 1\n",
        " class C:\n     def __init__(self):\n         self.x = 1\n C.x = 2\n",
        " @register\n class C:\n     def __init__(self):\n         self.x = 1\n",
        " class C:\n     def __getattr__(self, name):\n         self.x = 1\n",
    ],
    ids=["base", "body", "slots", "outside", "decorator", "getattr"],
)
def test_a_class_that_may_have_the_attribute_is_left_alone(body: str) -> None:
    """Every way in which a class may get the attribute is silent."""
    silent(f"//- app/c.py\n{body}+print(C.x)\n", ON_SELF)


def test_an_attribute_taken_from_the_class_breaks_its_readers() -> None:
    """A reader in a file the change did not touch hangs on the removed line."""
    done = run(
        PACKAGE
        + "//- app/c.py\n class C:\n-    limit = 1\n     def __init__(self):\n+        self.limit = 1\n         pass\n"
        "//- app/d.py\n from app.c import C\n print(C.limit)\n",
        ON_SELF,
    )
    (seen,) = done.shown
    assert (seen.path, seen.line) == ("app/d.py", 2)
    assert seen.cause is not None
    assert seen.cause.path == "app/c.py"


NET = "//- app/net.py\n def fetch(url):\n     return url\n"
REPORT = "//- app/report.py\n from app.net import fetch\n def report(url):\n     return fetch(url)\n"


@pytest.mark.parametrize(
    ("modules", "target"),
    [
        (NET + " def all(urls):\n     return [fetch(url) for url in urls]\n" + REPORT, '"app.net.fetch"'),
        (
            NET + "//- app/report.py\n def report(url):\n     from app.net import fetch\n     return fetch(url)\n",
            '"app.net.fetch"',
        ),
        (
            NET + "//- app/report.py\n from app import net\n def report(url):\n     return net.fetch(url)\n",
            '"app.net.fetch"',
        ),
        (NET + REPORT, '"app.report.fetch"'),
        (NET + REPORT, '"other.net.fetch"'),
        (NET + REPORT, '"app.net.fetch", create=True) as a, mock.patch("app.report.fetch"'),
        (
            NET
            + REPORT.replace("report.py", "elsewhere.py")
            + "//- app/report.py\n def report(url):\n     return url\n",
            '"app.net.fetch"',
        ),
    ],
    ids=["own use", "lazy", "through module", "use site", "external", "both", "far"],
)
def test_a_patch_that_may_reach_somebody_is_left_alone(modules: str, target: str) -> None:
    """The patch works, or nobody near by keeps the original."""
    text = (
        f"{modules}//- tests/test_report.py\n from unittest import mock\n from app.report import report\n"
        f"+def test_it():\n+    with mock.patch({target}):\n+        assert report(1)\n"
    )
    silent(text, PATCH)


def test_the_patch_is_moved_to_where_the_name_is_used() -> None:
    """The fix names the module under test, through a second import too."""
    done = run(
        PACKAGE + NET + REPORT + "//- app/api.py\n from app import report\n"
        "//- tests/test_api.py\n from unittest import mock\n from app import api\n"
        '+def test_it():\n+    with mock.patch("app.net.fetch"):\n+        assert api\n',
        PATCH,
    )
    (fix,) = done.shown[0].fixes
    assert fix.edits[0].new_text == '"app.report.fetch"'


def test_a_new_import_empties_an_old_patch() -> None:
    """The test is not part of the change: the hit hangs on the import."""
    done = run(
        PACKAGE + NET + "//- app/report.py\n-from app import net\n+from app.net import fetch\n def report(url):\n"
        "-    return net.fetch(url)\n+    return fetch(url)\n//- tests/test_report.py\n from unittest import mock\n"
        ' from app.report import report\n @mock.patch("app.net.fetch")\n def test_it(fetch):\n     assert report(1)\n',
        PATCH,
    )
    (seen,) = done.shown
    assert (seen.path, seen.cause is not None and seen.cause.path) == ("tests/test_report.py", "app/report.py")


@pytest.mark.parametrize(
    "text",
    [
        "//- app/a.py\n-def load():\n-    return 1\n+from app.b import load\n//- app/b.py\n+def load():\n+    return 1\n//- app/c.py\n from app import a\n a.load()\n",
        "//- app/a.py\n-def load():\n-    return 1\n+x = 1\n//- app/c.py\n import json as a\n a.load()\n",
        "//- app/a.py\n-def load():\n-    return 1\n def use(load):\n     return load()\n",
        "//- app/a.py\n-def load_everything():\n-    return 1\n+x = 1\n//- CHANGELOG.md\n load_everything went\n",
        "//- app/a.py\n-def load_everything():\n-    return 1\n+x = 1\n//- doc.md\n .. deprecated:: 1.1\n    load_everything\n",
        "//- app/a.py\n-def load_everything():\n-    return 1\n+x = 1\n//- app/b.py\n def load_everything():\n     return 2\n//- doc.md\n call load_everything\n",
        "//- app/a.py\n-def load():\n-    return 1\n+x = 1\n//- app/c.py\n from app import a\n if hasattr(a, 'load'):\n     a.load()\n",
        "//- app/a.py\n class A(Base):\n-    def load(self):\n-        return 1\n     def use(self):\n         return self.load()\n",
    ],
    ids=["moved", "other module", "parameter", "history", "deprecation", "same name", "expected", "base not seen"],
)
def test_a_name_that_still_means_something_is_left_alone(text: str) -> None:
    """What resolves otherwise, is expected to be absent, or is history is silent."""
    silent(text, SYMBOL)


def test_a_removed_definition_is_found_in_code_patches_methods_and_documents() -> None:
    """Each with the removed line as its cause; a document is least grave."""
    done = run(
        PACKAGE
        + "//- app/a.py\n-def load_everything():\n-    return 1\n+x = 1\n class A:\n-    def step(self):\n-        return 1\n"
        "     def use(self):\n         return self.step()\n"
        "//- app/c.py\n from app import a\n a.load_everything()\n"
        '//- tests/test_c.py\n from unittest import mock\n @mock.patch("app.a.load_everything")\n def test(m):\n     assert m\n'
        "//- docs/use.md\n Call `load_everything` first.\n",
        SYMBOL,
    )
    assert sorted((seen.path, seen.line, seen.severity.name) for seen in done.shown) == [
        ("app/a.py", 4, "P1"),
        ("app/c.py", 2, "P1"),
        ("docs/use.md", 1, "P3"),
        ("tests/test_c.py", 2, "P1"),
    ]


@pytest.mark.parametrize(
    ("made", "consumed"),
    [
        ("d['retry_count'] = x", "d['retry_count']"),
        ("bus.emit('UserLoggedIn', x)", "bus.on('UserLoggedIn', f)"),
        ("server.register('get_prices', x)", "client.call('get_prices')"),
        ("d.setdefault('retry_count', x)", "d.get('retry_count')"),
    ],
)
def test_a_key_that_was_set_an_event_and_a_method_are_made_too(made: str, consumed: str) -> None:
    """What sends or offers a string makes it, and what listens to it or calls it consumes it."""
    text = f"//- app/a.py\n def f(d, x):\n-    {made}\n     return d\n//- app/b.py\n def g(d, f):\n     return {consumed}\n"
    assert [seen.path for seen in run(text, LITERAL).shown] == ["app/b.py"]
    silent(text.replace(made, f"print(d['{consumed.split(chr(39))[1]}'])"), LITERAL)


@pytest.mark.parametrize(
    "rest",
    [
        "//- app/b.py\n def g(d):\n     return d['retry_count']\n//- app/c.py\n D = {'retry_count': 2}\n",
        "//- app/b.py\n def g(d):\n     return d['retry_count']\n//- conf.yaml\n retry_count: 2\n",
        "//- app/b.py\n def g(d):\n     d['retry_count'] = 1\n     return d['retry_count']\n",
        "//- app/b.py\n def g(retry_count):\n     return retry_count\n",
        "//- app/b.py\n import os\n def g():\n     return os.environ['retry_count']\n",
    ],
    ids=["made elsewhere", "configured", "set", "identifier", "environment"],
)
def test_a_string_that_something_may_make_is_left_alone(rest: str) -> None:
    """Another producer, a configuration or an identifier of the name is silent."""
    silent(f"//- app/a.py\n def f():\n-    return {{'retry_count': 1}}\n+    return {{}}\n{rest}", LITERAL)


@pytest.mark.parametrize(
    "rest",
    [
        "//- app/other.py\n from app import legacy\n",
        "//- pyproject.toml\n x = 'app.legacy:run'\n",
        "//- app/loader.py\n import importlib\n importlib.import_module('app.' + name)\n",
        "//- setup.py\n modules = ['legacy']\n",
    ],
    ids=["imported", "entry point", "found by name", "listed"],
)
def test_a_module_that_something_may_use_is_no_orphan(rest: str) -> None:
    """Code, configuration and loaders that find modules by name are uses."""
    silent(f"//- app/legacy.py\n x = 1\n//- app/b.py\n-from app.legacy import x\n+x = 2\n{rest}", ORPHAN)


def test_a_path_behind_a_variable_with_a_folder_too_many() -> None:
    """The folder is named nowhere else, and the rest is a path of the repository: the fix drops the folder."""
    done = check(
        "//- bench/ci/cases.json\n {}\n//- bench/ci/run.sh\n set -e\n"
        '+CASES="${WORKSPACE}/other_name/bench/ci/cases.json"\n'
        "^                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ general/missing-path\n",
        PATH,
    )
    assert done.shown[0].fixes[0].edits[0].new_text == "bench/ci/cases.json"


@pytest.mark.parametrize(
    "line",
    [
        "bash tools/run.sh",
        "bash ../tools/run.sh",
        'bash "$ROOT/tools/run.sh"',
        "cp x build/tools/run.sh",
        "curl -o tools/ci/run.sh https://example.org/tools/ci/run.sh",
        "python tools/ci/main.py",
        "cat /etc/tools/ci/run.sh",
        "cat other/ci/run.sh",
    ],
)
def test_a_path_that_may_exist_is_left_alone(line: str) -> None:
    """Existing, made, absolute, foreign and common paths are silent."""
    silent(f"//- tools/run.sh\n echo\n//- tools/lib/main.py\n x = 1\n//- tools/ci/all.sh\n set -e\n+{line}\n", PATH)


@pytest.mark.parametrize(
    ("naming", "line", "marked"),
    [
        ("Dockerfile", "COPY tools/old/ /srv/", "tools/old/"),
        (".github/workflows/ci.yml", "working-directory: tools/old", "tools/old"),
        ("Makefile", "\tsh tools/old/*.sh", "tools/old/*.sh"),
        ("lib/BUILD", 'deps = ["//tools/old:run"],', "//tools/old:run"),
    ],
)
def test_a_folder_that_went_with_its_files_is_still_named(naming: str, line: str, marked: str) -> None:
    """Folders, patterns and packages that stand for nothing now are found."""
    done = run(
        f"//- tools/old/run.sh\n-echo\n//- tools/old/BUILD\n-x = 1\n//- tools/new.sh\n echo\n//- {naming}\n {line}\n",
        "general/deleted-file-still-named",
    )
    assert [seen.title.rpartition(": ")[2] for seen in done.shown] == [f"`{marked}`"]


@pytest.mark.parametrize(
    ("naming", "before", "after"),
    [
        ("scripts/all.sh", "./one.sh", "./sub/one.sh"),
        ("scripts/all.sh", "$ROOT/scripts/one.sh", "$ROOT/scripts/sub/one.sh"),
        ("Makefile", "scripts/one.sh", "scripts/sub/one.sh"),
        ("scripts/BUILD", '"one.sh"', '"sub/one.sh"'),
    ],
)
def test_a_moved_file_is_named_the_way_it_was(naming: str, before: str, after: str) -> None:
    """The fix keeps labels, variables and relative paths as they were written."""
    done = run(
        f"//- scripts/one.sh -> scripts/sub/one.sh\n echo 1\n echo 2\n//- {naming}\n run {before}\n",
        "general/deleted-file-still-named",
    )
    (fix,) = done.shown[0].fixes
    assert fix.edits[0].new_text == after.strip('"')


def test_a_workflow_is_known_by_its_file_name() -> None:
    """A program that names a deleted workflow as a string is found; another word is not."""
    done = run(
        "//- .github/workflows/trigger.yml\n-on: push\n//- ci/rerun.py\n FILE = 'trigger.yml'\n OTHER = 'my-trigger.yml'\n",
        "general/deleted-file-still-named",
    )
    assert [(seen.path, seen.line, seen.severity.name) for seen in done.shown] == [("ci/rerun.py", 1, "P1")]


RENAMED = (
    "//- tools/__init__.py -> kit/__init__.py\n NAME = 'tools'\n//- tools/a.py -> kit/a.py\n x = 1\n"
    "//- tools/b.py -> kit/b.py\n from tools.a import x\n from . import a\n"
)
BESIDE = (
    "//- scripts/__init__.py\n-\n//- scripts/a.py\n-x = 1\n//- scripts/b.py\n from .a import x\n from . import c\n"
    "//- scripts/c.py\n y = 1\n"
)
WHOLE = '//- tools/__init__.py\n-NAME = "tools"\n//- tools/a.py\n-x = 1\n'


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (
            WHOLE + "//- app/b.py\n import tools\n import tools.a as a\n from tools import NAME\n from tools import a\n"
            " from tools.a import x\n",
            [("app/b.py", line) for line in (1, 2, 3, 4, 5)],
        ),
        ("//- legacy.py\n-x = 1\n//- app/b.py\n from legacy import x\n", [("app/b.py", 1)]),
        ("//- legacy.py\n-x = 1\n//- app/b.py\n def f():\n     import legacy\n     return legacy.x\n", [("app/b.py", 2)]),
        ("//- legacy.py -> modern.py\n x = 1\n//- app/b.py\n from legacy import x\n", [("app/b.py", 1)]),
        (
            RENAMED,
            [("kit/b.py", 1)],
        ),
        ("//- legacy.py\n-x = 1\n//- app/b.py\n+import legacy\n", [("app/b.py", 1)]),
        (
            "//- tools/__init__.py\n-NAME = 1\n//- tools/a.py\n x = 1\n//- app/b.py\n from tools import NAME, a\n import tools.a\n",
            [("app/b.py", 1)],
        ),
        (
            BESIDE,
            [("scripts/b.py", 1)],
        ),
        (
            WHOLE + '//- pyproject.toml\n [project]\n name = "tools"\n dependencies = ["setuptools>=1", "other"]\n'
            ' [tool.setuptools]\n packages = ["tools"]\n//- app/b.py\n import tools\n',
            [("app/b.py", 1)],
        ),
        (
            WHOLE + '//- setup.py\n from setuptools import setup\n setup(name="tools", packages=["tools", "app"])\n'
            "//- setup.cfg\n [metadata]\n name = tools\n [options]\n packages =\n   tools\n//- app/b.py\n import tools\n",
            [("app/b.py", 1)],
        ),
        (
            WHOLE + '//- pyproject.toml\n [project.optional-dependencies]\n tools = ["six"]\n//- Makefile\n all:\n   ruff check tools\n'
            "//- tox.ini\n [testenv]\n commands = pytest tools\n//- app/b.py\n import tools\n",
            [("app/b.py", 1)],
        ),
        (
            WHOLE + "//- app/b.py\n from typing import TYPE_CHECKING\n if TYPE_CHECKING:\n     from tools import NAME\n",
            [("app/b.py", 3)],
        ),
    ],
    ids=[
        "package", "module", "lazy", "renamed module", "renamed package", "new import", "no package any more",
        "relative", "own project", "own set-up", "own tools", "for types",
    ],
)  # fmt: skip
def test_an_import_of_a_top_level_module_that_went_is_found(text: str, places: list[tuple[str, int]]) -> None:
    """Deleted or renamed, a whole package or one file: nothing in or around the repository provides it any more."""
    done = run(PACKAGE + text, IMPORT)
    assert not done.failures
    assert sorted((str(seen.path), seen.line) for seen in done.shown) == places


def test_a_deleted_module_is_the_cause_of_the_imports_it_breaks() -> None:
    """The consequence lies in an unchanged file and hangs on the file that went."""
    done = run(PACKAGE + "//- legacy.py\n-x = 1\n//- app/b.py\n from legacy import x\n", IMPORT)
    (seen,) = done.shown
    assert (seen.cause is not None and (seen.cause.path, seen.cause.line)) == ("legacy.py", 1)


@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        ("from tools.a import x", ("tools.a", "kit.a")),
        ("import tools.a as a", ("tools.a", "kit.a")),
        ("from tools import NAME as N", ("tools", "kit")),
        ("import tools.a", None),
        ("from tools.a import x, y", ("tools.a", "kit.a")),
        ("import tools.a as a, tools.b as b", None),
    ],
)
def test_the_import_of_a_renamed_module_is_led_to_its_new_name(line: str, fixed: tuple[str, str] | None) -> None:
    """Where the statement imports from nothing else, and binds the same afterwards."""
    done = run(PACKAGE + RENAMED + f"//- app/b.py\n {line}\n", IMPORT)
    fixes = {(fix.edits[0].old_text, fix.edits[0].new_text) for seen in done.shown for fix in seen.fixes
             if seen.path == "app/b.py"}  # fmt: skip
    assert fixes == ({fixed} if fixed is not None else set())


@pytest.mark.parametrize(
    "rest",
    [
        "//- requirements.txt\n+tools==1.0\n",
        "//- requirements/dev.txt\n python-tools\n",
        '//- pyproject.toml\n [project]\n dependencies = ["tools>=2"]\n',
        '//- pyproject.toml\n [tool.poetry.dependencies]\n company-tools = "^1"\n',
        "//- setup.cfg\n [options]\n install_requires =\n   six\n   tools>=1\n",
        '//- setup.py\n setup(install_requires=["tools"])\n',
        '//- uv.lock\n [[package]]\n name = "tools"\n source = { registry = "r" }\n',
        '//- noxfile.py\n def lint(session):\n     session.install("tools")\n',
        "//- tox.ini\n [testenv]\n deps =\n   tools\n commands = x\n",
        "//- tools.pyx\n x = 1\n",
        "//- native/toolsmodule.c\n int x;\n",
        "//- .gitignore\n /tools/\n",
        "//- vendor/tools/__init__.py\n x = 1\n//- vendor/tools/a.py\n x = 1\n",
        "//- src/tools/__init__.py\n+NAME = 1\n//- src/tools/a.py\n+x = 1\n",
        "//- tools.py\n+x = 1\n",
        "//- requirements.txt\n six\n+opencv-python\n",
        "//- environment.yml\n dependencies:\n+ - scikit-learn\n",
        "//- Dockerfile\n RUN apt-get update && \\\n     pip install tools\n",
        "//- .github/workflows/ci.yml\n     - run: pip install tools\n",
        "//- scripts/setup.sh\n pip install git+https://example.com/tools.git\n",
        "//- app/BUILD\n py_library(name = 'b', deps = ['@pip//tools'])\n",
        "//- setup.py\n setup(package_dir={'tools': 'python'})\n",
        "//- .gitignore\n to?ls/\n",
        "//- tools\n+../elsewhere/tools\n",
    ],
    ids=[
        "requirements", "prefixed", "project", "poetry", "options", "set-up", "lock", "nox", "tox", "native", "module in C",
        "ignored", "vendored", "moved", "one file", "distribution of another name", "another name in conda", "image", "workflow",
        "script", "Bazel", "package folder", "ignored by a pattern", "link",
    ],
)  # fmt: skip
def test_a_module_that_may_come_from_elsewhere_is_left_alone(rest: str) -> None:
    """What is installed, built, fetched or only moved can still be imported."""
    silent(WHOLE + "//- app/b.py\n import tools\n" + rest, IMPORT)


def test_a_file_that_is_ignored_now_was_not_taken_away() -> None:
    """What writes it names it rightly, and so does who reads it."""
    silent(
        "//- app/_version.py\n-x = 1\n//- .gitignore\n+_version.py\n"
        "//- pyproject.toml\n [tool.setuptools_scm]\n write_to = 'app/_version.py'\n",
        "general/deleted-file-still-named",
    )


@pytest.mark.parametrize(
    "text",
    [
        "//- legacy.py\n-x = 1\n//- app/b.py\n try:\n     import legacy\n except ImportError:\n     legacy = None\n",
        "//- json.py\n-x = 1\n//- app/b.py\n import json\n",
        "//- space/a.py\n-x = 1\n//- space/b.py\n y = 1\n//- app/b.py\n import space.a\n",
        "//- legacy_pb2.py\n-x = 1\n//- app/b.py\n import legacy_pb2\n",
        "//- app/b.py\n import legacy\n+x = 1\n",
        "//- tools/__init__.py\n-NAME = 1\n//- tools/a.py\n x = 1\n//- app/b.py\n from tools import a\n import tools\n",
        "//- legacy.py\n-x = 1\n//- app/b.py\n import sys\n if sys.version_info < (3, 8):\n     import legacy\n",
        "//- legacy.py\n-x = 1\n//- test_b.py\n import pytest\n pytest.importorskip('legacy')\n import legacy\n",
        "//- app/_version.py\n-x = 1\n//- app/b.py\n from app._version import x\n//- app/c.py\n z = 1\n",
        "//- app/made.py\n-x = 1\n//- app/b.py\n from .made import x\n//- app/.gitignore\n+mad*.py\n",
        "//- app/made.py\n-x = 1\n//- app/b.py\n from app import made\n//- .gitignore\n+*\n+!*.txt\n",
    ],
    ids=[
        "tried",
        "standard library",
        "namespace",
        "generated",
        "never there",
        "namespace now",
        "old versions",
        "skipped",
        "generated in a package",
        "ignored now",
        "ignored by the root",
    ],
)
def test_a_module_that_was_never_surely_here_is_left_alone(text: str) -> None:
    """The base's answer has to be sure, and somebody has to rely on it."""
    silent(text, IMPORT)
