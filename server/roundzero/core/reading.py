"""How a voice of a deep review reads a unit: in an order of its own, and perhaps without comments.

What stands first weighs most with a model, so each draft gets the parts of a unit, its checks and its facts in another
order. Invariants: nothing is added or lost; equal voices read equal units alike, in every process.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from roundzero.core.neutral import neutral
from roundzero.core.units import excerpt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from roundzero.core.change import Side, Source
    from roundzero.core.deep import Voice
    from roundzero.core.model_values import Excerpt, Unit
    from roundzero.core.text import RelPath

_T = TypeVar("_T")


def read_by(voice: Voice, unit: Unit, texts: Mapping[tuple[RelPath, Side], Source]) -> Unit:
    """The unit as a voice reads it. ``texts``, for a neutral voice: what its excerpts are of, redacted and ``blanked``.

    An excerpt of a text that is not there stays as it is.
    """
    excerpts = unit.excerpts if not voice.neutral else tuple(_from(texts, each) for each in unit.excerpts)
    return replace(
        unit,
        excerpts=_ordered(excerpts, voice, lambda each: f"{each.path} {each.side} {each.first}"),
        facts=_ordered(unit.facts, voice, lambda each: f"{each.path} {each.text}"),
        items=_ordered(unit.items, voice, str),
    )


def blanked(texts: Mapping[tuple[RelPath, Side], Source]) -> dict[tuple[RelPath, Side], Source]:
    """The texts as a neutral voice reads them. Takes a while for many: once for all units, and off a loop."""
    return {key: neutral(source) for key, source in texts.items()}


def _from(texts: Mapping[tuple[RelPath, Side], Source], each: Excerpt) -> Excerpt:
    text = texts.get((each.path, each.side))
    if text is None:
        return each
    return excerpt(text, each.side, each.first, each.first + each.text.count("\n"), role=each.role, index=text.index)


def _ordered(parts: Iterable[_T], voice: Voice, name: Callable[[_T], str]) -> tuple[_T, ...]:
    return tuple(sorted(parts, key=lambda each: _rank(voice.number, name(each))))


def _rank(number: int, text: str) -> bytes:
    return hashlib.sha256(f"{number} {text}".encode("utf-8", "surrogateescape")).digest()
