"""docstring-names-nothing: a changed docstring or ``#:`` comment names code that is nowhere in the repository.

Only names that can be nothing but code: in backticks or with call parentheses, and with an underscore or mixed case.
Silent for what may live elsewhere: dotted names, examples, placeholders, and lines about options, keys, files and other
programs. Other comments speak too often of what is elsewhere. A bare name with an underscore, and a name in the
backticks of a changed document, are told where one slip of the keys parts them from a name that the code has.
Invariant: outside of the documentation this change wrote, the name occurs in no file.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import keyword
import re
import sys
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import SymbolChecker, SymbolView, code, replace
from roundzero.checkers._paths import is_example, is_test_path
from roundzero.checkers._python import parse
from roundzero.checkers.misspelt_literal import spellings
from roundzero.core.change import Side
from roundzero.core.finding import Hit
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.syntax import NotPythonError
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from roundzero.checkers._python import Parsed
    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.ports import GrepHit
    from roundzero.core.text import RelPath

_NAMED: Final = regex(
    r"(?<![`\w])`{1,2}(?P<ticked>[A-Za-z_]\w*)(?:\(\))?`{1,2}(?![`\w])|"
    r"(?<![\w.`/$:{-])(?P<called>[A-Za-z_]\w*)\([\w, ]*\)(?![\w`])"
)
_BARE: Final = regex(r"(?<![\w.`/$:{\"'<@=-])(?P<bare>[a-z]+(?:_[a-z0-9]+)+)(?![\w`(/=:\"'>-]|\.\w)")
_IN_DOCUMENTS: Final = regex(r"(?<![`\w])`{1,2}(?P<ticked>[A-Za-z_]\w*)(?:\([^`]*\))?`{1,2}(?![`\w])")
_ABOUT_THE_PAST: Final = regex(
    r"deprecated|removed|renamed|formerly|no longer|used to|was called|previously|\bold\b|legacy|typo|misspel|instead"
)
_HISTORY: Final = regex(r"change|history|news|release|migrat|upgrad|version", re.IGNORECASE)
"""Documents that speak of what was."""
SHORTEST_GUESS: Final = 8
MOST_GUESSES: Final = 12
"""Names that may be misspelt looked for in one change: each is some 700 spellings."""
TOGETHER: Final = 4
"""Of those looked for by one grep, see misspelt-literal."""

_SNAKE: Final = regex(r"_?[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_MIXED: Final = regex(r"_?(?:[a-z]+[A-Z]\w*|(?:[A-Z][a-z0-9]+){2,})")
_PLACEHOLDER: Final = regex(
    r"[Ff]oo|[Bb]ar\b|[Bb]az|[Ss]pam|[Ee]ggs|(?:^|_)(?:my|your|some|xxx?|abc|example|dummy|sample)(?:_|$)|"
    r"^(?:My|Some|Your|Example|Dummy|Sample)"
)
_ELSEWHERE: Final = regex(
    r"env(?:ironment)?\b|option|flag|config|setting|\bkeys?\b|header|column|table|metric|field|e\.g\.|example|upstream|"
    r"http|API\b|deprecated|removed|renamed|formerly|no longer|used to|was called|previously|old name|library|package|"
    r"original|[Mm]erged|[Rr]eplac|[Mm]oved|legacy|\bold\b|[Hh]istor|ported|inspired|based on|[Ee]xtracted|"
    r">>>|^\s*\.\.\. |[Ss]ee also|C\+\+|Java|kernel|PEP|RFC|such as|instead of|hypothetical|TODO|FIXME",
)
"""Lines about what need not be in the repository."""

_DOCUMENTS: Final = frozenset({"markdown", "rst"})
_KNOWN: Final = frozenset(
    {*dir(builtins), *keyword.kwlist, *sys.stdlib_module_names}
    | {name for kind in (str, bytes, list, dict, set, int, float, object, type) for name in dir(kind)}
)


@dataclass(frozen=True, slots=True)
class _Named:
    """A name in documentation. One that is not ``sure`` need not be one of code."""

    path: RelPath
    name: str
    span: Span
    sure: bool = True


class DocstringNamesNothing(SymbolChecker):
    """Finds names in documentation that nothing has."""

    name = "docstring-names-nothing"
    version = "3"

    def __init__(self) -> None:
        """Start before the change is known."""
        self._found: list[_Named] | None = None

    def words(self, view: SymbolView) -> Collection[str]:
        """The names, and their spelling with hyphens."""
        return {word for named in self._named(view.change) for word in (named.name, named.name.replace("_", "-"))}

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Keep what occurs nowhere but where it was written."""
        all_named = self._named(view.change)
        if not all_named:
            return
        written = {(named.name, named.path, named.span.start.line) for named in all_named}
        stems = {path.rpartition("/")[2].partition(".")[0] for path in view.repository.paths(Side.HEAD)}
        sources = {file.path: file.head for file in view.change.files if file.head is not None}
        guessed: list[_Named] = []
        for named in all_named:
            hits = (*view.found.get(named.name, ()), *view.found.get(named.name.replace("_", "-"), ()))
            if named.name in stems or any((named.name, hit.path, hit.line) not in written for hit in hits):
                continue
            source = sources[named.path]
            if _defined_in(named.name, source):
                continue
            if named.sure:
                yield _hit(named, source, _nearest(named.name, source))
            else:
                guessed.append(named)
        for named, near in _misspelt(guessed[:MOST_GUESSES], view):
            yield _hit(named, sources[named.path], near)

    def _named(self, change: Change) -> list[_Named]:
        if self._found is None:
            self._found = [named for file in change.files for named in _names(file)]
        return self._found


