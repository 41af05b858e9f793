"""The report of a change as a live engine knows it, without looking at anything again.

Invariant: it says the same as a review of the same texts would, but for what is still being looked at.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero import __version__
from roundzero.core.compose import About, compose
from roundzero.store.clock import now

if TYPE_CHECKING:
    from roundzero.core.change import Change
    from roundzero.core.item import Language
    from roundzero.core.report import Report
    from roundzero.engine.live import Live
    from roundzero.engine.model_review import Asked


def standing_report(live: Live, change: Change, asked: Asked | None, *, language: Language) -> Report:
    """The report of ``change``, which ``live`` knows. ``asked``: what a model said; None: none took part."""
    about = About(
        tool_version=__version__,
        reviewed_at=now(),
        language=language,
        depth="quick" if asked is not None else "off",
        model=asked.stats if asked is not None else None,
        answered=asked.sight.answered if asked is not None else frozenset(),
        spared=asked.sight.spared if asked is not None else frozenset(),
    )
    findings = live.settled()
    composed = compose(change, findings, live.failures(), live.rules.ruleset, directives=live.directives(), about=about)
    if live.recall is None:
        return composed
    from roundzero.core.standing import with_remains  # noqa: PLC0415  where something is remembered

    composed = replace(composed, round=live.recall.info())
    return with_remains(composed, findings, live.recall.ledger, live.rules.view, live.rules.ruleset)
