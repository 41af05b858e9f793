"""The report as a pull request carries it, in the Markdown of GitHub and GitLab.

Begins with a hidden mark by which whoever posts it finds the comment to replace. A text is said once; later places
name the finding's label. Invariant: nothing of the reviewed code becomes markup, a link or a mention, and no secret
is shown.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side, SkipKind
from roundzero.core.finding import Finding, Origin, State
from roundzero.core.item import Severity
from roundzero.core.regex import regex
from roundzero.core.report import ItemStatus
from roundzero.core.statistics import statistics
from roundzero.render.case import argument, proofs, rest, support
from roundzero.render.excerpt import sources_of
from roundzero.render.markdown_fix import diff
from roundzero.render.markdown_text import MARK, block, cell, code, prose
from roundzero.render.markdown_words import MarkdownWords, markdown_words
from roundzero.render.redaction import Redactor
from roundzero.render.words import Words, deep, some, spent, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.core.finding import Evidence, FindingId, Fix, Grounds, Observation
    from roundzero.core.model_part import ModelStats
    from roundzero.core.report import FileSummary, Report
    from roundzero.core.text import LineIndex, RelPath
    from roundzero.render.look import Look

DETAILED: Final = 60
"""Findings shown in full, gravest first; the others get a line each. Forges refuse comments of over 64 KiB."""
FILES: Final = 200
"""Most lines of the overview; files that were not checked are always named."""
QUOTED: Final = 300
"""Most characters shown of a line of code."""

_GAPS: Final = regex(r"\d+ files? not checked")
_INDENT: Final = "  "


class _Section(Enum):
    """Where a finding is listed: each in exactly one, in this order."""

    BLOCKING = "blocking"
    SUGGESTIONS = "suggestions"
    UNCONFIRMED = "unconfirmed"
    FIXED = "fixed"
    LEFT = "left"
    DISMISSED = "dismissed"
    PRE_EXISTING = "pre-existing"


def render(report: Report, look: Look) -> str:  # noqa: ARG001  every format takes a look
    """The whole report."""
    return "".join(f"{line}\n" for line in _Markdown(report).lines())


_BY_STATE: Final = {
    State.FIXED: _Section.FIXED,
    State.REFUTED: _Section.LEFT,
    State.SUPERSEDED: _Section.LEFT,
    State.DISMISSED: _Section.DISMISSED,
}


def _section(finding: Finding) -> _Section:
    if finding.blocking:
        return _Section.BLOCKING
    if finding.state in _BY_STATE:
        return _BY_STATE[finding.state]
    if finding.origin is Origin.PRE_EXISTING:
        return _Section.PRE_EXISTING
    return _Section.SUGGESTIONS if finding.state is State.OPEN else _Section.UNCONFIRMED


class _Markdown:
    """One rendering."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.say: MarkdownWords = markdown_words(report.language)
        self.words: Words = words(report.language)
        self.redactor = Redactor.of(report)
        self.sources = sources_of(report)
        self.sections: dict[_Section, list[Finding]] = {section: [] for section in _Section}
        for finding in report.findings:
            self.sections[_section(finding)].append(self.redactor.finding(finding))
        ordered = [finding for section in _Section for finding in self.sections[section]]
        self.labels = {finding.id: f"F{number}" for number, finding in enumerate(ordered, 1)}
        self.chiefs: dict[FindingId, FindingId] = {}
        for finding in ordered:
            if finding.family is not None:
                self.chiefs.setdefault(finding.family, finding.id)
        self.numbers = statistics(report)
        self.whys: dict[str, str] = {}
        self.room = DETAILED

    def lines(self) -> Iterator[str]:
        """The lines of the report."""
        yield MARK
        yield from self._top()
        yield from self._settings_changed()
        yield from self._graded(_Section.BLOCKING, self.say.blocking)
        yield from self._graded(_Section.SUGGESTIONS, self.say.suggestions)
        yield from self._others()
        yield from self._mismatches()
        yield from self._strengths()
        yield from self._checklists()
        yield from self._overview()
        yield from self._statistics()

    def _top(self) -> Iterator[str]:
        report, say, verdict = self.report, self.say, self.report.verdict
        base, head = report.base, report.head
        commit = code(head.commit[:12]) if head.commit is not None else say.no_commit
        branch = code(head.branch) if head.branch is not None else commit
        merge_base = code((base.merge_base or "-")[:12])
        yield "# " + say.title.format(head=branch, base=code(base.ref) if base.ref is not None else merge_base)
        yield ""
        blocking = say.blocking_count.format(count=verdict.blocking)
        stale = f" ({self.words.stale})" if verdict.stale else ""
        yield " · ".join([f"**{verdict.status.value}**{stale}", blocking, self.words.at_depth(verdict), *self._why()])
        yield ""
        counts = zip(("P0", "P1", "P2", "P3"), report.counts, strict=True)
        yield " · ".join(f"{name}/{number}" for name, number in counts)
        yield ""
        yield "- " + say.head.format(
            commit=commit,
            branch=say.on_branch.format(branch=code(head.branch)) if head.branch is not None else "",
            dirty=say.dirty if head.dirty else "",
        )
        template = say.base if base.ref is not None else say.no_base
        yield "- " + template.format(ref=code(base.ref or ""), commit=merge_base, how=self.words.how[base.how.value])
        for doubt in base.doubts:
            yield f"{_INDENT}- " + say.doubt.format(text=self._reason(doubt))
        if report.round.index is not None:
            yield "- " + self._round()
        yield "- " + say.reviewed_at.format(
            time=code(report.reviewed_at),
            version=code(report.tool_version),
            snapshot=code(report.change.snapshot[:12]),
        )

    def _round(self) -> str:
        """Which round it is, and how far the branch has come since the one before."""
        say, this, states = self.say, self.report.round, self.numbers.states
        first = this.previous is None
        said = (say.first_round if first else say.round).format(
            index=this.index,
            previous=this.previous,
            delta=this.delta_files,
            files=some(self.words.files, this.full_files),
        )
        if first:
            return said
        return said + say.progress.format(
            fixed=states[State.FIXED],
            new=self.numbers.new,
            returned=self.numbers.returned,
            open=states[State.OPEN],
        )

    def _why(self) -> Iterator[str]:
        """The verdict's reasons but for what is said beside it and below."""
        verdict = self.report.verdict
        gaps = sum(skip.kind is SkipKind.NOT_CHECKED for skip in self.report.coverage.skipped)
        for reason in verdict.reasons:
            if verdict.blocking and reason.startswith(f"{verdict.blocking} blocking"):
                continue
            yield self.say.gaps.format(count=gaps) if gaps and _GAPS.match(reason) else self._reason(reason)

    def _settings_changed(self) -> Iterator[str]:
        if self.report.settings_changed:
            yield from _heading(self.say.settings_changed)
            for line in self.report.settings_changed:
                yield f"- {code(self.redactor.text(line))}"

    def _graded(self, section: _Section, title: str) -> Iterator[str]:
        """Findings in full, by severity."""
        findings = self.sections[section]
        yield from _heading(f"{title} ({len(findings)})")
        if not findings:
            yield self.say.none
        for severity in Severity:
            graded = [finding for finding in findings if finding.seen.severity is severity]
            if not graded:
                continue
            if graded[0] is not findings[0]:
                yield ""
            yield f"### {severity.name} ({len(graded)})"
            yield ""
            full, rest = graded[: self.room], graded[self.room :]
            self.room -= len(full)
            for number, finding in enumerate(full):
                if number:
                    yield ""
                yield from self._in_full(finding)
            if rest:
                if full:
                    yield ""
                yield self.say.more_findings.format(count=len(rest))
                yield ""
                yield from (f"- {self._line(finding)}" for finding in rest)

    def _in_full(self, finding: Finding) -> Iterator[str]:
        """An item of a list: the line, and below it everything that supports the finding."""
        seen = finding.seen
        yield f"- {self._line(finding)}"
        fix = list(self._fix(seen.fixes[0], seen.path)) if seen.fixes else []
        details: list[str] = []
        if not fix and (quote := self._quote(finding)):
            details.append(quote)
        if seen.why and seen.anatomy is None:
            said = self.whys.setdefault(seen.why, self.labels[finding.id])
            first = said == self.labels[finding.id]
            details.append(self._text(seen.why) if first else self.say.same_as.format(label=said))
        if finding.anchor is not None and not finding.in_diff:
            details.append(self.say.because_of.format(place=code(f"{finding.anchor.path}:{finding.anchor.line}")))
        chief = self.chiefs.get(finding.family, finding.id) if finding.family is not None else finding.id
        if chief != finding.id:
            details.append(self.say.same_cause.format(label=self.labels[chief]))
        elif seen.severity <= Severity.P1 and not finding.blocking and finding.not_blocking_because is not None:
            details.append(self.say.does_not_block.format(reason=self._reason(finding.not_blocking_because)))
        for detail in details:
            yield ""
            yield _INDENT + detail
        if seen.anatomy is not None:
            yield ""
            yield from (f"{_INDENT}- {line}" for line in self._case(seen))
        elif seen.beyond:
            yield ""
            yield from (f"{_INDENT}- {self._evidence(proof)}" for proof in seen.beyond)
        if fix:
            yield ""
            yield from fix

    def _case(self, seen: Observation) -> Iterator[str]:
        """The argued case as lines of a list, in the order in which it is read."""
        language = self.report.language
        for row in argument(seen, language):
            yield f"**{row.label}** {self._text(row.text)}"
        for proof in proofs(seen, language):
            yield f"{proof.name} {proof.mark} {self._evidence(proof.evidence)}"
        for row in rest(seen, language):
            yield f"**{row.label}** {self._text(row.text)}"

    def _line(self, finding: Finding) -> str:
        """``title @ path:line``, and by what names it goes."""
        parts = [self._place(finding), code(finding.seen.item), code(finding.id)]
        if finding.first_seen is not None and finding.first_seen != self.report.round.index:
            parts.append(self.words.since.format(round=finding.first_seen))
        if finding.seen.anatomy is not None and (drafts := support(finding.seen.anatomy, self.report.language)):
            parts.append(drafts)
        if finding.regressions:
            parts.append(self.say.came_back.format(count=finding.regressions))
        return f"**{self.labels[finding.id]} {self._text(finding.seen.title)}** @ {' · '.join(parts)}"

    def _place(self, finding: Finding) -> str:
        seen = finding.seen
        if seen.path is None:
            return self.words.whole_change
        place = code(f"{seen.path}:{seen.line}" if seen.span is not None else seen.path)
        return f"{place} ({self.words.at_base})" if seen.side is Side.BASE else place

    def _quote(self, finding: Finding) -> str:
        """The line the finding stands on, unless the title or the evidence shows it."""
        seen = finding.seen
        if seen.path is None or seen.span is None:
            return ""
        if any((proof.path, proof.side, proof.line) == (seen.path, seen.side, seen.line) for proof in seen.beyond):
            return ""
        index = self._lines_of(seen.path, seen.side)
        line = index.line(seen.line).strip() if index is not None else ""
        return "" if line in seen.title else _quoted(line)

    def _evidence(self, proof: Evidence) -> str:
        place = code(f"{proof.path}:{proof.line}") + (f" ({self.words.at_base})" if proof.side is Side.BASE else "")
        line = self.say.evidence.format(place=place, role=self._reason(proof.role)).strip()
        quote = _quoted(self.redactor.text(proof.quote).strip())
        return f"{line}{self.words.colon}{quote}" if quote else line

    def _fix(self, fix: Fix, path: RelPath | None) -> Iterator[str]:
        template = self.say.safe_fix if fix.safe else self.say.fix
        yield _INDENT + template.format(title=self._text(fix.title))
        if shown := diff(fix, path, self._lines_of):
            yield ""
            yield from block(shown, "diff", _INDENT)

    def _lines_of(self, path: RelPath, side: Side) -> LineIndex | None:
        source = self.sources.get((path, side))
        return self.redactor.lines(source) if source is not None else None

    def _others(self) -> Iterator[str]:
        """Findings that do not count: a line each, with what became of them."""
        titles = (
            (_Section.UNCONFIRMED, self.say.unconfirmed),
            (_Section.FIXED, self.say.fixed),
            (_Section.LEFT, self.say.left),
            (_Section.DISMISSED, self.say.dismissed),
            (_Section.PRE_EXISTING, self.words.pre_existing),
        )
        for section, title in titles:
            if findings := self.sections[section]:
                yield from _heading(f"{title} ({len(findings)})")
                for finding in findings:
                    yield f"- {finding.seen.severity.name} {self._line(finding)}{self._fate(finding)}"

    def _fate(self, finding: Finding) -> str:
        """The state where the heading does not say it, the reason or proof, and who gave it."""
        parts = []
        if finding.state.value in self.say.states:
            parts.append(self.say.states[finding.state.value])
        if finding.state_text:
            place = f"{finding.seen.path}:"
            above = any(
                line.startswith(place) and line.endswith(finding.state_text) for line in self.report.settings_changed
            )
            of_person = finding.state is State.DISMISSED
            text = self._text(finding.state_text) if of_person else self._reason(finding.state_text)
            parts.append(self.say.reason_above if above else text)
        if finding.state_by is not None:
            parts.append(
                f"({self.say.dismissed_in_code if finding.state_by == 'code' else self._text(finding.state_by)})"
            )
        if finding.grounds is not None:
            parts += self._grounds(finding.grounds)
        return self.words.colon + " ".join(parts) if parts else ""

    def _grounds(self, grounds: Grounds) -> Iterator[str]:
        """Where what is said of a finding's state can be read, and until when it holds."""
        if grounds.path is not None:
            place = f"@ {code(grounds.path if grounds.line is None else f'{grounds.path}:{grounds.line}')}"
            quote = _quoted(grounds.quote.strip()) if grounds.quote is not None else ""
            yield f"{place} {quote}" if quote else place
        if grounds.commit is not None:
            yield f"({code(grounds.commit[:12])})"
        if grounds.expires is not None:
            yield self.say.until.format(day=code(grounds.expires))

    def _strengths(self) -> Iterator[str]:
        if self.report.strengths:
            yield from _heading(self.words.strengths)
            for strength in self.report.strengths:
                old = strength.since is not None and strength.since != self.report.round.index
                since = f" ({self.words.since.format(round=strength.since)})" if old else ""
                yield f"- {self._text(strength.text)}{since}"
                for proof in strength.evidence:
                    yield f"{_INDENT}- {self._evidence(proof)}"

    def _checklists(self) -> Iterator[str]:
        lines = [line for line in self.report.checklists if line.status is not ItemStatus.NOT_APPLICABLE]
        if not lines:
            return
        say = self.say
        yield from _heading(say.checklists)
        yield f"| {say.pack} | {say.failed} | {say.applicable} | {say.not_checked} |"
        yield "|---|--:|--:|--:|"
        packs = dict.fromkeys(line.pack for line in lines)
        rows = [(cell(code(pack)), [line for line in lines if line.pack == pack]) for pack in packs]
        for name, of_pack in rows if len(rows) == 1 else [*rows, (say.all_packs, lines)]:
            states = Counter(line.status for line in of_pack)
            yield f"| {name} | {states[ItemStatus.FAIL]} | {len(of_pack)} | {states[ItemStatus.NOT_CHECKED]} |"
        yield ""
        for line in lines:
            if line.status is ItemStatus.FAIL:
                named = say.comma.join(self.labels[each] for each in line.findings if each in self.labels)
                yield f"- {code(line.item)} → {named}"

    def _overview(self) -> Iterator[str]:
        report, coverage = self.report, self.report.coverage
        yield from _heading(self.say.overview)
        if report.summary:
            yield self._text(report.summary)
            yield ""
        if report.themes:
            yield self.words.themes.format(themes=self.say.comma.join(self._text(each) for each in report.themes))
            yield ""
        files, lines = some(self.words.files, coverage.files), some(self.say.added_lines, coverage.added_lines)
        yield self.say.reviewed.format(reviewed=coverage.reviewed, files=files, lines=lines)
        yield ""
        skips = {skip.path: skip for skip in coverage.skipped}
        left = 0
        for number, file in enumerate(report.overview):
            skip = skips.get(file.path)
            if number >= FILES and (skip is None or skip.kind is SkipKind.BY_RULE):
                left += 1
                continue
            parts = [self.say.statuses[file.status.value]]
            if file.added or file.deleted:
                parts.append(f"+{file.added} -{file.deleted}")
            if skip is not None:
                by_rule = skip.kind is SkipKind.BY_RULE
                template = self.say.skipped if by_rule else self.say.not_checked_because
                if skip.reason == file.status.value:
                    template = self.say.not_reviewed
                parts.append(template.format(reason=self._reason(skip.reason)))
            summary = f"{self.words.colon}{self._text(file.summary)}" if file.summary else ""
            yield f"- {_paths(file)} {self.say.comma.join(parts)}{summary}"
        if left:
            yield f"- {some(self.say.more_files, left)}"

    def _mismatches(self) -> Iterator[str]:
        """What commit messages say that the change does not bear out."""
        if not self.report.mismatches:
            return
        yield from _heading(self.say.mismatches)
        for each in self.report.mismatches:
            commit = f" ({code(each.commit[:12])})" if each.commit is not None else ""
            said = _quoted(self.redactor.text(each.said))
            yield f"- {self.say.mismatch.format(said=said, commit=commit, text=self._text(each.text))}"
            for proof in each.evidence:
                yield f"{_INDENT}- {self._evidence(proof)}"

    def _statistics(self) -> Iterator[str]:
        report, say = self.report, self.say
        yield from _heading(say.statistics)
        patch = say.patch.format(
            added=report.coverage.added_lines, deleted=report.stats.deleted_lines, bytes=report.stats.patch_bytes
        )
        yield f"- {patch}"
        if (model := report.stats.model) is not None:
            yield f"- {self._model(model)}"
            yield from (f"- {line}" for line in deep(model, self.words))
        if self.numbers.unchanged:
            yield f"- {say.unchanged_code.format(count=self.numbers.unchanged)}"
        if report.stats.hidden:
            reasons = say.comma.join(f"{self._reason(reason)} {count}" for reason, count in report.stats.hidden)
            yield f"- {say.hidden.format(reasons=reasons)}"
        for failure in report.stats.failures:
            if failure not in report.verdict.reasons:
                yield f"- {say.failure.format(text=self._reason(failure))}"
        if report.stats.seconds:
            stages = say.comma.join(f"{self._text(stage)} {seconds:.1f}" for stage, seconds in report.stats.seconds)
            yield f"- {say.seconds.format(stages=stages)}"
        for notice in report.notices:
            yield f"- {say.notes}{self.words.colon}{self._reason(notice)}"

    def _model(self, model: ModelStats) -> str:
        """What a model was asked, how drafts ended and what became of what was drafted."""
        say = self.say
        parts = [
            self.words.model.format(
                name=code(model.name), covered=model.covered, hunks=model.hunks, spent=spent(model, self.words)
            ),
            say.drafts.format(asked=model.drafts, ok=model.answered, failed=model.drafts - model.answered),
        ]
        if model.gates:
            gates = say.comma.join(f"{self._reason(gate)} {number}" for gate, number in model.gates)
            parts.append(say.gates.format(gates=gates))
        if model.capped:
            parts.append(say.capped.format(count=model.capped))
        return self.words.semicolon.join(parts)

    def _reason(self, text: str) -> str:
        """A reason of ours in the reader's language, safe to stand in a line."""
        return self._text(self.words.reason(text))

    def _text(self, text: str) -> str:
        """Any text from elsewhere, safe to stand in a line."""
        return prose(self.redactor.text(text))


def _heading(text: str) -> Iterator[str]:
    yield ""
    yield f"## {text}"
    yield ""


def _quoted(line: str) -> str:
    return code(line if len(line) <= QUOTED else line[:QUOTED] + "…")


def _paths(file: FileSummary) -> str:
    return code(file.path) if file.old_path is None else f"{code(file.old_path)} → {code(file.path)}"
