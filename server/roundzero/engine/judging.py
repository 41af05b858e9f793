"""Judges what is known of some files of a live change: their findings, which keep the ids they had before an edit.

Values in, values out; where findings stand in the ledger says ``recall``. Invariant: a finding that was here before an
edit and is here after it keeps its id, and so does one that the ledger knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.core.judge import judge
from roundzero.core.matching import Moves
from roundzero.engine.answers import WHY
from roundzero.engine.identity import identify, kept_ids
from roundzero.engine.known_file import head_texts, moved

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roundzero.core.change import Change, Source
    from roundzero.core.finding import Finding, FindingId, Observation
    from roundzero.core.judge import Sight
    from roundzero.core.text import RelPath
    from roundzero.engine.answers import Answers
    from roundzero.engine.known_file import KnownFile
    from roundzero.engine.recall import Recall
    from roundzero.engine.rules import Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """The findings there were and what they are judged by.

    ``old`` are the findings of before, ``heads`` the texts of now, ``others`` the ids of findings in other files.
    """

    change: Change
    rules: Rules
    answers: Answers
    recall: Recall | None
    old: Sequence[Finding]
    heads: Mapping[RelPath, Source]
    others: frozenset[FindingId]

    def findings(self, sight: Sight, entries: Mapping[RelPath, KnownFile]) -> list[Finding]:
        """The findings of these files; of what lies in no reviewed file where there are none."""
        moves = Moves(
            {
                path: (path, moved(entry.judged, entry.file))
                for path, entry in entries.items()
                if entry.judged is not None
            },
            before=head_texts(entry.judged for entry in entries.values() if entry.judged is not None),
            after=head_texts(entry.file for entry in entries.values()),
        )
        found = judge(
            self.change,
            sight,
            self.rules.ruleset,
            view=self.rules.view,
            policy=self.rules.policy,
            language=self.rules.language,
            identify=lambda seen: self._identified(seen, moves),
        )
        return [self._aged(finding) for finding in found] if self.answers.paths else found

    def _identified(self, seen: Sequence[Observation], moves: Moves) -> list[FindingId]:
        """Ids: those of the findings of before, then those of entries of these files, then first ids."""
        recall = self.recall
        if recall is None or not recall.ledger.entries:
            return identify(seen, self.old, moves)
        kept = kept_ids(seen, self.old, moves)
        rest = {at: each for at, each in enumerate(seen) if at not in kept}
        if rest:
            kept |= recall.known(rest, self.heads, {*self.others, *kept.values()})
        return identify(seen, self.old, moves, kept=kept, reserved=recall.ledger.entries.keys() | self.others)

    def _aged(self, finding: Finding) -> Finding:
        """A model's finding in the state that edits have left it in."""
        state = self.answers.state_of(finding.seen) if finding.seen.source == "model" else State.OPEN
        if state is State.OPEN or finding.state is not State.OPEN:
            return finding
        from roundzero.core.gate import gate  # noqa: PLC0415  needed where a model takes part

        return gate(finding.but(state=state, state_text=WHY[state], counts=False), self.rules.policy)
