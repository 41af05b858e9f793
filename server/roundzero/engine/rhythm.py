"""When a live engine's lanes run, by the settings.

Invariant: without a model of the user's, or with it switched off, no rhythm has the planner ask one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core import plan

if TYPE_CHECKING:
    from roundzero.config import Settings


def rhythm_of(settings: Settings) -> plan.Rhythm:
    """The planner's rhythm under some settings."""
    debounce = settings.debounce_ms / 1000
    asks = settings.model_provider is not None
    return plan.Rhythm(
        debounce,
        max_delay=max(4 * debounce, 0.4),
        on_type=settings.run == "onType",
        model_idle=max(plan.MODEL_IDLE, debounce) if asks and settings.model_mode == "onIdle" else None,
        model_on_save=asks and settings.model_mode == "onSave",
    )
