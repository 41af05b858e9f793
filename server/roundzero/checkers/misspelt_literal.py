"""misspelt-literal: a new key or compared string is one slip away from one that the repository uses all the time.

Slips are a letter too many, too few or twice, two letters swapped, and in long words one letter replaced. The frequent
spelling has to be used the same way in a changed file; so a slip against a word that only other files have is not
found. Invariant: the new spelling occurs on added lines only, the other at least TIMES as often.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import SymbolChecker, SymbolView, code, replace
from roundzero.checkers._paths import is_test_path
from roundzero.core.change import Side
from roundzero.core.finding import Hit
from roundzero.core.item import language_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from roundzero.core.change import FileChange
    from roundzero.core.facts import StringUse
    from roundzero.core.finding import Fix

TIMES: Final = 10
SHORTEST: Final = 5
LONG: Final = 9
"""Letters from which one replaced letter counts as a slip: between shorter words it is another word."""

_ROLES: Final = frozenset({"key", "index", "compare", "case"})
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z_]+")


class MisspeltLiteral(SymbolChecker):
    """Finds strings that are nearly another one."""

    name = "misspelt-literal"

    def words(self, view: SymbolView) -> Collection[str]:
        """The new strings, and those they resemble."""
        return {word for _, row, near in _pairs(view) for word in (row.value, near)}

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Count both spellings."""
        for file, row, near in _pairs(view):
            places = {(hit.path, hit.line) for hit in view.found.get(row.value, ())}
            added = {(other.path, line) for other in view.change.files for line in other.added}
            often = len(view.found.get(near, ()))
            if not places or not places <= added or often < TIMES * len(places) or file.head is None:
                continue
            text = file.head.index.slice(row.span)
            fixes: tuple[Fix, ...] = ()
            if text.count(row.value) == 1:
                fixes = (replace(file.head, f"Write {near}", text.replace(row.value, near), row.span, safe=False),)
            yield Hit(path=file.path, span=row.span, subject=f"{code(row.value)}, {code(near)}", fixes=fixes)


def _pairs(view: SymbolView) -> Iterator[tuple[FileChange, StringUse, str]]:
    """New strings with the most similar one of the changed files that is used the same way."""
    mine: list[tuple[FileChange, StringUse]] = []
    known: set[str] = set()
    for file in view.change.files:
        if file.head is None or language_of(file.path) != "python" or is_test_path(file.path):
            continue
        uses = view.symbols.uses(file.path, Side.HEAD)
        for row in uses.strings if uses is not None else ():
            if row.role in _ROLES and len(row.value) >= SHORTEST and _WORD.fullmatch(row.value):
                if row.line in file.added:
                    mine.append((file, row))
                known.add(row.value)
    for file, row in mine:
        near = sorted(word for word in known if is_slip(row.value, word))
        if near:
            yield file, row, near[0]


def is_slip(written: str, meant: str) -> bool:
    """Whether one slip of the keys turns ``meant`` into ``written``. Plurals, prefixes and case are no slips."""
    if written == meant or written.lower() == meant.lower() or written[0] != meant[0]:
        return False
    if len(written) == len(meant):
        differing = [at for at, (one, other) in enumerate(zip(written, meant, strict=True)) if one != other]
        if len(differing) == 2:
            first, second = differing
            return second == first + 1 and written[first] == meant[second] and written[second] == meant[first]
        return len(differing) == 1 and len(meant) >= LONG and differing[0] not in {0, len(meant) - 1}
    longer, shorter = (written, meant) if len(written) > len(meant) else (meant, written)
    if len(longer) != len(shorter) + 1 or longer[:-1] == shorter:
        return False
    at = next(at for at, letter in enumerate(longer) if at >= len(shorter) or shorter[at] != letter)
    return longer[at + 1 :] == shorter[at:] and longer[at] != "_" and not longer.endswith("s") | shorter.endswith("s")


CHECKER: Final = MisspeltLiteral
