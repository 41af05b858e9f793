"""What a hover says about a finding, in Markdown or plain text.

Every text that comes from code, packs or models is escaped: none of it may become a link, an image or a heading.
Invariant: with ``markdown`` False the same words stand there without marks.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.finding import Origin, State
from roundzero.core.regex import regex
from roundzero.core.secrets import redact
from roundzero.render.case import argument, case_words, proofs, rest, support
from roundzero.render.escape import visible
from roundzero.render.reasons import reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.core.finding import Edit, Evidence, Finding
    from roundzero.core.item import Language
    from roundzero.render.case import Proof, Row

_CODE: Final = regex(r"(`[^`\n]+`)")
_SPECIAL: Final = regex(r"[\\`*\[\]<>&~|]|(?<!\w)_|_(?!\w)|^\s*(?:[#+-]|\d+[.)])", re.MULTILINE)
_LINK: Final = regex(r"://|\bwww\.", re.IGNORECASE)
_TICKS: Final = regex("`+")
_ORIGINS: Final[Mapping[Language, Mapping[Origin, str]]] = {
    "en": {
        Origin.INTRODUCED: "Brought by this branch",
        Origin.EXPOSED: "Was there before, this branch now uses it",
        Origin.PRE_EXISTING: "Was there before this branch",
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
        "said": "said by",
        "more": "and {} more; explain shows them",
    },
    "zh": {
        "base": "基线",
        "here": "现在",
        "ignore": "若要忽略，请在该行或其上一行写下带理由的注释",
        "reason": "理由",
        "seen": "自第 {} 轮起",
        "back": "重现 {} 次",
        "state": "状态",
        "said": "提出者",
        "more": "另有 {} 条；解释命令会全部列出",
    },
}


MOST_DIFF: Final = 12
"""Lines of a suggested edit that a hover shows."""

MOST_PROOFS: Final = 6
"""Pieces of evidence of a model's finding that a hover shows: a float holds some 25 lines."""


def hover_text(finding: Finding, language: Language, *, markdown: bool, whole: bool = False) -> str:
    """What the hover says about one finding. ``whole``: everything, however long."""
    look = _Markdown() if markdown else _Plain()
    seen, words = finding.seen, _WORDS[language]
    if seen.anatomy is not None:
        return "\n\n".join(_argued(finding, look, language, most=len(seen.evidence) if whole else MOST_PROOFS))
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
        parts.append("\n".join(_evidence(look, each, language) for each in evidence))
    comment = f"roundzero: ignore[{seen.item}] {words['reason']}"
    parts.append(f"{words['ignore']}: {look.code(comment)}")
    parts.append(look.code(seen.item) + " · " + look.code(finding.id))
    return "\n\n".join(parts)


def _argued(finding: Finding, look: _Plain, language: Language, *, most: int) -> Iterator[str]:
    """A model's finding in the order it is read: what, when, how, with what effect, the proof, what is open."""
    seen, words, say = finding.seen, _WORDS[language], case_words(language)
    case = seen.anatomy
    assert case is not None  # noqa: S101  hover_text asked
    yield look.heading(seen.severity.name, seen.title)
    yield look.prose(_history(finding, language))
    effect = case.consequence.text if case.consequence is not None else None
    if seen.why and seen.why != effect:
        yield look.prose(seen.why)
    rows = [row for row in argument(seen, language) if row.label != say.mechanism]
    at = next((number for number, row in enumerate(rows) if row.label == say.consequence), len(rows))
    before, after = rows[:at], rows[at:]
    if before:
        yield look.rows(before)
    if case.mechanism:
        steps = [look.step(number, step.text, step.evidence) for number, step in enumerate(case.mechanism, 1)]
        yield "\n".join([look.label(say.mechanism), *steps])
    if after:
        yield look.rows(after)
    found = proofs(seen, language)
    lines = [_proof(look, each, words["base"]) for each in found[:most]]
    if len(found) > most:
        lines.append("- " + look.prose(words["more"].format(len(found) - most)))
    if lines:
        yield "\n".join([look.label(say.evidence), *lines])
    if open_rows := list(rest(seen, language)):
        yield look.rows(open_rows)
    if finding.seen.fixes:
        yield look.diff(finding.seen.fixes[0].edits[0])
    drafts = support(case, language)
    said = f"{drafts + ' · ' if drafts else ''}{words['said']} {look.code(seen.producer)}"
    yield f"{said} · {look.code(seen.item)} · {look.code(finding.id)}"


