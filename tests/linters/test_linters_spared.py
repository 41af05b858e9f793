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
    assert told(text, "F401") == [f"2 `…{'package.' * 6}Thing`"]


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
        ("@tvm.script.ir_module\nclass A:\n    @R.function\n    def main(x: R.Tensor):\n        h = x\n", []),
        ("@T.prim_func\ndef main(x: T.handle):\n    h = f()\n", []),
        ("def test_a(self):\n    with self.cached_session() as s:\n        f()\n", []),
        ("def test_a(self):\n    with run(\n        gpu=gpu(),\n    ) as sess:\n        f()\n", []),
        ("@app.function\ndef main(x):\n    h = f()\n", ["3 `h`"]),
    ],
)
def test_a_variable_of_what_is_called_for_its_effect_need_not_be_read(text: str, expected: list[str]) -> None:
    """An import that may fail, what has to raise, an open session, a program that a decorator reads; nothing else."""
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@cc.export('a')\ndef f(x):\n    pass\n\n@cc.export('b')\ndef f():\n    pass\n", []),
        ("@register\ndef f(x):\n    pass\n\ndef f():\n    pass\n", []),
        ("@overload(\n    sum)\ndef f(x):\n    pass\n\ndef f():\n    pass\n", []),
        ("@app.get(\n    '/a',\n)\ndef f(x):\n    pass\n\ndef f():\n    pass\n", []),
        ("@functools.lru_cache(3)\ndef f(x):\n    pass\n\ndef f():\n    pass\n", ["5 `f`"]),
        ("@staticmethod\ndef f(x):\n    pass\n\ndef f():\n    pass\n", ["5 `f`"]),
        ("@app.case(1)\ndef test_f(x):\n    pass\n\ndef test_f():\n    pass\n", ["5 `test_f`"]),
        ("@app.get('/')\ndef g():\n    pass\n\ndef f(x):\n    pass\n\ndef f():\n    pass\n", ["8 `f`"]),
    ],
)
def test_what_a_decorator_has_taken_is_not_lost_with_its_name(text: str, expected: list[str]) -> None:
    """A call on some object, or a name that hands on; not what keeps the function, and no test."""
    assert told(text, "F811") == expected


def test_that_an_import_is_unused_is_said_once() -> None:
    """Not again where its name is bound anew; an import that only is bound anew is told there."""
    text = "import state\n\ndef f():\n    return [state for state in g()]\n"
    assert told(text, "F401", "F811") == ["1 `state`"]
    assert told(text, "F811") == ["4 `state`"]


def test_a_default_that_a_test_only_reads_is_no_trap() -> None:
    """Elsewhere the next edit may change it; so may the function itself, keep it, or hand it back."""
    reads = "def f(a, b={}):\n    return g(a, b) + b.get(1)\n"
    assert told(reads, "B006", path="tests/helper.py") == told(reads, "B006", path="app/_testbase.py") == []
    assert told(reads, "B006") == ["1"]
    for body in ("b[a] = 1", "b.update(a)", "self.b = b", "return b", "b |= a", "del b[a]", "if a:\n        b.clear()"):
        assert told(f"def f(a, b={{}}):\n    {body}\n", "B006", path="tests/helper.py") == ["1"]


def test_a_command_without_a_variable_part_cannot_become_another() -> None:
    """What comes from a name or is put together can."""
    fixed = "import os, subprocess\n\nos.system('ls')\nsubprocess.run('ls', shell=True)\n"
    assert told(f"{fixed}os.system(f'ls {{x}}')\nsubprocess.run(c, shell=True)\n", "S602", "S605") == ["5", "6"]


def test_a_debugger_runs_what_is_typed() -> None:
    """A module that works with Python's own; any other is told."""
    assert told("import bdb\n\neval(typed)\n", "S307") == []
    assert told("import cmd\n\neval(typed)\n", "S307") == ["3"]


