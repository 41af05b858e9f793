"""Changes on disk that the client sees for us, and renames it announces.

Registration is dynamic: a client that does not offer it sends nothing. Git's own files are the engine's to watch,
whatever the client can, so what happens in ``.git`` is not passed on.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from lsprotocol import types

from roundzero.core.rule_files import SETTINGS_FILES
from roundzero.lsp.uris import path_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.lsp.pygls_fixes import Server

_EVERYTHING: Final = 7
"""Created, changed and deleted, as the bits of ``WatchKind``, which has no name for the sum."""
_PATTERN: Final = "**/*"
_ID: Final = "roundzero-files"


def register(server: Server) -> None:
    """Register the handlers of this file."""
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change_files)
    server.feature(types.WORKSPACE_WILL_RENAME_FILES)(will_rename)
    server.feature(types.WORKSPACE_DID_RENAME_FILES)(did_rename)


def watch_files(ls: Server) -> None:
    """Ask the client to watch every repository, if it can."""
    session = ls.session
    if not session.client.watch_files:
        return
    patterns: list[str | types.RelativePattern] = [_PATTERN]
    if session.client.relative_patterns:
        patterns = [types.RelativePattern(each.uri, _PATTERN) for each in session.workspaces.all()]
    kind = cast("types.WatchKind", _EVERYTHING)
    watchers = [types.FileSystemWatcher(glob_pattern=pattern, kind=kind) for pattern in patterns]
    if not watchers:
        return
    if session.watching:
        old = types.Unregistration(id=_ID, method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
        ls.client_unregister_capability(types.UnregistrationParams(unregisterations=[old]))
    session.watching = True
    registration = types.Registration(
        id=_ID,
        method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
        register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers),
    )
    ls.client_register_capability(types.RegistrationParams(registrations=[registration]))


def did_change_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Tell the engines. A changed settings file is read again."""
    _changed(ls, (change.uri for change in params.changes))


def will_rename(ls: Server, params: types.RenameFilesParams) -> None:
    """Nothing in other files is ours to edit."""


def did_rename(ls: Server, params: types.RenameFilesParams) -> None:
    """Both names have changed on disk."""
    _changed(ls, (uri for file in params.files for uri in (file.old_uri, file.new_uri)))


def _changed(ls: Server, uris: Iterable[str]) -> None:
    paths = [Path(path) for uri in uris if (path := path_of(uri)) is not None]
    for workspace in ls.session.workspaces.all():
        git = workspace.root / ".git"
        inside = [path for path in paths if path.is_relative_to(workspace.root) and not path.is_relative_to(git)]
        if any(path.parent == workspace.root and path.name in SETTINGS_FILES for path in inside):
            ls.session.workspaces.reload(workspace.root)
        if inside:
            workspace.engine.files_changed(inside)
