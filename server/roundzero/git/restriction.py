"""Restricts a change to the lines that a given diff adds.

The diff's own pre-image takes the base's place, so that everything the diff does not add counts as old. Pure but for
reading texts through a function. Invariant: a diff that does not reverse-apply exactly is refused, never guessed at.
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Change, FileChange, Source, Status, blob_id
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.text import RelPath, dominant_eol
from roundzero.errors import UserError
from roundzero.git.collect import snapshot_of
from roundzero.git.hunks import as_committed, hunk_between, settle, split_lines, whole

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from roundzero.core.linemap import Hunk

_HUNK: Final = regex(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_HUNK_START: Final = regex(r"@@ -\d")
_PREFIX: Final = regex(r"^[abciow12]/")
_COLOUR: Final = regex(rb"\x1b\[[0-9;]*[mK]")
_ESCAPED: Final = regex(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS: Final = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


@dataclass(slots=True)
class _Patch:
    """One hunk: where it stands at the head, and its lines with their first character."""

    head_start: int
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _FileDiff:
    """One file of the diff; None is /dev/null."""

    old: str | None
    new: str | None
    patches: list[_Patch] = field(default_factory=list)


async def restrict(
    change: Change,
    diff: bytes,
    head: Callable[[RelPath], Awaitable[Source | None]],
    *,
    object_format: str,
) -> Change:
    """The change of the diff's own lines. ``head`` reads a file's reviewed text. Raises UserError naming the file."""
    files: list[FileChange] = []
    named: set[RelPath] = set()
    skips = {skip.path: skip for skip in change.skipped}
    for part in _parse(diff):
        path, source = await _find(part, change, head)
        named.add(path)
        known = change.file(path)
        if part.new is None:
            if source is not None:
                raise UserError(f"{path}: the diff deletes it, but it is still there")
            if known is not None:
                files.append(known)
        elif path not in skips:
            if source is None:
                raise UserError(f"{path}: the diff changes it, but it is not there")
            files.append(_restricted(part, path, source, known, object_format))
    files.sort(key=lambda file: file.path)
    skipped = tuple(skip for skip in change.skipped if skip.path in named)
    return replace(change, files=tuple(files), skipped=skipped, snapshot=snapshot_of(files, skipped))


async def _find(
    part: _FileDiff, change: Change, head: Callable[[RelPath], Awaitable[Source | None]]
) -> tuple[RelPath, Source | None]:
    """The path that is meant, with or without a prefix such as ``b/``, and its text."""
    name = part.new if part.new is not None else part.old or ""
    choices = [RelPath(_PREFIX.sub("", name)), RelPath(name)]
    skips = {skip.path for skip in change.skipped}
    for path in choices:
        if change.file(path) is not None or path in skips:
            return path, await head(path)
    for path in choices:
        if (source := await head(path)) is not None:
            return path, source
    return choices[0], None


def _restricted(
    part: _FileDiff, path: RelPath, source: Source, known: FileChange | None, object_format: str
) -> FileChange:
    lines = source.index
    head = split_lines(as_committed(source.text))
    base: list[str] = []
    hunks: list[Hunk] = []
    at = 0
    for patch in part.patches:
        new = [as_committed(line[1:].removesuffix("\r")) for line in patch.lines if line[0] != "-"]
        start = patch.head_start - 1 if new else patch.head_start
        if not at <= start <= len(head) or head[start : start + len(new)] != new:
            raise UserError(
                f"{path}: the diff does not fit at line {patch.head_start}; it must lead to the file as it is now"
            )
        base += head[at:start]
        at = start
        at = _undo(patch, base, hunks, at)
    base += head[at:]
    if part.old is None and not base:
        return FileChange(
            path=path, status=Status.ADDED, base=None, head=source, hunks=whole(0, lines.line_count), mode=_mode(known)
        )
    settled = settle(hunks, base, head)
    assert settled is not None  # noqa: S101  made from these very lines
    return FileChange(
        path=path,
        status=known.status if known is not None and known.base is not None else Status.MODIFIED,
        base=_base(path, base, source, known, object_format),
        head=source,
        hunks=settled,
        mode=_mode(known),
    )


def _undo(patch: _Patch, base: list[str], hunks: list[Hunk], at: int) -> int:
    """Append a hunk's old lines to ``base`` and its runs of changes to ``hunks``; the head line after it."""
    base_from, head_from = len(base), at
    for line in [*patch.lines, " "]:
        if line[0] == "-":
            base.append(as_committed(line[1:].removesuffix("\r")))
        elif line[0] == "+":
            at += 1
        else:
            if (hunk := hunk_between(base_from, len(base), head_from, at)) is not None:
                hunks.append(hunk)
            base.append(as_committed(line[1:].removesuffix("\r")))
            at += 1
            base_from, head_from = len(base), at
    base.pop()
    return at - 1


