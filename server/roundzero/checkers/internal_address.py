"""internal-address: an added URL leads to a host that only one network knows.

Private addresses and domains that are nobody's (``.corp``, ``.internal``, ``.lan``). Tests, examples, the addresses
that containers and clouds give by convention, and hosts or networks the repository names already are left alone. Which
public domains are a company's own is for a text rule in the repository's own pack. A fix names a public host that the
file shows for the same thing: on the line that was replaced, or in the other rows of a lock. Invariant: a hit lies on
an added line, and its host stands on no line that was there before.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from roundzero.checkers._base import ChangeChecker, code, replace
from roundzero.checkers._paths import is_example, is_script_path, is_test_data, is_test_path
from roundzero.core.finding import Hit
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.core.change import Change, FileChange
    from roundzero.core.finding import Fix
    from roundzero.core.linemap import Hunk
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath

_URL: Final = regex(
    r"(?<![\w+.-])[a-z][a-z0-9+.-]{1,15}://(?:[^\s/@\"'`<>]*@)?(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9])"
    r"|(?<![\w@.-])git@(?P<shell>[A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9]):"
)
_DOMAIN: Final = regex(r"(?:[\w-]+\.)+(?:corp|internal|intranet|lan|private|local)")
_NETWORK: Final = regex(r"(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}")
_BY_CONVENTION: Final = regex(
    r"(?:.*\.)?docker\.internal|metadata\.google\.internal|.*\.svc(?:\.cluster)?\.local|.*\.cluster\.local|"
    r"(?:.*\.)?containers\.internal|.*\.compute\.internal|.*\.ec2\.internal|(?:.*\.)?mdns\.local|"
    r"(?:10\.0\.2\.2|10\.0\.0\.\d|192\.168\.[01]\.\d{1,3}|10\.1\.[12]\.\d|192\.168\.(?:49|56|99)\.\d+|172\.17\.0\.1)"
)
_PLACEHOLDER: Final = regex(
    r"(?:^|[.-])(?:example\w*|foo\w*|bar|baz|your\w*|my|my-?(?:app|domain|host|org|registry|server|service|site)\w*|some\w*|domain|site|host(?:name)?|test\w*|customer|"
    r"xxx+|abc|fake\w*|dummy|sample|placeholder)(?:$|[.-])"
)
ROWS: Final = 2
"""Other rows of a lock with an address of the same form, from which another host is taken."""

_PARTS: Final = regex(
    r"(?P<origin>[a-z][a-z0-9+.-]{1,15}://(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9])(?::\d+)?)(?=[/?#\"'\s]|$)"
    r"(?P<rest>[^\s\"'`<>()\[\]{},;]*)"
    r"|(?<![\w@.-])(?P<account>git@(?P<shell>[A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9]))(?P<path>:[^\s\"'`<>,;]*)"
)
_LOCK: Final = regex(
    r"\.lock$|[-.]lock(?:file)?\.(?:json|ya?ml|toml)$|(?:^|/)(?:pylock[\w.-]*\.toml|npm-shrinkwrap\.json)$"
)
_NUMBER: Final = regex(r"[\d.]+")


@dataclass(frozen=True, slots=True)
class _Address:
    """A host on an added line; ``known_as`` is what the repository would name if it knew the network."""

    file: FileChange
    span: Span
    host: str
    known_as: str


class InternalAddress(ChangeChecker):
    """Finds added URLs with hosts of one network."""

    name = "internal-address"
    version = "2"

    def __init__(self) -> None:
        """Start before the change is known."""
        self._found: list[_Address] | None = None

    def words(self, change: Change) -> Collection[str]:
        """The domains and networks."""
        return {each.known_as for each in self._addresses(change)}

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Keep the hosts of networks that the repository did not know."""
        addresses = self._addresses(change)
        bases = [file.base.text.lower() for file in change.files if file.base is not None] if addresses else []
        news = {
            name
            for name in {each.known_as for each in addresses}
            if not _is_named(name, bases) and not any(_was_there(change, hit) for hit in found.get(name, ()))
        }
        shown = {each.file.path: _Shown(each.file) for each in addresses}
        for each in addresses:
            if each.known_as in news:
                fixes = _fixes(each, shown[each.file.path])
                yield Hit(path=each.file.path, span=each.span, subject=code(each.host), fixes=fixes)

    def _addresses(self, change: Change) -> list[_Address]:
        if self._found is None:
            self._found = list(_addresses(change))
        return self._found


class _Url(NamedTuple):
    """An address without an account in a line: what stands before it, its host with all that leads there, the rest."""

    before: str
    origin: str
    host: str
    rest: str

    @property
    def form(self) -> tuple[int, str]:
        """How many parts its path has, and what kind of file it leads to."""
        return self.rest.count("/"), self.rest.rpartition("/")[2].rpartition(".")[2] if "." in self.rest else ""

    @property
    def is_public(self) -> bool:
        """Whether others can follow it, by the name of its host."""
        host = self.host
        return "." in host and _known_as(host) is None and not (_DOMAIN.fullmatch(host) or _NUMBER.fullmatch(host))


