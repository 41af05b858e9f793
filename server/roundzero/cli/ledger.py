"""``roundzero ledger``: what is remembered of the branch, and what a person puts aside.

Reads and writes the ledger that reviews keep; makes no review. Invariant: listing claims nothing and writes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.cli import _stdout
from roundzero.core.frozen import dataclass
from roundzero.errors import UserError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from roundzero.core.dismissal import Dismissal
    from roundzero.core.finding import FindingId, Observation
    from roundzero.core.ledger import Entry, Event, Ledger, Round
    from roundzero.engine.dismissing import Books
    from roundzero.store.ledger_branches import Branch
    from roundzero.store.ledger_db import LedgerDb

SUMMARY: Final = "list what is remembered of the branch, dismiss a finding or undo that"
_ACTIONS: Final = ("list", "show", "dismiss", "reopen", "rounds")
_NAMED: Final = 5
"""Most ids named where several are meant."""
_OF_ONE: Final = frozenset({"show", "dismiss", "reopen"})


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and the options of ``dismiss``."""
    parser.usage = (
        "roundzero ledger list | show ID | reopen ID | rounds [--repo DIR]\n"
        "       roundzero ledger dismiss ID --reason TEXT [--scope finding|file|item|similar] [--expires DATE]"
        " [--shared]"
    )
    actions = (
        "list: the findings remembered; show: the history of one; dismiss: put it aside; reopen: undo that; rounds: the"
        " rounds so far"
    )
    parser.add_argument("action", metavar="|".join(_ACTIONS), choices=_ACTIONS, help=actions)
    parser.add_argument(
        "ids", metavar="ID", nargs="*", default=[], help="the finding to show, dismiss or reopen, or how its id begins"
    )
    group = parser.add_argument_group("dismiss")
    group.add_argument("--reason", metavar="TEXT", help="why; required")
    group.add_argument(
        "--scope",
        choices=("finding", "file", "item", "similar"),
        help="this finding (default), its item in its file, its item everywhere, or its item on lines like this",
    )
    group.add_argument("--expires", metavar="DATE", help="the day from which on it no longer counts, as 2030-12-31")
    group.add_argument("--shared", action="store_true", help="in .roundzero/dismissals.toml, for every clone and CI")


def run(args: argparse.Namespace) -> int:
    """Do it."""
    from roundzero.cli._loop import run as run_loop  # noqa: PLC0415  off the start-up path

    _check(args)
    desk = run_loop(_open(args.repo))
    lines = {"list": _listed, "show": _shown, "dismiss": _dismissed, "reopen": _reopened, "rounds": _rounds}
    action: Callable[[argparse.Namespace, _Desk], Iterator[str]] = lines[args.action]
    _stdout.write_lines(list(action(args, desk)))
    return 0


@dataclass(frozen=True, slots=True)
class _Desk:
    """What an action works on. ``owner`` is the branch, unless its ledger is only looked at from a detached HEAD."""

    root: Path
    common_dir: Path
    db: LedgerDb
    branch: Branch | None
    owner: Branch | None
    ledger: Ledger
    person: str | None
    now: str

    def books(self) -> Books:
        """What is written to."""
        from roundzero.engine.dismissing import Books as Opened  # noqa: PLC0415  off the start-up path

        return Opened(db=self.db, branch=self.owner, person=self.person, at=self.now)


def _check(args: argparse.Namespace) -> None:
    """Refuse options that do not go together. Raises UserError."""
    if args.action in _OF_ONE and len(args.ids) != 1:
        raise UserError(f"ledger {args.action} takes one finding, such as rz-0123456; ledger list has them all")
    if args.action not in _OF_ONE and args.ids:
        raise UserError(f"ledger {args.action} takes no finding; use ledger show ID")
    given = {"--reason": args.reason, "--scope": args.scope, "--expires": args.expires, "--shared": args.shared}
    if args.action != "dismiss":
        for option, value in given.items():
            if value:
                raise UserError(f"{option} is for ledger dismiss; leave it out")
        return
    if args.reason is None or not args.reason.strip():
        raise UserError("ledger dismiss needs --reason TEXT, so that others know why")
    if args.expires is not None:
        _check_date(args.expires)


