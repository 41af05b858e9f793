"""Whether a text stands in a file: as it is written, but for white space and marks.

Invariant: a text is said to be absent only where none of the ways to read it finds anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.claim_words import QUOTE
from roundzero.core.claims import unsure
from roundzero.core.quotes import Text, readings
from roundzero.core.units import redacted_source
from roundzero.engine.probes._view import bare

if TYPE_CHECKING:
    from collections.abc import Collection

    from roundzero.core.claims import Asked, Outcome
    from roundzero.engine.probes._view import ProbeView

_TELLING: Final = 3
"""Letters and digits, keywords aside, a text must have to be looked for."""


class QuoteAt:
    """See the module. ``expect`` may be the number of a line, which helps to read the quote and decides nothing."""

    kind = QUOTE

    def words(self, asked: Asked) -> Collection[str]:
        """None: the file is read."""
        del asked
        return ()

    def look(self, asked: Asked, view: ProbeView) -> Outcome:
        """See Probing."""
        text = asked.probe.subject
        path = view.file(asked.probe.path, asked.path) if bare(asked.probe.path) else asked.path
        source = view.source(path) if path is not None else None
        if path is None or source is None:
            return unsure(f"it is not clear which file {asked.probe.path} is")
        if Text.told(text) < _TELLING:
            return unsure("the text is too short to be looked for")
        expected = asked.probe.expect.strip()
        near = int(expected) if expected.isdecimal() and len(expected) < 8 else 0
        lines = [
            found.line
            for each in (redacted_source(source), source)
            for reading in readings(text, Text(each.index), near)
            for found in reading.found
        ]
        words = f"{path}:{min(lines)} reads so" if lines else f"{path} does not read so anywhere"
        return view.answer(asked, there=bool(lines), words=words, reads=(path,))


PROBE: Final = QuoteAt()
