"""Tries a fix on a copy of a text before anyone is offered it.

Edits nothing. Invariant: edits are returned only when the text they replace stands where they say, in the text at hand,
and a text that parsed still parses.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.change import FileChange, Source, Status, blob_id
from roundzero.core.frozen import dataclass
from roundzero.core.rebase import carry, edit_map

if TYPE_CHECKING:
    from roundzero.core.finding import Edit, Finding
    from roundzero.core.item import ItemId
    from roundzero.engine.analysis import Analyst
    from roundzero.engine.sights import FileSight
    from roundzero.git.repository import Git


@dataclass(frozen=True, slots=True)
class TriedFix:
    """What came of a fix. ``preferred``: the finding goes, nothing gets worse. ``reason``: why there are no edits."""

    edits: tuple[Edit, ...]
    preferred: bool
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Bench:
    """What trying needs."""

    git: Git
    analyst: Analyst

    async def attempt(self, finding: Finding, index: int, file: FileChange, text_now: str) -> TriedFix:
        """Try one fix of a finding in ``file``, whose text may have become ``text_now``. Raises OutsideError."""
        if file.head is None or not 0 <= index < len(finding.seen.fixes):
            return TriedFix((), preferred=False, reason="there is no such fix any more")
        now = Source(file.path, text_now, file.head.blob, encoding=file.head.encoding, bom=file.head.bom)
        fix = finding.seen.fixes[index]
        if text_now != file.head.text:
            alone = replace(finding.seen, fixes=(fix,))
            carried = carry([alone], file.path, edit_map(file.head.text, text_now))
            if not carried or not carried[0].fixes:
                return TriedFix((), preferred=False, reason="the lines were edited since")
            fix = carried[0].fixes[0]
        fixed = _applied(now, fix.edits)
        if fixed is None:
            return TriedFix((), preferred=False, reason="the text it would replace is not there any more")
        before, after = await self._look(file, text_now), await self._look(file, fixed)
        if after.broken is not None and before.broken is None:
            return TriedFix((), preferred=False, reason=f"the result would not parse: {after.broken}")
        better = _is_better(finding.seen.item, _counted(before), _counted(after))
        return TriedFix(fix.edits, preferred=better and after.broken is None)

    async def _look(self, file: FileChange, text: str) -> FileSight:
        head = Source(file.path, text, blob_id(text.encode("utf-8", "surrogateescape")))
        base = file.base.text if file.base is not None else ""
        status = Status.MODIFIED if file.base is not None else Status.ADDED
        copy = FileChange(
            path=file.path, status=status, base=file.base, head=head, hunks=await self.git.hunks(base, text)
        )
        return (await self.analyst.files([copy]))[0]


def _applied(source: Source, edits: tuple[Edit, ...]) -> str | None:
    """The text after the edits; None when one does not fit or two overlap."""
    index, text = source.index, source.text
    rows = []
    for edit in edits:
        start, end = index.offset(edit.span.start), index.offset(edit.span.end)
        if edit.path != source.path or text[start:end] != edit.old_text:
            return None
        rows.append((start, end, edit.new_text))
    limit = len(text)
    for start, end, new in sorted(rows, reverse=True):
        if end > limit:
            return None
        text = text[:start] + new + text[end:]
        limit = start
    return text


def _counted(sight: FileSight) -> Counter[ItemId]:
    return Counter(seen.item for seen in sight.seen)


def _is_better(item: ItemId, before: Counter[ItemId], after: Counter[ItemId]) -> bool:
    return after[item] < before[item] and all(after[other] <= before[other] for other in after)
