"""Ways to put a finding aside from an editor: the actions that dismiss, the question behind "Dismiss…", the comment.

The light bulb shows three ways; the rest is one question away where a client can ask one, and every way is there for
whoever asks for the kind by name. Invariant: each action is a command or an edit that any client can carry out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from roundzero.core.change import Side, Source
from roundzero.core.ignore_comment import ignore_comment
from roundzero.lsp.convert import printable
from roundzero.lsp.fixes import Collected, workspace_edit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.core.finding import Edit, Finding
    from roundzero.core.item import ItemId, Language
    from roundzero.core.text import RelPath
    from roundzero.lsp.client import Client
    from roundzero.lsp.fixes import Target
    from roundzero.lsp.pygls_fixes import Server

DISMISS: Final = "quickfix.roundzero.dismiss"
"""The kind of actions that dismiss. Asked for by name, every reason is offered for every scope."""

IGNORE: Final = "quickfix.roundzero.ignore"
"""The kind of the action that writes the comment into the code."""

Way = tuple[str, str]
"""A reason and a scope, as ``roundzero.dismiss`` takes them."""

REACHES: Final = ("finding", "file", "item", "similar")
"""How far a dismissal may go: the values of ``DismissalScope``, without importing it."""

_REASONS: Final = ("false-positive", "intended", "later")
WAYS: Final[tuple[Way, ...]] = tuple((reason, scope) for scope in REACHES for reason in _REASONS)
_COMMAND: Final = "roundzero.dismiss"
_WORDS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "dismiss": "Dismiss {}: {}",
        "more": "Dismiss {}…",
        "comment": "Ignore {} in a comment (write the reason)",
        "false-positive": "false positive",
        "intended": "intended",
        "later": "later",
        "finding": "",
        "file": " (in this file)",
        "item": " (everywhere)",
        "similar": " (on lines like this)",
    },
    "zh": {
        "dismiss": "忽略 {}：{}",
        "more": "忽略 {}…",
        "comment": "用注释忽略 {}（请写明理由）",
        "false-positive": "误报",
        "intended": "有意为之",
        "later": "以后再说",
        "finding": "",
        "file": "（此文件中）",
        "item": "（所有位置）",
        "similar": "（所有类似的行）",
    },
}


def dismissals(
    findings: Iterable[Finding], language: Language, *, everything: bool, can_ask: bool
) -> Iterator[tuple[Finding, types.CodeAction]]:
    """The actions that dismiss. ``everything``: all ways for all; ``can_ask``: the client can put a question.

    Where several findings meet, the worst has three and the others one each.
    """
    worst = sorted(findings, key=lambda each: (each.seen.severity, each.id))
    for rank, finding in enumerate(worst):
        if everything:
            ways: tuple[Way, ...] = WAYS
        elif rank:
            ways = WAYS[:1]
        else:
            ways = (("false-positive", "finding"), ("false-positive", "file"))
            ways = ways if can_ask else (*ways, ("intended", "finding"))
        for way in ways:
            title = _WORDS[language]["dismiss"].format(finding.seen.item, _said(way, language))
            yield finding, _command(title, {"id": finding.id, "scope": way[1], "reason": way[0]})
        if can_ask and not everything and not rank:
            title = _WORDS[language]["more"].format(finding.seen.item)
            yield finding, _command(title, {"id": finding.id, "ask": True})


def comments(
    findings: Iterable[Finding], path: RelPath, target: Target, client: Client, language: Language
) -> Iterator[tuple[Finding, types.CodeAction]]:
    """For each finding that a comment in ``target`` would silence, that edit.

    ``findings`` lie in the text of ``path`` as it is now. May take tens of milliseconds the first time.
    """
    for finding in findings:
        seen = finding.seen
        if seen.side is not Side.HEAD or seen.span is None or seen.path != path or seen.producer == "ignores":
            continue
        edit = _comment(path, target.text, seen.line, seen.item)
        collected = Collected()
        if edit is None or not collected.add([edit], {path: target}):
            continue
        yield (
            finding,
            types.CodeAction(
                title=_WORDS[language]["comment"].format(seen.item),
                kind=IGNORE,
                edit=workspace_edit(collected, {path: target}, client.encoding, versioned=client.document_changes),
            ),
        )


@lru_cache(maxsize=8)
def _comment(path: RelPath, text: str, line: int, item: ItemId) -> Edit | None:
    """The edit, kept for a cursor that moves along its line: an editor asks anew at every step."""
    return ignore_comment(Source(path, text, ""), line, item)


async def chosen(ls: Server, finding: Finding, language: Language) -> Way | None:
    """Ask the person why, and how far; None when nothing was chosen."""
    titles = {_said(way, language): way for way in WAYS}
    question = types.ShowMessageRequestParams(
        type=types.MessageType.Info,
        message=printable(_WORDS[language]["dismiss"].format(finding.seen.item, finding.seen.title)),
        actions=[types.MessageActionItem(title=title) for title in titles],
    )
    answer = await ls.window_show_message_request_async(question)
    return titles.get(answer.title) if answer is not None else None


def _said(way: Way, language: Language) -> str:
    return _WORDS[language][way[0]] + _WORDS[language][way[1]]


def _command(title: str, argument: Mapping[str, object]) -> types.CodeAction:
    run = types.Command(title=title, command=_COMMAND, arguments=[dict(argument)])
    return types.CodeAction(title=title, kind=DISMISS, command=run)
