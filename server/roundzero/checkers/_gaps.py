"""Where a place that tells members apart takes a branch for another one, and how it is written there: as the others.

Such a branch refuses its member, for somebody to fill. In a ``switch`` whose ``default:`` refuses it is a label above
that; elsewhere an error of its own, of a kind that the file can raise already. Which member is missing is not known
here. Invariant: what runs into the next branch today still does, and comments stay with their branches.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._cpp_text import C_FAMILY
from roundzero.checkers._pairs import closing
from roundzero.checkers._python import dotted
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.lexical import comments_and_strings
from roundzero.core.regex import regex
from roundzero.core.text import Position, dominant_eol, with_eol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.checkers._python import Parsed
    from roundzero.core.change import Source

_JUMP: Final = regex(r"\s*(?:return|throw|break|continue|goto)\b")
_GOES_ON: Final = regex(r"[\s.?:&|+)\]}]|$")
"""How a line begins that belongs to the statement before it."""

_NESTED: Final = regex(r"\([^(){}\[\]]*\)|\[[^(){}\[\]]*\]|\{[^(){}\[\]]*\}")
_INITIALISES: Final = regex(
    r"(?:^|;)\s*(?:(?:auto|const|constexpr|static)\b"
    r"|(?!(?:return|throw|goto|delete|new|using|typedef|else|co_\w+)\b)(?:\w[\w:]*(?:\s*<[^;]*>)?[\s*&]+)+\w+\s*(?:=(?!=)|[(;{]))"
)
"""A variable that a statement declares."""

_NEVER: Final = regex(r"never|unreachable", re.IGNORECASE)
"""What a compiler takes as a promise that nothing comes here."""

_ENDS_HERE: Final = regex(
    r"\s*(?:throw\b|(?:std::)?(?:abort|terminate)\s*\(|(?:assert|\w*(?:CHECK|ASSERT)\w*)\s*\(\s*(?:false|0|!)|"
    r"\w*(?:FAIL|UNREACHABLE|THROW|ABORT|ERROR|FATAL)\w*\s*\(|LOG\s*\(\s*(?:FATAL|ERROR)\s*\))"
)
_FAILS: Final = regex(r"^[ \t]*((?:\w+_)?(?:FAIL|THROW|ABORT))\([ \t]*\"", re.MULTILINE)
"""A macro that ends with the words it is given."""
_THROWS: Final = regex(r"\bthrow\s+(std::(?:logic_error|runtime_error|invalid_argument|out_of_range|domain_error))\b")
_INCLUDED: Final = regex(r"^[ \t]*#[ \t]*include[ \t]*<([\w./]+)>", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Where another member can be refused, and the words around each mention of it.

    ``shared``: the branch for all others refuses it, which is said by a label there.
    """

    at: Position
    parts: tuple[str, ...]
    shared: bool = False

    def refusing(self, members: Sequence[str]) -> str:
        """The branches for members, the way the others are written."""
        return "".join(member.join(self.parts) for member in members)


def after_cases(parsed: Parsed, cases: Sequence[ast.match_case]) -> Gap | None:
    """The place behind the last of some branches of a ``match``, all of which name members."""
    for case in reversed(cases):
        pattern = case.pattern.patterns[0] if isinstance(case.pattern, ast.MatchOr) else case.pattern
        if isinstance(pattern, ast.MatchValue):
            start = parsed.start(pattern.value)
            before = parsed.source.index.line(start.line)[: start.column - 1]
            if before.strip() == "case":
                indent = before[: before.index("case")]
                return _behind(parsed, cases[-1].body, (indent, start.line), f"case {dotted(pattern.value)}")
    return None


def after_arms(parsed: Parsed, arms: Sequence[ast.If]) -> Gap | None:
    """The place behind the last branch of an ``if`` chain that asks for members, before its ``else``."""
    for arm in reversed(arms):
        test = arm.test
        if not isinstance(test, ast.Compare) or any(isinstance(part, ast.NamedExpr) for part in ast.walk(test)):
            continue
        member = test.comparators[0] if isinstance(test.ops[0], (ast.Eq, ast.Is)) else None
        if isinstance(test.ops[0], ast.In) and isinstance(test.comparators[0], (ast.Tuple, ast.List, ast.Set)):
            member = test.comparators[0].elts[0]
        start = parsed.start(arms[-1])
        indent = parsed.source.index.line(start.line)[: start.column - 1]
        if member is not None and not indent.strip():
            sign = "is" if isinstance(test.ops[0], ast.Is) else "=="
            opening = f"elif {parsed.text(test.left)} {sign} {dotted(member)}"
            return _behind(parsed, arms[-1].body, (indent, start.line), opening)
    return None


