"""The demonstration's scripted model says what is true of its files, but for the one quote that is to be dropped."""

from __future__ import annotations

from typing import Any

import demo_model
import demo_shop


def test_the_scripted_quotes_stand_in_the_demonstration() -> None:
    """Each at its line and side; exactly one is nowhere."""
    heads = {**demo_shop.BEFORE, **demo_shop.FIRST_COMMIT, **demo_shop.SECOND_COMMIT, **demo_shop.UNTRACKED}
    missing = 0
    answers: Any = demo_model.ANSWERS
    for quote in (each for answer in answers for found in answer["reply"]["findings"] for each in found["evidence"]):
        text = (demo_shop.BEFORE if quote["side"] == "base" else heads)[quote["path"]]
        lines = text.split("\n")
        missing += lines[quote["line"] - 1].strip() != quote["quote"]
    assert missing == 1
