"""Chooses the base of a review: explicit, pull request, upstream, latest merge base, HEAD, empty tree.

Asks refs and configuration only, never the work tree. Invariants: a choice that is not certain carries its doubts in
words, and nothing is ever compared with a commit that shares no history with the head. Of a shallow clone only what the
history that is here proves counts as certain.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import BaseChoice, BaseHow
from roundzero.core.frozen import dataclass
from roundzero.errors import UserError
from roundzero.git.refs import (
    HEADS,
    NAMES,
    REMOTES,
    Head,
    Refs,
    branch_called,
    branch_name,
    commit_of,
    head_of,
    latest_first,
    merge_bases,
    refs_around,
    short,
)
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from roundzero.git.commands import Commands

DEEPEN: Final = "git fetch --unshallow origin '+refs/heads/*:refs/remotes/origin/*'"
"""Completes a shallow clone. Without the refspec a clone of one branch would learn of no other."""

_PULL_REQUEST_VARIABLES: Final = ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
_PULL_REQUEST_SETTINGS: Final = ("gh-merge-base", "vscode-merge-base")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A ref that may be the base: a full name, or what a person wrote."""

    ref: str
    commit: str

    @property
    def name(self) -> str:
        """The ref as people call it."""
        return short(self.ref)


class Ladder:
    """One choice. ``environ`` is the environment to look for a pull request in."""

    def __init__(
        self,
        commands: Commands,
        *,
        environ: Mapping[str, str],
        boundary: Collection[str] = (),
        head: str | None = None,
    ) -> None:
        """``head`` names another branch or commit than HEAD to choose a base for.

        ``boundary``: the commits whose parents a shallow clone left out.
        """
        self._commands = commands
        self._environ = environ
        self._boundary = frozenset(boundary)
        self._other_head = head
        self.here = Head(None, None)
        """Where HEAD was when the base was chosen."""
        self._head = self.here
        self._settings: Mapping[str, str] = {}
        self._default: str | None = None
        self._refs = Refs({}, {}, "")
        self._doubts: list[str] = []

    async def choose(self, explicit: str | None, saved: str | None) -> BaseChoice:
        """Climb the ladder. Raises UserError when a base was named and cannot be used, or none can be found."""
        async with side_by_side() as group:
            settings = group.create_task(self._commands.configuration())
            head = group.create_task(head_of(self._commands))
        self._settings, self._head = settings.result(), head.result()
        self.here = self._head
        if self._other_head is not None:
            commit = await commit_of(self._commands, self._other_head)
            if commit is None:
                raise UserError(f"{self._other_head!r} names no commit of this repository")
            self._head = Head(await branch_called(self._commands, self._other_head), commit)
        if self._head.commit is None:
            if explicit or saved:
                self._doubts.append(f"the base {explicit or saved} is not used: this branch has no commits yet")
            return self._choice(None, None, BaseHow.EMPTY_TREE)
        if explicit:
            return await self._named(explicit, BaseHow.EXPLICIT)
        if saved:
            if await commit_of(self._commands, saved) is not None:
                return await self._named(saved, BaseHow.EXPLICIT)
            self._doubts.append(f"the base selected for this branch, {saved}, does not exist any more")
        if (choice := await self._pull_request()) is not None:
            return choice
        self._refs = await refs_around(self._commands, self._head.branch)
        choice = await self._upstream() or await self._latest() or await self._last_resort()
        if choice.merge_base == self._commit and self._commit in self._boundary:
            self._doubts.append(
                "this clone is shallow and begins at HEAD, so what this branch committed before cannot be told from its"
                f" base; fetch the rest with: {DEEPEN}"
            )
        return replace(choice, doubts=tuple(self._doubts))

    async def _named(self, ref: str, how: BaseHow) -> BaseChoice:
        commit = await commit_of(self._commands, ref)
        if commit is None:
            raise UserError(
                f"the base {ref!r} names no commit of this repository; check the spelling, or fetch it first"
                f" ({self._fetch(ref)})"
            )
        return await self._against(_Candidate(ref, commit), how)

    async def _against(self, candidate: _Candidate, how: BaseHow, bases: Sequence[str] | None = None) -> BaseChoice:
        if bases is None:
            bases = await merge_bases(self._commands, self._commit, candidate.commit)
        if not bases:
            raise self._no_merge_base(candidate.name)
        if len(bases) > 1:
            self._doubts.append(f"HEAD and {candidate.name} have {len(bases)} merge bases; the latest is used")
        if bases[0] == self._commit and not self._begins_there(candidate, how):
            self._doubts.append(f"HEAD is already merged into {candidate.name}")
        await self._doubt_merge_base(candidate, bases[0])
        return self._choice(candidate.name, bases[0], how)

    def _begins_there(self, candidate: _Candidate, how: BaseHow) -> bool:
        """Whether that a candidate contains HEAD is what one expects of it.

        The default branch and its upstream, and a branch that has no commits yet: HEAD is then the very commit of what
        a person named or made the branch from. Of a pull request one expects commits, and a branch that is nobody's
        default holds HEAD because HEAD was merged into it.
        """
        match how:
            case BaseHow.HEAD | BaseHow.EMPTY_TREE:
                return True
            case BaseHow.EXPLICIT | BaseHow.UPSTREAM:
                return candidate.commit == self._commit
            case BaseHow.LATEST_MERGE_BASE:
                return self._fresh(candidate)
            case BaseHow.PULL_REQUEST:
                return False

    async def _pull_request(self) -> BaseChoice | None:
        for variable in _PULL_REQUEST_VARIABLES:
            target = self._environ.get(variable, "")
            if not target:
                continue
            found = await self._branch(target)
            if found is None:
                raise UserError(
                    f"{variable} says that the target branch is {target!r}, which is not here; fetch it"
                    f" ({self._fetch(target)}) or name another base with --base"
                )
            return await self._against(found, BaseHow.PULL_REQUEST)
        for name in _PULL_REQUEST_SETTINGS:
            setting = f"branch.{self._head.name}.{name}"
            target = self._settings.get(setting, "")
            if not target or self._head.branch is None:
                continue
            found = await self._branch(target)
            if found is not None:
                return await self._against(found, BaseHow.PULL_REQUEST)
            self._doubts.append(f"{setting} names {target}, which is not here")
        return None

    async def _upstream(self) -> BaseChoice | None:
        upstream = await self._upstream_ref()
        if upstream is None or branch_name(upstream.ref) == self._head.name:
            return None
        return await self._against(upstream, BaseHow.UPSTREAM)

    async def _latest(self) -> BaseChoice | None:
        candidates = self._candidates()
        if not candidates:
            return None
        async with side_by_side() as group:
            tasks = {
                commit: group.create_task(merge_bases(self._commands, self._commit, commit))
                for commit in dict.fromkeys(candidate.commit for candidate in candidates)
            }
        bases_of = {commit: task.result() for commit, task in tasks.items()}
        related = [each for each in candidates if bases_of[each.commit]]
        unrelated = [each for each in candidates if not bases_of[each.commit]]
        open_ones = [each for each in related if bases_of[each.commit][0] != self._commit or self._fresh(each)]
        if not related or (self._boundary and unrelated and not open_ones):
            raise self._no_merge_base(unrelated[0].name)
        taken = open_ones or related
        latest = (await latest_first(self._commands, [bases_of[each.commit][0] for each in taken]))[0]
        best = next(each for each in taken if bases_of[each.commit][0] == latest)
        await self._doubt_the_rest(best, unrelated, related, open_ones)
        choice = await self._against(best, BaseHow.LATEST_MERGE_BASE, bases_of[best.commit])

        def why_not(candidate: _Candidate) -> str:
            if candidate in unrelated:
                cut = "this shallow clone does not reach its merge base with HEAD"
                return cut if self._boundary else "it has no common history with HEAD"
            if candidate not in taken:
                return "HEAD is already merged into it"
            base = bases_of[candidate.commit][0]
            if base != latest:
                return f"its merge base {base[:12]} is older"
            return f"its merge base is the same, and {best.name} comes before it"

        losers = tuple((each.name, why_not(each)) for each in candidates if each is not best)
        return replace(choice, passed_over=losers)

    async def _doubt_the_rest(
        self,
        best: _Candidate,
        unrelated: Sequence[_Candidate],
        related: Sequence[_Candidate],
        open_ones: Sequence[_Candidate],
    ) -> None:
        """Say which candidates might have been the better base."""
        if self._boundary and unrelated:
            names = ", ".join(each.name for each in unrelated)
            self._doubts.append(
                f"this clone is shallow and does not reach the merge base of HEAD and {names}, which may be the better"
                f" base; fetch the rest with: {DEEPEN}"
            )
        if open_ones and len(open_ones) < len(related):
            names = ", ".join(each.name for each in related if each not in open_ones)
            self._doubts.append(f"HEAD is already merged into {names}")
        for each in {each.commit: each for each in reversed(open_ones) if each.commit != best.commit}.values():
            await self._doubt_merge_base(each)

    async def _doubt_merge_base(self, candidate: _Candidate, merge_base: str | None = None) -> None:
        """Say that a shallow clone may have left out a later merge base of HEAD and a candidate, where it may.

        Such a one would be reached through a parent that is not here, of a commit that only one of the two has. An
        ancestor needs no proof: it is its own merge base.
        """
        if not self._boundary:
            return
        known = merge_base or (await merge_bases(self._commands, self._commit, candidate.commit))[0]
        if known in (candidate.commit, self._commit):
            return
        done = await self._commands.plumbing("rev-list", self._commit, candidate.commit, f"^{known}", "--")
        if not self._boundary.isdisjoint(done.stdout.decode("ascii").split()):
            self._doubts.append(
                f"this clone is shallow, so the merge base of HEAD and {candidate.name} may be a later one; fetch the"
                f" rest with: {DEEPEN}"
            )

    def _candidates(self) -> list[_Candidate]:
        """origin/HEAD, then remote branches with a usual name, then local ones; () on the default branch."""
        commits, symbolic = self._refs.commits, self._refs.symbolic
        default = symbolic.get(f"{REMOTES}origin/HEAD", "")
        self._default = self._default_name(default, commits)
        if self._head.name is not None and self._head.name == self._default:
            return []
        order = [default] if default else []
        for name in NAMES:
            order += sorted(ref for ref in commits if ref.startswith(REMOTES) and branch_name(ref) == name)
        order += [HEADS + name for name in NAMES]
        return [
            _Candidate(ref, commits[ref])
            for ref in dict.fromkeys(order)
            if ref in commits and (self._head.name is None or branch_name(ref) != self._head.name)
        ]

    def _fresh(self, candidate: _Candidate) -> bool:
        """Whether HEAD is the very tip of the default branch: nothing was merged, the branch has no commits yet."""
        return candidate.commit == self._commit and branch_name(candidate.ref) == self._default

    def _default_name(self, default: str, commits: Mapping[str, str]) -> str | None:
        """The default branch as far as one can know: origin/HEAD, or the first of main and master that exists."""
        if default:
            return branch_name(default)
        return next((name for name in NAMES[:2] if any(branch_name(ref) == name for ref in commits)), None)

    async def _last_resort(self) -> BaseChoice:
        upstream = await self._upstream_ref() or self._published()
        if self._head.name is None or self._head.name != self._default:
            if self._boundary:
                raise UserError(
                    "this clone is shallow and holds no branch that this one could have been made from; fetch the rest"
                    f" with {DEEPEN}, or name a commit that is here with --base"
                )
            work = "unpushed" if upstream is not None else "uncommitted"
            self._doubts.append(
                f"no branch was found that this one could have been made from; only {work} work is reviewed"
                " (name a base with --base)"
            )
        if upstream is not None:
            return await self._against(upstream, BaseHow.HEAD)
        return self._choice("HEAD", self._commit, BaseHow.HEAD)

    async def _upstream_ref(self) -> _Candidate | None:
        """The branch's upstream, if it is set and here."""
        ref = self._refs.upstream
        commit = await commit_of(self._commands, ref) if ref else None
        return _Candidate(ref, commit) if commit is not None else None

    def _published(self) -> _Candidate | None:
        """The branch of this name on the remote: what people mean by upstream where none is set."""
        ref = f"{REMOTES}{self._remote}/{self._head.name}"
        commit = self._refs.commits.get(ref) if self._head.name is not None else None
        return _Candidate(ref, commit) if commit is not None else None

    @property
    def _remotes(self) -> tuple[str, ...]:
        keys = (key for key in self._settings if key.startswith("remote.") and key.endswith(".url"))
        return tuple(key.removeprefix("remote.").removesuffix(".url") for key in keys)

    @property
    def _remote(self) -> str:
        """The remote that is meant where none is named: the only one, or else origin."""
        return self._remotes[0] if len(self._remotes) == 1 else "origin"

    def _fetch(self, ref: str) -> str:
        """The command that fetches a branch, which people may name with its remote."""
        name = short(ref)
        remote = next((each for each in self._remotes if name.startswith(f"{each}/")), None)
        return f"git fetch {remote or self._remote} {name.removeprefix(f'{remote}/')}"

    async def _branch(self, target: str) -> _Candidate | None:
        """A branch by the name a forge gives it: the remote's before the local one."""
        for ref in (f"{REMOTES}origin/{target}", f"{REMOTES}{target}", f"{HEADS}{target}", target):
            commit = await commit_of(self._commands, ref)
            if commit is not None:
                return _Candidate(ref, commit)
        return None

    @property
    def _commit(self) -> str:
        assert self._head.commit is not None  # noqa: S101  choose() leaves before the first commit
        return self._head.commit

    def _choice(self, ref: str | None, merge_base: str | None, how: BaseHow) -> BaseChoice:
        return BaseChoice(ref=ref, merge_base=merge_base, how=how, doubts=tuple(self._doubts))

    def _no_merge_base(self, name: str) -> UserError:
        if self._boundary:
            return UserError(
                f"this clone is shallow and does not reach the merge base of HEAD and {name}; fetch the rest with"
                f" {DEEPEN}, or name a commit that is here with --base"
            )
        return UserError(f"HEAD and {name} have no common history; name another base with --base")
