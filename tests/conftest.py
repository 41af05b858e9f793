"""What every test gets: a home of its own, a repository, and the command under test.

Invariant: no test reads or writes the person's own configuration, caches, state or git settings.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from support.command import Cli
from support.repo import Repo

if TYPE_CHECKING:
    from collections.abc import Iterator

_AMBIENT: Final = ("GIT_", "GITHUB_", "CI_", "ROUNDZERO_", "XDG_")
_COLOUR: Final = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the tests from outside run against what people install instead of the source tree."""
    parser.addoption("--installed", action="store_true", help="build the wheel, install it, and drive that")
    parser.addoption("--small-model", metavar="FOLDER", help="what tools/small_model.sh printed: ask that model, too")


def pytest_configure(config: pytest.Config) -> None:
    """Name the marker of the tests that need a model."""
    config.addinivalue_line("markers", "small_model: asks a real model on this machine, which make e2e brings along")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests that need a model to the runs that have one."""
    if config.getoption("--small-model"):
        return
    left_out = [item for item in items if item.get_closest_marker("small_model") is not None]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def roundzero(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``roundzero`` command under test: the source tree's, or with ``--installed`` the wheel's."""
    if not request.config.getoption("--installed"):
        return Path(sys.executable).parent / "roundzero"
    from installed import install  # noqa: PLC0415  building is for the runs that ask for it

    return install(tmp_path_factory.mktemp("installed"))


def _isolate(patch: pytest.MonkeyPatch, home: Path) -> None:
    for name in list(os.environ):
        if name.startswith(_AMBIENT) or name in _COLOUR:
            patch.delenv(name)
    patch.setenv("HOME", str(home))
    patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    patch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    patch.setenv("XDG_STATE_HOME", str(home / "state"))
    patch.setenv("XDG_DATA_HOME", str(home / "data"))
    patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)


@pytest.fixture(scope="session", autouse=True)
def _home_of_the_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A home for fixtures that live longer than one test."""
    with pytest.MonkeyPatch.context() as patch:
        _isolate(patch, tmp_path_factory.mktemp("session-home"))
        yield


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty home folder, in force for this test."""
    path = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        _isolate(patch, path)
        yield path


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository on branch ``main``."""
    return Repo(tmp_path / "repo")


@pytest.fixture
def cli(repo: Repo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """The command line, started in the repository."""
    return Cli(repo.root, monkeypatch, capfd)
