"""Commands: ask for a round, stop it, choose the base, pause, resume, status, report, and what to do with a finding.

Each takes one optional object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from lsprotocol import types

from roundzero.core.finding import FindingId
from roundzero.errors import UserError
from roundzero.lsp.client import Json
from roundzero.lsp.convert import printable
from roundzero.lsp.dismissals import REACHES, chosen
from roundzero.lsp.extensions import status_wire
from roundzero.lsp.greeting import COMMANDS, INVALID_PARAMS
from roundzero.lsp.progress import Progress
from roundzero.lsp.pygls_fixes import RequestError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from roundzero.core.finding import Finding
    from roundzero.core.report import Depth
    from roundzero.core.text import RelPath
    from roundzero.lsp.pygls_fixes import Server
    from roundzero.lsp.shapes import FindingStateWire, StatusWire
    from roundzero.lsp.workspaces import Workspace

_SCOPES: Final = ("worktree", "staged", "committed")
_DEPTHS: Final = ("off", "quick", "deep")


def register(server: Server) -> None:
    """Register the handlers of this file."""
    server.feature(types.WORKSPACE_EXECUTE_COMMAND)(execute)


async def execute(ls: Server, params: types.ExecuteCommandParams) -> object:
    """Run a command. Cancelling the request cancels the command."""
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

    def paths(self) -> tuple[RelPath, ...]:
        """The file or folder of ``uri`` within its repository; none when that is the whole of it."""
        uri = self.argument.at("uri").text()
        located = self.ls.session.workspaces.locate(uri) if uri is not None else None
        return (located.path,) if located is not None and located.path not in {"", "."} else ()

    def text(self, key: str) -> str | None:
        """A text that says something, or None when left out."""
        value = self.argument.at(key).value
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            raise RequestError(INVALID_PARAMS, f"{key} is a text")
        return value

    def finding(self) -> tuple[Workspace, FindingId]:
        """The finding of ``id``, and the repository it is in: that of ``uri``, or the one that knows it."""
        name = self.text("id")
        if name is None:
            raise RequestError(INVALID_PARAMS, "id names a finding, such as rz-0123456789ab")
        for workspace in self.workspaces():
            if workspace.engine.by_id.state(FindingId(name)) is not None:
                return workspace, FindingId(name)
        raise UserError(f"there is no finding {name} in this change; roundzero/findings lists all")

    def word(self, key: str, allowed: tuple[str, ...]) -> str | None:
        """One of the allowed words, or None when left out."""
        value = self.argument.at(key).value
        if value is None:
            return None
        if value not in allowed:
            raise RequestError(INVALID_PARAMS, f"{key} is one of {', '.join(allowed)}")
        return value


async def _review(call: _Call) -> list[StatusWire]:
    from roundzero.engine.review import ReviewRequest  # noqa: PLC0415  off the start-up path
    from roundzero.git.repository import Scope  # noqa: PLC0415  off the start-up path

    scope, depth = call.word("scope", _SCOPES) or "worktree", call.word("depth", _DEPTHS)
    workspaces = call.workspaces()
    title = "Round Zero: " + ", ".join(workspace.root.name for workspace in workspaces)
    done = []
    async with Progress(call.ls, title, call.token) as progress:
        for workspace in workspaces:
            await workspace.ready()
            chosen = depth or await workspace.engine.usual_depth()
            request = ReviewRequest(scope=Scope(scope), depth=cast("Depth", chosen), paths=call.paths())
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


async def _dismiss(call: _Call) -> FindingStateWire:
    from roundzero.core.dismissal import DismissalScope  # noqa: PLC0415  off the start-up path

    scope, reason = call.word("scope", REACHES), call.text("reason")
    workspace, name = call.finding()
    finding = workspace.engine.by_id.finding(name)
    if call.argument.at("ask").yes() and (reason, scope) == (None, None) and finding is not None:
        way = await chosen(call.ls, finding, workspace.settings.language)
        if way is None:
            return {"id": name, "state": workspace.engine.by_id.state(name) or "gone"}
        reason, scope = way
    scope, reason = scope or "finding", reason or "false-positive"
    return {"id": name, "state": await workspace.engine.by_id.dismiss(name, scope=DismissalScope(scope), reason=reason)}


async def _reopen(call: _Call) -> FindingStateWire:
    workspace, name = call.finding()
    return {"id": name, "state": await workspace.engine.by_id.reopen(name)}


async def _recheck(call: _Call) -> FindingStateWire | list[StatusWire]:
    if call.argument.at("id").value is not None:
        workspace, name = call.finding()
        deep = call.word("depth", _DEPTHS) == "deep"
        if not deep:
            return {"id": name, "state": await workspace.engine.by_id.recheck(name)}
        async with Progress(call.ls, f"Round Zero: {name}", call.token) as progress:
            state = await workspace.engine.by_id.recheck(name, deep=True, progress=progress)
        return {"id": name, "state": state}
    done = []
    for workspace in call.workspaces():
        await workspace.ready()
        await workspace.engine.recheck()
        done.append(status_wire(workspace.uri, workspace.engine.status()))
    return done


async def _answer(call: _Call) -> FindingStateWire:
    question, text = call.text("question"), call.text("text")
    if question is None or text is None:
        raise RequestError(INVALID_PARAMS, "question is one of the finding's open questions, text what you say to it")
    workspace, name = call.finding()
    return {"id": name, "state": await workspace.engine.by_id.answer(name, question, text)}


async def _explain(call: _Call) -> str:
    workspace, finding = _seen(call)
    language = workspace.settings.language
    from roundzero.lsp.hover_text import hover_text  # noqa: PLC0415  off the start-up path

    _show(call, lambda: hover_text(finding, language, markdown=False, whole=True))
    return hover_text(finding, language, markdown=True, whole=True)


async def _copy(call: _Call) -> str:
    workspace, finding = _seen(call)
    from roundzero.lsp.hover_text import comment_text  # noqa: PLC0415  off the start-up path

    text = comment_text(finding, workspace.settings.language)
    _show(call, lambda: text)
    return text


def _show(call: _Call, text: Callable[[], str]) -> None:
    """Put a text before a person whose editor does nothing with the result of a command, as our code actions ask."""
    if call.argument.at("show").yes():
        params = types.ShowMessageParams(type=types.MessageType.Info, message=printable(text()))
        call.ls.window_show_message(params)


def _seen(call: _Call) -> tuple[Workspace, Finding]:
    """A finding that is there now: of one that is only remembered there is no text to speak of."""
    workspace, name = call.finding()
    finding = workspace.engine.by_id.finding(name)
    if finding is None:
        raise UserError(f"{name} is {workspace.engine.by_id.state(name)} and no longer there")
    return workspace, finding


async def _report(call: _Call) -> str:
    """The last round's report in a format of the command line's; of several repositories one after the other."""
    from roundzero.render import formats, rendered  # noqa: PLC0415  off the start-up path
    from roundzero.render.look import Look  # noqa: PLC0415  off the start-up path

    form = call.word("format", formats()) or "markdown"
    texts = []
    for workspace in call.workspaces():
        await workspace.ready()
        texts.append(rendered(form, await workspace.engine.last_report(), Look()))
    return "\n".join(texts)


_COMMANDS: Final[Mapping[str, Callable[[_Call], Awaitable[object]]]] = dict(
    zip(
        COMMANDS,
        (
            _review, _stop, _select_base, _status, _pause, _resume,
            _dismiss, _reopen, _recheck, _explain, _copy, _answer, _report,
        ),
        strict=True,
    )
)  # fmt: skip
