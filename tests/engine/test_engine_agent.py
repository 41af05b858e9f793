"""A model that looks around before it answers: over real repositories, with scripts and with hosts on this machine."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roundzero.core.budget import ATTEMPTS
from roundzero.core.deep import VOICES
from roundzero.core.drafting import Gate, Texts, admit
from roundzero.core.finding import Verified
from roundzero.core.model_values import Ask, Outcome, Reply, Usage
from roundzero.core.toolbox import Bounds
from roundzero.engine.agent import LOOP, AgentAnswer, agent_draft
from roundzero.engine.asking import Asking
from roundzero.engine.context import parts_of
from roundzero.engine.quick_review import Inquiry, gathered
from roundzero.providers import Endpoint, HttpProvider
from roundzero.providers._reply_draft import read
from roundzero.providers._reply_step import read as read_step
from roundzero.providers.anthropic import PROVIDER as ANTHROPIC
from roundzero.providers.client import Client
from roundzero.providers.ollama import PROVIDER as OLLAMA
from roundzero.providers.openai import PROVIDER as OPENAI
from roundzero.providers.reply import fits
from roundzero.providers.scripted import Scripted
from roundzero.store.reply_cache import ReplyCache
from support.inquiry import RULES, post_of
from support.looking import with_toolbox
from support.model_server import ModelServer
from support.replies import draft, found

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from roundzero.engine.post import Post
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.toolbox import Toolbox
    from support.repo import Repo

VOICE = VOICES[3]
GUARD = "    if count > LIMIT: raise ValueError(count)"
FINDING = found(
    "app/stock.py",
    2,
    "return count - 1",
    title="take() no longer refuses a count past LIMIT, which serve() passes on unchecked",
    evidence=[
        {"path": "app/stock.py", "side": "head", "line": 2, "quote": "return count - 1", "role": "x", "decisive": True},
        {
            "path": "app/uses.py",
            "side": "head",
            "line": 5,
            "quote": "return take(count)",
            "role": "y",
            "decisive": False,
        },
    ],
)
DRAFT = draft(FINDING)


def calls(*made: tuple[str, Mapping[str, object]]) -> dict[str, object]:
    """A reply that calls tools."""
    return {"calls": [{"name": name, "arguments": dict(said)} for name, said in made]}


LOOKS = calls(("callers", {"name": "take"}), ("read", {"path": "app/uses.py"}))


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository whose branch removes a guard."""
    repo.commit(
        "first",
        {
            "app/stock.py": f"def take(count):\n{GUARD}\n    return count\n",
            "app/uses.py": "from app.stock import take\n\n\ndef serve(count):\n    return take(count)\n",
            **{f"lib/m{number}.py": f"value_{number} = {number}\n" * 30 for number in range(30)},
        },
    )
    repo.branch("feature")
    repo.write("app/stock.py", "def take(count):\n    return count - 1\n")
    return repo


def drafted(root: Path, post: Post, *, model: str = "m", bounds: Bounds | None = None) -> AgentAnswer:
    """What an agentic draft gave for the one unit of a repository's change."""
    answer, _ = conversation(root, post, model=model, bounds=bounds)
    return answer


def conversation(
    root: Path, post: Post, *, model: str = "m", bounds: Bounds | None = None
) -> tuple[AgentAnswer, Sequence[Verified]]:
    """The same, and how the evidence of its findings came out, "let in" being a must."""

    async def use(box: Toolbox, snapshot: Snapshot) -> tuple[AgentAnswer, Sequence[Verified]]:
        change = snapshot.change
        inquiry = Inquiry(
            change=change, ruleset=RULES, model=model, language="en", max_lines=150, covers=lambda _: True
        )
        parts = await parts_of(change, RULES, snapshot, max_lines=150, covers=inquiry.covers)
        (unit,), others = await gathered(parts.units, inquiry, snapshot)
        answer = await agent_draft(unit, inquiry, Asking(post), box, VOICE, bounds=bounds)
        if answer.answer.draft is None:
            return answer, ()
        texts = Texts.of(change, [*others, *answer.shown])
        let_in = admit(answer.answer.draft, unit, change, texts, RULES, producer=model, version="1")
        assert set(let_in.counts) <= {Gate.ADMITTED}
        return answer, [each.verified for seen in let_in.observations for each in seen.evidence]

    return with_toolbox(root, use)


