"""A branch on which a model found something in an earlier round, and the texts of now. For tests of what comes after.

Knows no git: line maps are made from the texts. Invariant: what was found then verifies in the text of then.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roundzero.core.anatomy import Anatomy, Claim, ClaimVerdict, Step
from roundzero.core.change import BaseChoice, BaseHow, Change, FileChange, HeadState, Side, Source, Status
from roundzero.core.citing import cited
from roundzero.core.finding import FindingId, Observation, State, Verified
from roundzero.core.item import Item, ItemId, LooksAt, Prose, Severity
from roundzero.core.known_texts import Texts
from roundzero.core.ledger import Entry, Ledger, Proof
from roundzero.core.model_values import Quote
from roundzero.core.outline import symbol_at
from roundzero.core.rebase import edit_map
from roundzero.core.ruleset import Ruleset
from roundzero.core.sighting import Sighting
from roundzero.core.text import RelPath, collapse
from roundzero.core.units import redacted_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.linemap import Hunk

APP = RelPath("app.py")
NAME = FindingId("rz-000000000001")
ITEM = Item(
    id=ItemId("general/other-defect"),
    title=Prose("t"),
    why=Prose("w"),
    severity=Severity.P1,
    looks_at=LooksAt.HUNK,
    ask="Is it?",
)
RULES = Ruleset((ITEM,), "d")
BASE = """\
def take(shelf, count):
    if count > len(shelf):
        raise ValueError(count)
    return shelf[:count]
"""
THEN = """\
def take(shelf, count):
    return [shelf.pop() for _ in range(count)]


def other(value):
    return value
"""
GUARD = "    if count > len(shelf):\n        raise ValueError(count)\n"
MENDED = THEN.replace("    return [", f"{GUARD}    return [")
POPS = "return [shelf.pop() for _ in range(count)]"
CLAIM = "nothing checks count before pop() is called"


def source(text: str, path: RelPath = APP) -> Source:
    """A text with the blob git would give nobody."""
    return Source(path, text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


def quote(text: str, line: int, path: str = APP, *, side: Side = Side.HEAD, decisive: bool = True) -> Quote:
    """A line as a model quotes it."""
    return Quote(path=path, side=side, line=line, text=text, role="shows it", decisive=decisive)


def hunks(old: str, new: str) -> tuple[Hunk, ...]:
    """What leads from one text to another."""
    return edit_map(old, new).hunks


@dataclass
class Earlier:
    """A finding about ``line`` of ``then``, and what the files read ``now``."""

    now: Mapping[str, str]
    then: str = THEN
    base: str = BASE
    line: int = 2
    quotes: tuple[Quote, ...] = (quote(POPS, 2),)
    state: State = State.OPEN
    proof: Proof | None = None
    verdict: ClaimVerdict = ClaimVerdict.VERIFIED
    name: FindingId = NAME
    left: int | None = None
    bases: Mapping[str, str] = field(default_factory=dict)

    @property
    def change(self) -> Change:
        """The change as it is now."""
        files = []
        for path, text in self.now.items():
            base = self.base if path == APP else self.bases.get(path, "")
            before = source(base, RelPath(path)) if base else None
            files.append(
                FileChange(
                    path=RelPath(path),
                    status=Status.MODIFIED if base else Status.ADDED,
                    base=before,
                    head=source(text, RelPath(path)),
                    hunks=hunks(base, text),
                )
            )
        return Change(
            base=BaseChoice(ref="main", merge_base="b" * 40, how=BaseHow.EXPLICIT),
            head=HeadState(commit="c" * 40, branch="topic", dirty=False),
            files=tuple(files),
            skipped=(),
            snapshot="s",
        )

    @property
    def sighting(self) -> Sighting:
        """The finding as it was seen."""
        then = source(self.then)
        evidence = cited(self.quotes, {(APP, Side.HEAD): then, (APP, Side.BASE): source(self.base)})
        assert all(each.verified is not Verified.MISSING for each in evidence)
        seen = Observation(
            item=ITEM.id,
            producer="m",
            producer_version="1",
            source="model",
            severity=Severity.P1,
            title="take() empties the shelf",
            why="items are lost",
            path=APP,
            side=Side.HEAD,
            span=then.index.line_span(self.line),
            symbol=symbol_at(APP, then.index, self.line),
            anchor_text=collapse(then.index.line(self.line)),
            evidence=evidence,
            anatomy=Anatomy(
                mechanism=(Step("pop() is called count times", (0,)),),
                claims=(Claim(text=CLAIM, decisive=True, verdict=self.verdict, blobs=(then.blob,)),),
            ),
        )
        return Sighting.of(seen, then.blob)

    @property
    def ledger(self) -> Ledger:
        """All that is remembered."""
        entry = Entry(
            id=self.name, state=self.state, sighting=self.sighting, first_seen=1, last_seen=1, proof=self.proof,
            left=self.left,
        )  # fmt: skip
        return Ledger(entries={entry.id: entry})

    @property
    def texts(self) -> Texts:
        """What is known of the texts."""
        then, heads = source(self.then), {file.path: file.head for file in self.change.files if file.head is not None}
        maps = {}
        if APP in heads and heads[APP].blob != then.blob:
            maps[APP, then.blob] = (APP, edit_map(self.then, heads[APP].text))
        return Texts(heads=heads, maps=maps, olds={(APP, then.blob): then})

    @property
    def sources(self) -> dict[tuple[RelPath, Side], Source]:
        """What may be shown and quoted."""
        return {key: redacted_source(each) for key, each in self.change.sides.items()}
