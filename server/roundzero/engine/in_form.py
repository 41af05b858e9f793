"""Asks one question whose reply must have a form, and once more what was wrong when it could not be read.

Knows forms by what they read, and nothing of what is done with the values. Invariant: however it ends is in what comes
back; nothing is raised but what ``Asks.put`` raises.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from roundzero.core.frozen import dataclass
from roundzero.core.model_values import Ask, Outcome, Turn
from roundzero.engine.gaps import UNREADABLE

if TYPE_CHECKING:
    from roundzero.core.model_values import Question, Reply
    from roundzero.engine.quick_review import Asks
    from roundzero.providers.reply import Form

T = TypeVar("T")

MOST_OUTPUT: Final = 4096
"""Tokens of a reply."""

_SHOWN_BACK: Final = 8000
"""Characters of an unreadable reply that go along when it is asked for again."""


@dataclass(frozen=True, slots=True)
class Got(Generic[T]):
    """How asking ended. ``value`` None: for the reason in ``outcome``, with ``message`` where there is one."""

    value: T | None
    outcome: Outcome
    message: str = ""


async def ask_in_form(
    asking: Asks,
    question: Question,
    form: Form[T],
    *,
    model: str,
    max_output: int = MOST_OUTPUT,
    temperature: float = 0.0,
) -> Got[T]:
    """The value in the reply to a question."""
    ask = Ask(question=question, model=model, max_output=max_output, temperature=temperature, form=form.name)
    return await read_in_form(asking, ask, await asking.put(ask), form)


async def read_in_form(asking: Asks, ask: Ask, reply: Reply, form: Form[T]) -> Got[T]:
    """The value in a reply, asked for once more, as ``ask`` does, if it cannot be read."""
    from roundzero.providers._reply_base import Fault  # noqa: PLC0415  off the start-up path

    if reply.outcome is not Outcome.OK:
        return Got(None, reply.outcome, reply.message)
    value = form.read(reply.text)
    if isinstance(value, Fault):
        again = await asking.put(_repair(ask, reply, value.message))
        if again.outcome is not Outcome.OK:
            return Got(None, again.outcome, again.message)
        value = form.read(again.text)
    if isinstance(value, Fault):
        return Got(None, Outcome.WRONG, UNREADABLE.format(value.message))
    return Got(value, Outcome.OK)


def _repair(ask: Ask, reply: Reply, fault: str) -> Ask:
    """The same question with the reply and what is wrong with it."""
    asked = ask.question
    said = (
        f"Your reply could not be read: {fault}. Send the whole reply again as JSON of the form asked for, only that."
    )
    turns = (*asked.turns, Turn("assistant", reply.text[:_SHOWN_BACK]), Turn("user", said))
    key = hashlib.sha256(f"{asked.key}\x00{reply.text}\x00{said}".encode("utf-8", "surrogateescape")).hexdigest()
    more = (len(reply.text) + len(said)) // 3
    again = replace(asked, turns=turns, key=key, tokens=asked.tokens + more)
    return replace(ask, question=again, stands_for=asked.key)
