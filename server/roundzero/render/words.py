"""The words of the terminal format, in the languages people may choose. Reasons come from inside: see reasons.

Names that programs read (severities, verdicts) are not translated. Invariant: every word exists in every language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.report import VerdictStatus
from roundzero.render.reasons import reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.core.item import Language
    from roundzero.core.model_part import ModelStats
    from roundzero.core.report import Verdict
    from roundzero.render.look import Gate


ADMITTED: Final = "admitted"
"""The gate of core/drafting that is none, by its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepWords:
    """Templates for the numbers of a deep review."""

    voices: str
    voice: str
    clusters: str
    left_out: str
    confirmations: str
    fact_checks: str
    rechecks: str
    tools: str
    unanswered: str
    cut: str
    ended: str
    counted: str
    comma: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Fixed texts and templates; names in braces are filled in."""

    language: Language
    blocking: str
    not_blocking: str
    pre_existing: str
    whole_change: str
    at_base: str
    gone: str
    changed_line: str
    does_not_block: str
    same_cause: str
    same_places: tuple[str, str]
    safe_fix: str
    safe_fixes: str
    safe_fixes_elsewhere: str
    evidence: str
    fix: str
    note: str
    settings_changed: str
    silenced: tuple[str, str]
    base: str
    no_ref: str
    no_base: str
    how: dict[str, str]
    doubt: str
    passed_over: str
    hidden: str
    reviewed: str
    files: tuple[str, str]
    lines: tuple[str, str]
    not_checked: str
    skipped: str
    more: str
    checks_only: str
    depth: str
    stale: str
    nothing_changed: str
    fails: str
    passes: str
    colon: str
    semicolon: str
    model: str
    model_spent: str
    requests: tuple[str, str]
    tokens: tuple[str, str]
    model_cached: str
    model_free: str
    model_cost: str
    strengths: str
    since: str
    overview: str
    themes: str
    mismatch: str
    deep: DeepWords

    def reason(self, text: str) -> str:
        """A reason of the report in this language."""
        return reason(text, self.language)

    def at_depth(self, verdict: Verdict) -> str:
        """How deep the review was that came to the verdict."""
        return self.checks_only if verdict.depth == "off" else self.depth.format(depth=verdict.depth)

    def outcome(self, verdict: Verdict, gate: Gate | None) -> str | None:
        """What the exit status says where it is not what the verdict leads to expect."""
        blocked = verdict.status is VerdictStatus.BLOCKED
        if gate is None or gate.fails is blocked:
            return None
        return (self.fails if gate.fails else self.passes).format(by=gate.by)


_ENGLISH = Words(
    language="en",
    blocking="Blocking",
    not_blocking="Not blocking",
    pre_existing="There before this branch",
    whole_change="the change as a whole",
    at_base="at the base",
    gone="removed: line {line} of the base",
    changed_line="because of {place}",
    does_not_block="does not block: {reason}",
    same_cause="the same cause as {place}",
    same_places=("and 1 more place: {places}", "and {count} more places: {places}"),
    safe_fix="fix (safe): {title}",
    safe_fixes="Safe fixes: {count} (roundzero review --fix)",
    safe_fixes_elsewhere="Safe fixes: {count}",
    evidence="see {place}, {role}: {quote}",
    fix="fix: {title}",
    note="note: {text}",
    settings_changed="changed by this branch: {text}",
    silenced=(
        "1 comment of this branch asks to ignore findings: {places}",
        "{count} comments of this branch ask to ignore findings: {places}",
    ),
    base="Base {ref} at {merge_base}, {how}",
    no_ref="Base {merge_base}, {how}",
    no_base="No base: {how}",
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
    reviewed="Reviewed {reviewed} of {files} (+{lines})",
    files=("1 file", "{count} files"),
    lines=("1 line", "{count} lines"),
    not_checked="  not checked, {reason}: {paths}",
    skipped="  skipped, {reason}: {paths}",
    more="{count} more",
    checks_only="checks only",
    depth="model: {depth}",
    stale="for an older version of the change",
    nothing_changed="nothing differs from the base",
    fails="fails by {by}",
    passes="passes by {by}",
    colon=": ",
    semicolon="; ",
    model="Model {name} looked at hunks: {covered} of {hunks}{spent}",
    model_spent=", {requests}, {tokens}",
    requests=("1 request", "{count} requests"),
    tokens=("1 token", "{count} tokens"),
    model_cached=", {cached} from the cache",
    model_free=", nothing sent",
    model_cost=", cost {cost:.4f}",
    strengths="Strengths",
    since="since round {round}",
    overview="Overview",
    themes="themes: {themes}",
    mismatch='the description says "{said}"{commit}: {text}',
    deep=DeepWords(
        voices="drafts by voice: {voices}",
        voice="{number}: {ok} of {asked}",
        clusters="drafted findings that were let in: {drafted}, distinct: {distinct}",
        left_out="drafted findings that were not: {reasons}",
        confirmations="second looks: {asked} ({held} held, {fell} did not, {open} undecided)",
        fact_checks=(
            "fact checks: {checked} ({hold} hold, {refuted} refuted, {unverifiable} not verifiable, {unparsable} not"
            " readable)"
        ),
        rechecks="rechecked: {asked} ({fixed} fixed, {open} still open, {failed} not substantiated, {left} unanswered)",
        tools="tool calls: {calls}, {bytes} bytes",
        unanswered="tool calls that gave nothing: {reasons}",
        cut="tool results that show only a part: {count}",
        ended="looking around ended early: {reasons}",
        counted="{reason} ({count})",
        comma=", ",
    ),
)
_CHINESE = Words(
    language="zh",
    blocking="阻止合入",
    not_blocking="不阻止合入",
    pre_existing="此分支之前就有",
    whole_change="整个变更",
    at_base="基准版本",
    gone="已删除：基准版本第 {line} 行",
    changed_line="起因于 {place}",
    does_not_block="不阻止合入：{reason}",
    same_cause="与 {place} 同一原因",
    same_places=("另有 1 处：{places}", "另有 {count} 处：{places}"),
    safe_fix="修复（安全）：{title}",
    safe_fixes="安全修复：{count} 处（roundzero review --fix）",
    safe_fixes_elsewhere="安全修复：{count} 处",
    evidence="参见 {place}，{role}：{quote}",
    fix="修复：{title}",
    note="注意：{text}",
    settings_changed="此分支改动了：{text}",
    silenced=("此分支有 1 条注释要求忽略发现：{places}", "此分支有 {count} 条注释要求忽略发现：{places}"),
    base="基准 {ref}，位于 {merge_base}，{how}",
    no_ref="基准 {merge_base}，{how}",
    no_base="没有基准：{how}",
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
    reviewed="已审查 {reviewed}/{files}（+{lines}）",
    files=("1 个文件", "{count} 个文件"),
    lines=("1 行", "{count} 行"),
    not_checked="  未检查，{reason}：{paths}",
    skipped="  已跳过，{reason}：{paths}",
    more="另有 {count} 个",
    checks_only="仅检查",
    depth="模型：{depth}",
    stale="针对变更的旧版本",
    nothing_changed="与基准没有差异",
    fails="按 {by} 不通过",
    passes="按 {by} 通过",
    colon="：",
    semicolon="；",
    model="模型 {name} 看了 {hunks} 个改动块中的 {covered} 个{spent}",
    model_spent="，{requests}，{tokens}",
    requests=("1 次请求", "{count} 次请求"),
    tokens=("1 个令牌", "{count} 个令牌"),
    model_cached="，{cached} 个来自缓存",
    model_free="，未发送任何内容",
    model_cost="，费用 {cost:.4f}",
    strengths="优点",
    since="自第 {round} 轮",
    overview="概览",
    themes="主题：{themes}",
    mismatch="描述称“{said}”{commit}：{text}",
    deep=DeepWords(
        voices="各份草稿：{voices}",
        voice="第 {number} 份 {ok}/{asked}",
        clusters="草稿中采纳的发现：{drafted}，合并后：{distinct}",
        left_out="草稿中未采纳的发现：{reasons}",
        confirmations="复看：{asked}（证实 {held}，未证实 {fell}，未定 {open}）",
        fact_checks=(
            "事实核查：{checked}（成立 {hold}，否定 {refuted}，无法证实 {unverifiable}，无法读取 {unparsable}）"
        ),
        rechecks="重新检查：{asked}（已修复 {fixed}，仍在 {open}，无法证实 {failed}，未回答 {left}）",
        tools="工具调用：{calls} 次，{bytes} 字节",
        unanswered="没有结果的工具调用：{reasons}",
        cut="只显示了一部分的工具结果：{count}",
        ended="查看提前结束：{reasons}",
        counted="{reason}（{count}）",
        comma="、",
    ),
)


def spent(model: ModelStats, said: Words) -> str:
    """What a model's part took, to stand behind how much it looked at."""
    parts = [
        said.model_spent.format(
            requests=some(said.requests, model.requests), tokens=some(said.tokens, model.sent + model.received)
        )
        if model.requests
        else said.model_free
    ]
    if model.cached:
        parts.append(said.model_cached.format(cached=model.cached))
    if model.cost is not None and model.requests:
        parts.append(said.model_cost.format(cost=model.cost))
    return "".join(parts)


