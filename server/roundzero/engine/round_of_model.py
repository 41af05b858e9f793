"""Writes a round down when a model has looked at the whole change by itself: a review like any other that asks nobody.

Invariant: a round is only written of the very texts the model was asked about.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from roundzero.engine.pool import Worker
from roundzero.engine.review import ReviewRequest, review
from roundzero.errors import RoundzeroError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.change import Change
    from roundzero.core.text import RelPath
    from roundzero.engine.review import Said
    from roundzero.engine.state import State

_LOG: Final = logging.getLogger(__name__)


async def commit_round(state: State, change: Change, said: Said, texts: Mapping[RelPath, str]) -> bool:
    """Review the change as it stands, with ``texts`` for open buffers; False when it has moved on or could not be.

    The checks run in a process of their own, so that a keystroke does not wait for them.
    """
    live, workspace = state.live, state.workspace
    if live is None or workspace is None or live.change is None or live.change.snapshot != change.snapshot:
        return False
    request = ReviewRequest(depth="quick", unsaved=texts, remember=True, consent=True)
    own = Worker()
    try:
        await review(workspace, request, runner=own, identify=live.identify, said=said)
    except RoundzeroError as error:
        _LOG.warning("no round was written after the model had looked: %s", error)
        return False
    finally:
        await own.close()
    return True
