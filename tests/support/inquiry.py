"""Asks about a real repository in tests: collects its change, puts the questions at a post, and keeps what was sent.

Knows the quick depth, no command and no editor. Invariant: what is kept is what was really handed to the provider.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.budget import Limits
from roundzero.core.item import Item, ItemId, LooksAt, Prose, Severity
from roundzero.core.model_values import Ask, Outcome, Reply, Usage
from roundzero.core.ruleset import Ruleset
from roundzero.engine.asking import Asking
from roundzero.engine.post import Post
from roundzero.engine.quick_review import Inquiry, ModelSight, quick_review
from roundzero.engine.repository import Snapshot
from roundzero.git.repository import CollectRules, Git
from roundzero.store.budget_db import BudgetDb
from support.loop import run

if TYPE_CHECKING:
    from pathlib import Path


NOTHING = '{"findings": [], "clean": []}'
LIMITS = Limits(requests_per_minute=10_000, parallel=8, tokens_per_hour=10**9)
RULES = Ruleset(
    items=(
        Item(
            id=ItemId("general/other-defect"),
            title=Prose("Another defect"),
            why=Prose("It is wrong."),
            severity=Severity.P2,
            looks_at=LooksAt.HUNK,
            ask="Is anything wrong?",
        ),
    ),
    digest="d",
)


class Ear:
    """A provider that answers the same to everything and keeps what it was asked."""

    name = "ear"

    def __init__(self, reply: str = NOTHING) -> None:
        """``reply``: what it says."""
        self.reply = reply
        self.asks: list[Ask] = []

    async def complete(self, ask: Ask) -> Reply:
        """Answer."""
        self.asks.append(ask)
        return Reply(outcome=Outcome.OK, text=self.reply, usage=Usage(10, 5))

    @property
    def heard(self) -> str:
        """Everything that was said to it, but for the fixed example."""
        return "\n".join(ask.question.turns[-1].text for ask in self.asks)


def post_of(folder: Path, provider: object, **more: object) -> Post:
    """A post with a budget of its own and no cache."""
    made = Post(
        consent=True,
        provider=Ear(),
        endpoint=None,
        limits=LIMITS,
        budget=BudgetDb(folder / "budget.sqlite3"),
        cache=None,
    )
    return replace(made, provider=provider, **more)  # type: ignore[arg-type]


def inquire(
    root: Path,
    post: Post,
    *,
    base: str = "main",
    rules: CollectRules | None = None,
    seconds: float = 60,
) -> ModelSight:
    """Ask about all of a repository's change, for so many ``seconds`` at most."""

    async def ask() -> ModelSight:
        git = await Git.open(root)
        try:
            return await about(git)
        finally:
            await git.close()

    async def about(git: Git) -> ModelSight:
        choice = await git.choose_base(explicit=base, environ={})
        change = await git.collect(choice, rules=rules)
        inquiry = Inquiry(change=change, ruleset=RULES, model="m", language="en", max_lines=150, covers=lambda _: True)
        return await quick_review(inquiry, Snapshot(git, change, rules or CollectRules()), Asking(post))

    return run(ask(), seconds=seconds)
