r"""The fixture language: one string holds the base, the head and what is expected of a review.

Column 1 of a line says where it stands: `` `` both sides, ``+`` head only, ``-`` base only, ``\`` "the line above has
no terminator". ``^`` makes an expectation: its carets stand under the text of the nearest line above, then the item
and optionally how the title begins. Without carets it expects a finding about the file (below its header) or, before
the first header, the change. ``//- path`` begins a file, ``//- old -> new`` a renamed one. An empty line is an empty
line on the sides of the line above it; one right below a header or at the end of a file is not part of it. A line
``//! path 2000`` adds a binary file of that many bytes, and ``//> Ada <ada@e.example>: What it says`` is a commit of
the branch, which changed all paths. Invariant: ``parse`` reads nothing but its argument.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from roundzero.core.change import Side
from roundzero.core.frozen import dataclass
from roundzero.core.item import ItemId
from roundzero.core.ports import Commit
from roundzero.core.regex import regex
from roundzero.core.text import LineIndex, Position, RelPath, Span

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping

_HEADER: Final = regex(r"//- (?:(?P<old>\S.*?) -> )?(?P<path>\S.*?)\s*")
_BINARY: Final = regex(r"//! (?P<path>\S.*?) (?P<size>\d+) *")
_COMMIT: Final = regex(r"//> (?P<name>[^<]*?) ?<(?P<address>[^>]*)>: (?P<text>.*)")
_EXPECTATION: Final = regex(r"\^(?P<indent> *)(?P<carets>\^*) *(?P<item>[a-z0-9-]+/[a-z0-9-]+)(?:: *(?P<title>.*?))? *")


class FixtureError(ValueError):
    """A fixture that says nothing sensible. ``line`` from 1, within the fixture."""

    def __init__(self, line: int, message: str) -> None:
        """Say what is wrong and where."""
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A finding that must be there. ``path`` None: about the change; ``span`` None: about the file.

    A finding over several lines is marked on its first one. ``title`` is how the title begins, "" for any.
    """

    path: RelPath | None
    side: Side
    span: Span | None
    item: ItemId
    title: str = ""
    fixture_line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """Both sides of a small repository. ``renames`` leads from head paths to base paths where they differ.

    ``binaries`` are files the head adds that are no text, each with its size in bytes; ``commits`` are the branch's.
    """

    base: Mapping[RelPath, str]
    head: Mapping[RelPath, str]
    renames: Mapping[RelPath, RelPath]
    expected: tuple[Expected, ...]
    binaries: Mapping[RelPath, int] = field(default_factory=dict)
    commits: tuple[Commit, ...] = ()

    @property
    def changed(self) -> tuple[RelPath, ...]:
        """The paths that differ between the sides, those of either side."""
        old = self.renames
        paths = {path for path, text in self.head.items() if path in old or self.base.get(path) != text}
        return tuple(sorted(paths | (self.base.keys() - self.head.keys()) | self.binaries.keys()))


@dataclass(slots=True)
class _Section:
    """One file while it is read. Lines are kept with their terminators."""

    path: RelPath
    old: RelPath
    base: list[str] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    marks: str = ""
    empty: int = 0

    def add(self, mark: str, text: str) -> None:
        """Take a line, after the empty ones that waited for it."""
        for _ in range(self.empty):
            self._put(self.marks[-1], "")
        self.empty = 0
        self._put(mark, text)

    def _put(self, mark: str, text: str) -> None:
        if mark != "+":
            self.base.append(text + "\n")
        if mark != "-":
            self.head.append(text + "\n")
        self.marks += mark

    def cut_terminator(self) -> None:
        """The last line ends without a terminator, on its sides."""
        if self.marks[-1:] != "+" and self.base:
            self.base[-1] = self.base[-1].removesuffix("\n")
        if self.marks[-1:] != "-" and self.head:
            self.head[-1] = self.head[-1].removesuffix("\n")


class Seen(NamedTuple):
    """A finding as a review gave it. ``path`` and ``span`` as in Expected."""

    path: RelPath | None
    side: Side
    span: Span | None
    item: ItemId
    title: str


