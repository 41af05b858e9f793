"""The model lane of a live engine, made when somebody first needs it: who has no model does not pay for its import.

Asks nothing. Invariant: there is never more than one lane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from roundzero.core import plan
    from roundzero.engine.model_access import Complete
    from roundzero.engine.model_lane import ModelLane
    from roundzero.engine.state import State


class ModelOnDemand:
    """See the module. ``complete`` asks the editor's own model."""

    def __init__(
        self,
        state: State,
        *,
        post: Callable[[plan.Event], None],
        tell: Callable[[], None],
        say: Callable[[str], None],
        complete: Complete | None = None,
    ) -> None:
        """Make nothing. ``post``, ``tell`` and ``say`` are the lane's."""
        self.complete = complete
        self._state = state
        self._post = post
        self._tell = tell
        self._say = say
        self._made: ModelLane | None = None

    @property
    def lane(self) -> ModelLane:
        """The lane, made if there is none yet."""
        if self._made is None:
            from roundzero.engine.model_lane import ModelLane  # noqa: PLC0415  where a model is configured

            self._made = ModelLane(self._state, post=self._post, tell=self._tell, say=self._say, complete=self.complete)
        return self._made

    @property
    def asks(self) -> ModelLane | None:
        """The lane where the user has a model; else only one that was made already."""
        return self.lane if self._state.settings.model_provider is not None else self._made

    def reset(self) -> None:
        """Look for provider, key and trust again; a person has changed something."""
        if self._made is not None:
            self._made.reset()

    def stop(self) -> None:
        """End what was asked for directly."""
        if self._made is not None:
            self._made.stop()

    def ask_again(self) -> None:
        """Look again at what is to be asked: something about the change is known anew."""
        if self._made is not None:
            self._made.ask_again()
