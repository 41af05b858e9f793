"""From what a draft says to what may be shown: location, evidence, relation to the change, severity.

Pure. A draft is a claim; what stands here is what of it could be verified on the very texts under review. Each finding
that is let in says how its quotes came out; each that is not is counted with the reason. Invariants: a finding stands
on a line that a verified quote stands on; one without verified evidence, or without any on a changed line, is not let
in; nothing raises a severity.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field, replace
from enum import Enum
from typing import TYPE_CHECKING

from roundzero.core.anatomy import Decides
from roundzero.core.change import Side, Source
from roundzero.core.citing import meant_path
from roundzero.core.cluster import ALIKE, likeness
from roundzero.core.evidence import verified
from roundzero.core.finding import Anchor, Edit, Evidence, Fix, Observation, Verified
from roundzero.core.frozen import dataclass
from roundzero.core.item import Severity
from roundzero.core.matching import MODEL_LINES
from roundzero.core.outline import symbol_at
from roundzero.core.prompt import OTHER
from roundzero.core.scope import nearest_changed_line
from roundzero.core.text import Position, RelPath, Span, collapse
from roundzero.core.units import redacted_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from roundzero.core.change import Change, FileChange
    from roundzero.core.item import Item, ItemId
    from roundzero.core.model_values import Draft, DraftFinding, Unit
    from roundzero.core.quotes import Text
    from roundzero.core.ruleset import Ruleset


class Gate(Enum):
    """What became of a drafted finding."""

    ADMITTED = "admitted"
    UNREADABLE = "not in the form asked for"
    NOWHERE = "about a file that is not there"
    NO_EVIDENCE = "no quote could be found in the text"
    UNRELATED = "not about a changed line"
    REPEATED = "it was said already"
    OFF = "its item is switched off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What was let in, and how many of what was drafted each gate held back. ``capped``: let in, made milder."""

    observations: tuple[Observation, ...] = ()
    counts: Mapping[Gate, int] = field(default_factory=dict)
    capped: int = 0


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts under review by path and side: ``sources`` without secrets, as a model saw them, ``plain`` as they are.

    Quotes are looked for in the former; where a finding stands, and by what text it is known again, is of the latter.
    ``unblanked``: the former with its comments, where a model saw it without.
    """

    sources: Mapping[tuple[RelPath, Side], Source]
    plain: Mapping[tuple[RelPath, Side], Source] = field(default_factory=dict)
    unblanked: Mapping[tuple[RelPath, Side], Source] = field(default_factory=dict)

    @classmethod
    def of(cls, change: Change, others: Iterable[tuple[Side, Source]] = ()) -> Texts:
        """The texts of a change, and others that were shown."""
        found = {**change.sides, **{(source.path, side): source for side, source in others}}
        return cls({key: redacted_source(source) for key, source in found.items()}, found)


def admit(  # noqa: PLR0913  each is an independent input
    draft: Draft,
    unit: Unit,
    change: Change,
    texts: Texts,
    ruleset: Ruleset,
    *,
    producer: str,
    version: str,
    said: Sequence[Observation] = (),
) -> Admission:
    """Let in what of a draft about a unit holds. ``said``: what checks found."""
    counts: Counter[Gate] = Counter({Gate.UNREADABLE: len(draft.faults)})
    admitted: list[Observation] = []
    capped = 0
    forms: dict[tuple[RelPath, Side], Text] = {}
    for found in draft.findings:
        judged = _Candidate(found, unit, change, texts, ruleset, forms).judged(producer, version)
        if isinstance(judged, Gate):
            counts[judged] += 1
        elif _repeats(judged, (*said, *admitted)):
            counts[Gate.REPEATED] += 1
        else:
            counts[Gate.ADMITTED] += 1
            capped += judged.severity > found.severity
            admitted.append(judged)
    kept = {gate: number for gate, number in counts.items() if number}
    return Admission(observations=tuple(admitted), counts=kept, capped=capped)


@dataclass(frozen=True, slots=True)
class _Candidate:
    found: DraftFinding
    unit: Unit
    change: Change
    texts: Texts
    ruleset: Ruleset
    forms: dict[tuple[RelPath, Side], Text]

    def judged(self, producer: str, version: str) -> Observation | Gate:
        """The observation, or the gate that held it back."""
        item = self._item()
        if item is None:
            return Gate.OFF
        evidence = self._evidence()
        good = [each for each in evidence if each.is_found]
        if not good:
            paths = {path for path, _ in self.texts.sources}
            elsewhere = evidence and not any(each.path in paths for each in evidence)
            return Gate.NOWHERE if elsewhere else Gate.NO_EVIDENCE
        asked = zip(self.found.quotes, evidence, strict=True)
        decisive = [each for quote, each in asked if quote.decisive and each.is_found]
        place = self._place(good, decisive)
        cause = cause_of(good, self.change)
        if place is None or cause is None:
            return Gate.UNRELATED
        source = self.texts.sources[place.path, Side.HEAD]
        plain = self.texts.plain.get((place.path, Side.HEAD), source)
        severity, reason = self._severity(decisive)
        if item.severity_set and item.severity > severity:
            severity, reason = item.severity, f"{item.severity.name} by the settings"
        anatomy = replace(self.found.anatomy, severity_reason=reason)
        on_change = place.path == self.unit.path and any(place.line in hunk.head_lines for hunk in self.unit.hunks)
        return Observation(
            item=item.id,
            producer=producer,
            producer_version=version,
            source="model",
            severity=severity,
            title=" ".join(self.found.title.split()),
            why=self.found.why,
            path=place.path,
            side=Side.HEAD,
            span=plain.index.line_span(place.line),
            symbol=symbol_at(plain.path, plain.index, place.line),
            anchor_text=collapse(plain.index.line(place.line)),
            evidence=tuple(evidence),
            fixes=self._fixes(source, plain, place),
            cause=None if on_change else cause,
            anatomy=anatomy,
        )

    def _item(self) -> Item | None:
        named: ItemId | None = next((name for name in self.ruleset.by_id if name == self.found.item), None)
        item = self.ruleset.by_id[named] if named is not None else None
        if item is None or not item.ask:
            item = next((each for each in self.ruleset.items if each.id == OTHER), None)
        return item if item is not None and item.enabled else None

    def _evidence(self) -> list[Evidence]:
        quoted = [
            Evidence(
                path=self._path(quote.path),
                side=quote.side,
                line=max(1, quote.line),
                quote=quote.text,
                role=quote.role,
                blob="",
            )
            for quote in self.found.quotes
        ]
        found = verified(quoted, self.texts.sources, self.forms)
        return [self._unblanked(each) for each in found] if self.texts.unblanked else list(found)

    def _unblanked(self, each: Evidence) -> Evidence:
        """Evidence from a blanked text with the lines as they are."""
        source = self.texts.unblanked.get((each.path, each.side))
        if source is None or not each.is_found:
            return each
        last = min(each.line + each.quote.strip("\n").count("\n"), source.index.line_count)
        lines = [source.index.line(line) for line in range(each.line, last + 1)]
        if lines == [self.texts.sources[each.path, each.side].index.line(line) for line in range(each.line, last + 1)]:
            return each
        return replace(each, quote="\n".join(lines).strip())

    def _path(self, said: str) -> RelPath:
        return meant_path(said, {path for path, _ in self.texts.sources})

    def _place(self, good: Sequence[Evidence], decisive: Sequence[Evidence]) -> Evidence | None:
        """The verified head quote the finding stands on: of its own file, decisive if there is one, the nearest."""
        path = self._path(self.found.path)
        heads = [each for each in good if each.side is Side.HEAD and each.path == path]
        if not heads:
            heads = [each for each in good if each.side is Side.HEAD]
        if not heads:
            return self._left_behind(good)
        return min(heads, key=lambda each: (each not in decisive, abs(each.line - self.found.line), each.line))

    def _left_behind(self, good: Sequence[Evidence]) -> Evidence | None:
        """Where a removal that is proved by base lines alone shows at the head."""
        for each in good:
            for hunk in self.unit.hunks:
                if each.path in {self.unit.path, self._base_path()} and each.line in hunk.base_lines:
                    head = self.texts.sources.get((self.unit.path, Side.HEAD))
                    line = min(max(1, hunk.head_start), head.index.line_count) if head is not None else 0
                    return replace(each, path=self.unit.path, line=line) if head is not None and line else None
        return None

    def _base_path(self) -> RelPath:
        file = self.change.file(self.unit.path)
        return file.base.path if file is not None and file.base is not None else self.unit.path

    def _severity(self, decisive: Sequence[Evidence]) -> tuple[Severity, str | None]:
        """The severity it may have, with the reason when that is milder than it says. ``decisive``: what was found."""
        said, reason = self.found.severity, self.found.anatomy.severity_reason
        caps: list[str] = []
        if any(each.decides is Decides.EXISTENCE and each.answer is None for each in self.found.anatomy.open_questions):
            caps.append("an open question decides whether it exists")
        if not decisive:
            caps.append("its decisive evidence was not found")
        if not any(claim.decisive for claim in self.found.anatomy.claims):
            caps.append("no claim of it is decisive")
        if not caps or said > Severity.P1:
            return said, reason
        return Severity.P2, f"P2 and not {said.name}, because {' and '.join(caps)}"

    def _fixes(self, source: Source, plain: Source, place: Evidence) -> tuple[Fix, ...]:
        """The edit it offers, if it is of lines it was shown, where it says they are, and as they are."""
        found = self.found
        moved = place.line != found.line or place.path != self._path(found.path)
        if found.replacement is None or moved or place.verified is not Verified.EXACT:
            return ()
        lines = range(found.line, found.end_line + 1)
        shown = any(
            each.side is Side.HEAD
            and each.first <= lines.start
            and lines.stop <= each.first + each.text.count("\n") + 1
            for each in self.unit.excerpts
        )
        if not shown or lines.stop - 1 > source.index.line_count:
            return ()
        last = lines.stop - 1
        end = source.index.line_start(last) + len(source.index.line(last))
        old = source.text[source.index.line_start(lines.start) : end]
        line_end = "\r\n" if source.text[end:].startswith("\r\n") or "\r\n" in old else "\n"
        new = line_end.join(found.replacement.replace("\r", "").rstrip("\n").split("\n"))
        span = Span(Position(lines.start, 1), Position(last, len(source.index.line(last)) + 1))
        if old == new or "<secret " in new or plain.index.slice(span) != old:
            return ()
        return (Fix(title=found.title, safe=False, edits=(Edit(source.path, span, old, new),)),)


def cause_of(good: Sequence[Evidence], change: Change) -> Anchor | None:
    """The changed line that a verified quote stands on, or that took a removed one's place."""
    for each in good:
        for file in change.files:
            if each.side is Side.HEAD and file.path == each.path and each.line in file.added:
                return Anchor(file.path, each.line)
            if each.side is Side.BASE and _removes(file, each):
                line = nearest_changed_line(file, max(1, file.line_map.nearest(each.line))) if file.head else 1
                return Anchor(file.path, line)
    return None


def _removes(file: FileChange, quoted: Evidence) -> bool:
    """Whether the change removed a quoted line, perhaps with its file."""
    base = file.base
    return base is not None and base.path == quoted.path and quoted.line in file.removed


def _repeats(seen: Observation, said: Iterable[Observation]) -> bool:
    """Whether it was said already: the same item at nearly the same line.

    Under the item for everything else two neighbours may well be two defects, so there the words must be alike too.
    """
    return any(
        each.item == seen.item
        and each.path == seen.path
        and each.side is seen.side
        and abs(each.line - seen.line) <= MODEL_LINES
        and (seen.item != OTHER or likeness(each.title, seen.title) >= ALIKE)
        for each in said
    )
