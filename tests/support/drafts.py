"""Scripted replies of a model, for tests of everything around it.

Knows the form of a reply and nothing of what is done with it. Invariant: what is made here is valid, but for what a
test puts in its place.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from model_host import found

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Said = dict[str, object]


def quote(path: str, line: int, text: str, *, side: str = "head", decisive: bool = False) -> Said:
    """A line a finding quotes."""
    return {"path": path, "side": side, "line": line, "quote": text, "role": "shows it", "decisive": decisive}


def drafted(title: str, evidence: Sequence[Said], **more: object) -> Said:
    """A finding about the first line it quotes, a P1 unless said otherwise."""
    first = evidence[0]
    made: Said = {
        "severity": "P1",
        "title": title,
        "trigger": "a count that is too large",
        "base_to_head": "The guard was removed.",
        "mechanism": [{"text": "it goes wrong", "evidence": [0]}],
        "consequence": {"text": "Articles are lost.", "failure": "data-loss"},
        "severity_reason": "Nothing brings them back.",
        "evidence": list(evidence),
        "claims": [{"text": "nothing checks the count", "decisive": True}],
        "suggestions": [{"text": "Check the count first.", "kind": "fix"}],
    }
    return found(str(first["path"]), cast("int", first["line"]), str(first["quote"]), **made) | more


def reply(*findings: Said, clean: Sequence[str] = ()) -> Said:
    """A whole reply."""
    return {"findings": list(findings), "clean": list(clean)}


def script(path: Path, *answers: tuple[str, object]) -> Path:
    """A file for the scripted provider: what to answer to which question, the first that fits."""
    path.write_text("".join(json.dumps({"match": match, "reply": said}) + "\n" for match, said in answers))
    return path
