"""The user's list of trusted repositories."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from roundzero.errors import OutsideError
from roundzero.store.trust_db import TrustDb, state_file

if TYPE_CHECKING:
    from pathlib import Path


def test_nothing_is_trusted_at_first_and_asking_creates_no_file(home: Path, tmp_path: Path) -> None:
    """An unknown repository is not trusted, and reading leaves no trace."""
    assert not TrustDb().is_trusted(tmp_path)
    assert TrustDb().all() == ()
    assert not TrustDb().revoke(tmp_path)
    assert list(home.iterdir()) == []


def test_trust_lasts_until_revoked(home: Path, tmp_path: Path) -> None:
    """What one process trusts, the next one sees, until it is revoked."""
    TrustDb().trust(tmp_path)
    TrustDb().trust(tmp_path)
    assert TrustDb().is_trusted(tmp_path)
    assert TrustDb().all() == (str(tmp_path.resolve()),)
    assert state_file().is_relative_to(home)
    assert TrustDb().revoke(tmp_path)
    assert not TrustDb().is_trusted(tmp_path)


def test_trust_follows_the_real_path(tmp_path: Path) -> None:
    """A link to a trusted repository is that repository; a folder that merely replaces the link is not."""
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    trusted = TrustDb(tmp_path / "trust.sqlite3")
    trusted.trust(link)
    assert trusted.is_trusted(real)
    link.unlink()
    link.mkdir()
    assert not trusted.is_trusted(link)


def test_the_file_is_private(tmp_path: Path) -> None:
    """Only the user may read or write the list."""
    trusted = TrustDb(tmp_path / "state" / "trust.sqlite3")
    trusted.trust(tmp_path)
    assert stat.S_IMODE(trusted.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(trusted.path.parent.stat().st_mode) == 0o700


def test_a_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    """A file that is no database is named in the error, with the remedy."""
    trusted = TrustDb(tmp_path / "trust.sqlite3")
    trusted.path.write_text("no database, but long enough to look at" * 100)
    with pytest.raises(OutsideError, match=r"trust\.sqlite3 cannot be used .*delete the file"):
        trusted.is_trusted(tmp_path)


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    """Where no folder can be made, the error names the file."""
    (tmp_path / "file").write_text("")
    trusted = TrustDb(tmp_path / "file" / "trust.sqlite3")
    with pytest.raises(OutsideError, match="cannot be written"):
        trusted.trust(tmp_path)


def test_a_path_that_is_not_utf8_can_be_trusted(tmp_path: Path) -> None:
    """Odd bytes in a path are no obstacle."""
    odd = tmp_path / "caf\udce9"
    odd.mkdir()
    trusted = TrustDb(tmp_path / "trust.sqlite3")
    trusted.trust(odd)
    assert trusted.is_trusted(odd)
