"""The words of the terminal format, in the languages people may choose. Reasons come from inside: see reasons.

Names of the contract (severities, verdicts) are not translated. Invariant: every word exists in every language.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from roundzero.render.reasons import reason

if TYPE_CHECKING:
    from roundzero.core.item import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Fixed texts and templates; names in braces are filled in."""

    language: Language
    blocking: str
    suggestions: str
    pre_existing: str
    others: str
    whole_change: str
    at_base: str
    gone: str
    changed_line: str
    does_not_block: str
    safe_fix: str
    safe_fixes: str
    safe_fixes_elsewhere: str
    evidence: str
    fix: str
    note: str
    settings_changed: str
    base: str
    no_base: str
    how: dict[str, str]
    doubt: str
    passed_over: str
    hidden: str
    reviewed: str
    not_checked: str
    skipped: str
    more: str
    checks_only: str
    depth: str
    stale: str
    nothing_changed: str
    colon: str
    semicolon: str

    def reason(self, text: str) -> str:
        """A reason of the report in this language."""
        return reason(text, self.language)


_ENGLISH = Words(
    language="en",
    blocking="Blocking",
    suggestions="Suggestions",
    pre_existing="There before this branch",
    others="Not open",
    whole_change="the change as a whole",
    at_base="at the base",
    gone="removed: line {line} of the base",
    changed_line="because of {place}",
    does_not_block="does not block: {reason}",
    safe_fix="fix (safe): {title}",
    safe_fixes="Safe fixes: {count} (roundzero review --fix)",
    safe_fixes_elsewhere="Safe fixes: {count}",
    evidence="see {place}, {role}: {quote}",
    fix="fix: {title}",
    note="note: {text}",
    settings_changed="changed by this branch: {text}",
    base="Base {ref} at {merge_base}, {how}",
    no_base="Base {merge_base}, {how}",
    how={
        "explicit": "as asked for",
        "pull-request": "the pull request's target",
        "upstream": "the branch's upstream",
        "latest-merge-base": "the latest merge base with a main branch",
        "head": "the last commit",
        "empty-tree": "no commits yet",
    },
    doubt="  doubt: {text}",
    passed_over="  not {ref}: {reason}",
    hidden="Not shown: {count} {reason}",
    reviewed="Reviewed {reviewed} of {files} files (+{lines} lines)",
    not_checked="  not checked, {reason}: {paths}",
    skipped="  skipped, {reason}: {paths}",
    more="{count} more",
    checks_only="checks only",
    depth="model: {depth}",
    stale="for an older version of the change",
    nothing_changed="nothing differs from the base",
    colon=": ",
    semicolon="; ",
)
_CHINESE = Words(
    language="zh",
    blocking="阻止合入",
    suggestions="建议",
    pre_existing="此分支之前就有",
    others="未处于打开状态",
    whole_change="整个变更",
    at_base="基准版本",
    gone="已删除：基准版本第 {line} 行",
    changed_line="起因于 {place}",
    does_not_block="不阻止合入：{reason}",
    safe_fix="修复（安全）：{title}",
    safe_fixes="安全修复：{count} 处（roundzero review --fix）",
    safe_fixes_elsewhere="安全修复：{count} 处",
    evidence="参见 {place}，{role}：{quote}",
    fix="修复：{title}",
    note="注意：{text}",
    settings_changed="此分支改动了：{text}",
    base="基准 {ref}，位于 {merge_base}，{how}",
    no_base="基准 {merge_base}，{how}",
    how={
        "explicit": "按指定",
        "pull-request": "拉取请求的目标分支",
        "upstream": "分支的上游",
        "latest-merge-base": "与主干分支的合并基中最新者",
        "head": "最近一次提交",
        "empty-tree": "尚无提交",
    },
    doubt="  存疑：{text}",
    passed_over="  未选 {ref}：{reason}",
    hidden="未显示：{count} 项{reason}",
    reviewed="已审查 {reviewed}/{files} 个文件（+{lines} 行）",
    not_checked="  未检查，{reason}：{paths}",
    skipped="  已跳过，{reason}：{paths}",
    more="另有 {count} 个",
    checks_only="仅检查",
    depth="模型：{depth}",
    stale="针对变更的旧版本",
    nothing_changed="与基准没有差异",
    colon="：",
    semicolon="；",
)


def words(language: Language) -> Words:
    """The words of a language."""
    return _CHINESE if language == "zh" else _ENGLISH
