"""Makes text from a repository safe to show: nothing in it may move a cursor, reorder, hide or restyle other text.

Deliberately not for HTML or Markdown. Invariant: what ``visible`` returns holds no control character, no bidirectional
control, no invisible format character and no surrogate; joiners stay, because scripts and emoji need them.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex

if TYPE_CHECKING:
    import re

    from roundzero.core.text import RelPath

_UNSAFE: Final = regex(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_UNSAFE_IN_JSON: Final = regex(
    "[\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SURROGATE: Final = regex("[\ud800-\udfff]")
_SHORT: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def visible(text: str) -> str:
    r"""``text`` with every unsafe character spelled as in Python source (``\x1b``, ``\u202e``)."""
    return _UNSAFE.sub(_spelled, text)


def valid(text: str) -> str:
    """``text`` that can be written as UTF-8: every surrogate, such as a path's odd byte, becomes U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def json_safe(document: str) -> str:
    """A JSON document with the unsafe characters that JSON leaves raw escaped; its value is unchanged."""
    if document.isascii() and "\x7f" not in document:
        return document
    return _UNSAFE_IN_JSON.sub(_json_spelled, document)


def path_bytes(path: RelPath) -> str | None:
    """The bytes of a path that is not UTF-8, in base64; None for every other path."""
    if _SURROGATE.search(path) is None:
        return None
    return b64encode(path.encode("utf-8", "surrogateescape")).decode("ascii")


def _spelled(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if character in _SHORT:
        return _SHORT[character]
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _json_spelled(match: re.Match[str]) -> str:
    pairs = match[0].encode("utf-16-be")
    return "".join(f"\\u{pairs[at]:02x}{pairs[at + 1]:02x}" for at in range(0, len(pairs), 2))