async def at_once(seconds: float) -> None:
    """No wait."""
    del seconds


@dataclass
class Mind:
    """A provider that says one thing after the other, the last for ever, and keeps what it was asked."""

    says: list[object]
    name: str = "mind"
    asks: list[Ask] = field(default_factory=list)

    async def complete(self, ask: Ask) -> Reply:
        """Answer."""
        self.asks.append(ask)
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(said, Reply):
            return said
        return Reply(outcome=Outcome.OK, text=said if isinstance(said, str) else json.dumps(said), usage=Usage(10, 5))


def results_of(ask: Ask) -> list[str]:
    """All results of tools that an ask holds."""
    turns = [json.loads(turn.text) for turn in ask.question.turns if turn.role == "tool"]
    return [row["result"] for rows in turns for row in rows]


def test_a_scripted_model_looks_around_and_what_it_quotes_from_there_is_verified(shop: Repo, tmp_path: Path) -> None:
    """It calls, reads the results, and answers; evidence in a file only the tools showed is exact."""
    script = tmp_path / "script.jsonl"
    rows = [
        {"match": "Result of read:\nlines 1 to 5 of 5", "reply": DRAFT},
        {"match": "Part of app/stock.py", "reply": LOOKS},
    ]
    script.write_text("".join(json.dumps(row) + "\n" for row in rows))
    answer, verified = conversation(shop.root, post_of(tmp_path, Scripted(script), fits=fits))
    assert answer.answer.outcome is Outcome.OK
    assert verified == [Verified.EXACT, Verified.EXACT]
    assert (answer.used.calls, answer.used.unanswered, answer.used.limits) == (2, (), ())
    assert answer.used.bytes > 100
    assert {source.path for _, source in answer.shown} == {"app/uses.py"}


def test_an_answer_without_a_call_is_an_answer(shop: Repo, tmp_path: Path) -> None:
    """Nobody has to look around; and it is said what may be done, in order and language of the question."""
    mind = Mind([DRAFT])
    answer = drafted(shop.root, post_of(tmp_path, mind))
    assert answer.answer.draft is not None
    assert answer.used.calls == 0
    (ask,) = mind.asks
    assert {tool.name for tool in ask.tools} > {"read", "grep", "callers"}
    assert "You may look around" in ask.question.turns[-1].text
    assert "read(path, first, last, side)" in ask.question.turns[-1].text
    assert '{"calls": [{"name": "grep", "arguments": {"word": "example"}}]}' in ask.question.turns[-1].text
    assert (ask.form, ask.temperature) == ("draft", VOICE.temperature)


PROTOCOLS: list[tuple[HttpProvider, str]] = [(OPENAI, "/v1"), (ANTHROPIC, ""), (OLLAMA, "")]


@pytest.mark.parametrize(("provider", "path"), PROTOCOLS, ids=lambda each: getattr(each, "name", ""))
def test_tools_are_called_as_each_protocol_has_them(
    shop: Repo, tmp_path: Path, provider: HttpProvider, path: str
) -> None:
    """Offered natively, called natively, answered natively with ids that match; the answer is read like any other."""
    answer, bodies = served(shop, tmp_path, provider, path, [LOOKS, calls(("grep", {"word": "LIMIT"})), DRAFT])
    assert answer.answer.draft is not None
    assert (answer.used.calls, answer.used.unanswered) == (3, ())
    assert len(bodies) == 3
    names = {(tool.get("function") or tool)["name"] for tool in bodies[0]["tools"]}
    assert names > {"read", "grep", "callers", "report"}
    assert "response_format" not in bodies[0]
    assert "format" not in bodies[0]
    asked, told = _native(provider.name, bodies[-1]["messages"])
    assert [name for _, name in asked] == ["callers", "read", "grep"]
    if provider.name != "ollama":
        assert [key for key, _ in asked] == [key for key, _ in told]
        assert len({key for key, _ in asked}) == 3
    assert told[0][1].startswith("called in 1 line in 1 file")
    assert "[[data " in told[1][1]


