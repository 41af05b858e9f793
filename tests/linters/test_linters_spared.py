"""What ruff complains of and is not told: each kind, and what lies just beside it."""

from __future__ import annotations

import pytest

from roundzero.core.change import Source, blob_id
from roundzero.core.item import Item, ItemId, Prose, RuffCheck, Severity
from roundzero.core.text import RelPath
from roundzero.linters.ruff import LINTER
from support.loop import run


def told(text: str, *codes: str, path: str = "app/a.py") -> list[str]:
    """What the linter says of a text, by the line and the subject."""
    item = Item(
        id=ItemId("test/item"), title=Prose("t"), why=Prose("w"), severity=Severity.P2, checks=(RuffCheck(codes),)
    )
    source = Source(RelPath(path), text, blob_id(text.encode()))
    hits = run(LINTER.run([source], [item])).hits
    return [f"{hit.span.start.line} {hit.subject}".strip() for _, _, hit in hits if hit.span is not None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from a import (\n    b,\n    c,\n)\nwarn()\n", []),
        ("from a import b\n__all__ = [*c]\n", []),
        ("from a import b\nx = 1\n", ["1 `a.b`"]),
        ("from a import b\nfor x in y:\n    f(x)\n", ["1 `a.b`"]),
        ("import a\nwarn()\n", ["1 `a`"]),
        ("from a import b\n\ndef f():\n    pass\n", ["1 `a.b`"]),
        ("from a import b\n\ndef f(x):\n    # type: (b) -> None\n    pass\n", []),
        ("from a import b\n\ndef f(x):  # type: ignore[b]\n    pass\n", ["1 `a.b`"]),
        ("if X:\n    from a import b\nelse:\n    from c import b\n\ndef f():\n    pass\n", []),
        ("if X:\n    from a import b\n\ndef f():\n    pass\n", ["2 `a.b`"]),
        ("def f():\n    if X:\n        import b\n    return 'b'\n", ["3 `b`"]),
        ("def test_a():\n    import b\n    with raises(ImportError):\n        import c\n", []),
        ("def test_a():\n    import b\n    assert f()\n", ["2 `b`"]),
        ("def test_a():\n    with raises(ImportError):\n        import b\n    assert f()\n", []),
        ("import a as b  # pylint: disable=unused-import\n\ndef f():\n    pass\n", []),
        ("import a.b  # triggers the registration of tokenizers\n\ndef f():\n    pass\n", []),
        ("import a.b  # for b\n\ndef f():\n    pass\n", ["1 `a.b`"]),
        ("# Loads assemblies behind the scenes\nimport a\nfrom b import c\n\ndef f():\n    c()\n", []),
        ("# Loads assemblies\nimport a\nimport c\n\ndef f():\n    c()\n", ["2 `a`"]),
        ("# Some assemblies\nimport a\n\ndef f():\n    pass\n", ["2 `a`"]),
        ("import a as b  # pylint: disable=line-too-long\n\ndef f():\n    pass\n", ["1 `a`"]),
    ],
)
def test_an_import_that_serves_elsewhere_is_not_unused(text: str, expected: list[str]) -> None:
    """Handed on, named in a type comment, the other branch, or meant; each has a neighbour that is told."""
    assert told(text, "F401") == expected


def test_a_debugger_that_a_program_works_with_is_not_left_in() -> None:
    """Where its class is used the import serves; where only a stop was set it was for debugging."""
    assert told("import pdb\n\nold = pdb.Pdb.__init__\n", "T100") == []
    assert told("import pdb\n\npdb.set_trace()\n", "T100") == ["1", "3"]
    assert told("import pdb\n", "T100") == ["1"]


def test_a_very_long_name_is_cut_and_never_taken_for_what_stands_behind_it() -> None:
    """A message that quotes a second thing is about the first, however long that is."""
    name = f"{'package.' * 9}Thing"
    text = (
        f"try:\n    from {name.rpartition('.')[0]} import Thing\nexcept ImportError:\n    pass\n\ndef f():\n    pass\n"
    )
    assert told(text, "F401") == [f"2 `{name[:60]}`"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("try:\n    f()\nexcept:\n    if x:\n        raise\n", []),
        ("try:\n    f()\nexcept:\n    g()\nraise\n", ["3"]),
        ("try:\n    f()\n    raise E()  # wanted\n\nexcept:\n    g()\n", []),
        ("try:\n    with a:\n        f()\n        raise E()\nexcept:\n    g()\n", []),
        ("try:\n    if x:\n        raise E()\nexcept:\n    g()\n", ["4"]),
        ("try:\n    f()\nexcept A:\n    raise\nexcept:\n    g()\n", ["5"]),
        ("try:\n    1 / 0\nexcept:\n    g()\n", []),
        ("try:\n    x = 1//0\nexcept:\n    g()\n", []),
        ("try:\n    x = 1 / 0.5\nexcept:\n    g()\n", ["3"]),
        ("try:\n    f()\nexcept:  # pylint: disable=bare-except\n    g()\n", []),
    ],
)
def test_a_handler_that_catches_all_for_a_reason_is_left_alone(text: str, expected: list[str]) -> None:
    """It raises again on some path, or what is tried ends in raising; a raise elsewhere does not count."""
    assert told(text, "E722") == expected


