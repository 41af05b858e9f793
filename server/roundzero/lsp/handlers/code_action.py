"""Code actions: fix this finding, all of its item in the file, everything that is safe; show the base.

How to put a finding aside is in dismissals.py, what a model's has beside in model_actions.py. Edits are worked out when
the client asks for them (resolve), or at once for a client that cannot. Invariant: an action is preferred only where
the engine tried the fix on a copy and the finding was gone.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from roundzero.core.frozen import dataclass
from roundzero.lsp.convert import overlap, printable
from roundzero.lsp.dismissals import DISMISS, IGNORE, comments, dismissals
from roundzero.lsp.fixes import Collected, workspace_edit
from roundzero.lsp.greeting import FIX_ALL, INVALID_PARAMS
from roundzero.lsp.model_actions import ABOUT, about
from roundzero.lsp.pygls_fixes import RequestError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from roundzero.core.finding import Finding
    from roundzero.core.text import RelPath
    from roundzero.engine.fixing import TriedFix
    from roundzero.lsp.fixes import Target
    from roundzero.lsp.pygls_fixes import Server
    from roundzero.lsp.workspaces import Located, Workspace

SHOW_BASE: Final = "roundzero.showBase"
"""A command of the client's, offered when it announces it in ``experimental.commands``."""

_QUICK_FIX: Final = types.CodeActionKind.QuickFix.value
_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "item": "Fix all of {} in this file",
        "apply": "Apply the suggestion: {}",
        "all": "Round Zero: fix everything that is safe",
        "base": "Show the base version",
    },
    "zh": {
        "item": "修复此文件中所有 {}",
        "apply": "应用建议：{}",
        "all": "Round Zero：修复所有可安全修复的问题",
        "base": "显示基线版本",
    },
}


def register(server: Server) -> None:
    """Register the handlers of this file."""
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION)(code_action)
    server.feature(types.CODE_ACTION_RESOLVE)(resolve)


@dataclass(frozen=True, slots=True)
class Wanted:
    """One fix of one finding."""

    finding: Finding
    index: int


async def code_action(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction] | None:
    """What can be done in a range of a document."""
    session, uri = ls.session, params.text_document.uri
    located = session.workspaces.locate(uri)
    if located is None or not session.client.code_action_literals:
        return None
    workspace, asked = located.workspace, _Asked(params.context)
    shown = session.publisher.shown(workspace, uri)
    # A client that asks for a whole line, as Neovim does, sends a cursor and the diagnostics of the line.
    named = {_id_of(each) for each in params.context.diagnostics}
    present = session.publisher.present(workspace, uri, session.documents.get(uri))
    there = {each.finding.id: each.finding for each in shown if each.finding.id in named}
    here = [each.finding for each in present if overlap(each.range, params.range) or each.finding.id in there]
    edited = [finding for name, finding in there.items() if all(each.finding.id != name for each in present)]
    words = _WORDS[workspace.settings.language]
    actions: list[types.CodeAction] = []
    if asked.kind(_QUICK_FIX):
        actions += await _quick_fixes(ls, workspace, [*here, *edited], params, words)
        for item in _several([each.finding for each in shown], [*here, *edited]):
            actions.append(_action(words["item"].format(item), _QUICK_FIX, {"uri": uri, "item": item}))
    models = [each for each in (*here, *edited) if each.seen.source == "model"]
    if models and asked.kind(ABOUT):
        worst = min(models, key=lambda each: (each.seen.severity, each.id))
        actions += about(worst, workspace.settings.language, session.client.commands)
    actions += await _comments(ls, located, here, params, asked)
    actions += _dismissals(ls, workspace, [*here, *edited], params, asked)
    if asked.fix_all() and _fixable((each.finding for each in shown), safe=True):
        actions.append(_action(words["all"], FIX_ALL, {"uri": uri, "all": True}))
    if (here or edited) and asked.kind("") and SHOW_BASE in session.client.commands:
        command = types.Command(title=words["base"], command=SHOW_BASE, arguments=[{"uri": uri}])
        actions.append(types.CodeAction(title=words["base"], kind=types.CodeActionKind.Empty, command=command))
    if not session.client.code_action_resolve:
        actions = await _with_edits(ls, actions)
    return actions or None


