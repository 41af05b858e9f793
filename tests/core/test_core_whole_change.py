"""The question about a change as a whole: which points are asked, and what is shown."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.change import Change, FileChange, Source, Status
from roundzero.core.item import Applies, Item, ItemId, LooksAt, Prose, Severity
from roundzero.core.linemap import Hunk
from roundzero.core.model_values import Draft
from roundzero.core.overview import Described
from roundzero.core.ruleset import Ruleset
from roundzero.core.text import RelPath
from roundzero.core.units import cut
from roundzero.core.whole_change import MARK, by_unit, question, whole_of
from roundzero.providers.reply import read, schema
from support.changes import change_of
from support.drafts import drafted, quote, reply

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7H8"


def item(name: str, severity: Severity, *, looks_at: LooksAt = LooksAt.CHANGE, paths: Sequence[str] = ()) -> Item:
    """A point that a model is asked about."""
    return Item(
        id=ItemId(name),
        title=Prose(name),
        why=Prose("because"),
        severity=severity,
        looks_at=looks_at,
        applies=Applies(paths=tuple(paths)),
        ask=f"Is {name} so?",
    )


RULES = Ruleset(
    (
        item("own/grave", Severity.P1),
        item("own/mild", Severity.P3),
        item("own/built", Severity.P1, paths=["**/BUILD"]),
        item("own/part", Severity.P1, looks_at=LooksAt.ADDED),
    ),
    "digest",
)


def file(path: str, base: str | None, head: str | None) -> FileChange:
    """A file that was changed from its first line to its last."""
    texts = [None if text is None else Source(RelPath(path), text, f"{path} {len(text)}") for text in (base, head)]
    counts = [0 if text is None else text.count("\n") for text in (base, head)]
    status = Status.ADDED if base is None else Status.DELETED if head is None else Status.MODIFIED
    hunk = Hunk(min(1, counts[0]), counts[0], min(1, counts[1]), counts[1])
    return FileChange(path=RelPath(path), status=status, base=texts[0], head=texts[1], hunks=(hunk,))


STOCK = file("app/stock.py", None, "def take(count):\n    return count\n\n\nclass Shelf:\n    size = 1\n" * 5)
GONE = file("tests/test_stock.py", "def test_take():\n    assert take(1) == 1\n", None)


def asked(made: Change, gone: Sequence[str] = ()) -> str:
    """The text of the question."""
    units = cut(made, RULES, max_lines=150, covers=lambda _: True).units
    whole = whole_of(units, made, RULES, [RelPath(path) for path in gone])
    described = (Described("d" * 40, f"Take one\n\nwith {KEY}\n"),)
    put = question(whole, made, described, RULES.by_id, language="en", schema=schema(), note="Look around.")
    return put.turns[-1].text


def test_points_about_the_whole_are_asked_where_they_apply() -> None:
    """By path, and those of a part are not among them; of a small change only what may block is asked."""
    made = change_of(STOCK)
    units = cut(made, RULES, max_lines=150, covers=lambda _: True).units
    whole = whole_of(units, made, RULES)
    assert (list(whole.items), set(whole.spared)) == (["own/grave", "own/mild"], set())
    small = change_of(file("app/stock.py", None, "x = 1\n"), file("app/BUILD", None, "y\n"))
    units = cut(small, RULES, max_lines=150, covers=lambda _: True).units
    whole = whole_of(units, small, RULES)
    assert (list(whole.items), set(whole.spared)) == (["own/grave", "own/built"], {"own/mild"})


def test_commits_files_and_lines_are_shown() -> None:
    """With the functions a file's hunks are in and how much of it changed, and without secrets."""
    text = asked(change_of(STOCK, GONE), ["tests/test_stock.py"])
    assert text.startswith(f"{MARK}\nLook around.\n")
    assert "app/stock.py (added, +30 -0): take" in text
    assert "tests/test_stock.py (deleted, +0 -2)" in text
    assert "-    1 def test_take():" in text
    assert "+    1 def take(count):" in text
    assert "- own/grave: Is own/grave so?" in text
    assert "Take one" in text
    assert KEY not in text


def test_a_deleted_file_that_may_not_be_sent_is_not_shown() -> None:
    """Neither its lines nor its name."""
    text = asked(change_of(STOCK, GONE))
    assert "test_stock" not in text
    assert "and 1 more that you are not shown" in text


def test_a_finding_goes_with_the_part_it_stands_in() -> None:
    """Or the nearest one of its file, or any; what could not be read is counted once."""
    two = replace(STOCK, hunks=(Hunk(0, 0, 1, 2), Hunk(0, 0, 28, 2)))
    made = change_of(two, file("b.py", None, "x = 1\n"))
    units = cut(made, RULES, max_lines=4, covers=lambda _: True).units
    whole = whole_of(units, made, RULES)
    said = [drafted("t", [quote(path, line, "x = 1")]) for path, line in (("app/stock.py", 29), ("b.py", 1), ("c", 1))]
    draft = read(json.dumps(reply(*said)))
    assert isinstance(draft, Draft)
    rows = [(unit.path, unit.hunks[0].head_start) for unit, _ in by_unit(replace(draft, faults=("one",)), whole)]
    assert ("app/stock.py", 28) in rows
    assert ("b.py", 1) in rows
    faults = [each.faults for _, each in by_unit(replace(draft, faults=("one",)), whole)]
    assert sum(map(len, faults)) == 1