def _check_date(text: str) -> None:
    import re  # noqa: PLC0415  off the start-up path
    from datetime import date  # noqa: PLC0415  off the start-up path

    try:
        good = re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII) is not None and bool(date.fromisoformat(text))
    except ValueError:
        good = False
    if not good:
        raise UserError(f"--expires {text} is no date; write it as 2030-12-31")


async def _open(directory: str) -> _Desk:
    from roundzero.cli._place import open_place  # noqa: PLC0415  off the start-up path
    from roundzero.core.advance import expiries  # noqa: PLC0415  off the start-up path
    from roundzero.core.ledger import fold  # noqa: PLC0415  off the start-up path
    from roundzero.engine.ledger_of_branch import found  # noqa: PLC0415  off the start-up path
    from roundzero.store.clock import now  # noqa: PLC0415  off the start-up path
    from roundzero.store.ledger_db import LedgerDb  # noqa: PLC0415  off the start-up path

    place = await open_place(directory)
    git, at = place.git, now()
    try:
        db = LedgerDb(git.common_dir)
        ref = await git.branch_ref()
        branch = await found(db, git, ref, await git.head_commit())
        owner = None if ref is None and git.rebasing is None else branch
        ledger = db.load(branch)
        known = fold(expiries(ledger, at), ledger)
        return _Desk(git.root, git.common_dir, db, branch, owner, known, await git.person(), at)
    finally:
        await git.close()


def _listed(_args: argparse.Namespace, desk: _Desk) -> Iterator[str]:
    rank = {"open": 0, "stale": 1, "unconfirmed": 2, "dismissed": 3}
    beside = _beside(desk)
    states = _states(desk, beside)
    entries = sorted(
        desk.ledger.entries.values(),
        key=lambda each: (
            rank.get(states[each.id], 4),
            each.sighting.severity,
            each.sighting.path or "",
            each.sighting.line,
            each.id,
        ),
    )
    aside = _not_shown(desk)
    for entry in entries:
        line = f"{entry.id}  {entry.sighting.severity.name}  {states[entry.id]:<11}  {_place(entry)}  {_title(entry)}"
        yield f"{line}{aside.get(entry.id, '')}"
    if not entries:
        last = desk.ledger.last
        none = "nothing is remembered of this branch; roundzero review makes a round"
        yield none if last is None else f"no finding is remembered of this branch; round {last.index} was its last"
    for problem in _shared(desk.root)[1]:
        yield f"note: {problem}"
    for each in beside:
        yield f"{each.id}  dismissed ({each.scope.value}): {_about(each)}: {each.reason}{_until(each)}"


def _not_shown(desk: _Desk) -> dict[FindingId, str]:
    """What to add to findings that are live and yet nothing the branch answers for, as far as the last report tells."""
    from roundzero.core.finding import Origin  # noqa: PLC0415  off the start-up path
    from roundzero.core.ledger import LIVE  # noqa: PLC0415  off the start-up path
    from roundzero.engine.last_report import origins_in  # noqa: PLC0415  off the start-up path

    last = desk.ledger.last
    origins = origins_in(desk.common_dir, desk.branch, last.index if last is not None else None)
    if origins is None:
        return {}
    live = [each.id for each in desk.ledger.entries.values() if each.state in LIVE]
    before = {each: "  (there before this branch)" for each in live if origins.get(each) is Origin.PRE_EXISTING}
    return before | {each: "  (not in the last round's report)" for each in live if each not in origins}


def _shown(args: argparse.Namespace, desk: _Desk) -> Iterator[str]:
    entry = _find(desk, args.ids[0])
    seen = entry.sighting
    yield f"{entry.id}: {_title(entry)}"
    beside = _beside(desk)
    yield f"{seen.severity.name}, {_states(desk, beside)[entry.id]}, {_place(entry)}"
    yield f"item: {seen.item}, seen by {seen.producer} {seen.producer_version}"
    yield f"rounds: {entry.first_seen or '-'} to {entry.last_seen or '-'}" + (
        f", came back {entry.regressions}x" if entry.regressions else ""
    )
    if entry.family is not None:
        yield f"family: {entry.family}"
    if entry.into is not None:
        yield f"part of: {entry.into}"
    if seen.anatomy is not None:
        yield from _case(seen.observation())
    by = _aside(desk, beside).get(entry.id)
    for each in beside:
        if each.id == entry.id or each is by:
            on = "" if each.id == entry.id else f", by {each.id}"
            yield f"dismissed ({each.scope.value}{on}): {each.reason}{_until(each)}"
    for event in desk.db.history(desk.branch, entry.id):
        yield _happened(event)


