"""What a path says about the role of a file: test, script, documentation.

Conventions of pytest, unittest, Bazel and Django, by name alone. Invariant: no file is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.core.samples import TEST_FOLDERS, is_sample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.core.text import RelPath

_DOCS: Final = regex(r"docs?(?:[-_]\w+)?")
"""``docs``, and what is built into it, as ``docs_src``."""
_SCRIPT_FOLDERS: Final = frozenset(
    {"scripts", "script", "bin", "tools", "examples", "example", "samples", "demo", "demos", "notebooks", "benchmarks",
     "benchmark", "bench", "docs", "doc", "migrations", "ci", ".ci", ".github", "hack", "contrib", "experiments"}
)  # fmt: skip
_SCRIPT_NAMES: Final = frozenset(
    {"conftest.py", "setup.py", "manage.py", "conf.py", "noxfile.py", "tasks.py", "fabfile.py", "wsgi.py", "asgi.py",
     "__main__.py", "sitecustomize.py", "usercustomize.py", "settings.py", "gunicorn.conf.py", "SConstruct"}
)  # fmt: skip


def is_test_path(path: RelPath) -> bool:
    """Whether a file belongs to tests: by its own name or by a folder above it."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0]
    if (
        stem.startswith("test_")
        or stem.endswith(("_test", "_tests", ".test", ".spec"))
        or stem in {"tests", "conftest"}
    ):
        return True
    return any(folder in TEST_FOLDERS for folder in folders)


def is_test_module(path: RelPath) -> bool:
    """Whether pytest, unittest or Django would collect tests from this file by its name."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return stem.startswith("test") or stem.endswith(("_test", "_tests"))


def is_test_data(path: RelPath) -> bool:
    """Whether a file is data for tests, recorded or made up."""
    return is_sample(path)


def is_example(path: RelPath) -> bool:
    """Whether a file shows people how something is done: documentation, examples and samples."""
    *folders, name = path.lower().split("/")
    if name.endswith((".md", ".rst", ".adoc", ".example", ".sample", ".template", ".dist")) or "example" in name:
        return True
    return any(folder in {"examples", "example", "samples", "sample"} or _DOCS.fullmatch(folder) for folder in folders)


def folders_above(path: str) -> Iterator[str]:
    """The folders above a path, nearest first; the last is the root, ""."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def is_imported(path: RelPath) -> bool:
    """Whether a file is code that others import: no test, no script and no example."""
    return not (is_test_path(path) or is_script_path(path) or is_example(path))


def is_script_path(path: RelPath) -> bool:
    """Whether a file is run rather than imported, or is read by a tool that runs it for its effects.

    What has a hyphen in its name cannot be imported by it.
    """
    *folders, name = path.split("/")
    if name in _SCRIPT_NAMES or (name.endswith(".py") and "-" in name):
        return True
    return any(folder in _SCRIPT_FOLDERS for folder in folders)
