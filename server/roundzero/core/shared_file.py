"""The file that everyone shares, ``.roundzero/dismissals.toml``: read, and edited without touching what is not ours.

People write here too, so adding and taking away are edits of lines: comments, order and form of everything else stay
as they are. Knows no disk and no ruleset but by the names of its items. Each dismissal is a table that stands alone, so
a conflict is settled by keeping the tables of both sides; a new one goes to its place in the order (by path, then
item), not to the end, so that two branches rarely write at one place. That two branches which each create the file
conflict cannot be helped within one file; ``merge=union`` would take tables apart. Invariants: after an edit the file
says what it said before, and one dismissal more or less; formatting what was parsed gives the same text.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Final

from roundzero.core.dismissal import Dismissal, DismissalScope, place_in_file
from roundzero.core.finding import FindingId, first_id
from roundzero.core.frozen import dataclass
from roundzero.core.item import ItemId
from roundzero.core.near import near
from roundzero.core.regex import regex
from roundzero.core.rule_files import SHARED_FILE
from roundzero.core.text import RelPath, dominant_eol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from roundzero.core.item import Item

NOT_READ: Final = f"{SHARED_FILE} was not read, so none of its dismissals count: it is no regular file in UTF-8"
"""What is said where something lies there that has no text."""

_HEAD: Final = "# Findings this repository has put aside. Written by `roundzero ledger dismiss --shared`.\n"
_FIELDS: Final = ("id", "scope", "item", "path", "symbol", "anchor", "reason", "by", "at", "expires")
_LIST: Final = "dismissal"

_MANY_LINES: Final = regex(
    r"#[^\n]*|\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*\"\"\"|\'\'\'(?:[^\']|\'(?!\'\'))*\'\'\'|\"(?:[^\"\\\n]|\\.)*\"|\'[^\'\n]*\'",
    re.DOTALL,
)
_HEADER: Final = regex(r"[ \t]*\[\[[ \t]*(?:dismissal|\"dismissal\"|\'dismissal\')[ \t]*\]\]")
_ANY_HEADER: Final = regex(r"[ \t]*\[")
_NOT_A_VALUE: Final = regex(r"[ \t]*(?:#|$)")


@dataclass(frozen=True, slots=True)
class _Table:
    """A dismissal in the text: its lines, counted from 0, from the header to past the last value."""

    start: int
    end: int


def format_shared(dismissals: Iterable[Dismissal]) -> str:
    """The text of a file that holds nothing else: one table each, sorted, the later of two with one name."""
    unique = {each.name: each for each in sorted(dismissals, key=lambda each: each.at)}
    return "".join([_HEAD, *(f"\n{_written(each)}" for each in sorted(unique.values(), key=place_in_file))])


def parse_shared(
    text: str, items: Mapping[ItemId, Item] | None = None
) -> tuple[tuple[Dismissal, ...], tuple[str, ...]]:
    """The dismissals of a shared file, and what is wrong with it in words. A broken table costs itself only.

    ``items`` are those there are, by every name they have (None: not known here): a former name becomes today's, and
    one that nobody has is said. So is a field nobody knows, because it may be another one misspelt.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return (), (_undecodable(error),)
    except (ValueError, RecursionError):
        return (), (f"{SHARED_FILE}: a number is too long or the nesting too deep",)
    tables = document.get(_LIST, [])
    if not isinstance(tables, list):
        return (), (f"{SHARED_FILE}: dismissal must be a list of tables, [[dismissal]]",)
    places = _tables(text)
    found: list[Dismissal] = []
    problems = [f"{SHARED_FILE}: {name} is unknown" for name in document if name != _LIST]
    for number, table in enumerate(tables):
        known = len(places) == len(tables)
        where = f"{SHARED_FILE}:{places[number].start + 1}" if known else f"{SHARED_FILE}: dismissal {number + 1}"
        fields: dict[str, object] = dict(table) if isinstance(table, dict) else {}
        problems += [f"{where}: {name} is unknown" for name in fields if name not in _FIELDS]
        try:
            made = _made(fields)
        except (KeyError, ValueError) as error:
            problems.append(f"{where}: {_complaint(error)}")
            continue
        if items is not None and made.item not in items:
            problems.append(f"{where}: there is no item {made.item!r}{_nearest(made.item, items)}")
        elif items is not None:
            made = replace(made, item=items[made.item].id)
        found.append(made)
    return tuple(sorted(found, key=place_in_file)), tuple(problems)


