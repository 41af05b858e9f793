"""Second round of a collection: one candidate per changed path, with attributes and the bytes of both sides.

Judges nothing; build.py does. Invariant: a candidate's head bytes, id and mode are of one and the same read.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import ABSENT, SUBMODULE, Status, blob_id
from roundzero.core.rule_files import IGNORE_FILE
from roundzero.core.text import Decoded, RelPath
from roundzero.errors import OutsideError
from roundzero.git import build, rules
from roundzero.git.build import Candidate
from roundzero.git.files import DiskFile, FileKind
from roundzero.git.renames import pair
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from roundzero.git.blobs import Blob
    from roundzero.git.diff import Entry
    from roundzero.git.listing import Access, CollectRules, Seen, Target

_UNKNOWN_MODE: Final = ""
"""Until the file has been looked at."""

_NOT_HERE: Final = "not-here"
"""In place of the id of a base blob that a partial clone lacks; names no object."""

_STATUSES: Final = {"A": Status.ADDED, "C": Status.ADDED, "D": Status.DELETED, "R": Status.RENAMED}


class Candidates:
    """Finds and fills the candidates of one collection."""

    def __init__(self, access: Access, target: Target, limits: CollectRules, overlays: Mapping[RelPath, str]) -> None:
        """``overlays`` are unsaved editor texts by path; they count only where the head is the work tree."""
        self._access = access
        self._target = target
        self._limits = limits
        self._overlays = overlays if target.on_disk else {}
        self._only_buffers: set[RelPath] = set()
        self.disk: dict[RelPath, DiskFile] = {}
        self.forms: dict[RelPath, Decoded] = {}
        """How the files behind buffers are encoded on disk."""

    async def find(self, seen: Seen) -> list[Candidate]:
        """All candidates, filled. Raises OutsideError."""
        found = {
            entry.path: _tracked(entry, seen.listing.bodies.get(entry.path))
            for entry in sorted(seen.listing.entries, key=lambda entry: entry.letter != "U")
        }
        for path in seen.untracked:
            _add_loose(found, RelPath(path.removesuffix("/")))
        await self._add_overlays(found)
        path_rules = rules.PathRules(self._limits.exclude, seen.ignore_file or "")
        for path, candidate in found.items():
            reason = rules.CONFLICTED if path in seen.unmerged else path_rules.reason(path)
            reason = reason or rules.by_mode(candidate.base_mode, candidate.head_mode)
            found[path] = replace(candidate, reason=reason)
        for path, problem in seen.closed:
            reason = path_rules.reason(RelPath(f"{path}/")) or rules.closed(problem)
            found.setdefault(path, replace(_fresh(path, Status.ADDED), reason=reason))
        if seen.ignore_file is None:
            path = RelPath(IGNORE_FILE)
            found[path] = replace(found.get(path, _fresh(path, Status.MODIFIED)), reason=rules.IGNORE_UNREAD)
        return await self._filled(list(found.values()))

    async def _add_overlays(self, found: dict[RelPath, Candidate]) -> None:
        """Buffers of files that are unchanged on disk, deleted there, or not there yet."""
        new: list[RelPath] = []
        for path in self._overlays:
            known = found.get(path)
            if known is not None:
                if known.deleted:
                    found[path] = replace(known, status=Status.MODIFIED, head_mode=_UNKNOWN_MODE)
                continue
            self._only_buffers.add(path)
            try:
                blob = await self._access.blobs.at(self._target.tree, path, max_bytes=self._limits.max_file_bytes)
            except OutsideError:
                found[path] = _fresh(path, Status.MODIFIED, base_id=_NOT_HERE)
                continue
            if blob is None:
                new.append(path)
            elif blob.kind == "blob":
                found[path] = _fresh(path, Status.MODIFIED, base_id=blob.id)
        if new and self._limits.untracked:
            ignored = await self._access.commands.ignored(new)
            found.update({path: _fresh(path, Status.ADDED) for path in new if path not in ignored})

    async def _filled(self, found: list[Candidate]) -> list[Candidate]:
        wanted = [candidate for candidate in found if candidate.reason is None]
        ids = [candidate.base_id for candidate in wanted if candidate.base_id is not None]
        if not self._target.on_disk:
            ids += [candidate.head_id for candidate in wanted if candidate.head_id is not None]
        async with side_by_side() as group:
            attributes = group.create_task(self._attributes([candidate.path for candidate in wanted]))
            blobs = group.create_task(self._access.blobs.get(ids, max_bytes=self._limits.max_file_bytes))
            if self._target.on_disk:
                group.create_task(asyncio.to_thread(self._read_disk, found))
        by_path, by_id = attributes.result(), blobs.result()
        filled: list[Candidate] = []
        for candidate in found:
            base = by_id.get(candidate.base_id) if candidate.base_id is not None else None
            attributes_here = by_path.get(candidate.path, {})
            reason = candidate.reason or rules.by_attributes(attributes_here, on_disk=self._target.on_disk)
            if reason is not None and candidate.path in self._only_buffers:
                continue
            known = replace(candidate, base=base, attributes=attributes_here, reason=reason)
            if self._target.on_disk:
                known = self._from_disk(known)
            elif not known.deleted:
                known = _from_object(known, by_id)
            filled.append(known)
        if not self._target.on_disk:
            return filled
        return await asyncio.to_thread(_paired, await self._absent_from_disk(filled))

    async def _attributes(self, paths: Sequence[RelPath]) -> Mapping[RelPath, Mapping[str, str]]:
        if not paths:
            return {}
        cached = ("--cached",) if self._target.head_tree == "" else ()
        arguments = ("check-attr", *cached, "-z", "--stdin", *rules.ATTRIBUTES)
        done = await self._access.commands.git(*arguments, stdin=rules.question(paths))
        return rules.parse_attributes(done.stdout)

    def _read_disk(self, found: Sequence[Candidate]) -> None:
        folders: dict[Path, bool] = {}
        limit = self._limits.max_file_bytes
        for candidate in found:
            # For git a file that it may not look at is deleted, so those are looked at too.
            disk = self._access.work_tree.read(candidate.path, max_bytes=limit, known_folders=folders)
            if not candidate.deleted or disk.kind is FileKind.UNREADABLE:
                self.disk[candidate.path] = disk

    def _from_disk(self, candidate: Candidate) -> Candidate:  # noqa: PLR0911  one return per kind of file
        disk = self.disk.get(candidate.path)
        if disk is None:  # deleted
            return candidate
        mode = candidate.head_mode or disk.mode
        buffered = candidate.path in self._overlays and candidate.reason is None
        if buffered and disk.kind in (FileKind.REGULAR, FileKind.MISSING, FileKind.UNREADABLE):
            return self._from_buffer(candidate, disk)
        match disk.kind:
            case FileKind.REGULAR:
                return replace(candidate, head=disk.data, head_id=disk.blob, head_size=disk.size, head_mode=mode)
            case FileKind.SYMLINK:
                reason = candidate.reason or rules.SYMBOLIC_LINK
                return replace(candidate, head_id=disk.blob, head_mode=disk.mode, reason=reason)
            case FileKind.FOLDER:
                # The hunk text names the commit, which is all there is to tell one state from another.
                state = blob_id(candidate.body or b"", algorithm=self._access.object_format)
                reason = candidate.reason or rules.NESTED
                return replace(candidate, head_id=candidate.head_id or state, head_mode=SUBMODULE, reason=reason)
            case FileKind.OTHER:
                return replace(candidate, head_mode=mode, reason=candidate.reason or rules.NOT_A_FILE)
            case FileKind.UNREADABLE:
                reason = candidate.reason or rules.unreadable(disk.problem)
                if candidate.deleted:
                    mode, candidate = candidate.base_mode, replace(candidate, status=Status.MODIFIED)
                return replace(candidate, head_mode=mode, reason=reason)
            case FileKind.MISSING:
                return candidate

    def _from_buffer(self, candidate: Candidate, disk: DiskFile) -> Candidate:
        on_disk = build.decoded(disk.data, candidate.path) if disk.data is not None else None
        self.forms[candidate.path] = (
            replace(on_disk, text="") if on_disk is not None else Decoded("", "utf-8", bom=False)
        )
        content, data = build.buffer(self._overlays[candidate.path], on_disk)
        mode = candidate.head_mode or (disk.mode if disk.kind is FileKind.REGULAR else "100644")
        return replace(
            candidate,
            head=data,
            head_text=content,
            head_id=blob_id(data, algorithm=self._access.object_format),
            head_size=len(data),
            head_mode=mode,
            body=candidate.body if data == disk.data else None,
        )

    async def _absent_from_disk(self, found: list[Candidate]) -> list[Candidate]:
        """Sparse checkout leaves files only in the index, where git knows their id; others went in this moment."""
        absent = {
            path for path, disk in self.disk.items() if disk.kind is FileKind.MISSING and path not in self._overlays
        }
        if not absent:
            return found
        ids = [candidate.head_id for candidate in found if candidate.path in absent and candidate.head_id is not None]
        by_id = await self._access.blobs.get(ids, max_bytes=self._limits.max_file_bytes)
        filled: list[Candidate] = []
        for candidate in found:
            if candidate.path not in absent or candidate.deleted:
                filled.append(candidate)
            elif candidate.head_id is not None:
                filled.append(_from_object(candidate, by_id))
            elif candidate.base_id is not None:
                filled.append(replace(candidate, head_mode=ABSENT, status=Status.DELETED))
        return filled


def _tracked(entry: Entry, body: bytes | None) -> Candidate:
    added = entry.old_mode == ABSENT
    return Candidate(
        path=entry.path,
        base_path=entry.old_path,
        status=_STATUSES.get(entry.letter, Status.MODIFIED),
        base_mode=entry.old_mode,
        base_id=None if added or entry.letter in "CU" else entry.old_id,
        head_mode=entry.new_mode,
        head_id=None if entry.unhashed else entry.new_id,
        body=body,
    )


def _fresh(path: RelPath, status: Status, *, base_id: str | None = None) -> Candidate:
    return Candidate(path=path, base_path=path, status=status, base_id=base_id, head_mode=_UNKNOWN_MODE)


def _add_loose(found: dict[RelPath, Candidate], path: RelPath) -> None:
    """An untracked file; one that was only removed from the index still has a base."""
    known = found.get(path)
    if known is None:
        found[path] = _fresh(path, Status.ADDED)
    elif known.deleted:
        found[path] = replace(known, status=Status.MODIFIED, head_mode=_UNKNOWN_MODE, body=None)


def _from_object(candidate: Candidate, by_id: Mapping[str, Blob]) -> Candidate:
    blob = by_id.get(candidate.head_id) if candidate.head_id is not None else None
    if blob is None:
        return candidate
    return replace(candidate, head=blob.data, head_size=blob.size)


def _paired(found: list[Candidate]) -> list[Candidate]:
    """Deleted files and new ones that git did not pair because the new ones are untracked."""
    deleted = {
        candidate.path: (candidate, candidate.base.data)
        for candidate in found
        if candidate.deleted and candidate.reason is None and candidate.base is not None and candidate.base.data
    }
    added = {
        candidate.path: candidate.head
        for candidate in found
        if candidate.status is Status.ADDED and candidate.reason is None and candidate.head
    }
    if not deleted or not added:
        return found
    pairs = pair({path: data for path, (_, data) in deleted.items() if data is not None}, added)
    gone = set(pairs.values())
    result: list[Candidate] = []
    for candidate in found:
        if candidate.path in pairs:
            old, _ = deleted[pairs[candidate.path]]
            result.append(
                replace(
                    candidate,
                    status=Status.RENAMED,
                    base_path=old.base_path,
                    base_mode=old.base_mode,
                    base_id=old.base_id,
                    base=old.base,
                    body=None,
                )
            )
        elif candidate.path not in gone:
            result.append(candidate)
    return result
