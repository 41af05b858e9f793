"""Programs that somebody installed beside us, or not: where one is, and how it is run.

Deliberately nothing about what they print. Invariant: what runs is a full path that does not depend on the folder we
are in, and none of the variables by which a program could be told to do more than we ask.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.item import LinterCheck
from roundzero.core.regex import regex
from roundzero.errors import OutsideError
from roundzero.linters._base import MAX_OUTPUT
from roundzero.proc import clean_environment, run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from roundzero.core.item import Item
    from roundzero.linters import Linter
    from roundzero.proc import Completed

SECONDS: Final = 20.0
"""Time limit of one run. Somebody may be waiting for it while typing."""

_VERSION: Final = regex(r"\d+(?:\.\d+)+")
_OPENS_DOORS: Final = regex(r"(?:SHELLCHECK|ZIZMOR|PRE_COMMIT)_.*|SKIP|GH_TOKEN|GITHUB_TOKEN|GH_HOST", re.IGNORECASE)
_KEPT: Final = frozenset({"PRE_COMMIT_HOME"})


@dataclass(frozen=True, slots=True)
class Installed:
    """A program by its name and full path."""

    name: str
    path: str

    async def start(
        self,
        options: Sequence[str],
        *,
        cwd: Path | str = "/",
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
    ) -> Completed:
        """Run it to its end. ``env`` is added to the environment. Raises OutsideError."""
        around = {**_environment(), **(env or {})}
        return await run(
            [self.path, *options], cwd=cwd, stdin=stdin, env=around, seconds=seconds, max_stdout=MAX_OUTPUT
        )

    async def version(self) -> str:
        """The version it gives itself. Raises OutsideError."""
        done = await self.start(["--version"])
        found = _VERSION.search(done.stdout.decode("utf-8", "replace"))
        if done.returncode != 0 or found is None:
            raise OutsideError(f"{self.name}: {done.complaint}")
        return found[0]


@dataclass(frozen=True, slots=True)
class ByProgram:
    """What every linter that runs an installed program has, and is named as that is."""

    program: Installed

    @property
    def name(self) -> str:
        """The producer's name."""
        return self.program.name

    def takes(self, item: Item) -> bool:
        """Whether one of the item's checks is for this linter."""
        return self.name in item.linters

    async def version(self) -> str:
        """The program's version."""
        return await self.program.version()


@dataclass(frozen=True, slots=True)
class Anywhere:
    """An optional linter that reads nothing of a repository: it can run wherever its program is."""

    name: str
    linter: Callable[[Installed], Linter]
    slow: bool = False

    async def ready(self, own: str | None, root: Path | None) -> Linter | str:
        """The linter, or why it cannot run here."""
        del root
        program = installed(self.name, own)
        return program if isinstance(program, str) else self.linter(program)


def installed(name: str, own: str | None) -> Installed | str:
    """The program, or why it is not there: at ``own`` where the settings name a path, else on PATH or beside us."""
    asked = Path(own).expanduser() if own is not None else Path(name)
    if own is not None and not asked.is_absolute() and asked.name != own:
        return f"linters.{name}.path is {own}; give the full path"
    found = shutil.which(asked)
    if found is None and own is None:
        found = shutil.which(name, path=str(Path(sys.executable).parent))
    if found is None or not Path(found).is_absolute():  # a folder on PATH may be relative: that could be anybody's
        return "not installed" if own is None else f"linters.{name}.path is {own}, where no program is"
    return Installed(name, found)


def codes_of(items: Sequence[Item], linter: str) -> dict[str, list[Item]]:
    """The items of a linter by its codes; those that name none under ""."""
    found: dict[str, list[Item]] = {}
    for item in items:
        for check in item.checks:
            if isinstance(check, LinterCheck) and check.linter == linter:
                for code in check.codes or ("",):
                    found.setdefault(code, []).append(item)
    return found


def _environment() -> dict[str, str]:
    around = clean_environment()
    return {name: value for name, value in around.items() if name in _KEPT or not _OPENS_DOORS.fullmatch(name)} | {
        "LC_ALL": "C.UTF-8" if os.name != "nt" else around.get("LC_ALL", "")
    }
