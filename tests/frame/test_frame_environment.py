"""tools/environment.sh on machines that lack something."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """As much of a checkout as the script reads."""
    for name in ("requirements/dev.txt", "pyproject.toml", "tools/environment.sh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_an_old_python_is_named_and_the_way_out_too(checkout: Path) -> None:
    """Exit status 2, the version that was found, the one that is needed, and how to name another."""
    _fake(checkout, 'case "$1" in --version) echo "Python 3.8.1";; *) exit 1;; esac')
    done = _environment(checkout)
    assert done.returncode == 2
    assert "Python 3.8.1" in done.stderr
    assert "Python 3.11 or later is needed" in done.stderr
    assert "make PYTHON=" in done.stderr


def test_a_python_without_venv_is_named(checkout: Path) -> None:
    """Debian's Python without python3-venv: exit status 2 and the package to install."""
    _fake(checkout, f'case "$*" in *ensurepip*) exit 1;; *) exec "{sys.executable}" "$@";; esac')
    done = _environment(checkout)
    assert done.returncode == 2
    assert "python3-venv" in done.stderr


def test_an_environment_that_is_right_is_left_alone(checkout: Path) -> None:
    """When both stamps are right, nothing is installed: pip is not even called."""
    environment = checkout / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(sys.executable)
    _fake(checkout, f'case "$*" in *pip*) exit 9;; *) exec "{sys.executable}" "$@";; esac')
    lock, project = (checkout / "requirements/dev.txt").read_bytes(), (checkout / "pyproject.toml").read_bytes()
    (environment / ".lock").write_text(f"{hashlib.sha256(lock).hexdigest()} {checkout}\n", encoding="utf-8")
    (environment / ".project").write_text(f"{hashlib.sha256(lock + project).hexdigest()}\n", encoding="utf-8")
    done = _environment(checkout)
    assert (done.returncode, done.stderr) == (0, "")


def _fake(checkout: Path, body: str) -> None:
    """Put a ``python3`` first on PATH, and no other Python beside it."""
    (checkout / "bin").mkdir()
    for name in ("sh", "dirname", "cat"):
        (checkout / "bin" / name).symlink_to(str(shutil.which(name)))
    python = checkout / "bin" / "python3"
    python.write_text(f"#!{shutil.which('sh')}\n{body}\n", encoding="utf-8")
    python.chmod(0o755)


def _environment(checkout: Path) -> subprocess.CompletedProcess[str]:
    command = [str(checkout / "tools" / "environment.sh")]
    path = {**os.environ, "PATH": str(checkout / "bin")}
    return subprocess.run(command, env=path, capture_output=True, text=True, check=False)
