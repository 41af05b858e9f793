"""Facts kept in memory and between runs."""

from __future__ import annotations

import sqlite3
import stat
from typing import TYPE_CHECKING

from roundzero.core.change import Side, Source, blob_id
from roundzero.core.text import RelPath
from roundzero.index.fact_store import FactStore
from roundzero.index.limit import TimeLimit
from roundzero.index.symbols import RepositorySymbols
from roundzero.store.index_db import IndexDb
from support.texts import Texts

if TYPE_CHECKING:
    from pathlib import Path


def _source(text: str) -> Source:
    return Source(RelPath("m.py"), text, blob_id(text.encode()))


def test_a_second_run_parses_nothing(tmp_path: Path) -> None:
    """What one run kept, the next reads, and it is the same."""
    first = FactStore(IndexDb(tmp_path))
    source = _source("import a\na.b('c')\n")
    module, uses = first.module(source, keep=True), first.uses(source, keep=True)
    first.flush()
    second = FactStore(IndexDb(tmp_path))
    assert (second.module(source, keep=True), second.uses(source, keep=True)) == (module, uses)
    assert (first.extracted, second.extracted) == (1, 0)


def test_text_that_is_being_edited_is_not_kept(tmp_path: Path) -> None:
    """Facts of changed files at the head stay out of the database, those of the base go in."""
    texts = Texts({"m.py": "x = 2\n"}, {"m.py": "x = 1\n"})
    store = FactStore(IndexDb(tmp_path))
    symbols = RepositorySymbols(texts, texts.change(), store, TimeLimit(60))
    for side in Side:
        symbols.facts(RelPath("m.py"), side)
    symbols.close()
    again = FactStore(IndexDb(tmp_path))
    again.module(_source("x = 1\n"), keep=True)
    assert again.extracted == 0
    again.module(_source("x = 2\n"), keep=True)
    assert again.extracted == 1


def test_memory_is_bounded() -> None:
    """Over the limit the least recently used facts go, and are made again when asked for."""
    store = FactStore(most_rows=50)
    for number in range(40):
        store.uses(_source(f"a{number}(b, c)\n"), keep=False)
    assert store.extracted == 40
    store.uses(_source("a39(b, c)\n"), keep=False)
    assert store.extracted == 40
    store.uses(_source("a0(b, c)\n"), keep=False)
    assert store.extracted == 41


def test_reading_creates_no_file(tmp_path: Path) -> None:
    """A cache that nothing was put into leaves nothing behind."""
    assert IndexDb(tmp_path).get(("key",)) == {}
    assert list(tmp_path.iterdir()) == []


def test_the_database_is_private(tmp_path: Path) -> None:
    """Only its owner may read it."""
    database = IndexDb(tmp_path)
    database.put({"key": b"data"})
    assert stat.S_IMODE(database.path.stat().st_mode) == 0o600
    assert database.get(("key", "other")) == {"key": b"data"}
    database.close()


def test_the_oldest_rows_go_first(tmp_path: Path) -> None:
    """The database stays below its limit."""
    database = IndexDb(tmp_path, most_rows=10, slack_rows=0)
    for number in range(30):
        database.put({f"key{number}": b"data"})
    kept = database.get([f"key{number}" for number in range(30)])
    database.close()
    assert sorted(kept) == sorted(f"key{number}" for number in range(20, 30))


def test_a_damaged_database_costs_nothing_but_time(tmp_path: Path) -> None:
    """A file that is no database, or a folder in its place, keeps nothing and raises nothing."""
    for name in ("file", "folder"):
        folder = tmp_path / name
        place = folder / "roundzero" / "index.sqlite3"
        place.parent.mkdir(parents=True)
        if name == "file":
            place.write_bytes(b"no database" * 100)
        else:
            place.mkdir()
        database = IndexDb(folder)
        assert database.get(("key",)) == {}
        database.put({"key": b"data"})
        assert database.get(("key",)) == {}
        store = FactStore(IndexDb(folder))
        assert store.module(_source("x = 1\n"), keep=True) is not None
        store.flush()


def test_foreign_rows_are_not_believed(tmp_path: Path) -> None:
    """Bytes that somebody else put there are extracted anew."""
    source = _source("x = 1\n")
    store = FactStore(IndexDb(tmp_path))
    store.module(source, keep=True)
    store.flush()
    with sqlite3.connect(tmp_path / "roundzero" / "index.sqlite3") as connection:
        connection.execute("UPDATE facts SET data = x'00'")
    connection.close()
    again = FactStore(IndexDb(tmp_path))
    assert again.module(source, keep=True) == store.module(source, keep=True)
    assert again.extracted == 1
