"""The change as a whole, in words: what it is for, file by file, what it does well, where its description is wrong.

Words the question and checks the answer. Prose about intent cannot be verified and is marked as such by where it
stands; what is praised, and what is held against a commit's message, can: it is dropped without a quote. Invariants:
only what may be sent is asked about; a strength rests on a line of the change that can be read; what a description is
said to say stands in it.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side, Source
from roundzero.core.citing import cited, found
from roundzero.core.drafting import cause_of
from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.core.model_part import Mismatch, Strength
from roundzero.core.posing import DATA, LANGUAGES, inline, numbered, pose
from roundzero.core.prompt import fenced
from roundzero.core.text import RelPath, collapse
from roundzero.core.units import redacted_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from roundzero.core.change import Change, FileChange
    from roundzero.core.finding import Evidence
    from roundzero.core.item import Language
    from roundzero.core.model_values import Excerpt, Question, Quote, Unit
    from roundzero.core.quotes import Text
    from roundzero.core.report import Report

VERSION: Final = "overview 1"
"""Raise the number with every change of words that could change a reply."""

MOST_CODE: Final = 60_000
"""Characters of changed lines that are shown; what does not fit is named."""

MOST_OF_FILE: Final = 8_000
"""The same of one file, so that a large one leaves room."""

MOST_FILES: Final = 60
"""Files that a line is asked for, those with most changed lines."""

MOST_SAID: Final = 12_000
"""Characters of commit messages."""

_SHORTEST: Final = 8
"""Characters of a description that must be quoted to be held against it."""

_SYSTEM: Final = """\
You are shown a change before anyone else reviews it. Describe it; do not look for defects, others do.