def differences(fixture: Fixture, seen: Iterable[Seen]) -> list[tuple[int, str]]:
    """What is missing and what is surplus, each with a line of the fixture (0: it has none)."""
    surplus = [_on_one_line(fixture, finding) for finding in seen]
    result: list[tuple[int, str]] = []
    for wanted in fixture.expected:
        match = next((finding for finding in surplus if _meets(wanted, finding)), None)
        if match is not None:
            surplus.remove(match)
            continue
        near = "".join(f"; seen: {_words(finding)}" for finding in surplus if finding.item == wanted.item)
        result.append((wanted.fixture_line, f"missing: {_words(wanted)}{near}"))
    result.extend((0, f"not expected: {_words(finding)}") for finding in surplus)
    return result


def _meets(wanted: Expected, finding: Seen) -> bool:
    same_place = (wanted.path, wanted.side, wanted.span, wanted.item) == finding[:4]
    return same_place and finding.title.startswith(wanted.title)


def _on_one_line(fixture: Fixture, finding: Seen) -> Seen:
    """The finding as carets can mark it: cut at the end of its first line."""
    span = finding.span
    if span is None or span.end.line == span.start.line or finding.path is None:
        return finding
    text = (fixture.base if finding.side is Side.BASE else fixture.head).get(finding.path, "")
    end = len(LineIndex(text).line(span.start.line)) + 1
    return finding._replace(span=Span(span.start, Position(span.start.line, end)))


def _words(finding: Expected | Seen) -> str:
    where = finding.path or "the change"
    if finding.span is not None:
        start, end = finding.span.start, finding.span.end
        where += f":{start.line}:{start.column}-{end.column}"
    if finding.side is Side.BASE:
        where += " (base)"
    return f"{where} {finding.item}" + (f": {finding.title}" if finding.title else "")


def parse(text: str) -> Fixture:  # noqa: C901  one branch for each kind of line reads best in one place
    """Read a fixture. Raises FixtureError naming the line."""
    sections: list[_Section] = []
    expected: list[Expected] = []
    binaries: dict[RelPath, int] = {}
    commits: list[Commit] = []
    for number, line in enumerate(text.split("\n"), 1):
        section = sections[-1] if sections else None
        mark = line[:1]
        if (match := _HEADER.fullmatch(line)) is not None:
            path = RelPath(match["path"])
            sections.append(_Section(path, RelPath(match["old"] or path)))
        elif (match := _BINARY.fullmatch(line)) is not None:
            binaries[RelPath(match["path"])] = int(match["size"])
            sections.append(_Section(RelPath(match["path"]), RelPath(match["path"])))
        elif (match := _COMMIT.fullmatch(line)) is not None:
            commits.append(_commit(match, len(commits)))
        elif mark == "^":
            expected.append(_expectation(line, number, section))
        elif section is None:
            if line.strip():
                raise FixtureError(number, 'a file begins with "//- path"')
        elif not line:
            section.empty += 1 if section.marks else 0
        elif mark == "\\":
            section.cut_terminator()
        elif mark in " +-":
            section.add(mark, line[1:])
        else:
            raise FixtureError(number, f"column 1 must be one of ' ', '+', '-', '^' and '\\', not {mark!r}")
    if not sections:
        raise FixtureError(1, 'a file begins with "//- path"')
    fixture = Fixture(
        base={section.old: "".join(section.base) for section in sections if section.marks.strip("+")},
        head={section.path: "".join(section.head) for section in sections if section.marks.strip("-")},
        renames={section.path: section.old for section in sections if section.old != section.path},
        expected=tuple(expected),
        binaries=binaries,
    )
    return replace(fixture, commits=tuple(replace(commit, paths=fixture.changed) for commit in commits))


def _commit(match: re.Match[str], number: int) -> Commit:
    who = (match["name"], match["address"])
    return Commit(id=f"{number + 1:040x}"[::-1], author=who, committer=who, text=match["text"], paths=())


def _expectation(line: str, number: int, section: _Section | None) -> Expected:
    match = _EXPECTATION.fullmatch(line)
    if match is None:
        raise FixtureError(number, "an expectation is carets, then pack/item, then perhaps ': ' and a title")
    span, side = None, Side.HEAD
    if match["carets"]:
        if section is None or not section.marks:
            raise FixtureError(number, "the carets stand under no line")
        side = Side.BASE if section.marks[-1] == "-" else Side.HEAD
        at = len(section.base if side is Side.BASE else section.head)
        start = match.start("carets")
        span = Span(Position(at, start), Position(at, start + len(match["carets"])))
    path = None if section is None else section.old if side is Side.BASE else section.path
    item, title = ItemId(match["item"]), match["title"] or ""
    return Expected(path=path, side=side, span=span, item=item, title=title, fixture_line=number)
