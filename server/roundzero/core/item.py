"""One point of a checklist, and how it is checked.

Items come from packs (packs/loader.py) and are values here: this module neither reads files nor runs anything.
Invariant: ``Item.id`` is the full name ``pack/item-id``; an alias is a former full name.
"""

from __future__ import annotations

import fnmatch
from dataclasses import field
from enum import Enum, IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, NewType

from roundzero.core.frozen import dataclass
from roundzero.core.samples import is_copy, is_sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.text import RelPath

ItemId = NewType("ItemId", str)
Language = Literal["en", "zh"]


class Severity(IntEnum):
    """P0 is the worst. Smaller is graver, so that sorting puts the gravest first."""

    P0 = 0
    P1 = 1
    P2 = 2
    P3 = 3


class LooksAt(Enum):
    """Which lines of a change an item is about.

    ADDED: a finding must touch an added line (for a base-side finding, a removed one). HUNK: an added line or one
    within three lines of a hunk. FILE: any line of a changed file. CHANGE: the change as a whole, any file.
    """

    ADDED = "added"
    HUNK = "hunk"
    FILE = "file"
    CHANGE = "change"


@dataclass(frozen=True, slots=True)
class Prose:
    """A text in the languages people may choose. ``zh`` falls back to ``en``."""

    en: str
    zh: str = ""

    def text(self, language: Language) -> str:
        """The text in ``language``."""
        return self.zh if language == "zh" and self.zh else self.en


@dataclass(frozen=True, slots=True)
class Applies:
    """Where an item applies: languages (empty: all), globs that must match (empty: all) and globs that must not.

    What is about a language does not apply to data of tests and copies of other projects, unless globs name them.
    """

    languages: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def matches(self, path: RelPath) -> bool:
        """Whether a path is covered."""
        if self.languages and language_of(path) not in self.languages:
            return False
        if self.paths:
            if not any(glob_matches(path, glob) for glob in self.paths):
                return False
        elif self.languages and (is_sample(path) or is_copy(path)):
            return False
        return not (self.exclude and any(glob_matches(path, glob) for glob in self.exclude))


SYNTAX_CODE: Final = "E999"
"""The code by which an item names syntax errors, which ruff reports without being asked."""


UNDEFINED_CODE: Final = "F821"
"""The code by which an item names names that nothing defines."""


@dataclass(frozen=True, slots=True)
class RuffCheck:
    """Checked by ruff rules, by code (``E722``); SYNTAX_CODE stands for the text not parsing."""

    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AstGrepCheck:
    """Checked by one ast-grep rule: the YAML document as JSON text, with ``language`` and ``rule``, without ``id``."""

    document: str


@dataclass(frozen=True, slots=True)
class TextCheck:
    """Checked line by line by a linear-time regular expression (RE2 syntax).

    The finding's range is group ``mark`` if the pattern has one, else the match. ``unless`` silences lines it matches.
    """

    pattern: str
    unless: str | None = None


