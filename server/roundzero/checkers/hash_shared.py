"""hash-shared: one checksum stands for two different files.

Two wheels or source archives of another name or version cannot have the same bytes, so at least one line was copied and
not finished. Mirrors of one file, and files whose names say no version, are not compared. Looks at one file at a time.
Invariant: both files are named in the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._dependency_files import is_requirements
from roundzero.checkers._paths import is_test_data
from roundzero.checkers._starlark import is_starlark, parse_starlark, strings, targets
from roundzero.core.finding import Hit
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.requirements import artefact, read_requirements
from roundzero.core.versions import parse_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.core.change import Source
    from roundzero.core.text import Span

_DIGEST: Final = regex(r"[0-9a-f]{64}")
FEWEST_LETTERS: Final = 6
"""Different letters in a checksum that is meant."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A file that checksums stand for, by what its row says. ``shown`` is how it is called there."""

    digests: frozenset[str]
    span: Span
    shown: str
    name: str
    version: str
    is_wheel: bool


class HashShared(TextChecker):
    """Finds checksums that are used twice."""

    name = "hash-shared"

    def check(self, source: Source) -> Iterable[Hit]:
        """Gather what each checksum stands for, in the order of the text."""
        if is_test_data(source.path):
            return
        rows = _of_rules(source) if is_starlark(source.path) else _of_rows(source)
        first: dict[str, _Made] = {}
        for made in rows:
            others = [first.setdefault(digest, made) for digest in sorted(made.digests)]
            other = next((other for other in others if _differ(other, made)), None)
            if other is not None:
                yield Hit(path=source.path, span=made.span, subject=f"{code(made.shown)} ({other.shown})")


def _of_rows(source: Source) -> Iterator[_Made]:
    if not is_requirements(source.path):
        return
    for row in read_requirements(source.index).rows:
        digests = frozenset(digest.rpartition(":")[2] for digest in row.digests if not _is_placeholder(digest))
        made = row.artefact
        if made is not None and len(digests) == 1:
            yield _Made(digests, row.span, made.file, made.name, made.version, is_wheel=made.tags is not None)
        elif not row.url and row.range.startswith("=="):
            version = row.range.lstrip("= ")
            yield _Made(digests, row.span, f"{row.spelt}=={version}", row.name, version, is_wheel=True)


def _of_rules(source: Source) -> Iterator[_Made]:
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
            span = parsed.span(target.attributes["sha256"])
            is_wheel = made.tags is not None
            yield _Made(frozenset(digests), span, made.file, made.name, made.version, is_wheel=is_wheel)


def _is_placeholder(digest: str) -> bool:
    """Whether a checksum was made up: ``sha256:000…``."""
    return len(set(digest.rpartition(":")[2])) < FEWEST_LETTERS


def _differ(one: _Made, other: _Made) -> bool:
    """Whether two files cannot be the same: an archive, which a mirror may call otherwise, has to say so twice."""
    mine, theirs = parse_version(one.version), parse_version(other.version)
    is_other_version = mine is not None and theirs is not None and mine.key != theirs.key
    if one.is_wheel and other.is_wheel:
        return one.name != other.name or is_other_version
    alike = one.name in other.name or other.name in one.name
    return is_other_version and (one.name == other.name or not alike)


CHECKER: Final = HashShared
