"""What a model may look around with: read-only tools over one snapshot, each a file of this package.

A tool answers in lines about what the repository holds; whether it may be asked, how often and how long, is for
engine/toolbox to say. Invariants: a module of this package whose name does not begin with ``_`` defines ``TOOL``; a
tool reads through its view alone, so none can leave the repository, follow a link, or show what is kept back.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.engine.tools._arguments import Arguments, Parameter
    from roundzero.engine.tools._view import Found, ToolView


class Tool(Protocol):
    """One tool. ``description`` is for a model: what it answers, and what it cannot."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]

    def run(self, asked: Arguments, view: ToolView) -> Found:
        """Answer. Raises RefusedError with words for the model, OutsideError where the repository cannot be asked."""


@cache
def discover() -> Mapping[str, Tool]:
    """Every tool by its name, in the order of names."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    found: list[Tool] = [importlib.import_module(f"{__name__}.{name}").TOOL for name in names]
    return {tool.name: tool for tool in found}
