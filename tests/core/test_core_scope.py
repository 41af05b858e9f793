"""What an item looks at, how a line finds its symbol and a path its language."""

from __future__ import annotations

import pytest

from roundzero.core.change import FileChange, Side, Source, Status
from roundzero.core.finding import Hit, observe
from roundzero.core.item import Applies, Item, ItemId, LooksAt, Prose, Severity, glob_matches, language_of
from roundzero.core.linemap import Hunk
from roundzero.core.outline import symbol_at
from roundzero.core.scope import nearest_changed_line, out_of_scope
from roundzero.core.text import LineIndex, RelPath

HEAD = Source(RelPath("a.py"), "".join(f"line {n}\n" for n in range(1, 41)), "1" * 40)
BASE = Source(RelPath("a.py"), "".join(f"line {n}\n" for n in range(1, 41)), "0" * 40)
FILE = FileChange(
    path=HEAD.path,
    status=Status.MODIFIED,
    base=BASE,
    head=HEAD,
    hunks=(Hunk(10, 1, 10, 2), Hunk(20, 3, 20, 0)),
)


def item(looks_at: LooksAt) -> Item:
    """An item that looks at the given lines."""
    return Item(id=ItemId("p/i"), title=Prose("t"), why=Prose("w"), severity=Severity.P2, looks_at=looks_at)


@pytest.mark.parametrize(
    ("looks_at", "side", "line", "sees"),
    [
        (LooksAt.ADDED, Side.HEAD, 10, True),
        (LooksAt.ADDED, Side.HEAD, 11, True),
        (LooksAt.ADDED, Side.HEAD, 12, False),
        (LooksAt.ADDED, Side.HEAD, 9, False),
        (LooksAt.ADDED, Side.HEAD, 20, False),
        (LooksAt.ADDED, Side.BASE, 21, True),
        (LooksAt.ADDED, Side.BASE, 11, False),
        (LooksAt.HUNK, Side.HEAD, 14, True),
        (LooksAt.HUNK, Side.HEAD, 15, False),
        (LooksAt.HUNK, Side.HEAD, 7, True),
        (LooksAt.HUNK, Side.HEAD, 6, False),
        (LooksAt.HUNK, Side.HEAD, 23, True),
        (LooksAt.HUNK, Side.HEAD, 24, False),
        (LooksAt.FILE, Side.HEAD, 35, True),
        (LooksAt.CHANGE, Side.HEAD, 35, True),
    ],
)
def test_scope_follows_the_lines_of_its_side(looks_at: LooksAt, side: Side, line: int, sees: bool) -> None:
    """Added, hunk, file and change mean what the pack format says."""
    rule = item(looks_at)
    hit = Hit(path=HEAD.path, span=HEAD.index.line_span(line), side=side)
    found = observe(rule, hit, HEAD if side is Side.HEAD else BASE, producer="t", version="1")
    assert (out_of_scope(rule, found, FILE) is None) is sees


def test_a_file_that_did_not_change_is_out_of_scope_but_for_change_items() -> None:
    """Only an item about the change as a whole may speak of an untouched file."""
    found = observe(item(LooksAt.FILE), Hit(path=HEAD.path, span=None), HEAD, producer="t", version="1")
    assert out_of_scope(item(LooksAt.FILE), found, None) is not None
    assert out_of_scope(item(LooksAt.CHANGE), found, None) is None


@pytest.mark.parametrize(("line", "nearest"), [(1, 10), (11, 11), (13, 11), (18, 20), (40, 20)])
def test_an_off_diff_finding_hangs_on_the_nearest_changed_line(line: int, nearest: int) -> None:
    """Ties go to the earlier hunk."""
    assert nearest_changed_line(FILE, line) == nearest


CODE = '''\
import os

@decorate
@again
class Reader(Base):
    """Doc."""

    x = 1

    @property
    def name(self):
        if self:

            return 1
        def inner():
            pass
        return 2

async def main():
    pass
y = 1
'''


@pytest.mark.parametrize(
    ("line", "symbol"),
    [
        (1, None), (3, "Reader"), (4, "Reader"), (5, "Reader"), (8, "Reader"), (10, "Reader.name"),
        (11, "Reader.name"), (13, "Reader.name"), (14, "Reader.name"), (15, "Reader.name.inner"),
        (16, "Reader.name.inner"), (17, "Reader.name"), (19, "main"), (20, "main"), (21, None),
    ],
)  # fmt: skip
def test_a_line_belongs_to_its_innermost_definition(line: int, symbol: str | None) -> None:
    """Decorators belong to what they decorate; module level has no symbol."""
    assert symbol_at(RelPath("a.py"), LineIndex(CODE), line) == symbol


def test_only_python_has_symbols_so_far() -> None:
    """Another language answers None rather than a guess."""
    assert symbol_at(RelPath("a.rb"), LineIndex("def x\n  y\n"), 2) is None


@pytest.mark.parametrize(
    ("path", "glob", "matches"),
    [
        ("a.py", "**/*.py", True),
        ("x/y/a.py", "**/*.py", True),
        ("x/y/a.py", "*.py", False),
        ("tests/unit/a.py", "tests/**", True),
        ("src/tests/a.py", "tests/**", False),
        ("src/tests/a.py", "**/tests/**", True),
        ("tests", "tests/**", True),
        ("x/test_a.py", "**/test_*.py", True),
        ("x/[a].py", "x/[[]a].py", True),
    ],
)
def test_globs_are_those_of_gitignore_users(path: str, glob: str, matches: bool) -> None:
    """``**/`` crosses folders, ``*`` does not."""
    assert glob_matches(path, glob) is matches


def test_an_item_applies_by_language_and_path() -> None:
    """Language, then wanted globs, then unwanted ones."""
    applies = Applies(languages=("python",), paths=("src/**",), exclude=("**/gen/**",))
    assert applies.matches(RelPath("src/a.py"))
    assert not applies.matches(RelPath("src/a.rs"))
    assert not applies.matches(RelPath("lib/a.py"))
    assert not applies.matches(RelPath("src/gen/a.py"))


@pytest.mark.parametrize(
    ("path", "language"),
    [("a/BUILD", "starlark"), ("CMakeLists.txt", "cmake"), ("x.tsx", "tsx"), ("noext", None), ("a.unknown", None)],
)
def test_a_language_is_known_by_name(path: str, language: str | None) -> None:
    """Whole names first, then the suffix."""
    assert language_of(RelPath(path)) == language
