"""enum-switch-drift: a place that lists the members of an enumeration lacks one, and this change has to do with it.

Either the enumeration got the member: then a ``match``, an ``if`` chain or a table in Python, or a ``switch`` in C++ or
TypeScript, that lists all the others is behind. Or a case of a ``match`` or ``switch`` was touched or taken out, and of
at least NEARLY members it lists all but MISSING. A branch for all others serves them too, unless it only refuses;
members that stand for no value need no case. Invariant: every case of the place is a member of the one enumeration.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from roundzero.checkers._across import hit_in
from roundzero.checkers._base import SymbolChecker, SymbolView
from roundzero.checkers._cpp_text import C_FAMILY
from roundzero.checkers._paths import is_test_path
from roundzero.checkers._python import parse, parse_or_none
from roundzero.checkers._switches import brace_enums, brace_switches, python_enums, python_switches
from roundzero.core.change import Side
from roundzero.core.few import few
from roundzero.core.finding import Anchor, Edit, Fix, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.syntax import NotPythonError
from roundzero.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from roundzero.checkers._python import Parsed
    from roundzero.checkers._switches import Switch
    from roundzero.core.change import FileChange, Source
    from roundzero.core.finding import Evidence, Hit
    from roundzero.core.text import RelPath

FEWEST: Final = 2
NEARLY: Final = 3
MISSING: Final = 2
NAMED: Final = 3
"""Missing members that a title names."""

_TOUCHED: Final = regex(r"\bcase[ \t]+(?:\w+(?:::|\.))*(\w+)(?:::|\.)\w+")
_NO_VALUE: Final = regex(
    r"(?:\w+_)?(?:unknown|invalid|none|undefined|unspecified|count|num|max|min|last|end|size|total|all|default|other)"
    r"(?:_\w+|type)?|\w*(?:_max|_count|_num|_end|_last)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Grown:
    """An enumeration that got members, those it had, and where the first new one stands."""

    file: FileChange
    name: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    line: int


class EnumSwitchDrift(SymbolChecker):
    """Finds places that a new member passes by."""

    name = "enum-switch-drift"
    version = "3"

    def __init__(self) -> None:
        """Start before the change is known."""
        self._grown: list[_Grown] | None = None
        self._trees: dict[RelPath, Parsed | None] = {}

    def words(self, view: SymbolView) -> Collection[str]:
        """The enumerations and, for C++, where members may be named alone, their first members."""
        grown = {word for each in self._enums(view) for word in (each.name, each.old[0])}
        return grown | {name for _, name in _touched(view)}

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Look at every file that names such an enumeration."""
        yield from self._behind(view)
        for file, name in _touched(view):
            enum = _defined(view, file, name)
            if enum is not None and name not in {each.name for each in self._enums(view)}:
                yield from _incomplete(view, file, enum, self._switches(file.head, enum))

    def _behind(self, view: SymbolView) -> Iterator[Hit]:
        """The places that an enumeration of this change outgrew."""
        for each in self._enums(view):
            hits = (*view.found.get(each.name, ()), *view.found.get(each.old[0], ()))
            for path in sorted({hit.path for hit in hits}):
                if _family(path) != _family(each.file.path) or is_test_path(path):
                    continue
                source = view.repository.read(path, Side.HEAD)
                for switch in self._switches(source, each):
                    missing = [name for name in each.new if name not in switch.listed]
                    if missing and switch.listed >= set(each.old) and not switch.serves_others:
                        yield hit_in(
                            view,
                            path,
                            switch.span,
                            _named(each.name, missing),
                            cause=Anchor(each.file.path, each.line),
                            evidence=_where(each),
                            fixes=_refused(path, switch, each.name, missing),
                        )

    def _enums(self, view: SymbolView) -> list[_Grown]:
        if self._grown is None:
            self._grown = [each for file in view.change.files for each in _grown(file)]
        return self._grown

    def _switches(self, source: Source | None, each: _Grown) -> Iterator[Switch]:
        """The places of a text that list members; a file of Python is parsed once, for all that grew."""
        if source is None:
            return
        if _family(source.path) in {"cpp", "typescript"}:
            yield from brace_switches(source, each.name, (*each.old, *each.new))
        elif _family(source.path) == "python" and each.name in source.text:
            if source.path not in self._trees:
                self._trees[source.path] = parse_or_none(source)
            tree = self._trees[source.path]
            yield from python_switches(tree, each.name) if tree is not None else ()


