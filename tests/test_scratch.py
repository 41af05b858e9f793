"""Temporary folders: private, removed, and swept when their owner is gone."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from roundzero.errors import OutsideError
from roundzero.scratch import Scratch

if TYPE_CHECKING:
    from pathlib import Path

_DIES: Final = """
import os, signal
from roundzero.scratch import Scratch
made = Scratch()
(made.path / "text").write_text("x")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", None)
    return place


def _left(folder: Path) -> list[Path]:
    return [path for home in folder.iterdir() for path in home.iterdir()]


def test_a_folder_is_private_and_goes(folder: Path) -> None:
    """Only the user may enter it, and nothing is left of it."""
    made = Scratch()
    (made.path / "text").write_text("x")
    assert made.path.is_relative_to(folder)
    assert made.path.stat().st_mode & 0o777 == 0o700
    made.remove()
    assert _left(folder) == []


def test_what_a_killed_process_left_goes_with_the_next_folder(folder: Path) -> None:
    """The next folder's maker removes those that nobody holds, and none that somebody does."""
    held = Scratch()
    done = subprocess.run([sys.executable, "-c", _DIES], check=False)
    assert done.returncode == -9
    assert len(_left(folder)) == 4
    Scratch().remove()
    assert sorted(_left(folder)) == [held.path, held.path.with_name(f"{held.path.name}.lock")]
    held.remove()


def test_a_home_that_others_may_enter_is_not_used(folder: Path) -> None:
    """Somebody else's folder under our name, or an open one, gets nothing."""
    Scratch().remove()
    (home,) = folder.iterdir()
    home.chmod(0o777)
    made = Scratch()
    assert made.path.parent == folder
    made.remove()
    assert list(folder.iterdir()) == [home]


def test_no_folder_is_an_outside_failure(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where none can be made the message says what to do."""
    monkeypatch.setattr("tempfile.tempdir", str(folder / "nowhere"))
    with pytest.raises(OutsideError, match="set TMPDIR"):
        Scratch()
