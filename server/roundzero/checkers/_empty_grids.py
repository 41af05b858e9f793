"""How a function of C++ leaves early where the grid of its launch would be empty: a quick fix, in the file's own style.

Asks for the sizes that make up the grid, before the statement that launches. Offers nothing where that is a guess: a
grid whose sizes do not show, a statement behind the launch that would be left out too, a result that is not there yet,
siblings that guard by other means. Invariant: every name of the guard is bound before it in the same function.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

from roundzero.checkers._base import replace
from roundzero.checkers._cpp_text import before_body, functions
from roundzero.checkers._pairs import closing
from roundzero.core.lexical import blanked
from roundzero.core.regex import regex
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roundzero.core.change import Source
    from roundzero.core.finding import Fix

MOST_SIZES: Final = 3
LEVELS: Final = 4
"""Definitions and brackets that are followed from a grid to a size."""

_LEAVES: Final = regex(r"\bif\s*\([^;{}]*?(?P<sign>==|<=)\s*0\b[^;{}]*?\)(?P<to>\s*(?P<brace>\{)?\s*)return\b[^;{}]*;")
_WRAPS: Final = regex(r"\bif\s*\(\s*[\w.()]+\s*(?:>|!=)\s*0\s*\)\s*\{[^{}]*<<<")
_INTEGER: Final = r"(?:int|long|short|unsigned|size_t|u?int(?:8|16|32|64)_t|ssize_t|ptrdiff_t|auto)"
_FIXED: Final = regex(r"\d+[uUlL]*|(?:\w+::)*(?:[A-Z][A-Z0-9_]+|k[A-Z]\w*)")
_CAST: Final = regex(
    r"static_cast\s*<[\w\s:]+>\s*(?=\()|\(\s*(?:unsigned\s+)?(?:int|long|unsigned|size_t|u?int\d+_t)\s*\)"
)
_ROUNDS_UP: Final = regex(r"(?:\w+::)*\w*(?:ceil|cdiv|div_?up|round_?up|blocks)\w*(?:<[^<>()]*>)?\s*\(", re.IGNORECASE)
_SMALLER: Final = regex(r"(?:std::|::)?min\s*(?:<[^<>()]*>)?\s*\(")
_OF_DEVICE: Final = regex(r"processor|device_?prop|num_?sms?\b|sm_?(?:count|num)", re.IGNORECASE)
_AMOUNT: Final = regex(r"\w+(?:\.|->)(?:numel|size)\(\)")
_BY_BLOCK: Final = regex(r"\(\s*(?P<size>\w+|\w+(?:\.|->)\w+\(\))(?P<more>[-+][\w()+-]+)\)/(?P<block>\w+)")
_ASKS: Final = regex(r"\s*(?:[\w:]*(?:CHECK|Check|check|GetLastError|PeekAtLastError|Synchronize)\w*\s*\([^;]*)?")
_MORE: Final = regex(r"\}?\s*else\b|\}\s*(?:while\b|[;,)])")
"""After a block or a semicolon, what still belongs to the same statement."""

_ASKED: Final = r"\((?:[^();{}]|\((?:[^();{}]|\([^();{}]*\))*\))*\)"
_AROUND: Final = regex(
    rf"\s*(?:(?:else\s+)?if\s*(?:constexpr\s*)?{_ASKED}|else|[A-Z_]*DISPATCH\w*\s*\([^;{{}}]*|\)*)\s*"
)


class _Style(NamedTuple):
    """How the siblings leave: the sign of the comparison, a brace or none, and what stands before ``return``."""

    sign: str
    has_brace: bool
    is_one_line: bool


def leave_early(source: Source, grids: Sequence[Span]) -> list[tuple[Fix, ...]]:
    """For each launch whose grid stands at a span of a text in C++ its guard; none where unsure."""
    code = blanked(source) if grids else ""
    style, bodies = _style(code), list(functions(code))
    found: list[tuple[Fix, ...]] = []
    for grid in grids:
        launch = source.index.offset(grid.start)
        at = bisect_right(bodies, (launch, len(code))) - 1
        is_inside = at >= 0 and launch < bodies[at][1]
        found.append(_guard(source, code, grid, bodies[at], style) if style is not None and is_inside else ())
    return found


def _guard(source: Source, code: str, grid: Span, body: tuple[int, int], style: _Style) -> tuple[Fix, ...]:
    """The guard before the statement of a body that launches on a grid."""
    (begin, end), index = body, source.index
    launch = index.offset(grid.start)
    if re.search(r"^[ \t]*#", code[begin + 1 : end], re.MULTILINE):
        return ()
    start, stop = _statement(code, begin, end, launch)
    before = code[begin + 1 : start]
    function = _Function(before_body(code, begin), _flat(before), before)
    sizes = _grid(code[launch : index.offset(grid.end)], function)
    result = _result(function.head, code[stop:end])
    if result is None or not sizes or len(sizes) > MOST_SIZES or not _only_launches(code[start:stop]):
        return ()
    line = index.position(start).line
    indent = index.line(line)[: start - index.line_start(line)]
    if indent.strip():
        return ()
    while line > 1 and _is_comment(index.line(line - 1), code[index.line_start(line - 1) : index.line_start(line)]):
        line -= 1
    outer = index.line(index.position(begin).line)
    unit = indent.removeprefix(outer[: len(outer) - len(outer.lstrip())]) or "    "
    test = " || ".join(f"{size} {style.sign} 0" for size in sizes)
    left = f"{indent}if ({test})"
    if style.has_brace:
        left += f" {{\n{indent}{unit}{result}\n{indent}}}\n"
    else:
        left += f" {result}\n" if style.is_one_line else f"\n{indent}{unit}{result}\n"
    place = Span(Position(line, 1), Position(line, 1))
    return (replace(source, "Leave early when there is nothing to do", left, place, safe=False),)


def _is_comment(line: str, code: str) -> bool:
    return bool(line.strip()) and not code.strip()


class _Function(NamedTuple):
    """What stands before a body, and what before the launching statement: with blocks blanked, and as it is."""

    head: str
    before: str
    whole: str

    def takes(self, name: str) -> bool:
        """Whether it has an integer parameter with this name."""
        made = rf"[(,][^,()]*\b{_INTEGER}(?:\s+const)?(?:\s*&\s*|\s+){name}\s*[,)=]"
        return re.search(made, self.head) is not None

    def value(self, name: str) -> str | None:
        """What a name is defined by, once, before the launching statement; None where that does not show."""
        made = list(
            re.finditer(rf"[\w>&](?<!else)(?<!return)\s+{name}\s*(?P<how>=|\(|\{{)\s*(?P<value>[^;]*);", self.before)
        )
        again = re.findall(rf"\b{name}(?:\.\w+)?\s*[-+*/]?=(?!=)|\b{name}(?:\+\+|--)|(?:\+\+|--|&){name}\b", self.whole)
        if len(made) != 1 or len(again) > (made[0]["how"] == "="):
            return None
        return made[0]["value"].rstrip()[: -1 if made[0]["how"] != "=" else None]

    def is_number(self, name: str) -> bool:
        """Whether a name that is defined here is an integer by its type."""
        return re.search(rf"\b{_INTEGER}\s+{name}\s*[=({{]", self.before) is not None


def _style(code: str) -> _Style | None:
    """How the file leaves early; None where it guards by other means."""
    found = _LEAVES.search(code)
    if found is not None:
        return _Style(found["sign"], found["brace"] is not None, "\n" not in found["to"])
    return _Style("==", has_brace=True, is_one_line=False) if _WRAPS.search(code) else None


def _flat(text: str) -> str:
    """A text with blanks for what stands in braces, those of an initialiser aside."""
    parts, at = [], 0
    for opening in re.finditer(r"(?<=[){;}\s])\{", text):
        before = text[: opening.start()].rstrip()
        if opening.start() >= at and not re.search(r"[\w=,(]$", before):
            parts.append(text[at : opening.start()])
            at = closing(text, opening.start())
            parts.append(re.sub(r"[^\n]", " ", text[opening.start() : at]))
    return "".join((*parts, text[at:]))


def _statement(code: str, begin: int, end: int, launch: int) -> tuple[int, int]:
    """Where the statement of a body that holds an offset begins and ends."""
    depth, start = 0, begin + 1
    for at in range(begin + 1, end):
        letter = code[at]
        depth += (letter in "({[") - (letter in ")}]")
        if depth == 0 and letter in ";}" and _MORE.match(code, at + (letter == ";"), at + 99) is None:
            if at >= launch:
                return start + len(code[start:at]) - len(code[start:at].lstrip()), at + 1
            start = at + 1
    return start, end


def _only_launches(statement: str) -> bool:
    """Whether a statement does nothing but launch, under whatever conditions."""
    parts = re.split(r"[;{}]", statement)
    return all("<<<" in part or _AROUND.fullmatch(part) or _ASKS.fullmatch(part) for part in parts)


def _result(head: str, after: str) -> str | None:
    """What a function says when it leaves early; None where it does not show, or where something would be left out."""
    parts = [part for part in after.split(";") if part.strip()]
    returned = re.fullmatch(r"\s*return\b\s*(\w*)\s*", parts[-1]) if parts else None
    if not all(_ASKS.fullmatch(part) for part in (parts[:-1] if returned else parts)):
        return None
    if re.search(r"\bvoid\s+(?:[\w<>]+::)*\w+\s*\(", head):
        return "return;"
    return f"return {returned[1]};" if returned and returned[1] else None


def _grid(grid: str, function: _Function) -> list[str]:
    """The sizes of a grid of one to three dimensions; none where one does not show."""
    words = grid.strip()
    if re.fullmatch(r"\w+", words):
        made = function.value(words)
        has_type = re.search(rf"\bdim3\s+{words}\b|\b{words}\s*=\s*dim3\b", function.before)
        if made is not None and has_type:
            words = made if made.startswith("dim3") else f"dim3({made})"
    inner = re.fullmatch(r"dim3\s*[({](.*)[)}]", words, re.DOTALL)
    found: list[str] = []
    for each in _arguments(inner[1]) if inner else [words]:
        sizes = _sizes(each, function, LEVELS)
        if sizes is None:
            return []
        found += [size for size in sizes if size not in found]
    return found


def _sizes(text: str, function: _Function, levels: int) -> list[str] | None:
    """What is zero where a dimension is: names and numbers of elements; None where that does not show."""
    words = _CAST.sub("", text).strip()
    while words.startswith("(") and closing(words, 0) == len(words) - 1:
        words = words[1:-1].strip()
    if not levels or not words:
        return None
    if _FIXED.fullmatch(words) or _AMOUNT.fullmatch(words):
        return [words] if _AMOUNT.fullmatch(words) else []
    if re.fullmatch(r"[A-Za-z_]\w*", words):
        return _named(words, function, levels)
    if (by_block := _BY_BLOCK.fullmatch(re.sub(r"\s+", "", words))) is not None:
        words = by_block["size"] if _is_up(by_block["more"], by_block["block"]) else ""
        return _sizes(words, function, levels - 1)
    called = _ROUNDS_UP.match(words) or _SMALLER.match(words)
    factors = list(_arguments(words, "*"))
    if called is not None and closing(words, called.end() - 1) == len(words) - 1:
        factors = list(_arguments(words[called.end() : -1]))
        factors = factors if _SMALLER.match(words) else factors[:1]
    elif len(factors) == 1:
        return None
    return _all_of(factors, function, levels)


def _is_up(more: str, block: str) -> bool:
    """Whether what is added before a division rounds up, blanks aside."""
    below = str(int(block) - 1) if block.isdigit() else "?"
    return more in {f"+{block}-1", f"+({block}-1)", f"-1+{block}", f"+{below}"}


def _all_of(texts: Sequence[str], function: _Function, levels: int) -> list[str] | None:
    found: list[str] = []
    for text in texts:
        sizes = _sizes(text, function, levels - 1)
        if sizes is None:
            return None
        found += sizes
    return found


def _named(name: str, function: _Function, levels: int) -> list[str] | None:
    """A parameter, or a name that is defined: by other sizes, or else itself. A template fixes its own."""
    if re.search(rf"\btemplate\s*<[^()]*\b{name}\s*[,>=]", function.head):
        return []
    if function.takes(name):
        return [name]
    value = function.value(name)
    if value is None:
        return None
    sizes = _sizes(value, function, levels - 1)
    if sizes is not None and all(re.fullmatch(r"\w+", size) for size in sizes):
        return sizes
    return [name] if function.is_number(name) and _OF_DEVICE.search(value) is None else None


def _arguments(text: str, mark: str = ",") -> Iterator[str]:
    """The parts of a text between marks that stand in no brackets."""
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{<" and text[at - 1 : at] != "<") - (letter in ")]}>" and text[at - 1 : at] != "-")
        if letter == mark and depth == 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]
