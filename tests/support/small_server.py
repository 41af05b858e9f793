"""Starts a real server with a real small model (support/small_model) beside a test, and asks it what it did.

Invariant: the server ends with the block that started it.
"""

from __future__ import annotations

import json
import subprocess
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SLOTS: Final = 2
LIMIT: Final = 60.0
BRISK: Final = Path(__file__).with_name("small_model.jinja")
"""A template that shows the model short examples, of calls as well, so that it answers in a second."""

_SERVER: Final = Path(__file__).with_name("small_model.py")


@contextmanager
def small_server(folder: Path, log: Path, template: Path | None = None) -> Iterator[str]:
    """The address of a server, without the path of its protocol. ``folder``: as tools/small_model.sh makes it."""
    more = [] if template is None else [template]
    with log.open("wb") as errors:
        server = subprocess.Popen(
            [folder / "venv/bin/python", _SERVER, folder / "model.gguf", str(SLOTS), *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), log.read_text()
            yield address
        finally:
            server.stdin.close()
            server.stdout.close()
            server.wait(LIMIT)


def busy(url: str) -> int:
    """How many slots of the server work."""
    return sum(bool(slot["is_processing"]) for slot in json.loads(_told(url, "slots")))


def counted(url: str) -> tuple[int, int]:
    """The tokens that the server read, or knew already, and those that it made, since it began."""
    rows = [line.split() for line in _told(url, "metrics").splitlines() if line.startswith("llamacpp:")]
    known: Mapping[str, float] = {row[0].removeprefix("llamacpp:"): float(row[1]) for row in rows}
    read = known["prompt_tokens_total"] + known["prompt_tokens_cached_total"]
    return int(read), int(known["tokens_predicted_total"])


def _told(url: str, what: str) -> str:
    with urllib.request.urlopen(f"{url}/{what}", timeout=LIMIT) as answer:  # noqa: S310  our own server
        said: bytes = answer.read()
    return said.decode()
