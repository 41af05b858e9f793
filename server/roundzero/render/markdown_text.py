"""Text from elsewhere inside a Markdown comment of a forge: it reads as written and does nothing.

Beyond CommonMark that means no HTML, no link a forge makes by itself, no mention of a person, no reference to an issue
or merge request, no quick action (a line that begins with ``/``), no formula and no emoji. Text between single
backticks stays code. Deliberately no renderer: what a caller writes around it is the caller's. Invariant: what these
functions return holds no character that moves, hides or reorders text, one line of prose stays one line, and the mark
by which a report's own comment is found is never in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.render.escape import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

MARK: Final = "<!-- roundzero:report -->"
"""The hidden first line of a report, by which a later one finds the comment to replace."""

_GAP: Final = "&#8203;"
"""A zero-width space, which forges take for a border between words; ours, so nothing of the text is hidden by it."""
_CODE: Final = regex(r"(?<!`)`([^`\n]+)`(?!`)")
_ACTING: Final = regex(
    r"(?P<start>^(?:[#+=/-]|\d{1,9}[.)]))"
    r"|(?P<mark>[\\`*\[\]~|])"
    r"|(?P<run>(?<!\w)_+|_+(?!\w))"
    r"|(?P<html>[<>$]|&(?!\d))"
    r"|(?P<joined>@(?=\w)|[#!%&](?=\d)|(?<!\w)GH-(?=\d)|:(?=//|[a-z_][\w+-]{0,40}:)|www(?=\.))",
    re.IGNORECASE,
)
_HTML: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "<span>$</span>"}
LINES: Final = 80
WIDTH: Final = 400
"""Most lines of a block and characters of its lines; what is left out is marked by an ellipsis."""
_TICKS: Final = regex("`+")
_MARKED: Final = regex(r"<!--(?=\s*roundzero\s*:)", re.IGNORECASE)
_BROKEN_UP: Final = "<! --"
"""Takes the place of the beginning of a mark: code shows every character as it is, so no escape would do."""


def prose(text: str) -> str:
    """``text`` on one line, with code between single backticks."""
    line = visible(" ".join(text.split()))
    pieces = _CODE.split(line)
    return "".join(code(piece) if at % 2 else _ACTING.sub(_stilled, piece) for at, piece in enumerate(pieces))


def code(text: str) -> str:
    """``text`` as code on one line; "" for white space alone."""
    line = _unmarked(visible(text.replace("\t", "    ").replace("\r", "").replace("\n", " ")))
    if not line.strip():
        return ""
    fence = "`" * _longer(line, 1)
    pad = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def block(lines: Iterable[str], language: str, indent: str = "") -> list[str]:
    """Lines as a fenced block in a list item that is indented by ``indent``. Tabs stay: they are part of the code."""
    kept = list(lines)
    if len(kept) > LINES:
        kept[LINES:] = ["…"]
    cut = (line if len(line) <= WIDTH else line[:WIDTH] + "…" for line in kept)
    shown = [_unmarked("\t".join(visible(part) for part in line.split("\t"))) for line in cut]
    fence = "`" * _longer("\n".join(shown), 3)
    return [f"{indent}{fence}{language}", *(f"{indent}{line}".rstrip(" ") for line in shown), f"{indent}{fence}"]


def cell(marked: str) -> str:
    """Marked text in a cell of a table, where a bar ends the cell even inside code."""
    return marked.replace("\\|", "|").replace("|", "\\|")


def _stilled(found: re.Match[str]) -> str:
    text = found[0]
    match found.lastgroup:
        case "html":
            return _HTML[text]
        case "joined":
            return _HTML.get(text, text) + _GAP
        case "run":
            return "\\_" * len(text)
        case _:
            return f"{text[:-1]}\\{text[-1]}"


def _unmarked(line: str) -> str:
    return _MARKED.sub(_BROKEN_UP, line)


def _longer(text: str, least: int) -> int:
    """One backtick more than ``text`` has in a row, and at least ``least``."""
    return max([least - 1, *(len(run) for run in _TICKS.findall(text))]) + 1
