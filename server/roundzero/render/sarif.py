"""The report as SARIF 2.1.0, for code scanning services and viewers.

Built on the JSON report, so that nothing is said here that is not said there. A line of the base is placed under a URI
base of its own: no viewer shall open today's file at yesterday's line. A dismissed finding is a suppressed result.
Invariant: equal reports give equal bytes but for ``endTimeUtc``, and the document holds no absolute path.
"""

from __future__ import annotations

import json
from base64 import b64decode
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from roundzero.core.finding import PLACE
from roundzero.core.report import ItemStatus
from roundzero.render.escape import json_safe, valid
from roundzero.render.wire import to_wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.item import Severity
    from roundzero.core.report import Report
    from roundzero.render.look import Look
    from roundzero.render.shapes import EvidenceWire, FindingWire, FixWire, RangeWire, ReportWire

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_HEAD: Final = "%SRCROOT%"
_BASE: Final = "%MERGEBASE%"
_LEVELS: Final = {"P0": "error", "P1": "error", "P2": "warning", "P3": "note"}
_BASELINE: Final = {"introduced": "new", "exposed": "updated", "pre-existing": "unchanged"}
_LEFT: Final = frozenset({"fixed", "refuted", "superseded"})
_ROLES: Final = {"added": "added", "modified": "modified", "deleted": "deleted", "renamed": "renamed"}

_Json = dict[str, object]


def render(report: Report, look: Look) -> str:  # noqa: ARG001  every format takes a look
    """One indented document with one run."""
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report, to_wire(report))]}
    return json_safe(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"


def _run(report: Report, wire: ReportWire) -> _Json:
    rules = _rules(report)
    numbers = {str(rule["id"]): number for number, rule in enumerate(rules)}
    return {
        "tool": {
            "driver": {
                "name": wire["tool"]["name"],
                "version": wire["tool"]["version"],
                "rules": rules,
            }
        },
        "language": report.language,
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _HEAD: {"description": {"text": "The root of the reviewed repository."}},
            _BASE: {"description": {"text": f"The same root at the merge base {wire['base']['merge_base'] or '-'}."}},
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "endTimeUtc": wire["reviewed_at"].replace("+00:00", "Z"),
                "toolExecutionNotifications": list(_notifications(wire)),
            }
        ],
        "artifacts": list(_artifacts(wire)),
        "results": [_result(finding, report, numbers) for finding in wire["findings"]],
        "properties": {
            "verdict": wire["verdict"],
            "counts": wire["counts"],
            "base": wire["base"],
            "head": wire["head"],
            "round": wire["round"],
            "settingsChanged": wire["settings_changed"],
            **({"overview": wire["overview"]["summary"]} if wire["overview"]["summary"] else {}),
            **({"strengths": [each["text"] for each in wire["strengths"]]} if wire["strengths"] else {}),
        },
    }


def _rules(report: Report) -> list[_Json]:
    """The items that were looked at, in the packs' order, and any other a finding is of."""
    found = {finding.seen.item: finding.seen for finding in report.findings}
    rules: dict[str, _Json] = {}
    for line in report.checklists:
        if line.status in {ItemStatus.PASS, ItemStatus.FAIL} or line.item in found:
            rules[line.item] = _rule(line.item, line.title, line.why, line.severity)
    for item, seen in sorted(found.items()):
        if item not in rules:
            rules[item] = _rule(item, item, seen.why, seen.severity)
    return list(rules.values())


def _rule(item: str, title: str, why: str, severity: Severity) -> _Json:
    level = _LEVELS[severity.name]
    rule: _Json = {"id": valid(item), "shortDescription": {"text": _message(title)}}
    if why:
        rule |= {"fullDescription": {"text": _message(why)}, "help": {"text": _message(why)}}
    return {
        **rule,
        "defaultConfiguration": {"level": level},
        "properties": {
            "tags": [valid(item.split("/", 1)[0])],
            "severity": severity.name,
            "problem.severity": "recommendation" if level == "note" else level,
        },
    }


def _result(finding: FindingWire, report: Report, numbers: Mapping[str, int]) -> _Json:
    result: _Json = {
        "ruleId": finding["item"],
        "ruleIndex": numbers[finding["item"]],
        "level": _LEVELS[finding["severity"]],
        "message": {"text": _message(_said(finding, report))},
        "locations": _locations(finding),
        "relatedLocations": _related(finding),
        "partialFingerprints": {"roundzero/v1": finding["group"]},
        "baselineState": "absent" if finding["state"] in _LEFT else _BASELINE[finding["origin"]],
        "suppressions": _suppressions(finding),
        "properties": {
            "id": finding["id"],
            "severity": finding["severity"],
            "blocking": finding["blocking"],
            "notBlockingBecause": finding["not_blocking_because"],
            "origin": finding["origin"],
            "state": finding["state"],
            "producer": f"{finding['producer']} {finding['producer_version']}",
            **_looked_into(finding),
        },
    }
    if fixes := [_fix(fix) for fix in finding["fixes"]]:
        result["fixes"] = fixes
    return result


def _looked_into(finding: FindingWire) -> _Json:
    """What a deep review found out about a finding."""
    known: _Json = {
        "votes": finding["votes"],
        "confirmed": finding["confirmed"],
        "claims": [
            {"text": each["text"], "verdict": each["verdict"], "decisive": each["decisive"], "probe": each["probe"]}
            for each in finding["claims"]
        ],
        "contradictions": finding["contradictions"],
        "reverses": finding["reverses"],
    }
    return {name: value for name, value in known.items() if value is not None and value != []}


