"""What C and C++ texts declare in namespaces and classes, without a grammar, comments and strings blanked before.

Braces are followed, bodies of functions skipped. What the preprocessor may leave out is marked. Invariant: offsets are
those of the text that was given.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from roundzero.checkers._pairs import closing
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LONGEST: Final = 4000
"""Longest statement, in code points up to its body, that is read: no person wrote a longer one."""

_DIRECTIVE: Final = regex(r"^[ \t]*#(?:[^\n\\]|\\(?:\r?\n|.)|\\)*", re.MULTILINE)
_DEAD: Final = regex(r"^[ \t]*#[ \t]*if[ \t]+0\b.*?^[ \t]*#[ \t]*(?:endif|else)\b", re.MULTILINE | re.DOTALL)
_INK: Final = regex(r"[^\n]")
_STOP: Final = regex(r"[;{}]")
_GOES_ON: Final = regex(r"\s*[;,)=]")
"""Behind a brace, what belongs to the statement before it."""
_NAMESPACE: Final = regex(r"\bnamespace\b(?P<name>[\w\s:]*)$")
_LINKAGE: Final = regex(r"\bextern\s*$")
_CLASS: Final = regex(
    r"(?<!enum )(?<!enum  )\b(?:class|struct|union)\s+(?:\w+\s*\([^()]*\)\s*|\[\[[^\]]*\]\]\s*|[A-Z][A-Z0-9_]+\s+)*"
    r"(?P<name>\w+)\s*(?:final\s*)?(?P<bases>:(?!:)[^;{}]*)?$"
)
_ENUM: Final = regex(r"\benum\s+(?:class\s+|struct\s+)?(?P<name>\w+)\s*(?::[\w\s:]+)?$")
_CALLABLE: Final = regex(r"(?<![\w~])(?P<owner>(?:\w+\s*::\s*)*)(?<![\w~])(?P<name>\w+)\s*\(")
_NO_NAME: Final = frozenset(
    {"if", "for", "while", "switch", "catch", "return", "decltype", "alignas", "noexcept", "explicit", "requires",
     "sizeof", "defined", "operator", "throw", "__attribute__", "__declspec", "static_assert", "else", "do"}
)  # fmt: skip
_CONSTANT: Final = regex(r"\b(?:const|constexpr)\b[^()=]*?(?<!\w)(?P<name>\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|$)")
_ALIAS: Final = regex(r"\busing\s+(?P<name>\w+)\s*=|\btypedef\b[^()]*?(?P<old>\w+)\s*(?:\[[^\]]*\])?$")
_ANGLES: Final = regex(r"<[^<>;{}]*>")
_TEMPLATE: Final = regex(r"\btemplate\s*<")
_INHERITED: Final = regex(r"\b(?:virtual|override|final|operator|friend|default)\b")
_DEFINE: Final = regex(r"[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)")
_CONDITION: Final = regex(r"[ \t]*#[ \t]*(?P<word>ifdef|ifndef|if|endif|else|elif)\b[ \t]*(?P<rest>[^\n]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A name that a text gives a meaning to: ``function``, ``method``, ``class``, ``type``, ``constant`` or ``macro``.

    ``scopes`` are the namespaces and classes around it. ``conditional``: some builds leave it out.
    """

    name: str
    kind: str
    offset: int
    scopes: tuple[str, ...] = ()
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class _Scope:
    kind: str
    name: str
    derived: bool = False


def directives(code: str) -> Iterator[re.Match[str]]:
    """The preprocessor's directives, with the lines that continue them."""
    return _DIRECTIVE.finditer(code)


def without_directives(code: str) -> str:
    """The text with its directives, and what ``#if 0`` leaves out, as blanks."""
    for dead in _DEAD.finditer(code):
        code = code[: dead.start()] + _INK.sub(" ", dead.group()) + code[dead.end() :]
    return _DIRECTIVE.sub(lambda match: _INK.sub(" ", match.group()), code)


def declarations(code: str, lines: Sequence[tuple[int, int]]) -> list[Declaration]:
    """The names that a text declares in statements that share something with the given stretches, in order."""
    bare = without_directives(code)
    wanted = _Stretches(lines)
    found = [
        Declaration(name=match["name"], kind="macro", offset=at.start() + match.start("name"))
        for at in directives(code)
        if wanted.touch(at.start(), at.end()) and (match := _DEFINE.match(at.group())) is not None
    ]
    found += _walk(bare, wanted)
    conditions = [row for row in _conditions(code) if bare[: row.start].strip() or bare[row.stop :].strip()]
    return [
        Declaration(
            name=each.name,
            kind=each.kind,
            offset=each.offset,
            scopes=each.scopes,
            conditional=any(each.offset in stretch for stretch in conditions),
        )
        for each in found
    ]


def _conditions(code: str) -> list[range]:
    """The stretches that depend on a condition, include guards left out."""
    found: list[range] = []
    waiting: list[tuple[int, bool]] = []
    rows = list(directives(code))
    for number, row in enumerate(rows):
        match = _CONDITION.match(row.group())
        if match is None:
            continue
        if match["word"] in {"if", "ifdef", "ifndef"}:
            following = _DEFINE.match(rows[number + 1].group()) if number + 1 < len(rows) else None
            outermost = match["word"] != "ifdef" and not waiting
            is_guard = outermost and following is not None and following["name"] in match["rest"]
            waiting.append((row.start(), is_guard))
        elif match["word"] == "endif" and waiting:
            start, is_guard = waiting.pop()
            if not is_guard:
                found.append(range(start, row.end()))
    return found


