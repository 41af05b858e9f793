"""SARIF says what the report says, where code scanning looks for it. The schema is checked in tests/e2e."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest

from roundzero.core.change import Side, Skip, SkipKind
from roundzero.core.finding import Anchor, Evidence, Origin, State, Verified
from roundzero.core.item import ItemId, Severity
from roundzero.core.report import ChecklistLine, ItemStatus, Report
from roundzero.core.text import Position, RelPath, Span
from roundzero.render.look import Look
from roundzero.render.sarif import render
from support.report import finding, fix, report, span

ODD = RelPath(b"caf\xe9 #1?.py".decode("utf-8", "surrogateescape"))
TEXT = "import os\ndef load(path, cache={}):\n    return cache\n"


def run(made: Report) -> dict[str, Any]:
    """The only run of the document."""
    document = json.loads(render(made, Look()))
    assert document["version"] == "2.1.0"
    (only,) = document["runs"]
    assert isinstance(only, dict)
    return only


def result(made: Report) -> dict[str, Any]:
    """The only result."""
    (only,) = run(made)["results"]
    assert isinstance(only, dict)
    return only


def test_a_result_has_place_rule_level_and_fingerprint() -> None:
    """Columns count code points from 1 with an exclusive end; the group is the fingerprint; nothing is absolute."""
    made = report([finding(at=span(2, 17, 25), severity=Severity.P0, blocking=True)], texts={"app.py": TEXT})
    only, whole = result(made), run(made)
    assert whole["columnKind"] == "unicodeCodePoints"
    assert only["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "app.py", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 2, "startColumn": 17, "endLine": 2, "endColumn": 25},
            }
        }
    ]
    assert whole["tool"]["driver"]["rules"][only["ruleIndex"]]["id"] == only["ruleId"] == "python/mutable-default"
    assert only["partialFingerprints"] == {"roundzero/v1": "000000000000"}
    assert (only["level"], only["properties"]["blocking"]) == ("error", True)
    assert "uri" not in whole["originalUriBaseIds"]["%SRCROOT%"]
    (invocation,) = whole["invocations"]
    assert (invocation["executionSuccessful"], invocation["endTimeUtc"]) == (True, "2026-01-02T03:04:05Z")


@pytest.mark.parametrize(
    ("severity", "level"),
    [(Severity.P0, "error"), (Severity.P1, "error"), (Severity.P2, "warning"), (Severity.P3, "note")],
)
def test_levels_follow_severities(severity: Severity, level: str) -> None:
    """What may block is an error, P2 a warning, P3 a note."""
    assert result(report([finding(severity=severity)]))["level"] == level


@pytest.mark.parametrize(
    ("origin", "state", "baseline"),
    [
        (Origin.INTRODUCED, State.OPEN, "new"),
        (Origin.EXPOSED, State.OPEN, "updated"),
        (Origin.PRE_EXISTING, State.OPEN, "unchanged"),
        (Origin.INTRODUCED, State.FIXED, "absent"),
        (Origin.INTRODUCED, State.REFUTED, "absent"),
        (Origin.EXPOSED, State.SUPERSEDED, "absent"),
        (Origin.INTRODUCED, State.STALE, "new"),
    ],
)
def test_the_baseline_follows_origin_and_state(origin: Origin, state: State, baseline: str) -> None:
    """Introduced is new, exposed updated, pre-existing unchanged, and what left is absent."""
    assert result(report([finding(origin=origin, state=state)]))["baselineState"] == baseline


def test_a_dismissed_finding_is_suppressed_and_does_not_count() -> None:
    """By a comment it is suppressed in source, otherwise externally, with the reason; others are not suppressed."""
    made = report(
        [
            finding(state=State.DISMISSED, state_text="a cache", identity="rz-1").but(state_by="code"),
            finding(state=State.DISMISSED, state_text="later", identity="rz-2").but(state_by="ann"),
            finding(identity="rz-3"),
        ]
    )
    whole = run(made)
    assert [each["suppressions"] for each in whole["results"]] == [
        [{"kind": "inSource", "status": "accepted", "justification": "a cache"}],
        [{"kind": "external", "status": "accepted", "justification": "later"}],
        [],
    ]
    assert whole["properties"]["counts"] == {"P0": 0, "P1": 0, "P2": 1, "P3": 0}


def test_a_fix_replaces_regions() -> None:
    """Edits are grouped by file; an insertion deletes an empty region."""
    insertion = fix("b.py", span(1, 1, 1), "", "import c\n").edits
    made = fix("app.py", span(2, 22, 24), "{}", "None")
    only = result(report([finding(at=span(2, 22, 24), fixes=(replace(made, edits=(*made.edits, *insertion)),))]))
    (change,) = only["fixes"]
    assert change["description"] == {"text": "Write None"}
    assert [each["artifactLocation"]["uri"] for each in change["artifactChanges"]] == ["app.py", "b.py"]
    assert [each["replacements"] for each in change["artifactChanges"]] == [
        [
            {
                "deletedRegion": {"startLine": 2, "startColumn": 22, "endLine": 2, "endColumn": 24},
                "insertedContent": {"text": "None"},
            }
        ],
        [
            {
                "deletedRegion": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1},
                "insertedContent": {"text": "import c\n"},
            }
        ],
    ]
    assert "fixes" not in result(report([finding()]))


def test_a_path_is_its_bytes_percent_encoded() -> None:
    """Spaces, reserved characters, other alphabets and bytes that are not UTF-8 come back as they were."""
    for path in (ODD, RelPath("目录/a b%20c:d.py"), RelPath("a\\b@c.py")):
        made = report([finding(path, span(1, 1, 2))], texts={path: "x\n"})
        uri = result(made)["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.isascii()
        assert not set(uri) & set(' #?:\\"<>[]{}|^`')
        assert unquote_to_bytes(uri) == path.encode("utf-8", "surrogateescape")
        assert run(made)["artifacts"][0]["location"]["uri"] == uri


def test_evidence_is_related_and_the_base_has_its_own_root() -> None:
    """Each proof is a related location with its quote; a line of the base does not point into today's files."""
    proof = Evidence(path=RelPath("lib.py"), side=Side.BASE, line=7, quote="x = 1", role="definition", blob="1" * 40)
    made = finding(at=span(2, 1, 4))
    only = result(report([made.but(seen=replace(made.seen, evidence=(proof,)))]))
    assert only["relatedLocations"] == [
        {
            "id": 1,
            "physicalLocation": {
                "artifactLocation": {"uri": "lib.py", "uriBaseId": "%MERGEBASE%"},
                "region": {"startLine": 7, "snippet": {"text": "x = 1"}},
            },
            "message": {"text": "definition"},
        }
    ]


