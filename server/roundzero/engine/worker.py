"""The worker process: ``python -m roundzero.engine.worker``. Checks files so that the loop of the engine never stalls.

With the argument ``wide`` it is made ready for the change as a whole, else for files; it answers either.

One request at a time, in order. A reader thread takes messages in meanwhile, so that a stop is seen between two
checkers, and so that the process ends with its parent. Standard output belongs to the frames; whatever a checker may
print goes to standard error. Invariant: every request gets exactly one ``Done`` or ``Broken``.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import sys
import threading
import traceback
from typing import TYPE_CHECKING, BinaryIO, Final, NoReturn, cast

from roundzero.engine.frames import (
    LENGTH,
    WIDE,
    Answer,
    Broken,
    CheckChange,
    CheckFile,
    Commits,
    Done,
    Grep,
    Paths,
    Question,
    Read,
    Reply,
    Rules,
    Stop,
    Texts,
    frame,
    unpack,
)
from roundzero.engine.repository import changed
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from roundzero.checkers.run import FileResult
    from roundzero.checkers.run_change import ChangeResult
    from roundzero.core.change import Change, Side, Source
    from roundzero.core.item import Item
    from roundzero.core.ports import Commit, GrepHit
    from roundzero.core.text import RelPath

COLLECT_EVERY: Final = 50
"""Requests between two runs of the cycle collector, which else walks every syntax tree while it is built."""


class Pipe:
    """Both directions of the conversation with the engine."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        """Start reading at once."""
        self.requests: queue.SimpleQueue[Rules | CheckFile | CheckChange] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._stopped: set[int] = set()
        self._incoming = incoming
        self._outgoing = outgoing
        threading.Thread(target=self._read, name="reader", daemon=True).start()

    def send(self, message: Reply) -> None:
        """Send a message."""
        self._outgoing.write(frame(message))
        self._outgoing.flush()

    def ask(self, question: Question) -> object:
        """Ask the engine and wait. Raises OutsideError when the world failed there."""
        self.send(question)
        answer = self._answers.get()
        if answer.problem is not None:
            raise OutsideError(answer.problem)
        return answer.value

    def stopped(self, number: int) -> bool:
        """Whether the answer to a request is no longer wanted."""
        return number in self._stopped

    def forget(self, number: int) -> None:
        """A request has been answered."""
        self._stopped.discard(number)

    def _read(self) -> NoReturn:
        while True:
            head = self._incoming.read(LENGTH)
            data = self._incoming.read(int.from_bytes(head, "big")) if len(head) == LENGTH else b""
            if not data:
                os._exit(0)
            match pickle.loads(data):  # noqa: S301  our own parent wrote it
                case Stop(number):
                    self._stopped.add(number)
                case Answer() as answer:
                    self._answers.put(answer)
                case request:
                    self.requests.put(request)


class AskingRepository:
    """The repository as seen from the worker: every question goes to the engine."""

    def __init__(self, pipe: Pipe, number: int, change: Change) -> None:
        """Ask on behalf of one request about ``change``; what was read is kept as long."""
        self._pipe = pipe
        self._change = change
        self._number = number
        self._read: dict[tuple[RelPath, Side], Source | None] = {}
        self._paths: dict[Side, frozenset[RelPath]] = {}
        self._commits: Sequence[Commit] | None = None

    def read(self, path: RelPath, side: Side) -> Source | None:
        """See core.ports."""
        if (known := changed(self._change, path, side)) is not None:
            return known[0]
        if (path, side) not in self._read:
            self._read[path, side] = cast("Source | None", self._pipe.ask(Read(self._number, path, side)))
        return self._read[path, side]

    def paths(self, side: Side) -> frozenset[RelPath]:
        """See core.ports."""
        if side not in self._paths:
            self._paths[side] = cast("frozenset[RelPath]", self._pipe.ask(Paths(self._number, side)))
        return self._paths[side]

    def grep(self, words: Collection[str]) -> Mapping[str, tuple[GrepHit, ...]]:
        """See core.ports."""
        return cast("Mapping[str, tuple[GrepHit, ...]]", self._pipe.ask(Grep(self._number, tuple(words))))

    def commits(self) -> Sequence[Commit]:
        """See core.ports."""
        if self._commits is None:
            self._commits = cast("Sequence[Commit]", self._pipe.ask(Commits(self._number)))
        return self._commits


class Desk:
    """Answers requests."""

    def __init__(self, pipe: Pipe) -> None:
        """Know no items yet."""
        self._pipe = pipe
        self._items: tuple[Item, ...] = ()
        self._texts = Texts()

    def serve(self) -> NoReturn:
        """Answer until the parent is gone."""
        while True:
            match self._pipe.requests.get():
                case Rules(items):
                    self._items = items
                case CheckFile() | CheckChange() as request:
                    self._answer(request)

    def _answer(self, request: CheckFile | CheckChange) -> None:
        number = request.number
        try:
            if isinstance(request, CheckFile):
                result: FileResult | ChangeResult | None = self._file(request)
            else:
                result = self._change(request)
        except Exception as error:  # noqa: BLE001  reported to the engine, which logs it
            self._pipe.send(Broken(number, f"{type(error).__name__}: {error}", traceback.format_exc()))
        else:
            self._pipe.send(Done(number, result))
        self._pipe.forget(number)
        if number % COLLECT_EVERY == 0:
            gc.collect()

    def _file(self, request: CheckFile) -> FileResult | None:
        from roundzero.checkers.run import check_file  # noqa: PLC0415  the process answers stops while this loads

        file = unpack(request, self._texts)
        if self._pipe.stopped(request.number):
            return None
        return check_file(file, self._items, lambda: self._pipe.stopped(request.number))

    def _change(self, request: CheckChange) -> ChangeResult | None:
        from roundzero.engine.whole import SECONDS_WHILE_TYPING, check_whole  # noqa: PLC0415  as above

        return check_whole(
            request.change,
            AskingRepository(self._pipe, request.number, request.change),
            self._items,
            keep_in=request.keep_in,
            seconds=SECONDS_WHILE_TYPING,
            should_stop=lambda: self._pipe.stopped(request.number),
        )


def main() -> NoReturn:
    """Run the worker on this process's standard streams."""
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    pipe = Pipe(sys.stdin.buffer, outgoing)
    gc.disable()
    _warm(wide=WIDE in sys.argv[1:])
    gc.freeze()
    Desk(pipe).serve()


def _warm(*, wide: bool) -> None:
    """Import before the first request what it will need."""
    from roundzero.checkers import is_wide, load, names  # noqa: PLC0415  after the reader has started

    if wide:
        import roundzero.checkers.run_change  # noqa: PLC0415  as above
    else:
        import roundzero.checkers.run  # noqa: F401, PLC0415  as above
    for _ in load(name for name in sorted(names()) if is_wide(name) is wide):
        pass


if __name__ == "__main__":
    main()
