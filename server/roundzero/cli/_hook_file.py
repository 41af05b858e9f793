"""The script that git runs, and how it comes into a folder of hooks and out again.

Knows files, not git. A hook that is there already is moved beside ours, which calls it first with what git gave it.
Invariants: nothing that somebody else wrote is overwritten or lost; taking our hook away brings back exactly what was
there; without a working Round Zero the script stops nothing and says so.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import sys
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.errors import OutsideError, UserError

if TYPE_CHECKING:
    from pathlib import Path

STAGES: Final = {"pre-push": "push", "pre-commit": "commit"}
"""The stages, each with what it stands before."""

_MARK: Final = regex(rb"\A#!/bin/sh\n# Round Zero's hook, ([0-9a-f]{16})\. [^\n]*\n", re.ASCII)

_SUFFIX: Final = ".before-roundzero"

_BODY: Final = """\
python={python}
stage={stage}
here=$(CDPATH='' cd -- "${{0%/*}}" && pwd -P)
before=$here/$stage{suffix}

{fed}
# The hook we call first may have moved ours beside itself and call it: once is enough.
[ "${{_ROUNDZERO_HOOK-}}" != "$before" ] || exit 0
if [ -x "$before" ]; then
  (_ROUNDZERO_HOOK=$before; export _ROUNDZERO_HOOK; fed "$before" "$@") || exit
fi
if [ ! -x "$python" ]; then
  echo "roundzero: $python is gone, so nothing was reviewed and the {what} goes on." >&2
  echo "Bring it back: roundzero hook install --stage $stage; or remove this hook: $here/$stage" >&2
  exit 0
fi
unset PRE_COMMIT # what is pushed stands on standard input here, also below a hook of the framework's
fed "$python" -P -m roundzero hook run --stage "$stage" -- "$@"
status=$?
case $status in
  0 | 130) exit "$status" ;;
  1) "$python" -P -c 'import roundzero' 2>/dev/null && exit 1 ;;
esac
echo "roundzero: the review could not run (status $status), so nothing was reviewed and the {what} goes on." >&2
exit 0
"""
"""-P: the folder that git runs hooks in, the repository's own, is no place to import modules from."""

_FED: Final = {
    "pre-push": """\
refs=$(cat)
fed() {
  if [ -n "$refs" ]; then
    "$@" <<END
$refs
END
  else
    "$@" </dev/null
  fi
}
""",
    "pre-commit": """\
fed() {
  "$@"
}
""",
}
"""Runs a command with what git wrote to our standard input, which can be read once only."""


def script(stage: str, python: str = sys.executable) -> bytes:
    """The hook of a stage."""
    return _sealed(_text(stage, python))


def install(folder: Path, stage: str) -> str:
    """Put our hook in place; what was done, in words. Raises UserError and OutsideError."""
    hook, before = folder / stage, folder / f"{stage}{_SUFFIX}"
    fresh = script(stage)
    try:
        old = _read(hook)
        if old is not None and _is_ours(old):
            _check_unchanged(hook, old)
            if old == fresh and os.access(hook, os.X_OK):
                return f"{hook} is installed already"
        elif os.path.lexists(hook):
            _move_aside(hook, before)
        folder.mkdir(parents=True, exist_ok=True)
        _write(hook, fresh, before)
    except OSError as error:
        raise _unwritable(hook, error) from error
    chained = f"; it calls the hook that was there, now {before.name}, first" if os.path.lexists(before) else ""
    return f"{hook} reviews before every {STAGES[stage]}{chained}"


def installed(folder: Path, stage: str) -> bool:
    """Whether the hook of a stage there is ours. One that cannot be read is not."""
    try:
        found = _read(folder / stage)
    except OSError:
        return False
    return found is not None and _is_ours(found)


def uninstall(folder: Path, stage: str) -> str:
    """Take our hook away and bring back what was there; what was done, in words. Raises UserError and OutsideError."""
    hook, before = folder / stage, folder / f"{stage}{_SUFFIX}"
    try:
        old = _read(hook)
        if old is None or not _is_ours(old):
            return f"there is no hook of Round Zero's at {hook}"
        _check_unchanged(hook, old)
        if os.path.lexists(before):
            before.replace(hook)
            return f"{hook} is again the hook that was there before"
        hook.unlink()
    except OSError as error:
        raise _unwritable(hook, error) from error
    return f"{hook} is removed"


def _text(stage: str, python: str) -> bytes:
    filled = _BODY.format(
        python=shlex.quote(python),
        stage=stage,
        suffix=_SUFFIX,
        what=STAGES[stage],
        fed=_FED[stage],
    )
    return os.fsencode(filled)


def _sealed(body: bytes) -> bytes:
    """The script with a first comment by which it is known, and known to be as we wrote it."""
    digest = hashlib.sha256(body).hexdigest()[:16]
    return f"#!/bin/sh\n# Round Zero's hook, {digest}. Removed by: roundzero hook uninstall\n".encode() + body


def _read(hook: Path) -> bytes | None:
    """The bytes of a regular file; None for anything else, a link too."""
    return hook.read_bytes() if hook.is_file() and not hook.is_symlink() else None


def _is_ours(data: bytes) -> bool:
    return _MARK.match(data) is not None


def _check_unchanged(hook: Path, data: bytes) -> None:
    """Refuse to lose what somebody wrote into our hook. Raises UserError."""
    mark = _MARK.match(data)
    if mark is None or hashlib.sha256(data[mark.end() :]).hexdigest()[:16].encode() != mark[1]:
        raise UserError(f"{hook} was changed by hand; save what you need of it and delete it, then try again")


def _move_aside(hook: Path, before: Path) -> None:
    """Move somebody's hook beside ours. Raises UserError where that place is taken."""
    if hook.is_dir() and not hook.is_symlink():
        raise UserError(f"{hook} is a folder; remove it, because git cannot run it either")
    if os.path.lexists(before):
        raise UserError(
            f"{hook} is not Round Zero's, and {before.name} beside it was moved there when ours was installed:"
            " something has replaced ours. Merge the two or delete one, then try again"
        )
    hook.rename(before)


def _write(hook: Path, data: bytes, before: Path) -> None:
    """Write the hook in one step; if that fails, what was moved aside comes back."""
    fresh = hook.with_name(f"{hook.name}.{os.getpid()}")
    try:
        fresh.write_bytes(data)
        fresh.chmod(0o755)
        fresh.replace(hook)
    except OSError:
        fresh.unlink(missing_ok=True)
        if os.path.lexists(before) and not os.path.lexists(hook):
            before.rename(hook)
        raise


def _unwritable(hook: Path, error: OSError) -> OutsideError:
    return OutsideError(f"{hook} cannot be written: {error.strerror}; check the permissions of its folder")
