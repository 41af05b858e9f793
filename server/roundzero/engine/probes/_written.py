"""Where a text of another language than Python writes down the definition of a name, and where it surely calls it.

No parser: patterns as ctags has them, on the lines that hold the name, over text whose comments and strings are blank.
They see what is written the usual way; what they do not see is not known to be absent. Invariants: a declaration
without a body is no definition of a function; what stands under a condition of the preprocessor, include guards aside,
is neither a definition nor a use.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.core.text import RelPath
    from roundzero.engine.probes._view import ProbeView

Kind = Literal["function", "class", "other"]

_MOST_FILES: Final = 30
"""Files whose text is read for one name; of a name that more of them hold nothing is said."""

_BEFORE: Final = 3
"""Lines before a name on which its definition may begin."""

_MOST_HEAD: Final = 2_000
"""Characters from a name to the body of its function."""

_C: Final[Mapping[Kind, str]] = {
    "function": r"^[ \t]*(?!(?:return|else|new|delete|throw|case|goto|typedef|using|co_\w+)\b)"
    r"(?:(?:[A-Za-z_][\w:]*(?:<[^;{{}}()]*>)?|\[\[[^\]]*\]\])[\s*&]+)+(?:\w+::)*{name}\s*\(",
    "class": r"^[ \t]*(?:template\s*<[^;{{}}]*>\s*)?(?:typedef\s+)?"
    r"(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(?:[A-Z][A-Z0-9_]+\s+)?{name}\s*(?:final\s*)?(?::(?!:)[^;{{}}]*)?\{{",
    "other": r"^[ \t]*(?:#[ \t]*define[ \t]+{name}\b|using\s+{name}\s*=|"
    r"(?:(?:static|inline|constexpr|constinit|const)\s+)+[\w:<>,*& \t]*[\s*&]{name}\s*(?:=|\[|\{{))",
}
_JS: Final[Mapping[Kind, str]] = {
    "function": r"^(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*{name}\s*[(<]",
    "class": r"^(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:class|interface|enum)\s+{name}\b",
    "other": r"^(?:export\s+)?(?:(?:const|let|var)\s+{name}\s*[=:]|type\s+{name}\s*[=<])",
}
_FORMS: Final[Mapping[str, Mapping[Kind, str]]] = {
    **dict.fromkeys(("c", "cpp", "cuda"), _C),
    **dict.fromkeys(("javascript", "jsx", "typescript", "tsx"), _JS),
    "bash": {
        "function": r"^(?:function[ \t]+{name}\b|{name}[ \t]*\([ \t]*\))",
        "other": r"^(?:(?:export|readonly|declare(?:[ \t]+-\w+)*)[ \t]+)?{name}=",
    },
    "go": {
        "function": r"^func\s+(?:\([^()]*\)\s*)?{name}\s*[(\[]",
        "class": r"^type\s+{name}\b",
        "other": r"^(?:var|const)\s+{name}\b",
    },
}
"""By language, how a definition begins on its first line: ``name`` stands for what is defined."""

_FAMILY: Final[Mapping[str, str]] = {
    **dict.fromkeys(("c", "cpp", "cuda"), "c"),
    **dict.fromkeys(("javascript", "jsx", "typescript", "tsx"), "js"),
}
_AFTER: Final = regex(r"\s*(?:(?:const|noexcept|override|final|mutable|volatile|&&?|->\s*[\w:<>,*& ]+)\s*)*\{")
"""What stands between a function's parameters and its body."""
_BRANCH: Final = regex(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|endif)\b[ \t]*(\w*)", re.MULTILINE)
_DEFINE: Final = regex(r"[^\n]*\n\s*#[ \t]*define[ \t]+(\w+)")
_BRACE: Final = regex(r"[{}]")
_OF_SOMETHING: Final = regex(r"(?:\.|->|::)\s*$")
_COMMAND: Final = regex(r"(?:^|[;&|({`!]|\b(?:if|then|else|elif|do|while|until)\b)[ \t]*$")
_WORD_ENDS: Final = regex(r"[ \t]*(?:$|[;&|)}`])|[ \t]+[^\s=(]")
_TYPE: Final = regex(r"[\w>*&\]][ \t*&]*$")
"""What stands before a name that a line declares."""
_KEYWORD: Final = regex(
    r"\b(?:return|else|do|throw|await|yield|case|go|defer|in|of|and|or|not|typeof|void|co_\w+)[ \t]*$"
)


@dataclass(frozen=True, slots=True)
class Written:
    """A definition as it is written, at a line from 1; ``last`` is where its body ends, as far as that is seen."""

    path: RelPath
    line: int
    kind: Kind
    last: int

    @property
    def words(self) -> str:
        """Where it is."""
        return f"{self.path}:{self.line}"


def is_readable(path: RelPath | None) -> bool:
    """Whether definitions in a file are known by how they are written, by its name."""
    return path is not None and language_of(path) in _FORMS


