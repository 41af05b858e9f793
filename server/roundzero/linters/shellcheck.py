"""shellcheck, where it is installed: what is wrong in shell scripts.

Without any configuration file, and following no ``source``. ``# shellcheck disable=`` in a script is honoured as the
field's way to say "intended": what it silences is a hit all the same, with the comment as the directive that covers it.
Invariant: one process for any number of scripts; a script that it cannot parse is not checked, never *clean*.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from roundzero.core.finding import Edit, Fix, Hit
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.suppress import Directive
from roundzero.core.text import Position, Span
from roundzero.errors import OutsideError
from roundzero.linters import LinterResult
from roundzero.linters._base import laid_out, safe_name
from roundzero.linters._installed import Anywhere, ByProgram, codes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from roundzero.core.change import Source
    from roundzero.core.item import Item, ItemId
    from roundzero.linters._installed import Installed

_NAME: Final = "shellcheck"
_OPTIONS: Final = ("--norc", "--format=json1", "--severity=style")
_COULD_NOT_PARSE: Final = frozenset({1072, 1073, 1088, 1089})
"""Not 1071, that a script is for a shell that shellcheck does not know: nothing is missed in such a one."""
_SILENCER: Final = regex(r"#[^\S\n]*shellcheck\b[^\n]*?\b(?P<word>disable)=(?P<codes>[A-Za-z0-9,-]+)")
_CODE: Final = regex(r"SC(\d+)(?:-SC(\d+))?")


@dataclass(frozen=True, slots=True)
class _Silencer:
    span: Span
    text: str
    codes: str

    def names(self, code: int) -> bool:
        """Whether it is for a code."""
        ranges = ((int(low), int(high or low)) for low, high in _CODE.findall(self.codes))
        return "all" in self.codes.split(",") or any(low <= code <= high for low, high in ranges)


@dataclass(frozen=True, slots=True)
class ShellCheck(ByProgram):
    """The linter. Holds no state."""

    async def run(self, sources: Sequence[Source], items: Sequence[Item]) -> LinterResult:
        """Check the shell scripts among ``sources``."""
        rules = codes_of(items, _NAME)
        chosen = [at for at, source in enumerate(sources) if rules and language_of(source.path) == "bash"]
        if not chosen:
            return LinterResult()
        try:
            found = await _check(self.program, [sources[at] for at in chosen])
        except (OutsideError, OSError) as error:
            return LinterResult(failures=((None, str(error)),))
        return _result(sources, chosen, found, rules)


OPTIONAL: Final = Anywhere(_NAME, ShellCheck)


async def _check(program: Installed, sources: Sequence[Source]) -> list[tuple[int, bool, Mapping[str, Any]]]:
    """Its messages: of which source, whether a comment silenced it, and its own words. Raises OutsideError."""
    again = [at for at, source in enumerate(sources) if _SILENCER.search(source.text)]
    texts = [*(source.text for source in sources), *(_disarmed(sources[at].text) for at in again)]
    owners = [*range(len(sources)), *again]
    names = [safe_name(sources[at], "script.sh") for at in owners]
    async with laid_out(texts, names) as laid:
        done = await program.start([*_OPTIONS, "--", *laid.places], cwd=laid.path)
    if done.returncode not in (0, 1):
        raise OutsideError(done.complaint)
    try:
        messages = json.loads(done.stdout)["comments"]
        rows = [(laid.number(message["file"]), message) for message in messages]
        loud = {_key(at, message) for at, message in rows if at < len(sources)}
        found = [(at, False, message) for at, message in rows if at < len(sources)]
        found += [
            (owners[at], True, message)
            for at, message in rows
            if at >= len(sources) and _key(owners[at], message) not in loud
        ]
    except (ValueError, LookupError, TypeError) as error:
        raise OutsideError("it gave an answer that could not be read") from error
    return sorted(found, key=lambda row: (row[0], row[2]["line"], row[2]["column"]))


def _disarmed(text: str) -> str:
    """The text with such comments out of order: as long, and naming a code that nothing has."""
    return _SILENCER.sub(
        lambda match: match[0][: match.start("codes") - match.start()] + _nothing(match["codes"]), text
    )


def _nothing(codes: str) -> str:
    """As many characters, which are codes that no rule has."""
    return ",".join(
        f"SC{'9' * max(1, len(code) - 2)}" if len(code) > 2 else "SC9"[: len(code)] for code in codes.split(",")
    )


def _key(source: int, message: Mapping[str, Any]) -> tuple[object, ...]:
    return (source, message["code"], message["line"], message["column"], message["endLine"], message["endColumn"])


def _result(
    sources: Sequence[Source],
    chosen: Sequence[int],
    found: Sequence[tuple[int, bool, Mapping[str, Any]]],
    rules: Mapping[str, list[Item]],
) -> LinterResult:
    hits: list[tuple[int, ItemId, Hit]] = []
    silenced: list[tuple[int, Directive]] = []
    unread: dict[int, str] = {}
    silencers: dict[int, list[_Silencer]] = defaultdict(list)
    for at in {chosen[row[0]] for row in found if row[1]}:
        silencers[at] = [*_silencers(sources[at])]
    for where, quiet, message in found:
        at, source = chosen[where], sources[chosen[where]]
        if message["code"] in _COULD_NOT_PARSE and not quiet:
            unread.setdefault(at, f"it could not parse line {message['line']}: {message['message']}")
        names = [item.id for item in rules.get(f"SC{message['code']}", ()) if item.applies.matches(source.path)]
        if not names:
            continue
        hit = _hit(source, message)
        directive = _directive(hit, message, silencers[at], names) if quiet else None
        if quiet and directive is None:
            continue
        hits += [(at, name, hit) for name in names]
        if directive is not None:
            silenced.append((at, directive))
    return LinterResult(
        hits=tuple(row for row in hits if row[0] not in unread),
        failures=tuple(unread.items()),
        parsed=tuple(at for at in chosen if at not in unread),
        silenced=tuple(row for row in silenced if row[0] not in unread),
    )


def _hit(source: Source, message: Mapping[str, Any]) -> Hit:
    span = _span(source, message)
    subject = source.index.slice(span)
    return Hit(
        path=source.path,
        span=span,
        subject=f"`{subject}`" if "\n" not in subject and 0 < len(subject) <= _LONGEST_SUBJECT else "",
        fixes=tuple(_fixes(source, message.get("fix"))),
    )


_LONGEST_SUBJECT: Final = 60


def _fixes(source: Source, fix: Mapping[str, Any] | None) -> Iterator[Fix]:
    if fix is None or not fix.get("replacements"):
        return
    edits = []
    for each in sorted(fix["replacements"], key=lambda row: (row["line"], row["column"])):
        span = Span(
            _position(source, each["line"], each["column"]), _position(source, each["endLine"], each["endColumn"])
        )
        edits.append(Edit(source.path, span, source.index.slice(span), str(each["replacement"])))
    yield Fix("Apply what shellcheck proposes", safe=False, edits=tuple(edits))


def _span(source: Source, message: Mapping[str, Any]) -> Span:
    """Where it is said; to the end of the word where shellcheck gives a point only."""
    start = _position(source, message["line"], message["column"])
    end = _position(source, message["endLine"], message["endColumn"])
    if end <= start:
        word = re.compile(r"\S*").match(source.index.line(start.line), start.column - 1)
        end = Position(start.line, start.column + (len(word[0]) if word is not None else 0))
    return Span(start, end)


def _position(source: Source, line: int, column: int) -> Position:
    """A place within the text, whatever was said."""
    number = min(max(line, 1), source.index.line_count)
    return Position(number, min(max(column, 1), len(source.index.line(number)) + 1))


def _silencers(source: Source) -> Iterator[_Silencer]:
    for match in _SILENCER.finditer(source.text):
        text = match[0].lstrip("# ")
        yield _Silencer(source.index.span(match.end() - len(text), match.end()), text, match["codes"])


def _directive(
    hit: Hit, message: Mapping[str, Any], silencers: Sequence[_Silencer], names: Sequence[ItemId]
) -> Directive | None:
    """The comment that silenced a message: the nearest above that names its code."""
    above = [each for each in silencers if each.span.start.line <= message["line"] and each.names(message["code"])]
    if not above or hit.span is None:
        return None
    return Directive(
        names=tuple(names), reason=above[-1].text, span=above[-1].span, target=hit.span.start.line, only=hit.span
    )
