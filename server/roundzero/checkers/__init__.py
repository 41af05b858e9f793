"""Checkers: what neither ruff nor a structural pattern can say, one file each, found by discovery.

Importing this package is cheap; ``discover`` imports the checkers. Nothing here starts a process, reads a file or
imports a model of the wire. Invariant: adding a module adds its checker; nowhere else is it named.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roundzero.checkers._base import Checker


@cache
def discover() -> Mapping[str, type[Checker]]:
    """All checkers by name. A module that defines one has ``CHECKER``; those with a leading underscore are support."""
    return MappingProxyType({checker.name: checker for checker in load()})


def load() -> Iterator[type[Checker]]:
    """Import the checkers one after the other, for who has something else to do in between."""
    import pkgutil  # noqa: PLC0415  only who checks pays for it
    from importlib import import_module  # noqa: PLC0415

    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        if module.name.startswith("_") or module.name in {"run", "run_change"}:
            continue
        checker: type[Checker] = import_module(f"{__name__}.{module.name}").CHECKER
        yield checker
