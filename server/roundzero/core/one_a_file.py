"""What an item says again and again of one file, told once: the first finding names the others and mends them too.

In an editor each place is marked all the same, and each finding keeps its identity, so that one of them can be
answered, or mended, without the others. Which items these are is in the packs (``one_a_file``). Invariant: nothing is
told through a finding that says less: both are open, of the branch alike, as grave, and block as much; and a joined fix
is as safe as each of its parts, and leaves a text that parsed one that parses.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Source
from roundzero.core.finding import Fix, State
from roundzero.core.item import language_of
from roundzero.core.syntax import NotPythonError, parse_python

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from roundzero.core.change import Change
    from roundzero.core.finding import Edit, Finding, Observation
    from roundzero.core.item import Item
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import RelPath, Span

REASON: Final = "told with another of its file"

FEWEST: Final = 3
"""Findings of an item in one file that are a habit; one or two stand for themselves, unless they say the same."""

NAMED: Final = 3
"""Most subjects that a title names."""


def told_once(findings: Sequence[Finding], ruleset: Ruleset, change: Change) -> list[Finding]:
    """The findings, in order: the first of each kind and file with the others in it, those hidden."""
    groups: dict[Hashable, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.hidden is None and finding.state is State.OPEN and finding.seen.source == "check":
            item = ruleset.by_id.get(finding.seen.item)
            if item is not None and item.one_a_file and finding.seen.path is not None:
                groups[_kind(finding, item)].append(finding)
    heads = {group[0].id: group for group in groups.values() if len(group) >= FEWEST or _says_the_same(group)}
    others = {finding.id for group in heads.values() for finding in group[1:]}
    if not others:
        return list(findings)
    return [
        finding.hidden_for(REASON)
        if finding.id in others
        else finding.but(seen=_joined([each.seen for each in heads[finding.id]], change))
        if finding.id in heads
        else finding
        for finding in findings
    ]


def _kind(finding: Finding, item: Item) -> Hashable:
    seen = finding.seen
    subject = seen.title if item.one_a_file == "subject" else ""
    return (seen.item, subject, seen.path, seen.side, seen.severity, finding.origin, finding.blocking)


def _says_the_same(group: Sequence[Finding]) -> bool:
    """Whether there are several, with one title."""
    return len(group) > 1 and len({each.seen.title for each in group}) == 1


def _joined(group: Sequence[Observation], change: Change) -> Observation:
    """The first, which says what the others do."""
    first, *rest = group
    places = {(each.path, each.side, each.line): each for other in rest for each in other.evidence[:1]}
    also = (replace(each, role="also here") for each in places.values() if not first.stands_at(each))
    return replace(first, title=_title(group), evidence=(*first.evidence, *also), fixes=_fixes(group, change))


def _title(group: Sequence[Observation]) -> str:
    """One title with the subjects of all: those of a kind begin alike, up to the first name."""
    head = group[0].title.partition("`")[0]
    subjects = [each.title.removeprefix(head) for each in group if each.title.startswith(head)]
    shown = ", ".join(dict.fromkeys(subject for subject in subjects[:NAMED] if subject))
    more = len(group) > NAMED or not shown
    return f"{head}{shown}{', …' if more and shown else ''}{f' ({len(group)})' if more else ''}"


def _fixes(group: Sequence[Observation], change: Change) -> tuple[Fix, ...]:
    """One fix that does what the first fixes of the others do as well, as far as they go together.

    Those that may change what the program does are joined only where all are so.
    """
    own = group[0].fixes
    firsts = [each.fixes[0] for each in group if each.fixes]
    taken = _apart([fix for fix in firsts if fix.safe == any(each.safe for each in firsts)])
    while len(taken) > 1 and not _holds([edit for fix in taken for edit in fix.edits], change):
        taken = taken[: (len(taken) + 1) // 2]
    if not taken or taken == [own[0] if own else None]:
        return own
    if len(taken) > 1:
        number = f"{len(taken)}" if len(taken) == len(group) else f"{len(taken)} of {len(group)}"
        title = f"{taken[0].title.partition('`')[0].rstrip(' :')} ({number})"
        joined = Fix(title, safe=taken[0].safe, edits=tuple(dict.fromkeys(edit for fix in taken for edit in fix.edits)))
    else:
        joined = taken[0]
    return (joined, *(own[1:] if own and own[0] in taken else own))


def _apart(fixes: Sequence[Fix]) -> list[Fix]:
    """The fixes, in order, without those that touch the same text as one before.

    Two that add at one place do not, and add in the order of the findings; an edit of several fixes is one.
    """
    taken: list[Fix] = []
    edits: set[Edit] = set()
    spans: dict[RelPath, list[Span]] = defaultdict(list)
    for fix in fixes:
        new = [edit for edit in fix.edits if edit not in edits]
        if not any(_meets(edit.span, spans[edit.path]) for edit in new):
            taken.append(fix)
            edits.update(new)
            for edit in new:
                insort(spans[edit.path], edit.span)
    return taken


def _meets(span: Span, others: Sequence[Span]) -> bool:
    """Whether a stretch shares text with one of others, which are sorted and share none."""
    at = bisect_left(others, span)
    return (at < len(others) and others[at].start < span.end) or (at > 0 and span.start < others[at - 1].end)


def _holds(edits: Sequence[Edit], change: Change) -> bool:
    """Whether all edits leave Python that parses: of a block whose lines all go, nothing is left."""
    for path in {edit.path for edit in edits}:
        file = change.file(path)
        if file is None or file.head is None or language_of(path) != "python":
            continue
        text, index = file.head.text, file.head.index
        for edit in sorted(set(edits), key=lambda each: each.span.start, reverse=True):
            if edit.path == path:
                start, end = index.offset(edit.span.start), index.offset(edit.span.end)
                text = f"{text[:start]}{edit.new_text}{text[end:]}"
        if _parses(file.head) and not _parses(Source(path, text, file.head.blob)):
            return False
    return True


def _parses(source: Source) -> bool:
    try:
        parse_python(source)
    except NotPythonError:
        return False
    return True
