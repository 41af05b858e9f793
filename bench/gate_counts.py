"""What became of scripted drafts, counted from the reports of deep reviews.

Reads the JSON of reports and the tags that bench/scripted_drafts.py puts into drafts; asks and runs nothing. Invariant:
a finding counts for the kind of its true drafts if it has any, else for the first kind among its drafts.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from scripted_drafts import Kind, tags_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scripted_drafts import Tag

_LET_IN: Final = "admitted"
_MILDER: Final = re.compile(r"P2 and not P[01], because ([^;:]+)")
_AT_LOOK: Final = "a second look"
_AT_CHECK: Final = "its decisive claim could not be verified"
_BY_MODEL: Final = "read by"
_GATES: Final = ("letting in", "merging", "probes", "second look", "fact check", "verdict")
_COLUMNS: Final = ("in", "past it", "made milder", "refuted", "held back")
_ENDS: Final = ("findings", "blocking", "made milder", "refuted by a probe", "refuted by the model", "as graded")


@dataclass
class Tally:
    """Numbers over all reviews: of gates by row and column, of kinds by kind and end, and of pairs of drafts."""

    gates: Counter[tuple[str, str]] = field(default_factory=Counter)
    why: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    kinds: Counter[tuple[Kind, str]] = field(default_factory=Counter)
    reviews: int = 0
    unasked: int = 0
    joined: int = 0
    wrong: int = 0
    missed: int = 0

    def blocked(self, kind: Kind) -> int:
        """How many findings blocked that only drafts of a kind raised."""
        return self.kinds[kind, "blocking"]

    def count(self, report: Mapping[str, Any], drafted: Sequence[Tag], references: int) -> None:
        """Add a review. ``drafted``: the tags of all drafts of it; ``references``: how many findings there were."""
        found = [each for each in report["findings"] if each["source"] == "model"]
        groups = [tags_in(question["text"] for question in each["open_questions"]) for each in found]
        self.reviews += 1
        self.unasked += references - len({tag.number for tag in drafted})
        self.kinds.update((tag.kind, "drafts") for tag in drafted)
        self._let_in(report["stats"], len(drafted), len(found))
        self._pairs(groups)
        for each, tags in zip(found, groups, strict=True):
            self._finding(each, tags)

    def _let_in(self, stats: Mapping[str, Any], drafted: int, listed: int) -> None:
        gates = Counter(stats["drafts"]["gates"])
        let_in = gates.pop(_LET_IN, 0)
        lost = Counter({"not answered": drafted - let_in - gates.total()})
        self.why["letting in"] += gates + lost
        self._row("letting in", drafted, let_in, milder=stats["drafts"]["capped"], back=drafted - let_in)
        clusters = stats["clusters"]
        self._row("merging", clusters["drafted"], clusters["distinct"])
        if listed != clusters["distinct"]:
            self.why["merging"]["not listed in the report"] += clusters["distinct"] - listed

    def _row(self, gate: str, given: int, past: int, *, milder: int = 0, back: int = 0, refuted: int = 0) -> None:
        for column, number in zip(_COLUMNS, (given, past, milder, refuted, back), strict=True):
            self.gates[gate, column] += number

    def _finding(self, each: Mapping[str, Any], tags: Sequence[Tag]) -> None:
        """Follow one finding through the gates after merging."""
        kind = next(one for one in Kind if any(tag.kind is one for tag in tags))
        self.kinds.update((tag.kind, "let in") for tag in tags)
        claim = next(claim for claim in each["claims"] if claim["decisive"])
        said, probe = claim["verdict"], claim["probe"] or ""
        by_model = probe.startswith(_BY_MODEL)
        milder = _MILDER.search(each["severity_reason"] or "")
        why = milder[1].strip() if milder is not None else ""
        settled = said != "unverifiable" and not by_model
        refuted = said == "refuted"
        self._row("probes", 1, not (settled and refuted), refuted=settled and refuted)
        if settled:
            self.why["probes"][f"settled: {said}"] += 1
        if each["confirmed"] is not None:
            self._row("second look", 1, each["confirmed"], milder=not each["confirmed"])
            if not each["confirmed"]:
                self.why["second look"][why or "no longer grave"] += 1
        if by_model or why == _AT_CHECK:
            self._row("fact check", 1, said == "verified", milder=why == _AT_CHECK, refuted=refuted)
            if why == _AT_CHECK:
                self.why["fact check"][probe] += 1
        if each["severity"] in {"P0", "P1"} and each["state"] == "open":
            self._row("verdict", 1, each["blocking"], back=not each["blocking"])
            if not each["blocking"]:
                self.why["verdict"][each["not_blocking_because"] or ""] += 1
        self.kinds[kind, "findings"] += 1
        end = "made milder" if milder is not None else "as graded"
        if refuted:
            end = "refuted by the model" if by_model else "refuted by a probe"
        self.kinds[kind, "blocking" if each["blocking"] else end] += 1

    def _pairs(self, groups: Sequence[Sequence[Tag]]) -> None:
        """Pairs of drafts: those of one finding of the reference belong together."""
        where = [(tag, at) for at, tags in enumerate(groups) for tag in tags]
        for (one, here), (other, there) in itertools.combinations(where, 2):
            same, joined = one.number == other.number, here == there
            self.joined += same and joined
            self.wrong += joined and not same
            self.missed += same and not joined

    def lines(self) -> Iterable[str]:
        """Two tables and the last line."""
        yield f"{self.reviews} reviews; {self.unasked} findings in files that no question is about"
        yield ""
        yield from _table(("Gate", *_COLUMNS, "why"), [self._cells(gate) for gate in _GATES])
        yield ""
        rows = [(kind.value, *(str(self.kinds[kind, end]) for end in ("drafts", "let in", *_ENDS))) for kind in Kind]
        yield from _table(("Drafts", "drafted", "let in", *_ENDS), rows)
        yield ""
        yield (
            f"blocked-on-stale {self.blocked(Kind.STALE)} blocked-on-unverifiable {self.blocked(Kind.OPEN)}"
            f" joined {self.joined} wrong {self.wrong} missed {self.missed}"
        )

    def _cells(self, gate: str) -> tuple[str, ...]:
        numbers = (str(self.gates[gate, column]) for column in _COLUMNS)
        return (gate, *numbers, ", ".join(f"{number} {why}" for why, number in self.why[gate].most_common() if number))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterable[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "|".join("---" if name in {head[0], "why"} else "--:" for name in head) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |".replace("|  |", "| |")
