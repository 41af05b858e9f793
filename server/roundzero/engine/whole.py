"""Checks the change as a whole, with the index built for it: what the thread or process beside the loop runs.

Waits for its repository, so it never runs on the loop. Invariant: facts learnt are kept also when time ran out, so that
the next look gets further.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from roundzero.checkers.run_change import ChangeResult
    from roundzero.core.change import Change
    from roundzero.core.item import Item
    from roundzero.core.ports import Repository
    from roundzero.index.symbols import RepositorySymbols

SECONDS_WHILE_TYPING: Final = 2.0
SECONDS_ON_REQUEST: Final = 60.0
"""How long questions across files may take. Over it the checks that ask them are *not checked*."""


def check_whole(
    change: Change,
    repository: Repository,
    items: Sequence[Item],
    *,
    keep_in: Path | None,
    seconds: float,
    should_stop: Callable[[], bool],
) -> ChangeResult | None:
    """See checkers.run_change. ``keep_in`` is the git common directory that keeps facts between runs, or None."""
    from roundzero.checkers.run_change import check_change  # noqa: PLC0415  heavy

    with symbols_of(change, repository, keep_in=keep_in, seconds=seconds, should_stop=should_stop) as symbols:
        return check_change(change, repository, symbols, items, should_stop)


@contextmanager
def symbols_of(
    change: Change,
    repository: Repository,
    *,
    keep_in: Path | None,
    seconds: float,
    should_stop: Callable[[], bool],
) -> Iterator[RepositorySymbols]:
    """The index of a change, to be asked within a time; see ``check_whole``. What it learnt is kept at the end."""
    from roundzero.index.fact_store import FactStore  # noqa: PLC0415  heavy
    from roundzero.index.limit import TimeLimit  # noqa: PLC0415  as above
    from roundzero.index.symbols import RepositorySymbols as Index  # noqa: PLC0415  as above
    from roundzero.store.index_db import IndexDb  # noqa: PLC0415  as above

    kept = IndexDb(keep_in) if keep_in is not None else None
    symbols = Index(repository, change, FactStore(kept), TimeLimit(seconds, should_stop))
    try:
        yield symbols
    finally:
        symbols.close()
        if kept is not None:
            kept.close()
