"""Checks a machine can make of a claim, each kind a file of this package.

A probe reads the reviewed head through its view and says whether what was expected is so. It would rather know nothing
than be wrong: code that makes names while it runs, text nobody parsed, files nobody read, names that may be others all
make it say that it cannot tell. Invariants: a module of this package whose name does not begin with ``_`` defines
``PROBE``; a probe neither writes nor sends, and greps for no word but those it named.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from roundzero.core.claims import Asked, Outcome
    from roundzero.engine.probes._view import ProbeView


class Probing(Protocol):
    """One kind of probe."""

    kind: str

    def words(self, asked: Asked) -> Collection[str]:
        """The words whose lines it will want to see: they are looked for together."""

    def look(self, asked: Asked, view: ProbeView) -> Outcome:
        """Whether what is expected is so. Raises OutsideError where the repository cannot be asked."""


@cache
def discover() -> Mapping[str, Probing]:
    """Every kind of probe by its name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    found: list[Probing] = [importlib.import_module(f"{__name__}.{name}").PROBE for name in names]
    return {probe.kind: probe for probe in found}
