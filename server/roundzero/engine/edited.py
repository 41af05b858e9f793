"""What was edited beside the change while a model looked at it.

The texts of a change are those it was collected with, whatever happens on disk; all others are read when somebody asks.
A deep review takes minutes, so that one of these may be newer than the change that is judged by it. Knows no finding.
Invariant: what cannot be found out is not claimed to have changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.few import few
from roundzero.engine.gaps import EDITED, counted
from roundzero.errors import OutsideError, UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roundzero.core.change import Change
    from roundzero.core.text import RelPath
    from roundzero.engine.workspace import Workspace

NAMED: Final = 3
"""Most files that are named."""


async def edited_since(
    workspace: Workspace, change: Change, unsaved: Mapping[RelPath, str], *, untracked: bool
) -> tuple[RelPath, ...]:
    """Files that differ from the base by now, new ones too, and are no part of the change, which is all that did.

    ``unsaved``: the buffers that the change was collected with. ``untracked``: as it was collected.
    """
    if change.head_tree is not None:
        return ()
    try:
        rules = workspace.collect_rules(untracked=untracked)
        now = await workspace.git.collect(change.base, rules=rules, overlays=unsaved)
    except (OutsideError, UserError):
        return ()
    known = {path for file in change.files for path in (file.path, file.old_path)}
    known |= {path for skip in change.skipped for path in (skip.path, skip.old_path)}
    return tuple(sorted(each.path for each in now.files if each.path not in known))


def told_edited(paths: Sequence[RelPath]) -> str:
    """The sentence on it."""
    return counted(EDITED, len(paths), count=len(paths), files=few(paths, NAMED))
