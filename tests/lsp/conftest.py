"""A branch to review and a server that reviews it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.lsp import Client
from support.shown import OLD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.repo import Repo


@pytest.fixture
def branch(repo: Repo) -> Repo:
    """A branch with an old finding on main and nothing of its own yet."""
    repo.commit("base", {"a.py": OLD, "b.py": "x = 1\n"})
    repo.branch("work")
    repo.checkout("work")
    return repo


@pytest.fixture
def client() -> Iterator[Client]:
    """A server, and none left behind."""
    with Client() as client:
        yield client
