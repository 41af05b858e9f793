"""Which files outside the change may be shown to somebody, a model for example.

By the very rules that decide what is reviewed (rules.py): what they leave out is neither reviewed nor sent. Reads no
contents. Invariant: a path is shown only if nothing speaks against it, on the side that is asked about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import ABSENT, Side, SkipKind
from roundzero.git import rules
from roundzero.git.diff import relpath
from roundzero.git.files import inside
from roundzero.git.listing import ignore_text
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from roundzero.core.change import Change
    from roundzero.core.text import RelPath
    from roundzero.git.commands import Commands
    from roundzero.git.listing import Access, CollectRules

_AT_ONCE: Final = 200
"""Paths named in one command."""


async def shareable(
    access: Access, paths: Collection[RelPath], side: Side, change: Change, tree: str, limits: CollectRules
) -> frozenset[RelPath]:
    """Those of ``paths`` whose text may be shown. ``tree``: the base's object id. Raises OutsideError.

    The head's ignore file and attributes count for both sides: whoever hides a file now does not want it sent. Nothing
    may be shown where the ignore file cannot be read.
    """
    ignore_file = await ignore_text(access, change.head_tree, limits.max_file_bytes)
    if ignore_file is None:
        return frozenset()
    skipped = {each.path for each in change.skipped if side is Side.HEAD or _is_hidden(each.kind, each.mode)}
    by_name = rules.PathRules(limits.exclude, ignore_file)
    wanted = sorted(
        path for path in set(paths) if inside(path) and path not in skipped and by_name.reason(path) is None
    )
    if not wanted:
        return frozenset()
    cached = ("--cached",) if change.head_tree == "" else ()
    question = ("check-attr", *cached, "-z", "--stdin", *rules.ATTRIBUTES)
    async with side_by_side() as group:
        attributes = group.create_task(access.commands.git(*question, stdin=rules.question(wanted)))
        odd = group.create_task(_links(access.commands, wanted, tree if side is Side.BASE else change.head_tree))
    known = rules.parse_attributes(attributes.result().stdout)
    return frozenset(
        path for path in wanted if path not in odd.result() and rules.by_attributes(known.get(path, {})) is None
    )


def _is_hidden(kind: SkipKind, mode: str) -> bool:
    """Whether a skipped path is kept back at the base too: not when all that speaks against it is that it is gone."""
    return kind is SkipKind.BY_RULE and mode != ABSENT


async def _links(commands: Commands, paths: Sequence[RelPath], tree: str | None) -> frozenset[RelPath]:
    """The links among paths of a tree or of the index (""). On disk (None) nothing is ever read through one."""
    if tree is None:
        return frozenset()
    ask = ("ls-tree", "-z", tree, "--") if tree else ("ls-files", "-z", "--stage", "--")
    found: set[RelPath] = set()
    for at in range(0, len(paths), _AT_ONCE):
        done = await commands.plumbing(*ask, *paths[at : at + _AT_ONCE])
        rows = (row.partition(b"\t") for row in done.stdout.split(b"\0") if row)
        found.update(relpath(name) for facts, _, name in rows if not facts.startswith(b"100"))
    return frozenset(found)
