"""What names across files mean, at both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roundzero.core.change import Side
from roundzero.core.facts import Import
from roundzero.core.resolution import External, Found, InRepository, Missing, Namespace, Unknown
from roundzero.core.text import RelPath
from roundzero.errors import OutsideError
from roundzero.index.fact_store import FactStore
from roundzero.index.limit import TimeLimit
from roundzero.index.symbols import RepositorySymbols
from support.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.ports import Symbols
    from roundzero.core.resolution import NameAnswer


def _symbols(texts: Texts, store: FactStore | None = None) -> RepositorySymbols:
    return RepositorySymbols(texts, texts.change(), store or FactStore(), TimeLimit(60))


def _import(files: Mapping[str, str], importer: str = "app.py", side: Side = Side.HEAD) -> NameAnswer:
    """The answer to the last import of a file."""
    symbols = _symbols(Texts(files))
    facts = symbols.facts(RelPath(importer), side)
    assert facts is not None
    row = facts.imports[-1]
    return symbols.resolve_imports(RelPath(importer), (row,), side)[row]


def test_a_name_is_followed_to_its_definition() -> None:
    """Re-exports, renames and star imports lead to the file that defines the name."""
    files = {
        "pkg/__init__.py": "from .api import *\n",
        "pkg/api.py": "from pkg.deep import thing as public\n",
        "pkg/deep.py": "def thing(): pass\n",
        "app.py": "from pkg import public\n",
    }
    found = _import(files)
    assert isinstance(found, Found)
    assert (found.path, found.via) == ("pkg/deep.py", ("pkg/__init__.py", "pkg/api.py"))
    assert found.definition is not None
    assert found.definition.qualified == "thing"


def test_a_name_that_no_file_binds_is_missing_with_the_nearest() -> None:
    """The answer names the file that should have it and what it has instead."""
    files = {
        "pkg/__init__.py": "",
        "pkg/mod.py": "def load_model(): pass\n",
        "app.py": "from pkg.mod import load_modle\n",
    }
    assert _import(files) == Missing(RelPath("pkg/mod.py"), "load_modle", ("load_model",))


def test_a_package_of_python_2_names_its_submodule_without_a_dot() -> None:
    """A submodule called like the package is meant, which as a root of its own the package would be as well."""
    files = {
        "robot/__init__.py": "",
        "robot/output/__init__.py": "from output import Output\n",
        "robot/output/output.py": "class Output: pass\n",
        "robot/run.py": "import output\nfrom robot.output import Output\n",
    }
    assert isinstance(_import(files, "robot/run.py"), Found)
    without = {path: text for path, text in files.items() if path != "robot/output/output.py"}
    assert not isinstance(_import(without, "robot/run.py"), Found)


def test_a_submodule_is_a_name_of_its_package() -> None:
    """``from pkg import sub`` is found where only the file exists, and missing where it does not."""
    files = {"pkg/__init__.py": "", "pkg/sub.py": "", "app.py": "from pkg import sub\n"}
    found = _import(files)
    assert isinstance(found, Found)
    assert (found.is_module, found.path) == (True, "pkg/sub.py")
    assert isinstance(_import(files | {"app.py": "from pkg import gone\n"}), Missing)


def test_cycles_of_star_imports_end() -> None:
    """Two modules that star-import each other answer, and lack what neither has."""
    files = {"a.py": "from b import *\n", "b.py": "from a import *\nx = 1\n", "app.py": "from a import x\n"}
    assert isinstance(_import(files), Found)
    assert isinstance(_import(files | {"app.py": "from a import y\n"}), Missing)


@pytest.mark.parametrize(
    ("star", "name", "found"),
    [
        ("__all__ = ['a']\na = b = 1\n", "a", True),
        ("__all__ = ['a']\na = b = 1\n", "b", False),
        ("_a = 1\n", "_a", False),
        ("__all__ = ['_a']\n_a = 1\n", "_a", True),
        ("__all__ = make()\na = 1\n", "a", True),
    ],
)
def test_a_star_import_brings_what_the_module_exports(star: str, name: str, found: bool) -> None:
    """``__all__`` decides, else the underscore."""
    files = {"m.py": "from star import *\n", "star.py": star, "app.py": f"from m import {name}\n"}
    assert isinstance(_import(files), Found if found else Missing)


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"m.py": "globals()['x'] = 1\n"}, id="dynamic"),
        pytest.param({"m.py": "def f(:\n"}, id="broken"),
        pytest.param({"m.py": "from outside import *\n"}, id="star from outside"),
        pytest.param({"m.py": "x: int\n"}, id="annotated only"),
        pytest.param({"m.py": "x = 1\ndel x\n"}, id="deleted"),
        pytest.param({"m.py": "", "m.pyi": "x: int\n"}, id="stub"),
        pytest.param({"m.py": "", "m.cpython-311-x86_64-linux-gnu.so": ""}, id="native"),
        pytest.param({"m.pyx": ""}, id="cython"),
        pytest.param({"m.py": "", "other.py": "import m\nm.x = 1\n"}, id="set from outside"),
        pytest.param({"m.py": "", "other.py": "import m\nsetattr(m, 'x', 1)\n"}, id="setattr from outside"),
        pytest.param({"m/__init__.py": "", "BUILD": "gen(x)\n"}, id="named in a build file"),
        pytest.param({"m/__init__.py": "", "m/hook.py": "sys.meta_path.append(H())\n"}, id="import hook"),
        pytest.param({"m/__init__.py": "__path__ = extend_path(__path__, __name__)\n"}, id="extended path"),
        pytest.param({"m/data.txt": ""}, id="namespace"),
        pytest.param({"elsewhere/m.py": "y = 1\n"}, id="only the name matches"),
    ],
)
def test_where_a_name_may_come_from_elsewhere_it_is_not_missing(files: dict[str, str]) -> None:
    """Whatever is dynamic, generated, native, unparsable or unsure is never called missing."""
    assert not isinstance(_import({**files, "app.py": "from m import x\n"}), Missing)


def test_generated_protocol_buffers_are_unknown() -> None:
    """A module named like protoc's output is not missing although it is not there."""
    assert isinstance(_import({"pkg/__init__.py": "", "app.py": "from pkg import api_pb2\n"}), Unknown)


