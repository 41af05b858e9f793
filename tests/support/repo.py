"""Builds real git repositories for tests.

Real git, nothing simulated. It does not know Round Zero. Invariant: the same calls give the same object ids on every
machine, because author, dates and configuration are fixed and the person's own configuration is never read.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST_COMMIT: Final = 1_700_000_000
"""Seconds since 1970 of the first commit; each further one is a minute later, so that "latest" has a meaning."""

_AMBIENT: Final = ("GIT_", "GITHUB_", "CI_")


class Repo:
    """One repository on disk, at ``root``, on branch ``main`` and without commits at first."""

    def __init__(self, root: Path, *, branch: str = "main", object_format: str = "sha1") -> None:
        """Create ``root`` and initialise it."""
        self.root = root
        self._clock = FIRST_COMMIT
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--template=", f"--initial-branch={branch}", f"--object-format={object_format}")

    def git(self, *arguments: str, stdin: bytes | None = None, check: bool = True, cwd: Path | None = None) -> str:
        """Run git in the repository and return its standard output without the last line end.

        Raises AssertionError with git's own words when git fails and ``check`` is set.
        """
        done = subprocess.run(
            ["git", *arguments],
            cwd=cwd or self.root,
            env=self._environment(),
            input=stdin if stdin is not None else b"",
            capture_output=True,
            check=False,
        )
        if check and done.returncode != 0:
            message = f"git {' '.join(arguments)} exited {done.returncode}: {done.stderr.decode(errors='replace')}"
            raise AssertionError(message)
        return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    def path(self, path: str | bytes) -> Path:
        """Absolute path of a file; bytes name a path that need not be UTF-8."""
        return self.root / os.fsdecode(path)

    def write(self, path: str | bytes, content: str | bytes = "", *, executable: bool = False) -> Path:
        """Write a file into the work tree, byte for byte, with its folders."""
        target = self.path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        if executable:
            target.chmod(0o755)
        return target

    def read(self, path: str | bytes) -> str:
        """The text of a file of the work tree, line ends as they are."""
        return self.path(path).read_bytes().decode()

    def remove(self, path: str | bytes) -> None:
        """Delete a file from the work tree (not from the index)."""
        self.path(path).unlink()

    def rename(self, old: str | bytes, new: str | bytes) -> None:
        """Rename a file in the work tree (not in the index)."""
        target = self.path(new)
        target.parent.mkdir(parents=True, exist_ok=True)
        self.path(old).rename(target)

    def stage(self, *paths: str) -> None:
        """Add paths to the index, deletions too; everything when none is given."""
        self.git("add", "--all", "--", *paths) if paths else self.git("add", "--all")

    def commit(self, message: str = "change", files: Mapping[str, str | bytes] | None = None) -> str:
        """Write ``files``, commit everything, also when nothing changed, and return the commit id."""
        for path, content in (files or {}).items():
            self.write(path, content)
        self.stage()
        return self.commit_staged(message)

    def commit_staged(self, message: str = "change") -> str:
        """Commit the index as it is and return the commit id."""
        self.git("commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)
        self._clock += 60
        return self.head()

    def branch(self, name: str, start: str = "HEAD") -> None:
        """Create a branch at ``start`` and check it out."""
        self.git("checkout", "--quiet", "--no-track", "-b", name, start)

    def checkout(self, name: str) -> None:
        """Check out a branch or commit."""
        self.git("checkout", "--quiet", name)

    def merge(self, name: str, message: str = "merge") -> str:
        """Merge a branch with a merge commit and return the commit id."""
        self.git("merge", "--quiet", "--no-ff", "-m", message, name)
        self._clock += 60
        return self.head()

    def head(self, ref: str = "HEAD") -> str:
        """Commit id of a ref."""
        return self.git("rev-parse", "--verify", f"{ref}^{{commit}}")

    def config(self, name: str, value: str) -> None:
        """Set a value in the repository's own configuration."""
        self.git("config", name, value)

    def clone(self, root: Path, *options: str) -> Repo:
        """Clone this repository over the file protocol and return the clone."""
        url = self.root.absolute().as_uri()
        self.git("-c", "protocol.file.allow=always", "clone", "--quiet", "--template=", *options, url, str(root))
        clone = object.__new__(Repo)
        clone.root = root
        clone._clock = self._clock
        return clone

    def _environment(self) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_AMBIENT)}
        date = f"{self._clock} +0000"
        environment |= {
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
            "GIT_COMMITTER_DATE": date,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_MERGE_AUTOEDIT": "no",
            "LC_ALL": "C",
        }
        return environment
