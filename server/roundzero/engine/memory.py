"""What one review remembers of its branch, and what it adds: the ledger between disk, git and the pure core.

Reads the branch's ledger, with what became of the texts it knows, and commits the round. Decides nothing about
findings; which ledger that is says ``ledger_of_branch``, where texts went ``following``. Invariants: a ledger that
cannot be used costs a notice and nothing else; only a review of the whole branch writes.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.advance import Listened, Occasion, Recheck, advance, expiries
from roundzero.core.change import Side, Source
from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.core.known_texts import Texts
from roundzero.core.ledger import LIVE, Event, Ledger, Proof, Round, Sign, fold
from roundzero.core.report import RoundInfo
from roundzero.core.rule_files import SHARED_FILE
from roundzero.core.shared_file import NOT_READ, parse_shared
from roundzero.engine.following import follow, quoted
from roundzero.engine.ledger_of_branch import claimed, found
from roundzero.errors import OutsideError
from roundzero.store.ledger_db import LedgerDb

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roundzero.core.change import Change
    from roundzero.core.dismissal import Dismissal
    from roundzero.core.finding import Finding, FindingId
    from roundzero.core.item import ItemId
    from roundzero.core.judge import View
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath
    from roundzero.engine.workspace import Workspace
    from roundzero.git.repository import Git
    from roundzero.store.ledger_branches import Branch

AS_BEFORE: Final = "the file is again as it was before this branch"


@dataclass(slots=True, kw_only=True)
class Memory:
    """What is remembered. ``branch`` None: of nothing, or only to be read. ``notices`` say what went wrong.

    ``quoted`` are texts beyond the change that open findings of a model quote. ``praised``: strengths are kept of it.
    """

    db: LedgerDb | None = None
    branch: Branch | None = None
    writes: bool = False
    ledger: Ledger = field(default_factory=Ledger)
    texts: Texts = field(default_factory=Texts)
    quoted: Mapping[RelPath, Source] = field(default_factory=dict)
    dismissals: tuple[Dismissal, ...] = ()
    reviewed: Mapping[str, str] = field(default_factory=dict)
    praised: bool = False
    restored: frozenset[RelPath] = frozenset()
    notices: tuple[str, ...] = ()

    def occasion(self, change: Change, *, at: str, settings: str) -> Occasion:
        """The round a review of this change would be; what the review gives is added later."""
        return Occasion(
            round=Round(
                index=self.ledger.next_index,
                at=at,
                merge_base=change.base.merge_base,
                snapshot=change.snapshot,
                settings=settings,
                verdict=None,
                counts=(0, 0, 0, 0),
                commit=change.head.commit,
                delta=self.delta(change),
                full=len(blobs_of(change)),
            )
        )

    def delta(self, change: Change) -> tuple[RelPath, ...]:
        """The paths that differ from the round before, sorted."""
        now = blobs_of(change)
        return tuple(sorted(path for path in now if now[path] != self.reviewed.get(path)))

    def info(self, occasion: Occasion) -> RoundInfo:
        """Which round that is: the last one again when nothing has changed since."""
        this, last = occasion.round, self.ledger.last
        if not self.writes:
            return RoundInfo(delta_files=len(this.delta), full_files=this.full)
        if last is not None and this.repeats(last):
            return RoundInfo(
                index=last.index,
                previous=last.index - 1 or None,
                delta_files=len(last.delta),
                full_files=last.full,
            )
        return RoundInfo(
            index=self.ledger.next_index,
            previous=last.index if last is not None else None,
            delta_files=len(this.delta),
            full_files=this.full,
        )

    async def commit(
        self, findings: Sequence[Finding], listened: Listened, occasion: Occasion, blobs: Mapping[RelPath, str]
    ) -> int | None:
        """Write the round down; the index it has, None when it could not be written. ``ledger`` is then the new one."""
        if self.db is None or self.branch is None or not self.writes:
            return None
        occasion = replace(occasion, rechecks={**self._restored(listened), **occasion.rechecks})
        result = advance(self.ledger, findings, self.texts, listened, occasion)
        if result.round is None and not result.events:
            return self.ledger.last.index if self.ledger.last is not None else None
        try:
            await asyncio.to_thread(self.db.commit, self.branch, result.events, result.round, blobs)
            self.ledger = await asyncio.to_thread(self.db.load, self.branch)
        except OutsideError as error:
            self.writes = False
            self.notices += (str(error),)
            return None
        return self.ledger.last.index if self.ledger.last is not None else None

    def remains(self, rechecks: Mapping[FindingId, Recheck], view: View, *, now: str, whole: bool) -> Ledger:
        """What a report is to say of entries nobody saw: all of it, or of a model's findings that do not hold.

        The latter for a review of less than the branch. Both as of this review, also where it is not written down.
        """
        signs = {
            "lapsed": (Sign.MOVED_ON,),
            "failed": (Sign.MOVED_ON, Sign.RECHECK_FAILED),
            "negated": (Sign.NEGATED,),
            "refuted": (Sign.REFUTED,),
        }
        events = [
            Event(id=name, sign=sign, at=now, proof=recheck.proof)
            for name, recheck in sorted(rechecks.items())
            for sign in signs.get(recheck.outcome, ())
        ]
        ledger = fold(events, self.ledger)
        if whole:
            return ledger
        left = {State.STALE, State.UNCONFIRMED}
        shown = {
            name: entry
            for name, entry in ledger.entries.items()
            if (entry.state in left or name in rechecks)
            and entry.sighting.path is not None
            and view.covers(entry.sighting.path)
        }
        return Ledger(entries=shown, rounds=ledger.rounds)

    def _restored(self, listened: Listened) -> dict[FindingId, Recheck]:
        """What is known of checks' findings in files that are no longer part of the change."""
        known: dict[FindingId, Recheck] = {}
        for entry in self.ledger.entries.values():
            seen = entry.sighting
            if entry.state not in LIVE or seen.source != "check" or seen.path not in self.restored or not seen.line:
                continue
            place = self.texts.where(seen)
            if place.known and place.line is None and not listened.hears(seen.item, place.path):
                proof = Proof(text=AS_BEFORE, path=place.path, line=place.near or None)
                known[entry.id] = Recheck(outcome="negated", proof=proof)
        return known


