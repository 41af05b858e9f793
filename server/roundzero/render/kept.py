"""A report as bytes that can be read again, for showing the last round later in any format.

Holds what the formats show and no more: of the reviewed texts only the lines that findings and fixes stand on.
Deliberately no interchange format: another version may refuse it. Invariants: no secret of the reviewed texts is in
the bytes; what ``unpack`` gives renders as the report that was packed.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from importlib import import_module
from operator import attrgetter
from pkgutil import iter_modules
from types import NoneType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, NewType, cast, get_args, get_origin, get_type_hints

from roundzero import core
from roundzero.core.change import FileChange, Side, Source, Status
from roundzero.core.frozen import dataclass
from roundzero.core.report import Report  # noqa: TC001  unpack reads the annotations
from roundzero.core.text import RelPath
from roundzero.render.markdown_fix import NEAR
from roundzero.render.redaction import Redactor

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.finding import Finding, Fix

_LEVEL: Final = 1
"""zlib's fastest: reports repeat themselves so much that it does nearly as well as the best."""

_UNSHOWN: Final = frozenset({"anchor_text"})
"""Texts of the code that no format shows, so nobody looks for secrets in them."""

_Reader = Callable[[object], object]
_Lines = defaultdict[tuple[RelPath, Side], set[int]]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Some lines of a reviewed text, by number from 1, each with its end; secrets are masked."""

    path: RelPath
    blob: str
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class ExcerptPair:
    """What is kept of both sides of a changed file."""

    path: RelPath
    status: Status
    base: Excerpt | None
    head: Excerpt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A report without texts, the excerpts that stand for them, and what was asked for: by it a review is repeated."""

    report: Report
    files: tuple[ExcerptPair, ...]
    outside: tuple[Excerpt, ...]
    scope: str
    base: str | None
    untracked: bool


def pack(made: Report, *, scope: str, base: str | None, untracked: bool) -> bytes:
    """The report of a review that was asked for with ``scope``, ``base`` (None: chosen) and ``untracked``."""
    redactor = Redactor.of(made)
    shown = redactor.report(made)
    wanted = _wanted(shown.findings)
    pairs = (_pair(file, wanted, redactor) for file in made.change.files)
    outside = (_excerpt(source, wanted[source.path, Side.HEAD], redactor) for source in made.outside)
    kept = Kept(
        report=replace(shown, change=replace(shown.change, base=shown.base, files=(), skipped=()), outside=()),
        files=tuple(pair for pair in pairs if pair.base is not None or pair.head is not None),
        outside=tuple(each for each in outside if each is not None),
        scope=scope,
        base=base,
        untracked=untracked,
    )
    return zlib.compress(json.dumps(kept, default=_plain, separators=(",", ":")).encode(), _LEVEL)


