"""Takes out of a change what a merge in progress brings: the other branch's lines are not this branch's.

Only while MERGE_HEAD exists. Works per path and line, against each commit being merged. Invariant: an added line stays
in the change only if no merged commit has it there, a removed line only if the merged commits kept it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import ABSENT, FileChange, Skip, SkipKind, Source, Status, blob_id
from roundzero.core.text import dominant_eol
from roundzero.git import build
from roundzero.git.diff import parse
from roundzero.git.hunks import split_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roundzero.core.linemap import Hunk
    from roundzero.core.text import RelPath
    from roundzero.git.diff import Entry
    from roundzero.git.listing import Access, Target

_MAX_BYTES: Final = 10_000_000


async def without_merged(
    access: Access, target: Target, files: Sequence[FileChange], skipped: Sequence[Skip]
) -> tuple[list[FileChange], list[Skip]]:
    """The files and skipped paths without what the commits in ``target.merge_heads`` bring. Raises OutsideError."""
    left, skips = list(files), list(skipped)
    for merge_head in target.merge_heads:
        done = await access.commands.git(
            "diff", "--raw", "-z", "--no-abbrev", "--no-renames", target.tree, merge_head, "--"
        )
        incoming = {entry.path: entry for entry in parse(done.stdout).entries}
        skips = [skip for skip in skips if not _brought(incoming.get(skip.path), skip.mode, skip.blob, skip.kind)]
        left = await _remaining(access, left, incoming)
    return left, skips


def _brought(entry: Entry | None, mode: str, blob: str, kind: SkipKind | None) -> bool:
    """Whether the merged commit has exactly this state of the path."""
    if entry is None or kind is SkipKind.NOT_CHECKED:
        return False
    return mode == ABSENT if entry.new_mode == ABSENT else entry.new_id == blob


async def _remaining(
    access: Access, files: Sequence[FileChange], incoming: Mapping[RelPath, Entry]
) -> list[FileChange]:
    left: list[FileChange] = []
    for file in files:
        entry = incoming.get(file.path)
        if _brought(entry, file.mode, file.head.blob if file.head is not None else "", None):
            continue
        if entry is None or entry.new_mode == ABSENT or file.head is None:
            left.append(file)
            continue
        own = await _own_part(access, file, entry)
        if own is not None:
            left.append(own)
    return left


async def _own_part(access: Access, file: FileChange, entry: Entry) -> FileChange | None:
    """The file compared with its base as the merged commit has changed it; None when nothing is left."""
    blob = (await access.blobs.get([entry.new_id], max_bytes=_MAX_BYTES)).get(entry.new_id)
    content = build.decoded(blob.data, file.path) if blob is not None and blob.data is not None else None
    if content is None or file.head is None:
        return file
    if file.base is None:
        base = Source(file.path, content.text, entry.new_id, encoding=content.encoding, bom=content.bom)
    else:
        against_merged, merged = await access.differ.hunks_of(
            [(content.text, file.head.text), (file.base.text, content.text)]
        )
        text = _merged_base(file.base.text, file.head.text, file.hunks, against_merged, merged)
        base = Source(
            file.base.path, text, blob_id(text.encode("utf-8", "surrogatepass"), algorithm=access.object_format)
        )
    hunks = await access.differ.hunks(base.text, file.head.text)
    status = file.status if file.status is Status.RENAMED else Status.MODIFIED
    return replace(file, base=base, hunks=hunks, status=status) if hunks else None


def _merged_base(
    base_text: str, head_text: str, hunks: Sequence[Hunk], against_merged: Sequence[Hunk], merged: Sequence[Hunk]
) -> str:
    """The base text with every change of ``hunks`` applied that the merged commit made too."""
    base, head = split_lines(base_text), split_lines(head_text)
    own = {line for hunk in against_merged for line in hunk.head_lines}
    dropped = {line for hunk in merged for line in hunk.base_lines}
    lines: list[str] = []
    at = 0
    for hunk in hunks:
        lines += base[at : hunk.base_gap]
        lines += [base[line - 1] for line in hunk.base_lines if line not in dropped]
        lines += [head[line - 1] for line in hunk.head_lines if line not in own]
        at = hunk.base_gap + hunk.base_count
    lines += base[at:]
    eol = dominant_eol(base_text)
    return "".join(line + eol for line in lines)
