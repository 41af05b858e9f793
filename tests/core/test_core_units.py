"""How a change is cut into units for questions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.change import Change, FileChange, Side, Source, Status
from roundzero.core.item import Item, ItemId, LooksAt, Prose, Severity
from roundzero.core.linemap import Hunk
from roundzero.core.outline import block_around
from roundzero.core.ruleset import Ruleset
from roundzero.core.text import RelPath
from roundzero.core.units import cut, excerpt, redacted_text, split
from support.changes import change_of
from support.growth import is_linear

PATH = RelPath("a.py")


def a_change(head: str, hunks: tuple[Hunk, ...], base: str | None = "") -> Change:
    """A change of one file."""
    file = FileChange(
        path=PATH,
        status=Status.MODIFIED,
        base=None if base is None else Source(PATH, base, "b"),
        head=Source(PATH, head, "h"),
        hunks=hunks,
    )
    return change_of(file)


def an_item(
    name: str, looks_at: LooksAt = LooksAt.HUNK, ask: str | None = "Is it?", severity: Severity = Severity.P1
) -> Item:
    """An item that asks."""
    return Item(id=ItemId(name), title=Prose("t"), why=Prose("w"), severity=severity, looks_at=looks_at, ask=ask)


RULES = Ruleset(items=(an_item("p/a"), an_item("p/b", LooksAt.CHANGE), an_item("p/c", ask=None)), digest="d")


def lines(count: int) -> str:
    """So many lines."""
    return "".join(f"x{number} = {number}\n" for number in range(1, count + 1))


@given(st.integers(0, 400), st.integers(0, 400), st.integers(2, 150))
def test_a_split_hunk_is_still_the_same_lines(removed: int, added: int, most: int) -> None:
    """The pieces are in order, small enough, and hold every line of both sides once."""
    hunk = Hunk(11, removed, 21, added)
    pieces = split(hunk, most)
    assert [line for piece in pieces for line in piece.head_lines] == list(hunk.head_lines)
    assert [line for piece in pieces for line in piece.base_lines] == list(hunk.base_lines)
    assert all(piece.base_count + piece.head_count <= most for piece in pieces)


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 200)), min_size=1, max_size=8), st.integers(4, 150))
def test_every_hunk_is_asked_about_or_named(spec: list[tuple[int, int]], most: int) -> None:
    """Whatever the sizes and distances, each added line is in exactly one unit or uncovered with a reason."""
    hunks: list[Hunk] = []
    at = 1
    for gap, count in spec:
        at += gap
        hunks.append(Hunk(at, 0, at, count))
        at += count
    found = cut(a_change(lines(at + 5), tuple(hunks)), RULES, max_lines=most, covers=lambda _: True)
    asked = [line for unit in found.units for hunk in unit.hunks for line in hunk.head_lines]
    named = [line for each in found.uncovered for hunk in each.hunks for line in hunk.head_lines]
    assert sorted([*asked, *named]) == [line for hunk in hunks for line in hunk.head_lines]
    for unit in found.units:
        shown = {
            each.first + number
            for each in unit.excerpts
            if each.side is Side.HEAD
            for number in range(each.text.count("\n") + 1)
        }
        assert {line for hunk in unit.hunks for line in hunk.head_lines} <= shown
        assert unit.lines <= most


def test_a_unit_shows_the_whole_function_and_what_was_removed() -> None:
    """The head's function with the numbers its lines have, and the base's lines that went."""
    head = "import os\n\n\ndef f(a):\n    b = a\n    return b\n\n\ndef g():\n    pass\n"
    base = head.replace("    b = a\n", "    b = a or 1\n")
    (unit,) = cut(a_change(head, (Hunk(5, 1, 5, 1),), base), RULES, max_lines=50, covers=lambda _: True).units
    now, old = unit.excerpts
    assert (now.first, now.text) == (4, "def f(a):\n    b = a\n    return b")
    assert (old.side, old.first, old.text) == (Side.BASE, 5, "    b = a or 1")
    assert unit.items == (ItemId("p/a"),)


def test_what_is_too_large_is_named_and_not_cut() -> None:
    """A hunk of thousands of lines and a line of thousands of characters are left out with the reason."""
    huge = cut(a_change(lines(3000), (Hunk(0, 0, 1, 3000),)), RULES, max_lines=100, covers=lambda _: True)
    assert (huge.units, huge.uncovered[0].reason) == ((), "too large: 3000 lines in one piece")
    wide = cut(a_change("x" * 5000, (Hunk(0, 0, 1, 1),)), RULES, max_lines=100, covers=lambda _: True)
    assert (wide.units, wide.uncovered[0].reason) == ((), "too large: a line of 5000 characters")


def test_files_nobody_asked_about_are_in_no_unit() -> None:
    """``covers`` decides."""
    found = cut(a_change(lines(3), (Hunk(0, 0, 1, 3),)), RULES, max_lines=100, covers=lambda _: False)
    assert found.hunks == 0


def test_secrets_are_replaced_values_only_and_lines_stay() -> None:
    """Names and lines stay; the same secret has the same placeholder; a key over several lines keeps their number."""
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
    key = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 3 + "-----END PRIVATE KEY-----"
    text = f'api = "{token}"\nagain = "{token}"\nPEM = """{key}"""\nlast = 1\n'
    safe = redacted_text(Source(PATH, text, "b"))
    assert token not in safe
    assert "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" not in safe
    assert safe.count("\n") == text.count("\n")
    assert len(set(re.findall(r"<secret \d+: [^>]+>", safe))) == 2
    assert safe.split("\n")[0].startswith('api = "<secret 1: GitHub token>')


@pytest.mark.parametrize(
    ("line", "block"),
    [
        (1, None),
        (4, range(3, 9)),
        (5, range(3, 9)),
        (7, range(3, 9)),
        (11, range(10, 15)),
        (13, range(12, 15)),
        (14, range(12, 15)),
    ],
)
def test_the_block_around_a_line_is_its_innermost_definition(line: int, block: range | None) -> None:
    """With decorators and a signature over several lines; None at module level."""
    text = (
        "import os\n\n@cache\ndef f(\n    a,\n):\n    if a:\n        return 1\n\n"
        "class C:\n    x = 1\n    def m(self):\n        y = 2\n        return y\n\nz = 3\n"
    )
    assert block_around(PATH, Source(PATH, text, "b").index, line) == block


def test_of_a_long_line_beside_a_hunk_the_beginning_is_sent() -> None:
    """A line of data that is only context, or that was removed, does not fill the question; its number stays."""
    text = "x = 1\n" + "d = '" + "ab" * 50_000 + "'\ny = 2\n"
    made = cut(a_change(text, (Hunk(1, 1, 1, 1),), base=text), RULES, max_lines=100, covers=lambda _: True)
    (unit,) = made.units
    for each in unit.excerpts:
        assert max(len(line) for line in each.text.split("\n")) <= 2_000
    assert unit.excerpts[0].text.split("\n")[2] == "y = 2"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_excerpt_is_its_lines_and_the_cost_is_of_them(end: str) -> None:
    """Whatever the lines end in; many of one text take no longer than reading it once."""
    source = Source(PATH, "".join(f'name_{at} = "value"{end}' for at in range(20)), "b")
    assert excerpt(source, Side.HEAD, 3, 4, role="r").text == 'name_2 = "value"\nname_3 = "value"'
    assert excerpt(source, Side.HEAD, 19, 99, role="r").text == 'name_18 = "value"\nname_19 = "value"'

    def show(text: str) -> None:
        count = text.count("\n")
        hunks = tuple(Hunk(line, 1, line, 1) for line in range(1, count, 40))
        cut(a_change(text, hunks, text), RULES, max_lines=50, covers=lambda _: True)

    assert is_linear(show, f"value = compute(alpha, beta){end}", 40_000)


FORM = an_item("p/form", severity=Severity.P3)


def test_a_small_unit_is_asked_less_than_a_large_one() -> None:
    """Of two units of a file only the large one is asked about form, and then nothing was spared."""
    rules = Ruleset(items=(*RULES.items, FORM), digest="d")
    hunks = (Hunk(10, 0, 10, 1), Hunk(99, 0, 100, 40))
    small, large = cut(a_change(lines(200), hunks), rules, max_lines=50, covers=lambda _: True).units
    assert small.items == ("p/a",)
    assert large.items == ("p/a", "p/form")
    assert cut(a_change(lines(200), hunks), rules, max_lines=50, covers=lambda _: True).spared == frozenset()


def test_what_no_unit_is_large_enough_for_is_spared() -> None:
    """It is named, unless something is not asked about at all: that might have been large enough."""
    rules = Ruleset(items=(*RULES.items, FORM), digest="d")
    one = cut(a_change(lines(30), (Hunk(9, 0, 10, 1),)), rules, max_lines=50, covers=lambda _: True)
    assert one.spared == {FORM.id}
    huge = (Hunk(9, 0, 10, 1), Hunk(50, 0, 60, 3000))
    assert cut(a_change(lines(3200), huge), rules, max_lines=50, covers=lambda _: True).spared == frozenset()
