"""The client's cancel button on a progress bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from roundzero.lsp.pygls_fixes import Server


def register(server: Server) -> None:
    """Register the handlers of this file."""
    server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)(cancel_progress)


def cancel_progress(ls: Server, params: types.WorkDoneProgressCancelParams) -> None:
    """Cancel the work a progress bar stands for. One that has ended is no news."""
    progress = ls.session.cancellable.get(params.token)
    if progress is not None:
        progress.cancel()
