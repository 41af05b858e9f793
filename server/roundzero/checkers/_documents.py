"""Where documents name a piece of code that is not there any more.

Prose names much that is no code, so only a distinctive name counts, and only where nothing around it speaks of the
past. Invariant: says nothing of a name that code may still define.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.regex import regex
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from roundzero.core.ports import GrepHit, Repository

DOCUMENTS: Final = (".md", ".rst", ".adoc")
SHORTEST_NAME: Final = 8
"""Shortest name, in code points, whose mention in prose is taken to mean the code."""

_DISTINCTIVE: Final = regex(r"[a-z0-9]+_\w*[a-z0-9]$|[A-Z][a-z0-9]+[A-Z]\w*$|_?[A-Z][A-Z0-9]*_[A-Z0-9_]+$")
_HISTORY: Final = regex(
    r"change|history|news|rfcs?|proposal|release|migrat|upgrad|deprecat|whatsnew|what-s-new|archive|/adr|decisions|announce|blog",
    re.IGNORECASE,
)
_PAST: Final = regex(
    r"deprecat|remov|renam|replac|former|used to|no longer|legacy|obsolet|instead of|was called|old ", re.IGNORECASE
)


def mentioned(
    repository: Repository, hits: Collection[GrepHit], name: str, may_define: Callable[[GrepHit], bool]
) -> Iterator[tuple[GrepHit, Span]]:
    """The places where documents name it; none where ``may_define`` says yes of a line that is no document's.

    ``hits`` are the lines of the head that have the name.
    """
    if len(name) < SHORTEST_NAME or not _DISTINCTIVE.match(name):
        return
    if any(not hit.path.endswith(DOCUMENTS) and may_define(hit) for hit in hits):
        return
    spelt = re.compile(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])")
    for hit in hits:
        if not hit.path.endswith(DOCUMENTS) or _HISTORY.search(hit.path) or _is_past(repository, hit):
            continue
        match = spelt.search(hit.text)
        if match is not None:
            yield hit, Span(Position(hit.line, match.start() + 1), Position(hit.line, match.end() + 1))


def _is_past(repository: Repository, hit: GrepHit) -> bool:
    """Whether the lines around a mention speak of what was: a deprecation names what it is about."""
    source = repository.read(hit.path, Side.HEAD)
    if source is None:
        return True
    lines = range(max(1, hit.line - 2), min(source.index.line_count, hit.line + 2) + 1)
    return any(_PAST.search(source.index.line(line)) for line in lines)
