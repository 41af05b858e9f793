"""From observations to findings: identity, scope, origin, dismissal in the code, what is shown, what blocks.

Takes everything that was seen in a change at once, because origin and identity are questions about the whole. Runs
nothing and reads nothing. Invariants: every head observation becomes exactly one finding, hidden ones with a reason; a
finding's id and whether it blocks do not depend on what is shown.

A fix is safe only on lines the branch wrote: what became unused because a use was removed is often a trace of the real
mistake, and nobody asked for edits of old lines.

Ids: the ordinal of a first id counts all head observations of equal fingerprint, in scope or not, shown or not. So an
id does not change when a setting, a path argument or an edit elsewhere shows or hides another finding.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Change, FileChange, Side
from roundzero.core.covering import without_covered
from roundzero.core.finding import (
    Anchor,
    Finding,
    FindingId,
    Grounds,
    Hit,
    Observation,
    Origin,
    State,
    fingerprint,
    observe,
)
from roundzero.core.frozen import dataclass
from roundzero.core.gate import GatePolicy, gate
from roundzero.core.given_names import without_given
from roundzero.core.item import IgnoresCheck, ItemId, Language, Prose, Severity
from roundzero.core.matching import Moves, assign_ids
from roundzero.core.origin import Holder, holder_of, origins
from roundzero.core.report import order
from roundzero.core.scope import nearest_changed_line, out_of_scope, touches_change
from roundzero.core.suppress import FILE_LINES, Directive, Fault, Suppressions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from roundzero.core.finding import Evidence
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath

_FAULTS: Final = {
    Fault.NO_ITEM: Prose("names no item", "未指明条目"),
    Fault.UNKNOWN_ITEM: Prose("names an item that does not exist", "指明的条目不存在"),
    Fault.NO_REASON: Prose("gives no reason, so it does nothing", "未写明理由，因此不起作用"),
    Fault.TOO_LATE: Prose(
        f"stands below line {FILE_LINES}, where it does nothing", f"位于第 {FILE_LINES} 行之后，不起作用"
    ),
    Fault.NOT_NEEDED: Prose("has nothing to dismiss here", "此处没有可忽略的问题"),
}

BY_BRANCH: Final = frozenset({Origin.INTRODUCED, Origin.EXPOSED})

IGNORED: Final = "ignored by a comment in the code"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is shown: origins, the mildest severity, and paths or folders (None: all)."""

    origins: frozenset[Origin] = BY_BRANCH
    min_severity: Severity = Severity.P3
    paths: tuple[RelPath, ...] | None = None

    def covers(self, path: RelPath | None) -> bool:
        """Whether findings in a path are asked for. Those about the change as a whole only when all are."""
        if self.paths is None:
            return True
        return path is not None and any(within(path, wanted) for wanted in self.paths)

    @property
    def all_origins(self) -> bool:
        """Whether what was there before is shown too."""
        return Origin.PRE_EXISTING in self.origins


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """Everything that was seen in a change.

    ``base`` holds all observations of the base for the (path, item) pairs in ``based``. ``listened`` are the items that
    were really checked, by path. ``directives`` are the comments at the head, by path. ``reached`` are symbols of old
    findings that this branch newly reaches, each with the added line that does.
    """

    head: tuple[Observation, ...]
    base: tuple[Observation, ...] = ()
    based: frozenset[tuple[RelPath, ItemId]] = frozenset()
    listened: Mapping[RelPath, frozenset[ItemId]] = field(default_factory=dict)
    directives: Mapping[RelPath, tuple[Directive, ...]] = field(default_factory=dict)
    reached: Mapping[Holder, Evidence] = field(default_factory=dict)


def within(path: RelPath, wanted: RelPath) -> bool:
    """Whether a path is ``wanted`` or lies in the folder ``wanted`` ("" is the root)."""
    folder = wanted.rstrip("/")
    return folder in {"", ".", path} or path.startswith(folder + "/")


