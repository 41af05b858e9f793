"""Our own requests: ``roundzero/findings`` and ``roundzero/baseText``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.lsp.client import Json
from roundzero.lsp.extensions import BASE_TEXT, FINDINGS
from roundzero.lsp.greeting import INVALID_PARAMS
from roundzero.lsp.pygls_fixes import RequestError
from roundzero.render.wire import finding_to_wire

if TYPE_CHECKING:
    from roundzero.lsp.pygls_fixes import Server
    from roundzero.lsp.shapes import BaseTextResult, FindingsResult
    from roundzero.lsp.workspaces import Located


_ROOT: Final = "."
"""How a repository's root is located in itself."""


def register(server: Server) -> None:
    """Register the handlers of this file."""
    server.feature(FINDINGS)(findings)
    server.feature(BASE_TEXT)(base_text)


def findings(ls: Server, params: object) -> FindingsResult:
    """The findings that a report lists: of one document, of one repository by its root, or of every repository."""
    uri = Json(params).at("uri").text()
    if uri is not None:
        located = _located(ls, uri)
        found = located.workspace.engine.listed(located.path if located.path != _ROOT else None)
    else:
        found = tuple(each for workspace in ls.session.workspaces.all() for each in workspace.engine.listed())
    return {"findings": [finding_to_wire(each) for each in found]}


async def base_text(ls: Server, params: object) -> BaseTextResult:
    """The text a document had at the base."""
    uri = Json(params).at("uri").text()
    if uri is None:
        raise RequestError(INVALID_PARAMS, f"{BASE_TEXT} needs the uri of a document")
    located = _located(ls, uri)
    await located.workspace.ready()
    return {"text": await located.workspace.engine.base_text(located.path)}


def _located(ls: Server, uri: str) -> Located:
    located = ls.session.workspaces.locate(uri)
    if located is None:
        raise RequestError(INVALID_PARAMS, f"{uri} does not lie in a git repository that is open here")
    return located
