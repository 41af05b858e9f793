"""A finding as a diagnostic.

Which findings are shown is the engine's decision and when they are sent the publisher's. Invariant: a diagnostic lies
on one line, and its ``data.id`` is the finding's id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsprotocol import types

from roundzero.core.change import Side
from roundzero.core.finding import State, Verified
from roundzero.core.frozen import dataclass
from roundzero.lsp.convert import ClientText, Encoding, span_range
from roundzero.render.escape import visible
from roundzero.render.reasons import reason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from roundzero.core.change import Source
    from roundzero.core.finding import Evidence, Finding
    from roundzero.core.item import Language
    from roundzero.core.text import RelPath, Span
    from roundzero.lsp.client import Client

SOURCE: Final = "roundzero"
_SEVERITIES: Final[Mapping[str, types.DiagnosticSeverity]] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A finding and where the client shows it."""

    finding: Finding
    range: types.Range


class Page:
    """The text of one file that findings lie in, with its lines counted once for all of them."""

    def __init__(self, path: RelPath, source: Source | None, encoding: Encoding, shift: int = 0) -> None:
        """``shift``: 1 for a byte-order mark the client's text has and the core's has not."""
        self.path = path
        self.source = source
        self._shift = shift
        self._text = ClientText("\ufeff" * shift + (source.text if source is not None else ""), encoding)

    def shown(self, findings: Sequence[Finding]) -> tuple[Shown, ...]:
        """Where each finding is shown."""
        if self.source is None:
            nowhere = types.Range(start=types.Position(0, 0), end=types.Position(0, 0))
            return tuple(Shown(finding, nowhere) for finding in findings)
        index = self.source.index
        return tuple(
            Shown(finding, span_range(self._span(finding), index, self._text, shift=self._shift))
            for finding in findings
        )

    def line(self, number: int) -> types.Range:
        """The text of a line, from 1."""
        if self.source is None:
            return types.Range(start=types.Position(number - 1, 0), end=types.Position(number - 1, 0))
        index = self.source.index
        return span_range(index.line_span(number), index, self._text, shift=self._shift)

    def _span(self, finding: Finding) -> Span:
        """The finding's own span, cut to its first line; else the line it hangs on; else the first line."""
        source, seen = self.source, finding.seen
        assert source is not None  # noqa: S101  shown() asked
        index = source.index
        if seen.span is not None and seen.side is Side.HEAD and seen.path == self.path:
            start, end = index.offset(seen.span.start), index.offset(seen.span.end)
            return index.span(start, min(end, index.line_start(seen.span.start.line) + len(index.line(seen.line))))
        if finding.anchor is not None and finding.anchor.path == self.path:
            return index.line_span(finding.anchor.line)
        return index.line_span(1)


def diagnostic(
    shown: Shown,
    client: Client,
    severities: Mapping[str, str],
    evidence_location: Callable[[Evidence], types.Location | None],
    language: Language = "en",
) -> types.Diagnostic:
    """The diagnostic of a finding. ``severities`` maps P0 to P3 to LSP's words; ``evidence_location`` finds a place.

    One that no longer stands for what the text says now is a hint, and says so.
    """
    finding = shown.finding
    seen = finding.seen
    faded = finding.state in {State.STALE, State.UNCONFIRMED}
    title = f"({reason(finding.state.value, language)}) {seen.title}" if faded else seen.title
    severity = _SEVERITIES.get(severities.get(seen.severity.name, ""), types.DiagnosticSeverity.Warning)
    related = []
    if client.related_information:
        for evidence in seen.evidence:
            there = evidence.side is Side.HEAD and evidence.verified is not Verified.MISSING
            location = evidence_location(evidence) if there and not seen.stands_at(evidence) else None
            if location is not None:
                quote = evidence.quote.strip()
                message = visible(f"{evidence.role}: {quote}" if evidence.role else quote)
                related.append(types.DiagnosticRelatedInformation(location=location, message=message))
    return types.Diagnostic(
        range=shown.range,
        severity=types.DiagnosticSeverity.Hint if faded else severity,
        code=seen.item,
        source=SOURCE,
        message=visible(title),
        tags=[types.DiagnosticTag.Unnecessary] if seen.unused and client.unnecessary_tag else None,
        related_information=related or None,
        data={"id": finding.id},
    )
