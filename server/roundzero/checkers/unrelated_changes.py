"""unrelated-changes: a change falls into parts that have nothing to do with each other.

In a large change files are tied by folder, by mentioning each other's module or file name, by names one defines and
the other uses, all in changed text, and by names that come or go with the change; parts with several files of code
count: a stray file is no part, nor are tests or documentation. In any other a part counts when it is a change of its
own, code and tests, and anything in common ties (``_parts``). The evidence is a plan: the files of each part.
Invariant: one hit about the change as a whole, or none.
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
    whole_parts,
)
from roundzero.checkers._paths import is_test_path
from roundzero.core.change import Side
from roundzero.core.finding import Evidence, Hit, evidence_at
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath

MANY_FILES: Final = 30
MANY_LINES: Final = 1000
LEAST_PART: Final = 3
"""Files a part needs; the reference review split a change into parts of nine and three files."""
LEAST_SHARE: Final = 0.1
"""Share of all files a part needs: what a sweep over a repository leaves over is no part."""
MOST_PLANNED: Final = 12
"""Files of a part that the plan lists: the rest lies in the folder that the title names."""
COMMON: Final = 0.4
"""A word in more than this share of the files ties nothing."""

_DEFINED: Final = regex(
    r"^[ \t]*(?:async[ \t]+def|def|class|function|func|fn|struct|interface|type|enum|const)[ \t]+(\w{4,})", re.MULTILINE
)

_TESTS: Final = regex(r"(?:^|/)(?:tests?|__tests__|unittests?|mocks?)$")


class UnrelatedChanges(ChangeChecker):
    """Finds parts of a change that could be changes of their own."""

    name = "unrelated-changes"
    version = "4"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Tie the files together and count what falls apart."""
        files = change.files
        parts = _large_parts(files) or whole_parts(files)
        if len(parts) > 1:
            parts.sort(key=lambda part: (-len(part), files[part[0]].path))
            named = ", ".join(f"`{_common([files[at].path for at in part])}` ({len(part)})" for part in parts[:4])
            plan = tuple(row for number, part in enumerate(parts, 1) for row in _plan(files, part, number))
            yield Hit(path=None, span=None, subject=named, evidence=plan)


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
    ties = list(_ties(files))
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
    for at, file in enumerate(files):
        folder, _, name = file.path.rpartition("/")
        if folder:
            folders[folder].append(at)
        stem = name.split(".", 1)[0]
        for text in changed_texts(file):
            for word in set(WORD.findall(text)):
                users[word].add(at)
            for word in _DEFINED.findall(text):
                makers[word].add(at)
        if stem not in DULL_STEMS and len(stem) > 3:
            named[stem].add(at)
            named[subject_of(file.path)].add(at)
            users[subject_of(file.path)].add(at)
    for folder, inside in folders.items():
        yield [*inside, *folders.get(folder.rpartition("/")[0], ())]
    by_name = [(word, made) for word, made in named.items() if len({_home(files[at].path) for at in made}) <= 2]
    defined = [(word, made | named.get(word, set())) for word, made in makers.items()]
    for word, made in (*by_name, *((word, made) for word, made in defined if len(made) <= 2)):
        group = made | users.get(word, set())
        if 1 < len(group) <= max(2, COMMON * len(files)):
            yield sorted(group)


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
