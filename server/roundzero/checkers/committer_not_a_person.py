"""committer-not-a-person: a commit of the branch was made under the account of a machine.

``root@build-7`` is what git writes where nobody told it who is there. Programs that say so (``[bot]``, no-reply
addresses) are left alone, and so are people whose address alone was made up by their machine. Invariant: one hit for
each account, about the change as a whole.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.core.finding import Hit
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.change import Change
    from roundzero.core.ports import GrepHit, Repository

_MACHINES: Final = frozenset(
    {"root", "administrator", "admin", "ubuntu", "debian", "centos", "ec2-user", "vagrant", "nobody", "www-data",
     "jenkins", "runner", "docker", "coder", "vscode", "gitpod", "codespace", "user", "unknown", "builder", "build",
     "sandbox"}
)  # fmt: skip
"""Accounts that images and installers make."""

_NOWHERE: Final = regex(
    r"[^.]*|.*\.(?:local|localdomain|localhost|lan|internal|intranet|home|\(none\))|\(none\)", re.IGNORECASE
)
"""Hosts to which no mail goes: one word, or a domain that is nobody's."""

_PROGRAM: Final = regex(r"\[bot\]|\bbot\b|no-?reply", re.IGNORECASE)


class CommitterNotAPerson(ChangeChecker):
    """Finds commits by accounts of machines."""

    name = "committer-not-a-person"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at who made the commits of the branch."""
        accounts: dict[str, str] = {}
        for commit in repository.commits():
            for name, address in (commit.author, commit.committer):
                if _is_machine(name, address):
                    accounts.setdefault(address.strip() or name.strip(), commit.id)
        for account, commit_id in accounts.items():
            yield Hit(path=None, span=None, subject=f"{code(account)} ({commit_id[:9]})")


def _is_machine(name: str, address: str) -> bool:
    if _PROGRAM.search(name) or _PROGRAM.search(address):
        return False
    local, _, host = address.strip().lower().partition("@")
    if local == "root":
        return True
    is_nowhere = _NOWHERE.fullmatch(host) is not None
    return is_nowhere and (local in _MACHINES or name.strip().lower() in _MACHINES)


CHECKER: Final = CommitterNotAPerson
