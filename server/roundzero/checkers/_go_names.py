"""Go for removed_symbol_elsewhere: what a package declares, and who names it, there and where it is imported.

A package is a folder; files for other systems count, so that a declaration anywhere in it is enough for silence.
Methods and fields are left alone: what has them is not known. Invariant: a bare name counts in a file only where
nothing in that file may bind it.
"""

from __future__ import annotations

import posixpath
import re
from functools import partial
from typing import TYPE_CHECKING, Final

from roundzero.checkers._gone_definitions import Gone, Use, added_lines, words_in
from roundzero.checkers._pairs import closing, opening
from roundzero.checkers._paths import folders_above
from roundzero.core.change import Side
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from roundzero.checkers._gone_definitions import Around
    from roundzero.core.change import FileChange, Source

_DECLARES: Final = regex(
    r"^func\s+(?P<function>\w+)\s*[(\[]|^type\s+(?P<type>\w+)|^(?:var|const)\s+(?P<value>\w+(?:\s*,\s*\w+)*)"
    r"|^(?P<block>var|const|type)\s*\(",
    re.MULTILINE,
)
_ROW: Final = regex(r"^\t(?P<names>[A-Za-z_]\w*(?:\s*,\s*\w+)*)\b", re.MULTILINE)
_ANY_ROW: Final = regex(r"(?:^|(?<=[(;]))[ \t]*(?P<names>[A-Za-z_]\w*(?:[ \t]*,\s*\w+)*)\b", re.MULTILINE)
"""A row of a block that nobody formatted, or something within a row."""
_PACKAGE: Final = regex(r"^package\s+(\w+)", re.MULTILINE)
_MODULE: Final = regex(r"^module\s+(\S+)", re.MULTILINE)
_DOT_IMPORT: Final = regex(r"^(?:import\s+|\t)\.\s*\"", re.MULTILINE)
_GENERATES: Final = regex(r"^//go:generate\b")
_BINDS_BEFORE: Final = regex(
    r"(?:\b(?:func|var|const|type|package|goto|break|continue|range\s*,)|\bfunc\s*\([^()]*\))\s*$"
)
_BINDS_AFTER: Final = regex(
    r"(?:[ \t]*,[ \t]*\w+)*[ \t]*:=|(?:[ \t]*,[ \t]*\w+)*[ \t]+(?:\[|\*\w|\.\.\.|<-chan\b|[A-Za-z_])"
)
_OF_MEMBERS: Final = regex(r"\b(?:interface|struct)\s*$")
_REQUIRED: Final = regex(r"^(?:require\s+|replace\s+|\t)(\S+)", re.MULTILINE)
_KEY: Final = regex(r"\s*:(?!=)")
_BEFORE: Final = 60
"""Code points before a name in which what binds it stands."""


class _Anything:
    """What a text declares that cannot be read."""

    def __contains__(self, name: object) -> bool:
        """Whether it may declare a name."""
        return True


_ANYTHING: Final = _Anything()


class _Go:
    """Packages and their importers."""

    languages = frozenset({"go"})
    by_path = False
    defines = regex(r"^(?:func\s+\w|type\b|var\b|const\b|\t\w)")

    def gone(self, file: FileChange, base: Source) -> Iterator[Gone]:
        """The names of a package that a file no longer declares."""
        there = _possible(file.head) if file.head is not None else set()
        for name, (kind, at) in declared(blanked(base)).items():
            if name not in there and name not in {"_", "main", "init"}:
                yield Gone(file=file, base=base, name=name, kind=kind, offset=at, word=name, scopes=_package(base.text))

    def uses(self, gone: Gone, around: Around) -> Iterator[Use]:
        """The uses in the package and in those that import it."""
        folder = posixpath.dirname(gone.base.path)
        if any(_GENERATES.match(line) for line in added_lines(around.change, self.languages)):
            return
        naming = around.naming(gone, self.languages)
        beside = [path for path in naming if posixpath.dirname(path) == folder]
        if any(gone.name in around.once(("declared", path), partial(_declared_in, around, path)) for path in beside):
            return
        for path in beside:
            source = around.source(path)
            if source is not None and _package(source.text) == gone.scopes and not _DOT_IMPORT.search(source.text):
                yield from _bare(gone, path, around)
        if not gone.name[0].isupper() or gone.base.path.endswith("_test.go"):
            return
        module = _import_path(gone.base.path, around)
        for path in naming if module is not None else ():
            yield from _qualified(gone, path, module or "", around)


