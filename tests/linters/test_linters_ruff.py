"""The ruff linter: positions, fixes, what a broken text or rule costs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from roundzero.core.change import Source, blob_id
from roundzero.core.item import Applies, Item, ItemId, Prose, RuffCheck, Severity
from roundzero.core.text import Position, RelPath
from roundzero.linters._base import laid_out
from roundzero.linters.ruff import LINTER, unknown_codes
from roundzero.proc import tool_path
from support.loop import run

if TYPE_CHECKING:
    from roundzero.core.finding import Hit
    from roundzero.linters import LinterResult

ODD_NAMES = ["a/-b.py", "x/\udcff.py", "x/a b#[%].py", "x/.hidden.py", f"x/{'n' * 300}.py", "venv/build/x.py"]


def item(*codes: str, name: str = "item", applies: Applies | None = None) -> Item:
    """An item that ruff checks."""
    return Item(
        id=ItemId(f"test/{name}"),
        title=Prose("t"),
        why=Prose("w"),
        severity=Severity.P2,
        applies=applies or Applies(),
        checks=(RuffCheck(codes),),
    )


def source(text: str, path: str = "app/a.py") -> Source:
    """A text under a path."""
    return Source(RelPath(path), text, blob_id(text.encode("utf-8", "replace")))


def check(sources: list[Source], *items: Item) -> LinterResult:
    """Run the linter."""
    return run(LINTER.run(sources, items))


def only(text: str, *codes: str) -> tuple[Source, Hit]:
    """The single hit of a text, checked alone and in company, which must be the same."""
    one, company = source(text), source("x = 1\n")
    result = check([one], item(*codes))
    assert (result.failures, result.syntax_errors) == ((), ())
    ((at, item_id, hit),) = result.hits
    assert (at, item_id) == (0, "test/item")
    ((at, _, again),) = check([company, one], item(*codes)).hits
    assert (at, again) == (1, hit)
    return one, hit


@pytest.mark.parametrize(
    ("text", "marked", "line"),
    [
        ('def f(a="😀中", b=[]): pass\n', "[]", 1),
        ('x = """\r\n😀\r\n"""\r\ndef f(b=[]): pass\r\n', "[]", 4),
        ("x = 1\rdef f(b=[]): pass\r", "[]", 1),
        ("x = '''\r\r\n'''; y = 1\ndef f(b=[]): pass", "[]", 3),
        ("x = 1\n\fdef f(b=[]): pass\n", "[]", 2),
        ("x = '\x0b\x1c\u2028\x85'\ndef f(b=[]): pass\n", "[]", 2),
        ("\n\n# \ud800\ndef f(a='\ud800', b=[]): pass\n", "[]", 4),
        ("def f(\n  b=[\n  ],\n): pass\n", "[\n  ]", 2),
    ],
)
def test_a_hit_stands_on_the_very_characters(text: str, marked: str, line: int) -> None:
    """Wide characters, CRLF, lone CR, form feed and other odd line characters, lone surrogates."""
    where, hit = only(text, "B006")
    assert hit.span is not None
    assert (where.index.slice(hit.span), hit.span.start.line, hit.path) == (marked, line, "app/a.py")


def test_a_fix_knows_what_it_replaces() -> None:
    """Old texts are the source's own, a safe fix is safe, and applying it gives what ruff meant."""
    where, hit = only("# 😀\r\nimport os, sys\r\nprint(sys)\r\n", "F401")
    (fix,) = hit.fixes
    (edit,) = fix.edits
    assert fix.safe
    assert where.index.slice(edit.span) == edit.old_text
    start, end = where.index.offset(edit.span.start), where.index.offset(edit.span.end)
    assert where.text[:start] + edit.new_text + where.text[end:] == "# 😀\r\nimport sys\r\nprint(sys)\r\n"
    assert (hit.subject, hit.unused) == ("`os`", True)


def test_lines_that_a_fix_adds_end_where_git_sees_it() -> None:
    """Also where the first line of the file ends in a lone carriage return, which ruff then writes itself."""
    _, hit = only("# one\r# two\ndef f(a=[]):\n    return a\n", "B006")
    added = "".join(edit.new_text for edit in hit.fixes[0].edits)
    assert "if a is None:\n" in added
    assert "\r" not in added


def test_an_unsafe_fix_is_a_suggestion() -> None:
    """Ruff's word for it decides."""
    _, hit = only("def f(a=[]):\n    return a\n", "B006")
    assert [fix.safe for fix in hit.fixes] == [False]
    assert len(hit.fixes[0].edits) == 2
    assert not hit.unused


def test_a_second_definition_shows_the_first() -> None:
    """The earlier line is evidence."""
    _, hit = only("import os\n\n\ndef os(): pass\n", "F811")
    (evidence,) = hit.evidence
    assert (evidence.line, evidence.quote, evidence.role, hit.subject) == (1, "import os", "definition", "`os`")


