"""The words of the Markdown report, in the languages people may choose. What it shares with the terminal is in words.

Names that programs read (severities, verdicts) are not translated. Invariant: every word exists in every language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.item import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownWords:
    """Fixed texts and templates; names in braces are filled in, with Markdown already."""

    title: str
    blocking_count: str
    gaps: str
    head: str
    no_commit: str
    on_branch: str
    dirty: str
    base: str
    no_base: str
    reviewed_at: str
    doubt: str
    round: str
    first_round: str
    progress: str
    came_back: str
    until: str
    blocking: str
    suggestions: str
    none: str
    because_of: str
    same_as: str
    same_cause: str
    evidence: str
    does_not_block: str
    fix: str
    safe_fix: str
    unconfirmed: str
    fixed: str
    left: str
    dismissed: str
    dismissed_in_code: str
    reason_above: str
    states: Mapping[str, str]
    settings_changed: str
    checklists: str
    pack: str
    failed: str
    applicable: str
    not_checked: str
    all_packs: str
    overview: str
    reviewed: str
    added_lines: tuple[str, str]
    skipped: str
    not_reviewed: str
    not_checked_because: str
    statuses: Mapping[str, str]
    more_files: tuple[str, str]
    more_findings: str
    mismatches: str
    mismatch: str
    statistics: str
    seconds: str
    hidden: str
    patch: str
    unchanged_code: str
    failure: str
    notes: str
    drafts: str
    gates: str
    capped: str
    comma: str


_ENGLISH = MarkdownWords(
    title="Round Zero: {head} into {base}",
    blocking_count="{count} blocking",
    gaps="files not checked: {count} (see Overview)",
    head="**Head** {commit}{branch}{dirty}",
    no_commit="no commit yet",
    on_branch=" on {branch}",
    dirty=", with changes that are not committed",
    base="**Base** {ref} at {commit}, {how}",
    no_base="**Base** {commit}, {how}",
    reviewed_at="**Reviewed** {time} by Round Zero {version}; the verdict holds for snapshot {snapshot} alone",
    doubt="in doubt: {text}",
    round="**Round** {index}; {delta} of {files} changed since round {previous}",
    first_round="**Round** {index}; {files}",
    progress="; fixed {fixed}, new {new}, back again {returned}, open {open}",
    came_back="came back {count}x",
    until="until {day}",
    blocking="Blocking issues",
    suggestions="Non-blocking suggestions",
    none="None.",
    because_of="Because of {place}",
    same_as="Why: see {label}.",
    same_cause="Same cause as {label}.",
    evidence="{place} {role}",
    does_not_block="Does not block: {reason}",
    fix="Suggestion: {title}",
    safe_fix="Safe fix (`roundzero review --fix` applies it): {title}",
    unconfirmed="Open, not confirmed in this round",
    fixed="Fixed since the last round",
    left="No longer open",
    dismissed="Dismissed",
    dismissed_in_code="in the code",
    reason_above="reason above",
    states={"stale": "stale", "unconfirmed": "not confirmed", "refuted": "refuted", "superseded": "superseded"},
    settings_changed="What this branch changes about its own review",
    checklists="Checklists",
    pack="Pack",
    failed="Failed",
    applicable="Applicable",
    not_checked="Not checked",
    all_packs="all",
    overview="Overview",
    reviewed="Reviewed {reviewed} of {files}, {lines}.",
    added_lines=("1 added line", "{count} added lines"),
    skipped="skipped: {reason}",
    not_reviewed="not reviewed",
    not_checked_because="**not checked**: {reason}",
    statuses={
        "added": "added", "modified": "modified", "deleted": "deleted", "renamed": "renamed", "mode": "mode changed",
    },
    more_files=("and 1 more file", "and {count} more files"),
    more_findings="{count} more in one line each:",
    mismatches="Where the description and the change disagree",
    mismatch="{said}{commit}: {text}",
    statistics="Statistics",
    seconds="Seconds: {stages}",
    hidden="Not shown: {reasons}",
    patch="Patch: +{added} -{deleted} lines, {bytes} bytes",
    unchanged_code="Blocking on unchanged code: {count}",
    failure="Failed: {text}",
    notes="Notes",
    drafts="drafts: {asked} asked, {ok} ok, {failed} failed",
    gates="drafted findings: {gates}",
    capped="made milder: {count}",
    comma=", ",
)  # fmt: skip
_CHINESE = MarkdownWords(
    title="Round Zero：{head} 合入 {base}",
    blocking_count="{count} 项阻止合入",
    gaps="{count} 个文件未检查（见“概览”）",
    head="**头部** {commit}{branch}{dirty}",
    no_commit="尚无提交",
    on_branch="，位于 {branch}",
    dirty="，含未提交的改动",
    base="**基准** {ref}，位于 {commit}，{how}",
    no_base="**基准** {commit}，{how}",
    reviewed_at="**审查** {time}，Round Zero {version}；结论仅对快照 {snapshot} 有效",
    doubt="存疑：{text}",
    round="**轮次** {index}；自第 {previous} 轮以来 {files}中有 {delta} 个变动",
    first_round="**轮次** {index}；{files}",
    progress="；已修复 {fixed}、新增 {new}、再次出现 {returned}、未关闭 {open}",
    came_back="再次出现 {count} 次",
    until="有效至 {day}",
    blocking="阻止合入的问题",
    suggestions="不阻止合入的建议",
    none="无。",
    because_of="起因于 {place}",
    same_as="理由：见 {label}。",
    same_cause="与 {label} 同因。",
    evidence="{place} {role}",
    does_not_block="不阻止合入：{reason}",
    fix="建议：{title}",
    safe_fix="安全修复（`roundzero review --fix` 可应用）：{title}",
    unconfirmed="未关闭，本轮未确认",
    fixed="自上一轮以来已修复",
    left="不再处于打开状态",
    dismissed="已忽略",
    dismissed_in_code="在代码中",
    reason_above="理由见上",
    states={"stale": "已过时", "unconfirmed": "未确认", "refuted": "已否定", "superseded": "已被取代"},
    settings_changed="此分支对自身审查的改动",
    checklists="检查清单",
    pack="清单",
    failed="未通过",
    applicable="适用",
    not_checked="未检查",
    all_packs="合计",
    overview="概览",
    reviewed="已审查 {reviewed}/{files}，{lines}。",
    added_lines=("新增 1 行", "新增 {count} 行"),
    skipped="已跳过：{reason}",
    not_reviewed="未审查",
    not_checked_because="**未检查**：{reason}",
    statuses={"added": "新增", "modified": "修改", "deleted": "删除", "renamed": "重命名", "mode": "模式改变"},
    more_files=("另有 1 个文件", "另有 {count} 个文件"),
    more_findings="另有 {count} 项，各占一行：",
    mismatches="描述与改动不符之处",
    mismatch="{said}{commit}：{text}",
    statistics="统计",
    seconds="耗时（秒）：{stages}",
    hidden="未显示：{reasons}",
    patch="补丁：+{added} -{deleted} 行，{bytes} 字节",
    unchanged_code="位于未改动代码的阻止项：{count}",
    failure="失败：{text}",
    notes="说明",
    drafts="草稿：请求 {asked} 份，成功 {ok} 份，失败 {failed} 份",
    gates="草稿中的发现：{gates}",
    capped="降低级别：{count}",
    comma="、",
)


def markdown_words(language: Language) -> MarkdownWords:
    """The words of a language."""
    return _CHINESE if language == "zh" else _ENGLISH
