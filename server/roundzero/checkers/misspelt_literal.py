"""misspelt-literal: a new key or compared string is one slip away from one that the repository uses all the time.

Slips are a letter too many, too few or twice, two letters swapped, and in long words one letter replaced. A question
about the whole repository, asked backwards: every spelling one slip away from a new one is looked for at once, so no
file is parsed but those of the change. Where the time is over it is not checked. Invariant: the new spelling occurs on
added lines only, the other TIMES as often as a quoted string.
"""

from __future__ import annotations

import re
import string
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import SymbolChecker, SymbolView, code, replace
from roundzero.checkers._paths import is_test_path
from roundzero.core.change import Side
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from roundzero.core.change import FileChange
    from roundzero.core.facts import StringUse
    from roundzero.core.finding import Fix
    from roundzero.core.ports import GrepHit

TIMES: Final = 10
SHORTEST: Final = 5
LONG: Final = 9
"""Letters from which one replaced letter counts as a slip: between shorter words it is another word."""

TOGETHER: Final = 4
"""New strings looked for by one grep: some 1,500 spellings, 0.2 s over 7,000 files (measured, git 2.39)."""

_ROLES: Final = frozenset({"key", "index", "compare", "case"})
_WORD: Final = regex(r"[A-Za-z][A-Za-z_]+")


class MisspeltLiteral(SymbolChecker):
    """Finds strings that are nearly another one."""

    name = "misspelt-literal"
    version = "2"

    def words(self, view: SymbolView) -> Collection[str]:
        """The new strings."""
        return {row.value for _, row in _new(view)}

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Of the strings that nothing but this change has, look for what may have been meant."""
        added = {(file.path, line) for file in view.change.files for line in file.added}
        rows: dict[str, list[tuple[FileChange, StringUse]]] = defaultdict(list)
        for file, row in _new(view):
            hits = view.found.get(row.value, ())
            if hits and {(hit.path, hit.line) for hit in hits} <= added:
                rows[row.value].append((file, row))
        written = sorted(rows)
        for at in range(0, len(written), TOGETHER):
            meant = {word: spellings(word) for word in written[at : at + TOGETHER]}
            found = view.symbols.mentions({near for nears in meant.values() for near in nears}, Side.HEAD)
            for word, nears in meant.items():
                often = {near: sum(_quotes(hit, near) for hit in found[near]) for near in nears}
                best = max(nears, key=lambda near: (often[near], near), default="")
                if best and often[best] >= TIMES * len(view.found[word]):
                    for file, row in rows[word]:
                        yield _hit(file, row, best)


def _new(view: SymbolView) -> Iterator[tuple[FileChange, StringUse]]:
    """Keys and compared strings on added lines of code that is no test."""
    for file in view.change.files:
        if file.head is None or not file.added or language_of(file.path) != "python" or is_test_path(file.path):
            continue
        uses = view.symbols.uses(file.path, Side.HEAD)
        for row in uses.strings if uses is not None else ():
            if (
                row.line in file.added
                and row.role in _ROLES
                and len(row.value) >= SHORTEST
                and _WORD.fullmatch(row.value)
            ):
                yield file, row


def _quotes(hit: GrepHit, word: str) -> bool:
    return language_of(hit.path) == "python" and re.search(rf"([\"']){word}\1", hit.text) is not None


def _hit(file: FileChange, row: StringUse, near: str) -> Hit:
    head = file.head
    assert head is not None  # noqa: S101  only files with a head have strings
    text = head.index.slice(row.span)
    fixes: tuple[Fix, ...] = ()
    if text.count(row.value) == 1:
        fixes = (replace(head, f"Write {near}", text.replace(row.value, near), row.span, safe=False),)
    return Hit(path=file.path, span=row.span, subject=f"{code(row.value)}, {code(near)}", fixes=fixes)


def spellings(written: str) -> list[str]:
    """Everything that one slip turns into ``written``, sorted; new letters are of the case that the word has."""
    letters = "_" + string.ascii_lowercase * (not written.isupper()) + string.ascii_uppercase * (not written.islower())
    near: set[str] = set()
    for at in range(1, len(written) + 1):
        before, after = written[:at], written[at:]
        near |= {before + letter + after for letter in letters}
        near |= {before + after[1:], before[:-1] + after[:1] + before[-1:] + after[1:]}
        if len(written) >= LONG and after:
            near |= {before + letter + after[1:] for letter in letters}
    return sorted(word for word in near if is_slip(written, word))


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
    is_plural = longer.endswith("s") is not shorter.endswith("s")
    return longer[at + 1 :] == shorter[at:] and longer[at] != "_" and not is_plural


CHECKER: Final = MisspeltLiteral
