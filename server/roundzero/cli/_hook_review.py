"""What an installed hook does: reviews what is pushed or staged, and says whether git may go on.

Objects or the index only; the work tree is not looked at. Invariant: only findings stop git. What cannot be reviewed,
for whatever reason, is named and goes on.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.cli import _hook_words as say
from roundzero.cli import _stdout
from roundzero.cli._hook_push import Pushed, Update, from_framework, parse, to_review
from roundzero.cli._place import Place, open_place, place_of_commit
from roundzero.core.change import BaseHow
from roundzero.core.few import few
from roundzero.core.frozen import dataclass
from roundzero.core.item import Severity
from roundzero.core.report import VerdictStatus
from roundzero.engine.memory import settings_digest
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.workspace import Workspace
from roundzero.errors import OutsideError, UserError
from roundzero.git.repository import Scope
from roundzero.render.look import Gate
from roundzero.render.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roundzero.cli._progress import Quiet
    from roundzero.core.change import BaseChoice
    from roundzero.core.ledger import Round
    from roundzero.core.report import Report

SECONDS: Final = 120
"""For all that is pushed together: longer than a review takes, shorter than a remote waits."""

MODEL_SECONDS: Final = 60
"""For a model, per commit; what it has not answered by then was not looked at, and what checks found counts."""

NAMED: Final = 5
"""Names of what was not reviewed for lack of time; the rest is counted."""

GO_ON: Final = 0
STOP: Final = 1


async def hook(stage: str, directory: str) -> int:
    """Review, tell the person on standard error, and return the exit status."""
    place = await _open(directory, os.environ, bare=stage == "pre-push")
    try:
        place.refuse_broken()
        return await _Hook(stage, place).run(_updates() if stage == "pre-push" else ())
    finally:
        await place.git.close()


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of one commit. ``lines`` tell of it."""

    stops: bool
    lines: tuple[str, ...]

    def and_also(self, other: _Outcome) -> _Outcome:
        """Both together."""
        return _Outcome(self.stops or other.stops, (*self.lines, *other.lines))


def reason_of(error: Exception, stage: str) -> str:
    """What to tell the person of a failure; a bug leaves its log file."""
    from roundzero.cli.main import expected  # noqa: PLC0415  it imports this module by name

    if (failure := expected(error)) is not None:
        return str(failure)
    from roundzero.cli._crash import record  # noqa: PLC0415  bugs are rare

    return record(error, ["hook", "run", "--stage", stage])