def _native(name: str, messages: list[dict[str, Any]]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The calls (id, tool) and results (id, text) of a conversation as a protocol has them."""
    asked: list[tuple[str, str]] = []
    told: list[tuple[str, str]] = []
    for message in messages:
        blocks = message.get("content")
        for block in blocks if isinstance(blocks, list) else ():
            if block["type"] == "tool_use":
                asked.append((block["id"], block["name"]))
            elif block["type"] == "tool_result":
                told.append((block["tool_use_id"], block["content"]))
        made = message.get("tool_calls")
        for call in made if isinstance(made, list) else ():
            assert isinstance(call["function"]["arguments"], dict if name == "ollama" else str)
            asked.append((call.get("id", ""), call["function"]["name"]))
        if message["role"] == "tool":
            told.append((str(message.get("tool_call_id", "")), str(message["content"])))
    return asked, told


def served(
    shop: Repo, tmp_path: Path, provider: HttpProvider, path: str, turns: list[object], refuses: str = ""
) -> tuple[AgentAnswer, list[dict[str, Any]]]:
    """An agentic draft by a host that says these turns, and the requests it got."""
    kept: list[dict[str, Any]] = []

    async def use(box: Toolbox, snapshot: Snapshot) -> AgentAnswer:
        async with ModelServer(turns={"m": turns}, refuses=refuses) as server:
            post = post_of(tmp_path, provider, endpoint=Endpoint(server.root + path), fits=fits)
            inquiry = Inquiry(
                change=snapshot.change, ruleset=RULES, model="m", language="en", max_lines=150, covers=lambda _: True
            )
            parts = await parts_of(snapshot.change, RULES, snapshot, max_lines=150, covers=inquiry.covers)
            answer = await agent_draft(parts.units[0], inquiry, Asking(post), box, VOICE)
            kept.extend(server.bodies())
            return answer

    return with_toolbox(shop.root, use), kept


@pytest.mark.parametrize(("provider", "path"), PROTOCOLS, ids=lambda each: getattr(each, "name", ""))
@pytest.mark.parametrize(
    "refusal",
    ["m does not support tools", "tools param requires --jinja flag", "No endpoints found that support tool use"],
)
def test_a_host_that_refuses_tools_gets_them_in_words(
    shop: Repo, tmp_path: Path, provider: HttpProvider, path: str, refusal: str
) -> None:
    """Asked once with, then without for the rest; calls and results are plain turns that alternate."""
    answer, bodies = served(shop, tmp_path, provider, path, [LOOKS, DRAFT], refuses=refusal)
    assert answer.answer.draft is not None
    assert answer.used.calls == 2
    assert ["tools" in body for body in bodies] == [True, False, False]
    words = json.dumps(bodies[-1])
    assert _native(provider.name, bodies[-1]["messages"]) == ([], [])
    assert "Instead of answering at once" in words
    assert "Result of callers:" in words
    messages = bodies[-1]["messages"]
    assert isinstance(messages, list)
    roles = [message["role"] for message in messages if message["role"] != "system"]
    assert roles == ["user", "assistant", "user", "assistant", "user"]


def test_the_editors_model_gets_tools_in_words_and_a_schema_of_both(shop: Repo, tmp_path: Path) -> None:
    """A call fits the schema as an answer does."""
    heard: list[tuple[str, Mapping[str, object]]] = []
    replies = [f"Sure!\n```json\n{json.dumps(LOOKS)}\n```", DRAFT]

    async def complete(prompt: str, schema: Mapping[str, object]) -> str:
        heard.append((prompt, schema))
        return replies[len(heard) - 1]

    answer = drafted(shop.root, post_of(tmp_path, Client(complete), fits=fits))
    assert answer.answer.draft is not None
    assert answer.used.calls == 2
    assert "- callers: " in heard[0][0]
    assert "Result of callers:" in heard[1][0]
    both = heard[0][1]["anyOf"]
    assert isinstance(both, list)
    assert "calls" in both[0]["properties"]
    assert "findings" in both[1]["properties"]


@pytest.mark.parametrize(
    ("bounds", "limit", "carried_out"),
    [
        (Bounds(calls=3), "3 calls", 3),
        (Bounds(turns=2), "2 turns", 4),
        (Bounds(bytes=700), "700 bytes", None),
        (Bounds(seconds=0.0001), "0.0001 seconds", 1),
        (Bounds(calls=5, at_once=1), "5 calls", 5),
    ],
)
def test_a_draft_stops_at_its_limits_and_reports_what_it_had(
    shop: Repo, tmp_path: Path, bounds: Bounds, limit: str, carried_out: int | None
) -> None:
    """A model that would look around for ever is told to answer now, without tools; calls and bytes are counted."""
    mind = Mind([calls(*(("read", {"path": f"lib/m{n + at}.py"}) for n in range(2))) for at in range(0, 28, 2)])
    mind.says = [*mind.says[:20], *mind.says]
    endless = Endless(mind)
    answer = drafted(shop.root, post_of(tmp_path, endless), bounds=bounds)
    assert answer.answer.draft is not None
    assert answer.used.limits == (limit,)
    if carried_out is not None:
        assert answer.used.calls == carried_out
    assert answer.used.calls <= bounds.calls
    assert answer.used.bytes <= bounds.bytes + 400 * bounds.at_once
    last = mind.asks[-1]
    assert last.tools == ()
    assert "Answer now" in last.question.turns[-1].text
    assert limit in last.question.turns[-1].text
    assert len(mind.asks) <= bounds.turns + 1


@dataclass
class Endless:
    """Calls as long as it may; answers when it may no longer."""

    mind: Mind
    name: str = "endless"

    async def complete(self, ask: Ask) -> Reply:
        """Answer."""
        if ask.tools:
            return await self.mind.complete(ask)
        self.mind.asks.append(ask)
        return Reply(outcome=Outcome.OK, text=DRAFT)


def test_too_many_calls_at_once_and_the_same_call_again_cost_little(shop: Repo, tmp_path: Path) -> None:
    """What is too much is told and counted; a repeated call is referred to its first result."""
    same = ("grep", {"word": "take"})
    mind = Mind([calls(*[("grep", {"word": f"w{n}w"}) for n in range(9)]), calls(same, same), DRAFT])
    answer = drafted(shop.root, post_of(tmp_path, mind), bounds=Bounds(at_once=4))
    assert answer.answer.draft is not None
    assert (answer.used.calls, len(answer.used.unanswered)) == (6, 5)
    results = results_of(mind.asks[-1])
    assert len(results) == 6
    assert "5 more were not carried out" in results[3]
    assert results[5].startswith("the same was asked before")


def test_a_loop_of_the_same_calls_is_ended_long_before_its_turns(shop: Repo, tmp_path: Path) -> None:
    """In another order and number, too; whoever asks for something new between is not in one."""
    one, other = ("grep", {"word": "take"}), ("grep", {"word": "serve"})
    endless = Endless(Mind([calls(one, other), calls(other, one), calls(one)]))
    answer = drafted(shop.root, post_of(tmp_path, endless))
    assert answer.answer.draft is not None
    assert (answer.used.limits, answer.used.calls, len(endless.mind.asks)) == ((LOOP,), 5, 4)
    mind = Mind([calls(one), calls(one), calls(other), calls(one), DRAFT])
    answer = drafted(shop.root, post_of(tmp_path, mind), model="another")
    assert (answer.used.limits, answer.used.calls) == ((), 4)


def test_whoever_only_calls_and_never_answers_is_an_unreadable_reply(shop: Repo, tmp_path: Path) -> None:
    """Even when told to answer, twice: the conversation ends and says why."""
    mind = Mind([LOOKS])
    answer = drafted(shop.root, post_of(tmp_path, mind), bounds=Bounds(calls=4))
    assert answer.answer.draft is None
    assert answer.answer.outcome is Outcome.WRONG
    assert answer.answer.message.startswith("the reply could not be read")
    assert answer.used.calls == 4
    assert len(mind.asks) == 4


def test_a_failure_in_the_middle_is_told_with_what_was_used(shop: Repo, tmp_path: Path) -> None:
    """A host that stops answering ends the draft; what was looked up still counts."""
    mind = Mind([LOOKS, Reply(outcome=Outcome.REFUSED, message="no")])
    answer = drafted(shop.root, post_of(tmp_path, mind))
    assert (answer.answer.outcome, answer.answer.message) == (Outcome.REFUSED, "no")
    assert answer.used.calls == 2


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.TIMED_OUT])
def test_a_host_that_fails_with_tools_is_asked_without(shop: Repo, tmp_path: Path, outcome: Outcome) -> None:
    """Once it failed all attempts at a step: the draft is not lost for what the host could not read of its model."""
    mind = Mind([LOOKS, *[Reply(outcome=outcome, message="500: cannot parse the call")] * ATTEMPTS, DRAFT])
    answer = drafted(shop.root, replace(post_of(tmp_path, mind), rest=at_once))
    assert answer.answer.draft is not None
    assert answer.used.limits == ("a host that failed",)
    assert [bool(ask.tools) for ask in mind.asks] == [True, *[True] * ATTEMPTS, False]


@pytest.mark.parametrize("outcome", [Outcome.TRUNCATED, Outcome.EMPTY, Outcome.WRONG])
def test_a_reply_that_is_lost_with_tools_is_asked_for_without(shop: Repo, tmp_path: Path, outcome: Outcome) -> None:
    """Some hosts enforce nothing while tools are offered; the draft is not lost for that, and it is told."""
    mind = Mind([LOOKS, Reply(outcome=outcome, text="{"), DRAFT])
    answer = drafted(shop.root, post_of(tmp_path, mind))
    assert answer.answer.draft is not None
    assert answer.used.limits == (f"a reply that was {outcome.value}",)
    assert [bool(ask.tools) for ask in mind.asks] == [True, True, False]


def test_prose_is_asked_for_again_without_tools(shop: Repo, tmp_path: Path) -> None:
    """An answer in the wrong form is told what is wrong with it, once."""
    mind = Mind([LOOKS, "I think it is fine.", DRAFT])
    answer = drafted(shop.root, post_of(tmp_path, mind))
    assert answer.answer.draft is not None
    assert mind.asks[-1].tools == ()
    assert mind.asks[-1].stands_for == mind.asks[-2].question.key


NONSENSE: list[object] = [
    calls(("read", {})),
    calls(("no such tool", {"x": 1})),
    {"calls": [{"name": "read", "arguments": "not json"}]},
    {"calls": [{"name": "read", "arguments": ["app"]}]},
    {"calls": [{"name": "", "arguments": {"path": "\ud800"}}]},
    {"calls": [{"name": "read\u202e\x00", "arguments": {"path": "x" * 50_000}}]},
    '<tool_call>{"name": "grep", "arguments": {"word": "take"}}</tool_call>',
    calls(("read", {"path": "../../etc/passwd"})),
    '```json\n{"name": "grep", "parameters": {"word": "count"}}\n```',
]


def test_nonsense_is_answered_in_words_and_the_conversation_goes_on(shop: Repo, tmp_path: Path) -> None:
    """Tools that do not exist, arguments that are none: each gets a result that says so, and the draft still comes."""
    mind = Mind([*NONSENSE, DRAFT])
    answer = drafted(shop.root, post_of(tmp_path, mind), bounds=Bounds(turns=20))
    assert answer.answer.draft is not None
    results = results_of(mind.asks[-1])
    assert len(results) == len(NONSENSE)
    assert results[0].startswith("not answered: the argument path is missing")
    assert results[1].startswith("there is no tool 'no such tool'")
    assert results[2].startswith("not answered: the arguments are no JSON object")
    assert results[6].startswith("grep -w: ")
    assert "only paths within the repository" in results[7]
    assert results[8].startswith("grep -w: ")


@pytest.mark.parametrize("provider", [OPENAI, ANTHROPIC, OLLAMA], ids=lambda each: each.name)
def test_every_conversation_can_be_sent_by_every_provider(shop: Repo, tmp_path: Path, provider: HttpProvider) -> None:
    """Names as protocols allow them, ids of nine letters and digits, equal bytes for equal conversations."""
    mind = Mind([*NONSENSE, DRAFT])
    drafted(shop.root, post_of(tmp_path, mind), bounds=Bounds(turns=20))
    for ask in mind.asks:
        for each in (ask, replace(ask, plain=True), replace(ask, tools=())):
            body = provider.encode(each, Endpoint("https://host")).body
            assert body == provider.encode(each, Endpoint("https://host")).body
            asked, told = _native(provider.name, json.loads(body)["messages"])
            assert all(name.replace("_", "").isalnum() or name == "_" for _, name in asked)
            assert all(len(key) == 9 and key.isalnum() for key, _ in (*asked, *told) if key)
            assert bool(asked) == (bool(each.tools) and not each.plain and len(ask.question.turns) > 3)


def test_a_rerun_is_answered_from_the_cache_without_asking(shop: Repo, tmp_path: Path) -> None:
    """Tools are run again, nobody is asked again; and what was interrupted goes on where it stopped."""
    cache = ReplyCache(tmp_path / "replies.sqlite3")
    first = Mind([LOOKS, calls(("grep", {"word": "LIMIT"})), Reply(outcome=Outcome.QUOTA, message="spent")])
    stopped = drafted(shop.root, post_of(tmp_path / "a", first, cache=cache, fits=fits))
    assert stopped.answer.outcome is Outcome.QUOTA
    second = Mind([DRAFT])
    whole = drafted(shop.root, post_of(tmp_path / "b", second, cache=cache, fits=fits))
    assert whole.answer.draft is not None
    assert len(second.asks) == 1
    third = Mind(["nobody asks"])
    again = drafted(shop.root, post_of(tmp_path / "c", third, cache=cache, fits=fits))
    assert third.asks == []
    assert (again.answer.draft, again.used) == (whole.answer.draft, whole.used)


def test_a_changed_repository_is_another_question(shop: Repo, tmp_path: Path) -> None:
    """The key of a turn covers what tools said before it: other results, other questions, never an old answer."""
    cache = ReplyCache(tmp_path / "replies.sqlite3")
    drafted(shop.root, post_of(tmp_path / "a", Mind([LOOKS, DRAFT]), cache=cache, fits=fits))
    shop.write("app/uses.py", "from app.stock import take\n\n\ndef serve(count):\n    return take(count + 1)\n")
    shop.git("update-index", "--assume-unchanged", "app/uses.py")
    later = Mind([LOOKS, DRAFT])
    drafted(shop.root, post_of(tmp_path / "b", later, cache=cache, fits=fits))
    assert later.asks


def test_each_voice_asks_its_own_question(shop: Repo, tmp_path: Path) -> None:
    """Two drafts of one unit never share an answer, nor one with tools and one without."""
    keys = set()
    for voice in VOICES[3:]:
        mind = Mind([DRAFT])

        async def use(box: Toolbox, snapshot: Snapshot, mind: Mind = mind, number: int = voice.number) -> None:
            inquiry = Inquiry(
                change=snapshot.change, ruleset=RULES, model="m", language="en", max_lines=150, covers=lambda _: True
            )
            parts = await parts_of(snapshot.change, RULES, snapshot, max_lines=150, covers=inquiry.covers)
            await agent_draft(parts.units[0], inquiry, Asking(post_of(tmp_path, mind)), box, VOICES[number - 1])

        with_toolbox(shop.root, use)
        keys.add((mind.asks[0].question.key, mind.asks[0].temperature))
    assert len(keys) == 2


def test_a_draft_that_is_given_up_leaves_nothing_running(shop: Repo, tmp_path: Path) -> None:
    """Cancelled while a tool works: the toolbox waits for the tool's end when it is closed."""

    async def use(box: Toolbox, snapshot: Snapshot) -> str:
        inquiry = Inquiry(
            change=snapshot.change, ruleset=RULES, model="m", language="en", max_lines=150, covers=lambda _: True
        )
        parts = await parts_of(snapshot.change, RULES, snapshot, max_lines=150, covers=inquiry.covers)
        post = post_of(tmp_path, Mind([calls(("references", {"name": "count"}))]))
        task = asyncio.ensure_future(agent_draft(parts.units[0], inquiry, Asking(post), box, VOICE))
        while not box.is_working:  # noqa: ASYNC110  a state of another part, without an event
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        return "cancelled" if task.cancelled() else "ended"

    assert with_toolbox(shop.root, use) == "cancelled"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(json_values, st.text(max_size=40))
def test_a_step_is_read_whatever_it_is(value: object, around: str) -> None:
    """Any JSON and any text as a reply: calls or a fault, never an exception, and never taken for a draft."""
    for text in (json.dumps(value), json.dumps({"calls": value}), around, around + json.dumps({"calls": [value]})):
        read_step(text)
        assert not (fits("step", text) and fits("draft", text))
    read(around)
