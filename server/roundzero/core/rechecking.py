"""Whether what a model found in earlier rounds is still so, now that the code around it has changed.

Judges an answer; which findings have to be looked at is recheck_candidates', how they are asked about
recheck_question's. A finding is fixed when its decisive claim is false at the symbol it was about, and a line there
that was not there before shows it: that nobody raises it again says nothing. Invariants: without a verified quote of
code at the symbol nothing is called fixed; what cannot be decided is unconfirmed, never gone.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from roundzero.core.advance import Recheck
from roundzero.core.anatomy import ClaimVerdict
from roundzero.core.change import Side
from roundzero.core.citing import cited, found
from roundzero.core.claims import bound, decisive
from roundzero.core.drafting import cause_of
from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.core.ledger import Proof
from roundzero.core.lexical import is_known
from roundzero.core.neutral import neutral
from roundzero.core.outline import symbol_at
from roundzero.core.quotes import CLOSE
from roundzero.core.regex import regex
from roundzero.core.remembered import Remembered
from roundzero.core.secrets import redact
from roundzero.core.sighting import redacted
from roundzero.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roundzero.core.anatomy import Claim
    from roundzero.core.change import Change, Source
    from roundzero.core.finding import Evidence
    from roundzero.core.ledger import Entry
    from roundzero.core.linemap import Hunk
    from roundzero.core.model_values import Quote
    from roundzero.core.text import RelPath

AROUND: Final = 25
"""Lines on either side that count as the place of a finding that is in no function."""

READ: Final = "read by the model: {place}"
"""How a claim was checked that a model looked at again."""

NOT_TRUE: Final = "what it rests on is no longer true"
NO_PROOF: Final = "said to be fixed, but no new line there shows it"
NOT_THERE: Final = "looked at again, and what would show it is not there"
UNDECIDED: Final = "looked at again, and not decided"

_MARKS: Final = regex(r"[#/*\"'`.\s-]+")
"""What is left of a line that is a comment or prose, once that is blanked."""


class Stand(Enum):
    """What a model says of the claim a finding stands or falls with."""

    HOLDS = "holds"
    FALSE = "false"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecheckDraft:
    """One validated answer: whether the claim holds now, why, and the lines that show it."""

    stand: Stand
    because: str
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A finding to look at again. ``again``: where it would be now, and whether all it quotes can be read there.

    ``anyway``: whatever became of the lines around it. ``then`` is the text its decisive claim was last checked in and
    ``hunks`` lead from there to now; None: not at hand.
    """

    entry: Entry
    again: Remembered
    anyway: bool = False
    then: Source | None = None
    hunks: tuple[Hunk, ...] | None = None

    @property
    def was_fixed(self) -> bool:
        """Whether it was, so that it would be a regression."""
        return self.entry.state is State.FIXED

    @property
    def claim(self) -> str:
        """What it stands or falls with, in words; its title where it names no claim."""
        claims = decisive(self.entry.sighting.anatomy)
        return claims[0].text if claims else self.entry.sighting.title


def judged(
    subject: Subject, said: RecheckDraft, sources: Mapping[tuple[RelPath, Side], Source], change: Change
) -> Recheck | Remembered | None:
    """What an answer makes of a finding: fixed, not to be substantiated, or seen again; None: as it was.

    ``sources`` are the redacted texts that may be quoted.
    """
    evidence = cited(said.quotes, sources)
    best_first = sorted(found(evidence), key=lambda each: not _decisive(each, said))
    there = [each for each in best_first if _at_place(subject, each) and _is_code(subject.again.text, each.line)]
    because = redact(" ".join(said.because.split()))
    if said.stand is Stand.FALSE:
        proof = next((each for each in there if _shows_a_change(subject, each, change)), None)
        if proof is not None:
            return _fixed(proof, because, change)
        return None if subject.was_fixed else _failed(subject, NO_PROOF, because)
    if said.stand is Stand.HOLDS and (there or (subject.again.holds and not subject.was_fixed)):
        return _still(subject, there, change)
    if subject.was_fixed:
        return None
    return _failed(subject, NOT_THERE if said.stand is Stand.HOLDS else UNDECIDED, because)


def _fixed(proof: Evidence, because: str, change: Change) -> Recheck:
    return Recheck(
        outcome="negated",
        proof=Proof(
            text=because or NOT_TRUE,
            path=proof.path,
            line=proof.line,
            commit=change.head.commit,
            quote=redacted(proof.quote),
        ),
    )