def judge(  # noqa: PLR0913  each is an independent input
    change: Change,
    sight: Sight,
    ruleset: Ruleset,
    *,
    view: View,
    policy: GatePolicy,
    language: Language = "en",
    identify: Callable[[Sequence[Observation]], list[FindingId]] = assign_ids,
) -> list[Finding]:
    """All findings of a change, sorted, hidden ones too. ``identify`` gives ids; by default first ids."""
    files = {file.path: file for file in change.files}
    covers = {path: Suppressions(found, ruleset) for path, found in sight.directives.items()}
    head = _distinct(sight.head)
    reasons = [_dismissal(seen, covers) for seen in head]
    unused = list(_faults(sight, covers, files, ruleset, language))
    head += unused
    reasons += [None] * len(unused)
    ids = identify(head)
    came_from = origins(sorted(sight.base, key=_place), head, Moves.within(change))
    current = _texts(change) if any(seen.source == "model" for seen in head) else frozenset()
    bench = _Bench(change, files, ruleset, view, policy, sight.based, sight.reached, current)
    findings = [bench.finding(*row) for row in zip(head, ids, came_from, reasons, strict=True)]
    return sorted(without_covered(without_given(findings, ruleset), ruleset), key=order)


def listed(finding: Finding) -> bool:
    """Whether a report lists a finding: what is not hidden, dismissed ones included."""
    return finding.hidden is None


def shown(finding: Finding) -> bool:
    """Whether an editor shows a finding: listed, and not dismissed."""
    return finding.hidden is None and (
        finding.state is State.OPEN or finding.state is State.STALE or finding.state is State.UNCONFIRMED
    )


@dataclass(frozen=True, slots=True)
class _Bench:
    change: Change
    files: Mapping[RelPath, FileChange]
    ruleset: Ruleset
    view: View
    policy: GatePolicy
    based: frozenset[tuple[RelPath, ItemId]]
    reached: Mapping[Holder, Evidence]
    current: frozenset[str]

    def finding(self, seen: Observation, name: FindingId, origin: Origin, dismissed: Directive | None) -> Finding:
        """One observation as a finding."""
        file = self.files.get(seen.path) if seen.path is not None else None
        scope = out_of_scope(self.ruleset.by_id[seen.item], seen, file)
        in_diff = file is not None and touches_change(file, seen)
        unknown = (seen.path or "", seen.item) not in self.based
        if unknown and (scope is not None or self._is_old_line(seen, file, in_diff=in_diff)):
            origin = Origin.PRE_EXISTING
        use = self._use(seen, file) if origin is Origin.PRE_EXISTING and not unknown else None
        if use is not None:
            origin = Origin.EXPOSED
            seen = replace(seen, evidence=(*seen.evidence, use))
        if not in_diff:
            seen = replace(seen, fixes=tuple(replace(fix, safe=False) for fix in seen.fixes))
        finding = Finding(
            id=name,
            group=fingerprint(seen.item, seen.path, seen.symbol, seen.anchor_text),
            seen=seen,
            origin=origin,
            in_diff=in_diff,
            anchor=self._anchor(seen, file, origin, in_diff=in_diff) if use is None else Anchor(use.path, use.line),
            hidden=self._beyond(seen, origin, scope),
            outdated=_is_outdated(seen, self.current),
        )
        why = _refutation(seen) if not finding.outdated else None
        if why is not None:
            finding = finding.but(state=State.REFUTED, state_text=why)
        if dismissed is not None:
            finding = finding.but(
                state=State.DISMISSED,
                state_text=dismissed.reason,
                state_by="code",
                grounds=Grounds(path=seen.path, line=dismissed.span.start.line),
            )
        finding = gate(finding, self.policy)
        counts = finding.hidden is None and finding.state is State.OPEN and finding.origin in BY_BRANCH
        return finding.but(counts=counts, hidden=self._unwanted(finding))

    def _use(self, seen: Observation, file: FileChange | None) -> Evidence | None:
        """The added line that newly reaches the symbol an old finding lies in, if one does."""
        holder = holder_of(self.ruleset.by_id[seen.item], seen, file) if self.reached else None
        return self.reached.get(holder) if holder is not None else None

    @staticmethod
    def _is_old_line(seen: Observation, file: FileChange | None, *, in_diff: bool) -> bool:
        """Whether a finding lies on a line that was kept, so that without knowledge of the base it counts as old."""
        kept = file is not None and file.base is not None and not in_diff
        return kept and seen.span is not None and seen.side is Side.HEAD and seen.cause is None

    def _anchor(self, seen: Observation, file: FileChange | None, origin: Origin, *, in_diff: bool) -> Anchor | None:
        if seen.cause is not None:
            return seen.cause
        if origin is Origin.PRE_EXISTING:
            return None  # no changed line has to do with it
        if file is None:
            return _anchor_of(self.change) if seen.path is None else None
        if seen.side is Side.BASE and seen.span is not None:
            return Anchor(file.path, max(1, file.line_map.nearest(seen.line)))
        return None if in_diff else Anchor(file.path, nearest_changed_line(file, seen.line))

    def _beyond(self, seen: Observation, origin: Origin, scope: str | None) -> str | None:
        """Why a finding is not of this review, or None."""
        if self.ruleset.by_id[seen.item].trigger:
            return "only told to a model"
        if not self.view.covers(seen.path):
            return "outside the paths asked for"
        if scope is not None and not (
            self.view.all_origins and origin is Origin.PRE_EXISTING and seen.path in self.files
        ):
            return scope
        return None

    def _unwanted(self, finding: Finding) -> str | None:
        """Why a finding is not shown. What blocks is always shown: a verdict without its reason helps nobody."""
        if finding.hidden is not None or finding.blocking:
            return finding.hidden
        if finding.origin not in self.view.origins:
            return f"{finding.origin.value} findings are not asked for"
        if finding.seen.severity > self.view.min_severity:
            return f"milder than {self.view.min_severity.name}"
        return None


