"""Programs that come from Debian's packages and not from PyPI: editors for the tests from outside.

Invariant: nothing is installed but what is named, and only by root.
"""

from __future__ import annotations

import os
import shutil
import subprocess


def are_installed(*packages: str) -> bool:
    """Whether all of these packages are there."""
    if shutil.which("dpkg-query") is None:
        return False
    said = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${db:Status-Status}\n", *packages],
        capture_output=True,
        text=True,
        check=False,
    )
    return said.returncode == 0 and set(said.stdout.split()) == {"installed"}


def can_install() -> bool:
    """Whether we may, and know how."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def install(*packages: str) -> None:
    """Make sure that these packages are there. Raises AssertionError with apt's own words."""
    if are_installed(*packages):
        return
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        done = subprocess.run(
            ["apt-get", "--quiet", *command], env=environ, capture_output=True, text=True, check=False, timeout=240
        )
        assert done.returncode == 0, f"apt-get {' '.join(command)}: {done.stdout}{done.stderr}"