def test_a_file_that_replaces_modules_is_not_told_that_names_are_missing() -> None:
    """Stand-ins in ``sys.modules`` are believed."""
    files = {"m.py": "", "app.py": "import sys\nsys.modules['m'] = stub\nfrom m import x\n"}
    assert isinstance(_import(files), Unknown)


def test_guarded_imports_that_fail_do_not_make_their_importers_fail() -> None:
    """A name that a module imports in vain is a defect there, not in who imports it from there."""
    files = {"m.py": "from n import x\n", "n.py": "", "app.py": "from m import x\n"}
    found = _import(files)
    assert isinstance(found, Found)
    assert found.path == "m.py"


@pytest.mark.parametrize(
    ("files", "importer", "module", "level", "expected"),
    [
        ({"src/pkg/__init__.py": "", "tests/t.py": ""}, "tests/t.py", "pkg", 0, InRepository),
        ({"a/pkg/__init__.py": "", "a/setup.py": "", "b/t.py": ""}, "b/t.py", "pkg", 0, InRepository),
        ({"x/pkg/m.py": "", "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['x']\n", "t.py": ""},
         "t.py", "pkg.m", 0, InRepository),
        ({"pkg/__init__.py": "", "pkg/m.py": "", "pkg/n.py": ""}, "pkg/n.py", "m", 1, InRepository),
        ({"pkg/__init__.py": "", "pkg/s/__init__.py": "", "pkg/s/n.py": ""}, "pkg/s/n.py", "", 2, InRepository),
        ({"m.py": "", "types.py": ""}, "m.py", "types", 0, External),
        ({"m.py": ""}, "m.py", "requests", 0, External),
        ({"p/__init__.py": "", "p/d/m.py": "", "p/d/aiter.py": ""}, "p/d/m.py", "p.d.aiter", 0, InRepository),
        ({"__init__.py": "", "m.py": "", "n.py": ""}, "m.py", "n", 0, InRepository),
        ({"docker/Dockerfile": "", "m.py": ""}, "m.py", "docker", 0, Namespace),
        ({"m.py": ""}, "m.py", "x", 3, Unknown),
        ({"aiter.py": ""}, "aiter.py", "aiter", 0, Unknown),
        ({"p/__init__.py": ""}, "p/__init__.py", "p", 0, InRepository),
    ],
)  # fmt: skip
def test_modules_are_found_from_the_place_of_the_importer(
    files: dict[str, str], importer: str, module: str, level: int, expected: type
) -> None:
    """Layouts, configuration and relative imports lead to files; what is not ours is external."""
    answer = _symbols(Texts(files)).module(RelPath(importer), module, level, Side.HEAD)
    assert isinstance(answer, expected)


