"""What of a change a model has looked at, and how much of the change of now that is.

Pure: one run of the model lane leaves it, edits are compared with it. Invariant: a hunk counts as looked at only while
it reads, on both sides, as it did when the model looked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.judge import within
from roundzero.engine.quick_review import sight_of

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator

    from roundzero.core.change import Change, FileChange
    from roundzero.core.drafting import Texts
    from roundzero.core.linemap import Hunk
    from roundzero.core.text import RelPath
    from roundzero.core.units import Cut
    from roundzero.engine.quick_review import Answer, Inquiry, ModelSight

CHANGED: Final = "the text has changed since the model looked"


@dataclass(slots=True)
class LookedAt:
    """One run: what could be asked about, and the answers there are. ``sight`` is what holds of them."""

    inquiry: Inquiry
    texts: Texts
    parts: Cut
    answers: tuple[Answer, ...]
    sight: ModelSight
    _now: tuple[Change, ModelSight] | None = None

    @property
    def change(self) -> Change:
        """What was asked about."""
        return self.inquiry.change

    def of(self, paths: Collection[RelPath]) -> ModelSight:
        """What holds for these files and folders alone."""

        def asked(path: RelPath) -> bool:
            return any(within(path, each) for each in paths)

        parts = replace(
            self.parts,
            units=tuple(unit for unit in self.parts.units if asked(unit.path)),
            uncovered=tuple(each for each in self.parts.uncovered if asked(each.path)),
        )
        answers = [answer for answer in self.answers if asked(answer.unit.path)]
        return sight_of(answers, self.inquiry, self.texts, parts=parts, spent=self.sight.spent)

    def now(self, change: Change) -> ModelSight:
        """What holds of it for a change, with the hunks counted that the change has."""
        if change.snapshot == self.change.snapshot:
            return self.sight
        if self._now is None or self._now[0] is not change:
            self._now = (change, self._compared(change))
        return self._now[1]

    def _compared(self, change: Change) -> ModelSight:
        known = Counter(_answered(self))
        total = covered = 0
        for file in change.files:
            if file.head is None or not self.inquiry.covers(file.path):
                continue
            for hunk in file.hunks:
                total += 1
                print_of = _print(file, hunk)
                if known[print_of]:
                    known[print_of] -= 1
                    covered += 1
        gaps: tuple[str, ...] = ()
        if covered < total:
            hunks = "hunk was" if total == 1 else "hunks were"
            gaps = f"{covered} of {total} {hunks} looked at by the model: {total - covered} not asked yet", CHANGED
        return replace(self.sight, hunks=total, covered=covered, gaps=gaps, answered=frozenset())


def _answered(looked: LookedAt) -> Iterator[Hashable]:
    """The hunks of which no piece is without an answer."""
    good = {(answer.unit.path, answer.unit.hunks) for answer in looked.answers if answer.draft is not None}
    open_parts = [(each.path, each.hunks) for each in looked.parts.uncovered]
    open_parts += [(unit.path, unit.hunks) for unit in looked.parts.units if (unit.path, unit.hunks) not in good]
    left = [(path, hunk) for path, hunks in open_parts for hunk in hunks]
    for file in looked.change.files:
        if file.head is None or not looked.inquiry.covers(file.path):
            continue
        pieces = [hunk for path, hunk in left if path == file.path]
        yield from (_print(file, hunk) for hunk in file.hunks if not any(_holds(hunk, piece) for piece in pieces))


def _holds(hunk: Hunk, piece: Hunk) -> bool:
    return (
        hunk.head_start <= piece.head_start <= hunk.head_start + hunk.head_count
        and hunk.base_start <= piece.base_start <= hunk.base_start + hunk.base_count
    )


def _print(file: FileChange, hunk: Hunk) -> Hashable:
    """How a hunk reads."""
    head, base = file.head, file.base
    added = tuple(head.index.line(line) for line in hunk.head_lines) if head is not None else ()
    removed = tuple(base.index.line(line) for line in hunk.base_lines) if base is not None else ()
    return file.path, removed, added
