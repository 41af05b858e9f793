"""``dataclass`` as the standard library has it, made in a quarter of the time where it is a frozen value with slots.

Every run makes some two hundred such classes before it does anything, and the library compiles six functions for each,
which takes a third of the time that is spent on importing. Here ``__init__`` alone is compiled; what compares, hashes,
prints, pickles and refuses to change goes by the list of fields. Whatever is not plain (other options, fields with
options, bases, a method of its own among these) is left to the library. Invariant: a class behaves the same, whoever
made it.
"""

from __future__ import annotations

import dataclasses
import sys
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from dataclasses import dataclass

    from _typeshed import DataclassInstance

__all__ = ("dataclass",)

_PLAIN = frozenset({"frozen", "slots", "kw_only"})

if not TYPE_CHECKING:

    def dataclass(cls: type | None = None, /, **options: bool) -> type | Callable[[type], type]:
        """See dataclasses.dataclass."""

        def make(cls: type) -> type:
            if _is_plain(cls, options):
                return _value(cls, kw_only=options.get("kw_only", False))
            return dataclasses.dataclass(cls, **options)

        return make if cls is None else make(cls)


def _is_plain(cls: type, options: Mapping[str, bool]) -> bool:
    return (
        options.get("frozen", False)
        and options.get("slots", False)
        and options.keys() <= _PLAIN
        and cls.__bases__ == (object,)
        and vars(cls).keys().isdisjoint(_MADE)
        and not any(isinstance(value, dataclasses.Field) and _has_options(value) for value in vars(cls).values())
    )


def _has_options(field: dataclasses.Field[object]) -> bool:
    return not (field.init and field.repr and field.compare and field.hash is None)


def _value(cls: type, *, kw_only: bool) -> type:
    made: type[DataclassInstance] = dataclasses.dataclass(
        init=False, repr=False, eq=False, slots=True, kw_only=kw_only
    )(cls)
    vars(made)["__dataclass_params__"].frozen = True  # whoever inherits from it has to be as well
    names = tuple(field.name for field in dataclasses.fields(made))
    values = attrgetter(*names) if names else _nothing

    def __eq__(self: object, other: object) -> bool:  # noqa: N807  becomes the class's
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: object) -> int:  # noqa: N807  as above
        return hash(values(self))

    methods = {"__init__": _initialiser(made), "__eq__": __eq__, "__hash__": __hash__, **_SHARED}
    for name, method in methods.items():
        setattr(made, name, method)
    return made


def _nothing(_self: object) -> tuple[()]:
    return ()


def _initialiser(made: type[DataclassInstance]) -> object:
    """``__init__``: a parameter for each field, which is kept."""
    known: dict[str, object] = {"_set": object.__setattr__, "_MISSING": dataclasses.MISSING}
    annotations: dict[str, object] = {}
    parameters, named, body = ["self"], ["*"], ["pass"]
    for field in dataclasses.fields(made):
        name, value, default = field.name, field.name, ""
        if field.default is not dataclasses.MISSING:
            known[f"_default_{name}"], default = field.default, f"=_default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            known[f"_default_{name}"], default = field.default_factory, "=_MISSING"
            value = f"_default_{name}() if {name} is _MISSING else {name}"
        (named if field.kw_only else parameters).append(name + default)
        body.append(f"_set(self, {name!r}, {value})")
        annotations[name] = field.type
    if hasattr(made, "__post_init__"):
        body.append("self.__post_init__()")
    parameters += named if len(named) > 1 else []
    text = f"def _in({', '.join(known)}):\n def __init__({', '.join(parameters)}):\n  " + "\n  ".join(body)
    found: dict[str, Callable[..., Callable[..., None]]] = {}
    exec(text + "\n return __init__", vars(sys.modules[made.__module__]), found)  # noqa: S102  names of fields
    initialiser = found["_in"](**known)
    initialiser.__annotations__ = {**annotations, "return": None}
    initialiser.__qualname__ = f"{made.__qualname__}.__init__"
    return initialiser


def _repr(self: DataclassInstance) -> str:
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self))
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _setattr(_self: object, name: str, _value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(_self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: DataclassInstance) -> list[object]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _setstate(self: DataclassInstance, state: Sequence[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_SHARED = {
    "__repr__": _repr,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}
_MADE = {"__init__", "__eq__", "__hash__", *_SHARED}
