"""Loads lsprotocol's types without building all of its classes.

Importing ``lsprotocol.types`` compiles 554 attrs classes, 260 ms of a start of 360; a session uses some 80 of them.
Here each class is built when it is first constructed or inspected. That leans on how attrs and lsprotocol are written,
so it is done for the pinned versions only and the stock import is the fallback; nothing else may depend on which one
ran.
Invariant: ``attrs.define`` is the real one again when ``load`` returns.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PINNED: Final[Mapping[str, tuple[str, ...]]] = {"lsprotocol": ("2025.0.0",), "attrs": ("26.1.0", "25.4.0", "25.3.0")}
"""The versions this was tested with."""

VARIABLE: Final = "ROUNDZERO_LSP_TYPES"
"""Environment variable; ``stock`` forces the ordinary import."""

_TYPES: Final = "lsprotocol.types"
_FIELDS: Final = "__attrs_attrs__"


def load() -> bool:
    """Import ``lsprotocol.types``, lazily where that is safe. True: it was done, and lazily."""
    if _TYPES in sys.modules:
        return False
    if os.environ.get(VARIABLE) == "stock" or not _versions_fit():
        importlib.import_module(_TYPES)
        return False
    import attrs  # noqa: PLC0415  not needed for the stock import

    real = attrs.define
    try:
        attrs.define = _lazily(real)  # for the length of one import
        importlib.import_module(_TYPES)
    finally:
        attrs.define = real
    # Without this the first converter would resolve, and so build, every class at once; build() resolves each alone.
    hooks: Any = importlib.import_module("lsprotocol._hooks")
    hooks._resolved_forward_references = True  # noqa: SLF001  no public switch exists
    return True


def _versions_fit() -> bool:
    """Whether the installed versions are among the pinned ones.

    Asks for the folder an installer leaves beside a package; ``importlib.metadata`` would parse it, for 10 ms.
    """
    for name, versions in PINNED.items():
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            return False
        site = Path(spec.origin).parent.parent
        if not any((site / f"{name}-{version}.dist-info").is_dir() for version in versions):
            return False
    return True


def _lazily(real: Callable[..., Any]) -> Callable[..., Any]:
    """A stand-in for ``attrs.define`` that notes what is to be done instead of doing it."""

    def define(cls: type | None = None, **options: Any) -> Any:  # noqa: ANN401  whatever attrs takes and keeps
        def note(cls: type) -> type:
            setattr(cls, _FIELDS, _Unbuilt(cls, real, options))
            setattr(cls, "__init__", _build_and_construct)  # noqa: B010  mypy takes the plain spelling for a mistake
            return cls

        return note if cls is None else note(cls)

    return define


class _Unbuilt:
    """Stands where attrs keeps a class's fields; being asked for them builds the class."""

    __slots__ = ("_cls", "_options", "_real")

    def __init__(self, cls: type, real: Callable[..., Any], options: Mapping[str, Any]) -> None:
        self._cls = cls
        self._real = real
        self._options = options

    def __get__(self, instance: object, owner: type) -> Any:  # noqa: ANN401  whatever attrs takes and keeps
        self.build()
        return getattr(owner, _FIELDS)

    def build(self) -> None:
        cls = self._cls
        if vars(cls).get(_FIELDS) is not self:
            return
        for base in cls.__mro__[1:]:
            if isinstance(unbuilt := vars(base).get(_FIELDS), _Unbuilt):
                unbuilt.build()
        delattr(cls, _FIELDS)
        delattr(cls, "__init__")  # the note's; attrs writes the real one
        # Slots would need a new class object, and the old one is already referred to everywhere.
        self._real(cls, slots=False, **self._options)
        import attrs  # noqa: PLC0415  not needed for the stock import

        attrs.resolve_types(cls, sys.modules[cls.__module__].ALL_TYPES_MAP, {})


def _build_and_construct(self: Any, *values: Any, **named: Any) -> None:  # noqa: ANN401  whatever attrs takes and keeps
    for cls in type(self).__mro__:
        if isinstance(unbuilt := vars(cls).get(_FIELDS), _Unbuilt):
            unbuilt.build()
            break
    type(self).__init__(self, *values, **named)
