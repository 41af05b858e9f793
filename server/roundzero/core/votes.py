"""From what several drafts found to distinct findings, each with its votes and what was said against it.

core/joining says which findings are one; here they become one, argued as the best of them argues it. Nothing is asked
and nothing dropped. Invariants: every drafted finding is in exactly one result; the result depends on what was drafted,
not on its order; a severity is never graver than somebody graded the finding under its item, and says so where drafts
disagreed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

from roundzero.core.anatomy import Anatomy, Votes
from roundzero.core.cluster import likeness
from roundzero.core.joining import groups
from roundzero.core.prompt import OTHER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from roundzero.core.anatomy import Suggestion
    from roundzero.core.deep import Drafted
    from roundzero.core.finding import Evidence, Observation
    from roundzero.core.item import ItemId, Severity
    from roundzero.core.linemap import Hunk
    from roundzero.core.model_values import Unit
    from roundzero.core.text import RelPath

_APART: Final = 2
"""Steps of severity from which on a grading contradicts another."""
_MOST_EVIDENCE: Final = 60
"""Most lines of evidence of one finding; the reference reviewer's have 51 at most."""

_SAME_ADVICE: Final = 0.6
"""How alike (0 to 1) two suggestions of a kind are that say one thing: "check the count first" and "check the count
before taking" are by 0.68, "close it in a finally block" and "use a with statement" by 0.4."""
_MOST_ADVICE: Final = 6
"""Most suggestions to one finding; more are not read."""

_T = TypeVar("_T")
_UnitKey = tuple["RelPath", tuple["Hunk", ...]]


def merge(
    drafted: Sequence[Drafted],
    answered: Mapping[Unit, frozenset[int]],
    clean: Mapping[tuple[Unit, int], frozenset[ItemId]] | None = None,
) -> tuple[Observation, ...]:
    """The distinct findings of several drafts, in the order of their places.

    ``answered``: the voices whose draft of a unit could be read; ``clean``: the items one said it found nothing for.
    The votes of a finding are of the voices that answered about a unit it was raised in.
    """
    voices: dict[_UnitKey, frozenset[int]] = defaultdict(frozenset)
    for unit, heard in answered.items():
        voices[_key(unit)] |= heard
    silent: dict[tuple[_UnitKey, int], frozenset[ItemId]] = {
        (_key(unit), voice): items for (unit, voice), items in (clean or {}).items()
    }
    rows = sorted(drafted, key=_order)
    merged = [_merged([rows[at] for at in group], voices, silent) for group in groups(rows)]
    return tuple(sorted(merged, key=lambda each: (each.path or "", each.line, each.item, each.title)))


def _merged(
    group: Sequence[Drafted],
    voices: Mapping[_UnitKey, frozenset[int]],
    silent: Mapping[tuple[_UnitKey, int], frozenset[ItemId]],
) -> Observation:
    """One finding of all that say it."""
    face = min(group, key=_poorness)
    item = _item(group, face)
    voters = {each.voice for each in group}
    units = sorted({_key(each.unit) for each in group}, key=repr)
    asked = voters.union(*(voices.get(unit, frozenset()) for unit in units))
    severity, reason = _severity(group, face, item)
    case = face.observation.anatomy or Anatomy()
    against = [*_gradings(group, severity), *_silences(item, voters, units, silent)]
    cases = [each.observation.anatomy for each in group if each is not face and each.observation.anatomy is not None]
    case = replace(
        case,
        severity_reason=reason,
        negative_evidence=_united(case.negative_evidence, [each.negative_evidence for each in cases]),
        open_questions=_united(case.open_questions, [each.open_questions for each in cases]),
        votes=Votes(len(voters), len(asked)),
        suggestions=_advice(case.suggestions, [each.suggestions for each in cases]),
        contradictions=tuple(dict.fromkeys((*case.contradictions, *against))),
    )
    others = [each.observation for each in group if each is not face]
    return replace(
        face.observation,
        item=item,
        severity=severity,
        evidence=_joined(face.observation, others),
        fixes=face.observation.fixes
        or next((each.fixes for each in others if each.fixes and _stands_with(each, face)), ()),
        anatomy=case,
    )


