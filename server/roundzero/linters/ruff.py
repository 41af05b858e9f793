"""Ruff: the curated rules that pack items name.

Our pinned copy unless the person names another, isolated from every configuration file, with nothing but the named
rules. ``# noqa`` in the code is honoured: it is the field's way to say "intended". What it silences is a hit all the
same, with the comment as the directive that covers it. Invariant: one process for any number of sources, also where
such comments make it look twice (of one text with a comment that is 13 ms instead of 10).
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from roundzero.core.change import Source
from roundzero.core.finding import Edit, Evidence, Fix, Hit, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.item import SYNTAX_CODE, RuffCheck, language_of
from roundzero.core.regex import regex
from roundzero.core.suppress import Directive
from roundzero.core.text import Position, Span
from roundzero.errors import OutsideError
from roundzero.linters import LinterResult
from roundzero.linters._base import Program, encoded, laid_out, line_index, safe_name
from roundzero.linters._noqa import disarmed, marks, silencer
from roundzero.linters._spared import Spared

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from roundzero.core.item import Item, ItemId
    from roundzero.core.text import LineIndex

_OPTIONS: Final = (
    "check", "--isolated", "--no-cache", "--quiet", "--no-fix", "--exit-zero", "--target-version", "py314",
    "--output-format", "json",
)  # fmt: skip
_ANY_FILE: Final = ("--no-respect-gitignore", "--config", 'include=["*"]', "--config", "exclude=[]")
_SYNTAX: Final = "invalid-syntax"
_SILENCED: Final = "silenced"
_UNREADABLE: Final = "E902"
"""A rule that no text breaks, for ruff wants at least one."""
_FADED: Final = frozenset({"F401", "F841"})
_QUOTED: Final = regex(r"[^`]*`([^`\n]+)`")
_LONGEST_NAME: Final = 60
_NAMES_ITS_SUBJECT: Final = frozenset({"F401", "F811", "F821", "F841"})
_IMPORT: Final = regex(r"Import for `[^`]*` found")
_EARLIER: Final = regex(r"from line (\d+)")
_LONE_RETURN: Final = regex(r"\r(?!\n)")
"""A line's end to ruff, which ends the lines it writes like the first of the file; to git it ends none."""


@dataclass(frozen=True, slots=True)
class Ruff:
    """The linter. Holds no state."""

    program: Program

    @property
    def name(self) -> str:
        """The producer's name."""
        return self.program.name

    def at(self, path: str) -> Ruff:
        """Ruff, run from another program."""
        return Ruff(Program(self.name, path))

    def takes(self, item: Item) -> bool:
        """Whether the item names ruff rules."""
        return any(isinstance(check, RuffCheck) for check in item.checks)

    async def version(self) -> str:
        """The program's version."""
        return await self.program.version()

    async def run(self, sources: Sequence[Source], items: Sequence[Item]) -> LinterResult:
        """Check the Python sources among ``sources``."""
        rules: dict[str, list[Item]] = defaultdict(list)
        for item in items:
            for code in _codes(item):
                rules[code].append(item)
        chosen = [at for at, source in enumerate(sources) if rules and language_of(source.path) == "python"]
        if not chosen:
            return LinterResult()
        try:
            found, refused = await _check(self.program, [sources[at] for at in chosen], rules)
        except (OutsideError, OSError) as error:
            return LinterResult(failures=((None, str(error)),))
        return _result(sources, chosen, found, rules, refused)


LINTER: Final = Ruff(Program("ruff"))


def _codes(item: Item) -> tuple[str, ...]:
    return tuple(code for check in item.checks if isinstance(check, RuffCheck) for code in check.codes)


async def unknown_codes(codes: Sequence[str]) -> tuple[str, ...]:
    """The rule codes that the pinned ruff does not run: unknown, removed, or in preview. Raises OutsideError."""
    done = await LINTER.program.start(["rule", "--all", "--output-format", "json"])
    if done.returncode != 0:
        raise OutsideError(f"ruff: {done.complaint}")
    known = {rule["code"] for rule in json.loads(done.stdout) if not {"Preview", "Removed"} & {*rule["status"]}}
    return tuple(code for code in codes if code not in known and code != SYNTAX_CODE)


