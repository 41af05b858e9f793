"""Facts of files by blob id: in memory, then kept bytes, then extracted.

Does not know paths beyond their language, nor sides. Facts of text that is being edited stay in memory only.
Invariant: the weight of what is held in memory stays below ``MOST_ROWS``.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from roundzero.core.facts import FACTS_VERSION, ModuleFacts, ModuleUses
from roundzero.index.codec import decode_module, decode_uses, encode_module, encode_uses
from roundzero.index.python_facts import extract

if TYPE_CHECKING:
    from roundzero.core.change import Source
    from roundzero.core.ports import FactCache

MOST_ROWS: Final = 150_000
"""Rows held in memory, at some 150 bytes each."""


class FactStore:
    """Facts by blob id. Long-lived: one per process, shared by the snapshots. Not for several threads at once."""

    def __init__(
        self,
        cache: FactCache | None = None,
        *,
        most_rows: int = MOST_ROWS,
    ) -> None:
        """Keep facts in ``cache`` as well, if given."""
        self._cache = cache
        self._most_rows = most_rows
        self._modules: OrderedDict[str, ModuleFacts | None] = OrderedDict()
        self._uses: OrderedDict[str, ModuleUses | None] = OrderedDict()
        self._rows = 0
        self._new: dict[str, bytes] = {}
        self.extracted = 0

    def module(self, source: Source, *, keep: bool) -> ModuleFacts | None:
        """What a source defines; None when it does not parse. ``keep``: worth keeping between runs."""
        if source.blob in self._modules:
            self._modules.move_to_end(source.blob)
            return self._modules[source.blob]
        kept = self._kept(_module_key(source.blob)) if keep else None
        facts = decode_module(kept) if kept is not None else None
        if facts is None:
            return self._make(source, keep=keep)[0]
        self._hold_module(source.blob, facts)
        return facts

    def uses(self, source: Source, *, keep: bool) -> ModuleUses | None:
        """What a source uses; as ``module``."""
        if source.blob in self._uses:
            self._uses.move_to_end(source.blob)
            return self._uses[source.blob]
        kept = self._kept(_uses_key(source.blob)) if keep else None
        uses = decode_uses(kept) if kept is not None else None
        if uses is None:
            return self._make(source, keep=keep)[1]
        self._hold_uses(source.blob, uses)
        return uses

    def flush(self) -> None:
        """Hand what is new to the cache, in one transaction."""
        rows, self._new = self._new, {}
        if rows and self._cache is not None:
            self._cache.put(rows)

    def _kept(self, key: str) -> bytes | None:
        if self._cache is None:
            return None
        return self._new.get(key) or self._cache.get((key,)).get(key)

    def _make(self, source: Source, *, keep: bool) -> tuple[ModuleFacts | None, ModuleUses | None]:
        facts = extract(source)
        self.extracted += 1
        module, uses = (facts.module, facts.uses) if facts is not None else (None, None)
        self._hold_module(source.blob, module)
        self._hold_uses(source.blob, uses)
        if keep and self._cache is not None and module is not None and uses is not None:
            self._new[_module_key(source.blob)] = encode_module(module)
            self._new[_uses_key(source.blob)] = encode_uses(uses)
        return module, uses

    def _hold_module(self, blob: str, facts: ModuleFacts | None) -> None:
        if blob not in self._modules:
            self._modules[blob] = facts
            self._rows += _module_rows(facts)
            self._shrink()

    def _hold_uses(self, blob: str, uses: ModuleUses | None) -> None:
        if blob not in self._uses:
            self._uses[blob] = uses
            self._rows += _uses_rows(uses)
            self._shrink()

    def _shrink(self) -> None:
        """Let go of the least recently used, uses first: they are large and asked for once."""
        while self._rows > self._most_rows and len(self._uses) > 1:
            self._rows -= _uses_rows(self._uses.popitem(last=False)[1])
        while self._rows > self._most_rows and len(self._modules) > 1:
            self._rows -= _module_rows(self._modules.popitem(last=False)[1])


def _module_key(blob: str) -> str:
    return f"{FACTS_VERSION}m{blob}"


def _uses_key(blob: str) -> str:
    return f"{FACTS_VERSION}u{blob}"


def _module_rows(facts: ModuleFacts | None) -> int:
    if facts is None:
        return 1
    return 1 + len(facts.bindings) + 3 * len(facts.definitions) + len(facts.members) + len(facts.imports)


def _uses_rows(uses: ModuleUses | None) -> int:
    return 1 if uses is None else 1 + len(uses.uses) + len(uses.calls) + len(uses.strings)