def unpack(data: bytes) -> Kept:
    """What was packed; its report has the excerpts for texts. Raises ValueError for bytes that are no such report."""
    try:
        kept = cast("Kept", _reader(Kept)(json.loads(zlib.decompress(data))))
    except (zlib.error, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no report: {error}") from error
    files = tuple(
        FileChange(path=pair.path, status=pair.status, base=_source(pair.base), head=_source(pair.head), hunks=())
        for pair in kept.files
    )
    outside = tuple(source for each in kept.outside if (source := _source(each)) is not None)
    made = replace(kept.report, change=replace(kept.report.change, files=files), outside=outside)
    return replace(kept, report=made)


def _wanted(findings: Iterable[Finding]) -> _Lines:
    """The lines that a format may quote."""
    lines: _Lines = defaultdict(set)
    for each in findings:
        seen = each.seen
        if seen.path is not None and seen.span is not None:
            lines[seen.path, seen.side].add(seen.line)
        for fix in seen.fixes:
            _want_fix(fix, lines)
    return lines


def _want_fix(fix: Fix, lines: _Lines) -> None:
    """The lines its edits touch, and those between two that are shown together."""
    last: dict[RelPath, int] = {}
    for edit in sorted(fix.edits, key=lambda each: (each.path, each.span)):
        start = edit.span.start.line
        before = last.get(edit.path, start)
        first = before if start - before <= NEAR else start
        last[edit.path] = edit.span.end.line
        lines[edit.path, Side.HEAD].update(range(first, edit.span.end.line + 1))


def _pair(file: FileChange, wanted: _Lines, redactor: Redactor) -> ExcerptPair:
    base, head = (
        _excerpt(source, wanted[source.path, side] | wanted[file.path, side], redactor) if source is not None else None
        for side, source in ((Side.BASE, file.base), (Side.HEAD, file.head))
    )
    return ExcerptPair(file.path, file.status, base, head)


def _excerpt(source: Source, wanted: Iterable[int], redactor: Redactor) -> Excerpt | None:
    if not wanted:
        return None
    index = redactor.lines(source)
    lines = ((number, index.text[index.line_start(number) : index.line_start(number + 1)]) for number in sorted(wanted))
    return Excerpt(source.path, source.blob, tuple(lines))


def _source(kept: Excerpt | None) -> Source | None:
    """A text whose other lines are empty."""
    if kept is None:
        return None
    parts: list[str] = []
    at = 1
    for number, line in kept.lines:
        parts += ["\n" * (number - at), line]
        at = number + 1
    return Source(kept.path, "".join(parts), kept.blob)


def _plain(value: object) -> object:
    """What JSON has no form for: an enum as its value, a dataclass as its fields.

    They are a list where none has a default, such as those of a position; else by name, without those at their default.
    """
    if isinstance(value, Enum):
        return value.value
    shape = _shape(cast("type", type(value)))
    if shape.listed is not None:
        return shape.listed(value)
    plain: dict[str, object] = {}
    for name, default in shape.defaults:
        each = getattr(value, name)
        if each is not default and (default is MISSING or each != default):
            plain[name] = "" if name in _UNSHOWN else each
    return plain


class _Shape(NamedTuple):
    """How values of a dataclass are written: all fields in a row, or each with what it is when nothing is said."""

    listed: Callable[[object], object] | None
    defaults: tuple[tuple[str, object], ...]


@cache
def _shape(kind: type) -> _Shape:
    defaults = tuple((each.name, _default(each)) for each in fields(kind))
    names = [name for name, default in defaults if default is MISSING]
    listed = attrgetter(*names) if len(names) == len(defaults) and len(names) > 1 else None
    return _Shape(listed, defaults)


def _default(field: Field[object]) -> object:
    return field.default if field.default_factory is MISSING else field.default_factory()


@cache
def _reader(kind: object) -> _Reader:
    """What makes a value of an annotated type from JSON values."""
    if isinstance(kind, NewType):
        return _reader(kind.__supertype__)
    if (origin := get_origin(kind)) is not None:
        return _reader_of_generic(origin, get_args(kind))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind, globalns=_names(), localns=vars(import_module(kind.__module__)))
        readers = {name: _reader(hint) for name, hint in hints.items()}
        if _shape(kind).listed is not None:
            return lambda plain: kind(
                **{
                    name: read(each)
                    for (name, read), each in zip(readers.items(), cast("list[object]", plain), strict=True)
                }
            )
        return lambda plain: kind(
            **{name: readers[name](each) for name, each in cast("Mapping[str, object]", plain).items()}
        )
    wanted = (int, float) if kind is float else cast("type", kind)
    return lambda plain: _checked(plain, good=isinstance(plain, wanted))


def _reader_of_generic(origin: object, arguments: tuple[object, ...]) -> _Reader:
    if origin is Literal:
        return lambda plain: _checked(plain, good=plain in arguments)
    if origin is not tuple:
        (some,) = (_reader(each) for each in arguments if each is not NoneType)
        return lambda plain: None if plain is None else some(plain)
    if arguments[1:] == (...,):
        every = _reader(arguments[0])
        return lambda plain: tuple(every(each) for each in cast("list[object]", plain))
    parts = tuple(_reader(each) for each in arguments)
    return lambda plain: tuple(read(each) for read, each in zip(parts, cast("list[object]", plain), strict=True))


def _checked(plain: object, *, good: bool) -> object:
    if not good:
        raise ValueError(f"{type(plain).__name__} is not what belongs here")
    return plain


@cache
def _names() -> dict[str, object]:
    """The names that annotations of the core use without importing them at run time."""
    modules = (import_module(f"{core.__name__}.{each.name}") for each in iter_modules(core.__path__))
    return {name: value for module in modules for name, value in vars(module).items()}
