"""A finding in the Markdown report: in full, on a line of its own, and what became of it.

Does not know where in the report a finding is listed. Invariant: a text is said once; later places name the label of
the finding that has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.finding import State
from roundzero.core.item import Severity
from roundzero.render.case import argument, proofs, rest, support
from roundzero.render.excerpt import sources_of
from roundzero.render.markdown_fix import diff
from roundzero.render.markdown_inline import quoted
from roundzero.render.markdown_text import block, code

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roundzero.core.finding import Finding, FindingId, Fix, Grounds, Observation
    from roundzero.core.report import Report
    from roundzero.core.text import LineIndex, RelPath
    from roundzero.render.markdown_inline import Inline

INDENT: Final = "  "
"""What stands before the parts of an item of a list."""


class FindingMarkdown:
    """The findings of one report, which hold no secret any more, in the order in which they are listed.

    ``labels`` are the names by which the report speaks of them.
    """

    def __init__(self, report: Report, findings: Sequence[Finding], inline: Inline) -> None:
        """Name every finding. ``inline`` is of the same report."""
        self._report = report
        self._inline = inline
        self._say, self._words = inline.say, inline.words
        self._sources = sources_of(report)
        self.labels = {finding.id: f"F{number}" for number, finding in enumerate(findings, 1)}
        self._chiefs: dict[FindingId, FindingId] = {}
        for finding in findings:
            if finding.family is not None:
                self._chiefs.setdefault(finding.family, finding.id)
        self._whys: dict[str, str] = {}

    def in_full(self, finding: Finding) -> Iterator[str]:
        """An item of a list: the line, and below it everything that supports the finding."""
        seen = finding.seen
        yield f"- {self.line(finding)}"
        fix = list(self._fix(seen.fixes[0], seen.path)) if seen.fixes else []
        details: list[str] = []
        if not fix and (quote := self._quote(finding)):
            details.append(quote)
        if seen.why and seen.anatomy is None:
            said = self._whys.setdefault(seen.why, self.labels[finding.id])
            first = said == self.labels[finding.id]
            details.append(self._inline.text(seen.why) if first else self._say.same_as.format(label=said))
        if finding.anchor is not None and not finding.in_diff:
            details.append(self._say.because_of.format(place=code(f"{finding.anchor.path}:{finding.anchor.line}")))
        chief = self._chiefs.get(finding.family, finding.id) if finding.family is not None else finding.id
        if chief != finding.id:
            details.append(self._say.same_cause.format(label=self.labels[chief]))
        elif seen.severity <= Severity.P1 and not finding.blocking and finding.not_blocking_because is not None:
            details.append(self._say.does_not_block.format(reason=self._inline.reason(finding.not_blocking_because)))
        for detail in details:
            yield ""
            yield INDENT + detail
        if seen.anatomy is not None:
            yield ""
            yield from (f"{INDENT}- {line}" for line in self._case(seen))
        elif seen.beyond:
            yield ""
            yield from (f"{INDENT}- {self._inline.evidence(proof)}" for proof in seen.beyond)
        if fix:
            yield ""
            yield from fix

    def line(self, finding: Finding) -> str:
        """``title @ path:line``, and by what names it goes."""
        parts = [self._place(finding), code(finding.seen.item), code(finding.id)]
        if finding.first_seen is not None and finding.first_seen != self._report.round.index:
            parts.append(self._words.since.format(round=finding.first_seen))
        if finding.seen.anatomy is not None and (drafts := support(finding.seen.anatomy, self._report.language)):
            parts.append(drafts)
        if finding.regressions:
            parts.append(self._say.came_back.format(count=finding.regressions))
        return f"**{self.labels[finding.id]} {self._inline.text(finding.seen.title)}** @ {' · '.join(parts)}"

    def fate(self, finding: Finding) -> str:
        """The state where the heading does not say it, the reason or proof, and who gave it."""
        parts = []
        if finding.state.value in self._say.states:
            parts.append(self._say.states[finding.state.value])
        if finding.state_text:
            place = f"{finding.seen.path}:"
            above = any(
                line.startswith(place) and line.endswith(finding.state_text) for line in self._report.settings_changed
            )
            of_person = finding.state is State.DISMISSED
            text = self._inline.text(finding.state_text) if of_person else self._inline.reason(finding.state_text)
            parts.append(self._say.reason_above if above else text)
        if finding.state_by is not None:
            in_code = finding.state_by == "code"
            parts.append(f"({self._say.dismissed_in_code if in_code else self._inline.text(finding.state_by)})")
        if finding.grounds is not None:
            parts += self._grounds(finding.grounds)
        return self._words.colon + " ".join(parts) if parts else ""

    def _case(self, seen: Observation) -> Iterator[str]:
        """The argued case as lines of a list, in the order in which it is read."""
        language = self._report.language
        for row in argument(seen, language):
            yield f"**{row.label}** {self._inline.text(row.text)}"
        for proof in proofs(seen, language):
            yield f"{proof.name} {proof.mark} {self._inline.evidence(proof.evidence)}"
        for row in rest(seen, language):
            yield f"**{row.label}** {self._inline.text(row.text)}"

    def _place(self, finding: Finding) -> str:
        seen = finding.seen
        if seen.path is None:
            return self._words.whole_change
        place = code(f"{seen.path}:{seen.line}" if seen.span is not None else seen.path)
        return f"{place} ({self._words.at_base})" if seen.side is Side.BASE else place

    def _quote(self, finding: Finding) -> str:
        """The line the finding stands on, unless the title or the evidence shows it."""
        seen = finding.seen
        if seen.path is None or seen.span is None:
            return ""
        if any((proof.path, proof.side, proof.line) == (seen.path, seen.side, seen.line) for proof in seen.beyond):
            return ""
        index = self._lines_of(seen.path, seen.side)
        line = index.line(seen.line).strip() if index is not None else ""
        return "" if line in seen.title else quoted(line)

    def _fix(self, fix: Fix, path: RelPath | None) -> Iterator[str]:
        template = self._say.safe_fix if fix.safe else self._say.fix
        yield INDENT + template.format(title=self._inline.text(fix.title))
        if shown := diff(fix, path, self._lines_of):
            yield ""
            yield from block(shown, "diff", INDENT)

    def _lines_of(self, path: RelPath, side: Side) -> LineIndex | None:
        source = self._sources.get((path, side))
        return self._inline.redactor.lines(source) if source is not None else None

    def _grounds(self, grounds: Grounds) -> Iterator[str]:
        """Where what is said of a finding's state can be read, and until when it holds."""
        if grounds.path is not None:
            place = f"@ {code(grounds.path if grounds.line is None else f'{grounds.path}:{grounds.line}')}"
            quote = quoted(grounds.quote.strip()) if grounds.quote is not None else ""
            yield f"{place} {quote}" if quote else place
        if grounds.commit is not None:
            yield f"({code(grounds.commit[:12])})"
        if grounds.expires is not None:
            yield self._say.until.format(day=code(grounds.expires))
