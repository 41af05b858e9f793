"""URIs and paths, both ways."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.lsp.uris import child_uri, path_of, scheme_of, uri_of


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b.py", "/a/b.py"),
        ("file:///a/c%23d%25e%5Bf%5D.py", "/a/c#d%e[f].py"),
        ("file:///a/c#d[f]?.py", "/a/c#d[f]?.py"),
        ("file:///a/%E4%B8%AD%20b", "/a/\u4e2d b"),
        ("file:///a/%FF", "/a/\udcff"),
        ("FILE:///a", "/a"),
        ("file:/a/b", "/a/b"),
        ("file://localhost/a", "/a"),
        ("file://server/share/a", None),
        ("file:///a%00b", None),
        ("untitled:Untitled-1", None),
        ("git:/a/b.py?x", None),
        ("vscode-notebook-cell:/a.ipynb#x", None),
        ("", None),
    ],
)
def test_a_file_uri_is_a_path_and_nothing_else_is(uri: str, path: str | None) -> None:
    """Escapes are bytes, hosts and other schemes are not ours."""
    assert path_of(uri, windows=False) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/a/b.py", "C:\\a\\b.py"),
        ("file:///C:/a/b.py", "C:\\a\\b.py"),
        ("file://server/share/a", "\\\\server\\share\\a"),
    ],
)
def test_drive_letters_and_shares(uri: str, path: str) -> None:
    """Every spelling of a drive is one path; a host is a share."""
    assert path_of(uri, windows=True) == path


@given(st.binary(min_size=1, max_size=30).filter(lambda data: b"\0" not in data))
def test_every_path_comes_back_from_its_uri(name: bytes) -> None:
    """A path of any bytes survives, also below a folder of the client's spelling."""
    path = "/" + os.fsdecode(name.replace(b"/", b"_"))
    assert path_of(uri_of(path, windows=False), windows=False) == path
    assert path_of(child_uri("file:///x%20y/", path[1:]), windows=False) == "/x y" + path


def test_windows_paths_come_back() -> None:
    """Drives and shares survive."""
    for path in ("C:\\a b\\c#.py", "\\\\server\\share\\a"):
        assert path_of(uri_of(path, windows=True), windows=True) == path


def test_a_scheme_is_what_stands_before_the_colon() -> None:
    """In lower case; none where there is no colon."""
    assert [scheme_of(uri) for uri in ("GIT:/a", "untitled:b", "c")] == ["git", "untitled", ""]
