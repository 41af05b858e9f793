"""The ast-grep linter: positions, fixes, languages, what a refused rule costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from roundzero import linters
from roundzero.core.change import Source, blob_id
from roundzero.core.item import Applies, AstGrepCheck, Item, ItemId, Prose, Severity
from roundzero.core.text import RelPath
from roundzero.linters.ast_grep import _SUFFIXES, LINTER, complaint
from roundzero.packs.compiling import AST_GREP_LANGUAGES
from support.loop import run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.finding import Hit
    from roundzero.linters import LinterResult

LOG: dict[str, object] = {"language": "javascript", "rule": {"pattern": "log($A)"}}


def item(*documents: Mapping[str, object], name: str = "item", applies: Applies | None = None) -> Item:
    """An item that ast-grep checks."""
    return Item(
        id=ItemId(f"test/{name}"),
        title=Prose("t"),
        why=Prose("w"),
        severity=Severity.P2,
        applies=applies or Applies(),
        checks=tuple(AstGrepCheck(json.dumps(document)) for document in documents),
    )


def source(text: str, path: str = "web/a.js") -> Source:
    """A text under a path."""
    return Source(RelPath(path), text, blob_id(text.encode("utf-8", "replace")))


def check(sources: list[Source], *items: Item) -> LinterResult:
    """Run the linter."""
    return run(LINTER.run(sources, items))


def only(text: str, document: Mapping[str, object], path: str = "web/a.js") -> tuple[Source, Hit]:
    """The single hit of a text, checked alone and in company, which must be the same."""
    one, company = source(text, path), source("1", path)
    result = check([one], item(document))
    assert result.failures == ()
    ((at, item_id, hit),) = result.hits
    assert (at, item_id, hit.path) == (0, "test/item", path)
    ((at, _, again),) = check([company, one], item(document)).hits
    assert (at, again) == (1, hit)
    return one, hit


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("log(1);\n", 1),
        ('"😀中é"; log(1); "😀"\n', 1),
        ("1;\r\n2; // 😀\r\nlog(1);\r\n", 3),
        ("1;\rlog(1);\r", 1),
        ("1;\f\n\x0b\u2028 log(1);", 2),
        ("'\ud800'; log(1);\n", 1),
    ],
)
def test_a_hit_stands_on_the_very_characters(text: str, line: int) -> None:
    """Wide characters, CRLF, lone CR, odd line characters and lone surrogates do not shift it."""
    where, hit = only(text, LOG)
    assert hit.span is not None
    assert (where.index.slice(hit.span), hit.span.start.line) == ("log(1)", line)


def test_a_fix_is_expanded_and_knows_what_it_replaces() -> None:
    """Metavariables are filled in; the edit is a suggestion on the source's own characters."""
    where, hit = only("/* 😀 */ log('中')\n", {**LOG, "fix": "warn($A)"})
    ((edit,),) = [fix.edits for fix in hit.fixes]
    assert not hit.fixes[0].safe
    assert (where.index.slice(edit.span), edit.old_text, edit.new_text) == ("log('中')", "log('中')", "warn('中')")
    assert hit.fixes[0].title == "Replace by `warn('中')`"


def test_a_fix_may_reach_further_than_the_match() -> None:
    """``expandEnd`` takes the comma along."""
    document = {
        "language": "javascript",
        "rule": {"kind": "number", "regex": "^2$"},
        "fix": {"template": "", "expandEnd": {"regex": ","}},
    }
    where, hit = only("f(1, 2, 3)", document)
    assert hit.span is not None
    assert (where.index.slice(hit.span), hit.fixes[0].edits[0].old_text) == ("2", "2,")
    assert hit.fixes[0].title == "Delete it"


def test_the_range_is_the_marked_part() -> None:
    """A rule with $MARK is about that part of the match."""
    where, hit = only("'😀'; log(abc)", {"language": "javascript", "rule": {"pattern": "log($MARK)"}})
    assert hit.span is not None
    assert where.index.slice(hit.span) == "abc"


def test_a_refused_rule_costs_its_own_item() -> None:
    """An unknown language, kind or key stops ast-grep for all rules; the good ones are asked again."""
    bad = [
        item({"language": "klingon", "rule": {"pattern": "x"}}, name="language"),
        item({"language": "javascript", "rule": {"kind": "no_such_kind"}}, name="kind"),
        item({**LOG, "surprise": 1}, name="key"),
    ]
    for sources in ([source("log(1)")], [source("log(1)"), source("log(2)")]):
        result = check(sources, *bad, item(LOG, name="good"))
        assert [(at, name) for at, name, _ in result.hits] == [(at, "test/good") for at in range(len(sources))]
        assert [words.split(":")[0] for _, words in result.failures] == ["test/kind", "test/key"]
    assert len(check([source("log(1)")], bad[1]).failures) == 1
    assert "no_such_kind" in check([source("log(1)")], bad[1]).failures[0][1]


