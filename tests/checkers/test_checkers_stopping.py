"""A look at the whole change that nobody wants any more: it ends between two questions, whatever it is at."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import pytest

from roundzero.checkers.run_change import check_change
from roundzero.core.item import ItemId
from roundzero.index.fact_store import FactStore
from roundzero.index.limit import TimeLimit
from roundzero.index.symbols import RepositorySymbols
from roundzero.packs.examples import parse
from support.checking import FixtureRepository, built_in, change_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from roundzero.core.ports import GrepHit

ITEMS = ("general/deleted-file-still-named", "python/name-clash-signature", "general/duplicate-code")
TEXT = "//- tools/run.py\n-old = 1\n//- Makefile\n test:\n \tpython tools/run.py\n"


class Watched(FixtureRepository):
    """Says whether it was searched."""

    searched = False

    def grep(self, words: Collection[str]) -> Mapping[str, tuple[GrepHit, ...]]:
        """See core.ports."""
        self.searched = True
        return super().grep(words)


@pytest.mark.parametrize("turns", range(2 * len(ITEMS)))
def test_it_ends_at_the_next_question(turns: int) -> None:
    """While words are gathered, of which a large change has many, as well as while checks run."""
    fixture = parse(TEXT)
    change, repository, asked = change_of(fixture), Watched(fixture), count()
    chosen = [replace(built_in().by_id[ItemId(name)], enabled=True) for name in ITEMS]
    symbols = RepositorySymbols(repository, change, FactStore(), TimeLimit(60))
    assert check_change(change, repository, symbols, chosen, lambda: next(asked) >= turns) is None
    assert next(asked) == turns + 1
    assert repository.searched is (turns >= len(ITEMS))
