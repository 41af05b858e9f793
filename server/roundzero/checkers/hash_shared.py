"""hash-shared: one checksum stands for two different files.

Two wheels or source archives of another name or version cannot have the same bytes, so at least one line was copied and
not finished. Mirrors of one file, and files whose names say no version, are not compared. Looks at one file at a time.
Invariant: both artefacts are named in the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._dependency_files import is_requirements
from roundzero.checkers._paths import is_test_data
from roundzero.checkers._starlark import is_starlark, parse_starlark, strings, targets
from roundzero.core.finding import Hit
from roundzero.core.regex import regex
from roundzero.core.requirements import artefact, read_requirements
from roundzero.core.versions import parse_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.core.change import Source
    from roundzero.core.requirements import Artefact
    from roundzero.core.text import Span

_DIGEST: Final = regex(r"[0-9a-f]{64}")


class HashShared(TextChecker):
    """Finds checksums that are used twice."""

    name = "hash-shared"

    def check(self, source: Source) -> Iterable[Hit]:
        """Gather what each checksum stands for, in the order of the text."""
        if is_test_data(source.path):
            return
        rows = _of_rules(source) if is_starlark(source.path) else _of_rows(source)
        first: dict[str, Artefact] = {}
        for digest, made, span in rows:
            other = first.setdefault(digest, made)
            if _differ(other, made):
                yield Hit(path=source.path, span=span, subject=f"{code(made.file)} ({other.file})")


def _of_rows(source: Source) -> Iterator[tuple[str, Artefact, Span]]:
    if not is_requirements(source.path):
        return
    for row in read_requirements(source.index).rows:
        made = row.artefact
        if made is not None and len(row.digests) == 1:
            yield next(iter(row.digests)).rpartition(":")[2], made, row.span


def _of_rules(source: Source) -> Iterator[tuple[str, Artefact, Span]]:
    parsed = parse_starlark(source) if "sha256" in source.text else None
    if parsed is None:
        return
    for target in targets(parsed):
        digests = target.texts("sha256")
        nodes = [
            node for name in ("url", "urls") if name in target.attributes for node in strings(target.attributes[name])
        ]
        made = artefact(nodes[0].value) if nodes else None
        if made is not None and len(digests) == 1 and _DIGEST.fullmatch(digests[0]):
            yield digests[0], made, parsed.span(target.attributes["sha256"])


def _differ(one: Artefact, other: Artefact) -> bool:
    if one.tags is None or other.tags is None:
        return False
    if one.name != other.name:
        return True
    mine, theirs = parse_version(one.version), parse_version(other.version)
    return mine is not None and theirs is not None and mine.key != theirs.key


CHECKER: Final = HashShared
