"""Pairs are one to one and surest first; ids and origin follow from them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.change import FileChange, Side, Source, Status
from roundzero.core.finding import Anchor, Hit, Observation, Origin, fingerprint, observe
from roundzero.core.item import Item, ItemId, Prose, Severity
from roundzero.core.linemap import Hunk
from roundzero.core.matching import Moves, assign_ids, pair
from roundzero.core.origin import origins
from roundzero.core.text import Position, RelPath, Span, collapse
from support.changes import change_of

ITEM = Item(id=ItemId("python/bare-except"), title=Prose("Bare except"), why=Prose("It hides."), severity=Severity.P2)


def seen(source: Source, line: int, *, item: Item = ITEM, cause: Anchor | None = None) -> Observation:
    """An observation of a whole line of a source."""
    hit = Hit(path=source.path, span=source.index.line_span(line), cause=cause)
    return observe(item, hit, source, producer="test", version="1")


def change(base: Source, head: Source, *hunks: Hunk) -> FileChange:
    """A changed file."""
    return FileChange(path=head.path, status=Status.MODIFIED, base=base, head=head, hunks=hunks)


def source(path: str, *lines: str) -> Source:
    """A source of given lines."""
    return Source(RelPath(path), "".join(f"{line}\n" for line in lines), "0" * 40)


def test_a_finding_that_moved_down_keeps_its_counterpart() -> None:
    """Lines inserted above do not make an old finding new."""
    base = source("a.py", "try:", "    x()", "except:", "    pass")
    head = source("a.py", "import os", "try:", "    x()", "except:", "    pass")
    file = change(base, head, Hunk(0, 0, 1, 1))
    assert origins([seen(base, 3)], [seen(head, 4)], Moves.within(change_of(file))) == [Origin.PRE_EXISTING]


def test_one_counterpart_excuses_one_finding() -> None:
    """A second equal finding beside an old one is introduced."""
    base = source("a.py", "except:")
    head = source("a.py", "except:", "except:")
    file = change(base, head, Hunk(1, 0, 2, 1))
    found = origins([seen(base, 1)], [seen(head, 1), seen(head, 2)], Moves.within(change_of(file)))
    assert found == [Origin.PRE_EXISTING, Origin.INTRODUCED]


def test_an_old_line_that_was_kept_excuses_no_copy_of_it() -> None:
    """Whoever looked at added lines only gave no finding for the old line; the copy is new all the same."""
    base = source("a.py", "except:", "x = 1")
    head = source("a.py", "except:", "x = 1", "except:")
    moves = Moves.within(change_of(change(base, head, Hunk(2, 0, 3, 1))))
    assert origins([seen(base, 1)], [seen(head, 3)], moves) == [Origin.INTRODUCED]
    other = source("b.py", "except:")
    assert origins([seen(base, 1)], [seen(other, 1)], moves) == [Origin.INTRODUCED]


def test_a_renamed_file_takes_its_findings_along() -> None:
    """The base path leads to the head path."""
    base = source("old.py", "def f():", "    except_()")
    head = source("new.py", "def f():", "    except_()")
    assert origins([seen(base, 2)], [seen(head, 2)], Moves.within(change_of(change(base, head)))) == [
        Origin.PRE_EXISTING
    ]


def test_an_edited_line_is_the_same_place_when_it_still_resembles() -> None:
    """Adding an argument to a line that was bad before does not make it this branch's."""
    base = source("a.py", "def load(path, cache={}):")
    head = source("a.py", "def load(path, cache={}, strict=False):")
    file = change(base, head, Hunk(1, 1, 1, 1))
    assert origins([seen(base, 1)], [seen(head, 1)], Moves.within(change_of(file))) == [Origin.PRE_EXISTING]


def marked(source: Source, line: int, piece: str) -> Observation:
    """An observation of a piece of a line."""
    column = source.index.line(line).index(piece) + 1
    hit = Hit(path=source.path, span=Span(Position(line, column), Position(line, column + len(piece))))
    return observe(ITEM, hit, source, producer="test", version="1")


def test_a_name_in_a_list_that_was_laid_out_anew_is_the_same_one() -> None:
    """The lines of the two have little in common, the name is what the finding is about; another name is another."""
    base = source("a.py", "from typing import Any, Callable, Dict, Optional, Tuple")
    head = source("a.py", "from typing import (", "    Any,", "    Callable,", "    Iterable,", ")")
    moves = Moves.within(change_of(change(base, head, Hunk(1, 1, 1, 5))))
    found = [marked(head, 3, "Callable"), marked(head, 4, "Iterable")]
    assert origins([marked(base, 1, "Callable")], found, moves) == [Origin.PRE_EXISTING, Origin.INTRODUCED]


