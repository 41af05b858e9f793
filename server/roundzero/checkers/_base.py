"""The five kinds of checker, and what each is given.

A checker says what it sees in one version of a file (``PythonChecker``, ``TextChecker``), in what became of a file
(``RelationChecker``), in the change as a whole (``ChangeChecker``), or in what the change does to code across files
(``SymbolChecker``). It does not know items, severities, scopes or
origins, and reads nothing but its arguments. Invariant: equal arguments give equal hits in equal order.

A checker lives in a module of its own named like it, which defines ``CHECKER: Final = TheClass``. One of the last two
kinds derives from it directly, since its module's text is where ``is_wide`` reads that.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, ClassVar, Final

from roundzero.checkers._paths import is_test_path
from roundzero.checkers._python import Parsed, Scope, parse
from roundzero.core.change import Side
from roundzero.core.finding import Edit, Fix, Hit
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.secrets import redact
from roundzero.core.syntax import NotPythonError
from roundzero.core.text import Position, dominant_eol, with_eol

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection, Iterable, Mapping

    from roundzero.checkers._python import Located
    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.finding import Anchor
    from roundzero.core.ports import GrepHit, Repository, Symbols
    from roundzero.core.text import RelPath, Span

SUBJECT_LENGTH: Final = 80
"""Longest subject in code points: a title has to fit a line of a problem list."""


_NO_SIDE: Final = ("the file does not exist on this side", Position(1, 1))


class Checker:
    """What all checkers have. ``version`` changes with every change of what is reported."""

    name: ClassVar[str]
    version: ClassVar[str] = "1"


class CheckContext:
    """What a Python checker knows of the file it looks at. ``scopes`` are those around the visited node."""

    __slots__ = ("file", "is_test", "path", "scopes")

    def __init__(self, file: Parsed) -> None:
        """Start at module level."""
        self.file = file
        self.path: RelPath = file.source.path
        self.is_test = is_test_path(self.path)
        self.scopes: list[Scope] = []

    @property
    def function(self) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
        """The innermost function around the visited node, looking through classes."""
        return next((scope for scope in reversed(self.scopes) if not isinstance(scope, ast.ClassDef)), None)

    def hit(self, node: Located, subject: str = "", *, fixes: Iterable[Fix] = ()) -> Hit:
        """A hit on a node, by default named by its text."""
        return self.hit_at(self.file.span(node), subject or self.file.text(node), fixes=fixes)

    def hit_at(self, span: Span, subject: str, *, fixes: Iterable[Fix] = ()) -> Hit:
        """A hit on a stretch of the text; ``subject`` is code."""
        return Hit(path=self.path, span=span, subject=code(subject), fixes=tuple(fixes))

    def replace(self, title: str, new_text: str, span: Span, *, safe: bool) -> Fix:
        """A fix that replaces one stretch of the text."""
        return replace(self.file.source, title, new_text, span, safe=safe)


class PythonChecker(Checker):
    """Looks at nodes of the given kinds during the one walk of a file. A new instance for every file."""

    nodes: ClassVar[tuple[type[ast.AST], ...]] = ()

    def concerns(self, ctx: CheckContext) -> bool:
        """Whether this file can hold what is looked for; where not, nothing else is called."""
        return True

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at one node of ``nodes``, parents first."""
        return ()

    def finish(self, ctx: CheckContext) -> Iterable[Hit]:
        """Say what only the whole file shows."""
        return ()


class TextChecker(Checker):
    """Looks at the text of one version of a file in any language."""

    def check(self, source: Source) -> Iterable[Hit]:
        """What this text shows."""
        raise NotImplementedError


class Pair:
    """What became of one file: both texts, the hunks and, for Python, both trees when asked for."""

    __slots__ = ("_base", "_head", "_parse", "file")

    def __init__(self, file: FileChange, head: Parsed | None, parse_base: Callable[[Source], Parsed] = parse) -> None:
        """Hold a change; ``head`` is its parsed head where that is at hand."""
        self.file = file
        self._head = head
        self._base: Parsed | None = None
        self._parse = parse_base

    @property
    def is_python(self) -> bool:
        """Whether both sides exist and are Python by name."""
        return (
            self.file.base is not None
            and self.file.head is not None
            and language_of(self.file.path) == "python"
            and language_of(self.file.base.path) == "python"
        )

    @property
    def head(self) -> Parsed:
        """The parsed head. Raises NotPythonError."""
        if self._head is None:
            if self.file.head is None:
                raise NotPythonError(*_NO_SIDE)
            self._head = parse(self.file.head)
        return self._head

    @property
    def base(self) -> Parsed:
        """The parsed base. Raises NotPythonError."""
        if self._base is None:
            if self.file.base is None:
                raise NotPythonError(*_NO_SIDE)
            self._base = self._parse(self.file.base)
        return self._base

    def adds(self, pattern: re.Pattern[str], within: Located) -> bool:
        """Whether one of the added lines of a node of the head matches somewhere. Raises NotPythonError."""
        head = self.head
        lines = (line for line in head.span(within).lines if line in self.file.added)
        return any(pattern.search(head.source.index.line(line)) for line in lines)


class RelationChecker(Checker):
    """Looks at what became of one file. Only what the branch did can be seen here: its hits have no base to compare."""

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """What this change of a file shows. May let NotPythonError pass: then there is nothing to see."""
        raise NotImplementedError


class ChangeChecker(Checker):
    """Looks at the change as a whole, and at the repository around it."""

    def words(self, change: Change) -> Collection[str]:
        """Fixed strings whose occurrences at the head ``check`` needs."""
        return ()

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """What this change shows. ``found`` has the occurrences of the words of all checkers."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class SymbolView:
    """What a symbol checker looks at: a change, the repository around it, and what its code means at both sides.

    ``found`` has the occurrences of the words of all checkers at the head; it is empty while ``words`` is asked.
    """

    change: Change
    repository: Repository
    symbols: Symbols
    found: Mapping[str, tuple[GrepHit, ...]]


class SymbolChecker(Checker):
    """Looks at what the change does to code across files, with the index.

    Its hits have no base to compare: it yields only what this branch brought, and asks for the base's answer where that
    is in doubt. A hit on a line the branch did not touch names the changed line it comes from as its ``cause``. What
    the index raises may pass: the check then is *not checked*.
    """

    def words(self, view: SymbolView) -> Collection[str]:
        """Words whose occurrences at the head ``check`` needs; asked of all checkers before the one shared grep."""
        return ()

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """What this change does."""
        raise NotImplementedError


def code(text: str) -> str:
    """Code as the subject of a title: on one line, in backticks, cut to SUBJECT_LENGTH, without secrets."""
    line = redact(" ".join(text.split()))
    if len(line) > SUBJECT_LENGTH:
        line = line[: SUBJECT_LENGTH - 1] + "…"
    return f"`{line}`"


def replace(source: Source, title: str, new_text: str, span: Span, *, safe: bool) -> Fix:
    """A fix that replaces one stretch of a source's text; its lines end as the others do."""
    new = with_eol(new_text, dominant_eol(source.text)) if "\n" in new_text else new_text
    return Fix(title, safe, (Edit(source.path, span, source.index.slice(span), new),))


def base_hit(
    file: FileChange, span: Span, subject: str, *, fixes: Iterable[Fix] = (), cause: Anchor | None = None
) -> Hit:
    """A hit on removed text. It carries the file's path of today, so that it is found by people and by scopes."""
    return Hit(path=file.path, span=span, side=Side.BASE, subject=code(subject), fixes=tuple(fixes), cause=cause)
