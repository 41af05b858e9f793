"""env-undocumented: new code reads an environment name that the repository's own table of them does not have.

A table is a page that names at least nine tenths of the names which code reads already, of those that begin alike if
there are five, else of all. Without one the check is silent. Names are read in the usual ways of each language; what
goes through functions of the repository's own is not seen. Invariant: a name that any page names, or that a removed
line read, is not reported.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._paths import is_example, is_script_path, is_test_data, is_test_path
from roundzero.core.change import Side
from roundzero.core.finding import Evidence, Hit, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath

_READ: Final = regex(
    r"(?:\benviron\s*(?:\.get\(\s*|\[\s*)|\b(?:getenv|Getenv|LookupEnv)\(\s*|\benv::var(?:_os)?\(\s*|\bprocess\.env\[\s*)"
    r"(?:[\"'])(?P<quoted>[A-Z][A-Z0-9_]{2,})[\"'](?!\s*\]\s*=(?!=))"
    r"|\bprocess\.env\.(?P<dotted>[A-Z][A-Z0-9_]{2,})\b(?!\s*=(?!=))"
)
_WORDS: Final = ("environ", "getenv", "Getenv", "LookupEnv")
"""By which the names that are read already are found."""

_COMMON: Final = frozenset(
    {"HOME", "PATH", "PWD", "USER", "LANG", "SHELL", "TERM", "TMP", "TEMP", "TMPDIR", "HOSTNAME", "PORT", "HOST",
     "DEBUG", "DISPLAY", "EDITOR", "PAGER", "COLUMNS", "LINES", "TZ", "APPDATA", "LOCALAPPDATA", "USERPROFILE",
     "USERNAME", "PATHEXT", "CI", "NODE_ENV", "VIRTUAL_ENV", "PYTHONPATH", "LOGNAME", "NO_COLOR", "FORCE_COLOR",
     "CUDA_HOME", "LD_LIBRARY_PATH"}
)  # fmt: skip
"""Names that belong to the system or to everybody."""

_FOREIGN: Final = regex(r"(?:GITHUB|GITLAB|TRAVIS|CIRCLE|JENKINS|AWS|PYTHON|LC|XDG|SLURM|OMPI|KUBERNETES|NVIDIA)_")
_HISTORY: Final = regex(r"(?:^|/)(?:change(?:s|log)|news|history|releases?)", re.IGNORECASE)
"""Pages that name everything in time, and list nothing."""

FEWEST: Final = 5
SHARE: Final = 0.9
"""What makes a page a table: the consent of the repository."""
MOST_NAMES: Final = 400


@dataclass(frozen=True, slots=True)
class _Reading:
    """A name that an added line reads."""

    file: FileChange
    name: str
    span: Span


class EnvUndocumented(ChangeChecker):
    """Finds environment names that are missing from the table."""

    name = "env-undocumented"

    def words(self, change: Change) -> Collection[str]:
        """The calls that read names, where a name was added."""
        return _WORDS if any(True for _ in _readings(change)) else ()

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Compare the names with the table, where there is one."""
        readings = list(_readings(change))
        if not readings:
            return
        old = set(_read_before(change, (hit for word in _WORDS for hit in found.get(word, ()))))
        new = {each.name for each in readings} - old - set(_removed(change))
        if not new or len(old) < FEWEST or len(old) > MOST_NAMES:
            return
        places = repository.grep({*old, *new})
        pages = {name: _pages(places.get(name, ())) for name in (*old, *new)}
        told: set[str] = set()
        for each in readings:
            if each.name not in new or each.name in told or pages[each.name]:
                continue
            told.add(each.name)
            table = _table(_alike(each.name, old), pages)
            if table is not None:
                shown = next(hit for name in sorted(old) for hit in pages[name] if hit.path == table)
                proof = _proof(repository, shown)
                yield Hit(path=each.file.path, span=each.span, subject=f"{code(each.name)} ({table})", evidence=proof)


def _readings(change: Change) -> Iterator[_Reading]:
    for file in change.files:
        if file.head is None or not _is_code(file.path):
            continue
        for line in sorted(file.added):
            for name, start in _names(file.head.index.line(line)):
                yield _Reading(file, name, Span(Position(line, start + 1), Position(line, start + len(name) + 1)))


def _removed(change: Change) -> Iterator[str]:
    """The names that removed lines read, of deleted files too: the reading moved."""
    for file in change.files:
        if file.base is not None and file.removed:
            for line in sorted(file.removed):
                yield from (name for name, _ in _names(file.base.index.line(line)))


def _names(text: str) -> Iterator[tuple[str, int]]:
    if "env" not in text and "Env" not in text:
        return
    for match in _READ.finditer(text):
        group = "quoted" if match["quoted"] is not None else "dotted"
        is_remark = text.lstrip().startswith(("#", "//", "*"))
        if not is_remark and match[group] not in _COMMON and not _FOREIGN.match(match[group]):
            yield match[group], match.start(group)


def _is_code(path: RelPath) -> bool:
    language = language_of(path)
    if language in {None, "markdown", "rst", "yaml", "json", "toml"} or is_test_path(path) or is_test_data(path):
        return False
    return not is_example(path) and (not is_script_path(path) or path.rpartition("/")[2] == "settings.py")


def _read_before(change: Change, hits: Iterable[GrepHit]) -> Iterator[str]:
    for hit in hits:
        file = change.file(hit.path)
        if _is_code(hit.path) and (file is None or hit.line not in file.added):
            yield from (name for name, _ in _names(hit.text))


def _pages(hits: Iterable[GrepHit]) -> list[GrepHit]:
    """The lines of pages for people, and of sample settings."""
    return [
        hit
        for hit in hits
        if language_of(hit.path) in {"markdown", "rst"}
        or hit.path.endswith((".txt", ".adoc"))
        or re.search(r"(?:^|/)\.?env[\w.-]*(?:example|sample|template|dist)$|\.env\.\w+$", hit.path)
    ]


def _alike(name: str, old: Collection[str]) -> Collection[str]:
    prefix = name.partition("_")[0] + "_"
    alike = [each for each in old if each.startswith(prefix)]
    return alike if len(alike) >= FEWEST else old


def _table(names: Collection[str], pages: Mapping[str, list[GrepHit]]) -> RelPath | None:
    """The page that has nearly all names."""
    counted = Counter(path for name in names for path in {hit.path for hit in pages[name]} if not _HISTORY.search(path))
    best = max(counted, key=lambda path: (counted[path], path), default=None)
    return best if best is not None and len(names) >= FEWEST and counted[best] >= SHARE * len(names) else None


def _proof(repository: Repository, shown: GrepHit) -> tuple[Evidence, ...]:
    source = repository.read(shown.path, Side.HEAD)
    if source is None or not 1 <= shown.line <= source.index.line_count:
        return ()
    return (evidence_at(source, shown.line, "table", Side.HEAD),)


CHECKER: Final = EnvUndocumented
