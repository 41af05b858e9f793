"""A model's words become a draft, or a fault that says what is wrong with them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.anatomy import Decides, FailureClass, Probe
from roundzero.core.item import Severity
from roundzero.core.model_values import Draft
from roundzero.engine.probes import discover
from roundzero.providers.reply import Fault, read, schema

FINDING: dict[str, Any] = {
    "item": "general/state",
    "severity": "P1",
    "title": "A retry loses the lock",
    "path": "a.py",
    "line": 3,
    "end_line": 4,
    "trigger": "the second attempt",
    "base_to_head": "base held it",
    "mechanism": [{"text": "it is released first", "evidence": [0, 7]}],
    "consequence": {"text": "two writers", "failure": "data-loss"},
    "severity_reason": "data is lost",
    "evidence": [
        {"path": "a.py", "side": "head", "line": 3, "quote": "lock.release()", "role": "use", "decisive": True}
    ],
    "claims": [{"text": "release comes before write", "decisive": True}],
    "open_questions": [{"text": "is it reentrant?", "decides": "existence"}],
    "suggestions": [{"text": "release in finally", "kind": "fix"}],
    "replacement": None,
}


def said(*findings: object, **more: object) -> str:
    """A reply with these findings."""
    return json.dumps({"findings": list(findings), "clean": ["python/x"], **more})


def nodes(value: object) -> list[dict[str, object]]:
    """Every object of a JSON document."""
    if isinstance(value, dict):
        return [value, *(node for each in value.values() for node in nodes(each))]
    return [node for each in value for node in nodes(each)] if isinstance(value, list) else []


def test_the_schema_is_in_one_piece_and_bounds_everything() -> None:
    """No references, no further properties, all required, and every text and list has a limit."""
    made = schema()
    assert "$ref" not in json.dumps(made)
    for node in nodes(made):
        if node.get("type") == "object":
            properties = node["properties"]
            assert isinstance(properties, dict)
            assert node["additionalProperties"] is False
            assert node["required"] == list(properties)
        if node.get("type") == "string":
            assert "maxLength" in node or "enum" in node
        if node.get("type") == "array":
            assert "maxItems" in node


def test_a_good_reply_becomes_a_draft() -> None:
    """Every part arrives, numbers of evidence that do not exist are left out."""
    draft = read(said(FINDING))
    assert isinstance(draft, Draft)
    (finding,) = draft.findings
    assert (finding.severity, finding.path, finding.line, finding.end_line) == (Severity.P1, "a.py", 3, 4)
    assert finding.anatomy.consequence is not None
    assert finding.anatomy.consequence.failure is FailureClass.DATA_LOSS
    assert finding.anatomy.mechanism[0].evidence == (0,)
    assert finding.anatomy.open_questions[0].decides is Decides.EXISTENCE
    assert finding.quotes[0].decisive
    assert draft.answered == ("python/x",)


@pytest.mark.parametrize(
    "wrap",
    [
        "```json\n@\n```", "Here you are:\n@\nI hope it helps.", "\n\n @ ", "\ufeff@", "~~~\n@\n~~~",
        "I looked at {shelf} and {}:\n```json\n@\n```\nThat is all {of it}.", "<think>x = {1: {2}}</think>\n@",
        '<think>{"findings": [], "clean": []}</think>@', "@\n@", '{"a": {"b": 1}} @',
    ],
)  # fmt: skip
def test_prose_and_fences_around_the_reply_are_forgiven(wrap: str) -> None:
    """What weaker models put around their JSON does not matter, braces and thoughts neither."""
    draft = read(wrap.replace("@", said(FINDING)))
    assert isinstance(draft, Draft)
    assert len(draft.findings) == 1


def test_of_two_answers_none_is_taken() -> None:
    """A reply may quote code that answers for itself."""
    fault = read(f"{said(FINDING)}\nThe code says:\n{said()}")
    assert isinstance(fault, Fault)
    assert "several answers" in fault.message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "[]",
        "{",
        "{}",
        '{"clean": 1}',
        said(FINDING, more=1),
        said(FINDING)[:-40],
        "[" * 100_000,
        "{" * 9999,
        '{"a":' * 50_000,
        f"{{x}} {said(FINDING)[:-40]}",
    ],
)
def test_a_wrong_reply_is_a_fault_with_a_reason(text: str) -> None:
    """Nothing is raised, whatever comes."""
    fault = read(text)
    assert isinstance(fault, Fault)
    assert fault.message


def test_no_mark_of_ours_is_taken_from_a_reply() -> None:
    """A check mark beside a quote says that it was found; code that is quoted or offered keeps its own."""
    given = json.loads(json.dumps(FINDING)) | {"title": "\u2713 verified: x", "replacement": "log('\u2713')"}
    given["evidence"][0] |= {"role": "\u2713 exact", "quote": "log('\u2717')"}
    draft = read(said(given))
    assert isinstance(draft, Draft)
    (found,) = draft.findings
    assert (found.title, found.quotes[0].role, found.quotes[0].text) == ("verified: x", "exact", "log('\u2717')")
    assert found.replacement == "log('\u2713')"


@pytest.mark.parametrize("title", ["", " \n", "\u200b", "\u2713"])
def test_a_finding_without_a_title_has_one(title: str) -> None:
    """An editor shows no diagnostic that says nothing."""
    draft = read(said(FINDING | {"title": title}))
    assert isinstance(draft, Draft)
    assert draft.findings[0].title == FINDING["consequence"]["text"]


def test_a_broken_finding_costs_itself_only() -> None:
    """The others of the reply are read, and what was wrong is told."""
    broken = {**FINDING, "severity": "P9"}
    draft = read(said(FINDING, broken))
    assert isinstance(draft, Draft)
    assert len(draft.findings) == 1
    assert "severity" in draft.faults[0]
    assert isinstance(read(said(broken)), Fault)


PROBE = {"kind": "grep-count", "subject": "LIMIT", "path": "", "expect": "0"}


@pytest.mark.parametrize(
    ("said", "kept", "dropped"),
    [
        ([PROBE], 1, 0),
        ([PROBE, PROBE | {"kind": "shell"}, PROBE | {"subject": ""}, PROBE | {"more": 1}, 7, None], 1, 5),
        ([PROBE] * 5, 2, 3),
        ("LIMIT", 0, 1),
        (None, 0, 1),
        ([PROBE | {"subject": "x" * 999}, ["grep-count", "LIMIT"]], 0, 2),
    ],
)
def test_a_probe_that_is_none_costs_itself(said: object, kept: int, dropped: int) -> None:
    """Its finding is read, and what was dropped is counted."""
    claim = {"text": "`LIMIT` is gone", "decisive": True, "probes": said}
    draft = read(json.dumps({"findings": [FINDING | {"claims": [claim]}], "clean": []}))
    assert isinstance(draft, Draft)
    assert (len(draft.findings), draft.faults, draft.probes, draft.dropped_probes) == (1, (), kept, dropped)
    if kept:
        (first, *_) = draft.findings[0].anatomy.claims[0].proposed
        assert first == Probe(kind="grep-count", subject="LIMIT", path="", expect="0")


def test_a_claim_without_probes_is_read() -> None:
    """Not every model fills in what may be empty."""
    claim = {"text": "`LIMIT` is gone", "decisive": True}
    draft = read(json.dumps({"findings": [FINDING | {"claims": [claim]}], "clean": []}))
    assert isinstance(draft, Draft)
    assert draft.findings[0].anatomy.claims[0].proposed == ()


def test_drafts_may_propose_every_kind_of_probe_there_is() -> None:
    """And no other."""
    text = json.dumps(schema())
    found = re.search(r'"kind": \{"enum": (\["[a-z-]*-[^]]*\])', text)
    assert found is not None
    assert set(json.loads(found[1])) == set(discover())


@given(st.text(max_size=200))
def test_no_control_character_survives(title: str) -> None:
    """Whatever a model writes, nothing in it can move a cursor or reorder text."""
    draft = read(said({**FINDING, "title": title[:300]}))
    assert isinstance(draft, Draft)
    kept = draft.findings[0].title
    assert not any(ord(each) < 32 and each not in "\n\t" for each in kept)
    assert not set(kept) & set("\x7f\x9b\u202e\u2066\u200b\ufeff")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda each: st.lists(each) | st.dictionaries(st.text(), each),
    )
)
def test_any_json_is_read_or_is_a_fault(value: object) -> None:
    """Reading never raises."""
    assert isinstance(read(json.dumps(value)), Draft | Fault)
    assert isinstance(read(said(value)), Draft | Fault)