def settings_digest(workspace: Workspace, view: View, depth: str = "") -> str:
    """A digest of what decides, beside the snapshot, what a round holds, as ``Round.settings`` has it.

    ``depth`` is what a model reached completely, if anything. It stands apart: a look that is deeper is made by no
    other rules, and changes the severity of no check's finding. Optional linters are left out, since one of two front
    ends or machines may lack them; so is the count of a convention, which follows from the base.
    """
    origins = sorted(origin.value for origin in view.origins)
    linters = sorted(linter.name for linter in workspace.linters if not workspace.is_optional(linter))
    left_out = (sorted(workspace.settings.exclude), workspace.settings.max_file_bytes)
    support, language = workspace.policy.support, workspace.settings.language
    rules = workspace.rules or workspace.ruleset
    said = repr((rules.digest, origins, linters, support, language, left_out))
    digest = hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"{digest}:{depth}" if depth else digest


def blobs_of(change: Change) -> dict[RelPath, str]:
    """The reviewed blob of each changed path; "" for a file that was deleted."""
    blobs = {file.path: file.head.blob if file.head is not None else "" for file in change.files}
    return blobs | {skip.path: skip.blob for skip in change.skipped if skip.path not in blobs}


async def remember(
    git: Git, change: Change, *, whole: bool, at: str, at_hand: Mapping[str, Source] | None = None
) -> Memory:
    """What is remembered of the branch of a change. ``whole``: the review will be a round if it can be.

    With a merge in progress, or without a branch, the ledger is read only. ``at_hand`` are texts by blob that git may
    not have.
    """
    memory = Memory(db=LedgerDb(git.common_dir))
    try:
        ref = await _ref_of(git, change)
        memory.writes = whole and ref is not None and not git.merging
        await _open(memory, git, change, ref, at)
    except OutsideError as error:
        memory.notices += (str(error),)
        if memory.writes:
            memory.writes = False
            try:
                await _open(memory, git, change, ref, at)
            except OutsideError:
                memory.ledger = Ledger()
    memory.ledger = fold(expiries(memory.ledger, at), memory.ledger)
    try:
        known = await follow(git, change, memory.ledger, memory.reviewed, at_hand=at_hand or {})
        memory.texts, memory.restored = known.texts, known.restored
        memory.quoted = await quoted(git, change, memory.ledger, known.texts.heads)
    except OutsideError as error:
        memory.notices += (str(error),)
    return memory


async def shared_dismissals(
    git: Git, change: Change, ruleset: Ruleset
) -> tuple[tuple[Dismissal, ...], tuple[str, ...]]:
    """The dismissals everyone shares, as they stand at the reviewed head, and what is wrong with their file."""
    if not git.may_have(SHARED_FILE, change):
        return (), ()
    try:
        source = await git.read(SHARED_FILE, Side.HEAD, change)
        if source is None:
            return (), ((NOT_READ,) if await git.has(SHARED_FILE, change) else ())
    except OutsideError as error:
        return (), (str(error),)
    return parse_shared(source.text, ruleset.by_id)


async def _ref_of(git: Git, change: Change) -> str | None:
    """The full ref name of the branch of a change; None without one. Git is asked where the short name is no answer."""
    name = change.head.branch
    if name is not None and name.startswith("refs/"):
        return await git.branch_ref()
    return f"refs/heads/{name}" if name is not None else None


async def _open(memory: Memory, git: Git, change: Change, ref: str | None, at: str) -> None:
    db = memory.db
    if db is None:
        return
    if memory.writes and ref is not None:
        memory.branch = await claimed(db, git, ref, change.head.commit, change.base.merge_base, at=at)
    else:
        memory.branch = await found(db, git, ref, change.head.commit)
    memory.ledger = await asyncio.to_thread(db.load, memory.branch)
    memory.dismissals = await asyncio.to_thread(db.dismissals, memory.branch)
    memory.reviewed = await asyncio.to_thread(db.reviewed, memory.branch)
    memory.praised = await asyncio.to_thread(db.is_praised, memory.branch)


def everywhere(listened: Listened, texts: Texts, items: frozenset[ItemId]) -> Listened:
    """What was checked, and files that are gone: there silence needs no check."""
    return replace(listened, files={**dict.fromkeys(texts.gone, items), **listened.files})
