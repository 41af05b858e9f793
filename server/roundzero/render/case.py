"""The argued case of a finding as labelled lines, in the order in which it is read.

What formats and the editor's hover share; the marking up is theirs. Invariants: every text of an anatomy appears once,
and a quote that was not found in the reviewed text is never shown as if it had been.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from roundzero.core.anatomy import ClaimVerdict
from roundzero.core.finding import Verified

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roundzero.core.finding import Evidence, Observation
    from roundzero.core.item import Language


@dataclass(frozen=True, slots=True)
class Row:
    """A label and what stands behind it."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Proof:
    """A piece of evidence with its name (``E1``) and how it compares with the reviewed text."""

    name: str
    evidence: Evidence
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseWords:
    """Labels and marks; names in braces are filled in."""

    trigger: str
    base_to_head: str
    mechanism: str
    consequence: str
    severity: str
    evidence: str
    claims: str
    open: str
    suggestion: str
    negative: str
    classes: Mapping[str, str]
    verdicts: Mapping[str, str]
    decides: Mapping[str, str]
    marks: Mapping[Verified, str]


_ENGLISH: Final = CaseWords(
    trigger="trigger",
    base_to_head="base → head",
    mechanism="mechanism",
    consequence="consequence",
    severity="why {severity}",
    evidence="evidence",
    claims="claims",
    open="open",
    suggestion="suggestion",
    negative="searched {scope} for {query}: {hits} hits",
    classes={},
    verdicts={},
    decides={"existence": "decides existence", "severity": "decides severity", "reachability": "decides reachability"},
    marks={
        Verified.EXACT: "✓",
        Verified.MOVED: "✓ moved",
        Verified.WHITESPACE: "✓ but for white space",
        Verified.MISSING: "✗ not in the text",
    },
)
_CHINESE: Final = CaseWords(
    trigger="触发条件",
    base_to_head="基准 → 现状",
    mechanism="机制",
    consequence="后果",
    severity="为何 {severity}",
    evidence="证据",
    claims="论断",
    open="未决",
    suggestion="建议",
    negative="在 {scope} 中搜索 {query}：{hits} 处",
    classes={
        "security": "安全",
        "data-loss": "数据丢失",
        "crash": "崩溃",
        "hang": "挂起",
        "wrong-result": "结果错误",
        "load-failure": "无法加载",
        "leak": "泄漏",
        "performance": "性能",
        "test-gap": "测试缺口",
        "ci-gap": "CI 缺口",
        "maintainability": "可维护性",
        "style": "风格",
    },
    verdicts={"verified": "已证实", "refuted": "已否定"},
    decides={"existence": "决定是否存在", "severity": "决定严重级别", "reachability": "决定是否可达"},
    marks={
        Verified.EXACT: "✓",
        Verified.MOVED: "✓ 已移动",
        Verified.WHITESPACE: "✓ 仅空白不同",
        Verified.MISSING: "✗ 文本中没有",
    },
)


def case_words(language: Language) -> CaseWords:
    """The words of a language."""
    return _CHINESE if language == "zh" else _ENGLISH


def argument(seen: Observation, language: Language) -> Iterator[Row]:
    """What comes before the evidence: when, since when, how, with what effect, why so grave."""
    case, say = seen.anatomy, case_words(language)
    if case is None:
        return
    if case.trigger:
        yield Row(say.trigger, case.trigger)
    if case.base_to_head:
        yield Row(say.base_to_head, case.base_to_head)
    if case.mechanism:
        steps = (
            " ".join([str(number), step.text, *_named(step.evidence)]) for number, step in enumerate(case.mechanism, 1)
        )
        yield Row(say.mechanism, " · ".join(steps))
    if case.consequence is not None:
        kind = case.consequence.failure.value
        yield Row(say.consequence, f"{case.consequence.text} ({say.classes.get(kind, kind)})")
    if case.severity_reason:
        yield Row(say.severity.format(severity=seen.severity.name), case.severity_reason)


def proofs(seen: Observation, language: Language) -> tuple[Proof, ...]:
    """The evidence, numbered as the mechanism names it."""
    marks = case_words(language).marks
    return tuple(Proof(f"E{number}", each, marks[each.verified]) for number, each in enumerate(seen.evidence, 1))


def rest(seen: Observation, language: Language) -> Iterator[Row]:
    """What comes after the evidence: searches, claims that were checked, what is open, what to do."""
    case, say = seen.anatomy, case_words(language)
    if case is None:
        return
    for search in case.negative_evidence:
        yield Row(say.evidence, say.negative.format(scope=search.scope, query=search.query, hits=search.hits))
    for claim in case.claims:
        if claim.verdict is not ClaimVerdict.UNVERIFIABLE:
            verdict = claim.verdict.value
            yield Row(say.claims, f"{claim.text} ({say.verdicts.get(verdict, verdict)})")
    for question in case.open_questions:
        answer = f" → {question.answer}" if question.answer else ""
        yield Row(say.open, f"{question.text} ({say.decides[question.decides.value]}){answer}")
    for suggestion in case.suggestions:
        check = f" ({suggestion.verify})" if suggestion.verify else ""
        yield Row(say.suggestion, suggestion.text + check)


def _named(numbers: tuple[int, ...]) -> list[str]:
    """``[E1,E3]`` for numbers of evidence from 0."""
    return [f"[{','.join(f'E{number + 1}' for number in numbers)}]"] if numbers else []