async def resolve(ls: Server, params: types.CodeAction) -> types.CodeAction:
    """The action with its edits, worked out on the text as it is now."""
    if params.edit is None and params.command is None:
        params.edit, refused = await _edit(ls, params.data)
        if params.edit is None and refused:
            raise RequestError(types.LSPErrorCodes.RequestFailed.value, f"this cannot be applied: {refused}")
        if params.edit is None:
            raise RequestError(
                types.LSPErrorCodes.ContentModified.value, "the text has changed; there is nothing to fix here any more"
            )
    return params


async def _comments(
    ls: Server, located: Located, here: Sequence[Finding], params: types.CodeActionParams, asked: _Asked
) -> list[types.CodeAction]:
    """Comments in the code, for findings as they lie in the text of now. Reading a long one does not hold the loop."""
    target = ls.session.target(located.workspace, located.path) if here and asked.kind(IGNORE) else None
    if target is None:
        return []
    client, language = ls.session.client, located.workspace.settings.language
    found = await asyncio.to_thread(lambda: list(comments(here, located.path, target, client, language)))
    return [_about(finding, action, params) for finding, action in found]


def _dismissals(
    ls: Server, workspace: Workspace, here: Sequence[Finding], params: types.CodeActionParams, asked: _Asked
) -> Iterator[types.CodeAction]:
    """Dismissing without touching the code."""
    if asked.kind(DISMISS):
        language, can_ask = workspace.settings.language, ls.session.client.questions
        ways = dismissals(here, language, everything=asked.named(DISMISS), can_ask=can_ask)
        yield from (_about(finding, action, params) for finding, action in ways)


async def _quick_fixes(
    ls: Server,
    workspace: Workspace,
    findings: Iterable[Finding],
    params: types.CodeActionParams,
    words: Mapping[str, str],
) -> list[types.CodeAction]:
    """An action for each fix that the engine could apply to a copy of the text as it is now."""
    wanted = [Wanted(finding, at) for finding in findings for at in range(len(finding.seen.fixes))]
    tried = await asyncio.gather(*(_try(ls, workspace, each) for each in wanted))
    actions, preferred = [], set()
    for each, result in zip(wanted, tried, strict=True):
        if result is not None and result.edits:
            first = result.preferred and each.finding.id not in preferred
            if first:
                preferred.add(each.finding.id)
            actions.append(_quick_fix(ls, params, each, words, preferred=first))
    return actions


def _about(finding: Finding, action: types.CodeAction, params: types.CodeActionParams) -> types.CodeAction:
    """The action tied to the diagnostics of its finding, as the client sent them."""
    action.diagnostics = [each for each in params.context.diagnostics if _id_of(each) == finding.id] or None
    return action


def _several(findings: list[Finding], here: Iterable[Finding]) -> list[str]:
    """The items of ``here`` that can be fixed in more than one place of the file."""
    items = dict.fromkeys(finding.seen.item for finding in here if finding.seen.fixes)
    return [item for item in items if len(_fixable(findings, item=item)) > 1]


async def _with_edits(ls: Server, actions: Iterable[types.CodeAction]) -> list[types.CodeAction]:
    """The actions with their edits, for a client that cannot ask for them; those without any are left out."""
    complete = []
    for action in actions:
        if action.command is None and action.edit is None:
            action.edit, _ = await _edit(ls, action.data)
            action.data = None
        if action.command is not None or action.edit is not None:
            complete.append(action)
    return complete


