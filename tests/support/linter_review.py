"""A review small enough for examples of linters: hunks, scope and origin, by the core's own rules.

Python checkers are left out; the engine's tests prove their examples.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from roundzero.core.change import FileChange, Side, Source, Status, blob_id
from roundzero.core.finding import Origin, observe
from roundzero.core.linemap import Hunk
from roundzero.core.matching import Moves
from roundzero.core.origin import origins
from roundzero.core.scope import out_of_scope
from roundzero.linters import discover, optional
from roundzero.linters.ast_grep import complaint
from roundzero.linters.ruff import unknown_codes
from roundzero.packs.examples import Seen
from roundzero.packs.loader import built_in_files
from support.changes import change_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from roundzero.core.finding import Observation
    from roundzero.core.item import AstGrepCheck, Item
    from roundzero.core.text import RelPath
    from roundzero.packs.examples import Fixture


class Judges:
    """The pinned programs; the checkers are those that the shipped packs name."""

    async def unknown_codes(self, codes: Sequence[str]) -> Sequence[str]:
        """Ask ruff."""
        return await unknown_codes(codes)

    async def complaint(self, check: AstGrepCheck) -> str | None:
        """Ask ast-grep."""
        return await complaint(check)

    def checkers(self) -> Collection[str]:
        """Read the packs."""
        text = "".join(path.read_text(encoding="utf-8") for path in built_in_files())
        return frozenset(re.findall(r"checker: ([a-z-]+)", text))

    def linters(self) -> Collection[str]:
        """The optional ones."""
        return [linter.name for linter in optional()]

    async def running(self) -> Collection[str]:
        """None: the engine's tests prove their examples."""
        return ()


async def review(fixture: Fixture, items: Sequence[Item]) -> list[Seen]:
    """What the linters show for a fixture."""
    files = [_file(fixture, path, text) for path, text in fixture.head.items()]
    head = await _observe([file.head for file in files if file.head is not None], items)
    base = await _observe([file.base for file in files if file.base is not None], items)
    by_path = {file.path: file for file in files}
    by_id = {item.id: item for item in items}
    return [
        Seen(seen.path, seen.side, seen.span, seen.item, seen.title)
        for seen, origin in zip(head, origins(base, head, Moves.within(change_of(*files))), strict=True)
        if origin is Origin.INTRODUCED
        and seen.path is not None
        and out_of_scope(by_id[seen.item], seen, by_path[seen.path]) is None
    ]


def _file(fixture: Fixture, path: RelPath, text: str) -> FileChange:
    old = fixture.renames.get(path, path)
    before = fixture.base.get(old)
    matcher = SequenceMatcher(None, (before or "").split("\n"), text.split("\n"), autojunk=False)
    hunks = tuple(
        Hunk(first + (last > first), last - first, start + (end > start), end - start)
        for tag, first, last, start, end in matcher.get_opcodes()
        if tag != "equal"
    )
    base = None if before is None else Source(old, before, blob_id(before.encode()))
    head = Source(path, text, blob_id(text.encode()))
    status = Status.ADDED if base is None else Status.MODIFIED
    return FileChange(path=path, status=status, base=base, head=head, hunks=hunks)


async def _observe(sources: Sequence[Source], items: Sequence[Item]) -> list[Observation]:
    by_id = {item.id: item for item in items}
    observations = []
    for linter in discover():
        taken = [item for item in items if linter.takes(item)]
        result = await linter.run(sources, taken)
        assert result.failures == ()
        for at, item, hit in result.hits:
            seen = observe(by_id[item], hit, sources[at], producer=linter.name, version="0")
            assert seen.side is Side.HEAD
            observations.append(seen)
    return observations
