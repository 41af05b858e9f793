"""The first of many names."""

import pytest

from roundzero.core.few import few


@pytest.mark.parametrize(
    ("most", "line"), [(1, "a, and 2 more"), (2, "a, b, and 1 more"), (3, "a, b, c"), (4, "a, b, c")]
)
def test_what_is_left_out_is_counted(most: int, line: str) -> None:
    """A line that leaves names out says how many; one that names all says nothing of others."""
    assert few(["a", "b", "c"], most, "and {count} more") == line


def test_a_sign_stands_for_the_others() -> None:
    """Where nobody counts them, a sign says that there are others; of nothing nothing is said."""
    assert (few(("a", "b"), 1), few((), 1)) == ("a, …", "")
