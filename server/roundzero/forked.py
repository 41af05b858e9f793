"""A copy of this process that answers questions beside it: what is imported and read already is so there too.

Made by ``fork``, so only on Linux, and only by a program that does one thing and ends soon after; never by the language
server. The copy runs no loop, starts no thread, holds none of our files and writes nothing to standard output; it ends
when it is let go of, and when we end, however that happens. Invariants: the copy never comes back into the code that
made it; every question is answered or fails.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import signal
import socket
import sys
import traceback
import warnings
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_log: Final = logging.getLogger(__name__)

ENDED: Final = "the second process ended while it checked this"

_SIZE: Final = 4
"""Bytes of a question, which is a number, and of the length before an answer; big-endian."""

_CHUNK: Final = 256 * 1024
_FILES: Final = Path("/proc/self/fd")


def can_fork() -> bool:
    """Whether a copy is safe here. Elsewhere a library of the system may not survive it."""
    return sys.platform == "linux" and _FILES.is_dir()


class Copy:
    """The copy. It is asked numbers, any of them before the last is answered, and gives what ``answer`` makes of them.

    For one loop, on which nothing else may be doing anything in a thread while the copy is made.
    """

    def __init__(self, answer: Callable[[int], object]) -> None:
        """Make it. Raises OSError where the system has no room for it."""
        self._loop = asyncio.get_running_loop()
        self._asked: deque[asyncio.Future[object]] = deque()
        self._received = bytearray()
        self._pipe, theirs = socket.socketpair()
        # No signal may reach the copy before it has let go of our handlers.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # newer Pythons warn of threads, even of those that only wait
                self.pid = os.fork()
            if self.pid == 0:
                _be_the_copy(theirs, answer, blocked)
        except OSError:
            self._pipe.close()
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            theirs.close()
        self._pipe.setblocking(False)  # noqa: FBT003  the standard library names no argument
        self._loop.add_reader(self._pipe, self._read)

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._pipe.fileno() != -1

    async def ask(self, number: int) -> object:
        """What the copy answers. Raises OutsideError when it broke over it, or has ended."""
        answer: asyncio.Future[object] = self._loop.create_future()
        try:
            self._pipe.send(number.to_bytes(_SIZE, "big"))
        except OSError as error:
            self.close()  # told by nobody else while the loop does not turn
            raise OutsideError(ENDED) from error
        self._asked.append(answer)
        return await answer

    def close(self) -> None:
        """End the copy at once. What it was asked fails."""
        if self.alive:
            self._loop.remove_reader(self._pipe)
            self._pipe.close()
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        while self._asked:
            self._settle(OutsideError(ENDED))

    def _read(self) -> None:
        try:
            data = self._pipe.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            _log.info("the second process ended")
            self.close()
            return
        self._received += data
        while len(self._received) >= _SIZE:
            end = _SIZE + int.from_bytes(self._received[:_SIZE], "big")
            if len(self._received) < end:
                break
            answer = pickle.loads(self._received[_SIZE:end])  # noqa: S301  a copy of us wrote it
            del self._received[:end]
            self._settle(answer)

    def _settle(self, answer: object) -> None:
        waiting = self._asked.popleft()
        if waiting.done():
            return
        if isinstance(answer, OutsideError):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)


def _be_the_copy(pipe: socket.socket, answer: Callable[[int], object], blocked: Iterable[int]) -> NoReturn:
    """Answer until nobody asks any more."""
    status = 1
    try:
        _let_go(pipe.fileno())
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        while question := pipe.recv(_SIZE, socket.MSG_WAITALL):
            data = pickle.dumps(_answered(answer, int.from_bytes(question, "big")), pickle.HIGHEST_PROTOCOL)
            pipe.sendall(len(data).to_bytes(_SIZE, "big") + data)
        status = 0
    finally:
        os._exit(status)  # whatever happened: no exit handler, no second flush of what we have not written yet


def _let_go(pipe: int) -> None:
    """Keep nothing of the process we are a copy of but the pipe: not its handlers, its output or its files."""
    signal.set_wakeup_fd(-1)
    for each in signal.valid_signals():
        if callable(signal.getsignal(each)):
            signal.signal(each, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the person means us, and we end the copy
    os.dup2(2, 1)
    for descriptor in [int(file.name) for file in _FILES.iterdir()]:
        if descriptor > 2 and descriptor != pipe:
            with suppress(OSError):  # the listing itself
                os.close(descriptor)


def _answered(answer: Callable[[int], object], number: int) -> object:
    try:
        return answer(number)
    except Exception as error:  # noqa: BLE001  told to who asked
        with suppress(OSError):
            os.write(2, traceback.format_exc().encode("utf-8", "replace"))  # no lock that a thread may have held
        return OutsideError(f"a check broke: {type(error).__name__}: {error}")
