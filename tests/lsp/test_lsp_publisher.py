"""What is pushed to the client, and when nothing is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from lsprotocol import types

from roundzero.config import Settings
from roundzero.core.change import Side, Source
from roundzero.core.finding import Anchor, Evidence, Finding, FindingId, Observation, Origin, State, Verified
from roundzero.core.item import ItemId, Severity
from roundzero.core.text import Position, RelPath, Span
from roundzero.engine.session import Engine, Publication
from roundzero.lsp.client import Client
from roundzero.lsp.documents import Document
from roundzero.lsp.publisher import Publisher
from roundzero.lsp.workspaces import Workspace

PATH = RelPath("a b.py")
URI = "file:///r%6Fot/a%20b.py"
TEXT = "one\n\U0001f600two\nthree\n"


class Desk:
    """A publisher, one repository, and what was sent."""

    def __init__(self, **client: Any) -> None:  # noqa: ANN401  the fields of what is built
        """Start with nothing sent."""
        self.sent: list[types.PublishDiagnosticsParams] = []
        self.publisher = Publisher(Client(**client), self.sent.append)
        self.workspace = Workspace(Path("/root"), "file:///r%6Fot", cast("Engine", None), Settings())

    def publish(self, *findings: Finding, version: int | None = None, text: str = TEXT, path: RelPath = PATH) -> None:
        """Publish findings of the file, open when there is a version."""
        document = Document(URI, version, text, "utf-16") if version is not None else None
        source = Source(path, text.removeprefix("\ufeff"), "0" * 40)
        publication = Publication(path=path, version=version, findings=findings, source=source)
        self.publisher.publish(self.workspace, publication, document)

    def take(self) -> list[tuple[str, int | None, int]]:
        """What was sent since: URI, version, number of diagnostics."""
        taken = [(each.uri, each.version, len(each.diagnostics)) for each in self.sent]
        self.sent.clear()
        return taken


def finding(span: Span | None = Span(Position(2, 2), Position(2, 5)), **more: Any) -> Finding:  # noqa: ANN401, B008  the fields of what is built
    """A finding at a span, with other fields as given."""
    of_seen = {"severity": Severity.P1, "path": PATH, "side": Side.HEAD, "evidence": (), "unused": False}
    seen = {name: more.pop(name, value) for name, value in of_seen.items()}
    observation = Observation(
        item=ItemId("python/bad"), producer="test", producer_version="1", source="check", title="bad \u202e thing",
        why="", symbol=None, anchor_text="", span=span, **seen,
    )  # fmt: skip
    of_finding = {"id": FindingId("rz-1"), "group": "g", "origin": Origin.INTRODUCED, "in_diff": True, "anchor": None}
    return Finding(seen=observation, **{**of_finding, **more})


def test_a_diagnostic_says_everything_the_protocol_has_room_for() -> None:
    """Source, code, severity, range in the client's units, id, and text that cannot reorder itself."""
    desk = Desk(unnecessary_tag=True)
    desk.publish(finding(unused=True), version=1)
    (sent,) = desk.sent
    (diagnostic,) = sent.diagnostics
    assert diagnostic == types.Diagnostic(
        range=types.Range(types.Position(1, 2), types.Position(1, 5)),
        severity=types.DiagnosticSeverity.Error,
        code="python/bad",
        source="roundzero",
        message="bad \\u202e thing",
        tags=[types.DiagnosticTag.Unnecessary],
        data={"id": "rz-1"},
    )


def test_only_news_is_sent() -> None:
    """The same list of the same version is not; neither is a second empty one."""
    desk = Desk()
    desk.publish(finding(), version=1)
    desk.publish(finding(), version=1)
    assert desk.take() == [(URI, 1, 1)]
    desk.publish(finding(), version=2)
    assert desk.take() == [(URI, 2, 1)]
    desk.publish(version=3)
    desk.publish(version=4)
    assert desk.take() == [(URI, 3, 0)]


def test_an_opened_file_is_told_that_it_has_no_findings() -> None:
    """Once, so that an editor that waits for an answer gets one; a file that is not open is not told."""
    desk = Desk()
    desk.publish()
    assert desk.take() == []
    desk.publish(version=1)
    desk.publish(version=2)
    assert desk.take() == [(URI, 1, 0)]


def test_a_file_that_is_not_open_shows_its_findings_too() -> None:
    """Without a version; an empty list follows when they are gone."""
    desk = Desk()
    desk.publish(finding())
    desk.publish(finding())
    desk.publish()
    desk.publish()
    assert desk.take() == [(URI, None, 1), (URI, None, 0)]


