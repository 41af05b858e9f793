"""Applies the safe fixes of a report to the files on disk.

A file is written only when its bytes still are what was reviewed; encoding, byte-order mark, line ends and mode are
kept. Fixes that overlap one already taken wait for the next go. Invariant: a fix is applied whole or not at all, and a
file is replaced in one step or stays as it was.
"""

from __future__ import annotations

import ast
import os
import tempfile
import warnings
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.text import Decoded, LineIndex, clash, decode, dominant_eol, encode, with_eol
from roundzero.render.words import some

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.finding import Edit, Finding, Fix
    from roundzero.core.report import Report
    from roundzero.core.text import RelPath


@dataclass(frozen=True, slots=True)
class Fixed:
    """What was done: findings fixed, files written, and why some fixes were left out.

    ``again``: some were left out only because they overlap another, so that another go may apply them. ``unsafe``
    counts findings whose fixes may change what the program does otherwise.
    """

    findings: int = 0
    files: tuple[RelPath, ...] = ()
    left: tuple[str, ...] = ()
    again: bool = False
    unsafe: int = 0

    def then(self, later: Fixed) -> Fixed:
        """This go and a later one together. What was left out is what the later one left out."""
        files = tuple(sorted({*self.files, *later.files}))
        return Fixed(self.findings + later.findings, files, later.left, later.again, later.unsafe)


