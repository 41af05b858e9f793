"""The fast lane: looks at one open buffer, and takes what was found when the planner accepts it.

Invariant: what was seen under one set of rules, or against one base, is never taken for another's.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.engine.analysis import Analyst, Early
from roundzero.engine.known_file import key
from roundzero.engine.sights import Elsewhere, FileSight

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.change import Change, FileChange
    from roundzero.core.item import ItemId
    from roundzero.core.text import RelPath
    from roundzero.engine.live import Live
    from roundzero.engine.state import Buffer, State

EARLY_SECONDS: Final = 0.2
"""When our own checks take longer than this, what the linters saw is shown first."""


@dataclass(slots=True)
class Look:
    """What was found in one file. ``file`` None: the text is the base's, so there is nothing to see."""

    path: RelPath
    live: Live
    file: FileChange | None
    sight: FileSight | None = None
    wanted: Mapping[RelPath, frozenset[ItemId]] = field(default_factory=dict)
    takers: Mapping[RelPath, frozenset[ItemId]] = field(default_factory=dict)
    elsewhere: Elsewhere = field(default_factory=Elsewhere)

    async def trace(self, analyst: Analyst, change: Change) -> None:
        """Find out where hits of the file may have come from, and which of other files may have come from it."""
        assert self.file is not None and self.sight is not None  # noqa: S101, PT018  it was looked at
        self.wanted = analyst.moved_from(change, [self.sight])
        self.takers = self.live.files.takers(self.path, analyst.removed_texts(self.file))
        wanted = dict(self.wanted)
        if self.takers:
            wanted[self.path] = frozenset().union(*self.takers.values())
        self.elsewhere = await analyst.elsewhere(change, self.live.files.missing(wanted, self.sight))

    def holds_for(self, live: Live, file: FileChange | None) -> bool:
        """Whether what was seen is true of a file in another change."""
        return live is self.live and file is not None and self.file is not None and key(file) == key(self.file)

    def take(self) -> None:
        """Make it known."""
        assert self.file is not None and self.sight is not None  # noqa: S101, PT018  it was looked at
        files = self.live.files
        files.take(self.file, self.sight, self.wanted)
        files.take_bases(self.elsewhere)
        files.link(self.path, self.takers)


def without_syntax(sight: FileSight, analyst: Analyst) -> FileSight:
    """A sight of a text in an editor: half a line does not parse while it is typed, and other tools underline it."""
    if sight.broken is None:
        return sight
    items = analyst.ruleset.by_id
    head = {
        name: tuple(seen for seen in part if not items[seen.item].reads_syntax) for name, part in sight.head.items()
    }
    return replace(sight, head=head)


class FastLane:
    """See the module."""

    def __init__(self, state: State) -> None:
        """Look at the buffers of ``state``."""
        self._state = state

    async def look(self, path: RelPath, buffer: Buffer) -> Look:
        """Look at one buffer, once the change was collected. A change that is collected anew meanwhile takes it too."""
        state = self._state
        found: Look | None = None
        while True:
            live, analyst, workspace = state.live, state.analyst, state.workspace
            assert live is not None and analyst is not None and workspace is not None  # noqa: S101, PT018  collected
            async with state.replacing:
                assert live.change is not None  # noqa: S101  collected
                change, file = live.change, live.change.file(path)
                if found is None or not found.holds_for(live, file):
                    live.files.change = change = await workspace.git.refresh(change, path, buffer.text)
                    file = change.file(path)
            if found is not None and found.holds_for(live, file):
                found.file = file
                return found
            found = Look(path, live, file)
            if file is None or live.files.fresh(file):
                return found
            await self._see(found, buffer, analyst, change)
            if self._is_current(found):
                return found

    async def _see(self, found: Look, buffer: Buffer, analyst: Analyst, change: Change) -> None:
        assert found.file is not None  # noqa: S101  callers looked
        early = Early(EARLY_SECONDS, lambda sights: self._show_early(found, buffer, without_syntax(sights[0], analyst)))
        found.sight = without_syntax((await analyst.files([found.file], early=early))[0], analyst)
        await found.trace(analyst, change)

    def _show_early(self, found: Look, buffer: Buffer, sight: FileSight) -> None:
        state, live = self._state, found.live
        if found.file is not None and state.buffers.get(found.path) is buffer and self._is_current(found):
            live.files.take(found.file, sight, {}, complete=False)
            state.publish(live.judge(found.path))

    def _is_current(self, found: Look) -> bool:
        """Whether the change of now, under the rules of now, holds the very file that was looked at."""
        live = self._state.live
        return live is found.live and live.change is not None and live.change.file(found.path) is found.file

    def accept(self, found: Look) -> None:
        """Take a result, unless the change or its rules are others by now: then another look is on its way."""
        state, live = self._state, found.live
        if live is not state.live or live.change is None:
            return
        if found.file is None:
            if live.change.file(found.path) is None:
                live.drop(found.path)
                state.publish([found.path])
            return
        if found.sight is not None:
            if not self._is_current(found):
                return
            found.take()
        state.publish(live.judge(found.path))