def _texts(change: Change) -> frozenset[str]:
    from roundzero.core.claims import texts_of  # noqa: PLC0415  a model's findings alone make claims, and it is slow

    return texts_of(change)


def _is_outdated(seen: Observation, current: frozenset[str]) -> bool:
    if seen.source != "model":
        return False
    from roundzero.core.claims import is_outdated  # noqa: PLC0415  as above

    return is_outdated(seen.anatomy, current)


def _refutation(seen: Observation) -> str | None:
    if seen.anatomy is None:
        return None
    from roundzero.core.claims import refutation  # noqa: PLC0415  as above

    return refutation(seen.anatomy)


def _distinct(seen: Iterable[Observation]) -> list[Observation]:
    """Each observation once: two codes of one item may say the same of the same place."""
    unique: dict[object, Observation] = {}
    for observation in seen:
        key = (observation.item, observation.path, observation.side, observation.span, observation.title)
        unique.setdefault(key, observation)
    return sorted(unique.values(), key=_place)


def _place(seen: Observation) -> tuple[str, int, int, str, str, str]:
    """An order that does not depend on who was ready first."""
    column = seen.span.start.column if seen.span is not None else 0
    return (seen.path or "", seen.line, column, seen.item, seen.side.value, seen.title)


def _dismissal(seen: Observation, covers: Mapping[RelPath, Suppressions]) -> Directive | None:
    return covers[seen.path].covering(seen) if seen.path is not None and seen.path in covers else None


def _faults(
    sight: Sight,
    covers: Mapping[RelPath, Suppressions],
    files: Mapping[RelPath, FileChange],
    ruleset: Ruleset,
    language: Language,
) -> Iterable[Observation]:
    items = [item for item in ruleset.checked if IgnoresCheck() in item.checks]
    if not items:
        return
    for path, suppressions in covers.items():
        file = files.get(path)
        if file is None or file.head is None:
            continue
        for directive, fault in suppressions.faults(sight.listened.get(path, frozenset())):
            subject = f"`{directive.text}` {_FAULTS[fault].text(language)}"
            hit = Hit(path=path, span=directive.span, subject=subject, unused=True)
            for item in items:
                yield observe(item, hit, file.head, producer="ignores", version="1", language=language)


def _anchor_of(change: Change) -> Anchor | None:
    """Where a finding about the change as a whole hangs: the first changed line of the largest changed file."""
    largest = max(
        (file for file in change.files if file.head is not None),
        key=lambda file: (sum(hunk.head_count + hunk.base_count for hunk in file.hunks), -len(file.path)),
        default=None,
    )
    return None if largest is None else Anchor(largest.path, largest.first_changed_line)
