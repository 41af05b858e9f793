"""duplicate-code: added lines are a copy of lines that the repository has elsewhere.

Every window of LINES lines has one line that is looked for: among the changed files by its text, elsewhere by its
longest word. Where the whole line is found again, the two places are followed in both directions. So one search serves,
and only files that hold such a line are read. Copies in
tests, data and generated files are left alone. What a file has of one other file is one hit, on the longest
stretch. Invariant: both places exist at the head, and of two added ones only the later is reported.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import field
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._clones import Line, anchor, lines_of, new_lines
from roundzero.checkers._paths import is_example, is_test_data, is_test_path
from roundzero.core.change import Side
from roundzero.core.finding import Hit, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath

LINES: Final = 6
TOKENS: Final = 50
STRONG: Final = 6
"""Lines of a copy that do more than pass arguments on."""
MOST_WORDS: Final = 120
"""Words looked for in one change, the longest: they are the rarest, and every line found is compared with each."""
MOST_SHOWN: Final = 3
COMMON: Final = 60
"""Lines with a word beyond which it says nothing about copies."""

_LANGUAGES: Final = frozenset(
    {"python", "bash", "c", "cpp", "cuda", "javascript", "jsx", "typescript", "tsx", "go", "rust", "java", "kotlin",
     "ruby", "php", "csharp", "swift", "scala", "lua"}
)  # fmt: skip
_MADE: Final = re.compile(
    r"(?:_pb2(?:_grpc)?\.pyi?|\.min\.js|\.generated\.\w+)$|(?:^|/)(?:vendor|third_party|migrations)/"
)


@dataclass(slots=True)
class _Text:
    """The lines that count of one text, and where each stands among them."""

    source: Source
    lines: list[Line]
    at: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Number the lines."""
        self.at = {line.number: place for place, line in enumerate(self.lines)}


@dataclass(frozen=True, slots=True)
class _Copy:
    """Lines ``first`` to ``last`` of a changed file, and where they stand in another text or further up."""

    first: int
    last: int
    path: RelPath
    line: int
    source: Source

    @property
    def length(self) -> int:
        """Its lines, those between that do not count too."""
        return self.last - self.first + 1


