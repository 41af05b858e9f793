"""Installs Round Zero the way a person gets it: the wheel and its pinned dependencies in an environment of its own.

For the tests from outside and for the benchmarks. Invariant: nothing of the source tree is on that environment's path,
and its bytecode is compiled, whatever PYTHONDONTWRITEBYTECODE says here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent


def build(folder: Path) -> Path:
    """Build the wheel of the source tree into ``folder`` and return its path. Needs no network."""
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT))
    (wheel,) = folder.glob("roundzero-*.whl")
    return wheel


def install(folder: Path) -> Path:
    """Build, make an environment in ``folder``, install there, and return the path of its ``roundzero`` command.

    Dependencies already there are kept; the wheel is always installed anew.
    """
    environment = folder / "env"
    python = environment / "bin" / "python"
    for old in folder.glob("roundzero-*.whl"):
        old.unlink()
    wheel = build(folder)
    if not python.exists():
        _run(sys.executable, "-m", "venv", str(environment))
    pip = (str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    _run(*pip, "--require-hashes", "-r", str(ROOT / "requirements" / "run.txt"))
    _run(*pip, "--no-deps", "--force-reinstall", str(wheel))
    _run(str(python), "-m", "compileall", "-q", *map(str, environment.glob("lib/python*/site-packages")))
    return environment / "bin" / "roundzero"


def clean_environment() -> dict[str, str]:
    """The process environment without what would point Python at the source tree or keep it from using bytecode."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON") and name != "VIRTUAL_ENV"
    }


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, env=clean_environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        message = f"{' '.join(command)} exited {done.returncode}:\n{done.stdout}{done.stderr}"
        raise SystemExit(message)
