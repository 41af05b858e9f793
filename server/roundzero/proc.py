"""Starts programs: environment, limits, cancellation, and no process left behind.

The only module that starts a program. It knows nothing of git, linters or workers. Invariant: a program that ``run`` or
``Child.close`` did not see end by itself is killed with its whole process group.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

MAX_STDOUT: Final = 512 * 1024 * 1024
"""Bytes of output after which a program is stopped."""

_MAX_STDERR: Final = 64 * 1024
_LINE_LIMIT: Final = 1024 * 1024
_CLOSE_SECONDS: Final = 2.0
_LAST_WORDS_SECONDS: Final = 0.5
"""How long a program that stopped answering may take to say why; one that ended has said it already."""


@dataclass(frozen=True, slots=True)
class Completed:
    """A program that ran to its end. ``stderr`` holds at most the last 64 KiB."""

    returncode: int
    stdout: bytes
    stderr: bytes

    @property
    def complaint(self) -> str:
        """The last line of what the program said on standard error, for messages to people."""
        lines = self.stderr.decode("utf-8", "replace").strip().splitlines()
        return lines[-1].strip() if lines else f"exit status {self.returncode}"


def clean_environment() -> dict[str, str]:
    """The environment without ``GIT_*``: git hooks export GIT_DIR, and it would lead every git astray."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


@contextlib.contextmanager
def reaping_without_threads() -> Iterator[None]:
    """Let the kernel tell asyncio that a program ended, as from Python 3.12 on, instead of a waiting thread for each.

    Around a loop that is the only one meanwhile. A thread that the system has no room for may never report that it
    started, and whoever started it waits for that without a limit. Elsewhere than on Linux nothing changes.
    """
    if sys.version_info >= (3, 12) or sys.platform != "linux" or not _tells_of_ends():
        yield
        return
    before = asyncio.get_child_watcher()
    asyncio.set_child_watcher(asyncio.PidfdChildWatcher())
    try:
        yield
    finally:
        asyncio.set_child_watcher(before)


