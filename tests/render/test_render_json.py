"""JSON and ndjson keep to what is published."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pydantic import TypeAdapter

import roundzero.render
from roundzero.core.change import Side, Skip, SkipKind
from roundzero.core.finding import Anchor, Evidence, State
from roundzero.core.item import Severity
from roundzero.core.text import RelPath
from roundzero.render import json as json_format
from roundzero.render import ndjson
from roundzero.render.look import Look
from roundzero.render.shapes import Event, ReportWire
from roundzero.render.wire import to_wire
from support.report import finding, fix, report, span

if TYPE_CHECKING:
    from roundzero.core.report import Report

ODD = RelPath(b"caf\xe9.py".decode("utf-8", "surrogateescape"))
SCHEMAS = Path(roundzero.render.__file__).parent / "schema"


def rich_report() -> Report:
    """A report with every optional part."""
    evidence = Evidence(path=ODD, side=Side.BASE, line=3, quote="x\udcff", role="definition", blob="1" * 40)
    first = finding(ODD, span(1, 2, 3), fixes=(fix(ODD, span(1, 2, 3), "x", "y"),))
    first = first.but(seen=replace(first.seen, evidence=(evidence,)), in_diff=False, anchor=Anchor(ODD, 2))
    second = finding(None, severity=Severity.P0, blocking=True, identity="rz-2")
    third = finding("b.py", state=State.DISMISSED, state_text="intended", identity="rz-3")
    skip = Skip(path=ODD, kind=SkipKind.NOT_CHECKED, reason="not UTF-8")
    return report([first, second, third], texts={"b.py": "a\n", ODD: "a\n"}, skipped=(skip,), notices=("hello",))


@pytest.mark.parametrize("made", [report(), rich_report()])
def test_json_has_exactly_the_schemas_fields(made: Report) -> None:
    """Every value has the type the schema says, every field is there, and none is unknown."""
    document = json.loads(json_format.render(made, Look()))
    TypeAdapter(ReportWire).validate_python(document, strict=True, extra="forbid")
    schema = json.loads((SCHEMAS / "report-1.json").read_text())
    assert list(document) == schema["required"]


def test_json_follows_the_order_of_the_contract() -> None:
    """Top-level fields come in the published order, and all fields of a finding are there."""
    wire = to_wire(rich_report())
    names = "schema tool reviewed_at verdict base head round counts coverage overview checklists strengths findings"
    assert [name for name in wire if name not in {"settings_changed", "notices"}] == [*names.split(), "stats"]
    fields = (
        "id group item severity blocking not_blocking_because title why trigger base_to_head mechanism consequence "
        "severity_reason path side symbol range in_diff anchor origin state state_reason regressions first_seen "
        "last_seen family related source producer producer_version evidence negative_evidence claims open_questions "
        "votes suggestions fixes checklist confirmed contradictions reverses"
    )
    assert [name for name in wire["findings"][2] if name != "path_bytes"] == fields.split()


def test_a_path_that_is_not_utf8_carries_its_bytes() -> None:
    """Wherever such a path appears it shows U+FFFD, and ``path_bytes`` beside it holds base64."""
    wire = to_wire(rich_report())
    odd = next(each for each in wire["findings"] if each["path"] == "caf\ufffd.py")
    places = [odd, odd["evidence"][0], odd["anchor"], odd["fixes"][0]["edits"][0], wire["coverage"]["skipped"][0]]
    assert [place["path_bytes"] for place in places if place] == ["Y2Fm6S5weQ=="] * 5
    assert "path_bytes" not in wire["findings"][0]


def test_equal_reports_give_equal_bytes() -> None:
    """The same report is the same document."""
    assert json_format.render(rich_report(), Look()) == json_format.render(rich_report(), Look())


def test_json_is_quiet_on_a_terminal() -> None:
    """No raw control or bidirectional character stands in the document."""
    document = json_format.render(report([finding(title="\x1b[2J\u202e\x9b")]), Look())
    assert not {"\x1b", "\u202e", "\x9b"} & set(document)
    assert json.loads(document)["findings"][0]["title"] == "\x1b[2J\u202e\x9b"


def test_ndjson_is_the_same_report_as_events() -> None:
    """``start``, a line per finding in order, ``end``; together they hold the JSON report."""
    lines = ndjson.render(rich_report(), Look()).splitlines()
    events = [json.loads(line) for line in [*lines, ndjson.progress("checks", 1, None)]]
    for event in events:
        TypeAdapter(Event).validate_python(event, strict=True, extra="forbid")
    assert [event["event"] for event in events] == ["start", "finding", "finding", "finding", "end", "progress"]
    whole = {**events[0], **events[4], "findings": [event["finding"] for event in events[1:4]]}
    del whole["event"]
    assert whole == to_wire(rich_report())


def test_the_json_formats_load_nothing_heavy() -> None:
    """Rendering JSON needs neither pydantic nor rich."""
    names = ", ".join(f"roundzero.render.{name}" for name in ("json", "ndjson", "terminal"))
    program = f"import sys, {names}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pydantic", "typing_extensions", "rich", "pygls", "httpx", "git", "asyncio"} & set(loaded)
