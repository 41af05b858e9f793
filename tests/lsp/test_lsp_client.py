"""What is read from ``initialize``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.lsp.client import Folder, read_client, unwrapped
from roundzero.lsp.greeting import initialize_result
from support.lsp import NEOVIM, VS_CODE


def test_vs_code_can_do_what_it_says() -> None:
    """Its capability set is read completely."""
    client = read_client({"capabilities": VS_CODE})
    assert client.markdown
    assert client.code_action_resolve
    assert client.document_changes
    assert client.watch_files
    assert client.relative_patterns
    assert client.unnecessary_tag
    assert client.encoding == "utf-16"


def test_neovim_chooses_its_encoding() -> None:
    """The first encoding a client names and we know is used."""
    assert read_client({"capabilities": NEOVIM}).encoding == "utf-8"
    odd = {"general": {"positionEncodings": ["ebcdic", "utf-32", "utf-16"]}}
    assert read_client({"capabilities": odd}).encoding == "utf-32"


def test_a_client_that_says_nothing_can_nothing() -> None:
    """No capabilities at all are a client too."""
    client = read_client({})
    assert not any((client.markdown, client.progress, client.code_action_literals, client.configuration))
    assert client.folders == ()
    assert client.trusted is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
SECTIONS = ("capabilities", "initializationOptions", "workspaceFolders", "rootUri", "clientInfo", "textDocument",
            "workspace", "general", "codeAction", "hover", "contentFormat")  # fmt: skip


@given(st.recursive(json_values, lambda inner: st.dictionaries(st.sampled_from(SECTIONS), inner), max_leaves=20))
def test_no_parameters_can_make_reading_fail(value: object) -> None:
    """Whatever stands where, a client comes out and a reply can be made."""
    params = value if isinstance(value, dict) else {"capabilities": value}
    assert initialize_result(read_client(params))


def test_folders_or_else_the_root() -> None:
    """Folders go before the root URI, which goes before the root path."""
    folder = {"uri": "file:///a", "name": "a"}
    assert read_client({"workspaceFolders": [folder], "rootUri": "file:///b"}).folders == (Folder("file:///a", "a"),)
    assert [each.uri for each in read_client({"rootUri": "file:///b", "rootPath": "/c"}).folders] == ["file:///b"]
    assert [each.uri for each in read_client({"rootPath": "/c d"}).folders] == ["file:///c%20d"]


@pytest.mark.parametrize(
    "settings", [{"debounceMs": 1}, {"roundzero": {"debounceMs": 1}}, {"roundzero.debounceMs": 1}], ids=str
)
def test_settings_in_every_wrapping(settings: dict[str, object]) -> None:
    """Clients send settings bare, under our name, or with our prefix."""
    assert unwrapped(settings) == {"debounceMs": 1}
