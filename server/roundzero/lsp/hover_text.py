"""What a hover says about a finding, in Markdown or plain text.

Every text that comes from code, packs or models is escaped: none of it may become a link, an image or a heading.
Invariant: with ``markdown`` False the same words stand there without marks.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.finding import Origin, State, Verified
from roundzero.core.secrets import redact
from roundzero.render.escape import visible
from roundzero.render.reasons import reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.finding import Evidence, Finding
    from roundzero.core.item import Language

_CODE: Final = re.compile(r"(`[^`\n]+`)")
_SPECIAL: Final = re.compile(r"[\\`*\[\]<>&~|]|(?<!\w)_|_(?!\w)|^\s*(?:[#+-]|\d+[.)])", re.MULTILINE)
_LINK: Final = re.compile(r"://|\bwww\.", re.IGNORECASE)
_TICKS: Final = re.compile("`+")
_MARKS: Final[Mapping[Verified, str]] = {
    Verified.EXACT: "✓",
    Verified.MOVED: "↷",
    Verified.WHITESPACE: "≈",
    Verified.MISSING: "✗",
}
_ORIGINS: Final[Mapping[Language, Mapping[Origin, str]]] = {
    "en": {
        Origin.INTRODUCED: "brought by this branch",
        Origin.EXPOSED: "was there before, this branch now uses it",
        Origin.PRE_EXISTING: "was there before this branch",
    },
    "zh": {
        Origin.INTRODUCED: "由本分支引入",
        Origin.EXPOSED: "原本就有，本分支开始用到",
        Origin.PRE_EXISTING: "本分支之前就有",
    },
}
_WORDS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "base": "base",
        "here": "now",
        "ignore": "To dismiss it, write this comment, with a reason, on the line or above it",
        "reason": "reason",
        "seen": "Seen since round {}",
        "back": "came back {} times",
        "state": "State",
    },
    "zh": {
        "base": "基线",
        "here": "现在",
        "ignore": "若要忽略，请在该行或其上一行写下带理由的注释",
        "reason": "理由",
        "seen": "自第 {} 轮起",
        "back": "重现 {} 次",
        "state": "状态",
    },
}


def hover_text(finding: Finding, language: Language, *, markdown: bool) -> str:
    """Everything the hover says about one finding."""
    look = _Markdown() if markdown else _Plain()
    seen, words = finding.seen, _WORDS[language]
    parts = [look.heading(seen.severity.name, seen.title)]
    if seen.why:
        parts.append(look.prose(seen.why))
    parts.append(look.prose(_history(finding, language)))
    evidence = [each for each in seen.evidence if each.side is Side.BASE or not seen.stands_at(each)]
    base = [each for each in evidence if each.side is Side.BASE]
    head = [each for each in evidence if each.side is Side.HEAD]
    if base and head:
        parts.append(
            f"{words['base']}: {look.code(base[0].quote.strip())} → {words['here']}: {look.code(head[0].quote.strip())}"
        )
    if evidence:
        parts.append("\n".join(_evidence(look, each, words["base"]) for each in evidence))
    comment = f"roundzero: ignore[{seen.item}] {words['reason']}"
    parts.append(f"{words['ignore']}: {look.code(comment)}")
    parts.append(look.code(seen.item) + " · " + look.code(finding.id))
    return "\n\n".join(parts)


def _history(finding: Finding, language: Language) -> str:
    """Where a finding comes from, since which round it is known, and its state unless it is open."""
    words = _WORDS[language]
    said = [f"{_ORIGINS[language][finding.origin]}."]
    if finding.first_seen is not None:
        rounds = words["seen"].format(finding.first_seen)
        if finding.regressions:
            rounds += ", " + words["back"].format(finding.regressions)
        said.append(f"{rounds}.")
    if finding.state is not State.OPEN:
        text = finding.state_text or ""
        why = text if finding.state is State.DISMISSED else reason(text, language)  # a person's words stay as they are
        said.append(f"{words['state']}: {reason(finding.state.value, language)}" + (f" ({why})." if why else "."))
    return " ".join(said)


def comment_text(finding: Finding, language: Language) -> str:
    """A finding as a comment for a pull request, in Markdown: what a reviewer would write, with its place.

    Others will read it, so no secret's value is in it.
    """
    look, seen = _Markdown(), finding.seen
    place = look.code(f"{seen.path}:{seen.line}" if seen.line else seen.path) if seen.path is not None else ""
    parts = [look.heading(seen.severity.name, redact(seen.title)) + (f" ({place})" if place else "")]
    if seen.why:
        parts.append(look.prose(seen.why))
    if seen.evidence:
        quoted = (replace(each, quote=redact(each.quote)) for each in seen.evidence)
        parts.append("\n".join(_evidence(look, each, _WORDS[language]["base"]) for each in quoted))
    parts.append(look.code(seen.item) + " · " + look.code(finding.id))
    return "\n\n".join(parts) + "\n"


def _evidence(look: _Plain, evidence: Evidence, base: str) -> str:
    side = f" ({base})" if evidence.side is Side.BASE else ""
    role = f"{look.prose(evidence.role)}: " if evidence.role else ""
    place = look.prose(f"{evidence.path}:{evidence.line}")
    return f"- {_MARKS[evidence.verified]} {role}{look.code(evidence.quote.strip())} {place}{side}"


class _Plain:
    """Text as it is."""

    def heading(self, severity: str, title: str) -> str:
        return f"{severity} · {title}"

    def prose(self, text: str) -> str:
        return _lines(text)

    def code(self, text: str) -> str:
        return _lines(text.replace("\n", " "))


class _Markdown(_Plain):
    """CommonMark."""

    def heading(self, severity: str, title: str) -> str:
        return f"**{severity}** · {self.prose(title)}"

    def prose(self, text: str) -> str:
        """Text in which only code between single backticks keeps its meaning."""
        pieces = _CODE.split(_lines(text))
        return "".join(piece if at % 2 else _escaped(piece) for at, piece in enumerate(pieces))

    def code(self, text: str) -> str:
        """Code on one line, fenced by more backticks than it holds in a row."""
        line = super().code(text)
        fence = "`" * (1 + max((len(run) for run in _TICKS.findall(line)), default=0))
        pad = " " if line.startswith("`") or line.endswith("`") else ""
        return f"{fence}{pad}{line}{pad}{fence}" if line.strip() else ""


def _lines(text: str) -> str:
    """The text with control and direction characters made visible, but for its line ends."""
    return "\n".join(visible(line.replace("\t", "    ").rstrip("\r")) for line in text.strip().split("\n"))


def _escaped(text: str) -> str:
    marked = _SPECIAL.sub(_behind_backslash, text)
    return _LINK.sub(_broken_link, marked)


def _behind_backslash(found: re.Match[str]) -> str:
    return found[0][:-1] + "\\" + found[0][-1]


def _broken_link(found: re.Match[str]) -> str:
    """``://`` and ``www.`` that no renderer makes a link of; they read the same."""
    return "\\" + found[0] if found[0] == "://" else found[0][:-1] + "\\."
