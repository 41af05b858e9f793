"""Whether a finding takes back what an earlier round advised or praised.

A reviewer who asks for a guard, and two rounds later for its removal, must at least know it. Said of a finding that
stands on the very lines that took a fixed defect's place, or on a line that was praised, in the same symbol; so without
asking anybody. Decides nothing about whether the finding is right. Invariant: a defect that came back is no reversal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.anatomy import Anatomy
from roundzero.core.change import Side
from roundzero.core.finding import FindingId, State
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.sighting import redacted
from roundzero.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from roundzero.core.change import Source
    from roundzero.core.finding import Observation
    from roundzero.core.item import ItemId
    from roundzero.core.ledger import Ledger
    from roundzero.core.strengths import KeptStrength
    from roundzero.core.text import RelPath

_NAMED: Final = regex(r"(rz-[0-9a-f]{12}), fixed in round ")
_MOST: Final = 3
"""Most that one finding is said to take back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What an earlier round said, and where it shows now.

    ``text`` names it in words. ``lines`` (from 1) are those that came of it, ``quotes`` what some of them read.
    ``item`` and ``anchor_text`` are those of the defect that it removed.
    """

    text: str
    path: RelPath
    symbol: str | None
    lines: Collection[int] = ()
    quotes: Collection[str] = ()
    item: ItemId | None = None
    anchor_text: str = ""


def advice(
    ledger: Ledger,
    strengths: Iterable[KeptStrength] = (),
    *,
    came: Mapping[FindingId, tuple[RelPath, Collection[int]]],
) -> tuple[Advice, ...]:
    """All that could be taken back. ``came``: the head lines that took the place of a fixed defect, with their path."""
    found: list[Advice] = []
    for entry in ledger.entries.values():
        seen, proof = entry.sighting, entry.proof
        if entry.state is not State.FIXED or seen.path is None or seen.side is not Side.HEAD:
            continue
        path, lines = came.get(entry.id, (seen.path, ()))
        quotes: tuple[str, ...] = ()
        if proof is not None and proof.quote is not None and proof.path is not None:
            path, quotes = proof.path, (collapse(proof.quote),)
        if lines or quotes:
            text = f"{entry.id}, fixed in round {entry.left}: {seen.title}"
            found.append(
                Advice(
                    text=text, path=path, symbol=seen.symbol, lines=lines, quotes=quotes, item=seen.item,
                    anchor_text=seen.anchor_text,
                )
            )  # fmt: skip
    for kept in strengths:
        for proof_line, symbol in zip(kept.evidence, kept.symbols, strict=True):
            found.append(
                Advice(
                    text=f"praised in round {kept.round}: {kept.text}",
                    path=proof_line.path,
                    symbol=symbol,
                    quotes=(collapse(proof_line.quote),),
                )
            )
    return tuple(found)


def reverses(seen: Observation, known: Iterable[Advice]) -> tuple[str, ...]:
    """What a finding takes back, in words."""
    if seen.side is not Side.HEAD or seen.span is None:
        return ()
    reads = redacted(seen.anchor_text)
    taken = (
        each.text
        for each in known
        if each.path == seen.path
        and each.symbol == seen.symbol
        and (any(line in each.lines for line in seen.span.lines) or reads in each.quotes)
        and (each.item, each.anchor_text) != (seen.item, reads)
    )
    return tuple(dict.fromkeys(taken))[:_MOST]


def with_reversals(seen: Sequence[Observation], known: Sequence[Advice]) -> tuple[Observation, ...]:
    """The observations, each with what it takes back."""
    return tuple(_with(each, reverses(each, known)) for each in seen)


def named_in(text: str) -> FindingId | None:
    """The finding that a text of ``reverses`` names, if it is one."""
    found = _NAMED.match(text)
    return None if found is None else FindingId(found[1])


def lines_that_came(texts: Mapping[RelPath, Source], path: RelPath, lines: Iterable[int]) -> frozenset[int]:
    """Those of ``lines`` that hold something: an empty line stands for nothing."""
    head = texts.get(path)
    return frozenset(line for line in lines if head is not None and head.index.line(line).strip())


def _with(seen: Observation, taken: tuple[str, ...]) -> Observation:
    if not taken:
        return seen
    return replace(seen, anatomy=replace(seen.anatomy or Anatomy(), reverses=taken))
