"""Optional linters: found or named as absent, run on the text given, placed, silenced, and failing honestly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.change import Source, blob_id
from roundzero.core.item import Applies, Item, ItemId, LinterCheck, Prose, Severity
from roundzero.core.text import Position, RelPath, Span
from roundzero.linters import optional
from support.loop import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from roundzero.core.finding import Edit, Hit
    from roundzero.linters import Linter, LinterResult

SCRIPT = '#!/bin/bash\nx=$1\n\trm -rf "$x/"*\n'
WORKFLOW = """\
name: greet
on: issues
permissions: {}
jobs:
  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo ${{ github.event.issue.title }}
"""
STYLE = "BasedOnStyle: LLVM\n"
MIRROR = """\
repos:
- repo: https://github.com/pre-commit/mirrors-clang-format
  rev: v{}
  hooks: [{{id: clang-format}}]
"""


def item(linter: str, *codes: str, name: str = "item", applies: Applies | None = None) -> Item:
    """An item that a linter checks."""
    return Item(
        id=ItemId(f"test/{name}"),
        title=Prose("t"),
        why=Prose("w"),
        severity=Severity.P2,
        applies=applies or Applies(),
        checks=(LinterCheck(linter, codes),),
    )


def source(path: str, text: str) -> Source:
    """A text under a path."""
    return Source(RelPath(path), text, blob_id(text.encode()))


def prepared(name: str, root: Path | None = None, own: str | None = None) -> Linter | str:
    """The linter, or why it does not run."""
    (linter,) = (each for each in optional() if each.name == name)
    return run(linter.ready(own, root))


def check(name: str, sources: list[Source], *items: Item, root: Path | None = None) -> LinterResult:
    """Run a linter that is there."""
    linter = prepared(name, root)
    assert not isinstance(linter, str), linter
    assert run(linter.version())[0].isdigit()
    return run(linter.run(sources, items))


def applied(text: str, hits: list[Hit]) -> str:
    """The text after the fixes of all hits."""
    edits: list[Edit] = [edit for hit in hits for fix in hit.fixes for edit in fix.edits]
    where = source("a", text).index
    for edit in sorted(edits, key=lambda edit: where.offset(edit.span.start), reverse=True):
        start, end = where.offset(edit.span.start), where.offset(edit.span.end)
        assert text[start:end] == edit.old_text
        text = text[:start] + edit.new_text + text[end:]
    return text


def test_what_is_not_installed_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the program there is a reason in words, and no error."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    assert prepared("shellcheck") == "not installed"
    assert prepared("zizmor", own="/nowhere/zizmor") == "linters.zizmor.path is /nowhere/zizmor, where no program is"
    assert prepared("zizmor", own="bin/zizmor") == "linters.zizmor.path is bin/zizmor; give the full path"


def test_a_relative_folder_on_path_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is found only relative to where we are could be anybody's, and does not run."""
    program = tmp_path / "bin" / "shellcheck"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "bin")
    assert prepared("shellcheck") == "not installed"


def test_shellcheck_places_what_it_finds() -> None:
    """Columns count code points, tabs as one; the other file in the run has its own results."""
    odd = source("b.sh", '#!/bin/bash\necho "é"; exec python main.py $@\n')
    empty, split = item("shellcheck", "SC2115", name="empty"), item("shellcheck", "SC2068", name="split")
    result = check("shellcheck", [source("a.sh", SCRIPT), odd], empty, split)
    assert result.failures == ()
    assert [(at, name, hit.span) for at, name, hit in result.hits] == [
        (0, empty.id, Span(Position(3, 9), Position(3, 15))),
        (1, split.id, Span(Position(2, 31), Position(2, 33))),
    ]
    assert result.parsed == (0, 1)


def test_shellcheck_proposes_an_edit() -> None:
    """What shellcheck proposes becomes an edit of the very text, marked as one to look at."""
    text = "#!/bin/bash\ncat $1\n"
    ((_, _, hit),) = check("shellcheck", [source("a.sh", text)], item("shellcheck", "SC2086")).hits
    assert applied(text, [hit]) == '#!/bin/bash\ncat "$1"\n'
    assert not hit.fixes[0].safe


def test_a_shellcheck_comment_silences_and_is_named() -> None:
    """A disable comment covers its finding, and no other."""
    text = SCRIPT.replace("\trm", "# shellcheck disable=SC2115,SC2034 # meant\n\trm") + 'rm -rf "$x/"*\n'
    result = check("shellcheck", [source("a.sh", text)], item("shellcheck", "SC2115"))
    assert [hit.span.start.line for _, _, hit in result.hits if hit.span is not None] == [4, 5]
    ((at, directive),) = result.silenced
    assert (at, directive.target, directive.span.start) == (0, 4, Position(3, 3))
    assert directive.reason == "shellcheck disable=SC2115,SC2034"


def test_a_script_that_does_not_parse_is_not_checked() -> None:
    """It costs itself, with the reason; a script for another shell costs nothing."""
    broken = source("b.sh", "#!/bin/bash\nif [ 1 ; then\n")
    other = source("c.sh", "#!/usr/bin/fish\nif test 1\nend\n")
    result = check("shellcheck", [source("a.sh", SCRIPT), broken, other], item("shellcheck", "SC2115"))
    assert [at for at, _, _ in result.hits] == [0]
    ((at, message),) = result.failures
    assert at == 1
    assert message.startswith("it could not parse line 2")


