"""The lazy import against the stock one."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from roundzero.lsp.lazy_types import VARIABLE

if TYPE_CHECKING:
    import pytest

EVERYTHING = """
import json, sys, attrs
define = attrs.define
from roundzero.lsp import lazy_types
{before}
lazily = lazy_types.load()
from lsprotocol import converters, types
assert attrs.define is define
converter = converters.get_converter()
params = {{"textDocument": {{"uri": "file:///a"}}, "range": {{"start": {{"line": 0, "character": 1}},
    "end": {{"line": 2, "character": 3}}}}, "context": {{"diagnostics": [], "only": ["quickfix"], "triggerKind": 1}}}}
action = converter.structure(params, types.CodeActionParams)
fields = {{name: [(each.name, str(each.type), each.default is attrs.NOTHING) for each in attrs.fields(kind)]
    for name, kind in sorted(types.ALL_TYPES_MAP.items()) if isinstance(kind, type) and attrs.has(kind)}}
try:
    converter.structure({{**params, "range": {{}}}}, types.CodeActionParams)
    refused = False
except Exception:
    refused = True
same = action.range == types.Range(types.Position(0, 1), types.Position(2, 3)) and hash(types.Position) is not None
print(json.dumps([lazily, converter.unstructure(action), repr(action), same, refused, fields], default=str))
"""


def outcome(before: str = "") -> list[object]:
    """What a process of its own sees after loading the types."""
    import json  # noqa: PLC0415  beside its use

    code = EVERYTHING.format(before=before)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found: list[object] = json.loads(done.stdout)
    return found


def test_both_imports_are_the_same_but_for_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """All 554 classes have the same fields, types and defaults; values read, written and compared alike."""
    lazy = outcome()
    monkeypatch.setenv(VARIABLE, "stock")
    stock = outcome()
    assert (lazy[0], stock[0]) == (True, False)
    assert lazy[1:] == stock[1:]
    assert lazy[3:5] == [True, True]


def test_other_versions_than_the_pinned_ones_get_the_stock_import() -> None:
    """What was not tested is not relied on."""
    assert outcome('lazy_types.PINNED = {"lsprotocol": ("0",)}')[0] is False
    assert outcome('lazy_types.PINNED = {"no-such-package": ("0",)}')[0] is False
