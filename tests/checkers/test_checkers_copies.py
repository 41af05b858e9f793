"""Checkers of what was left out: fields that are not copied, arguments siblings pass, names missing from lists."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roundzero.checkers._base import SymbolView
from roundzero.checkers.field_not_copied import FieldNotCopied
from roundzero.checkers.misspelt_literal import is_slip
from roundzero.core.change import FileChange, Status
from roundzero.core.linemap import Hunk
from roundzero.index.fact_store import FactStore
from roundzero.index.limit import TimeLimit
from roundzero.index.symbols import RepositorySymbols
from roundzero.packs.examples import parse
from support.checking import FixtureRepository, change_of, run, source
from support.growth import is_linear

FIELD = "python/field-not-copied"
SIBLING = "python/sibling-outlier"
LISTED = "python/missing-from-all"

RECORD = """\
//- app/settings.py
 class Settings:
     def __init__(self):
         self.host = ""
         self.port = 0
         self.user = ""
+        self.timeout = 10
"""

COPIED = "     own.host = settings.host\n     own.port = settings.port\n     own.user = settings.user\n"


def lines(body: str, mark: str = " ") -> str:
    """Every line of a text with its mark."""
    return "".join(f"{mark}{line}\n" for line in body.removesuffix("\n").split("\n"))


@pytest.mark.parametrize(
    "head",
    [
        " def copy(own: Settings, settings: Settings):\n",
        " def copy(own: 'Settings', settings: Optional[Settings]):\n",
        " def copy(settings: Settings):\n     own = Settings()\n",
        " def copy(settings):\n     own = Settings()\n",
        " def copy(settings: app.Settings):\n     own: Settings = make()\n",
    ],
)
def test_a_copy_between_two_objects_of_the_class_is_found(head: str) -> None:
    """Annotations and construction say what a variable is; the hit hangs on the new field."""
    (seen,) = run(f"{RECORD}//- app/copy.py\n{head}{COPIED}", FIELD).shown
    assert (seen.path, seen.title.rpartition(": ")[2]) == ("app/copy.py", "`own.timeout = settings.timeout`")
    assert seen.cause is not None
    assert (seen.cause.path, seen.cause.line) == ("app/settings.py", 6)


@pytest.mark.parametrize(
    "body",
    [
        " def copy(own, settings):\n" + COPIED,
        " def copy(own, settings: Settings):\n" + COPIED,
        " def copy(own: Settings, settings: Settings):\n" + COPIED + "     own.timeout = 3\n",
        " def copy(own: Settings, settings: Settings):\n" + COPIED + '     setattr(own, "timeout", 3)\n',
        " def copy(own: Settings, settings: Settings):\n     own.host = settings.host\n     own.port = settings.port\n",
        " def copy(s: Settings):\n     return Other(host=s.host, port=s.port, user=s.user)\n",
    ],
)
def test_what_may_be_no_copy_of_the_class_is_left_alone(body: str) -> None:
    """Unknown types, two fields, another class, and functions that mention the field are silent."""
    assert run(f"{RECORD}//- app/copy.py\n{body}", FIELD).shown == ()


@pytest.mark.parametrize(("path", "count"), [("app/copy.py", 1), ("app/test/copy_test.py", 0), ("tests/copy.py", 0)])
def test_a_test_that_sets_what_it_needs_is_left_alone(path: str, count: int) -> None:
    """What it leaves out keeps its default."""
    body = " def copy(own: Settings, settings: Settings):\n" + COPIED
    assert len(run(f"{RECORD}//- {path}\n{body}", FIELD).shown) == count


def test_several_new_fields_are_one_hit_and_one_fix() -> None:
    """The fix copies all of them."""
    body = " def copy(own: Settings, settings: Settings):\n" + COPIED
    (seen,) = run(f"{RECORD}+        self.limit = 3\n//- app/copy.py\n{body}", FIELD).shown
    (edit,) = seen.fixes[0].edits
    assert edit.new_text == "\n    own.timeout = settings.timeout\n    own.limit = settings.limit"


def test_a_class_that_takes_what_it_needs_is_no_copy() -> None:
    """Another class may take all fields of before, and still not want the new one."""
    body = COPIED.replace("own", "self").replace("     ", "         ")
    text = f" class Page:\n     def __init__(self, settings: Settings):\n{body}         self.more = settings.more\n"
    record = RECORD.replace('self.user = ""\n', 'self.user = ""\n         self.more = 1\n')
    assert run(f"{record}//- app/page.py\n{text}", FIELD).shown == ()


def test_a_field_that_replaces_another_is_no_new_field() -> None:
    """A renamed field is another question."""
    text = RECORD.replace('         self.user = ""\n', '         self.user = ""\n-        self.limit = 1\n')
    body = " def copy(own: Settings, settings: Settings):\n" + COPIED
    assert run(f"{text}//- app/copy.py\n{body}", FIELD).shown == ()


CALLS = "".join(f' group.add("{name}", env="{name}", help="{name}")\n' for name in "abcde")


def in_function(added: str, calls: str = CALLS) -> str:
    """A function with calls and one added line."""
    return "//- app/args.py\n def add(group, more):\n" + calls.replace(" group", "     group") + f"+    {added}\n"


@pytest.mark.parametrize(
    ("added", "missing"),
    [('group.add("f", help="f")', "env"), ('group.add("f", env="F", type=int)', "help")],
)
def test_the_one_keyword_that_all_siblings_pass_is_named(added: str, missing: str) -> None:
    """The title names callee and keyword."""
    (seen,) = run(in_function(added), SIBLING).shown
    assert seen.title.endswith(f"`group.add({missing}=)`")


@pytest.mark.parametrize(
    "added",
    [
        'group.add("f")',
        'group.add("f", "g", help="f")',
        'group.add("f", help="f", **more)',
        'group.add(*more, help="f")',
        'other.add("f", help="f")',
        'group.add("f", env="f", help="f", size=3)',
    ],
)
def test_another_kind_of_call_is_no_outlier(added: str) -> None:
    """Several keywords less, other arguments, arguments that cannot be seen and other callees are silent."""
    assert run(in_function(added), SIBLING).shown == ()


def test_four_siblings_are_too_few() -> None:
    """A habit needs five cases."""
    four = "".join(CALLS.splitlines(keepends=True)[:4])
    assert run(in_function('group.add("f", help="f")', four), SIBLING).shown == ()


@pytest.mark.parametrize(
    ("calls", "added", "found"),
    [
        ([f"step({at}, log=log)" for at in range(6)], "step(6)", 1),
        ([f"step({at}, log=True)" for at in range(6)], "step(6)", 0),
        ([f"step({at}, log=log{at})" for at in range(6)], "step(6)", 0),
        ([f"step({at}, log=log)" for at in range(4)], "step(6)", 0),
        ([*(f"step({at}, log=log)" for at in range(10)), "step(11)"], "step(12)", 0),
    ],
)
def test_the_only_keyword_of_all_siblings_is_handed_through_by_each(calls: list[str], added: str, found: int) -> None:
    """One expression that all pass is missed where one does not; what differs or is chosen each time is not."""
    text = "".join(f"     {call}\n" for call in calls)
    assert len(run(f"//- app/a.py\n def f(log):\n{text}+    {added}\n", SIBLING).shown) == found


def test_calls_across_a_file_have_to_pass_the_same_expression() -> None:
    """In different functions only a value handed through everywhere counts, and is offered as a fix."""
    text = "".join(f" def f{at}(c):\n     send(c, clock=c.clock, size={at})\n" for at in range(5))
    (seen,) = run(f"//- app/a.py\n{text}+def g(c):\n+    send(c, size=9)\n", SIBLING).shown
    assert seen.fixes[0].edits[0].new_text == ", clock=c.clock"
    varied = text.replace("c.clock", "1").replace("clock=1, size=3", "clock=2, size=3")
    assert run(f"//- app/a.py\n{varied}+def g(c):\n+    send(c, size=9)\n", SIBLING).shown == ()


def test_declarations_and_what_is_optional_by_its_name_are_left_alone() -> None:
    """Class bodies declare one thing after another, and a default is what one of them has."""
    body = "".join(f'     {name} = Field2("{name}", index=1, text="{name}")\n' for name in "abcde")
    assert run(f'//- app/a.py\n class A:\n{body}+    f = Field2("f", text="f")\n', SIBLING).shown == ()
    calls = CALLS.replace("env=", "default=")
    assert run(in_function('group.add("f", help="f")', calls), SIBLING).shown == ()


def test_tests_may_call_as_they_like() -> None:
    """A test varies arguments on purpose."""
    text = in_function('group.add("f", help="f")').replace("app/args.py", "tests/test_args.py")
    assert run(text, SIBLING).shown == ()


MODULE = ' __all__ = ["apple", "beet", "plum"]\n \n def apple(): ...\n \n def beet(): ...\n \n def plum(): ...\n \n'


@pytest.mark.parametrize(
    ("listed", "wanted"),
    [
        ('["apple", "beet", "plum"]', '"cherry", '),
        ('["plum", "apple", "beet"]', ', "cherry"'),
        ("['apple', 'beet', 'plum',]", "'cherry', "),
    ],
)
def test_the_fix_keeps_the_order_and_the_quotes(listed: str, wanted: str) -> None:
    """A sorted list stays sorted; where all siblings are listed the fix is safe."""
    text = "//- app/fruit.py\n" + MODULE.replace('["apple", "beet", "plum"]', listed) + "+def cherry(): ...\n"
    (seen,) = run(text, LISTED).shown
    assert (seen.fixes[0].edits[0].new_text, seen.fixes[0].safe) == (wanted, True)


@pytest.mark.parametrize(
    "text",
    [
        MODULE + "+def _cherry(): ...\n",
        MODULE + "+@app.route('/')\n+def cherry(): ...\n",
        MODULE.replace('"plum"]', '"plum"] + more') + "+def cherry(): ...\n",
        MODULE + " __all__.append('x')\n+def cherry(): ...\n",
        MODULE.replace('"beet", ', "") + "+def cherry(): ...\n",
        MODULE + '+def cherry():\n+    """Deprecated, use plum."""\n',
        MODULE + "+def cherry():\n+    warn('use plum', DeprecationWarning)\n",
        MODULE + "-cherry = plum\n+def cherry():\n+    return plum()\n",
    ],
)
def test_what_is_private_or_registered_or_computed_is_left_alone(text: str) -> None:
    """So are a module that does not list all of its own, what is deprecated, and a name that was bound before."""
    assert run(f"//- app/fruit.py\n{text}", LISTED).shown == ()


@pytest.mark.parametrize(
    ("written", "meant", "slip"),
    [
        ("postion", "position", True),
        ("posiiton", "position", True),
        ("possition", "position", True),
        ("descripsion", "description", True),
        ("positions", "position", False),
        ("position", "positions", False),
        ("start", "smart", False),
        ("Position", "position", False),
        ("max_size", "maxsize", False),
        ("status", "statu", False),
    ],
)
def test_a_slip_is_one_stroke_inside_the_word(written: str, meant: str, slip: bool) -> None:
    """Plurals, case, underscores and other words are none."""
    assert is_slip(written, meant) is slip


def test_whether_lines_may_be_fields_costs_one_reading() -> None:
    """Of a literal or a call of many lines, none of which is a field."""

    def ask(text: str) -> None:
        whole = f"table = dict(\n{text})\n"
        count = whole.count("\n")
        base, head = source("a.py", "table = 1\n"), source("a.py", whole)
        file = FileChange(path=head.path, status=Status.MODIFIED, base=base, head=head, hunks=(Hunk(1, 1, 1, count),))
        fixture = parse("//- a.py\n x = 1\n")
        change, repository = replace(change_of(fixture), files=(file,)), FixtureRepository(fixture)
        symbols = RepositorySymbols(repository, change, FactStore(), TimeLimit(60))
        assert (
            FieldNotCopied().words(SymbolView(change=change, repository=repository, symbols=symbols, found={})) == set()
        )

    assert is_linear(ask, "    name=1,\n", 10_000)
