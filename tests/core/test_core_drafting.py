"""What of a draft is let in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roundzero.core.anatomy import Anatomy, Claim, Decides, OpenQuestion
from roundzero.core.change import FileChange, Side, Source, Status
from roundzero.core.drafting import Admission, Gate, Texts, admit
from roundzero.core.finding import Observation, Verified
from roundzero.core.item import Item, ItemId, LooksAt, Prose, Severity
from roundzero.core.linemap import Hunk
from roundzero.core.model_values import Draft, DraftFinding, Quote
from roundzero.core.prompt import OTHER
from roundzero.core.reading import blanked
from roundzero.core.ruleset import Ruleset
from roundzero.core.text import RelPath, collapse
from roundzero.core.units import cut
from support.changes import change_of

PATH = RelPath("pkg/a.py")
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
BASE = """\
def take(shelf, count):
    if count > len(shelf):
        raise ValueError(count)
    return shelf[:count]


def other():
    return compute_everything()
"""
HEAD = f"""\
def take(shelf, count):
    return [shelf.pop() for _ in range(count)]


def other():
    return compute_everything()


KEY = "{TOKEN}"
"""
HUNKS = (Hunk(2, 3, 2, 1), Hunk(8, 0, 7, 3))
OTHER_FILE = Source(RelPath("pkg/b.py"), "from pkg.a import take\n\ntake([], 3)\n", "c")


def an_item(name: str) -> Item:
    """An item that asks."""
    return Item(
        id=ItemId(name), title=Prose("t"), why=Prose("w"), severity=Severity.P2, looks_at=LooksAt.HUNK, ask="Is it?"
    )


RULES = Ruleset(items=(an_item(OTHER), an_item("p/a")), digest="d")
CHANGE = change_of(
    FileChange(
        path=PATH,
        status=Status.MODIFIED,
        base=Source(PATH, BASE, "b"),
        head=Source(PATH, HEAD, "h"),
        hunks=HUNKS,
    )
)
UNIT = cut(CHANGE, RULES, max_lines=50, covers=lambda _: True).units[0]
POPS = Quote(path=PATH, side=Side.HEAD, line=2, text="return [shelf.pop() for _ in range(count)]", decisive=True)
GUARD = Quote(path=PATH, side=Side.BASE, line=2, text="if count > len(shelf):")
FINDING = DraftFinding(
    item="p/a",
    title="empties the shelf",
    why="items are lost",
    severity=Severity.P1,
    path=PATH,
    line=2,
    end_line=2,
    quotes=(POPS, GUARD),
    anatomy=Anatomy(claims=(Claim(text="no check is left", decisive=True),)),
)


def let_in(*findings: DraftFinding, said: tuple[Observation, ...] = (), faults: tuple[str, ...] = ()) -> Admission:
    """What comes of a draft with these findings."""
    texts = Texts.of(CHANGE, [(Side.HEAD, OTHER_FILE)])
    draft = Draft(findings=findings, faults=faults)
    return admit(draft, UNIT, CHANGE, texts, RULES, producer="m", version="1", said=said)


def only(finding: DraftFinding) -> Observation:
    """The one observation that comes of a finding."""
    (seen,) = let_in(finding).observations
    return seen


def test_a_severity_of_the_settings_holds() -> None:
    """What somebody graded mild stays mild whatever a model says, and nothing becomes graver by it."""
    for given, expected in ((Severity.P3, Severity.P3), (Severity.P0, Severity.P1)):
        rules = Ruleset(
            items=tuple(replace(each, severity=given, severity_set=True) for each in RULES.items), digest="d"
        )
        texts = Texts.of(CHANGE)
        made = admit(Draft(findings=(FINDING,)), UNIT, CHANGE, texts, rules, producer="m", version="1")
        assert [each.severity for each in made.observations] == [expected]


def test_a_proved_finding_stands_on_its_decisive_line() -> None:
    """With item, severity, evidence that was verified, blobs, symbol and span of the very line."""
    seen = only(FINDING)
    assert (seen.item, seen.severity, seen.source) == ("p/a", Severity.P1, "model")
    assert (seen.path, seen.line, seen.symbol) == (PATH, 2, "take")
    assert seen.span is not None
    assert seen.span.start.column == 5
    assert [(each.verified, each.blob) for each in seen.evidence] == [(Verified.EXACT, "h"), (Verified.EXACT, "b")]
    assert seen.cause is None


def test_a_wrong_line_number_does_not_move_a_finding_to_wrong_code() -> None:
    """The quote decides where it stands, not the number."""
    wrong = replace(FINDING, line=6, end_line=6, quotes=(replace(POPS, line=6),))
    seen = only(wrong)
    assert (seen.line, seen.evidence[0].verified) == (2, Verified.MOVED)


@pytest.mark.parametrize(
    ("finding", "gate"),
    [
        (replace(FINDING, quotes=()), Gate.NO_EVIDENCE),
        (replace(FINDING, quotes=(replace(POPS, text="shelf.clear_everything(count)"),)), Gate.NO_EVIDENCE),
        (replace(FINDING, quotes=(replace(POPS, path="nowhere.py"),)), Gate.NOWHERE),
        (replace(FINDING, quotes=(replace(POPS, line=6, text="return compute_everything()"),)), Gate.UNRELATED),
    ],
)
def test_what_cannot_be_proved_or_is_not_about_the_change_is_counted_and_not_shown(
    finding: DraftFinding, gate: Gate
) -> None:
    """Each gate that holds something back says so in the counts."""
    result = let_in(finding)
    assert result.observations == ()
    assert result.counts == {gate: 1}


def test_a_consequence_elsewhere_hangs_on_the_changed_line_that_causes_it() -> None:
    """A finding in an unchanged file is shown there, tied to the change by its other evidence."""
    call = Quote(path="pkg/b.py", side=Side.HEAD, line=3, text="take([], 3)", decisive=True)
    seen = only(replace(FINDING, path="pkg/b.py", line=3, quotes=(call, replace(POPS, decisive=False))))
    assert (seen.path, seen.line) == ("pkg/b.py", 3)
    assert seen.cause is not None
    assert (seen.cause.path, seen.cause.line) == (PATH, 2)


def test_what_only_removed_lines_prove_stands_where_they_were() -> None:
    """A finding about a removal is shown at the line that took its place."""
    seen = only(replace(FINDING, quotes=(replace(GUARD, decisive=True),)))
    assert (seen.path, seen.line, seen.side) == (PATH, 2, Side.HEAD)


@pytest.mark.parametrize(
    "finding",
    [
        replace(
            FINDING,
            anatomy=replace(
                FINDING.anatomy, open_questions=(OpenQuestion(text="is it called?", decides=Decides.EXISTENCE),)
            ),
        ),
        replace(FINDING, quotes=(replace(POPS, decisive=False), replace(GUARD, text="if never there:", decisive=True))),
        replace(FINDING, anatomy=Anatomy()),
    ],
)
def test_what_is_not_settled_is_p2_at_most_and_says_why(finding: DraftFinding) -> None:
    """Open existence, missing decisive evidence or no decisive claim cap the severity."""
    result = let_in(finding)
    (seen,) = result.observations
    assert (seen.severity, result.capped) == (Severity.P2, 1)
    assert seen.anatomy is not None
    assert seen.anatomy.severity_reason is not None
    assert seen.anatomy.severity_reason.startswith("P2 and not P1, because")


def test_an_unknown_item_becomes_the_one_for_everything_else() -> None:
    """A model that invents an item loses the item, not the finding; switched off means nothing is shown."""
    assert only(replace(FINDING, item="p/invented")).item == OTHER
    off = Ruleset(items=(replace(RULES.items[0], enabled=False), RULES.items[1]), digest="d")
    draft = Draft(findings=(replace(FINDING, item="x"),))
    result = admit(draft, UNIT, CHANGE, Texts.of(CHANGE), off, producer="m", version="1")
    assert result.counts == {Gate.OFF: 1}


def test_what_a_check_or_the_same_draft_says_already_is_not_said_twice() -> None:
    """The same item within a few lines is a repetition."""
    first = only(FINDING)
    assert let_in(FINDING, said=(first,)).counts == {Gate.REPEATED: 1}
    assert let_in(FINDING, FINDING).counts == {Gate.ADMITTED: 1, Gate.REPEATED: 1}


def test_findings_that_could_not_be_read_are_counted() -> None:
    """Faults of form are counted like any other gate."""
    assert let_in(FINDING, faults=("x",)).counts == {Gate.UNREADABLE: 1, Gate.ADMITTED: 1}


def test_an_edit_is_offered_only_for_lines_that_are_where_it_says() -> None:
    """The edit holds the exact old text; a moved finding or an edit of lines it was not shown has none."""
    offered = only(replace(FINDING, replacement="    return shelf[:count]\n"))
    (fix,) = offered.fixes
    (edit,) = fix.edits
    assert not fix.safe
    assert (edit.old_text, edit.new_text) == (
        "    return [shelf.pop() for _ in range(count)]",
        "    return shelf[:count]",
    )
    assert only(replace(FINDING, replacement="x", end_line=900)).fixes == ()
    assert only(replace(FINDING, replacement="x", line=1, end_line=1)).fixes == ()


def test_no_secret_reaches_a_finding() -> None:
    """What the model saw as a placeholder is verified as one; a quote of the value itself proves nothing."""
    line = Quote(path=PATH, side=Side.HEAD, line=9, text='KEY = "<secret 1: GitHub token>"', decisive=True)
    seen = only(replace(FINDING, line=9, end_line=9, quotes=(line,)))
    assert TOKEN not in repr((seen.title, seen.why, seen.evidence, seen.fixes, seen.anatomy))
    assert let_in(replace(FINDING, quotes=(replace(line, text=f'KEY = "{TOKEN}"'),))).observations == ()


def test_a_finding_beside_a_secret_is_known_again_by_the_true_line() -> None:
    """Span and anchor are those of the text under review, as a check's are, not of what the model was shown."""
    line = Quote(path=PATH, side=Side.HEAD, line=9, text='KEY = "<secret 1: GitHub token>"', decisive=True)
    seen = only(replace(FINDING, line=9, end_line=9, quotes=(line,)))
    assert seen.anchor_text == f'KEY = "{TOKEN}"'
    assert seen.span is not None
    assert seen.span.end.column == len(seen.anchor_text) + 1


