"""What run.py promises: one walk, isolation of broken checkers, odd texts, text rules, base only where needed."""

from __future__ import annotations

import ast
import pickle
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest

from roundzero.checkers import run as runner
from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import Parsed, parse, walk
from roundzero.checkers.run import check_file
from roundzero.core.item import Applies, CheckerCheck, Item, ItemId, LooksAt, Prose, Severity, TextCheck
from roundzero.core.syntax import NotPythonError
from roundzero.core.text import Position, Span
from support.checking import file_change, source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.finding import Hit
    from roundzero.core.item import CheckSpec


def item(check: CheckSpec, *, looks_at: LooksAt = LooksAt.ADDED, applies: Applies | None = None) -> Item:
    """An item with one check."""
    return Item(
        id=ItemId("t/item"),
        title=Prose("t"),
        why=Prose("w"),
        severity=Severity.P2,
        looks_at=looks_at,
        applies=applies or Applies(),
        checks=(check,),
    )


class Names(PythonChecker):
    """Reports every name it meets."""

    name = "names"
    nodes: ClassVar[tuple[type[ast.AST], ...]] = (ast.Name,)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Report it."""
        return [ctx.hit(node)] if isinstance(node, ast.Name) else []


class Broken(Names):
    """Breaks at the second name."""

    name = "broken"

    def __init__(self) -> None:
        """Count from nothing."""
        self.seen = 0

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Break at the second."""
        self.seen += 1
        if self.seen > 1:
            raise KeyError("secret text of the file")
        return super().visit(node, ctx)


@pytest.fixture
def own_checkers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two checkers above instead of the shipped ones."""
    monkeypatch.setattr(runner, "find", {"names": Names, "broken": Broken}.get)


NAMES = item(CheckerCheck("names"))
BROKEN = Item(
    id=ItemId("t/broken"), title=Prose("t"), why=Prose("w"), severity=Severity.P2, checks=(CheckerCheck("broken"),)
)


@pytest.mark.usefixtures("own_checkers")
def test_a_broken_checker_costs_its_own_results_and_a_line() -> None:
    """The others' results stay, its own are dropped, and the line shows no text of the file."""
    result = check_file(file_change("a.py", None, "a = b\n"), [BROKEN, NAMES])
    assert result is not None
    assert [name for name, _ in result.head] == ["t/item", "t/item"]
    (failure,) = result.failures
    assert failure.checker == "broken"
    assert failure.items == {"t/broken"}
    assert failure.message.startswith("broke with KeyError at visit:")
    assert "secret" not in str(failure)


def test_a_checker_that_cannot_be_imported_costs_its_own_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """One failure names it, whatever kind it would have been; the others' results stay."""

    def find(name: str) -> type[Names]:
        if name == "broken":
            raise ImportError("no such module")
        return Names

    monkeypatch.setattr(runner, "find", find)
    result = check_file(file_change("a.py", None, "a\n"), [BROKEN, NAMES])
    assert result is not None
    assert [name for name, _ in result.head] == ["t/item"]
    (failure,) = result.failures
    assert failure.checker == "broken"
    assert failure.items == {"t/broken"}


@pytest.mark.usefixtures("own_checkers")
@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("é = 'ü'; b\n", [(1, 1, 2), (1, 10, 11)]),
        ("a\r\nb\r\n", [(1, 1, 2), (2, 1, 2)]),
        ("x = '''\ré''';b\nc\n", [(1, 1, 2), (1, 14, 15), (2, 1, 2)]),
        ("a\rb\n", [(1, 1, 2), (1, 3, 4)]),
        ("\fa\n\f\nb\n", [(1, 2, 3), (3, 1, 2)]),
        ("'\u2028'; 𝔸\n", [(1, 6, 7)]),
    ],
)
def test_positions_count_code_points_and_line_feeds(text: str, spans: list[tuple[int, int, int]]) -> None:
    """Whatever ast counts, a hit lies where core text has the name."""
    change = file_change("a.py", None, text)
    result = check_file(change, [NAMES])
    assert result is not None
    found = [hit.span for _, hit in result.head]
    assert found == [Span(Position(line, start), Position(line, end)) for line, start, end in spans]
    assert change.head is not None
    assert all(hit.span and change.head.index.slice(hit.span) in hit.subject for _, hit in result.head)


