"""What a file pins, by name: requirements files, and those of Poetry, pipenv, npm, Cargo and Go, but no locks.

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
_POETRY_TABLE: Final = regex(r"^\[tool\.poetry\.[\w.-]*dependencies\]\r?\n(?P<body>(?:(?!\[).*\n?)*)", re.MULTILINE)
_PIPFILE_TABLE: Final = regex(r"^\[(?:dev-)?packages\]\r?\n(?P<body>(?:(?!\[).*\n?)*)", re.MULTILINE)
_CARGO_TABLE: Final = regex(
    r"^\[(?:workspace\.|target\.[^\]\n]*\.)?(?:dev-|build-)?dependencies\][^\n]*\n(?P<body>(?:(?!\[).*\n?)*)",
    re.MULTILINE,
)
_CARGO: Final = regex(
    r"^(?P<name>[\w-]+)[ \t]*=[ \t]*(?:\{[^}\n]*\bversion[ \t]*=[ \t]*)?\"(?P<version>=?\d[\w.+-]*)\"", re.MULTILINE
)
_GO: Final = regex(
    r"^[ \t]*(?:require[ \t]+)?(?P<name>[\w-]+(?:\.[\w-]+)+/\S+)[ \t]+v(?P<version>\d[\w.+-]*)[ \t]*(?://.*)?\r?$",
    re.MULTILINE,
)
_GO_COMMIT: Final = regex(r"\d{14}-[0-9a-f]{12}$")
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
    elif name == "Pipfile":
        yield from _of_tables(source, _PIPFILE_TABLE)
    elif name == "Cargo.toml":
        yield from _of_crate(source)
    elif name == "go.mod":
        yield from _of_module(source)
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
    yield from _of_tables(source, _POETRY_TABLE)


def _of_tables(source: Source, tables: re.Pattern[str]) -> Iterator[Pin]:
    """The rows ``name = "==1.2"`` of some tables."""
    for table in tables.finditer(source.text):
        for match in _POETRY.finditer(source.text, table.start("body"), table.end("body")):
            version = parse_version(match["version"].lstrip("="))
            if version is not None:
                yield _named(source, match, match["name"].lower(), version)


def _of_crate(source: Source) -> Iterator[Pin]:
    """What Cargo takes for exact, and every pre-release, which it never chooses by itself."""
    for table in _CARGO_TABLE.finditer(source.text):
        for match in _CARGO.finditer(source.text, table.start("body"), table.end("body")):
            version = _semantic(match["version"].lstrip("="))
            if version is not None and (version.is_prerelease or match["version"].startswith("=")):
                yield _named(source, match, match["name"], version)


def _of_module(source: Source) -> Iterator[Pin]:
    """The required modules; a commit that has no version of its own is none."""
    for match in _GO.finditer(source.text):
        version = None if _GO_COMMIT.search(match["version"]) else _semantic(match["version"].partition("+")[0])
        if version is not None:
            yield _named(source, match, match["name"], version)


def _named(source: Source, match: re.Match[str], name: str, version: Version) -> Pin:
    return Pin(name, version, match["version"].lstrip("=v"), source.index.span(match.start("name"), match.end("name")))


def _semantic(text: str) -> Version | None:
    """A version as semver has it, where whatever follows a hyphen makes a pre-release."""
    version = parse_version(re.sub(r"-([a-z]+)\.?", r".\1", text))
    main, _, rest = text.partition("-")
    return parse_version(f"{main}.dev0") if version is None and rest[:1].isalpha() else version


def _of_package(source: Source) -> Iterator[Pin]:
    for section in _NPM_SECTION.finditer(source.text):
        for match in _NPM.finditer(source.text, section.start(), section.end()):
            version = parse_version(re.sub(r"^=?v?|-(?=\d+$)", "", match["version"]))
            if version is None:
                version = _semantic(match["version"].lstrip("=v"))
            if version is not None:
                yield _named(source, match, match["name"], version)
