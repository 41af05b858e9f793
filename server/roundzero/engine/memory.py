"""What one review remembers of its branch, and what it adds: the ledger between disk, git and the pure core.

Finds the branch's ledger and what became of the texts it knows, and commits the round. Decides nothing about findings.
Invariants: a ledger that cannot be used costs a notice and nothing else; only a review of the whole branch writes.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.advance import Listened, Occasion, Recheck, advance, expiries
from roundzero.core.change import Side, Source
from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.core.known_texts import Texts
from roundzero.core.ledger import LIVE, Event, Ledger, Proof, Round, Sign, fold
from roundzero.core.linemap import LineMap
from roundzero.core.matching import TELLING
from roundzero.core.renames import renames
from roundzero.core.report import RoundInfo
from roundzero.core.rule_files import SHARED_FILE
from roundzero.core.shared_file import NOT_READ, parse_shared
from roundzero.core.text import collapse
from roundzero.errors import OutsideError
from roundzero.store.ledger_db import LedgerDb

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from roundzero.core.change import Change
    from roundzero.core.dismissal import Dismissal
    from roundzero.core.finding import Finding, FindingId
    from roundzero.core.item import ItemId
    from roundzero.core.judge import View
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath
    from roundzero.engine.workspace import Workspace
    from roundzero.git.repository import Git
    from roundzero.store.ledger_db import Branch

DETACHED: Final = "HEAD is detached, and a dismissal like this belongs to a branch; switch to it"
"""Why a finding cannot be put aside where there is no branch."""

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
        await _follow(memory, _Past(git, change, at_hand or {}), change)
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


async def found(db: LedgerDb, git: Git, ref: str | None, commit: str | None) -> Branch | None:
    """The ledger to read: the branch's, the one of the branch being rebased, or one of a branch at the same commit."""
    if not db.path.is_file():
        return None
    names = [ref] if ref is not None else [git.rebasing]
    if ref is None:
        names += [name for name, at in (await git.branches()).items() if at == commit]
    for name in names:
        if name is not None and (branch := await asyncio.to_thread(db.find, name)) is not None:
            return branch
    return None


async def claimed(db: LedgerDb, git: Git, ref: str, commit: str | None, base: str | None, *, at: str) -> Branch:
    """The ledger to write to. Raises OutsideError.

    A ledger of a name that is no more is taken over when the reflog tells of the renaming or its head is one of this
    branch's own commits; a head in the base's history may be that of any merged branch. So is one of a name that this
    branch had and another has now.
    """
    known = await asyncio.to_thread(db.find, ref)
    if known is not None and known.head == commit:
        return known
    refs = await git.branches()
    related: set[str] = set()
    names = set(refs)
    if known is not None and known.head is not None and commit is not None:
        past = await git.past(ref)
        if known.head in past.heads or await git.is_ancestor(known.head, commit):
            related.add(known.head)
    elif known is None:
        others = [each for each in await asyncio.to_thread(db.branches) if each.head is not None]
        if others and commit is not None:
            past = await git.past(ref)
            own = await git.own_commits(commit, base)
            for each in others:
                if each.ref in refs:
                    if each.ref in past.names and await _left_behind(git, each, own | past.heads, refs[each.ref]):
                        related.add(each.head or "")
                        names.discard(each.ref)
                elif each.ref in past.names or each.head in own:
                    related.add(each.head or "")
                else:
                    names.add(each.ref)
    branch = await asyncio.to_thread(lambda: db.claim(ref, commit, refs=names, related=related))
    await asyncio.to_thread(lambda: db.tidy(at=at, refs={*refs, ref}))
    return branch


async def _left_behind(git: Git, ledger: Branch, own: AbstractSet[str], now: str) -> bool:
    """Whether a ledger belongs to commits that were renamed away, and not to who has its name at commit ``now``."""
    head = ledger.head
    return head is not None and head in own and head != now and not await git.is_ancestor(head, now)


class _Past:
    """Earlier texts: those at hand and of the change itself, which nobody may have committed, else git's."""

    def __init__(self, git: Git, change: Change, at_hand: Mapping[str, Source]) -> None:
        self.git = git
        self._near = {**at_hand, **{each.blob: each for each in change.head_texts.values() if each.blob}}

    async def texts(self, blobs: Mapping[str, RelPath]) -> dict[str, Source]:
        """The texts of blobs, each as if it lay at a path; what is not here or not text is left out."""
        found: dict[str, Source] = {}
        for blob, path in blobs.items():
            if (near := self._near.get(blob)) is not None:
                found[blob] = Source(path, near.text, blob, encoding=near.encoding, bom=near.bom)
        rest = {blob: path for blob, path in blobs.items() if blob not in found}
        return {**found, **await self.git.texts(rest)} if rest else found


