"""Places that tell the members of an enumeration apart.

In Python a ``match``, an ``if`` chain or a table, in C++ and TypeScript a ``switch``. Each is given with the members it
lists and with what it does for all others. Invariant: a place is given only when all its cases are members of one
enumeration, named with it.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._cpp_text import C_FAMILY
from roundzero.checkers._gaps import Braces, after_arms, after_cases, in_braces
from roundzero.checkers._pairs import closing
from roundzero.checkers._python import dotted
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roundzero.checkers._gaps import Gap
    from roundzero.checkers._python import Parsed
    from roundzero.core.change import Source
    from roundzero.core.text import Span

_ENUM_BASES: Final = regex(r"(?:\w+\.)*(?:Int|Str)?Enum|(?:\w+\.)*\w+Enum")
_RAISES: Final = regex(
    r"\b(?:throw|abort|assert|assertNever|assertUnreachable|unreachable|\w*(?:FAIL|CHECK|ASSERT|UNREACHABLE|FATAL|ERROR|THROW)\w*)\b"
)
_CASE: Final = regex(r"\bcase\s+((?:\w+(?:::|\.))*\w+)\s*:(?!:)|\b(default)\s*:(?!:)")


@dataclass(frozen=True, slots=True)
class Switch:
    """One place: where it begins, the members it lists, and whether every other member is served on purpose."""

    span: Span
    listed: frozenset[str]
    serves_others: bool
    lines: range
    kind: str
    gap: Gap | None = None


def python_enums(tree: ast.Module) -> dict[str, tuple[str, ...]]:
    """The enumerations of a module and their members, in order."""
    return {
        node.name: tuple(name for part in node.body if (name := _member(part)))
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any(_ENUM_BASES.fullmatch(dotted(base)) for base in node.bases)
    }


def _member(node: ast.stmt) -> str:
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
        return "" if name.startswith("_") else name
    return ""


def python_switches(parsed: Parsed, enum: str) -> Iterator[Switch]:
    """The places of a Python file that list members of the enumeration with this name."""
    inner: set[int] = set()
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.If) and id(node) not in inner:
            arms, last = _arms(node)
            inner |= {id(arm) for arm in arms[1:]}
            members = [_tested(arm.test, enum) for arm in arms]
            if len(arms) > 1 and all(members):
                listed = frozenset(name for found in members for name in found)
                yield Switch(
                    parsed.span(node.test),
                    listed,
                    bool(last) and not _refuses(last),
                    parsed.span(node).lines,
                    "if",
                    after_arms(parsed, arms),
                )
        elif isinstance(node, ast.Match):
            yield from _match(parsed, node, enum)
        elif isinstance(node, ast.Dict) and len(node.keys) > 1:
            keys = [_of(key, enum) if key is not None else "" for key in node.keys]
            if all(keys):
                first = node.keys[0]
                assert first is not None  # noqa: S101  every key was a member
                yield Switch(
                    parsed.span(first),
                    frozenset(keys),
                    serves_others=False,
                    lines=parsed.span(node).lines,
                    kind="table",
                )


def _match(parsed: Parsed, node: ast.Match, enum: str) -> Iterator[Switch]:
    listed: set[str] = set()
    serves = False
    cases: list[ast.match_case] = []
    for case in node.cases:
        if isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
            serves = serves or not _refuses(case.body)
            continue
        options = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
        names = [_of(each.value, enum) if isinstance(each, ast.MatchValue) else "" for each in options]
        if not all(names):
            return
        listed.update(names)
        cases.append(case)
    gap = after_cases(parsed, cases)
    yield Switch(parsed.span(node.subject), frozenset(listed), serves, parsed.span(node).lines, "match", gap)


def _arms(node: ast.If) -> tuple[list[ast.If], Sequence[ast.stmt]]:
    """An ``if`` with its ``elif`` branches, and its ``else``."""
    arms = [node]
    while len(arms[-1].orelse) == 1 and isinstance(arms[-1].orelse[0], ast.If):
        arms.append(arms[-1].orelse[0])
    return arms, arms[-1].orelse


def _tested(test: ast.expr, enum: str) -> tuple[str, ...]:
    """The members that a condition asks for and nothing else; none for any other condition."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        parts = [_tested(value, enum) for value in test.values]
        return tuple(name for part in parts for name in part) if all(parts) else ()
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return ()
    other = test.comparators[0]
    if isinstance(test.ops[0], (ast.Eq, ast.Is)):
        name = _of(other, enum)
        return (name,) if name else ()
    if isinstance(test.ops[0], ast.In) and isinstance(other, (ast.Tuple, ast.List, ast.Set)):
        names = [_of(value, enum) for value in other.elts]
        return tuple(names) if all(names) else ()
    return ()


def _of(node: ast.expr, enum: str) -> str:
    """The member that an expression names, of the enumeration with this name; "" for anything else."""
    owner, _, member = dotted(node).rpartition(".")
    return member if owner.rpartition(".")[2] == enum else ""


def _refuses(body: Sequence[ast.stmt]) -> bool:
    """Whether a branch for all others only says that there are none."""
    last = body[-1] if body else None
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return "assert_never" in dotted(last.value.func)
    return isinstance(last, (ast.Raise, ast.Assert))


def brace_enums(source: Source) -> dict[str, tuple[str, ...]]:
    """The enumerations of a C, C++ or TypeScript text and their members, in order."""
    text = blanked(source)
    found: dict[str, tuple[str, ...]] = {}
    for match in re.finditer(r"\benum\s+(?:class\s+|struct\s+)?(\w+)\s*(?::\s*[\w:\s]+?)?\{", text):
        body = text[match.end() : closing(text, match.end() - 1)]
        names = [part.group(1) for row in body.split(",") if (part := re.match(r"\s*([A-Za-z_]\w*)\s*(?:=|$)", row))]
        found[match.group(1)] = tuple(names)
    return found


def brace_switches(source: Source, enum: str, members: Sequence[str]) -> Iterator[Switch]:
    """The ``switch`` statements of a text whose cases all are members of an enumeration."""
    text = blanked(source)
    may_be_alone = language_of(source.path) in C_FAMILY
    for match in re.finditer(r"\bswitch\s*\(", text):
        end = closing(text, match.end() - 1)
        opening = text.find("{", end)
        if opening < 0 or text[end + 1 : opening].strip():
            continue
        last = closing(text, opening)
        labels = [label for label in _CASE.finditer(text, opening, last) if _depth(text, opening, label.start()) == 1]
        cases = [label.group(1).replace(".", "::") for label in labels if label.group(1)]
        if not cases or not all(_is_member(case, enum, members) and (may_be_alone or "::" in case) for case in cases):
            continue
        default = next((label for label in labels if label.group(2)), None)
        place = Braces(source=source, code=text, opening=opening, closing=last, labels=tuple(labels))
        serves = default is not None and _RAISES.search(place.body(default)) is None
        first, final = source.index.position(match.start()).line, source.index.position(last).line
        listed = frozenset(case.rpartition("::")[2] for case in cases)
        span, gap = source.index.span(match.end(), end), in_braces(place, refuses=default is not None)
        yield Switch(span, listed, serves, range(first, final + 1), "switch", gap)


def _is_member(case: str, enum: str, members: Sequence[str]) -> bool:
    owner, _, name = case.rpartition("::")
    return name in members and (owner.rpartition("::")[2] == enum or not owner)


def _depth(text: str, opening: int, at: int) -> int:
    inside = text[opening:at]
    return inside.count("{") - inside.count("}")
