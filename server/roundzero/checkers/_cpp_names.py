"""C and C++ for removed_symbol_elsewhere: what a text declared, and who still needs it.

No compiler: a name is whatever anything in the repository calls so. So a declaration, definition, parameter or local
variable of that name anywhere is enough for silence, as is whatever may make one: a generator's source, a macro that
pastes it, an include of something outside that the change adds. Invariant: a place that cannot be told counts as one
that declares.
"""

from __future__ import annotations

import posixpath
import re
from functools import partial
from typing import TYPE_CHECKING, Final

from roundzero.checkers._cpp_roles import SAYS, declares, role
from roundzero.checkers._cpp_scopes import declarations, without_directives
from roundzero.checkers._cpp_text import C_FAMILY
from roundzero.checkers._documents import DOCUMENTS
from roundzero.checkers._gone_definitions import MOST_FILES, Gone, Use, added_lines, words_in
from roundzero.core.change import SUBMODULE
from roundzero.core.item import language_of
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.checkers._gone_definitions import Around
    from roundzero.core.change import FileChange, Source
    from roundzero.core.ports import GrepHit
    from roundzero.core.text import RelPath

_OWN: Final = regex(r"\w*[a-z0-9]_[a-z0-9]\w*|[A-Za-z]?\w*[a-z0-9][A-Z]\w*|[A-Z][A-Z0-9]*_[A-Z0-9_]+")
"""A name that people choose: parts joined by underscores or capitals."""
SHORTEST: Final = 5
"""Shortest name, in code points, that is looked for."""
_HARMLESS: Final = frozenset({"java", "go", "json", "yaml", "typescript", "javascript", "tsx", "jsx", "html", "css"})
"""Languages whose files make no C++."""
_BUILDS: Final = frozenset({"cmake", "starlark", "make", "bash", "dockerfile"})
_GIVEN: Final = frozenset({"macro", "constant"})
"""What a build may define with ``-D``, the name directly behind it."""
_CPP_WORD: Final = r"(?:struct|enum|void|bool|auto|static|inline|template|using|typedef|define)"
_GENERATES: Final = (".proto", ".fbs", ".td", ".thrift", ".idl", ".capnp", ".y", ".l", ".in", ".j2", ".tmpl")
_DEPENDS: Final = regex(
    r"(?:^|/)(?:WORKSPACE|WORKSPACE\.bazel|MODULE\.bazel|\.gitmodules|vcpkg\.json|conanfile\.\w+|repositories\.bzl|[\w-]*deps?\.bzl"
    r"|[\w-]*dependenc\w*\.(?:bzl|cmake)|DEPS|workspace\d*\.bzl)$"
)
_INCLUDES: Final = regex(r"^\s*#\s*include\s*(?P<mark>[<\"])(?P<path>[^>\"]+)")
_USING: Final = regex(r"^\s*using\s+namespace\b")
_PASTED: Final = regex(r"\b[A-Z][A-Z0-9_]*\s*\(([^()]*)")
_CALLED: Final = regex(r"\s*\(")
_ACCESSORS: Final = ("set_", "mutable_", "has_", "clear_", "add_", "get_", "release_")


class _Cpp:
    """C, C++ and CUDA as one."""

    languages = C_FAMILY
    by_path = False
    defines = regex(
        r"[\w>*&\]]\s+[*&]*\w+\s*\(|^\w+\s*\(|\b(?:class|struct|enum|union|using|typedef|const|constexpr)\b"
        r"|^\s*#\s*define\b"
    )

    def gone(self, file: FileChange, base: Source) -> Iterator[Gone]:
        """The names that a file no longer declares at all."""
        index = base.index
        lines = [(index.line_start(line), index.line_start(line + 1)) for line in sorted(file.removed)]
        rows = [
            each
            for each in declarations(blanked(base), lines)
            if len(each.name) >= SHORTEST and not each.conditional and _OWN.fullmatch(each.name)
        ]
        head = blanked(file.head) if rows and file.head is not None else ""
        for each in rows:
            name = each.name
            if any(declares(head, at, name) for at in words_in(head, name)):
                continue
            yield Gone(
                file=file,
                base=base,
                name=name,
                kind=each.kind,
                offset=each.offset,
                word=name,
                scopes=each.scopes,
                also=(f"D{name}",) if each.kind in _GIVEN else (),
            )

    def uses(self, gone: Gone, around: Around) -> Iterator[Use]:
        """The places that need it, where nothing in the repository may declare it."""
        if _may_be_made(gone, around):
            return
        paths = {hit.path for hit in around.hits(gone) if language_of(hit.path) in C_FAMILY}
        if len(paths) > MOST_FILES or any(_says(hit, gone.name) for hit in around.hits(gone)):
            return
        found: list[Use] = []
        for path in sorted(paths):
            code = around.code(path)
            if not code or any(declares(code, at, gone.name, gone.scopes) for at in words_in(code, gone.name)):
                return
            live = around.once(("live", path), partial(without_directives, code))
            found += _uses_in(gone, path, code, live)
        known = set(around.naming(gone, C_FAMILY))
        yield from (use for use in found if use.path in known)


