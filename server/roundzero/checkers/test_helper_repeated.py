"""test-helper-repeated: a test of C++ builds by a function of its own what a header beside it builds already.

The two return the same type, and their names share words (``makeRowPlan``, ``makeResolvedRowPlan``); whether the other
takes what this test needs is for whoever reads it. Only headers of the tests in the same folder are looked at.
Invariant: the function is new, and the header is not included.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._cpp_text import functions
from roundzero.checkers._paths import is_test_path
from roundzero.core.change import Side
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.ports import GrepHit, Repository

MOST_HEADERS: Final = 20
SHARED_WORDS: Final = 2
"""Words that both names have, beside the verb."""

_SIGNATURE: Final = regex(
    r"(?:^|\n)\s*(?P<type>(?:[\w:]+\s+)*?[\w:]*[A-Z][\w:]*(?:<[^;{}()]*>)?|(?:[\w:]+\s+)*?[\w:]+<[^;{}()]*>)[\s*&]+"
    r"(?P<name>\w+)\s*\([^;{}]*$"
)
_NO_TYPE: Final = regex(r"\b(?:static|inline|constexpr|const|virtual|template|typename)\b|\s+")
_WORDS: Final = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_VERBS: Final = frozenset({"make", "create", "build", "new", "get", "init", "setup", "test", "for", "default"})


class TestHelperRepeated(ChangeChecker):
    """Finds helpers that are there already."""

    __test__ = False
    name = "test-helper-repeated"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Compare the new functions of tests with those of the headers beside them."""
        files = [file for file in change.files if _is_test(file)]
        new = {file.path: list(_new(file)) for file in files}
        if not any(new.values()):
            return
        here = sorted(repository.paths(Side.HEAD))
        for file in files:
            head = file.head
            folder = posixpath.dirname(file.path)
            headers = [
                path for path in here if posixpath.dirname(path) == folder and path.endswith((".h", ".hpp", ".hh"))
            ]
            if head is None or not new[file.path] or len(headers) > MOST_HEADERS:
                continue
            for path in headers:
                if posixpath.basename(path) in head.text:
                    continue
                source = repository.read(path, Side.HEAD)
                for kind, name, at in _defined(source) if source is not None else ():
                    for own_kind, own_name, offset in new[file.path]:
                        if kind == own_kind and _alike(name, own_name) and source is not None:
                            where = f"{posixpath.basename(path)}:{source.index.position(at).line} {name}"
                            span = head.index.span(offset, offset + len(own_name))
                            yield Hit(path=file.path, span=span, subject=f"{code(own_name)} ({where})")


def _is_test(file: FileChange) -> bool:
    is_code = language_of(file.path) in {"cpp", "cuda"} and not file.path.endswith((".h", ".hpp", ".hh"))
    return file.head is not None and bool(file.added) and is_code and is_test_path(file.path)


def _new(file: FileChange) -> Iterator[tuple[str, str, int]]:
    """The functions whose names stand on added lines."""
    head = file.head
    assert head is not None  # noqa: S101  asked before
    for kind, name, at in _defined(head):
        if head.index.position(at).line in file.added and (file.base is None or name not in file.base.text):
            yield kind, name, at


def _defined(source: Source) -> Iterator[tuple[str, str, int]]:
    """The functions of a text that return a class: its type without blanks, its name, and where that stands."""
    text = blanked(source)
    for begin, _ in functions(text):
        start = max(text.rfind(mark, 0, begin) for mark in ";{}") + 1
        head = _SIGNATURE.search(text, start, begin)
        if head is not None and "override" not in text[head.end("name") : begin]:
            yield _NO_TYPE.sub("", head["type"]).replace("std::", ""), head["name"], head.start("name")


def _alike(one: str, other: str) -> bool:
    """Whether two names share enough words."""
    shared = _words(one) & _words(other)
    return one == other or len(shared) >= SHARED_WORDS


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORDS.findall(name)} - _VERBS


CHECKER: Final = TestHelperRepeated
