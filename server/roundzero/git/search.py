"""Looks into files outside the change: which paths exist on a side, and which lines contain given words.

Over the same snapshot as the change: changed files count with their text in the change, not with what is on disk.
Invariant: ignored files and files reached through a link are never looked into.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Change, Side
from roundzero.core.ports import GrepHit
from roundzero.core.regex import regex
from roundzero.git.alternation import alternation
from roundzero.git.diff import relpath
from roundzero.proc import side_by_side

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from roundzero.core.change import Source
    from roundzero.core.text import RelPath
    from roundzero.git.commands import Commands

_MAX_GREP: Final = 64 * 1024 * 1024
_BOM: Final = "\ufeff"
_NAME: Final = regex(r"[A-Za-z0-9_]+")
_IN_NO_FILE: Final = regex("[\ud800-\udc7f\udd00-\udfff]")
"""What an editor's buffer may hold, and what stands for no byte either."""
_FEW: Final = 30
"""Names up to which looking for one after the other is cheaper than taking a text apart."""


async def paths(commands: Commands, side: Side, change: Change, tree: str) -> frozenset[RelPath]:
    """Every path on a side. ``tree`` is the base's object id. Raises OutsideError."""
    if side is Side.BASE:
        return await _tree_paths(commands, tree)
    if change.head_tree:
        return await _tree_paths(commands, change.head_tree)
    others = ("--others", "--exclude-standard", "--deleted") if change.head_tree is None else ()
    done = await commands.git("ls-files", "-z", "-t", "--cached", *others)
    listed: set[RelPath] = set()
    gone: set[RelPath] = set()
    for line in done.stdout.split(b"\0"):
        if line and not line.endswith(b"/"):
            (gone if line.startswith(b"R ") else listed).add(relpath(line[2:]))
    gone |= {file.path for file in change.files if file.head is None}
    return frozenset(listed - gone) | {file.path for file in change.files if file.head is not None}


async def base_blobs(commands: Commands, tree: str) -> dict[RelPath, str]:
    """The blob of every regular file of a tree. Raises OutsideError."""
    done = await commands.plumbing("ls-tree", "-r", "-z", tree)
    found = {}
    for line in done.stdout.split(b"\0"):
        about, _, name = line.partition(b"\t")
        if about.startswith(b"100"):  # neither a link nor a submodule
            found[relpath(name)] = about.rpartition(b" ")[2].decode("ascii")
    return found


async def left_out(commands: Commands, path: RelPath) -> bool:
    """Whether sparse checkout keeps a file in the index only."""
    done = await commands.git("ls-files", "-z", "-t", "--cached", "--", path, good=(0, 128))  # 128: not inside
    return done.returncode == 0 and done.stdout.startswith(b"S ")


async def grep(commands: Commands, words: Collection[str], change: Change) -> Mapping[str, tuple[GrepHit, ...]]:
    """For each fixed string, the lines at the head that contain it as a whole word. Raises OutsideError."""
    wanted = [word for word in dict.fromkeys(words) if word and "\n" not in word and "\0" not in word]
    hits: dict[str, list[GrepHit]] = {word: [] for word in wanted}
    if not wanted:
        return {}
    where = ("--untracked",) if change.head_tree is None else (("--cached",) if not change.head_tree else ())
    tree = (change.head_tree,) if change.head_tree else ()
    async with side_by_side() as group:
        searching = group.create_task(_search(commands, wanted, *where, *tree))
        ignoring = group.create_task(_ignores_tracked(commands)) if change.head_tree is None else None
    rows = dict.fromkeys(searching.result())
    if ignoring is not None and ignoring.result():
        rows.update(dict.fromkeys(await _search(commands, wanted)))
    names = {word for word in wanted if _NAME.fullmatch(word) is not None}
    odd = {word: _whole(word) for word in wanted if word not in names}
    sought = odd if len(names) > _FEW else {word: _whole(word) for word in wanted}
    changed = {file.path for file in change.files} | {skip.path for skip in change.skipped}
    prefix = f"{change.head_tree}:".encode() if change.head_tree else b""
    for line in rows:
        fields = line.split(b"\0", 2)
        if len(fields) != 3:
            continue
        path = relpath(fields[0].removeprefix(prefix))
        if path not in changed:
            number = int(fields[1])
            text = fields[2].decode("utf-8", "surrogateescape").removesuffix("\r")
            _match(odd, GrepHit(path, number, text.removeprefix(_BOM) if number == 1 else text), hits)
    for source in (file.head for file in change.files if file.head is not None):
        if sought is odd:
            await asyncio.sleep(0)
            _look_up(names, source, hits)
        for word, pattern in sought.items():
            hits[word] += _in_text(source.path, source.text, word, pattern)
    return {word: tuple(sorted(found, key=lambda hit: (hit.path, hit.line))) for word, found in hits.items()}


async def _search(commands: Commands, wanted: Collection[str], *where: str) -> list[bytes]:
    wanted = [word for word in wanted if _IN_NO_FILE.search(word) is None]
    if not wanted:
        return []
    done = await commands.git(
        "grep", "-z", "-n", "-I", "-E", "-w", "-f", "-", "--full-name", "--no-color", "--no-column",
        "--no-recurse-submodules", "--no-textconv", *where, "--",
        stdin=(alternation(wanted) + "\n").encode("utf-8", "surrogateescape"),
        good=(0, 1),
        max_stdout=_MAX_GREP,
    )  # fmt: skip
    return done.stdout.split(b"\n")


async def _ignores_tracked(commands: Commands) -> bool:
    """Whether tracked files match ignore rules: ``git grep --untracked`` passes over them (measured, git 2.39)."""
    done = await commands.git("ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
    return bool(done.stdout)


def _match(odd: Mapping[str, re.Pattern[str]], hit: GrepHit, hits: Mapping[str, list[GrepHit]]) -> None:
    """Add a line to the hits of every word in it. Names are looked up, so that many of them cost no more than a few."""
    for word in hits.keys() & set(_NAME.findall(hit.text)):
        hits[word].append(hit)
    for word, pattern in odd.items():
        if word in hit.text and pattern.search(hit.text):
            hits[word].append(hit)


def _look_up(names: set[str], source: Source, hits: Mapping[str, list[GrepHit]]) -> None:
    """Add every line of a text to the hits of the names in it. Takes it apart once, whatever number they are."""
    if names.isdisjoint(_NAME.findall(source.text)):
        return
    for number, line in enumerate(source.text.split("\n"), 1):
        for word in names.intersection(_NAME.findall(line)):
            hits[word].append(GrepHit(source.path, number, line.removesuffix("\r")))


def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9_]){re.escape(word)}(?![A-Za-z0-9_])")


def _in_text(path: RelPath, text: str, word: str, pattern: re.Pattern[str]) -> Iterator[GrepHit]:
    """The lines of a text with a word. Looks at those only: this runs on the loop, and a change may be large."""
    line, start, at = 1, 0, text.find(word)
    while at >= 0:
        line += text.count("\n", start, at)
        start = text.rfind("\n", start, at) + 1 or start
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        shown = text[start:end].removesuffix("\r")
        if pattern.search(shown):
            yield GrepHit(path, line, shown)
        start, at = end, text.find(word, end)


async def _tree_paths(commands: Commands, tree: str) -> frozenset[RelPath]:
    done = await commands.plumbing("ls-tree", "-r", "-z", "--name-only", tree)
    return frozenset(relpath(name) for name in done.stdout.split(b"\0") if name)
