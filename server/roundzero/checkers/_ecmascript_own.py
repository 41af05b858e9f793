"""What a module of TypeScript or JavaScript still uses of what it defined itself.

Only functions, classes and variables of the top level, and only where the text is a module: what a script lacks may
come from another one. Invariant: a name counts only where no place in the module may bind it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._ecmascript_exports import GAP, KIND, NAME
from roundzero.checkers._gone_definitions import Gone, Use, words_in
from roundzero.checkers._pairs import closing, opening
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.checkers._gone_definitions import Around
    from roundzero.core.change import FileChange, Source

_DEFINED: Final = regex(
    rf"^(?:export\s+(?:default\s+)?)?(?:abstract\s+)?(?:async\s+)?(?:{KIND}|const|let|var){GAP}(?P<name>{NAME})",
    re.MULTILINE,
)
_TYPES: Final = frozenset({"interface", "type", "namespace", "module", "name"})
_MODULE: Final = regex(r"^(?:import|export)\b|(?<![\w.$])require\s*\(|(?<![\w.$])module\s*\.\s*exports\b", re.MULTILINE)
_BY_ITSELF: Final = regex(r"(?:^|/)(?:nuxt\.config\.\w+|auto-imports?\.d\.ts|\.umirc\.\w+)$")
"""Of a framework that imports names which a module does not."""
_GLOBAL_CLASS: Final = regex(
    r"[A-Z][a-z0-9]*|[A-Z]+[a-z]*|[A-Z]+\w*(?:Event|Error|Element|Array|List|Observer|Stream|Api|API)"
)
_GLOBALS: Final = frozenset(
    """
    alert atob blur btoa close confirm fetch find focus getSelection moveBy moveTo open postMessage print prompt
    reportError resizeBy resizeTo scroll scrollBy scrollTo stop describe it test expect suite context before after bench
    vi jest assert cy require define eval escape unescape gc global globalThis window document navigator location
    history console process module exports setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate
    queueMicrotask structuredClone requestAnimationFrame cancelAnimationFrame requestIdleCallback encodeURIComponent
    decodeURIComponent encodeURI decodeURI parseInt parseFloat isNaN isFinite beforeEach afterEach beforeAll afterAll
    importScripts getComputedStyle matchMedia self top parent name event status origin length frames performance crypto
    FormData WebSocket TextEncoder TextDecoder XMLHttpRequest AbortController AbortSignal BigInt WeakMap WeakSet WeakRef
    """.split()  # noqa: SIM905  a column of quotes would be read less well
)
_REACHED: Final = regex(r"(?<!\.\.)\.$")
_IS_KEY: Final = regex(r"\s*\??\s*:")
_CALLED: Final = regex(r"\s*(?:<[^<>(){};]*(?:<[^<>(){};]*>[^<>(){};]*)*>\s*)?\(")
_ASSIGNED: Final = regex(r"\s*(?:[-+*/|&?]{0,2}=(?![=>])|\+\+|--|=>)")
_BINDS: Final = regex(
    r"(?:\b(?:function|get|set|static|async|const|let|var|class|type|interface|enum|import|as|of|in|typeof)|\bfunction\s*\*"
    r"|[#@<:])$"
)
_NEEDS: Final = regex(
    r"(?:(?<![=!<>])=|=>|\|\||&&|\?\?|!|\b(?:return|new|await|extends|instanceof|yield|throw|default))$"
)
_METHOD: Final = regex(r"\)\s*(?:\{|=>|:[^:;,)?]*[{;\n])")
_TAKES: Final = regex(r"[)\]}]\s*(?:=(?!=)|\{|:|from\b|of\b|\)\s*(?:=>|\{|:))")
"""What follows a bracket that holds names to be bound."""
_NESTED: Final = regex(r"[\]}]\s*[,}\]]")
"""What follows a bracket that stands in another one that may hold such names."""
_DEEPEST: Final = 6
"""How many brackets are looked at around a name."""
_IN_PATTERN: Final = regex(r"(?:[=(,:;!&|?{}\[]|\breturn)\s*/(?![/*\s])[^/\n]*$")
"""The beginning of a regular expression that a name stands in."""
_BEFORE: Final = 30
"""Code points before a name that say what it does."""
_BLANKS: Final = 4000
"""Most white space, in code points, between a name and the bracket or comma before it: comments are blank here."""


def own_gone(file: FileChange, base: Source, code: str, head: Source) -> Iterator[Gone]:
    """The definitions of the top level that a text no longer has, while it still has their names."""
    now = blanked(head)
    there = {match["name"] for match in _DEFINED.finditer(now)}
    for match in _DEFINED.finditer(code):
        name, kind = match["name"], (match["kind"] or "").split()
        if name in there or (kind and kind[-1] in _TYPES) or next(words_in(now, name), None) is None:
            continue
        yield Gone(file=file, base=base, name=name, kind="own", offset=match.start("name"), word=name)


def own_uses(gone: Gone, around: Around) -> Iterator[Use]:
    """The uses in a module of what it does not define any more."""
    path, name = gone.file.path, gone.name
    code = around.code(path)
    if gone.kind in _TYPES or name in _GLOBALS or len(name) < 3 or _GLOBAL_CLASS.fullmatch(name):
        return
    if _MODULE.search(code) is None or around.once("imports by itself", lambda: _imports_by_itself(around)):
        return
    found: list[Use] = []
    for at in words_in(code, name):
        role = _role(code, at, at + len(name))
        if role == "binds":
            return
        if role == "needs":
            found.append(Use(path, at, at + len(name)))
    if found and not _is_global(gone, around):
        yield from found


def _is_global(gone: Gone, around: Around) -> bool:
    """Whether a line of the repository makes a name everybody's."""
    own = re.escape(gone.name)
    declared = re.compile(
        rf"\bdeclare\s+(?:function|const|let|var|class)\s+{own}\b"
        rf"|\b(?:window|globalThis|global|self)\s*\.\s*{own}\s*=|\bglobals?\b.*\b{own}\b"
    )
    return any(declared.search(hit.text) for hit in around.hits(gone))


