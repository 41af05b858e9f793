"""One finding of a live engine, by its id: where it stands, and what a person does with it.

The writing is ``dismissing``'s, the looking again the lanes'. Invariant: what a person did shows at once, here and in
every front end: the ledger is read again before the finding's state is told.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.engine.telling import NOT_YET
from roundzero.errors import UserError

if TYPE_CHECKING:
    from roundzero.core.dismissal import DismissalScope
    from roundzero.core.finding import Finding, FindingId
    from roundzero.engine.change_lane import ChangeLane
    from roundzero.engine.dismissing import Desk
    from roundzero.engine.model_on_demand import ModelOnDemand
    from roundzero.engine.review import ProgressSink
    from roundzero.engine.rounds import Rounds
    from roundzero.engine.state import State


class ById:
    """See the module."""

    def __init__(self, state: State, *, model: ModelOnDemand, change: ChangeLane, rounds: Rounds) -> None:
        """Know the findings of ``state``."""
        self._state = state
        self._model = model
        self._change = change
        self._rounds = rounds

    def finding(self, name: FindingId) -> Finding | None:
        """A finding as it is seen now, hidden ones too."""
        known = self._state.live.settled() if self._state.live is not None else ()
        return next((finding for finding in known if finding.id == name), None)

    def state(self, name: FindingId) -> str | None:
        """A finding's state as it is seen now, or else as it is remembered; None when it is not known at all."""
        if (finding := self.finding(name)) is not None:
            return finding.state.value
        recall = self._state.live.recall if self._state.live is not None else None
        entry = recall.ledger.entries.get(name) if recall is not None else None
        return entry.state.value if entry is not None else None

    async def dismiss(self, name: FindingId, *, scope: DismissalScope, reason: str) -> str:
        """Put a finding aside, at once and for every front end; its state then. Raises UserError, OutsideError."""
        await (await self._desk()).dismiss(name, scope=scope, reason=reason)
        return await self._read_again(name)

    async def reopen(self, name: FindingId) -> str:
        """Take a dismissal back; the finding's state then. Raises UserError, OutsideError."""
        await (await self._desk()).reopen(name)
        return await self._read_again(name)

    async def answer(self, name: FindingId, question: str, text: str) -> str:
        """Keep what a person says to an open question, and ask about its lines anew; the finding's state.

        Raises UserError, OutsideError.
        """
        await (await self._desk()).answer(name, question, text)
        state = await self._read_again(name)
        self._model.ask_again()
        return state

    async def recheck(self, name: FindingId, *, deep: bool = False, progress: ProgressSink | None = None) -> str:
        """Ask the checks again; the finding's state then. Raises UserError.

        About a finding of a model one is asked again, and what that shows of the whole change is written down.
        ``deep``: a second look at the one finding of a model, and a check of what it claims.
        """
        live = self._state.live
        if live is None or live.change is None:
            raise UserError(NOT_YET)
        finding = self.finding(name)
        if self.state(name) is None:
            raise UserError(f"there is no finding {name} in this change; roundzero/findings lists all")
        if finding is not None and finding.seen.source == "model":
            if deep:
                return await self._confirm(finding, progress)
            run = await self._model.lane.recheck(finding)
            if run is not None and run.whole:
                await self._rounds.commit(run)
            return self.state(finding.id) or "gone"
        await self._change.again(finding.seen.path if finding is not None else None)
        return (self.state(name) or "fixed") if finding is None or self.finding(name) is not None else "fixed"

    async def _confirm(self, finding: Finding, progress: ProgressSink | None) -> str:
        """Look at a finding again as a deep review would, and keep what came of it for the branch it was asked on."""
        from roundzero.store.clock import now  # noqa: PLC0415  rarely needed at start

        await self._model.lane.check()
        books = await (await self._desk()).books(owned=True)
        looked = await self._model.lane.confirm(finding, progress)
        books = replace(books, at=now())
        await asyncio.to_thread(books.looked, finding.id, looked.seen, looked.text, looked.state)
        return await self._read_again(finding.id)

    async def _desk(self) -> Desk:
        from roundzero.engine.dismissing import Desk  # noqa: PLC0415  rarely needed at start

        workspace, live = await self._state.opened(), self._state.live
        if live is None or live.change is None:
            raise UserError(NOT_YET)
        return Desk(workspace.git, live, live.change)

    async def _read_again(self, name: FindingId) -> str:
        await self._change.recollect()
        return self.state(name) or "gone"