def test_of_several_on_one_line_each_keeps_its_own() -> None:
    """Whether the line is edited or kept, it is the name that came to it, or went out of use, that is new."""
    base = source("a.py", "from ops import Special, Vit")
    head = source("a.py", "from ops import Config, Special, Vit")
    moves = Moves.within(change_of(change(base, head, Hunk(1, 1, 1, 1))))
    names = ("Config", "Special", "Vit")
    old = [marked(base, 1, name) for name in names[1:]]
    found = origins(old, [marked(head, 1, name) for name in names], moves)
    assert found == [Origin.INTRODUCED, Origin.PRE_EXISTING, Origin.PRE_EXISTING]
    kept = Moves.within(change_of(change(base, base)))
    assert origins(old[1:], old, kept) == [Origin.INTRODUCED, Origin.PRE_EXISTING]


def test_a_rewritten_block_does_not_inherit_by_chance() -> None:
    """In one large hunk, unlike lines of different functions are different defects."""
    base = source("a.py", "def one(first, second={}):", "    return first")
    head = source("a.py", "class Reader:", "    def parse(self, zz=[]):", "        return zz")
    file = change(base, head, Hunk(1, 2, 1, 3))
    assert origins([seen(base, 1)], [seen(head, 2)], Moves.within(change_of(file))) == [Origin.INTRODUCED]


def test_a_block_moved_to_another_file_is_not_new_there() -> None:
    """The text went from one changed file to another: its old defect came along."""
    base = source("a.py", "def load(cache={}):", "x = 1")
    head_a, head_b = source("a.py", "x = 1"), source("b.py", "def load(cache={}):")
    files = [
        change(base, head_a, Hunk(1, 1, 0, 0)),
        FileChange(path=RelPath("b.py"), status=Status.ADDED, base=None, head=head_b, hunks=(Hunk(0, 0, 1, 1),)),
    ]
    assert origins([seen(base, 1)], [seen(head_b, 1)], Moves.within(change_of(*files))) == [Origin.PRE_EXISTING]


def test_a_block_out_of_a_deleted_file_keeps_its_counterpart() -> None:
    """No line of a deleted file is kept where it was, so its defect may come along wherever the block went."""
    base, head = source("a.py", "def load(cache={}):", "x = 1"), source("b.py", "y = 2", "def load(cache={}):")
    files = [
        FileChange(path=RelPath("a.py"), status=Status.DELETED, base=base, head=None, hunks=(Hunk(1, 2, 0, 0),)),
        FileChange(path=RelPath("b.py"), status=Status.ADDED, base=None, head=head, hunks=(Hunk(0, 0, 1, 2),)),
    ]
    assert origins([seen(base, 1)], [seen(head, 2)], Moves.within(change_of(*files))) == [Origin.PRE_EXISTING]


def test_a_line_anybody_writes_is_not_taken_for_one_that_went_elsewhere() -> None:
    """Removed here and written anew in another function or file, among other lines, it is new."""
    base = source("a.py", "def one():", "    a()", "    breakpoint()", "    b()", "def two():", "    c()", "    d()")
    head = source("a.py", "def one():", "    a()", "    b()", "def two():", "    c()", "    breakpoint()", "    d()")
    file = change(base, head, Hunk(3, 1, 2, 0), Hunk(6, 0, 6, 1))
    assert origins([seen(base, 3)], [seen(head, 6)], Moves.within(change_of(file))) == [Origin.INTRODUCED]
    for lines in (["def three():", "    breakpoint()"], ["e()", "breakpoint()", "f()"]):
        gone = source("a.py", *[line for line in base.text.splitlines() if "breakpoint" not in line])
        other = source("b.py", *lines)
        files = [
            change(base, gone, Hunk(3, 1, 2, 0)),
            FileChange(
                path=RelPath("b.py"), status=Status.ADDED, base=None, head=other, hunks=(Hunk(0, 0, 1, len(lines)),)
            ),
        ]
        assert origins([seen(base, 3)], [seen(other, 2)], Moves.within(change_of(*files))) == [Origin.INTRODUCED]