def test_a_text_that_does_not_parse_is_told_once() -> None:
    """The first place, for that source only; others are checked."""
    sources = [source("def f(:\n  x = (\n"), source("def f(a=[]): pass\n"), source("(", "b.py")]
    result = check(sources, item("B006"))
    assert [at for at, _, _ in result.hits] == [1]
    assert [(at, where) for at, where, _ in result.syntax_errors] == [(0, Position(1, 7)), (2, Position(1, 2))]
    ((at, _, words),) = check([sources[0]], item("B006")).syntax_errors
    assert (at, bool(words)) == (0, True)


@pytest.mark.parametrize(
    ("text", "marked"),
    [("def f(:\n", ":"), ("x = 1\nif x\n", "if x"), ("x = (\n", "x = ("), ("\tif 1\n", "if 1"), ("(", "(")],
)
def test_a_syntax_error_is_a_hit_of_the_items_that_name_it(text: str, marked: str) -> None:
    """One, on one line, beside the word that the text was not read; without such an item there is none."""
    result = check([source(text)], item("E999"))
    ((at, _, hit),) = result.hits
    assert hit.span is not None
    assert hit.span.start.line == hit.span.end.line
    assert source(text).index.slice(hit.span) == marked
    assert [where for where, _, _ in result.syntax_errors] == [at]
    assert check([source(text)], item("B006")).hits == ()
    assert check([source("x = 1\n")], item("E999", "B006")).hits == ()


def test_an_unknown_rule_costs_its_own_item() -> None:
    """Ruff refuses all rules for the sake of one; the others are asked again."""
    items = (item("ZZZ999", name="bad"), item("B006", name="good"), item("E722", "QQQ111", name="half"))
    text = "def f(a=[]):\n    try: pass\n    except: pass\n"
    for sources in ([source(text)], [source(text), source(text)]):
        result = check(sources, *items)
        assert {name for _, name, _ in result.hits} == {"test/good", "test/half"}
        assert len(result.failures) == 2
        assert all(at is None for at, _ in result.failures)
        assert [words.split(":")[0] for _, words in result.failures] == ["test/bad", "test/half"]
    assert len(check([source(text)], items[0]).failures) == 1


def test_items_apply_where_they_say() -> None:
    """Other languages and excluded paths are not looked at; two items may share a rule."""
    everywhere, elsewhere = item("B006", name="a"), item("B006", name="b", applies=Applies(exclude=("tests/**",)))
    text = "def f(a=[]): a.append(1)\n"
    sources = [source(text), source(text, "tests/t.py"), source(text, "notes.md"), source(text, "b/__init__.py")]
    hits = check(sources, everywhere, elsewhere).hits
    assert [(at, name) for at, name, _ in hits] == [
        (0, "test/a"), (0, "test/b"), (1, "test/a"), (3, "test/a"), (3, "test/b"),
    ]  # fmt: skip
    assert check([sources[2]], everywhere).hits == ()
    assert check([], everywhere) == check([sources[0]]) == check([sources[2]], everywhere)


@pytest.mark.parametrize("path", ODD_NAMES)
def test_odd_names_do_not_matter(path: str) -> None:
    """A text is checked whatever its path is called, alone and in company."""
    one = source("def f(a=[]): pass\n", path)
    for sources in ([one], [one, one]):
        result = check(sources, item("B006"))
        assert (len(result.hits), result.failures) == (len(sources), ())
        assert result.hits[0][2].path == path


