"""Carrying observations over to a later text."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.anatomy import Anatomy, Step
from roundzero.core.change import Side, Source
from roundzero.core.finding import Anchor, Edit, Evidence, Fix, Hit, Observation, Verified, observe
from roundzero.core.item import Item, ItemId, Prose, Severity
from roundzero.core.linemap import Hunk
from roundzero.core.rebase import aged, carry, edit_map
from roundzero.core.text import LineIndex, Position, RelPath, Span

PATH = RelPath("a.py")
ITEM = Item(id=ItemId("p/i"), title=Prose("t"), why=Prose("w"), severity=Severity.P2)

texts = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(st.sampled_from(["", "a", "b", "ab", "é\x0c", "a\r"]), max_size=8),
    st.sampled_from(["", "\n"]),
)


def seen(text: str, line: int, **more: object) -> Observation:
    """An observation over one whole line."""
    source = Source(PATH, text, "0" * 40)
    hit = Hit(path=PATH, span=source.index.line_span(line), **more)  # type: ignore[arg-type]
    return observe(ITEM, hit, source, producer="p", version="1")


@given(texts, texts)
def test_lines_outside_the_edited_region_are_equal(old: str, new: str) -> None:
    """Whatever the map maps has the same text on both sides, and the order is kept."""
    moved = edit_map(old, new)
    before, after = LineIndex(old), LineIndex(new)
    mapped = [moved.new(line) for line in range(1, before.line_count + 1)]
    for line, there in enumerate(mapped, start=1):
        if there is not None:
            assert before.line(line) == after.line(there)
    known = [line for line in mapped if line is not None]
    assert known == sorted(set(known))
    assert all(1 <= line <= after.line_count for line in known)


@given(texts, st.integers(0, 7), st.sampled_from(["new\n", "new\nnew\n"]))
def test_an_inserted_line_costs_nothing(text: str, at: int, inserted: str) -> None:
    """After an insertion at the start of a line every old line is still mapped."""
    index = LineIndex(text)
    offset = index.line_start(min(at, index.line_count) + 1) if index.line_count else 0
    if offset and text[offset - 1] != "\n":
        offset = 0
    moved = edit_map(text, text[:offset] + inserted + text[offset:])
    assert all(moved.new(line) is not None for line in range(1, index.line_count + 1))


def test_lines_between_two_edits_keep_their_places() -> None:
    """Unique lines there tell where they went, and equal lines that touch them go along."""
    old = "one\n}\ntwo\n}\nthree\n}\nfour\n"
    moved = edit_map(old, "zero\none\n}\ntwo\n}\nthree\n}\n4\n")
    assert [moved.new(line) for line in range(1, 8)] == [2, 3, 4, 5, 6, 7, None]
    assert edit_map("a\n", "new\na\nnew\n").new(1) == 2
    assert edit_map("a\n}\n}\n}\nb\n", "A\n}\n}\n}\nB\n").hunks == (Hunk(1, 5, 1, 5),)


def test_an_observation_moves_with_its_line() -> None:
    """A line above pushes the observation, its fix, its evidence and its cause down."""
    old, new = "a\nb\nc\n", "x\na\nb\nc\n"
    span = Span(Position(3, 1), Position(3, 2))
    evidence = Evidence(path=PATH, side=Side.HEAD, line=1, quote="a", role="use", blob="0")
    fix = Fix("f", safe=True, edits=(Edit(PATH, span, "c", "d"),))
    (there,) = carry(
        [seen(old, 3, evidence=(evidence,), fixes=(fix,), cause=Anchor(PATH, 2))], PATH, edit_map(old, new)
    )
    assert there.line == 4
    assert there.evidence[0].line == 2
    assert there.fixes[0].edits[0].span.start.line == 4
    assert there.cause == Anchor(PATH, 3)


def test_what_touches_an_edited_line_is_left_behind() -> None:
    """An edited line's observation goes; a fix that would edit it goes alone."""
    old, new = "a\nb\n", "a\nB\n"
    assert carry([seen(old, 2)], PATH, edit_map(old, new)) == ()
    fix = Fix("f", safe=True, edits=(Edit(PATH, Span(Position(2, 1), Position(2, 2)), "b", "d"),))
    (there,) = carry([seen(old, 1, fixes=(fix,))], PATH, edit_map(old, new))
    assert there.fixes == ()


def test_base_side_observations_stay() -> None:
    """Editing the head does not move a removed line."""
    old, new = "a\n", "x\na\n"
    (there,) = carry([seen(old, 1, side=Side.BASE)], PATH, edit_map(old, new))
    assert there.line == 1


def test_what_a_model_said_keeps_all_its_evidence() -> None:
    """Its steps count evidence by number, so a line that was edited is marked as missing and not left out."""
    quoted = tuple(
        Evidence(path=PATH, side=Side.HEAD, line=at, quote=text, role="", blob="0") for at, text in ((1, "a"), (3, "c"))
    )
    said = replace(seen("a\nb\nc\n", 1, evidence=quoted), anatomy=Anatomy(mechanism=(Step("it runs", (0, 1)),)))
    (there,) = carry([said], PATH, edit_map("a\nb\nc\n", "a\nb\nC\n"))
    assert [each.verified for each in there.evidence] == [Verified.EXACT, Verified.MISSING]
    old = aged(said, PATH, edit_map("a\nb\nc\n", "A\nb\nc\n"))
    assert old is not None
    assert [each.verified for each in old.evidence] == [Verified.MISSING, Verified.EXACT]
    assert aged(said, PATH, edit_map("a\nb\nc\n", "b\nc\n")) is None


def test_what_ages_keeps_its_cause_in_sight() -> None:
    """The changed line that a finding comes from moves as the finding does."""
    said = seen("a\nb\nc\n", 1, cause=Anchor(PATH, 3))
    old = aged(said, PATH, edit_map("a\nb\nc\n", "A\nnew\nb\nc\n"))
    assert old is not None
    assert old.cause == Anchor(PATH, 4)
