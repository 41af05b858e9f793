"""``roundzero review``: reviews the change and says whether the branch may go on.

Options to a request, the request to the engine, the report to a format. Invariant: the exit status follows from the
report and ``--fail-on`` alone, whatever was printed.
"""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.cli import _stdout
from roundzero.errors import OutsideError, UserError
from roundzero.render import formats

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from roundzero.cli._place import Place
    from roundzero.cli._progress import Quiet
    from roundzero.config import Settings
    from roundzero.core.report import Depth, Report
    from roundzero.core.text import RelPath
    from roundzero.engine.review import ReviewRequest
    from roundzero.render.look import Gate

SUMMARY: Final = "review the change"
FINDINGS: Final = 1


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    from roundzero.cli._parser import SEVERITIES, severity  # noqa: PLC0415  loaded already

    what = parser.add_argument_group("what is reviewed")
    what.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="show only findings of these files and folders; relative to the current folder, or to --repo",
    )
    what.add_argument(
        "--base", metavar="REF", help="compare with the merge base with REF (default: see roundzero base)"
    )
    what.add_argument("--head", metavar="REV", help="review REV instead of the work tree")
    what.add_argument(
        "--scope",
        choices=("worktree", "staged", "committed"),
        help="worktree: all there is, also untracked (default); staged: index against HEAD; committed: HEAD",
    )
    what.add_argument("--diff", metavar="FILE", help="only lines that this diff adds; - is standard input")
    what.add_argument(
        "--stdin-path", metavar="PATH", help="standard input is the text of this file; relative to the root"
    )
    what.add_argument("--no-untracked", action="store_true", help="leave untracked files out")
    what.add_argument(
        "--no-ledger", action="store_true", help="neither read nor write what is remembered of the branch"
    )
    asked = parser.add_argument_group("what a model is asked")
    asked.add_argument(
        "--model",
        choices=("off", "quick", "deep"),
        help="how deep a model looks; quick sends changed code to your provider, also from a repository that is not"
        " trusted; deep sends more, makes five drafts of the review and takes long (default: by the settings, else"
        " quick, where a provider is configured and the repository is trusted)",
    )
    asked.add_argument("--record", metavar="DIR", help="write every request, without keys, and every reply to a folder")
    asked.add_argument("--replay", metavar="DIR", help="take the replies from a recorded folder; nothing is sent")
    shown = parser.add_argument_group("what is shown")
    shown.add_argument("--format", choices=formats(), default="terminal", help="output format (default: terminal)")
    shown.add_argument("--output", metavar="FILE", help="write there instead of to standard output")
    shown.add_argument("--min-severity", type=severity, choices=SEVERITIES, help="the mildest severity shown")
    shown.add_argument("--all-origins", action="store_true", help="show what was there before this branch too")
    then = parser.add_argument_group("what follows")
    grades = (*SEVERITIES, "never")
    then.add_argument("--fail-on", type=severity, choices=grades, help="exit with 1 from this severity (default P1)")
    then.add_argument("--fix", action="store_true", help="apply the safe fixes, then review again")