def test_no_configuration_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the folder's nor the person's settings change a result."""
    (tmp_path / "ruff.toml").write_text('lint.ignore = ["B006"]\nexclude = ["*"]\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert len(check([source("def f(a=[]): pass\n")] * 2, item("B006")).hits) == 2


QUIET = {
    "codes": ("import os  # noqa: F401  kept for plug-ins\n", "noqa: F401 kept for plug-ins"),
    "blanket": ("import os  #NOQA\n", "NOQA"),
    "beside another": ("import os  # isort:skip # noqa:E501,F401\n", "noqa:E501,F401"),
    "after a string that looks like one": ('import os; x = "# noqa"  # noqa: F401\n', "noqa: F401"),
    "the end of a multi-line string": ('x = f"""\n\n"""  # noqa: F541\n', "noqa: F541"),
    "a continued line": ('x = f"a" + \\\n    "b"  # noqa: F541\n', "noqa: F541"),
    "carriage returns": ("x = 1\r\rimport os  # noqa: F401\r\n", "noqa: F401"),
    "the file": ("# ruff: noqa\nimport os\n", "ruff: noqa"),
    "the file, one code": ("import os\n# ruff : noqa: E722\n# ruff: noqa: F401\n", "ruff: noqa: F401"),
    "the file, as flake8 has it": ("# flake8: noqa: F401\nimport os\n", "flake8: noqa: F401"),
    "ruff's own, a range": ("# ruff: disable[F401]\nimport os\n# ruff: enable[F401]\n", "ruff: disable[F401]"),
    "ruff's own, a line": ("import os  # ruff: ignore[F401] 😀\n", "ruff: ignore[F401] 😀"),
    "ruff's own, the file": ("# ruff: file-ignore[F401]\nimport os\n", "ruff: file-ignore[F401]"),
}


@pytest.mark.parametrize("case", QUIET)
def test_what_a_comment_for_ruff_silences_is_a_hit_all_the_same(case: str) -> None:
    """With the comment as its directive, as ruff itself takes it, alone and in company."""
    text, words = QUIET[case]
    one = source(text)
    for sources, at in (([one], 0), ([source("x = 1\n"), one, source("import sys  # noqa\n")], 1)):
        result = check(sources, item("F401", "F541"))
        ((name, hit),) = [(name, hit) for where, name, hit in result.hits if where == at]
        ((silenced),) = [directive for where, directive in result.silenced if where == at]
        assert (silenced.names, silenced.only, silenced.reason) == ((name,), hit.span, words)
        assert one.index.slice(silenced.span).split() == words.split()
        assert hit.span is not None
        assert (silenced.target, hit.fixes, result.failures) == (hit.span.start.line, (), ())


@pytest.mark.parametrize(
    "text",
    [
        "import os  # noqa: E722\n",
        "import os  # not a noqa\n",
        "import os\nx = '# ruff: noqa'\n",
        "import os\n# noqa\n",
        "import os  # ruff: noqa\n",
        "x = f'{import_os}#{noqa_os}'\nimport os\n",
    ],
)
def test_a_comment_that_ruff_does_not_heed_silences_nothing(text: str) -> None:
    """Another code, another line, a string, a name."""
    result = check([source(text)], item("F401"))
    assert [hit.subject for _, _, hit in result.hits] == ["`os`"]
    assert result.silenced == ()


def test_of_two_rules_of_an_item_only_the_named_one_is_silenced() -> None:
    """What ruff says in spite of the comment stays loud, also where the item says both of one place."""
    text = "def f(a):\n    return a == None != None  # noqa: E711\n"
    loud = "import os, os  # noqa: F811\n"
    assert len(check([source(text)], item("E711")).silenced) == 2
    result = check([source(loud)], item("F401", "F811"))
    unused = [hit for _, _, hit in result.hits if hit.unused]
    assert 0 < len(unused) < len(result.hits)
    spans = {hit.span for hit in unused}
    assert not {directive.only for _, directive in result.silenced} & spans


def test_a_text_that_does_not_parse_is_told_once_in_spite_of_a_comment() -> None:
    """The second look adds nothing."""
    result = check([source("def f(:\n  x = (  # noqa\n")], item("E999", "F401"))
    assert (len(result.hits), len(result.syntax_errors), result.silenced, result.failures) == (1, 1, (), ())


def test_company_changes_nothing() -> None:
    """Texts of one name, of names that a disk may take for one, and beside what makes a folder a package."""
    imports = "import os\nfrom a import b\nfrom . import B\n"
    paths = ["p/__init__.py", "p/a.py", "q/__init__.py", "q/A.py", "r/__INIT__.py", "r/a.py", "r/B.py", "s/b.pyi"]
    sources = [source(f"{imports}x = {number}\n", path) for number, path in enumerate(paths)]
    rules = item("F401", "I001", "TID252")
    alone = [(at, hit) for at, each in enumerate(sources) for _, _, hit in check([each], rules).hits]
    assert [(at, hit) for at, _, hit in check(sources, rules).hits] == alone
    assert len(alone) > len(sources)


def test_texts_share_few_folders() -> None:
    """Making and removing a folder costs more than the file in it."""

    async def scenario() -> list[Path]:
        async with laid_out(["x = 1\n"] * 4, ["a.py", "b.py", "A.py", "__init__.py"]) as laid:
            assert [laid.number(str(laid.path / place)) for place in laid.places] == [0, 1, 2, 3]
            return sorted(laid.path.iterdir())

    assert len(run(scenario())) == 3


def test_nothing_stays_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of a run is gone afterwards."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    check([source("x = 1\n")] * 3, item("B006"))
    assert [*tmp_path.glob("*/*")] == []


def test_cancelling_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither while the texts are written nor while the program reads them."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)

    async def work(ready: asyncio.Event) -> None:
        async with laid_out(["x = 1\n"] * 300, ["a.py"] * 300):
            ready.set()
            await asyncio.Event().wait()

    async def scenario() -> None:
        for early in (True, False):
            ready = asyncio.Event()
            task = asyncio.ensure_future(work(ready))
            await (asyncio.sleep(0) if early else ready.wait())
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    run(scenario())
    assert [*tmp_path.glob("*/*")] == []


def test_the_newest_syntax_is_known() -> None:
    """Python 3.14's, whatever interpreter runs us."""
    text = "def f[T](a: T) -> Later:\n    try: return t'{a}'\n    except A, B: raise\nclass Later: pass\n"
    result = check([source(text)], item("F821"))
    assert result.syntax_errors == ()
    assert [hit.subject for _, _, hit in result.hits] == ["`A`", "`B`"]