def _poorness(said: Drafted) -> tuple[bool, int, int, str]:
    """Orders findings of one defect by how well they are argued, the best first."""
    verified = sum(each.is_found for each in said.observation.evidence)
    return (not _is_argued(said.observation), -verified, said.voice, said.observation.title)


def _is_argued(seen: Observation) -> bool:
    """Whether it names a claim it stands or falls with."""
    return seen.anatomy is not None and any(claim.decisive for claim in seen.anatomy.claims)


def _stands_with(seen: Observation, face: Drafted) -> bool:
    return (seen.path, seen.line) == (face.observation.path, face.observation.line)


def _item(group: Sequence[Drafted], face: Drafted) -> ItemId:
    """The item most drafts file it under; of several one that says more than "other", then the face's."""
    counts = Counter(each.observation.item for each in group)
    return max(counts, key=lambda item: (counts[item], item != OTHER, item == face.observation.item, item))


def _severity(group: Sequence[Drafted], face: Drafted, item: ItemId) -> tuple[Severity, str | None]:
    """The median, of two middle ones the milder, and never graver than anybody graded it under its item."""
    by_voice: dict[int, Severity] = {}
    for each in group:
        by_voice[each.voice] = min(by_voice.get(each.voice, each.observation.severity), each.observation.severity)
    graded = sorted(by_voice.values())
    median = max(
        graded[len(graded) // 2], min(each.observation.severity for each in group if each.observation.item == item)
    )
    said = face.observation.anatomy.severity_reason if face.observation.anatomy is not None else None
    if len(set(graded)) == 1 and median is face.observation.severity:
        return median, said
    listed = ", ".join(each.name for each in graded)
    reason = f"{median.name}, because drafts graded it {listed}"
    return median, f"{reason}; {said}" if said and median is face.observation.severity else reason


def _gradings(group: Sequence[Drafted], severity: Severity) -> Iterator[str]:
    """Drafts that graded it quite otherwise by themselves; one that was made milder here did not."""
    for each in group:
        case, graded = each.observation.anatomy, each.observation.severity
        capped = case is not None and (case.severity_reason or "").startswith(f"{graded.name} and not ")
        if abs(graded - severity) >= _APART and not capped:
            yield f"draft {each.voice} graded it {graded.name}"


def _silences(
    item: ItemId,
    voters: set[int],
    units: Sequence[_UnitKey],
    silent: Mapping[tuple[_UnitKey, int], frozenset[ItemId]],
) -> Iterator[str]:
    """Drafts that looked for it and found nothing. Whoever found "nothing else" did not look for it."""
    if item == OTHER:
        return
    heard = sorted({voice for unit, voice in silent if unit in units} - voters)
    for voice in heard:
        if any(item in silent.get((unit, voice), frozenset()) for unit in units):
            yield f"draft {voice} looked for this and found nothing"


def _joined(face: Observation, others: Iterable[Observation]) -> tuple[Evidence, ...]:
    """The face's evidence at its places, then what others found beyond it."""
    evidence = list(face.evidence)
    known = {(each.path, each.side, each.line) for each in evidence if each.is_found}
    for each in (each for seen in others for each in seen.evidence if each.is_found):
        place = (each.path, each.side, each.line)
        if place not in known and len(evidence) < max(_MOST_EVIDENCE, len(face.evidence)):
            known.add(place)
            evidence.append(each)
    return tuple(evidence)


def _united(first: tuple[_T, ...], others: Iterable[tuple[_T, ...]]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys((*first, *(each for rest in others for each in rest))))


def _advice(first: Sequence[Suggestion], others: Iterable[Sequence[Suggestion]]) -> tuple[Suggestion, ...]:
    """What is suggested, each once: first by whoever argues it best, then what others say beyond that."""
    kept: list[Suggestion] = []
    for each in (*first, *(one for rest in others for one in rest)):
        alike = (likeness(each.text, one.text) for one in kept if one.kind == each.kind)
        if len(kept) < _MOST_ADVICE and max(alike, default=0.0) < _SAME_ADVICE:
            kept.append(each)
    return tuple(kept)


def _key(unit: Unit) -> _UnitKey:
    """What is one unit, in whatever order a voice reads it."""
    return (unit.path, unit.hunks)


def _order(drafted: Drafted) -> tuple[int, str, int, str, str]:
    seen = drafted.observation
    return (drafted.voice, seen.path or "", seen.line, seen.item, seen.title)
