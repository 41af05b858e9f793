"""Runs a coroutine for a test, strictly.

Not a plug-in: tests are plain functions that call ``run``. Invariant: a task left running, or an error that only the
loop saw, fails the test.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T], *, seconds: float = 60) -> T:
    """Run ``coroutine`` on a new loop and return its result; TimeoutError after ``seconds``.

    Raises AssertionError when the coroutine leaves tasks behind or when the loop reported an error nobody awaited.
    """
    unseen: list[str] = []

    async def strictly() -> T:
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, context: unseen.append(f"{context.get('message')}: {context.get('exception')!r}")
        )
        async with asyncio.timeout(seconds):
            result = await coroutine
        await asyncio.sleep(0)
        left = sorted(repr(task) for task in asyncio.all_tasks() - {asyncio.current_task()})
        assert not left, f"tasks left running: {left}"
        return result

    result = asyncio.run(strictly())
    assert not unseen, f"errors that only the loop saw: {unseen}"
    return result
