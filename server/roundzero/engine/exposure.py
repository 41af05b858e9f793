"""Asks the index which symbols of old findings a change newly reaches. Nothing is asked where no added line names one.

Decides nothing: core/origin says of which symbols to ask, core/judge what the answer makes of a finding. Invariant: a
question that fails or takes too long leaves the findings as they are, pre-existing, and is no failure of the review.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.origin import asked
from roundzero.core.rebase import edit_map
from roundzero.engine.repository import BridgedRepository
from roundzero.engine.whole import symbols_of
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from roundzero.core.change import Change, Source
    from roundzero.core.finding import Evidence
    from roundzero.core.judge import Sight
    from roundzero.core.linemap import LineMap
    from roundzero.core.origin import Holder
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath
    from roundzero.engine.repository import Snapshot

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reach:
    """Symbols of old findings that a change newly reaches, each with the added line that does, in one of ``texts``."""

    lines: Mapping[Holder, Evidence] = field(default_factory=dict)
    texts: Mapping[RelPath, Source] = field(default_factory=dict)

    @property
    def paths(self) -> set[RelPath]:
        """The files of the symbols."""
        return {holder.path for holder in self.lines}

    def now(self, change: Change | None, paths: Collection[RelPath]) -> dict[Holder, Evidence]:
        """The symbols in files, by lines that are still there and still added, at their places in a later change."""
        found: dict[Holder, Evidence] = {}
        ways: dict[RelPath, LineMap] = {}
        for holder, use in self.lines.items():
            file = change.file(use.path) if change is not None and holder.path in paths else None
            if file is None or file.head is None:
                continue
            if use.path not in ways:
                ways[use.path] = edit_map(self.texts[use.path].text, file.head.text)
            line = ways[use.path].new(use.line)
            if line is not None and line in file.added:
                found[holder] = replace(use, line=line, blob=file.head.blob)
        return found


async def reach(sight: Sight, snapshot: Snapshot, ruleset: Ruleset, *, seconds: float) -> Reach:
    """What the change newly reaches of the symbols with old findings; asked in a thread, for ``seconds`` at most."""
    from roundzero.checkers._paths import is_test_path  # noqa: PLC0415  off the import path

    change = snapshot.change
    holders = asked(change, ruleset, head=sight.head, base=sight.base, based=sight.based, is_test=is_test_path)
    if not holders:
        return Reach()
    repository = BridgedRepository(snapshot, asyncio.get_running_loop())
    try:
        lines = await asyncio.to_thread(_look, change, repository, holders, keep_in=snapshot.keep_in, seconds=seconds)
        return Reach(lines, {use.path: change.head_texts[use.path] for use in lines.values()})
    except OutsideError as error:
        _log.info("what newly reaches old code is not known: %s", error)
        return Reach()
    finally:
        repository.close()


def _look(
    change: Change, repository: BridgedRepository, holders: Collection[Holder], *, keep_in: Path | None, seconds: float
) -> Mapping[Holder, Evidence]:
    from roundzero.checkers._paths import is_test_path  # noqa: PLC0415  as above
    from roundzero.index.reach import newly_reached  # noqa: PLC0415  as above

    stop = repository.is_closed
    with symbols_of(change, repository, keep_in=keep_in, seconds=seconds, should_stop=stop) as symbols:
        return newly_reached(symbols, change, holders, is_test_path)