class DuplicateCode(ChangeChecker):
    """Finds copies."""

    name = "duplicate-code"

    def __init__(self) -> None:
        """Start without texts."""
        self._texts: dict[RelPath, _Text | None] = {}
        self._begins: dict[RelPath, tuple[Line, ...]] = {}

    def words(self, change: Change) -> Collection[str]:
        """The words by which copies are looked for."""
        words = {anchor(line) for file in _new_code(change) for line in self._anchors(file)} - {""}
        return sorted(words, key=lambda word: (-len(word), word))[:MOST_WORDS]

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Follow every line that is found again, in the changed files or elsewhere."""
        files = list(_new_code(change))
        if not any(self._anchors(file) for file in files):
            return
        own: dict[str, list[tuple[RelPath, int]]] = defaultdict(list)
        for file in files:
            text = self._text(file.path, repository)
            for line in text.lines if text is not None else ():
                own[line.text].append((file.path, line.number))
        for file in files:
            seen: list[_Copy] = []
            for line in self._anchors(file):
                if any(copy.first <= line.number <= copy.last for copy in seen):
                    continue
                hits = found.get(anchor(line), ())
                places = [*own[line.text], *((hit.path, hit.line) for hit in hits if len(hits) <= COMMON)]
                copies = [
                    copy
                    for place in (places if len(places) <= COMMON else ())
                    if (copy := self._copy(change, file, line, place, repository)) is not None
                ]
                if copies:
                    seen.append(max(copies, key=lambda copy: (copy.length, copy.path, copy.line)))
            for group in _by_place(seen):
                yield _hit(file, group)

    def _copy(
        self, change: Change, file: FileChange, line: Line, place: tuple[RelPath, int], repository: Repository
    ) -> _Copy | None:
        path, number = place
        if not _counts(path) or language_of(path) != language_of(file.path) or _declares(path, file.path):
            return None
        own, other = self._text(file.path, repository), self._text(path, repository)
        if own is None or other is None or number not in other.at or line.number not in own.at:
            return None
        here, there = own.at[line.number], other.at[number]
        if own.lines[here].text != other.lines[there].text or (own is other and here == there):
            return None
        gap = abs(there - here) if own is other else len(own.lines) + len(other.lines)
        before = _run(own, other, here, there, -1, file.added, gap)
        after = _run(own, other, here, there, 1, file.added, gap - before)
        matched = own.lines[here - before : here + after + 1]
        begin = other.lines[there - before].number
        if not _is_enough(matched) or _is_later(change, path, begin, (file.path, matched[0].number)):
            return None
        shift = next(at for at, each in enumerate(matched) if each.strong)
        begin = other.lines[there - before + shift].number
        return _Copy(matched[shift].number, matched[-1].number, path, begin, other.source)

    def _text(self, path: RelPath, repository: Repository) -> _Text | None:
        if path not in self._texts:
            source = repository.read(path, Side.HEAD)
            self._texts[path] = _Text(source, lines_of(source)) if source is not None else None
        return self._texts[path]

    def _anchors(self, file: FileChange) -> Sequence[Line]:
        """Of every window of added lines that count, the one with the longest word; each line once."""
        assert file.head is not None  # noqa: S101  only files with a head are asked about
        if file.path not in self._begins:
            self._begins[file.path] = tuple(_anchors(new_lines(file.head, file.added)))
        return self._begins[file.path]


def _run(  # noqa: PLR0913, PLR0917  two places, a direction and two limits
    own: _Text, other: _Text, here: int, there: int, step: int, added: Collection[int], most: int
) -> int:
    """How many lines beyond a pair of equal ones are equal and added as well."""
    count = 0
    while count < most - 1:
        a, b = here + step * (count + 1), there + step * (count + 1)
        if not (0 <= a < len(own.lines) and 0 <= b < len(other.lines)):
            break
        if own.lines[a].number not in added or own.lines[a].text != other.lines[b].text:
            break
        count += 1
    return count


def _is_enough(lines: Sequence[Line]) -> bool:
    """Whether equal lines are worth a word."""
    tokens, strong = sum(line.tokens for line in lines), sum(line.strong for line in lines)
    return len(lines) >= LINES and tokens >= TOKENS and strong >= STRONG


def _is_later(change: Change, path: RelPath, line: int, place: tuple[RelPath, int]) -> bool:
    """Whether the other place is new as well and comes after this one: then it is the copy."""
    file = change.file(path)
    return file is not None and line in file.added and (path, line) > place


def _new_code(change: Change) -> Iterator[FileChange]:
    for file in change.files:
        if file.head is not None and len(file.added) >= LINES and _counts(file.path):
            yield file


def _counts(path: RelPath) -> bool:
    """Whether copies in a file are anybody's mistake."""
    if language_of(path) not in _LANGUAGES or _MADE.search(path) is not None:
        return False
    return not (is_test_path(path) or is_test_data(path) or is_example(path))


def _declares(one: RelPath, other: RelPath) -> bool:
    """Whether one file is the header of the other."""
    stem, _, kind = one.rpartition(".")
    other_stem, _, other_kind = other.rpartition(".")
    return stem.rpartition("/")[2] == other_stem.rpartition("/")[2] and kind[:1] != other_kind[:1]


def _anchors(lines: Iterable[Line | None]) -> Iterator[Line]:
    """See DuplicateCode._anchors. None parts what does not follow."""
    run: list[Line] = []
    chosen: dict[int, Line] = {}
    for line in lines:
        if line is not None:
            run.append(line)
            window = run[-LINES:]
            if len(window) == LINES and not any(each.number in chosen for each in window):
                best = max(window, key=lambda each: (len(anchor(each)), each.number))
                chosen[best.number] = best
        else:
            run = []
    yield from chosen.values()


def _by_place(copies: Iterable[_Copy]) -> Iterator[list[_Copy]]:
    """The copies from each other file together, the longest first."""
    found: dict[RelPath, list[_Copy]] = {}
    for copy in copies:
        found.setdefault(copy.path, []).append(copy)
    for group in found.values():
        yield sorted(group, key=lambda copy: (-copy.length, copy.first))


def _hit(file: FileChange, copies: Sequence[_Copy]) -> Hit:
    head, longest = file.head, copies[0]
    assert head is not None  # noqa: S101  as above
    return Hit(
        path=file.path,
        span=head.index.line_span(longest.first),
        subject=code(f"{longest.path}:{longest.line}"),
        evidence=tuple(evidence_at(copy.source, copy.line, "copied from") for copy in copies[:MOST_SHOWN]),
    )


CHECKER: Final = DuplicateCode
