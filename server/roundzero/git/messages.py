"""What the commits of a branch say they do.

Reads messages only, without who wrote them: a description is held against a change, not against a person. Invariant: at
most ``MOST_COMMITS`` messages, the newest ones, of at most ``MOST_LENGTH`` code points each.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from roundzero.git.commands import Commands

MOST_COMMITS: Final = 50
MOST_LENGTH: Final = 4000

LOG: Final = (
    "-z",
    "--no-show-signature",
    "--no-notes",
    "--no-decorate",
    "--no-color",
    "--no-merges",
    "--encoding=UTF-8",
)
"""What a person's ``log.*`` settings could change, pinned."""

_TRAILER: Final = regex(r"^[A-Z][\w-]*-by: .*$\n?", re.MULTILINE | re.IGNORECASE)
"""Names and addresses of people."""


@dataclass(frozen=True, slots=True)
class Message:
    """A commit and what it says, subject first."""

    commit: str
    text: str


async def messages(commands: Commands, head: str, base: str | None) -> tuple[Message, ...]:
    """The messages of the commits of ``head`` that ``base`` has not, oldest first, no merges. Raises OutsideError."""
    without = [f"^{base}"] if base is not None else []
    done = await commands.plumbing(
        "log",
        *LOG,
        "--no-patch",
        f"--max-count={MOST_COMMITS}",
        "--format=%H%n%B",
        head,
        *without,
        "--",
    )
    found: list[Message] = []
    for row in done.stdout.decode("utf-8", "replace").split("\0"):
        commit, _, text = row.partition("\n")
        said = _TRAILER.sub("", text).strip()[:MOST_LENGTH]
        if commit.strip() and said:
            found.append(Message(commit.strip(), said))
    return tuple(reversed(found))
