"""What files define and use, held between questions of one engine, so that a text is parsed once.

index/fact_store and texts with what was found out about them, for threads: each question is put in one, and one that
was given up may still be running. Invariants: one thread at a time has the facts; the database is open only while one
has them; what is held in memory is bounded.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from roundzero.core.change import Source
    from roundzero.core.text import RelPath
    from roundzero.index.fact_store import FactStore
    from roundzero.store.index_db import IndexDb

_MOST_ROWS: Final = 30_000
"""Rows held in memory, at some 150 bytes each: the files around a change, not the repository."""

_MOST_TEXT: Final = 2_000_000
"""Code points of texts held."""


class KnownFacts:
    """See the module. ``keep_in``: the git common directory, where facts outlive the process; None: nowhere."""

    def __init__(self, keep_in: Path | None) -> None:
        """Know nothing and open nothing."""
        self.keep_in = keep_in
        self._lock = threading.Lock()
        self._held: tuple[FactStore, IndexDb | None] | None = None
        self._texts: OrderedDict[RelPath, Source] = OrderedDict()
        self._size = 0

    @contextmanager
    def open(self) -> Iterator[FactStore]:
        """The facts, for this thread alone; what is new is kept at the end. Waits for whoever has them."""
        with self._lock:
            store, kept = self._held = self._held or self._made()
            try:
                yield store
            finally:
                store.flush()
                if kept is not None:
                    kept.close()

    def known(self, source: Source) -> Source:
        """The same text as it was met before, with all that was worked out about it. Only while ``open``."""
        before = self._texts.pop(source.path, None)
        if before is not None and (before.blob, before.text) != (source.blob, source.text):
            self._size -= len(before.text)
            before = None
        if before is None:
            self._size += len(source.text)
        self._texts[source.path] = source = before or source
        while self._size > _MOST_TEXT and len(self._texts) > 1:
            self._size -= len(self._texts.popitem(last=False)[1].text)
        return source

    def _made(self) -> tuple[FactStore, IndexDb | None]:
        from roundzero.index.fact_store import FactStore as Store  # noqa: PLC0415  heavy
        from roundzero.store.index_db import IndexDb as Kept  # noqa: PLC0415  as above

        kept = Kept(self.keep_in) if self.keep_in is not None else None
        return Store(kept, most_rows=_MOST_ROWS), kept
