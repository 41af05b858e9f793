"""What of a live engine is told: its status, its report and its findings, as they are known now.

Looks at nothing and starts nothing but the timer of the next status. Invariant: a status says only what was found of
the texts of now, or that it is behind them.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.checklist import what_failed
from roundzero.core.compose import by_own_rules, coverage
from roundzero.core.gate import evaluate
from roundzero.core.judge import shown
from roundzero.core.report import RoundInfo, count
from roundzero.engine.telling import EngineStatus, Listener, ModelStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from roundzero.core.change import BaseChoice
    from roundzero.core.finding import Finding
    from roundzero.core.planner import Planner
    from roundzero.core.report import Report
    from roundzero.core.text import RelPath
    from roundzero.engine.fast_lane import Look
    from roundzero.engine.inquiring import ModelRun
    from roundzero.engine.jobs import Jobs
    from roundzero.engine.live import Live
    from roundzero.engine.model_lane import ModelLane
    from roundzero.engine.state import State

STATUS_SECONDS: Final = 0.1
"""Least time between two statuses: each counts all findings, and nobody reads faster."""


class Outlook:
    """See the module. ``asks`` gives the model lane, where there is one."""

    def __init__(
        self,
        state: State,
        planner: Planner,
        jobs: Jobs[Look | ModelRun | None],
        *,
        listener: Listener,
        asks: Callable[[], ModelLane | None],
    ) -> None:
        """Tell nothing yet."""
        self.trouble: dict[RelPath | None, str] = {}
        """What went wrong last, by file; None: with the change as a whole."""
        self.chosen: BaseChoice | None = None
        """A base that was selected and that the change is not collected for yet."""
        self._state = state
        self._planner = planner
        self._jobs = jobs
        self._listener = listener
        self._asks = asks
        self._status = EngineStatus()
        self._telling = False
        self._told = 0.0

    def status(self) -> EngineStatus:
        """The state now. No verdict before the first look at the whole change from this base is done."""
        live, paused = self._state.live, self._planner.paused
        running = self._jobs.running
        trouble = tuple(dict.fromkeys(self.trouble.values()))
        wrong = tuple(str(problem) for problem in self._state.problems)
        asks = self._asks()
        model = asks.status(paused=paused) if asks is not None else ModelStatus()
        if live is None or live.change is None or self._state.workspace is None:
            return EngineStatus(paused=paused, running=running, problems=(*trouble, *wrong), model=model)
        base = live.change.base if self.chosen is None else self.chosen
        if base.merge_base != live.change.base.merge_base:
            return EngineStatus(
                base=base, head=live.change.head, paused=paused, running=running, model=model,
                problems=(*trouble, *wrong),
            )  # fmt: skip
        found = (*self._state.workspace.ruleset.problems, *self._state.workspace.about_linters)
        wrong += tuple(str(problem) for problem in found if not problem.lost)
        findings = live.gated()
        visible = tuple(finding for finding in findings if shown(finding))
        covered = coverage(live.change, live.rules.view)
        failures = what_failed(live.failures(), gaps=True)
        whole = live.looked is not None and live.looked.merge_base == live.change.base.merge_base
        depth, unasked = (asks.depth, asks.unasked()) if asks is not None else ("off", ())
        verdict = evaluate(findings, covered, failures, depth=depth, unasked=unasked)
        verdict = by_own_rules(verdict, live.change)
        return EngineStatus(
            verdict=replace(verdict, stale=bool(trouble) or self.behind(live)) if whole else None,
            counts=count(visible),
            base=base,
            head=live.change.head,
            coverage=covered,
            hidden=len(findings) - len(visible),
            paused=paused,
            running=running,
            problems=(*trouble, *failures, *wrong, *(live.recall.notices if live.recall is not None else ())),
            model=model,
            round=live.recall.info() if live.recall is not None else RoundInfo(),
        )

    def behind(self, live: Live) -> bool:
        """Whether the last committed round was of another merge base or of other texts than there are now.

        Texts count, not commits: what is committed, amended or squashed as it was reviewed is still reviewed. Without a
        round there is nothing a verdict could be behind of.
        """
        last = live.recall.ledger.last if live.recall is not None else None
        if last is None or live.change is None:
            return False
        if (last.merge_base, last.snapshot) != (live.change.base.merge_base, live.change.snapshot):
            return True
        heads = live.change.head_texts
        edited = (
            path in heads and heads[path].text is not buffer.text and heads[path].text != buffer.text
            for path, buffer in self._state.buffers.items()
        )
        return self._planner.behind or any(edited)

    def status_of(self, report: Report) -> EngineStatus:
        """The state now, with the change as a report saw it."""
        return replace(
            self.status(),
            verdict=report.verdict,
            counts=report.counts,
            base=report.base,
            head=report.head,
            coverage=report.coverage,
            hidden=sum(number for _, number in report.stats.hidden),
            round=report.round,
        )

    def report(self) -> Report | None:
        """The change as it stands, without looking again; None before it was collected."""
        live = self._state.live
        if live is None or live.change is None:
            return None
        from roundzero.engine.standing_report import standing_report  # noqa: PLC0415  rarely needed at start

        asks = self._asks()
        asked = asks.asked(live.change) if asks is not None else None
        report = standing_report(live, live.change, asked, language=self._state.settings.language)
        return replace(report, verdict=replace(report.verdict, stale=self.behind(live)))

    def settled(self, path: RelPath | None) -> Iterator[Finding]:
        """What is known now of a file, or of everything; hidden ones too."""
        live = self._state.live
        for finding in live.settled() if live is not None else ():
            if path is None or finding.seen.path == path:
                yield finding

    def tell_soon(self) -> None:
        """Tell the listener what the state is, where it is another, and not too often."""
        if not self._telling and not self._jobs.closed:
            self._telling = True
            loop = asyncio.get_running_loop()
            loop.call_at(max(loop.time(), self._told + STATUS_SECONDS), self._tell)

    def _tell(self) -> None:
        self._telling = False
        if self._jobs.closed:
            return
        self._told = asyncio.get_running_loop().time()
        status = self.status()
        if status != self._status:
            self._status = status
            self._listener.status_changed(status)
