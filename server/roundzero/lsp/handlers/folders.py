"""Workspace folders that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from roundzero.lsp.client import Folder
from roundzero.lsp.handlers.configuration import pull_for
from roundzero.lsp.handlers.watching import watch_files

if TYPE_CHECKING:
    from roundzero.lsp.pygls_fixes import Server
    from roundzero.lsp.workspaces import Workspace


def register(server: Server) -> None:
    """Register the handlers of this file."""
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_folders)


def did_change_folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Start reviewing what came; let go and clear what went. A folder in both stays."""
    session = ls.session
    came = [session.add_folder(Folder(folder.uri, folder.name)) for folder in params.event.added]
    staying = {folder.uri for folder in params.event.added}
    for folder in params.event.removed:
        if folder.uri not in staying and (workspace := session.workspaces.remove(folder.uri)) is not None:
            session.forget(workspace)
            ls.background(session.workspaces.close(workspace))
    welcome(ls, *(workspace for workspace in came if workspace is not None))


def welcome(ls: Server, *workspaces: Workspace) -> None:
    """Ask the client about repositories that were not there when it was greeted: their settings, and to watch them."""
    for workspace in workspaces:
        pull_for(ls, workspace)
    if workspaces:
        watch_files(ls)
