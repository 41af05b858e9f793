"""What the languages of removed_symbol_elsewhere share: a definition that went, a use of it, the repository around.

One module for each language says what a text defines and what a use of it looks like (``Family``). Invariant: a text is
read and blanked once, however many names are looked for in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast

from roundzero.core.change import Side
from roundzero.core.finding import Anchor
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex
from roundzero.core.samples import is_copy, is_sample

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping

    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath

MOST_FILES: Final = 100
"""Files that may name what went: with more, the name means something else as well."""

_Answer = TypeVar("_Answer")
_WORD: Final = regex(r"[\w$]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """A definition that a file had at the base and has no more.

    ``kind`` is the language's own word for it, ``offset`` its place in the base text, ``scopes`` what is around it, the
    outermost first. ``word`` is what a use of it must contain, ``also`` are words by which something may provide it.
    """

    file: FileChange
    base: Source
    name: str
    kind: str
    offset: int
    word: str
    scopes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def line(self) -> int:
        """Its line at the base."""
        return self.base.index.position(self.offset).line

    @property
    def cause(self) -> Anchor:
        """The changed line that it left behind."""
        file = self.file
        return Anchor(file.path, max(1, file.line_map.nearest(self.line)) if file.head is not None else 1)


@dataclass(frozen=True, slots=True)
class Use:
    """A place at the head that needs a definition, by offsets in the file's text."""

    path: RelPath
    start: int
    end: int


class Around:
    """The repository at the head, as the languages look at it."""

    def __init__(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> None:
        """Read nothing yet."""
        self.change = change
        self.repository = repository
        self._found = found
        self._sources: dict[RelPath, Source | None] = {}
        self._codes: dict[RelPath, str] = {}
        self._answers: dict[Hashable, object] = {}

    @property
    def paths(self) -> Collection[RelPath]:
        """Every path at the head."""
        return self.repository.paths(Side.HEAD)

    def hits(self, gone: Gone) -> tuple[GrepHit, ...]:
        """The lines at the head that name it, anywhere."""
        return self._found.get(gone.word, ())

    def provided(self, gone: Gone) -> tuple[GrepHit, ...]:
        """The lines at the head with a word by which something else may provide it."""
        return tuple(hit for word in gone.also for hit in self._found.get(word, ()))

    def naming(self, gone: Gone, languages: Collection[str]) -> list[RelPath]:
        """The files in some languages that name it, copies of other projects and data of tests left out."""
        paths = {hit.path for hit in self.hits(gone) if language_of(hit.path) in languages}
        return sorted(path for path in paths if not is_copy(path) and not is_sample(path))

    def source(self, path: RelPath) -> Source | None:
        """A text at the head."""
        if path not in self._sources:
            self._sources[path] = self.repository.read(path, Side.HEAD)
        return self._sources[path]

    def code(self, path: RelPath) -> str:
        """A text without comments and strings; empty where there is none."""
        if path not in self._codes:
            source = self.source(path)
            self._codes[path] = blanked(source) if source is not None else ""
        return self._codes[path]

    def once(self, question: Hashable, ask: Callable[[], _Answer]) -> _Answer:
        """The answer to a question about this change, asked once."""
        if question not in self._answers:
            self._answers[question] = ask()
        return cast("_Answer", self._answers[question])


class Family(Protocol):
    """A language, or several that see each other's definitions."""

    languages: frozenset[str]
    defines: re.Pattern[str]
    """What a line that defines something matches; asked of removed lines before anything is read."""

    by_path: bool
    """Whether the path of a file is a part of what its definitions are called."""

    def gone(self, file: FileChange, base: Source) -> Iterable[Gone]:
        """The definitions of a file that went with its removed lines."""

    def uses(self, gone: Gone, around: Around) -> Iterable[Use]:
        """What still needs one of them; nothing where anything else may define it."""


def words_in(code: str, name: str) -> Iterator[int]:
    """The offsets at which a name stands as a whole word."""
    size, at = len(name), code.find(name)
    while at >= 0:
        before, after = code[at - 1 : at], code[at + size : at + size + 1]
        if _WORD.match(before) is None and _WORD.match(after) is None:
            yield at
        at = code.find(name, at + size)


def added_lines(change: Change, languages: Collection[str]) -> Iterator[str]:
    """The added lines of a change in some languages."""
    for file in change.files:
        if language_of(file.path) in languages:
            yield from file.added_lines
