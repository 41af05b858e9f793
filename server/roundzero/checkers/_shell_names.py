"""Shells for removed_symbol_elsewhere: functions that went, and the commands that still call them.

A script knows its own functions and those of the scripts that it reads. Invariant: a name that a program may have is
nobody's to lose.
"""

from __future__ import annotations

import posixpath
import re
from functools import partial
from typing import TYPE_CHECKING, Final

from roundzero.checkers._gone_definitions import Gone, Use
from roundzero.checkers._shell import parse_shell
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.checkers._gone_definitions import Around
    from roundzero.checkers._shell import Shell
    from roundzero.core.change import FileChange, Source
    from roundzero.core.text import RelPath

_FUNCTION: Final = regex(r"^[ \t]*(?:function[ \t]+(?P<a>[\w:-]+)|(?P<b>[\w:-]+)[ \t]*\([ \t]*\))", re.MULTILINE)
_OWN_WORD: Final = regex(r"\w*[a-z0-9]_+\w+|_\w+|\w+::\w+|[a-zA-Z]*[a-z][A-Z]\w*|main|usage|die|cleanup|bail|fatal")
"""A name that no program has: those have neither underscores nor capitals inside, as good as never."""
_SOURCES: Final = frozenset({".", "source"})
_LED: Final = regex(r"^[\"']?(?:\$\{[^}]*\}|\$\w+|\$\([^()]*(?:\([^()]*\)[^()]*)*\)|`[^`]*`)/(?P<rest>[\w./-]+)[\"']?$")


class _Shell:
    """Functions of shells."""

    languages = frozenset({"bash"})
    by_path = False
    defines = _FUNCTION

    def gone(self, file: FileChange, base: Source) -> Iterator[Gone]:
        """The functions that the file no longer defines."""
        there = set(parse_shell(file.head.text).functions) if file.head is not None else set()
        known = parse_shell(base.text).functions
        for match in _FUNCTION.finditer(blanked(base)):
            group = "a" if match["a"] else "b"
            name = match[group]
            if name in known and name not in there and _OWN_WORD.fullmatch(name):
                yield Gone(file=file, base=base, name=name, kind="own", offset=match.start(group), word=name)

    def uses(self, gone: Gone, around: Around) -> Iterator[Use]:
        """The calls in the file itself and in files that source it."""
        name = re.escape(gone.name)
        defines = re.compile(
            rf"(?<![\w-]){name}[ \t]*\([ \t]*\)|\bfunction[ \t]+{name}\b|\balias[ \t]+{name}=|/{name}(?![\w-])"
            rf"|(?:command|type|declare|typeset|which|hash)\s+(?:-\w+\s+)*{name}\b"
        )
        substituted = re.compile(rf"(?:\$\(|`)[ \t]*({name})(?=[\s)`;])")
        name_of_file = posixpath.basename(gone.file.path)
        for hit in around.hits(gone):
            if defines.search(hit.text):
                other = around.source(hit.path)
                if (
                    hit.path == gone.file.path
                    or other is None
                    or name_of_file in other.text
                    or _reads_others(gone, around)
                ):
                    return
        for path in around.naming(gone, self.languages):
            source = around.source(path)
            if source is None or not (path == gone.file.path or _sources(source, gone.base.path, around)):
                continue
            shell = _script(source, around)
            if gone.name in shell.functions:
                continue
            text = around.once(("with strings", path), partial(blanked, source, strings=False))
            for match in substituted.finditer(text):
                yield Use(path, match.start(1), match.end(1))
            for command in shell.commands:
                if command.words and command.words[0].text == gone.name:
                    yield Use(path, command.words[0].start, command.words[0].end)


def _script(source: Source, around: Around) -> Shell:
    return around.once(("script", source.path), partial(parse_shell, source.text))


def _reads_others(gone: Gone, around: Around) -> bool:
    """Whether the file that lost a function reads others, or is a library that others read."""
    source = around.source(gone.file.path)
    if source is None or not source.text.startswith("#!"):
        return True
    return any(command.name in {*_SOURCES, "eval"} for command in _script(source, around).commands)


def _sources(source: Source, path: RelPath, around: Around) -> bool:
    """Whether a script reads a file of this path."""
    for command in _script(source, around).commands:
        if command.name not in _SOURCES or not command.arguments:
            continue
        word = command.arguments[0]
        led = _LED.match(word.text)
        rest = led["rest"] if led is not None else word.plain
        folder = posixpath.dirname(source.path)
        if path in {posixpath.normpath(posixpath.join(folder, rest)), posixpath.normpath(rest)}:
            return True
        if led is not None and f"/{path}".endswith("/" + posixpath.normpath(rest)):
            return sum(f"/{each}".endswith("/" + posixpath.normpath(rest)) for each in around.paths) <= 1
    return False


FAMILY: Final = _Shell()
"""The shells that scripts are written for."""
