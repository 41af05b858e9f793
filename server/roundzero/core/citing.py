"""From lines as a model quotes them to evidence that was looked for in the texts under review.

For what is no draft of findings: rechecks, strengths, descriptions; of drafts only the paths are found here. Invariant:
what comes out verified stands in a text that was handed in, on the line it says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.evidence import verified
from roundzero.core.finding import Evidence
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, MutableMapping

    from roundzero.core.change import Side, Source
    from roundzero.core.model_values import Quote
    from roundzero.core.quotes import Text


def cited(
    quotes: Iterable[Quote],
    sources: Mapping[tuple[RelPath, Side], Source],
    forms: MutableMapping[tuple[RelPath, Side], Text] | None = None,
) -> tuple[Evidence, ...]:
    """The quotes as evidence, in their order, found or not. ``forms``: see core/evidence."""
    paths = {path for path, _ in sources}
    asked = [
        Evidence(
            path=meant_path(quote.path, paths),
            side=quote.side,
            line=max(1, quote.line),
            quote=quote.text,
            role=quote.role,
            blob="",
        )
        for quote in quotes
    ]
    return verified(asked, sources, forms)


def found(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """What of it can be read in the text."""
    return tuple(each for each in evidence if each.is_found)


def meant_path(said: str, paths: Collection[RelPath]) -> RelPath:
    """The path meant: as it is, without what tools put before it, or the one path that ends so."""
    bare = said.strip().strip("`'\"").removeprefix("./")
    for each in (bare, bare.removeprefix("a/"), bare.removeprefix("b/")):
        if each in paths:
            return RelPath(each)
    ending = [path for path in paths if path.endswith("/" + bare)]
    return ending[0] if len(ending) == 1 else RelPath(bare)