def test_a_line_that_a_renamed_file_lost_proves_a_finding_under_either_path() -> None:
    """A reviewer names the file as it is called now; its base stands under the old path."""
    old = RelPath("pkg/old.py")
    renamed = replace(CHANGE.files[0], status=Status.RENAMED, base=Source(old, BASE, "b"))
    change = replace(CHANGE, files=(renamed,))
    for path in (PATH, old):
        draft = Draft(findings=(replace(FINDING, quotes=(replace(GUARD, path=path, decisive=True),)),))
        made = admit(draft, UNIT, change, Texts.of(change), RULES, producer="m", version="1")
        assert made.counts == {Gate.ADMITTED: 1}
        (seen,) = made.observations
        assert (seen.path, seen.line, seen.evidence[0].path) == (PATH, 2, old)


def test_a_quote_is_judged_by_its_own_place_and_not_by_its_words() -> None:
    """The same words quoted from a file that is not there take nothing from the quote that was found, nor give it."""
    nowhere = replace(POPS, path="nowhere.py", decisive=False)
    seen = only(replace(FINDING, quotes=(POPS, nowhere)))
    assert (seen.severity, seen.line) == (Severity.P1, 2)
    lost = only(replace(FINDING, quotes=(replace(POPS, decisive=False), replace(nowhere, decisive=True))))
    assert lost.severity is Severity.P2
    text = HEAD + "\n\ndef again(shelf, count):\n    return [shelf.pop() for _ in range(count)]\n"
    file = replace(CHANGE.files[0], head=Source(PATH, text, "h"), hunks=(*HUNKS, Hunk(8, 0, 10, 4)))
    change = replace(CHANGE, files=(file,))
    twice = replace(FINDING, line=3, end_line=3, quotes=(replace(POPS, decisive=False), replace(POPS, line=13)))
    made = admit(Draft(findings=(twice,)), UNIT, change, Texts.of(change), RULES, producer="m", version="1")
    assert [each.line for each in made.observations] == [13]


