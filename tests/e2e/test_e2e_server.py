"""The language server as an editor meets it: a process, two pipes, and the demonstration's repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import demo
from lsp_client import Client

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lsp_client import Message

pytestmark = pytest.mark.e2e

CALM = {"settings": {"debounceMs": 0}, "trusted": False}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The demonstration's repository."""
    demo.build(tmp_path / "shop")
    return tmp_path / "shop"


@pytest.fixture
def client(roundzero: Path, shop: Path) -> Iterator[Client]:
    """A client whose server has answered initialize."""
    client = Client([roundzero, "lsp"], shop)
    client.initialize(CALM)
    yield client
    client.close()


def test_an_opened_file_shows_its_findings_with_their_version(client: Client, shop: Path) -> None:
    """Both defects of the opened file come with the document's version."""
    path = shop / "shop" / "checkout.py"
    uri = client.open(path, path.read_text(encoding="utf-8"))
    both = {"python/bare-except", "python/mutable-default"}
    published = client.diagnostics(uri, lambda p: p.get("version") == 1 and _items(p) == both)
    assert {diagnostic["source"] for diagnostic in published["diagnostics"]} == {"roundzero"}


def test_an_unsaved_edit_is_reviewed(client: Client, shop: Path) -> None:
    """A defect that only the buffer holds is found, and is gone when the text is taken back."""
    path = shop / "shop" / "payment.py"
    uri = client.open(path, path.read_text(encoding="utf-8"))
    typed = "def hurry(queue=[]):\n    return queue\n\n\n"
    version = client.edit(uri, (7, 0), (7, 0), typed)
    client.diagnostics(uri, lambda p: p.get("version") == version and _items(p) == {"python/mutable-default"})
    version = client.edit(uri, (7, 0), (7 + typed.count("\n"), 0), "")
    client.diagnostics(uri, lambda p: p.get("version") == version and _items(p) == set())


def test_the_server_ends_with_status_0_after_shutdown_and_exit(client: Client) -> None:
    """Shutdown is answered and exit ends the process cleanly."""
    client.close()
    assert client.process.returncode == 0


def _items(published: Message) -> set[str]:
    return {diagnostic["code"] for diagnostic in published["diagnostics"]}
