"""From observations to findings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.change import Change, FileChange, Side, Source, Status
from roundzero.core.checklist import Failure, checklist
from roundzero.core.compose import About, compose
from roundzero.core.finding import Anchor, Finding, Grounds, Hit, Observation, Origin, State, observe
from roundzero.core.gate import GatePolicy
from roundzero.core.item import Applies, CheckerCheck, IgnoresCheck, Item, ItemId, LooksAt, Prose, Severity
from roundzero.core.judge import Sight, View, judge, listed, shown
from roundzero.core.linemap import Hunk
from roundzero.core.report import ItemStatus, VerdictStatus
from roundzero.core.ruleset import Ruleset
from roundzero.core.suppress import directives
from roundzero.core.text import RelPath
from support.changes import change_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

A, B = RelPath("a.py"), RelPath("b.py")
EVERYTHING = View(origins=frozenset(Origin))


def item(name: str, severity: Severity = Severity.P1, looks_at: LooksAt = LooksAt.ADDED) -> Item:
    """An item with a check."""
    return Item(
        id=ItemId(name),
        title=Prose(name),
        why=Prose("w"),
        severity=severity,
        looks_at=looks_at,
        applies=Applies(paths=("**/*.py",)),
        checks=(CheckerCheck("c"),),
    )


ADDED = item("p/added")
FILE = item("p/file", looks_at=LooksAt.FILE)
MILD = item("p/mild", Severity.P3)
WIDE = item("p/wide", looks_at=LooksAt.CHANGE)
IGNORES = replace(MILD, id=ItemId("p/ignores"), title=Prose("p/ignores"), checks=(IgnoresCheck(),))
TRIGGER = replace(ADDED, id=ItemId("p/trigger"), title=Prose("p/trigger"), trigger=True)
RULES = Ruleset((ADDED, FILE, MILD, WIDE, IGNORES, TRIGGER), "digest")


def changed(path: RelPath, base: str | None, head: str, *hunks: Hunk) -> FileChange:
    """A changed file."""
    return FileChange(
        path=path,
        status=Status.MODIFIED if base is not None else Status.ADDED,
        base=Source(path, base, "b" * 40) if base is not None else None,
        head=Source(path, head, "h" * 40),
        hunks=hunks,
    )


def see(which: Item, file: FileChange, line: int, *, side: Side = Side.HEAD) -> Observation:
    """An observation over one line."""
    source = file.head if side is Side.HEAD else file.base
    assert source is not None
    return observe(which, Hit(path=source.path, span=source.index.line_span(line)), source, producer="c", version="1")


def judged(of: Change, head: Sequence[Observation], view: View | None = None, **more: object) -> list[Finding]:
    """The findings of what was seen."""
    sight = Sight(head=tuple(head), **more)  # type: ignore[arg-type]
    return judge(of, sight, RULES, view=view or View(), policy=GatePolicy())


FILE_A = changed(A, "x\ny\nz\n", "x\nnew\ny\nz\n", Hunk(1, 0, 2, 1))


def test_a_finding_on_an_added_line_is_introduced_and_blocks() -> None:
    """P1, introduced, open and shown: it blocks."""
    (finding,) = judged(change_of(FILE_A), [see(ADDED, FILE_A, 2)])
    assert (finding.origin, finding.in_diff, finding.anchor, finding.blocking) == (Origin.INTRODUCED, True, None, True)


def test_a_finding_outside_the_scope_is_kept_and_hidden() -> None:
    """Nothing is dropped; the reason says why it is not shown."""
    (finding,) = judged(change_of(FILE_A), [see(ADDED, FILE_A, 4)])
    assert finding.hidden == "the line is not part of the change"
    assert not finding.blocking
    assert finding.anchor is None


def test_a_counterpart_makes_a_finding_pre_existing() -> None:
    """An item that looks at the whole file sees old defects; they are hidden unless asked for."""
    head, base = see(FILE, FILE_A, 4), see(FILE, FILE_A, 3, side=Side.BASE)
    (finding,) = judged(change_of(FILE_A), [head], base=(base,), based=frozenset({(A, FILE.id)}))
    assert (finding.origin, finding.hidden) == (Origin.PRE_EXISTING, "pre-existing findings are not asked for")
    (finding,) = judged(change_of(FILE_A), [head], EVERYTHING, base=(base,), based=frozenset({(A, FILE.id)}))
    assert finding.hidden is None


def test_all_origins_shows_old_defects_of_items_that_look_at_added_lines() -> None:
    """What lies outside the scope and was there before is shown when everything is asked for."""
    head, base = see(ADDED, FILE_A, 4), see(ADDED, FILE_A, 3, side=Side.BASE)
    (finding,) = judged(change_of(FILE_A), [head], EVERYTHING, base=(base,), based=frozenset({(A, ADDED.id)}))
    assert (finding.origin, finding.hidden, finding.blocking) == (Origin.PRE_EXISTING, None, False)


def test_a_moved_block_is_no_new_defect() -> None:
    """A line removed in one file and added in another pairs with its old observation."""
    source = changed(A, "def f(x=[]):\n    pass\n", "", Hunk(1, 2, 0, 0))
    target = changed(B, "", "def f(x=[]):\n    pass\n", Hunk(0, 0, 1, 2))
    (finding,) = judged(
        change_of(source, target), [see(ADDED, target, 1)], base=(see(ADDED, source, 1, side=Side.BASE),)
    )
    assert finding.origin is Origin.PRE_EXISTING


def test_ids_do_not_depend_on_what_is_shown() -> None:
    """Of two equal lines the second keeps its id when the first is out of scope, and when paths restrict the view."""
    file = changed(A, "same\n", "same\nsame\n", Hunk(1, 0, 2, 1))
    everything = judged(change_of(file), [see(ADDED, file, 1), see(ADDED, file, 2)], EVERYTHING)
    narrow = judged(change_of(file), [see(ADDED, file, 1), see(ADDED, file, 2)], View(paths=(B,)))
    assert [finding.id for finding in everything] == [finding.id for finding in narrow]
    assert len({finding.id for finding in everything}) == 2


def test_a_mild_finding_can_be_hidden_but_one_that_blocks_cannot() -> None:
    """The verdict does not depend on what is displayed."""
    view = View(min_severity=Severity.P0)
    blocking, mild = judged(change_of(FILE_A), [see(MILD, FILE_A, 2), see(ADDED, FILE_A, 2)], view)
    assert (blocking.hidden, blocking.blocking) == (None, True)
    assert mild.hidden == "milder than P0"


def test_paths_restrict_what_is_shown() -> None:
    """Findings of other files, and of the change as a whole, are outside."""
    file_b = changed(B, None, "new\n", Hunk(0, 0, 1, 1))
    whole = observe(WIDE, Hit(path=None, span=None, subject="s"), None, producer="c", version="1")
    head = [see(ADDED, FILE_A, 2), see(ADDED, file_b, 1), whole]
    found = judged(change_of(FILE_A, file_b), head, View(paths=(A,)))
    assert {finding.seen.path: finding.hidden for finding in found} == {
        A: None,
        B: "outside the paths asked for",
        None: "outside the paths asked for",
    }


def test_a_finding_about_the_change_hangs_on_the_largest_file() -> None:
    """Editors need a place: the first changed line of the file that changed most."""
    file_b = changed(B, None, "1\n2\n", Hunk(0, 0, 1, 2))
    whole = observe(WIDE, Hit(path=None, span=None, subject="s"), None, producer="c", version="1")
    (finding,) = judged(change_of(FILE_A, file_b), [whole])
    assert (finding.anchor, finding.in_diff) == (Anchor(B, 1), False)


def _with_comment(comment: str) -> tuple[FileChange, Mapping[RelPath, object]]:
    file = changed(A, None, f"new  # {comment}\n", Hunk(0, 0, 1, 1))
    assert file.head is not None
    return file, {A: directives(file.head)}


def test_a_comment_in_the_code_dismisses() -> None:
    """State dismissed, by "code", with the reason; it does not block and stays listed."""
    file, found = _with_comment("roundzero: ignore[p/added] known")
    (finding,) = judged(change_of(file), [see(ADDED, file, 1)], directives=found, listened={A: frozenset({ADDED.id})})
    assert (finding.state, finding.state_by, finding.state_text) == (State.DISMISSED, "code", "known")
    assert finding.grounds == Grounds(path=A, line=1)
    assert not finding.blocking
    assert listed(finding)
    assert not shown(finding)


def test_a_dismissal_in_the_code_names_the_line_of_its_comment() -> None:
    """Also where the comment stands above the line it is about, or speaks for the file."""
    for comment, line in (("roundzero: ignore[p/added] known", 2), ("roundzero: ignore-file[p/added] known", 2)):
        file = changed(A, None, f"first\n# {comment}\nnew\n", Hunk(0, 0, 1, 3))
        assert file.head is not None
        (finding,) = judged(change_of(file), [see(ADDED, file, 3)], directives={A: directives(file.head)})
        assert finding.grounds == Grounds(path=A, line=line)


def test_a_comment_that_ignores_nothing_is_reported() -> None:
    """By the item that looks at such comments, on the comment, with what is wrong."""
    file, found = _with_comment("roundzero: ignore[p/added] known")
    (finding,) = judged(change_of(file), [], directives=found, listened={A: frozenset({ADDED.id})})
    assert (finding.seen.item, finding.seen.severity, finding.seen.line) == (IGNORES.id, Severity.P3, 1)
    assert finding.seen.title == "p/ignores: `ignore[p/added]` has nothing to dismiss here"


def test_a_comment_is_not_called_unused_where_nothing_listened() -> None:
    """A linter that failed says nothing about what it would have found."""
    file, found = _with_comment("roundzero: ignore[p/added] known")
    assert judged(change_of(file), [], directives=found, listened={A: frozenset()}) == []


def test_checklist_tells_silence_from_absence() -> None:
    """Fail, pass, not applicable, not checked."""
    of = change_of(FILE_A)
    found = judged(of, [see(ADDED, FILE_A, 2)])
    other = replace(MILD, id=ItemId("p/other"), applies=Applies(paths=("**/*.go",)))
    asked = replace(MILD, id=ItemId("p/asked"), checks=())
    rules = Ruleset((ADDED, FILE, MILD, other, asked), "d")
    rows = checklist(rules, of, found, [Failure(message="c broke", items=frozenset({FILE.id}))])
    assert [(row.item, row.status) for row in rows] == [
        ("p/added", ItemStatus.FAIL),
        ("p/file", ItemStatus.NOT_CHECKED),
        ("p/mild", ItemStatus.PASS),
        ("p/other", ItemStatus.NOT_APPLICABLE),
        ("p/asked", ItemStatus.NOT_CHECKED),
    ]
    assert rows[0].findings == (found[0].id,)


def test_a_report_counts_what_it_hides_and_names_what_failed() -> None:
    """Hidden findings by reason, failures as INCOMPLETE, comments the branch adds by place."""
    file, found = _with_comment("roundzero: ignore[p/mild] known")
    of = change_of(FILE_A, replace(file, path=B, head=Source(B, "new  # roundzero: ignore[p/mild] known\n", "h" * 40)))
    findings = judged(of, [see(ADDED, FILE_A, 4)])
    report = compose(
        of,
        findings,
        [Failure(message="ruff: gone", items=frozenset({ADDED.id}))],
        RULES,
        directives={B: found[A]},  # type: ignore[dict-item]
        about=About(tool_version="0", reviewed_at="now"),
    )
    assert report.verdict.status is VerdictStatus.INCOMPLETE
    assert report.verdict.reasons == ("ruff: gone",)
    assert report.stats.hidden == (("the line is not part of the change", 1),)
    assert report.settings_changed == ("b.py:1: ignore[p/mild] known",)
    assert (report.coverage.files, report.coverage.added_lines, report.findings) == (2, 2, ())


def test_what_blocks_is_shown_whatever_is_asked_for() -> None:
    """A setting that shows old findings alone, or grave ones alone, hides no reason of the verdict."""
    found = judged(change_of(FILE_A), [see(ADDED, FILE_A, 2)], view=View(origins=frozenset({Origin.PRE_EXISTING})))
    assert [(each.blocking, each.hidden) for each in found] == [(True, None)]


def test_what_is_hidden_by_severity_still_counts() -> None:
    """The exit status is about the branch, not about the display."""
    (finding,) = judged(change_of(FILE_A), [see(MILD, FILE_A, 2)], view=View(min_severity=Severity.P0))
    assert (finding.hidden, finding.counts) == ("milder than P0", True)


def test_what_a_trigger_sees_is_never_shown() -> None:
    """It is kept for a model: hidden with its reason in every view, neither counting nor blocking, nor on the list."""
    of = change_of(FILE_A)
    for view in (View(), EVERYTHING):
        (finding,) = judged(of, [see(TRIGGER, FILE_A, 2)], view)
        assert (finding.hidden, finding.counts, finding.blocking) == ("only told to a model", False, False)
    assert TRIGGER.id not in {line.item for line in checklist(RULES, of, [], [])}
