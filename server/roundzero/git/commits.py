"""The commits of a branch: who made each, what it says, and which paths it changed.

For checks on this machine; what is sent to a model is read by messages.py, which leaves people out. Knows nothing of
what a check makes of it. Invariant: at most ``MOST_COMMITS`` commits, the newest ones, and no merges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.ports import Commit
from roundzero.git.diff import relpath
from roundzero.git.messages import LOG, MOST_COMMITS, MOST_LENGTH

if TYPE_CHECKING:
    from roundzero.git.commands import Commands

_FORMAT: Final = "--format=format:%H%x00%an%x00%ae%x00%cn%x00%ce%x00%B%x00"
_FIELDS: Final = 6


async def commits(commands: Commands, head: str, base: str | None) -> tuple[Commit, ...]:
    """The commits of ``head`` that ``base`` has not, oldest first. Raises OutsideError."""
    without = [f"^{base}"] if base is not None else []
    done = await commands.plumbing(
        "log",
        *LOG,
        "--no-mailmap",
        "--name-only",
        "--no-renames",
        "--no-relative",
        "--no-ext-diff",
        f"--max-count={MOST_COMMITS}",
        _FORMAT,
        head,
        *without,
        "--",
    )
    return tuple(reversed(_read(done.stdout)))


def _read(output: bytes) -> list[Commit]:
    """Rows of fields, then paths up to an empty one; the first path comes after an end of line."""
    fields = output.split(b"\0")
    found: list[Commit] = []
    at = 0
    while at + _FIELDS <= len(fields):
        commit, *people, text = (field.decode("utf-8", "replace") for field in fields[at : at + _FIELDS])
        at += _FIELDS
        end = next((place for place in range(at, len(fields)) if not fields[place]), len(fields))
        found.append(
            Commit(
                id=commit.strip(),
                author=(people[0], people[1]),
                committer=(people[2], people[3]),
                text=text.strip()[:MOST_LENGTH],
                paths=tuple(relpath(field.removeprefix(b"\n")) for field in fields[at:end]),
            )
        )
        at = end + 1
    return found
