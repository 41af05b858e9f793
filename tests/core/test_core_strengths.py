"""What a change was praised for, over rounds."""

from __future__ import annotations

from roundzero.core.change import Side, Source
from roundzero.core.finding import Evidence, Verified
from roundzero.core.model_part import Strength
from roundzero.core.strengths import MOST, Guarded, guarded, joined, notices, written
from roundzero.core.text import RelPath

PATH = RelPath("app.py")
GUARDED = "def take(shelf, count):\n    if count > len(shelf):\n        raise ValueError(count)\n    return shelf\n"
WITHOUT = "def take(shelf, count):\n    return shelf\n"


def sources(text: str, path: RelPath = PATH) -> dict[tuple[RelPath, Side], Source]:
    """One head text."""
    return {(path, Side.HEAD): Source(path, text, str(len(text)))}


def strength(text: str = "refuses a count that is too large", quote: str = "if count > len(shelf):") -> Strength:
    """A strength with a verified quote."""
    proof = Evidence(path=PATH, side=Side.HEAD, line=2, quote=quote, role="", blob="b")
    return Strength(text, (proof,))


def kept_after(round_: int, text: str, *new: Strength, before: Guarded | None = None) -> Guarded:
    """What is known in the round after one that saw ``text``."""
    rows = written(before or Guarded(), new, sources(text), round_)
    return guarded(rows, sources(text), index=round_ + 1)


def test_a_strength_stands_as_long_as_its_quote_reads_so() -> None:
    """Moved with its lines, it is where it is now, in its symbol, with the words and the round it was given in."""
    before = kept_after(1, GUARDED, strength())
    now = guarded(before.standing, sources("import os\n\n" + GUARDED), index=2)
    (kept,) = now.standing
    assert (kept.evidence[0].line, kept.evidence[0].verified, kept.symbols) == (4, Verified.MOVED, ("take",))
    assert kept.shown.since == 1
    assert not now.undone


def test_an_edit_that_takes_the_quote_away_says_so() -> None:
    """The strength is not among those that stand, and the notice names the round, the file and the words."""
    before = kept_after(3, GUARDED, strength())
    now = guarded(before.standing, sources(WITHOUT), index=4)
    assert not now.standing
    assert notices(now.undone) == ("round 3 praised what is gone from app.py: refuses a count that is too large",)


def test_it_is_said_in_the_round_that_undid_it_and_no_other() -> None:
    """A second review of the same round says it again; the next round says nothing."""
    before = kept_after(1, GUARDED, strength())
    rows = written(guarded(before.standing, sources(WITHOUT), index=2), (), sources(WITHOUT), 2)
    assert [each.left for each in rows] == [2]
    assert len(guarded(rows, sources(WITHOUT), index=2).undone) == 1
    assert guarded(rows, sources(WITHOUT), index=3) == Guarded()


def test_of_a_text_that_is_not_at_hand_nothing_is_known() -> None:
    """It stands; where its file is known to be gone it does not."""
    before = kept_after(1, GUARDED, strength())
    assert len(guarded(before.standing, {}, index=2).standing) == 1
    assert len(guarded(before.standing, {}, gone={PATH}, index=2).undone) == 1


def test_a_known_strength_keeps_its_words() -> None:
    """Said again in other words of the same line, or in like words of another, it is no second one."""
    before = kept_after(1, GUARDED, strength())
    again = joined(before, [strength("checks the count first")], sources(GUARDED), 2)
    assert [(each.text, each.round) for each in again] == [("refuses a count that is too large", 1)]
    alike = strength("refuses a count that is too large for it", "raise ValueError(count)")
    assert len(joined(before, [alike], sources(GUARDED), 2)) == 1
    other = strength("the error names what was asked for", "raise ValueError(count)")
    assert [each.round for each in joined(before, [other], sources(GUARDED), 2)] == [1, 2]


def test_two_reviews_of_one_round_list_them_alike() -> None:
    """By age and place, in whatever order they were given."""
    one, two = strength("b", "if count > len(shelf):"), strength("a", "raise ValueError(count)")
    first = joined(Guarded(), [one, two], sources(GUARDED), 1)
    assert first == joined(Guarded(), [two, one], sources(GUARDED), 1)
    assert joined(Guarded(standing=first[::-1]), [], sources(GUARDED), 1) == first


def test_a_strength_without_a_verified_quote_is_none() -> None:
    """Whatever it says; and there are never more than a few."""
    missing = Evidence(
        path=PATH, side=Side.HEAD, line=2, quote="nothing like it", role="", blob="b", verified=Verified.MISSING
    )
    assert joined(Guarded(), [Strength("good", (missing,))], sources(GUARDED), 1) == ()
    many = [strength(f"{word} " * 5, f"quote number {word}") for word in "abcdefghijklmnopqrst"]
    assert len(joined(Guarded(), many, sources(GUARDED), 1)) == MOST


def test_no_secret_is_kept() -> None:
    """Neither in the words nor in the quote."""
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
    (kept,) = joined(Guarded(), [strength(f"hides {token}", f'KEY = "{token}"')], sources(GUARDED), 1)
    assert token not in kept.text + kept.evidence[0].quote
