"""build-macro-fork: a function of C or C++ newly behaves differently under a macro that the build sets.

One build compiles one side only, so that the other is tried by nobody unless some job builds it. Who sets the macro,
which script or workflow names such a configuration and which tests name the macro is said with it. Macros of compilers,
those no build file names, and forks outside of functions are left alone. Invariant: the directive is an added line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._build_macros import added_forks, decided, in_words, words_of
from roundzero.checkers._paths import is_test_path
from roundzero.core.finding import Hit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._build_macros import Fork
    from roundzero.core.change import Change, Source
    from roundzero.core.ports import GrepHit, Repository


class BuildMacroFork(ChangeChecker):
    """Finds functions that a build decides about."""

    name = "build-macro-fork"

    def words(self, change: Change) -> Collection[str]:
        """The macros of added forks, and who chooses configurations."""
        return words_of(fork.macro for _, fork in _forks(change))

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Ask of each fork who decides it."""
        for source, fork in _forks(change):
            answer = decided(fork.macro, found)
            if answer is not None:
                span = source.index.span(fork.offset, fork.offset + len(fork.macro))
                yield Hit(
                    path=source.path, span=span, subject=f"{code(fork.macro)} ({in_words(fork.macro, answer, found)})"
                )


def _forks(change: Change) -> Iterator[tuple[Source, Fork]]:
    for file in change.files:
        if file.head is not None and not is_test_path(file.path):
            yield from ((file.head, fork) for fork in added_forks(file))


CHECKER: Final = BuildMacroFork
