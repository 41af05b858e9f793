"""Parts of a change: files that belong together, and parts that are whole changes by themselves.

A part of its own has code and tests, both changed by more than a few lines, and nothing in common with the others: no
folder or folder above, no file name, no identifier of several words, no edit made again and again. Invariant: every
file is in one part.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.checkers._paths import is_test_path
from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from roundzero.core.change import FileChange, Source
    from roundzero.core.text import RelPath

MOST_FILES: Final = 60
"""Larger changes have no parts here: a thing in common is then hardly ever missing, or means nothing."""
LEAST_LINES: Final = 5
"""Changed lines, blank ones aside, for a file to count as one that was worked on."""

WORD: Final = regex(r"[A-Za-z_][A-Za-z0-9_]{3,}")
DULL_STEMS: Final = frozenset(
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
"""File names that say nothing about what is in them."""
LEAST_ALIKE: Final = 2
"""Lines of a file that are edited in the same way, for that way to be what the change is about."""
LEAST_NAME: Final = 8
"""Characters of a name that two files do not come to by chance."""
LONGEST: Final = 1000
"""Longest line in code points whose edit is compared."""
_TOKEN: Final = regex(r"\w+|[^\w\s]")
_COMPOUND: Final = regex(r"[A-Za-z0-9]+_\w+|_?[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{3,}\w*")
_IMPORTS: Final = regex(r"^[ \t]*(?:from|import|#include|use|require)\b[^\n]*", re.MULTILINE)


def is_code(path: RelPath) -> bool:
    """Whether a file is of a language that is not prose."""
    return language_of(path) not in {"markdown", "rst", None}


def changed_texts(file: FileChange) -> Iterable[str]:
    """The changed text of both sides, and the head's imports."""
    if file.head is not None:
        yield "\n".join(file.added_lines)
        yield "\n".join(_IMPORTS.findall(file.head.text))
    if file.base is not None:
        yield _removed(file)


def subject_of(path: RelPath) -> str:
    """What a file is about, by its name: that of a test is what it tests."""
    stem = path.rpartition("/")[2].split(".", 1)[0]
    return stem.removeprefix("test_").removesuffix("_test").removesuffix("Test")


def connected(count: int, groups: Iterable[Sequence[int]]) -> list[list[int]]:
    """The numbers below ``count``, in parts: those of one group are in one part."""
    parent = list(range(count))

    def find(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    for first, *rest in groups:
        for other in rest:
            parent[find(other)] = find(first)
    parts: dict[int, list[int]] = defaultdict(list)
    for at in range(count):
        parts[find(at)].append(at)
    return list(parts.values())


def came_or_went(files: Sequence[FileChange]) -> list[list[int]]:
    """Groups of files of which one name of several words is new in all of them, or is gone from all.

    Before, or after, at most one text of the change has it: an option that is read in one language and used in another,
    a method that got another name.
    """
    added = ["\n".join(file.added_lines) for file in files]
    return [
        *_only_in(added, [file.base for file in files]),
        *_only_in(list(map(_removed, files)), [file.head for file in files]),
    ]


def _only_in(texts: Sequence[str], others: Sequence[Source | None]) -> Iterator[list[int]]:
    """Groups of texts, by number, that share a name of several words which at most one of the others has."""
    naming: dict[str, list[int]] = defaultdict(list)
    for at, text in enumerate(texts):
        for word in set(WORD.findall(text)):
            if len(word) >= LEAST_NAME and _COMPOUND.fullmatch(word):
                naming[word].append(at)
    shared = {word for word, group in naming.items() if len(group) > 1}
    known = Counter(
        word for source in others if shared and source is not None for word in shared & set(WORD.findall(source.text))
    )
    return (naming[word] for word in sorted(shared) if known[word] <= 1)


def _removed(file: FileChange) -> str:
    base = file.base
    return "\n".join(base.index.line(line) for line in sorted(file.removed)) if base is not None else ""


def whole_parts(files: Sequence[FileChange]) -> list[list[int]]:
    """The parts that could be a change of their own, as indices of files; none for a change that is all of a piece."""
    if len(files) > MOST_FILES:
        return []
    worked_on = [is_code(file.path) and _lines(file) >= LEAST_LINES for file in files]
    tests = [is_test_path(file.path) for file in files]
    if sum(a and b for a, b in zip(worked_on, tests, strict=True)) < 2:
        return []
    parts = connected(len(files), _ties(files))
    return [part for part in parts if {tests[at] for at in part if worked_on[at]} == {True, False}]


def _lines(file: FileChange) -> int:
    removed = (file.base.index.line(line) for line in file.removed) if file.base is not None else ()
    return sum(1 for text in (*file.added_lines, *removed) if text.strip())


def swept(files: Sequence[FileChange], times: int = LEAST_ALIKE) -> Iterable[list[int]]:
    """Groups of files in each of which the same edit is made so many times."""
    edits: dict[object, list[int]] = defaultdict(list)
    for at, file in enumerate(files):
        for edit, count in Counter(_edits(file)).items():
            if count >= times:
                edits[edit].append(at)
    return edits.values()


def _edits(file: FileChange) -> Iterator[tuple[frozenset[tuple[str, int]], ...]]:
    """What each line that took the place of another one lost and gained: the same in every place of a sweep."""
    if file.base is None or file.head is None:
        return
    old, new = file.base.index, file.head.index
    for hunk in file.hunks:
        if hunk.base_count != hunk.head_count:
            continue
        for before, after in zip(map(old.line, hunk.base_lines), map(new.line, hunk.head_lines), strict=True):
            if max(len(before), len(after)) <= LONGEST:
                lost, gained = Counter(_TOKEN.findall(before)), Counter(_TOKEN.findall(after))
                yield frozenset((lost - gained).items()), frozenset((gained - lost).items())


def _ties(files: Sequence[FileChange]) -> Iterator[list[int]]:
    """Groups of files that have one thing in common."""
    folders: dict[str, list[int]] = defaultdict(list)
    words: dict[str, list[int]] = defaultdict(list)
    for at, file in enumerate(files):
        folders[file.path.rpartition("/")[0]].append(at)
        for word in {word for text in changed_texts(file) for word in WORD.findall(text)}:
            words[word].append(at)
    yield from swept(files)
    names = {folder for file in files for folder in file.path.split("/")[:-1]}
    for folder, inside in folders.items():
        yield [*inside, *(folders.get(folder.rpartition("/")[0], ()) if folder else ())]
    for word, naming in words.items():
        if word not in names and _COMPOUND.fullmatch(word):
            yield naming
    for at, file in enumerate(files):
        subject = subject_of(file.path)
        if len(subject) > 3 and subject not in DULL_STEMS:
            alike = [other for other, each in enumerate(files) if subject in subject_of(each.path)]
            yield [at, *words.get(subject, ()), *alike]
