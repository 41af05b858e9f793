"""The published schema."""

from __future__ import annotations

import json
from pathlib import Path

import roundzero.packs
from roundzero.packs.schema import schema


def test_the_committed_schema_is_the_generated_one() -> None:
    """``schema/pack-1.json`` says what the loader does."""
    committed = Path(roundzero.packs.__path__[0]) / "schema" / "pack-1.json"
    assert json.loads(committed.read_text(encoding="utf-8")) == schema()


def test_the_schema_speaks_the_names_of_the_contract() -> None:
    """Hyphenated and reserved names appear as they are written in a pack."""
    definitions = schema()["$defs"]
    assert "ast-grep" in definitions["CheckModel"]["properties"]
    assert "not" in definitions["AppliesModel"]["properties"]
    assert schema()["additionalProperties"] is False
