"""unrelated-changes: a change falls into parts that have nothing to do with each other.

In a large change files are tied by folder, by mentioning each other's module or file name, by names one defines and
the other uses, all in changed text, by names that come or go with the change, and by an edit that is made in most of
them; parts with several files of code count: a stray file is no part, nor are tests or documentation. In any other a
part counts when it is a change of its own, code and tests, and anything in common ties (``_parts``). The evidence is a
plan: the files of each part. Invariant: one hit about the change as a whole, or none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker
from roundzero.checkers._parts import (
    DULL_STEMS,
    WORD,
    came_or_went,
    changed_texts,
    connected,
    is_code,
    subject_of,
    swept,
    whole_parts,
)
from roundzero.checkers._paths import is_test_path
from roundzero.core.change import Side
from roundzero.core.few import few
from roundzero.core.finding import Evidence, Hit, evidence_at
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath

MANY_FILES: Final = 30
MANY_LINES: Final = 1000
LEAST_PART: Final = 3
"""Files a part needs; the reference review split a change into parts of nine and three files."""
LEAST_SHARE: Final = 0.1
"""Share of all files a part needs: what a sweep over a repository leaves over is no part."""
MOST_NAMED: Final = 4
"""Parts the title names, the largest first."""
MOST_PLANNED: Final = 12
"""Files of a part that the plan lists: the rest lies in the folder that the title names."""
SWEEP: Final = 0.5
"""Share of the files from which one edit made in them is what the change is about."""
SERIES: Final = 3
"""Files of one name with different numbers that are a series."""
COMMON: Final = 0.4
"""A word in more than this share of the files ties nothing."""

_DEFINED: Final = regex(
    r"^[ \t]*(?:async[ \t]+def|def|class|function|func|fn|struct|interface|type|enum|const)[ \t]+(\w{4,})", re.MULTILINE
)
_IMPORT: Final = regex(r"[ \t]*(?:from|import|export|#[ \t]*include|use|require|(?:const|let|var)\b.*\brequire)\b")
_DOTTED: Final = regex(r"(?=\b([A-Za-z_][\w-]*\.[A-Za-z_][\w-]*))")
"""Each pair of neighbouring names of a dotted one."""
_TESTS: Final = regex(r"(?:^|/)(?:tests?|__tests__|unittests?|mocks?)$")


class UnrelatedChanges(ChangeChecker):
    """Finds parts of a change that could be changes of their own."""

    name = "unrelated-changes"
    version = "6"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Tie the files together and count what falls apart."""
        files = change.files
        parts = _large_parts(files) or whole_parts(files)
        if len(parts) > 1:
            parts.sort(key=lambda part: (-len(part), files[part[0]].path))
            named = [f"`{_common([files[at].path for at in part])}` ({len(part)})" for part in parts]
            plan = tuple(row for number, part in enumerate(parts, 1) for row in _plan(files, part, number))
            yield Hit(path=None, span=None, subject=few(named, MOST_NAMED), evidence=plan)


def _plan(files: Sequence[FileChange], part: Sequence[int], number: int) -> Iterable[Evidence]:
    """The files that go into one branch, by the first line that changed in each; at most MOST_PLANNED."""
    for at in part[:MOST_PLANNED]:
        file = files[at]
        source, side = (file.head, Side.HEAD) if file.head is not None else (file.base, Side.BASE)
        if source is not None and source.text:
            line = min(file.first_changed_line, source.index.line_count)
            yield evidence_at(source, line, f"in part {number}", side)


def _large_parts(files: Sequence[FileChange]) -> list[list[int]]:
    """The parts of a large change that count, as indices of files; none where it is all of a piece."""
    if len(files) <= MANY_FILES and sum(len(file.added) for file in files) <= MANY_LINES:
        return []
    least = max(LEAST_PART, LEAST_SHARE * len(files))
    ties = [*_ties(files), *(group for group in swept(files, 1) if len(group) >= SWEEP * len(files))]
    for more in ((), came_or_went(files)):
        parts = connected(len(files), [*ties, *more])
        counted = [part for part in parts if sum(_counts(files[at].path) for at in part) >= least]
        if len(counted) <= 1:
            return []
    return counted


