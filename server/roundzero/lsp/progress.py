"""Progress of a round that was asked for, as the client shows it, with a button to cancel.

Automatic reviews show none. Invariant: what was begun is ended, also when the work fails or is cancelled.
"""

from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING, Final, Self

from lsprotocol import types

from roundzero.lsp.convert import printable

if TYPE_CHECKING:
    from types import TracebackType

    from roundzero.lsp.pygls_fixes import Server

CREATE_SECONDS: Final = 2.0
"""A client that takes longer to make room for a progress bar gets its review without one."""

STEP: Final = 5
"""Percent between two reports of one stage: a client draws each."""


class Progress:
    """The engine's ``ProgressSink`` on a client's progress bar. Used as an asynchronous context."""

    def __init__(self, server: Server, title: str, token: types.ProgressToken | None) -> None:
        """``token`` is the client's own, when it sent one with its request."""
        self._server = server
        self._title = title
        self._token = token
        self._task: asyncio.Task[object] | None = None
        self._last: tuple[str, int] | None = None

    async def __aenter__(self) -> Self:
        """Begin, on a token of ours if the client lets us make one."""
        self._task = asyncio.current_task()
        if self._token is None and self._server.session.client.progress:
            token = str(uuid.uuid4())
            try:
                async with asyncio.timeout(CREATE_SECONDS):
                    await self._server.window_work_done_progress_create_async(
                        types.WorkDoneProgressCreateParams(token=token)
                    )
            except Exception:  # noqa: BLE001  a client that shows no progress still gets its review
                return self
            self._token = token
        if self._token is not None:
            self._server.session.cancellable[self._token] = self
            self._say(types.WorkDoneProgressBegin(title=self._title, cancellable=True, percentage=0))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        if self._token is not None:
            self._server.session.cancellable.pop(self._token, None)
            self._say(types.WorkDoneProgressEnd())
            self._token = None

    def stage(self, name: str, done: int, total: int | None) -> None:
        """Show a stage; ``total`` None: nobody knows how long it is."""
        percent = min(100, done * 100 // total) if total else 0
        if self._token is None or (self._last is not None and self._last[0] == name and percent - self._last[1] < STEP):
            return
        self._last = (name, percent)
        message = printable(f"{name} {done}/{total}" if total else name)
        self._say(
            types.WorkDoneProgressReport(cancellable=True, message=message, percentage=percent if total else None)
        )

    def cancel(self) -> None:
        """Cancel the work, as the client asked."""
        if self._task is not None:
            self._task.cancel()

    def _say(
        self, value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd
    ) -> None:
        if self._token is not None:
            self._server.progress(types.ProgressParams(token=self._token, value=value))