def test_in_a_test_a_remark_says_why_an_error_is_expected() -> None:
    """Elsewhere a remark is no excuse."""
    text = "import a\n\ntry:\n    a.f()\nexcept Exception:\n    pass  # the rest is stubbed out\n"
    assert told(text, "S110", path="tests/test_a.py") == []
    assert told(text, "S110") == ["5"]
    assert told(text.replace("  # the rest is stubbed out", ""), "S110", path="tests/test_a.py") == ["5"]


def test_a_text_below_tests_with_several_unknown_names_is_a_snippet() -> None:
    """Three unknown names may be slips; four in a file that no runner collects are not, and nothing else is told."""
    four = "import os\n\ndef f():\n    return one(two, three, four)\n"
    assert told(four, "F821", "F401", path="tests/function.py") == []
    assert len(told(four, "F821", "F401", path="tests/test_function.py")) == 5
    assert len(told(four, "F821", "F401", path="app/function.py")) == 5
    assert len(told(four.replace("four", "f"), "F821", "F401", path="tests/function.py")) == 4


def test_what_a_shell_lends_every_module_is_defined() -> None:
    """IPython's, and gettext's; whatever else it lends has to be imported."""
    assert told("get_ipython().magic(_('x'))\ndisplay(1)\n", "F821") == ["2 `display`"]


def test_a_text_among_examples_without_definition_or_import_is_a_snippet() -> None:
    """Toy statements show something; what imports or defines is a program, also there."""
    toy = "try:\n    a = 1\nexcept:\n    a = 2\n"
    assert told(toy, "E722", path="examples/try_except.py") == []
    assert told(toy, "E722", path="app/try_except.py") == ["3"]
    assert told(f"import sys\n{toy}", "E722", path="examples/try_except.py") == ["4"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("try:\n    import mori\n\n    there = True\nexcept ImportError:\n    there = False\n", []),
        ("try:\n    import mori\nexcept ImportError:\n    skip()\n", []),
        ("try:\n    import mori\nexcept ImportError:\n    pass\n\ndef f():\n    pass\n", ["2 `mori`"]),
        ("try:\n    import mori\n    import os\nexcept ImportError:\n\n    pass\n\nf(os)\n", ["2 `mori`"]),
        ("def f():\n    import mori\n    return 1\n", ["2 `mori`"]),
    ],
    ids=["there", "not there", "nothing follows", "another import", "not tried"],
)
def test_an_import_that_is_tried_to_see_if_it_is_there_is_used(text: str, expected: list[str]) -> None:
    """Something is done where it is, or where it is not."""
    assert told(text, "F401") == expected


@pytest.mark.parametrize(
    ("head", "handler", "code", "expected"),
    [
        ("def _cleanup(self):", "except Exception:", "S110", []),
        ("async def tearDown(self):", "except Exception:", "S110", []),
        ("def __del__(self):", "except Exception:", "S110", []),
        ("def __del__(self):", "except:", "E722", ["4"]),
        ("def clean(self):", "except Exception:", "S110", ["4"]),
    ],
    ids=["clean-up", "tear-down", "end of an object", "bare", "another function"],
)
def test_cleaning_up_is_best_effort(head: str, handler: str, code: str, expected: list[str]) -> None:
    """An error in it would hide the one that led there; what catches everything, an interrupt too, is told."""
    assert told(f"{head}\n    try:\n        f()\n    {handler}\n        pass\n", code) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def test_a():\n    sp = pytest.importorskip('scipy')\n    f()\n", []),
        ("def a(name):\n    try:\n        mod = __import__(name)\n    except ImportError:\n        f()\n", []),
        ("def a(name):\n    mod = importlib.import_module(name)\n", []),
        ("def a(name):\n    mod = modules.imported(name)\n", ["2 `mod`"]),
        ("def test_a():\n    with pytest.warns(W, match='x'):\n        if x:\n            h = f()\n", []),
        ("def test_a(self):\n    with self.assertRaises(E):\n        h = f()\n", []),
        ("def test_a():\n    with pytest.raises(E):\n        f()\n    h = f()\n", ["4 `h`"]),
        ("def test_a():\n    with opened(E):\n        h = f()\n", ["3 `h`"]),
        ("@raises(E)\n@slow\ndef test_a():\n    h = f()\n", []),
        ("@slow\ndef test_a():\n    h = f()\n", ["3 `h`"]),
        ("@raises(E)\ndef test_a():\n    f()\n\ndef test_b():\n    h = f()\n", ["6 `h`"]),
    ],
)
def test_a_variable_of_what_is_called_for_its_effect_need_not_be_read(text: str, expected: list[str]) -> None:
    """An import that may fail, and what has to raise or warn; beside them whatever else is assigned and not read."""
    assert told(text, "F841", path="tests/test_a.py") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from a import client as c\n\nasync def test_a(c, s):\n    c(s)\n", []),
        ("from a import c\n\ndef test_a(\n    s,\n    c,\n):\n    c(s)\n", []),
        ("from a import c\n\ndef c(s):\n    s()\n", ["3 `c`"]),
        ("from a import c\nfrom b import (\n    c,\n)\nc()\n", ["3 `c`"]),
        ("from a import c\n\ndef test_a(s):\n    from b import c\n    c(s)\n", ["4 `c`"]),
    ],
)
def test_a_parameter_named_like_an_import_asks_for_a_fixture(text: str, expected: list[str]) -> None:
    """It replaces nothing; a function, a class or another import of that name does."""
    assert told(text, "F811", path="tests/test_a.py") == expected
