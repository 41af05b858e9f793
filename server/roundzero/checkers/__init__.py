"""Checkers: what neither ruff nor a structural pattern can say, one file each, found by discovery.

Importing this package is cheap; ``find`` imports the one checker that somebody has a use for, so that a review does not
pay for checkers that no item of it names, nor a look at one file for those of the change as a whole. Nothing here
starts a process, reads a file under review or imports a model of the wire.
Invariant: adding a module adds its checker; nowhere else is it named.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.checkers._base import Checker

_RUNNERS: Final = frozenset({"run", "run_change"})

_WIDE: Final = frozenset({"ChangeChecker", "SymbolChecker"})
"""What derives from one of these looks at the change as a whole."""


@cache
def names() -> frozenset[str]:
    """The names of all checkers. A module is named like its checker; leading underscores are support."""
    import pkgutil  # noqa: PLC0415  only who checks pays for it

    modules = (module.name for module in pkgutil.iter_modules(__path__))
    return frozenset(name.replace("_", "-") for name in modules if not name.startswith("_") and name not in _RUNNERS)


@cache
def find(name: str) -> type[Checker] | None:
    """The checker of that name, imported when first asked for; None: there is none. Raises what its module does."""
    from importlib import import_module  # noqa: PLC0415  as above

    if name not in names():
        return None
    checker: type[Checker] = import_module(f"{__name__}.{name.replace('-', '_')}").CHECKER
    return checker


@cache
def is_wide(name: str) -> bool:
    """Whether a checker looks at the change as a whole; False for one that there is not.

    Read from its text, so that it is not imported by who has no use for it.
    """
    if name not in names():
        return False
    module = name.replace("-", "_")
    try:
        with open(f"{__path__[0]}/{module}.py", encoding="utf-8") as file:  # noqa: PTH123  pathlib may not be loaded
            text = file.read()
    except OSError:  # installed without sources
        checker = find(name)
        return checker is not None and any(kind.__name__ in _WIDE for kind in checker.__mro__)
    return any(f"({kind}):\n" in text for kind in _WIDE)


def discover() -> Mapping[str, type[Checker]]:
    """All checkers by name."""
    found = ((name, find(name)) for name in sorted(names()))
    return MappingProxyType({name: checker for name, checker in found if checker is not None})


def load(wanted: Iterable[str]) -> Iterator[None]:
    """Import checkers one after the other, for who has something else to do in between. A broken one is left out."""
    from contextlib import suppress  # noqa: PLC0415  as above

    for name in wanted:
        with suppress(Exception):  # who asks for it later says so
            find(name)
        yield
