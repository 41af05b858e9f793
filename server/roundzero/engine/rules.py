"""How a live engine judges: the rules in force, as a value.

Loads nothing; the change lane makes it anew when settings or checklists change. Invariant: equal rules judge the same
sight alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from roundzero.core.gate import GatePolicy
    from roundzero.core.item import Language
    from roundzero.core.judge import View
    from roundzero.core.ruleset import Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How to judge."""

    ruleset: Ruleset
    view: View
    policy: GatePolicy
    language: Language
    linters: tuple[str, ...] = ()
