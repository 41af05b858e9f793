"""Drafts of five voices made of the findings of another reviewer, as a script for the scripted provider.

Made without a model: each finding is given a kind and the voices that raise it, by digests, so that equal findings give
equal scripts. Every finding and its voice is named in an open question of its draft, which a deep review keeps through
the merging of drafts; so a report tells by itself which drafts went into which finding. Invariant: what is quoted from
the head of a true draft stands there; a stale quote stands nowhere in it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.deep import VOICES
from roundzero.core.neutral import neutral
from roundzero.core.prompt import BLANKED, OTHER
from roundzero.core.reading import read_by
from roundzero.core.units import redacted_source
from roundzero.core.whole_change import MARK as WHOLE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from roundzero.core.change import Change, Source
    from roundzero.core.deep import Voice
    from roundzero.core.model_values import Unit
    from roundzero.core.ruleset import Ruleset

Said = dict[str, object]

_LAYOUT: Final = re.compile(r"[\s(),]")
"""What a formatter may add or take."""
_LONGEST: Final = 300
"""Most characters that a draft may quote of a line."""
_TELLING: Final = 8
"""Characters a stale line must have, so that it is not found again by chance."""
_NEAR: Final = 3
"""Lines by which two drafts of one defect may differ in the line they call decisive."""
_LEFT_OUT: Final = 5
"""One piece in so many is left out of a title that has no other wording."""
_PIECE: Final = re.compile(r"\s+|[!-~]+|[^\s!-~]{1,2}")
_DEFINED: Final = re.compile(
    r"^(?:async )?(?P<kind>def|class|struct|function)\s+(?P<name>\w{4,})|^(?P<shell>\w{4,})\(\)\s*\{", re.MULTILINE
)
_CALLED: Final = re.compile(r"(\w{4,})\(")
_NAMED: Final = re.compile(r"\b[A-Za-z]+_\w{3,}\b")
_FAILURES: Final = {"P0": "security", "P1": "wrong-result", "P2": "maintainability", "P3": "style"}
_TAG: Final = re.compile(r"drafted as (\w+): (\d+) by (\d)")
_TOOLS: Final = "You may look around"
_LOOK: Final = "Say whether the defect is real"
_CHECK: Final = "Say of each numbered claim"
_OVERVIEW: Final = "Describe it; do not look for defects"


class Kind(Enum):
    """What is wrong with a finding's drafts.

    ``TRUE``: nothing is. ``STALE``: what it stands on is quoted from another commit. ``WRONG``: its decisive claim says
    that something does not exist which does. ``OPEN``: nothing can settle its decisive claim.
    """

    TRUE = "true"
    STALE = "stale"
    WRONG = "wrong"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A finding of the other reviewer. ``wordings``: its titles in other rounds, if it has any."""

    number: int
    severity: str
    title: str
    path: str
    line: int
    wordings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tag:
    """Which finding a draft is of, of which kind it is, and which voice's."""

    kind: Kind
    number: int
    voice: int

    @property
    def text(self) -> str:
        """The open question that says so."""
        return f"drafted as {self.kind.value}: {self.number} by {self.voice}"