def _case(seen: Observation) -> Iterator[str]:
    """What a model argued."""
    from roundzero.render.case import argument, proofs, rest  # noqa: PLC0415  off the start-up path

    yield from (f"{row.label}: {row.text}" for row in argument(seen, "en"))
    for proof in proofs(seen, "en"):
        found = proof.evidence
        yield f"{proof.name}: {found.path}:{found.line} ({found.side.value}) {proof.mark} {found.quote.strip()}"
    yield from (f"{row.label}: {row.text}" for row in rest(seen, "en"))


def _dismissed(args: argparse.Namespace, desk: _Desk) -> Iterator[str]:
    from roundzero.core.dismissal import DismissalScope  # noqa: PLC0415  off the start-up path
    from roundzero.core.rule_files import SHARED_FILE  # noqa: PLC0415  off the start-up path
    from roundzero.engine.dismissing import check_open  # noqa: PLC0415  off the start-up path
    from roundzero.store.shared_dismissals import SharedDismissals  # noqa: PLC0415  off the start-up path

    entry = _find(desk, args.ids[0])
    check_open(entry.id, entry.state)
    books, scope = desk.books(), DismissalScope(args.scope or "finding")
    dismissal = books.dismissal(entry.id, entry.sighting, scope=scope, reason=args.reason, expires=args.expires)
    if args.shared:
        SharedDismissals(desk.root).add(dismissal)
        yield f"{entry.id} is dismissed in {SHARED_FILE}{_until(dismissal)}; commit that file"
        return
    books.dismiss(dismissal)
    yield f"{entry.id} is dismissed{_until(dismissal)}; undo it with: roundzero ledger reopen {entry.id}"


def _reopened(args: argparse.Namespace, desk: _Desk) -> Iterator[str]:
    from roundzero.core.rule_files import SHARED_FILE  # noqa: PLC0415  off the start-up path
    from roundzero.engine.ledger_of_branch import DETACHED  # noqa: PLC0415  off the start-up path
    from roundzero.store.shared_dismissals import SharedDismissals  # noqa: PLC0415  off the start-up path

    name = _name(args.ids[0], (*desk.ledger.entries, *(each.id for each in _beside(desk))))
    undone = desk.books().reopen(name)
    _, problems = _shared(desk.root)
    if SharedDismissals(desk.root).take_back(name):
        yield f"{name} is no longer dismissed in {SHARED_FILE}; commit that"
    elif not undone and desk.owner is None and _is_dismissed(desk, name):
        raise UserError(f"{DETACHED}, and reopen it there")
    elif not undone:
        perhaps = f", as far as can be read: {problems[0]}" if problems else ""
        raise UserError(f"{name} is not dismissed; ledger list tells what is{perhaps}")
    if undone:
        yield f"{name} is no longer dismissed on this machine"


def _is_dismissed(desk: _Desk, name: FindingId) -> bool:
    from roundzero.core.finding import State  # noqa: PLC0415  off the start-up path

    entry = desk.ledger.entries.get(name)
    return entry is not None and entry.state is State.DISMISSED


def _rounds(_args: argparse.Namespace, desk: _Desk) -> Iterator[str]:
    from roundzero.render.words import some  # noqa: PLC0415  off the start-up path

    rounds = desk.db.rounds(desk.branch)
    for each in rounds:
        counts = " · ".join(f"P{grade}/{number}" for grade, number in enumerate(each.counts))
        commit = (each.commit or "-")[:12]
        verdict = each.verdict.value if each.verdict is not None else "-"
        new = f"{len(each.delta)} of {some(('1 file', '{count} files'), each.full)} new"
        yield f"{each.index}  {each.at}  {commit}  {verdict}  {counts}  {new}"
    if not rounds:
        yield "there is no round of this branch yet; roundzero review makes one"