@pytest.mark.usefixtures("own_checkers")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nb = (\n", 2),
        ("a\nb\0\n", 2),
        ("(" * 300 + ")" * 300, 1),
        ("-" * 200_000 + "1", 1),
        ("a\nb = 1" + "0" * 5000 + "\n", 2),
        ("a = '\ud800'\nb = (\n", 2),
    ],
    ids=["syntax", "nul", "brackets", "depth", "digits", "surrogate"],
)
def test_what_does_not_parse_is_a_syntax_error_and_no_crash(text: str, line: int) -> None:
    """A file the interpreter refuses, for whatever reason, has no hits and says where."""
    result = check_file(file_change("a.py", None, text), [NAMES])
    assert result is not None
    assert result.head == ()
    assert result.failures == ()
    assert result.unparsed is not None
    assert result.unparsed.position.line in {1, line}
    assert result.unparsed.items == {"t/item"}


def test_warnings_of_the_parsed_text_are_silent_and_filters_stay() -> None:
    """An invalid escape in a reviewed file warns nobody, and leaves the process's filters alone."""
    before = list(warnings.filters)
    parse(source("a.py", "a = '\\d'\n"))
    assert list(warnings.filters) == before


def test_the_walk_meets_every_node_with_a_place() -> None:
    """All statements and expressions of a real file are visited once, parents first, and scopes balance."""
    tree = ast.parse(Path(ast.__file__).read_text("utf-8"))
    kinds = {type(node) for node in ast.walk(tree)}
    met: list[ast.AST] = []
    scopes: list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda] = []
    walk(tree, {kind: [met.append] for kind in kinds}, scopes, lambda: False)
    wanted = {id(node) for node in ast.walk(tree) if hasattr(node, "lineno")}
    assert wanted <= {id(node) for node in met}
    assert len(met) == len({id(node) for node in met})
    assert scopes == []


@pytest.mark.usefixtures("own_checkers")
def test_whoever_stops_gets_nothing() -> None:
    """A cancelled check has no result, not an empty one."""
    assert check_file(file_change("a.py", None, "a\n"), [NAMES], lambda: True) is None


@pytest.mark.usefixtures("own_checkers")
def test_question_and_answer_survive_pickling() -> None:
    """Both go through a pipe to a worker process."""
    change = pickle.loads(pickle.dumps(file_change("a.py", "a\n", "a\nb\n")))  # noqa: S301  our own bytes
    result = check_file(change, pickle.loads(pickle.dumps([NAMES])))  # noqa: S301  our own bytes
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301  our own bytes


@pytest.mark.usefixtures("own_checkers")
def test_the_base_is_looked_at_only_for_items_that_hit_changed_lines() -> None:
    """Without a hit in scope the base says nothing; with one all its hits are there to compare with."""
    untouched = check_file(file_change("a.py", "a\nb\n", "a\nb\n1\n"), [NAMES])
    touched = check_file(file_change("a.py", "a\nb\n", "a\nb\nc\n"), [NAMES])
    assert untouched is not None
    assert touched is not None
    assert len(untouched.head) == 2
    assert untouched.base == ()
    assert [hit.subject for _, hit in touched.base] == ["`a`", "`b`"]


@pytest.mark.usefixtures("own_checkers")
def test_an_item_that_does_not_apply_is_left_alone() -> None:
    """Globs and languages of an item count."""
    narrow = item(CheckerCheck("names"), applies=Applies(paths=("src/**",)))
    result = check_file(file_change("a.py", None, "a\n"), [narrow])
    assert result is not None
    assert result.head == ()


def text_spans(check: TextCheck, base: str | None, head: str, looks_at: LooksAt = LooksAt.ADDED) -> list[str]:
    """What a text rule marks."""
    change = file_change("a.txt", base, head)
    result = check_file(change, [item(check, looks_at=looks_at)])
    assert result is not None
    assert result.failures == ()
    assert change.head is not None
    return [change.head.index.slice(hit.span) for _, hit in result.head if hit.span is not None]


@pytest.mark.parametrize(
    ("check", "head", "marked"),
    [
        (TextCheck(r"TODO"), "a TODO\nTODO b\n", ["TODO", "TODO"]),
        (TextCheck(r"(?P<mark>b+)c"), "é abbc\n", ["bb"]),
        (TextCheck(r"TODO", unless=r"#\d+"), "TODO\nTODO #12\n", ["TODO"]),
        (TextCheck(r"^b$"), "a\r\nb\r\nab\r\n", ["b"]),
        (TextCheck(r"[ \t]+$"), "a \r\nb\r\n", [" "]),
        (TextCheck(r"a\nb"), "a\r\nb\r\n", ["a\r\nb"]),
        (TextCheck(r"^$"), "a\n\nb\n", [""]),
        (TextCheck(r"(a+)+$"), "a" * 50_000 + "b\n", []),
    ],
    ids=["plain", "mark", "unless", "crlf", "crlf-end", "lines", "empty", "linear"],
)
def test_text_rules_match_lines_whatever_their_ends(check: TextCheck, head: str, marked: list[str]) -> None:
    """Anchors are those of lines, columns those of the text, and time is linear."""
    assert text_spans(check, None, head) == marked


