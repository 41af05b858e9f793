"""What a model said in earlier rounds, looked at again in the texts of now."""

from __future__ import annotations

import time

from roundzero.core.change import FileChange, Side, Source, Status
from roundzero.core.finding import Evidence, FindingId, Observation, Verified
from roundzero.core.item import Item, ItemId, Prose, Severity
from roundzero.core.known_texts import Texts
from roundzero.core.ledger import Event, Ledger, Sign, fold
from roundzero.core.linemap import Hunk
from roundzero.core.remembered import Remembered, remembered
from roundzero.core.ruleset import Ruleset
from roundzero.core.sighting import Sighting
from roundzero.core.text import RelPath
from support.changes import change_of

PATH = RelPath("a.py")
ITEM = Item(id=ItemId("p/a"), title=Prose("t"), why=Prose("w"), severity=Severity.P2, ask="Is it?")
LINES = 8000
TEXT = "".join(f"value_{at} = compute_something(alpha_{at}, beta)\n" for at in range(LINES))


def said(line: int, quote: str) -> Observation:
    """A model's finding on a line, with a quote it rests on."""
    head = Source(PATH, TEXT, "then")
    evidence = Evidence(
        path=PATH, side=Side.HEAD, line=line + 1, quote=quote, role="r", blob="then", verified=Verified.EXACT
    )
    return Observation(
        item=ITEM.id, producer="m", producer_version="1", source="model", severity=Severity.P2, title=f"wrong {line}",
        why="", path=PATH, side=Side.HEAD, span=head.index.line_span(line), symbol=None,
        anchor_text=head.index.line(line), evidence=(evidence,),
    )  # fmt: skip


def ledger(count: int, quote: str) -> Ledger:
    """So many of them, each on a line of its own."""
    return fold(
        Event(id=FindingId(f"rz-{at:012}"), sign=Sign.SEEN, at="t", round=1, sighting=Sighting.of(seen, "then"))
        for at in range(count)
        for seen in [said(10 * at + 1, quote)]
    )


def again(count: int, quote: str) -> tuple[Remembered, ...]:
    """What becomes of them where one line was added above."""
    head = Source(PATH, f"import os\n{TEXT}", "now")
    file = FileChange(
        path=PATH, status=Status.MODIFIED, base=Source(PATH, "\n", "b"), head=head, hunks=(Hunk(1, 1, 1, LINES + 1),)
    )
    change = change_of(file)
    return remembered(ledger(count, quote), change, Texts(heads={PATH: head}), {}, Ruleset((ITEM,), "d"))


def test_what_can_still_be_read_holds_where_it_is_now() -> None:
    """The line moved with its text, and so did the quote; one that is nowhere takes the finding with it."""
    (found,) = again(1, "value_1 = compute_something(alpha_1, beta)")
    assert (found.holds, found.seen.line, found.seen.evidence[0].line) == (True, 2, 3)
    (found,) = again(1, "compute_nothing_here(alpha, delta)")
    assert not found.holds


def test_many_quotes_of_one_text_cost_one_preparation_of_it() -> None:
    """What takes long is bringing a large text into the forms that quotes are looked for in."""
    gone = "compute_nothing_here(alpha, delta)"
    one, forty = min(cost(1, gone) for _ in range(3)), min(cost(40, gone) for _ in range(2))
    assert forty < 10 * one


def cost(count: int, quote: str) -> float:
    """Seconds of processor time that so many take."""
    begun = time.thread_time()
    again(count, quote)
    return time.thread_time() - begun
