"""Reviews a pack's example as if it were a repository, for ``roundzero packs check``.

The example's texts stand in for git; everything else (linters, checkers, scope, origin, gate) is what a review runs.
Invariant: nothing is written but temporary files of the programs asked.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from roundzero.checkers import names as checker_names
from roundzero.config import Settings
from roundzero.core.change import (
    BaseChoice,
    BaseHow,
    Change,
    FileChange,
    HeadState,
    Side,
    Skip,
    SkipKind,
    Source,
    Status,
    blob_id,
)
from roundzero.core.finding import State
from roundzero.core.ports import GrepHit
from roundzero.core.ruleset import Ruleset
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.workspace import Workspace
from roundzero.git.buffer_diff import BufferDiff
from roundzero.linters import ast_grep, ruff
from roundzero.linters import discover as discover_linters
from roundzero.linters import optional as optional_linters
from roundzero.packs.examples import Fixture, Seen

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from roundzero.core.item import AstGrepCheck, Item
    from roundzero.core.linemap import Hunk
    from roundzero.core.ports import Commit
    from roundzero.core.text import RelPath
    from roundzero.git.repository import Git
    from roundzero.linters import Linter


class Programs:
    """Asks the programs about rules; see packs.check.Programs."""

    async def unknown_codes(self, codes: Sequence[str]) -> Sequence[str]:
        """Codes ruff does not run."""
        return await ruff.unknown_codes(codes)

    async def complaint(self, check: AstGrepCheck) -> str | None:
        """What ast-grep has against a rule."""
        return await ast_grep.complaint(check)

    def checkers(self) -> Collection[str]:
        """The names of all checkers."""
        return checker_names()

    def linters(self) -> Collection[str]:
        """The names of all optional linters."""
        return [linter.name for linter in optional_linters()]

    async def running(self) -> Collection[str]:
        """Those that run here."""
        return [linter.name for linter in await _ready()]


async def _ready() -> Sequence[Linter]:
    """The optional linters that run without a repository. An example is a text that somebody chose to check."""
    ready = [await linter.ready(None, None) for linter in optional_linters()]
    return [linter for linter in ready if not isinstance(linter, str)]


async def run(fixture: Fixture, items: Sequence[Item]) -> Sequence[Seen]:
    """The open findings of a review of ``fixture`` with these items and no others, each. Raises OutsideError."""
    repository = _FixtureGit(fixture, await _change(fixture))
    workspace = Workspace(
        git=cast("Git", repository),
        settings=Settings(),
        ruleset=Ruleset(tuple(replace(item, one_a_file="") for item in items), ""),
        linters=(*discover_linters(), *await _ready()),
        environ={},
    )
    report = await review(workspace, ReviewRequest(base="base"))
    found = (finding.seen for finding in report.findings if finding.state is State.OPEN)
    return [Seen(seen.path, seen.side, seen.span, seen.item, seen.title) for seen in found]


async def _change(fixture: Fixture) -> Change:
    """The fixture's texts as a change."""
    rows: list[tuple[RelPath, RelPath]] = [(path, fixture.renames.get(path, path)) for path in fixture.head]
    rows += [(path, path) for path in fixture.base if path not in {old for _, old in rows}]
    differ = BufferDiff()
    try:
        texts = [(fixture.base.get(old, ""), fixture.head.get(path, "")) for path, old in rows]
        hunks = await differ.hunks_of(texts)
    finally:
        differ.close()
    files = [_file(fixture, path, old, found) for (path, old), found in zip(rows, hunks, strict=True)]
    return Change(
        base=_BASE,
        head=HeadState(commit=None, branch=None, dirty=True),
        files=tuple(sorted((file for file in files if file.hunks or file.old_path), key=lambda file: file.path)),
        skipped=tuple(skipped(path, size) for path, size in sorted(fixture.binaries.items())),
        snapshot="",
    )


def skipped(path: RelPath, size: int) -> Skip:
    """A binary file that the head adds."""
    return Skip(
        path=path,
        kind=SkipKind.BY_RULE,
        reason="binary",
        status=Status.ADDED,
        mode="100644",
        size=size,
        binary=True,
    )


def _file(fixture: Fixture, path: RelPath, old: RelPath, hunks: tuple[Hunk, ...]) -> FileChange:
    base, head = _source(fixture.base, old), _source(fixture.head, path)
    if base is None:
        status = Status.ADDED
    elif head is None:
        status = Status.DELETED
    else:
        status = Status.RENAMED if old != path else Status.MODIFIED
    return FileChange(path=path, status=status, base=base, head=head, hunks=hunks)


def _source(texts: Mapping[RelPath, str], path: RelPath) -> Source | None:
    text = texts.get(path)
    return Source(path, text, blob_id(text.encode("utf-8", "replace"))) if text is not None else None


_BASE = BaseChoice(ref=None, merge_base=None, how=BaseHow.EMPTY_TREE)


class _FixtureGit:
    """Answers what a review asks of git from a fixture."""

    def __init__(self, fixture: Fixture, change: Change) -> None:
        self.root = Path()
        self.common_dir = None
        self._texts = {Side.BASE: fixture.base, Side.HEAD: fixture.head}
        self._change = change
        self._commits = fixture.commits
        self._binaries = fixture.binaries.keys()

    async def choose_base(self, **_: object) -> BaseChoice:
        return _BASE

    async def collect(self, _base: BaseChoice, **_: object) -> Change:
        return self._change

    def may_have(self, path: RelPath, _change: Change) -> bool:
        return path in self._texts[Side.HEAD]

    async def read(self, path: RelPath, side: Side, _change: Change) -> Source | None:
        return _source(self._texts[side], path)

    async def paths(self, side: Side, _change: Change) -> frozenset[RelPath]:
        return frozenset(self._texts[side]) | (self._binaries if side is Side.HEAD else frozenset())

    async def commits(self, _change: Change) -> Sequence[Commit]:
        return self._commits

    async def grep(self, words: Collection[str], _change: Change) -> Mapping[str, tuple[GrepHit, ...]]:
        found = {}
        for word in words:
            whole = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
            found[word] = tuple(
                GrepHit(path, number, line)
                for path, text in sorted(self._texts[Side.HEAD].items())
                for number, line in enumerate(text.split("\n"), start=1)
                if whole.search(line)
            )
        return found
