"""What probes see: one change, the repository around it at the head, and what Python names mean there.

Invariant: an answer that something is nowhere is given only where everything was read that it could be in.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING

from roundzero.core.change import ABSENT, SUBMODULE, Side
from roundzero.core.claims import bound
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.lexical import blanked
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import Change, Source
    from roundzero.core.claims import Asked, Outcome
    from roundzero.core.ports import GrepHit, Repository, Symbols

_NOTHING_TO_READ = frozenset({"binary", "only its mode changed"})


@dataclass(frozen=True, slots=True)
class ProbeView:
    """See the module. For one thread."""

    change: Change
    repository: Repository
    symbols: Symbols
    _gone: dict[str, RelPath | None] = field(default_factory=dict)
    _code: dict[RelPath, str | None] = field(default_factory=dict)

    def source(self, path: RelPath) -> Source | None:
        """The text of a file at the head."""
        return self.symbols.source(path, Side.HEAD)

    def code(self, path: RelPath) -> str | None:
        """The text of a file at the head with its comments and strings as blanks."""
        if path not in self._code:
            source = self.source(path)
            self._code[path] = blanked(source) if source is not None else None
        return self._code[path]

    def hits(self, word: str) -> tuple[GrepHit, ...]:
        """The lines of the head that hold a word as a whole."""
        return self.symbols.mentions((word,), Side.HEAD).get(word, ())

    def names(self, path: RelPath, word: str) -> bool:
        """Whether a head file holds a word: where it does not there is no need to parse it."""
        return any(hit.path == path for hit in self.hits(word))

    def defined_in(self, name: str) -> tuple[GrepHit, ...]:
        """The lines of Python files that read as the definition of a function or class of a name."""
        defines = re.compile(rf"^\s*(?:(?:async\s+)?def|class)\s+{re.escape(name)}\b")
        return tuple(hit for hit in self.hits(name) if is_python(hit.path) and defines.match(hit.text))

    def lost(self, name: str) -> RelPath | None:
        """A file in which the change takes a definition of a name away."""
        if name not in self._gone:
            word = re.escape(name)
            defines = re.compile(
                rf"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+{word}\b|^[ \t]*{word}[ \t]*(?::[^=\n]*)?=(?!=)",
                re.MULTILINE,
            )
            self._gone[name] = next((path for path in self._losing(name) if self._has_lost(path, defines)), None)
        return self._gone[name]

    def _losing(self, name: str) -> Iterable[RelPath]:
        bases = ((file.path, file.base) for file in self.change.files)
        return (path for path, base in bases if base is not None and name in base.text and is_python(base.path))

    def _has_lost(self, path: RelPath, defines: re.Pattern[str]) -> bool:
        file = self.change.file(path)
        if file is None or file.base is None or defines.search(file.base.text) is None:
            return False
        return file.head is None or defines.search(file.head.text) is None

    def exists(self, path: str) -> bool:
        """Whether there is such a file at the head."""
        return path in self.repository.paths(Side.HEAD)

    def unread(self) -> str | None:
        """A file of the change that nobody read, so that nothing is known to be nowhere; None where all were."""
        for skip in self.change.skipped:
            if skip.mode not in {ABSENT, SUBMODULE} and skip.reason not in _NOTHING_TO_READ:
                return f"{skip.path} was not read"
        return None

    def file(self, said: str, near: RelPath | None) -> RelPath | None:
        """The one head file that a path means: from the root, from beside ``near``, or the only one to end so."""
        bare = said.strip().strip("`'\"").removeprefix("./")
        if not bare or bare.startswith("/") or ".." in bare.split("/"):
            return None
        paths = self.repository.paths(Side.HEAD)
        folder = near.rpartition("/")[0] if near is not None else ""
        beside = f"{folder}/{bare}" if folder else bare
        exact = [path for path in dict.fromkeys((bare, beside)) if path in paths]
        found = exact or [path for path in paths if path.endswith(f"/{bare}")]
        return RelPath(found[0]) if len(found) == 1 else None

    def answer(
        self,
        asked: Asked,
        *,
        there: bool,
        words: str,
        reads: Iterable[RelPath] = (),
        wide: bool = False,
    ) -> Outcome:
        """What it means that something is, or is not, there. ``reads``: head files that say so; ``wide``: all of it."""
        sides = [(path, Side.HEAD) for path in reads]
        return asked.found(there=there, words=words, blobs=bound(self.change, sides, wide=wide))


def is_python(path: RelPath | None) -> bool:
    """Whether a file is Python by its name."""
    return path is not None and language_of(path) == "python"


def bare(subject: str) -> str:
    """What a probe is about, without what people write around it."""
    return subject.strip().strip("`'\"").removesuffix("()").strip()
