"""What a path says about the role of a file."""

from __future__ import annotations

import pytest

from roundzero.checkers._paths import is_example, is_script_path
from roundzero.core.text import RelPath


@pytest.mark.parametrize(
    ("path", "example"),
    [
        ("docs_src/request_files/tutorial.py", True),
        ("doc/conf.py", True),
        ("docs-sources/first.py", True),
        ("examples/train.py", True),
        ("app/document/first.py", False),
        ("app/docstore.py", False),
    ],
)
def test_documentation_and_what_is_built_into_it_are_examples(path: str, *, example: bool) -> None:
    """Folders are told by their whole name, so that a word that begins alike is none."""
    assert is_example(RelPath(path)) is example


@pytest.mark.parametrize(
    ("path", "script"),
    [
        ("admin/style-of-code.py", True),
        ("my-app/style.py", False),
        ("app/style-of-code.pyi", False),
        ("bin/style.py", True),
        ("app/style.py", False),
    ],
)
def test_what_cannot_be_imported_by_its_name_is_run(path: str, *, script: bool) -> None:
    """A folder with a hyphen may be where the package lies."""
    assert is_script_path(RelPath(path)) is script