def tags_in(questions: Iterable[str]) -> list[Tag]:
    """The tags among the open questions of a finding."""
    found = (_TAG.fullmatch(text) for text in questions)
    return [Tag(Kind(each[1]), int(each[2]), int(each[3])) for each in found if each is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The lines of a script, the tag of every draft in it, and the findings nobody could be asked about."""

    lines: tuple[Said, ...]
    drafted: tuple[Tag, ...]
    unasked: tuple[Reference, ...]


def scripted(
    references: Sequence[Reference],
    units: Sequence[Unit],
    change: Change,
    ruleset: Ruleset,
    *,
    turn: int,
    older: Mapping[str, Sequence[str]],
) -> Script:
    """The answers to everything a deep review of a change asks. ``turn`` decides the kind of each finding.

    ``older``: texts of each path at other commits, the likeliest first. Drafts fit into one reply, eight a unit.
    """
    answers: dict[tuple[str, int, int], list[Said]] = {}
    drafted: list[Tag] = []
    unasked: list[Reference] = []
    checks: list[Said] = []
    for each in references:
        unit = _unit(each, units)
        file = change.file(unit.path) if unit is not None else None
        if unit is None or file is None or file.head is None or each.line > file.head.index.line_count:
            unasked.append(each)
            continue
        case = _Case(each, unit, redacted_source(file.head), file.added, turn, tuple(older.get(each.path, ())))
        for voice in case.voices:
            drafted.append(Tag(case.kind, each.number, voice.number))
            answers.setdefault((unit.path, units.index(unit), voice.number), []).append(case.draft(voice))
        checks += case.checks()
    lines: list[Said] = [{"match": _OVERVIEW, "reply": _NOTHING}, {"match": WHOLE, "reply": _reply([])}, *checks]
    for voice in (VOICES[2], VOICES[3], VOICES[4], VOICES[0], VOICES[1]):
        lines += (
            {"match": _asked(units[at], voice, ruleset), "reply": _reply(said)}
            for (_, at, number), said in answers.items()
            if number == voice.number
        )
    empty: Said = {"match": "Part of ", "reply": _reply([])}
    return Script(lines=(*lines, empty), drafted=tuple(drafted), unasked=tuple(unasked))


_NOTHING: Final[Said] = {"summary": "", "themes": [], "files": [], "strengths": [], "description": []}


def _reply(findings: Sequence[Said]) -> Said:
    return {"findings": list(findings), "clean": []}


def _unit(each: Reference, units: Iterable[Unit]) -> Unit | None:
    """The unit that shows the line, or comes nearest to it."""
    own = [unit for unit in units if unit.path == each.path]
    return min(own, key=lambda unit: min(_far(hunk.head_lines, each.line) for hunk in unit.hunks), default=None)


def _far(lines: range, line: int) -> int:
    return 0 if line in lines else min(abs(lines.start - line), abs(lines.stop - line))


def _asked(unit: Unit, voice: Voice, ruleset: Ruleset) -> str:
    """A pattern of the question that a voice is asked about a unit: its first changed line, the order of its checks."""
    hunk = unit.hunks[0]
    mark, line = ("+", hunk.head_start) if hunk.head_count else ("-", hunk.base_start)
    read = read_by(voice, unit, {})
    asks = [name for name in read.items if name != OTHER and (item := ruleset.by_id.get(name)) is not None and item.ask]
    order = ".*".join(f"\n- {re.escape(name)}: " for name in asks)
    note = BLANKED if voice.neutral else _TOOLS if voice.tools else ""
    shown = re.escape(f"\n{mark} {line:4} ")
    return f"(?s){re.escape(note)}.*Part of {re.escape(unit.path)}\n.*{shown}.*\nChecks{order}"


class _Case:
    """One finding's drafts, and what is answered about it later."""

    def __init__(
        self, each: Reference, unit: Unit, head: Source, added: Collection[int], turn: int, older: Sequence[str]
    ) -> None:
        self._each = each
        self._unit = unit
        self._head = head
        self._blanked = neutral(head)
        self._chance = _digest(each.path, each.title)
        self._here = next((at for at in range(each.line, head.index.line_count + 1) if _tells(head, at)), each.line)
        changed = [at for hunk in unit.hunks for at in hunk.head_lines if at in added and _tells(head, at)]
        self._changed = min(
            (at for at in changed if at != self._here), key=lambda at: abs(at - each.line), default=None
        )
        self._stale = stale_line(head, each.line, older)
        self._name = _name_near(head, self._here)
        self.kind = self._kind(turn)
        wanted = sorted(VOICES, key=lambda voice: _digest(str(voice.number), each.title))
        self.voices = sorted(wanted[: 1 + self._chance % 5], key=lambda voice: voice.number)

    def _kind(self, turn: int) -> Kind:
        kind = list(Kind)[(self._each.number + turn) % len(Kind)]
        lacks = (kind is Kind.STALE and self._stale is None) or (kind is Kind.WRONG and self._name is None)
        return Kind.OPEN if lacks else kind

    def draft(self, voice: Voice) -> Said:
        """What a voice says."""
        quotes, line = self._quotes(voice)
        severity = self._severity(voice)
        return {
            "item": self._item(voice),
            "severity": severity,
            "title": self._wording(voice.number),
            "path": self._each.path,
            "line": line,
            "end_line": line,
            "trigger": "",
            "base_to_head": "",
            "mechanism": [],
            "consequence": {"text": self._each.title, "failure": _FAILURES[self._each.severity]},
            "severity_reason": "",
            "evidence": quotes,
            "claims": [{"text": self._claim(voice), "decisive": True}],
            "open_questions": [
                {"text": Tag(self.kind, self._each.number, voice.number).text, "decides": "reachability"}
            ],
            "suggestions": [],
            "replacement": None,
        }

    def _severity(self, voice: Voice) -> str:
        """The reference's, one step graver with every third finding of two voices; what must not block is a P1."""
        said = int(self._each.severity[1])
        if self.kind is not Kind.TRUE:
            return f"P{min(said, 1)}"
        graver = voice.number in {2, 5} and self._chance % 3 == 0
        return f"P{max(0, said - graver)}"

    def _item(self, voice: Voice) -> str:
        """Voices of an even number file it under a check of the unit, the others under none."""
        items = sorted(name for name in self._unit.items if name != OTHER)
        return items[self._chance % len(items)] if items and voice.number % 2 == 0 else OTHER

    def _wording(self, number: int) -> str:
        """The first voice's title is the reference's; others have that of another round, or leave out pieces of it."""
        titles = [self._each.title, *self._each.wordings]
        if number <= len(titles):
            return titles[number - 1]
        pieces = _PIECE.findall(self._each.title)
        kept = [part for at, part in enumerate(pieces) if part.isspace() or (at + number) % _LEFT_OUT]
        return "".join(kept)

    def _claim(self, voice: Voice) -> str:
        if self.kind is Kind.WRONG:
            return f"{self._name} does not exist"
        return self._wording(1 + voice.number % len(VOICES))

    def _quotes(self, voice: Voice) -> tuple[list[Said], int]:
        """The quotes of a voice, the decisive one first, and the line it names."""
        text = self._blanked if voice.neutral else self._head
        own = _quote(text, self._each.path, self._here)
        beside = _quote(text, self._each.path, self._changed) if self._changed is not None else None
        if self.kind is Kind.STALE and self._stale is not None:
            line, stale = self._stale
            alone = (self._chance + voice.number) % 2 == 0 or beside is None
            first = {**own, "line": line, "quote": stale, "decisive": True}
            return [first] if alone else [first, *([beside] if beside is not None else [])], line
        if beside is None or voice.number == len(VOICES):
            return [own | {"decisive": True}], self._here
        near = self._changed is not None and abs(self._changed - self._here) <= _NEAR
        if near and voice.number == VOICES[2].number:
            return [beside | {"decisive": True}, own], self._changed or self._here
        return [own | {"decisive": True}, beside], self._here

    def checks(self) -> Iterator[Said]:
        """What a second look and a fact check answer.

        About what must not block the worst there is: they agree, and quote what the draft quotes or what is nowhere. Of
        every other open or wrong claim the fact check sees it.
        """
        about = f"(?s){{}}.*{re.escape(f'drafted as {self.kind.value}: {self._each.number} by ')}"
        place = self._stale if self.kind is Kind.STALE and self._stale else None
        proof = _quote(self._head, self._each.path, self._here)
        del proof["decisive"]
        if place is not None:
            proof |= {"line": place[0], "quote": place[1]}
        made_up = proof | {"quote": "this line is made_up(by, whoever, says, so)"}
        true = self.kind is Kind.TRUE
        answer = "does-not-hold" if true and self._chance % 3 == 2 else "holds"
        yield {
            "match": about.format(_LOOK),
            "reply": {"answer": answer, "reason": "scripted", "evidence": [proof]},
        }
        verdict = "refuted" if true and self._chance % 4 == 3 else "verified"
        if self._chance % 2:
            verdict = {Kind.OPEN: "unverifiable", Kind.WRONG: "refuted"}.get(self.kind, verdict)
        evidence = [made_up if self.kind is Kind.OPEN else proof]
        claim = {"claim": 0, "verdict": verdict, "reason": "scripted", "evidence": evidence}
        yield {"match": about.format(_CHECK), "reply": {"claims": [claim]}}


def _quote(source: Source, path: str, line: int) -> Said:
    text = source.index.line(line).strip()[:_LONGEST]
    return {"path": path, "side": Side.HEAD.value, "line": line, "quote": text, "role": "shows it", "decisive": False}


def _tells(source: Source, line: int) -> bool:
    return sum(each.isalnum() for each in source.index.line(line)) > _NEAR


def stale_line(head: Source, line: int, older: Iterable[str]) -> tuple[int, str] | None:
    """The line of another commit nearest to one, and its text, that is nowhere in the head, however it is laid out."""
    there = _LAYOUT.sub("", head.text)
    for text in older:
        gone = [
            (at, each.strip()[:_LONGEST])
            for at, each in enumerate(text.split("\n"), 1)
            if len(_LAYOUT.sub("", each)) >= _TELLING and _NAMED.search(each) and _LAYOUT.sub("", each) not in there
        ]
        if gone:
            return min(gone, key=lambda row: (abs(row[0] - line), row))
    return None


def _name_near(head: Source, line: int) -> str | None:
    """What is there and is said not to be: what a line calls, else what is defined nearest to it."""
    found = [
        (head.text.count("\n", 0, each.start(each.lastindex or 0)) + 1, each) for each in _DEFINED.finditer(head.text)
    ]
    called = set(_CALLED.findall(head.index.line(line)))
    used = [row for row in found if (row[1]["name"] or row[1]["shell"]) in called]
    if not found:
        return None
    nearest = min(used or found, key=lambda row: abs(row[0] - line))[1]
    kind, name = nearest["kind"], nearest["name"] or nearest["shell"]
    return f"the class `{name}`" if kind in {"class", "struct"} else f"{name}()"


def _digest(*parts: str) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest()[:4], "big")
