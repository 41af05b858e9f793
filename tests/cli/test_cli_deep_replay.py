"""``roundzero review --model deep --replay``: the same deep review again, with no model to be had."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from support.drafts import drafted, quote, reply, script

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from support.command import Cli
    from support.repo import Repo

LINE = "taken = [shelf.pop() for _ in range(count)]"
PROOF = {"path": "shop.py", "side": "head", "line": 2, "quote": LINE, "role": "shows it"}


def test_a_recorded_deep_review_is_replayed_without_a_provider(
    cli: Cli, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drafts, fact check and overview come from the folder; findings, verdict and its depth are the same."""
    repo.commit("first", {"shop.py": "def take(shelf, count):\n    return shelf[:count]\n"})
    repo.branch("topic")
    repo.commit("Take faster", {"shop.py": f"def take(shelf, count):\n    {LINE}\n    return taken\n"})
    lost = drafted("take() loses articles when count is too large", [quote("shop.py", 2, LINE, decisive=True)])
    verdict = {"claim": 0, "verdict": "verified", "reason": "it reads so", "evidence": [PROOF]}
    nothing: dict[str, object] = {"summary": "", "themes": [], "files": [], "strengths": [], "description": []}
    answers = script(
        tmp_path / "script.jsonl",
        ("Describe it; do not look for defects", nothing),
        ("Say of each numbered claim", {"claims": [verdict]}),
        ("Part of shop.py", reply(lost)),
    )
    monkeypatch.setenv("ROUNDZERO_MODEL_PROVIDER", "scripted")
    monkeypatch.setenv("ROUNDZERO_MODEL_SCRIPT", str(answers))
    argv = ("review", "--model", "deep", "--format", "json", "--no-ledger")
    first = cli(*argv, "--record", str(tmp_path / "kept"))
    monkeypatch.delenv("ROUNDZERO_MODEL_PROVIDER")
    monkeypatch.delenv("ROUNDZERO_MODEL_SCRIPT")
    again = cli(*argv, "--replay", str(tmp_path / "kept"))
    assert (first.status, again.status) == (1, 1)
    one, other = json.loads(first.out), json.loads(again.out)
    assert one["findings"] == other["findings"]
    assert one["verdict"] == other["verdict"]
    assert other["verdict"]["depth"] == "deep"
