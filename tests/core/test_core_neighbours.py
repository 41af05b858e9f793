"""Where equal lines compete for a counterpart, the lines around them decide, not the distance."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundzero.core.change import FileChange, Source, Status
from roundzero.core.finding import Hit, Observation, Origin, observe
from roundzero.core.item import Item, ItemId, Prose, Severity
from roundzero.core.linemap import Hunk
from roundzero.core.matching import Moves
from roundzero.core.neighbours import Around, likeness
from roundzero.core.origin import origins
from roundzero.core.text import RelPath
from support.changes import change_of
from support.rounds import Branch

ITEM = Item(id=ItemId("python/bare-except"), title=Prose("Bare except"), why=Prose("It hides."), severity=Severity.P2)
BAD = "bad()"


def source(lines: list[str], path: str = "a.py") -> Source:
    """A source of given lines."""
    return Source(RelPath(path), "".join(f"{line}\n" for line in lines), "0" * 40)


def diff(old: list[str], new: list[str]) -> tuple[Hunk, ...]:
    """Hunks as a diff makes them: lines that are equal with their indentation may be kept."""
    rows = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple(Hunk(a + (b > a), b - a, c + (d > c), d - c) for kind, a, b, c, d in rows if kind != "equal")


def whole(old: list[str], new: list[str]) -> tuple[Hunk, ...]:
    """One hunk for everything: no line is kept, the hardest case for a matcher."""
    return (Hunk(1 if old else 0, len(old), 1 if new else 0, len(new)),)


def bad_lines(text: Source) -> list[Observation]:
    """A finding for each line that is bad, whatever its indentation."""
    found = []
    for line in range(1, text.index.line_count + 1):
        if text.index.line(line).strip() == BAD:
            hit = Hit(path=text.path, span=text.index.line_span(line))
            found.append(observe(ITEM, hit, text, producer="test", version="1"))
    return found


def introduced(old: list[str], new: list[str], hunks: tuple[Hunk, ...]) -> list[int]:
    """The lines (from 1) whose findings are new."""
    base, head = source(old), source(new)
    file = FileChange(path=head.path, status=Status.MODIFIED, base=base, head=head, hunks=hunks)
    seen = bad_lines(head)
    came = origins(bad_lines(base), seen, Moves.within(change_of(file)))
    return [each.line for each, origin in zip(seen, came, strict=True) if origin is Origin.INTRODUCED]


def test_an_old_block_that_was_indented_below_its_new_twin_is_old() -> None:
    """The branch put a second call above the old one and indented that: the second call is the new one."""
    old = [
        "def run(pid):",
        "    command = 'ps'",
        "    bad()",
        "    skip_titles()",
        "    for line in it:",
        "        use(line)",
    ]
    new = [
        "def run(pid):",
        "    if windows:",
        "        command = 'wmic'",
        "        bad()",
        "        lines = it.readlines()",
        "    else:",
        "        command = 'ps'",
        "        bad()",
        "        skip_titles()",
        "        for line in it:",
        "            use(line)",
    ]
    assert introduced(old, new, whole(old, new)) == [4]
    assert introduced(old, new, diff(old, new)) == [4]


def test_the_body_that_moved_to_a_new_function_takes_its_finding_along() -> None:
    """Surroundings that stayed the same say more than the name of the function."""
    old = ["def run():", "    one()", "    two()", "    bad()", "    three()", "    four()"]
    new = ["def run():", "    prepare()", "    bad()", "    inner()", "", "async def inner():", *old[1:]]
    assert introduced(old, new, whole(old, new)) == [3]


def test_without_surroundings_the_symbol_decides() -> None:
    """Where the lines around say nothing, the finding in the old function is the old one."""
    old = ["def run():", "    bad()"]
    new = ["def other():", "    bad()", "def run():", "        bad()"]
    assert introduced(old, new, whole(old, new)) == [2]


def test_a_block_moved_to_another_file_is_told_from_its_new_twin_there() -> None:
    """Across files too the neighbouring lines decide."""
    block = ["one()", "bad()", "two()"]
    base, head = source([*block, "rest()"]), source(["rest()"])
    other = source(["x()", "bad()", "y()", *block], "b.py")
    files = [
        FileChange(path=head.path, status=Status.MODIFIED, base=base, head=head, hunks=(Hunk(1, 3, 0, 0),)),
        FileChange(path=other.path, status=Status.ADDED, base=None, head=other, hunks=(Hunk(0, 0, 1, 6),)),
    ]
    came = origins(bad_lines(base), bad_lines(other), Moves.within(change_of(*files)))
    assert came == [Origin.INTRODUCED, Origin.PRE_EXISTING]


def test_the_ledger_tells_twins_apart_as_origin_does() -> None:
    """An entry stays with its block when that is indented below a new block with the same line."""
    old = ["def run():", "    one()", "    bad()", "    two()"]
    new = ["def run():", "    if x:", "        bad()", "    else:", "        one()", "        bad()", "        two()"]
    branch = Branch()
    branch.round({"a.py": "\n".join(old)})
    name = branch.only().id
    branch.round({"a.py": "\n".join(new)})
    assert branch.id_at(6) == name
    assert branch.id_at(3) != name


@dataclass(frozen=True)
class Block:
    """A few lines with a bad one among them. ``old``: it is at the base too."""

    above: tuple[str, ...]
    below: tuple[str, ...]
    old: bool

    def lines(self, indent: int) -> list[str]:
        """The block, indented."""
        return [" " * indent + line for line in (*self.above, BAD, *self.below)]


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[str], list[str], list[int]]:
    """A base of blocks with one bad line each, a head with blocks moved, indented, copied and edited, and new lines.

    The copies begin or end otherwise than what they are copies of, as a twin does that was written for another case.
    """
    names = itertools.count()
    common = st.lists(st.sampled_from(["pass", "x = 1", ")", "", "return"]), max_size=1)

    def own() -> list[str]:
        return [f"call_{next(names)}()" for _ in range(draw(st.integers(2, 4)))]

    olds = [Block((*own(), *draw(common)), (*draw(common), *own()), old=True) for _ in range(draw(st.integers(1, 4)))]
    heads: list[Block] = draw(st.permutations(olds)) if draw(st.booleans()) else list(olds)
    for _ in range(draw(st.integers(1, 3))):
        like = draw(st.sampled_from(olds))
        above, below = (tuple(own()), like.below[-1:]) if draw(st.booleans()) else (like.above[:1], tuple(own()))
        heads.insert(draw(st.integers(0, len(heads))), Block(above, below, old=False))
    base = [line for block in olds for line in (*block.lines(0), "")]
    head: list[str] = []
    expected: list[int] = []
    for block in heads:
        # A twin at the indentation of the base might be what a diff keeps: then it is the old line, by definition.
        lines = block.lines(draw(st.sampled_from([4, 8])))
        if not block.old:
            expected.append(len(head) + lines.index(next(line for line in lines if line.strip() == BAD)) + 1)
        head += lines
        head += draw(st.lists(st.sampled_from(["", "# note", "import os"]), max_size=2))
    return base, head, expected


@given(edits())
@settings(max_examples=300)
def test_the_added_twin_is_the_one_called_introduced(case: tuple[list[str], list[str], list[int]]) -> None:
    """Whatever is inserted, indented, moved or copied: what was there is old, and the copy is new."""
    base, head, expected = case
    assert introduced(base, head, whole(base, head)) == expected
    assert introduced(base, head, diff(base, head)) == expected


@given(edits())
@settings(max_examples=100)
def test_an_entry_of_the_ledger_stays_with_its_block(case: tuple[list[str], list[str], list[int]]) -> None:
    """The same rule for identity: exactly the copies get ids of their own."""
    base, head, expected = case
    branch = Branch()
    branch.round({"a.py": "\n".join(base)})
    known = set(branch.ledger.entries)
    branch.round({"a.py": "\n".join(head)})
    assert [each.seen.line for each in branch.findings if each.id not in known] == expected


@given(st.lists(st.sampled_from(["a", "b", ")", "", "c"]), max_size=30), st.data())
def test_nothing_is_more_alike_than_a_place_and_itself(lines: list[str], data: st.DataObject) -> None:
    """Likeness is symmetric, and greatest for the same surroundings."""
    text = source([*lines, BAD]).index
    one, other = (data.draw(st.integers(1, text.line_count)) for _ in range(2))
    here = likeness(Around(text, one), Around(text, one))
    there = likeness(Around(text, one), Around(text, other))
    assert there <= here + 1e-9
    assert there == pytest.approx(likeness(Around(text, other), Around(text, one)))


@pytest.mark.parametrize("width", [0, 3])
def test_a_large_file_that_was_indented_is_matched_in_a_moment(width: int) -> None:
    """A thousand equal lines with different or the same surroundings cost no square of comparisons."""
    old = [line for at in range(1000) for line in (*[f"call({at}, {each})" for each in range(width)], BAD)]
    new = [f"    {line}" for line in (BAD, *old)]
    began = time.process_time()
    found = introduced(old, new, whole(old, new))
    assert time.process_time() - began < 3
    assert len(found) == 1
    assert width == 0 or found == [1]
