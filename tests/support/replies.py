"""Whole replies of a model for tests, in the form the product asks for, and scripts of them.

Knows the form only. Invariant: what it makes validates.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def draft(*findings: Mapping[str, Any]) -> str:
    """A reply with these findings."""
    return json.dumps({"summary": "", "findings": list(findings), "clean": []})


def found(path: str, line: int, quote: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401  JSON
    """One finding on one quoted line; ``more`` replaces fields."""
    evidence = {"path": path, "side": "head", "line": line, "quote": quote, "role": "the line", "decisive": True}
    return {
        "item": "general/other-defect",
        "severity": "P2",
        "title": f"something is wrong with {quote}",
        "path": path,
        "line": line,
        "end_line": line,
        "trigger": "any call",
        "base_to_head": "the line is new",
        "mechanism": [{"text": "the line runs", "evidence": [0]}],
        "consequence": {"text": "a wrong number", "failure": "wrong-result"},
        "severity_reason": "seen by its caller only",
        "evidence": [evidence],
        "claims": [{"text": "the line is wrong", "decisive": True}],
        "open_questions": [],
        "suggestions": [{"text": "write it right", "kind": "fix"}],
        "replacement": None,
    } | more


def script(path: Path, **replies: str) -> Path:
    """A script of the scripted provider: a reply by a text that occurs in the question; nothing found otherwise."""
    rows = [{"match": match, "reply": reply} for match, reply in replies.items()]
    rows.append({"match": "", "reply": draft()})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
