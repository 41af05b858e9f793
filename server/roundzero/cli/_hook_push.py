"""What a push brings: from what git tells its hook to the commits that are to be reviewed.

Reviews nothing. Invariant: each commit comes once, under the name of a branch if one stands at it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.git.repository import Git

_HEADS: Final = "refs/heads/"
_TAGS: Final = "refs/tags/"
_NOT_CODE: Final = ("refs/notes/", "refs/replace/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """One ref of a push (githooks(5), pre-push). ``local`` is what a person wrote where it is no full ref name."""

    local: str
    oid: str
    remote: str
    remote_oid: str

    @property
    def name(self) -> str:
        """What is pushed, as people call it."""
        return self.local.removeprefix(_HEADS).removeprefix(_TAGS)

    @property
    def deletes(self) -> bool:
        """Whether the ref goes."""
        return not self.oid.strip("0")

    @property
    def tag(self) -> bool:
        """Whether it is a tag."""
        return self.remote.startswith(_TAGS) or self.local.startswith(_TAGS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """A commit to review. ``ref``: the full name of the branch that is at it. ``there``: what the remote has so far."""

    name: str
    ref: str | None
    commit: str
    there: str | None


def parse(text: str) -> tuple[Update, ...]:
    """What git writes to the hook's standard input. Raises UserError when it is something else."""
    updates: list[Update] = []
    for line in text.split("\n"):
        if not line:
            continue
        fields = line.rsplit(" ", 3)  # what a person wrote may hold spaces, as HEAD^{/a word}
        if len(fields) != 4:
            raise UserError(f"a pre-push hook is given lines of four fields by git, not {line!r}")
        local, oid, remote, remote_oid = fields
        updates.append(Update(local=local, oid=oid, remote=remote, remote_oid=remote_oid))
    return tuple(updates)


def from_framework(environ: Mapping[str, str]) -> tuple[Update, ...]:
    """What the pre-commit framework, which reads git's lines itself, says of a push: one ref at a time."""
    if not environ.get("PRE_COMMIT_TO_REF"):
        return ()
    return (
        Update(
            local=environ.get("PRE_COMMIT_LOCAL_BRANCH", ""),
            oid=environ["PRE_COMMIT_TO_REF"],
            remote=environ.get("PRE_COMMIT_REMOTE_BRANCH", ""),
            remote_oid=environ.get("PRE_COMMIT_FROM_REF", ""),
        ),
    )


async def to_review(git: Git, updates: Iterable[Update]) -> list[Pushed]:
    """The commits that are not on their way already: no deletions, no notes, no tags of what is known there.

    The current branch comes first. Raises OutsideError.
    """
    current = await git.branch_ref()
    found: dict[str, Pushed] = {}
    tags: list[tuple[Update, str]] = []
    for update in updates:
        if update.deletes or update.remote.startswith(_NOT_CODE):
            continue
        commit = await git.commit(update.oid)
        if commit is None:
            continue
        if update.tag:
            tags.append((update, commit))
            continue
        each = await _pushed(git, update, commit, current)
        known = found.get(commit)
        if known is None or (known.ref is None and each.ref is not None) or each.ref == current is not None:
            found[commit] = each
    branches = list(found)
    for update, commit in tags:
        if commit not in found and not await git.is_known(commit, branches):
            name = (update.local if update.local.startswith(_TAGS) else update.remote).removeprefix(_TAGS)
            found[commit] = Pushed(name=name, ref=None, commit=commit, there=None)
    return sorted(found.values(), key=lambda each: each.ref is None or each.ref != current)


async def _pushed(git: Git, update: Update, commit: str, current: str | None) -> Pushed:
    named = current if update.local in ("HEAD", "@") else update.local
    ref = named if named is not None and named.startswith(_HEADS) and await git.commit(named) == commit else None
    there = await git.commit(update.remote_oid) if update.remote_oid.strip("0") else None
    return Pushed(name=(ref or update.local).removeprefix(_HEADS), ref=ref, commit=commit, there=there)
