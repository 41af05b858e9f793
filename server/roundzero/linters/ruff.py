"""Ruff: the curated rules that pack items name.

Our pinned copy unless the person names another, isolated from every configuration file, with nothing but the named
rules. ``# noqa`` in the code is honoured: it is the field's way to say "intended", and it shows in the diff. Invariant:
one process for any number of sources.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from roundzero.core.change import Source
from roundzero.core.finding import Edit, Evidence, Fix, Hit, evidence_at
from roundzero.core.item import RuffCheck, language_of
from roundzero.core.text import Position, Span
from roundzero.errors import OutsideError
from roundzero.linters import LinterResult
from roundzero.linters._base import Program, encoded, laid_out, line_index, safe_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from roundzero.core.item import Item
    from roundzero.core.text import LineIndex

_OPTIONS: Final = (
    "check", "--isolated", "--no-cache", "--quiet", "--no-fix", "--exit-zero", "--target-version", "py314",
    "--output-format", "json",
)  # fmt: skip
_ANY_FILE: Final = ("--no-respect-gitignore", "--config", 'include=["*"]', "--config", "exclude=[]")
_SYNTAX: Final = "invalid-syntax"
_FADED: Final = frozenset({"F401", "F841"})
_QUOTED: Final = re.compile(r"`([^`\n]{1,60})`")
_NAMES_ITS_SUBJECT: Final = frozenset({"F401", "F811", "F821", "F841"})
_IMPORT: Final = re.compile(r"Import for `[^`]*` found")
_EARLIER: Final = re.compile(r"from line (\d+)")


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
    return tuple(code for code in codes if code not in known)


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
        refused = [code for code in codes if await _start(ruff, [empty], [code]) is None]
        codes = [code for code in codes if code not in refused]
        done = [] if not codes else await _start(ruff, sources, codes)
        if done is None:
            raise OutsideError("ruff refused the rules of the packs")
    return done, refused


async def _start(ruff: Program, sources: Sequence[Source], codes: Sequence[str]) -> list[dict[str, Any]] | None:
    """Run ruff once; None when it refuses the rules. Raises OutsideError."""
    options = [*_OPTIONS, "--select", ",".join(codes)]
    names = [safe_name(source, _fallback(source)) for source in sources]
    if len(sources) == 1:
        options += ["--stdin-filename", names[0], "-"]
        done = await ruff.start(options, stdin=encoded(sources[0].text))
    else:
        async with laid_out([source.text for source in sources], names) as folder:
            done = await ruff.start([*options, *_ANY_FILE, "."], cwd=folder)
    if done.returncode == 2 and b"panicked" not in done.stderr:
        return None
    if done.returncode != 0:
        raise OutsideError(f"ruff: {done.complaint}")
    messages: list[dict[str, Any]] = json.loads(done.stdout or b"[]")
    for message in messages:
        message["source"] = 0 if len(sources) == 1 else int(Path(message["filename"]).parent.name)
    return messages


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
    for at in sorted(by_source):
        source, index = sources[at], line_index(sources[at])
        for message in _without_imports_of_one_line(by_source[at]):
            if message["code"] in (_SYNTAX, None):
                if not errors or errors[-1][0] != at:
                    errors.append((at, _position(source, index, message["location"]), str(message["message"])))
                continue
            if message["code"] not in rules:  # no rule's: a panic, or a file that could not be read
                failures.append((at, f"ruff: {message['message']}"))
                continue
            hit: Hit | None = None
            for item in rules[message["code"]]:
                if item.applies.matches(source.path):
                    hit = hit or _hit(source, index, message)
                    hits.append((at, item.id, hit))
    unread = {at for at, _, _ in errors} | {at for at, _ in failures}
    return LinterResult(tuple(hits), tuple(failures), tuple(errors), tuple(at for at in chosen if at not in unread))


def _without_imports_of_one_line(found: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The messages without imports that only serve another message of the same rule on the same line.

    ``import pdb; pdb.set_trace()`` is one thing to delete, and ruff names both halves.
    """
    rows = [(each["code"], each["location"]["row"]) for each in found]
    for row, each in zip(rows, found, strict=True):
        if not (_IMPORT.match(str(each["message"])) and rows.count(row) > 1):
            yield each


def _hit(source: Source, index: LineIndex, message: Mapping[str, Any]) -> Hit:
    code, words = message["code"], str(message["message"])
    quoted = _QUOTED.search(words) if code in _NAMES_ITS_SUBJECT else None
    return Hit(
        path=source.path,
        span=_span(source, index, message),
        subject=f"`{quoted[1]}`" if quoted is not None else "",
        code=code,
        evidence=tuple(_evidence(source, index, words)) if code == "F811" else (),
        fixes=tuple(_fixes(source, index, message.get("fix"))),
        unused=code in _FADED,
    )


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
        edits.append(Edit(source.path, span, source.index.slice(span), edit["content"]))
    yield Fix(str(fix.get("message") or "Apply the fix"), fix["applicability"] == "safe", tuple(edits))


def _span(source: Source, index: LineIndex, place: Mapping[str, Any]) -> Span:
    return Span(_position(source, index, place["location"]), _position(source, index, place["end_location"]))


def _position(source: Source, index: LineIndex, place: Mapping[str, int]) -> Position:
    position = Position(place["row"], place["column"])
    return source.index.position(index.offset(position))
