"""A deep review: what its drafts found, what was found before, and what of both stands up; then the change as a whole.

Puts the stages in their order; each decides its own part. Invariants: a stage that fails, or for which there is no
time, is a gap in words, and what would have come of it blocks nothing; no finding is lost on the way.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.anatomy import Anatomy, Votes
from roundzero.core.claims import renewed, texts_of
from roundzero.core.claims import whole as whole_of
from roundzero.core.deep import VOICES
from roundzero.core.model_part import Confirmations, FactChecks, ToolUse
from roundzero.core.model_values import Outcome
from roundzero.core.reversal import with_reversals
from roundzero.core.toolbox import Used
from roundzero.engine.confirming import confirm
from roundzero.engine.context import praise
from roundzero.engine.deep_review import Depth, deep_drafts
from roundzero.engine.edited import edited_since, told_edited
from roundzero.engine.fact_check import fact_check, probed
from roundzero.engine.gaps import OVERVIEW, Gap, because
from roundzero.engine.gaps import told as told_of
from roundzero.engine.known_facts import KnownFacts
from roundzero.engine.overviewing import Overviewed, overview, praised
from roundzero.engine.quick_review import outside_of
from roundzero.engine.rechecking import Known, Rechecked, joined, recheck
from roundzero.engine.reminding import raised_again, remind
from roundzero.engine.reversing import earlier_advice
from roundzero.engine.toolbox import Toolbox
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roundzero.core.finding import Observation
    from roundzero.core.judge import View
    from roundzero.core.remembered import Remembered
    from roundzero.core.strengths import KeptStrength
    from roundzero.core.text import RelPath
    from roundzero.engine.deep_review import DeepDrafts
    from roundzero.engine.memory import Memory
    from roundzero.engine.quick_review import Asks, Inquiry, ModelSight
    from roundzero.engine.reminding import Reminded
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.review import ProgressSink
    from roundzero.engine.workspace import Workspace


async def deepen(  # noqa: PLR0913  each is an independent input
    workspace: Workspace,
    inquiry: Inquiry,
    view: View,
    memory: Memory,
    asking: Asks,
    watch: ProgressSink,
    *,
    seconds: float | None = None,
    unsaved: Mapping[RelPath, str] | None = None,
    untracked: bool = False,
) -> ModelSight:
    """Review a change deeply. What is not done after so many ``seconds`` (None: however long it takes) is given up.

    ``unsaved``: the buffers with which the change is all that differs from its base, so that what differs at the end
    was edited meanwhile; None: there is more that differs. ``untracked``: untracked files are part of it.
    """
    snapshot = workspace.around(inquiry.change)
    until = asyncio.get_running_loop().time() + seconds if seconds is not None else None
    depth = Depth(policy=workspace.policy, voices=VOICES[: workspace.settings.model_drafts], until=until)
    facts = KnownFacts(snapshot.keep_in)
    strengths = await _praise(memory, snapshot)
    inquiry = replace(inquiry, praised=praise(strengths))
    async with Toolbox(snapshot, facts=facts, ledger=memory.ledger) as toolbox:
        drafts = await deep_drafts(inquiry, snapshot, asking, toolbox, watch, depth, facts=facts)
        stages = _Stages(inquiry, snapshot, asking, watch, depth, facts)
        reminded = await stages.reminded(drafts, memory, view)
        looked_at = (*drafts.seen, *(_with_vote(each.seen, depth) for each in reminded.kept))
        stood = await stages.stood(looked_at, drafts, toolbox)
    edited = await edited_since(workspace, inquiry.change, unsaved, untracked=untracked) if unsaved is not None else ()
    if edited:
        stages.gaps.append(told_edited(edited))
        stood = tuple(renewed(each, texts_of(inquiry.change) - {whole_of(inquiry.change)}) for each in stood)
    seen, kept = stood[: len(drafts.seen)], stood[len(drafts.seen) :]
    found = await asyncio.to_thread(
        with_reversals,
        seen,
        await earlier_advice(workspace.git, memory.ledger, inquiry.change, strengths),
    )
    told = await stages.overview(drafts)
    return replace(
        drafts.sight,
        observations=found,
        gaps=told_of((*drafts.sight.gaps, *stages.gaps), asking.over),
        confirmations=stages.confirmations,
        fact_checks=replace(stages.fact_checks, proposed=drafts.probes[0], dropped=drafts.probes[1]),
        rechecks=stages.again.stats,
        tools=tool_use(drafts.used + stages.used),
        spent=asking.spent,
        outside=outside_of(found, drafts.texts, inquiry),
        reminded=replace(reminded, kept=_kept(reminded.kept, kept)),
        overview=told.overview,
    )


class _Stages:
    """The stages after drafting, with what they counted and could not do."""

    def __init__(
        self,
        inquiry: Inquiry,
        snapshot: Snapshot,
        asking: Asks,
        watch: ProgressSink,
        depth: Depth,
        facts: KnownFacts,
    ) -> None:
        self.gaps: list[str] = []
        self.confirmations = Confirmations()
        self.fact_checks = FactChecks()
        self.used = Used()
        self.again = Rechecked()
        self._inquiry = inquiry
        self._snapshot = snapshot
        self._asking = asking
        self._watch = watch
        self._depth = depth
        self._facts = facts

    async def reminded(self, drafts: DeepDrafts, memory: Memory, view: View) -> Reminded:
        """What was found in earlier rounds and not raised again, looked at again where its code has changed."""
        inquiry = self._inquiry
        beyond = {each.path: each for each in outside_of(drafts.seen, drafts.texts, inquiry)}
        texts = replace(memory.texts, heads={**beyond, **memory.texts.heads})
        known = Known(ledger=memory.ledger, texts=texts, quoted=memory.quoted)
        said = raised_again(known.ledger, known.texts, drafts.seen)
        found = await asyncio.to_thread(
            remind, memory, inquiry.change, view, inquiry.ruleset, said=said, complete=not drafts.sight.gaps
        )
        self.again = await recheck(
            known,
            inquiry,
            self._snapshot,
            self._asking,
            self._watch,
            said=said,
            delta=memory.delta(inquiry.change),
            until=self._depth.until,
        )
        self.gaps += self.again.gaps
        return joined(found, self.again)

    async def stood(self, seen: Sequence[Observation], drafts: DeepDrafts, toolbox: Toolbox) -> tuple[Observation, ...]:
        """The findings after probes, second looks and fact checks, in their order."""
        inquiry, policy, watch = self._inquiry, self._depth.policy, self._watch
        found = await probed(seen, self._snapshot, facts=self._facts)
        confirmed = await confirm(
            found,
            inquiry,
            drafts.texts,
            self._asking,
            policy,
            lambda done, of: watch.stage("confirm", done, of),
            until=self._depth.until,
        )
        self.confirmations = confirmed.stats
        checked = await fact_check(
            confirmed.observations,
            inquiry,
            drafts.texts,
            self._asking,
            policy,
            toolbox=toolbox,
            progress=lambda done, of: watch.stage("fact-check", done, of),
            until=self._depth.until,
        )
        self.fact_checks, self.used = checked.stats, checked.used
        self.gaps += (*confirmed.gaps, *checked.gaps)
        return checked.observations

    async def overview(self, drafts: DeepDrafts) -> Overviewed:
        """What the change is as a whole."""
        told = Overviewed()
        try:
            async with asyncio.timeout_at(self._depth.until):
                told = await overview(
                    self._inquiry,
                    drafts.ready.units,
                    self._snapshot,
                    self._asking,
                    self._watch,
                    sources=drafts.texts.sources,
                )
        except TimeoutError:
            late = Outcome.TIMED_OUT
            told = Overviewed(gap=Gap(OVERVIEW.format(why=because(late)), late))
        if told.gap is not None:
            self.gaps.append(told.gap)
        return told


def tool_use(used: Used) -> ToolUse:
    """What was looked up, as a report tells of it."""
    return ToolUse(
        calls=used.calls,
        bytes=used.bytes,
        unanswered=tuple(sorted(Counter(each.value for each in used.unanswered).items())),
        cut=used.cut,
        ended=tuple(sorted(Counter(used.limits).items())),
    )


def _with_vote(seen: Observation, depth: Depth) -> Observation:
    """A finding that a quick review raised and no draft of this one: it has one vote, beside theirs."""
    case = seen.anatomy or Anatomy()
    if case.votes is not None:
        return seen
    return replace(seen, anatomy=replace(case, votes=Votes(1, len(depth.voices) + 1)))


def _kept(before: Sequence[Remembered], after: Sequence[Observation]) -> tuple[Remembered, ...]:
    return tuple(replace(each, seen=seen) for each, seen in zip(before, after, strict=True))


async def _praise(memory: Memory, snapshot: Snapshot) -> tuple[KeptStrength, ...]:
    """What the branch was praised for and still has."""
    try:
        found = await praised(
            snapshot.git.common_dir, memory.branch, snapshot.change, snapshot, index=memory.ledger.next_index
        )
    except OutsideError:
        return ()
    return found.guard.standing