class _Hook:
    """One run in one repository."""

    def __init__(self, stage: str, place: Place) -> None:
        self._stage = stage
        self._place = place
        self._git = place.git
        self._words = say.hook_words(place.settings.language)
        self._workspace: Workspace | None = None
        self._stops = False
        self._request = ReviewRequest(remember=True)

    async def run(self, updates: tuple[Update, ...]) -> int:
        """The exit status. Each result is told as soon as it is there."""
        from roundzero.cli._progress import progress  # noqa: PLC0415  needs the running loop

        await self._choose_depth()
        waiting = [update.name for update in updates] or [self._words.staged]
        try:
            async with asyncio.timeout(SECONDS):
                if self._stage == "pre-commit":
                    with progress("terminal") as bar:
                        await self._attempt(self._words.staged, None, bar)
                else:
                    todo = await to_review(self._git, updates)
                    waiting = [each.name for each in todo]
                    for each in todo:
                        with progress("terminal") as bar:
                            await self._attempt(each.name, each, bar)
                        waiting.remove(each.name)
        except TimeoutError:
            names = few(waiting, NAMED, words(self._place.settings.language).more)
            self._not_reviewed(names, self._words.took_too_long.format(seconds=SECONDS))
        if self._stops:
            _stdout.complain(self._words.stopped[self._stage])
        return STOP if self._stops else GO_ON

    async def _choose_depth(self) -> None:
        """A model takes part where the person wants one in hooks and the repository is trusted."""
        settings = self._place.settings
        if settings.hook_model == "off":
            return
        from roundzero.engine.model_access import NO_PROVIDER  # noqa: PLC0415  rarely asked for
        from roundzero.engine.model_review import NOT_TRUSTED  # noqa: PLC0415  as above

        why = NO_PROVIDER
        if settings.model_provider is not None:
            if await self._place.trusted():
                self._request = ReviewRequest(
                    remember=True, depth=settings.hook_model, consent=True, model_seconds=MODEL_SECONDS
                )
                return
            why = NOT_TRUSTED
        reason = words(settings.language).reason(why)
        _stdout.complain(self._words.no_effect.format(depth=settings.hook_model, reason=reason))

    async def _attempt(self, name: str, pushed: Pushed | None, bar: Quiet) -> None:
        try:
            workspace = await self._opened(pushed)
            if pushed is None:
                staged = replace(self._request, scope=Scope.STAGED)
                outcome = self._outcome(name, await review(workspace, staged, bar, alone=True), _of_index(os.environ))
            else:
                outcome = await self._of_commit(workspace, pushed, bar)
                outcome = outcome.and_also(await self._of_history(workspace, pushed))
        except Exception as error:  # noqa: BLE001  what was found before still stops the push, and nothing else does
            self._not_reviewed(name, reason_of(error, self._stage))
            return
        self._stops = self._stops or outcome.stops
        _stdout.complain("\n".join(outcome.lines))

    async def _opened(self, pushed: Pushed | None) -> Workspace:
        """What it takes to review; without a work tree by the settings and packs of the commit. Raises UserError."""
        if self._git.bare and pushed is not None:
            self._workspace = None
            self._place = await place_of_commit(self._git, pushed.commit)
            self._place.refuse_broken()
        if self._workspace is None:
            place = self._place
            self._workspace = await Workspace.open(
                self._git.root, settings=place.settings, problems=place.problems, git=self._git, ruleset=place.ruleset
            )
        return self._workspace

    async def _of_commit(self, workspace: Workspace, pushed: Pushed, bar: Quiet) -> _Outcome:
        if await self._is_current(pushed):
            base = await workspace.choose_base()
            if not _is_nothing(base):
                if (known := await self._still_stands(workspace, base, pushed)) is not None:
                    text = self._words.as_in_round.format(verdict=VerdictStatus.LGTM.value, index=known.index)
                    return _Outcome(stops=False, lines=(f"{pushed.name}: {text}",))
                report = await review(workspace, replace(self._request, scope=Scope.COMMITTED), bar, alone=True)
                return self._outcome(pushed.name, report, "roundzero review --scope committed")
        selected = await self._selected_base(pushed)
        request = replace(self._request, base=selected, head=pushed.ref or pushed.commit)
        report = await review(workspace, request, bar, alone=True)
        if _is_nothing(report.base):
            if pushed.there is None:
                raise UserError(self._words.nothing_to_compare)
            report = await review(workspace, replace(request, base=pushed.there), bar, alone=True)
        return self._outcome(pushed.name, report, _command(request, report))

    async def _of_history(self, workspace: Workspace, pushed: Pushed) -> _Outcome:
        """What the commits carry that the last one no longer shows."""
        from roundzero.cli._hook_history import carried  # noqa: PLC0415  only a push has a history

        fail_on, language = self._place.settings.gate_fail_on, self._place.settings.language
        known = [pushed.there] if pushed.there is not None else []
        found = await carried(self._git, workspace.ruleset, pushed.commit, known, language)
        grave = [each for each in found if fail_on != "never" and each.seen.severity <= Severity[fail_on]]
        lines = tuple(say.history_lines([(each.commit, each.seen) for each in grave], language))
        return _Outcome(stops=bool(grave), lines=lines)

    async def _is_current(self, pushed: Pushed) -> bool:
        """Whether it is the branch that is checked out, so that its review may be a round."""
        here = await self._git.branch_ref(), await self._git.head_commit()
        return here == (pushed.ref, pushed.commit)

    def _outcome(self, name: str, report: Report, command: str) -> _Outcome:
        fail_on = self._place.settings.gate_fail_on
        limit = Severity[fail_on] if fail_on != "never" else None
        stops = limit is not None and report.gravest is not None and report.gravest <= limit
        lines = [f"{name}: {say.verdict_line(report, Gate(stops, f'gate.failOn {fail_on}'))}", *say.doubts(report)]
        if stops and limit is not None:
            lines += say.finding_lines(report, limit, command)
        return _Outcome(stops=stops, lines=tuple(lines))

    async def _selected_base(self, pushed: Pushed) -> str | None:
        """The base a person selected for the branch, as long as it exists."""
        from roundzero.store.branch_db import BranchDb  # noqa: PLC0415  rarely needed

        choices = BranchDb(self._git.common_dir)
        if pushed.ref is None or not choices.path.exists():
            return None
        try:
            saved = choices.selected_base(pushed.ref)
        except OutsideError:
            return None
        return saved if saved is not None and await self._git.commit(saved) is not None else None

    async def _still_stands(self, workspace: Workspace, base: BaseChoice, pushed: Pushed) -> Round | None:
        """The last round of the current branch, if it said LGTM of the very change that is pushed.

        A blocked one is looked at again, because its findings are to be shown, and so is one beside which something
        grave is open: a dismissal may have been taken back since.
        """
        if self._place.settings.gate_fail_on not in {"P0", "P1", "never"} or pushed.ref is None:
            return None
        if self._request.depth != "off":
            return None
        try:
            last = await asyncio.to_thread(self._last_good_round, pushed.ref)
        except OutsideError:
            return None
        now = base.merge_base, settings_digest(workspace, workspace.view)
        if last is None or (last.merge_base, last.rules) != now:
            return None
        change = await self._git.collect(base, scope=Scope.COMMITTED, rules=workspace.collect_rules())
        return last if (change.head.commit, change.snapshot) == (pushed.commit, last.snapshot) else None

    def _last_good_round(self, ref: str) -> Round | None:
        from roundzero.core.advance import expiries  # noqa: PLC0415  rarely needed
        from roundzero.core.ledger import LIVE, fold  # noqa: PLC0415  rarely needed
        from roundzero.store.clock import now  # noqa: PLC0415  rarely needed
        from roundzero.store.ledger_db import LedgerDb  # noqa: PLC0415  rarely needed

        ledgers = LedgerDb(self._git.common_dir)
        ledger = ledgers.load(ledgers.find(ref))
        ledger = fold(expiries(ledger, now()), ledger)
        grave = (each for each in ledger.entries.values() if each.sighting.severity <= Severity.P1)
        last = ledger.last
        if last is None or last.verdict is not VerdictStatus.LGTM or any(each.state in LIVE for each in grave):
            return None
        return last

    def _not_reviewed(self, name: str, reason: str) -> None:
        _stdout.complain(self._words.not_reviewed[self._stage].format(name=name, reason=reason))


