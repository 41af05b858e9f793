"""What a planner is told and what it asks for: events, effects, and the rhythm in which things are to be done.

Said by whoever hears an editor or carries out a job; what follows from what decides ``planner``. Invariant: plain
values, which name files, versions and jobs and hold none of them.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from roundzero.core.text import RelPath

MODEL_IDLE: Final = 2.0
"""Seconds without edits after which a model is asked: long enough that nobody is in the middle of a line."""


class Lane(Enum):
    """What a job looks at: one open file, the change as a whole, or what a model has not been asked about yet."""

    FAST = "fast"
    CHANGE = "change"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Rhythm:
    """When to run, in seconds.

    ``debounce``: rest after the last edit. ``max_delay``: longest time an edit waits while edits keep coming, since a
    debounce that every key restarts never serves someone who does not pause. ``on_type`` False: only on save.
    ``model_idle``: rest after which the model lane runs by itself; None: never. ``model_on_save``: when one is saved.
    """

    debounce: float = 0.15
    max_delay: float = 0.6
    on_type: bool = True
    model_idle: float | None = None
    model_on_save: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """A file was opened in the editor."""

    path: RelPath
    version: int


@dataclass(frozen=True, slots=True)
class Edited:
    """A buffer has a new version."""

    path: RelPath
    version: int


@dataclass(frozen=True, slots=True)
class Saved:
    """A buffer was written to disk."""

    path: RelPath


@dataclass(frozen=True, slots=True)
class Closed:
    """A buffer is gone; the file on disk counts again."""

    path: RelPath


@dataclass(frozen=True, slots=True)
class HeadMoved:
    """HEAD, the index, a ref or a file on disk changed: what the change is may differ."""


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """Rules, base or rhythm differ: every result is out of date."""

    rhythm: Rhythm


@dataclass(frozen=True, slots=True)
class RoundAsked:
    """Someone wants the change looked at now."""


@dataclass(frozen=True, slots=True)
class ModelAsked:
    """Someone wants a model asked now, or what it waited for has come."""


@dataclass(frozen=True, slots=True)
class Collected:
    """The change was collected anew, and these open files differ from what their results were made of."""

    paths: frozenset[RelPath]


@dataclass(frozen=True, slots=True)
class Finished:
    """A job ended. ``failed``: it has no result."""

    job: int
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Tick:
    """The time asked for with ``WakeAt`` has come."""


@dataclass(frozen=True, slots=True)
class Paused:
    """Start nothing until resumed; what comes in meanwhile is remembered."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """Go on."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """End what runs and forget what waits."""


Event = (
    Opened | Edited | Saved | Closed | HeadMoved | SettingsChanged | RoundAsked | ModelAsked | Collected | Finished
    | Tick | Paused | Resumed | Stopped
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Start:
    """Begin a job. ``path`` and ``version`` are None for the lanes that look at the change."""

    job: int
    lane: Lane
    path: RelPath | None
    version: int | None


@dataclass(frozen=True, slots=True)
class Cancel:
    """End a job; its result, should one still come, is nobody's."""

    job: int


@dataclass(frozen=True, slots=True)
class Accept:
    """Take a job's result as it is: it was made of the current version."""

    job: int


@dataclass(frozen=True, slots=True)
class Rebase:
    """Carry a job's result over to the current version, and only what lies on lines that were not edited since.

    Asked for where edits have been coming without rest for ``max_delay``, since dropping would show nothing at all, and
    for what a model said, since that was paid for.
    """

    job: int


@dataclass(frozen=True, slots=True)
class WakeAt:
    """Send ``Tick`` at this time. Replaces an earlier one."""

    at: float


Effect = Start | Cancel | Accept | Rebase | WakeAt
