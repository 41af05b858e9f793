"""Document synchronisation: the client's edits into our own documents, and on to the engine."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from roundzero.core.rule_files import SETTINGS_FILES
from roundzero.lsp.documents import TextChange
from roundzero.lsp.handlers.folders import welcome

if TYPE_CHECKING:
    from roundzero.lsp.documents import Document
    from roundzero.lsp.pygls_fixes import Server

_log: Final = logging.getLogger(__name__)


def register(server: Server) -> None:
    """Register the handlers of this file."""
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(did_save)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)


def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    """Take a document."""
    item = params.text_document
    _opened(ls, ls.session.documents.open(item.uri, item.version, item.text))


def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    """Apply edits. A document that was never opened has no text to apply them to."""
    uri = params.text_document.uri
    changes = [
        TextChange(
            change.range if isinstance(change, types.TextDocumentContentChangePartial) else None,
            change.text,
        )
        for change in params.content_changes
    ]
    document = ls.session.documents.change(uri, params.text_document.version, changes)
    if document is None:
        _log.warning("a change of %s was ignored: it was never opened", uri)
    else:
        ls.session.edited(document)


def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    """Tell the engine that a buffer was written. A folder may have become a repository since it was opened."""
    session, uri = ls.session, params.text_document.uri
    if (document := session.documents.get(uri)) is None:
        return
    located = session.workspaces.locate(uri)
    if located is None:
        _opened(ls, document)
        return
    if located.path in SETTINGS_FILES:
        session.workspaces.reload(located.workspace.root)
    located.workspace.engine.saved(located.path)


def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    """Let a document go; the file on disk counts again."""
    uri = params.text_document.uri
    if ls.session.documents.close(uri):
        ls.session.closed(uri)
    else:
        _log.warning("%s was closed but never opened", uri)


def _opened(ls: Server, document: Document) -> None:
    if (workspace := ls.session.opened(document)) is not None:
        welcome(ls, workspace)
