"""Keeps secrets out of what is rendered, whatever item a finding is of.

A finding about an unused import may stand on the line of a password; the report goes to logs and comments that more
people read than the code. Only what is shown changes, never what a fix writes. Invariant: a value that
``core.secrets`` finds in the text of a finding's file is in nothing this module returns.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from roundzero.core.secrets import redact
from roundzero.core.text import LineIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.anatomy import Anatomy
    from roundzero.core.change import Source
    from roundzero.core.finding import Evidence, Finding, Fix, Grounds
    from roundzero.core.model_part import ModelStats
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
        named |= {proof.path for each in report.strengths for proof in each.evidence}
        named |= {proof.path for each in report.mismatches for proof in each.evidence}
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
        """The finding as it may be shown, itself where it hides nothing. A fix that would show a secret is left out.

        The text it is anchored at is for recognising it, and is not looked at.
        """
        seen = finding.seen
        said = (seen.title, seen.why, finding.state_text, finding.grounds, seen.evidence, seen.fixes, seen.anatomy)
        title, why, state_text = self.text(seen.title), self.text(seen.why), self._or_none(finding.state_text)
        grounds = self._grounds(finding.grounds)
        evidence, anatomy = self._proofs(seen.evidence), cast("Anatomy | None", self._all(seen.anatomy))
        fixes = tuple(self._fix(fix) for fix in seen.fixes if self._may_show(fix))
        if (title, why, state_text, grounds, evidence, fixes, anatomy) == said:
            return finding
        shown = replace(seen, title=title, why=why, evidence=evidence, fixes=fixes, anatomy=anatomy)
        return replace(finding, state_text=state_text, grounds=grounds, seen=shown)

    def report(self, report: Report) -> Report:
        """The report as it may be shown, its texts aside."""
        text, texts = self.text, self._texts
        return replace(
            report,
            verdict=replace(report.verdict, reasons=texts(report.verdict.reasons)),
            base=replace(report.base, doubts=texts(report.base.doubts)),
            coverage=replace(
                report.coverage,
                skipped=tuple(replace(skip, reason=text(skip.reason)) for skip in report.coverage.skipped),
            ),
            overview=tuple(
                row if row.summary is None else replace(row, summary=text(row.summary)) for row in report.overview
            ),
            summary=self._or_none(report.summary),
            themes=texts(report.themes),
            mismatches=tuple(
                replace(each, said=text(each.said), text=text(each.text), evidence=self._proofs(each.evidence))
                for each in report.mismatches
            ),
            strengths=tuple(
                replace(each, text=text(each.text), evidence=self._proofs(each.evidence)) for each in report.strengths
            ),
            findings=tuple(self.finding(each) for each in report.findings),
            settings_changed=texts(report.settings_changed),
            notices=texts(report.notices),
            stats=replace(report.stats, failures=texts(report.stats.failures), model=self._model(report.stats.model)),
        )

    def _grounds(self, grounds: Grounds | None) -> Grounds | None:
        if grounds is None or grounds.quote is None:
            return grounds
        return replace(grounds, quote=self.text(grounds.quote))

    def _all(self, value: object) -> object:
        """A value with every text in it replaced."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, tuple):
            return tuple(self._all(each) for each in value)
        if not is_dataclass(value) or isinstance(value, type):
            return value
        return replace(value, **{each.name: self._all(getattr(value, each.name)) for each in fields(value)})

    def _model(self, model: ModelStats | None) -> ModelStats | None:
        """What a host says of a failure may repeat what it was sent."""
        return None if model is None else replace(model, gaps=self._texts(model.gaps))

    def _texts(self, texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(self.text(each) for each in texts)

    def _proofs(self, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
        return tuple(self._proof(proof) for proof in evidence)

    def _proof(self, proof: Evidence) -> Evidence:
        quote, role = self.text(proof.quote), self.text(proof.role)
        return proof if (quote, role) == (proof.quote, proof.role) else replace(proof, quote=quote, role=role)

    def _fix(self, fix: Fix) -> Fix:
        title = self.text(fix.title)
        return fix if title == fix.title else replace(fix, title=title)

    def _or_none(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def _may_show(self, fix: Fix) -> bool:
        texts = (text for edit in fix.edits for text in (edit.old_text, edit.new_text))
        return all(self.text(text) == text for text in texts)


def _values(source: Source) -> Iterable[str]:
    """The secrets in a source, those of several lines line by line, because a quote is a line."""
    for span in source.secrets:
        for line in source.text[span.start : span.end].split("\n"):
            if len(line.strip()) >= _SHORTEST:
                yield line.strip()
