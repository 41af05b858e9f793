"""formatting-mixed: lines that were only reformatted, in a file with real changes elsewhere.

Decided by syntax: the statements a hunk touches are equal on both sides and stand in blocks of the same kinds, and so
are the comments in it. The order of imports and the layout of docstrings are formatting too; hunks of nothing but
imports, and of comments whose lines were only broken anew, speak for neither side. Reformatting beside a real change
belongs to it and is left alone, and so is a single short statement, which a formatter caught in passing, a few lines
that lost white space at their ends, for which an editor asks nobody, a few statements in a large change, and all of it
in a change whose purpose it is: one that configures a formatter, or of which most hunks in several files are layout.
Looks at letters before it parses. One hit a change, in the file with most of it. Invariant: a file that was only
reformatted, or only changed, has no hit.
"""

from __future__ import annotations

import ast
import io
import tokenize
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, Pair, code
from roundzero.checkers._formatting_purpose import configures_formatting, is_called_formatting
from roundzero.checkers._python import is_docstring
from roundzero.core.finding import Evidence, Hit, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.samples import is_copy, is_sample
from roundzero.core.syntax import NotPythonError
from roundzero.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from roundzero.checkers._python import Parsed
    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.linemap import Hunk
    from roundzero.core.ports import GrepHit, Repository

NEAR: Final = 3
"""Lines between a reformatted hunk and a real one within which they belong together: git's usual context."""

LEAST: Final = 2
"""Statements laid out anew in a change, for it to be worth a word."""

PER_REAL: Final = 20
"""Real hunks of a change for each such statement, beyond which they are lost in it."""

STATEMENT: Final = 3
"""Lines of a long statement that weigh as much as a statement."""

BROKEN: Final = 4
"""Lines that a statement was broken into or joined from, for it to be worth a word by itself."""

REWRITTEN: Final = 3
"""Lines of a statement on both sides, as where quotes changed, for the same."""

MOST_SHOWN: Final = 3
"""Other files that are named."""

SEVERAL: Final = 3
"""Files with reformatted hunks from which more layout than real change is a purpose: fewer may be by the way."""

_PREFIXES: Final = "rRbBuUfF"
_IMPORT: Final = regex(r"[ \t]*(?:from|import)\b|[ \t]*$")


@dataclass(frozen=True, slots=True)
class _Sorted:
    """The hunks of a file by what they are; hunks that speak for neither side are in none."""

    file: FileChange
    real: tuple[Hunk, ...]
    formatted: Mapping[Hunk, int]
    """With the weight of each, in lines."""