@dataclass(frozen=True, slots=True)
class CheckerCheck:
    """Checked by a Python checker, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class IgnoresCheck:
    """Checked while findings are judged: comments that dismiss findings and name nothing, no reason, or no need."""


@dataclass(frozen=True, slots=True)
class LinterCheck:
    """Checked by an optional linter, by its name and, where it has several, its codes.

    Where that linter does not run, the item is off: nobody has to install it.
    """

    linter: str
    codes: tuple[str, ...] = ()


CheckSpec = RuffCheck | AstGrepCheck | TextCheck | CheckerCheck | IgnoresCheck | LinterCheck


@dataclass(frozen=True, slots=True)
class Convention:
    """What makes an item a convention of the repository: it holds where the repository's own code mostly obeys it.

    ``cases`` are ast-grep rules that together match every case, obeying or not; the item's checks find those that do
    not. It speaks where at least ``min`` cases are there and a share of ``at_least`` of them obeys.
    """

    at_least: float
    cases: tuple[AstGrepCheck, ...]
    min: int = 5

    def holds(self, *, cases: int, broken: int) -> bool:
        """Whether the repository obeys it; ``broken`` of the ``cases`` do not."""
        return cases >= self.min and cases - broken >= self.at_least * cases


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item of a pack, after settings were applied (severity, on or off).

    ``checks`` is empty for a question only a model can answer. ``severity_set``: settings chose the severity, so a hit
    cannot change it. ``covers`` are items that say less of the same defect: on a line of both this one is shown.
    ``trigger``: what its checks see is told to a model, for the part of the change it is about, and never shown.
    ``one_a_file``: what a report tells of a file once, naming the places: an equal ``subject``, or the whole ``item``
    where it is found again and again.
    ``line`` is where the pack file defines it, from 1. ``convention``: where it is one, it is silent until the cases in
    the repository were counted and found to obey it.
    """

    id: ItemId
    aliases: tuple[ItemId, ...] = ()
    covers: tuple[ItemId, ...] = ()
    section: str = ""
    title: Prose
    why: Prose
    severity: Severity
    severity_set: bool = False
    enabled: bool = True
    trigger: bool = False
    looks_at: LooksAt = LooksAt.ADDED
    one_a_file: Literal["", "subject", "item"] = ""
    applies: Applies = field(default_factory=Applies)
    checks: tuple[CheckSpec, ...] = ()
    ask: str | None = None
    convention: Convention | None = None
    origin_file: str = ""
    line: int = 1

    @property
    def pack(self) -> str:
        """The pack's name."""
        return self.id.split("/", 1)[0]

    @property
    def reads_syntax(self) -> bool:
        """Whether it is about texts that do not parse: it is checked where nothing else can be."""
        return any(isinstance(check, RuffCheck) and SYNTAX_CODE in check.codes for check in self.checks)

    @property
    def linters(self) -> frozenset[str]:
        """The optional linters that check it."""
        return frozenset(check.linter for check in self.checks if isinstance(check, LinterCheck))

    @property
    def needs_linter(self) -> bool:
        """Whether nothing but optional linters checks it."""
        return bool(self.checks) and all(isinstance(check, LinterCheck) for check in self.checks)

    @property
    def checkers(self) -> tuple[str, ...]:
        """The names of the Python checkers that check it."""
        return tuple(check.name for check in self.checks if isinstance(check, CheckerCheck))


_LANGUAGE_OF_SUFFIX: Mapping[str, str] = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "jsx",
    "ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx", "c": "c", "h": "cpp", "cc": "cpp",
    "cpp": "cpp", "cxx": "cpp", "hpp": "cpp", "hh": "cpp", "cu": "cuda", "cuh": "cuda", "go": "go", "rs": "rust",
    "java": "java", "kt": "kotlin", "rb": "ruby", "sh": "bash", "bash": "bash", "yaml": "yaml", "yml": "yaml",
    "json": "json", "toml": "toml", "md": "markdown", "rst": "rst", "bzl": "starlark", "cmake": "cmake", "lua": "lua",
    "css": "css", "html": "html", "php": "php", "cs": "csharp", "swift": "swift", "scala": "scala", "proto": "proto",
}  # fmt: skip
_LANGUAGE_OF_NAME: Mapping[str, str] = {
    "BUILD": "starlark", "BUILD.bazel": "starlark", "WORKSPACE": "starlark", "MODULE.bazel": "starlark",
    "CMakeLists.txt": "cmake", "Makefile": "make", "Dockerfile": "dockerfile",
}  # fmt: skip


@lru_cache(maxsize=1024)
def language_of(path: RelPath) -> str | None:
    """The language a path's name says it is in, by ast-grep's names where it has one; None when unknown."""
    name = path.rsplit("/", 1)[-1]
    if name in _LANGUAGE_OF_NAME:
        return _LANGUAGE_OF_NAME[name]
    _, dot, suffix = name.rpartition(".")
    return _LANGUAGE_OF_SUFFIX.get(suffix) if dot else None


@lru_cache(maxsize=4096)  # every item that applies alike asks the same of a file, several times in a review
def glob_matches(path: str, glob: str) -> bool:
    """Whether a ``/``-separated path matches a glob where ``**/`` is any number of folders and ``*`` none of them."""
    anywhere, deep, name = glob.rpartition("**/")
    if deep and not anywhere and "/" not in name and name not in {"", "**"}:  # most globs are only about the name
        return fnmatch.fnmatchcase(path.rpartition("/")[2], name)
    return _match(tuple(path.split("/")), tuple(glob.strip("/").split("/")))


def _match(parts: tuple[str, ...], globs: tuple[str, ...]) -> bool:
    if not globs:
        return not parts
    if globs[0] == "**":
        return any(_match(parts[skip:], globs[1:]) for skip in range(len(parts) + 1)) or len(globs) == 1
    return bool(parts) and fnmatch.fnmatchcase(parts[0], globs[0]) and _match(parts[1:], globs[1:])