def test_what_is_hidden_or_dealt_with_is_not_shown() -> None:
    """Hidden, dismissed, fixed, refuted and superseded findings have no diagnostic."""
    desk = Desk()
    gone = [State.DISMISSED, State.FIXED, State.REFUTED, State.SUPERSEDED]
    desk.publish(
        finding(hidden="old"), *(finding(state=state) for state in gone), finding(state=State.STALE), version=1
    )
    assert desk.take() == [(URI, 1, 1)]


def test_a_range_is_short_and_on_one_line() -> None:
    """A span over several lines is cut at the end of its first."""
    desk = Desk()
    desk.publish(finding(Span(Position(1, 2), Position(3, 4))), version=1)
    assert desk.sent[0].diagnostics[0].range == types.Range(types.Position(0, 1), types.Position(0, 3))


def test_a_finding_elsewhere_hangs_on_its_anchor() -> None:
    """On the base's side, or about the change as a whole: the anchor's line; without one the first line."""
    desk = Desk()
    anchor = Anchor(PATH, 3)
    desk.publish(
        finding(side=Side.BASE, anchor=anchor), finding(None, path=None, anchor=anchor), finding(None), version=1
    )
    assert [each.range.start.line for each in desk.sent[0].diagnostics] == [2, 2, 0]


def test_evidence_at_head_is_related_information_for_a_client_that_shows_it() -> None:
    """With its place; what lies at the base has none."""
    evidence = tuple(
        Evidence(path=PATH, side=side, line=3, quote=" three", role="use", blob="") for side in (Side.HEAD, Side.BASE)
    )
    desk = Desk(related_information=True)
    desk.publish(finding(evidence=evidence), version=1)
    (related,) = desk.sent[0].diagnostics[0].related_information or ()
    assert (related.location.uri, related.location.range.start.line, related.message) == (URI, 2, "use: three")
    plain = Desk()
    plain.publish(finding(evidence=evidence), version=1)
    assert plain.sent[0].diagnostics[0].related_information is None


def test_evidence_that_is_not_in_the_text_has_no_place() -> None:
    """What a model only says to stand there, or what was edited away, is not pointed at."""
    lost = Evidence(path=PATH, side=Side.HEAD, line=3, quote="made up", role="use", blob="", verified=Verified.MISSING)
    desk = Desk(related_information=True)
    desk.publish(finding(evidence=(lost,)), version=1)
    assert desk.sent[0].diagnostics[0].related_information is None


def test_evidence_on_the_finding_s_own_line_is_not_related_information() -> None:
    """The diagnostic stands there already."""
    own = Evidence(path=PATH, side=Side.HEAD, line=2, quote="two", role="place", blob="")
    desk = Desk(related_information=True)
    desk.publish(finding(evidence=(own,)), version=1)
    assert desk.sent[0].diagnostics[0].related_information is None


def test_severities_follow_the_settings() -> None:
    """P2 may be an error for one who wants it, and a change of settings is shown at once."""
    desk = Desk()
    desk.publish(finding(severity=Severity.P2), version=1)
    desk.workspace.settings = Settings(diagnostic_severity={"P2": "error"})
    desk.publisher.republish(desk.workspace)
    assert [each.diagnostics[0].severity for each in desk.sent] == [
        types.DiagnosticSeverity.Warning,
        types.DiagnosticSeverity.Error,
    ]


def test_a_byte_order_mark_shifts_the_first_line() -> None:
    """The client that has it in its text gets ranges of its text."""
    desk = Desk()
    desk.publish(finding(Span(Position(1, 1), Position(1, 4))), version=1, text="\ufeffone\n")
    assert desk.sent[0].diagnostics[0].range == types.Range(types.Position(0, 1), types.Position(0, 4))


def test_the_clients_spelling_is_what_it_gets_back() -> None:
    """Shown before a file was opened, then opened under another spelling: it moves there."""
    desk = Desk()
    desk.publish(finding())
    desk.workspace.spelled[PATH] = "file:///root/a%20b.py"
    desk.publisher.respell(desk.workspace, URI, "file:///root/a%20b.py")
    assert desk.take() == [(URI, None, 1), (URI, None, 0), ("file:///root/a%20b.py", None, 1)]


def test_a_repository_that_goes_takes_its_diagnostics_along() -> None:
    """Every file that showed something is cleared."""
    desk = Desk()
    desk.publish(finding(), version=1)
    desk.publisher.clear(desk.workspace)
    assert desk.take() == [(URI, 1, 1), (URI, None, 0)]
    assert desk.publisher.shown(desk.workspace, URI) == ()
