"""Puts a change together: what differs between a base and the work tree, the index or a commit, with both texts.

Two rounds: listing.py asks git, candidates.py reads; build.py judges each path. Cost follows the change; only git's own
scan of the index and of folders follows the repository. Invariant: hunks always fit the very texts in the change. Where
git's own do not, because a file changed in between or has a buffer in an editor, the texts are compared again.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from roundzero.core.change import ABSENT, Change, FileChange, HeadState, Skip, Status, blob_id, snapshot_id
from roundzero.core.frozen import dataclass
from roundzero.core.text import Decoded, RelPath
from roundzero.git import build
from roundzero.git.candidates import Candidates
from roundzero.git.listing import look
from roundzero.git.merging import without_merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from roundzero.git.build import Candidate, Outcome
    from roundzero.git.diff import Entry
    from roundzero.git.files import DiskFile
    from roundzero.git.listing import Access, CollectRules, Seen, Target


@dataclass(frozen=True, slots=True)
class Background:
    """What a collection knew beside the change: its limits; by path, the encoding on disk and the bare candidate."""

    limits: CollectRules
    forms: Mapping[RelPath, Decoded]
    bare: Mapping[RelPath, Candidate]


_ZEROS: Final = "0" * 40
_COMPARED_BYTES: Final = 10_000_000


async def collect(
    access: Access,
    target: Target,
    limits: CollectRules,
    overlays: Mapping[RelPath, str],
) -> tuple[Change, Background]:
    """Collect the change of ``target``. ``overlays`` are unsaved editor texts by path. Raises OutsideError."""
    seen = await look(access, target, limits)
    candidates = Candidates(access, target, limits, overlays)
    found = await candidates.find(seen)
    outcomes = await asyncio.to_thread(_built, found, limits.max_file_bytes)
    outcomes = await _compared(access, found, outcomes)
    files = [outcome.file for outcome in outcomes if outcome.file is not None]
    skipped = [outcome.skip for outcome in outcomes if outcome.skip is not None]
    if target.merge_heads:
        files, skipped = await without_merged(access, target, files, skipped)
    staged = target.head_tree == "" and bool(seen.listing.entries)
    dirty = staged or (target.on_disk and _dirty(access, seen, candidates.disk, files, overlays))
    files.sort(key=lambda file: file.path)
    skipped.sort(key=lambda entry: entry.path)
    change = Change(
        base=target.base,
        head=HeadState(commit=target.commit, branch=target.branch, dirty=dirty),
        files=tuple(files),
        skipped=tuple(skipped),
        snapshot=snapshot_of(files, skipped),
        head_tree=target.head_tree,
    )
    sides = [(file.path, file.head or file.base) for file in files]
    forms = {path: Decoded("", side.encoding, side.bom) for path, side in sides if side is not None}
    return change, Background(limits, forms | candidates.forms, {each.path: each.bare() for each in found})


def snapshot_of(files: Iterable[FileChange], skipped: Iterable[Skip]) -> str:
    """The snapshot id of a change with these parts. The old path of a rename counts as deleted."""
    entries: dict[RelPath, tuple[str, str]] = {}
    renamed: list[RelPath] = []
    for entry in skipped:
        entries[entry.path] = (entry.mode, entry.blob) if entry.mode != ABSENT else (ABSENT, _ZEROS)
        if entry.status is Status.RENAMED and entry.old_path is not None:
            renamed.append(entry.old_path)
    for file in files:
        entries[file.path] = (file.mode, file.head.blob) if file.head is not None else (ABSENT, _ZEROS)
        if file.status is Status.RENAMED and file.old_path is not None:
            renamed.append(file.old_path)
    for path in renamed:
        entries.setdefault(path, (ABSENT, _ZEROS))
    return snapshot_id((path, mode, blob) for path, (mode, blob) in entries.items())


def _built(found: Sequence[Candidate], max_bytes: int) -> list[Outcome]:
    return [build.build(candidate, max_bytes=max_bytes) for candidate in found]


async def _compared(access: Access, found: Sequence[Candidate], outcomes: list[Outcome]) -> list[Outcome]:
    """The outcomes with hunks made from the texts where git's own did not serve."""
    places: list[tuple[int, FileChange]] = []
    texts: list[tuple[str, str]] = []
    for at, outcome in enumerate(outcomes):
        file = outcome.file
        if outcome.compare and file is not None and file.base is not None and file.head is not None:
            places.append((at, file))
            texts.append((file.base.text, file.head.text))
    for (at, file), hunks in zip(places, await access.differ.hunks_of(texts), strict=True):
        outcomes[at] = build.finish(file, hunks, base_mode=found[at].base_mode)
    return outcomes


def _dirty(
    access: Access,
    seen: Seen,
    disk: Mapping[RelPath, DiskFile],
    files: Sequence[FileChange],
    buffers: Iterable[RelPath],
) -> bool:
    """Whether the work tree holds anything that HEAD does not: uncommitted, untracked or unsaved."""
    if seen.untracked or seen.unmerged:
        return True
    unsaved = set(buffers)
    if any(file.path in unsaved and file.head is not None and file.head.blob != disk[file.path].blob for file in files):
        return True
    entries = seen.listing.entries if seen.uncommitted is None else seen.uncommitted
    return any(_uncommitted(access, entry, disk.get(entry.path)) for entry in entries)


def _uncommitted(access: Access, entry: Entry, file: DiskFile | None) -> bool:
    """Whether an entry is more than a touched file: git has not looked into it, so its id decides."""
    if not entry.unhashed or entry.new_mode != entry.old_mode:
        return True
    if file is None:
        file = access.work_tree.read(entry.path, max_bytes=_COMPARED_BYTES)
    if file.blob == entry.old_id:
        return False
    normalised = (file.data or b"").replace(b"\r\n", b"\n")
    return blob_id(normalised, algorithm=access.object_format) != entry.old_id