def _is_nothing(base: BaseChoice) -> bool:
    """Whether nothing told what the branch was made from, so that it would be compared with itself."""
    return base.how is BaseHow.HEAD and base.ref == "HEAD"


def _of_index(environ: Mapping[str, str]) -> str:
    """The command that shows a stopped commit in full. What ``git commit -a`` or a path staged is gone by then."""
    passing = environ.get("GIT_INDEX_FILE", "").endswith(".lock")
    return "roundzero review --base HEAD" if passing else "roundzero review --scope staged"


def _command(request: ReviewRequest, report: Report) -> str:
    """The command that makes the same review again, with everything shown."""
    import shlex  # noqa: PLC0415  only where something was found

    head = (request.head or "").removeprefix("refs/heads/")
    base = f" --base {shlex.quote(report.base.ref)}" if report.base.how is BaseHow.EXPLICIT and report.base.ref else ""
    return f"roundzero review --head {shlex.quote(head)}{base}"


def _updates() -> tuple[Update, ...]:
    """What is pushed, as git or the pre-commit framework says. Raises UserError."""
    if os.environ.get("PRE_COMMIT"):
        return from_framework(os.environ)
    return parse(sys.stdin.buffer.read().decode("utf-8", "surrogateescape") if sys.stdin is not None else "")


async def _open(directory: str, environ: Mapping[str, str], *, bare: bool) -> Place:
    """The repository that git runs the hook for. Raises UserError.

    git says which by GIT_DIR, which leads every other git astray and is stripped; so the folder is looked for from
    which the same repository is found.
    """
    named = environ.get("GIT_DIR")
    if named is None or directory != ".":
        return await open_place(directory, bare=bare)
    wanted = Path(named)
    refused: UserError | None = None
    for folder in (directory, *_work_trees(wanted, environ)):
        try:
            place = await open_place(str(folder), bare=bare)
        except UserError as error:
            refused = refused or error
            continue
        if _same(place.git.git_dir, wanted):
            return place
        await place.git.close()
    raise refused or UserError(f"the files of the repository {wanted} were not found; push from the folder they are in")


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _work_trees(git_dir: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """Where the work tree of a git directory may be."""
    git_dir = Path(os.path.realpath(git_dir))
    if environ.get("GIT_WORK_TREE"):
        yield Path(environ["GIT_WORK_TREE"])
    yield git_dir.parent
    try:
        yield (git_dir / os.fsdecode((git_dir / "gitdir").read_bytes().rstrip(b"\n"))).parent
    except OSError:
        return
