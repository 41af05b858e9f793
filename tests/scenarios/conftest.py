"""A repository whose rules fire where a text says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.house import rules

if TYPE_CHECKING:
    from support.repo import Repo


@pytest.fixture
def house(repo: Repo) -> Repo:
    """A repository with one commit on main, whose rules are known, and no other."""
    repo.commit("first", rules(mark="P2", none="P2", eval="P2"))
    return repo
