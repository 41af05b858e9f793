"""Looks at one finding again as a deep review would: probes, a second look, a check of its claims.

For a person who wants to know about this one now. Invariant: what could not be asked about comes back as it was, with
the reason.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from roundzero.core.anatomy import Anatomy, Votes
from roundzero.core.claims import refutation
from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.engine.confirming import confirm
from roundzero.engine.fact_check import fact_check, probed
from roundzero.engine.toolbox import Toolbox

if TYPE_CHECKING:
    from roundzero.core.change import Source
    from roundzero.core.drafting import Texts
    from roundzero.core.finding import Observation
    from roundzero.engine.quick_review import Asks, Inquiry
    from roundzero.engine.recall import Recall
    from roundzero.engine.review import ProgressSink
    from roundzero.engine.workspace import Workspace


@dataclass(frozen=True, slots=True)
class LookedAgain:
    """A finding after a second look at it, in ``text``, and where it stands."""

    seen: Observation
    text: Source
    state: State

    @classmethod
    def of(cls, seen: Observation, text: Source) -> Self:
        """A finding where its claims leave it."""
        return cls(seen, text, State.REFUTED if refutation(seen.anatomy) is not None else State.OPEN)


async def look_again(  # noqa: PLR0913  each is an independent input
    seen: Observation,
    inquiry: Inquiry,
    texts: Texts,
    workspace: Workspace,
    asking: Asks,
    *,
    recall: Recall | None,
    progress: ProgressSink | None = None,
) -> tuple[Observation, str]:
    """The finding as it stands after that, and why it could not be looked at, "" where it was."""

    def tell(stage: str, done: int, total: int) -> None:
        if progress is not None:
            progress.stage(stage, done, total)

    snapshot = workspace.around(inquiry.change)
    found = await probed([_as_drafted(seen)], snapshot)
    confirmed = await confirm(
        found,
        inquiry,
        texts,
        asking,
        workspace.policy,
        lambda done, of: tell("confirm", done, of),
        wanted=lambda _: True,
    )
    if confirmed.gaps:
        return seen, confirmed.gaps[0]
    ledger = recall.ledger if recall is not None else None
    async with Toolbox(snapshot, ledger=ledger) as toolbox:
        checked = await fact_check(
            confirmed.observations,
            inquiry,
            texts,
            asking,
            workspace.policy,
            toolbox=toolbox,
            progress=lambda done, of: tell("fact-check", done, of),
        )
    return checked.observations[0], checked.gaps[0] if checked.gaps else ""


def _as_drafted(seen: Observation) -> Observation:
    """The finding with the one vote it has, if nobody counted yet: the draft that raised it."""
    case = seen.anatomy or Anatomy()
    return seen if case.votes is not None else replace(seen, anatomy=replace(case, votes=Votes(1, 1)))