def _tells_of_ends() -> bool:
    """Whether the kernel knows descriptors of processes, from Linux 5.3 on."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True


@contextlib.asynccontextmanager
async def side_by_side() -> AsyncIterator[asyncio.TaskGroup]:
    """A task group whose first failure comes out as itself instead of in a group."""
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


async def run(
    argv: Sequence[str],
    *,
    cwd: str | os.PathLike[str],
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float = 60,
    max_stdout: int = MAX_STDOUT,
) -> Completed:
    """Run a program to its end and return what it wrote, whatever its exit status.

    ``env`` None is ``clean_environment()``; ``stdin`` None is empty. Raises OutsideError when the program is missing,
    does not end within ``seconds`` or writes more than ``max_stdout`` bytes. On every way out, cancellation included,
    the program and its children are killed and reaped.
    """
    name = Path(argv[0]).name
    loop = asyncio.get_running_loop()
    collector = _Collector(loop, max_stdout)
    try:
        transport, _ = await loop.subprocess_exec(
            lambda: collector,
            *argv,
            stdin=asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=cwd,
            env=clean_environment() if env is None else env,
            start_new_session=True,
        )
    except OSError as error:
        raise _not_started(argv[0], cwd, error) from error
    try:
        if stdin is not None and (pipe := transport.get_pipe_transport(0)) is not None:
            assert isinstance(pipe, asyncio.WriteTransport)  # noqa: S101  what asyncio documents, unsaid in its types
            pipe.write(stdin)
            pipe.close()
        async with asyncio.timeout(seconds):
            await collector.done
    except TimeoutError as error:
        raise OutsideError(f"{name} did not finish within {seconds:g} seconds and was stopped") from error
    finally:
        try:
            if collector.done.cancelled() or collector.overflown:  # a time-out cancels what it waits for
                _kill_group(transport.get_pid())
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_CLOSE_SECONDS):
                        await asyncio.shield(collector.exited)
        finally:
            transport.close()  # also when it is cancelled a second time meanwhile
    if collector.overflown:
        raise OutsideError(f"{name} wrote more than {max_stdout} bytes and was stopped")
    return Completed(transport.get_returncode() or 0, bytes(collector.stdout), bytes(collector.stderr))


class _Collector(asyncio.SubprocessProtocol):
    """Gathers output; ``done`` once the program has ended and its pipes are closed, or it wrote too much."""

    def __init__(self, loop: asyncio.AbstractEventLoop, max_stdout: int) -> None:
        self.done: asyncio.Future[None] = loop.create_future()
        self.exited: asyncio.Future[None] = loop.create_future()
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.overflown = False
        self._max_stdout = max_stdout
        self._open = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.stderr += data
            del self.stderr[:-_MAX_STDERR]
        elif not self.overflown:
            self.stdout += data
            if len(self.stdout) > self._max_stdout:
                self.overflown = True
                self._finish()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        del exc
        self._open.discard(fd)
        self._check()

    def process_exited(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)
        self._check()

    def _check(self) -> None:
        if not self._open and self.exited.done():
            self._finish()

    def _finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


class Child:
    """A long-lived program that is spoken to through its pipes. It ends when its standard input does.

    One owner at a time: reads and writes are not locked. After an error or a cancellation in the middle of an answer
    the conversation is lost; ``close`` it and start another. Closing is for anybody, at any time and more than once:
    whoever reads or writes meanwhile is told that the program is gone.
    """

    def __init__(self, transport: asyncio.SubprocessTransport, process: asyncio.subprocess.Process, name: str) -> None:
        """Use ``start``."""
        self._transport = transport
        self._process = process
        self._name = name
        self._complaints = bytearray()
        self._listener = asyncio.ensure_future(self._listen())
        self._closing: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls,
        argv: Sequence[str],
        cwd: str | os.PathLike[str],
        env: Mapping[str, str] | None = None,
    ) -> Child:
        """Start a program. ``env`` as for ``run``. Raises OutsideError when it cannot be started."""
        loop = asyncio.get_running_loop()
        try:
            transport, streams = await loop.subprocess_exec(
                lambda: asyncio.subprocess.SubprocessStreamProtocol(limit=_LINE_LIMIT, loop=loop),
                *argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=cwd,
                env=clean_environment() if env is None else env,
                start_new_session=True,
            )
        except OSError as error:
            raise _not_started(argv[0], cwd, error) from error
        return cls(transport, asyncio.subprocess.Process(transport, streams, loop), Path(argv[0]).name)

    @property
    def alive(self) -> bool:
        """Whether the program still runs."""
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def complaint(self) -> str:
        """The end of what it wrote on standard error, at most 64 KiB, for the log."""
        return self._complaints.decode("utf-8", "replace").strip()

    async def write(self, data: bytes) -> None:
        """Send bytes. Raises OutsideError when the program is gone."""
        pipe = self._process.stdin
        assert pipe is not None  # noqa: S101  opened in start
        try:
            pipe.write(data)
            await pipe.drain()
        except (ConnectionError, RuntimeError) as error:
            raise await self._gone() from error

    async def readline(self) -> bytes:
        """The next line with its terminator, at most 1 MiB. Raises OutsideError when the program is gone."""
        pipe = self._process.stdout
        assert pipe is not None  # noqa: S101  opened in start
        try:
            return await pipe.readuntil(b"\n")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError) as error:
            raise await self._gone() from error

    async def readexactly(self, size: int) -> bytes:
        """The next ``size`` bytes. Raises OutsideError when the program is gone before."""
        pipe = self._process.stdout
        assert pipe is not None  # noqa: S101  opened in start
        try:
            return await pipe.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise await self._gone() from error

    async def close(self) -> None:
        """End the program: close its pipes, and kill its group when it has not ended two seconds later."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        # Not reading on: a program blocked on a full pipe ends when nobody is left at the other end.
        for descriptor in (0, 1):
            if (pipe := self._transport.get_pipe_transport(descriptor)) is not None:
                pipe.close()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self.kill()
        self._transport.close()
        await self._process.wait()
        await self._listener

    def kill(self) -> None:
        """Kill the whole group at once; for a program whose conversation is lost. ``close`` it all the same."""
        if self.alive:
            _kill_group(self._process.pid)

    async def _gone(self) -> OutsideError:
        await asyncio.wait([self._listener], timeout=_LAST_WORDS_SECONDS)
        last = self.complaint.rsplit("\n", 1)[-1]
        return OutsideError(f"{self._name} ended unexpectedly" + (f": {last}" if last else ""))

    async def _listen(self) -> None:
        pipe = self._process.stderr
        assert pipe is not None  # noqa: S101  opened in start
        while data := await pipe.read(_MAX_STDERR):
            self._complaints += data
            del self._complaints[:-_MAX_STDERR]


def tool_path(name: str) -> str:
    """The copy of ``ruff`` or ``ast-grep`` that was installed with us, never one found on PATH.

    Raises OutsideError naming the reinstallation that brings it back.
    """
    beside = shutil.which(name, path=str(Path(sys.executable).parent))
    if beside is not None:
        return beside
    if (among_scripts := shutil.which(name, path=sysconfig.get_path("scripts"))) is not None:
        return among_scripts
    raise OutsideError(
        f"{name} is missing beside {sys.executable}; bring it back with: pip install --force-reinstall roundzero"
    )


def _kill_group(pid: int) -> None:
    """Kill the group that a child of ours leads. Only for a child not yet reaped: later its id may be another's."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _not_started(program: str, cwd: str | os.PathLike[str], error: OSError) -> OutsideError:
    name = Path(program).name
    if not Path(cwd).is_dir():
        return OutsideError(f"{name} could not be started: the folder {os.fspath(cwd)} does not exist")
    if isinstance(error, FileNotFoundError):
        return OutsideError(f"{name} was not found; install it, or put it on PATH")
    return OutsideError(f"{name} could not be started: {error.strerror or error}")