def _counts(path: RelPath) -> bool:
    """Whether a file can make up a part of its own: tests and documentation follow what they are about."""
    return is_code(path) and not is_test_path(path)


def _ties(files: Sequence[FileChange]) -> Iterable[list[int]]:
    """Groups of files that belong together for one reason each."""
    folders: dict[str, list[int]] = defaultdict(list)
    users: dict[str, set[int]] = defaultdict(set)
    makers: dict[str, set[int]] = defaultdict(set)
    named: dict[str, set[int]] = defaultdict(set)
    numbered = _numbered(files)
    for at, file in enumerate(files):
        folder = file.path.rpartition("/")[0]
        if folder:
            folders[folder].append(at)
        names = _names(file.path, numbered)
        _note(named, names, at)
        _note(users, names[1:], at)
        for text in changed_texts(file):
            _note(users, WORD.findall(text), at)
            _note(makers, _DEFINED.findall(text), at)
    yield from _imported(files)
    for folder, inside in folders.items():
        yield [*inside, *folders.get(folder.rpartition("/")[0], ())]
    by_name = [
        (word, made)
        for word, made in named.items()
        if len({_home(files[at].path) for at in made}) <= 2 and (word not in numbered or users.get(word))
    ]
    defined = [(word, made | named.get(word, set())) for word, made in makers.items()]
    for word, made in (*by_name, *((word, made) for word, made in defined if len(made) <= 2)):
        group = made | users.get(word, set())
        if 1 < len(group) <= max(2, COMMON * len(files)):
            yield sorted(group)


def _note(table: Mapping[str, set[int]], words: Iterable[str], at: int) -> None:
    for word in words:
        table[word].add(at)


def _names(path: RelPath, numbered: Collection[str]) -> tuple[str, ...]:
    """The name of a file and, where nothing counts it, what it is about; nothing of a name that says nothing."""
    stem = path.rpartition("/")[2].split(".", 1)[0]
    if stem in DULL_STEMS or len(stem) <= 3:
        return ()
    return (stem,) if stem in numbered else (stem, subject_of(path))


def _imported(files: Sequence[FileChange]) -> Iterator[list[int]]:
    """A file and each one that newly imports it, by folder and name: however many do, that is what ties them."""
    places: dict[str, int] = {}
    for at, file in enumerate(files):
        folder, _, name = file.path.rpartition("/")
        if folder:
            places[f"{folder.rpartition('/')[2]}.{name.split('.', 1)[0]}"] = at
    for at, file in enumerate(files):
        for line in file.added_lines:
            if _IMPORT.match(line) is not None:
                said = line.replace("/", ".").replace(" import ", ".")
                yield from ([at, places[each]] for each in _DOTTED.findall(said) if each in places)


def _numbered(files: Sequence[FileChange]) -> set[str]:
    """The names of files that one folder counts: ``part01``, ``part02`` and so on mean the same nowhere else."""
    stems = [(file.path.rpartition("/")[0], file.path.rpartition("/")[2].split(".", 1)[0]) for file in files]
    counted = Counter((folder, stem.rstrip("0123456789")) for folder, stem in set(stems) if stem[-1:].isdigit())
    return {stem for folder, stem in stems if counted[folder, stem.rstrip("0123456789")] >= SERIES}


def _home(path: RelPath) -> str:
    """Where a file lies, a test where its subject does: a header, its source and their test are one thing."""
    return _TESTS.sub("", path.rpartition("/")[0])


def _common(paths: list[str]) -> str:
    """The deepest folder that holds more than half of the paths, or the first path."""
    counted = Counter(
        "/".join(parts[:depth])
        for parts in (path.split("/")[:-1] for path in paths)
        for depth in range(1, len(parts) + 1)
    )
    wide = [folder for folder, count in counted.items() if count * 2 > len(paths)]
    return max(wide, key=lambda folder: (folder.count("/"), folder)) + "/" if wide else paths[0]


CHECKER: Final = UnrelatedChanges
