"""Commands: ask for a round, stop it, choose the base, pause, resume, status.

Each takes one optional object. Announced commands that do not exist yet are refused by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from lsprotocol import types

from roundzero.errors import UserError
from roundzero.lsp.client import Json
from roundzero.lsp.extensions import status_wire
from roundzero.lsp.greeting import COMMANDS, INVALID_PARAMS
from roundzero.lsp.progress import Progress
from roundzero.lsp.pygls_fixes import RequestError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from roundzero.core.report import Depth
    from roundzero.lsp.pygls_fixes import Server
    from roundzero.lsp.shapes import StatusWire
    from roundzero.lsp.workspaces import Workspace

_LATER: Final = frozenset(
    f"roundzero.{name}" for name in ("recheck", "dismiss", "reopen", "explain", "copy", "answer", "report")
)
_SCOPES: Final = ("worktree", "staged", "committed")
_DEPTHS: Final = ("off", "quick", "deep")


def register(server: Server) -> None:
    """Register the handlers of this file."""
    server.feature(types.WORKSPACE_EXECUTE_COMMAND)(execute)


async def execute(ls: Server, params: types.ExecuteCommandParams) -> object:
    """Run a command. Cancelling the request cancels the command."""
    if params.command in _LATER:
        raise RequestError(
            types.LSPErrorCodes.RequestFailed.value, f"{params.command} is not available in this version of Round Zero"
        )
    command = _COMMANDS.get(params.command)
    if command is None:
        raise RequestError(INVALID_PARAMS, f"there is no command {params.command}")
    arguments = params.arguments or []
    if len(arguments) > 1 or (arguments and not isinstance(arguments[0], dict | None)):
        raise RequestError(INVALID_PARAMS, f"{params.command} takes one object")
    return await command(_Call(ls, Json(arguments[0] if arguments else None), params.work_done_token))


class _Call:
    """A command being run: its argument, and what it is about."""

    def __init__(self, ls: Server, argument: Json, token: types.ProgressToken | None) -> None:
        self.ls = ls
        self.argument = argument
        self.token = token

    def workspaces(self) -> tuple[Workspace, ...]:
        """The repository of ``uri``, or all of them."""
        uri = self.argument.at("uri").value
        if uri is not None and not isinstance(uri, str):
            raise RequestError(INVALID_PARAMS, "uri is a string")
        if uri is None:
            found = self.ls.session.workspaces.all()
            if not found:
                raise UserError("no folder that is open here lies in a git repository, so there is nothing to review")
            return found
        located = self.ls.session.workspaces.locate(uri)
        if located is None:
            raise UserError(f"{uri} does not lie in a git repository that is open here")
        return (located.workspace,)

    def word(self, key: str, allowed: tuple[str, ...]) -> str | None:
        """One of the allowed words, or None when left out."""
        value = self.argument.at(key).value
        if value is None:
            return None
        if value not in allowed:
            raise RequestError(INVALID_PARAMS, f"{key} is one of {', '.join(allowed)}")
        return value


async def _review(call: _Call) -> list[StatusWire]:
    from roundzero.engine.review import ReviewRequest, no_model  # noqa: PLC0415  off the start-up path
    from roundzero.git.repository import Scope  # noqa: PLC0415  off the start-up path

    scope, depth = call.word("scope", _SCOPES) or "worktree", call.word("depth", _DEPTHS) or "off"
    request = ReviewRequest(scope=Scope(scope), depth=cast("Depth", depth))
    workspaces = call.workspaces()
    for workspace in workspaces if depth != "off" else ():
        raise UserError(f"depth {depth}: {no_model(workspace.settings)}; use depth off")
    title = "Round Zero: " + ", ".join(workspace.root.name for workspace in workspaces)
    done = []
    async with Progress(call.ls, title, call.token) as progress:
        for workspace in workspaces:
            await workspace.ready()
            report = await workspace.engine.review(request, progress)
            done.append(status_wire(workspace.uri, workspace.engine.status_of(report)))
    return done


async def _stop(call: _Call) -> None:
    for workspace in call.workspaces():
        workspace.engine.stop()
    for progress in tuple(call.ls.session.cancellable.values()):
        progress.cancel()


async def _select_base(call: _Call) -> list[StatusWire]:
    value = call.argument.at("ref").value
    if value is not None and not isinstance(value, str):
        raise RequestError(INVALID_PARAMS, "ref is the name of a ref, or null for the automatic choice")
    done = []
    for workspace in call.workspaces():
        await workspace.ready()
        await workspace.engine.select_base(value)
        done.append(status_wire(workspace.uri, workspace.engine.status()))
    return done


async def _status(call: _Call) -> list[StatusWire]:
    return [status_wire(workspace.uri, workspace.engine.status()) for workspace in call.workspaces()]


async def _pause(call: _Call) -> None:
    for workspace in call.workspaces():
        workspace.engine.pause()


async def _resume(call: _Call) -> None:
    for workspace in call.workspaces():
        workspace.engine.resume()


_COMMANDS: Final[Mapping[str, Callable[[_Call], Awaitable[object]]]] = dict(
    zip(COMMANDS, (_review, _stop, _select_base, _status, _pause, _resume), strict=True)
)