def test_two_top_levels_are_not_one_place() -> None:
    """An unused import that one file lost excuses none that another file got."""
    base, head, other = (
        source("a.py", "import os", "x = 1"),
        source("a.py", "x = 1"),
        source("b.py", "import os", "y = 2"),
    )
    files = [
        change(base, head, Hunk(1, 1, 0, 0)),
        FileChange(path=RelPath("b.py"), status=Status.ADDED, base=None, head=other, hunks=(Hunk(0, 0, 1, 2),)),
    ]
    assert origins([seen(base, 1)], [seen(other, 1)], Moves.within(change_of(*files))) == [Origin.INTRODUCED]


def test_a_long_line_is_known_wherever_it_went() -> None:
    """A constant that moved to another file brings its defect along, whatever stands around it there."""
    line = "PASSWORD = 'hunter2hunter2'"
    base, head, other = source("a.py", line, "x = 1"), source("a.py", "x = 1"), source("b.py", "y = 2", line, "z = 3")
    files = [
        change(base, head, Hunk(1, 1, 0, 0)),
        FileChange(path=RelPath("b.py"), status=Status.ADDED, base=None, head=other, hunks=(Hunk(0, 0, 1, 3),)),
    ]
    assert origins([seen(base, 1)], [seen(other, 2)], Moves.within(change_of(*files))) == [Origin.PRE_EXISTING]


def test_a_consequence_of_this_branch_is_introduced_wherever_it_lies() -> None:
    """A finding with a cause needs no counterpart, and is not excused by one."""
    text = source("BUILD", 'srcs = ["gone.py"]')
    file = change(text, text)
    head = seen(text, 1, cause=Anchor(RelPath("gone.py"), 1))
    assert origins([seen(text, 1)], [head], Moves.within(change_of(file))) == [Origin.INTRODUCED]


def test_a_base_side_finding_is_introduced() -> None:
    """A guard this branch removed is this branch's doing."""
    base, head = source("a.py", "raise X"), source("a.py", "pass")
    hit = Hit(path=base.path, span=base.index.line_span(1), side=Side.BASE)
    removed = observe(ITEM, hit, base, producer="test", version="1")
    assert origins([removed], [removed], Moves.within(change_of(change(base, head, Hunk(1, 1, 1, 1))))) == [
        Origin.INTRODUCED
    ]


lines = st.lists(st.sampled_from(["except:", "x = 1", "def f(a={}):", "y"]), max_size=8)


@given(lines, lines, st.randoms(use_true_random=False))
def test_pairs_are_one_to_one_and_do_not_depend_on_order(old: list[str], new: list[str], random: object) -> None:
    """Shuffling the input changes nothing, and nothing is used twice."""
    base, head = source("a.py", *old), source("a.py", *new)
    moves = Moves.within(change_of(change(base, head, Hunk(1 if old else 0, len(old), 1 if new else 0, len(new)))))
    before = [seen(base, n) for n in range(1, len(old) + 1)]
    after = [seen(head, n) for n in range(1, len(new) + 1)]
    pairs = pair(before, after, moves)
    assert len(set(pairs.values())) == len(pairs)
    shuffled = list(range(len(before)))
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    again = pair([before[at] for at in shuffled], after, moves)
    assert {new_at: shuffled[old_at] for new_at, old_at in again.items()} == pairs


@given(lines)
def test_ids_are_unique_and_stable(text: list[str]) -> None:
    """Equal lines are told apart by their order; the same observations get the same ids in any order."""
    head = source("a.py", *text)
    found = [seen(head, n) for n in range(1, len(text) + 1)]
    ids = assign_ids(found)
    assert len(set(ids)) == len(ids)
    assert all(value.startswith("rz-") and len(value) == 15 for value in ids)
    assert assign_ids(found[::-1]) == ids[::-1]


def test_the_fingerprint_ignores_white_space_and_line_number() -> None:
    """Re-indented and moved code has the same fingerprint."""
    one = fingerprint(ITEM.id, RelPath("a.py"), None, collapse("  a =  1 "))
    assert one == fingerprint(ITEM.id, RelPath("a.py"), None, collapse("a = 1"))


def test_the_span_may_be_absent() -> None:
    """A finding about the whole change has no line, and its subject is its anchor."""
    whole = observe(ITEM, Hit(path=None, span=None, subject="40 files"), None, producer="test", version="1")
    assert (whole.line, whole.anchor_text, whole.symbol) == (0, "40 files", None)
    assert isinstance(source("a.py", "x").index.line_span(1), Span)
