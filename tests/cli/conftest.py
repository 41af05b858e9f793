"""A repository of which the one item that fires is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from support.repo import Repo

PACK: Final = """\
pack: house
title: {en: House rules}
items:
  - id: mark
    title: {en: a mark}
    severity: P2
    why: {en: It says so.}
    looks_at: added
    check:
      text: {regex: "MARK"}
"""


@pytest.fixture
def house(repo: Repo) -> Repo:
    """A repository with one commit on main that fixes the rules."""
    repo.commit("first", {".roundzero/checklists/house.yaml": PACK, ".roundzero.toml": 'packs = ["house"]\n'})
    return repo
