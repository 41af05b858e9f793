"""Compiled packs on disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from roundzero.packs import cache
from roundzero.packs.compiling import compile_pack
from roundzero.packs.loader import load

if TYPE_CHECKING:
    from roundzero.core.ruleset import Ruleset

ODD = [b"", b"{", b"[]", b"{}", b"null", b"\xff", b'{"file": 1, "items": 3}', b"[" * 99_999]
PACK = """\
pack: mine
title: {en: Mine, zh: 我的}
items:
  - {id: one, title: t, severity: P1, why: {en: Because., zh: 因为。}, check: {ruff: [E722]}, aliases: [old/one]}
  - {id: two, title: t, severity: P1, why: w, ask: q}
  - {id: three, title: t, severity: P1, why: w, check: {text: {regex: x}}}
  - {id: four, title: t, severity: P1, why: w, check: {ast-grep: {language: [rust, go], rule: {kind: identifier}}}}
  - {id: five, title: t, severity: P1, why: w, check: {checker: assertless-test}}
  - {id: six}
"""


def cached(folder: Path) -> Ruleset:
    """The shipped packs, by way of a cache."""
    return load(repository=None, overrides={}, packs=None, cache_dir=folder)


def test_what_comes_out_is_what_went_in(tmp_path: Path) -> None:
    """Items of every kind, and problems, survive the way through the file."""
    pack = compile_pack(PACK, "mine.yaml")
    assert len(pack.items) == 5
    assert pack.problems
    cache.save(tmp_path / "new", "name", pack)
    assert cache.load(tmp_path / "new", "name") == pack


def test_a_cached_ruleset_equals_a_compiled_one(tmp_path: Path) -> None:
    """Also by its digest."""
    first = cached(tmp_path)
    assert cached(tmp_path) == first == load(repository=None, overrides={}, packs=None, cache_dir=None)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b"null", b"\xff", b'{"file": 1, "items": 3}', b"[" * 99_999]
)
def test_an_odd_file_is_the_same_as_none(tmp_path: Path, content: bytes) -> None:
    """A cut or foreign file is compiled over."""
    fresh = cached(tmp_path)
    for file in (tmp_path / "packs").iterdir():
        file.write_bytes(content)
    assert cached(tmp_path) == fresh
    assert all(file.read_bytes() != content for file in (tmp_path / "packs").iterdir())


def test_nobody_else_can_read_the_cache(tmp_path: Path) -> None:
    """Files have mode 0600, the folder 0700, and no half-written file stays."""
    cached(tmp_path)
    folder = tmp_path / "packs"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
    assert {file.suffix for file in folder.iterdir()} == {".json"}


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """A file in the folder's place costs the speed, nothing else."""
    (tmp_path / "packs").touch()
    assert cached(tmp_path).problems == ()


def test_old_files_go(tmp_path: Path) -> None:
    """The folder keeps its newest files, however often a pack is edited."""
    pack = compile_pack(PACK, "mine.yaml")
    for number in range(cache.KEPT):
        cache.save(tmp_path, f"old-{number}", pack)
        os.utime(tmp_path / f"old-{number}.json", (number, number))
    cache.save(tmp_path, "new", pack)
    assert len(list(tmp_path.iterdir())) == cache.KEPT
    assert cache.load(tmp_path, "old-0") is None
    assert cache.load(tmp_path, "new") == pack


def test_the_key_depends_on_text_and_name() -> None:
    """Two texts, or one text under two names, never share a compiled form."""
    assert len({cache.key(b"a", "x"), cache.key(b"b", "x"), cache.key(b"a", "y")}) == 3
