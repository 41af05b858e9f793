"""Drives a live engine in tests: starts it on a repository, hears what it says, waits for states with a limit.

No sleeps: every wait is for something the engine says. Invariant: the engine is closed on the way out.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Literal

from roundzero import config
from roundzero.core.text import RelPath
from roundzero.engine.session import Engine

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from roundzero.core.finding import Finding
    from roundzero.engine.session import EngineStatus, Publication

LIMIT = 20.0
"""Seconds after which a wait fails: far above what anything takes on a slow machine."""


class Listener:
    """Keeps everything an engine said and wakes who waits."""

    def __init__(self) -> None:
        """Have heard nothing."""
        self.publications: list[Publication] = []
        self.statuses: list[EngineStatus] = []
        self.messages: list[tuple[str, str]] = []
        self._news = asyncio.Event()

    def published(self, publication: Publication) -> None:
        """Keep it."""
        self.publications.append(publication)
        self._news.set()

    def status_changed(self, status: EngineStatus) -> None:
        """Keep it."""
        self.statuses.append(status)
        self._news.set()

    def message(self, level: Literal["info", "warning", "error"], text: str) -> None:
        """Keep it."""
        self.messages.append((level, text))
        self._news.set()

    def last(self, path: str) -> Publication | None:
        """What a file shows."""
        return next((each for each in reversed(self.publications) if each.path == path), None)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something that was said makes a condition true."""
        async with asyncio.timeout(LIMIT):
            while not condition():
                self._news.clear()
                await self._news.wait()


class Live:
    """An engine and its listener."""

    def __init__(self, engine: Engine, listener: Listener) -> None:
        """Join them."""
        self.engine = engine
        self.listener = listener

    async def shows(self, path: str, *items: str, version: int | None = None) -> tuple[Finding, ...]:
        """Wait until a file shows exactly these items (short names, sorted by line), and return the findings."""

        def there() -> bool:
            last = self.listener.last(path)
            if last is None or (version is not None and last.version != version):
                return False
            return names(last.findings) == sorted(items)

        try:
            await self.listener.until(there)
        except TimeoutError:
            last = self.listener.last(path)
            shown = None if last is None else (last.version, names(last.findings))
            raise AssertionError(
                f"{path} shows {shown}, wanted {sorted(items)} of {version}; {self.engine.status()}"
            ) from None
        last = self.listener.last(path)
        assert last is not None
        return last.findings

    async def idle(self) -> EngineStatus:
        """Wait until nothing runs and the change was collected."""
        await self.listener.until(lambda: self.engine.status().base is not None and self.engine.quiet)
        return self.engine.status()

    def path(self, path: str) -> RelPath:
        """A path as the engine takes it."""
        return RelPath(path)


def names(findings: tuple[Finding, ...]) -> list[str]:
    """The items' short names, sorted."""
    return sorted(finding.seen.item.split("/")[1] for finding in findings)


@asynccontextmanager
async def live(root: Path, **settings: object) -> AsyncIterator[Live]:
    """A started engine on a repository, closed afterwards. Settings by the editor's names, ``__`` for a dot."""
    editor = {"debounceMs": 20, **{name.replace("__", "."): value for name, value in settings.items()}}
    loaded, problems = config.load(root=root, editor=editor, environ={})
    assert not problems
    listener = Listener()
    engine = Engine(root=root, settings=loaded, trusted=None, listener=listener)
    try:
        await engine.start()
        yield Live(engine, listener)
    finally:
        await engine.close()