def family_of(path: RelPath) -> str:
    """Which files may use what this one defines."""
    language = language_of(path) or ""
    return _FAMILY.get(language, language)


def definitions(view: ProbeView, path: RelPath, name: str) -> list[Written]:
    """The definitions of a name that a file surely has, in order."""
    if not is_readable(path) or not (lines := [hit.line for hit in view.hits(name) if hit.path == path]):
        return []
    text = view.code(path)
    return _written(path, text, name, lines) if text is not None else []


def all_definitions(view: ProbeView, near: RelPath, name: str) -> list[Written] | None:
    """Those of all files of a language, ``near`` one of them; None where too many name it."""
    paths = _family(view, near, name)
    return None if paths is None else [each for path in paths for each in definitions(view, path, name)]


def lost(view: ProbeView, near: RelPath, name: str) -> RelPath | None:
    """A file of ``near``'s language in which the change takes the definition of a name away."""
    for file in view.change.files:
        base = file.base
        if (
            base is None
            or name not in base.text
            or family_of(base.path) != family_of(near)
            or not is_readable(base.path)
        ):
            continue
        lines = [number for number, line in enumerate(base.text.split("\n"), 1) if name in line]
        if _written(base.path, blanked(base), name, lines) and not definitions(view, file.path, name):
            return file.path
    return None


def calls(view: ProbeView, site: Written, name: str) -> Iterator[tuple[RelPath, int]]:
    """The lines outside of its own body that surely call the one function of a name, by no other's name."""
    family = family_of(site.path)
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?!\w)")
    for hit in view.hits(name):
        if family_of(hit.path) != family or (hit.path == site.path and site.line <= hit.line <= site.last):
            continue
        text = view.code(hit.path)
        if text is None or _is_conditional(text, start := _start_of(text, hit.line)):
            continue
        line = text[start:].partition("\n")[0]
        if any(_is_call(line, found, family) for found in word.finditer(line)):
            yield hit.path, hit.line


def _family(view: ProbeView, near: RelPath, name: str) -> list[RelPath] | None:
    paths = list(dict.fromkeys(hit.path for hit in view.hits(name) if family_of(hit.path) == family_of(near)))
    return paths if len(paths) <= _MOST_FILES else None


def _written(path: RelPath, text: str, name: str, lines: Iterable[int]) -> list[Written]:
    """The definitions whose name stands on one of some lines."""
    language = language_of(path) or ""
    found: dict[tuple[int, Kind], Written] = {}
    for line in lines:
        first, end = _start_of(text, max(1, line - _BEFORE)), _start_of(text, line + 2)
        for kind, form in _FORMS[language].items():
            for match in re.compile(form.format(name=re.escape(name)), re.MULTILINE).finditer(text, first, end):
                at = text.rindex(name, 0, match.end())
                body = _body(text, match.end() - 1, language) if kind == "function" else match.end()
                if body is None or _is_conditional(text, at):
                    continue
                row = text.count("\n", 0, at) + 1
                found[row, kind] = Written(path, row, kind, text.count("\n", 0, _end(text, body)) + 1)
    return [found[key] for key in sorted(found)]


def _body(text: str, start: int, language: str) -> int | None:
    """Where the body of a function may begin, whose parameters do at ``start``; None where none follows, in C."""
    if _FAMILY.get(language) != "c":
        return start
    depth = 0
    for at in range(start, min(len(text), start + _MOST_HEAD)):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            depth -= 1
            if depth == 0:
                after = _AFTER.match(text, at + 1)
                return after.end() - 1 if after is not None else None
        elif text[at] == ";":
            return None
    return None


def _end(text: str, start: int) -> int:
    """Where the braces that open next close; the end of the text where they do not."""
    depth = 0
    for found in _BRACE.finditer(text, start):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.start()
    return len(text)


def _is_conditional(text: str, at: int) -> bool:
    """Whether a place of a text is left to the preprocessor: within ``#if``, but for a guard around the whole file."""
    conditions: list[bool] = []
    for number, found in enumerate(_BRANCH.finditer(text, 0, at)):
        if found[1] == "endif":
            del conditions[-1:]
            continue
        defines = _DEFINE.match(text, found.end())
        guard = number == 0 and found[1] == "ifndef" and defines is not None and defines[1] == found[2]
        conditions.append(not guard)
    return any(conditions)


def _is_call(line: str, found: re.Match[str], family: str) -> bool:
    """Whether a name on a line is called there, by itself."""
    before, after = line[: found.start()], line[found.end() :]
    if family == "bash":
        return _COMMAND.search(before) is not None and _WORD_ENDS.match(after) is not None
    if _OF_SOMETHING.search(before) or not after.lstrip().startswith("("):
        return False
    return _TYPE.search(before) is None or _KEYWORD.search(before) is not None


def _start_of(text: str, line: int) -> int:
    """Where a line (from 1) begins; the end of the text past its last one."""
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
        if at == 0:
            return len(text)
    return at
