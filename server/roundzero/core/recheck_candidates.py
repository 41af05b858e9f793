"""Which findings of earlier rounds have to be looked at again, and which settle themselves.

Decides by texts alone: what became of the lines a finding stands on, of its function, of the files it quotes, of the
text its decisive claim was checked in. Asks nobody. Invariants: what is left out reads as it did, at its place and
around it; only code that was deleted to the last line is called gone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.advance import Recheck
from roundzero.core.claims import decisive, is_outdated, texts_of
from roundzero.core.finding import State
from roundzero.core.item import Severity
from roundzero.core.ledger import LIVE, Ledger, Proof
from roundzero.core.linemap import LineMap
from roundzero.core.matching import RESEMBLES, TELLING, resemblance
from roundzero.core.outline import block_around
from roundzero.core.rechecking import AROUND, Subject, defines, is_wide
from roundzero.core.regex import regex
from roundzero.core.remembered import remembered
from roundzero.core.sighting import line_reading
from roundzero.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from roundzero.core.change import Change, Source
    from roundzero.core.finding import FindingId
    from roundzero.core.known_texts import Texts
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath

_MOST_COMPARED: Final = 3000
_COMPARED: Final = 200
"""Added lines that are compared with one that is gone, and characters of them."""

_WORD: Final = regex(r"[^\W\d]\w*")


def candidates(  # noqa: PLR0913  each is an independent input
    ledger: Ledger,
    change: Change,
    texts: Texts,
    quoted: Mapping[RelPath, Source],
    ruleset: Ruleset,
    *,
    covers: Callable[[RelPath], bool],
    said: Collection[FindingId] = (),
    delta: Collection[RelPath] = (),
) -> tuple[Subject, ...]:
    """Findings of a model that may be another story now, gravest first; their texts of then are still to be found.

    Those that are open, stale or unconfirmed, and fixed ones that read as before. ``said`` were raised again anyhow.
    ``delta``: paths that changed since somebody looked this deeply.
    """
    entries = {
        name: entry
        for name, entry in ledger.entries.items()
        if entry.sighting.source == "model" and name not in said and entry.state in {*LIVE, State.FIXED}
    }
    as_open = Ledger(entries={name: replace(entry, state=State.OPEN) for name, entry in entries.items()})
    words, current = _words(change, delta), texts_of(change)
    subjects: list[Subject] = []
    for again in remembered(as_open, change, texts, quoted, ruleset):
        subject = Subject(entry=entries[again.id], again=again)
        if again.seen.path is None or not covers(again.seen.path):
            continue
        if subject.was_fixed and not _reads_as_before(subject, texts):
            continue
        anyway = _is_named(subject, words)
        if anyway or _may_be_touched(subject, current):
            subjects.append(replace(subject, anyway=anyway))
    return tuple(sorted(subjects, key=lambda each: (each.was_fixed, each.entry.sighting.severity, each.entry.id)))


def checked_in(subject: Subject) -> tuple[str, ...]:
    """The objects of which one is the finding's own file as its decisive claim was checked in it."""
    claims = decisive(subject.entry.sighting.anatomy)
    blobs = [blob for claim in claims for blob in claim.blobs if not is_wide(blob)]
    return tuple(dict.fromkeys([*blobs, subject.entry.sighting.blob]))


def text_of_then(subject: Subject, olds: Mapping[str, Source]) -> Source | None:
    """The first text of ``olds``, by blob, that the finding can have been seen in."""
    then = subject.entry.sighting
    for blob in checked_in(subject):
        old = olds.get(blob)
        if old is not None and line_reading(then.anchor_text, old.index, then.line) is not None:
            return old
    return None


def is_touched(subject: Subject, change: Change) -> bool:
    """Whether what is around a finding that holds differs from what it was; so where that is not known.

    One that may block, and whose claim was read in files that are others now, is looked at in any case: it could not.
    """
    then, hunks, case = subject.then, subject.hunks, subject.entry.sighting.anatomy
    may_block = subject.entry.sighting.severity <= Severity.P1 and not any(
        is_wide(blob) for claim in decisive(case) for blob in claim.blobs
    )
    if may_block and is_outdated(case, texts_of(change)):
        return True
    if subject.anyway or not subject.again.holds or then is None or hunks is None or _other_files_differ(subject):
        return True
    line = line_reading(subject.entry.sighting.anchor_text, then.index, subject.entry.sighting.line) or 1
    before, now = surroundings(then, line), surroundings(subject.again.text, subject.again.seen.line)
    return any(
        _meet(hunk.base_gap, hunk.base_count, before) or _meet(hunk.head_gap, hunk.head_count, now) for hunk in hunks
    )


