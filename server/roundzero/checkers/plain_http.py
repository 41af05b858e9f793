"""plain-http: an added URL that anyone on the way can read and change.

Only URLs a program would open: comments, tests, loopback, private and single-label hosts, placeholders, URLs that are
names (XML namespaces, schemas, licences) or told to people, in the message of an error, in a help text or printed, are
left alone, and so are hosts this file already used this way, and what a build compares with a checksum. A host is told
once.
Invariant: a hit lies on an added line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import Pair, RelationChecker, code, replace
from roundzero.checkers._paths import is_test_data, is_test_path
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import Source
    from roundzero.core.finding import Fix
    from roundzero.core.text import LineIndex, Position

_URL: Final = regex(r"(?<![\w+.-])http://(?P<host>[^\s/:?#\"'`<>()\[\]{}|\\^,;*$%@]+)(?P<rest>[^\s\"'`<>)\]]*)")
_PORT: Final = regex(r":(\d+)")
_PRIVATE: Final = regex(
    r"127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0|.*\.(?:local|localhost|localdomain|internal|"
    r"intranet|lan|corp|home|test|example|invalid|svc|cluster|docker|arpa|onion|i2p)$"
)
_PLACEHOLDER: Final = regex(
    r"(?:.*\.)?(?:example\w*|foo\w*|bar|baz|your\w*|my[\w-]*|some[\w-]*|acme|domain|site|website|host\w*|server\w*|proxy\w*|"
    r"test\w*|company|customer|xxx+|abc|myapp|fake\w*|dummy)\.\w+$"
)
_NAMES: Final = regex(
    r"(?:www\.)?w3\.org|schemas?\.|xmlns\.|.*\bschemas?\b|ns\.|purl\.|(?:www\.)?xmlns|json-schema\.org|xml\.|"
    r"java\.sun\.com|maven\.apache\.org|(?:www\.)?(?:docbook|relaxng|sitemaps|opengis|omg|oasis-open|springframework|ogp|"
    r"rdfs|dublincore|inkscape|sodipodi|idpf|openarchives|tempuri|unicode|apple|gnu|apache|opensource|mozilla|"
    r"creativecommons|fsf)\.(?:org|net|com|me)|sodipodi\.|ns|bugs\.|specs\.|docs\.oasis"
)
_NAMING_LINE: Final = regex(
    r"xmlns|namespace|DOCTYPE|\bDTD\b|PUBLIC |licen[cs]e|copyright|\bNS\b|_NS\b|\bns\d?\b|urn:|schemaLocation|"
    r"\.xsd|\.dtd|startswith|endswith|replace\(|removeprefix|re\.compile|(?:property|feature)_|>>>|\bin \(?[\"']http",
    re.IGNORECASE,
)
_MESSAGE: Final = regex(r"\b(?:raise\b|warn\(|\w*(?:Error|Exception|Warning)\()")
_PRINTED: Final = regex(r"\b(?:print|s?echo)\([^()]*[\"'][^\"']*$")
_WORDS: Final = regex(r"[\"'][^\"']*\w[^\"']* [^\"']*$")
_ABOUT: Final = frozenset({"doc", "help", "description", "epilog", "deprecation"})
_GIVEN: Final = regex(r"\b(?P<name>\w+)[ \t]*=[ \t]*(?:[\w.]*[ \t]*\([ \t]*)*[rRbBuUfF]{0,2}[\"']")
"""An argument or a variable that gets a text."""
_GOES_ON: Final = regex(r"[ \t]*[rRbBuUfF]{0,2}[\"']")
_COMMENT: Final = regex(r"(?:^|[ \t])(?:#|//|/\*|\*|--|;|%|<!--|\.\. |REM\b)")
_DOCSTRING: Final = regex(r"[ \t]*[rRuU]?(?:\"{3}|'{3})(?!.*(?:\"{3}|'{3}))")
_APOSTROPHE: Final = regex(r"(?<=\w)'(?=\w)")
_PROSE: Final = frozenset({"markdown", "rst", "svg"})
_NOT_RUN: Final = regex(
    r"(?:^|/)(?:NOTICE|LICEN[CS]E|COPYING|AUTHORS|CREDITS|CHANGES|CHANGELOG|HISTORY|NEWS|README)(?:[.-][^/]*)?$"
    r"|(?:^|/)(?:setup\.cfg|docs?/(?:[^/]+/)*conf\.py)$"
    r"|(?:^|/)(?:node_modules|third_party|vendor)/|(?:^|/)docs?/(?:[^/]+/)*[^/]+\.txt$"
)
"""Prose without a marking of its own, addresses for people in settings, and the code of others."""

_TABLE: Final = regex(r"[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*(?::[^=]*)?=[ \t]*[\[({]")
_FOR_TESTS: Final = regex(r"TEST|EXAMPLE|SAMPLE", re.IGNORECASE)
_BUILDS: Final = frozenset({"starlark", "cmake", "yaml", "toml", "json", "ruby"})
_CHECKSUM: Final = regex(
    r"\b(?:sha(?:1|224|256|384|512)(?:sum)?|integrity|URL_HASH|EXPECTED_HASH|hash)\b[\"']?[ \t]*[:= ][ \t]*[\"']?\w"
)
_ENTRY: Final = regex(r"[ \t]*(?P<dash>-[ \t]+)[\"']?\w[\w.-]*[\"']?[ \t]*:(?:[ \t]|$)")
NEAR: Final = 12
"""Lines around an address in which a build may name its checksum."""
LONGEST_TABLE: Final = 200
"""Lines above in which the name of a table is looked for."""
_DATA: Final = (
    ".svg",
    ".xml",
    ".xsd",
    ".dtd",
    ".rdf",
    ".owl",
    ".xhtml",
    ".plist",
    ".lock",
    ".map",
    ".min.js",
    ".po",
    ".pot",
    ".pem",
    ".crt",
    ".cer",
)


class PlainHttp(RelationChecker):
    """Finds added URLs with http."""

    name = "plain-http"
    version = "7"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Look at the added lines."""
        source = pair.file.head
        path = pair.file.path
        if source is None or "http://" not in source.text or path.endswith(_DATA):
            return
        language = language_of(path)
        if is_test_path(path) or is_test_data(path) or language in _PROSE or _NOT_RUN.search(path):
            return
        known = set(_hosts(pair.file.base.text)) if pair.file.base is not None else set[str]()
        index = source.index
        for match in _URL.finditer(source.text):
            host = match.group("host").lower().rstrip(".")
            if host in known or not _is_public(host):
                continue
            start = index.position(match.start())
            if start.line not in pair.file.added:
                continue
            line = index.line(start.line)
            before = line[: start.column - 1]
            if _NAMING_LINE.search(line) is not None or _is_remark(before, language):
                continue
            if language == "python" and (_is_in_message(index, start) or _is_in_table_of_tests(index, start.line)):
                continue
            if language in _BUILDS and _has_checksum(index, start.line):
                continue
            if language in {"python", "starlark"} and _is_explained(index, start):
                continue
            known.add(host)
            whole = index.span(match.start(), match.end("host"))
            yield Hit(path=path, span=whole, subject=code(f"http://{host}"), fixes=_fixes(source, match))


