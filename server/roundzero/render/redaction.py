"""Keeps secrets out of what is rendered, whatever item a finding is of.

A finding about an unused import may stand on the line of a password; the report goes to logs and comments that more
people read than the code. Only what is shown changes, never what a fix writes. Invariant: a value that
``core.secrets`` finds in the text of a finding's file is in nothing this module returns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.secrets import redact
from roundzero.core.text import LineIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import Source
    from roundzero.core.finding import Finding, Fix
    from roundzero.core.report import Report

REDACTED: Final = "[redacted]"
_MASK: Final = "*"
_SHORTEST: Final = 6
"""Lines of a key that are shorter than this are no secret by themselves, and would hide innocent text."""


class Redactor:
    """Knows the secrets of some texts."""

    def __init__(self, sources: Iterable[Source] = ()) -> None:
        """Look for secrets in ``sources``; texts that are not among them are judged without their surroundings."""
        self._masked: dict[int, LineIndex] = {}
        self._shown: dict[str, str] = {}
        values = {value for source in sources for value in _values(source)}
        self._values = sorted(values, key=lambda value: (-len(value), value))

    @classmethod
    def of(cls, report: Report) -> Redactor:
        """For the texts that the listed findings are about."""
        named = {finding.seen.path for finding in report.findings}
        named |= {proof.path for finding in report.findings for proof in finding.seen.evidence}
        named |= {edit.path for finding in report.findings for fix in finding.seen.fixes for edit in fix.edits}
        files = (file for file in report.change.files if file.path in named or file.old_path in named)
        sides = [side for file in files for side in (file.head, file.base) if side is not None]
        return cls([*sides, *report.outside])

    def text(self, text: str) -> str:
        """The text with every secret replaced."""
        if text not in self._shown:
            shown = text
            for value in self._values:
                shown = shown.replace(value, REDACTED)
            self._shown[text] = redact(shown, REDACTED)
        return self._shown[text]

    def lines(self, source: Source) -> LineIndex:
        """The lines of a source, every character of a secret an asterisk, so that columns stay."""
        if not self._values:
            return source.index
        if id(source) not in self._masked:
            text = source.text
            for value in self._values:
                text = text.replace(value, _MASK * len(value))
            self._masked[id(source)] = LineIndex(text)
        return self._masked[id(source)]

    def finding(self, finding: Finding) -> Finding:
        """The finding as it may be shown. A fix that would have to show a secret is left out."""
        seen = finding.seen
        return replace(
            finding,
            state_text=self.text(finding.state_text) if finding.state_text is not None else None,
            seen=replace(
                seen,
                title=self.text(seen.title),
                why=self.text(seen.why),
                evidence=tuple(replace(proof, quote=self.text(proof.quote)) for proof in seen.evidence),
                fixes=tuple(replace(fix, title=self.text(fix.title)) for fix in seen.fixes if self._may_show(fix)),
            ),
        )

    def _may_show(self, fix: Fix) -> bool:
        texts = (text for edit in fix.edits for text in (edit.old_text, edit.new_text))
        return all(self.text(text) == text for text in texts)


def _values(source: Source) -> Iterable[str]:
    """The secrets in a source, those of several lines line by line, because a quote is a line."""
    for span in source.secrets:
        for line in source.text[span.start : span.end].split("\n"):
            if len(line.strip()) >= _SHORTEST:
                yield line.strip()
