"""Behaviour that forks by a macro inside a function of C or C++, and what of the build decides the macro.

A fork is an ``#if`` in the body of a function whose condition names a macro that is not the compiler's own. Whether
the macro comes from the build is told by lines that name it in build files; which configurations of Bazel set it, and
which scripts and workflows name one of these, by the lines with ``--config``. Nothing is evaluated. Invariant: a fork
lies on one line, and its macro is written there.
"""

from __future__ import annotations

import posixpath
import re
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from roundzero.checkers._ci_selection import is_own_script
from roundzero.checkers._cpp_text import C_FAMILY, CLASS, before_body, functions
from roundzero.checkers._pairs import closing
from roundzero.checkers._paths import is_test_path
from roundzero.core.few import few
from roundzero.core.item import language_of
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.core.change import FileChange, Source
    from roundzero.core.ports import GrepHit
    from roundzero.core.text import RelPath

CONFIG: Final = "--config"
"""The word by which scripts choose a configuration of Bazel, and configurations each other."""
MOST_NAMED: Final = 2
"""Scripts and tests that are named; of the rest is only said that there are more."""

_DIRECTIVE: Final = regex(r"^[ \t]*#[ \t]*(?:el)?if(?:n?def)?\b(?P<condition>(?:[^\n\\]|\\.)*)", re.MULTILINE)
_OPENS: Final = regex(r"[ \t]*#[ \t]*(?:el)?if")
_MACRO: Final = regex(r"\b(?!defined\b)[A-Za-z]\w{3,}\b(?!\s*\()")
_COMPILERS: Final = regex(r"NDEBUG|DEBUG|WIN32|WIN64|UNIX|APPLE|LINUX|ANDROID|(?:CUDA|TORCH|CUDART)_VERSION\w*")
_NAMED: Final = regex(r"(?P<name>(?:\w+::)*~?\w+)\s*\(")
_BUILD_NAME: Final = regex(
    r"(?:^|/)(?:[^/]*bazelrc|CMakeLists\.txt|GNUmakefile|[Mm]akefile(?:\.\w+)?|meson\.build|meson_options\.txt|SConstruct"
    r"|configure(?:\.ac|\.in)?|setup\.py|Jenkinsfile|[^/]*\.(?:cmake|mk|gn|gni|BUILD|gradle|pro|pri))$"
)
_OF_CONFIG: Final = regex(r"^\s*[a-z]+:(?P<config>[\w.-]+)\s")
_CHOOSES: Final = regex(r"--config[= ]\s*[\"']?(?P<config>[\w.-]+)")


class Fork(NamedTuple):
    """An ``#if`` in a function: the offset and text of its macro, its line, and whose function it is."""

    offset: int
    macro: str
    line: int
    owner: str
    function: str


class Decided(NamedTuple):
    """Who sets a macro: the first line of the build that does, its configuration, and the scripts that choose one."""

    where: GrepHit
    config: str
    scripts: tuple[RelPath, ...]


def added_forks(file: FileChange) -> list[Fork]:
    """The forks on lines that a change adds to a file of C or C++."""
    head = file.head
    if head is None or language_of(file.path) not in C_FAMILY or not any(map(_OPENS.match, file.added_lines)):
        return []
    return [fork for fork in forks(head) if fork.line in file.added]


def forks(source: Source) -> Iterator[Fork]:
    """The forks of a text."""
    text = blanked(source)
    coming = deque((each.end(), closing(text, each.end() - 1), each["name"]) for each in CLASS.finditer(text))
    begun: list[tuple[int, int, str]] = []
    for begin, end in functions(text):
        while coming and coming[0][0] <= begin:
            begun.append(coming.popleft())
        begun = [each for each in begun if each[1] >= begin]
        for match in _DIRECTIVE.finditer(text, begin, end):
            macro = next((each for each in _MACRO.finditer(match["condition"]) if _may_be_set(each.group())), None)
            if macro is not None:
                offset = match.start("condition") + macro.start()
                line = source.index.position(offset).line
                around = [name for _, last, name in begun if end <= last]
                yield Fork(offset, macro.group(), line, *_names(text, begin, around))


def _may_be_set(name: str) -> bool:
    return _COMPILERS.fullmatch(name) is None and name.upper() == name


def _names(text: str, begin: int, around: list[str]) -> tuple[str, str]:
    """The class and the name of the function whose body begins there, in these classes; "" where there is none."""
    named = _NAMED.search(before_body(text, begin))
    owner, _, function = named["name"].rpartition("::") if named is not None else ("", "", "")
    return owner.rpartition("::")[2] or (around[-1] if around else ""), function


def words_of(macros: Iterable[str]) -> set[str]:
    """What to look for in the repository to know who sets some macros."""
    names = set(macros)
    return {*names, *(f"D{name}" for name in names), *((CONFIG,) if names else ())}


def decided(macro: str, found: Mapping[str, tuple[GrepHit, ...]]) -> Decided | None:
    """Who sets a macro; None where no build file names it."""
    named = (*found.get(f"D{macro}", ()), *found.get(macro, ()))
    lines = [hit for hit in named if _is_build(hit.path) and not hit.text.lstrip().startswith("#")]
    if not lines:
        return None
    first = [match["config"] for hit in lines for match in [_OF_CONFIG.match(hit.text)] if match is not None]
    configs = set(first)
    chosen = found.get(CONFIG, ())
    grown = True
    while grown:
        more = {
            match["config"]
            for hit in chosen
            for match in [_OF_CONFIG.match(hit.text)]
            if match is not None and configs & set(_CHOOSES.findall(hit.text))
        }
        grown = not more <= configs
        configs |= more
    scripts = {hit.path for hit in chosen if is_own_script(hit.path) and configs & set(_CHOOSES.findall(hit.text))}
    scripts |= {hit.path for hit in named if is_own_script(hit.path)}
    return Decided(lines[0], first[0] if first else "", tuple(sorted(scripts)))


def _is_build(path: RelPath) -> bool:
    return language_of(path) in {"starlark", "cmake", "make"} or _BUILD_NAME.search(path) is not None


def in_words(macro: str, answer: Decided, found: Mapping[str, tuple[GrepHit, ...]]) -> str:
    """Who sets a macro, who runs such a build and which tests name it, in terms that need no translation."""
    tests = sorted(
        {hit.path for hit in found.get(macro, ()) if is_test_path(hit.path) and language_of(hit.path) in C_FAMILY}
    )
    config = f" --config={answer.config}" if answer.config else ""
    where = f"{answer.where.path}:{answer.where.line}{config}"
    return f"{where}; scripts: {_names_of(answer.scripts)}; tests: {_names_of(tests)}"


def _names_of(paths: Iterable[str]) -> str:
    return few([posixpath.basename(path) for path in paths], MOST_NAMED) or "-"
