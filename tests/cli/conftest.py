"""A repository of which the one item that fires is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.house import rules

if TYPE_CHECKING:
    from support.repo import Repo


@pytest.fixture
def house(repo: Repo) -> Repo:
    """A repository with one commit on main that fixes the rules."""
    repo.commit("first", rules(mark="P2"))
    return repo
