"""Frozen values behave as the standard library's do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field, replace
from typing import ClassVar, get_type_hints

import pytest

from roundzero.core import frozen


@frozen.dataclass(frozen=True, slots=True)
class Ours:
    """Made here."""

    KIND: ClassVar[str] = "kind"
    name: str
    size: int = 1
    tags: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Refuse what makes no sense. Raises ValueError."""
        if self.size < 0:
            raise ValueError(self.size)

    @property
    def double(self) -> int:
        """Twice the size."""
        return 2 * self.size


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    """Made by the library."""

    KIND: ClassVar[str] = "kind"
    name: str
    size: int = 1
    tags: list[str] = field(default_factory=list)


@frozen.dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Takes names only."""

    name: str = ""
    size: int


@frozen.dataclass(frozen=True, slots=True)
class Empty:
    """Has nothing."""


@dataclasses.dataclass(frozen=True, slots=True)
class Heir(Ours):
    """Made by the library from one made here."""

    more: int = 0


@frozen.dataclass(frozen=True, slots=True)
class Secretive:
    """A field that is not shown or compared: for the library."""

    name: str
    key: str = field(repr=False, compare=False)


@frozen.dataclass(frozen=True, slots=True, order=True)
class Ordered:
    """Has an order: for the library."""

    size: int


def test_it_is_made_printed_and_described_as_the_librarys() -> None:
    """Defaults, each instance its own list, positions and names."""
    assert repr(Ours("a")) == repr(Theirs("a")).replace("Theirs", "Ours")
    assert Ours("a", 2).double == 4
    assert Ours("a").tags is not Ours("a").tags
    assert list(inspect.signature(Ours).parameters) == list(inspect.signature(Theirs).parameters)
    assert get_type_hints(Ours.__init__) == get_type_hints(Theirs.__init__)
    assert Ours.__slots__ == Theirs.__slots__
    assert Ours.__match_args__ == Theirs.__match_args__
    assert [each.name for each in dataclasses.fields(Ours)] == [each.name for each in dataclasses.fields(Theirs)]
    with pytest.raises(ValueError, match="-1"):
        Ours("a", -1)
    with pytest.raises(TypeError):
        Ours()  # type: ignore[call-arg]  # what is tested
    with pytest.raises(TypeError):
        Named("a", 1)  # type: ignore[call-arg]  # what is tested
    assert repr(Named(size=1)) == "Named(name='', size=1)"
    assert repr(Empty()) == "Empty()"


def test_it_is_compared_and_hashed_by_its_fields() -> None:
    """With its own kind only; what is in it may forbid a hash."""
    assert Named(size=1) == Named(size=1, name="")
    assert Named(size=1) != Named(size=2)
    assert len({Named(size=1), Named(size=1), Named(size=2)}) == 2
    assert Ours("a") != Theirs("a")  # type: ignore[comparison-overlap]  # what is tested
    assert Empty() == Empty()
    assert len({Empty(), Empty()}) == 1
    with pytest.raises(TypeError):
        hash(Ours("a"))


def test_it_does_not_change() -> None:
    """Neither a field nor anything else is set or deleted; a changed copy is made."""
    value = Ours("a")
    for name in ("name", "other"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, name, "b")
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(value, name)
    assert replace(value, name="b") == Ours("b")


@pytest.mark.parametrize("value", [Ours("a", 3, ["b"]), Named(size=1), Empty(), Heir("a", more=2)])
def test_it_is_copied_and_crosses_to_another_process(value: object) -> None:
    """Whole, by pickle and by copy."""
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301  written here
    assert copy.copy(value) == value
    assert copy.deepcopy(value) == value


def test_what_is_not_plain_is_the_librarys() -> None:
    """An order, fields that are not shown or compared, and heirs."""
    assert Ordered(1) < Ordered(2)
    assert Secretive("a", "key") == Secretive("a", "other")
    assert "key" not in repr(Secretive("a", "key"))
    assert Heir("a", more=2).double == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        Heir("a").more = 1  # type: ignore[misc]  # what is tested
