"""Reports made by hand, for what consumes them.

The texts are real, the findings invented. Invariant: every optional part can be left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from roundzero.core.change import (
    BaseChoice,
    BaseHow,
    Change,
    FileChange,
    HeadState,
    Side,
    Skip,
    SkipKind,
    Source,
    Status,
)
from roundzero.core.finding import Edit, Finding, FindingId, Fix, Observation, Origin, State
from roundzero.core.item import ItemId, Language, Severity
from roundzero.core.linemap import Hunk
from roundzero.core.report import (
    ChecklistLine,
    Coverage,
    FileSummary,
    ItemStatus,
    Report,
    Stats,
    Verdict,
    VerdictStatus,
    count,
    order,
)
from roundzero.core.text import Position, RelPath, Span

if TYPE_CHECKING:
    from collections.abc import Sequence


def span(line: int, start: int, end: int) -> Span:
    """A span inside one line."""
    return Span(Position(line, start), Position(line, end))


def finding(
    path: str | None = "app.py",
    at: Span | None = None,
    *,
    severity: Severity = Severity.P2,
    title: str = "a default is shared",
    why: str = "One object serves all calls. It grows.",
    item: str = "python/mutable-default",
    identity: str = "rz-000000000001",
    origin: Origin = Origin.INTRODUCED,
    state: State = State.OPEN,
    state_text: str | None = None,
    blocking: bool = False,
    fixes: tuple[Fix, ...] = (),
    side: Literal["head", "base"] = "head",
) -> Finding:
    """A finding."""
    return Finding(
        id=FindingId(identity),
        group="000000000000",
        seen=Observation(
            item=ItemId(item),
            producer="test",
            producer_version="1",
            source="check",
            severity=severity,
            title=title,
            why=why,
            path=RelPath(path) if path is not None else None,
            side=Side(side),
            span=at,
            symbol=None,
            anchor_text="",
            fixes=fixes,
        ),
        origin=origin,
        in_diff=True,
        anchor=None,
        state=state,
        state_text=state_text,
        blocking=blocking,
        not_blocking_because=None if blocking else f"{severity.name} never blocks",
    )


def fix(path: str, at: Span, old: str, new: str, *, safe: bool = True) -> Fix:
    """A fix of one edit."""
    return Fix(f"Write {new}", safe, (Edit(RelPath(path), at, old, new),))


def report(
    findings: Sequence[Finding] = (),
    *,
    texts: dict[str, str] | None = None,
    skipped: tuple[Skip, ...] = (),
    status: VerdictStatus | None = None,
    language: Language = "en",
    notices: tuple[str, ...] = (),
    doubts: tuple[str, ...] = (),
) -> Report:
    """A report over added files with these texts."""
    files = tuple(
        FileChange(
            path=RelPath(path),
            status=Status.ADDED,
            base=None,
            head=Source(RelPath(path), text, "0" * 40),
            hunks=(Hunk(0, 0, 1, text.count("\n")),),
        )
        for path, text in sorted((texts or {}).items())
    )
    base = BaseChoice(ref="main", merge_base="1234567890abcdef" * 2, how=BaseHow.LATEST_MERGE_BASE, doubts=doubts)
    head = HeadState(commit="f" * 40, branch="topic", dirty=True)
    listed = tuple(sorted(findings, key=order))
    blocking = sum(each.blocking for each in listed)
    gaps = any(skip.kind is SkipKind.NOT_CHECKED for skip in skipped)
    if status is None:
        status = VerdictStatus.BLOCKED if blocking else VerdictStatus.INCOMPLETE if gaps else VerdictStatus.LGTM
    reasons = (f"{blocking} blocking",) if blocking else ("1 file not checked",) if gaps else ()
    return Report(
        tool_version="0.1.0",
        reviewed_at="2026-01-02T03:04:05Z",
        language=language,
        verdict=Verdict(status=status, depth="off", blocking=blocking, reasons=reasons),
        base=base,
        head=head,
        change=Change(base=base, head=head, files=files, skipped=skipped, snapshot="5" * 64),
        counts=count(listed),
        coverage=Coverage(files=len(files) + len(skipped), reviewed=len(files), added_lines=3, skipped=skipped),
        overview=tuple(
            FileSummary(path=file.path, old_path=None, status=file.status, added=1, deleted=0) for file in files
        ),
        checklists=(
            ChecklistLine(
                pack="python", item=ItemId("python/mutable-default"), title="Defaults", status=ItemStatus.PASS
            ),
        ),
        findings=listed,
        notices=notices,
        stats=Stats(seconds=(("diff", 0.1),), hidden=(("off", 2),)),
    )
