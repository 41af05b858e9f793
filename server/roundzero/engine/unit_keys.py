"""What a unit's answer depends on, wherever in its file the unit stands.

Pure. Invariant: equal keys mean that a model would be asked the same, but for line numbers and for what was dismissed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.change import Side

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.model_values import Unit
    from roundzero.engine.quick_review import Inquiry


def keys_of(units: Iterable[Unit], inquiry: Inquiry, asked_of: str) -> list[str]:
    """What each unit's answer depends on, wherever in its file the unit stands: the question without line numbers.

    So lines that were inserted above make no new question. ``asked_of`` names provider and model. Equal units of a file
    are told apart by their order.
    """
    from roundzero.core.prompt import question  # noqa: PLC0415  off the start-up path
    from roundzero.providers.reply import schema  # noqa: PLC0415  as above

    form, keys = schema(), []
    times: Counter[str] = Counter()
    for unit in units:
        asked = question(_from_line_one(unit), inquiry.ruleset.by_id, language=inquiry.language, schema=form)
        key = f"{asked.key} {asked_of} {unit.path}"
        keys.append(f"{key} {times[key]}")
        times[key] += 1
    return keys


def _from_line_one(unit: Unit) -> Unit:
    """The unit as if both its sides began with their first lines."""
    heads = [each.first for each in unit.excerpts if each.side is Side.HEAD]
    bases = [each.first for each in unit.excerpts if each.side is Side.BASE]
    head, base = min(heads, default=1) - 1, min(bases, default=1) - 1
    return replace(
        unit,
        hunks=tuple(
            replace(
                hunk, head_start=hunk.head_start - head, base_start=hunk.base_start - base if hunk.base_count else 0
            )
            for hunk in unit.hunks
        ),
        excerpts=tuple(
            replace(each, first=each.first - (head if each.side is Side.HEAD else base)) for each in unit.excerpts
        ),
        triggers=tuple(
            replace(fact, line=max(1, fact.line - head) if fact.path == unit.path else 0) for fact in unit.triggers
        ),
    )
