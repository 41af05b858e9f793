"""Compiled packs on disk, so that a start neither reads YAML nor imports what validates it.

JSON, named by a hash of what the result depends on; in the user's own cache folder, readable by nobody else. Never a
pickle: a cache must not be able to run code. Invariant: a file that is missing, cut or odd is the same as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from typing import TYPE_CHECKING, Any, Final

from roundzero import __version__
from roundzero.core.item import (
    Applies,
    AstGrepCheck,
    CheckerCheck,
    CheckSpec,
    Convention,
    IgnoresCheck,
    Item,
    ItemId,
    LinterCheck,
    LooksAt,
    Prose,
    RuffCheck,
    Severity,
    TextCheck,
)
from roundzero.core.ruleset import Problem
from roundzero.packs.pack import Pack

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = 8
"""Raised when the form below or the meaning of a pack changes within one version of the tool."""

KEPT: Final = 64
"""How many compiled packs the folder holds; the least recently written go first."""


def key(content: bytes, file: str) -> str:
    """The name of a pack's compiled form: hash of tool version, format, file name and content."""
    digest = hashlib.sha256(f"{__version__}\0{FORMAT}\0{file}\0".encode("utf-8", "surrogateescape"))
    digest.update(content)
    return digest.hexdigest()


def load(folder: Path, name: str) -> Pack | None:
    """The compiled pack stored under ``name``, or None."""
    try:
        with (folder / f"{name}.json").open("rb") as file:
            return _decode(json.loads(file.read()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def save(folder: Path, name: str, pack: Pack) -> None:
    """Store a compiled pack, atomically and with mode 0600. A folder that cannot be written is no error."""
    text = json.dumps(_encode(pack), ensure_ascii=True, separators=(",", ":"))
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".writing-")
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(text)
            os.replace(temporary, folder / f"{name}.json")  # noqa: PTH105  the name is a str from mkstemp
        except OSError:
            os.unlink(temporary)  # noqa: PTH108  as above
            raise
        _tidy(folder)


def _tidy(folder: Path) -> None:
    files = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in files[KEPT:]:
        old.unlink(missing_ok=True)


def _encode(pack: Pack) -> dict[str, object]:
    return {
        "file": pack.file,
        "name": pack.name,
        "title": [pack.title.en, pack.title.zh],
        "items": [_encode_item(item) for item in pack.items],
        "problems": [[problem.file, problem.line, problem.message, problem.lost] for problem in pack.problems],
    }


def _encode_item(item: Item) -> dict[str, object]:
    return {
        "id": item.id,
        "aliases": item.aliases,
        "covers": item.covers,
        "section": item.section,
        "title": [item.title.en, item.title.zh],
        "why": [item.why.en, item.why.zh],
        "severity": int(item.severity),
        "enabled": item.enabled,
        "trigger": item.trigger,
        "looks_at": item.looks_at.value,
        "one_a_file": item.one_a_file,
        "applies": [item.applies.languages, item.applies.paths, item.applies.exclude],
        "checks": [_encode_check(check) for check in item.checks],
        "ask": item.ask,
        "convention": _encode_convention(item.convention),
        "line": item.line,
    }


def _encode_convention(convention: Convention | None) -> list[object] | None:
    if convention is None:
        return None
    return [convention.at_least, [check.document for check in convention.cases], convention.min]


def _encode_check(check: CheckSpec) -> dict[str, object]:
    match check:
        case RuffCheck():
            return {"ruff": check.codes}
        case AstGrepCheck():
            return {"ast-grep": check.document}
        case TextCheck():
            return {"text": [check.pattern, check.unless]}
        case CheckerCheck():
            return {"checker": check.name}
        case LinterCheck():
            return {"linter": [check.linter, check.codes]}
        case IgnoresCheck():
            return {"ignores": None}


def _decode(data: dict[str, Any]) -> Pack:
    file = str(data["file"])
    return Pack(
        file=file,
        name=str(data["name"]),
        title=Prose(*data["title"]),
        items=tuple(_decode_item(item, file) for item in data["items"]),
        problems=tuple(
            Problem(str(at), int(line), str(message), lost=bool(lost)) for at, line, message, lost in data["problems"]
        ),
    )


def _decode_item(data: dict[str, Any], file: str) -> Item:
    languages, paths, exclude = data["applies"]
    return Item(
        id=ItemId(data["id"]),
        aliases=tuple(ItemId(alias) for alias in data["aliases"]),
        covers=tuple(ItemId(name) for name in data["covers"]),
        section=data["section"],
        title=Prose(*data["title"]),
        why=Prose(*data["why"]),
        severity=Severity(data["severity"]),
        enabled=data["enabled"],
        trigger=data["trigger"],
        looks_at=LooksAt(data["looks_at"]),
        one_a_file=data["one_a_file"],
        applies=Applies(tuple(languages), tuple(paths), tuple(exclude)),
        checks=tuple(_decode_check(check) for check in data["checks"]),
        ask=data["ask"],
        convention=_decode_convention(data["convention"]),
        origin_file=file,
        line=data["line"],
    )


def _decode_convention(data: list[Any] | None) -> Convention | None:
    if data is None:
        return None
    at_least, cases, least = data
    return Convention(at_least=float(at_least), cases=tuple(AstGrepCheck(str(each)) for each in cases), min=int(least))


def _decode_check(data: dict[str, Any]) -> CheckSpec:
    ((kind, value),) = data.items()
    match kind:
        case "ruff":
            return RuffCheck(tuple(value))
        case "ast-grep":
            return AstGrepCheck(value)
        case "text":
            return TextCheck(*value)
        case "checker":
            return CheckerCheck(value)
        case "linter":
            return LinterCheck(value[0], tuple(value[1]))
        case "ignores":
            return IgnoresCheck()
        case _:
            raise ValueError(kind)