def surroundings(text: Source, line: int) -> range:
    """The lines around a place: its function, or some on either side."""
    block = block_around(text.path, text.index, line)
    near = range(max(1, line - AROUND), min(text.index.line_count, line + AROUND) + 1)
    return near if block is None else block


def removed(subject: Subject, change: Change) -> Recheck | None:
    """The proof that the function a finding was about was deleted, line by line; None where that is not so."""
    seen, then, hunks = subject.entry.sighting, subject.then, subject.hunks
    if subject.again.holds or subject.was_fixed or then is None or not hunks or seen.symbol is None:
        return None
    line = line_reading(seen.anchor_text, then.index, seen.line)
    block = block_around(then.path, then.index, line) if line is not None else None
    if block is None:
        return None
    lines = LineMap(hunks)
    kept = any(then.index.line(at).strip() and lines.new(at) is not None for at in block)
    heads = [subject.again.text, *change.head_texts.values()]
    if kept or _lives_on(seen.anchor_text, change) or any(defines(head, seen.symbol) for head in heads):
        return None
    proof = Proof(
        text=f"{seen.symbol} is gone, and the code it was about with it",
        path=subject.again.seen.path,
        line=max(1, subject.again.seen.line),
        commit=change.head.commit,
    )
    return Recheck(outcome="negated", proof=proof)


def _lives_on(anchor: str, change: Change) -> bool:
    """Whether an added line reads much like a text: it moved, or was written anew. So where there are too many."""
    added = [collapse(file.head.index.line(line)) for file in change.files if file.head for line in file.added]
    if len(anchor) < TELLING or len(added) > _MOST_COMPARED:
        return True
    return any(resemblance(anchor[:_COMPARED], line[:_COMPARED]) >= RESEMBLES for line in added)


def _reads_as_before(subject: Subject, texts: Texts) -> bool:
    """Whether a fixed finding's code stands there again, and what proved that it was fixed does not."""
    proof = subject.entry.proof
    if not subject.again.holds:
        return False
    if proof is None or proof.path is None or proof.quote is None:
        return True
    head = texts.heads.get(proof.path)
    quote = collapse(proof.quote)
    return head is None or line_reading(quote, head.index, proof.line or 1) is None


def _is_named(subject: Subject, words: Collection[str]) -> bool:
    """Whether changed lines elsewhere name the function it is about: a caller may have been mended."""
    symbol = subject.entry.sighting.symbol
    return symbol is not None and symbol.rpartition(".")[2] in words


def _may_be_touched(subject: Subject, current: Collection[str]) -> bool:
    then, again = subject.entry.sighting, subject.again
    if not again.holds or subject.was_fixed:
        return True
    differs = then.blob != again.text.blob or is_outdated(then.anatomy, current)
    return differs or _other_files_differ(subject)


def _other_files_differ(subject: Subject) -> bool:
    """Whether a file that it quotes beside its own is another than it was."""
    pairs = zip(subject.entry.sighting.evidence, subject.again.seen.evidence, strict=True)
    return any(old.blob != new.blob for old, new in pairs if new.path != subject.again.seen.path)


def _words(change: Change, delta: Collection[RelPath]) -> frozenset[str]:
    """The names on the changed lines of some files."""
    found: set[str] = set()
    for file in change.files:
        if file.path not in delta:
            continue
        for hunk in file.hunks:
            for source, start, count in (
                (file.head, hunk.head_start, hunk.head_count),
                (file.base, hunk.base_start, hunk.base_count),
            ):
                if source is not None and count:
                    first, last = source.index.line_start(start), source.index.line_start(start + count)
                    found.update(_WORD.findall(source.text, first, last))
    return frozenset(found)


def _meet(gap: int, count: int, lines: range) -> bool:
    """Whether a hunk's lines, or the gap it left, lie in ``lines``."""
    first, last = (gap + 1, gap + count) if count else (gap, gap + 1)
    return first < lines.stop and last >= lines.start