def with_dismissal(text: str, dismissal: Dismissal) -> str:
    """The text with one dismissal more, in place of one of the same name. Raises ValueError that says why not."""
    if not text.strip():
        return format_shared([dismissal])
    eol = dominant_eol(text)
    text = _without(text, lambda each: each.name == dismissal.name)
    lines = _lines(text)
    at = next(
        (
            _above(lines, place.start)
            for place, known in _placed(text)
            if known is not None and place_in_file(known) > place_in_file(dismissal)
        ),
        len(lines),
    )
    block = _lines(_written(dismissal))
    if at == len(lines):
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += eol
        block = ["\n", *block] if lines and lines[-1].strip() else block
    else:
        block = [*block, "\n"]
    edited = "".join([*lines[:at], *(line.replace("\n", eol) for line in block), *lines[at:]])
    _prove(edited, [*_values(text), _fields(dismissal)], text)
    return edited


def without_dismissal(text: str, name: FindingId) -> str | None:
    """The text without the dismissals of a finding; None when the file was made by us and nothing else is in it.

    Raises ValueError that says why that cannot be.
    """
    left = _without(text, lambda each: each.id == name)
    return None if left.split() == _HEAD.split() else left


def _without(text: str, gone: Callable[[Dismissal], bool]) -> str:
    placed = _placed(text)
    kept = [value for value, (_, known) in zip(_values(text), placed, strict=True) if known is None or not gone(known)]
    lines = _lines(text)
    for place, known in reversed(placed):
        if known is not None and gone(known):
            start, end = place.start, place.end
            if start and not lines[start - 1].strip():
                start -= 1
            elif not start and end < len(lines) and not lines[end].strip():
                end += 1
            del lines[start:end]
    edited = "".join(lines)
    _prove(edited, kept, text)
    return edited


def _placed(text: str) -> list[tuple[_Table, Dismissal | None]]:
    """Each dismissal of a text with its place, None for a broken one. Raises ValueError."""
    values, places = _values(text), _tables(text)
    if len(values) != len(places):
        raise ValueError(f"{SHARED_FILE}: write each dismissal as a table of its own, [[dismissal]], to change it")
    found: list[tuple[_Table, Dismissal | None]] = []
    for place, value in zip(places, values, strict=True):
        try:
            found.append((place, _made(value)))
        except (KeyError, ValueError):
            found.append((place, None))
    return found


def _values(text: str) -> list[dict[str, object]]:
    """The tables as TOML has them. Raises ValueError."""
    try:
        found = tomllib.loads(text).get(_LIST, [])
    except tomllib.TOMLDecodeError as error:
        raise ValueError(_undecodable(error)) from None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError(f"{SHARED_FILE}: dismissal must be a list of tables, [[dismissal]]")
    return found


def _prove(edited: str, wanted: Sequence[Mapping[str, object]], before: str) -> None:
    """Make sure that an edit did what it was to do and nothing else. Raises ValueError."""
    try:
        document, old = tomllib.loads(edited), tomllib.loads(before)
    except tomllib.TOMLDecodeError:
        document, old = {}, {"": ""}
    found = document.pop(_LIST, [])
    old.pop(_LIST, None)
    same = sorted(map(repr, map(_sorted, found))) == sorted(map(repr, map(_sorted, wanted)))
    if not same or document != old:
        raise ValueError(f"{SHARED_FILE} is written in a way that cannot be changed safely; edit it by hand")


def _sorted(table: Mapping[str, object]) -> list[tuple[str, object]]:
    return sorted(table.items())


