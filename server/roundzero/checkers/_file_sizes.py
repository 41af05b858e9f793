"""How large a file may be that is added to a repository.

The repository's own hook says it; else what a person can still read. Knows no sizes itself. Invariant: a limit in
bytes is always positive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.regex import regex
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from roundzero.core.ports import Repository

LARGE: Final = 1_000_000
"""Bytes, where the repository says nothing."""

_HOOK: Final = regex(r"\bid:[ \t]*[\"']?check-added-large-files\b(?P<rest>(?:(?!\bid:)[^#])*)")
_LIMIT: Final = regex(r"--maxkb[= \"',\r\n-]+(?P<kilobytes>\d{1,9})")
_KILOBYTE: Final = 1024
_HOOK_DEFAULT: Final = 500
"""What the hook allows without an argument, in kilobytes (pre-commit-hooks)."""


def limit(repository: Repository) -> int:
    """The largest size in bytes that nobody complains about."""
    source = repository.read(RelPath(".pre-commit-config.yaml"), Side.HEAD)
    hook = _HOOK.search(source.text) if source is not None else None
    if hook is None:
        return LARGE
    given = _LIMIT.search(hook["rest"])
    return max(1, int(given["kilobytes"]) if given is not None else _HOOK_DEFAULT) * _KILOBYTE


def spelt(size: int) -> str:
    """A size for people."""
    return f"{size / 1_000_000:.1f} MB" if size >= LARGE else f"{size // 1000} kB"