def _behind(parsed: Parsed, body: Sequence[ast.stmt], header: tuple[str, int], opening: str) -> Gap | None:
    """The place behind a branch whose header has an indent and a line; ``opening`` names a member last."""
    indent, line = header
    index = parsed.source.index
    first, end = parsed.start(body[0]), parsed.end(body[-1])
    before = index.line(first.line)[: first.column - 1]
    rest = index.line(end.line)[end.column - 1 :].strip().removeprefix(";").lstrip()
    if rest and not rest.startswith("#"):
        return None
    if not before.strip():
        between = f":\n{before}"
    elif first.line == line:
        between = ": "
    else:
        return None
    last = end.line
    while _is_comment_below(index.line(last + 1), indent):
        last += 1
    ends = dominant_eol(parsed.source.text)
    head = with_eol(f"\n{indent}{opening.rpartition('.')[0]}.", ends)
    tail = with_eol(f"{between}raise NotImplementedError", ends)
    return Gap(at=Position(last, len(index.line(last)) + 1), parts=(head, tail))


def _is_comment_below(line: str, indent: str) -> bool:
    """Whether a line is a comment that belongs to a branch whose header has an indent."""
    return line.lstrip().startswith("#") and _is_deeper(line, indent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Braces:
    """A ``switch`` as text: ``code`` is its file's, blanked; where its brackets are, and its labels in order.

    Group 1 of a label is a member with what stands before it, group 2 the word ``default``.
    """

    source: Source
    code: str
    opening: int
    closing: int
    labels: tuple[re.Match[str], ...]

    def body(self, label: re.Match[str]) -> str:
        """What a label leads to: up to the next one that something stands before."""
        ends = [each.start() for each in self.labels if each.start() > label.start()]
        return next(
            (body for end in (*ends, self.closing) if _LABELS.sub("", body := self.code[label.end() : end]).strip()), ""
        )

    def line(self, at: int) -> tuple[str, int, int]:
        """The text before an offset in its line, and where that line begins and ends, without its terminator."""
        text = self.source.text
        begin = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        return text[begin:at], begin, end - 1 if text[begin:end].endswith("\r") else end


_LABELS: Final = regex(r"\b(?:case\s+[\w:.]+?|default)\s*:(?!:)")


def in_braces(switch: Braces, *, refuses: bool) -> Gap | None:
    """The place for another ``case``; ``refuses``: a default says that there are no others."""
    default = next((label for label in switch.labels if label.group(2)), None)
    at = default.start() if default is not None else switch.closing
    case = next((each for each in reversed(switch.labels) if each.group(1) and _is_first(switch, each.start())), None)
    if case is None or not _is_first(switch, at) or re.search(r"^[ \t]*#", _inside(switch), re.MULTILINE):
        return None
    before = [label for label in switch.labels if label.end() <= at]
    between = switch.code[before[-1].end() if before else switch.opening + 1 : at]
    owner = re.sub(r"\w+\Z", "", case[1])
    if between.strip() and not _jumps(between, by_line=not _is_c(switch)):
        return None
    indent, begin, _ = switch.line(at)
    if default is not None and refuses and _NEVER.search(switch.body(default)) is None:
        parts = (f"{indent}case {owner}", ":\n")
        return _gap(switch, begin, parts, shared=True)
    return _own(switch, case, owner, at) if between.strip() else None


def _own(switch: Braces, case: re.Match[str], owner: str, at: int) -> Gap | None:
    """A branch with an error of its own, below what is the last branch before an offset."""
    indent = switch.line(case.start())[0]
    inner = _inner(switch)
    refusal = _refusal(switch, owner)
    last = max(label.end() for label in switch.labels if label.end() <= at)
    if inner is None or refusal is None or (_is_c(switch) and _has_variables(switch.code[last:at])):
        return None
    group = case
    for label in reversed(switch.labels):
        if label.end() <= group.start() and not switch.code[label.end() : group.start()].strip():
            group = label
    above = switch.code[switch.opening + 1 : switch.line(group.start())[1]]
    blank = "\n" if re.search(r"\S[^\S\n]*\n[^\S\n]*\n[^\S\n]*\Z", above) else ""
    index = switch.source.index
    line, stop = index.position(len(switch.code[:at].rstrip())).line, index.position(at).line
    while line + 1 < stop and _is_deeper(index.line(line + 1), indent):
        line += 1
    end = index.line_start(line) + len(index.line(line))
    if any(found.start() < end < found.end() for found in comments_and_strings(switch.source)):
        return None
    first, *others = (words.replace("\n", inner) for words in refusal)
    return _gap(switch, end, (f"{blank}\n{indent}case {owner}", f":{inner}{first}", *others))


def _has_variables(body: str) -> bool:
    """Whether a body has variables of its own outside of braces: no label may follow them."""
    flat = body
    while (shorter := _NESTED.sub("?", flat)) != flat:
        flat = shorter
    return _INITIALISES.search(flat.replace("?", "()")) is not None


def _is_deeper(line: str, indent: str) -> bool:
    text = line.lstrip()
    return bool(text) and len(line) - len(text) > len(indent)


def _gap(switch: Braces, at: int, parts: tuple[str, ...], *, shared: bool = False) -> Gap:
    ends = dominant_eol(switch.source.text)
    return Gap(at=switch.source.index.position(at), parts=tuple(with_eol(part, ends) for part in parts), shared=shared)


def _inside(switch: Braces) -> str:
    return switch.code[switch.opening + 1 : switch.closing]


def _is_first(switch: Braces, at: int) -> bool:
    return not switch.line(at)[0].strip()


def _is_c(switch: Braces) -> bool:
    return language_of(switch.source.path) in C_FAMILY


def _inner(switch: Braces) -> str | None:
    """What stands between the colon of a label and its statements: a blank, or a new line with an indent."""
    for label in reversed(switch.labels):
        indent, _, end = switch.line(label.start())
        if indent.strip():
            continue
        rest = switch.code[label.end() : end].strip()
        if rest not in {"", "{"}:
            if _LABELS.match(rest) is None:
                return " "
            continue
        below = re.match(r"(?:[ \t]*\{?[ \t]*\r?\n)*([ \t]*)(?![ \t])(\S*)", switch.code[end:])
        if below is not None and below[1].startswith(indent) and below[1] != indent:
            return f"\n{below[1]}" if below[2] not in {"case", "default:"} else None
    return None


def _jumps(body: str, *, by_line: bool) -> bool:
    """Whether a body that stands before a label never runs into it; ``by_line``: a statement needs no semicolon."""
    text = body.strip()
    while text.startswith("{") and closing(text, 0) == len(text) - 1:
        text = text[1:-1].strip()
    if by_line:
        return _last_line_jumps(text)
    if not text.endswith(";"):
        return False
    depth, at = 0, len(text) - 2
    while at >= 0:
        letter = text[at]
        if letter in ")]}":
            if letter == "}" and depth == 0 and _JUMP.match(text, at + 1):
                return True
            depth += 1
        elif letter in "([{":
            depth -= 1
        if depth < 0 or (letter == ";" and depth == 0):
            break
        at -= 1
    return _JUMP.match(text, at + 1) is not None


def _last_line_jumps(text: str) -> bool:
    """The same where a statement ends with its line: the last one is no condition's, and begins with a jump."""
    lines = text.split("\n")
    depth = 0
    for at in reversed(range(len(lines))):
        line = lines[at].strip()
        depth += sum((letter in ")]}") - (letter in "([{") for letter in line)
        if depth == 0 and _GOES_ON.match(line) is None:
            above = "\n".join(lines[:at]).rstrip()
            last = line.removesuffix(";").rpartition(";")[2]
            return _JUMP.match(last) is not None and not above.endswith((")", "else", "=>"))
    return False


def _refusal(switch: Braces, owner: str) -> tuple[str, ...] | None:
    """The statements that refuse a member, around each mention of it; None where the file has no word for it."""
    text = switch.source.text
    if not _is_c(switch):
        quote = "'" if text.count("'") > text.count('"') else '"'
        stop = ";" if re.search(r";[ \t]*\r?$", _inside(switch), re.MULTILINE) else ""
        return (f"throw new Error({quote}{owner}", f" is not handled{quote}){stop}")
    if _ENDS_HERE.match(switch.code, switch.closing + 1):
        return ("break;",)
    has_exceptions = language_of(switch.source.path) != "cuda" and "__device__" not in text
    return _known_to_fail(switch, owner) if has_exceptions else None


def _known_to_fail(switch: Braces, owner: str) -> tuple[str, ...] | None:
    """The same for C and C++, by what the file uses or includes."""
    text = switch.source.text
    included, macro, known = set(_INCLUDED.findall(text)), _FAILS.search(text), _THROWS.search(switch.code)
    words = f'("{owner}', ' is not handled");'
    if macro is not None:
        return (f"{macro[1]}{words[0]}", words[1])
    if "stdexcept" in included or known is not None:
        kind = known[1] if known is not None else "std::logic_error"
        return (f"throw {kind}{words[0]}", words[1])
    if included & {"cstdlib", "stdlib.h"}:
        return ("std::abort();" if "cstdlib" in included else "abort();",)
    return (f'assert(0 && "{owner}', f"{words[1]}\nbreak;") if included & {"cassert", "assert.h"} else None