def run(args: argparse.Namespace) -> int:
    """Review, print, and return the exit status."""
    _check(args)
    with _collector_at_rest():
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    from roundzero.cli._loop import run as run_loop  # noqa: PLC0415  off the start-up path
    from roundzero.core.item import Severity  # noqa: PLC0415  off the start-up path
    from roundzero.render.look import Gate  # noqa: PLC0415  off the start-up path

    try:
        report, settings = run_loop(_review(args, _read_input(args)))
    except KeyboardInterrupt:
        if args.record is not None:
            _stdout.complain(
                f"interrupted; {args.record} has what was answered, so the same command goes on from there"
            )
        elif args.model in {"quick", "deep"}:
            _stdout.complain("interrupted; what the model answered is kept, so the same command goes on from there")
        raise
    name = settings.gate_fail_on
    failing = name != "never" and report.gravest is not None and report.gravest <= Severity[name]
    _print(args, report, Gate(failing, f"{'gate.failOn' if args.fail_on is None else '--fail-on'} {name}"))
    return FINDINGS if failing else 0


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """No search for cycles meanwhile: next to nothing of a review is in one (measured: a twelfth of its time).

    Nor in what is left afterwards, because the program is about to end.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


def _check(args: argparse.Namespace) -> None:
    """Refuse options that contradict each other. Raises UserError."""
    if args.head is not None and args.scope is not None:
        raise UserError("--head reviews one revision; leave --scope out")
    if args.scope == "staged" and args.base is not None:
        raise UserError("--scope staged compares the index with HEAD; leave --base out")
    objects_only = args.head is not None or args.scope in {"staged", "committed"}
    for option, given in (("--diff", args.diff), ("--stdin-path", args.stdin_path), ("--fix", args.fix)):
        if given and objects_only:
            raise UserError(f"{option} is about the work tree; use it with --scope worktree and without --head")
    if args.diff is not None and args.stdin_path is not None:
        raise UserError("--diff is about files on disk; use it without --stdin-path")
    if args.fix and (args.diff is not None or args.stdin_path is not None):
        raise UserError("--fix changes files on disk; use it without --diff and --stdin-path")
    if args.record is not None and args.replay is not None:
        raise UserError("--replay asks nobody, so there is nothing to record; leave one of the two out")
    for option, given in (("--record", args.record), ("--replay", args.replay)):
        if given is not None and args.model == "off":
            raise UserError(f"{option} is about a model's replies; leave --model off out")


def _read_input(args: argparse.Namespace) -> bytes | None:
    """The diff, or the text on standard input. Read before any loop runs, so that an interrupt ends the waiting."""
    if args.stdin_path is not None or args.diff == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(args.diff).read_bytes() if args.diff is not None else None
    except OSError as error:
        raise UserError(f"the diff {args.diff} cannot be read: {error.strerror}") from error


async def _review(args: argparse.Namespace, given: bytes | None) -> tuple[Report, Settings]:
    from dataclasses import replace  # noqa: PLC0415  off the start-up path

    from roundzero.cli._place import open_place  # noqa: PLC0415  off the start-up path
    from roundzero.cli._progress import progress  # noqa: PLC0415  off the start-up path

    place = await open_place(args.repo, _command_line(args), bare=args.head is not None, at=args.head)
    try:
        place.refuse_broken()
        depth, notices = await _depth(args, place)
        with progress("quiet" if args.output is not None else args.format) as bar:
            report = await _reviewed(args, place, bar, given, depth)
            return replace(report, notices=(*report.notices, *notices)), place.settings
    finally:
        await place.git.close()


def _command_line(args: argparse.Namespace) -> Mapping[str, object]:
    return {"minSeverity": args.min_severity, "gate.failOn": args.fail_on}


async def _depth(args: argparse.Namespace, place: Place) -> tuple[Depth, tuple[str, ...]]:
    """How deep the review goes, and what to say about it. Raises UserError for what cannot be had."""
    asked: Depth | None = args.model
    if args.replay is not None and asked != "deep":
        return "quick", ()
    if asked is None and place.settings.model_provider is None and args.record is None:
        return "off", ()
    if asked == "off":
        return "off", ()
    from roundzero.engine.model_review import check_depth, choose_depth  # noqa: PLC0415  most reviews ask nobody

    if asked is not None:
        if args.replay is None:
            check_depth(asked, place.settings, place.problems)
        return asked, ()
    chosen = choose_depth(place.settings, trusted=await place.trusted())
    if chosen.depth == "off" and args.record is not None:
        raise UserError("no model takes part in this review, so there is nothing to record; add --model quick")
    return chosen.depth, () if chosen.notice is None else (chosen.notice,)


async def _reviewed(args: argparse.Namespace, place: Place, bar: Quiet, given: bytes | None, depth: Depth) -> Report:
    from dataclasses import replace  # noqa: PLC0415  off the start-up path

    from roundzero.engine.review import review  # noqa: PLC0415  off the start-up path
    from roundzero.engine.workspace import Workspace  # noqa: PLC0415  off the start-up path

    root = place.git.root
    request = replace(_request(args, root, given), depth=depth)
    workspace = await Workspace.open(
        root, settings=place.settings, problems=place.problems, git=place.git, ruleset=place.ruleset
    )
    # What --fix changes would be asked about twice: a model looks at the result only.
    first = replace(request, depth="off") if args.fix else request
    report = await review(workspace, first, bar, alone=True)
    _check_paths(args, request, report, root)
    if ignored := await place.git.ignored(request.overlays):
        notices = (f"{path} is ignored by git, so it was not reviewed" for path in sorted(ignored))
        report = replace(report, notices=(*report.notices, *notices))
    if not args.fix:
        return report
    from roundzero.cli._fixing import GOES, Fixed, apply_safe_fixes, summary  # noqa: PLC0415  only --fix needs it

    fixed = Fixed()
    for go in range(GOES):
        fixed = fixed.then(apply_safe_fixes(root, report))
        last = not fixed.again or go == GOES - 1
        if last and not fixed.files and first == request:
            break
        report = await review(workspace, request if last else first, bar, alone=True)
        if last:
            break
    return replace(report, notices=(*report.notices, *summary(fixed)))


def _request(args: argparse.Namespace, root: Path, given: bytes | None) -> ReviewRequest:
    """The request the options ask for. Raises UserError for what cannot be read."""
    from roundzero.cli._place import inside  # noqa: PLC0415  off the start-up path
    from roundzero.engine.review import ReviewRequest  # noqa: PLC0415  off the start-up path
    from roundzero.git.repository import Scope  # noqa: PLC0415  off the start-up path

    paths = tuple(inside(path, root, start=Path.cwd() / args.repo) for path in args.paths)
    overlays: dict[RelPath, str] = {}
    if args.stdin_path is not None and given is not None:
        path = inside(args.stdin_path, root, start=root)
        if (root / path).is_dir() or ".git" in path.split("/"):
            raise UserError(f"--stdin-path {args.stdin_path} names no file of the repository")
        overlays[path] = _text(path, given)
        paths = paths or (path,)
    return ReviewRequest(
        scope=Scope(args.scope or "worktree"),
        base=args.base,
        head=args.head,
        paths=() if "" in paths else paths,
        diff=given if args.diff is not None else None,
        overlays=overlays,
        untracked=not args.no_untracked,
        show_all_origins=args.all_origins,
        remember=not args.no_ledger,
        # Whoever names a depth has consented; without, a depth is chosen for trusted repositories only.
        consent=True,
        record=Path(args.record) if args.record is not None else None,
        replay=Path(args.replay) if args.replay is not None else None,
    )


def _text(path: RelPath, data: bytes) -> str:
    from roundzero.core.item import language_of  # noqa: PLC0415  off the start-up path
    from roundzero.core.text import decode  # noqa: PLC0415  off the start-up path

    decoded = decode(data, python=language_of(path) == "python")
    if decoded is None:
        raise UserError(f"the text of {path} on standard input is not valid in its encoding; send UTF-8")
    return decoded.text


def _check_paths(args: argparse.Namespace, request: ReviewRequest, report: Report, root: Path) -> None:
    """A PATH that neither exists nor was changed is a mistake. Raises UserError."""
    changed = [file.path for file in report.change.files] + [skip.path for skip in report.change.skipped]
    for path in request.paths:
        if not (root / path).exists() and path not in request.overlays:
            if any(each == path or each.startswith(path + "/") for each in changed):
                continue
            raise UserError(f"{path} does not exist and is not part of the change; check {' '.join(args.paths)}")


def _print(args: argparse.Namespace, report: Report, gate: Gate) -> None:
    from roundzero.render import rendered  # noqa: PLC0415  off the start-up path
    from roundzero.render.look import Look  # noqa: PLC0415  off the start-up path

    if args.output is None and args.format == "ndjson":
        from roundzero.render.ndjson import results  # noqa: PLC0415  only for this format

        _stdout.write(results(report))
        return
    if args.output is None:
        _stdout.write(rendered(args.format, report, Look(_stdout.wants_colour(), _stdout.width(), gate)))
        return
    text = rendered(args.format, report, Look(gate=gate))
    try:
        Path(args.output).write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise OutsideError(f"{args.output} cannot be written: {error.strerror}; name another file") from error
