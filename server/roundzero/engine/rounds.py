"""The rounds of a live engine: a review that a person asks for, and one of what a model has looked at by itself.

A review is ``review``'s, here it is one of an engine that knows texts which are not saved and what a model said, and
shows afterwards what came of it. Invariant: what a deep review found replaces what was said before of the same lines.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from roundzero.core import plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from roundzero.core.report import Report
    from roundzero.core.text import RelPath
    from roundzero.engine.change_lane import ChangeLane
    from roundzero.engine.inquiring import ModelRun
    from roundzero.engine.model_on_demand import ModelOnDemand
    from roundzero.engine.review import ProgressSink, ReviewRequest, Said
    from roundzero.engine.state import State


class Rounds:
    """See the module. ``post`` takes events for the planner."""

    def __init__(
        self, state: State, *, model: ModelOnDemand, change: ChangeLane, post: Callable[[plan.Event], None]
    ) -> None:
        """Review nothing yet."""
        self._state = state
        self._model = model
        self._change = change
        self._post = post

    async def review(self, request: ReviewRequest, progress: ProgressSink | None) -> Report:
        """Review, buffers included. Raises UserError, OutsideError."""
        from roundzero.engine.review import review  # noqa: PLC0415  rarely needed at start
        from roundzero.git.repository import Scope  # noqa: PLC0415  as above

        workspace = await self._state.opened()
        if request.depth != "off":
            await self._model.lane.check()
            request = replace(request, consent=True)
        if request.scope is not Scope.STAGED and request.head is None:
            request = replace(request, unsaved=self._texts())
        if (known := self._state.live) is not None and known.recall is not None:
            request = replace(request, at_hand=known.recall.texts.by_blob())
        said: Said | None = None
        if request.depth == "quick" and request.scope is Scope.WORKTREE and request.whole_tree:
            await self._model.lane.ask_now(progress, request.paths)
            said = partial(self._model.lane.asked, paths=request.paths)
        live = self._state.live
        self._state.rounds_asked = True
        reviewing = review(
            workspace,
            replace(request, remember=True),
            self._model.lane.watched(progress) if request.depth == "deep" else progress,
            runner=self._state.patient,
            identify=live.identify if live is not None else None,
            said=said,
            complete=self._model.complete,
            begins=self._model.lane.joined if request.depth != "off" else None,
        )
        report = await (self._model.lane.directly(reviewing) if request.depth == "deep" else reviewing)
        if request.depth == "deep":
            self._settle(report, whole=request.whole)
        await self._change.recollect()
        if live is not None:
            whole = (finding for finding in live.findings() if finding.seen.path is None)
            self._state.publish({finding.anchor.path for finding in whole if finding.anchor is not None})
        self._post(plan.RoundAsked())
        return report

    async def commit(self, run: ModelRun) -> None:
        """Write down what a model has looked at, unless the change is another by now."""
        from roundzero.engine.round_of_model import commit_round  # noqa: PLC0415  where a model is asked

        if await commit_round(self._state, run.change, self._model.lane.asked, self._texts()):
            await self._change.recollect()

    def _settle(self, report: Report, *, whole: bool) -> None:
        """Show what a deep review found in place of what was said before of the same lines."""
        from roundzero.core.finding import State as Standing  # noqa: PLC0415  rarely needed

        live = self._state.live
        if live is None:
            return
        if whole and report.stats.model is not None and not report.stats.model.gaps:
            self._model.lane.deepened = (report.change.base.merge_base, report.change.snapshot)
        heads = {**report.change.head_texts, **{each.path: each for each in report.outside}}
        live.answers.outside |= {each.path: each for each in report.outside}
        found = [
            (each.seen, heads[each.seen.path], each.state)
            for each in report.findings
            if each.seen.source == "model"
            and each.seen.path in heads
            and each.state in {Standing.OPEN, Standing.REFUTED}
        ]
        names = {each.id for each in report.findings}
        known = [each.seen for each in live.findings() if each.id in names and each.seen.source == "model"]
        self._state.publish(live.take_answer(live.answers.settle(found, known=known)))

    def _texts(self) -> dict[RelPath, str]:
        return {path: buffer.text for path, buffer in self._state.buffers.items()}
