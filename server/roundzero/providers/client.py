"""The editor's own language model: the question goes to whoever started the server.

What carries it is handed in; nothing of the protocol is known here. Invariant: an editor that answers nothing, late or
with an error is an outcome like any other; one that answers without end is charged what was reserved, not what came.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from roundzero.core.model_values import Outcome, Reply, Usage
from roundzero.core.text import collapse
from roundzero.errors import OutsideError
from roundzero.providers._calls import in_words
from roundzero.providers._http import MOST_TEXT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from roundzero.core.model_values import Ask

PATIENCE: Final = 240.0
"""Seconds an editor's model may take."""


class Client:
    """An editor with a model of its own."""

    name = "client"

    def __init__(self, complete: Callable[[str, Mapping[str, object]], Awaitable[str]]) -> None:
        """``complete`` takes a prompt and a JSON schema and gives a text; it raises OutsideError."""
        self._complete = complete

    async def complete(self, ask: Ask) -> Reply:
        """Answer through the editor."""
        from roundzero.providers._reply_step import schema as step  # noqa: PLC0415  off the start-up path

        system, turns = in_words(ask)
        prompt = "\n\n".join((system, *(turn.text for turn in turns)))
        schema = ask.question.schema if not ask.tools else {"anyOf": [step(), ask.question.schema]}
        try:
            async with asyncio.timeout(PATIENCE):
                text = await self._complete(prompt, schema)
        except TimeoutError:
            return Reply(outcome=Outcome.TIMED_OUT, message="the editor's model took too long to answer")
        except OutsideError as error:
            return Reply(outcome=Outcome.FAILED, message=collapse(str(error)))
        if len(text) > MOST_TEXT:
            usage = Usage(len(prompt.encode("utf-8", "replace")) // 4, ask.max_output)
            return Reply(outcome=Outcome.WRONG, message="the editor's model answered with too much text", usage=usage)
        usage = Usage(len(prompt.encode("utf-8", "replace")) // 4, len(text.encode("utf-8", "replace")) // 4)
        return Reply(outcome=Outcome.OK if text.strip() else Outcome.EMPTY, text=text, usage=usage)


PROVIDER: Final = Client