async def _check(
    ruff: Program, sources: Sequence[Source], rules: Mapping[str, list[Item]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Ruff's own messages, with ``source`` added, and the codes it refused. Raises OutsideError."""
    codes = list(rules)
    done = await _start(ruff, sources, codes)
    refused: list[str] = []
    if done is None:
        # One code that ruff does not know makes it refuse all: find it, and do without.
        empty = Source(sources[0].path, "", "")
        refused = [code for code in codes if code != SYNTAX_CODE and await _start(ruff, [empty], [code]) is None]
        codes = [code for code in codes if code not in refused]
        done = [] if not codes else await _start(ruff, sources, codes)
        if done is None:
            raise OutsideError("ruff refused the rules of the packs")
    return done, refused


async def _start(ruff: Program, sources: Sequence[Source], codes: Sequence[str]) -> list[dict[str, Any]] | None:
    """Run ruff once; None when it refuses the rules. Raises OutsideError."""
    options = [*_OPTIONS, "--select", ",".join(code for code in codes if code != SYNTAX_CODE) or _UNREADABLE]
    names = [safe_name(source, _fallback(source)) for source in sources]
    texts = [source.text for source in sources]
    again: list[int] = []
    for at, source in enumerate(sources):
        if (text := disarmed(source.text)) is not None:
            again.append(at)
            texts.append(text)
            names.append(names[at])
    if len(texts) == 1:
        options += ["--stdin-filename", names[0], "-"]
        done = await ruff.start(options, stdin=encoded(texts[0]))
    else:
        async with laid_out(texts, names) as laid:
            done = await ruff.start([*options, *_ANY_FILE, "."], cwd=laid.path)
    if done.returncode == 2 and b"panicked" not in done.stderr:
        return None
    if done.returncode != 0:
        raise OutsideError(f"ruff: {done.complaint}")
    try:
        answer = json.loads(done.stdout)
        messages: list[dict[str, Any]] = [*answer] if isinstance(answer, list) else [answer]
        for message in messages:
            message["source"] = 0 if len(texts) == 1 else laid.number(message["filename"])
        return _with_silenced(messages, len(sources), again, codes) if again else messages
    except (ValueError, LookupError, TypeError) as error:  # an empty answer too: without findings ruff says "[]"
        raise OutsideError(f"{ruff.name} gave an answer that could not be read") from error


def _with_silenced(
    messages: Sequence[dict[str, Any]], count: int, again: Sequence[int], codes: Sequence[str]
) -> list[dict[str, Any]]:
    """The messages, and of the disarmed texts, which come after ``count``, what was said of them alone, as silenced."""
    said = [message for message in messages if message["source"] < count]
    of_rules = [message for message in messages if message["code"] in codes]
    known = {_key(message) for message in of_rules if message["source"] < count}
    for message in of_rules:
        if message["source"] >= count:
            message |= {"source": again[message["source"] - count], "fix": None, _SILENCED: True}
            if _key(message) not in known:
                said.append(message)
    return sorted(said, key=_place)


def _place(message: Mapping[str, Any]) -> tuple[int, int]:
    place = message["location"]  # none where a file could not be read
    return (place["row"], place["column"]) if place is not None else (0, 0)


def _key(message: Mapping[str, Any]) -> tuple[object, ...]:
    end = message["end_location"]
    return (message["source"], message["code"], *_place(message), end["row"], end["column"])


def _fallback(source: Source) -> str:
    return "source.pyi" if source.path.endswith(".pyi") else "source.py"


def _result(
    sources: Sequence[Source],
    chosen: Sequence[int],
    found: Sequence[Mapping[str, Any]],
    rules: Mapping[str, list[Item]],
    refused: Sequence[str],
) -> LinterResult:
    by_source: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for message in found:
        by_source[chosen[message["source"]]].append(message)
    hits = []
    failures: list[tuple[int | None, str]] = [
        (None, f"{item.id}: ruff has no rule {code}") for code in refused for item in rules[code]
    ]
    errors: list[tuple[int, Position, str]] = []
    silenced: list[tuple[int, Directive]] = []
    loud: set[tuple[int, tuple[str, ...], Span | None]] = set()
    for at in sorted(by_source):
        source, index = sources[at], line_index(sources[at])
        spared = Spared(source, by_source[at])
        for message in _each_once(_without_imports_of_one_line(by_source[at])):
            is_syntax = message["code"] in (_SYNTAX, None)
            meant = spared.has(
                None if is_syntax else message["code"], str(message["message"]), _span(source, index, message)
            )
            if is_syntax:
                if not errors or errors[-1][0] != at:  # what follows the first is mostly its echo
                    errors.append((at, _position(source, index, message["location"]), str(message["message"])))
                    about = (item.id for item in rules.get(SYNTAX_CODE, ()) if item.applies.matches(source.path))
                    hits += [(at, name, _syntax_hit(source, index, message)) for name in about if not meant]
                continue
            if message["code"] not in rules:  # no rule's: a panic, or a file that could not be read
                failures.append((at, f"ruff: {message['message']}"))
                continue
            told = rules[message["code"]] if not meant else ()
            names = [item.id for item in told if item.applies.matches(source.path)]
            hit = _hit(source, index, message) if names else None
            hits += [(at, name, hit) for name in names if hit is not None]
            if _SILENCED in message:
                silenced += [(at, _directive(source, index, message, name)) for name in names]
            elif hit is not None:
                loud.update((at, (name,), hit.span) for name in names)
    unread = {at for at, _, _ in errors} | {at for at, _ in failures}
    return LinterResult(
        hits=tuple(hits),
        failures=tuple(failures),
        syntax_errors=tuple(errors),
        parsed=tuple(at for at in chosen if at not in unread),
        silenced=tuple((at, each) for at, each in silenced if (at, each.names, each.only) not in loud),
    )


def _without_imports_of_one_line(found: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The messages without imports that only serve another message of the same rule on the same line.

    ``import pdb; pdb.set_trace()`` is one thing to delete, and ruff names both halves.
    """
    rows = [(each["code"], each["location"]["row"]) for each in found]
    for row, each in zip(rows, found, strict=True):
        if not (_IMPORT.match(str(each["message"])) and rows.count(row) > 1):
            yield each


def _each_once(found: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The messages, of a name that stands several times on one line and is not defined the first."""
    told: set[tuple[int, str]] = set()
    for each in found:
        if each["code"] != "F821":
            yield each
        elif (key := (each["location"]["row"], str(each["message"]))) not in told:
            told.add(key)
            yield each


def _hit(source: Source, index: LineIndex, message: Mapping[str, Any]) -> Hit:
    code, words = message["code"], str(message["message"])
    quoted = _QUOTED.match(words) if code in _NAMES_ITS_SUBJECT else None
    return Hit(
        path=source.path,
        span=_span(source, index, message),
        subject=f"`{_short(quoted[1])}`" if quoted is not None else "",
        evidence=tuple(_evidence(source, index, words)) if code == "F811" else (),
        fixes=tuple(_fixes(source, index, message.get("fix"))),
        unused=code in _FADED,
    )


def _short(name: str) -> str:
    """A very long name: of a dotted one the end, which tells it from its neighbours, else the beginning."""
    if len(name) <= _LONGEST_NAME:
        return name
    end = name[-_LONGEST_NAME:].partition(".")[2]
    return f"…{end}" if end else f"{name[:_LONGEST_NAME]}…"


def _directive(source: Source, index: LineIndex, message: Mapping[str, Any], name: ItemId) -> Directive:
    """The comment that silenced a message."""
    span = _span(source, index, message)
    row = message.get("noqa_row") or message["location"]["row"]
    line = _position(source, index, {"row": row, "column": 1}).line
    mark = silencer(marks(source), message["code"], row=line, line=span.start.line)
    return Directive(names=(name,), reason=mark.text, span=mark.span, target=span.start.line, only=span)


def _syntax_hit(source: Source, index: LineIndex, message: Mapping[str, Any]) -> Hit:
    """From where the parser gave up to the end of the line; the line where it gave up at its end."""
    start = _position(source, index, message["location"])
    while start.line > 1 and not source.index.line(start.line).strip():
        start = Position(start.line - 1, len(source.index.line(start.line - 1)) + 1)
    text = source.index.line(start.line).rstrip()
    column = start.column if start.column <= len(text) else 1
    column += len(text[column - 1 :]) - len(text[column - 1 :].lstrip())
    span = Span(Position(start.line, column), Position(start.line, max(column, len(text) + 1)))
    return Hit(path=source.path, span=span, subject=str(message["message"]))


def _evidence(source: Source, index: LineIndex, words: str) -> Iterator[Evidence]:
    if (earlier := _EARLIER.search(words)) is not None:
        line = source.index.position(index.line_start(int(earlier[1]))).line
        yield evidence_at(source, line, "definition")


def _fixes(source: Source, index: LineIndex, fix: Mapping[str, Any] | None) -> Iterator[Fix]:
    if fix is None or fix["applicability"] not in ("safe", "unsafe"):
        return
    edits = []
    for edit in fix["edits"]:
        span = _span(source, index, edit)
        new = _LONE_RETURN.sub("\n", edit["content"])
        edits.append(Edit(source.path, span, source.index.slice(span), new))
    yield Fix(str(fix.get("message") or "Apply the fix"), fix["applicability"] == "safe", tuple(edits))


def _span(source: Source, index: LineIndex, place: Mapping[str, Any]) -> Span:
    return Span(_position(source, index, place["location"]), _position(source, index, place["end_location"]))


def _position(source: Source, index: LineIndex, place: Mapping[str, int]) -> Position:
    position = Position(place["row"], place["column"])
    return source.index.position(index.offset(position))
