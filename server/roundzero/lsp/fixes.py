"""Fixes as workspace edits.

Whether a fix may be applied is the engine's answer (``try_fix``) over the text as it is now; here edits are put
together, turned into the client's positions and tied to document versions. Invariant: no two edits of one workspace
edit overlap, and a fix is in it whole or not at all.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from lsprotocol import types

from roundzero.core.frozen import dataclass
from roundzero.core.text import LineIndex, clash, dominant_eol, with_eol
from roundzero.lsp.convert import ClientText, printable, span_range

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from roundzero.core.finding import Edit
    from roundzero.core.text import RelPath
    from roundzero.lsp.convert import Encoding


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A file that edits may go to: its core text as it is now, and how the client knows it.

    ``version`` is None for a file that is not open; ``bom`` is 1 where the client's text has a byte-order mark.
    """

    uri: str
    version: int | None
    text: str
    bom: int = 0


@dataclass(slots=True)
class Collected:
    """Edits that do not get in each other's way, by path, with the offsets they replace."""

    _taken: dict[RelPath, list[tuple[int, int, Edit]]] = field(default_factory=dict)
    _indexes: dict[RelPath, LineIndex] = field(default_factory=dict)

    def add(self, edits: Sequence[Edit], targets: dict[RelPath, Target]) -> bool:
        """Take one fix's edits; False, and none of them, when one overlaps what was taken or has no target."""
        placed: list[tuple[RelPath, int, int, Edit]] = []
        for edit in edits:
            target = targets.get(edit.path)
            if target is None:
                return False
            index = self._indexes.setdefault(edit.path, LineIndex(target.text))
            start, end = index.offset(edit.span.start), index.offset(edit.span.end)
            others = [*self._taken.get(edit.path, ()), *((a, b, e) for path, a, b, e in placed if path == edit.path)]
            if any(clash((start, end), (taken_start, taken_end)) for taken_start, taken_end, _ in others):
                return False
            placed.append((edit.path, start, end, edit))
        for path, start, end, edit in placed:
            self._taken.setdefault(path, []).append((start, end, edit))
        return bool(placed)

    def by_path(self) -> Iterable[tuple[RelPath, list[Edit]]]:
        """Everything taken, first to last in each file."""
        for path, taken in self._taken.items():
            yield path, [edit for _, _, edit in sorted(taken, key=lambda each: (each[0], each[1]))]


def workspace_edit(
    collected: Collected, targets: dict[RelPath, Target], encoding: Encoding, *, versioned: bool
) -> types.WorkspaceEdit:
    """The edits for the client. ``versioned``: as document changes, which it refuses for a text that has moved on."""
    edits = [(targets[path], _text_edits(targets[path], each, encoding)) for path, each in collected.by_path()]
    if not versioned:
        return types.WorkspaceEdit(changes={target.uri: texts for target, texts in edits})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                text_document=types.OptionalVersionedTextDocumentIdentifier(uri=target.uri, version=target.version),
                edits=[*texts],
            )
            for target, texts in edits
        ]
    )


def _text_edits(target: Target, edits: Iterable[Edit], encoding: Encoding) -> list[types.TextEdit]:
    index = LineIndex(target.text)
    text = ClientText("\ufeff" * target.bom + target.text, encoding)
    eol = dominant_eol(target.text)
    return [
        types.TextEdit(
            range=span_range(edit.span, index, text, shift=target.bom), new_text=printable(with_eol(edit.new_text, eol))
        )
        for edit in edits
    ]