Rules
- "summary": what the change is for and how it goes about it, in at most four sentences.
- "themes": at most five headings under which its parts fall.
- "files": one line for each file you are asked about: what the change does there.
- "strengths": at most four things the change does well that nobody should undo: a guard, a test, a simplification. \
Each quotes one to three lines of the head that show it, copied exactly as they stand. No quote, no strength. No \
praise of intentions.
- "description": where a commit message and the change disagree: it claims what the change does not do, leaves out \
something that callers must know of, or says the opposite. "said" is copied from the message, "text" says how the \
change differs, and quotes show the lines. What is only vague, short or unfinished is no disagreement. An empty list \
is a good answer.
{data}\
- Answer in JSON only, in the given form. Write prose in {language}.
"""


@dataclass(frozen=True, slots=True)
class Described:
    """What somebody says a commit of the change does."""

    commit: str
    text: str


@dataclass(frozen=True, slots=True)
class StrengthDraft:
    """A strength as a model says it."""

    text: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MismatchDraft:
    """A disagreement of description and change as a model says it."""

    said: str
    text: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewDraft:
    """One validated answer; nothing of it is checked yet."""

    summary: str
    themes: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    strengths: tuple[StrengthDraft, ...] = ()
    mismatches: tuple[MismatchDraft, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What holds of an answer. ``files``: a line each."""

    summary: str | None = None
    themes: tuple[str, ...] = ()
    files: Mapping[RelPath, str] = field(default_factory=dict)
    strengths: tuple[Strength, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()


def question(
    units: Sequence[Unit],
    change: Change,
    described: Sequence[Described],
    *,
    language: Language,
    schema: Mapping[str, object],
) -> Question | None:
    """The question about a change, cut into the ``units`` that may be sent; None where there are none."""
    if not units:
        return None
    system = _SYSTEM.format(data=DATA, language=LANGUAGES[language])
    asked = "\n".join(shown(units, change, described, title="Files to describe", row=_row))
    return pose(system, asked, schema, VERSION)


def checked(
    draft: OverviewDraft,
    change: Change,
    described: Sequence[Described],
    sources: Mapping[tuple[RelPath, Side], Source],
) -> Overview:
    """What of an answer holds. ``sources``: the redacted texts that may be quoted."""
    forms: dict[tuple[RelPath, Side], Text] = {}
    strengths: list[Strength] = []
    for praise in draft.strengths:
        shown = found(cited(praise.quotes, sources, forms))
        heads = tuple(each for each in shown if each.side is Side.HEAD)
        if praise.text and heads and cause_of(heads, change) is not None and not _is_known(heads, strengths):
            strengths.append(Strength(praise.text, heads))
    mismatches: list[Mismatch] = []
    for claim in draft.mismatches:
        message = next((each for each in described if _says(each, claim.said)), None)
        evidence = found(cited(claim.quotes, sources, forms))
        if message is not None and evidence and claim.text:
            said = " ".join(claim.said.split())
            mismatches.append(Mismatch(said=said, text=claim.text, evidence=evidence, commit=message.commit or None))
    paths = {file.path for file in change.files}
    return Overview(
        summary=draft.summary or None,
        themes=tuple(dict.fromkeys(each for each in draft.themes if each)),
        files={RelPath(path): text for path, text in draft.files if path in paths and text},
        strengths=tuple(strengths),
        mismatches=tuple(mismatches),
    )


def with_overview(report: Report, overview: Overview | None, strengths: Sequence[Strength] | None = None) -> Report:
    """The report with what was said of the change as a whole. ``strengths``: those of the branch, if not its own.

    What a finding stands on is praised in no report that lists it.
    """
    given = strengths if strengths is not None else overview.strengths if overview is not None else ()
    wrong = {(each.seen.path, each.seen.side, each.seen.line) for each in report.findings if each.state is State.OPEN}
    shown = tuple(
        each for each in given if not any((proof.path, proof.side, proof.line) in wrong for proof in each.evidence)
    )
    if overview is None:
        return replace(report, strengths=shown)
    rows = tuple(replace(row, summary=overview.files.get(row.path, row.summary)) for row in report.overview)
    return replace(
        report,
        summary=overview.summary,
        themes=overview.themes,
        mismatches=overview.mismatches,
        overview=rows,
        strengths=shown,
    )


def shown(
    units: Sequence[Unit],
    change: Change,
    described: Sequence[Described],
    *,
    title: str,
    row: Callable[[FileChange, Sequence[Unit]], str],
    most: int = MOST_CODE,
) -> Iterator[str]:
    """A change in words: its commits, its files, a ``row`` each under a ``title``, and its changed lines, as they fit.

    ``units`` are what may be sent of it. ``most``: characters of changed lines.
    """
    by_file: dict[RelPath, list[Unit]] = {}
    for unit in units:
        by_file.setdefault(unit.path, []).append(unit)
    largest = sorted(by_file, key=lambda path: (-sum(unit.lines for unit in by_file[path]), path))
    wanted = frozenset(largest[:MOST_FILES])
    if described:
        yield "What its commits say, oldest first"
        yield from fenced(_messages(described))
        yield ""
    yield title
    yield from fenced(inline(row(file, by_file[file.path])) for file in change.files if file.path in wanted)
    if more := len(change.files) + len(change.skipped) - len(wanted):
        yield f"and {more} more that you are not shown or not asked about."
    yield '\nThe changed lines; "+" are those of the head, "-" those that were removed'
    room = most
    for path in [file.path for file in change.files if file.path in by_file]:
        lines, left = _within(_changed(by_file[path]), min(room, MOST_OF_FILE))
        room -= sum(len(line) for line in lines)
        yield f"\n{inline(path)}"
        if lines:
            yield from fenced(lines)
        if left:
            yield f"({left} more changed lines are not shown)"


def _row(file: FileChange, units: Sequence[Unit]) -> str:
    return f"{file.path} ({file.status.value}, {sum(unit.lines for unit in units)} lines)"


def _messages(described: Sequence[Described]) -> Iterator[str]:
    room = MOST_SAID
    for number, each in enumerate(described, 1):
        text = redacted_text(Source(RelPath("message"), each.text, ""))[:room]
        room -= len(text)
        if not text:
            return
        yield f"{number}. {each.commit[:12]}"
        yield from (f"   {line.rstrip()}" for line in text.split("\n"))


def _changed(units: Sequence[Unit]) -> Iterator[str]:
    """The changed lines of a file alone, as its excerpts have them."""
    for unit in units:
        added = {line for hunk in unit.hunks for line in hunk.head_lines}
        removed = {line for hunk in unit.hunks for line in hunk.base_lines}
        for each in sorted(unit.excerpts, key=lambda each: (_place(each, unit), each.side is Side.HEAD)):
            mark, lines = ("+", added) if each.side is Side.HEAD else ("-", removed)
            for line, row in enumerate(numbered(each, mark), each.first):
                if line in lines:
                    yield row


def _place(each: Excerpt, unit: Unit) -> int:
    """Where an excerpt stands at the head: what was removed, where it was."""
    if each.side is Side.HEAD:
        return each.first
    return next((hunk.head_gap for hunk in unit.hunks if hunk.base_count and hunk.base_start == each.first), each.first)


def _within(rows: Iterator[str], room: int) -> tuple[list[str], int]:
    """The first rows that fit, and how many do not."""
    kept: list[str] = []
    left = 0
    for row in rows:
        room -= len(row)
        if room < 0 or left:
            left += 1
        else:
            kept.append(row)
    return kept, left


def _says(message: Described, said: str) -> bool:
    """Whether a message says so, white space aside."""
    wanted = collapse(said.strip().strip("\"'`“”"))
    text = collapse(redacted_text(Source(RelPath("message"), message.text, "")))
    return len(wanted) >= _SHORTEST and wanted.casefold() in text.casefold()


def _is_known(heads: Sequence[Evidence], strengths: Sequence[Strength]) -> bool:
    """Whether a strength was given already for one of these lines."""
    lines = {(each.path, each.line) for each in heads}
    return any((each.path, each.line) in lines for strength in strengths for each in strength.evidence)
