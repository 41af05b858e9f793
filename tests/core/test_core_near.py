"""What somebody may have meant."""

import pytest

from roundzero.core.near import near

ITEMS = ("python/bare-except", "python/broad-except", "python/orphaned-file", "python/redefined", "test/bad")
SETTINGS = ("model.name", "model.mode", "debounceMs", "gate.failOn", "linters.ruff.path")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("python/bare-exept", "python/bare-except"),
        ("pyhton/bare-except", "python/bare-except"),
        ("general/bare-except", "python/bare-except"),
        ("test/bed", "test/bad"),
        ("model.nmae", "model.name"),
        ("debonceMs", "debounceMs"),
    ],
)
def test_a_slip_leads_to_the_name(name: str, meant: str) -> None:
    """A few wrong letters, in either part, or the wrong family."""
    assert near(name, (*ITEMS, *SETTINGS)) == (meant,)


@pytest.mark.parametrize(
    "name", ["python/nonsense", "python/foo", "python/E501", "model.nonsense", "linters.ruff.q", ""]
)
def test_a_common_beginning_makes_no_name_near(name: str) -> None:
    """What is unlike every last part is like no name, whatever family it names."""
    assert near(name, (*ITEMS, *SETTINGS)) == ()


def test_the_likeliest_comes_first() -> None:
    """Several may be meant."""
    assert near("python/bare-excepts", ITEMS, most=3) == ("python/bare-except", "python/broad-except")