def test_a_rule_is_judged_before_it_is_used() -> None:
    """``complaint`` says what is wrong with a rule, or nothing."""
    assert run(complaint(AstGrepCheck(json.dumps(LOG)))) is None
    words = run(complaint(AstGrepCheck('{"language": "klingon", "rule": {"pattern": "x"}}')))
    assert words is not None
    assert "SgLang" in words


def test_only_sources_with_a_rule_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a source in a rule's language no process is started at all."""
    monkeypatch.setattr("roundzero.linters._base.tool_path", None)
    quiet = check([source("x", "a.py"), source("x", "b.txt")], item(LOG))
    excluded = check([source("log(1)")], item(LOG, applies=Applies(exclude=("web/**",))))
    assert quiet == excluded == linters.LinterResult()


def test_each_language_gets_its_own_rules() -> None:
    """Several languages in one run; JSX counts as JavaScript, and an item may carry a rule for each."""
    both = item(LOG, {"language": "rust", "rule": {"kind": "macro_invocation"}}, name="both")
    narrow = item(LOG, name="narrow", applies=Applies(paths=("**/*.jsx",)))
    sources = [
        source("log(1)"),
        source("fn f() { dbg!(1) }", "a.rs"),
        source("log(<p/>)", "b.jsx"),
        source("log(1)", "c.ts"),
    ]
    hits = check(sources, both, narrow).hits
    assert [(at, name) for at, name, _ in hits] == [
        (0, "test/both"),
        (1, "test/both"),
        (2, "test/both"),
        (2, "test/narrow"),
    ]
    assert [name for _, name, _ in check([sources[2]], both, narrow).hits] == ["test/both", "test/narrow"]


def test_every_accepted_language_can_be_run() -> None:
    """A language that a pack may name has a file name ending, and ast-grep takes it."""
    assert {*_SUFFIXES} | {"jsx"} == AST_GREP_LANGUAGES
    for language in sorted(AST_GREP_LANGUAGES):
        rule = AstGrepCheck(json.dumps({"language": language, "rule": {"kind": "ERROR"}}))
        assert run(complaint(rule)) is None, language


def test_many_rules_do_not_fit_a_command_line_and_need_not() -> None:
    """A pack with more rules than an argument can hold still checks a single source."""
    rules = [{"language": "javascript", "rule": {"pattern": f"f{at}($A)"}, "fix": "x" * 400} for at in range(400)]
    many = [item(rule, name=f"n{at}") for at, rule in enumerate(rules)]
    hits = check([source("f7(1); f399(2)")], *many).hits
    assert [name for _, name, _ in hits] == ["test/n7", "test/n399"]


def test_no_project_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A configuration in the folder we were started in changes nothing."""
    (tmp_path / "sgconfig.yml").write_text("ruleDirs: [nowhere]\nlanguageGlobs: {html: ['*.js']}\n")
    monkeypatch.chdir(tmp_path)
    assert len(check([source("log(1)")], item(LOG)).hits) == 1
    assert len(check([source("log(1)"), source("log(1)", ".git/x.js")], item(LOG)).hits) == 2


def test_a_large_file_is_not_passed_over() -> None:
    """ast-grep silently skips files of megabytes in a folder; they are checked all the same."""
    large = source("log(1)\n" + "// a remark\n" * 270_000, "large.js")
    hits = check([source("log(1)"), large, source("log(2)")], item(LOG)).hits
    assert [at for at, _, _ in hits] == [0, 1, 2]


@pytest.mark.parametrize("text", ["// ast-grep-ignore\nlog(1)\n", "log(1) // ast-grep-ignore: 0\n"])
def test_a_comment_for_ast_grep_silences_nothing(text: str) -> None:
    """Whoever wants silence says so to us, with a reason; a file's text alone cannot make a finding vanish."""
    _, hit = only(text, {**LOG, "fix": "info($A)"})
    assert hit.span is not None


def test_a_fix_keeps_such_a_comment_as_it_was() -> None:
    """What is put in place of a match holds the words of the text, not of what ast-grep was given."""
    document = {
        "language": "javascript",
        "rule": {"pattern": "log($A, () => { $$$B })"},
        "fix": "info($A, () => { $$$B })",
    }
    _, hit = only("log(1, () => {\n  // ast-grep-ignore\n  b()\n})\n", document)
    assert "// ast-grep-ignore\n" in hit.fixes[0].edits[0].new_text


def test_an_empty_text_has_no_hits() -> None:
    """And is no failure."""
    assert check([source("")], item(LOG)) == linters.LinterResult()


def test_linters_are_found_by_name() -> None:
    """Each module of the package that is not private is one."""
    assert [linter.name for linter in linters.discover()] == ["ast-grep", "ruff"]
    assert run(LINTER.version()) == "0.51.1"