def _proof(look: _Plain, proof: Proof, base: str) -> str:
    each = proof.evidence
    side = f" ({base})" if each.side is Side.BASE else ""
    role = f" {look.prose(each.role)}:" if each.role and not each.is_place else ""
    place = look.prose(f"{each.path}:{each.line}")
    return f"- {proof.name}{role} {look.code(each.quote.strip())} {place}{side} {proof.mark}"


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
    case, base = seen.anatomy, _WORDS[language]["base"]
    if seen.why and (case is None or case.consequence is None or case.consequence.text != seen.why):
        parts.append(look.prose(seen.why))
    seen = replace(seen, evidence=tuple(replace(each, quote=redact(each.quote)) for each in seen.evidence))
    if case is not None:
        parts.append(look.rows(argument(seen, language)))
        parts.append("\n".join(_proof(look, each, base) for each in proofs(seen, language)))
    elif seen.evidence:
        parts.append("\n".join(_evidence(look, each, language) for each in seen.evidence))
    if after := list(rest(seen, language)):
        parts.append(look.rows(after))
    parts.append(look.code(seen.item) + " · " + look.code(finding.id))
    return redact("\n\n".join(parts)) + "\n"


def _evidence(look: _Plain, evidence: Evidence, language: Language) -> str:
    side = f" ({_WORDS[language]['base']})" if evidence.side is Side.BASE else ""
    role = f"{look.prose(evidence.role)}: " if evidence.role else ""
    place = look.prose(f"{evidence.path}:{evidence.line}")
    mark = case_words(language).marks[evidence.verified]
    return f"- {role}{look.code(evidence.quote.strip())} {place}{side} {mark}"


class _Plain:
    """Text as it is."""

    line_end = ""

    def heading(self, severity: str, title: str) -> str:
        return f"{severity} · {title}"

    def prose(self, text: str) -> str:
        return _lines(text)

    def code(self, text: str) -> str:
        return _lines(text.replace("\n", " "))

    def label(self, text: str) -> str:
        return text

    def diff(self, edit: Edit) -> str:
        """What an edit takes away and puts there."""
        rows = [f"- {line}" for line in edit.old_text.split("\n")] + [f"+ {line}" for line in edit.new_text.split("\n")]
        return "\n".join(visible(row.rstrip("\r").replace("\t", "    ")) for row in rows[:MOST_DIFF])

    def rows(self, rows: Iterable[Row]) -> str:
        """Labels and what stands behind them, a line each."""
        return "\n".join(f"{self.label(row.label)}: {self.prose(_one_line(row.text))}{self.line_end}" for row in rows)

    def step(self, number: int, text: str, evidence: Iterable[int]) -> str:
        """A step of a mechanism, with the names of the evidence it rests on."""
        names = " ".join(f"E{each + 1}" for each in evidence)
        return f"{number}. {self.prose(_one_line(text))}" + (f" ({names})" if names else "")


class _Markdown(_Plain):
    """CommonMark."""

    line_end = "  "

    def heading(self, severity: str, title: str) -> str:
        return f"**{severity}** · {self.prose(title)}"

    def label(self, text: str) -> str:
        return f"**{text}**"

    def diff(self, edit: Edit) -> str:
        """The same in a fence longer than any run of backticks in it."""
        body = super().diff(edit)
        fence = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(body)), default=0))
        return f"{fence}diff\n{body}\n{fence}"

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


def _one_line(text: str) -> str:
    return " ".join(text.split())


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
