"""Workspace folders that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from roundzero.lsp.client import Folder
from roundzero.lsp.handlers.configuration import pull_for
from roundzero.lsp.handlers.watching import watch_files

if TYPE_CHECKING:
    from roundzero.lsp.pygls_fixes import Server


def register(server: Server) -> None:
    """Register the handlers of this file."""
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_folders)


def did_change_folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Start reviewing what came; let go and clear what went. A folder in both stays."""
    session = ls.session
    known = session.workspaces.all()
    for folder in params.event.added:
        session.add_folder(Folder(folder.uri, folder.name))
    staying = {folder.uri for folder in params.event.added}
    for folder in params.event.removed:
        if folder.uri not in staying and (workspace := session.workspaces.remove(folder.uri)) is not None:
            session.forget(workspace)
            ls.background(session.workspaces.close(workspace))
    new = [workspace for workspace in session.workspaces.all() if workspace not in known]
    for workspace in new:
        pull_for(ls, workspace)
    if new:
        watch_files(ls)
