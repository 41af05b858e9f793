"""The report for a person at a terminal: blocking findings first, the verdict on the last line.

Every text that comes from the repository goes through ``visible``. Invariant: without colour the output holds no
escape sequence and no secret, and the last line is the verdict.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side, SkipKind
from roundzero.core.finding import Finding, Origin, State
from roundzero.core.item import Severity
from roundzero.core.report import VerdictStatus
from roundzero.render.escape import visible
from roundzero.render.excerpt import excerpt
from roundzero.render.redaction import Redactor
from roundzero.render.words import Words, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roundzero.core.change import BaseChoice, Source
    from roundzero.core.report import Report
    from roundzero.core.text import RelPath
    from roundzero.render.look import Look

PROOFS: Final = 2
"""Most lines of evidence shown per finding."""
NAMED: Final = 5
"""Most paths named per reason in the coverage; the rest is counted."""

_BY_CHOICE: Final = "milder than "
"""How the one reason begins for which findings of the branch itself are hidden on request."""

_STYLES: Final = {
    "P0": "1;31", "P1": "31", "P2": "33", "P3": "36", "heading": "1", "dim": "2", "good": "1;32", "bad": "1;31",
    "gap": "1;33", "caret": "31",
}  # fmt: skip


def render(report: Report, look: Look) -> str:
    """Findings in groups, counts, coverage, base, verdict."""
    return "".join(f"{line}\n" for line in _Terminal(report, look).lines())


def base_lines(base: BaseChoice, said: Words) -> Iterator[str]:
    """The base and how it was chosen, and a line for each doubt."""
    template = said.base if base.ref is not None else said.no_base
    yield template.format(
        ref=visible(base.ref or ""), merge_base=(base.merge_base or "-")[:12], how=said.how[base.how.value]
    )
    for doubt in base.doubts:
        yield said.doubt.format(text=visible(said.reason(doubt)))


def candidate_lines(base: BaseChoice, said: Words) -> Iterator[str]:
    """A line for each candidate that was not taken, with the reason."""
    for ref, reason in base.passed_over:
        yield said.passed_over.format(ref=visible(ref), reason=visible(said.reason(reason)))


class _Terminal:
    """One rendering."""

    def __init__(self, report: Report, look: Look) -> None:
        self.report = report
        self.look = look
        self.words: Words = words(report.language)
        self.redactor = Redactor.of(report)
        self.sources: dict[tuple[RelPath, Side], Source] = {}
        for file in report.change.files:
            for side, source in ((Side.BASE, file.base), (Side.HEAD, file.head)):
                if source is not None:
                    self.sources[source.path, side] = source
                    self.sources.setdefault((file.path, side), source)
        self.sources.update({(source.path, Side.HEAD): source for source in report.outside})

    def lines(self) -> Iterator[str]:
        """The lines of the output."""
        for heading, group in self._groups():
            if group:
                yield self._styled(f"{heading} ({len(group)})", "heading")
                yield ""
                for finding in group:
                    yield from self._finding(self.redactor.finding(finding))
                    yield ""
        for notice in (*self.report.notices, *self.report.stats.failures):
            yield self.words.note.format(text=visible(self.words.reason(notice)))
        for text in self.report.settings_changed:
            yield self.words.note.format(text=self.words.settings_changed.format(text=visible(text)))
        if safe := sum(any(fix.safe for fix in each.seen.fixes) for each in self._open()):
            template = (
                self.words.safe_fixes if self.report.change.head_tree is None else self.words.safe_fixes_elsewhere
            )
            yield template.format(count=safe)
        yield self._counts()
        for reason, count in self.report.stats.hidden:
            if reason.startswith(_BY_CHOICE):
                yield self._styled(self.words.hidden.format(count=count, reason=self.words.reason(reason)), "dim")
        yield from self._coverage()
        yield from self._base()
        yield self._verdict()

    def _groups(self) -> Iterator[tuple[str, Sequence[Finding]]]:
        listed = self.report.findings
        still = self._open()
        new = [each for each in still if each.origin is not Origin.PRE_EXISTING]
        yield self.words.blocking, [each for each in new if each.blocking]
        yield self.words.suggestions, [each for each in new if not each.blocking]
        yield self.words.pre_existing, [each for each in still if each.origin is Origin.PRE_EXISTING]
        yield self.words.others, [each for each in listed if each.state is not State.OPEN]

    def _open(self) -> list[Finding]:
        return [each for each in self.report.findings if each.state is State.OPEN]

    def _finding(self, finding: Finding) -> Iterator[str]:
        seen = finding.seen
        severity = seen.severity.name
        place = self._place(finding)
        title = self._styled(visible(seen.title), "heading")
        yield f"{place} {self._styled(severity, severity)} {title} {self._styled(f'[{visible(seen.item)}]', 'dim')}"
        if finding.state is not State.OPEN:
            yield "    " + visible(self._fate(finding))
            return
        source = self.sources.get((seen.path, seen.side)) if seen.path is not None else None
        if source is not None and seen.span is not None:
            number = str(seen.span.start.line)
            code, carets = excerpt(self.redactor.lines(source), seen.span, max(20, self.look.width - len(number) - 4))
            yield f" {self._styled(f'{number} │', 'dim')} {code}"
            yield f" {self._styled(' ' * len(number) + ' │', 'dim')} {self._styled(carets, 'caret')}"
        if why := " ".join(seen.why.split()):
            yield from textwrap.wrap(visible(why), max(40, self.look.width - 4), initial_indent="    ",
                                     subsequent_indent="    ")  # fmt: skip
        if finding.anchor is not None and not finding.in_diff and seen.side is Side.HEAD:
            place = f"{visible(finding.anchor.path)}:{finding.anchor.line}"
            yield "    " + self._styled(self.words.changed_line.format(place=place), "dim")
        for proof in seen.beyond[:PROOFS]:
            place = f"{visible(proof.path)}:{proof.line}"
            if proof.side is Side.BASE:
                place += f" ({self.words.at_base})"
            quote = visible(proof.quote.strip())
            line = self.words.evidence.format(place=place, role=visible(self.words.reason(proof.role)), quote=quote)
            yield "    " + self._styled(line, "dim")
        if seen.severity <= Severity.P1 and not finding.blocking and finding.not_blocking_because is not None:
            yield "    " + self.words.does_not_block.format(
                reason=visible(self.words.reason(finding.not_blocking_because))
            )
        for fix in seen.fixes[:1]:
            template = self.words.safe_fix if fix.safe else self.words.fix
            yield "    " + self._styled(template.format(title=visible(fix.title)), "dim")

    def _fate(self, finding: Finding) -> str:
        """The state and why. What a person gave as the reason is in the person's language."""
        text = finding.state_text
        if text is not None and finding.state is not State.DISMISSED:
            text = self.words.reason(text)
        return self.words.colon.join(filter(None, (self.words.reason(finding.state.value), text)))

    def _place(self, finding: Finding) -> str:
        seen = finding.seen
        if seen.path is None:
            return self.words.whole_change
        place = visible(seen.path)
        if seen.span is None:
            return place
        line, column = seen.span.start.line, seen.span.start.column
        if seen.side is Side.BASE and finding.anchor is not None:
            gone = self.words.gone.format(line=line)
            return f"{visible(finding.anchor.path)}:{finding.anchor.line}:1 ({gone})"
        return f"{place}:{line}:{column}"

    def _counts(self) -> str:
        counts = zip(("P0", "P1", "P2", "P3"), self.report.counts, strict=True)
        return " · ".join(self._styled(f"{name}/{number}", name if number else "dim") for name, number in counts)

    def _coverage(self) -> Iterator[str]:
        coverage = self.report.coverage
        yield self.words.reviewed.format(reviewed=coverage.reviewed, files=coverage.files, lines=coverage.added_lines)
        for kind, template in ((SkipKind.NOT_CHECKED, self.words.not_checked), (SkipKind.BY_RULE, self.words.skipped)):
            by_reason: dict[str, list[str]] = defaultdict(list)
            for skip in coverage.skipped:
                if skip.kind is kind:
                    by_reason[skip.reason].append(visible(skip.path))
            for reason, paths in by_reason.items():
                named = paths[:NAMED]
                if len(paths) > NAMED:
                    named.append(self.words.more.format(count=len(paths) - NAMED))
                line = template.format(reason=visible(self.words.reason(reason)), paths=", ".join(named))
                yield self._styled(line, "gap" if kind is SkipKind.NOT_CHECKED else "dim")

    def _base(self) -> Iterator[str]:
        chosen, *doubts = base_lines(self.report.base, self.words)
        yield chosen
        for doubt in doubts:
            yield self._styled(doubt, "gap")

    def _verdict(self) -> str:
        verdict = self.report.verdict
        style = {VerdictStatus.LGTM: "good", VerdictStatus.BLOCKED: "bad", VerdictStatus.INCOMPLETE: "gap"}
        depth = self.words.checks_only if verdict.depth == "off" else self.words.depth.format(depth=verdict.depth)
        text = self._styled(verdict.status.value, style[verdict.status])
        text += f" ({depth})"
        if verdict.stale:
            text += f" ({self.words.stale})"
        reasons = [self.words.reason(each) for each in verdict.reasons]
        if not self.report.coverage.files and not reasons:
            reasons.append(self.words.nothing_changed)
        return text + (self.words.colon + visible(self.words.semicolon.join(reasons)) if reasons else "")

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.look.colour and text else text
