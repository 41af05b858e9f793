"""The one door to a repository: base, change, texts, search.

Holds what lives longer than one question: git's long-running reader, the folder of base texts, the folder's place in
its repository. Invariant: after ``close`` no process and no temporary file is left.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import BaseChoice, BaseHow, Change, Side, Source
from roundzero.errors import UserError
from roundzero.git import build, lineage, search, state
from roundzero.git.blobs import Blobs
from roundzero.git.buffer_diff import BufferDiff
from roundzero.git.collect import collect
from roundzero.git.commands import EMPTY_TREES, Commands
from roundzero.git.files import FileKind, WorkTree, inside
from roundzero.git.ladder import DEEPEN, Ladder
from roundzero.git.listing import Access, CollectRules, Scope, Target, ignore_text
from roundzero.git.place import find
from roundzero.git.refreshing import Refresher
from roundzero.git.refs import Head, branch_called, commit_of, head_of, merge_bases
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from roundzero.core.linemap import Hunk
    from roundzero.core.ports import Commit, GrepHit
    from roundzero.core.text import RelPath
    from roundzero.git import history, hooks, messages
    from roundzero.git.place import Place

__all__ = ["CollectRules", "Git", "Scope"]

_READ_BYTES: Final = 10_000_000
"""Files outside the change are not read beyond this size."""


class Git:
    """One work tree of one repository, or a bare one, of which only objects can be asked for."""

    def __init__(self, place: Place, commands: Commands) -> None:
        """Use ``open``."""
        self.root = place.root
        self.git_dir = place.git_dir
        self.common_dir = place.common_dir
        self.object_format = place.object_format
        self.bare = place.bare
        self._commands = commands
        self._blobs = Blobs(commands)
        self._differ = BufferDiff()
        self._work_tree = WorkTree(place.root, place.object_format)
        self._access = Access(
            commands=commands,
            blobs=self._blobs,
            differ=self._differ,
            work_tree=self._work_tree,
            object_format=place.object_format,
        )
        self._refresher = Refresher(self._access)
        self._here = Head(None, None)

    @classmethod
    async def open(cls, directory: Path, *, bare: bool = False) -> Git:
        """Find the repository that ``directory`` lies in. Raises UserError that says what to do.

        ``bare``: one without a work tree will do, because nothing but objects will be asked for.
        """
        place, commands = await find(directory, bare=bare)
        return cls(place, commands)

    @property
    def shallow(self) -> bool:
        """Whether history was cut when this was cloned."""
        return bool(state.shallow_boundary(self.common_dir))

    @property
    def merging(self) -> bool:
        """Whether a merge waits for its commit."""
        return bool(state.merge_heads(self.git_dir))

    async def choose_base(
        self,
        *,
        explicit: str | None,
        environ: Mapping[str, str],
        saved: str | None = None,
        head: str | None = None,
    ) -> BaseChoice:
        """Choose the base by the ladder. ``head`` names another branch or commit than HEAD to choose it for.

        Raises UserError that says what to do when a base was named and cannot be used, or when no merge base is in
        this clone.
        """
        boundary = state.shallow_boundary(self.common_dir)
        ladder = Ladder(self._commands, environ=environ, boundary=boundary, head=head)
        choice = await ladder.choose(explicit, saved)
        self._here = ladder.here
        return choice

    async def branch_ref(self) -> str | None:
        """The full ref name of the current branch; None when detached. Raises OutsideError."""
        return (await head_of(self._commands)).branch

    async def head_commit(self) -> str | None:
        """The commit of HEAD; None before the first. Raises OutsideError."""
        return (await head_of(self._commands)).commit

    async def person(self) -> str | None:
        """The name git knows the person by."""
        done = await self._commands.plumbing("config", "--get", "user.name", good=(0, 1))
        return done.stdout.decode("utf-8", "replace").strip() or None

    async def hooks_folder(self) -> hooks.HooksFolder:
        """Where git takes this repository's hooks from. Raises OutsideError."""
        from roundzero.git import hooks  # noqa: PLC0415  few reviews need it

        return await hooks.hooks_folder(self._commands, self.root, self.common_dir)

    async def commit(self, name: str) -> str | None:
        """The commit that a name or object id leads to; None where it leads to none. Raises OutsideError."""
        return await commit_of(self._commands, name)

    async def is_known(self, commit: str, others: Sequence[str] = ()) -> bool:
        """Whether a commit is in the history of a remote-tracking branch or of ``others``."""
        from roundzero.git import hooks  # noqa: PLC0415  few reviews need it

        return await hooks.is_known(self._commands, commit, others)

    async def branches(self) -> Mapping[str, str]:
        """The commit of each branch, by full ref name. Raises OutsideError."""
        return await lineage.branches(self._commands)

    async def past(self, ref: str) -> lineage.Past:
        """The commits a branch stood at, and the names it had, as far as its reflog goes."""
        return await lineage.past(self._commands, ref)

    async def is_ancestor(self, old: str, new: str) -> bool:
        """Whether a commit belongs to the history of another."""
        return await lineage.is_ancestor(self._commands, old, new)

    async def own_commits(self, head: str, base: str | None) -> frozenset[str]:
        """The commits of a head that its base does not have."""
        return await lineage.own_commits(self._commands, head, base)

    async def commit_messages(self, head: str, base: str | None) -> tuple[messages.Message, ...]:
        """What the commits of a head that its base does not have say, oldest first. Raises OutsideError."""
        from roundzero.git import messages  # noqa: PLC0415  few reviews need it

        return await messages.messages(self._commands, head, base)

    async def commits(self, change: Change) -> tuple[Commit, ...]:
        """The commits of a change, oldest first; none of a change that no commit holds. Raises OutsideError."""
        head, base = change.head.commit, change.base.merge_base
        if head is None or head == base:
            return ()
        from roundzero.git import commits  # noqa: PLC0415  few reviews need it

        return await commits.commits(self._commands, head, None if change.base.how is BaseHow.EMPTY_TREE else base)

    async def written(self, commit: str, known: Sequence[str]) -> tuple[history.Written, ...]:
        """What the commits up to one wrote, the newest first, that neither ``known`` ones nor a remote have."""
        from roundzero.git import history  # noqa: PLC0415  few reviews need it

        return await history.written(self._commands, commit, known)

    @property
    def rebasing(self) -> str | None:
        """The full ref name of the branch that is being rebased."""
        return lineage.rebasing(self.git_dir)

    async def base_at_head(self, doubt: str) -> BaseChoice:
        """HEAD as its own base: what is left to compare with when ``choose_base`` raised; ``doubt`` is its message."""
        commit = (await head_of(self._commands)).commit
        if commit is None:
            return BaseChoice(ref=None, merge_base=None, how=BaseHow.EMPTY_TREE, doubts=(doubt,))
        return BaseChoice(ref="HEAD", merge_base=commit, how=BaseHow.HEAD, doubts=(doubt,))

    async def collect(
        self,
        base: BaseChoice,
        *,
        scope: Scope = Scope.WORKTREE,
        head: str | None = None,
        rules: CollectRules | None = None,
        overlays: Mapping[RelPath, str] | None = None,
        at_once: bool = False,
    ) -> Change:
        """The change of ``scope``, or of the commit ``head`` without looking at the work tree.

        ``overlays`` are unsaved editor texts, also of files that are unchanged on disk; they count in the work tree
        only. With STAGED the base is HEAD whatever ``base`` says. Modified files of which no line changed are left out.
        ``at_once``: ``choose_base`` has just chosen ``base``, so HEAD and the settings are what it read.
        Raises OutsideError, or UserError when ``head`` names nothing.
        """
        limits = rules or CollectRules()
        if at_once:
            target = await self._target(base, scope, head, self._here)
        else:
            async with side_by_side() as group:
                group.create_task(self._commands.configuration())  # the filters to disarm may have changed
                aiming = group.create_task(self._target(base, scope, head))
            target = aiming.result()
        buffers = {path: text for path, text in (overlays or {}).items() if inside(path)}
        change, background = await collect(self._access, target, limits, buffers)
        self._refresher.begin(background)
        return change

    async def refresh(self, change: Change, path: RelPath, text: str) -> Change:
        """The change with one file's text replaced by an editor's buffer. Raises OutsideError.

        Looks into the repository only the first time a path is named that was not part of the change.
        """
        if not inside(path):
            return change
        return await self._refresher.refresh(change, path, text, tree=self._tree(change.base))

    async def restrict(self, change: Change, diff: bytes) -> Change:
        """The change restricted to the lines that ``diff`` adds. Raises UserError naming a file it does not fit."""
        from roundzero.git.restriction import restrict  # noqa: PLC0415  few reviews need it

        async def head(path: RelPath) -> Source | None:
            return await self.read(path, Side.HEAD, change)

        return await restrict(change, diff, head, object_format=self.object_format)

    async def hunks(self, base_text: str, head_text: str) -> tuple[Hunk, ...]:
        """The hunks that git finds between two texts. Raises OutsideError."""
        return await self._differ.hunks(base_text, head_text)

    async def hunks_of(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[Hunk, ...]]:
        """The hunks of many pairs of texts, by one process. Raises OutsideError."""
        return await self._differ.hunks_of(pairs)

    async def texts(self, blobs: Mapping[str, RelPath]) -> Mapping[str, Source]:
        """The texts of objects, each as if it lay at a path; what is not here or not text is left out."""
        found = await self._blobs.get(blobs, max_bytes=_READ_BYTES)
        return {
            name: source
            for name, blob in found.items()
            if blob.kind == "blob"
            and blob.data is not None
            and (source := _source(blobs[name], blob.data, name)) is not None
        }

    def may_have(self, path: RelPath, change: Change) -> bool:
        """False when a path is surely not at the head. Starts no process."""
        return change.head_tree is not None or os.path.lexists(self.root / path)

    async def has(self, path: RelPath, change: Change) -> bool:
        """Whether anything lies at a path of the head, be it a text or not. Raises OutsideError."""
        if change.is_gone(path) or not inside(path):
            return False
        if change.head_tree is None:
            return await asyncio.to_thread(os.path.lexists, self.root / path)
        return await self._blobs.at(change.head_tree, path, max_bytes=0) is not None

    async def read(self, path: RelPath, side: Side, change: Change) -> Source | None:
        """One side of a file, changed or not; None when it is not there, not text, or over 10 MB."""
        if side is Side.BASE:
            known = change.file_from(path)
            return known.base if known is not None else await self.text_at(self._tree(change.base), path)
        if (file := change.file(path)) is not None:
            return file.head
        if change.is_gone(path) or not inside(path):
            return None
        if change.head_tree is not None:
            return await self.text_at(change.head_tree, path)
        return await self._text_on_disk(path)

    async def paths(self, side: Side, change: Change) -> frozenset[RelPath]:
        """Every path on a side: tracked, at the head also untracked and not ignored. Raises OutsideError."""
        return await search.paths(self._commands, side, change, self._tree(change.base))

    async def base_blobs(self, change: Change) -> Mapping[RelPath, str]:
        """The blob of every regular file at the base. Raises OutsideError."""
        return await search.base_blobs(self._commands, self._tree(change.base))

    async def grep(self, words: Collection[str], change: Change) -> Mapping[str, tuple[GrepHit, ...]]:
        """For each fixed string, the lines at the head that contain it as a whole word. Raises OutsideError."""
        return await search.grep(self._commands, words, change)

    async def shareable(
        self, paths: Collection[RelPath], side: Side, change: Change, rules: CollectRules
    ) -> frozenset[RelPath]:
        """Those paths whose text may leave the machine under ``rules``. Raises OutsideError.

        The rules are the asker's own: another collection meanwhile, with others, makes nothing shareable.
        """
        from roundzero.git import sharing  # noqa: PLC0415  few reviews need it

        return await sharing.shareable(self._access, paths, side, change, self._tree(change.base), rules)

    async def lay_out_rules(self, commit: str, folder: Path) -> tuple[RelPath, ...]:
        """Write the settings files and packs of a commit below ``folder``; those that are links.

        Raises OutsideError, OSError.
        """
        from roundzero.git import own_rules  # noqa: PLC0415  few reviews need it

        return await own_rules.lay_out(self._commands, self._blobs, commit, folder)

    async def may_share(self, change: Change, rules: CollectRules) -> bool:
        """Whether anything may leave the machine: not while nobody can read what is to be left out. OutsideError."""
        return await ignore_text(self._access, change.head_tree, rules.max_file_bytes) is not None

    async def text_at(self, tree: str, path: RelPath) -> Source | None:
        """A file in a commit or tree ("" is the index); None when it is not there, not text, or over 10 MB."""
        if tree.startswith("-") or ":" in tree or not inside(path):
            return None
        blob = await self._blobs.at(tree, path, max_bytes=_READ_BYTES)
        if blob is None or blob.kind != "blob" or blob.data is None:
            return None
        return _source(path, blob.data, blob.id)

    async def ignored(self, paths: Collection[RelPath]) -> frozenset[RelPath]:
        """Which of these paths git ignores, tracked ones never. Raises OutsideError."""
        return await self._commands.ignored(list(paths)) if paths else frozenset()

    async def head_key(self) -> str:
        """A value that changes when HEAD, a ref, the index or the state of a merge does. Starts no process."""
        return await asyncio.to_thread(state.key, self.git_dir, self.common_dir)

    def watch_files(self) -> tuple[Path, ...]:
        """Files and folders whose change may move HEAD, a ref, the index or a merge; some may not exist."""
        return state.watched(self.git_dir, self.common_dir)

    async def close(self) -> None:
        """End git's processes and remove temporary files."""
        await self._blobs.close()
        await asyncio.to_thread(self._differ.close)

    async def _target(self, base: BaseChoice, scope: Scope, head: str | None, here: Head | None = None) -> Target:
        if head is not None:
            return await self._target_of(base, head)
        at = here or await head_of(self._commands)
        if scope is Scope.STAGED:
            how = BaseHow.EMPTY_TREE if at.commit is None else BaseHow.HEAD
            ref = "HEAD" if at.commit is not None else None
            base = BaseChoice(ref=ref, merge_base=at.commit, how=how)
        if scope is Scope.COMMITTED and at.commit is None:
            raise UserError("there are no commits on this branch yet; review the work tree or what is staged")
        return Target(
            base=base,
            tree=self._tree(base),
            head_tree={Scope.WORKTREE: None, Scope.STAGED: "", Scope.COMMITTED: at.commit}[scope],
            commit=at.commit,
            branch=at.name,
            merge_heads=() if scope is Scope.COMMITTED else state.merge_heads(self.git_dir),
        )

    async def _target_of(self, base: BaseChoice, head: str) -> Target:
        """Objects only: the merge base is that of the base's ref and ``head``, not of HEAD."""
        commit = await commit_of(self._commands, head)
        if commit is None:
            raise UserError(f"{head!r} names no commit of this repository")
        if base.ref is not None and base.how is not BaseHow.HEAD:
            other = await commit_of(self._commands, base.ref)
            bases = await merge_bases(self._commands, commit, other) if other is not None else ()
            if not bases:
                advice = f"fetch the rest with {DEEPEN}" if self.shallow else "name another base with --base"
                raise UserError(f"{head} and {base.ref} have no merge base in this clone; {advice}")
            base = replace(base, merge_base=bases[0])
        branch = await branch_called(self._commands, head)
        return Target(
            base=base,
            tree=self._tree(base),
            head_tree=commit,
            commit=commit,
            branch=Head(branch, commit).name,
        )

    def _tree(self, base: BaseChoice) -> str:
        return base.merge_base or EMPTY_TREES[self.object_format]

    async def _text_on_disk(self, path: RelPath) -> Source | None:
        disk = await asyncio.to_thread(self._work_tree.read, path, max_bytes=_READ_BYTES)
        if disk.kind is FileKind.MISSING and await search.left_out(self._commands, path):
            return await self.text_at("", path)
        return _source(path, disk.data, disk.blob) if disk.data is not None else None


def _source(path: RelPath, data: bytes, blob: str) -> Source | None:
    content = build.decoded(data, path) if b"\0" not in data[:8000] else None
    if content is None:
        return None
    return Source(path, content.text, blob, encoding=content.encoding, bom=content.bom)
