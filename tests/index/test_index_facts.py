"""What extraction sees in one file."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from roundzero.core.change import Source
from roundzero.core.facts import FileFacts, Where
from roundzero.core.text import RelPath
from roundzero.index.codec import decode_module, decode_uses, encode_module, encode_uses
from roundzero.index.python_facts import extract


def _facts(text: str) -> FileFacts:
    facts = extract(Source(RelPath("m.py"), text, "blob"))
    assert facts is not None
    return facts


def test_text_that_does_not_parse_has_no_facts() -> None:
    """Neither a syntax error, nor a NUL, nor endless nesting raises."""
    for text in ("def f(:", "x = '\0'", "(" * 5000, "x = " + "-" * 200_000 + "1"):
        assert extract(Source(RelPath("m.py"), text, "blob")) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("def x(): pass", "def"),
        ("class x: pass", "class"),
        ("a, (x, *b) = f()", "assign"),
        ("x += 1", "augment"),
        ("x: int = 1", "assign"),
        ("x: int", "annotate"),
        ("for x in y: pass", "assign"),
        ("with f() as x: pass", "assign"),
        ("import x.y", "import"),
        ("from m import y as x", "import"),
        ("(x := 1)", "assign"),
        ("[x := i for i in y]", "assign"),
        ("def f():\n    global x", "global"),
        ("match y:\n    case {'k': x}: pass", "assign"),
        ("match y:\n    case [*x]: pass", "assign"),
        ("del x", "delete"),
    ],
)
def test_every_way_to_bind_a_name_is_seen(text: str, kind: str) -> None:
    """A name bound at module level is a binding of its kind."""
    assert [row.kind for row in _facts(text).module.bound("x")] == [kind]


@pytest.mark.parametrize(
    "text",
    ["def f():\n    x = 1", "class C:\n    x = 1", "[x for x in y]", "lambda x: x", "try: f()\nexcept E as x: pass"],
)
def test_inner_names_are_no_names_of_the_module(text: str) -> None:
    """Locals, class attributes, comprehension variables and caught exceptions do not stay in the module."""
    assert _facts(text).module.bound("x") == ()


def test_circumstances_of_imports_are_kept() -> None:
    """Imports know whether they are conditional, tried, for typing only, or lazy."""
    text = (
        "try:\n    import a\nexcept ImportError:\n    a = None\n"
        "if TYPE_CHECKING:\n    from b import c\nelse:\n    import d\n"
        "def f():\n    from e import g\n"
    )
    where = {row.bound: Where(row.where) for row in _facts(text).module.imports}
    assert where == {
        "a": Where.TRIED,
        "c": Where.CONDITIONAL | Where.TYPING,
        "d": Where.CONDITIONAL,
        "g": Where.LAZY,
    }


@pytest.mark.parametrize(
    "text",
    [
        "globals()['x'] = 1",
        "def f():\n    globals().update(a)",
        "exec(text)",
        "vars()['x'] = 1",
        "locals().update(a)",
        "sys.modules[__name__] = Lazy()",
        "def __getattr__(name): ...",
        "__getattr__, __dir__, __all__ = lazy.attach(__name__, ['a'])",
        "IntEnum._convert_('Signals', __name__, f)",
        "Importer(__name__, names).install()",
        "@enum.global_enum\nclass Flag(enum.Flag):\n    A = 1",
    ],
)
def test_what_may_bind_unseen_names_is_a_reason_for_doubt(text: str) -> None:
    """A module that can bind names out of sight is dynamic."""
    assert _facts(text).module.dynamic


@pytest.mark.parametrize("text", ["vars(obj)", "exec(text, {})", "log = getLogger(__name__)", "getattr(a, 'b')"])
def test_ordinary_introspection_is_no_reason_for_doubt(text: str) -> None:
    """A module that only looks is not dynamic."""
    assert not _facts(text).module.dynamic


@pytest.mark.parametrize(
    ("text", "exported", "computed"),
    [
        ("", None, False),
        ("__all__ = ['a', 'b']", ("a", "b"), False),
        ("__all__ = ('a',)\n__all__ += ['b']\n__all__.extend(['c'])\n__all__.append('d')", ("a", "b", "c", "d"), False),
        ("__all__ = ['a'] + other.__all__", None, True),
        ("__all__ = [n for n in dir()]", None, True),
        ("__all__ = ['a']\n__all__.remove('a')", None, True),
    ],
)
def test_all_is_read_or_known_to_be_computed(text: str, exported: tuple[str, ...] | None, computed: bool) -> None:
    """``__all__`` is a list of names, or computed, or absent."""
    module = _facts(text).module
    assert (module.exported, module.computed_all) == (exported, computed)


def test_members_of_a_class_say_where_they_are_set() -> None:
    """Body, annotation, method, slot, instance and class attributes are told apart."""
    text = (
        "class C(Base, metaclass=Meta):\n"
        "    __slots__ = ('s',)\n    a = 1\n    b: int\n"
        "    def m(self, x=f(1)):\n        self.c = x\n        def inner():\n            self.d = 1\n"
        "    @classmethod\n    def k(cls):\n        cls.e = 1\n"
        "    @staticmethod\n    def st(x):\n        x.f = 1\n"
        "C.g = 1\ndef later():\n    setattr(C, name, 1)\n"
    )
    module = _facts(text).module
    rows = {(row.name, row.kind, row.method) for row in module.members_of("C")}
    assert rows == {
        ("__slots__", "body", ""),
        ("s", "slot", ""),
        ("a", "body", ""),
        ("b", "annotation", ""),
        ("m", "method", ""),
        ("k", "method", ""),
        ("st", "method", ""),
        ("c", "self", "m"),
        ("d", "self", "m"),
        ("e", "class", "k"),
        ("g", "class", ""),
        ("*", "class", "later"),
    }
    definition = module.definition("C")
    assert definition is not None
    assert (definition.bases, definition.keywords) == (("Base",), (("metaclass", "Meta"),))
    method = module.definition("C.m")
    assert method is not None
    assert [(row.name, row.kind, row.default) for row in method.parameters] == [
        ("self", "either", None),
        ("x", "either", "f(1)"),
    ]


def test_definitions_keep_duplicates_and_nesting() -> None:
    """Two tests of one name, and a test inside a test, are all there, with their place."""
    text = "def test_a():\n    def test_b(): pass\n\n@mark\ndef test_a(): pass\n"
    rows = [
        (row.qualified, row.parent, row.line, row.column, row.first_line) for row in _facts(text).module.definitions
    ]
    assert sorted(rows) == [
        ("test_a", "module", 1, 5, 1),
        ("test_a", "module", 5, 5, 4),
        ("test_a.test_b", "function", 2, 9, 2),
    ]


def test_uses_know_whether_their_root_is_local() -> None:
    """A parameter that hides an import makes a read local; locals alone are not kept."""
    text = "import mod\n\ndef f(mod):\n    return mod.a\n\ndef g():\n    local = mod.b\n    return local\n"
    rows = {(row.chain, row.local) for row in _facts(text).uses.uses}
    assert rows == {("mod.a", True), ("mod.b", False)}


def test_calls_strings_and_raises_are_rows() -> None:
    """What the checks across files compare is there, with the function around it."""
    text = (
        "def f(x, y, mode='fast'):\n"
        "    patch('pkg.mod.name', new=1)\n"
        "    if mode == 'slow' or d['key']:\n        raise ValueError('no')\n"
        "    pytest.raises(KeyError, *z)\n"
    )
    uses = _facts(text).uses
    assert [row.exception for row in uses.raises_in("f")] == ["ValueError"]
    assert {(row.callee, row.first) for row in uses.calls_in("f")} == {
        ("patch", ""),
        ("ValueError", ""),
        ("pytest.raises", "KeyError"),
    }
    assert {(row.value, row.role, row.owner) for row in uses.strings} == {
        ("fast", "default", ""),
        ("pkg.mod.name", "argument", "patch"),
        ("slow", "compare", "mode"),
        ("key", "index", "d"),
        ("no", "argument", "ValueError"),
    }


def test_places_are_code_points_on_lines_that_end_at_line_feeds() -> None:
    """A place names the same text after wide characters and a lone carriage return."""
    text = "é = '𝕏'; from pkg import naïve, b\nx = 1\r\ny = mod.attr\n"
    source = Source(RelPath("m.py"), text, "blob")
    facts = extract(source)
    assert facts is not None
    assert [source.index.slice(row.span) for row in facts.module.imports] == ["naïve", "b"]
    assert [source.index.slice(row.span) for row in facts.uses.uses] == ["mod.attr"]


def test_facts_survive_being_kept() -> None:
    """Encoded and decoded facts are equal, over a good part of the standard library."""
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted(library.glob("a*.py")) + sorted(library.glob("t*.py")):
        facts = extract(Source(RelPath(path.name), path.read_text("utf-8"), "blob"))
        assert facts is not None
        assert decode_module(encode_module(facts.module)) == facts.module
        assert decode_uses(encode_uses(facts.uses)) == facts.uses


@pytest.mark.parametrize("data", [b"", b"x", encode_uses(_facts("a()").uses)[:-9], encode_uses(_facts("a").uses)])
def test_damaged_bytes_are_no_facts(data: bytes) -> None:
    """Bytes of another kind, cut or foreign, decode to nothing."""
    assert decode_module(data) is None


def test_the_lines_of_an_import_are_those_of_the_text() -> None:
    """Where a lone carriage return makes another count for the parser."""
    (row,) = _facts("x = 1\ry = 2\nfrom pkg import (\n    a,\n)\n").module.imports
    assert (row.first_line, row.line) == (2, 3)
