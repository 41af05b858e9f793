"""A repository's own settings and packs as they stand in a commit, for who has no work tree to read them from.

Reads objects only and puts the files where the readers of such files look; what stands in them is theirs to judge.
Invariant: nothing of the tree but these few files is written, and none through a name or a link of the tree's choice.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from roundzero.core.change import SYMLINK
from roundzero.core.rule_files import FOLDER, PROJECT_FILE, SETTINGS_FILE
from roundzero.git.diff import relpath

if TYPE_CHECKING:
    from pathlib import Path

    from roundzero.core.text import RelPath
    from roundzero.git.blobs import Blobs
    from roundzero.git.commands import Commands

_PACKS: Final = f"{FOLDER}/checklists/"
_MOST_BYTES: Final = 1_000_000
"""Beyond this size their readers refuse them; one byte more is enough for that."""
_MOST_FILES: Final = 200
_ELSEWHERE: Final = "/nonexistent/outside"


async def lay_out(commands: Commands, blobs: Blobs, commit: str, folder: Path) -> tuple[RelPath, ...]:
    """Write the settings files and packs of a commit below ``folder``; those that are links. Raises OutsideError.

    A link is written as one that leads nowhere, so that the reader of packs says that it does not follow it. Raises
    OSError where it cannot write.
    """
    done = await commands.plumbing("ls-tree", "-z", commit, "--", SETTINGS_FILE, PROJECT_FILE, _PACKS)
    files: dict[RelPath, str] = {}
    links: list[RelPath] = []
    for row in done.stdout.split(b"\0"):
        facts, _, name = row.partition(b"\t")
        mode, _, identity = facts.partition(b" ")
        if mode.startswith(b"100") and len(files) < _MOST_FILES:
            files[relpath(name)] = identity.rpartition(b" ")[2].decode("ascii")
        elif mode == SYMLINK.encode():
            links.append(relpath(name))
    found = await blobs.get(files.values(), max_bytes=_MOST_BYTES)
    texts = {path: found[name].data for path, name in files.items() if name in found}
    await asyncio.to_thread(_write, folder, texts, links)
    return tuple(links)


def _write(folder: Path, texts: dict[RelPath, bytes | None], links: list[RelPath]) -> None:
    (folder / _PACKS).mkdir(parents=True, exist_ok=True)
    for path, data in texts.items():
        (folder / path).write_bytes(data if data is not None else b"\n" * (_MOST_BYTES + 1))
    for path in links:
        (folder / path).symlink_to(_ELSEWHERE)
