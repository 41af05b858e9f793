"""``roundzero init``."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

from roundzero.cli.init import template
from roundzero.config import SETTINGS, Settings, Who, load

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Cli
    from support.repo import Repo


def test_it_writes_a_file_that_changes_nothing(cli: Cli, repo: Repo) -> None:
    """The written file stands at the root, also when asked from a folder below, and leaves every default in force."""
    (repo.root / "sub").mkdir()
    ran = cli("init", here=repo.root / "sub")
    assert ran.status == 0
    assert str(repo.root / ".roundzero.toml") in ran.out
    assert load(root=repo.root, environ={}) == (Settings(), ())


def test_an_existing_file_is_never_touched(cli: Cli, repo: Repo) -> None:
    """With a file there, it exits with 2 and the file stays."""
    repo.write(".roundzero.toml", "# mine\n")
    ran = cli("init")
    assert ran.status == 2
    assert "exists" in ran.err
    assert repo.read(".roundzero.toml") == "# mine\n"


def test_a_file_for_which_there_is_no_room_is_not_left_in_part(roundzero: Path, repo: Repo) -> None:
    """Else the next attempt would be told that it exists."""
    command = f'ulimit -f 1 && exec "{roundzero}" init'
    done = subprocess.run(["bash", "-c", command], cwd=repo.root, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"cannot be written (File too large)" in done.stderr
    assert not repo.path(".roundzero.toml").exists()


def test_every_line_may_be_uncommented(tmp_path: Path) -> None:
    """With all settings uncommented the file is valid, and every default is the default."""
    text = re.sub(r"^# (?=\[|\"?[\w/-]+\"? = )", "", template(), flags=re.MULTILINE)
    (tmp_path / ".roundzero.toml").write_text(text)
    settings, problems = load(root=tmp_path, environ={})
    assert problems == ()
    assert settings.base == "origin/main"
    assert settings.diagnostic_severity == Settings().diagnostic_severity
    assert settings.max_file_bytes == Settings().max_file_bytes


def test_it_names_what_a_repository_may_set_and_nothing_else() -> None:
    """Each setting of a repository is described; none of the user's own appears."""
    text = template()
    for row in SETTINGS:
        assert (f"## {row.en} " in text) is (row.who is not Who.USER), row.name
