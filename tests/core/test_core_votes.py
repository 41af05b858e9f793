"""Several drafts' findings become distinct ones with votes."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from roundzero.core.anatomy import Decides, NegativeEvidence, OpenQuestion, Step, Suggestion, Votes
from roundzero.core.change import Side
from roundzero.core.finding import Edit, Fix, Verified
from roundzero.core.item import ItemId, Severity
from roundzero.core.text import Position, RelPath, Span
from roundzero.core.votes import merge
from support.defects import FILES, OTHER, Said, draft, drafted, unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.core.deep import Drafted
    from roundzero.core.finding import Observation

ALL = frozenset({1, 2, 3, 4, 5})
ONE = Said("d", 1, 11, "crash", "take() fails when count is too large", "nothing compares count with the length")


def merged(rows: Sequence[Drafted], **more: object) -> tuple[Observation, ...]:
    """The findings of these drafts, all five voices having answered."""
    return merge(rows, {each.unit: ALL for each in rows}, **more)  # type: ignore[arg-type]


def drafts(*voices: int, said: Said = ONE, **more: object) -> list[Drafted]:
    """The same said by several voices."""
    return [draft(said._replace(voice=voice), **more) for voice in voices]  # type: ignore[arg-type]


def clusters(rows: Sequence[tuple[str, Drafted]]) -> tuple[int, int, int]:
    """Pairs of drafted findings: joined and one defect, joined and not, one defect and not joined."""
    labels: dict[tuple[RelPath | None, int, str], str] = {}
    for label, each in rows:
        seen = each.observation
        labels[seen.path, each.voice, seen.title] = label
    groups: dict[int, set[tuple[RelPath | None, int, str]]] = defaultdict(set)
    found = merged([_marked(each) for _, each in rows])
    for number, seen in enumerate(found):
        assert seen.anatomy is not None
        for mark in seen.anatomy.negative_evidence:
            groups[number].add((seen.path, mark.hits, mark.query))
    right = wrong = 0
    for group in groups.values():
        for one, other in itertools.combinations(sorted(group, key=repr), 2):
            same = labels[one] == labels[other]
            right, wrong = right + same, wrong + (not same)
    pairs = itertools.combinations(rows, 2)
    return right, wrong, sum(one[0] == other[0] for one, other in pairs) - right


def _marked(each: Drafted) -> Drafted:
    """The same with a search of its own, by which it is found again in what it went into."""
    seen = each.observation
    assert seen.anatomy is not None
    mark = NegativeEvidence(query=seen.title, scope="", side=Side.BASE, hits=each.voice)
    return replace(each, observation=replace(seen, anatomy=replace(seen.anatomy, negative_evidence=(mark,))))


def test_no_two_defects_are_joined_and_most_drafts_of_one_are() -> None:
    """Of hand-labelled drafts that were made to mislead, together and file by file."""
    right, wrong, missed = clusters(drafted())
    assert (wrong, missed <= 6) == (0, True), (right, missed)
    assert right >= 24
    for path, (symbol, rows) in FILES.items():
        _, wrong, _ = clusters([(said.defect, draft(said, path, symbol)) for said in rows])
        assert wrong == 0, path


def test_the_same_of_five_voices_is_one_with_five_votes() -> None:
    """However it is ordered, and with the voices that answered as the number it is of."""
    (seen,) = merged(drafts(3, 1, 5, 2, 4))
    assert seen.anatomy is not None
    assert seen.anatomy.votes == Votes(5, 5)
    rows = drafts(1, 4)
    (seen,) = merge(rows, {rows[0].unit: frozenset({1, 2, 4})})
    assert seen.anatomy is not None
    assert seen.anatomy.votes == Votes(2, 3)


def test_a_unit_that_a_voice_read_in_another_order_is_the_same_unit() -> None:
    """Voices get the parts of a unit in orders of their own."""
    one, other = drafts(1, 2)
    shuffled = replace(other, unit=replace(other.unit, items=(ItemId("p/x"),)))
    (seen,) = merge([one, shuffled], {one.unit: frozenset({1, 3}), shuffled.unit: frozenset({2})})
    assert seen.anatomy is not None
    assert seen.anatomy.votes == Votes(2, 3)


def test_one_voice_has_one_vote_and_says_two_things_where_it_said_two() -> None:
    """Two findings of one draft on one line stay two, but for what it plainly repeats."""
    other = ONE._replace(title="the result is a list and callers expect a tuple", claim="callers unpack a tuple")
    assert len(merged([draft(ONE), draft(other)])) == 2
    twice = [draft(ONE), draft(ONE._replace(title="take() fails when count is too large for it"))]
    (seen,) = merged(twice)
    assert seen.anatomy is not None
    assert seen.anatomy.votes == Votes(1, 5)


def test_the_best_argued_is_the_face_and_keeps_the_numbers_of_its_evidence() -> None:
    """Most verified evidence wins, then the lowest voice; what others quote comes behind and once."""
    full = draft(ONE._replace(voice=4, more=(3, 5)))
    steps = (Step("first", (1,)), Step("then", (2,)))
    assert full.observation.anatomy is not None
    argued = replace(full.observation, anatomy=replace(full.observation.anatomy, mechanism=steps), title=ONE.title)
    rows = [*drafts(1, 2), replace(full, observation=argued), draft(ONE._replace(voice=5, more=(5, 9)))]
    (seen,) = merged(rows)
    assert [each.line for each in seen.evidence] == [11, 3, 5, 9]
    assert seen.anatomy is not None
    assert seen.anatomy.mechanism == steps


def test_a_quote_that_was_not_found_counts_for_nothing() -> None:
    """Neither for who argues best nor as evidence that is joined."""
    poor = draft(ONE._replace(voice=1, more=(3, 5)))
    lost = [replace(each, verified=Verified.MISSING) for each in poor.observation.evidence[1:]]
    poor = replace(poor, observation=replace(poor.observation, evidence=(poor.observation.evidence[0], *lost), why="1"))
    rich = draft(ONE._replace(voice=2, more=(7,)))
    (seen,) = merged([poor, replace(rich, observation=replace(rich.observation, why="2"))])
    assert (seen.why, [each.line for each in seen.evidence]) == ("2", [11, 7])


def test_the_severity_is_the_median_and_says_where_drafts_differ() -> None:
    """Of two middle ones the milder; whoever agrees needs no word."""
    for graded, expected in (
        ((Severity.P1, Severity.P1, Severity.P2), Severity.P1),
        ((Severity.P1, Severity.P2), Severity.P2),
        ((Severity.P0, Severity.P1, Severity.P1, Severity.P3), Severity.P1),
        ((Severity.P1, Severity.P1), Severity.P1),
    ):
        rows = [draft(ONE._replace(voice=at), severity=each) for at, each in enumerate(graded, 1)]
        (seen,) = merged(rows)
        assert seen.severity is expected
        assert seen.anatomy is not None
        reason = seen.anatomy.severity_reason
        assert (reason is None) == (len(set(graded)) == 1)
        if reason is not None:
            assert reason.startswith(f"{expected.name}, because drafts graded it P")


def test_no_finding_is_graver_than_under_its_item() -> None:
    """What the settings made mild for an item stays mild, whatever others say under another."""
    rows = [
        draft(ONE._replace(voice=1, item="p/set", more=(3,)), severity=Severity.P3),
        draft(ONE._replace(voice=2, item="p/set"), severity=Severity.P3),
        draft(ONE._replace(voice=3), severity=Severity.P0),
        draft(ONE._replace(voice=4), severity=Severity.P0),
        draft(ONE._replace(voice=5, item="p/set"), severity=Severity.P3),
    ]
    (seen,) = merged(rows)
    assert (seen.item, seen.severity) == ("p/set", Severity.P3)


def test_what_speaks_against_it_is_said() -> None:
    """A draft that graded it quite otherwise, and one that looked for it and found nothing."""
    said = ONE._replace(item="p/check")
    rows = [*drafts(1, 2, 3, said=said), *drafts(4, said=said, severity=Severity.P3)]
    one = rows[0].unit
    (seen,) = merged(rows, clean={(one, 5): frozenset({ItemId("p/check")}), (one, 1): frozenset({ItemId("p/check")})})
    assert seen.anatomy is not None
    assert seen.anatomy.contradictions == (
        "draft 4 graded it P3",
        "draft 5 looked for this and found nothing",
    )
    rows = drafts(1, 2)
    (seen,) = merged(rows, clean={(one, 5): frozenset({ItemId(OTHER)})})
    assert seen.anatomy is not None
    assert seen.anatomy.contradictions == ()


def test_a_severity_that_a_gate_made_milder_contradicts_nothing() -> None:
    """The draft did not grade it so."""
    mild = draft(ONE._replace(voice=2), severity=Severity.P2)
    assert mild.observation.anatomy is not None
    case = replace(mild.observation.anatomy, severity_reason="P2 and not P0, because no claim of it is decisive")
    rows = [*drafts(1, 3, 4, severity=Severity.P0), replace(mild, observation=replace(mild.observation, anatomy=case))]
    (seen,) = merged(rows)
    assert (seen.severity, seen.anatomy is not None and seen.anatomy.contradictions) == (Severity.P0, ())


def test_the_same_edit_makes_one_of_two() -> None:
    """Whatever the words are, what goes away by one edit is one defect."""
    fix = Fix("t", safe=False, edits=(Edit(RelPath("a.py"), Span(Position(11, 1), Position(11, 2)), "x", "y"),))
    one = draft(ONE, fixes=(fix,))
    other = draft(ONE._replace(voice=2, title="另一种说法", claim="完全不同", line=13), fixes=(fix,))
    assert len(merged([one, other])) == 1


def test_questions_of_all_drafts_are_kept_once() -> None:
    """What one draft could not tell is not forgotten because another one argues better."""
    ask = OpenQuestion(text="is it called?", decides=Decides.EXISTENCE)
    rows = drafts(1, 2, 3)
    asking = []
    for each in rows[1:]:
        assert each.observation.anatomy is not None
        case = replace(each.observation.anatomy, open_questions=(ask,))
        asking.append(replace(each, observation=replace(each.observation, anatomy=case)))
    (seen,) = merged([rows[0], *asking])
    assert seen.anatomy is not None
    assert seen.anatomy.open_questions == (ask,)


def advising(each: Drafted, *said: Suggestion) -> Drafted:
    """A draft that suggests so."""
    assert each.observation.anatomy is not None
    return replace(
        each, observation=replace(each.observation, anatomy=replace(each.observation.anatomy, suggestions=said))
    )


def test_what_several_drafts_suggest_is_kept_once() -> None:
    """In other words it is the same advice; another way, and a test, are not; the best argued comes first."""
    check = Suggestion(text="Check the count first.")
    same = Suggestion(text="Check the count before taking articles.")
    other = Suggestion(text="Let the caller lock the shelf and retry.")
    test = Suggestion(text="Check the count before taking articles.", kind="test")
    one, two, three = drafts(1, 2, 3)
    (seen,) = merged([advising(one, check, same), advising(two, same, other), advising(three, check, test)])
    assert seen.anatomy is not None
    assert seen.anatomy.suggestions == (check, other, test)


def test_nobody_reads_a_list_of_suggestions() -> None:
    """However many drafts suggest, and whatever."""
    said = [
        Suggestion(text=f"{word} {word}")
        for word in ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
    ]
    (seen,) = merged([advising(each, *said[at * 4 : at * 4 + 4]) for at, each in enumerate(drafts(1, 2))])
    assert seen.anatomy is not None
    assert seen.anatomy.suggestions == tuple(said[:6])


def test_nothing_gives_nothing() -> None:
    """No drafts, no findings."""
    assert merge([], {}) == ()
    assert merge([], {unit("a.py"): ALL}) == ()


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(len(drafted()))))
def test_the_order_of_drafting_decides_nothing(order: list[int]) -> None:
    """Shuffled, the same drafts give the same findings."""
    rows = [each for _, each in drafted()]
    assert merged([rows[at] for at in order]) == merged(rows)
