"""Whether a file that another one names is there.

Invariant: a file is said to be missing only where it was there at the base: what never was may be made by a build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.claim_words import FILE
from roundzero.core.claims import unsure
from roundzero.core.regex import regex
from roundzero.core.text import RelPath
from roundzero.engine.probes._view import bare

if TYPE_CHECKING:
    from collections.abc import Collection

    from roundzero.core.claims import Asked, Outcome
    from roundzero.engine.probes._view import ProbeView

_BUILT: Final = regex(r"\bouts?\s*=|\bgenrule\b|custom_command|configure_file|OUTPUT\b")
_PLAIN: Final = regex(r"[\w.@+-]+(?:/[\w.@+-]+)*")


class FileNames:
    """See the module. ``path`` is the file that names it, if any; a label of Bazel is a path from the root.

    A bare name is meant beside the finding.
    """

    kind = FILE

    def words(self, asked: Asked) -> Collection[str]:
        """None: paths are known."""
        del asked
        return ()

    def look(self, asked: Asked, view: ProbeView) -> Outcome:
        """See Probing."""
        said = bare(asked.probe.subject).removeprefix("./")
        namer = view.file(asked.probe.path, asked.path) if bare(asked.probe.path) else None
        if bare(asked.probe.path) and namer is None:
            return unsure(f"it is not clear which file {asked.probe.path} is")
        label = said.startswith("//")
        if namer is None and "/" not in said:
            namer = asked.path
        said = said.removeprefix("//").replace(":", "/").removeprefix("/")
        if not _PLAIN.fullmatch(said) or ".." in said.split("/"):
            return unsure(f"{said[:60]!r} is no plain path")
        folder = namer.rpartition("/")[0] if namer is not None and not label else ""
        path = f"{folder}/{said}" if folder else said
        if view.exists(path):
            is_text = view.source(RelPath(path)) is not None
            there = view.answer(asked, there=True, words=f"{path} is there", wide=True)
            return there if is_text else unsure(f"{path} is no text: it may be a link")
        return _absent(view, asked, said, path, namer)


PROBE: Final = FileNames()


def _absent(view: ProbeView, asked: Asked, said: str, path: str, namer: RelPath | None) -> Outcome:
    """What it means that a file is not where it should be."""
    same = [each for each in view.repository.paths(Side.HEAD) if each.endswith(f"/{said}") or each == said]
    if same:
        return unsure(f"there is {same[0]}, but no {path}")
    source = view.source(namer) if namer is not None else None
    if path not in view.repository.paths(Side.BASE) or (source is not None and _BUILT.search(source.text)):
        return unsure(f"{path} is not there, but may be built")
    return view.answer(asked, there=False, words=f"{path} was there at the base and is gone", wide=True)
