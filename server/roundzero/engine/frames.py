"""The messages between the engine and its worker process, and their form on the pipe.

A frame is the length in four bytes, big-endian, and a pickle. Both ends are this program and share a private pipe, so
pickle is no boundary here. A base text crosses the pipe once: both ends keep the same last texts by the same rule.
Invariant: ``Texts`` of both ends hold the same keys after the same messages.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from roundzero.checkers.run import FileResult
    from roundzero.checkers.run_change import ChangeResult
    from roundzero.core.change import Change, FileChange, Side, Source
    from roundzero.core.item import Item
    from roundzero.core.text import RelPath

LENGTH: Final = 4
WIDE: Final = "wide"
"""The argument of a worker process that is to look at the change as a whole."""

TEXTS_KEPT: Final = 16
"""Base texts a worker keeps: the files someone works on, far below the memory of one syntax tree."""

TextKey: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Rules:
    """The items to check from now on."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class CheckFile:
    """Check one file. ``file.base`` is left out when the worker has the text of ``base`` already."""

    number: int
    file: FileChange
    base: TextKey | None


@dataclass(frozen=True, slots=True)
class CheckChange:
    """Check the change as a whole. ``keep_in`` as in Snapshot."""

    number: int
    change: Change
    keep_in: Path | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """The answer to a request is no longer wanted."""

    number: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question of the worker led to; ``problem`` when the world failed."""

    value: object
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a request; None when it was stopped."""

    number: int
    result: FileResult | ChangeResult | None


@dataclass(frozen=True, slots=True)
class Broken:
    """A request that ended with an error of ours; ``trace`` is for the log."""

    number: int
    message: str
    trace: str


@dataclass(frozen=True, slots=True)
class Read:
    """The worker asks for one side of a file."""

    number: int
    path: RelPath
    side: Side


@dataclass(frozen=True, slots=True)
class Paths:
    """The worker asks for all paths of a side."""

    number: int
    side: Side


@dataclass(frozen=True, slots=True)
class Grep:
    """The worker asks where words stand."""

    number: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Commits:
    """The worker asks for the commits of the change."""

    number: int


Request: TypeAlias = Rules | CheckFile | CheckChange | Stop | Answer
Question: TypeAlias = Read | Paths | Grep | Commits
Reply: TypeAlias = Done | Broken | Read | Paths | Grep | Commits


def frame(message: Request | Reply) -> bytes:
    """A message as it crosses the pipe."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return len(data).to_bytes(LENGTH, "big") + data


class Texts:
    """The last base texts. ``put`` and ``get`` must be called in the same order at both ends."""

    def __init__(self) -> None:
        """Hold nothing."""
        self._kept: OrderedDict[TextKey, Source] = OrderedDict()

    def knows(self, key: TextKey) -> bool:
        """Whether a text is held."""
        return key in self._kept

    def get(self, key: TextKey) -> Source:
        """A held text, which becomes the most recent."""
        self._kept.move_to_end(key)
        return self._kept[key]

    def put(self, key: TextKey, source: Source) -> None:
        """Hold a text; the least recent goes."""
        self._kept[key] = source
        self._kept.move_to_end(key)
        if len(self._kept) > TEXTS_KEPT:
            self._kept.popitem(last=False)


def pack(number: int, file: FileChange, texts: Texts) -> CheckFile:
    """A request to check a file, without the base text when it has crossed before.

    ``replace`` makes a copy without what the file has worked out about itself.
    """
    if file.base is None:
        return CheckFile(number, replace(file), None)
    key = (file.base.blob, file.base.path)
    if texts.knows(key):
        texts.get(key)
        return CheckFile(number, replace(file, base=None), key)
    texts.put(key, file.base)
    return CheckFile(number, replace(file), key)


def unpack(request: CheckFile, texts: Texts) -> FileChange:
    """The file of a request, its base text from before put back in."""
    if request.base is None:
        return request.file
    if request.file.base is None:
        return replace(request.file, base=texts.get(request.base))
    texts.put(request.base, request.file.base)
    return request.file
