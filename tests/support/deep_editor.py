"""An editor at a branch that a deep review has something to say about, and what it shows of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.deep_host import AFTER, BEFORE
from support.lsp import LIMIT
from support.shown import begin, command, uri_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.deep_host import DeepHost
    from support.lsp import Client, Message
    from support.repo import Repo


def lose_a_guard(repo: Repo) -> Repo:
    """Make two branches beside ``main``: ``elsewhere`` changes another file, ``topic`` loses a guard."""
    repo.commit("first", {"shop.py": BEFORE, "other.py": "x = 1\n", ".roundzero.toml": 'packs = ["general"]\n'})
    repo.branch("elsewhere")
    repo.commit("Count on", {"other.py": "x = 2\n"})
    repo.checkout("main")
    repo.branch("topic")
    repo.commit("Take faster", {"shop.py": AFTER})
    return repo


def start(client: Client, repo: Repo, host: DeepHost) -> str:
    """Greet, with a model that is asked on command only, and open the text; its URI."""
    settings = {
        "model.provider": "openai", "model.baseUrl": host.url, "model.name": "m", "model.mode": "manual",
        "model.requestsPerMinute": 1000, "model.tokensPerHour": 100_000_000, "debounceMs": 20,
    }  # fmt: skip
    client.answers["workspace/configuration"] = lambda params: [settings] * len(params["items"])
    client.initialize(repo.root, initializationOptions={"trusted": True, "settings": settings})
    uri = uri_of(repo, "shop.py")
    client.open(uri, AFTER)
    client.diagnostics(uri, version=1)
    return uri


def said(client: Client, uri: str) -> list[Message]:
    """The model's findings in a file, as they are now."""
    listed = client.result("roundzero/findings", {"uri": uri})
    return [each for each in listed["findings"] if each["source"] == "model"]


def look_again(client: Client, host: DeepHost, uri: str) -> tuple[Message, int]:
    """Find something, and ask for a second look at it, which waits before its claims are checked.

    The finding, and the request for the look.
    """
    command(client, "review", depth="quick")
    (finding,) = said(client, uri)
    host.stops = {"CHECK": "wait"}
    asked = begin(client, "recheck", id=finding["id"], depth="deep")
    assert host.reached("CHECK")
    return finding, asked


def until(client: Client, fits: Callable[[], bool]) -> None:
    """Wait until something is so."""
    for _ in range(int(LIMIT * 20)):
        if fits():
            return
        client.is_silent(0.05)
    raise AssertionError(command(client, "status"))
