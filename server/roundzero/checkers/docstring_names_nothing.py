"""docstring-names-nothing: a changed docstring or ``#:`` comment names code that is nowhere in the repository.

Only names that can be nothing but code: in backticks or with call parentheses, and with an underscore or mixed case.
Silent for what may live elsewhere: dotted names, examples, placeholders, and lines about options, keys, files and other
programs. Other comments speak too often of what is elsewhere. Invariant: outside of the documentation this change
wrote, the name occurs in no file.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import keyword
import re
import sys
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code, replace
from roundzero.checkers._paths import is_example, is_test_path
from roundzero.checkers._python import parse
from roundzero.core.change import Side
from roundzero.core.finding import Hit
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.syntax import NotPythonError
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._python import Parsed
    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath

_NAMED: Final = regex(
    r"(?<![`\w])`{1,2}(?P<ticked>[A-Za-z_]\w*)(?:\(\))?`{1,2}(?![`\w])|"
    r"(?<![\w.`/$:{-])(?P<called>[A-Za-z_]\w*)\([\w, ]*\)(?![\w`])"
)
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

_KNOWN: Final = frozenset(
    {*dir(builtins), *keyword.kwlist, *sys.stdlib_module_names}
    | {name for kind in (str, bytes, list, dict, set, int, float, object, type) for name in dir(kind)}
)


@dataclass(frozen=True, slots=True)
class _Named:
    """A name in a docstring or comment."""

    path: RelPath
    name: str
    span: Span


class DocstringNamesNothing(ChangeChecker):
    """Finds names in documentation that nothing has."""

    name = "docstring-names-nothing"
    version = "2"

    def __init__(self) -> None:
        """Start before the change is known."""
        self._found: list[_Named] | None = None

    def words(self, change: Change) -> Collection[str]:
        """The names, and their spelling with hyphens."""
        return {word for named in self._named(change) for word in (named.name, named.name.replace("_", "-"))}

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Keep what occurs nowhere but where it was written."""
        all_named = self._named(change)
        if not all_named:
            return
        written = {(named.name, named.path, named.span.start.line) for named in all_named}
        stems = {path.rpartition("/")[2].partition(".")[0] for path in repository.paths(Side.HEAD)}
        sources = {file.path: file.head for file in change.files if file.head is not None}
        for named in all_named:
            hits = (*found.get(named.name, ()), *found.get(named.name.replace("_", "-"), ()))
            if named.name in stems or any((named.name, hit.path, hit.line) not in written for hit in hits):
                continue
            source = sources[named.path]
            if _defined_in(named.name, source):
                continue
            near = _nearest(named.name, source)
            fixes = (replace(source, f"Name {near}", near, named.span, safe=False),) if near is not None else ()
            yield Hit(path=named.path, span=named.span, subject=code(named.name), fixes=fixes)

    def _named(self, change: Change) -> list[_Named]:
        if self._found is None:
            self._found = [named for file in change.files for named in _names(file)]
        return self._found


def _defined_in(name: str, source: Source) -> bool:
    """Whether an example in the documentation itself defines or binds a name that no code has."""
    return re.search(rf"\b(?:def|class)[ ]+{name}\b|\b{name}[ ]*=[^=]|\bas[ ]+{name}\b", source.text) is not None


def _names(file: FileChange) -> Iterator[_Named]:
    """The names in the documentation lines a change added to a Python file."""
    head = file.head
    if head is None or language_of(file.path) != "python" or is_test_path(file.path) or is_example(file.path):
        return
    places = [(line, *place) for line in sorted(file.added) for place in _named_in(head, line)]
    if not places:
        return
    try:
        documented = _docstring_lines(parse(head))
    except NotPythonError:
        return
    for line, column, name, is_call in places:
        is_comment = head.index.line(line).lstrip().startswith("#:")
        if line in documented or (is_comment and not is_call):
            yield _Named(file.path, name, Span(Position(line, column), Position(line, column + len(name))))


def _named_in(head: Source, line: int) -> Iterator[tuple[int, str, bool]]:
    """The column and text of each name on a line that can be nothing but code, and whether it looks like a call."""
    text = head.index.line(line)
    if "`" not in text and "(" not in text:
        return
    for match in _NAMED.finditer(text):
        group = "ticked" if match["ticked"] else "called"
        if _is_code(match[group]) and not any(
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


def _is_code(name: str) -> bool:
    if name in _KNOWN or _PLACEHOLDER.search(name) is not None:
        return False
    return _SNAKE.fullmatch(name) is not None or _MIXED.fullmatch(name) is not None


def _nearest(name: str, source: Source) -> str | None:
    """The most similar name the file has elsewhere."""
    others = sorted({word for word in re.findall(r"[^\W\d]\w*", source.text) if word != name and _is_code(word)})
    near = difflib.get_close_matches(name, others, n=1, cutoff=0.8)
    return near[0] if near else None


CHECKER: Final = DocstringNamesNothing