def test_both_sides_have_their_own_answers() -> None:
    """A name removed on the branch is found at the base and missing at the head."""
    base = {"m.py": "def old(): pass\n", "app.py": "from m import old\n"}
    symbols = _symbols(Texts({**base, "m.py": "def new(): pass\n"}, base))
    assert isinstance(symbols.resolve_name(RelPath("m.py"), "old", Side.BASE), Found)
    assert isinstance(symbols.resolve_name(RelPath("m.py"), "old", Side.HEAD), Missing)


def test_mentions_at_the_base_come_from_the_text_of_changed_files() -> None:
    """Unchanged files answer from the head's grep, changed ones from their base text."""
    base = {"m.py": "old = 1\n", "same.py": "old\n", "docs.md": "olden `old`\n"}
    head = {**base, "m.py": "new = 1\n", "added.py": "old\n"}
    symbols = _symbols(Texts(head, base))
    at = {side: {hit.path for hit in symbols.mentions(("old",), side)["old"]} for side in Side}
    assert at == {Side.HEAD: {"same.py", "docs.md", "added.py"}, Side.BASE: {"m.py", "same.py", "docs.md"}}


def test_a_dotted_name_is_followed_through_modules() -> None:
    """``import a.b`` and ``from a import b`` lead to the same class; what follows it is left over."""
    files = {
        "a/__init__.py": "",
        "a/b.py": "class C:\n    def __init__(self):\n        self.only = 1\n",
        "one.py": "import a.b\na.b.C.only\n",
        "two.py": "from a import b as x\nx.C.only\nx.D\n",
    }
    symbols = _symbols(Texts(files))
    for path, chain in (("one.py", "a.b.C.only"), ("two.py", "x.C.only")):
        answer = symbols.resolve_chain(RelPath(path), chain, Side.HEAD)
        assert isinstance(answer.answer, Found)
        assert (answer.answer.path, answer.rest) == ("a/b.py", ("only",))
    assert isinstance(symbols.resolve_chain(RelPath("two.py"), "x.D", Side.HEAD).answer, Missing)


def test_members_include_bases_and_say_when_some_are_unseen() -> None:
    """Attributes are inherited across files; an outside base or a hook makes the list open."""
    files = {
        "base.py": "class Base:\n    shared = 1\n",
        "m.py": (
            "from base import Base\nfrom outside import Foreign\n"
            "class A(Base):\n    def __init__(self):\n        self.own = 1\n"
            "class B(Foreign): pass\nclass D(Base):\n    def __getattr__(self, name): ...\n"
        ),
    }
    symbols = _symbols(Texts(files))
    members = symbols.class_members(RelPath("m.py"), "A", Side.HEAD)
    assert members is not None
    assert members.unseen is None
    assert {(row.name, row.kind) for _, row in members.members} == {
        ("__init__", "method"),
        ("own", "self"),
        ("shared", "body"),
    }
    for name in ("B", "D"):
        opened = symbols.class_members(RelPath("m.py"), name, Side.HEAD)
        assert opened is not None
        assert opened.unseen is not None
    assert symbols.class_members(RelPath("m.py"), "Nothing", Side.HEAD) is None


