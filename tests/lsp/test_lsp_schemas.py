"""The published schemas of our extensions."""

from __future__ import annotations

import pytest

from roundzero.lsp.schemas import FOLDER, schemas


@pytest.mark.parametrize("name", sorted(schemas()))
def test_the_published_schema_is_the_one_of_the_types(name: str) -> None:
    """A change of a shape changes its file in the same commit."""
    assert (FOLDER / name).read_text(encoding="utf-8") == schemas()[name]


def test_nothing_else_is_published() -> None:
    """A shape that is gone takes its file along."""
    assert {path.name for path in FOLDER.iterdir()} == set(schemas())
