"""Which ledger is a branch's: the one to read, and the one to write to after renaming, rebasing or branching off.

Asks git who was who; reads and writes no finding. Invariant: a ledger is written to only by the branch whose commits it
is about.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from roundzero.git.repository import Git
    from roundzero.store.ledger_branches import Branch
    from roundzero.store.ledger_db import LedgerDb

DETACHED: Final = "HEAD is detached, and a dismissal like this belongs to a branch; switch to it"
"""Why a finding cannot be put aside where there is no branch."""


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
