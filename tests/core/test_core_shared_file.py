"""The file of dismissals that everyone shares, as text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.dismissal import Dismissal, DismissalScope, dismiss, place_in_file
from roundzero.core.finding import FindingId
from roundzero.core.item import Item, ItemId, Prose, Severity
from roundzero.core.ruleset import Ruleset
from roundzero.core.shared_file import format_shared, parse_shared, with_dismissal, without_dismissal
from roundzero.core.text import RelPath
from support.rounds import observations, source

ONE, TWO = FindingId("rz-1"), FindingId("rz-2")
SEEN = observations(source("a.py", "def f():\n    bad(1)\n    bad(2)\n"))


def put(scope: DismissalScope, *, expires: str | None = None) -> Dismissal:
    """A dismissal made on the first finding."""
    return dismiss(SEEN[0], ONE, scope=scope, reason="fine", by="me", at="2026-01-01", expires=expires)


TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
MADE = st.builds(
    Dismissal,
    id=st.integers(0, 99).map(lambda n: FindingId(f"rz-{n}")),
    scope=st.sampled_from(DismissalScope),
    item=TEXT.map(ItemId),
    path=st.none() | TEXT.map(RelPath),
    symbol=st.none() | TEXT,
    anchor=TEXT,
    reason=TEXT.filter(str.strip),
    by=st.none() | TEXT,
    at=st.just("2026-01-01"),
    expires=st.none() | st.just("2027-01-01"),
)


@given(st.lists(MADE, max_size=6, unique_by=lambda each: each.name))
def test_what_is_written_is_read_again_in_one_order(made: list[Dismissal]) -> None:
    """Whatever the order they were made in, the file is the same, and reading it gives them back."""
    text = format_shared(made)
    found, problems = parse_shared(text)
    assert not problems
    assert set(found) == set(made)
    assert format_shared(reversed(found)) == text


def test_a_broken_table_costs_itself() -> None:
    """What is wrong is said with the table's line, and the others count."""
    text = format_shared([put(DismissalScope.FINDING)]) + '\n[[dismissal]]\nitem = "python/bad"\n'
    found, problems = parse_shared(text)
    assert [each.id for each in found] == [ONE]
    assert problems == (".roundzero/dismissals.toml:14: anchor is missing",)
    assert parse_shared("[[dismissal")[0] == ()


@pytest.mark.parametrize(
    ("written", "expires"),
    [
        ('"9999-12-31"', "9999-12-31"),
        ("9999-12-31", "9999-12-31"),
        ('"2030-01-02T05:00:00+09:00"', "2030-01-01T20:00:00+00:00"),
        ("2030-01-02T05:00:00Z", "2030-01-02T05:00:00+00:00"),
        ("2030-01-02T05:00:00", "2030-01-02T05:00:00+00:00"),
    ],
)
def test_an_expiry_is_read_in_every_form_a_date_has(written: str, expires: str) -> None:
    """As text or as a date of TOML; times are taken to UTC, in which they are compared."""
    found, problems = parse_shared(format_shared([put(DismissalScope.FINDING)]) + f"expires = {written}\n")
    assert ([each.expires for each in found], problems) == ([expires], ())


@pytest.mark.parametrize("written", ['"soon"', '"01/02/2030"', '""', "7", "true", "[2030-01-01]"])
def test_an_expiry_that_is_no_date_is_said(written: str) -> None:
    """It neither dismisses for ever nor expires unseen."""
    found, problems = parse_shared(format_shared([put(DismissalScope.FINDING)]) + f"expires = {written}\n")
    assert found == ()
    assert len(problems) == 1
    assert "is no date; write it as 2030-12-31" in problems[0]


def test_names_nobody_knows_are_said_and_cost_nothing() -> None:
    """A misspelt name is not passed over in silence, in a table or beside them."""
    text = format_shared([put(DismissalScope.FINDING)]) + 'exires = "2030-01-01"\n[more]\n'
    found, problems = parse_shared(text)
    assert [each.id for each in found] == [ONE]
    assert problems == (
        ".roundzero/dismissals.toml: more is unknown", ".roundzero/dismissals.toml:3: exires is unknown",
    )  # fmt: skip


def test_an_item_is_put_aside_by_hand_without_a_fingerprint() -> None:
    """Which line it was made on says nothing about an item, nor about a file."""
    table = '[[dismissal]]\nitem = "python/bad"\nreason = "known"\nscope = '
    assert parse_shared(f'{table}"item"\n')[1] == ()
    assert parse_shared(f'{table}"file"\npath = "a.py"\n')[1] == ()
    for scope in ("similar", "finding"):
        problem = ".roundzero/dismissals.toml:1: anchor is missing"
        assert parse_shared(f'{table}"{scope}"\n') == ((), (problem,))


BY_HAND = """\
# Ours, agreed in review.

title = "put aside"

# The plug-ins:
# they may raise anything.
[[dismissal]]   # soon gone
reason = \'\'\'
because
[[dismissal]]
of them\'\'\'
item    = "python/bad"
scope = "item"
# until then


[more]
x = [
  1,
]
"""


