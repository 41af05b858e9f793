"""Starts the second process of a large review while the texts of the change are still being read.

By the time they are there, it has loaded the checks. Knows only what files are large, and is right often enough: a
process too many ends unused, and one too few is started later (``pool.runner_for``). Invariant: after ``close`` no
process of it is left.
"""

from __future__ import annotations

import asyncio
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from roundzero.core.text import RelPath
    from roundzero.engine.pool import Both


class HeadStart:
    """The runner of one review, if it is worth a second process by what lies at ``root``; files of ``limit`` bytes."""

    def __init__(self, root: Path, *, limit: int) -> None:
        """Start nothing."""
        self.runner: Both | None = None
        self._root = root
        self._limit = limit
        self._starting: asyncio.Task[None] | None = None

    def listed(self, paths: Sequence[RelPath]) -> None:
        """Look how large the files of a change are, and start the process if that is worth it. Returns at once."""
        from roundzero.engine.pool import Both, worth_a_process  # noqa: PLC0415  loaded with the checks

        if self.runner is None and worth_a_process(sum(self._sizes(paths))):
            self.runner = Both()
            self._starting = asyncio.ensure_future(self.runner.warm())

    async def close(self) -> None:
        """End the process."""
        if self._starting is not None:
            self._starting.cancel()
            with suppress(asyncio.CancelledError):
                await self._starting
        if self.runner is not None:
            await self.runner.close()

    def _sizes(self, paths: Sequence[RelPath]) -> Iterable[int]:
        """Of those that may be reviewed, in bytes."""
        for path in paths:
            try:
                facts = (self._root / path).lstat()
            except (OSError, ValueError):
                continue
            if stat.S_ISREG(facts.st_mode) and facts.st_size <= self._limit:
                yield facts.st_size
