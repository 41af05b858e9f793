"""Text of a repository cannot act on what shows it."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.text import RelPath
from roundzero.render.escape import json_safe, path_bytes, valid, visible

REORDERING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 中文 é 👩‍🚀", "plain 中文 é 👩‍🚀"),
        ("\x1b[31mred\x1b]0;title\x07", "\\x1b[31mred\\x1b]0;title\\x07"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("a\tb\r\nc\x00", "a\\tb\\r\\nc\\x00"),
        ("\x9b31m\x85\u2028", "\\x9b31m\\x85\\u2028"),
        ("\U000e0041", "\\U000e0041"),
        ("caf\udce9", "caf\ufffd"),
    ],
)
def test_unsafe_characters_are_spelled(text: str, shown: str) -> None:
    """Control characters, bidirectional controls and invisible ones become their escapes; letters stay."""
    assert visible(text) == shown


@given(st.text(st.characters(exclude_categories=[])))
def test_nothing_visible_acts(text: str) -> None:
    """Whatever the text, what is shown has no control character and no bidirectional class that reorders."""
    shown = visible(text)
    assert all(unicodedata.category(each) not in {"Cc", "Cs", "Zl", "Zp"} for each in shown)
    assert not {unicodedata.bidirectional(each) for each in shown} & REORDERING
    shown.encode()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_keeps_its_value(text: str) -> None:
    """Escaping a JSON document changes its bytes, never its value."""
    document = json_safe(json.dumps({text: text}, ensure_ascii=False))
    assert json.loads(document) == {text: text}
    assert all(unicodedata.category(each) != "Cc" for each in document)


def test_an_odd_path_shows_and_survives() -> None:
    """A byte that is not UTF-8 shows as U+FFFD, and the bytes travel in base64."""
    path = RelPath(b"caf\xe9.py".decode("utf-8", "surrogateescape"))
    assert valid(path) == "caf\ufffd.py"
    assert path_bytes(path) == "Y2Fm6S5weQ=="
    assert path_bytes(RelPath("café.py")) is None
