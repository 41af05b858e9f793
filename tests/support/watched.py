"""A model that gives one answer to everything, and keeps what it was asked and which stages were told of meanwhile.

Knows no repository. Invariant: what is kept is what was really handed over, in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roundzero.core.model_values import Outcome, Reply, Usage

if TYPE_CHECKING:
    from roundzero.core.model_values import Ask


@dataclass
class Watched:
    """The model, and who watches."""

    reply: Reply
    stages: list[tuple[str, int, int | None]] = field(default_factory=list)
    asks: list[Ask] = field(default_factory=list)
    name: str = "watched"

    def stage(self, name: str, done: int, total: int | None) -> None:
        """Take note."""
        self.stages.append((name, done, total))

    async def complete(self, ask: Ask) -> Reply:
        """Answer."""
        self.asks.append(ask)
        return self.reply


def ok(text: str) -> Reply:
    """A reply that came."""
    return Reply(outcome=Outcome.OK, text=text, usage=Usage(10, 5))