def _lines(text: str) -> list[str]:
    """The lines with their ends, as TOML has them: a form feed or the like ends none."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _tables(text: str) -> list[_Table]:
    """Where the dismissals stand. What looks like a header inside a string of many lines is none."""
    masked = _MANY_LINES.sub(lambda match: re.sub(r"[^\n]", "'", match[0]) if "\n" in match[0] else match[0], text)
    lines = _lines(masked)
    headers = [at for at, line in enumerate(lines) if _ANY_HEADER.match(line)]
    found = []
    for at, following in zip(headers, [*headers[1:], len(lines)], strict=False):
        if _HEADER.match(lines[at]):
            end = following
            while end > at + 1 and _NOT_A_VALUE.match(lines[end - 1].rstrip()):
                end -= 1
            found.append(_Table(at, end))
    return found


def _above(lines: Sequence[str], start: int) -> int:
    """Where what belongs to a table begins: the comment right above it is its own, unless it begins the file."""
    at = start
    while at and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    return at or start


def _fields(dismissal: Dismissal) -> dict[str, object]:
    values = {name: getattr(dismissal, name) for name in _FIELDS}
    values["scope"] = dismissal.scope.value
    return {name: _clean(str(value)) for name, value in values.items() if value is not None}


def _written(dismissal: Dismissal) -> str:
    rows = [f"{name} = {_quoted(str(value))}\n" for name, value in _fields(dismissal).items()]
    return "[[dismissal]]\n" + "".join(rows)


def _made(fields: Mapping[str, object]) -> Dismissal:
    """Raises KeyError, ValueError."""
    return _parsed({name: _text(name, value) for name, value in fields.items() if name in _FIELDS})


def _undecodable(error: tomllib.TOMLDecodeError) -> str:
    found = re.search(r" \(at line (\d+), column \d+\)$", str(error))
    return f"{SHARED_FILE}:{found[1]}: {str(error)[: found.start()]}" if found else f"{SHARED_FILE}: {error}"


def _nearest(name: ItemId, items: Mapping[ItemId, Item]) -> str:
    found = near(name, items)
    return f"; did you mean {found[0]!r}?" if found else "; it puts nothing aside"


def _text(name: str, value: object) -> str:
    """A field's value; of a time what ``Dismissal`` compares: a day, or a time in UTC. Raises ValueError."""
    if name == "at" and isinstance(value, date):
        return value.isoformat()
    if name != "expires":
        if not isinstance(value, str):
            raise ValueError(f"{name} must be text")
        return value
    try:
        moment = _moment(value)
    except ValueError:
        raise ValueError(f"{name} {value} is no date; write it as 2030-12-31") from None
    if not isinstance(moment, datetime):
        return moment.isoformat()
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC).isoformat()


def _moment(value: object) -> date | datetime:
    if isinstance(value, date):
        return value
    text = str(value)
    return date.fromisoformat(text) if len(text) <= len("2030-12-31") else datetime.fromisoformat(text)


def _parsed(fields: Mapping[str, str]) -> Dismissal:
    item, path, symbol = ItemId(fields["item"]), fields.get("path"), fields.get("symbol")
    # Whoever writes a table by hand knows no fingerprint, and those of a file or an item need none.
    anchor = fields.get("anchor", "") if fields.get("scope") in {"file", "item"} else fields["anchor"]
    if not fields["reason"].strip():
        raise ValueError("reason is empty")
    try:
        scope = DismissalScope(fields.get("scope", "finding"))
    except ValueError:
        raise ValueError(f"scope {fields['scope']} is none; write finding, file, item or similar") from None
    return Dismissal(
        id=FindingId(fields.get("id") or first_id(item, RelPath(path) if path else None, symbol, anchor, 0)),
        scope=scope,
        item=item,
        path=RelPath(path) if path is not None else None,
        symbol=symbol,
        anchor=anchor,
        reason=fields["reason"],
        by=fields.get("by"),
        at=fields.get("at", ""),
        expires=fields.get("expires"),
    )


def _complaint(error: Exception) -> str:
    return f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)


_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _clean(value: str) -> str:
    """Bytes that are not UTF-8 cannot be said in TOML and become U+FFFD."""
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _quoted(value: str) -> str:
    """A TOML basic string."""
    escaped = "".join(
        _ESCAPES.get(char) or (f"\\u{ord(char):04X}" if ord(char) < 0x20 or ord(char) == 0x7F else char)
        for char in value
    )
    return f'"{escaped}"'
