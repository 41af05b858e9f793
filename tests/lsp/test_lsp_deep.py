"""A deep review at an editor: what it shows, how it blocks, and what edits, a pause and a restart do to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.deep_editor import look_again, lose_a_guard, said, start, until
from support.deep_host import AFTER, ALL_AGREE, LINE, checks, deep_host, looks
from support.drafts import quote, reply
from support.lsp import Client
from support.shown import begin, command, uri_of

if TYPE_CHECKING:
    from support.lsp import Message
    from support.repo import Repo

SAID = "take() loses articles"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A branch that loses a guard."""
    return lose_a_guard(repo)


def edited(client: Client) -> None:
    """Wait until an edit was looked at."""
    for _ in range(5):
        client.is_silent(0.05)
        command(client, "status")


def hover(client: Client, uri: str, line: int) -> str:
    """What is shown at a line, from 0."""
    place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 6}}
    shown = client.result("textDocument/hover", place)
    return str(shown["contents"]["value"]) if shown is not None else ""


def action(client: Client, uri: str, start: str, line: int = 1) -> Message:
    """The command of the action whose title begins so."""
    where = {"start": {"line": line, "character": 4}, "end": {"line": line, "character": 8}}
    asked = {"textDocument": {"uri": uri}, "range": where, "context": {"diagnostics": [], "triggerKind": 1}}
    offered = client.result("textDocument/codeAction", asked)
    run: Message = next(each["command"] for each in offered if each["title"].startswith(start))
    return run


def stages(client: Client) -> set[str]:
    """The stages that progress told of."""
    values = [each["params"]["value"] for each in client.inbox if each.get("method") == "$/progress"]
    return {value["message"].split()[0] for value in values if value.get("message")}


def test_a_deep_review_blocks_and_shows_its_case(shop: Repo, client: Client) -> None:
    """Verdict and depth in the status, votes and the checked claim in the hover, one finding in the editor."""
    with deep_host(ALL_AGREE) as host:
        uri = start(client, shop, host)
        (status,) = command(client, "review", depth="deep")
        assert (status["verdict"]["status"], status["verdict"]["depth"]) == ("BLOCKED", "deep")
        (status,) = command(client, "status")
        assert (status["verdict"]["status"], status["verdict"]["depth"]) == ("BLOCKED", "deep")
        assert len(said(client, uri)) == 1
        text = hover(client, uri, 1)
        assert "5" in text
        assert "nothing checks the count" in text
        assert "verified" in text
        assert {"draft", "fact-check", "overview"} <= stages(client)


def test_what_a_deep_review_costs_is_in_the_status(shop: Repo, client: Client) -> None:
    """While it goes on and afterwards; one after the other, each question is counted once."""
    with deep_host(ALL_AGREE) as host:
        host.stops = {"OVERVIEW": "wait"}
        start(client, shop, host)
        asked = begin(client, "review", depth="deep")
        assert host.reached("OVERVIEW")
        meanwhile = command(client, "status")[0]["model"]
        assert meanwhile["requests"] >= 6
        assert meanwhile["tokens"] > 0
        host.release()
        client.response(asked)
        after = command(client, "status")[0]["model"]
        assert (after["requests"], after["cached"]) == (host.asked.total(), 0)
        assert after["tokens"] > meanwhile["tokens"]
        command(client, "review", depth="deep")
        again = command(client, "status")[0]["model"]
        assert (again["requests"], again["tokens"], again["cached"]) == (
            after["requests"],
            after["tokens"],
            after["requests"],
        )


def test_two_deep_reviews_at_once_ask_each_question_once(shop: Repo, client: Client) -> None:
    """Both end with the same verdict, and what they cost is counted once."""
    with deep_host(ALL_AGREE) as host:
        host.stops = {"DRAFT": "wait"}
        start(client, shop, host)
        first, second = begin(client, "review", depth="deep"), begin(client, "review", depth="deep")
        assert host.reached("DRAFT")
        host.release()
        told = [client.response(each)["result"][0] for each in (first, second)]
        assert [each["verdict"]["status"] for each in told] == ["BLOCKED", "BLOCKED"]
        assert host.twice == []
        assert command(client, "status")[0]["model"]["requests"] == host.asked.total()