def _base(path: RelPath, lines: list[str], head: Source, known: FileChange | None, object_format: str) -> Source:
    """The diff's pre-image; the real base where it is the same."""
    if known is not None and known.base is not None and split_lines(as_committed(known.base.text)) == lines:
        return known.base
    eol = dominant_eol(head.text)
    text = "".join(line + eol for line in lines)
    old_path = known.base.path if known is not None and known.base is not None else path
    return Source(old_path, text, blob_id(text.encode("utf-8", "surrogatepass"), algorithm=object_format))


def _mode(known: FileChange | None) -> str:
    return known.mode if known is not None else "100644"


def _parse(diff: bytes) -> list[_FileDiff]:
    """Files and hunks of a unified diff of any make. Raises UserError when there is none in it."""
    if b"\n--- " not in diff and not diff.startswith(b"--- "):
        diff = _COLOUR.sub(b"", diff)
    lines = diff.decode("utf-8", "surrogateescape").split("\n")
    files: list[_FileDiff] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("@@@"):
            raise UserError("the diff is a combined one, of a merge; give a diff against one commit")
        if line.startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "):
            files.append(_FileDiff(_name(line[4:]), _name(lines[at + 1][4:])))
            at += 2
        elif files and (match := _HUNK.match(line)) is not None:
            at = _read_hunk(lines, at + 1, match, files[-1])
        elif files and _HUNK_START.match(line) is not None:
            raise UserError(f"{files[-1].new or files[-1].old}: the diff has no readable hunk at its line {at + 1}")
        else:
            at += 1
    if not files and diff.strip() and not any(line.startswith("diff --git ") for line in lines):
        raise UserError("the diff names no file; give the output of git diff")
    for file in files:
        if not file.patches:
            raise UserError(f"{file.new or file.old}: the diff is cut off before what it changes there")
    return files


def _read_hunk(lines: list[str], at: int, match: re.Match[str], file: _FileDiff) -> int:
    old_left, new_left = int(match[2] or 1), int(match[4] or 1)
    patch = _Patch(int(match[3]))
    while old_left > 0 or new_left > 0:
        line = lines[at] if at < len(lines) else ""
        mark = line[:1] or " "  # some programs strip the space of an empty context line
        if at >= len(lines) or mark not in " +-\\\r":
            raise UserError(f"{file.new or file.old}: the diff is cut off after line {at}")
        at += 1
        if mark == "\\":
            continue
        old_left -= mark != "+"
        new_left -= mark != "-"
        patch.lines.append(line if line[:1] in (" ", "+", "-") else " ")
    file.patches.append(patch)
    return at


def _name(field_text: str) -> str | None:
    """The path of a ``---`` or ``+++`` line: unquoted, without a time stamp; None for /dev/null."""
    text = field_text.rstrip("\r")
    if text.startswith('"') and text.rstrip().endswith('"'):
        raw = text.rstrip()[1:-1].encode("utf-8", "surrogateescape")
        return _ESCAPED.sub(_unescaped, raw).decode("utf-8", "surrogateescape")
    name = text.partition("\t")[0]
    return None if name == "/dev/null" else name


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes((int(code, 8) & 0xFF,)) if len(code) == 3 else _LETTERS.get(code, code)
