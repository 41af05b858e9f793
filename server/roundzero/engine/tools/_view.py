"""The repository as tools see it: what may be shown of one snapshot, without secrets, and a note of what was.

The one way from a tool to the repository. Invariants: a path is read only if it is listed on its side and nothing keeps
it back (git/sharing); every line that leaves has lost its secrets; what may not be shown is not counted either, since a
count would answer questions about it; equal questions get equal answers.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.frozen import dataclass
from roundzero.core.ledger import Ledger
from roundzero.core.secrets import find_sensitive
from roundzero.core.sensitive import is_settings
from roundzero.core.text import RelPath
from roundzero.core.toolbox import Unanswered
from roundzero.core.units import redacted_text
from roundzero.engine.tools._arguments import RefusedError
from roundzero.git.files import inside

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from roundzero.core.change import Change, Source
    from roundzero.core.ports import GrepHit, Limit, Symbols
    from roundzero.engine.repository import BridgedRepository

ROOT: Final = RelPath("")
"""All of the repository."""

MOST_WIDTH: Final = 300
"""Characters shown of a line: as many as a quote may have."""

MOST_PATHS: Final = 2_000
"""Files with hits that are asked about; what a word that is everywhere says, fewer say as well."""

_MOST_HITS: Final = 5_000
_MOST_TEXT: Final = 1_000_000
"""Characters of a file that is searched for secrets, which takes a second or two; larger ones are data."""

_MOST_HELD: Final = 300_000
"""Lines held in memory, before they are made again."""

_MOST_NEAR: Final = 3
_MOST_READ: Final = 40
_MOST_WHOLE: Final = 100_000
"""Files, and characters of one, whose whole text is searched for secrets before a hit in them is counted."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a tool found. ``head`` are our words, ``body`` lines from the repository, ``rest`` our words again."""

    head: str
    body: Sequence[str] = ()
    rest: str = ""


def first_of(shown: int, of: int) -> str:
    """What stands under a list that shows ``shown`` of ``of`` things; "" where those are all."""
    return f"the first {shown} are shown" if shown < of else ""


@dataclass(frozen=True, slots=True)
class Places:
    """Lines of files by path, all of which may be shown. ``more``: there are others, past what is counted."""

    lines: Mapping[RelPath, Sequence[int]]
    more: bool = False

    @property
    def count(self) -> int:
        """How many lines."""
        return sum(map(len, self.lines.values()))

    def __str__(self) -> str:
        """Their number, in words."""
        lines, files = self.count, len(self.lines)
        most = "more than " if self.more else ""
        return f"{most}{lines} {'line' if lines == 1 else 'lines'} in {files} {'file' if files == 1 else 'files'}"