def test_every_stage_is_told_of(shop: Repo, client: Client) -> None:
    """What few drafts raise is looked at again, and what was found before, after an edit of its function."""
    few = {"DRAFT": reply(), "BLANKED": reply()}
    with deep_host({**ALL_AGREE, **few}) as host:
        uri = start(client, shop, host)
        command(client, "review", depth="deep")
        assert {"draft", "confirm", "fact-check", "overview"} <= stages(client)
        guarded = AFTER.replace(
            "    taken =", "    if count > len(shelf):\n        raise ValueError(count)\n    taken ="
        )
        proof = quote("shop.py", 2, "if count > len(shelf):", decisive=True)
        host.says |= {"TOOLS": reply(), "RECHECK": {"claim": "false", "because": "it is back", "quotes": [proof]}}
        client.change(uri, 2, {"text": guarded})
        (status,) = command(client, "review", depth="deep")
        assert "recheck" in stages(client)
        assert (status["verdict"]["status"], status["counts"]["P1"]) == ("LGTM", 0)


def test_what_a_draft_said_and_a_deep_review_says_is_one_finding(shop: Repo, client: Client) -> None:
    """By its name; and a later quick review takes nothing back."""
    with deep_host(ALL_AGREE) as host:
        uri = start(client, shop, host)
        command(client, "review", depth="quick")
        (quick,) = said(client, uri)
        command(client, "review", depth="deep")
        (deep,) = said(client, uri)
        assert (deep["id"], deep["blocking"]) == (quick["id"], True)
        (status,) = command(client, "review", depth="quick")
        (again,) = said(client, uri)
        assert (again["id"], again["blocking"], status["verdict"]["status"]) == (quick["id"], True, "BLOCKED")


@pytest.mark.parametrize("verdict", ["verified", "refuted"])
def test_confirming_one_finding_is_kept(shop: Repo, client: Client, verdict: str) -> None:
    """The action asks, the hover shows what came of it, and so it does after a restart."""
    with deep_host({**ALL_AGREE, "CHECK": checks(verdict)}) as host:
        uri = start(client, shop, host)
        command(client, "review", depth="quick")
        run = action(client, uri, "Confirm deeply")
        done = client.result("workspace/executeCommand", {"command": run["command"], "arguments": run["arguments"]})
        assert done["state"] == ("open" if verdict == "verified" else "refuted")
        assert {"confirm", "fact-check"} <= stages(client)
        assert (host.asked["LOOK"], host.asked["CHECK"]) == (1, 1)
        shown = [(each["id"], each["blocking"]) for each in said(client, uri) if each["state"] == "open"]
        assert shown == ([(done["id"], True)] if verdict == "verified" else [])
        client.stop()
        with Client() as other:
            uri = start(other, shop, host)
            command(other, "recheck")
            shown = [(each["id"], each["blocking"]) for each in said(other, uri) if each["state"] == "open"]
            assert shown == ([(done["id"], True)] if verdict == "verified" else [])
            assert ("verified" in hover(other, uri, 1)) is (verdict == "verified")
            (status,) = command(other, "review", depth="quick")
            assert status["verdict"]["status"] == ("BLOCKED" if verdict == "verified" else "LGTM")


def test_a_finding_whose_line_was_edited_is_not_confirmed(shop: Repo, client: Client) -> None:
    """It says what to do instead, and nobody is asked."""
    with deep_host(ALL_AGREE) as host:
        uri = start(client, shop, host)
        command(client, "review", depth="quick")
        (finding,) = said(client, uri)
        client.change(uri, 2, {"text": AFTER.replace("range(count)", "range(count + 1)")})
        until(client, lambda: [each["state"] for each in said(client, uri)] == ["stale"])
        asked = {"command": "roundzero.recheck", "arguments": [{"id": finding["id"], "depth": "deep"}]}
        assert "stale" in client.error("workspace/executeCommand", asked)["message"]
        assert host.asked["LOOK"] == 0