def test_text_rules_that_look_at_added_lines_see_no_others() -> None:
    """A rule about added lines is silent on old ones; a rule about the file is not."""
    check = TextCheck("TODO")
    assert text_spans(check, "TODO\n", "TODO\nTODO\n") == ["TODO"]
    assert text_spans(check, "TODO\n", "TODO\nTODO\n", LooksAt.FILE) == ["TODO", "TODO"]


def test_a_broken_pattern_is_a_failure_in_words() -> None:
    """RE2 says what is wrong."""
    result = check_file(file_change("a.txt", None, "a\n"), [item(TextCheck("a(?=b)"))])
    assert result is not None
    assert len(result.failures) == 1
    assert "invalid perl operator" in result.failures[0].message


def test_a_name_of_a_definition_is_found_behind_its_decorators() -> None:
    """The span of a definition's name is the name's, not the decorator's or the keyword's."""
    parsed: Parsed = parse(source("a.py", "@defer\nasync  def   defer(): ...\nclass  cl: ...\n"))
    function, klass = parsed.tree.body
    assert isinstance(function, ast.AsyncFunctionDef)
    assert isinstance(klass, ast.ClassDef)
    assert parsed.name_span(function) == Span(Position(2, 14), Position(2, 19))
    assert parsed.name_span(klass) == Span(Position(3, 8), Position(3, 10))


def test_a_syntax_error_names_its_place() -> None:
    """Line and column of a syntax error count code points."""
    with pytest.raises(NotPythonError) as caught:
        parse(source("a.py", "ü = 'é' )\n"))
    assert caught.value.position == Position(1, 9)


def test_a_comparison_without_one_of_its_trees_says_which() -> None:
    """A comparison that needs the tree of a text that does not parse is not checked, whichever side that is."""
    item_of = item(CheckerCheck("required-key-relaxed"))
    broken_head = check_file(file_change("a.py", 'x = d["k"]\n', 'x = (d.get("k", 1)\n'), [item_of])
    broken_base = check_file(file_change("a.py", 'x = (d["k"]\n', 'x = d.get("k", 1)\n'), [item_of])
    assert broken_head is not None
    assert broken_base is not None
    assert broken_head.unparsed is not None
    assert broken_head.base_unparsed is None
    assert broken_base.unparsed is None
    assert broken_base.base_unparsed is not None
    assert broken_head.unparsed.items == broken_base.base_unparsed.items == {"t/item"}


def test_a_comparison_of_texts_needs_no_tree() -> None:
    """What looks at lines alone sees the same whether the base parses or not."""
    item_of = item(CheckerCheck("plain-http"))
    line = 'url = "http://downloads.internal.net/a"\n'
    for base in ("x = 1\n", "x = (\n"):
        result = check_file(file_change("a.py", base, line), [item_of])
        assert result is not None
        assert len(result.head) == 1
        assert result.base_unparsed is None


def test_a_file_without_a_base_has_none_that_does_not_parse() -> None:
    """A new file is compared with nothing, and nothing failed."""
    result = check_file(file_change("a.py", None, "x = 1\n"), [item(CheckerCheck("required-key-relaxed"))])
    assert result is not None
    assert (result.unparsed, result.base_unparsed) == (None, None)


@pytest.mark.usefixtures("own_checkers")
def test_of_a_base_that_does_not_parse_nothing_is_known() -> None:
    """Items that need a tree say so; a text rule knows what the same base holds."""
    todo = Item(
        id=ItemId("t/todo"), title=Prose("t"), why=Prose("w"), severity=Severity.P2, checks=(TextCheck("TODO"),)
    )
    result = check_file(file_change("a.py", "(  # TODO\n", "a  # TODO\n"), [NAMES, todo])
    assert result is not None
    assert {name for name, _ in result.head} == {"t/item", "t/todo"}
    assert [name for name, _ in result.base] == ["t/todo"]
    assert result.unbased == {"t/item"}
    assert result.base_unparsed is not None
    assert result.base_unparsed.items == frozenset()


@pytest.mark.usefixtures("own_checkers")
def test_a_checker_that_breaks_at_the_base_knows_nothing_of_it() -> None:
    """Its hits at the head stand, with a failure, and without a base to compare them with."""
    result = check_file(file_change("a.py", "a\nb\n", "c\n"), [BROKEN])
    assert result is not None
    assert [name for name, _ in result.head] == ["t/broken"]
    assert result.base == ()
    assert result.unbased == {"t/broken"}
    assert [each.message.endswith("(at the base)") for each in result.failures] == [True]