def test_reverse_questions_find_uses_definitions_and_importers() -> None:
    """Who reads a name, who else defines it, who imports a file."""
    files = {
        "pkg/__init__.py": "",
        "pkg/mod.py": "def run(): pass\n",
        "a.py": "from pkg import mod\nmod.run()\n",
        "b.py": "from pkg.mod import run as go\ngo()\n",
        "c.py": "class T:\n    def run(self): pass\n# mod\n",
    }
    symbols = _symbols(Texts(files))
    assert [(site.path, site.use.chain) for site in symbols.uses_of(("run",), Side.HEAD)["run"]] == [
        ("a.py", "mod.run")
    ]
    sites = symbols.definitions_of(("run",), Side.HEAD)["run"]
    assert [(site.path, site.definition.qualified) for site in sites] == [("c.py", "T.run"), ("pkg/mod.py", "run")]
    assert [site.path for site in symbols.importers(RelPath("pkg/mod.py"), Side.HEAD)] == ["a.py", "b.py"]


def test_cost_follows_the_question() -> None:
    """One import reads its own file and its module, whatever else there is, and greps only for what seems missing."""
    files = {f"other/m{number}.py": "x = 1\n" for number in range(200)}
    texts = Texts({**files, "pkg.py": "x = 1\n", "app.py": "from pkg import x\n"})
    symbols = _symbols(texts)
    facts = symbols.facts(RelPath("app.py"), Side.HEAD)
    assert facts is not None
    symbols.resolve_imports(RelPath("app.py"), facts.imports, Side.HEAD)
    assert dict(texts.reads) == {"app.py": 1, "pkg.py": 1}
    assert texts.greps == []


def test_many_missing_names_cost_one_grep() -> None:
    """All names of a file are asked for together."""
    names = [f"gone_{letter}" for letter in "abcdef"]
    texts = Texts({"m.py": "", "app.py": f"from m import {', '.join(names)}\n"})
    symbols = _symbols(texts)
    facts = symbols.facts(RelPath("app.py"), Side.HEAD)
    assert facts is not None
    answers = symbols.resolve_imports(RelPath("app.py"), facts.imports, Side.HEAD)
    assert [type(answer) for answer in answers.values()] == [Missing] * len(names)
    assert len(texts.greps) == 1


def test_names_that_the_text_shows_cost_no_parsing() -> None:
    """The question of the check parses only modules whose text does not plainly bind the name."""
    store = FactStore()
    texts = Texts(
        {
            "m.py": "async def a(): pass\nclass b: pass\nc: int = 1\n\ndef f():\n    d = 1\n",
            "app.py": "from m import a, b, c\n",
            "other.py": "from m import d\nfrom outside import e\nfrom m import *\nimport m\n",
        }
    )
    symbols = _symbols(texts, store)
    for path, missing, parsed in (("app.py", [], 1), ("other.py", ["d"], 3)):
        facts = symbols.facts(RelPath(path), Side.HEAD)
        assert facts is not None
        answers = symbols.missing_imports(RelPath(path), facts.imports, Side.HEAD)
        assert [row.name for row in answers] == missing
        assert store.extracted == parsed


