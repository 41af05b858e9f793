"""TypeScript and JavaScript for removed_symbol_elsewhere: what a module exports, and who imports it by a relative path.

Regular expressions over a text without comments and strings; no packages, path aliases or ``baseUrl``. A module that
computes its exports, or passes on what a package has, may export anything. Invariant: an import counts only where all
files that it may mean are known and none exports the name.
"""

from __future__ import annotations

import posixpath
import re
from functools import partial
from typing import TYPE_CHECKING, Final

from roundzero.checkers._ecmascript_exports import NAME, exports, possible_exports
from roundzero.checkers._ecmascript_own import own_gone, own_uses
from roundzero.checkers._gitignore import GitIgnore
from roundzero.checkers._gone_definitions import Gone, Use
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.checkers._gone_definitions import Around
    from roundzero.core.change import FileChange, Source

MODULE: Final = "*"
"""The name of a module itself."""
_LANGUAGES: Final = frozenset({"javascript", "jsx", "typescript", "tsx"})
_IMPORTED: Final = regex(
    rf"\b(?:import|export)\s+(?:type\s+)?(?P<clause>[\w$\s{{}},*]{{1,4000}}?)\s*\bfrom(?![\w$])|(?<![\w.$])(?:const|let|var)\s+(?P<bound>{NAME}|\{{[^{{}}]*\}})\s*=\s*(?:await\s+)?(?:require|import)\s*\("
)
_IMPORTS: Final = regex(
    r"^[^\S\n]*(?:(?:import|export)\b[\w$\s{},*]{1,4000}?\bfrom(?![\w$])|import\b(?=\s))", re.MULTILINE
)
_SPECIFIER: Final = regex(r"\s*(?P<quote>[\"'])(?P<path>\.[^\"'\n]*)(?P=quote)")
_ENTRY: Final = regex(
    rf"\s*(?:type\s+)?(?P<name>{NAME})(?:\s*(?:as\s|:)\s*(?P<local>{NAME}))?(?:\s*=.*)?\s*", re.DOTALL
)
_PART: Final = regex(r"[^,{}]+")
_NAMESPACE: Final = regex(rf"\*\s*as\s+({NAME})")
_FIRST: Final = regex(rf"\s*({NAME})")
_FALLS_BACK: Final = regex(r"\s*(?:\?\.|\?\?|\|\||&&|=(?!=)|\?(?!\.))")
_AUGMENTS: Final = regex(r"\bdeclare\s+module\b")
_EXPECTED: Final = regex(r"@ts-(?:ignore|expect-error|nocheck)")
_MEANT: Final = regex(r"\b(?:typeof|delete|in)\s*$|!\s*$")
_WRITTEN_FOR: Final = {
    ".js": (".ts", ".tsx", ".d.ts"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_SUFFIXES: Final = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".json", ".vue", ".svelte")
_READ: Final = (".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")
_DEEPEST: Final = 6
"""How many ``export *`` in a row are followed."""
_BEFORE: Final = 30
"""Code points before a use that say whether it is asked for rather than used."""


class _Ecmascript:
    """Modules and their importers."""

    languages = _LANGUAGES
    by_path = True
    defines = regex(
        r"\bexports?\b|^(?:async\s+)?(?:function|class|const|let|var|enum|abstract)\b|^\s+[\w$]+(?:\s+as\s+[\w$]+)?,?\s*$"
    )

    def gone(self, file: FileChange, base: Source) -> Iterator[Gone]:
        """The exports that went, and top-level functions and classes that the file itself may still call."""
        code = blanked(base)
        before = exports(code)
        after = possible_exports(file.head) if file.head is not None and file.old_path is None else set()
        for name, (kind, offset) in before.names.items():
            if name not in after and _is_outermost(code, offset):
                word = name if name != "default" else _stem(base.path)
                yield Gone(file=file, base=base, name=name, kind=kind, offset=offset, word=word)
        if before.names and (file.head is None or file.old_path is not None):
            first = min(offset for _, offset in before.names.values())
            yield Gone(file=file, base=base, name=MODULE, kind="module", offset=first, word=_stem(base.path))
        if file.head is not None:
            told = before.names.keys() - after
            yield from (gone for gone in own_gone(file, base, code, file.head) if gone.name not in told)

    def uses(self, gone: Gone, around: Around) -> Iterator[Use]:
        """Imports that still mean the module, and calls in it."""
        if gone.file.head is not None and gone.name not in {"default", MODULE}:
            yield from own_uses(gone, around)
        if gone.kind == "own":
            return
        naming = around.naming(gone, _LANGUAGES)
        if any(around.once(("augments", path), partial(_augments, around, path)) for path in naming):
            return
        for path in naming:
            if path != gone.file.path or gone.file.old_path is not None:
                yield from _imports(gone, path, around)


def _augments(around: Around, path: RelPath) -> bool:
    return _AUGMENTS.search(around.code(path)) is not None


def _relative(pattern: re.Pattern[str], code: str, text: str) -> list[tuple[re.Match[str], re.Match[str]]]:
    """The imports of a text by a relative path, with that."""
    rows = ((match, _SPECIFIER.match(text, match.end())) for match in pattern.finditer(code))
    return [(match, specifier) for match, specifier in rows if specifier is not None]


def _is_outermost(code: str, offset: int) -> bool:
    """Whether the statement that exports a name stands in no block: one inside a namespace exports it from there."""
    at = code.rfind("export", 0, offset + 1)
    return at <= 0 or code[at - 1] in "\n." or code.count("{", 0, at) == code.count("}", 0, at)


def _imports(gone: Gone, path: RelPath, around: Around) -> Iterator[Use]:
    """The names in a file that are imported from where the definition was."""
    source = around.source(path)
    if source is None:
        return
    code, text = around.code(path), source.text
    if gone.name == MODULE:
        yield from _whole_imports(gone, source, code, around)
        return
    for match, specifier in around.once(("imports", path), lambda: _relative(_IMPORTED, code, text)):
        if not _means(path, specifier["path"], gone.base.path):
            continue
        if not _is_lost(gone, path, specifier["path"], around) or _is_replaced(text, specifier["path"]):
            continue
        at = match.start("clause") if match["clause"] is not None else match.start("bound")
        clause = match["clause"] if match["clause"] is not None else match["bound"]
        passes_on = match["bound"] is None and code.startswith("export", match.start())
        for start, end in _named(gone, code, clause, at, is_bound=match["bound"] is not None, passes_on=passes_on):
            if not _is_expected(source, start):
                yield Use(path, start, end)


def _whole_imports(gone: Gone, source: Source, code: str, around: Around) -> Iterator[Use]:
    """The imports of a module that is not there any more, whatever they name."""
    rows = around.once(("whole imports", source.path), lambda: _relative(_IMPORTS, code, source.text))
    for match, specifier in rows:
        if not _means(source.path, specifier["path"], gone.base.path):
            continue
        if _is_lost(gone, source.path, specifier["path"], around) and not _is_expected(source, match.start()):
            yield Use(source.path, specifier.start("path"), specifier.end("path"))


def _named(
    gone: Gone, code: str, clause: str, at: int, *, is_bound: bool, passes_on: bool
) -> Iterator[tuple[int, int]]:
    """Where a clause, or a use of the namespace it binds, names what went."""
    braces = clause.find("{")
    for entry in _PART.finditer(clause, braces) if braces >= 0 else ():
        named = _ENTRY.fullmatch(entry.group())
        if named is not None and named["name"] == gone.name:
            start = at + entry.start() + named.start("name")
            yield start, start + len(gone.name)
    outer = clause[:braces] if braces >= 0 else clause
    space, plain = _NAMESPACE.search(outer), _FIRST.match(outer)
    if gone.name == "default":
        if plain is not None and not is_bound and not passes_on and plain[1] != "type":
            yield at + plain.start(1), at + plain.end(1)
        return
    bound = space or (plain if is_bound else None)
    if bound is not None and not passes_on and not _is_shadowed(code, bound[1], at):
        qualified = rf"(?<![\w$.]){re.escape(bound[1])}\s*\.\s*({re.escape(gone.name)})(?![\w$])"
        for use in re.finditer(qualified, code):
            before = code[max(0, use.start() - _BEFORE) : use.start()]
            if not _FALLS_BACK.match(code, use.end()) and not _MEANT.search(before):
                yield use.start(), use.end()


def _is_shadowed(code: str, name: str, at: int) -> bool:
    """Whether a name is bound again, as a parameter perhaps, or handed to somebody who may change what it has."""
    own = re.escape(name)
    again = re.compile(
        rf"(?:\b(?:const|let|var|function|class)\s+|[(,{{]\s*){own}\s*(?:[=,)}}:;]|in\b|of\b)|(?<![\w$.]){own}\s*=>"
    )
    return any(not at - _BEFORE < match.start() <= at for match in again.finditer(code))


def _candidates(importer: str, specifier: str) -> list[str]:
    """The files that a relative path in an import may mean."""
    place = posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier))
    stem, suffix = posixpath.splitext(place)
    written = [stem + each for each in _WRITTEN_FOR.get(suffix, ())]
    whole = [place] if specifier.rstrip("/") == specifier and suffix else []
    return [*whole, *written, *(place + each for each in _SUFFIXES), *(f"{place}/index{each}" for each in _SUFFIXES)]


