"""zizmor, where it is installed: what is unsafe in GitHub workflows and actions.

Offline, without a configuration file, with its regular persona, and without what it calls informational: expressions
that nobody outside is known to control. ``# zizmor: ignore[...]`` is honoured: what it silences is a hit all the same,
with the comment as the directive that covers it. A finding about a whole job or file stands on the first line of it, or
it would be told to whoever touches any other. Invariant: a file that it cannot read is not checked, never *clean*.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from roundzero.core.finding import Hit
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.suppress import Directive
from roundzero.core.text import Position, Span
from roundzero.errors import OutsideError
from roundzero.linters import LinterResult
from roundzero.linters._base import ByteOffsets, Laid, laid_out, safe_name
from roundzero.linters._installed import Anywhere, ByProgram, codes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from roundzero.core.change import Source
    from roundzero.core.item import Item, ItemId
    from roundzero.linters._installed import Installed

_NAME: Final = "zizmor"
_OPTIONS: Final = (
    "--offline", "--no-config", "--no-progress", "--no-exit-codes", "--quiet", "--color=never", "--format=json-v1",
    "--strict-collection", "--min-severity=low",
)  # fmt: skip
_COMMENT: Final = regex(r"zizmor:\s*ignore\[(?P<rules>[^\]\n]*)\]")


@dataclass(frozen=True, slots=True)
class Zizmor(ByProgram):
    """The linter. Holds no state."""

    async def run(self, sources: Sequence[Source], items: Sequence[Item]) -> LinterResult:
        """Check the workflows and actions among ``sources``: those where one of the items applies."""
        rules = codes_of(items, _NAME)
        chosen = [
            at
            for at, source in enumerate(sources)
            if language_of(source.path) == "yaml"
            and any(item.applies.matches(source.path) for group in rules.values() for item in group)
        ]
        if not chosen:
            return LinterResult()
        hits: list[tuple[int, ItemId, Hit]] = []
        silenced: list[tuple[int, Directive]] = []
        failures: dict[int, str] = {}
        groups = [chosen]
        while groups:
            group = groups.pop()
            try:
                found = await _found(self.program, [sources[at] for at in group])
            except (OutsideError, OSError) as error:
                if len(group) > 1:  # one that it cannot read makes it refuse all
                    groups += [[at] for at in group]
                else:
                    failures[group[0]] = str(error)
                continue
            for each in found:
                at = group[each.source]
                names = [item.id for item in rules.get(each.rule, ()) if item.applies.matches(sources[at].path)]
                hit = _hit(sources[at], each)
                hits += [(at, name, hit) for name in names]
                if names and each.quiet and (comment := _directive(sources[at], each, hit, names)) is not None:
                    silenced.append((at, comment))
        return LinterResult(
            hits=tuple(sorted(hits, key=lambda row: row[0])),
            failures=tuple(failures.items()),
            parsed=tuple(at for at in chosen if at not in failures),
            silenced=tuple(silenced),
        )


OPTIONAL: Final = Anywhere(_NAME, Zizmor)


@dataclass(frozen=True, slots=True)
class _Finding:
    """One finding: in which source, by which rule, its first and last byte, and the lines (from 1) it is about."""

    source: int
    rule: str
    start: int
    end: int
    lines: range
    quiet: bool = False


async def _found(program: Installed, sources: Sequence[Source]) -> list[_Finding]:
    """Its findings, those that a comment silences too. Raises OutsideError."""
    loud = await _audit(program, sources)
    if not any(_COMMENT.search(source.text) for source in sources):
        return loud
    return [
        each if each in loud else replace(each, quiet=True) for each in await _audit(program, sources, "--no-ignores")
    ]


async def _audit(program: Installed, sources: Sequence[Source], *more: str) -> list[_Finding]:
    """What it says of sources. Raises OutsideError, also when it cannot read one of them."""
    names = [safe_name(source, "workflow.yml") for source in sources]
    async with laid_out([source.text for source in sources], names) as laid:
        done = await program.start([*_OPTIONS, *more, *laid.places], cwd=laid.path, env={"RUST_BACKTRACE": "0"})
    if done.returncode != 0:
        raise OutsideError(_complaint(done.stderr.decode("utf-8", "replace")))
    try:
        return [finding for each in json.loads(done.stdout) for finding in _findings(laid, each)]
    except (ValueError, LookupError, TypeError) as error:
        raise OutsideError("it gave an answer that could not be read") from error


def _complaint(said: str) -> str:
    """The last cause of several."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    causes = lines[lines.index("Caused by:") + 1 :] if "Caused by:" in lines else lines
    return re.sub(r"^\d+: ", "", causes[-1]) if causes else "it failed without a word"


def _findings(laid: Laid, data: Mapping[str, Any]) -> Iterator[_Finding]:
    """A finding, at its primary place."""
    places = [(each["symbolic"], each["concrete"]["location"]) for each in data["locations"]]
    first = min((place["start_point"]["row"] for _, place in places), default=0)
    last = max((place["end_point"]["row"] for _, place in places), default=0)
    for symbolic, place in places:
        if symbolic["kind"] == "Primary":
            source = laid.number(symbolic["key"]["Local"]["verbatim_path"])
            span = place["offset_span"]
            yield _Finding(source, data["ident"], span["start"], span["end"], range(first + 1, last + 2))
            return


def _hit(source: Source, found: _Finding) -> Hit:
    """On one line: the first that it is about."""
    offsets = ByteOffsets(source.text)
    span = source.index.span(offsets.characters(found.start), offsets.characters(found.end))
    line = source.index.line(span.start.line).rstrip()
    column = span.start.column
    column += len(line[column - 1 :]) - len(line[column - 1 :].lstrip())
    end = span.end.column if span.end.line == span.start.line else len(line) + 1
    place = Span(Position(span.start.line, column), Position(span.start.line, max(column, end)))
    return Hit(path=source.path, span=place)


def _directive(source: Source, found: _Finding, hit: Hit, names: Sequence[ItemId]) -> Directive | None:
    """The comment that silenced a finding: on a line that it is about, naming its rule."""
    for match in _COMMENT.finditer(source.text):
        span = source.index.span(match.start(), match.end())
        if (
            span.start.line in found.lines
            and found.rule in re.split(r"[,\s]+", match["rules"])
            and hit.span is not None
        ):
            return Directive(names=tuple(names), reason=match[0], span=span, target=hit.span.start.line, only=hit.span)
    return None
