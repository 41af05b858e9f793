"""What a requirements file, or one string of a list of dependencies, asks for.

Reads the format of pip, which pip-compile and uv write too: names with extras, ranges, markers, URLs, ``--hash`` on
continued lines, ``-r`` and ``-c``, and the ``# via`` annotations below a row. It resolves nothing and reads no other
file. Sources: pip's requirements file format, PEP 508, PEP 427 for the names of wheels. Invariant: every row lies on
the lines it names, and names are compared in the form of PEP 503.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roundzero.core.text import LineIndex

_NAMED: Final = regex(
    r"""(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*
    (?:@\s*(?P<url>\S+)|(?P<range>\(?\s*(?:===|==|~=|!=|<=|>=|<|>)[^;#]*))?
    \s*(?:;\s*(?P<marker>.*))?""",
    re.VERBOSE,
)
_URL: Final = regex(r"(?:https?|file|ftp)://\S+|[^\s@]+\.(?:whl|tar\.gz|zip)(?:#\S+)?(?=\s|$)")
_OPTION: Final = regex(r"\s+--(?P<name>[\w-]+)[= ](?P<value>\S+)")
_HASH: Final = regex(r"--hash[= ](?P<algorithm>\w+):(?P<digest>\S+)")
_FRAGMENT: Final = regex(r"[#&](?P<algorithm>sha256|sha384|sha512)=(?P<digest>[^&\s]*)")
_INCLUDE: Final = regex(r"\s*(?P<option>-r|-c|--requirement|--constraint)[ =]?\s*(?P<path>\S+)")
_SDIST: Final = regex(r"(?P<name>.+?)-(?P<version>v?\d[^-]*?)\.(?:tar\.(?:gz|bz2|xz)|zip|tgz)")


LONGEST: Final = 2000
"""Longest row that is read, in code points, hashes aside: what is longer is no requirement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artefact:
    """A file that is downloaded, by what its name says. ``tags`` are a wheel's python, ABI and platform tag."""

    file: str
    name: str
    version: str
    tags: tuple[str, str, str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One row. ``span`` is the name, or the URL of a row that has no other; ``lines`` all lines of the row.

    ``url`` has neither fragment nor escapes. ``digests`` are ``algorithm:hex`` in small letters. ``via`` is what the
    annotation below says asked for it: names, and ``-r path`` as it is written.
    """

    name: str
    spelt: str
    span: Span
    lines: range
    range: str
    url: str
    marker: str
    digests: frozenset[str]
    via: tuple[str, ...] = ()
    has_via: bool = False

    @property
    def artefact(self) -> Artefact | None:
        """The file it names, if it names one by URL."""
        return artefact(self.url) if self.url else None


@dataclass(frozen=True, slots=True)
class Include:
    """``-r path`` or, with ``only_limits``, ``-c path``; ``path`` as written."""

    path: str
    only_limits: bool


@dataclass(frozen=True, slots=True)
class RequirementsFile:
    """The rows and the included files of one text, and the comment it begins with."""

    rows: tuple[Requirement, ...]
    includes: tuple[Include, ...]
    header: tuple[str, ...]

    @property
    def is_lock(self) -> bool:
        """Whether a program pinned it: most rows say hashes or who asked, nearly all are exact, none is read in."""
        if any(not include.only_limits for include in self.includes):
            return False
        marked = sum(1 for row in self.rows if row.digests or row.has_via)
        pinned = sum(1 for row in self.rows if row.url or row.range.startswith("=="))
        return len(self.rows) > 1 and marked * 2 > len(self.rows) and pinned * 10 >= len(self.rows) * 9


def canonical(name: str) -> str:
    """A distribution's name in the form in which names are compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def artefact(url: str) -> Artefact | None:
    """What the last part of a URL or path says of a wheel or a source archive; None for any other file."""
    file = unquote(unquote(url).split("#", 1)[0].split("?", 1)[0]).rsplit("/", 1)[-1]
    if file.endswith(".whl"):
        parts = file.removesuffix(".whl").split("-")
        if len(parts) not in {5, 6}:
            return None
        return Artefact(file=file, name=canonical(parts[0]), version=parts[1], tags=(parts[-3], parts[-2], parts[-1]))
    match = _SDIST.fullmatch(file)
    if match is None:
        return None
    return Artefact(file=file, name=canonical(match["name"]), version=match["version"], tags=None)


def read_requirements(index: LineIndex) -> RequirementsFile:
    """The rows of a requirements file. What is not understood (``-e``, options, bare folders) is left out."""
    rows: list[Requirement] = []
    includes: list[Include] = []
    header: list[str] = []
    texts = index.text.split("\n")
    at = 0
    while at < len(texts):
        text = texts[at]
        stripped = text.strip()
        if not stripped or stripped[0] == "#":
            if stripped and not rows and not includes:
                header.append(stripped.lstrip("#").strip())
            at += 1
            continue
        first = at
        parts = [stripped]
        while parts[-1].endswith("\\") and at + 1 < len(texts):
            at += 1
            parts[-1] = parts[-1][:-1].rstrip()
            parts.append(texts[at].strip())
        at += 1
        include = _INCLUDE.match(stripped)
        if include is not None:
            path = include["path"].strip("\"'")
            includes.append(Include(path, include["option"] in {"-c", "--constraint"}))
        elif stripped[0] != "-" and len(parts[0]) <= LONGEST:
            via, has_via, at = _annotation(texts, at, parts[-1])
            row = _row(text, parts, range(first + 1, at + 1), via, has_via=has_via)
            if row is not None:
                rows.append(row)
    return RequirementsFile(tuple(rows), tuple(includes), tuple(header))


def read_requirement(text: str, at: Position) -> Requirement | None:
    """One requirement that stands on one line, ``at`` its first character."""
    if len(text) > LONGEST:
        return None
    row = _row(text, [text.strip()], range(at.line, at.line + 1), (), has_via=False)
    if row is None:
        return None
    shift = at.column - 1
    span = Span(Position(at.line, row.span.start.column + shift), Position(at.line, row.span.end.column + shift))
    return Requirement(
        name=row.name, spelt=row.spelt, span=span, lines=row.lines, range=row.range, url=row.url, marker=row.marker,
        digests=row.digests,
    )  # fmt: skip


def _annotation(texts: Sequence[str], at: int, last: str) -> tuple[tuple[str, ...], bool, int]:
    """What asked for a row, by the comment at its end or in the lines below, and the index of the line after them."""
    _, _, own = last.partition(" # via ")
    if own:
        return (tuple(_asking(own)), True, at)
    found: list[str] = []
    has = False
    while at < len(texts) and texts[at][:1] in {" ", "\t"}:
        stripped = texts[at].strip()
        if not stripped.startswith("#"):
            break
        comment = stripped.lstrip("#").strip()
        if comment == "via" or comment.startswith("via "):
            has = True
            comment = comment[3:].strip()
        if has:
            found += _asking(comment)
        at += 1
    return (tuple(found), has, at)


def _asking(comment: str) -> Iterator[str]:
    for part in comment.split(","):
        word = part.strip()
        if word:
            yield word


def _row(first: str, parts: Sequence[str], lines: range, via: tuple[str, ...], *, has_via: bool) -> Requirement | None:
    """One row: ``first`` is its first line as it stands, ``parts`` all of its lines without what joins them."""
    indent = len(first) - len(first.lstrip())
    line = lines.start
    plain = _OPTION.sub(" ", re.sub(r"(?:^|\s)#(?:\s|$).*", "", parts[0])).strip()
    digests = {
        f"{match['algorithm']}:{match['digest']}".lower()
        for part in parts
        for match in (*_HASH.finditer(part), *(_FRAGMENT.finditer(part) if "=" in part and "#" in part else ()))
    }
    bare = _URL.match(plain)
    if bare is not None:
        named = artefact(bare.group())
        marker = plain[bare.end() :].partition(";")[2].strip()
        if named is None:
            return None
        shown = bare.group().split("#", 1)[0]
        end = min(indent + len(shown), len(first.rstrip().rstrip("\\").rstrip()))
        return Requirement(
            name=named.name, spelt=named.file, span=Span(Position(line, indent + 1), Position(line, end + 1)),
            lines=lines, range="", url=_plain_url(bare.group()), marker=marker, digests=frozenset(digests), via=via,
            has_via=has_via,
        )  # fmt: skip
    match = _NAMED.fullmatch(plain)
    if match is None:
        return None
    name = match["name"]
    return Requirement(
        name=canonical(name), spelt=name, span=Span(Position(line, indent + 1), Position(line, indent + 1 + len(name))),
        lines=lines, range=(match["range"] or "").strip().strip("()").strip(), url=_plain_url(match["url"] or ""),
        marker=(match["marker"] or "").strip(), digests=frozenset(digests), via=via, has_via=has_via,
    )  # fmt: skip


def _plain_url(url: str) -> str:
    return unquote(url.split("#", 1)[0]).rstrip(";")
