"""Which files are no code of the repository's own: data that tests read, and copies of other projects.

The first are not run as what they look like, and may be wrong on purpose; the second are written and reviewed
elsewhere. Decided by the path alone, by names that pytest, Bazel, pip, minifiers and their users have made usual.
Invariant: a module that a test runner collects is no sample.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from roundzero.core.text import RelPath

TEST_FOLDERS: Final = frozenset(
    {"test", "tests", "Test", "Tests", "testing", "unittest", "unittests", "unit_test", "unit_tests", "unit-tests",
     "integration_tests", "integration-tests", "functional_tests", "functional-tests", "acceptance_tests",
     "system_tests", "regression_tests", "smoke_tests", "e2e_tests", "testsuite", "selftest", "selftests",
     "autotest", "greentest"}
)  # fmt: skip
_ANYWHERE: Final = frozenset(
    {"fixtures", "testdata", "test_data", "test-data", "snapshots", "__snapshots__", "cassettes", "golden"}
)
"""A Python file directly in ``fixtures`` is code all the same: pytest's own fixtures live there."""
_BELOW_TESTS: Final = frozenset({"data", "cases", "resources", "samples", "inputs", "assets", "expected"})
"""Folders whose names may mean code elsewhere."""
_PACKAGE_FILES: Final = frozenset({"__init__.py", "conftest.py"})

_COPIES: Final = frozenset(
    {"_vendor", "vendor", "vendored", "_vendored", "third_party", "thirdparty", "3rdparty", "node_modules"}
)
_MINIFIED: Final = (".min.js", ".min.mjs", ".min.css", "-min.js")


def is_copy(path: RelPath) -> bool:
    """Whether a file belongs to a copy of another project, or was made from one by a minifier."""
    *folders, name = path.split("/")
    return not _COPIES.isdisjoint(folders) or name.endswith(_MINIFIED)


@lru_cache(maxsize=4096)  # every item about a language asks of every file
def is_sample(path: RelPath) -> bool:
    """Whether a file is data for tests."""
    *folders, name = path.split("/")
    if any(folder in _ANYWHERE for folder in folders):
        return not (folders[-1] == "fixtures" and name.endswith(".py"))
    below = next((folders[at + 1 :] for at, folder in enumerate(folders) if folder in TEST_FOLDERS), [])
    stem = name.partition(".")[0]
    is_code = name in _PACKAGE_FILES or stem.startswith("test") or stem.endswith(("_test", "_tests"))
    return not is_code and any(folder in _BELOW_TESTS for folder in below)