def deep(model: ModelStats, said: Words) -> Iterator[str]:
    """The numbers that only a deep review has, a line each."""
    say = said.deep
    if model.voices:
        voices = (say.voice.format(number=each.number, ok=each.ok, asked=each.asked) for each in model.voices)
        yield say.voices.format(voices=say.comma.join(voices))
    if model.clusters is not None:
        yield say.clusters.format(drafted=model.clusters.drafted, distinct=model.clusters.distinct)
    if (second := model.confirmations) is not None:
        yield say.confirmations.format(asked=second.asked, held=second.held, fell=second.fell, open=second.open)
    if (facts := model.fact_checks) is not None:
        yield say.fact_checks.format(
            checked=facts.checked,
            hold=facts.hold,
            refuted=facts.refuted,
            unverifiable=facts.unverifiable,
            unparsable=facts.unparsable,
        )
    if (again := model.rechecks) is not None:
        yield say.rechecks.format(
            asked=again.asked, fixed=again.fixed, open=again.open, failed=again.failed, left=again.unanswered
        )
    if model.tools is not None:
        used = model.tools
        yield say.tools.format(calls=used.calls, bytes=used.bytes)
        if used.unanswered:
            yield say.unanswered.format(reasons=_counted(used.unanswered, said))
        if used.cut:
            yield say.cut.format(count=used.cut)
        if used.ended:
            yield say.ended.format(reasons=_counted(used.ended, said))


def left_out(model: ModelStats, said: Words) -> Iterator[str]:
    """A line on drafted findings of a deep review that were not let in, if there are any."""
    rows = [row for row in model.gates if row[0] != ADMITTED]
    if model.clusters is not None and rows:
        yield said.deep.left_out.format(reasons=_counted(rows, said))


def _counted(rows: Iterable[tuple[str, int]], said: Words) -> str:
    """Reasons of ours, each with a number behind it."""
    return said.deep.comma.join(said.deep.counted.format(reason=said.reason(why), count=count) for why, count in rows)


def some(templates: tuple[str, str], count: int, **names: object) -> str:
    """One of two templates: for one thing, and for any other number."""
    return templates[count != 1].format(count=count, **names)


def words(language: Language) -> Words:
    """The words of a language."""
    return _CHINESE if language == "zh" else _ENGLISH
