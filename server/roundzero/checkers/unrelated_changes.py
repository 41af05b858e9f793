"""unrelated-changes: a large change falls into parts that have nothing to do with each other.

Files are tied by folder, by mentioning each other's module or file name, and by names one defines and the other uses,
all in changed text. Only large changes are looked at, and only parts with several files of code count: a stray file is
no part, nor are tests or documentation. The evidence is a plan: the files of each part. Invariant: one hit about the
change as a whole, or none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker
from roundzero.checkers._paths import is_test_path
from roundzero.core.change import Side
from roundzero.core.finding import Evidence, Hit, evidence_at
from roundzero.core.item import language_of

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

_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")
_DEFINED: Final = re.compile(
    r"^[ \t]*(?:async[ \t]+def|def|class|function|func|fn|struct|interface|type|enum|const)[ \t]+(\w{4,})", re.MULTILINE
)
_DULL_STEMS: Final = frozenset(
    {
        "__init__",
        "index",
        "main",
        "test",
        "tests",
        "utils",
        "conftest",
        "types",
        "README",
        "setup",
        "BUILD",
        "Makefile",
        "Dockerfile",
        "CMakeLists",
    }
)


class UnrelatedChanges(ChangeChecker):
    """Finds parts of a large change that could be changes of their own."""

    name = "unrelated-changes"
    version = "2"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:  # noqa: ARG002
        """Tie the files together and count what falls apart."""
        files = change.files
        if len(files) <= MANY_FILES and sum(len(file.added) for file in files) <= MANY_LINES:
            return
        least = max(LEAST_PART, LEAST_SHARE * len(files))
        parts = [part for part in _parts(files) if sum(_counts(files[at].path) for at in part) >= least]
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


def _counts(path: RelPath) -> bool:
    """Whether a file can make up a part of its own: tests and documentation follow what they are about."""
    return not is_test_path(path) and language_of(path) not in {"markdown", "rst", None}


def _parts(files: Sequence[FileChange]) -> list[list[int]]:
    """The connected parts, as indices of files."""
    parent = list(range(len(files)))

    def find(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    for group in _ties(files):
        first, *rest = group
        for other in rest:
            parent[find(other)] = find(first)
    parts: dict[int, list[int]] = defaultdict(list)
    for at in range(len(files)):
        parts[find(at)].append(at)
    return list(parts.values())


def _ties(files: Sequence[FileChange]) -> Iterable[list[int]]:
    """Groups of files that belong together for one reason each."""
    folders: dict[str, list[int]] = defaultdict(list)
    users: dict[str, set[int]] = defaultdict(set)
    makers: dict[str, set[int]] = defaultdict(set)
    for at, file in enumerate(files):
        folder, _, name = file.path.rpartition("/")
        if folder:
            folders[folder].append(at)
        stem = name.split(".", 1)[0]
        for text in _texts(file):
            for word in set(_WORD.findall(text)):
                users[word].add(at)
            for word in _DEFINED.findall(text):
                makers[word].add(at)
        if stem not in _DULL_STEMS and len(stem) > 3:
            makers[stem].add(at)
            subject = stem.removeprefix("test_").removesuffix("_test")
            makers[subject].add(at)
            users[subject].add(at)
    for folder, inside in folders.items():
        yield [*inside, *folders.get(folder.rpartition("/")[0], ())]
    for word, made in makers.items():
        group = made | users.get(word, set())
        if len(made) <= 2 and 1 < len(group) <= max(2, COMMON * len(files)):
            yield sorted(group)


def _texts(file: FileChange) -> Iterable[str]:
    """The changed text of both sides, and the head's imports."""
    if file.head is not None:
        yield "\n".join(file.added_lines)
        yield "\n".join(
            re.findall(r"^[ \t]*(?:from|import|#include|use|require)\b[^\n]*", file.head.text, re.MULTILINE)
        )
    if file.base is not None:
        yield "\n".join(file.base.index.line(line) for line in sorted(file.removed))


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
