"""Carries out the calls of models that look around: one at a time, within limits, whatever the model wrote.

Knows the tools by discovery and nothing of conversations. Invariants: a call is answered in words or by a tool, and
raises nothing but cancellation; what comes from the repository stands between fences (core/prompt); after ``close``
nothing of it runs. One thread at a time is used, because the work of that thread needs others of the same few.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Self

from roundzero.core.frozen import dataclass
from roundzero.core.model_values import ToolSpec
from roundzero.core.prompt import fenced
from roundzero.core.toolbox import Unanswered
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from roundzero.core.change import Side, Source
    from roundzero.core.ledger import Ledger
    from roundzero.core.toolbox import ToolCall
    from roundzero.engine.known_facts import KnownFacts
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.tools import Tool
    from roundzero.engine.tools._view import Found, ToolView

_GRACE: Final = 5.0
"""Seconds a call may take past its limit, which is looked at between two steps, before it is given up."""

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a call gave. ``unanswered`` None: a tool's answer; else why none gave one, which ``text`` says to the model.

    ``cut``: only a part of what there is. ``shown``: the texts that lines were shown of. ``seconds``: how long the tool
    took.
    """

    text: str
    unanswered: Unanswered | None
    cut: bool = False
    shown: tuple[tuple[Side, Source], ...] = ()
    seconds: float = 0.0

    @property
    def bytes(self) -> int:
        """The size of the text."""
        return len(self.text.encode("utf-8", "replace"))


class Toolbox:
    """The tools over one snapshot, for any number of conversations. Use as ``async with``."""

    def __init__(self, snapshot: Snapshot, *, facts: KnownFacts | None = None, ledger: Ledger | None = None) -> None:
        """Look at nothing yet. ``facts``: what is known of files already; ``ledger``: of earlier rounds."""
        from roundzero.engine.known_facts import KnownFacts as Known  # noqa: PLC0415  off the start-up path
        from roundzero.engine.repository import BridgedRepository  # noqa: PLC0415  as above
        from roundzero.engine.tools import discover  # noqa: PLC0415  as above
        from roundzero.engine.tools._arguments import schema  # noqa: PLC0415  as above

        self._tools = discover()
        self.specs = tuple(
            ToolSpec(name=tool.name, description=tool.description, parameters=schema(tool.parameters))
            for tool in self._tools.values()
        )
        self._change = snapshot.change
        self._facts = facts or Known(snapshot.keep_in)
        self._ledger = ledger
        self._bridge = BridgedRepository(snapshot, asyncio.get_running_loop())
        self._view: ToolView | None = None
        self._stop = threading.Event()
        self._limit = _CallLimit(self._stop.is_set)
        self._turn = asyncio.Lock()
        self._working: set[asyncio.Future[Result]] = set()

    async def __aenter__(self) -> Self:
        """Nothing to prepare."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """As ``close``."""
        await self.close()

    async def close(self) -> None:
        """End what runs, and answer nothing any more."""
        self._stop.set()
        self._bridge.close()
        if self._working:
            await asyncio.wait(self._working)

    @property
    def is_working(self) -> bool:
        """Whether a tool is at work."""
        return bool(self._working)

    async def run(self, call: ToolCall, *, most: int, seconds: float) -> Result:
        """Carry out a call within ``seconds``; a result of ``most`` bytes, a few more for our own words."""
        tool = self._tools.get(call.name)
        if tool is None:
            text = f"there is no tool {call.name!r}; there are: {', '.join(self._tools)}"
            return Result(text=text, unanswered=Unanswered.WRONG)
        await self._turn.acquire()
        started = time.monotonic()
        working = asyncio.ensure_future(asyncio.to_thread(self._answer, tool, call, most, seconds))
        self._working.add(working)
        working.add_done_callback(self._over)
        await asyncio.wait({working}, timeout=seconds + _GRACE)
        if not working.done():
            return Result(text=_TOO_LONG, unanswered=Unanswered.LATE, seconds=time.monotonic() - started)
        return working.result()

    def _over(self, working: asyncio.Future[Result]) -> None:
        self._working.discard(working)
        self._turn.release()

    def _answer(self, tool: Tool, call: ToolCall, most: int, seconds: float) -> Result:
        from roundzero.engine.tools._arguments import RefusedError, checked  # noqa: PLC0415  off the start-up path

        started = time.monotonic()
        try:
            asked = checked(call.arguments, tool.parameters)
            with self._looking(seconds) as view:
                found = tool.run(asked, view)
                shown = tuple((side, source) for (_, side), source in view.shown.items())
            text, cut = worded(found, most)
            return Result(text=text, unanswered=None, cut=cut, shown=shown, seconds=time.monotonic() - started)
        except RefusedError as refused:
            text = "\n".join((f"not answered: {refused}", *(fenced(refused.near) if refused.near else ())))
            why = refused.why
        except OutsideError:
            why = Unanswered.LATE if self._limit.over else Unanswered.FAILED
            text = _TOO_LONG if self._limit.over else "not answered: the repository could not be asked"
        except Exception:  # noqa: BLE001  a fault of one tool costs its answer
            _log.exception("the tool %s failed", tool.name)
            text, why = "not answered: the tool failed", Unanswered.FAILED
        return Result(text=text, unanswered=why, seconds=time.monotonic() - started)

    @contextmanager
    def _looking(self, seconds: float) -> Iterator[ToolView]:
        from roundzero.core.ledger import Ledger  # noqa: PLC0415  off the start-up path
        from roundzero.engine.tools._view import ToolView  # noqa: PLC0415  as above
        from roundzero.index.symbols import RepositorySymbols  # noqa: PLC0415  as above

        with self._facts.open() as store:
            self._limit.restart(seconds)
            if self._view is None:
                symbols = RepositorySymbols(self._bridge, self._change, store, self._limit)
                ledger = self._ledger if self._ledger is not None else Ledger()
                self._view = ToolView(self._change, self._bridge, symbols, self._limit, ledger)
            self._view.shown.clear()
            yield self._view


_TOO_LONG: Final = "not answered: it took too long; ask for something narrower"


def worded(found: Found, most: int) -> tuple[str, bool]:
    """What a tool found, as a text, and whether that is less than there is.

    Our words, and lines from the repository between fences, at most so many bytes.
    """
    body: list[str] = []
    for row in found.body:
        line = row.encode("utf-8", "replace").decode()
        most -= len(line.encode()) + 1
        if most < 0:
            break
        body.append(line)
    cut = len(found.body) - len(body)
    rest = (found.rest, f"{cut} more lines are cut: no more bytes are left" if cut else "")
    return "\n".join((found.head, *(fenced(body) if body else ()), *filter(None, rest))), any(rest)


class _CallLimit:
    """core/ports.Limit, anew for each call."""

    def __init__(self, stopped: Callable[[], bool]) -> None:
        self._stopped = stopped
        self._end = 0.0

    def restart(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def over(self) -> bool:
        return time.monotonic() > self._end

    def check(self) -> None:
        """Raise OutsideError once the call's time is over or nobody wants its answer."""
        if self.over or self._stopped():
            raise OutsideError("looking for it took too long")
