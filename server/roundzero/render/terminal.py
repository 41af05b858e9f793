"""The report for a person at a terminal: blocking findings first, the verdict on the last line.

Every text that comes from the repository goes through ``visible``. Invariant: without colour the output holds no
escape sequence and no secret, and the last line is the verdict.
"""

from __future__ import annotations

import re
import textwrap
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side, SkipKind
from roundzero.core.few import few
from roundzero.core.finding import Finding, Origin, State
from roundzero.core.item import Severity
from roundzero.core.regex import regex
from roundzero.core.report import VerdictStatus, order, short_ids
from roundzero.render.case import Row, argument, case_words, proofs, rest, support
from roundzero.render.escape import visible
from roundzero.render.excerpt import excerpt, sources_of
from roundzero.render.redaction import Redactor
from roundzero.render.words import Words, deep, left_out, some, spent, words

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from roundzero.core.change import BaseChoice
    from roundzero.core.finding import FindingId, Observation
    from roundzero.core.report import Report
    from roundzero.render.look import Look

CASE_PROOFS: Final = 6
"""Most lines of evidence shown of an argued case."""
_LABEL: Final = 13
"""Columns of the longest label of a case and a blank; a character above _NARROW takes two."""
_NARROW: Final = 0x2E7F
PROOFS: Final = 2
"""Most lines of evidence shown per finding."""
NAMED: Final = 5
"""Most paths named per reason in the coverage; the rest is counted."""

_BY_CHOICE: Final = "milder than "
"""How the one reason begins for which findings of the branch itself are hidden on request."""

_COMMENT: Final = regex(r"(.+:\d+): (?:ignore(?:-file)?\[|(?i:noqa|ruff|flake8)\b)", re.DOTALL)
"""A comment among what the branch changes about its own review; the rest are files."""

_LATER: Final = (
    State.STALE, State.UNCONFIRMED, State.FIXED, State.DISMISSED, State.REFUTED, State.SUPERSEDED,
)  # fmt: skip
"""What is not open, in the order it is listed."""

_STYLES: Final = {
    "P0": "1;31", "P1": "31", "P2": "33", "P3": "36", "heading": "1", "dim": "2", "good": "1;32", "bad": "1;31",
    "gap": "1;33", "caret": "31",
}  # fmt: skip


def render(report: Report, look: Look) -> str:
    """Findings in groups, counts, coverage, base, verdict."""
    return "".join(f"{line}\n" for line in _Terminal(report, look).lines())


