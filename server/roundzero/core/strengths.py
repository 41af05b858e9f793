"""What a change was praised for, kept over rounds so that nobody undoes it unawares.

A model that praises code in one round and has it taken away in the next gives advice nobody can follow. What is kept is
the quote: as long as it reads so, the strength stands. Decides nothing about findings. Invariants: a strength without a
quote that can be read is none; one that is known keeps its words, however it is worded the next time.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.cluster import likeness
from roundzero.core.evidence import verified
from roundzero.core.frozen import dataclass
from roundzero.core.model_part import Strength
from roundzero.core.outline import symbol_at
from roundzero.core.secrets import redact
from roundzero.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from roundzero.core.change import Side, Source
    from roundzero.core.finding import Evidence
    from roundzero.core.quotes import Text
    from roundzero.core.text import RelPath

MOST: Final = 12
"""Most strengths kept of a branch: more would be flattery."""

_SAME_WORDS: Final = 0.6
"""How alike two texts are that praise one thing in other words, quotes aside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptStrength:
    """A strength of a branch. ``symbols`` are those its evidence stands in, one each; None where there is none.

    ``round`` is the one that saw it first, None in a review that is none; ``left`` the one that found it undone.
    """

    text: str
    evidence: tuple[Evidence, ...]
    symbols: tuple[str | None, ...]
    round: int | None
    left: int | None = None

    @property
    def name(self) -> str:
        """What it is known by: 12 hex digits over its quotes, with their paths."""
        said = "\0".join(sorted(f"{each.path}\0{collapse(each.quote)}" for each in self.evidence))
        return hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()[:12]

    @property
    def shown(self) -> Strength:
        """As a report has it."""
        return Strength(self.text, self.evidence, self.round)


@dataclass(frozen=True, slots=True)
class Undone:
    """A kept strength whose quote is gone. ``lost`` is the first piece of its evidence that is."""

    kept: KeptStrength
    lost: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """Kept strengths in the texts of now: which stand, where they are, and which were undone by this round."""

    standing: tuple[KeptStrength, ...] = ()
    undone: tuple[Undone, ...] = ()


def guarded(
    kept: Iterable[KeptStrength],
    sources: Mapping[tuple[RelPath, Side], Source],
    *,
    gone: Collection[RelPath] = (),
    index: int | None = None,
) -> Guarded:
    """Look at kept strengths again. ``sources``: the redacted texts of now; ``gone``: paths that are no more.

    Of a text that is not at hand nothing is known, so what quotes it stands. ``index``: the round this is; a strength
    that it undid already is told of again.
    """
    standing: list[KeptStrength] = []
    undone: list[Undone] = []
    forms: dict[tuple[RelPath, Side], Text] = {}
    for each in kept:
        if each.left is not None and each.left != index:
            continue
        known = [proof for proof in each.evidence if (proof.path, proof.side) in sources]
        now = dict(zip(known, verified(known, sources, forms), strict=True))
        lost = next((proof for proof in each.evidence if _is_lost(proof, now, gone)), None)
        if lost is not None:
            undone.append(Undone(each, lost))
        elif each.left is None:
            evidence = tuple(now.get(proof, proof) for proof in each.evidence)
            standing.append(replace(each, evidence=evidence, symbols=_symbols(evidence, sources, each.symbols)))
    return Guarded(standing=tuple(standing), undone=tuple(undone))


def notices(undone: Iterable[Undone]) -> tuple[str, ...]:
    """What to tell of strengths that were undone, a sentence each."""
    return tuple(
        f"round {each.kept.round} praised what is gone from {each.lost.path}: {each.kept.text}" for each in undone
    )


def joined(
    guard: Guarded, new: Iterable[Strength], sources: Mapping[tuple[RelPath, Side], Source], index: int | None
) -> tuple[KeptStrength, ...]:
    """The strengths of a branch in a round: those that stand, and new ones that are none of them, at most ``MOST``.

    ``new`` are those a model gave now, with evidence that was verified in ``sources``. The oldest come first, then by
    place, so that two reviews of one round list them alike.
    """
    result = list(guard.standing)
    for strength in new:
        made = _kept(strength, sources, index)
        if len(result) < MOST and made.evidence and not any(_same(made, other) for other in result):
            result.append(made)
    return tuple(sorted(result, key=_order))


def written(
    guard: Guarded, new: Iterable[Strength], sources: Mapping[tuple[RelPath, Side], Source], index: int
) -> tuple[KeptStrength, ...]:
    """What to keep when a round is written down: as ``joined``, and what it undid, marked."""
    left = (replace(each.kept, left=index) for each in guard.undone)
    return (*joined(guard, new, sources, index), *left)


def _kept(strength: Strength, sources: Mapping[tuple[RelPath, Side], Source], index: int | None) -> KeptStrength:
    evidence = tuple(replace(each, quote=redact(each.quote)) for each in strength.evidence if each.is_found)
    return KeptStrength(
        text=redact(strength.text), evidence=evidence, symbols=_symbols(evidence, sources, ()), round=index
    )


def _order(kept: KeptStrength) -> tuple[bool, int, str, int, str]:
    first = kept.evidence[0]
    return (kept.round is None, kept.round or 0, first.path, first.line, kept.text)


def _is_lost(proof: Evidence, now: Mapping[Evidence, Evidence], gone: Collection[RelPath]) -> bool:
    found = now.get(proof)
    return proof.path in gone if found is None else not found.is_found


def _symbols(
    evidence: Sequence[Evidence], sources: Mapping[tuple[RelPath, Side], Source], before: Sequence[str | None]
) -> tuple[str | None, ...]:
    found: list[str | None] = []
    for at, proof in enumerate(evidence):
        source = sources.get((proof.path, proof.side))
        known = before[at] if at < len(before) else None
        found.append(symbol_at(source.path, source.index, proof.line) if source is not None else known)
    return tuple(found)


def _same(one: KeptStrength, other: KeptStrength) -> bool:
    """Whether two praise one thing: by a line they quote, or by what they say of one file."""
    lines = [{(each.path, collapse(each.quote)) for each in kept.evidence} for kept in (one, other)]
    if lines[0] & lines[1]:
        return True
    paths = [{each.path for each in kept.evidence} for kept in (one, other)]
    return bool(paths[0] & paths[1]) and likeness(one.text, other.text) >= _SAME_WORDS
