"""JSON Schemas of our extensions to the protocol, made from their types.

``make`` writes them to schema/, a test compares. Invariant: each is complete in itself.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from roundzero.lsp.shapes import PUBLISHED

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION: Final = 1
"""Of the extensions; fields may be added within one version."""

FOLDER: Final = Path(__file__).parent / "schema"
"""Where the published files are."""


def schemas() -> Mapping[str, str]:
    """The text of each published file, by its name."""
    from pydantic import TypeAdapter  # noqa: PLC0415  never loaded by the server

    found = {}
    for name, shape in PUBLISHED.items():
        schema: dict[str, Any] = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            **TypeAdapter(shape).json_schema(),
        }
        found[f"{name}-{VERSION}.json"] = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    return found