def _means(importer: str, specifier: str, path: str) -> bool:
    return "?" not in specifier and path in _candidates(importer, specifier)


def _is_lost(gone: Gone, importer: RelPath, specifier: str, around: Around) -> bool:
    """Whether nothing that an import may mean exports the name."""
    there = [RelPath(path) for path in _candidates(importer, specifier) if path in around.paths]
    if not there:
        place = posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier))
        begins = (f"{place}.", f"{place}/", f"{posixpath.splitext(place)[0]}.")
        if any(path.startswith(begins) for path in around.paths):
            return False
        return not GitIgnore(around.repository).ignores(gone.base.path)
    return gone.name != MODULE and all(_lacks(path, gone.name, around, _DEEPEST) for path in there)


def _lacks(path: RelPath, name: str, around: Around, depth: int) -> bool:
    """Whether a module surely does not export a name."""
    source = around.source(path) if path.endswith(_READ) else None
    if source is None or depth == 0:
        return False
    found = around.once(("exports", path), lambda: exports(around.code(path)))
    if found.computed or name in around.once(("possible exports", path), lambda: possible_exports(source)):
        return False
    if name == "default":
        return bool(found.names) or bool(found.stars)
    for at in found.stars:
        specifier = _SPECIFIER.match(source.text, at)
        if specifier is None:
            return False
        there = [RelPath(each) for each in _candidates(path, specifier["path"]) if each in around.paths]
        if not there or not all(_lacks(each, name, around, depth - 1) for each in there):
            return False
    return True


def _is_replaced(text: str, specifier: str) -> bool:
    """Whether a test puts something else in a module's place."""
    return re.search(rf"\bmock\w*\(\s*[\"']{re.escape(specifier)}[\"']", text, re.IGNORECASE) is not None


def _is_expected(source: Source, at: int) -> bool:
    """Whether a comment above says that the import fails."""
    line = source.index.position(at).line
    return any(_EXPECTED.search(source.index.line(each)) for each in range(max(1, line - 2), line + 1))


def _stem(path: str) -> str:
    """The word by which imports name a module."""
    folder, name = posixpath.split(path)
    stem = name.partition(".")[0]
    return stem if stem != "index" else posixpath.basename(folder) or stem


FAMILY: Final = _Ecmascript()
"""TypeScript and JavaScript."""
