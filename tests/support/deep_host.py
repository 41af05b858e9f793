"""A model's host that knows the questions of a deep review apart, and stops answering where a test wants it to.

Speaks chat completions, on a loop of its own. Invariant: every question is counted under its stage, answered or not.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from typing import TYPE_CHECKING, Final

from roundzero.core.prompt import BLANKED
from roundzero.core.whole_change import MARK
from support.drafts import Said, drafted, quote, reply
from support.engine import LIMIT
from support.model_server import ModelServer, aside, delta, end

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    import pytest

RECHECK: Final = "An earlier review found a defect"
OVERVIEW: Final = "Describe it; do not look for defects"
CHECK: Final = "Say of each numbered claim"
LOOK: Final = "Say whether the defect is real"
TOOLS: Final = "You may look around"
DRAFT: Final = "Part of "
WHOLE: Final = MARK
STAGES: Final = {
    "RECHECK": RECHECK, "OVERVIEW": OVERVIEW, "CHECK": CHECK, "LOOK": LOOK, "WHOLE": WHOLE, "TOOLS": TOOLS,
    "BLANKED": BLANKED, "DRAFT": DRAFT,
}  # fmt: skip
"""What tells the questions of a stage apart, the first that fits."""

LINE: Final = "taken = [shelf.pop() for _ in range(count)]"
BEFORE: Final = """\
def take(shelf, count):
    if count > len(shelf):
        raise ValueError(count)
    return [shelf.pop() for _ in range(count)]
"""
AFTER: Final = f"""\
def take(shelf, count):
    {LINE}
    return taken
"""
LOST: Final = drafted("take() loses articles when count is too large", [quote("shop.py", 2, LINE, decisive=True)])
NOTHING: Final[Said] = {"summary": "", "themes": [], "files": [], "strengths": [], "description": []}
_PROOF: Final[Said] = {"path": "shop.py", "side": "head", "line": 2, "quote": LINE, "role": "shows it"}


def checks(verdict: str) -> Said:
    """A fact check that says this of the one claim."""
    return {"claims": [{"claim": 0, "verdict": verdict, "reason": "it reads so", "evidence": [_PROOF]}]}


def looks(answer: str) -> Said:
    """A second look with this answer."""
    return {"answer": answer, "reason": "it reads so", "evidence": [_PROOF]}


ALL_AGREE: Final[Mapping[str, object]] = {
    "DRAFT": reply(LOST), "BLANKED": reply(LOST), "TOOLS": reply(LOST), "LOOK": looks("holds"),
    "CHECK": checks("verified"), "OVERVIEW": NOTHING, "WHOLE": reply(),
}  # fmt: skip
"""Every draft finds the lost articles, and nothing is said against it."""

_QUOTA: Final = '{"error": {"code": "insufficient_quota", "message": "no credit"}}'


class DeepHost(ModelServer):
    """``says``: replies by stage. ``stops``: what happens instead, see ``_answer``, or a text."""

    def __init__(self, says: Mapping[str, object], loop: asyncio.AbstractEventLoop) -> None:
        """Answer so, on a loop of another thread."""
        super().__init__()
        self.loop = loop
        self.says = dict(says)
        self.stops: dict[str, str] = {}
        self.after = 0
        """How many questions of a stage in ``stops`` are answered before that."""
        self.one = False
        """Only the first question of a stage in ``stops`` ends so, however often it is put."""
        self._first: dict[str, str] = {}
        self.asked: Counter[str] = Counter()
        self.gate = asyncio.Event()
        """Answers that "wait" come when this is set."""
        self.answered: list[str] = []
        """The bodies of the questions that were answered."""

    async def _answer(self, name: str, path: str, writer: asyncio.StreamWriter) -> None:
        del name, path
        body = self.requests[-1].split(b"\r\n\r\n", 1)[1].decode()
        text = "\n".join(str(turn["content"]) for turn in json.loads(body)["messages"])
        stage = next((name for name, mark in STAGES.items() if mark in text), "OTHER")
        self.asked[stage] += 1
        how = self.stops.get(stage, self.stops.get("*", "")) if self.asked[stage] > self.after else ""
        if self.one and how and self._first.setdefault(stage, body) != body:
            how = ""
        if how == "wait":
            self.started.set()
            await self.gate.wait()
            how = ""
        if how == "hang":
            self.started.set()
            while not writer.is_closing():
                await asyncio.sleep(0.01)
                writer.write(b"")
                await writer.drain()
        elif how == "quota":
            writer.write(_head("429 X", "application/json") + _QUOTA.encode())
        elif how == "500":
            writer.write(_head("500 X", "text/plain") + b"broken")
        elif how == "cut":
            writer.write(_head("200 OK", "text/event-stream") + delta("{").encode())
        else:
            said = how or self.says.get(stage, "no answer")
            self.answered.append(body)
            whole = delta(said if isinstance(said, str) else json.dumps(said)) + end()
            writer.write(_head("200 OK", "text/event-stream") + whole.encode())

    def reached(self, stage: str) -> bool:
        """Whether a question of a stage has come; waits for it a while."""
        for _ in range(int(LIMIT * 100)):
            if self.asked[stage]:
                return True
            threading.Event().wait(0.01)
        return False

    def release(self) -> None:
        """Let answers come that wait."""
        self.loop.call_soon_threadsafe(self.gate.set)

    @property
    def twice(self) -> list[str]:
        """The questions that were answered more than once."""
        return [body for body, times in Counter(self.answered).items() if times > 1]


def deep_host(says: Mapping[str, object]) -> AbstractContextManager[DeepHost]:
    """A host on this machine, on a loop of its own."""
    return aside(lambda loop: DeepHost(says, loop))


def choose_model(monkeypatch: pytest.MonkeyPatch, **settings: str) -> None:
    """Set up a model by the environment, under limits that no test reaches."""
    for name, value in {**settings, "REQUESTS_PER_MINUTE": "1000", "TOKENS_PER_HOUR": "100000000"}.items():
        monkeypatch.setenv(f"ROUNDZERO_MODEL_{name}", value)


def _head(status: str, kind: str) -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nConnection: close\r\n\r\n".encode()
