"""What a hook tells the person: short, and how to go on.

Invariant: every text that comes from the repository goes through ``visible``, and no secret is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.frozen import dataclass
from roundzero.core.item import Severity
from roundzero.core.report import VerdictStatus
from roundzero.render.escape import visible
from roundzero.render.redaction import Redactor
from roundzero.render.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roundzero.core.finding import Finding, Observation
    from roundzero.core.item import Language
    from roundzero.core.report import Report
    from roundzero.render.look import Gate

MOST: Final = 10
"""Findings named per commit; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Templates; names in braces are filled in."""

    staged: str
    as_in_round: str
    more: str
    in_commit: str
    rewrite: str
    see_all: str
    stopped: dict[str, str]
    not_reviewed: dict[str, str]
    nothing_to_compare: str
    took_too_long: str
    nothing_reviewed: dict[str, str]
    no_effect: str


_ENGLISH: Final = Words(
    staged="what is staged",
    as_in_round="{verdict}, as round {index} found",
    more="  and {count} more",
    in_commit="  commit {commit}: {place} {title}",
    rewrite="  it is gone by now, and pushed with that commit all the same; rewrite the commit (git rebase -i)",
    see_all="  all of it: {command}",
    stopped={
        "pre-push": "the push was stopped; to push all the same: git push --no-verify",
        "pre-commit": "the commit was stopped; to commit all the same: git commit --no-verify",
    },
    not_reviewed={
        "pre-push": "{name}: not reviewed, which does not stop the push: {reason}",
        "pre-commit": "{name}: not reviewed, which does not stop the commit: {reason}",
    },
    nothing_to_compare="there is nothing to compare it with",
    took_too_long="it took more than {seconds} seconds; roundzero review takes its time",
    nothing_reviewed={
        "pre-push": "nothing was reviewed, and the push goes on",
        "pre-commit": "nothing was reviewed, and the commit goes on",
    },
    no_effect="hook.model {depth} has no effect: {reason}",
)
_CHINESE: Final = Words(
    staged="暂存的内容",
    as_in_round="{verdict}，与第 {index} 轮结论一致",
    more="  另有 {count} 个",
    in_commit="  提交 {commit}：{place} {title}",
    rewrite="  它现已删除，但仍会随该提交一起推送；请改写该提交（git rebase -i）",
    see_all="  查看全部：{command}",
    stopped={
        "pre-push": "推送已被阻止；仍要推送：git push --no-verify",
        "pre-commit": "提交已被阻止；仍要提交：git commit --no-verify",
    },
    not_reviewed={
        "pre-push": "{name}：未经审查，但不阻止推送：{reason}",
        "pre-commit": "{name}：未经审查，但不阻止提交：{reason}",
    },
    nothing_to_compare="没有可供比较的基准",
    took_too_long="用时超过 {seconds} 秒；roundzero review 不限时",
    nothing_reviewed={
        "pre-push": "未审查任何内容，推送继续进行",
        "pre-commit": "未审查任何内容，提交继续进行",
    },
    no_effect="hook.model {depth} 不起作用：{reason}",
)


def hook_words(language: Language) -> Words:
    """The words of a language."""
    return _CHINESE if language == "zh" else _ENGLISH


def verdict_line(report: Report, gate: Gate) -> str:
    """The verdict with its depth; unless findings say it, also why, and what is done where one would not expect it."""
    said = words(report.language)
    verdict = report.verdict
    text = f"{verdict.status.value} ({said.at_depth(verdict)})"
    reasons = [said.reason(each) for each in verdict.reasons] if verdict.status is not VerdictStatus.BLOCKED else []
    if (outcome := said.outcome(verdict, gate)) is not None:
        reasons.append(outcome)
    return text + (said.colon + visible(said.semicolon.join(reasons)) if reasons else "")


def doubts(report: Report) -> Iterator[str]:
    """A line for each doubt about the base."""
    said = words(report.language)
    for doubt in report.base.doubts:
        yield said.doubt.format(text=visible(said.reason(doubt)))


def finding_lines(report: Report, limit: Severity, command: str) -> Iterator[str]:
    """A line for each finding at or above ``limit`` that the branch brought, and where to see all."""
    said = hook_words(report.language)
    redactor = Redactor.of(report)
    grave = [
        each
        for each in report.findings
        if each.counts and each.seen.severity <= limit and (each.blocking or each.seen.severity > Severity.P1)
    ]
    for each in grave[:MOST]:
        yield f"  {_line(redactor.finding(each), words(report.language).whole_change)}"
    if len(grave) > MOST:
        yield said.more.format(count=len(grave) - MOST)
    yield said.see_all.format(command=visible(command))


def history_lines(found: Sequence[tuple[str, Observation]], language: Language) -> Iterator[str]:
    """A line for each thing that a commit carries though it is gone by now, and how to leave it behind."""
    said = hook_words(language)
    for commit, seen in found[:MOST]:
        title = f"{seen.severity.name} {visible(seen.title)} [{visible(seen.item)}]"
        yield said.in_commit.format(commit=commit[:12], place=f"{visible(seen.path or '')}:{seen.line}", title=title)
    if len(found) > MOST:
        yield said.more.format(count=len(found) - MOST)
    if found:
        yield said.rewrite


def _line(finding: Finding, whole_change: str) -> str:
    seen = finding.seen
    title = f"{seen.severity.name} {visible(seen.title)} [{visible(seen.item)}]"
    if seen.path is None:
        return f"{whole_change} {title}"
    if seen.side is Side.BASE and finding.anchor is not None:
        return f"{visible(finding.anchor.path)}:{finding.anchor.line} {title}"
    if seen.span is None:
        return f"{visible(seen.path)} {title}"
    return f"{visible(seen.path)}:{seen.span.start.line}:{seen.span.start.column} {title}"
