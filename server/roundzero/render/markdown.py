"""The report as a pull request carries it, in the Markdown of GitHub and GitLab.

Says what stands where; how one finding reads says ``markdown_finding``. Begins with a hidden mark by which whoever
posts it finds the comment to replace. Invariant: nothing of the reviewed code becomes markup, a link or a mention, and
no secret is shown.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING, Final

from roundzero.core.change import SkipKind
from roundzero.core.finding import Finding, Origin, State
from roundzero.core.item import Severity
from roundzero.core.regex import regex
from roundzero.core.report import ItemStatus
from roundzero.core.statistics import statistics
from roundzero.render.markdown_finding import INDENT, FindingMarkdown
from roundzero.render.markdown_inline import Inline, quoted
from roundzero.render.markdown_text import MARK, cell, code
from roundzero.render.words import deep, some, spent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.core.model_part import ModelStats
    from roundzero.core.report import FileSummary, Report
    from roundzero.render.look import Look

DETAILED: Final = 60
"""Findings shown in full, gravest first; the others get a line each. Forges refuse comments of over 64 KiB."""
FILES: Final = 200
"""Most lines of the overview; files that were not checked are always named."""

_GAPS: Final = regex(r"\d+ files? not checked")


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
        self.inline = Inline(report)
        self.say, self.words = self.inline.say, self.inline.words
        self.sections: dict[_Section, list[Finding]] = {section: [] for section in _Section}
        for finding in report.findings:
            self.sections[_section(finding)].append(self.inline.redactor.finding(finding))
        ordered = [finding for section in _Section for finding in self.sections[section]]
        self.findings = FindingMarkdown(report, ordered, self.inline)
        self.numbers = statistics(report)
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
            yield f"{INDENT}- " + say.doubt.format(text=self.inline.reason(doubt))
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
            yield self.say.gaps.format(count=gaps) if gaps and _GAPS.match(reason) else self.inline.reason(reason)

    def _settings_changed(self) -> Iterator[str]:
        if self.report.settings_changed:
            yield from _heading(self.say.settings_changed)
            for line in self.report.settings_changed:
                yield f"- {code(self.inline.redactor.text(line))}"

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
                yield from self.findings.in_full(finding)
            if rest:
                if full:
                    yield ""
                yield self.say.more_findings.format(count=len(rest))
                yield ""
                yield from (f"- {self.findings.line(finding)}" for finding in rest)

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
                    yield f"- {finding.seen.severity.name} {self.findings.line(finding)}{self.findings.fate(finding)}"

    def _strengths(self) -> Iterator[str]:
        if self.report.strengths:
            yield from _heading(self.words.strengths)
            for strength in self.report.strengths:
                old = strength.since is not None and strength.since != self.report.round.index
                since = f" ({self.words.since.format(round=strength.since)})" if old else ""
                yield f"- {self.inline.text(strength.text)}{since}"
                for proof in strength.evidence:
                    yield f"{INDENT}- {self.inline.evidence(proof)}"

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
        labels = self.findings.labels
        for line in lines:
            if line.status is ItemStatus.FAIL:
                named = say.comma.join(labels[each] for each in line.findings if each in labels)
                yield f"- {code(line.item)} → {named}"

    def _overview(self) -> Iterator[str]:
        report, coverage = self.report, self.report.coverage
        yield from _heading(self.say.overview)
        if report.summary:
            yield self.inline.text(report.summary)
            yield ""
        if report.themes:
            yield self.words.themes.format(themes=self.say.comma.join(self.inline.text(each) for each in report.themes))
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
                parts.append(template.format(reason=self.inline.reason(skip.reason)))
            summary = f"{self.words.colon}{self.inline.text(file.summary)}" if file.summary else ""
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
            said = quoted(self.inline.redactor.text(each.said))
            yield f"- {self.say.mismatch.format(said=said, commit=commit, text=self.inline.text(each.text))}"
            for proof in each.evidence:
                yield f"{INDENT}- {self.inline.evidence(proof)}"

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
            reasons = say.comma.join(f"{self.inline.reason(reason)} {count}" for reason, count in report.stats.hidden)
            yield f"- {say.hidden.format(reasons=reasons)}"
        for failure in report.stats.failures:
            if failure not in report.verdict.reasons:
                yield f"- {say.failure.format(text=self.inline.reason(failure))}"
        if report.stats.seconds:
            stages = say.comma.join(
                f"{self.inline.text(stage)} {seconds:.1f}" for stage, seconds in report.stats.seconds
            )
            yield f"- {say.seconds.format(stages=stages)}"
        for notice in report.notices:
            yield f"- {say.notes}{self.words.colon}{self.inline.reason(notice)}"

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
            gates = say.comma.join(f"{self.inline.reason(gate)} {number}" for gate, number in model.gates)
            parts.append(say.gates.format(gates=gates))
        if model.capped:
            parts.append(say.capped.format(count=model.capped))
        return self.words.semicolon.join(parts)


def _heading(text: str) -> Iterator[str]:
    yield ""
    yield f"## {text}"
    yield ""


def _paths(file: FileSummary) -> str:
    return code(file.path) if file.old_path is None else f"{code(file.old_path)} → {code(file.path)}"
