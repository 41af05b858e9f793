"""Comments in the code that dismiss findings: ``roundzero: ignore[pack/item, ...] reason``.

Finds directives in comments (never in strings) and says which of them cover an observation; those in a linter's own
language the linter finds, and says what they cover. It does not dismiss anything (judge does) and does not decide
whether an unused one is reported.
Invariants: a directive without a reason covers nothing; a text without the word ``roundzero:`` costs one search.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.frozen import dataclass
from roundzero.core.item import Item, ItemId
from roundzero.core.lexical import comments_and_strings
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import Source
    from roundzero.core.finding import Observation
    from roundzero.core.ruleset import Ruleset
    from roundzero.core.text import Span

FILE_LINES: Final = 10
"""``ignore-file`` counts in this many first lines only."""

_MARK: Final = "roundzero:"
_DIRECTIVE: Final = regex(r"roundzero:[ \t]*ignore(-file)?\b(?:\[([^\]\r\n]*)\])?[ \t:]*([^\r\n]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """One comment. ``target`` is the line it covers, from 1, or None for the whole file; ``names`` as written.

    ``late``: it is for the whole file and stands too far down to count. ``only``: it is another program's comment, such
    as ``# noqa``, and covers what that program would say of this stretch; ``reason`` is then all of its text.
    """

    names: tuple[str, ...]
    reason: str
    span: Span
    target: int | None
    late: bool = False
    only: Span | None = None

    @property
    def foreign(self) -> bool:
        """Whether it is in another program's language, whose faults are not ours to name."""
        return self.only is not None

    @property
    def text(self) -> str:
        """The directive without its reason."""
        return f"ignore{'-file' if self.target is None else ''}[{', '.join(self.names)}]"

    @property
    def said(self) -> str:
        """All that is written in the comment."""
        return self.reason if self.foreign else f"{self.text} {self.reason}".rstrip()


class Fault(Enum):
    """What is wrong with a directive."""

    NO_ITEM = "no-item"
    UNKNOWN_ITEM = "unknown-item"
    NO_REASON = "no-reason"
    NOT_NEEDED = "not-needed"
    TOO_LATE = "too-late"


def directives(source: Source) -> tuple[Directive, ...]:
    """The directives in a source, in order of place. Invalid ones too: without names or without a reason."""
    if _MARK not in source.text:
        return ()
    index = source.index
    found: list[tuple[Directive, bool]] = []
    for comment in comments_and_strings(source):
        if comment.group("comment") is None:
            continue
        for match in _DIRECTIVE.finditer(source.text, comment.start("comment"), comment.end("comment")):
            line = index.position(match.start()).line
            whole_file = match.group(1) is not None
            names = tuple(name for part in (match.group(2) or "").split(",") if (name := part.strip()))
            reason = match.group(3).strip().removesuffix("*/").removesuffix("-->").strip()
            end = match.start() + len(match.group().rstrip().removesuffix("*/").removesuffix("-->").rstrip())
            alone = not source.text[index.line_start(line) : comment.start("comment")].strip()
            span = index.span(match.start(), end)
            target = None if whole_file else line
            late = whole_file and line > FILE_LINES
            found.append((Directive(names=names, reason=reason, span=span, target=target, late=late), alone))
    return tuple(_aimed(found))


def _aimed(found: list[tuple[Directive, bool]]) -> Iterable[Directive]:
    """Let comments that stand alone cover the next line that is not such a comment itself."""
    alone = {directive.span.start.line for directive, is_alone in found if is_alone}
    for directive, is_alone in found:
        if directive.target is None or not is_alone:
            yield directive
            continue
        line = directive.span.start.line
        while line in alone:
            line += 1
        yield Directive(names=directive.names, reason=directive.reason, span=directive.span, target=line)


def resolve(name: str, ruleset: Ruleset) -> Item | None:
    """The item a name means: its full name or a former one, or its own part where only one pack has it."""
    if (item := ruleset.by_id.get(ItemId(name))) is not None:
        return item
    known = {item.id: item for full, item in ruleset.by_id.items() if full.split("/", 1)[-1] == name}
    return next(iter(known.values())) if len(known) == 1 else None


class Suppressions:
    """The directives of one source, resolved, with a note of which names were needed."""

    def __init__(self, found: tuple[Directive, ...], ruleset: Ruleset) -> None:
        """Resolve the names of ``found``."""
        self.directives = found
        self._items = [{name: resolve(name, ruleset) for name in directive.names} for directive in found]
        self._used: set[tuple[int, str]] = set()

    def covering(self, seen: Observation) -> Directive | None:
        """The first directive that covers a head observation, or None. Notes all that cover it."""
        answer: Directive | None = None
        for at, directive in enumerate(self.directives):
            if not directive.reason or directive.late:
                continue
            if directive.only is not None and directive.only != seen.span:
                continue
            if directive.target is not None and (seen.side is not Side.HEAD or directive.target != seen.line):
                continue
            for name, item in self._items[at].items():
                if item is not None and item.id == seen.item:
                    self._used.add((at, name))
                    answer = answer or directive
        return answer

    def faults(self, silent: frozenset[ItemId]) -> Iterable[tuple[Directive, Fault]]:
        """Directives to report, each with the first thing that is wrong with it.

        ``silent`` are the items that were checked on this source, so that their silence means something.
        """
        for at, directive in enumerate(self.directives):
            names = self._items[at]
            if directive.foreign:
                continue
            if directive.late:
                yield directive, Fault.TOO_LATE
            elif not names:
                yield directive, Fault.NO_ITEM
            elif None in names.values():
                yield directive, Fault.UNKNOWN_ITEM
            elif not directive.reason:
                yield directive, Fault.NO_REASON
            elif any(
                item is not None and item.id in silent and (at, name) not in self._used for name, item in names.items()
            ):
                yield directive, Fault.NOT_NEEDED
