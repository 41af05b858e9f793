"""Asks for a second look at grave findings that too few drafts raised.

Each finding is one question, through ``asking`` as every other. Decides nothing itself: core/confirming reads the
answers. Invariant: a finding that could not be asked about comes back as it was, and the reason is told.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Final

from roundzero.core.claims import refutation
from roundzero.core.confirming import looked, second_look
from roundzero.core.frozen import dataclass
from roundzero.core.item import Severity
from roundzero.core.model_part import Confirmations
from roundzero.core.model_values import Outcome
from roundzero.engine.gaps import LOOKS, Gap, because, counted
from roundzero.engine.in_form import Got, ask_in_form
from roundzero.engine.quick_review import ask_each

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from roundzero.core.confirming import SecondLook
    from roundzero.core.drafting import Texts
    from roundzero.core.finding import Observation
    from roundzero.core.gate import GatePolicy
    from roundzero.engine.quick_review import Asks, Inquiry

MOST_OUTPUT: Final = 1500
"""Tokens of a second look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmed:
    """Findings after second looks, in their order. ``gaps``: a sentence on those that could not be asked about."""

    observations: tuple[Observation, ...]
    stats: Confirmations
    gaps: tuple[str, ...] = ()


def needs_second_look(seen: Observation, policy: GatePolicy) -> bool:
    """Whether a finding is grave, raised by too few drafts, not refuted, and was not looked at again yet."""
    case = seen.anatomy
    if case is None or case.votes is None or case.confirmed is not None or seen.severity > Severity.P1:
        return False
    return case.votes.given < policy.support and refutation(case) is None


async def confirm(  # noqa: PLR0913  each is an independent input
    seen: Sequence[Observation],
    inquiry: Inquiry,
    texts: Texts,
    asking: Asks,
    policy: GatePolicy,
    progress: Callable[[int, int], None] | None = None,
    *,
    wanted: Callable[[Observation], bool] | None = None,
    until: float | None = None,
) -> Confirmed:
    """Second looks at those findings that need one, or that are ``wanted``. ``texts`` are what may be shown.

    What is not answered ``until`` a time of the loop's clock (None: however long it takes) is given up.
    """
    from roundzero.providers._reply_confirmation import FORM  # noqa: PLC0415  off the start-up path

    chosen = [at for at, each in enumerate(seen) if (wanted or (lambda one: needs_second_look(one, policy)))(each)]

    async def one(at: int) -> Got[SecondLook]:
        asked = second_look(seen[at], inquiry.change, texts, language=inquiry.language, schema=FORM.schema())
        try:
            async with asyncio.timeout_at(until):
                return await ask_in_form(asking, asked, FORM, model=inquiry.model, max_output=MOST_OUTPUT)
        except TimeoutError:
            return Got(None, Outcome.TIMED_OUT)

    result = list(seen)
    held = fell = 0
    failed: Counter[tuple[str, Outcome]] = Counter()
    for at, got in zip(chosen, await ask_each(chosen, one, progress), strict=True):
        if got.value is None:
            failed[got.message, got.outcome] += 1
            continue
        after = result[at] = looked(seen[at], got.value, texts)
        confirmed = after.anatomy.confirmed if after.anatomy is not None else None
        held += confirmed is True
        fell += confirmed is False and got.value.answer == "does-not-hold"
    return Confirmed(
        observations=tuple(result),
        stats=Confirmations(asked=len(chosen), held=held, fell=fell),
        gaps=gaps_of(failed, LOOKS),
    )


def gaps_of(failed: Mapping[tuple[str, Outcome], int], sentences: tuple[str, str]) -> tuple[Gap, ...]:
    """Sentences on findings that nobody could be asked about: how many, by message and outcome."""
    rows = sorted(failed.items(), key=lambda row: (row[0][0], row[0][1].value))
    return tuple(
        Gap(counted(sentences, number, count=number, why=because(outcome, message)), outcome, message)
        for (message, outcome), number in rows
    )


def is_unreadable(outcome: Outcome) -> bool:
    """Whether a reply came that nobody could read."""
    return outcome in {Outcome.WRONG, Outcome.TRUNCATED, Outcome.EMPTY}
