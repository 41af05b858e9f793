"""Puts findings aside for a person at an editor, and takes that back: written to the ledger at once.

The finding need not be in the ledger yet: what the editor sees is enough. Decides nothing about what is shown; the
change lane reads the ledger again afterwards. Invariant: every refusal says what to do instead, and nothing is written
then.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from roundzero.core.change import Side
from roundzero.core.dismissal import OF_REPOSITORY, SHARED_FILE, DismissalScope, dismiss
from roundzero.core.finding import State
from roundzero.core.ledger import LIVE_OR_DISMISSED, Sighting
from roundzero.engine.memory import DETACHED, claimed, found
from roundzero.errors import UserError
from roundzero.store.ledger_db import LedgerDb

if TYPE_CHECKING:
    from roundzero.core.change import Change
    from roundzero.core.dismissal import Dismissal
    from roundzero.core.finding import Finding, FindingId
    from roundzero.core.ledger import Entry
    from roundzero.engine.live import Live
    from roundzero.git.repository import Git
    from roundzero.store.ledger_db import Branch


@dataclass(frozen=True, slots=True)
class Desk:
    """Where findings are put aside. ``change`` is the one that ``live`` knows."""

    git: Git
    live: Live
    change: Change

    async def dismiss(self, name: FindingId, *, scope: DismissalScope, reason: str) -> None:
        """Dismiss a finding, or with it what is like it. Raises UserError, OutsideError."""
        finding, entry = self._find(name)
        if finding is not None and finding.state is State.DISMISSED and scope is DismissalScope.FINDING:
            raise UserError(f"{name} is dismissed already; reopen it first to give another reason")
        if finding is None and entry is not None and entry.state not in LIVE_OR_DISMISSED:
            raise UserError(f"{name} is {entry.state.value}, so there is nothing to dismiss")
        if finding is not None:
            blob = self._blob(finding)
            sighting = Sighting.of(finding.seen, blob)
        else:
            assert entry is not None  # noqa: S101  _find has one of them
            sighting = entry.sighting
        db, person = LedgerDb(self.git.common_dir), await self.git.person()
        at = datetime.now(UTC).isoformat(timespec="seconds")
        dismissal = dismiss(sighting, name, scope=scope, reason=reason, by=person, at=at)
        branch = None if scope in OF_REPOSITORY else await self._branch(db, at)
        if not await asyncio.to_thread(db.dismiss, branch, dismissal, sighting):
            raise UserError(f"{name} could not be dismissed: it is {self._state_of(name)} by now")

    async def reopen(self, name: FindingId) -> None:
        """Take back what dismisses a finding, whichever finding that was made on. Raises UserError, OutsideError."""
        finding, entry = self._find(name)
        if finding is not None and finding.state is State.DISMISSED and finding.state_by == "code":
            raise UserError(f"{name} is dismissed by a comment in the code; remove the comment")
        wide = self.live.dismissal_of(name)
        if wide is not None and self._is_shared(wide):
            raise UserError(
                f"{name} is dismissed in {SHARED_FILE} for everyone; to undo that: roundzero ledger reopen {wide.id}"
            )
        db, person = LedgerDb(self.git.common_dir), await self.git.person()
        at = datetime.now(UTC).isoformat(timespec="seconds")
        only_wide = wide is not None and wide.scope in OF_REPOSITORY and not (entry and entry.dismissal)
        branch = None if only_wide else await self._branch(db, at)
        undone = False
        for each in dict.fromkeys((name, *((wide.id,) if wide is not None else ()))):
            undone |= await asyncio.to_thread(partial(db.reopen, branch, each, at=at, by=person))
        if not undone:
            raise UserError(f"{name} is not dismissed, so there is nothing to reopen")

    def _find(self, name: FindingId) -> tuple[Finding | None, Entry | None]:
        """A finding as it is seen now and as it is remembered. Raises UserError when it is neither."""
        finding = next((each for each in self.live.settled() if each.id == name), None)
        entry = self.live.recall.ledger.entries.get(name) if self.live.recall is not None else None
        if finding is None and entry is None:
            raise UserError(f"there is no finding {name} in this change; roundzero/findings lists all")
        return finding, entry

    def _state_of(self, name: FindingId) -> str:
        entry = self.live.recall.ledger.entries.get(name) if self.live.recall is not None else None
        return entry.state.value if entry is not None else "gone"

    def _blob(self, finding: Finding) -> str:
        """The blob a finding was seen in; "" for the change as a whole."""
        path = finding.seen.path
        if path is None:
            return ""
        file = self.live.judged(path)
        source = None if file is None else file.base if finding.seen.side is Side.BASE else file.head
        return source.blob if source is not None else ""

    def _is_shared(self, dismissal: Dismissal) -> bool:
        return self.live.recall is not None and dismissal in self.live.recall.shared

    async def _branch(self, db: LedgerDb, at: str) -> Branch:
        """The branch's ledger, to write to. Raises UserError without a branch; while one is rebased, that is it."""
        git = self.git
        ref = await git.branch_ref()
        if ref is not None:
            return await claimed(db, git, ref, self.change.head.commit, self.change.base.merge_base, at=at)
        if git.rebasing is not None and (branch := await found(db, git, None, None)) is not None:
            return branch
        raise UserError(f"{DETACHED}, or dismiss the item or what is similar for the whole repository")
