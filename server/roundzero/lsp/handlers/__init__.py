"""What the server does for each method of the protocol: one file for each concern, found by discovery.

A module in here has one public function ``register(server)``. Handlers of notifications are plain functions: as
coroutines they would interleave, and one for an older version would read a newer text. Invariant: a handler neither
blocks nor waits for an engine unless it answers a request.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roundzero.lsp.pygls_fixes import Server


def register_all(server: Server) -> None:
    """Register every handler."""
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda each: each.name):
        importlib.import_module(f"{__name__}.{module.name}").register(server)
