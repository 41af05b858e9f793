"""expectation-behind-macro: what a test of C or C++ expects depends on a macro that the build sets.

Either the test itself forks by the macro: then a build compiles one side of its expectations only. Or it calls a
function that this change makes fork, by itself or through a function of its own file, and expects the same under every
build. Frameworks are known by ``EXPECT_``, ``ASSERT_``, ``REQUIRE`` and ``CHECK``. Invariant: the hit lies on an added
line of a test.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._build_macros import added_forks, decided, in_words, words_of
from roundzero.checkers._cpp_text import C_FAMILY, before_body, functions
from roundzero.checkers._paths import is_test_path
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._build_macros import Fork
    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.ports import GrepHit, Repository

_EXPECTS: Final = regex(r"\b(?:(?:EXPECT|ASSERT|REQUIRE|CHECK)(?:_\w+)?|assert)\s*\(")
_TEST: Final = regex(r"\b(?:TYPED_)?TEST(?:_\w+)?\s*\([^;{}]*$|\bSCENARIO\s*\([^;{}]*$")
_NAME: Final = regex(r"[A-Za-z_]\w*")
_CALL: Final = regex(r"(?<![\w.>:])[A-Za-z_]\w*\(")
_HELPER: Final = regex(r"(?P<name>\w+)\s*\(")


class ExpectationBehindMacro(ChangeChecker):
    """Finds tests that mean something else under another build."""

    name = "expectation-behind-macro"

    def words(self, change: Change) -> Collection[str]:
        """The macros of added forks, in code and in tests, and who chooses configurations."""
        if not any(_is_test(file) for file in change.files):
            return ()
        return words_of(fork.macro for file in change.files for fork in added_forks(file))

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at the changed tests."""
        tests = [file for file in change.files if _is_test(file)]
        forked = [fork for file in change.files if tests and not is_test_path(file.path) for fork in added_forks(file)]
        for file in tests:
            head = file.head
            assert head is not None  # noqa: S101  a deleted file is no changed test
            own = added_forks(file)
            for at, fork in _told(file, head, own, forked):
                answer = decided(fork.macro, found)
                if answer is not None:
                    words = f"{code(fork.macro)} ({in_words(fork.macro, answer, found)})"
                    yield Hit(path=file.path, span=head.index.span(*at), subject=words)


def _is_test(file: FileChange) -> bool:
    return file.head is not None and bool(file.added) and language_of(file.path) in C_FAMILY and is_test_path(file.path)


def _told(
    file: FileChange, head: Source, own: list[Fork], forked: list[Fork]
) -> Iterator[tuple[tuple[int, int], Fork]]:
    """Where one test or another depends on which fork."""
    if not own and not forked:
        return
    text = blanked(head)
    bodies = list(functions(text))
    helpers = _helpers(text, bodies) if forked else {}
    for begin, end in bodies:
        expects = list(_EXPECTS.finditer(text, begin, end))
        if not expects or _TEST.search(before_body(text, begin)) is None:
            continue
        at = bisect_left(own, begin, key=attrgetter("offset"))
        mine = own[at] if at < len(own) else None
        if mine is not None and mine.offset < end:
            yield (mine.offset, mine.offset + len(mine.macro)), mine
            continue
        expected = next((each for each in expects if head.index.position(each.start()).line in file.added), None)
        if expected is not None and forked:
            named = _named(text, begin, end)
            named = named.union(*(helpers[name] for name in named & helpers.keys()))
            theirs = next((fork for fork in forked if fork.function and _name_of(fork) <= named), None)
            if theirs is not None:
                yield (expected.start(), expected.end() - 1), theirs


def _name_of(fork: Fork) -> set[str]:
    """What a body names that calls the function of a fork."""
    return {fork.function, fork.owner} if fork.owner else {f"{fork.function}("}


def _named(text: str, begin: int, end: int) -> set[str]:
    """The names in a body and, with a bracket, those of the functions that it calls without an object or class."""
    return {*_NAME.findall(text, begin, end), *_CALL.findall(text, begin, end)}


def _helpers(text: str, bodies: list[tuple[int, int]]) -> dict[str, set[str]]:
    """The functions of a file that are no tests, and the names in each."""
    found: dict[str, set[str]] = {}
    for begin, end in bodies:
        before = before_body(text, begin)
        named = _HELPER.search(before)
        if named is not None and _TEST.search(before) is None:
            found.setdefault(named["name"], set()).update(_named(text, begin, end))
    return found


CHECKER: Final = ExpectationBehindMacro