@pytest.mark.parametrize("stage", ["CHECK", "OVERVIEW"])
def test_what_comes_for_an_older_text_stands_on_the_right_line(shop: Repo, client: Client, stage: str) -> None:
    """Lines came above while it was asked: it moves with its line."""
    with deep_host(ALL_AGREE) as host:
        host.stops = {stage: "wait"}
        uri = start(client, shop, host)
        asked = begin(client, "review", depth="deep")
        assert host.reached(stage)
        client.change(uri, 2, {"text": f"import os\n\n\n{AFTER}"})
        edited(client)
        host.release()
        client.response(asked)
        (finding,) = said(client, uri)
        assert finding["range"]["start"]["line"] == 5
        assert SAID in hover(client, uri, 4)
        assert SAID not in hover(client, uri, 1)


def test_what_comes_for_an_edited_line_is_stale(shop: Repo, client: Client) -> None:
    """Whatever was found out about it: it was another line."""
    with deep_host(ALL_AGREE) as host:
        host.stops = {"CHECK": "wait"}
        uri = start(client, shop, host)
        asked = begin(client, "review", depth="deep")
        assert host.reached("CHECK")
        client.change(uri, 2, {"text": AFTER.replace(LINE, "taken = shelf[:count]")})
        edited(client)
        host.release()
        client.response(asked)
        assert [each["state"] for each in said(client, uri)] == ["stale"]
        (status,) = command(client, "status")
        assert (status["counts"]["P1"], status["verdict"]["status"]) == (0, "LGTM")


def test_a_line_edited_while_it_is_confirmed_is_stale(shop: Repo, client: Client) -> None:
    """The answer is about the text that was asked about."""
    with deep_host(ALL_AGREE) as host:
        uri = start(client, shop, host)
        _, asked = look_again(client, host, uri)
        client.change(uri, 2, {"text": f"# above\n{AFTER}"})
        edited(client)
        host.release()
        assert client.response(asked)["result"]["state"] == "open"
        assert SAID in hover(client, uri, 2)
        assert SAID not in hover(client, uri, 1)


@pytest.mark.parametrize("name", ["pause", "stop"])
def test_a_pause_ends_a_deep_review(shop: Repo, client: Client, name: str) -> None:
    """Nothing more is sent, and what was answered is not asked again."""
    with deep_host(ALL_AGREE) as host:
        host.stops = {"CHECK": "wait"}
        start(client, shop, host)
        asked = begin(client, "review", depth="deep")
        assert host.reached("CHECK")
        command(client, name)
        assert "error" in client.response(asked)
        assert host.asked["OVERVIEW"] == 0
        host.stops = {}
        command(client, "resume")
        (status,) = command(client, "review", depth="deep")
        assert status["verdict"]["status"] == "BLOCKED"
        assert host.twice == []


def test_a_part_looked_at_deeply_is_not_the_whole(shop: Repo, client: Client) -> None:
    """The verdict on the change is as deep as what was looked at of it."""
    with deep_host({**ALL_AGREE, "DRAFT": reply(), "BLANKED": reply(), "TOOLS": reply()}) as host:
        shop.write("other.py", "x = 2\n")
        start(client, shop, host)
        command(client, "review", depth="deep", uri=uri_of(shop, "other.py"))
        (status,) = command(client, "status")
        assert status["verdict"]["depth"] != "deep"


def test_a_quick_draft_that_repeats_what_was_refuted_is_not_heard(shop: Repo, client: Client) -> None:
    """On the same text it stays refuted."""
    with deep_host({**ALL_AGREE, "CHECK": checks("refuted"), "LOOK": looks("holds")}) as host:
        uri = start(client, shop, host)
        (status,) = command(client, "review", depth="deep")
        assert status["verdict"]["status"] == "LGTM"
        (status,) = command(client, "review", depth="quick")
        assert (status["verdict"]["status"], status["counts"]["P1"]) == ("LGTM", 0)
        assert [each for each in said(client, uri) if each["state"] == "open"] == []
