"""string-dispatch: a bare string that this change compares with is compared in several other files too.

Reported where it is also handed out (returned, a default, an element of choices) and neither an Enum, a Literal nor a
constant defines it: then nothing lists the cases. One hit a file, for its first such string. Invariant: at least FILES
production files compare with it, the changed one among them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import evidence, python_heads
from roundzero.checkers._base import SymbolChecker, SymbolView, code
from roundzero.checkers._paths import is_test_path
from roundzero.core.change import Side
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from roundzero.core.change import FileChange
    from roundzero.core.facts import StringUse
    from roundzero.core.ports import GrepHit
    from roundzero.core.text import RelPath

FILES: Final = 3
SHORTEST: Final = 3

_COMPARES: Final = regex(r"[=!]=[ \t]*[\"']|[\"'][ \t]*[=!]=|\bin[ \t]*[(\[{][ \t]*[\"']|^[ \t]*case[ \t]")
_NEW: Final = regex(r"[\"']\w+[\"']")
_KNOWN: Final = frozenset(
    {"__main__", "linux", "linux2", "darwin", "win32", "windows", "Windows", "Linux", "Darwin", "posix", "nt", "utf",
     "GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "true", "false", "True", "False", "yes", "none", "None", "null",
     "auto", "name", "self", "http", "https", "file", "str", "int", "cpu", "cuda", "py", "json", "yaml", "text", "all"}
)  # fmt: skip
"""Strings of somebody else's making, as those in capitals mostly are."""


class StringDispatch(SymbolChecker):
    """Finds cases that are told apart by bare strings everywhere."""

    name = "string-dispatch"
    version = "2"

    def words(self, view: SymbolView) -> Collection[str]:
        """The strings that added lines compare with."""
        return {row.value for _, row in _compared(view)}

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Count who else compares with them."""
        told: set[str] = set()
        places: set[RelPath] = set()
        for file, row in _compared(view):
            if row.value in told:
                continue
            told.add(row.value)
            hits = [hit for hit in view.found.get(row.value, ()) if _is_production(hit.path)]
            quoted = re.compile(rf"([\"']){re.escape(row.value)}\1")
            hits = [hit for hit in hits if quoted.search(hit.text)]
            comparing = {hit.path: hit for hit in hits if _COMPARES.search(hit.text)}
            if len(comparing) < FILES or any(_defines(hit, row.value) for hit in hits):
                continue
            if not any(_hands_out(hit, row.value) for hit in hits) or file.path in places:
                continue
            places.add(file.path)
            shown = [hit for path, hit in sorted(comparing.items()) if path != file.path][: FILES - 1]
            yield Hit(
                path=file.path,
                span=row.span,
                subject=code(f'"{row.value}"'),
                evidence=tuple(
                    each for hit in shown for each in evidence(view, hit.path, Side.HEAD, hit.line, "compares too")
                ),
            )


def _compared(view: SymbolView) -> Iterator[tuple[FileChange, StringUse]]:
    for file in python_heads(view):
        if is_test_path(file.path) or not any(
            _COMPARES.search(line) and _NEW.search(line) for line in file.added_lines
        ):
            continue
        uses = view.symbols.uses(file.path, Side.HEAD)
        for row in uses.strings if uses is not None else ():
            if row.line in file.added and row.role in {"compare", "case"} and _may_be_a_case(row.value):
                yield file, row


def _may_be_a_case(value: str) -> bool:
    return value.isidentifier() and len(value) >= SHORTEST and not value.isupper() and value not in _KNOWN


def _is_production(path: RelPath) -> bool:
    return language_of(path) == "python" and not is_test_path(path)


def _defines(hit: GrepHit, value: str) -> bool:
    """Whether a line gives the string a name of its own, in an Enum or as a constant, or lists it in a Literal."""
    own = re.escape(value)
    named = re.match(rf"[ \t]*[A-Z][A-Z0-9_]*(?:[ \t]*:[^=]*)?[ \t]*=[ \t]*(?:auto\(|\(?[\"']{own}[\"'])", hit.text)
    return named is not None or "Literal[" in hit.text


def _hands_out(hit: GrepHit, value: str) -> bool:
    """Whether a line produces the string: returns it, passes it by name, or offers it as a choice."""
    quoted = rf"[\"']{re.escape(value)}[\"']"
    made = rf"\breturn[ \t]+{quoted}|choices[ \t]*=|(?<![=!<>])=[ \t]*{quoted}"
    return re.search(made, hit.text) is not None


CHECKER: Final = StringDispatch
