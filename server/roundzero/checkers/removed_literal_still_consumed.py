"""removed-literal-still-consumed: a string was removed where it was made, and code that looks for it remains.

A key, a mode or a method name that nothing produces any more: ``d["x"]`` raises, ``== "x"`` is never true. Only tokens
that are rare by their form are looked at, and only where every other mention of them consumes. Invariant: at the base
something produced the string, at the head nothing that can be seen does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import cause_of, evidence, hit_in
from roundzero.checkers._base import SymbolChecker
from roundzero.checkers._paths import is_test_path
from roundzero.core.change import Side
from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from roundzero.checkers._base import SymbolView
    from roundzero.core.change import FileChange
    from roundzero.core.facts import StringUse
    from roundzero.core.finding import Hit
    from roundzero.core.ports import GrepHit
    from roundzero.core.text import RelPath

_LITERAL: Final = regex(r"""["']([A-Za-z]\w{5,59})["']""")
_RARE: Final = regex(
    r"[a-z0-9]+(?:_[a-z0-9]+)+$|[A-Z]+(?:_[A-Z0-9]+)+$|(?:[A-Z][a-z0-9]+){2,}$|[a-z]+(?:[A-Z][a-z0-9]+)+$"
)
_MAKES: Final = frozenset({"key", "return", "assign", "element", "default", "keyword"})
_CONSUMES: Final = frozenset({"index", "compare", "case"})
_OFFERS: Final = frozenset(
    {"emit", "publish", "fire", "trigger", "notify", "setdefault", "method", "register", "register_method",
     "add_method", "add_command", "add_handler"}
)  # fmt: skip
"""Calls that make what they are given known: an event is sent, a method offered."""
_READERS: Final = frozenset(
    {"get", "pop", "getattr", "hasattr", "on", "once", "subscribe", "listen", "add_listener", "call", "invoke",
     "call_method", "request"}
)  # fmt: skip
_FROM_OUTSIDE: Final = regex(r"environ|getenv|headers|args|params|request|json|config|settings|meta", re.IGNORECASE)
"""Mappings whose keys others make."""

MOST_MENTIONS: Final = 12
"""Most lines that may mention a token for it to be rare."""


class RemovedLiteralStillConsumed(SymbolChecker):
    """Finds consumers of strings that nothing makes any more."""

    name = "removed-literal-still-consumed"
    version = "2"

    def words(self, view: SymbolView) -> Collection[str]:
        """The rare tokens that removed lines made."""
        return {string.value for _, string in _made(view)}

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Look at every mention of each token."""
        seen: set[str] = set()
        for file, string in _made(view):
            if string.value not in seen:
                seen.add(string.value)
                yield from _consumers(view, file, string)


def _made(view: SymbolView) -> Iterator[tuple[FileChange, StringUse]]:
    """Strings that production code made on lines that went, and that its file does not have any more."""
    for file in view.change.files:
        base = file.base
        if base is None or language_of(base.path) != "python" or is_test_path(base.path):
            continue
        head = file.head.text if file.head is not None else ""
        tokens = {
            match.group(1)
            for line in file.removed
            for match in _LITERAL.finditer(base.index.line(line))
            if _RARE.match(match.group(1)) and not re.search(rf"[\"']{match.group(1)}[\"']\s*[:,\])}}]", head)
        }
        uses = view.symbols.uses(base.path, Side.BASE) if tokens else None
        for string in uses.strings if uses is not None else ():
            if (
                string.value in tokens
                and string.line in file.removed
                and _is_made(string, base.index.line(string.line))
            ):
                yield file, string


def _is_made(string: StringUse, line: str) -> bool:
    """Whether a line produces a string: as a value or a key, in ``x["key"] = ...``, or in a call that offers it."""
    if string.role == "index":
        return re.search(rf"[\"']{string.value}[\"']\s*\]\s*=(?!=)", line) is not None
    if string.role == "argument":
        return string.owner.rpartition(".")[2] in _OFFERS
    return string.role in _MAKES


def _consumers(view: SymbolView, file: FileChange, made: StringUse) -> Iterator[Hit]:
    token = made.value
    mentions = view.symbols.mentions({token}, Side.HEAD)[token]
    if not mentions or len(mentions) > MOST_MENTIONS or not _is_quoted_everywhere(mentions, token):
        return
    found: list[tuple[RelPath, StringUse]] = []
    for path in sorted({hit.path for hit in mentions}):
        uses = view.symbols.uses(path, Side.HEAD)
        if uses is None:
            return
        for string in uses.strings:
            if string.value == token:
                if not _is_consumed(string):
                    return
                found.append((path, string))
    if len(found) < len(mentions):
        return
    found = [(path, string) for path, string in found if not _is_new(view, path, string)]
    base = file.base
    shown = evidence(view, base.path, Side.BASE, made.line, "made here before") if base is not None else ()
    for path, string in found:
        yield hit_in(view, path, string.span, f'"{token}"', cause=cause_of(file, made.line), evidence=shown)


def _is_quoted_everywhere(mentions: Iterable[GrepHit], token: str) -> bool:
    """Whether all mentions are Python strings: an identifier, a document or a configuration may make the value."""
    spelt = re.compile(rf"(?<!\w){token}(?!\w)")
    quoted = re.compile(rf"[\"']{token}[\"'](?!\s*\]\s*[+|]?=[^=])")
    return all(
        language_of(hit.path) == "python" and len(spelt.findall(hit.text)) == len(quoted.findall(hit.text))
        for hit in mentions
    )


def _is_new(view: SymbolView, path: RelPath, string: StringUse) -> bool:
    """Whether the consumer is of this change: what it looks for is then a matter of its own."""
    file = view.change.file(path)
    return file is not None and string.line in file.added


def _is_consumed(string: StringUse) -> bool:
    if _FROM_OUTSIDE.search(string.owner):
        return False
    if string.role in _CONSUMES:
        return True
    return string.role == "argument" and string.owner.rpartition(".")[2] in _READERS


CHECKER: Final = RemovedLiteralStillConsumed