class FormattingMixed(ChangeChecker):
    """Finds reformatted hunks among real ones."""

    name = "formatting-mixed"
    version = "4"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Sort the hunks of all files into real and reformatted ones."""
        if configures_formatting(change) or is_called_formatting(repository.commits()):
            return
        rows = [row for file in change.files if (row := _sorted(file)) is not None]
        formatted = [row for row in rows if row.formatted]
        if len(formatted) >= SEVERAL and sum(len(row.formatted) for row in rows) > sum(len(row.real) for row in rows):
            return
        places = [(head, apart) for row in formatted if (head := row.file.head) is not None and (apart := _apart(row))]
        places.sort(key=lambda each: (-sum(hunk.head_count for hunk in each[1]), each[0].path))
        weight = sum(count for _, apart in places for count in apart.values())
        if weight >= LEAST * STATEMENT and weight * PER_REAL >= STATEMENT * sum(len(row.real) for row in rows):
            head, apart = places[0]
            others = tuple(
                evidence_at(other, _lines(next(iter(hunks)), other)[0], "also here") for other, hunks in places[1:]
            )
            yield _hit(next(iter(apart)), head, others[:MOST_SHOWN])


def _apart(row: _Sorted) -> dict[Hunk, int]:
    """The reformatted hunks of a file that no real change is near, where it has one elsewhere."""
    if not row.real:
        return {}
    return {
        hunk: count for hunk, count in row.formatted.items() if all(_distance(hunk, other) > NEAR for other in row.real)
    }


def _hit(hunk: Hunk, head: Source, others: tuple[Evidence, ...]) -> Hit:
    index = head.index
    lines = _lines(hunk, head)
    start, end = index.line_span(lines[0]).start, index.line_span(lines[-1]).end
    span = index.span(index.offset(start), index.offset(end))
    return Hit(path=head.path, span=span, subject=code(index.line(lines[0])), evidence=others)


def _lines(hunk: Hunk, head: Source) -> list[int]:
    """The lines of a hunk that say anything."""
    return [line for line in hunk.head_lines if head.index.line(line).strip()]


def _sorted(file: FileChange) -> _Sorted | None:
    """The hunks of a Python file; None for others, for data of tests, and for what does not parse."""
    pair = Pair(file, None)
    if not pair.is_python or file.base is None or file.head is None or is_sample(file.path) or is_copy(file.path):
        return None
    hunks = [hunk for hunk in file.hunks if not _says_the_same(hunk, file.base, file.head)]
    if not any(_same_letters(hunk, file.base, file.head) for hunk in hunks):
        return _Sorted(file, tuple(hunk for hunk in hunks if not _is_imports(hunk, file.base, file.head)), {})
    try:
        base, head = pair.base, pair.head
    except NotPythonError:
        return None
    real: list[Hunk] = []
    formatted: dict[Hunk, int] = {}
    for hunk in hunks:
        outside, before = _covering(base.tree.body, hunk.base_lines, base)
        around, after = _covering(head.tree.body, hunk.head_lines, head)
        if all(isinstance(node, (ast.Import, ast.ImportFrom)) for node in (*before, *after)) and (before or after):
            continue
        same_place = before and after and outside == around
        only_layout = same_place and _same_letters(hunk, file.base, file.head) and _alike(before, after)
        if only_layout and _comments(hunk.base_lines, file.base) == _comments(hunk.head_lines, file.head):
            formatted[hunk] = _weight(hunk, len(after), file.base, file.head)
        else:
            real.append(hunk)
    return _Sorted(file, tuple(real), formatted)


def _weight(hunk: Hunk, statements: int, base: Source, head: Source) -> int:
    """How much a reformatted hunk is to read: its lines, but a short statement is as much as a long one's STATEMENT."""
    before = [base.index.line(line).rstrip() for line in hunk.base_lines]
    if before == [head.index.line(line).rstrip() for line in hunk.head_lines]:
        return len(before)
    fewer, more = sorted((hunk.base_count, hunk.head_count))
    alone = LEAST if more >= BROKEN or fewer >= REWRITTEN else 1
    return STATEMENT * max(statements, alone, more // STATEMENT)


def _same_letters(hunk: Hunk, base: Source, head: Source) -> bool:
    """Whether both sides of a hunk have text, and the same letters in some order: if not, it is no mere layout."""
    if not hunk.base_count or not hunk.head_count or not _has_text(hunk, base, head):
        return False
    return _letters(hunk.base_lines, base) == _letters(hunk.head_lines, head)


def _letters(lines: range, source: Source) -> list[str]:
    """The letters and digits of some lines in alphabetical order, without those that may be prefixes of strings."""
    return sorted(
        letter for line in lines for letter in source.index.line(line) if letter.isalnum() and letter not in _PREFIXES
    )


def _is_imports(hunk: Hunk, base: Source, head: Source) -> bool:
    return all(_IMPORT.match(base.index.line(line)) for line in hunk.base_lines) and all(
        _IMPORT.match(head.index.line(line)) for line in hunk.head_lines
    )


def _alike(left: object, right: object) -> bool:
    """Whether two trees are equal but for places, the order of imports and the layout of docstrings."""
    if left.__class__ is not right.__class__:
        return False
    if isinstance(left, list) and isinstance(right, list):
        if _imports(left) != _imports(right):
            return False
        left, right = _without_imports(left), _without_imports(right)
        return len(left) == len(right) and all(_alike(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, ast.Expr) and isinstance(right, ast.Expr) and is_docstring(left) and is_docstring(right):
        return _docstring(left) == _docstring(right)
    if isinstance(left, ast.AST):
        return all(
            _alike(getattr(left, name, None), getattr(right, name, None))
            for name in left._fields
            if name != "type_comment"
        )
    return left == right


def _docstring(node: ast.Expr) -> str:
    return collapse(str(node.value.value)).strip() if isinstance(node.value, ast.Constant) else ""


def _imports(nodes: list[object]) -> set[str]:
    """The names a run of statements imports, each spelt out."""
    return {
        f"{'.' * getattr(node, 'level', 0)}{getattr(node, 'module', '')} {alias.name} {alias.asname}"
        for node in nodes
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }


def _without_imports(nodes: list[object]) -> list[object]:
    return [node for node in nodes if not isinstance(node, (ast.Import, ast.ImportFrom))]


def _has_text(hunk: Hunk, base: Source, head: Source) -> bool:
    """Whether both sides of a hunk have a line that is not empty."""
    return any(base.index.line(line).strip() for line in hunk.base_lines) and any(
        head.index.line(line).strip() for line in hunk.head_lines
    )


def _says_the_same(hunk: Hunk, base: Source, head: Source) -> bool:
    """Whether a hunk adds or removes nothing but empty lines, or breaks the lines of comments in other places."""
    before = [text for line in hunk.base_lines if (text := base.index.line(line).strip())]
    after = [text for line in hunk.head_lines if (text := head.index.line(line).strip())]
    if not all(text.startswith("#") for text in (*before, *after)):
        return False
    return _words(before) == _words(after)


def _words(comments: Sequence[str]) -> list[str]:
    return [word for text in comments for word in text.lstrip("#").split()]


def _covering(body: Sequence[ast.stmt], lines: range, parsed: Parsed) -> tuple[tuple[str, ...], list[ast.stmt]]:
    """The smallest run of neighbouring statements that holds all the lines, or nothing, and the blocks it stands in."""
    touched = [node for node in body if _first(node, parsed) < lines.stop and lines.start <= parsed.end(node).line]
    if len(touched) == 1:
        for kind, block in _inner(touched[0]):
            if (
                block
                and _first(block[0], parsed) <= lines.start
                and lines.stop - 1 <= parsed.end(block[-1]).line
                and _begins_line(block[0], parsed)
            ):
                kinds, found = _covering(block, lines, parsed)
                return ((kind, *kinds), found) if found else ((), touched)
    return (), touched


def _first(node: ast.stmt, parsed: Parsed) -> int:
    decorators = getattr(node, "decorator_list", ())
    return parsed.start(decorators[0] if decorators else node).line


def _begins_line(node: ast.stmt, parsed: Parsed) -> bool:
    start = parsed.start(node)
    return not parsed.source.index.line(start.line)[: start.column - 1].strip(" \t\f@")


def _inner(node: ast.stmt) -> list[tuple[str, list[ast.stmt]]]:
    """The blocks of a statement, each with what kind of block it is."""
    found = [(name, getattr(node, name, [])) for name in ("body", "orelse", "finalbody")]
    for name in ("handlers", "cases"):
        found += [(name, child.body) for child in getattr(node, name, ())]
    return [(f"{type(node).__name__}.{name}", block) for name, block in found]


def _comments(lines: range, source: Source) -> list[str]:
    """The comments on some lines, without their layout."""
    text = "\n".join(source.index.line(line) for line in lines)
    if "#" not in text:
        return []
    found: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found.append(" ".join(token.string.lstrip("#").split()))
    except (tokenize.TokenError, SyntaxError):
        return [" ".join(text.split())]
    return found


def _distance(one: Hunk, other: Hunk) -> int:
    first, second = sorted((one, other), key=lambda hunk: hunk.head_gap)
    return second.head_gap - (first.head_gap + first.head_count)


CHECKER: Final = FormattingMixed
