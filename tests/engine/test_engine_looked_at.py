"""What of the change of now a model has looked at, and what that costs at a keystroke."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from roundzero.core.change import Change, FileChange, Source, Status
from roundzero.core.dismissal import Dismissal, DismissalScope
from roundzero.core.finding import FindingId, State
from roundzero.core.item import ItemId
from roundzero.core.known_texts import Texts
from roundzero.core.ledger import Ledger
from roundzero.core.linemap import Hunk
from roundzero.core.model_values import Unit
from roundzero.core.text import RelPath
from roundzero.engine.looked_at import LookedAt
from roundzero.engine.quick_review import ModelSight
from roundzero.engine.recall import Recall
from support.changes import change_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.core.text import LineIndex

BASE = "".join(f"line {number}\n" for number in range(20))


class Unread(Source):
    """A text whose lines nobody may read."""

    __slots__ = ()

    @property
    def index(self) -> LineIndex:
        """Refuse."""
        raise AssertionError(self.path)


def file(name: str, *added: str, kind: type[Source] = Source) -> FileChange:
    """A file with lines added at its top, each in a hunk of its own before a line that was there."""
    lines = BASE.splitlines(keepends=True)
    hunks = []
    for at, text in enumerate(added):
        lines.insert(2 * at, f"{text}\n")
        hunks.append(Hunk(at, 0, 2 * at + 1, 1))
    path, text = RelPath(name), "".join(lines)
    return FileChange(
        path=path,
        status=Status.MODIFIED,
        base=kind(path, BASE, "base"),
        head=kind(path, text, text),
        hunks=tuple(hunks),
    )


def change(*files: FileChange) -> Change:
    """A change of these files."""
    return change_of(*files, snapshot=repr([each.head and each.head.blob for each in files]))  # fmt: skip


def looked(asked: Change, *unanswered: tuple[FileChange, Hunk]) -> LookedAt:
    """A run in which all was answered but these."""
    open_ = [Unit(path=each.path, hunks=(hunk,), excerpts=()) for each, hunk in unanswered]
    done = [
        Unit(path=each.path, hunks=(hunk,), excerpts=())
        for each in asked.files
        for hunk in each.hunks
        if (each, hunk) not in unanswered
    ]
    answers = tuple(SimpleNamespace(unit=unit, draft=object()) for unit in done)
    parts = SimpleNamespace(units=(*open_, *done), uncovered=())
    inquiry = SimpleNamespace(change=asked, covers=lambda _: True)
    return LookedAt(inquiry, None, parts, answers, ModelSight())  # type: ignore[arg-type]


def counted(run: LookedAt, *files: FileChange) -> tuple[int, int]:
    """How many hunks of a change were looked at, of how many."""
    sight = run.now(change(*files))
    return sight.covered, sight.hunks


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (("y", "x"), (1, 2)),
        (("new", "x"), (1, 2)),
        (("y",), (0, 1)),
        (("x", "x"), (1, 2)),
        ((), (0, 0)),
    ],
)
def test_a_hunk_counts_while_it_reads_as_it_was_answered(now: Sequence[str], expected: tuple[int, int]) -> None:
    """Wherever it is in its file; each that was looked at counts for one, and one without an answer for none."""
    then, other = file("a.py", "x", "y"), file("b.py", "z")
    run = looked(change(then, other), (then, then.hunks[1]))
    covered, total = counted(run, file("a.py", *now), other)
    assert (covered - 1, total - 1) == expected


def test_a_keystroke_reads_the_lines_of_the_edited_file_only() -> None:
    """However many files the change has: of all others it is known how many hunks were looked at."""
    others = [file(f"{number}.py", "x", kind=Unread) for number in range(5)]
    run = looked(change(file("a.py", "x"), *others))
    assert counted(run, file("a.py", "x", "y"), *others) == (6, 7)
    again = [file(f"{number}.py", "x", kind=Unread) for number in range(5)]
    assert counted(run, file("a.py", "y"), *again) == (5, 6)


def test_what_no_dismissal_names_costs_a_look_at_its_item() -> None:
    """Dismissals beside entries are asked at every keystroke, of every finding there is."""
    put = Dismissal(
        id=FindingId("rz-000000000001"), scope=DismissalScope.ITEM, item=ItemId("p/i"), path=None, symbol=None,
        anchor="", reason="fine", by=None, at="2026-01-01T00:00:00+00:00",
    )  # fmt: skip
    recall = Recall(Ledger(), Texts(), dismissals=(put,), shared=(), settings="", at="2026-01-02T00:00:00+00:00")
    seen = SimpleNamespace(item=ItemId("p/i"), path=None, symbol=None, anchor_text="")
    named = SimpleNamespace(id=FindingId("rz-000000000002"), seen=seen, state=State.OPEN)
    other = SimpleNamespace(seen=SimpleNamespace(item=ItemId("p/other")))
    assert recall.put_aside([other, named, other]) == {named.id: put}  # type: ignore[list-item]
    assert recall.put_aside([other]) == {}  # type: ignore[list-item]
