"""What a review, or a live engine, makes of what a model said in earlier rounds.

Between core/remembered, which says what still holds, and the round that is written. Invariant: what a model said is in
every review of its lines, at any depth, until something is known against it: it holds and is seen, or what it quotes
is gone and it is stale, or unconfirmed where one was asked again.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from roundzero.core.advance import Recheck
from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.core.ledger import Proof
from roundzero.core.recognition import match
from roundzero.core.remembered import entries_of_model, remembered
from roundzero.engine.answers import WHY

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from roundzero.core.anatomy import Anatomy
    from roundzero.core.change import Change, Source
    from roundzero.core.finding import FindingId, Observation
    from roundzero.core.judge import View
    from roundzero.core.known_texts import Texts
    from roundzero.core.ledger import Ledger
    from roundzero.core.remembered import Remembered
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath
    from roundzero.engine.answers import Answers
    from roundzero.engine.memory import Memory
    from roundzero.engine.recall import Recall


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminded:
    """``kept`` holds and was not said again; ``rechecks`` is what became of the rest."""

    kept: tuple[Remembered, ...] = ()
    rechecks: Mapping[FindingId, Recheck] = field(default_factory=dict)


def remind(
    memory: Memory,
    change: Change,
    view: View,
    ruleset: Ruleset,
    *,
    said: Collection[FindingId] = (),
    complete: bool = False,
) -> Reminded:
    """What is remembered of a model's findings. Pure; may take some milliseconds.

    ``said`` are those that one raised again now; ``complete``: one was asked about all of the change.
    """
    texts = memory.texts
    kept: list[Remembered] = []
    rechecks: dict[FindingId, Recheck] = {}
    for each in remembered(memory.ledger, change, texts, memory.quoted, ruleset):
        path = each.seen.path
        if each.id in said or path is None or not view.covers(path):
            continue
        again = complete and change.file(path) is not None
        if each.holds:
            kept.append(each)
        elif memory.ledger.entries[each.id].state is State.DISMISSED:
            continue
        elif again:
            rechecks[each.id] = _recheck("failed", State.UNCONFIRMED, each)
        else:
            rechecks[each.id] = _recheck("lapsed", State.STALE, each)
    return Reminded(kept=tuple(kept), rechecks=rechecks)


def beside_deep(
    memory: Memory, change: Change, view: View, ruleset: Ruleset, observations: Sequence[Observation], *, complete: bool
) -> tuple[Reminded, tuple[Observation, ...]]:
    """What ``remind`` says, and what is left of what a model raised now.

    What a deep review made of a finding stands for as long as its texts do: one that is raised again by a single draft
    is the remembered one, with its votes and checked claims.
    """
    raised = match(entries_of_model(memory.ledger), observations, memory.texts)
    entries = memory.ledger.entries
    shallow = {
        at: name
        for at, name in raised.items()
        if is_deep(entries[name].sighting.anatomy) and not is_deep(observations[at].anatomy)
    }
    said = set(raised.values()) - set(shallow.values())
    found = remind(memory, change, view, ruleset, said=said, complete=complete)
    stands = {each.id for each in found.kept}
    rechecks = {name: each for name, each in found.rechecks.items() if name not in shallow.values()}
    left = tuple(each for at, each in enumerate(observations) if shallow.get(at) not in stands)
    return replace(found, rechecks=rechecks), left


def is_deep(case: Anatomy | None) -> bool:
    """Whether a deep review has looked at a finding: somebody counted its votes."""
    return case is not None and case.votes is not None


def raised_again(ledger: Ledger, texts: Texts, observations: Sequence[Observation]) -> frozenset[FindingId]:
    """The findings of a model of earlier rounds that one raises again, in whatever state they were."""
    entries = [entry for entry in ledger.entries.values() if entry.sighting.source == "model"]
    return frozenset(match(entries, observations, texts).values())


def reminded(answers: Answers, recall: Recall, change: Change, ruleset: Ruleset) -> frozenset[RelPath]:
    """Tell ``answers`` what is remembered beside what was said in this session; the files where that is other now.

    What does not hold is stale, and is told of files of the change only.
    """
    texts = recall.texts_with(change.head_texts)
    known = set(match(entries_of_model(recall.ledger), answers.said(), texts).values())
    found: list[tuple[FindingId, Observation, Source, State]] = []
    for each in remembered(recall.ledger, change, texts, recall.quoted, ruleset):
        aside = recall.ledger.entries[each.id].state is State.DISMISSED
        if each.id in known or (not each.holds and (aside or change.file(each.text.path) is None)):
            continue
        found.append((each.id, each.seen, each.text, State.OPEN if each.holds else State.STALE))
        if change.file(each.text.path) is None:
            answers.outside[each.text.path] = each.text
    return answers.recall(found)


def _recheck(outcome: Literal["lapsed", "failed"], state: State, each: Remembered) -> Recheck:
    return Recheck(outcome=outcome, proof=Proof(text=WHY[state], path=each.seen.path, line=each.seen.line or None))