def _failed(subject: Subject, why: str, because: str) -> Recheck:
    seen = subject.again.seen
    text = f"{why}: {because}" if because else why
    return Recheck(outcome="failed", proof=Proof(text=text, path=seen.path, line=seen.line or None))


def _still(subject: Subject, there: Sequence[Evidence], change: Change) -> Remembered:
    """The finding as it is seen now, with what was quoted for it and the texts its claim was checked in."""
    again, seen = subject.again, subject.again.seen
    known = {(each.path, each.side, each.line) for each in found(seen.evidence)}
    evidence = (*seen.evidence, *(each for each in there if (each.path, each.side, each.line) not in known))
    good = found(evidence)
    if not again.holds:
        proof = min(there, key=lambda each: abs(each.line - seen.line))
        text, line = again.text, proof.line
        on_change = (file := change.file(text.path)) is not None and line in file.added
        seen = replace(
            seen,
            span=text.index.line_span(line),
            symbol=symbol_at(text.path, text.index, line),
            anchor_text=collapse(text.index.line(line)),
            cause=None if on_change else cause_of(good, change) or seen.cause,
        )
    reads = {(again.text.path, Side.HEAD), *((each.path, each.side) for each in good)}
    blobs = bound(change, sorted(reads, key=lambda read: (read[0], read[1].value)))
    place = there[0] if there else None
    case = seen.anatomy
    if case is not None:
        case = replace(case, claims=tuple(_checked_again(each, blobs, place) for each in case.claims))
    return Remembered(again.id, replace(seen, evidence=evidence, anatomy=case), again.text, holds=True)


def _checked_again(claim: Claim, blobs: tuple[str, ...], place: Evidence | None) -> Claim:
    """A claim that was verified before and holds, of the texts of now.

    What was not verified is not so by this, nor is what was looked for everywhere: nobody looked there again.
    """
    wide = any(is_wide(blob) for blob in claim.blobs)
    if not claim.decisive or claim.verdict is not ClaimVerdict.VERIFIED or wide:
        return claim
    probe = claim.probe if place is None else READ.format(place=f"{place.path}:{place.line}")
    return replace(claim, blobs=blobs, probe=probe)


def _decisive(each: Evidence, said: RecheckDraft) -> bool:
    return any(quote.decisive and quote.text == each.quote for quote in said.quotes)


def _at_place(subject: Subject, each: Evidence) -> bool:
    """Whether evidence stands in the symbol the finding was about, or near it where it was in none."""
    seen, text = subject.again.seen, subject.again.text
    if each.side is not Side.HEAD or each.path != text.path:
        return False
    symbol = subject.entry.sighting.symbol
    if symbol is None:
        return abs(each.line - seen.line) <= AROUND
    here = symbol_at(text.path, text.index, each.line)
    renamed = symbol_at(text.path, text.index, seen.line) if not defines(text, symbol) else None
    return any(name is not None and here is not None and _within(here, name) for name in (symbol, renamed))


def _is_code(text: Source, line: int) -> bool:
    """Whether a line does something: what a comment says of code proves nothing of it."""
    return not is_known(text) or bool(_MARKS.sub("", neutral(text).index.line(line)))


def _within(symbol: str, outer: str) -> bool:
    return symbol == outer or symbol.startswith(f"{outer}.")


def defines(text: Source, symbol: str) -> bool:
    """Whether a text has a function or class of a symbol's name."""
    name = re.escape(symbol.rpartition(".")[2])
    return re.search(rf"^\s*(?:async\s+def|def|class)\s+{name}\b", text.text, re.MULTILINE) is not None


def _shows_a_change(subject: Subject, proof: Evidence, change: Change) -> bool:
    """Whether a line can have made a claim false that was true: it is new, or stands where what was quoted is gone.

    A line that was there all the time would say that the claim was never true, which is another matter.
    """
    for each in subject.again.seen.evidence:
        gone = not each.is_found and each.side is Side.HEAD and each.path == proof.path
        if gone and abs(each.line - proof.line) <= CLOSE:
            return True
    quoted = {collapse(each.quote) for each in subject.entry.sighting.evidence if each.side is Side.HEAD}
    if collapse(proof.quote) in quoted:
        return False
    if subject.hunks is not None:
        return any(proof.line in hunk.head_lines for hunk in subject.hunks)
    file = change.file(proof.path)
    return file is not None and proof.line in file.added


def is_wide(blob: str) -> bool:
    """Whether a claim is bound to everything there was, and not to a file."""
    return ":" in blob