def _touched(view: SymbolView) -> list[tuple[FileChange, str]]:
    """The changed files with a case that was added or taken out, and the enumeration that it names."""
    found: dict[tuple[str, str], tuple[FileChange, str]] = {}
    for file in view.change.files:
        head, base = file.head, file.base
        if head is not None and not is_test_path(file.path) and _family(file.path):
            gone = [base.index.line(line) for line in sorted(file.removed)] if base is not None else []
            for name in _TOUCHED.findall("\n".join([*file.added_lines, *gone])):
                if name in head.text:
                    found[file.path, name] = (file, name)
    return list(found.values())


def _defined(view: SymbolView, file: FileChange, name: str) -> _Grown | None:
    """The one enumeration of the repository with a name, in the language of a file."""
    makes = re.compile(
        rf"\s*(?:/\*.*?\*/\s*)*(?:typedef\s+|export\s+|declare\s+|const\s+)*(?:enum\s+(?:class\s+|struct\s+)?|class\s+){name}\b(?!\s*;)"
    )
    homes = {
        hit.path
        for hit in view.found.get(name, ())
        if makes.match(hit.text) and _family(hit.path) == _family(file.path) and not is_test_path(hit.path)
    }
    source = view.repository.read(homes.pop(), Side.HEAD) if len(homes) == 1 else None
    members = _enums_of(source).get(name, ()) if source is not None else ()
    return _Grown(file, name, members, (), 0) if members else None


def _incomplete(view: SymbolView, file: FileChange, enum: _Grown, switches: Iterable[Switch]) -> Iterator[Hit]:
    """The places of a file whose cases were touched and that lack few of many members."""
    for switch in switches:
        missing = [name for name in enum.old if name not in switch.listed and not _NO_VALUE.fullmatch(name)]
        if switch.kind not in {"match", "switch"} or switch.serves_others or not 0 < len(missing) <= MISSING:
            continue
        touched = sorted((file.added | _gaps(file)) & set(switch.lines))
        if len(switch.listed) >= NEARLY and switch.listed <= set(enum.old) and touched:
            named, cause = _named(enum.name, missing), Anchor(file.path, touched[0])
            fixes = _refused(file.path, switch, enum.name, missing)
            yield hit_in(view, file.path, switch.span, named, cause=cause, fixes=fixes)


def _refused(path: RelPath, switch: Switch, enum: str, missing: Sequence[str]) -> tuple[Fix, ...]:
    """Refuse the missing members by branches of their own, for somebody to fill."""
    gap = switch.gap
    if gap is None:
        return ()
    how = "like all others" if gap.shared else "in a branch of its own"
    edit = Edit(path, Span(gap.at, gap.at), "", gap.refusing(missing))
    return (Fix(f"Refuse {_named(enum, missing)} {how}", safe=False, edits=(edit,)),)


def _named(enum: str, missing: Sequence[str]) -> str:
    return few([f"{enum}.{name}" for name in missing], NAMED)


def _gaps(file: FileChange) -> set[int]:
    """The lines of the head beside those that were taken out."""
    return {file.line_map.nearest(line) for line in file.removed}


def _where(each: _Grown) -> tuple[Evidence, ...]:
    return (evidence_at(each.file.head, each.line, "new member"),) if each.file.head is not None else ()


def _grown(file: FileChange) -> Iterator[_Grown]:
    """The enumerations of a changed file that got members and lost none."""
    if file.base is None or file.head is None or not file.added or "num" not in file.head.text:
        return
    before = _enums_of(file.base)
    for name, members in _enums_of(file.head).items() if before else ():
        old = before.get(name, ())
        new = tuple(member for member in members if member not in old)
        if len(old) >= FEWEST and new and set(old) <= set(members):
            line = _line(file, new[0])
            if line is not None:
                yield _Grown(file, name, old, new, line)


def _line(file: FileChange, member: str) -> int | None:
    """The added line that defines a member."""
    head = file.head
    return next(
        (line for line in sorted(file.added) if head is not None and member in head.index.line(line)),
        None,
    )


def _enums_of(source: Source) -> dict[str, tuple[str, ...]]:
    family = _family(source.path)
    if family in {"cpp", "typescript"}:
        return brace_enums(source)
    if family != "python" or "Enum" not in source.text:
        return {}
    try:
        return python_enums(parse(source).tree)
    except NotPythonError:
        return {}


def _family(path: RelPath) -> Literal["", "cpp", "python", "typescript"]:
    """The languages that can speak of each other's enumerations; "" for one that is not looked at."""
    language = language_of(path)
    if language in C_FAMILY:
        return "cpp"
    if language in {"typescript", "tsx"}:
        return "typescript"
    return "python" if language == "python" else ""


CHECKER: Final = EnumSwitchDrift
