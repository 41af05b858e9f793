"""Reads ``git diff --raw -z -p``: which paths changed, and each path's section of the patch.

Paths, modes and status come from the raw records, never from the patch, whose headers are ambiguous. Invariant: content
cannot be taken for structure: a line of content always begins with ``+``, ``-``, a space or a backslash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Mapping

_ESCAPES: Final = {
    7: b"\\a",
    8: b"\\b",
    9: b"\\t",
    10: b"\\n",
    11: b"\\v",
    12: b"\\f",
    13: b"\\r",
    34: b'\\"',
    92: b"\\\\",
}
"""By byte, what git writes for it inside quotes; other control characters are written in octal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One changed path. ``letter`` is git's status; ``new_id`` is zeros where git has not hashed a file on disk."""

    letter: str
    path: RelPath
    old_path: RelPath
    old_mode: str
    new_mode: str
    old_id: str
    new_id: str

    @property
    def unhashed(self) -> bool:
        """Whether git does not know the id of the new side."""
        return not self.new_id.strip("0")


@dataclass(frozen=True, slots=True)
class Listing:
    """A whole diff: entries in git's order, and hunk text by path. A path without hunk text has no section there."""

    entries: tuple[Entry, ...]
    bodies: Mapping[RelPath, bytes]


def parse(output: bytes) -> Listing:
    """Read the output of ``git diff --raw -z [-p] --no-abbrev``."""
    entries, patch = _raw(output)
    wanted = {_header(entry): entry.path for entry in entries}
    bodies: dict[RelPath, bytes] = {}
    for section in patch.removeprefix(b"diff --git ").split(b"\ndiff --git "):
        header, _, rest = section.partition(b"\n")
        path = wanted.get(header)
        at = 0 if rest.startswith(b"@@ ") else rest.find(b"\n@@ ") + 1
        if path is not None and (at or rest.startswith(b"@@ ")):
            bodies[path] = rest[at:] + b"\n"
    return Listing(entries, bodies)


def relpath(raw: bytes) -> RelPath:
    """A path as git wrote it."""
    return RelPath(raw.decode("utf-8", "surrogateescape"))


def raw_path(path: str) -> bytes:
    """The bytes of a path."""
    return path.encode("utf-8", "surrogateescape")


def _raw(output: bytes) -> tuple[tuple[Entry, ...], bytes]:
    entries: list[Entry] = []
    at = 0
    while output.startswith(b":", at):
        end = output.index(b"\0", at)
        old_mode, new_mode, old_id, new_id, status = output[at + 1 : end].decode("ascii").split(" ")
        at = end + 1
        paths: list[RelPath] = []
        for _ in range(2 if status[0] in "RC" else 1):
            end = output.index(b"\0", at)
            paths.append(relpath(output[at:end]))
            at = end + 1
        entries.append(
            Entry(
                letter=status[0],
                path=paths[-1],
                old_path=paths[0],
                old_mode=old_mode,
                new_mode=new_mode,
                old_id=old_id,
                new_id=new_id,
            )
        )
    return tuple(entries), output[at:].removeprefix(b"\0")


def _header(entry: Entry) -> bytes:
    return _quoted(b"a/" + raw_path(entry.old_path)) + b" " + _quoted(b"b/" + raw_path(entry.path))


def _quoted(path: bytes) -> bytes:
    """Quote as git does with core.quotePath=false: control characters, quotes and backslashes only."""
    if not any(byte < 32 or byte in (34, 92, 127) for byte in path):
        return path
    return b'"' + b"".join(_escaped(byte) for byte in path) + b'"'


def _escaped(byte: int) -> bytes:
    if byte in _ESCAPES:
        return _ESCAPES[byte]
    return b"\\%03o" % byte if byte < 32 or byte == 127 else bytes((byte,))