@pytest.mark.parametrize(
    ("tried", "around", "expected"),
    [
        ("self._close()", "except E as e:", []),
        ("os.unlink(name)  # if it is there", "finally:", []),
        ("self._close()", "except E:\n    if a:", []),
        ("self._close()", "if a:", ["5"]),
        ("f = close(a)", "except E:", ["5"]),
        ("again()", "except E:", ["5"]),
    ],
)
def test_putting_something_away_after_a_failure_is_best_effort(tried: str, around: str, expected: list[str]) -> None:
    """In a handler, and nothing else is tried; another try at the same thing is told."""
    deep = "        " if "\n" in around else "    "
    head = "try:\n    f()\n" if around.startswith(("e", "f")) else "f()\nf()\n"
    text = f"{head}{around}\n{deep}try:\n{deep}    {tried}\n{deep}except Exception:\n{deep}    pass\n"
    assert told(text, "S110") == ([str(int(each) + 1) for each in expected] if expected else [])


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("xa = conn.begin_twophase()", True),
        ("engine = autorelease(Builder.get_or_create(1))", True),
        ("new: Backend = CreateBackend(config)", False),
        ("new: Backend = create(config)", True),
        ("result = create(3)", False),
        ("res = list(await make().run())", False),
        ("the_response = Client().get('/')", False),
        ("metadata = get_metadata()", False),
        ("elapsed = end - start", False),
        ("LIMIT = read(LIMIT)", False),
        ("total = compute_amount(3)", False),
        ("known = config.startswith('a')", False),
        ("busy = conn.is_connected()", False),
        ("again = conn.reopen()", True),
    ],
)
def test_what_a_test_makes_or_holds_need_not_be_read(line: str, held: bool) -> None:
    """But a result was to be looked at; elsewhere each of them is told."""
    text = f"async def test_f(conn, config, start, end):\n    {line}\n"
    assert (told(text, "F841", path="tests/test_a.py") == []) is held
    assert len(told(text, "F841", path="app/a.py")) == 1


@pytest.mark.parametrize(
    ("filling", "expected"),
    [
        ("for name in ssl.__all__:\n    globals()[name] = getattr(ssl, name)\n", []),
        ("globals().update(vars(ssl))\n", []),
        ("exec(code, globals())\n", []),
        ("setattr(sys.modules[__name__], 'E', 1)\n", []),
        ("if globals()['E'] == 1:\n    run(code)\n", ["`E`"]),
        ("exec(code, {})\n# globals()[name] = 1\n", ["`E`"]),
    ],
)
def test_a_module_that_makes_names_while_it_runs_may_have_any(filling: str, expected: list[str]) -> None:
    """What only reads its names, runs code elsewhere or says so in a comment makes none."""
    text = f"import ssl, sys\nfrom a import code, run\n{filling}\ndef f():\n    raise E(ssl, sys, run, code)\n"
    assert [each.partition(" ")[2] for each in told(text, "F821")] == expected


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("self.fail('no error')", []),
        ("assert False, 'no error'", []),
        ("raise AssertionError", []),
        ("self.failed(3)", ["3 `result`"]),
    ],
)
def test_where_a_call_should_have_raised_nobody_reads_what_it_gave(after: str, expected: list[str]) -> None:
    """The next statement fails the test; a later one outside of what is tried says nothing of it."""
    called = "def test_f(self):\n    try:\n        result = find(\n            'x',\n        )\n"
    text = f"{called}        {after}\n    except E:\n        pass\n    self.fail('later')\n"
    assert told(text, "F841", path="tests/test_a.py") == expected


def test_lines_that_a_generator_left_as_comments_use_their_imports() -> None:
    """In Sphinx's configuration only, and only the modules that are named there."""
    text = "import sys, os\n\n# sys.path.append('.')\n\ndef f():\n    pass\n"
    assert told(text, "F401", path="docs/conf.py") == ["1 `os`"]
    assert told(text, "F401", path="app/conf.py") == ["1 `sys`", "1 `os`"]


def test_the_words_of_a_literal_are_no_names_wherever_literal_comes_from() -> None:
    """On one line or over several; another class's are annotations, and so is what follows the bracket."""
    head = "from .compat import Literal, Other\n\n"
    assert told(f'{head}a: Literal["auto", "linux"]\n', "F821") == []
    assert told(f'{head}a: Literal[\n    "auto",\n    "linux",\n]\n', "F821") == []
    assert told(f'{head}a: Other["auto"]\n', "F821") == ["3 `auto`"]
    assert told(f'{head}a: Literal["auto"]\nb: "linux"\n', "F821") == ["4 `linux`"]


def test_of_what_is_made_under_a_patch_others_tell() -> None:
    """Without one, an object that nothing reads was to be looked at."""
    text = "@patch.object(A, 'load')\ndef test_f(load):\n    made = Config('x')\n    load.assert_called_with('x')\n"
    assert told(text, "F841", path="tests/test_a.py") == []
    assert told(text.replace("@patch.object", "@mark.skip"), "F841", path="tests/test_a.py") == ["3 `made`"]


def test_a_default_with_an_underscore_is_a_memory() -> None:
    """No caller gives it; a single underscore is any name."""
    assert told("def f(a, _seen=[]):\n    _seen.append(a)\n", "B006") == []
    assert told("def f(a, *, _seen: list[int] = []):\n    _seen.append(a)\n", "B006") == []
    assert told("def f(a, _=[]):\n    _.append(a)\n", "B006") == ["1"]
