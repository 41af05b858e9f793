"""Samples: data that tests read, whatever language it is in."""

from __future__ import annotations

import pytest

from roundzero.core.item import Applies
from roundzero.core.samples import is_copy, is_sample
from roundzero.core.text import RelPath


@pytest.mark.parametrize(
    ("path", "sample"),
    [
        ("tests/data/cases/composition.py", True),
        ("test/fixtures/dialects/create_view.sql", True),
        ("pkg/testdata/broken.py", True),
        ("tests/unit/resources/setup.py", True),
        ("tests/fixtures/project/setup.py", True),
        ("Tests/data/loader.py", True),
        ("src/greentest/data/loader.py", True),
        ("tests/fixtures/database.py", False),
        ("tests/data/test_loader.py", False),
        ("tests/data/conftest.py", False),
        ("tests/data/__init__.py", False),
        ("app/data/loader.py", False),
        ("data/tests/loader.py", False),
        ("tests/helpers.py", False),
    ],
)
def test_a_sample_is_told_by_its_folders_unless_a_runner_collects_it(path: str, sample: bool) -> None:
    """Folders of data are samples, below tests also under names that mean code elsewhere; modules of tests are not."""
    assert is_sample(RelPath(path)) is sample


@pytest.mark.parametrize(
    ("path", "copy"),
    [
        ("web/static/jquery-1.7.1.min.js", True),
        ("third_party/zlib/inflate.c", True),
        ("pkg/_vendor/six.py", True),
        ("web/static/vendor.js", False),
        ("web/admin.js", False),
    ],
)
def test_a_copy_is_told_by_its_folders_or_as_minified(path: str, copy: bool) -> None:
    """Somebody else writes and reviews it, or a program does."""
    assert is_copy(RelPath(path)) is copy


def test_what_is_about_a_language_passes_samples_by_unless_it_names_them() -> None:
    """An item about Python has no say on data for tests; one about any file, or about these very files, has."""
    path = RelPath("tests/data/broken.py")
    assert not Applies(languages=("python",)).matches(path)
    assert Applies().matches(path)
    assert Applies(languages=("python",), paths=("tests/data/**",)).matches(path)
