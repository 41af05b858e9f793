"""What of a change a model has looked at, and how much of the change of now that is.

Pure: one run of the model lane leaves it, edits are compared with it, and only edited files are read for that.
Invariant: a hunk counts as looked at only while it reads, on both sides, as it did when the model looked.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.judge import within
from roundzero.engine.known_file import key
from roundzero.engine.quick_review import sight_of

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

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
    _answered: dict[RelPath, list[Hunk]] | None = None
    _counted: dict[RelPath, _Count] = field(default_factory=dict)

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
        if self._answered is None:
            self._answered = _hunks_answered(self)
        total = covered = 0
        counted: dict[RelPath, _Count] = {}
        for file in change.files:
            if file.head is None or not self.inquiry.covers(file.path):
                continue
            # Nearly all files are as they were before the last keystroke.
            before = self._counted.get(file.path)
            if before is None or (before.file is not file and key(before.file) != key(file)):
                before = _Count(file, _common(file, self.change.file(file.path), self._answered.get(file.path, ())))
            counted[file.path] = before
            total += len(file.hunks)
            covered += before.covered
        self._counted = counted
        gaps: tuple[str, ...] = ()
        if covered < total:
            hunks = "hunk was" if total == 1 else "hunks were"
            gaps = f"{covered} of {total} {hunks} looked at by the model: {total - covered} not asked yet", CHANGED
        return replace(self.sight, hunks=total, covered=covered, gaps=gaps, answered=frozenset(), spared=frozenset())


@dataclass(frozen=True, slots=True)
class _Count:
    """How many hunks of a file a model has looked at."""

    file: FileChange
    covered: int


def _common(file: FileChange, asked: FileChange | None, answered: Collection[Hunk]) -> int:
    """How many hunks of a file read as ones that were answered, each of which is there for one."""
    if asked is None or not answered:
        return 0
    if key(file) == key(asked):
        return len(answered)
    known = Counter(_print(asked, hunk) for hunk in answered)
    return (Counter(_print(file, hunk) for hunk in file.hunks) & known).total()


def _hunks_answered(looked: LookedAt) -> dict[RelPath, list[Hunk]]:
    """The hunks of which no piece is without an answer, by path."""
    good = {(answer.unit.path, answer.unit.hunks) for answer in looked.answers if answer.draft is not None}
    open_parts = [(each.path, each.hunks) for each in looked.parts.uncovered]
    open_parts += [(unit.path, unit.hunks) for unit in looked.parts.units if (unit.path, unit.hunks) not in good]
    left: dict[RelPath, list[Hunk]] = defaultdict(list)
    for path, hunks in open_parts:
        left[path] += hunks
    return {
        file.path: [hunk for hunk in file.hunks if not any(_holds(hunk, piece) for piece in left[file.path])]
        for file in looked.change.files
        if file.head is not None and looked.inquiry.covers(file.path)
    }


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
    return removed, added