def _urls(text: str) -> Iterator[_Url]:
    for line in text.split("\n"):
        for match in _PARTS.finditer(line):
            yield _Url(
                line[: match.start()].strip(),
                match["origin"] or match["account"],
                (match["host"] or match["shell"]).lower(),
                match["rest"] or match["path"] or "",
            )


class _Shown:
    """The public hosts that one file shows, in the lines that were replaced and in the rows of a lock, read once."""

    def __init__(self, file: FileChange) -> None:
        self._file = file
        self._gone: dict[int, dict[tuple[str, str], set[str]]] = {}

    @cached_property
    def _hunks(self) -> dict[int, Hunk]:
        """By lines of the head."""
        return {line: hunk for hunk in self._file.hunks for line in hunk.head_lines}

    @cached_property
    def _rows(self) -> dict[str, tuple[set[str], Counter[tuple[int, str]]]]:
        """By what stands before an address: the ways to its public hosts, and how often each form is among them."""
        rows: dict[str, tuple[set[str], Counter[tuple[int, str]]]] = defaultdict(lambda: (set(), Counter()))
        for url in _urls(self._file.head.text) if self._file.head is not None else ():
            if url.is_public:
                origins, forms = rows[url.before]
                origins.add(url.origin)
                forms[url.form] += 1
        return rows

    def before(self, line: int, own: _Url) -> set[str]:
        """The ways to hosts of the same thing in what a line of the head replaced."""
        hunk, base = self._hunks[line], self._file.base
        if hunk.head_start not in self._gone:
            gone = self._gone[hunk.head_start] = defaultdict(set)
            text = "\n".join(base.index.line(at) for at in hunk.base_lines) if base is not None else ""
            for url in _urls(text):
                if url.is_public:
                    gone[url.before, url.rest].add(url.origin)
        return self._gone[hunk.head_start].get((own.before, own.rest), set())

    def beside(self, own: _Url) -> set[str]:
        """The ways to hosts that the other rows of a lock name, where enough of them have the same form."""
        if not own.before or _LOCK.search(self._file.path) is None:
            return set()
        origins, forms = self._rows.get(own.before, (set(), Counter()))
        return origins if forms[own.form] >= ROWS else set()


def _fixes(address: _Address, shown: _Shown) -> tuple[Fix, ...]:
    """Name the public host that stood here, or the one that the other rows of a lock all name."""
    head, number = address.file.head, address.span.start.line
    line = head.index.line(number) if head is not None else ""
    before = line[: address.span.start.column - 1]
    own = next((url for url in _urls(line) if line.find(url.origin) <= len(before) and url.host == address.host), None)
    if head is None or own is None or line.count(own.origin) != 1:
        return ()
    origins, title = shown.before(number, own), "Name the host that stood here"
    if not origins:
        origins, title = shown.beside(own), "Name the host that the other rows name"
    if len(origins) != 1:
        return ()
    start = line.index(own.origin) + 1
    span = Span(Position(number, start), Position(number, start + len(own.origin)))
    return (replace(head, title, next(iter(origins)), span, safe=False),)


def _was_there(change: Change, hit: GrepHit) -> bool:
    file = change.file(hit.path)
    return file is None or hit.line not in file.added


def _is_named(known_as: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts, in small letters, has the name as a whole: removed and moved lines are no news."""
    name = re.compile(rf"(?<![\w-]){re.escape(known_as)}(?![\w-])")
    return any(known_as in text and name.search(text) is not None for text in texts)


def _addresses(change: Change) -> Iterator[_Address]:
    for file in change.files:
        if file.head is None or _is_for_show(file.path):
            continue
        if "//" not in file.head.text and "git@" not in file.head.text:
            continue
        for line in sorted(file.added):
            text = file.head.index.line(line)
            for match in _URL.finditer(text) if "//" in text or "git@" in text else ():
                group = "host" if match["host"] is not None else "shell"
                host = match[group].lower()
                known_as = _known_as(host)
                if known_as is not None:
                    start, end = match.span(group)
                    yield _Address(file, Span(Position(line, start + 1), Position(line, end + 1)), host, known_as)


def _is_for_show(path: RelPath) -> bool:
    return is_test_path(path) or is_test_data(path) or is_example(path) or (is_script_path(path) and "docs" in path)


def _known_as(host: str) -> str | None:
    """The last two labels of a domain, or a whole private address; None for what anybody may have."""
    if _BY_CONVENTION.fullmatch(host) or _PLACEHOLDER.search(host):
        return None
    if _DOMAIN.fullmatch(host):
        return ".".join(host.split(".")[-2:])
    return host if _NETWORK.fullmatch(host) else None


CHECKER: Final = InternalAddress
