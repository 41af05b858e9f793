"""Builds and runs git commands in which a repository's own configuration cannot start a program.

Knows arguments and environment, not what an answer means. Every way in which git 2.39 was seen to run something that a
repository names is closed here, for every command: file system monitor, hooks, external diff, text conversion, clean,
smudge and process filters, a promisor remote's transport, submodules. Invariant: no command that looks at the work tree
runs before the names of all configured filters are known.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero import proc
from roundzero.errors import OutsideError, UserError
from roundzero.git.diff import raw_path, relpath
from roundzero.git.stuck import waited_for

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Mapping, Sequence

    from roundzero.core.text import RelPath

EMPTY_TREES: Final = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""Ids of the tree without entries, by object format. git knows them without having them."""

OLDEST_GIT: Final = (2, 32)
"""Older versions ignore GIT_CONFIG_COUNT (2.31) or GIT_CONFIG_GLOBAL (2.32), which the protection rests on."""

SLOW: Final = 3.0
"""Seconds after which it is asked what a git command waits for."""

DIFF_OPTIONS: Final = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--inter-hunk-context=0",
    "--ignore-cr-at-eol",
    "-U0",
    "-O/dev/null",
)
"""What a person's ``diff.*`` settings could change, pinned."""

_ENVIRONMENT: Final = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
    "LANGUAGE": "",
}

_OVERRIDES: Final = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.quotePath", "false"),
    ("core.sshCommand", "false"),
    ("core.askPass", ""),
    ("core.alternateRefsCommand", "false"),
    ("diff.autoRefreshIndex", "false"),
    ("submodule.recurse", "false"),
    ("log.showSignature", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
)


class Commands:
    """Runs git in one folder."""

    def __init__(self, directory: Path) -> None:
        """Look git up on PATH. Raises UserError when it is missing."""
        self.directory = directory
        self._program = git_program()
        self._filters: frozenset[str] | None = None
        self._index: Path | None = None
        self._environment = environment(())

    def use_index_of_commit(self, git_dir: Path) -> None:
        """Look at the index of the commit that is being made, when a hook of it started us.

        ``git commit -a`` and ``git commit PATH`` prepare another file than ``index`` and name it in GIT_INDEX_FILE,
        from the root if not absolutely. One outside ``git_dir`` is another repository's.
        """
        named = os.environ.get("GIT_INDEX_FILE")
        if named:
            index = self.directory / named
            if index.is_file() and index.resolve().parent == git_dir.resolve():
                self._index = index
                self._environment = environment(self._filters or (), index)

    async def git(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        good: tuple[int, ...] = (0,),
        max_stdout: int = proc.MAX_STDOUT,
        seconds: float = 120,
    ) -> proc.Completed:
        """Run a git command that may look at the work tree. Raises OutsideError unless its exit status is ``good``."""
        if self._filters is None:
            await self.configuration()
        return await self.plumbing(*arguments, stdin=stdin, good=good, max_stdout=max_stdout, seconds=seconds)

    async def plumbing(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        good: tuple[int, ...] = (0,),
        max_stdout: int = proc.MAX_STDOUT,
        seconds: float = 120,
    ) -> proc.Completed:
        """As ``git``, for commands that never look at the work tree's files."""
        running = proc.run(
            [self._program, *arguments],
            cwd=self.directory,
            stdin=stdin,
            env=self._environment,
            seconds=seconds,
            max_stdout=max_stdout,
        )
        done = await self._unless_stuck(running)
        if good and done.returncode not in good:
            raise OutsideError(f"git {arguments[0]} failed in {self.directory}: {done.complaint}")
        return done

    async def _unless_stuck(self, running: Coroutine[None, None, proc.Completed]) -> proc.Completed:
        """What a program gives, unless it waits for what will never come. Raises UserError that says for what."""
        task = asyncio.ensure_future(running)
        try:
            await asyncio.wait([task], timeout=SLOW)
            if not task.done():
                place = await asyncio.to_thread(waited_for, self.directory)
                if place is not None and not task.done():
                    raise UserError(f"git waits for {place}, which is no file but a pipe or a device; remove it")
            return await task
        finally:
            task.cancel()
            while not task.done():
                with contextlib.suppress(asyncio.CancelledError):  # one error is on its way already
                    await asyncio.wait([task])

    async def ignored(self, paths: Sequence[RelPath]) -> frozenset[RelPath]:
        """Which paths git ignores; all when one cannot be asked for, as beyond a link or in a submodule.

        ``check-ignore`` is the one command that refuses literal pathspecs; ``./`` keeps a path from being magic.
        """
        if self._filters is None:
            await self.configuration()
        running = proc.run(
            [self._program, "check-ignore", "-z", "--stdin"],
            cwd=self.directory,
            stdin=b"".join(b"./" + raw_path(path) + b"\0" for path in paths),
            env={**self._environment, "GIT_LITERAL_PATHSPECS": "0"},
        )
        done = await self._unless_stuck(running)
        if done.returncode not in (0, 1):
            return frozenset(paths)
        return frozenset(relpath(name.removeprefix(b"./")) for name in done.stdout.split(b"\0") if name)

    async def child(self, *arguments: str) -> proc.Child:
        """Start a long-lived git command that never looks at the work tree's files."""
        return await proc.Child.start([self._program, *arguments], self.directory, self._environment)

    async def configuration(self) -> Mapping[str, str]:
        """All settings in force, last one wins, names as git prints them. Also renews the list of filters to disarm."""
        done = await self.plumbing("config", "-z", "--list", "--includes", good=(0, 1))
        settings = _settings(done.stdout)
        names = frozenset(
            name.rpartition(".")[0].removeprefix("filter.") for name in settings if name.startswith("filter.")
        )
        if names != self._filters:
            self._environment = environment(names, self._index)
            self._filters = names
        return settings


def git_program() -> str:
    """Absolute path of git. Relative folders in PATH are passed over: they may be the repository's own.

    Raises UserError when git is missing.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    program = shutil.which("git", path=os.pathsep.join(folder for folder in folders if Path(folder).is_absolute()))
    if program is None:
        raise UserError("git was not found on PATH; install git 2.32 or newer")
    return program


def environment(filters: Iterable[str], index: Path | None = None) -> dict[str, str]:
    """The environment of every git command: no ambient ``GIT_*``; dangerous settings and ``filters`` overridden.

    ``index``: an index file other than the repository's own.
    """
    overrides = list(_OVERRIDES)
    for name in sorted(filters):
        overrides += [(f"filter.{name}.{key}", "") for key in ("clean", "smudge", "process")]
        overrides.append((f"filter.{name}.required", "false"))
    variables = proc.clean_environment() | _ENVIRONMENT | {"GIT_CONFIG_COUNT": str(len(overrides))}
    if index is not None:
        variables["GIT_INDEX_FILE"] = str(index)
    for number, (key, value) in enumerate(overrides):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def _settings(listing: bytes) -> dict[str, str]:
    settings: dict[str, str] = {}
    for entry in listing.decode("utf-8", "surrogateescape").split("\0"):
        if entry:
            name, newline, value = entry.partition("\n")
            settings[name] = value if newline else "true"
    return settings
