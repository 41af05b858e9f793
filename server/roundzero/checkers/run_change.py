"""Runs the checkers of the change as a whole, as a pure function of the change and the repository around it.

Like ``run`` it decides nothing about what is shown. Invariant: a broken checker, or a question that could not be
answered, costs that checker's results and one of the ``failures``, nothing else.
"""

from __future__ import annotations

import keyword
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from roundzero.checkers import find, is_wide
from roundzero.checkers._base import ChangeChecker, SymbolChecker, SymbolView
from roundzero.checkers._failure import CheckFailure, broke
from roundzero.core.frozen import dataclass
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from roundzero.core.change import Change
    from roundzero.core.finding import Hit
    from roundzero.core.item import Item, ItemId
    from roundzero.core.ports import Repository, Symbols

_Answer = TypeVar("_Answer")

_NO_NAMES: Final = frozenset({*keyword.kwlist, "self", "cls"})
"""Words that name nothing anywhere: they stand on every fourth line of a repository, and are not searched for."""


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """What was seen in the change as a whole."""

    hits: tuple[tuple[ItemId, Hit], ...] = ()
    failures: tuple[CheckFailure, ...] = ()


def check_change(
    change: Change,
    repository: Repository,
    symbols: Symbols,
    items: Sequence[Item],
    should_stop: Callable[[], bool] = lambda: False,
) -> ChangeResult | None:
    """What the checkers of the whole change see; None once ``should_stop`` says so. Raises OutsideError without a grep.

    One grep serves all of them. A hit on a path an item does not apply to is left out.
    """
    view = SymbolView(change=change, repository=repository, symbols=symbols, found={})
    return _WholeRun(view, items, should_stop).result()


class _WholeRun:
    """One pass over a change, and what it saw."""

    def __init__(self, view: SymbolView, items: Sequence[Item], should_stop: Callable[[], bool]) -> None:
        self._view = view
        self._should_stop = should_stop
        self._failures: list[CheckFailure] = []
        self._wanted: dict[str, list[Item]] = {}
        for item in items:
            for name in item.checkers if item.enabled else ():
                self._wanted.setdefault(name, []).append(item)

    def result(self) -> ChangeResult | None:
        words: set[str] = set()
        able: list[tuple[str, ChangeChecker | SymbolChecker]] = []
        for name in self._wanted:
            if self._should_stop():
                return None
            for checker in self._tried(name, partial(_made, name)) or ():
                asked = self._tried(name, partial(self._words, checker))
                if asked is not None:
                    words.update(asked)
                    able.append((name, checker))
        words -= _NO_NAMES
        if words:
            found = self._view.repository.grep(words)
            self._view.symbols.know({word: tuple(found.get(word, ())) for word in words})
            self._view = replace(self._view, found=found)
        hits: list[tuple[ItemId, Hit]] = []
        for name, checker in able:
            if self._should_stop():
                return None
            seen = self._tried(name, partial(self._hits, checker)) or ()
            for item in self._wanted[name]:
                hits += [(item.id, hit) for hit in seen if hit.path is None or item.applies.matches(hit.path)]
        return ChangeResult(tuple(hits), tuple(self._failures))

    def _words(self, checker: ChangeChecker | SymbolChecker) -> Iterable[str]:
        return checker.words(self._view.change) if isinstance(checker, ChangeChecker) else checker.words(self._view)

    def _hits(self, checker: ChangeChecker | SymbolChecker) -> Iterable[Hit]:
        view = self._view
        if isinstance(checker, ChangeChecker):
            return checker.check(view.change, view.repository, view.found)
        return checker.check(view)

    def _tried(self, name: str, ask: Callable[[], Iterable[_Answer]]) -> list[_Answer] | None:
        """What a checker answers; None, and a failure, when it cannot or is broken."""
        try:
            return list(ask())
        except OutsideError as error:
            message = str(error)
        except Exception as error:  # noqa: BLE001  a broken checker costs its own results
            message = broke(error)
        self._failures.append(CheckFailure(name, message, frozenset(item.id for item in self._wanted[name])))
        return None


def _made(name: str) -> Iterable[ChangeChecker | SymbolChecker]:
    """The checker of that name, where it looks at the change as a whole."""
    kind = find(name) if is_wide(name) else None
    return (kind(),) if kind is not None and issubclass(kind, (ChangeChecker, SymbolChecker)) else ()
