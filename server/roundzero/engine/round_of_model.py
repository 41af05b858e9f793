"""Writes a round down when a model has looked at the whole change by itself: a review like any other that asks nobody.

Invariant: a round is only written of the very texts the model was asked about.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.worker_link import Worker
from roundzero.errors import OutsideError, RoundzeroError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.change import Change
    from roundzero.core.text import RelPath
    from roundzero.engine.model_review import Asked
    from roundzero.engine.review import Said
    from roundzero.engine.state import State

_log: Final = logging.getLogger(__name__)


async def commit_round(state: State, change: Change, said: Said, texts: Mapping[RelPath, str]) -> bool:
    """Review the change as it stands, with ``texts`` for open buffers; False when it has moved on or could not be.

    The checks run in a process of their own, so that a keystroke does not wait for them.
    """
    live, workspace = state.live, state.workspace
    if live is None or workspace is None or live.change is None or not _same(live.change, change, texts):
        return False

    def said_of(now: Change) -> Asked | None:
        # The review collects anew, and a file may have been written meanwhile. This is asked before anything is kept.
        if not _same(now, change, {}):
            raise _MovedOnError("the change is another since the model looked")
        return said(now)

    at_hand = live.recall.texts.by_blob() if live.recall is not None else {}
    request = ReviewRequest(depth="quick", unsaved=texts, at_hand=at_hand, remember=True, consent=True)
    own = Worker()
    try:
        await review(workspace, request, runner=own, identify=live.identify, said=said_of)
    except _MovedOnError as error:
        _log.info("no round: %s", error)
        return False
    except RoundzeroError as error:
        _log.warning("no round was written after the model had looked: %s", error)
        return False
    finally:
        await own.close()
    return True


class _MovedOnError(OutsideError):
    """What was asked about is not there any more."""


def _same(now: Change, asked: Change, texts: Mapping[RelPath, str]) -> bool:
    """Whether a change is the one that was asked about, and these newer texts are its own."""
    if (now.base.merge_base, now.snapshot) != (asked.base.merge_base, asked.snapshot):
        return False
    heads = asked.head_texts
    return all(path not in heads or heads[path].text == text for path, text in texts.items())
