r"""The open documents, kept in step with the client by our own rules.

pygls' document store splits lines with ``str.splitlines`` and corrupts a text that holds a form feed, NEL or U+2028; it
is not used. Nothing in here knows files or findings. Invariant: after every change the text is the client's, character
for character, whichever line ends and encoding it uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.lsp.convert import Encoding, characters, joined, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lsprotocol import types

_LINE: Final = regex(r"[^\r\n]*(?:\r\n|\r|\n)")
_BOM: Final = "\ufeff"


def split_lines(text: str) -> list[str]:
    """Lines with their terminators by LSP's rule; the last one has none and may be empty."""
    if "\r" not in text:
        pieces = text.split("\n")
        last = pieces.pop()
        return [*(piece + "\n" for piece in pieces), last]
    lines = _LINE.findall(text)
    return [*lines, text[sum(map(len, lines)) :]]


@dataclass(frozen=True, slots=True)
class TextChange:
    """One content change. ``range`` None: the whole text is replaced."""

    range: types.Range | None
    text: str


class Document:
    """One open document: the client's spelling of its URI, its version, its text."""

    __slots__ = ("_encoding", "_lines", "_text", "uri", "version")

    def __init__(self, uri: str, version: int, text: str, encoding: Encoding) -> None:
        """Hold ``text`` as the client sent it."""
        self.uri = uri
        self.version = version
        self._encoding = encoding
        self._lines = split_lines(joined(text))
        self._text: str | None = None

    @property
    def text(self) -> str:
        """The client's text."""
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    @property
    def bom(self) -> int:
        """1 where the client's text begins with a byte-order mark, which core texts never hold; else 0."""
        return 1 if self._lines[0].startswith(_BOM) else 0

    @property
    def core_text(self) -> str:
        """The text for the engine: no byte-order mark, no lone surrogates."""
        return printable(self.text[self.bom :])

    def change(self, version: int, changes: Iterable[TextChange]) -> None:
        """Apply content changes in their order."""
        for change in changes:
            if change.range is None:
                self._lines = split_lines(joined(change.text))
            else:
                self._replace(change.range, change.text)
        self._text = None
        self.version = version

    def _replace(self, where: types.Range, text: str) -> None:
        """Replace a range, touching only the lines it lies in: many cursors on a long file stay cheap."""
        lines = self._lines
        first, first_column = self._place(where.start)
        last, last_column = self._place(where.end)
        if (last, last_column) < (first, first_column):
            first, first_column, last, last_column = last, last_column, first, first_column
        new = joined(lines[first][:first_column] + text + lines[last][last_column:])
        if first > 0 and new.startswith("\n") and lines[first - 1].endswith("\r"):
            first -= 1
            new = lines[first] + new
        pieces = split_lines(new)
        if last < len(lines) - 1:
            pieces.pop()
        lines[first : last + 1] = pieces

    def _place(self, position: types.Position) -> tuple[int, int]:
        """Line from 0 and column in code points from 0, inside the text."""
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        line = self._lines[position.line]
        body = line.removesuffix("\n").removesuffix("\r")
        return position.line, characters(body, position.character, self._encoding)


class Documents:
    """The documents the client has open, by its own spelling of their URIs."""

    def __init__(self, encoding: Encoding) -> None:
        """Start with none."""
        self.encoding = encoding
        self._open: dict[str, Document] = {}

    def open(self, uri: str, version: int, text: str) -> Document:
        """Take a document; a second opening replaces the first."""
        document = Document(uri, version, text, self.encoding)
        self._open[uri] = document
        return document

    def change(self, uri: str, version: int, changes: Sequence[TextChange]) -> Document | None:
        """Apply changes; None when the document was never opened."""
        document = self._open.get(uri)
        if document is not None:
            document.change(version, changes)
        return document

    def close(self, uri: str) -> bool:
        """Let a document go; False when it was not open."""
        return self._open.pop(uri, None) is not None

    def get(self, uri: str) -> Document | None:
        """The open document of this spelling."""
        return self._open.get(uri)

    def all(self) -> tuple[Document, ...]:
        """Every open document."""
        return tuple(self._open.values())
