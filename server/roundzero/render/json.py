"""The report as one JSON document.

What the fields are is wire.py. Invariant: ends with a newline, and holds no raw character a terminal would act on.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from roundzero.render.escape import json_safe
from roundzero.render.wire import to_wire

if TYPE_CHECKING:
    from roundzero.core.report import Report
    from roundzero.render.look import Look


def render(report: Report, look: Look) -> str:  # noqa: ARG001  every format takes a look
    """One indented document."""
    return json_safe(json.dumps(to_wire(report), ensure_ascii=False, indent=2)) + "\n"
