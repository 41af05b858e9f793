"""A repository whose rules fire where a text says so."""

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
  - id: none
    title: {en: a comparison with None}
    severity: P2
    why: {en: Identity is meant.}
    looks_at: added
    check:
      ruff: [E711]
  - id: eval
    title: {en: eval}
    severity: P2
    why: {en: It runs anything.}
    looks_at: added
    check:
      ast-grep: {language: python, rule: {pattern: eval($A)}}
"""


@pytest.fixture
def house(repo: Repo) -> Repo:
    """A repository with one commit on main, whose rules are known, and no other."""
    repo.commit("first", {".roundzero/checklists/house.yaml": PACK, ".roundzero.toml": 'packs = ["house"]\n'})
    return repo
