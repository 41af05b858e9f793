"""Asks once what no part of a change can answer: the points of the checklists that are about all of it.

One more draft, by a voice with tools, beside those of the parts; its findings go the way of all drafts. Invariants: it
is asked only where the whole change is under review; that it could not be asked is a gap in words, and costs nothing
else.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING

from roundzero.core.change import Side
from roundzero.core.deep import WHOLE, Drafted
from roundzero.core.drafting import admit
from roundzero.core.frozen import dataclass
from roundzero.core.prompt import VERSION
from roundzero.core.toolbox import Bounds, Used, invitation
from roundzero.core.whole_change import Whole, by_unit, question, whole_of
from roundzero.engine.gaps import CHECKS, Gap, because, counted
from roundzero.engine.overviewing import messages
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from roundzero.core.change import Source
    from roundzero.core.drafting import Admission, Gate, Texts
    from roundzero.core.finding import Observation
    from roundzero.core.item import ItemId
    from roundzero.core.model_values import Draft, Unit
    from roundzero.engine.agent import Examined
    from roundzero.engine.quick_review import Asks, Inquiry
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.toolbox import Toolbox


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeAnswer:
    """What was said of a change as a whole; ``draft`` None: nothing, for the reason in ``gap`` where it was asked."""

    whole: Whole
    draft: Draft | None = None
    gap: Gap | None = None
    used: Used = field(default_factory=Used)
    shown: tuple[tuple[Side, Source], ...] = ()

    @property
    def clean(self) -> frozenset[ItemId]:
        """The points that it says it looked at and found nothing for."""
        return frozenset(each for each in self.whole.items if self.draft is not None and each in self.draft.answered)

    def admitted(self, inquiry: Inquiry, texts: Texts) -> Iterator[tuple[Admission, tuple[Drafted, ...]]]:
        """What of it is let in, part by part."""
        if self.draft is None:
            return
        for unit, said in by_unit(self.draft, self.whole):
            admission = admit(
                said,
                unit,
                inquiry.change,
                texts,
                inquiry.ruleset,
                producer=inquiry.model,
                version=VERSION,
                said=inquiry.seen,
            )
            yield (
                admission,
                tuple(Drafted(WHOLE.number, self.whole.unit, seen) for seen in admission.observations),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidOfWhole:
    """What was said of the change as a whole, as one more draft; nothing where it was not asked about."""

    said: WholeAnswer | None = None
    drafted: tuple[Drafted, ...] = ()
    gates: Counter[Gate] = field(default_factory=Counter)
    capped: int = 0

    @staticmethod
    def of(said: WholeAnswer | None, inquiry: Inquiry, texts: Texts) -> SaidOfWhole:
        """What of an answer is let in."""
        rows = tuple(said.admitted(inquiry, texts)) if said is not None else ()
        return SaidOfWhole(
            said=said,
            drafted=tuple(each for _, drafted in rows for each in drafted),
            gates=sum((Counter(admission.counts) for admission, _ in rows), Counter()),
            capped=sum(admission.capped for admission, _ in rows),
        )

    @property
    def answered(self) -> Mapping[Unit, frozenset[int]]:
        """Who could be read, for its votes."""
        return {self.said.whole.unit: frozenset({WHOLE.number})} if self.said is not None and self.said.draft else {}

    @property
    def clean(self) -> Mapping[tuple[Unit, int], frozenset[ItemId]]:
        """What it found nothing for."""
        return {(self.said.whole.unit, WHOLE.number): self.said.clean} if self.said is not None else {}

    @property
    def gaps(self) -> tuple[str, ...]:
        """What could not be asked."""
        return (self.said.gap,) if self.said is not None and self.said.gap is not None else ()

    @property
    def spared(self) -> frozenset[ItemId]:
        """What is not asked about a change as small as this one."""
        return self.said.whole.spared if self.said is not None else frozenset()

    def looked_for(self, seen: Iterable[Observation]) -> frozenset[ItemId]:
        """The points that an answer names, as clean or with a finding."""
        if self.said is None:
            return frozenset()
        return self.said.clean | (frozenset(self.said.whole.items) & {each.item for each in seen})


async def to_ask(inquiry: Inquiry, snapshot: Snapshot, units: Sequence[Unit]) -> Whole | None:
    """What there is to ask about the change as a whole. ``units`` are what may be sent; None: there is nothing."""
    if not all(inquiry.covers(file.path) for file in inquiry.change.files):
        return None
    gone = [file.path for file in inquiry.change.files if file.head is None]
    try:
        allowed = await snapshot.shareable(gone, Side.BASE) if gone and await snapshot.may_share() else frozenset()
    except OutsideError:
        allowed = frozenset()
    whole = await asyncio.to_thread(whole_of, units, inquiry.change, inquiry.ruleset, allowed)
    return whole if whole.units and (whole.items or whole.spared) else None


async def ask_whole(
    whole: Whole, inquiry: Inquiry, snapshot: Snapshot, asking: Asks, toolbox: Toolbox, *, until: float | None = None
) -> WholeAnswer:
    """Put the question. What is not answered ``until`` a time of the loop's clock is given up."""
    from roundzero.engine.agent import examine  # noqa: PLC0415  off the start-up path
    from roundzero.providers._reply_draft import FORM  # noqa: PLC0415  as above

    bounds = Bounds()
    asked = question(
        whole,
        inquiry.change,
        await messages(snapshot),
        inquiry.ruleset.by_id,
        language=inquiry.language,
        schema=FORM.schema(),
        note=invitation(bounds, toolbox.specs),
    )
    found: Examined[Draft] = await examine(
        asked, FORM, asking, toolbox, model=inquiry.model, bounds=bounds, temperature=WHOLE.temperature, until=until
    )
    answer = WholeAnswer(whole=whole, draft=found.value, used=found.used, shown=found.shown)
    if found.value is not None:
        return answer
    number = len(whole.items)
    said = counted(CHECKS, number, count=number, why=because(found.outcome, found.message))
    return replace(answer, gap=Gap(said, found.outcome, found.message))