@dataclass(slots=True)
class ToolView:
    """One snapshot for tools. For one thread at a time. ``shown`` are the texts that lines were shown of."""

    change: Change
    repository: BridgedRepository
    symbols: Symbols
    limit: Limit
    ledger: Ledger = field(default_factory=Ledger)
    shown: dict[tuple[RelPath, Side], Source] = field(default_factory=dict)
    _lines: dict[tuple[RelPath, Side], list[str]] = field(default_factory=dict)
    _asked: dict[tuple[RelPath, Side], bool] = field(default_factory=dict)

    def path(self, said: str) -> RelPath:
        """A path of the repository as a model wrote it. Raises RefusedError."""
        bare = said.strip().strip("`'\"").removeprefix("./").rstrip("/")
        if bare in {"", "."} and not said.startswith("/"):
            return ROOT
        if bare.startswith("/") or not inside(RelPath(bare)):
            raise RefusedError("only paths within the repository are read, from its root, without ..")
        return RelPath(bare)

    def allowed(self, paths: Iterable[RelPath], side: Side) -> frozenset[RelPath]:
        """Those paths of a side that may be shown. Raises OutsideError."""
        wanted = {path for path in paths if path and inside(path)}
        new = sorted(path for path in wanted if (path, side) not in self._asked)
        if new:
            self.limit.check()
            listed = self.repository.paths(side)
            open_ = self.repository.shareable([path for path in new if path in listed], side)
            if side is Side.HEAD:
                open_ -= self._kept_back_before(open_)
            self._asked.update({(path, side): path in open_ for path in new})
        return frozenset(path for path in wanted if self._asked[path, side])

    def _kept_back_before(self, paths: Iterable[RelPath]) -> frozenset[RelPath]:
        """What was renamed from a path that is kept back, and is kept back as well."""
        files = (self.change.file(path) for path in paths)
        renamed = {file.path: file.old_path for file in files if file is not None and file.old_path is not None}
        before = self.allowed(renamed.values(), Side.BASE)
        return frozenset(path for path, old in renamed.items() if old not in before)

    def source(self, path: RelPath, side: Side) -> Source:
        """A text that may be shown. Raises RefusedError where there is none, OutsideError."""
        if path not in self.allowed((path,), side):
            raise self._refusal(path, side)
        self.limit.check()
        source = self.symbols.source(path, side)
        if source is None or len(source.text) > _MOST_TEXT:
            raise RefusedError("it is no text file: a link, a submodule, binary, or too large")
        return source

    def lines(self, path: RelPath, side: Side) -> list[str]:
        """The lines of a text without secrets; the text counts as shown. As ``source``."""
        self.shown[path, side] = self.source(path, side)
        return self._redacted(path, side)

    def places(self, hits: Iterable[tuple[RelPath, int]], side: Side) -> Places:
        """Those lines that may be shown, each once, in order of path and line."""
        by_path: dict[RelPath, set[int]] = {}
        for path, line in hits:
            by_path.setdefault(path, set()).add(line)
        paths = sorted(by_path)
        allowed = self.allowed(paths[:MOST_PATHS], side)
        lines = {path: sorted(by_path[path]) for path in paths if path in allowed}
        return Places(lines, more=len(paths) > MOST_PATHS)

    def mentions(self, word: str, side: Side, under: RelPath = ROOT) -> Places:
        """The lines that hold a word as a whole and may be shown, secrets left out. ``under``: of a file or folder."""
        hits: Collection[GrepHit] = self.symbols.mentions((word,), side).get(word, ())
        wanted = [hit for hit in hits if _is_under(hit.path, under)]
        found = self.places(((hit.path, hit.line) for hit in self._clear(word, wanted[:_MOST_HITS], side)), side)
        return Places(found.lines, more=found.more or len(wanted) > _MOST_HITS)

    def quoted(self, places: Places, side: Side, most: int, word: str = "") -> list[str]:
        """The first of the lines as ``path:line: text``. ``word``: only where it can still be read."""
        rows: list[str] = []
        for path, numbers in places.lines.items():
            if len(rows) >= most:
                break
            try:
                lines = self.lines(path, side)
            except RefusedError:
                continue
            for number in numbers[: most - len(rows)]:
                text = lines[number - 1] if number <= len(lines) else ""
                if word in text:
                    rows.append(f"{unsecret(path)}:{number}: {text.strip()[:MOST_WIDTH]}")
        return rows

    def block(self, path: RelPath, side: Side, span: range, most: int) -> list[str]:
        """Lines of a text with their numbers, the first ``most`` of them."""
        lines = self.lines(path, side)
        numbers = [number for number in span if 1 <= number <= len(lines)][:most]
        return [f"{number:5} {lines[number - 1][:MOST_WIDTH]}" for number in numbers]

    def _clear(self, word: str, hits: Sequence[GrepHit], side: Side) -> Iterator[GrepHit]:
        """The hits that are none within a secret: by the whole text of few files, by the line alone of many."""
        near = self.allowed(sorted({hit.path for hit in hits})[:_MOST_READ], side)
        for hit in hits:
            text = clear(hit.text, settings=is_settings(hit.path))
            if hit.path in near:
                try:
                    if len(self.source(hit.path, side).text) <= _MOST_WHOLE:
                        text = self._redacted(hit.path, side)[hit.line - 1]
                except (RefusedError, IndexError):
                    continue
            if word in text:
                yield hit

    def _redacted(self, path: RelPath, side: Side) -> list[str]:
        if (path, side) not in self._lines:
            text = redacted_text(self.source(path, side))
            if sum(map(len, self._lines.values())) > _MOST_HELD:
                self._lines.clear()
            self._lines[path, side] = [line.removesuffix("\r") for line in text.split("\n")]
        return self._lines[path, side]

    def _refusal(self, path: RelPath, side: Side) -> RefusedError:
        if path in self.repository.paths(side):
            return RefusedError("it is kept back: it may be shown to nobody", why=Unanswered.KEPT_BACK)
        name = path.rpartition("/")[2]
        same = [each for each in self.repository.paths(side) if each.rpartition("/")[2] == name]
        near = sorted(self.allowed(sorted(same)[:MOST_PATHS], side))[:_MOST_NEAR]
        also = "; files of that name:" if near else ""
        return RefusedError(f"there is no such file at the {side.value}{also}", [unsecret(each) for each in near])


def unsecret(text: str) -> str:
    """A text on one line, without what might be a secret."""
    return " ".join(clear(text).split())


def clear(text: str, *, settings: bool = False) -> str:
    """A text without what might be a secret. ``settings``: it is from a file of settings."""
    for span in reversed(find_sensitive(text, settings=settings)):
        text = f"{text[: span.start]}<secret: {span.label}>{text[span.end :]}"
    return text


def last_part(name: str) -> str:
    """The last part of a dotted name, without what people write around it. Raises RefusedError for no name."""
    last = name.removesuffix("()").rpartition(".")[2].strip("`'\"() ")
    if not last.isidentifier():
        raise RefusedError(f"{name[:60]!r} is no name of a function, class or variable")
    return last


def _is_under(path: RelPath, under: RelPath) -> bool:
    return not under or path == under or path.startswith(f"{under}/")