def _fixes(source: Source, match: re.Match[str]) -> tuple[Fix, ...]:
    """Use https, at its own port; at one that was chosen something else may answer."""
    port = _PORT.match(match["rest"])
    if port is not None and port[1] != "80":
        return ()
    end = match.end("host") + len(port[0]) if port is not None else match.start() + len("http")
    new = f"https://{match['host']}" if port is not None else "https"
    return (replace(source, "Use https", new, source.index.span(match.start(), end), safe=False),)


def _hosts(text: str) -> frozenset[str]:
    return frozenset(match.group("host").lower().rstrip(".") for match in _URL.finditer(text))


def _is_public(host: str) -> bool:
    """Whether a host is a real one on the internet, by its name."""
    if "." not in host or _PRIVATE.match(host) or _PLACEHOLDER.match(host) or _NAMES.match(host):
        return False
    last = host.rsplit(".", 1)[1]
    return last.isalpha() or re.fullmatch(r"\d+(?:\.\d+){3}", host) is not None


def _is_remark(before: str, language: str | None) -> bool:
    """Whether the URL stands in a comment or, in Python, outside a string that starts on its line: in a docstring."""
    if _COMMENT.search(before) is not None:
        return True
    if language != "python":
        return False
    if _DOCSTRING.match(before) is not None:
        return True
    plain = _APOSTROPHE.sub("", before)
    return plain.count('"') % 2 == 0 and plain.count("'") % 2 == 0


def _is_in_message(index: LineIndex, start: Position) -> bool:
    """Whether a place is printed, or among words in what an error or a warning says, which may begin lines above."""
    number = start.line
    before = index.line(number)[: start.column - 1]
    if _PRINTED.search(before) is not None:
        return True
    if _WORDS.search(before) is None:
        return False
    while number > 1 and _GOES_ON.match(index.line(number)) is not None:
        number -= 1
    return _MESSAGE.search(index.line(number)) is not None


def _is_explained(index: LineIndex, start: Position) -> bool:
    """Whether a place is part of a text about a parameter or an attribute, which may begin lines above."""
    number = start.line
    before = index.line(number)[: start.column - 1]
    while number > 1 and _GOES_ON.match(before) is not None:
        number -= 1
        before = index.line(number)
    given = [match["name"] for match in _GIVEN.finditer(before)]
    return bool(given) and given[-1] in _ABOUT


def _is_in_table_of_tests(index: LineIndex, number: int) -> bool:
    """Whether a line lies in a list or dictionary whose name says that it is for tests or examples."""
    indent = _indent(index.line(number))
    between = False
    for above in range(number - 1, max(0, number - LONGEST_TABLE), -1):
        line = index.line(above)
        here = _indent(line)
        if not line.strip() or here > indent or (here == indent and not between):
            continue
        match = _TABLE.match(line)
        if match is not None:
            return _FOR_TESTS.search(match["name"]) is not None
        indent, between = here, line.lstrip()[0] in "]})"
    return False


def _has_checksum(index: LineIndex, number: int) -> bool:
    """Whether the call or entry around a line says what has to come.

    These are the lines up to a blank one, one without indent, or another entry of the list.
    """
    own = _depth_of_entry(index.line(number))
    for step in (-1, 1):
        for at in range(number, number + step * NEAR, step):
            line = index.line(at) if 1 <= at <= index.line_count else ""
            if not line.strip() or not line[0].isspace():
                break
            entry = _ENTRY.match(line)
            is_other = line.lstrip().startswith("}") or (step > 0 and entry is not None)
            if at != number and is_other and _indent(line) < own:
                break
            if _CHECKSUM.search(line) is not None:
                return True
            if step < 0 and entry is not None and _depth_of_entry(line) <= own:
                break
    return False


def _depth_of_entry(line: str) -> int:
    """The column of what a line says, behind the dash that begins an entry of YAML with names."""
    match = _ENTRY.match(line)
    return _indent(line) + len(match["dash"]) if match is not None else _indent(line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


CHECKER: Final = PlainHttp
