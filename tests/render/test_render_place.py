"""Evidence that is nothing but the finding's own line is in the data, and no noise where people read."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.finding import PLACE, evidence_at
from roundzero.render import json as json_format
from roundzero.render import markdown, sarif, terminal
from roundzero.render.look import Look
from support.report import finding, report, span

if TYPE_CHECKING:
    from roundzero.core.report import Report

TEXT = "import os\ndef load(path, cache={}):\n    return cache\n"


def both() -> tuple[Report, Report]:
    """A report whose finding has no evidence, and the same with its own line as evidence."""
    bare = finding(at=span(2, 17, 19))
    without = report([bare], texts={"app.py": TEXT})
    head = without.change.files[0].head
    assert head is not None
    seen = replace(bare.seen, evidence=(evidence_at(head, 2, PLACE),))
    return without, replace(without, findings=(replace(bare, seen=seen),))


def test_people_see_the_line_once() -> None:
    """The terminal, Markdown and SARIF show where a finding stands without it."""
    without, given = both()
    for render in (terminal.render, markdown.render, sarif.render):
        assert render(given, Look()) == render(without, Look())


def test_programs_get_it() -> None:
    """The JSON report quotes the line with its blob."""
    _, given = both()
    (row,) = json.loads(json_format.render(given, Look()))["findings"]
    assert row["evidence"] == [
        {
            "path": "app.py",
            "side": "head",
            "line": 2,
            "quote": "def load(path, cache={}):",
            "role": "place",
            "verified": "exact",
            "blob": "0" * 40,
        }
    ]
