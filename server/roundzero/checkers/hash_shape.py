"""hash-shape: a checksum that cannot be one, by its length or its letters.

Looks at what is written as a checksum of a named kind: ``sha256:``, ``--hash``, ``#sha256=``, ``TOOL_SHA256 =``, what a
line gives to ``sha256sum``, and the ``integrity`` of npm and Bazel. Whether it is the right one cannot be seen.
Invariant: placeholders, variables and checksums that are cut on purpose (``sha256:abc...``) are none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._paths import is_example, is_test_path
from roundzero.checkers._starlark import is_starlark
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import Source

_LENGTHS: Final = {"md5": 32, "sha1": 40, "sha224": 56, "sha256": 64, "sha384": 96, "sha512": 128}
_BASE64_LENGTHS: Final = {"sha1": 28, "sha256": 44, "sha384": 64, "sha512": 88}
_HEX: Final = regex(
    r"""(?:(?<![A-Za-z0-9-])(?:[A-Za-z]\w{0,40}_)?(?P<kind>sha256|sha384|sha512)(?:sum)?(?::|=(?!=)|["']?\s*[:?]?[:=]\s*["']?))
    (?P<digest>[0-9A-Za-z]{16,})(?![\w.…*${}<>+/=(\[-]|\.\.\.)""",
    re.VERBOSE | re.IGNORECASE,
)
_SUMMED: Final = regex(
    r"[\"'](?P<digest>[0-9a-fA-F]{48,})[ \t]+\*?[^\s\"']+[\"'][ \t]*\|[ \t]*(?P<kind>sha256|sha384|sha512)sum\b"
)
"""``echo "DIGEST  FILE" | sha256sum -c``."""
_BASE64: Final = regex(
    r"""(?:integrity["']?\s*[:=]\s*["']?)(?P<kind>sha256|sha384|sha512)-(?P<digest>[A-Za-z0-9+/]{16,}={0,2})(?![\w+/=])"""
)
_NAMES: Final = regex(
    r"(?:^|/)(?:[^/]*(?:requirement|constraint)[^/]*\.(?:txt|in)|[^/]*lock[^/]*|pyproject\.toml|package\.json|go\.sum"
    r"|Dockerfile[^/]*|[^/]+\.(?:rb|nix|cmake|toml|ya?ml|json))$",
    re.IGNORECASE,
)


class HashShape(TextChecker):
    """Finds checksums of a wrong shape."""

    name = "hash-shape"

    def check(self, source: Source) -> Iterable[Hit]:
        """Measure every checksum."""
        path = source.path
        if not (is_starlark(path) or _NAMES.search(path) or language_of(path) in {"bash", "make", "python"}):
            return
        if not ("sha" in source.text or "SHA" in source.text) or is_test_path(path) or is_example(path):
            return
        is_code = is_starlark(path) or language_of(path) == "python"
        for match in (*_HEX.finditer(source.text), *_SUMMED.finditer(source.text)):
            kind, digest = match["kind"].lower(), match["digest"]
            if len(digest) == _LENGTHS[kind] and re.fullmatch(r"[0-9a-fA-F]+", digest):
                continue
            if _is_no_checksum(digest, kind) or (is_code and _is_name(source.text, match)):
                continue
            wanted = _LENGTHS[kind]
            said = f"{len(digest)}/{wanted}" if len(digest) != wanted else f"`{_stranger(digest)}`"
            yield _hit(source, match, f"{kind}: {said}")
        for match in _BASE64.finditer(source.text):
            kind, digest = match["kind"], match["digest"]
            if len(digest) != _BASE64_LENGTHS[kind]:
                yield _hit(source, match, f"{kind}: {len(digest)}/{_BASE64_LENGTHS[kind]}")


def _is_no_checksum(digest: str, kind: str) -> bool:
    """Whether what follows is a word, a placeholder, or a checksum in base 64 or 32."""
    strange = sum(1 for letter in digest.lower() if letter not in "0123456789abcdef")
    return strange > 2 or len(digest) in {_BASE64_LENGTHS[kind], 52} or len(set(digest)) < 6


def _is_name(text: str, match: re.Match[str]) -> bool:
    """Whether code says this without quotes: then it is a variable, unless a URL says it."""
    return text[match.start("digest") - 1] in " \t=" and text[max(0, match.start() - 1)] not in "#&?"


def _stranger(digest: str) -> str:
    return next(letter for letter in digest if letter.lower() not in "0123456789abcdef")


def _hit(source: Source, match: re.Match[str], said: str) -> Hit:
    span = source.index.span(match.start("digest"), match.end("digest"))
    return Hit(path=source.path, span=span, subject=f"{code(match['digest'][:12] + '…')} ({said})")


CHECKER: Final = HashShape
