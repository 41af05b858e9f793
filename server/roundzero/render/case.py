"""The argued case of a finding as labelled lines, in the order in which it is read.

What formats and the editor's hover share; the marking up is theirs. Invariants: every text of an anatomy appears once,
and a quote that was not found in the reviewed text is never shown as if it had been.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.finding import Verified
from roundzero.core.frozen import dataclass
from roundzero.render.reasons import reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roundzero.core.anatomy import Anatomy, Claim
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
    step: str
    in_title: str
    decisive: str
    support: str
    held: str
    fell: str
    against: str
    reverses: str


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
    verdicts={"unverifiable": "cannot be verified"},
    decides={"existence": "decides existence", "severity": "decides severity", "reachability": "decides reachability"},
    marks={
        Verified.EXACT: "✓",
        Verified.MOVED: "✓ moved",
        Verified.WHITESPACE: "✓ but for white space",
        Verified.MISSING: "✗ not in the text",
    },
    step="step {number}",
    in_title="the title",
    decisive="decisive",
    support="in {given} of {of} drafts",
    held="a second look confirmed it",
    fell="a second look did not confirm it",
    against="against it",
    reverses="takes back",
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
    verdicts={"verified": "已证实", "refuted": "已否定", "unverifiable": "无法证实"},
    decides={"existence": "决定是否存在", "severity": "决定严重级别", "reachability": "决定是否可达"},
    marks={
        Verified.EXACT: "✓",
        Verified.MOVED: "✓ 已移动",
        Verified.WHITESPACE: "✓ 仅空白不同",
        Verified.MISSING: "✗ 文本中没有",
    },
    step="第 {number} 步",
    in_title="标题所述",
    decisive="决定性",
    support="{given} / {of} 份草稿提出",
    held="复看证实",
    fell="复看未能证实",
    against="反对意见",
    reverses="推翻先前",
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
        yield Row(say.severity.format(severity=seen.severity.name), reason(case.severity_reason, language))


def proofs(seen: Observation, language: Language) -> tuple[Proof, ...]:
    """The evidence, numbered as the mechanism names it."""
    marks = case_words(language).marks
    return tuple(Proof(f"E{number}", each, marks[each.verified]) for number, each in enumerate(seen.evidence, 1))


def rest(seen: Observation, language: Language) -> Iterator[Row]:
    """What comes after the evidence: searches, claims that were checked, what is open, what to do."""
    case, say = seen.anatomy, case_words(language)
    if case is None:
        return
    from roundzero.core.anatomy import ClaimVerdict  # noqa: PLC0415  where a model took part

    for search in case.negative_evidence:
        yield Row(say.evidence, say.negative.format(scope=search.scope, query=search.query, hits=search.hits))
    for claim in case.claims:
        if claim.verdict is not ClaimVerdict.UNVERIFIABLE or claim.probe is not None:
            yield Row(say.claims, _claim(claim, seen, say, language))
    for text in case.contradictions:
        if text.partition(": ")[2] not in (case.severity_reason or "") or ": " not in text:
            yield Row(say.against, reason(text, language))
    for text in case.reverses:
        yield Row(say.reverses, reason(text, language))
    for question in case.open_questions:
        answer = f" → {question.answer}" if question.answer else ""
        yield Row(say.open, f"{question.text} ({say.decides[question.decides.value]}){answer}")
    for suggestion in case.suggestions:
        check = f" ({suggestion.verify})" if suggestion.verify else ""
        yield Row(say.suggestion, suggestion.text + check)


def support(case: Anatomy, language: Language) -> str:
    """In how many drafts a finding was raised, and how a second look at it ended; "" where nobody counted."""
    say = case_words(language)
    parts = [say.support.format(given=case.votes.given, of=case.votes.of)] if case.votes is not None else []
    if case.confirmed is not None:
        parts.append(say.held if case.confirmed else say.fell)
    return ("，" if language == "zh" else ", ").join(parts)


def _claim(claim: Claim, seen: Observation, say: CaseWords, language: Language) -> str:
    """A claim with what checking it gave. What is said above already is named, not said again."""
    verdict = claim.verdict.value
    said = [say.verdicts.get(verdict, verdict)]
    if claim.decisive:
        said.insert(0, say.decisive)
    if claim.probe is not None:
        said += [reason(each, language) for each in claim.probe.split("; ")]
    return f"{_once(claim.text, seen, say)} ({', '.join(said)})"


def _once(text: str, seen: Observation, say: CaseWords) -> str:
    steps = seen.anatomy.mechanism if seen.anatomy is not None else ()
    for number, step in enumerate(steps, 1):
        if _same(step.text, text):
            return say.step.format(number=number)
    return say.in_title if _same(seen.title, text) else text


def _same(one: str, other: str) -> bool:
    return [text.casefold().rstrip(".。") for text in one.split()] == [
        text.casefold().rstrip(".。") for text in other.split()
    ]


def _named(numbers: tuple[int, ...]) -> list[str]:
    """``[E1,E3]`` for numbers of evidence from 0."""
    return [f"[{','.join(f'E{number + 1}' for number in numbers)}]"] if numbers else []
