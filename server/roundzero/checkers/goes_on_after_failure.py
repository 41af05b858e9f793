"""goes-on-after-failure: a script removes or replaces parts of the system although what came before may have failed.

A hint: without ``set -e`` a download or unpacking that failed is followed by the removal of what was there. Judged are
folders of the system, not of the project. Invariant: a command whose predecessor's status is looked at is no hit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._scripts import is_shell_script
from roundzero.checkers._shell import parse_shell
from roundzero.core.finding import Hit
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._shell import Command
    from roundzero.core.change import Source

_SYSTEM: Final = regex(r"[\"']?/(?:opt|usr|etc|var|lib\d*|s?bin|boot|srv)/.*", re.DOTALL)
_MAY_FAIL: Final = frozenset(
    {"wget", "curl", "tar", "unzip", "git", "make", "cmake", "docker", "cd", "pushd", "scp", "rsync"}
)
_REMOVES: Final = frozenset({"rm", "mv"})


class GoesOnAfterFailure(TextChecker):
    """Finds removals that a failure before them does not stop."""

    name = "goes-on-after-failure"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look at the first such removal of a script."""
        if not is_shell_script(source) or ("rm " not in source.text and "mv " not in source.text):
            return
        shell = parse_shell(source.text)
        if shell.stops_on_failure():
            return
        failed: Command | None = None
        for command in shell.commands:
            name, *words = [word.plain for word in command.words if word.plain != "sudo"] or [""]
            if name in _MAY_FAIL and not command.tested and command.after in {"\n", ";"}:
                failed = command
            if name in _REMOVES and failed is not None and command.before not in {"&&", "||"}:
                target = next((word for word in words if _SYSTEM.fullmatch(word) is not None), None)
                if target is not None and (name == "mv" or any(re.fullmatch(r"-\w*[rf]\w*", word) for word in words)):
                    text = shell.text[command.start : command.end]
                    yield Hit(path=source.path, span=source.index.span(command.start, command.end), subject=code(text))
                    return


CHECKER: Final = GoesOnAfterFailure
