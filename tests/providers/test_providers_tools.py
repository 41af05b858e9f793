"""Tools on their way: native calls as each protocol streams them, odd ones too, and the forms replies may have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from roundzero.core.model_values import Ask, Outcome, Question, ToolSpec, Turn
from roundzero.core.toolbox import Calls, ToolCall, called, resulted
from roundzero.providers import Endpoint
from roundzero.providers._reply_step import read as read_step
from roundzero.providers.anthropic import PROVIDER as ANTHROPIC
from roundzero.providers.ollama import PROVIDER as OLLAMA
from roundzero.providers.openai import PROVIDER as OPENAI
from roundzero.providers.reply import Fault, Form, fits, forms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.providers import HttpProvider

SCHEMA: Mapping[str, object] = {"type": "object", "properties": {"a": {"type": "integer"}}}
GREP = ToolSpec(name="grep", description="Finds.", parameters={"type": "object", "properties": {}})
QUESTION = Question(system="You review.", turns=(Turn("user", "def f(): ..."),), schema=SCHEMA, key="k", tokens=10)
ASK = Ask(question=QUESTION, model="m", tools=(GREP,))


def whole(provider: HttpProvider, *events: Mapping[str, object]) -> str:
    """The text that a provider makes of events."""
    decoder = provider.decoder()
    text = ""
    for event in events:
        line = json.dumps(event)
        piece = decoder.feed(line if provider is OLLAMA else f"data: {line}")
        if piece is not None:
            text = text + piece.text if piece.whole is None else piece.whole
    return text


def chat(**delta: object) -> dict[str, object]:
    """One event of the chat protocol."""
    return {"choices": [{"delta": delta}]}


STOP: dict[str, object] = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}


def one(name: str, arguments: object, **more: object) -> dict[str, object]:
    """One part of a call in the chat protocol."""
    return {"function": {"name": name, "arguments": arguments}, **more}


@pytest.mark.parametrize(
    "events",
    [
        [chat(tool_calls=[one("grep", '{"a":', index=0, id="x")]), chat(tool_calls=[one("", " 1}", index=0)])],
        [chat(content="Let me see: {}"), chat(tool_calls=[one("grep", '{"a": 1}', index=0)])],
        [chat(tool_calls=[one("grep", '{"a": 1}')])],
        [chat(tool_calls=[one("grep", {"a": 1}, index=None)])],
        [chat(tool_calls=[one("gr", "", index=0)]), chat(tool_calls=[one("ep", '{"a": 1}', index=0)])],
    ],
)
def test_calls_of_the_chat_protocol_are_put_together(events: list[dict[str, object]]) -> None:
    """In parts, in one piece, without a number, as an object: one call with its arguments, and no prose."""
    assert json.loads(whole(OPENAI, *events, STOP)) == {"calls": [{"name": "grep", "arguments": {"a": 1}}]}


def test_calls_that_share_a_number_are_told_apart_by_their_ids() -> None:
    """Some hosts number every call 0."""
    events = [chat(tool_calls=[one("grep", f'{{"a": {n}}}', index=0, id=f"id{n}")]) for n in range(2)]
    said = json.loads(whole(OPENAI, *events, STOP))
    assert [row["arguments"] for row in said["calls"]] == [{"a": 0}, {"a": 1}]


def test_an_answer_given_as_a_call_is_the_text() -> None:
    """The report is the reply; beside other calls it came too early, and they count."""
    report = chat(tool_calls=[one("report", '{"a": 2}', index=0)])
    assert whole(OPENAI, chat(content="Done."), report, STOP) == '{"a": 2}'
    both = chat(tool_calls=[one("report", '{"a": 2}', index=0), one("grep", "{}", index=1)])
    assert json.loads(whole(OPENAI, both, STOP)) == {"calls": [{"name": "grep", "arguments": {}}]}
    block = {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "name": "report"}}
    events: list[dict[str, object]] = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I {think}. "}},
        block,
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a": 2}'}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    ]
    assert whole(ANTHROPIC, *events) == '{"a": 2}'
    call = {"function": {"name": "report", "arguments": {"a": 2}}}
    assert whole(OLLAMA, {"message": {"content": "", "tool_calls": [call]}}, {"done": True}) == '{"a": 2}'


@pytest.mark.parametrize("broken", ['{"a": ', "[1]", "7", "nonsense"])
def test_arguments_that_are_none_reach_whoever_answers_calls(broken: str) -> None:
    """They are no reason to lose the call: it is answered with what is wrong with it."""
    text = whole(OPENAI, chat(tool_calls=[one("grep", broken, index=0)]), STOP)
    assert read_step(text) == Calls((ToolCall("grep", None),))


@pytest.mark.parametrize("provider", [OPENAI, ANTHROPIC, OLLAMA], ids=lambda each: each.name)
def test_half_a_character_in_arguments_harms_nothing(provider: HttpProvider) -> None:
    """JSON may spell lone surrogates; texts, keys and requests are made of them all the same."""
    calls = Calls((ToolCall("grep", {"word": "\ud800"}),))
    turns = (*QUESTION.turns, called(calls), resulted([("grep", "nothing \udc80")]))
    question = Question(system="s", turns=turns, schema=SCHEMA, key="k", tokens=1)
    for plain in (True, False):
        ask = Ask(question=question, model="m", tools=(GREP,), plain=plain)
        assert provider.encode(ask, Endpoint("https://host")).body.decode("utf-8")


@pytest.mark.parametrize("provider", [OPENAI, ANTHROPIC, OLLAMA], ids=lambda each: each.name)
@pytest.mark.parametrize(
    "said",
    ['{"calls": [7]}', '{"calls": 7}', '{"calls": [{"name": "grep"}]}', '{"calls": [{"name": 1}]}', '{"a":' * 9999],
)
def test_what_only_looks_like_calls_goes_back_as_it_was_said(provider: HttpProvider, said: str) -> None:
    """A reply that could not be read is shown to its model with what is wrong with it, whatever it is."""
    turns = (*QUESTION.turns, Turn("assistant", said), Turn("user", "It could not be read."))
    ask = Ask(question=Question(system="s", turns=turns, schema=SCHEMA, key="k", tokens=1), model="m", tools=(GREP,))
    sent = json.loads(provider.encode(ask, Endpoint("https://host")).body)["messages"]
    assert {"role": "assistant", "content": said} in sent


@pytest.mark.parametrize("provider", [OPENAI, ANTHROPIC, OLLAMA], ids=lambda each: each.name)
def test_a_question_without_tools_is_sent_as_ever(provider: HttpProvider) -> None:
    """No tool, no word of them; the schema is enforced as it was."""
    ask = Ask(question=QUESTION, model="m")
    body: dict[str, Any] = json.loads(provider.encode(ask, Endpoint("https://host")).body)
    names = [tool.get("name") for tool in body.get("tools", [])]
    assert names == (["report"] if provider is ANTHROPIC else [])
    assert "Instead of answering" not in json.dumps(body)


def test_turns_alternate_where_no_tool_was_called_either() -> None:
    """After a reply that was lost a question is followed by the word to answer now: hosts take no two in a row."""
    turns = (*QUESTION.turns, Turn("user", "Answer now."))
    ask = Ask(question=Question(system="s", turns=turns, schema=SCHEMA, key="k", tokens=1), model="m")
    for provider in (OPENAI, OLLAMA):
        body = json.loads(provider.encode(ask, Endpoint("https://host")).body)
        assert [turn["role"] for turn in body["messages"]] == ["system", "user"]
        assert body["messages"][1]["content"] == "def f(): ...\n\nAnswer now."


def test_forms_are_found_by_their_files() -> None:
    """Each has a schema in one piece and reads any text; none takes what another says."""
    assert {"draft", "step"} <= set(forms())
    for name, form in forms().items():
        assert isinstance(form, Form)
        assert form.name == name
        said = json.dumps(form.schema())
        assert "$ref" not in said
        for text in ("", "{}", "[]", "prose", '{"calls": []}', "{" * 100_000, '{"findings": 1}'):
            assert isinstance(form.read(text), Fault) == (not fits(name, text))
    assert not fits("no-such-form", "{}")


MARKED = """\
<tool_call>
{"name": "a", "arguments": {}}
</tool_call><tool_call>{"name": "b", "arguments": {}}</tool_call>
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"calls": [{"name": "grep", "arguments": {}}]}', ["grep"]),
        ('Sure.\n```json\n{"calls": [{"name": "grep", "arguments": "{}"}]}\n```', ["grep"]),
        (MARKED, ["a", "b"]),
        ('{"name": "grep", "parameters": {"word": "x"}}', ["grep"]),
        ('{"calls": []}', None),
        ('{"calls": [{"name": "grep"}]}', None),
        ('{"findings": [], "clean": []}', None),
        ("I would call grep.", None),
    ],
)
def test_a_step_is_read_in_the_ways_models_write_it(text: str, names: list[str] | None) -> None:
    """As asked for, in fences, in marks of their own, or alone; an answer and an empty list are no step."""
    step = read_step(text)
    assert (None if isinstance(step, Fault) else [call.name for call in step.calls]) == names


def test_a_truncated_call_is_truncated() -> None:
    """A call that was cut is no call to carry out."""
    decoder = OPENAI.decoder()
    decoder.feed("data: " + json.dumps(chat(tool_calls=[one("grep", '{"a', index=0)])))
    piece = decoder.feed("data: " + json.dumps({"choices": [{"delta": {}, "finish_reason": "length"}]}))
    assert piece is not None
    assert piece.outcome is Outcome.TRUNCATED