def test_configuration_and_variables_do_not_reach_shellcheck(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither a .shellcheckrc nor SHELLCHECK_OPTS switch anything off."""
    (tmp_path / ".shellcheckrc").write_text("disable=all\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELLCHECK_OPTS", "-e SC2115")
    assert len(check("shellcheck", [source("a.sh", SCRIPT)], item("shellcheck", "SC2115")).hits) == 1


def test_a_program_that_prints_nonsense_is_a_failure(tmp_path: Path) -> None:
    """What cannot be read is not checked, never clean."""
    program = tmp_path / "shellcheck"
    program.write_text("#!/bin/sh\necho 'no json'\n")
    program.chmod(0o755)
    linter = prepared("shellcheck", own=str(program))
    assert not isinstance(linter, str)
    result = run(linter.run([source("a.sh", SCRIPT)], [item("shellcheck", "SC2115")]))
    assert result.failures == ((None, "it gave an answer that could not be read"),)


def test_zizmor_places_what_it_finds_on_one_line() -> None:
    """Bytes become code points, and what is about a whole job stands on its first line."""
    text = WORKFLOW.replace("name: greet", "name: grüße").replace("permissions: {}\n", "")
    where = source(".github/workflows/a.yml", text)
    rules = ("template-injection", "excessive-permissions")
    result = check("zizmor", [where], *(item("zizmor", rule, name=rule) for rule in rules))
    found = {name.rpartition("/")[2]: hit.span for _, name, hit in result.hits}
    assert found["template-injection"] == Span(Position(7, 23), Position(7, 47))
    job = found["excessive-permissions"]
    assert job is not None
    assert (job.start.line, job.end.line) == (4, 4)


def test_a_zizmor_comment_silences_and_is_named() -> None:
    """An ignore comment covers its finding."""
    text = WORKFLOW.rstrip() + " # zizmor: ignore[template-injection]\n"
    result = check("zizmor", [source(".github/workflows/a.yml", text)], item("zizmor", "template-injection"))
    assert len(result.hits) == 1
    ((_, directive),) = result.silenced
    assert (directive.reason, directive.target) == ("zizmor: ignore[template-injection]", 8)


def test_a_workflow_that_cannot_be_read_costs_itself() -> None:
    """One makes zizmor refuse all; the others are checked all the same."""
    sources = [source(".github/workflows/bad.yml", "a: ["), source(".github/workflows/a.yml", WORKFLOW)]
    result = check("zizmor", sources, item("zizmor", "template-injection"))
    assert [at for at, _, _ in result.hits] == [1]
    assert [at for at, _ in result.failures] == [0]


def pinned(root: Path, version: str | None = None) -> None:
    """Let a folder pin clang-format, by default at the version installed."""
    (root / ".clang-format").write_text(STYLE)
    (linter,) = (each for each in optional() if each.name == "clang-format")
    (root / ".pre-commit-config.yaml").write_text(MIRROR.format(version or "1.2.3"))
    if version is None:
        reason = run(linter.ready(None, root))
        assert isinstance(reason, str)
        (root / ".pre-commit-config.yaml").write_text(MIRROR.format(reason.split(" ", 1)[0]))


def test_clang_format_runs_only_where_it_is_pinned(tmp_path: Path) -> None:
    """It wants a style, a version, and that version."""
    assert prepared("clang-format", tmp_path) == "the repository does not pin it (a .clang-format and a version)"
    pinned(tmp_path, "3.4.1")
    assert str(prepared("clang-format", tmp_path)).endswith("is installed, and the repository pins 3.4.1")
    pinned(tmp_path)
    assert not isinstance(prepared("clang-format", tmp_path), str)


def test_clang_format_lays_out_the_text_given(tmp_path: Path) -> None:
    """By the style nearest to the file; the work tree's own text is not looked at, and nothing is written there."""
    pinned(tmp_path)
    (tmp_path / "wide").mkdir()
    (tmp_path / "wide" / ".clang-format").write_text("BasedOnStyle: InheritParentConfig\nIndentWidth: 8\n")
    (tmp_path / "a.cc").write_text("not the text\n")
    text = "int sum( int a,int b ) {\n  return a+b;\n}\n\nint two() { return 2; }\n"
    sources = [source("a.cc", text), source("wide/a.cc", text), source("b.py", "x=1\n")]
    result = check("clang-format", sources, item("clang-format"), root=tmp_path)
    assert result.failures == ()
    first = [hit for at, _, hit in result.hits if at == 0]
    assert applied(text, first) == "int sum(int a, int b) { return a + b; }\n\nint two() { return 2; }\n"
    assert all(fix.safe for hit in first for fix in hit.fixes)
    assert {at for at, _, _ in result.hits} == {0, 1}
    assert (tmp_path / "a.cc").read_text() == "not the text\n"


def test_what_the_repository_keeps_from_clang_format_is_left_alone(tmp_path: Path) -> None:
    """.clang-format-ignore counts."""
    pinned(tmp_path)
    (tmp_path / ".clang-format-ignore").write_text("# generated\nthird_party/**\n")
    result = check("clang-format", [source("third_party/a.cc", "int  x ;\n")], item("clang-format"), root=tmp_path)
    assert (result.hits, result.failures) == ((), ())
