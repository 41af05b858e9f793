"""URIs and paths.

Only ``file:`` is a path; every other scheme is left alone. Percent escapes are bytes, so a path that is not UTF-8 comes
and goes unharmed. Invariant: ``path_of(uri_of(path)) == path`` for every absolute path.
"""

from __future__ import annotations

import os
import re
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from roundzero.core.regex import regex

_FILE: Final = regex(r"file:(?://([^/]*))?(/.*)", re.IGNORECASE | re.DOTALL)
_DRIVE: Final = regex(r"/[A-Za-z]:(?:/|$)")
_SAFE: Final = "/!$&'()*+,;=:@~-._"


def scheme_of(uri: str) -> str:
    """The scheme in lower case; "" where there is none."""
    scheme, colon, _ = uri.partition(":")
    return scheme.lower() if colon else ""


def path_of(uri: str, *, windows: bool = os.name == "nt") -> str | None:
    """The absolute path a ``file:`` URI names, with the separators of this system; None for any other URI.

    A raw ``#`` or ``?`` is taken as part of the path: no client puts a fragment on a document, some forget to escape.
    """
    match = _FILE.fullmatch(uri)
    if match is None:
        return None
    host, path = match.group(1) or "", os.fsdecode(unquote_to_bytes(match.group(2)))
    if "\0" in path:
        return None
    if not windows:
        return path if host in {"", "localhost"} else None
    if host not in {"", "localhost"}:
        return f"//{host}{path}".replace("/", "\\")
    if _DRIVE.match(path):
        path = path[1].upper() + path[2:]
    return path.replace("/", "\\")


def uri_of(path: str, *, windows: bool = os.name == "nt") -> str:
    """The URI of an absolute path, in the spelling of RFC 8089 with everything doubtful escaped."""
    if windows:
        path = path.replace("\\", "/")
        if path.startswith("//"):
            host, _, rest = path[2:].partition("/")
            return f"file://{host}/{_quoted(rest)}"
        path = "/" + path.removeprefix("/")
    return "file://" + _quoted(path)


def child_uri(folder: str, relative: str) -> str:
    """The URI of a path below a folder, in the client's spelling of the folder."""
    return folder.rstrip("/") + "/" + _quoted(relative)


def _quoted(path: str) -> str:
    return quote_from_bytes(os.fsencode(path), safe=_SAFE)