def _find(desk: _Desk, name: str) -> Entry:
    """The entry of an id or of the beginning of one. Raises UserError."""
    if (entry := desk.ledger.entries.get(_name(name, desk.ledger.entries))) is not None:
        return entry
    raise UserError(
        f"{name} is not remembered of this branch; ledger list has all findings, roundzero review makes a round"
    )


def _name(text: str, known: Iterable[FindingId]) -> FindingId:
    """The one id that ``text`` is or begins, with or without ``rz-``; ``text`` itself where none does.

    Raises UserError where several do.
    """
    from roundzero.core.few import few  # noqa: PLC0415  off the start-up path
    from roundzero.core.finding import FindingId  # noqa: PLC0415  off the start-up path

    start = f"rz-{text.removeprefix('rz-')}"
    found = sorted({each for each in known if each.startswith(start)})
    if start in found or len(found) <= 1:
        return FindingId(start) if start in found or not found else found[0]
    raise UserError(f"{text} may be any of {few(found, _NAMED)}; give more of it")


def _aside(desk: _Desk, beside: list[Dismissal]) -> dict[FindingId, Dismissal]:
    """What dismissals beside the entries put aside of those that are open, as a review has it."""
    from roundzero.core.dismissal import covered  # noqa: PLC0415  off the start-up path
    from roundzero.core.finding import State  # noqa: PLC0415  off the start-up path

    still = [each for each in desk.ledger.entries.values() if each.state is State.OPEN]
    found = covered(beside, [each.sighting for each in still], [each.id for each in still], desk.now)
    return {still[at].id: dismissal for at, dismissal in found.items()}


def _states(desk: _Desk, beside: list[Dismissal]) -> dict[FindingId, str]:
    """The state of each entry, in a word."""
    aside = _aside(desk, beside)
    return {name: "dismissed" if name in aside else each.state.value for name, each in desk.ledger.entries.items()}


def _beside(desk: _Desk) -> list[Dismissal]:
    """Dismissals that no entry carries: of files, items and likes, and shared ones."""
    return [each for each in (*desk.db.dismissals(desk.branch), *_shared(desk.root)[0]) if not each.over(desk.now)]


def _shared(root: Path) -> tuple[tuple[Dismissal, ...], tuple[str, ...]]:
    """The dismissals of the shared file as far as it can be read, and what is wrong with it."""
    from roundzero.store.shared_dismissals import SharedDismissals  # noqa: PLC0415  off the start-up path

    return SharedDismissals(root).read()


def _happened(event: Event | Round) -> str:
    from roundzero.core.ledger import Round  # noqa: PLC0415  off the start-up path

    if isinstance(event, Round):
        return f"  {event.at}  round {event.index}"
    parts = [f"  {event.at}  {event.sign.value}"]
    if event.round is not None:
        parts.append(f"in round {event.round}")
    if event.sighting is not None and event.sighting.path is not None:
        parts.append(f"at {event.sighting.path}:{event.sighting.line}")
    if event.severity is not None:
        parts.append(f"as {event.severity.name}")
    if event.into is not None:
        parts.append(f"with {event.into}")
    if event.dismissal is not None:
        parts.append(f"because: {event.dismissal.reason}{_until(event.dismissal)}")
    elif event.proof is not None:
        parts.append(f"because {event.proof.text}")
    if event.by is not None:
        parts.append(f"by {event.by}")
    return " ".join(parts)


def _place(entry: Entry) -> str:
    from roundzero.core.change import Side  # noqa: PLC0415  off the start-up path

    seen = entry.sighting
    if seen.path is None:
        return "the whole change"
    place = f"{seen.path}:{seen.line}" if seen.line else str(seen.path)
    return f"{place} of the base" if seen.line and seen.side is Side.BASE else place


def _title(entry: Entry) -> str:
    return f"{entry.sighting.title} [{entry.sighting.item}]"


def _about(dismissal: Dismissal) -> str:
    from roundzero.core.dismissal import DismissalScope  # noqa: PLC0415  off the start-up path

    of_file = dismissal.path and dismissal.scope in {DismissalScope.FINDING, DismissalScope.FILE}
    within = f" in {dismissal.path}" if of_file else ""
    return f"{dismissal.item}{within}"


def _until(dismissal: Dismissal) -> str:
    return f" (until {dismissal.expires})" if dismissal.expires is not None else ""