def _imports_by_itself(around: Around) -> bool:
    return any(_BY_ITSELF.search(path) for path in around.paths)


def _role(code: str, at: int, end: int) -> str:
    """What a name does at a place: it ``binds``, ``needs`` a definition, or neither (``other``)."""
    before = code[max(0, at - _BEFORE) : at].rstrip()
    if _REACHED.search(before) or _IN_PATTERN.search(code[max(code.rfind("\n", 0, at) + 1, at - _BLANKS) : at]):
        return "other"
    if _IS_KEY.match(code, end) and before.endswith(("{", ",")):
        holder = _bracket(code, at)
        return "other" if holder is not None and code[holder] == "{" else "binds"
    called = _CALLED.match(code, end)
    if called is not None and before.endswith(("?", ":")):
        return "needs"
    binds = _BINDS.search(before) is not None or _ASSIGNED.match(code, end) is not None
    if not binds and _NEEDS.search(before) is None:
        bracket = _bracket(code, at) if called is None else None
        if called is not None:
            binds = _METHOD.match(code, closing(code, called.end() - 1)) is not None
        else:
            binds = bracket is None or _takes(code, bracket)
    return "binds" if binds else "needs"


def _takes(code: str, bracket: int) -> bool:
    """Whether a bracket, or one that it stands in, holds names to be bound."""
    around: int | None = bracket
    for _ in range(_DEEPEST):
        if around is None:
            return False
        end = closing(code, around)
        if _TAKES.match(code, end):
            return True
        around = opening(code, around, "([{") if _NESTED.match(code, end) else None
    return False


def _bracket(code: str, at: int) -> int | None:
    """The bracket around a place that stands directly behind it or a comma; None where nothing can be told."""
    is_member = code[max(0, at - _BLANKS) : at].rstrip().endswith(("(", "[", "{", ","))
    return opening(code, at, "([{") if is_member else None
