"""A claim of a finding in a repository of texts, after probes, for tests of what each can tell.

Invariant: all claims of a finding cost one search at most.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.anatomy import Anatomy, Claim, Votes
from roundzero.engine.fact_check import probe_all
from roundzero.index.fact_store import FactStore
from roundzero.index.limit import TimeLimit
from roundzero.index.symbols import RepositorySymbols
from support.defects import Said, draft
from support.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roundzero.core.anatomy import Probe
    from roundzero.core.change import Change


def probed(
    head: Mapping[str, str],
    text: str,
    *,
    at: str = "app.py",
    line: int = 1,
    more: Sequence[int] = (),
    base: Mapping[str, str] | None = None,
    proposed: tuple[Probe, ...] = (),
    symbol: str | None = None,
    change: Change | None = None,
) -> Claim:
    """A claim of a finding at a line of ``at``, after probes."""
    texts = Texts(head, base)
    change = change or texts.change()
    seen = draft(Said("d", 1, line, "crash", "t", text, more=tuple(more)), at, symbol).observation
    claim = Claim(text=text, decisive=True, proposed=proposed)
    seen = replace(seen, anatomy=Anatomy(claims=(claim,), votes=Votes(5, 5)))
    symbols = RepositorySymbols(texts, change, FactStore(), TimeLimit(60))
    (after,) = probe_all([seen], change, texts, symbols)
    assert after.anatomy is not None
    assert len(texts.greps) <= 1, texts.greps
    return after.anatomy.claims[0]
