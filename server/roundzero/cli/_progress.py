"""Shows how far a review is: a bar on standard error for a person, events for a program.

The bar appears only when standard error is a terminal and the review takes longer than ``DELAY``; rich is loaded then
and not before. Invariant: when it is gone, nothing of it is left on the screen.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Final

from roundzero.cli import _stdout

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from rich.progress import Progress, TaskID

DELAY: Final = 1.0
"""Seconds before a bar appears."""


class Quiet:
    """Shows nothing."""

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End, whatever happened."""

    def stage(self, name: str, done: int, total: int | None) -> None:
        """Take note that ``done`` of ``total`` (None: nobody knows) units of a stage are done."""


class Events(Quiet):
    """Writes the ``start`` and ``progress`` events of the ndjson format while the review runs."""

    def __enter__(self) -> Self:
        """Write the first event."""
        from roundzero import __version__  # noqa: PLC0415  beside its only use
        from roundzero.render import ndjson  # noqa: PLC0415  only for this format

        _stdout.write(ndjson.opening(__version__))
        return self

    def stage(self, name: str, done: int, total: int | None) -> None:
        """Write an event."""
        from roundzero.render import ndjson  # noqa: PLC0415  only for this format

        _stdout.write(ndjson.progress(name, done, total))


class Bar(Quiet):
    """A bar on standard error. Use inside a running loop."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self._stages: dict[str, tuple[int, int | None]] = {}
        self._tasks: dict[str, TaskID] = {}
        self._progress: Progress | None = None
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        """Set the clock."""
        self._timer = asyncio.get_running_loop().call_later(DELAY, self._show)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Take the bar away."""
        if self._timer is not None:
            self._timer.cancel()
        if self._progress is not None:
            self._progress.stop()

    def stage(self, name: str, done: int, total: int | None) -> None:
        """Move the bar of a stage."""
        self._stages[name] = (done, total)
        if self._progress is not None:
            if name not in self._tasks:
                self._tasks[name] = self._progress.add_task(name)
            self._progress.update(self._tasks[name], completed=done, total=total)

    def _show(self) -> None:
        from rich.console import Console  # noqa: PLC0415  only long reviews pay for it
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415  as above

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._progress.start()
        for name, (done, total) in list(self._stages.items()):
            self.stage(name, done, total)


def progress(form: str) -> Quiet:
    """What suits an output format and the terminal."""
    if form == "ndjson":
        return Events()
    return Bar() if form == "terminal" and sys.stderr.isatty() else Quiet()