def test_an_edit_leaves_what_a_person_wrote() -> None:
    """Comments, form and order stay; a new table goes to its place, and taking it away gives the text of before."""
    found, problems = parse_shared(BY_HAND)
    assert [each.reason for each in found] == ["because\n[[dismissal]]\nof them"]
    assert len(problems) == 2
    late, early = put(DismissalScope.FINDING), replace(put(DismissalScope.ITEM), path=None, item=ItemId("a/b"))
    for made in (late, early):
        text = with_dismissal(BY_HAND, made)
        assert set(parse_shared(text)[0]) == {made, *found}
        assert without_dismissal(text, ONE) == BY_HAND
    assert with_dismissal(BY_HAND, late).startswith(BY_HAND)
    before, after = with_dismissal(BY_HAND, early).split('item = "a/b"')
    assert ("# The plug-ins" in before, "# The plug-ins" in after) == (False, True)


def test_only_the_lines_of_a_table_go() -> None:
    """The comment above it is a person's, and so is what follows."""
    (found,), _ = parse_shared(BY_HAND)
    lines = BY_HAND.split("\n")
    assert without_dismissal(BY_HAND, found.id) == "\n".join(lines[:6] + lines[13:])


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_what_was_made_by_us_is_gone_when_it_is_empty(eol: str) -> None:
    """A comment of a person keeps it. Line ends stay what they are."""
    made = format_shared([put(DismissalScope.FINDING)]).replace("\n", eol)
    assert without_dismissal(made, ONE) is None
    assert without_dismissal(f"{made}# mine{eol}", ONE) == format_shared([]).replace("\n", eol) + f"# mine{eol}"
    both = with_dismissal(made, replace(put(DismissalScope.FINDING), id=TWO))
    assert both.count(eol) == both.count("\n")
    assert without_dismissal(both, TWO) == made


@given(st.lists(MADE, max_size=6, unique_by=lambda each: each.name))
def test_adding_one_after_another_gives_the_sorted_file(made: list[Dismissal]) -> None:
    """In whatever order; taking one away gives the file of the others."""
    text = ""
    for each in made:
        text = with_dismissal(text, each)
    assert text == (format_shared(made) if made else "")
    for at, each in enumerate(made):
        rest = [other for other in made if other.id != each.id]
        left = without_dismissal(text, each.id)
        assert left == (format_shared(rest) if rest else None), at


def test_made_twice_it_is_there_once() -> None:
    """The later reason counts."""
    first = put(DismissalScope.FINDING)
    again = replace(first, reason="better")
    assert with_dismissal(with_dismissal("", first), again) == format_shared([again])


@pytest.mark.parametrize(
    "text",
    ['dismissal = [{item = "a/b", reason = "x", scope = "item"}]\n', "[[dismissal]\n", "dismissal = 1\n"],
)
def test_what_cannot_be_edited_safely_is_refused(text: str) -> None:
    """Rather than written anew."""
    with pytest.raises(ValueError, match=r"dismissals\.toml"):
        with_dismissal(text, put(DismissalScope.FINDING))


def test_an_item_nobody_knows_is_named_with_its_line() -> None:
    """The rest counts; a former name means today's item."""
    item = Item(
        id=ItemId("test/bad"), aliases=(ItemId("old/bad"),), title=Prose("t"), why=Prose("w"), severity=Severity.P2
    )
    rules = Ruleset((item,), "digest")
    table = '[[dismissal]]\nreason = "known"\nscope = "item"\nitem = '
    text = f'{table}"test/bed"\n\n{table}"old/bad"\n\n{table}"q"\n'
    found, problems = parse_shared(text, rules.by_id)
    assert [each.item for each in found] == ["q", "test/bad", "test/bed"]
    assert problems == (
        ".roundzero/dismissals.toml:1: there is no item 'test/bed'; did you mean 'test/bad'?",
        ".roundzero/dismissals.toml:11: there is no item 'q'; it puts nothing aside",
    )


def test_a_syntax_error_is_named_with_its_line() -> None:
    """As editors link it."""
    assert parse_shared("x = 1\ny = \n")[1] == (".roundzero/dismissals.toml:2: Invalid value",)


def test_two_branches_that_add_one_each_touch_different_places() -> None:
    """A new table stands where it belongs and not at the end, whatever was added before."""
    middle = replace(put(DismissalScope.FINDING), id=TWO, path=RelPath("m.py"))
    base = format_shared([middle])
    first, last = (replace(middle, id=FindingId(f"rz-{name}"), path=RelPath(f"{name}.py")) for name in "az")
    assert with_dismissal(base, last).startswith(base)
    assert with_dismissal(base, first).endswith(base.partition("\n")[2])
    assert place_in_file(first) < place_in_file(middle) < place_in_file(last)


def test_every_line_of_the_file_goes_on_to_end_the_same() -> None:
    """Also the last one, which had no end."""
    late = replace(put(DismissalScope.FINDING), id=FindingId("rz-9"), path=RelPath("z.py"))
    text = format_shared([put(DismissalScope.FINDING)]).replace("\n", "\r\n")
    for before in (text, text.removesuffix("\r\n")):
        after = with_dismissal(before, late)
        assert after.count("\n") == after.count("\r\n") > text.count("\n")
