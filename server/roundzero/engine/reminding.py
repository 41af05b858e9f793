"""What a review, or a live engine, makes of what a model said in earlier rounds.

Between core/remembered, which says what still holds, and the round that is written. Invariant: what a model said is in
every review of its lines, at any depth, until something is known against it: it holds and is seen, or what it quotes
is gone and it is stale, or unconfirmed where one was asked again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from roundzero.core.advance import Recheck
from roundzero.core.finding import State
from roundzero.core.ledger import Proof
from roundzero.core.recognition import match
from roundzero.core.remembered import entries_of_model, remembered
from roundzero.engine.answers import WHY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.change import Change, Source
    from roundzero.core.finding import FindingId, Observation
    from roundzero.core.judge import View
    from roundzero.core.remembered import Remembered
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath
    from roundzero.engine.answers import Answers
    from roundzero.engine.memory import Memory
    from roundzero.engine.model_review import Asked
    from roundzero.engine.recall import Recall


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminded:
    """``kept`` holds and was not said again; ``rechecks`` is what became of the rest."""

    kept: tuple[Remembered, ...] = ()
    rechecks: Mapping[FindingId, Recheck] = field(default_factory=dict)


def remind(memory: Memory, change: Change, view: View, ruleset: Ruleset, asked: Asked | None) -> Reminded:
    """What is remembered of a model's findings, beside what one said now. Pure; may take some milliseconds."""
    entries, texts = entries_of_model(memory.ledger), memory.texts
    said = set(match(entries, asked.sight.observations, texts).values()) if asked is not None else set()
    kept: list[Remembered] = []
    rechecks: dict[FindingId, Recheck] = {}
    for each in remembered(memory.ledger, change, texts, memory.quoted, ruleset):
        path = each.seen.path
        if each.id in said or path is None or not view.covers(path):
            continue
        again = asked is not None and asked.complete and change.file(path) is not None
        if each.holds:
            kept.append(each)
        elif memory.ledger.entries[each.id].state is State.DISMISSED:
            continue
        elif again:
            rechecks[each.id] = _recheck("failed", State.UNCONFIRMED, each)
        else:
            rechecks[each.id] = _recheck("lapsed", State.STALE, each)
    return Reminded(kept=tuple(kept), rechecks=rechecks)


def reminded(answers: Answers, recall: Recall, change: Change, ruleset: Ruleset) -> frozenset[RelPath]:
    """Tell ``answers`` what is remembered beside what was said in this session; the files where that is other now.

    What does not hold is stale, and is told of files of the change only.
    """
    texts = recall.texts_with({file.path: file.head for file in change.files if file.head is not None})
    known = set(match(entries_of_model(recall.ledger), answers.said(), texts).values())
    found: list[tuple[Observation, Source, State]] = []
    for each in remembered(recall.ledger, change, texts, recall.quoted, ruleset):
        aside = recall.ledger.entries[each.id].state is State.DISMISSED
        if each.id in known or (not each.holds and (aside or change.file(each.text.path) is None)):
            continue
        found.append((each.seen, each.text, State.OPEN if each.holds else State.STALE))
        if change.file(each.text.path) is None:
            answers.outside[each.text.path] = each.text
    return answers.recall(found)


def _recheck(outcome: Literal["lapsed", "failed"], state: State, each: Remembered) -> Recheck:
    return Recheck(outcome=outcome, proof=Proof(text=WHY[state], path=each.seen.path, line=each.seen.line or None))