def base_lines(base: BaseChoice, said: Words) -> Iterator[str]:
    """The base and how it was chosen, and a line for each doubt."""
    template = said.base if base.ref is not None else said.no_ref if base.merge_base is not None else said.no_base
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
        self.sources = sources_of(report)
        self.names = short_ids(report.findings)
        self.folded = self._folded()

    def lines(self) -> Iterator[str]:
        """The lines of the output."""
        for heading, group in self._groups():
            if group:
                yield self._styled(f"{heading} ({len(group)})", "heading")
                yield ""
                for finding in group:
                    yield from self._finding(self.redactor.finding(finding))
                    yield from self._same(finding)
                    yield ""
        yield from self._strengths()
        yield from self._overview()
        for notice in (*self.report.notices, *self.report.stats.failures):
            yield self.words.note.format(text=visible(self.words.reason(notice)))
        yield from self._changed_rules()
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
        if (model := self.report.stats.model) is not None:
            yield self.words.model.format(
                name=visible(model.name), covered=model.covered, hunks=model.hunks, spent=spent(model, self.words)
            )
            numbers = (*deep(model, self.words), *left_out(model, self.words))
            yield from (self._styled(f"  {line}", "dim") for line in numbers)
        yield from self._base()
        yield self._verdict()

    def _groups(self) -> Iterator[tuple[str, Sequence[Finding]]]:
        listed = self.report.findings
        folded = {each.id for others in self.folded.values() for each in others}
        still = [each for each in self._open() if each.id not in folded]
        new = [each for each in still if each.origin is not Origin.PRE_EXISTING]
        yield self.words.blocking, [each for each in new if each.blocking]
        yield self.words.not_blocking, [each for each in new if not each.blocking]
        yield self.words.pre_existing, [each for each in still if each.origin is Origin.PRE_EXISTING]
        for state in _LATER:
            group = [each for each in listed if each.state is state]
            yield self.words.reason(state.value).capitalize(), group

    def _folded(self) -> dict[FindingId, list[Finding]]:
        """Findings of one family that say the same, by the one that is shown for all: what blocks, else the first."""
        alike: dict[Hashable, list[Finding]] = defaultdict(list)
        for each in sorted(self._open(), key=lambda each: not each.blocking):
            if each.family is not None and each.seen.anatomy is None:
                alike[each.family, each.origin, each.seen.item, each.seen.severity, each.seen.title].append(each)
        return {first.id: sorted(rest, key=order) for first, *rest in alike.values() if rest}

    def _same(self, finding: Finding) -> Iterator[str]:
        """The places that a finding is shown for beside its own."""
        others = self.folded.get(finding.id, ())
        if others:
            places = few([self._place(each, column=False) for each in others], NAMED, self.words.more)
            text = some(self.words.same_places, len(others), places=places)
            yield from self._wrapped(text)

    def _strengths(self) -> Iterator[str]:
        """What the change does well, a line each, with the first place that shows it."""
        if not self.report.strengths:
            return
        yield self._styled(f"{self.words.strengths} ({len(self.report.strengths)})", "heading")
        for each in self.report.strengths:
            place = f" ({visible(each.evidence[0].path)}:{each.evidence[0].line})" if each.evidence else ""
            yield from self._wrapped(visible(" ".join(self.redactor.text(each.text).split())) + place)
        yield ""

    def _overview(self) -> Iterator[str]:
        """What the change is for, and where its description says otherwise."""
        report = self.report
        if not report.summary and not report.mismatches:
            return
        yield self._styled(self.words.overview, "heading")
        said = [report.summary] if report.summary else []
        if report.themes:
            said.append(self.words.themes.format(themes=self.words.deep.comma.join(report.themes)))
        for each in report.mismatches:
            commit = f" ({each.commit[:12]})" if each.commit is not None else ""
            said.append(self.words.mismatch.format(said=each.said, commit=commit, text=each.text))
        for text in said:
            yield from self._wrapped(visible(" ".join(self.redactor.text(text).split())))
        yield ""

    def _changed_rules(self) -> Iterator[str]:
        """What the branch changes about its own review: a line for each file, and one for all comments."""
        places: list[str] = []
        for text in self.report.settings_changed:
            if (comment := _COMMENT.match(text)) is not None:
                places.append(visible(comment[1]))
            else:
                yield self.words.note.format(text=self.words.settings_changed.format(text=visible(text)))
        if places:
            named = few(places, NAMED, self.words.more)
            yield self.words.note.format(text=some(self.words.silenced, len(places), places=named))

    def _open(self) -> list[Finding]:
        return [each for each in self.report.findings if each.state is State.OPEN]

    def _finding(self, finding: Finding) -> Iterator[str]:
        seen = finding.seen
        severity = seen.severity.name
        place = self._place(finding)
        title = self._styled(visible(seen.title), "heading")
        drafts = support(seen.anatomy, self.report.language) if seen.anatomy is not None else ""
        named = f"[{visible(seen.item)}] {visible(self.names[finding.id])}"
        behind = self._styled(f"{named} {drafts}" if drafts else named, "dim")
        yield f"{place} {self._styled(severity, severity)} {title} {behind}"
        if finding.state is not State.OPEN:
            yield "    " + visible(self._fate(finding))
            return
        source = self.sources.get((seen.path, seen.side)) if seen.path is not None else None
        if source is not None and seen.span is not None:
            number = str(seen.span.start.line)
            code, carets = excerpt(self.redactor.lines(source), seen.span, max(20, self.look.width - len(number) - 4))
            yield f" {self._styled(f'{number} │', 'dim')} {code}"
            yield f" {self._styled(' ' * len(number) + ' │', 'dim')} {self._styled(carets, 'caret')}"
        if seen.anatomy is None and (why := " ".join(seen.why.split())):
            yield from self._wrapped(visible(why))
        if finding.anchor is not None and not finding.in_diff and seen.side is Side.HEAD:
            place = f"{visible(finding.anchor.path)}:{finding.anchor.line}"
            yield "    " + self._styled(self.words.changed_line.format(place=place), "dim")
        if seen.anatomy is not None:
            yield from self._case(seen)
        for proof in seen.beyond[:PROOFS] if seen.anatomy is None else ():
            place = f"{visible(proof.path)}:{proof.line}"
            if proof.side is Side.BASE:
                place += f" ({self.words.at_base})"
            quote = visible(proof.quote.strip())
            line = self.words.evidence.format(place=place, role=visible(self.words.reason(proof.role)), quote=quote)
            yield "    " + self._styled(line, "dim")
        if seen.severity <= Severity.P1 and not finding.blocking and finding.not_blocking_because is not None:
            reason = self._same_cause(finding) or self.words.reason(finding.not_blocking_because)
            yield "    " + self.words.does_not_block.format(reason=visible(reason))
        for fix in seen.fixes[:1]:
            template = self.words.safe_fix if fix.safe else self.words.fix
            yield "    " + self._styled(template.format(title=visible(fix.title)), "dim")

    def _same_cause(self, finding: Finding) -> str | None:
        """Which finding of the family blocks in its stead, by its place."""
        chief = next((each for each in self._open() if each.blocking and each.family == finding.family), None)
        if finding.family is None or chief is None or not chief.seen.line:
            return None
        return self.words.same_cause.format(place=self._place(chief, column=False))

    def _wrapped(self, text: str) -> list[str]:
        return textwrap.wrap(text, max(40, self.look.width - 4), initial_indent="    ", subsequent_indent="    ")

    def _case(self, seen: Observation) -> Iterator[str]:
        """The argued case, a label and a paragraph each."""
        language = self.report.language
        yield from self._rows(argument(seen, language))
        said = case_words(language)
        for at, proof in enumerate(proofs(seen, language)[:CASE_PROOFS]):
            found = proof.evidence
            side = f" ({self.words.at_base})" if found.side is Side.BASE else ""
            text = f"{proof.name} {found.path}:{found.line}{side} {proof.mark} {found.quote.strip()}"
            yield from self._rows([Row("" if at else said.evidence, text)], dim=True)
        if len(seen.evidence) > CASE_PROOFS:
            more = self.words.more.format(count=len(seen.evidence) - CASE_PROOFS)
            yield from self._rows([Row("", more)], dim=True)
        yield from self._rows(rest(seen, language))

    def _rows(self, rows: Iterable[Row], *, dim: bool = False) -> Iterator[str]:
        for row in rows:
            label = row.label + " " * max(1, _LABEL - sum(2 if ord(each) > _NARROW else 1 for each in row.label))
            text = visible(" ".join(row.text.split()))
            indent = " " * (_LABEL + 4)
            room = max(40, self.look.width - 4)
            for at, line in enumerate(textwrap.wrap(text, room, initial_indent=indent, subsequent_indent=indent)):
                words = line[len(indent) :]
                start = f"    {self._styled(label, 'dim')}" if not at else indent
                yield start + (self._styled(words, "dim") if dim else words)

    def _fate(self, finding: Finding) -> str:
        """The state and why. What a person gave as the reason is in the person's language."""
        text = finding.state_text
        if text is not None and finding.state is not State.DISMISSED:
            text = self.words.reason(text)
        grounds = finding.grounds
        shown = f"{grounds.path}:{grounds.line}: {grounds.quote.strip()}" if grounds and grounds.quote else None
        return self.words.colon.join(filter(None, (self.words.reason(finding.state.value), text, shown)))

    def _place(self, finding: Finding, *, column: bool = True) -> str:
        seen = finding.seen
        if seen.path is None:
            return self.words.whole_change
        place = visible(seen.path)
        if seen.span is None:
            return place
        line = seen.span.start.line
        if seen.side is Side.BASE and finding.anchor is not None:
            gone = self.words.gone.format(line=line)
            return f"{visible(finding.anchor.path)}:{finding.anchor.line}:1 ({gone})"
        return f"{place}:{line}:{seen.span.start.column}" if column else f"{place}:{line}"

    def _counts(self) -> str:
        counts = zip(("P0", "P1", "P2", "P3"), self.report.counts, strict=True)
        return " · ".join(self._styled(f"{name}/{number}", name if number else "dim") for name, number in counts)

    def _coverage(self) -> Iterator[str]:
        coverage = self.report.coverage
        files, lines = some(self.words.files, coverage.files), some(self.words.lines, coverage.added_lines)
        yield self.words.reviewed.format(reviewed=coverage.reviewed, files=files, lines=lines)
        for kind, template in ((SkipKind.NOT_CHECKED, self.words.not_checked), (SkipKind.BY_RULE, self.words.skipped)):
            by_reason: dict[str, list[str]] = defaultdict(list)
            for skip in coverage.skipped:
                if skip.kind is kind:
                    by_reason[skip.reason].append(visible(skip.path))
            for reason, paths in by_reason.items():
                named = few(paths, NAMED, self.words.more)
                line = template.format(reason=visible(self.words.reason(reason)), paths=named)
                yield self._styled(line, "gap" if kind is SkipKind.NOT_CHECKED else "dim")

    def _base(self) -> Iterator[str]:
        chosen, *doubts = base_lines(self.report.base, self.words)
        yield chosen
        for doubt in doubts:
            yield self._styled(doubt, "gap")

    def _verdict(self) -> str:
        verdict = self.report.verdict
        style = {VerdictStatus.LGTM: "good", VerdictStatus.BLOCKED: "bad", VerdictStatus.INCOMPLETE: "gap"}
        text = self._styled(verdict.status.value, style[verdict.status])
        text += f" ({self.words.at_depth(verdict)})"
        if verdict.stale:
            text += f" ({self.words.stale})"
        reasons = [self.words.reason(each) for each in verdict.reasons]
        if not self.report.coverage.files and not reasons:
            reasons.append(self.words.nothing_changed)
        if (outcome := self.words.outcome(verdict, self.look.gate)) is not None:
            reasons.append(outcome)
        return text + (self.words.colon + visible(self.words.semicolon.join(reasons)) if reasons else "")

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.look.colour and text else text