def _says(hit: GrepHit, name: str) -> bool:
    """Whether a line says at once that it gives the name a meaning."""
    line = hit.text
    at = line.find(name)
    return (
        language_of(hit.path) in C_FAMILY
        and at > 0
        and SAYS.search(line[:at]) is not None
        and not line.lstrip().startswith(("//", "*"))
    )


def _may_be_made(gone: Gone, around: Around) -> bool:
    """Whether something that is not C or C++ may declare the name, or the change brings what may."""
    if any(_makes(hit, gone) for hit in around.hits(gone)) or any(
        language_of(hit.path) not in C_FAMILY and not hit.path.endswith(DOCUMENTS) for hit in around.provided(gone)
    ):
        return True
    if around.once("brings C++", lambda: _brings(around)):
        return True
    parts = around.once("pasted in C++", lambda: _pasted(around))
    return any(len(part) >= SHORTEST - 1 and part in gone.name and part != gone.name for part in parts)


def _pasted(around: Around) -> frozenset[str]:
    """The words that added lines give to macros."""
    rows = (row for line in added_lines(around.change, C_FAMILY) for row in _PASTED.findall(line))
    return frozenset(word for row in rows for word in re.findall(r"\w+", row))


def _makes(hit: GrepHit, gone: Gone) -> bool:
    """Whether a line of another language may make C++ of it: a build file a macro, a generator anything."""
    language, name = language_of(hit.path), re.escape(gone.name)
    if language in C_FAMILY or language in _HARMLESS or hit.path.endswith(DOCUMENTS):
        return False
    if not re.search(rf"(?<![\w./]){name}(?![\w/]|\.\w)", hit.text):
        return False  # a part of a path
    if language in _BUILDS:
        return gone.kind in _GIVEN
    if language == "python" and gone.kind in _GIVEN and re.search(rf"[\"']{name}[\"'=]", hit.text):
        return True  # as setuptools' define_macros has it
    return language != "python" or re.search(rf"\b{_CPP_WORD}\b.*\b{name}\b", hit.text) is not None


def _brings(around: Around) -> bool:
    """Whether the change may give names a meaning without saying it."""
    change = around.change
    if any(file.path.endswith(_GENERATES) or _DEPENDS.search(file.path) for file in change.files):
        return True
    if any(skip.mode == SUBMODULE for skip in change.skipped):
        return True
    lines = list(added_lines(change, C_FAMILY))
    if any(_USING.match(line) or "##" in line for line in lines):
        return True
    included = {match["path"] for line in lines if (match := _INCLUDES.match(line)) is not None}
    return any(_is_outside(path, around) for path in included)


def _is_outside(path: str, around: Around) -> bool:
    """Whether an include is no file of the repository, nor a header of the standard library, which has no capitals."""
    if re.fullmatch(r"[a-z_]+", path) or re.fullmatch(r"c?(?:std\w+|string|math|assert|limits|errno)\.h", path):
        return False
    name = posixpath.basename(path)
    return not any(each.endswith(name) and posixpath.basename(each) == name for each in around.paths)


def _uses_in(gone: Gone, path: RelPath, code: str, live: str) -> Iterator[Use]:
    """The uses of what went in a text; ``live`` is what of it no directive takes out or may make something else."""
    is_known = gone.kind == "method" and not gone.name.startswith(_ACCESSORS) and gone.scopes[-1] in live
    for at in words_in(live, gone.name):
        what, qualifier = role(code, at, gone.name)
        end = at + len(gone.name)
        if gone.kind == "method":
            if what == "member" and is_known and _CALLED.match(live, end):
                yield Use(path, at, end)
        elif what == "brought" or (what == "used" and (qualifier is None or qualifier in gone.scopes)):
            yield Use(path, at, end)


FAMILY: Final = _Cpp()
"""C, C++ and CUDA."""
