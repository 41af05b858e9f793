"""How far a model may look around is written down for people, and holds as it is written."""

from __future__ import annotations

import re
from pathlib import Path

from roundzero.core.toolbox import Bounds
from roundzero.engine.fact_check import BOUNDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "model.md"


def test_the_page_names_every_bound_of_a_conversation() -> None:
    """Of a draft and of a fact check, with the numbers that are in force."""
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    (said,) = re.findall(r"Looking around has bounds, which are no settings: (.+?)\. What", text)
    draft, check = Bounds(), BOUNDS
    numbers = [
        draft.calls, draft.at_once, draft.turns, f"{draft.bytes:,}", f"{draft.seconds:g}", f"{draft.each:g}",
        check.calls, check.turns, f"{check.bytes:,}",
    ]  # fmt: skip
    assert re.findall(r"[0-9][0-9,]*", said) == [str(each) for each in numbers]
