"""Looks around in a real repository with the tools of a model, for tests.

Knows the toolbox and nothing of conversations. Invariant: calls go the way a model's do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.toolbox import ToolCall
from roundzero.engine.repository import Snapshot
from roundzero.engine.toolbox import Result, Toolbox
from roundzero.git.repository import CollectRules, Git
from support.loop import run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path
    from typing import TypeVar

    from roundzero.core.ledger import Ledger

    T = TypeVar("T")


def with_toolbox(
    root: Path,
    use: Callable[[Toolbox, Snapshot], Awaitable[T]],
    *,
    base: str = "main",
    rules: CollectRules | None = None,
    ledger: Ledger | None = None,
) -> T:
    """What ``use`` makes of the tools over a repository's change."""
    limits = rules or CollectRules()

    async def look() -> T:
        git = await Git.open(root)
        try:
            change = await git.collect(await git.choose_base(explicit=base, environ={}), rules=limits)
            snapshot = Snapshot(git, change, limits)
            async with Toolbox(snapshot, ledger=ledger) as box:
                return await use(box, snapshot)
        finally:
            await git.close()

    return run(look())


def asked(
    root: Path,
    *calls: tuple[str, Mapping[str, object] | None],
    most: int = 64_000,
    seconds: float = 30.0,
    rules: CollectRules | None = None,
    ledger: Ledger | None = None,
) -> list[Result]:
    """The results of calls, each a tool's name and its arguments."""

    async def use(box: Toolbox, _: Snapshot) -> list[Result]:
        return [await box.run(ToolCall(name, said), most=most, seconds=seconds) for name, said in calls]

    return with_toolbox(root, use, rules=rules, ledger=ledger)


def answer(root: Path, tool: str, /, **said: object) -> str:
    """The text of one call's result, without the marks of its fence."""
    (result,) = asked(root, (tool, said))
    return "\n".join(
        line for line in result.text.split("\n") if not line.startswith("[[data") and "data " not in line[:5]
    )
