"""Everything one conversation with one client keeps: documents, repositories, what is shown.

Handlers ask it and change it; it speaks to the client for the engines. Invariant: all of it is touched from the event
loop only.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from typing import TYPE_CHECKING, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from roundzero.errors import OutsideError
from roundzero.lsp.convert import printable
from roundzero.lsp.documents import Document, Documents
from roundzero.lsp.extensions import COMPLETE, STATUS, status_wire
from roundzero.lsp.fixes import Target
from roundzero.lsp.publisher import Publisher
from roundzero.lsp.uris import scheme_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.text import RelPath
    from roundzero.engine.session import EngineStatus, Publication
    from roundzero.lsp.client import Client, Folder
    from roundzero.lsp.progress import Progress
    from roundzero.lsp.pygls_fixes import Server
    from roundzero.lsp.shapes import StatusWire
    from roundzero.lsp.workspaces import Level, Located, Workspace, Workspaces

_log: Final = logging.getLogger(__name__)
_KINDS: Final[dict[Level, types.MessageType]] = {
    "error": types.MessageType.Error,
    "warning": types.MessageType.Warning,
    "info": types.MessageType.Info,
}


class Session:
    """One client's session; an ``Output`` for the engines."""

    def __init__(self, server: Server, client: Client, workspaces: Workspaces) -> None:
        """Speak through ``server``."""
        self.client = client
        self.workspaces = workspaces
        self.documents = Documents(client.encoding)
        self.cancellable: dict[types.ProgressToken, Progress] = {}
        self.watching = False
        self.publisher = Publisher(client, server.text_document_publish_diagnostics)
        self._server = server
        self._status: dict[Workspace, StatusWire] = {}
        self._popped_up: set[str] = set()
        self._ignored: set[str] = set()

    def published(self, workspace: Workspace, publication: Publication) -> None:
        """Show what an engine found, unless its repository has been let go meanwhile."""
        if workspace in self.workspaces.all():
            document = self.documents.get(workspace.uri_for(publication.path))
            self.publisher.publish(workspace, publication, document)

    def status_changed(self, workspace: Workspace, status: EngineStatus) -> None:
        """Tell the client, if it is news."""
        wire = status_wire(workspace.uri, status)
        if self._status.get(workspace) != wire and workspace in self.workspaces.all():
            self._status[workspace] = wire
            self._server.protocol.notify(STATUS, wire)

    def message(self, level: Level, text: str) -> None:
        """Log it in the client. An error also pops up, once."""
        text = printable(text)
        self._server.window_log_message(types.LogMessageParams(type=_KINDS[level], message=text))
        if level == "error" and text not in self._popped_up:
            self._popped_up.add(text)
            self._server.window_show_message(types.ShowMessageParams(type=_KINDS[level], message=text))

    async def complete(self, prompt: str, schema: Mapping[str, object]) -> str:
        """Ask the client's own model. Raises OutsideError when it refuses or answers with no text.

        When nobody waits any more, the client is told.
        """
        name = f"model-{uuid.uuid4()}"
        protocol = self._server.protocol
        future = protocol.send_request(COMPLETE, {"prompt": printable(prompt), "schema": schema}, msg_id=name)
        try:
            answer = await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            protocol.notify(types.CANCEL_REQUEST, types.CancelParams(id=name))
            raise
        except JsonRpcException as error:
            raise OutsideError(f"the editor's model: {error}") from error
        text = answer.get("text") if isinstance(answer, dict) else answer
        if not isinstance(text, str):
            raise OutsideError("the editor's model answered with no text")
        return text

    def opened(self, document: Document) -> Workspace | None:
        """Hand an open document to its engine. The repository it lies in, if that was not known before."""
        if (located := self.locate(document.uri)) is not None:
            self.publisher.opened(located.workspace, document.uri)
            self._hand_over(document, located)
            return None
        workspace = self.workspaces.discover(document.uri)
        if workspace is not None:
            self.adopt(workspace)
        return workspace

    def edited(self, document: Document) -> None:
        """Tell the engine of a document's new text. Of two spellings of one file, the one typed in counts."""
        if (located := self.locate(document.uri)) is None:
            return
        if located.workspace.uri_for(located.path) == document.uri:
            located.workspace.engine.edited(located.path, document.core_text, document.version)
        else:
            self._hand_over(document, located)

    def closed(self, uri: str) -> None:
        """Let a document's engine go back to the disk, or to the same file open under another spelling."""
        if (located := self.locate(uri)) is None or located.workspace.uri_for(located.path) != uri:
            return
        for other in self.documents.all():
            if self.workspaces.locate(other.uri) == located:
                self._hand_over(other, located)
                return
        located.workspace.engine.closed(located.path)

    def _hand_over(self, document: Document, located: Located) -> None:
        """Make a document its file's buffer, and its spelling the one the file is shown under."""
        workspace, path = located.workspace, located.path
        before = workspace.uri_for(path)
        workspace.spelled[path] = document.uri
        if before != document.uri:
            self.publisher.respell(workspace, before, document.uri)
        workspace.engine.opened(path, document.core_text, document.version)

    def locate(self, uri: str) -> Located | None:
        """Where a document belongs; what is not a file is named in the log, once for each scheme."""
        located = self.workspaces.locate(uri)
        if located is None:
            name = uri if scheme_of(uri) == "file" else f"{scheme_of(uri)}: documents"
            if name not in self._ignored:
                self._ignored.add(name)
                _log.info("not reviewed: %s", name)
        return located

    def add_folder(self, folder: Folder) -> Workspace | None:
        """Take a folder and the open documents that lie in it. Its repository, if that was not known before."""
        known = self.workspaces.all()
        workspace = self.workspaces.add(folder)
        if workspace is None or workspace in known:
            return None
        self.adopt(workspace)
        return workspace

    def adopt(self, workspace: Workspace) -> None:
        """Hand a new repository the documents that are open in it."""
        for document in self.documents.all():
            located = self.workspaces.locate(document.uri)
            if located is not None and located.workspace is workspace:
                self._hand_over(document, located)

    def forget(self, workspace: Workspace) -> None:
        """Show nothing of a repository that was let go."""
        self.publisher.clear(workspace)
        self._status.pop(workspace, None)

    def target(self, workspace: Workspace, path: RelPath) -> Target | None:
        """A file as edits may change it: the open document, or else the text that was reviewed."""
        uri = workspace.uri_for(path)
        if (document := self.documents.get(uri)) is not None:
            return Target(uri=uri, version=document.version, text=document.core_text, bom=document.bom)
        source = self.publisher.source(workspace, uri)
        return Target(uri=uri, version=None, text=source.text) if source is not None else None
