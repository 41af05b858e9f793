"""Hover: what the findings under the cursor say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from roundzero.lsp.convert import contains

if TYPE_CHECKING:
    from roundzero.lsp.pygls_fixes import Server


def register(server: Server) -> None:
    """Register the handlers of this file."""
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)


def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """The findings at a position, worst first; None where there are none."""
    session = ls.session
    located = session.workspaces.locate(params.text_document.uri)
    if located is None:
        return None
    shown = session.publisher.shown(located.workspace, params.text_document.uri)
    here = [each for each in shown if contains(each.range, params.position)]
    if not here:
        return None
    from roundzero.lsp.hover_text import hover_text  # noqa: PLC0415  off the start-up path

    here.sort(key=lambda each: (each.finding.seen.severity, each.finding.id))
    markdown = session.client.markdown
    language = located.workspace.settings.language
    texts = [hover_text(each.finding, language, markdown=markdown) for each in here]
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    separator = "\n\n---\n\n" if markdown else "\n\n"
    return types.Hover(contents=types.MarkupContent(kind=kind, value=separator.join(texts)), range=here[0].range)
