"""What one line of the Markdown report is made of: texts from elsewhere, our reasons, quotes and evidence.

Knows neither sections nor findings. Invariant: what ``Inline`` returns holds no secret, does nothing in a forge, and is
one line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.render.markdown_text import code, prose
from roundzero.render.markdown_words import markdown_words
from roundzero.render.redaction import Redactor
from roundzero.render.words import words

if TYPE_CHECKING:
    from roundzero.core.finding import Evidence
    from roundzero.core.report import Report

QUOTED: Final = 300
"""Most characters shown of a line of code."""


class Inline:
    """See the module. ``say`` are the words of this format, ``words`` those that formats share."""

    def __init__(self, report: Report) -> None:
        """Read the secrets of a report, and its language."""
        self.redactor = Redactor.of(report)
        self.say = markdown_words(report.language)
        self.words = words(report.language)

    def text(self, text: str) -> str:
        """Any text from elsewhere."""
        return prose(self.redactor.text(text))

    def reason(self, text: str) -> str:
        """A reason of ours in the reader's language."""
        return self.text(self.words.reason(text))

    def evidence(self, proof: Evidence) -> str:
        """Where a piece of evidence is, what it is there for, and how it reads."""
        place = code(f"{proof.path}:{proof.line}") + (f" ({self.words.at_base})" if proof.side is Side.BASE else "")
        line = self.say.evidence.format(place=place, role=self.reason(proof.role)).strip()
        quote = quoted(self.redactor.text(proof.quote).strip())
        return f"{line}{self.words.colon}{quote}" if quote else line


def quoted(line: str) -> str:
    """A line of code in which no secret is, cut where it is long; "" for white space alone."""
    return code(line if len(line) <= QUOTED else line[:QUOTED] + "…")