def declared(code: str, row_of_block: re.Pattern[str] = _ROW) -> dict[str, tuple[str, int]]:
    """What a text without comments and strings declares for its package: kinds and offsets."""
    found: dict[str, tuple[str, int]] = {}
    for match in _DECLARES.finditer(code):
        if match["block"] is None:
            kind = next(each for each in ("function", "type", "value") if match[each] is not None)
            rows = [(match[kind], match.start(kind), kind)]
        else:
            kind = "type" if match["block"] == "type" else "value"
            end = closing(code, match.end() - 1)
            rows = [(row["names"], row.start("names"), kind) for row in row_of_block.finditer(code, match.end(), end)]
        for names, at, each in rows:
            for name in re.finditer(r"\w+", names):
                found.setdefault(name.group(), (each, at + name.start()))
    return found


def _possible(source: Source) -> set[str]:
    """What a text may declare, were some of its strings none."""
    return {*declared(blanked(source), _ANY_ROW), *declared(source.text, _ANY_ROW)}


def _declared_in(around: Around, path: RelPath) -> Container[str]:
    source = around.source(path)
    return _possible(source) if source is not None else _ANYTHING


def _package(text: str) -> tuple[str, ...]:
    match = _PACKAGE.search(text)
    return (match[1],) if match is not None else ()


def _bare(gone: Gone, path: RelPath, around: Around) -> Iterator[Use]:
    """The uses of a name in a file of its package; none where the file may bind it itself."""
    code, name = around.code(path), gone.name
    source = around.source(path)
    if source is None or _imports(source.text, name):
        return
    found: list[Use] = []
    for at in words_in(code, name):
        end = at + len(name)
        before = code[max(0, at - _BEFORE) : at]
        line = before.rpartition("\n")[2]
        if before.rstrip(" \t").endswith(".") or (_KEY.match(code, end) and not line.lstrip().startswith("case ")):
            continue
        if _BINDS_BEFORE.search(line) or _BINDS_AFTER.match(code, end) or _is_in_interface(code, at, line):
            return
        found.append(Use(path, at, end))
    yield from found


def _imports(text: str, name: str) -> bool:
    """Whether a file may call a package so: by an alias, or by a part of its path."""
    path = rf'(?:{name}[ \t]+"|(?:[\w.]+[ \t]+)?"[^"\n]*\b{name}\b[^"\n]*")'
    return re.search(rf"^(?:import\b|[ \t])[ \t(]*{path}", text, re.MULTILINE) is not None


def _is_in_interface(code: str, at: int, line: str) -> bool:
    """Whether a name begins its line between the braces of an interface or a struct: a method or a field."""
    brace = opening(code, at) if not line.strip() else None
    return brace is not None and _OF_MEMBERS.search(code[max(0, brace - _BEFORE) : brace]) is not None


def _import_path(path: RelPath, around: Around) -> str | None:
    """How a package is imported: its module's name, and the way from there."""
    folder = posixpath.dirname(path)
    for root in folders_above(path):
        source = around.source(RelPath(posixpath.join(root, "go.mod")))
        if source is not None:
            module = _MODULE.search(source.text)
            return (
                posixpath.normpath(posixpath.join(module[1], posixpath.relpath(folder or ".", root or ".")))
                if module
                else None
            )
    return None


def _qualified(gone: Gone, path: RelPath, module: str, around: Around) -> Iterator[Use]:
    """The uses of a name through the package that has lost it."""
    source = around.source(path)
    if source is None:
        return
    match = re.search(rf"^(?:import\s+|\t)(?P<alias>[\w.]+\s+)?\"{re.escape(module)}\"", source.text, re.MULTILINE)
    alias = (match["alias"] or "").strip() if match is not None else "."
    alias = alias or "".join(gone.scopes)
    if alias in {".", "_", ""} or _provided(gone, module, around):
        return
    code, own = around.code(path), re.escape(alias)
    if re.search(
        rf"\b{own}\s*(?:,\s*\w+\s*)*:=|\w\s*,\s*{own}\s*:=|\b(?:var|const)\s+{own}\b|[(,]\s*{own}\s+[*\[\w]", code
    ):
        return
    for use in re.compile(rf"(?<![\w.)\]])\b{own}\s*\.\s*({re.escape(gone.name)})\b").finditer(code):
        yield Use(path, use.start(), use.end())


def _provided(gone: Gone, module: str, around: Around) -> bool:
    """Whether a package that has no file left may come from another module now, or be generated."""
    folder = posixpath.dirname(gone.base.path)
    if any(posixpath.dirname(path) == folder and path.endswith(".go") for path in around.paths):
        return False
    for path in around.paths:
        if posixpath.basename(path) == "go.mod":
            source = around.repository.read(path, Side.HEAD)
            required = _REQUIRED.findall(source.text) if source is not None else []
            if any(module == each or module.startswith(f"{each}/") for each in required):
                return True
    return False


FAMILY: Final = _Go()
"""The language Go."""