def test_what_is_not_in_the_text_is_no_related_location() -> None:
    """A quote that nobody found has no place, wherever it is said to stand."""
    made_up = Evidence(
        path=RelPath("../../etc/passwd"), side=Side.HEAD, line=1, quote="root", role="x", blob="",
        verified=Verified.MISSING,
    )  # fmt: skip
    made = finding(at=span(2, 1, 4))
    assert result(report([made.but(seen=replace(made.seen, evidence=(made_up,)))]))["relatedLocations"] == []


def places(only: dict[str, Any], kind: str) -> list[tuple[str, str, int | None]]:
    """Root, path and line of each location."""
    physical = [each["physicalLocation"] for each in only[kind]]
    return [
        (
            each["artifactLocation"]["uriBaseId"],
            each["artifactLocation"]["uri"],
            each.get("region", {}).get("startLine"),
        )
        for each in physical
    ]


def test_what_is_not_on_a_line_of_today_hangs_on_the_changed_line() -> None:
    """A finding of the base, or about the whole change, is placed at its anchor; one outside the diff at its place."""
    anchor = Anchor(RelPath("app.py"), 2)
    removed = result(report([finding("old.py", span(9, 1, 5), side="base").but(anchor=anchor)]))
    assert places(removed, "locations") == [("%SRCROOT%", "app.py", 2)]
    assert places(removed, "relatedLocations") == [("%MERGEBASE%", "old.py", 9)]
    whole = result(report([finding(None).but(anchor=anchor)]))
    assert places(whole, "locations") == [("%SRCROOT%", "app.py", 2)]
    far = result(report([finding("far.py", span(9, 1, 5)).but(in_diff=False, anchor=anchor)]))
    assert places(far, "locations") == [("%SRCROOT%", "far.py", 9)]
    assert places(far, "relatedLocations") == [("%SRCROOT%", "app.py", 2)]
    assert result(report([finding(None)]))["locations"] == []
    assert places(result(report([finding()])), "locations") == [("%SRCROOT%", "app.py", None)]