def test_no_edit_is_offered_of_lines_that_were_shown_otherwise() -> None:
    """Behind a secret of several lines a line reads the same and stands elsewhere than it was shown."""
    body = "".join(f"MIIEowIBAAKCAQEAx{at}QwErTyUiOpAsDfGhJkLzXcVbNm1234567890aZbYcXdW\n" for at in range(4))
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----"
    text = f'KEY = """{key}""" + compute_suffix(alpha, beta)\nother = 1\n'
    head = Source(PATH, text, "h")
    count = head.index.line_count
    file = FileChange(path=PATH, status=Status.ADDED, base=None, head=head, hunks=(Hunk(0, 0, 1, count),))
    change = replace(CHANGE, files=(file,))
    (unit,) = cut(change, RULES, max_lines=50, covers=lambda _: True).units
    texts = Texts.of(change)
    offered = 0
    for line in range(1, count + 1):
        quote = replace(POPS, line=line, text=texts.sources[PATH, Side.HEAD].index.line(line))
        finding = replace(FINDING, line=line, end_line=line, quotes=(quote,), replacement="replaced = 1")
        made = admit(Draft(findings=(finding,)), unit, change, texts, RULES, producer="m", version="1")
        for edit in (edit for seen in made.observations for fix in seen.fixes for edit in fix.edits):
            assert head.index.slice(edit.span) == edit.old_text
            offered += 1
    assert offered


