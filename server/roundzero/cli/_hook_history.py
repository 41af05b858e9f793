"""Secrets that the commits of a push carry although the last one no longer has them.

A review is of what the branch comes to; a key that was committed and removed again leaves the machine all the same.
Only the item for secrets is looked at. Invariant: a secret's value is in nothing that is returned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.finding import observe
from roundzero.core.frozen import dataclass
from roundzero.core.item import CheckerCheck
from roundzero.core.suppress import Suppressions, directives

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roundzero.core.change import Source
    from roundzero.core.finding import Observation
    from roundzero.core.item import Item, Language
    from roundzero.core.ruleset import Ruleset
    from roundzero.git.repository import Git

CHECKER: Final = "secret-added"


@dataclass(frozen=True, slots=True)
class Carried:
    """A secret in the text that a commit wrote."""

    commit: str
    seen: Observation


async def carried(git: Git, ruleset: Ruleset, commit: str, known: Sequence[str], language: Language) -> list[Carried]:
    """The secrets that commits up to ``commit`` brought and that are not in its files, the oldest first.

    ``known`` are commits whose history is not pushed. Raises OutsideError.
    """
    item = next((each for each in ruleset.checked if CheckerCheck(CHECKER) in each.checks), None)
    if item is None:
        return []
    steps = [each for each in await git.written(commit, known) if item.applies.matches(each.path)]
    paths = {blob: each.path for each in steps for blob in (each.before, each.blob) if blob}
    texts = await git.texts(paths)
    last: dict[str, Source | None] = {}
    found: dict[tuple[str, str], Carried] = {}
    for step in steps:  # the newest first: of one secret the commit that brought it is what remains
        source = texts.get(step.blob)
        if source is None or not source.secrets:
            continue
        if step.path not in last:
            last[step.path] = await git.text_at(commit, step.path)
        there = (texts.get(step.before), last[step.path])
        old = {value for text in there if text is not None for value in _values(text)}
        for value, seen in _seen(source, item, ruleset, language):
            if value not in old:
                found[step.path, value] = Carried(step.commit, seen)
    return list(found.values())[::-1]


def _seen(source: Source, item: Item, ruleset: Ruleset, language: Language) -> Iterator[tuple[str, Observation]]:
    """The secrets of a text that no comment in it dismisses, with their values."""
    from roundzero.checkers.secret_added import SecretAdded  # noqa: PLC0415  only where there is something to look at

    suppressions = Suppressions(directives(source), ruleset)
    for hit in SecretAdded().check(source):
        seen = observe(item, hit, source, producer=CHECKER, version="1", language=language)
        if hit.span is not None and suppressions.covering(seen) is None:
            start, end = source.index.offset(hit.span.start), source.index.offset(hit.span.end)
            yield source.text[start:end], seen


def _values(source: Source) -> Iterator[str]:
    return (source.text[each.start : each.end] for each in source.secrets)