def _said(finding: FindingWire, report: Report) -> str:
    """The title, and the reason unless the rule gives it."""
    why = finding["why"]
    if not why or any(line.item == finding["item"] and valid(line.why) == why for line in report.checklists):
        return finding["title"]
    return f"{finding['title']}. {why}"


def _locations(finding: FindingWire) -> list[_Json]:
    """Where it is. Services show places of today only, so what stands at the base hangs on the changed line."""
    anchor = finding["anchor"]
    if anchor is not None and (finding["side"] == "base" or finding["path"] is None):
        return [_location(_uri(anchor), _HEAD, {"startLine": anchor["line"]})]
    own = _own(finding)
    return [own] if own is not None else []


def _own(finding: FindingWire) -> _Json | None:
    """The place the finding names, or None for one about the change as a whole."""
    if finding["path"] is None:
        return None
    area = _region(finding["range"]) if finding["range"] is not None else None
    root = _BASE if finding["side"] == "base" else _HEAD
    location = _location(_uri(finding), root, area)
    if finding["symbol"] is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": finding["symbol"]}]
    return location


def _related(finding: FindingWire) -> list[_Json]:
    places: list[_Json] = []
    anchor, own = finding["anchor"], _own(finding)
    if anchor is not None and finding["side"] == "base" and own is not None:
        places.append({**own, "message": {"text": "at the base"}})
    elif anchor is not None and own is not None and not finding["in_diff"]:
        place = _location(_uri(anchor), _HEAD, {"startLine": anchor["line"]})
        places.append({**place, "message": {"text": "the changed line it belongs to"}})
    shown = (each for each in finding["evidence"] if each["role"] != PLACE and each["verified"] != "missing")
    places += [_evidence(each) for each in shown]
    return [{"id": number, **place} for number, place in enumerate(places, 1)]


def _evidence(evidence: EvidenceWire) -> _Json:
    area = {"startLine": evidence["line"], "snippet": {"text": evidence["quote"]}}
    place = _location(_uri(evidence), _BASE if evidence["side"] == "base" else _HEAD, area)
    return {**place, "message": {"text": _message(evidence["role"] or "evidence")}}


def _suppressions(finding: FindingWire) -> list[_Json]:
    """Always there, as SARIF asks where any result has some; empty: it counts."""
    if finding["state"] != "dismissed":
        return []
    reason = finding["state_reason"]
    by_code = reason is not None and reason["by"] == "code"
    suppression: _Json = {"kind": "inSource" if by_code else "external", "status": "accepted"}
    if reason is not None and reason["text"]:
        suppression["justification"] = reason["text"]
    return [suppression]


def _fix(fix: FixWire) -> _Json:
    changes: dict[str, list[_Json]] = {}
    for edit in fix["edits"]:
        replacement: _Json = {"deletedRegion": _region(edit["range"]), "insertedContent": {"text": edit["new_text"]}}
        changes.setdefault(_uri(edit), []).append(replacement)
    return {
        "description": {"text": _message(fix["title"])},
        "artifactChanges": [
            {"artifactLocation": {"uri": uri, "uriBaseId": _HEAD}, "replacements": replacements}
            for uri, replacements in changes.items()
        ],
        "properties": {"safe": fix["safe"]},
    }


def _notifications(wire: ReportWire) -> Iterable[_Json]:
    """What was not looked at, and what else the review has to say about itself."""
    for skip in wire["coverage"]["skipped"]:
        gap = skip["kind"] == "not-checked"
        said = f"{'not checked' if gap else 'skipped'}: {skip['reason']}"
        yield _notification(said, "warning" if gap else "note", _location(_uri(skip), _HEAD))
    for failure in wire["stats"]["failures"]:
        yield _notification(f"not checked: {failure}", "warning")
    for each in wire["overview"]["mismatches"]:
        places = [_evidence(proof) for proof in each["evidence"]]
        yield _notification(f'the description says "{each["said"]}": {each["text"]}', "note", *places)
    for doubt in wire["base"]["doubts"]:
        yield _notification(f"the base is in doubt: {doubt}", "warning")
    for notice in wire["notices"]:
        yield _notification(notice, "note")


def _notification(text: str, level: str, *locations: _Json) -> _Json:
    notification: _Json = {"level": level, "message": {"text": _message(text)}}
    if locations:
        notification["locations"] = list(locations)
    return notification


def _artifacts(wire: ReportWire) -> Iterable[_Json]:
    """The changed files, and what happened to them."""
    skipped = {_uri(skip) for skip in wire["coverage"]["skipped"]}
    for file in wire["overview"]["files"]:
        uri = _uri(file)
        roles = [_ROLES.get(file["status"], "modified")] + (["analysisTarget"] if uri not in skipped else [])
        yield {"location": {"uri": uri, "uriBaseId": _HEAD}, "roles": roles}


def _location(uri: str, root: str, region: _Json | None = None) -> _Json:
    physical: _Json = {"artifactLocation": {"uri": uri, "uriBaseId": root}}
    if region is not None:
        physical["region"] = region
    return {"physicalLocation": physical}


def _region(area: RangeWire) -> _Json:
    return {
        "startLine": area["start"]["line"],
        "startColumn": area["start"]["column"],
        "endLine": area["end"]["line"],
        "endColumn": area["end"]["column"],
    }


def _uri(place: Mapping[str, object]) -> str:
    """A relative reference: the bytes of the path, percent-encoded but for unreserved characters and ``/``."""
    raw = place.get("path_bytes")
    return quote(b64decode(raw) if isinstance(raw, str) else str(place["path"]).encode(), safe="/")


def _message(text: str) -> str:
    """Text in which SARIF reads no embedded link (2.1.0, 3.11.6); placeholders mean nothing without arguments."""
    return valid(text).replace("](", "\\](")