class _Stretches:
    """Stretches of a text, in order."""

    def __init__(self, rows: Sequence[tuple[int, int]]) -> None:
        self._starts = [start for start, _ in rows]
        self._ends = [end for _, end in rows]

    def touch(self, start: int, end: int) -> bool:
        """Whether one of them shares something with another stretch."""
        at = bisect_right(self._ends, start)
        return at < len(self._starts) and self._starts[at] < end


def _walk(code: str, wanted: _Stretches) -> Iterator[Declaration]:
    stack: list[_Scope] = []
    start = at = 0
    while (stop := _STOP.search(code, at)) is not None:
        sign, at = stop.group(), stop.end()
        head = code[start : stop.start()]
        if sign == "}":
            if stack:
                stack.pop()
            start = at
            continue
        scopes = tuple(part for scope in stack for part in scope.name.split("::") if part)
        is_wanted = wanted.touch(start, stop.start())
        if sign == ";":
            if is_wanted:
                yield from _statement(head, start, stack, scopes, has_body=False)
            start = at
            continue
        scope, rows = _block(head, start, stack, scopes)
        if is_wanted:
            yield from rows
        if scope is not None:
            stack.append(scope)
            start = at
            continue
        at = closing(code, stop.start()) + 1
        if "=" in head or re.search(r"\w\s*$", head) is None or _ENUM.search(head):
            goes_on = _GOES_ON.match(code, at) is not None and "(" not in head
            start = start if goes_on else at
        else:
            start = at


def _block(
    head: str, start: int, stack: list[_Scope], scopes: tuple[str, ...]
) -> tuple[_Scope | None, Iterable[Declaration]]:
    """The scope that a brace opens, None for a body, and what its head declares."""
    space = _NAMESPACE.search(head)
    if space is not None:
        return _Scope("namespace", "".join(space["name"].split()).removeprefix("inline")), []
    if _LINKAGE.search(head):
        return _Scope("namespace", ""), []
    enum = _ENUM.search(head)
    if enum is not None:
        return None, [Declaration(name=enum["name"], kind="type", offset=start + enum.start("name"), scopes=scopes)]
    plain = _without_template(head) if len(head) <= LONGEST else ""
    kind = _CLASS.search(plain)
    if kind is not None and "=" not in plain[: kind.start()] and "(" not in plain[: kind.start()]:
        name = kind["name"]
        row = Declaration(name=name, kind="class", offset=start + kind.start("name"), scopes=scopes)
        return _Scope("class", name, derived=kind["bases"] is not None), [row]
    return None, _statement(head, start, stack, scopes, has_body=True)


def _statement(
    head: str, start: int, stack: list[_Scope], scopes: tuple[str, ...], *, has_body: bool
) -> Iterator[Declaration]:
    """What a statement, or the head of a body, defines. A declaration alone defines no function and no constant."""
    if len(head) > LONGEST:
        return
    plain = _without_template(head)
    alias = _ALIAS.search(plain)
    if alias is not None:
        group = "name" if alias["name"] else "old"
        yield Declaration(name=alias[group], kind="type", offset=start + alias.start(group), scopes=scopes)
        return
    bare = _without_arguments(plain)
    called = next((each for each in _CALLABLE.finditer(bare) if each["name"] not in _NO_NAME), None)
    equals = plain.find("=")
    in_class = bool(stack) and stack[-1].kind == "class"
    if called is not None and (equals < 0 or called.start() < equals):
        before = bare[: called.start()].rstrip()
        if (
            not re.search(r"[\w*&>\])]$", before)
            or _INHERITED.search(plain)
            or re.search(r"\b(?:return|using|new)$", before)
        ):
            return
        if called["owner"].strip() or re.fullmatch(r"(?:\s*[A-Z][A-Z0-9_]+\s*)", before):
            return
        if in_class and stack[-1].derived:
            return
        kind = "method" if in_class else "function"
        if has_body or in_class:
            yield Declaration(name=called["name"], kind=kind, offset=start + called.start("name"), scopes=scopes)
        return
    constant = _CONSTANT.search(plain) if not in_class else None
    if constant is not None and (has_body or equals >= 0):
        yield Declaration(name=constant["name"], kind="constant", offset=start + constant.start("name"), scopes=scopes)


def _without_arguments(head: str) -> str:
    """A head with what stands in angle brackets blanked, and those too."""
    while True:
        shorter = _ANGLES.sub(lambda match: _INK.sub(" ", match.group()), head)
        if shorter == head:
            return head
        head = shorter


def _without_template(head: str) -> str:
    """A head with its template parameters blanked."""
    while (match := _TEMPLATE.search(head)) is not None:
        depth, at = 0, match.end() - 1
        while at < len(head):
            depth += {"<": 1, ">": -1}.get(head[at], 0)
            at += 1
            if depth == 0:
                break
        head = head[: match.start()] + _INK.sub(" ", head[match.start() : at]) + head[at:]
    return head
