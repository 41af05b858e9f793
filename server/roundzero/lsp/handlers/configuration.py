"""Settings from the client: pulled where it answers ``workspace/configuration``, else as it pushes them."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from roundzero.lsp.client import unwrapped
from roundzero.lsp.log import set_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.lsp.pygls_fixes import Server
    from roundzero.lsp.workspaces import Workspace

_log: Final = logging.getLogger(__name__)
_SECTION: Final = "roundzero"


def register(server: Server) -> None:
    """Register the handlers of this file."""
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)


def follow_configuration(ls: Server) -> None:
    """Ask for the settings, and to be told when they change."""
    client = ls.session.client
    if client.watch_configuration:
        options = types.DidChangeConfigurationRegistrationOptions(section=_SECTION)
        registration = types.Registration(
            id="roundzero-configuration",
            method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
            register_options=options,
        )
        ls.client_register_capability(types.RegistrationParams(registrations=[registration]))
    if client.configuration:
        ls.background(_pull(ls, ls.session.workspaces.all()))
    else:
        _apply_log_level(ls)


def did_change_configuration(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    """Take new settings: ask for them, or use what came along."""
    if ls.session.client.configuration:
        ls.background(_pull(ls, ls.session.workspaces.all()))
    elif isinstance(params.settings, dict):
        _apply(ls, None, params.settings)
        _apply_log_level(ls)


def pull_for(ls: Server, workspace: Workspace) -> None:
    """Ask for the settings of a repository that has just come."""
    if ls.session.client.configuration:
        ls.background(_pull(ls, (workspace,)))


async def _pull(ls: Server, workspaces: Sequence[Workspace]) -> None:
    """Ask for the settings of these repositories, each by one of its folders."""
    folders = [next(iter(sorted(workspace.folders)), workspace.uri) for workspace in workspaces]
    if not folders:
        return
    items = [types.ConfigurationItem(scope_uri=uri, section=_SECTION) for uri in folders]
    try:
        answers = await ls.workspace_configuration_async(types.ConfigurationParams(items=items))
    except asyncio.CancelledError:
        raise
    except Exception as error:  # noqa: BLE001  settings of a client that will not tell stay as they are
        _log.warning("the client did not answer workspace/configuration: %s", error)
        return
    for uri, answer in zip(folders, answers or (), strict=False):
        if isinstance(answer, dict):
            _apply(ls, uri, answer)
    _apply_log_level(ls)


def _apply(ls: Server, uri: str | None, settings: dict[str, object]) -> None:
    session = ls.session
    session.workspaces.configure(uri, {**session.client.settings, **unwrapped(settings)})
    for workspace in session.workspaces.all():
        session.publisher.republish(workspace)


def _apply_log_level(ls: Server) -> None:
    for workspace in ls.session.workspaces.all()[:1]:
        set_level(workspace.settings.log_level)
