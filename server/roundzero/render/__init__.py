"""Output formats: one module per format, each with ``render(report, look) -> str``, found by ``formats``.

The modules named in ``_SHARED`` are what the formats share. Nothing in here does IO. Invariant: a format is
a pure function of the report and the look.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from roundzero.core.report import Report
    from roundzero.render.look import Look

_SHARED: Final = frozenset(
    {
        "wire", "shapes", "stats_wire", "stats_shapes", "kept", "case", "escape", "words", "reasons", "probe_reasons",
        "look", "excerpt", "redaction", "markdown_finding", "markdown_fix", "markdown_inline",
        "markdown_text", "markdown_words",
    }
)  # fmt: skip
"""Modules of this package that are not formats."""


def formats() -> tuple[str, ...]:
    """The names of all output formats, in the order of the alphabet. Imports none of them."""
    return tuple(sorted(each.name for each in iter_modules(__path__) if each.name not in _SHARED))


def rendered(name: str, report: Report, look: Look) -> str:
    """A report in one of the ``formats``."""
    text: str = import_module(f"{__name__}.{name}").render(report, look)
    return text
