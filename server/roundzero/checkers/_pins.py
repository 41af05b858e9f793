"""What a file pins, by name: requirements files, pyproject.toml and package.json, but no locks.

Invariant: a name that is pinned twice, for two platforms or in two sections, has no pin here.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._dependency_files import is_requirements
from roundzero.checkers._drift import version_of
from roundzero.checkers._paths import is_test_data
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.requirements import read_requirement, read_requirements
from roundzero.core.text import Position
from roundzero.core.versions import parse_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roundzero.core.change import Source
    from roundzero.core.text import RelPath, Span
    from roundzero.core.versions import Version

_QUOTED: Final = regex(
    r"(?P<quote>[\"'])(?P<text>[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?\s*===?\s*[\w.!+*-]+[^\"']*)(?P=quote)"
)
_POETRY: Final = regex(r"^(?P<name>[\w.-]+)\s*=\s*[\"'](?P<version>={0,2}\d[\w.+-]*)[\"']\s*$", re.MULTILINE)
_NPM: Final = regex(r"\"(?P<name>@?[\w./-]+)\"\s*:\s*\"(?P<version>=?v?\d[\w.+-]*)\"")
_NPM_SECTION: Final = regex(
    r"\"(?:dev|peer|optional)?[dD]ependencies\"\s*:\s*\{(?P<body>[^{}]*)\}|\"(?:overrides|resolutions)\"\s*:\s*\{(?P<more>[^{}]*)\}"
)


@dataclass(frozen=True, slots=True)
class Pin:
    """One exact version. ``span`` is the name, or the file name of a row that is a URL."""

    name: str
    version: Version
    shown: str
    span: Span


def pins(path: RelPath, source: Source | None) -> Mapping[str, Pin]:
    """The exact versions of a file that a person keeps; none of a lock or of any other file."""
    if source is None or is_test_data(path):
        return {}
    found: dict[str, Pin | None] = {}
    for pin in _pins(path, source):
        found[pin.name] = None if pin.name in found else pin
    return {name: pin for name, pin in found.items() if pin is not None}


def _pins(path: RelPath, source: Source) -> Iterator[Pin]:
    name = posixpath.basename(path)
    if name == "pyproject.toml":
        yield from _of_project(source)
    elif name == "package.json":
        yield from _of_package(source)
    elif is_requirements(path):
        read = read_requirements(source.index)
        if not read.is_lock:
            for row in read.rows:
                version = version_of(row)
                if version is not None:
                    made = row.artefact
                    text = made.version if made is not None else row.range.lstrip("= ")
                    yield Pin(row.name, version, text, row.span)


def _of_project(source: Source) -> Iterator[Pin]:
    for match in _QUOTED.finditer(source.text):
        at = source.index.position(match.start("text"))
        row = read_requirement(match["text"], Position(at.line, at.column))
        version = version_of(row) if row is not None else None
        if row is not None and version is not None:
            yield Pin(row.name, version, row.range.lstrip("= "), row.span)
    for table in re.finditer(
        r"^\[tool\.poetry\.[\w.-]*dependencies\]\r?\n(?P<body>(?:(?!\[).*\n?)*)", source.text, re.MULTILINE
    ):
        for match in _POETRY.finditer(source.text, table.start("body"), table.end("body")):
            version = parse_version(match["version"].lstrip("="))
            if version is not None:
                span = source.index.span(match.start("name"), match.end("name"))
                yield Pin(match["name"].lower(), version, match["version"].lstrip("="), span)


def _of_package(source: Source) -> Iterator[Pin]:
    for section in _NPM_SECTION.finditer(source.text):
        for match in _NPM.finditer(source.text, section.start(), section.end()):
            version = parse_version(re.sub(r"^=?v?|-(?=\d+$)", "", match["version"]))
            if version is None:
                version = parse_version(re.sub(r"-([a-z]+)\.?", r".\1", match["version"].lstrip("=v")))
            if version is not None:
                span = source.index.span(match.start("name"), match.end("name"))
                yield Pin(match["name"], version, match["version"].lstrip("=v"), span)
