"""Regular files, and what is none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from roundzero.regular import NotRegularError, open_regular, size

if TYPE_CHECKING:
    from pathlib import Path


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    """All bytes of a regular file can be read, and their number is known before."""
    (tmp_path / "a").write_bytes(b"\r\n\0" * 100_000)
    with open_regular(tmp_path / "a") as file:
        assert (size(file), file.read()) == (300_000, b"\r\n\0" * 100_000)


def test_nothing_else_is_opened(tmp_path: Path) -> None:
    """A link is an error though a file is behind it; a pipe without a writer and a folder are refused at once."""
    (tmp_path / "a").write_text("a")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="symbolic links"):
        open_regular(tmp_path / "link")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(NotRegularError, match="not a regular file"):
            open_regular(path)


def test_a_refusal_keeps_no_handle(tmp_path: Path) -> None:
    """What is refused is closed: the next handle has the same number."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a").write_text("a")
    with open_regular(tmp_path / "a") as file:
        before = file.fileno()
    with pytest.raises(NotRegularError):
        open_regular(tmp_path / "pipe")
    with open_regular(tmp_path / "a") as file:
        assert file.fileno() == before