def apply_safe_fixes(root: Path, report: Report) -> Fixed:
    """Apply the first safe fix of every listed open finding to the work tree at ``root``."""
    texts = {file.path: file.head.text for file in report.change.files if file.head is not None}
    files: dict[RelPath, _File] = {}
    left: dict[str, None] = {}
    taken: list[tuple[Finding, Fix]] = []
    for finding in sorted(report.findings, key=_place):
        fix = next((each for each in finding.seen.fixes if each.safe), None)
        if fix is None or finding.state is not State.OPEN or finding.seen.side is not Side.HEAD:
            continue
        for path in {edit.path for edit in fix.edits} - files.keys():
            files[path] = _open(root, path, texts.get(path))
        shared = any(fix.edits == other.edits for _, other in taken)  # one fix of several findings
        if shared or (reason := _take(fix, files)) is None:
            taken.append((finding, fix))
        else:
            left[reason] = None
    while spoiled := _unwritable(files):
        for path, reason in spoiled.items():
            mine = [row for row in taken if any(edit.path == path for edit in row[1].edits)]
            dropped = {id(row) for row in mine[len(mine) // 2 :]}
            taken = [row for row in taken if id(row) not in dropped]
            waits = f"{path}: one of the fixes {_OVERLAPS}"
            left.pop(waits, None)
            left[waits if len(dropped) < len(mine) else reason] = None
        for path, file in files.items():
            edits = [edit for _, fix in taken for edit in fix.edits if edit.path == path]
            file.edits = [edit for edit in file.edits if edit[2] in edits]
    written = tuple(path for path, file in sorted(files.items()) if file.edits and _write(file, left))
    done = [finding for finding, fix in taken if all(edit.path in written for edit in fix.edits)]
    again = bool(written) and any(each.endswith(_OVERLAPS) for each in left)
    unsafe = sum(_is_unsafe(finding) for finding in report.findings)
    return Fixed(len(done), written, tuple(left), again, unsafe)


def _is_unsafe(finding: Finding) -> bool:
    """Whether it is open, and has fixes that nobody applies unseen."""
    fixes = finding.seen.fixes
    return finding.state is State.OPEN and bool(fixes) and not any(fix.safe for fix in fixes)


GOES: Final = 5
"""Most times that fixes are applied and the result is reviewed: each go needs one, and two fixes may never agree."""

_OVERLAPS: Final = "overlaps another fix; run again"

_NOTHING: Final = Decoded("", "utf-8", bom=False)


@dataclass(slots=True)
class _File:
    """A file on disk and the edits taken so far, as (start, end, edit) in offsets of its text."""

    path: RelPath
    place: Path
    refused: str | None = None
    data: bytes = b""
    decoded: Decoded = _NOTHING
    edits: list[tuple[int, int, Edit]] = field(default_factory=list)

    @property
    def fixed(self) -> Decoded:
        """The text with all edits in it."""
        text = self.decoded.text
        eol = dominant_eol(text)
        for start, end, edit in sorted(self.edits, key=lambda each: each[0], reverse=True):
            text = text[:start] + with_eol(edit.new_text, eol) + text[end:]
        return replace(self.decoded, text=text)


def _place(finding: Finding) -> tuple[str, int, int]:
    """Text order, so that of two fixes that overlap the first one in the text is applied."""
    seen = finding.seen
    return (seen.path or "", seen.line, seen.span.start.column if seen.span is not None else 0)


def _open(root: Path, path: RelPath, reviewed: str | None) -> _File:
    place = root / path
    file = _File(path, place)
    try:
        if place.is_symlink() or not Path(os.path.realpath(place.parent)).is_relative_to(os.path.realpath(root)):
            file.refused = f"{path} is reached through a link"
            return file
        file.data = place.read_bytes()
    except OSError as error:
        file.refused = f"{path} cannot be read ({error.strerror})"
        return file
    decoded = decode(file.data, python=language_of(path) == "python")
    if decoded is None or decoded.text != reviewed or encode(decoded) != file.data:
        file.refused = f"{path} changed while it was reviewed"
    else:
        file.decoded = decoded
    return file


def _take(fix: Fix, files: dict[RelPath, _File]) -> str | None:
    """Add all edits of a fix to their files, or none and say why."""
    new: list[tuple[_File, int, int, Edit]] = []
    for edit in fix.edits:
        file = files[edit.path]
        if file.refused is not None:
            return file.refused
        index = LineIndex(file.decoded.text)
        start, end = index.offset(edit.span.start), index.offset(edit.span.end)
        if file.decoded.text[start:end] != edit.old_text:
            return f"{edit.path}:{edit.span.start.line}: the text to replace is not there"
        others = [(a, b) for a, b, _ in file.edits] + [(a, b) for each, a, b, _ in new if each is file]
        if any(clash((start, end), taken) for taken in others):
            return f"{edit.path}:{edit.span.start.line}: {_OVERLAPS}"
        new.append((file, start, end, edit))
    for file, start, end, edit in new:
        file.edits.append((start, end, edit))
    return None


def _unwritable(files: dict[RelPath, _File]) -> dict[RelPath, str]:
    """Files whose fixed text cannot be encoded or, in Python, no longer parses though it did, and which of it."""
    spoiled: dict[RelPath, str] = {}
    for path, file in files.items():
        if not file.edits:
            continue
        try:
            encode(file.fixed)
        except UnicodeEncodeError:
            spoiled[path] = f"{path}: the fix has characters its encoding {file.decoded.encoding} lacks"
            continue
        if language_of(path) == "python" and _parses(file.decoded.text) and not _parses(file.fixed.text):
            spoiled[path] = f"{path}: with the fixes it would no longer parse"
    return spoiled


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _write(file: _File, left: dict[str, None]) -> bool:
    """Replace the file by its fixed text in one step, if nobody touched it meanwhile."""
    temporary: Path | None = None
    try:
        mode = file.place.stat().st_mode
        handle, name = tempfile.mkstemp(prefix=".roundzero-", dir=file.place.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as out:
            out.write(encode(file.fixed))
        temporary.chmod(mode & 0o7777)
        if file.place.is_symlink() or file.place.read_bytes() != file.data:
            left[f"{file.path} changed while it was fixed"] = None
            return False
        temporary.replace(file.place)
        temporary = None
    except OSError as error:
        left[f"{file.path} cannot be written ({error.strerror})"] = None
        return False
    finally:
        if temporary is not None:
            temporary.unlink()
    return True


_UNSAFE: Final = (
    "1 finding has a fix that may change what the program does; apply it in an editor, where you see it",
    "{count} findings have fixes that may change what the program does; apply them in an editor, where you see them",
)


def summary(fixed: Fixed) -> Iterable[str]:
    """What was fixed and what was left, a sentence each."""
    findings = some(("1 finding", "{count} findings"), fixed.findings)
    files = some(("1 file", "{count} files"), len(fixed.files))
    yield f"fixed {findings} in {files}: {', '.join(fixed.files)}" if fixed.files else "fixed nothing"
    yield from (f"not fixed: {reason}" for reason in fixed.left)
    if fixed.unsafe:
        yield some(_UNSAFE, fixed.unsafe)
