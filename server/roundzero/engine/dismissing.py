"""Puts findings aside for a person, takes that back, and keeps answers: written to the ledger at once.

``Books`` are the rules of it and the writing, for every front end; ``Desk`` is an editor's way there, for findings that
need not be in the ledger yet: what the editor sees is enough. Decides nothing about what is shown; the change lane
reads the ledger again afterwards. Invariant: every refusal says what to do instead, and nothing is written then.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.change import Side
from roundzero.core.claims import refutation
from roundzero.core.dismissal import OF_REPOSITORY, DismissalScope, dismiss
from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.core.ledger import LIVE_OR_DISMISSED, Event, Proof, Sign
from roundzero.core.regrading import LOOKED_DEEPLY
from roundzero.core.rule_files import SHARED_FILE
from roundzero.core.sighting import Sighting
from roundzero.engine.ledger_of_branch import DETACHED, claimed, found
from roundzero.errors import UserError
from roundzero.store.clock import now
from roundzero.store.ledger_db import LedgerDb

if TYPE_CHECKING:
    from roundzero.core.change import Change, Source
    from roundzero.core.dismissal import Dismissal
    from roundzero.core.finding import Finding, FindingId, Observation
    from roundzero.core.ledger import Entry
    from roundzero.engine.live import Live
    from roundzero.git.repository import Git
    from roundzero.store.ledger_branches import Branch


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """What is written to, and as who. ``branch`` None: there is none to write to. ``at`` is the time, ISO 8601.

    Every method waits for the disk, and raises UserError that says what to do, or OutsideError.
    """

    db: LedgerDb
    branch: Branch | None
    person: str | None
    at: str

    def dismissal(
        self, name: FindingId, seen: Sighting, *, scope: DismissalScope, reason: str, expires: str | None = None
    ) -> Dismissal:
        """The dismissal of a finding as it was seen, not written yet. ``expires``: a day, as 2030-12-31."""
        made = dismiss(seen, name, scope=scope, reason=reason, by=self.person, at=self.at, expires=expires)
        if made.over(self.at):
            raise UserError(f"{expires} is over already; name a later day")
        return made

    def dismiss(self, dismissal: Dismissal, seen: Sighting | None = None) -> None:
        """Write a dismissal. ``seen``: what the finding looks like to someone who sees it now."""
        branch = None if dismissal.scope in OF_REPOSITORY else self.branch
        if branch is None and dismissal.scope not in OF_REPOSITORY:
            raise UserError(f"{DETACHED}, or dismiss the item or what is similar for the whole repository")
        if not self.db.dismiss(branch, dismissal, seen):
            raise UserError(f"{dismissal.id} could not be dismissed: it is no longer open; look at it again")

    def reopen(self, *names: FindingId) -> bool:
        """Undo every dismissal made on these findings; False when there was none."""
        undone = [self.db.reopen(self.branch, name, at=self.at, by=self.person) for name in dict.fromkeys(names)]
        return any(undone)

    def looked(self, name: FindingId, seen: Observation, text: Source, state: State) -> None:
        """Keep what a second look at a finding showed, on ``text``. Without a branch nothing is kept."""
        if self.branch is None:
            return
        sighting = Sighting.of(seen, text.blob)
        entry = self.db.load(self.branch).entries.get(name)
        events = [Event(id=name, sign=Sign.SEEN, at=self.at, sighting=sighting)]
        place = Proof(text=LOOKED_DEEPLY, path=sighting.path, line=sighting.line or None)
        if entry is not None and entry.sighting.severity is not sighting.severity:
            events.append(Event(id=name, sign=Sign.REGRADED, at=self.at, severity=sighting.severity, proof=place))
        if state is State.REFUTED:
            proof = replace(place, text=refutation(seen.anatomy) or "")
            events.append(Event(id=name, sign=Sign.REFUTED, at=self.at, proof=proof))
        self.db.commit(self.branch, events)


def check_open(name: FindingId, state: State) -> None:
    """Refuse to dismiss what is settled already. Raises UserError."""
    if state not in LIVE_OR_DISMISSED:
        raise UserError(f"{name} is {state.value}, so there is nothing to dismiss")


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
        if finding is not None:
            sighting = Sighting.of(finding.seen, self._blob(finding))
        else:
            assert entry is not None  # noqa: S101  _find has one of them
            check_open(name, entry.state)
            sighting = entry.sighting
        books = await self.books(owned=scope not in OF_REPOSITORY)
        dismissal = books.dismissal(name, sighting, scope=scope, reason=reason)
        await asyncio.to_thread(books.dismiss, dismissal, sighting)

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
        only_wide = wide is not None and wide.scope in OF_REPOSITORY and not (entry and entry.dismissal)
        books = await self.books(owned=not only_wide)
        if books.branch is None and not only_wide:
            raise UserError(f"{DETACHED}, and reopen it there")
        if not await asyncio.to_thread(books.reopen, name, *((wide.id,) if wide is not None else ())):
            raise UserError(f"{name} is not dismissed, so there is nothing to reopen")

    async def answer(self, name: FindingId, question: str, text: str) -> None:
        """Keep what a person says to an open question of a finding. Raises UserError, OutsideError."""
        finding, _ = self._find(name)
        case = finding.seen.anatomy if finding is not None else None
        if finding is None or case is None or all(each.text != question for each in case.open_questions):
            raise UserError(f"{name} has no such open question; its hover lists them")
        asked = tuple(replace(each, answer=text) if each.text == question else each for each in case.open_questions)
        seen = replace(finding.seen, anatomy=replace(case, open_questions=asked))
        sighting = Sighting.of(seen, self._blob(finding))
        books = await self.books(owned=True)
        if books.branch is None:
            raise UserError(f"{DETACHED}, and answer it there")
        events = [Event(id=name, sign=Sign.ANSWERED, at=books.at, sighting=sighting, by=books.person)]
        ledger = await asyncio.to_thread(books.db.load, books.branch)
        if name not in ledger.entries:
            events.insert(0, Event(id=name, sign=Sign.SEEN, at=books.at, sighting=sighting))
        await asyncio.to_thread(books.db.commit, books.branch, events)

    def _find(self, name: FindingId) -> tuple[Finding | None, Entry | None]:
        """A finding as it is seen now and as it is remembered. Raises UserError when it is neither."""
        finding = next((each for each in self.live.settled() if each.id == name), None)
        entry = self.live.recall.ledger.entries.get(name) if self.live.recall is not None else None
        if finding is None and entry is None:
            raise UserError(f"there is no finding {name} in this change; roundzero/findings lists all")
        return finding, entry

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

    async def books(self, *, owned: bool) -> Books:
        """The books, open at the ledger of the branch of now where it is needed (``owned``) and there is one.

        Raises OutsideError.
        """
        db, person = LedgerDb(self.git.common_dir), await self.git.person()
        at = now()
        branch = await self._branch(db, at) if owned else None
        return Books(db=db, branch=branch, person=person, at=at)

    async def _branch(self, db: LedgerDb, at: str) -> Branch | None:
        """The branch's ledger, to write to; None without a branch. While one is rebased, that is it."""
        git = self.git
        ref = await git.branch_ref()
        if ref is not None:
            return await claimed(db, git, ref, self.change.head.commit, self.change.base.merge_base, at=at)
        return await found(db, git, None, None) if git.rebasing is not None else None
