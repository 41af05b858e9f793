"""Modules of the repository that a change deletes or renames, and who still imports them."""

from __future__ import annotations

import pytest

from support.checking import run

IMPORT = "python/unresolved-import"

GONE = "//- app/cfg.py\n-def load():\n-    return 1\n"
EMPTY = '//- app/__init__.py\n NAME = "app"\n'


def seen(text: str) -> list[tuple[str, int]]:
    """Where imports are reported."""
    done = run(text, IMPORT)
    assert not done.failures
    return sorted((str(each.path), each.line) for each in done.shown)


@pytest.mark.parametrize(
    "init",
    ["from app import cfg", "from . import cfg", "from app import cfg as cfg", "from app.cfg import load"],
)
def test_a_package_that_imports_its_own_submodule_hides_nothing(init: str) -> None:
    """Importing a submodule in ``__init__`` makes no name once the submodule is gone."""
    text = (
        f"//- app/__init__.py\n {init}\n{GONE}"
        "//- tests/test_cfg.py\n from app.cfg import load\n"
        "//- main.py\n import app.cfg\n"
    )
    assert seen(text) == [("app/__init__.py", 1), ("main.py", 1), ("tests/test_cfg.py", 1)]


@pytest.mark.parametrize(
    "files",
    [
        '//- pyproject.toml\n [project]\n name = "app"\n dependencies = ["cfg", "app-cfg>=1"]\n',
        '//- pyproject.toml\n [project.scripts]\n app = "app.cfg:load"\n [tool.mypy]\n modules = ["app.cfg"]\n',
        '//- setup.py\n setup(name="app", packages=["app"], entry_points={"x": ["app = app.cfg:load"]})\n',
        "//- Makefile\n check:\n \truff app/cfg.py\n",
        "//- app/other.py\n def fill(other):\n     other.cfg = 1\n     setattr(other, 'cfg', 2)\n",
        "//- app/hook.py\n import sys\n sys.meta_path.insert(0, Finder())\n",
        "//- tests/test_x.py\n import sys, app\n app.cfg = 1\n sys.modules['app.cfg'] = app\n",
    ],
    ids=["dependency", "script", "setup", "make", "attribute", "hook", "test"],
)
def test_who_else_names_a_module_that_is_gone_does_not_bring_it_back(files: str) -> None:
    """The repository itself provided the name until now, whatever dependency files and attributes are called like."""
    assert seen(f"{EMPTY}{GONE}{files}//- app/main.py\n from app import cfg\n import app.cfg\n") == [
        ("app/main.py", 1),
        ("app/main.py", 2),
    ]


@pytest.mark.parametrize(
    "files",
    [
        '//- setup.py\n setup(ext_modules=[Extension("app.cfg", ["app/cfg_impl.c"])])\n',
        "//- CMakeLists.txt\n add_library(cfg cfg.cpp)\n",
        '//- pyproject.toml\n [tool.hatch.build.hooks.vcs]\n version-file = "app/cfg.py"\n',
        "//- .gitignore\n+app/cfg.py\n",
        "//- app/cfg.pyx\n+def load(): pass\n",
        "//- app/other.py\n import app\n app.cfg = object()\n",
        "//- app/hook.py\n+import sys\n+sys.meta_path.insert(0, Finder())\n",
        "//- app/cfg/__init__.py\n+def load(): pass\n",
        "//- app/fast.c\n PYBIND11_MODULE(cfg, m) {}\n",
    ],
    ids=["extension", "cmake", "version", "ignored now", "cython", "attribute", "new hook", "package", "native"],
)
def test_a_module_that_is_made_otherwise_from_now_on_is_left_alone(files: str) -> None:
    """Built, generated, set on its package, or a folder of the same name."""
    assert seen(f"{EMPTY}{GONE}{files}//- app/main.py\n from app import cfg\n import app.cfg\n") == []


@pytest.mark.parametrize(
    "init",
    [
        "def __getattr__(name):\n     return name",
        "from app.rest import cfg",
        "from app.rest import *",
        "cfg = 1",
    ],
)
def test_a_name_that_the_package_still_gives_is_left_alone(init: str) -> None:
    """``from app import cfg`` finds what ``__init__`` has; ``import app.cfg`` does not."""
    text = f"//- app/__init__.py\n {init}\n//- app/rest.py\n cfg = 1\n{GONE}//- main.py\n from app import cfg\n"
    assert seen(text) == []


def test_the_names_of_builds_are_not_suspected_where_a_source_was() -> None:
    """``_private`` and ``__version__`` are often made; these were written."""
    for name in ("_private", "__version__"):
        text = f"{EMPTY}//- app/{name}.py\n-VALUE = 1\n//- app/main.py\n from app.{name} import VALUE\n"
        assert seen(text) == [("app/main.py", 1)]
    assert seen(f"{EMPTY}//- app/a_pb2.py\n-VALUE = 1\n//- app/main.py\n from app.a_pb2 import VALUE\n") == []


def test_a_file_that_replaces_other_modules_still_needs_this_one() -> None:
    """``sys.modules`` of another name says nothing; of this one it does."""
    importer = "//- tests/test_x.py\n import sys\n sys.modules['{}'] = None\n import app.cfg\n"
    assert seen(f"{EMPTY}{GONE}{importer.format('smtplib')}") == [("tests/test_x.py", 3)]
    assert seen(f"{EMPTY}{GONE}{importer.format('app.cfg')}") == []


def test_a_renamed_module_is_offered_under_its_new_name() -> None:
    """The fix imports from where the file went; nothing else of the package is offered in its place."""
    done = run(
        f"{EMPTY}//- app/cfg.py -> app/conf.py\n def load(): pass\n//- main.py\n from app.cfg import load\n", IMPORT
    )
    (found,) = done.shown
    assert [(edit.old_text, edit.new_text) for fix in found.fixes for edit in fix.edits] == [("app.cfg", "app.conf")]
    done = run(f"{EMPTY}{GONE}//- app/cfgs.py\n x = 1\n//- main.py\n from app import cfg\n", IMPORT)
    assert [each.fixes for each in done.shown] == [()]


def test_names_in_the_middle_of_a_long_import_are_seen() -> None:
    """Several names on a line of their own."""
    text = f"{EMPTY}{GONE}//- app/b.py\n x = 1\n//- main.py\n from app import (\n     b, cfg,  # both\n )\n"
    assert seen(text) == [("main.py", 2)]


@pytest.mark.parametrize("init", ["globals().update(x=1)", "import sys\n del sys.modules['x']", "cfg = 1"])
def test_what_a_package_does_with_its_names_makes_no_module(init: str) -> None:
    """``import app.cfg`` asks for a file, not for an attribute."""
    text = f"//- app/__init__.py\n {init}\n{GONE}//- main.py\n import app.cfg\n from app.cfg import load\n"
    assert seen(text) == [("main.py", 1), ("main.py", 2)]


@pytest.mark.parametrize("init", ["import sys\n for n in N:\n     sys.modules[n] = load(n)", "__path__ = find()"])
def test_a_package_that_makes_its_modules_is_left_alone(init: str) -> None:
    """Modules registered under computed names, or found elsewhere."""
    assert seen(f"//- app/__init__.py\n {init}\n{GONE}//- main.py\n import app.cfg\n") == []