async def _follow(memory: Memory, past: _Past, change: Change) -> None:
    """Find out what became of the texts that entries were last seen in."""
    git = past.git
    heads = dict(change.head_texts)
    bases = {path: source.blob for path, source in change.base_texts.items()}
    then = {
        (entry.sighting.path, entry.sighting.blob)
        for entry in memory.ledger.entries.values()
        if entry.state is not State.FIXED and entry.sighting.side is Side.HEAD and entry.sighting.path is not None
    }
    skipped = {skip.path for skip in change.skipped}
    gone: set[RelPath] = set()
    restored: set[RelPath] = set()
    for path in sorted({path for path, _ in then} - heads.keys()):
        if change.is_gone(path):
            gone.add(path)
        elif path not in skipped:
            await _look(git, change, path, heads, gone, restored)
    named = await _renamed(past, change, memory, then, gone)
    targets: dict[tuple[RelPath, str], Source] = {}
    for path, blob in then:
        target = heads.get(named.get(path, path))
        if blob and target is not None and (target.path, target.blob) != (path, blob):
            targets[path, blob] = target
    old = await past.texts({blob: path for path, blob in sorted(targets)})
    known = [(key, old[key[1]], target) for key, target in sorted(targets.items()) if key[1] in old]
    hunks = await git.hunks_of([(before.text, target.text) for _, before, target in known])
    memory.texts = Texts(
        heads=heads,
        bases=bases,
        maps={key: (target.path, LineMap(each)) for (key, _, target), each in zip(known, hunks, strict=True)},
        olds={key: before for key, before, _ in known},
        gone=frozenset(gone),
        renamed=named,
    )
    memory.restored = frozenset(restored)
    memory.quoted = await _quoted(git, change, memory.ledger, heads)


async def _quoted(
    git: Git, change: Change, ledger: Ledger, heads: Mapping[RelPath, Source]
) -> Mapping[RelPath, Source]:
    if all(entry.sighting.source == "check" for entry in ledger.entries.values()):
        return {}
    from roundzero.core.remembered import quoted_paths  # noqa: PLC0415  where a model took part

    found: dict[RelPath, Source] = {}
    for path in sorted(quoted_paths(ledger) - heads.keys()):
        source = await git.read(path, Side.HEAD, change) if git.may_have(path, change) else None
        if source is not None:
            found[path] = source
    # Looked for here, beside the loop, and kept with the texts: it takes longer than all the rest.
    texts = [*found.values(), *(heads[path] for path in quoted_paths(ledger) & heads.keys())]
    await asyncio.to_thread(lambda: [each.sensitive for each in texts])
    return found


async def _renamed(
    past: _Past, change: Change, memory: Memory, then: AbstractSet[tuple[RelPath, str]], gone: AbstractSet[RelPath]
) -> dict[RelPath, RelPath]:
    """What files that are gone are called now: as git says of the base, else as their last texts say."""
    found = {path: file.path for path in gone if (file := change.file_from(path)) is not None and file.head is not None}
    last = {
        path: memory.reviewed.get(path) or blob for path, blob in sorted(then) if path in gone and path not in found
    }
    before = {path for path, _ in then} | set(memory.reviewed) | set(found.values())
    arrived = [file.head for file in change.files if file.head is not None and file.path not in before]
    if not (arrived and any(last.values())):
        return found
    texts = await past.texts({blob: path for path, blob in last.items() if blob})
    lost = [Source(path, texts[blob].text, blob) for path, blob in last.items() if blob in texts]
    found |= renames(lost, arrived)
    unknown = last.keys() - found.keys() - {each.path for each in lost}
    return found | _by_quotes(memory.ledger, unknown, [each for each in arrived if each.path not in found.values()])


def _by_quotes(ledger: Ledger, gone: AbstractSet[RelPath], arrived: Sequence[Source]) -> dict[RelPath, RelPath]:
    """What files are called now of which no text is left: the only new one that reads all that was found in them."""
    quotes: dict[RelPath, set[str]] = {path: set() for path in sorted(gone)}
    for entry in ledger.entries.values():
        seen = entry.sighting
        if seen.path in quotes and entry.state is not State.FIXED and len(seen.anchor_text) >= TELLING:
            quotes[seen.path].add(seen.anchor_text)
    lines = {each.path: {collapse(line) for line in each.text.split("\n")} for each in arrived} if quotes else {}
    homes = {path: [new for new, there in lines.items() if said and said <= there] for path, said in quotes.items()}
    asked = Counter(new for found in homes.values() for new in found)
    return {path: new[0] for path, new in homes.items() if len(new) == 1 and asked[new[0]] == 1}


async def _look(
    git: Git, change: Change, path: RelPath, heads: dict[RelPath, Source], gone: set[RelPath], restored: set[RelPath]
) -> None:
    """Look at a path beyond the change: gone, or there, and perhaps as it was at the base."""
    if change.file(path) is not None or not git.may_have(path, change):
        gone.add(path)
        return
    head = await git.read(path, Side.HEAD, change)
    if head is None:
        if change.head_tree is not None:
            gone.add(path)
        return
    heads[path] = head
    base = await git.read(path, Side.BASE, change)
    if base is not None and base.blob == head.blob:
        restored.add(path)


def everywhere(listened: Listened, texts: Texts, items: frozenset[ItemId]) -> Listened:
    """What was checked, and files that are gone: there silence needs no check."""
    return replace(listened, files={**dict.fromkeys(texts.gone, items), **listened.files})
