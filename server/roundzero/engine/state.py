"""What one live engine holds, shared by its lanes: buffers, the opened repository, the rules, what is known.

Starts nothing by itself and decides nothing. Invariant: ``buffers`` is what the editor said last; everything else may
be older and says of which text it is.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.finding import State as Standing
from roundzero.core.frozen import dataclass
from roundzero.core.judge import shown
from roundzero.core.rebase import aged, carry, edit_map
from roundzero.engine.answers import STALE
from roundzero.engine.patient import Patient
from roundzero.engine.telling import Listener, Publication
from roundzero.engine.worker_link import Worker

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from roundzero.config import Settings
    from roundzero.core.convention import Tally
    from roundzero.core.finding import Finding
    from roundzero.core.item import ItemId
    from roundzero.core.linemap import LineMap
    from roundzero.core.ruleset import Problem
    from roundzero.core.text import RelPath
    from roundzero.engine.analysis import Analyst
    from roundzero.engine.live import Live
    from roundzero.engine.workspace import Workspace
    from roundzero.git.repository import Git


@dataclass(frozen=True, slots=True)
class Buffer:
    """A text in the editor, without byte-order mark."""

    text: str
    version: int


class State:
    """See the module."""

    def __init__(
        self,
        root: Path,
        settings: Settings,
        problems: tuple[Problem, ...],
        listener: Listener,
        *,
        trusted: bool | None = None,
    ) -> None:
        """Open nothing yet."""
        self.trusted = trusted
        self.root = root
        self.settings = settings
        self.problems = problems
        """What was wrong with the settings."""
        self.buffers: dict[RelPath, Buffer] = {}
        self._saved: dict[RelPath, str] = {}
        """What is on disk of the buffers, as far as the editor told."""
        self.workspace: Workspace | None = None
        self.analyst: Analyst | None = None
        self.live: Live | None = None
        self.tallies: Mapping[ItemId, Tally] = {}
        """How the repository keeps its conventions, as far as it was counted."""
        self.rules_old = False
        """Whether rules or settings differ from those ``live`` was made with."""
        self.replacing = asyncio.Lock()
        """Held by whoever replaces the change in ``live``, so that none is made of one that has gone."""
        self.rounds_asked = False
        """Whether findings about the change as a whole are shown: only after someone asked for a round."""
        self.worker = Worker()
        self.patient = Patient(self.worker)
        """For checks that no keystroke waits for."""
        self._listener = listener
        self._opening = asyncio.Lock()
        self._opened_at: tuple[int, ...] = ()

    def put(self, path: RelPath, text: str, version: int, *, saved: bool = False) -> bool:
        """Take the text of a buffer; whether that is the saved text again, after another one."""
        before, self.buffers[path] = self.buffers.get(path), Buffer(text, version)
        if saved:
            self._saved[path] = text
        return before is not None and self._saved.get(path) == text and before.text != text

    def note_saved(self, path: RelPath) -> None:
        """A buffer was written to disk as it is."""
        if (buffer := self.buffers.get(path)) is not None:
            self._saved[path] = buffer.text

    def drop(self, path: RelPath) -> None:
        """A buffer is no more; the file on disk counts again."""
        self.buffers.pop(path, None)
        self._saved.pop(path, None)

    async def opened(self) -> Workspace:
        """The repository, opened if it was not, or if another lies there now. Raises UserError when it cannot be."""
        async with self._opening:
            if self.workspace is None or self._opened_at != _identity(self.workspace.git):
                from roundzero.git.repository import Git  # noqa: PLC0415  git starts before the rest is imported

                git = await Git.open(self.root)
                try:
                    from roundzero.engine.workspace import Workspace  # noqa: PLC0415  as above

                    fresh = await Workspace.open(
                        self.root,
                        settings=self.settings,
                        problems=self.problems,
                        environ=os.environ,
                        git=git,
                        trusted=self.trusted,
                    )
                except BaseException:
                    await git.close()
                    raise
                old, self.workspace, self._opened_at = self.workspace, fresh, _identity(git)
                if old is not None:
                    await old.git.close()
            return self.workspace

    async def close(self) -> None:
        """Let go of every process."""
        await asyncio.gather(self.worker.close(), return_exceptions=True)
        if self.workspace is not None:
            await self.workspace.git.close()

    def findings(self, path: RelPath | None = None) -> tuple[Finding, ...]:
        """The findings that are shown, of a file or of everything."""
        found = self.live.findings(path) if self.live is not None else []
        return tuple(finding for finding in found if shown(finding))

    def forget(self) -> None:
        """Know nothing any more, and show nothing."""
        live, self.live = self.live, None
        self.publish({finding.seen.path for finding in live.findings()} - {None} if live is not None else ())

    def publish(self, paths: Iterable[RelPath | None]) -> None:
        """Tell what these files show now."""
        for path in sorted({path for path in paths if path is not None}):
            self._listener.published(self._publication(path))

    def _publication(self, path: RelPath) -> Publication:
        findings = self.findings(path)
        if self.rounds_asked and self.live is not None:
            findings += tuple(
                finding
                for finding in self.live.findings()
                if finding.seen.path is None
                and finding.anchor is not None
                and finding.anchor.path == path
                and shown(finding)
            )
        file = self.live.judged(path) if self.live is not None else None
        source = file.head if file is not None else None
        buffer = self.buffers.get(path)
        if source is not None and buffer is not None and buffer.text != source.text:
            moved = edit_map(source.text, buffer.text)
            findings = tuple(there for finding in findings if (there := _carried(finding, path, moved)) is not None)
            source = type(source)(path, buffer.text, source.blob, encoding=source.encoding, bom=source.bom)
        return Publication(
            path=path, version=buffer.version if buffer is not None else None, findings=findings, source=source
        )


def _carried(finding: Finding, path: RelPath, moved: LineMap) -> Finding | None:
    """A finding in a text that was edited since; one of a model on an edited line is stale, others wait for a look."""
    if there := carry([finding.seen], path, moved):
        return replace(finding, seen=there[0])
    if finding.seen.source != "model" or (old := aged(finding.seen, path, moved)) is None:
        return None
    if finding.state is not Standing.OPEN:
        return replace(finding, seen=old)
    return replace(finding, seen=old, state=Standing.STALE, state_text=STALE)


def _identity(git: Git) -> tuple[int, ...]:
    """What tells a repository from another at the same place; () when none is there."""
    try:
        return tuple(part.stat().st_ino for part in (git.root, git.git_dir, git.common_dir / "objects"))
    except OSError:
        return ()
