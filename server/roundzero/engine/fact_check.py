"""Checks the claims of findings: by probes first, then by a model with tools, else they stay unverifiable.

Probes run in one thread over one snapshot, with one grep for all of them. A model is asked only of what may block: a
finding that is supported, or was confirmed, and whose decisive claim nothing has settled. Invariants: what could not be
asked about is told of and is not called milder; what was asked and could not be verified never blocks.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.anatomy import ClaimVerdict
from roundzero.core.change import Side
from roundzero.core.claims import asked_of, checked, decisive, refutation, renewed, settled, texts_of, unchecked, unsure
from roundzero.core.confirming import fact_checked, fact_question
from roundzero.core.frozen import dataclass
from roundzero.core.item import Severity
from roundzero.core.model_part import FactChecks
from roundzero.core.toolbox import Bounds, Used, invitation
from roundzero.core.units import redacted_source
from roundzero.engine.confirming import gaps_of, is_unreadable
from roundzero.engine.gaps import FACTS
from roundzero.engine.quick_review import ask_each
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from roundzero.core.change import Change
    from roundzero.core.claims import Asked, Outcome
    from roundzero.core.confirming import FactAnswer
    from roundzero.core.drafting import Texts
    from roundzero.core.finding import Observation
    from roundzero.core.gate import GatePolicy
    from roundzero.core.model_values import Outcome as Ended
    from roundzero.core.ports import Repository, Symbols
    from roundzero.engine.agent import Examined
    from roundzero.engine.known_facts import KnownFacts
    from roundzero.engine.quick_review import Asks, Inquiry
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.toolbox import Toolbox

SECONDS: Final = 20.0
"""How long all probes of a review may take; a claim that is not reached by then stays unverifiable."""

BOUNDS: Final = Bounds(calls=10, turns=6, bytes=40_000)
"""How far one fact check may look around."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Findings with their claims checked, in their order, each as grave as its gates let it be.

    ``gaps``: a sentence on those that could not be asked about. ``used``: what was looked up.
    """

    observations: tuple[Observation, ...]
    stats: FactChecks
    gaps: tuple[str, ...] = ()
    used: Used = field(default_factory=Used)


def needs_model(seen: Observation, policy: GatePolicy) -> bool:
    """Whether a finding would block if its decisive claim were verified, and nothing has settled that claim."""
    case = seen.anatomy
    if case is None or case.votes is None or seen.severity > Severity.P1 or refutation(case) is not None:
        return False
    supported = case.votes.given >= policy.support or case.confirmed is True
    verdicts = {claim.verdict for claim in decisive(case)}
    return supported and case.confirmed is not False and ClaimVerdict.UNVERIFIABLE in verdicts


async def probed(
    seen: Sequence[Observation], snapshot: Snapshot, *, facts: KnownFacts | None = None, seconds: float = SECONDS
) -> tuple[Observation, ...]:
    """The findings with what probes found out about their claims. Cheap: no model is asked.

    What was settled about one in an earlier round is kept where its texts are still the same, and else forgotten.
    """
    current = texts_of(snapshot.change)
    seen = [renewed(each, current) for each in seen]
    if not any(asked_of(each) for each in seen):
        return tuple(seen)
    from roundzero.engine.known_facts import KnownFacts as Known  # noqa: PLC0415  off the start-up path
    from roundzero.engine.repository import BridgedRepository  # noqa: PLC0415  as above

    known = facts or Known(snapshot.keep_in)
    stop = threading.Event()
    bridge = BridgedRepository(snapshot, asyncio.get_running_loop())

    def look() -> tuple[Observation, ...]:
        from roundzero.index.limit import TimeLimit  # noqa: PLC0415  heavy
        from roundzero.index.symbols import RepositorySymbols  # noqa: PLC0415  as above

        with known.open() as store:
            symbols = RepositorySymbols(bridge, snapshot.change, store, TimeLimit(seconds, stop.is_set))
            return probe_all(seen, snapshot.change, bridge, symbols)

    try:
        return await asyncio.to_thread(look)
    finally:
        stop.set()
        bridge.close()


def probe_all(
    seen: Sequence[Observation], change: Change, repository: Repository, symbols: Symbols
) -> tuple[Observation, ...]:
    """The findings with what probes found out about their claims, for a thread that may wait."""
    from roundzero.engine.probes import discover  # noqa: PLC0415  off the start-up path
    from roundzero.engine.probes._view import ProbeView  # noqa: PLC0415  as above
    from roundzero.index.doubts import IMPORT_HOOK  # noqa: PLC0415  as above

    probes = discover()
    asked = [asked_of(each) for each in seen]
    words = {
        word
        for rows in asked
        for row in rows
        if row.probe.kind in probes
        for word in probes[row.probe.kind].words(row)
        if word
    }
    failed = ""
    try:
        if words:
            symbols.mentions(sorted({*words, IMPORT_HOOK}), Side.HEAD)
    except OutsideError as error:
        failed = str(error)
    view = ProbeView(change, repository, symbols)

    def look(row: Asked) -> Outcome:
        probe = probes.get(row.probe.kind)
        if probe is None:
            return unsure(f"there is no probe {row.probe.kind[:40]!r}")
        try:
            return probe.look(row, view) if not failed else unsure(f"not looked up: {failed}")
        except OutsideError as error:
            return unsure(f"not looked up: {error}")

    return tuple(checked(each, [(row, look(row)) for row in rows]) for each, rows in zip(seen, asked, strict=True))


async def fact_check(  # noqa: PLR0913  each is an independent input
    seen: Sequence[Observation],
    inquiry: Inquiry,
    texts: Texts,
    asking: Asks,
    policy: GatePolicy,
    *,
    toolbox: Toolbox,
    bounds: Bounds = BOUNDS,
    progress: Callable[[int, int], None] | None = None,
    until: float | None = None,
) -> Checked:
    """Ask a model about the claims of ``probed`` findings that may block. ``texts`` are what may be shown.

    What is not answered ``until`` a time of the loop's clock (None: however long it takes) is given up.
    """
    from roundzero.engine.agent import examine  # noqa: PLC0415  off the start-up path
    from roundzero.providers._reply_fact_check import FORM  # noqa: PLC0415  as above

    chosen = [at for at, each in enumerate(seen) if needs_model(each, policy)]

    async def one(at: int) -> Examined[FactAnswer]:
        asked = fact_question(
            seen[at],
            inquiry.change,
            texts,
            language=inquiry.language,
            schema=FORM.schema(),
            note=invitation(bounds, toolbox.specs),
        )
        return await examine(asked, FORM, asking, toolbox, model=inquiry.model, bounds=bounds, until=until)

    result, used, unreadable = list(seen), Used(), 0
    failed: Counter[tuple[str, Ended]] = Counter()
    for at, found in zip(chosen, await ask_each(chosen, one, progress), strict=True):
        used += found.used
        if found.value is None:
            failed[found.message, found.outcome] += 1
            unreadable += is_unreadable(found.outcome)
            result[at] = unchecked(seen[at])
            continue
        result[at] = fact_checked(seen[at], found.value, inquiry.change, _with(texts, found))
    after = tuple(settled(each, policy) for each in result)
    return Checked(
        observations=after,
        stats=_counted(after, unreadable),
        gaps=gaps_of(failed, FACTS),
        used=used,
    )


def _with(texts: Texts, found: Examined[FactAnswer]) -> Texts:
    """The texts with those that were looked up."""
    more = {(source.path, side): source for side, source in found.shown}
    return replace(
        texts,
        sources={**{key: redacted_source(source) for key, source in more.items()}, **texts.sources},
        plain={**more, **texts.plain},
    )


def _counted(seen: Sequence[Observation], unreadable: int) -> FactChecks:
    """How the decisive claims came out of all findings that somebody or something checked."""
    counts: Counter[ClaimVerdict] = Counter()
    for each in seen:
        claims = [claim for claim in decisive(each.anatomy) if claim.probe is not None]
        verdicts = {claim.verdict for claim in claims}
        for verdict in (ClaimVerdict.REFUTED, ClaimVerdict.UNVERIFIABLE, ClaimVerdict.VERIFIED):
            if verdict in verdicts:
                counts[verdict] += 1
                break
    return FactChecks(
        checked=counts.total(),
        hold=counts[ClaimVerdict.VERIFIED],
        refuted=counts[ClaimVerdict.REFUTED],
        unverifiable=counts[ClaimVerdict.UNVERIFIABLE],
        unparsable=unreadable,
    )
