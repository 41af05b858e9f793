"""Asks once what a change is as a whole, and keeps watch over what earlier rounds praised.

Between core/overview, which words the question and checks the answer, and whoever makes a deep review. Invariants: an
overview that could not be made costs itself and is a gap in words; only commit messages of the branch go along, without
names and secrets; kept strengths are looked for in the texts of now at any depth, without asking anybody.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.frozen import dataclass
from roundzero.core.overview import Described, checked, question
from roundzero.core.strengths import Guarded, guarded, joined, notices, written
from roundzero.core.units import redacted_source
from roundzero.engine.gaps import OVERVIEW, Gap, because
from roundzero.engine.in_form import ask_in_form
from roundzero.errors import OutsideError
from roundzero.store.strength_db import StrengthDb

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from roundzero.core.change import Change, Source
    from roundzero.core.model_part import Strength
    from roundzero.core.model_values import Unit
    from roundzero.core.overview import Overview
    from roundzero.core.strengths import KeptStrength
    from roundzero.core.text import RelPath
    from roundzero.engine.quick_review import Asks, Inquiry
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.review import ProgressSink
    from roundzero.store.ledger_branches import Branch

STAGE: Final = "overview"

_MOST_OUTPUT: Final = 6000
"""Tokens of a reply: a line for each of sixty files, and the rest."""


@dataclass(frozen=True, slots=True)
class Overviewed:
    """The overview, or why there is none; neither where nothing of the change may be sent."""

    overview: Overview | None = None
    gap: str | None = None


async def overview(
    inquiry: Inquiry,
    units: Sequence[Unit],
    snapshot: Snapshot,
    asking: Asks,
    watch: ProgressSink,
    *,
    sources: Mapping[tuple[RelPath, Side], Source],
) -> Overviewed:
    """Ask about the change as a whole. ``units`` are what may be sent of it; ``sources`` its redacted texts."""
    from roundzero.providers._reply_overview import FORM  # noqa: PLC0415  off the start-up path

    described = await messages(snapshot)
    asked = question(units, inquiry.change, described, language=inquiry.language, schema=FORM.schema())
    if asked is None:
        return Overviewed()
    watch.stage(STAGE, 0, 1)
    got = await ask_in_form(asking, asked, FORM, model=inquiry.model, max_output=_MOST_OUTPUT)
    watch.stage(STAGE, 1, 1)
    if got.value is None:
        why = because(got.outcome, got.message)
        return Overviewed(gap=Gap(OVERVIEW.format(why=why), got.outcome, got.message))
    return Overviewed(await asyncio.to_thread(checked, got.value, inquiry.change, described, sources))


async def messages(snapshot: Snapshot) -> tuple[Described, ...]:
    """What the commits under review say; nothing where that cannot be found out, or there are none."""
    change = snapshot.change
    if change.head.commit is None or change.base.merge_base == change.head.commit:
        return ()
    try:
        found = await snapshot.git.commit_messages(change.head.commit, change.base.merge_base)
    except OutsideError:
        return ()
    return tuple(Described(each.commit, each.text) for each in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Praised:
    """What a branch was praised for, in the texts of now. ``sources`` are those it was looked for in, redacted."""

    guard: Guarded
    sources: Mapping[tuple[RelPath, Side], Source]

    @property
    def notices(self) -> tuple[str, ...]:
        """What to say of strengths that this change undoes."""
        return notices(self.guard.undone)

    def strengths(self, new: Iterable[Strength], index: int | None) -> tuple[Strength, ...]:
        """Those of the report of a round: kept ones that stand, and ``new`` ones. ``index`` None: it is no round."""
        return tuple(each.shown for each in joined(self.guard, new, self.sources, index))

    def written(self, new: Iterable[Strength], index: int) -> tuple[KeptStrength, ...]:
        """What to keep of a round."""
        return written(self.guard, new, self.sources, index)


async def praised(
    common_dir: Path,
    branch: Branch | None,
    change: Change,
    snapshot: Snapshot,
    *,
    index: int | None,
) -> Praised:
    """What a branch was praised for, looked for again. ``index``: the round this is. Raises OutsideError.

    The texts of files that are no longer part of the change are read, and sent nowhere.
    """
    kept = await asyncio.to_thread(StrengthDb(common_dir).kept, branch)
    if not kept:
        return Praised(guard=Guarded(), sources={})
    texts = dict(change.sides)
    gone: set[RelPath] = set()
    for path in sorted({proof.path for each in kept for proof in each.evidence if proof.side is Side.HEAD}):
        if (path, Side.HEAD) in texts:
            continue
        if change.is_gone(path):
            gone.add(path)
        elif (source := await snapshot.read(path, Side.HEAD)) is not None:
            texts[path, Side.HEAD] = source

    def look() -> Praised:
        shown = {key: redacted_source(source) for key, source in texts.items()}
        return Praised(guard=guarded(kept, shown, gone=gone, index=index), sources=shown)

    return await asyncio.to_thread(look)


async def keep(common_dir: Path, branch: Branch, index: int, strengths: Iterable[KeptStrength]) -> None:
    """Write the strengths of a round down. Raises OutsideError."""
    await asyncio.to_thread(StrengthDb(common_dir).keep, branch, index, tuple(strengths))
