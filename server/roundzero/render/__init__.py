"""Output formats: one module per format, each with ``render(report, look) -> str``; the command line discovers them.

The modules named in ``SHARED`` are what the formats share. Nothing in here does IO. Invariant: a format is
a pure function of the report and the look.
"""

from typing import Final

SHARED: Final = frozenset(
    {
        "wire", "shapes", "stats_shapes", "kept", "case", "escape", "words", "reasons", "probe_reasons", "look",
        "excerpt", "redaction", "markdown_fix", "markdown_text", "markdown_words",
    }
)  # fmt: skip
"""Modules of this package that are not formats."""
