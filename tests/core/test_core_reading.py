"""How the voices of a deep review read a unit."""

from __future__ import annotations

from dataclasses import replace

from roundzero.core.change import Side, Source
from roundzero.core.deep import VOICES
from roundzero.core.item import ItemId
from roundzero.core.linemap import Hunk
from roundzero.core.model_values import Excerpt, Fact, Unit
from roundzero.core.prompt import question
from roundzero.core.reading import blanked, read_by
from roundzero.core.text import RelPath

PATH = RelPath("pkg/a.py")
UNIT = Unit(
    path=PATH,
    hunks=(Hunk(1, 0, 1, 8),),
    excerpts=tuple(Excerpt(path=PATH, side=Side.HEAD, first=at, text=f"line {at}") for at in range(1, 9)),
    items=tuple(ItemId(f"p/{name}") for name in "abcdefgh"),
    facts=tuple(Fact(text=f"uses {name}", path=RelPath("x.py"), line=at) for at, name in enumerate("abcdefgh")),
)


def test_every_voice_reads_in_another_order() -> None:
    """Each gets all of the unit, and no two of them in the same order."""
    read = [read_by(voice, UNIT, {}) for voice in VOICES if not voice.neutral]
    for parts in ([each.excerpts for each in read], [each.items for each in read], [each.facts for each in read]):
        assert len(set(parts)) == len(parts)
        assert all(sorted(map(repr, part)) == sorted(map(repr, parts[0])) for part in parts)


def test_a_voice_reads_alike_each_time() -> None:
    """The order is the voice's and the unit's, so an interrupted review asks the same questions again."""
    for voice in VOICES:
        assert read_by(voice, UNIT, {}) == read_by(voice, UNIT, {})


def test_the_line_of_a_fact_does_not_decide_its_place() -> None:
    """A use that moved elsewhere is no reason to ask again."""
    moved = replace(UNIT, facts=tuple(replace(fact, line=fact.line + 7) for fact in UNIT.facts))
    for voice in VOICES:
        one, other = (read_by(voice, unit, {}) for unit in (UNIT, moved))
        keys = {question(unit, {}, language="en", schema={}).key for unit in (one, other)}
        assert len(keys) == 1


def test_a_neutral_voice_reads_no_comments() -> None:
    """Its excerpts are of the blanked text, line for line."""
    (voice,) = (voice for voice in VOICES if voice.neutral)
    text = "x = 1  # reviewed by everybody\ny = 'all is well'\n"
    source = Source(RelPath("pkg/b.py"), text, "c")
    shown = Excerpt(path=source.path, side=Side.HEAD, first=1, text=text.rstrip("\n"))
    unit = replace(UNIT, excerpts=(shown,))
    (read,) = read_by(voice, unit, blanked({(source.path, Side.HEAD): source})).excerpts
    assert (read.first, read.text) == (1, "x = 1  # ...\ny = '...'")


def test_reading_blanks_nothing_itself() -> None:
    """The texts are blanked once for all units: a neutral voice takes its excerpts from them as they are."""
    (voice,) = (voice for voice in VOICES if voice.neutral)
    texts = {(PATH, Side.HEAD): Source(PATH, "".join(f"{at}  # as it was given\n" for at in range(1, 9)), "h")}
    read = {each.first: each.text for each in read_by(voice, UNIT, texts).excerpts}
    assert read == {at: f"{at}  # as it was given" for at in range(1, 9)}
