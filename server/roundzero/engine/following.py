"""What became of the texts that a ledger knows: where their lines went, which files are gone or have another name.

Reads through git and decides nothing about findings. Invariant: a text that nobody has any more is left out, so that
nothing is said of its lines.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from roundzero.core.change import Side, Source
from roundzero.core.finding import State
from roundzero.core.frozen import dataclass
from roundzero.core.known_texts import Texts
from roundzero.core.linemap import LineMap
from roundzero.core.matching import TELLING
from roundzero.core.renames import renames
from roundzero.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from roundzero.core.change import Change
    from roundzero.core.ledger import Ledger
    from roundzero.core.text import RelPath
    from roundzero.git.repository import Git


@dataclass(frozen=True, slots=True)
class Followed:
    """The texts, and the paths that are no longer part of the change because they are as they were at the base."""

    texts: Texts
    restored: frozenset[RelPath]


async def follow(
    git: Git, change: Change, ledger: Ledger, reviewed: Mapping[str, str], *, at_hand: Mapping[str, Source]
) -> Followed:
    """What became of the texts that entries were last seen in. Raises OutsideError.

    ``reviewed`` are the blobs of the round before by path, ``at_hand`` texts by blob that git may not have.
    """
    past = _Past(git, change, at_hand)
    heads = dict(change.head_texts)
    bases = {path: source.blob for path, source in change.base_texts.items()}
    then = {
        (entry.sighting.path, entry.sighting.blob)
        for entry in ledger.entries.values()
        if entry.state is not State.FIXED and entry.sighting.side is Side.HEAD and entry.sighting.path is not None
    }
    skipped = {skip.path for skip in change.skipped}
    gone: set[RelPath] = set()
    restored: set[RelPath] = set()
    for path in sorted({path for path, _ in then} - heads.keys()):
        if change.is_gone(path):
            gone.add(path)
        elif path not in skipped:
            await _look(git, change, path, heads, gone, restored)
    named = await _renamed(past, change, ledger, reviewed, then, gone)
    targets: dict[tuple[RelPath, str], Source] = {}
    for path, blob in then:
        target = heads.get(named.get(path, path))
        if blob and target is not None and (target.path, target.blob) != (path, blob):
            targets[path, blob] = target
    old = await past.texts({blob: path for path, blob in sorted(targets)})
    known = [(key, old[key[1]], target) for key, target in sorted(targets.items()) if key[1] in old]
    hunks = await git.hunks_of([(before.text, target.text) for _, before, target in known])
    texts = Texts(
        heads=heads,
        bases=bases,
        maps={key: (target.path, LineMap(each)) for (key, _, target), each in zip(known, hunks, strict=True)},
        olds={key: before for key, before, _ in known},
        gone=frozenset(gone),
        renamed=named,
    )
    return Followed(texts, frozenset(restored))


async def quoted(git: Git, change: Change, ledger: Ledger, heads: Mapping[RelPath, Source]) -> Mapping[RelPath, Source]:
    """The texts beyond the change that findings of a model quote; ``heads`` are at hand. Raises OutsideError."""
    if all(entry.sighting.source == "check" for entry in ledger.entries.values()):
        return {}
    from roundzero.core.remembered import quoted_paths  # noqa: PLC0415  where a model took part

    found: dict[RelPath, Source] = {}
    for path in sorted(quoted_paths(ledger) - heads.keys()):
        source = await git.read(path, Side.HEAD, change) if git.may_have(path, change) else None
        if source is not None:
            found[path] = source
    # Looked for here, beside the loop, and kept with the texts: it takes longer than all the rest.
    texts = [*found.values(), *(heads[path] for path in quoted_paths(ledger) & heads.keys())]
    await asyncio.to_thread(lambda: [each.sensitive for each in texts])
    return found


class _Past:
    """Earlier texts: those at hand and of the change itself, which nobody may have committed, else git's."""

    def __init__(self, git: Git, change: Change, at_hand: Mapping[str, Source]) -> None:
        self.git = git
        self._near = {**at_hand, **{each.blob: each for each in change.head_texts.values() if each.blob}}

    async def texts(self, blobs: Mapping[str, RelPath]) -> dict[str, Source]:
        """The texts of blobs, each as if it lay at a path; what is not here or not text is left out."""
        found: dict[str, Source] = {}
        for blob, path in blobs.items():
            if (near := self._near.get(blob)) is not None:
                found[blob] = Source(path, near.text, blob, encoding=near.encoding, bom=near.bom)
        rest = {blob: path for blob, path in blobs.items() if blob not in found}
        return {**found, **await self.git.texts(rest)} if rest else found


async def _renamed(
    past: _Past,
    change: Change,
    ledger: Ledger,
    reviewed: Mapping[str, str],
    then: AbstractSet[tuple[RelPath, str]],
    gone: AbstractSet[RelPath],
) -> dict[RelPath, RelPath]:
    """What files that are gone are called now: as git says of the base, else as their last texts say."""
    found = {path: file.path for path in gone if (file := change.file_from(path)) is not None and file.head is not None}
    last = {path: reviewed.get(path) or blob for path, blob in sorted(then) if path in gone and path not in found}
    before = {path for path, _ in then} | set(reviewed) | set(found.values())
    arrived = [file.head for file in change.files if file.head is not None and file.path not in before]
    if not (arrived and any(last.values())):
        return found
    texts = await past.texts({blob: path for path, blob in last.items() if blob})
    lost = [Source(path, texts[blob].text, blob) for path, blob in last.items() if blob in texts]
    found |= renames(lost, arrived)
    unknown = last.keys() - found.keys() - {each.path for each in lost}
    return found | _by_quotes(ledger, unknown, [each for each in arrived if each.path not in found.values()])


def _by_quotes(ledger: Ledger, gone: AbstractSet[RelPath], arrived: Sequence[Source]) -> dict[RelPath, RelPath]:
    """What files are called now of which no text is left: the only new one that reads all that was found in them."""
    quotes: dict[RelPath, set[str]] = {path: set() for path in sorted(gone)}
    for entry in ledger.entries.values():
        seen = entry.sighting
        if seen.path in quotes and entry.state is not State.FIXED and len(seen.anchor_text) >= TELLING:
            quotes[seen.path].add(seen.anchor_text)
    lines = {each.path: {collapse(line) for line in each.text.split("\n")} for each in arrived} if quotes else {}
    homes = {path: [new for new, there in lines.items() if said and said <= there] for path, said in quotes.items()}
    asked = Counter(new for found in homes.values() for new in found)
    return {path: new[0] for path, new in homes.items() if len(new) == 1 and asked[new[0]] == 1}


async def _look(
    git: Git, change: Change, path: RelPath, heads: dict[RelPath, Source], gone: set[RelPath], restored: set[RelPath]
) -> None:
    """Look at a path beyond the change: gone, or there, and perhaps as it was at the base."""
    if change.file(path) is not None or not git.may_have(path, change):
        gone.add(path)
        return
    head = await git.read(path, Side.HEAD, change)
    if head is None:
        if change.head_tree is not None:
            gone.add(path)
        return
    heads[path] = head
    base = await git.read(path, Side.BASE, change)
    if base is not None and base.blob == head.blob:
        restored.add(path)