class _Asked:
    """Which kinds of action a client asked for."""

    def __init__(self, context: types.CodeActionContext) -> None:
        self._only = [str(getattr(kind, "value", kind)) for kind in context.only] if context.only else None
        self._automatic = context.trigger_kind == types.CodeActionTriggerKind.Automatic

    def kind(self, kind: str) -> bool:
        """Whether an action of this kind is wanted. Kinds are dotted; a shorter one asks for all below it."""
        if self._only is None:
            return True
        return any(not each or kind == each or kind.startswith(each + ".") for each in self._only)

    def named(self, kind: str) -> bool:
        """Whether this very kind was asked for."""
        return self._only is not None and kind in self._only

    def fix_all(self) -> bool:
        """Source actions are for a menu or for saving, never for the light bulb that follows the cursor."""
        return self.kind(FIX_ALL) and not (self._only is None and self._automatic)


def _fixable(findings: Iterable[Finding], *, item: str | None = None, safe: bool = False) -> list[Wanted]:
    """The first fitting fix of each finding."""
    wanted = []
    for finding in findings:
        if item is not None and finding.seen.item != item:
            continue
        at = next((at for at, fix in enumerate(finding.seen.fixes) if fix.safe or not safe), None)
        if at is not None:
            wanted.append(Wanted(finding, at))
    return wanted


def _quick_fix(
    ls: Server, params: types.CodeActionParams, wanted: Wanted, words: Mapping[str, str], *, preferred: bool
) -> types.CodeAction:
    """One fix. Only the first that may be preferred is: an editor that fixes by itself takes that one."""
    finding = wanted.finding
    title = finding.seen.fixes[wanted.index].title
    if finding.seen.source == "model":
        title = words["apply"].format(title)
    action = _action(
        printable(title),
        _QUICK_FIX,
        {"uri": params.text_document.uri, "id": finding.id, "index": wanted.index},
    )
    action = _about(finding, action, params)
    if preferred and ls.session.client.code_action_preferred:
        action.is_preferred = True
    return action


def _action(title: str, kind: str, data: dict[str, object]) -> types.CodeAction:
    return types.CodeAction(title=title, kind=kind, data=data)


def _id_of(diagnostic: types.Diagnostic) -> str | None:
    data = diagnostic.data
    return data.get("id") if isinstance(data, dict) else None


async def _try(ls: Server, workspace: Workspace, wanted: Wanted) -> TriedFix | None:
    """What the engine says of a fix on the text as it is now; None where there is no text."""
    path = wanted.finding.seen.path
    target = ls.session.target(workspace, path) if path is not None else None
    if target is None:
        return None
    return await workspace.engine.try_fix(wanted.finding.id, wanted.index, target.text)


async def _edit(ls: Server, data: object) -> tuple[types.WorkspaceEdit | None, str]:
    """The edits of an action, by the data it was sent with; None when there is nothing left to do, and why if known."""
    if not isinstance(data, dict) or not isinstance(uri := data.get("uri"), str):
        raise RequestError(INVALID_PARAMS, "this action is not one of ours")
    session = ls.session
    located = session.workspaces.locate(uri)
    if located is None:
        return None, ""
    workspace = located.workspace
    findings = [each.finding for each in session.publisher.shown(workspace, uri)]
    if "id" in data:
        wanted = [Wanted(each, int(data.get("index", 0))) for each in findings if each.id == data["id"]]
    elif "item" in data:
        wanted = _fixable(findings, item=str(data["item"]))
    else:
        wanted = _fixable(findings, safe=True)
    tried = await asyncio.gather(*(_try(ls, workspace, each) for each in wanted))
    targets: dict[RelPath, Target] = {}
    collected = Collected()
    took = False
    for result in tried:
        if result is None:
            continue
        for edit in result.edits:
            if edit.path not in targets and (target := session.target(workspace, edit.path)) is not None:
                targets[edit.path] = target
        took = collected.add(result.edits, targets) or took
    if not took:
        return None, next((result.reason for result in tried if result is not None and result.reason), "")
    versioned = session.client.document_changes
    return workspace_edit(collected, targets, session.client.encoding, versioned=versioned), ""
