"""Opens the SQLite databases of this package: private, patient with other processes, and never a stack trace.

Databases are not created by reading. Invariant: every failure of SQLite or of the folder leaves here as an
OutsideError that names the file and what to do.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from roundzero.errors import OutsideError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

BUSY_SECONDS: Final = 5.0
"""How long a writer waits for another process."""


def storable(text: str) -> str:
    """A name or path in a form that SQLite stores whatever its bytes are, equal for equal ones."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def refuse_links(path: Path) -> None:
    """Refuse a file of ours in git's directory that is a link, or lies in one: whoever made the repository made it.

    What it leads to may be anything of the person's. Raises OutsideError.
    """
    for place in (path.parent, path):
        if place.is_symlink():
            raise OutsideError(f"{place} is a link and was not followed; delete it")


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection | None]:
    """A connection that cannot write; None where there is no database yet."""
    if not path.is_file():
        yield None
        return
    with _connected(path, f"{path.absolute().as_uri()}?mode=ro") as connection:
        yield connection


@contextmanager
def writing(path: Path, schema: str) -> Iterator[sqlite3.Connection]:
    """A transaction that holds the write lock from its start; the database and its folder are made when missing."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError as error:
        raise OutsideError(f"{path} cannot be written ({error.strerror}); check the folder's permissions") from error
    with _connected(path, path.absolute().as_uri()) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(schema)
        yield connection
        connection.execute("COMMIT")


@contextmanager
def _connected(path: Path, uri: str) -> Iterator[sqlite3.Connection]:
    import sqlite3  # noqa: PLC0415  off the start-up path

    try:
        connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            yield connection
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        raise OutsideError(f"{path} cannot be used ({error}); if that persists, delete the file") from error
