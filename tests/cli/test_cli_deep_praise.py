"""What earlier rounds praised is told to the drafts of a later one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from support.deep_host import AFTER, ALL_AGREE, BEFORE, NOTHING, choose_model, deep_host
from support.drafts import reply

if TYPE_CHECKING:
    import pytest

    from support.command import Cli
    from support.repo import Repo

PRAISE = "It returns what it took."
TOLD = "Praised here by earlier reviews"


def test_drafts_hear_what_was_praised_in_their_functions(cli: Cli, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every voice, and in no question about another file; that it was praised is no reason to ask again."""
    repo.commit("first", {"shop.py": BEFORE, ".roundzero.toml": 'packs = ["general"]\n'})
    repo.branch("topic")
    repo.commit("Take faster", {"shop.py": AFTER, "more.py": "x = 1\n"})
    quoted = {"path": "shop.py", "side": "head", "line": 3, "quote": "return taken"}
    strength = {"text": PRAISE, "quotes": [quoted]}
    says = {"DRAFT": reply(), "BLANKED": reply(), "TOOLS": reply(), "OVERVIEW": NOTHING | {"strengths": [strength]}}
    with deep_host({**ALL_AGREE, **says}) as host:
        choose_model(monkeypatch, PROVIDER="openai", BASE_URL=host.url, NAME="m")
        assert [each["text"] for each in json.loads(reviewed(cli))["strengths"]] == [PRAISE]
        before = len(host.requests)
        reviewed(cli)
        assert len(host.requests) == before
        repo.commit("Take later", {"shop.py": AFTER.replace("for _ in", "for each in"), "more.py": "x = 2\n"})
        reviewed(cli)
        asked = [request.decode() for request in host.requests[before:]]
    about_shop = [each for each in asked if "Part of shop.py" in each]
    assert len(about_shop) == 5
    assert all(TOLD in each and PRAISE in each for each in about_shop)
    assert not any(TOLD in each for each in asked if each not in about_shop)


def reviewed(cli: Cli) -> str:
    """The JSON report of a deep review."""
    ran = cli("review", "--model", "deep", "--format", "json")
    assert (ran.status, ran.err) == (0, "")
    return ran.out