def _hit(named: _Named, source: Source, near: str | None) -> Hit:
    fixes = (replace(source, f"Name {near}", near, named.span, safe=False),) if near is not None else ()
    return Hit(path=named.path, span=named.span, subject=code(named.name), fixes=fixes)


def _misspelt(guessed: Sequence[_Named], view: SymbolView) -> Iterator[tuple[_Named, str]]:
    """The names that are one slip away from one in the code, each with that."""
    for at in range(0, len(guessed), TOGETHER):
        meant = {named.name: spellings(named.name) for named in guessed[at : at + TOGETHER]}
        found = view.symbols.mentions({near for nears in meant.values() for near in nears}, Side.HEAD)
        for named in guessed[at : at + TOGETHER]:
            nears = [near for near in meant[named.name] if found[near] and _is_meant(named.name, near)]
            often = {near: sum(_is_code(hit, near) for hit in found[near]) for near in nears}
            best = max(often, key=lambda near: (often[near], near), default="")
            if best and often[best]:
                yield named, best


def _is_meant(written: str, near: str) -> bool:
    """Whether a slip is one: a letter that stands by itself, as in ``row_x_id``, is another letter on purpose."""
    parts, others = written.split("_"), near.split("_")
    return len(parts) != len(others) or all(
        part == other or len(part) > 2 for part, other in zip(parts, others, strict=True)
    )


def _is_code(hit: GrepHit, name: str) -> bool:
    """Whether a line of code defines a name, or calls it or gives it a value."""
    if language_of(hit.path) in {None, *_DOCUMENTS}:
        return False
    made = rf"\b(?:def|class|import|func|fn|function)\b.*\b{name}\b|\b{name}[ \t]*(?:\(|=|:[^:])|\.{name}\b"
    return re.search(made, hit.text) is not None


def _defined_in(name: str, source: Source) -> bool:
    """Whether an example in the documentation itself defines or binds a name that no code has."""
    return re.search(rf"\b(?:def|class)[ ]+{name}\b|\b{name}[ ]*=[^=]|\bas[ ]+{name}\b", source.text) is not None


def _names(file: FileChange) -> Iterator[_Named]:
    """The names in the documentation lines a change added to a file."""
    head = file.head
    if head is None or is_test_path(file.path):
        return
    if language_of(file.path) in _DOCUMENTS:
        yield from _in_document(head, file)
        return
    if language_of(file.path) != "python" or is_example(file.path):
        return
    places = [(line, *place) for line in sorted(file.added) for place in _named_in(head, line)]
    bare = [(line, *place) for line in sorted(file.added) for place in _guessed_in(head, line, _BARE, "bare")]
    if not places and not bare:
        return
    try:
        documented = _docstring_lines(parse(head))
    except NotPythonError:
        return
    for line, column, name, is_call in places:
        is_comment = head.index.line(line).lstrip().startswith("#:")
        if line in documented or (is_comment and not is_call):
            yield _Named(file.path, name, _place(line, column, name))
    for line, column, name in bare:
        if line in documented:
            yield _Named(file.path, name, _place(line, column, name), sure=False)


def _in_document(head: Source, file: FileChange) -> Iterator[_Named]:
    """The names in backticks on the added lines of a document that does not speak of the past."""
    if _HISTORY.search(file.path.rpartition("/")[2]) is not None:
        return
    for line in sorted(file.added):
        for column, name in _guessed_in(head, line, _IN_DOCUMENTS, "ticked"):
            yield _Named(file.path, name, _place(line, column, name), sure=False)


def _guessed_in(head: Source, line: int, pattern: re.Pattern[str], group: str) -> Iterator[tuple[int, str]]:
    """The column and text of each name on a line that could be a misspelt one of code."""
    text = head.index.line(line)
    if "_" not in text and "`" not in text:
        return
    for match in pattern.finditer(text):
        if len(match[group]) >= SHORTEST_GUESS and _may_be_code(match[group]) and _ABOUT_THE_PAST.search(text) is None:
            yield match.start(group) + 1, match[group]


def _place(line: int, column: int, name: str) -> Span:
    return Span(Position(line, column), Position(line, column + len(name)))


def _named_in(head: Source, line: int) -> Iterator[tuple[int, str, bool]]:
    """The column and text of each name on a line that can be nothing but code, and whether it looks like a call."""
    text = head.index.line(line)
    if "`" not in text and "(" not in text:
        return
    for match in _NAMED.finditer(text):
        group = "ticked" if match["ticked"] else "called"
        if _may_be_code(match[group]) and not any(
            _ELSEWHERE.search(head.index.line(number)) is not None for number in (line - 1, line)
        ):
            yield match.start(group) + 1, match[group], group == "called"


def _docstring_lines(parsed: Parsed) -> frozenset[int]:
    lines: set[int] = set()
    for node in ast.walk(parsed.tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                lines.update(range(parsed.start(first).line, parsed.end(first).line + 1))
    return frozenset(lines)


def _may_be_code(name: str) -> bool:
    if name in _KNOWN or _PLACEHOLDER.search(name) is not None:
        return False
    return _SNAKE.fullmatch(name) is not None or _MIXED.fullmatch(name) is not None


def _nearest(name: str, source: Source) -> str | None:
    """The most similar name the file has elsewhere."""
    others = sorted({word for word in re.findall(r"[^\W\d]\w*", source.text) if word != name and _may_be_code(word)})
    near = difflib.get_close_matches(name, others, n=1, cutoff=0.8)
    return near[0] if near else None


CHECKER: Final = DocstringNamesNothing