def test_rules_are_the_items_that_were_looked_at() -> None:
    """With title, reason and severity; an item of a finding is there even when no checklist names it."""
    lines = tuple(
        ChecklistLine(
            pack="p", item=ItemId(f"p/{status.value}"), title="t", status=status, why="w", severity=Severity.P1
        )
        for status in ItemStatus
    )
    made = replace(report([finding(item="q/other")]), checklists=lines)
    rules = run(made)["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["p/pass", "p/fail", "q/other"]
    assert rules[0] == {
        "id": "p/pass",
        "shortDescription": {"text": "t"},
        "fullDescription": {"text": "w"},
        "help": {"text": "w"},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["p"], "severity": "P1", "problem.severity": "error"},
    }


def test_the_message_does_not_repeat_the_rule() -> None:
    """The reason is the rule's where they are the same, and part of the message where the finding has its own."""
    made = report([finding(why="w")])
    assert result(made)["message"] == {"text": "a default is shared. w"}
    line = replace(made.checklists[0], why="w")
    assert result(replace(made, checklists=(line,)))["message"] == {"text": "a default is shared"}


def test_gaps_are_notifications() -> None:
    """What was not looked at, failures, doubts and notices are said in the invocation."""
    skips = (
        Skip(path=ODD, kind=SkipKind.NOT_CHECKED, reason="not UTF-8"),
        Skip(path=RelPath("a.png"), kind=SkipKind.BY_RULE, reason="binary"),
    )
    made = report(skipped=skips, doubts=("stale",), notices=("hello",))
    made = replace(made, stats=replace(made.stats, failures=("ruff broke",)))
    (invocation,) = run(made)["invocations"]
    said = [(each["level"], each["message"]["text"]) for each in invocation["toolExecutionNotifications"]]
    assert said == [
        ("warning", "not checked: not UTF-8"),
        ("note", "skipped: binary"),
        ("warning", "not checked: ruff broke"),
        ("warning", "the base is in doubt: stale"),
        ("note", "hello"),
    ]


def test_text_makes_no_link_and_no_control_character() -> None:
    """Brackets of the code are no SARIF link; the bytes hold nothing a terminal acts on; values survive."""
    made = report([finding(title="see [x](http://y.z)\x1b\u202e{0}", at=Span(Position(1, 1), Position(3, 1)))])
    assert result(made)["message"]["text"].startswith("see [x\\](http://y.z)\x1b\u202e{0}")
    text = render(made, Look()).replace("\n", "")
    assert not [each for each in text if unicodedata.category(each) in {"Cc", "Cs"} or each == "\u202e"]


def test_no_secret_is_in_the_document() -> None:
    """A credential in evidence is replaced, and a fix that would show one is left out."""
    key = "AKIAIOSFODNN7QWERTYU"
    text = f'key = "{key}"\n'
    proof = Evidence(path=RelPath("app.py"), side=Side.HEAD, line=1, quote=text, role="use", blob="1" * 40)
    made = finding(at=span(1, 1, 4), fixes=(fix("app.py", span(1, 1, 29), text, ""),))
    only = report([made.but(seen=replace(made.seen, evidence=(proof,)))], texts={"app.py": text})
    assert key not in render(only, Look())
    assert "fixes" not in result(only)


def test_equal_reports_give_equal_bytes() -> None:
    """The same report is the same document."""
    findings = [finding(), finding(identity="rz-2", item="a/b"), finding(identity="rz-3", item="c/d")]
    assert render(report(findings), Look()) == render(report(findings), Look())
