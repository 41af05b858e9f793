"""A branch over rounds without git: texts in, observations, ids and events out. For tests of the ledger.

Each line that holds ``bad`` is an observation of one item. Invariant: a round goes the same way as a review: recognise,
make findings, advance, fold.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from roundzero.core.advance import Advance, Listened, Occasion, advance
from roundzero.core.change import Source
from roundzero.core.finding import Finding, FindingId, Hit, Observation, Origin, fingerprint, observe
from roundzero.core.item import Item, ItemId, Prose, Severity
from roundzero.core.known_texts import Texts
from roundzero.core.ledger import Entry, Event, Ledger, Round, fold
from roundzero.core.rebase import edit_map
from roundzero.core.recalled import recalled
from roundzero.core.recognition import recognise
from roundzero.core.report import VerdictStatus
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

ITEM = Item(id=ItemId("python/bad"), title=Prose("Bad"), why=Prose("It is."), severity=Severity.P1)
PATH = RelPath("a.py")


def source(path: str, text: str) -> Source:
    """A head text."""
    return Source(RelPath(path), text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


def observations(
    text: Source, *, item: Item = ITEM, version: str = "1", severity: Severity | None = None
) -> list[Observation]:
    """What the check sees in a text."""
    lines = [at for at in range(1, text.index.line_count + 1) if "bad" in text.index.line(at)]
    hits = [Hit(path=text.path, span=text.index.line_span(at), severity=severity) for at in lines]
    return [observe(item, hit, text, producer="check", version=version) for hit in hits]


def finding(name: FindingId, seen: Observation) -> Finding:
    """A shown finding of the branch."""
    group = fingerprint(seen.item, seen.path, seen.symbol, seen.anchor_text)
    return Finding(id=name, group=group, seen=seen, origin=Origin.INTRODUCED, in_diff=True, anchor=None)


@dataclass
class Branch:
    """The rounds of one branch. ``texts`` are the heads of the last one."""

    ledger: Ledger = field(default_factory=Ledger)
    texts: dict[RelPath, Source] = field(default_factory=dict)
    history: list[Event | Round] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    at: int = 0

    def round(
        self,
        files: Mapping[str, str],
        *,
        silent: Collection[str] = (),
        version: str = "1",
        severity: Severity | None = None,
        settings: str = "s",
        maps: bool = True,
        moved: Mapping[str, str] | None = None,
        seen: list[Observation] | None = None,
    ) -> Advance:
        """One review of ``files``; in ``silent`` paths nothing was checked. ``moved``: renames the diff knows of."""
        self.at += 1
        now = {RelPath(path): source(path, text) for path, text in files.items()}
        names = {old: new for new, old in (moved or {}).items()}
        known = {
            (path, old.blob): (
                RelPath(names.get(path, path)),
                edit_map(old.text, now[RelPath(names.get(path, path))].text),
            )
            for path, old in self.texts.items()
            if RelPath(names.get(path, path)) in now
        }
        texts = Texts(
            heads=now,
            maps=known if maps else {},
            olds={(path, old.blob): old for path, old in self.texts.items()},
            gone=frozenset(path for path in self.texts if path not in now),
        )
        heard = [text for path, text in now.items() if path not in silent]
        if seen is None:
            seen = [each for text in heard for each in observations(text, version=version, severity=severity)]
        ids = recognise(self.ledger, seen, texts)
        self.findings = [
            recalled(finding(name, each), self.ledger, texts, settings=settings)
            for name, each in zip(ids, seen, strict=True)
        ]
        listened = Listened(files={path: frozenset({ITEM.id}) for path in now if path not in silent})
        this = Round(
            index=self.ledger.next_index,
            at=f"2026-01-{self.at:02}T00:00:00+00:00",
            merge_base="base",
            snapshot="|".join(sorted(f"{path}:{text.blob}" for path, text in now.items())),
            settings=settings,
            verdict=VerdictStatus.LGTM,
            counts=(0, 0, 0, 0),
        )
        occasion = Occasion(round=this, versions={"check": version})
        raw = [finding(name, each) for name, each in zip(ids, seen, strict=True)]
        result = advance(self.ledger, raw, texts, listened, occasion)
        self.write(*result.events, *([result.round] if result.round is not None else []))
        self.texts = now
        return result

    def write(self, *events: Event | Round) -> None:
        """Append events."""
        self.history += events
        self.ledger = fold(events, self.ledger)

    def only(self) -> Entry:
        """The one entry there is."""
        (entry,) = self.ledger.entries.values()
        return entry

    def id_at(self, line: int, path: str = "a.py") -> FindingId:
        """The id of the finding that starts on a line now."""
        return next(each.id for each in self.findings if each.seen.line == line and each.seen.path == path)


def unchanged(before: Ledger, after: Ledger) -> bool:
    """Whether two ledgers say the same but for what a round itself notes."""

    def plain(ledger: Ledger) -> dict[FindingId, Entry]:
        return {name: replace(entry, last_seen=None) for name, entry in ledger.entries.items()}

    return plain(before) == plain(after)
