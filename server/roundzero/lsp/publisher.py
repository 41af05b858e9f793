"""Pushes diagnostics: what changed, with the version it is true of, and an empty list when a file has none left.

There is no pull: two ways would show everything twice. It remembers what each file shows, which is also what hover and
code actions look at. Invariant: the client shows exactly what was published last for each file.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from lsprotocol import types

from roundzero.core.change import Source
from roundzero.core.frozen import dataclass
from roundzero.core.judge import shown as is_shown
from roundzero.core.rebase import carry, edit_map
from roundzero.lsp.diagnostics import Page, Shown, diagnostic

if TYPE_CHECKING:
    from collections.abc import Callable

    from roundzero.core.finding import Evidence, Finding
    from roundzero.core.text import RelPath
    from roundzero.engine.session import Publication
    from roundzero.lsp.client import Client
    from roundzero.lsp.documents import Document
    from roundzero.lsp.workspaces import Workspace


@dataclass(slots=True)
class Sent:
    """What one file shows. ``version`` is the document's when it was open."""

    path: RelPath
    version: int | None
    diagnostics: list[types.Diagnostic] = field(default_factory=list)
    shown: tuple[Shown, ...] = ()
    source: Source | None = None


class Publisher:
    """What every file of every repository shows."""

    def __init__(self, client: Client, send: Callable[[types.PublishDiagnosticsParams], None]) -> None:
        """Send through ``send``."""
        self._client = client
        self._send = send
        self._sent: dict[Workspace, dict[str, Sent]] = {}

    def publish(self, workspace: Workspace, publication: Publication, document: Document | None) -> None:
        """Show a file's findings. ``document`` is the file's, when it is open."""
        uri = workspace.uri_for(publication.path)
        page = Page(
            publication.path,
            publication.source,
            self._client.encoding,
            document.bom if document is not None else 0,
        )
        shown = page.shown([finding for finding in publication.findings if is_shown(finding)])
        version = publication.version if document is not None else None
        now = Sent(publication.path, version, self._diagnostics(workspace, page, shown), shown, publication.source)
        before = self._sent.get(workspace, {}).get(uri)
        self._sent.setdefault(workspace, {})[uri] = now
        if self._differs(before, now):
            self._put(uri, now.diagnostics, version)
        if not now.diagnostics and document is None:
            del self._sent[workspace][uri]

    def shown(self, workspace: Workspace, uri: str) -> tuple[Shown, ...]:
        """The findings a file shows, with their ranges in the text that was reviewed."""
        sent = self._sent.get(workspace, {}).get(uri)
        return sent.shown if sent is not None else ()

    def present(self, workspace: Workspace, uri: str, document: Document | None) -> tuple[Shown, ...]:
        """The findings a file shows, where they are in its document now; not those whose lines were edited since."""
        sent = self._sent.get(workspace, {}).get(uri)
        if sent is None or sent.source is None or document is None or sent.source.text == document.core_text:
            return sent.shown if sent is not None else ()
        now = Source(sent.path, document.core_text, "")
        lines = edit_map(sent.source.text, now.text)
        found: list[Finding] = []
        for finding in (each.finding for each in sent.shown):
            anchor = finding.anchor
            if anchor is not None and anchor.path == sent.path:
                anchor = replace(anchor, line=lines.nearest(anchor.line))
            found += [replace(finding, seen=seen, anchor=anchor) for seen in carry([finding.seen], sent.path, lines)]
        return Page(sent.path, now, self._client.encoding, document.bom).shown(found)

    def source(self, workspace: Workspace, uri: str) -> Source | None:
        """The text of a file that was reviewed last."""
        sent = self._sent.get(workspace, {}).get(uri)
        return sent.source if sent is not None else None

    def opened(self, workspace: Workspace, uri: str) -> None:
        """A client that opens a document shows nothing of it yet, whatever it was sent before."""
        if (sent := self._sent.get(workspace, {}).get(uri)) is not None:
            sent.version = None

    def respell(self, workspace: Workspace, old: str, new: str) -> None:
        """A client that opens a file under another spelling of its URI is shown it there and no longer here."""
        sent = self._sent.get(workspace, {}).pop(old, None)
        if sent is not None and sent.diagnostics:
            self._put(old, [], None)
            self._put(new, sent.diagnostics, None)
            self._sent[workspace][new] = sent

    def clear(self, workspace: Workspace) -> None:
        """Show nothing of a repository any more."""
        for uri, sent in self._sent.pop(workspace, {}).items():
            if sent.diagnostics:
                self._put(uri, [], None)

    def republish(self, workspace: Workspace) -> None:
        """Send everything again in the repository's present settings."""
        for uri, sent in self._sent.get(workspace, {}).items():
            page = Page(sent.path, sent.source, self._client.encoding)
            diagnostics = self._diagnostics(workspace, page, sent.shown)
            if diagnostics != sent.diagnostics:
                sent.diagnostics = diagnostics
                self._put(uri, diagnostics, sent.version)

    def _differs(self, before: Sent | None, now: Sent) -> bool:
        """Whether the client must hear of it.

        A list that holds something is sent for every version: editors move the marks they show with the text, and a
        line that was cut and put back has lost its mark although the list is the same.
        """
        if before is None:
            return bool(now.diagnostics) or now.version is not None
        if not before.diagnostics and not now.diagnostics:
            return before.version is None and now.version is not None
        return before.diagnostics != now.diagnostics or (now.version is not None and before.version != now.version)

    def _diagnostics(self, workspace: Workspace, page: Page, shown: tuple[Shown, ...]) -> list[types.Diagnostic]:
        pages = {page.path: page}

        def location(evidence: Evidence) -> types.Location | None:
            if evidence.line < 1:
                return None
            uri = workspace.uri_for(evidence.path)
            if evidence.path not in pages:
                source = self.source(workspace, uri)
                pages[evidence.path] = Page(evidence.path, source, self._client.encoding)
            return types.Location(uri=uri, range=pages[evidence.path].line(evidence.line))

        severities = workspace.settings.diagnostic_severity
        language = workspace.settings.language
        return [diagnostic(each, self._client, severities, location, language) for each in shown]

    def _put(self, uri: str, diagnostics: list[types.Diagnostic], version: int | None) -> None:
        self._send(types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics, version=version))