def test_over_the_time_limit_there_is_no_answer() -> None:
    """A question that takes too long, or is no longer wanted, raises instead of answering wrongly."""
    texts = Texts({"m.py": "x = 1\n"})
    for limit in (TimeLimit(-1), TimeLimit(60, lambda: True)):
        symbols = RepositorySymbols(texts, texts.change(), FactStore(), limit)
        with pytest.raises(OutsideError):
            symbols.resolve_name(RelPath("m.py"), "x", Side.HEAD)


def test_it_is_what_checks_are_promised() -> None:
    """The class fulfils the Protocol that checks are given, and takes over a grep that was made already."""
    texts = Texts({"m.py": "x = 1\n"})
    symbols = _symbols(texts)
    promised: Symbols = symbols
    symbols.know({"x": ()})
    assert promised.mentions(("x",), Side.HEAD) == {"x": ()}
    assert texts.greps == []


def test_an_edited_buffer_counts() -> None:
    """The head is what the editor shows: a name just typed is found by importers of the file."""
    base = {"m.py": "", "app.py": "from m import typed\n"}
    symbols = _symbols(Texts({**base, "m.py": "typed = 1\n"}, base))
    row = Import("m", 0, "typed", "", 1, 15, 1, 20, 1, 0, "")
    assert isinstance(symbols.resolve_imports(RelPath("app.py"), (row,), Side.HEAD)[row], Found)


def test_a_neighbour_of_a_file_in_a_package_is_not_surely_meant() -> None:
    """``import aiter`` beside ``aiter.py`` inside a package means the installed one, in Python 3."""
    files = {"p/__init__.py": "", "p/d/aiter.py": "", "p/d/m.py": "from aiter import x\n"}
    assert isinstance(_import(files, "p/d/m.py"), Unknown)


def test_an_installed_module_is_not_taken_for_a_file_of_its_name() -> None:
    """``import numpy as np`` is not ``extra/numpy.py``, so nothing read from it is missing."""
    files = {
        "p/__init__.py": "",
        "p/extra/__init__.py": "",
        "p/extra/numpy.py": "",
        "p/m.py": "import numpy as np\nnp.array\n",
    }
    answer = _symbols(Texts(files)).resolve_chain(RelPath("p/m.py"), "np.array", Side.HEAD)
    assert isinstance(answer.answer, Unknown)


def test_of_two_modules_of_one_name_either_may_be_meant() -> None:
    """A name that one of them has is found but not sure; an attribute is missing only where no other may be meant."""
    files = {
        "setup.py": "",
        "one/setup.py": "",
        "one/pkg/__init__.py": "",
        "one/pkg/m.py": "x = 1\n",
        "two/setup.py": "",
        "two/pkg/__init__.py": "",
        "two/pkg/m.py": "y = 1\n",
        "app.py": "from pkg import m\nfrom pkg.m import y\n",
    }
    found = _import(files)
    assert isinstance(found, Found)
    assert not found.sure
    assert isinstance(_symbols(Texts(files)).resolve_chain(RelPath("app.py"), "m.z", Side.HEAD).answer, Unknown)


@pytest.mark.parametrize(("named", "missing"), [("", True), ("x.helpers", False), ("helpers", False)])
def test_a_module_that_left_a_package_at_the_root_is_gone_unless_it_is_put_back(named: str, *, missing: bool) -> None:
    """Such a package has no name that is known, so that any name with the module's behind it may be the module's."""
    app = f"import sys\nsys.modules[f'{{__name__}}.x'] = 1\nnamed = '{named}'\nfrom . import helpers\n"
    symbols = _symbols(
        Texts(
            {"__init__.py": "", "app.py": app},
            {"__init__.py": "", "app.py": "from . import helpers\n", "helpers.py": "x = 1\n"},
        )
    )
    facts = symbols.facts(RelPath("app.py"), Side.HEAD)
    assert facts is not None
    row = facts.imports[-1]
    answer = symbols.resolve_imports(RelPath("app.py"), (row,), Side.HEAD)[row]
    assert isinstance(answer, Missing if missing else Unknown)
