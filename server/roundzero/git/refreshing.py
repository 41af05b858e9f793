"""Puts an editor's buffer into a change that was collected before: what a keystroke costs.

One comparison of two texts outside the repository. Only a file that was not part of the change is looked up in it, once
per collection. Invariant: the result equals what a collection with the same buffer would give for that file.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.change import Change, FileChange, Skip, Status, blob_id
from roundzero.core.text import Decoded
from roundzero.git import build, rules
from roundzero.git.build import Candidate, Outcome
from roundzero.git.collect import Background, snapshot_of
from roundzero.git.files import FileKind
from roundzero.git.listing import CollectRules, ignore_text
from roundzero.git.rules import PathRules

if TYPE_CHECKING:
    from roundzero.core.text import RelPath
    from roundzero.git.listing import Access


class Refresher:
    """Remembers, between two collections, what it had to look up."""

    def __init__(self, access: Access) -> None:
        """Nothing is known before ``begin``."""
        self._access = access
        self._known = Background(CollectRules(), {}, {})
        self._strangers: dict[tuple[str, RelPath], Candidate | None] = {}

    def begin(self, known: Background) -> None:
        """Start from a new collection and forget what was looked up since the last."""
        self._known = known
        self._strangers.clear()

    async def refresh(self, change: Change, path: RelPath, text: str, *, tree: str) -> Change:
        """The change with ``text`` at ``path``. ``tree`` is the base's object id. Raises OutsideError."""
        if change.head_tree is not None:
            return change
        file = change.file(path)
        skip = next((skip for skip in change.skipped if skip.path == path), None)
        if file is not None:
            outcome = await self._again(file, text, tree)
        elif skip is not None and not rules.buffer_may_lift(skip):
            return change
        else:
            outcome = await self._first_time(path, skip, text, tree)
        return self._put(change, path, outcome)

    async def _again(self, file: FileChange, text: str, tree: str) -> Outcome:
        known = file.head or file.base
        assert known is not None  # noqa: S101  a file change has a side
        form = self._known.forms.get(file.path, Decoded("", known.encoding, known.bom))
        content, data = build.buffer(text, form)
        blob = blob_id(data, algorithm=self._access.object_format)
        if file.head is not None and file.head.blob == blob:
            return Outcome(file=file)
        bare = self._known.bare.get(file.path) or self._strangers.get((tree, file.path))
        if file.base is None and bare is not None and replace(bare, head_id=blob).untouched:
            return Outcome()
        status = bare.status if bare is not None else file.status
        candidate = Candidate(
            path=file.path,
            base_path=file.base.path if file.base is not None else file.path,
            status=Status.MODIFIED if status is Status.DELETED else status,
            head_mode=file.mode if file.head is not None else "100644",
            head_id=blob,
            head=data,
            head_text=content,
            head_size=len(data),
            attributes=bare.attributes if bare is not None else {},
        )
        outcome = build.build(candidate, max_bytes=self._known.limits.max_file_bytes)
        if outcome.file is None or outcome.file.head is None or file.base is None:
            return outcome
        changed = Status.MODIFIED if file.status is Status.DELETED else file.status
        fresh = replace(outcome.file, base=file.base, status=changed)
        hunks = await self._access.differ.hunks(file.base.text, outcome.file.head.text)
        return build.finish(fresh, hunks, base_mode=bare.base_mode if bare is not None else fresh.mode)

    async def _first_time(self, path: RelPath, skip: Skip | None, text: str, tree: str) -> Outcome:
        key = (tree, path)
        if key not in self._strangers:
            self._strangers[key] = await self._look_up(path, skip, tree)
        known = self._strangers[key]
        if known is None or known.reason is not None:
            return Outcome(skip=skip)
        disk = build.decoded(known.head, path) if known.head is not None else None
        content, data = build.buffer(text, disk)
        candidate = replace(
            known,
            head=data,
            head_text=content,
            head_id=blob_id(data, algorithm=self._access.object_format),
            head_size=len(data),
        )
        outcome = build.build(candidate, max_bytes=self._known.limits.max_file_bytes)
        file = outcome.file
        if not outcome.compare or file is None or file.base is None or file.head is None:
            return outcome
        hunks = await self._access.differ.hunks(file.base.text, file.head.text)
        return build.finish(file, hunks, base_mode=candidate.base_mode)

    async def _look_up(self, path: RelPath, skip: Skip | None, tree: str) -> Candidate | None:
        """Base, attributes and file of a path outside the change; None when it is no part of any change."""
        limit = self._known.limits.max_file_bytes
        old_path = skip.old_path if skip is not None and skip.old_path is not None else path
        base = await self._access.blobs.at(tree, old_path, max_bytes=limit)
        if base is not None and base.kind != "blob":
            return None
        if base is None and not await self._may_be_new(path):
            return None
        disk = self._access.work_tree.read(path, max_bytes=limit)
        if disk.kind not in (FileKind.REGULAR, FileKind.MISSING, FileKind.UNREADABLE):
            return None
        stdin = rules.question([path])
        done = await self._access.commands.git("check-attr", "-z", "--stdin", *rules.ATTRIBUTES, stdin=stdin)
        attributes = rules.parse_attributes(done.stdout).get(path, {})
        path_rules = PathRules(self._known.limits.exclude, await ignore_text(self._access, None, limit) or "")
        renamed = skip is not None and skip.status is Status.RENAMED
        changed = Status.RENAMED if renamed else Status.MODIFIED
        return Candidate(
            path=path,
            base_path=old_path,
            status=changed if base is not None else Status.ADDED,
            base_id=base.id if base is not None else None,
            base=base,
            head_mode=disk.mode if disk.kind is FileKind.REGULAR else "100644",
            head=disk.data,
            attributes=attributes,
            reason=path_rules.reason(path) or rules.by_attributes(attributes),
        )

    async def _may_be_new(self, path: RelPath) -> bool:
        if not self._known.limits.untracked:
            return False
        return path not in await self._access.commands.ignored([path])

    def _put(self, change: Change, path: RelPath, outcome: Outcome) -> Change:
        old = change.file(path)
        if old is outcome.file and old is not None and outcome.skip is None:
            return change
        files = [file for file in change.files if file.path != path]
        skipped = [skip for skip in change.skipped if skip.path != path]
        if outcome.file is not None:
            files.append(outcome.file)
        if outcome.skip is not None:
            skipped.append(outcome.skip)
        files.sort(key=lambda file: file.path)
        skipped.sort(key=lambda skip: skip.path)
        return replace(
            change,
            head=replace(change.head, dirty=True),
            files=tuple(files),
            skipped=tuple(skipped),
            snapshot=snapshot_of(files, skipped),
        )
