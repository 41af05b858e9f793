"""Words the question whether a finding of an earlier round still stands.

What the finding said, what changed there since, the code as it is now, and the one claim to judge. Invariants: only
texts that may be shown are; none of them can leave its fence; nothing tells the model what to answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.posing import DATA, LANGUAGES, inline, numbered, pose
from roundzero.core.prompt import fenced
from roundzero.core.recheck_candidates import surroundings
from roundzero.core.rechecking import AROUND
from roundzero.core.units import excerpt, redacted_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roundzero.core.change import Source
    from roundzero.core.finding import Evidence
    from roundzero.core.item import Language
    from roundzero.core.model_values import Question
    from roundzero.core.rechecking import Subject
    from roundzero.core.text import RelPath

VERSION: Final = "recheck 1"
"""Raise the number with every change of words that could change a reply."""

_MOST_LINES: Final = 160
"""Most lines shown of the finding's own function; around its line where it is longer."""

_BESIDE: Final = 6
"""Lines on either side of what it quotes elsewhere."""

_MOST_BESIDE: Final = 6
"""Most other places that are shown."""

_MOST_CHANGED: Final = 60
"""Most lines shown of what changed since."""

_SYSTEM: Final = """\
An earlier review found a defect. The code has changed since. Say whether the one claim on which that finding rests is \
still true of the code as it is now.

Rules
- Judge the claim, nothing else. It is not false because lines moved, names changed, or the wording no longer fits.
- "false": something in the code now makes it untrue. Quote the line that does, of the head, in the function the \
finding is about, copied exactly as it stands, and mark it decisive. Where there is no such line, it is "unclear".
- "holds": it is still true. Quote the line of the head that shows it.
- "unclear": what you are shown does not decide.
- "because" is one sentence that a person can check.
{data}\
- Answer in JSON only, in the given form. Write prose in {language}.
"""


def question(
    subject: Subject,
    sources: Mapping[tuple[RelPath, Side], Source],
    *,
    language: Language,
    schema: Mapping[str, object],
) -> Question | None:
    """The question about a finding. ``sources``: the redacted texts that may be shown.

    None where its own file may not.
    """
    text = sources.get((subject.again.text.path, Side.HEAD))
    if text is None:
        return None
    system = _SYSTEM.format(data=DATA, language=LANGUAGES[language])
    return pose(system, "\n".join(_asked(subject, text, sources)), schema, VERSION)


def _asked(subject: Subject, text: Source, sources: Mapping[tuple[RelPath, Side], Source]) -> Iterator[str]:
    yield "The finding"
    yield from fenced(_said(subject))
    if changed := list(_changed(subject, text)):
        yield "\nWhat changed there since"
        yield from fenced(changed)
    yield f"\nThe code now: {inline(text.path)}"
    shown = _own(text, subject.again.seen.line)
    yield from fenced(numbered(excerpt(text, Side.HEAD, shown.start, shown.stop - 1, role="head")))
    for proof in _beside(subject, text.path, shown, sources):
        source = sources[proof.path, proof.side]
        first, last = max(1, proof.line - _BESIDE), proof.line + _BESIDE
        yield f"\nQuoted by the finding, {proof.side.value}: {inline(source.path)}"
        yield from fenced(numbered(excerpt(source, proof.side, first, last, role="quoted")))
    yield "\nThe claim to judge"
    yield from fenced([inline(subject.claim)])


def _said(subject: Subject) -> Iterator[str]:
    then, case = subject.entry.sighting, subject.entry.sighting.anatomy
    yield inline(then.title)
    where = f", in {then.symbol}" if then.symbol is not None else ""
    yield f"at {inline(then.path or '')}:{then.line}{where}"
    if case is not None:
        if case.trigger:
            yield f"when: {inline(case.trigger)}"
        for number, step in enumerate(case.mechanism, 1):
            yield f"{number}. {inline(step.text)}"
    for each in then.evidence:
        yield f"quoted then, {each.side.value} {inline(each.path)}:{each.line}: {inline(each.quote)}"
    proof = subject.entry.proof
    if subject.was_fixed and proof is not None:
        yield f"called fixed since: {inline(proof.text)}"


def _changed(subject: Subject, text: Source) -> Iterator[str]:
    """Removed and added lines between then and now, around the finding."""
    if subject.then is None or subject.hunks is None:
        return
    then, now = redacted_source(subject.then), surroundings(text, subject.again.seen.line)
    shown = 0
    for hunk in subject.hunks:
        place = hunk.head_lines if hunk.head_count else range(hunk.head_gap, hunk.head_gap + 2)
        if place.stop <= now.start or place.start >= now.stop:
            continue
        for mark, source, lines in (("-", then, hunk.base_lines), ("+", text, hunk.head_lines)):
            for line in lines[: _MOST_CHANGED - shown]:
                yield from numbered(excerpt(source, Side.HEAD, line, line, role="changed"), mark)
            shown += len(lines)
            if shown >= _MOST_CHANGED:
                return


def _own(text: Source, line: int) -> range:
    block = surroundings(text, line)
    if len(block) <= _MOST_LINES:
        return block
    return range(max(block.start, line - 2 * AROUND), min(block.stop, line + 2 * AROUND + 1))


def _beside(
    subject: Subject, own: RelPath, shown: range, sources: Mapping[tuple[RelPath, Side], Source]
) -> list[Evidence]:
    """What it quotes that is not among the lines shown anyhow, and may be shown."""
    found: list[Evidence] = []
    for each in subject.again.seen.evidence:
        near = any(
            (other.path, other.side) == (each.path, each.side) and abs(other.line - each.line) <= _BESIDE
            for other in found
        )
        inside = (each.path, each.side) == (own, Side.HEAD) and each.line in shown
        if not near and not inside and (each.path, each.side) in sources:
            found.append(each)
    return found[:_MOST_BESIDE]