def test_a_quote_of_a_blanked_text_is_evidence_of_the_line_as_it_is() -> None:
    """What a draft read without comments is shown with them, and offers no edit that would lose them."""
    head = HEAD.replace("range(count)]", "range(count)]  # count was checked by the caller")
    file = replace(CHANGE.files[0], head=Source(PATH, head, "h"))
    change = replace(CHANGE, files=(file,))
    quote = replace(POPS, text="return [shelf.pop() for _ in range(count)]  # ...")
    found = replace(FINDING, quotes=(quote, GUARD), replacement="    return shelf[:count]  # ...")
    whole = Texts.of(change)
    texts = Texts(blanked(whole.sources), whole.plain, whole.sources)
    draft = Draft(findings=(found,))
    (seen,) = admit(draft, UNIT, change, texts, RULES, producer="m", version="1").observations
    assert seen.evidence[0].verified is Verified.EXACT
    assert seen.evidence[0].quote == "return [shelf.pop() for _ in range(count)]  # count was checked by the caller"
    assert seen.anchor_text == collapse(seen.evidence[0].quote)
    assert seen.fixes == ()


def test_two_defects_of_neighbouring_lines_are_two() -> None:
    """Under the item for everything else the same words nearby are one finding, and other words are another."""
    other = replace(FINDING, item=OTHER)
    again = replace(other, title="it empties the whole shelf")
    different = replace(other, title="a negative count is taken for zero")
    assert [each.title for each in let_in(other, different).observations] == [other.title, different.title]
    admission = let_in(other, again)
    assert [each.title for each in admission.observations] == [other.title]
    assert admission.counts[Gate.REPEATED] == 1
