"""What a path says about the role of a file."""

from __future__ import annotations

import pytest

from roundzero.checkers._paths import is_example
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