def test_rules_in_preview_or_removed_are_unknown() -> None:
    """What the pinned ruff would not run is named, in the order asked; E999 is how items name syntax errors."""
    assert run(unknown_codes(["B006", "B909", "ZZZ999", "E999"])) == ("B909", "ZZZ999")


def test_the_version_is_the_pinned_one() -> None:
    """As the package says."""
    assert run(LINTER.version()) == "0.17.6"
    assert LINTER.takes(item("B006"))
    assert not LINTER.takes(Item(id=ItemId("t/a"), title=Prose("t"), why=Prose("w"), severity=Severity.P1))


def test_an_import_and_its_use_on_one_line_are_one_hit() -> None:
    """A debugger that is imported and started on one line is one thing; on two lines it is two."""
    text = "import pdb; pdb.set_trace()\nimport pdb\npdb.set_trace()\nbreakpoint(); breakpoint()\n"
    result = check([source(text)], item("T100"))
    places = [(hit.span.start.line, hit.span.start.column) for _, _, hit in result.hits if hit.span is not None]
    assert places == [(1, 13), (2, 1), (3, 1), (4, 1), (4, 15)]


def test_another_ruff_may_take_the_place_of_ours(tmp_path: Path) -> None:
    """A program given by its full path is the one that runs, on the very same options."""
    own = tmp_path / "my-ruff"
    own.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\nexec {tool_path("ruff")} "$@"\n')
    own.chmod(0o755)
    linter = LINTER.at(str(own))
    assert linter.name == "ruff"
    assert run(linter.run([source("x == None\n")], [item("E711")])) == check([source("x == None\n")], item("E711"))
    assert "--isolated" in (tmp_path / "asked").read_text()
    assert run(linter.version()) == run(LINTER.version())


@pytest.mark.parametrize("answer", ["", "a banner", "[{}]", "{}", "[1]"])
def test_an_answer_that_cannot_be_read_is_a_failure_and_never_clean(tmp_path: Path, answer: str) -> None:
    """Also no answer at all, with exit status 0: of a text without findings ruff says so."""
    own = tmp_path / "my-ruff"
    own.write_text(f"#!/bin/sh\ncat > /dev/null\nprintf '%s' '{answer}'\n")
    own.chmod(0o755)
    result = run(LINTER.at(str(own)).run([source("x == None\n"), source("y == None\n")], [item("E711")]))
    assert result.hits == ()
    assert [words for _, words in result.failures] == ["ruff gave an answer that could not be read"]


@pytest.mark.parametrize("path", ["/no/such/ruff", "bin/ruff", "no-such-program-anywhere", "/etc/passwd", "./ruff"])
def test_a_path_without_a_program_is_said_and_nothing_is_checked(path: str) -> None:
    """A wrong path never falls back in silence, and a relative one is never looked up."""
    result = run(LINTER.at(path).run([source("x == None\n")], [item("E711")]))
    assert not result.hits
    assert not result.parsed
    ((at, message),) = result.failures
    assert at is None
    assert message.startswith(f"linters.ruff.path is {path}, where no program is; give its full path")


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        (f"from {'package.' * 8}module import Submodules\n", f"`…{'package.' * 5}module.Submodules`"),
        (f"import {'a' * 70}\n", f"`{'a' * 60}…`"),
    ],
)
def test_of_a_very_long_name_what_tells_it_apart_is_said(text: str, subject: str) -> None:
    """The end of a dotted one, and that something is left out."""
    ((_, _, hit),) = check([source(f"{text}\n\ndef f():\n    pass\n")], item("F401")).hits
    assert hit.subject == subject


def test_a_name_that_is_not_defined_is_told_once_a_line() -> None:
    """Another name on the line, and the same on another line, are told too."""
    found = check([source("sys.exit(run(sys.argv))\nsys.exit(1)\n")], item("F821")).hits
    assert [(hit.span and hit.span.start.line, hit.subject) for _, _, hit in found] == [
        (1, "`sys`"),
        (1, "`run`"),
        (2, "`sys`"),
    ]
