"""Each provider as a pair of pure functions, and the ones that need no HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from roundzero import providers
from roundzero.config import SETTINGS
from roundzero.core.model_values import Ask, Outcome, Question, Turn, Usage
from roundzero.errors import OutsideError, UserError
from roundzero.providers import Endpoint, HttpProvider, Piece, discover
from roundzero.providers.anthropic import PROVIDER as ANTHROPIC
from roundzero.providers.client import Client
from roundzero.providers.ollama import PROVIDER as OLLAMA
from roundzero.providers.openai import PROVIDER as OPENAI
from roundzero.providers.scripted import Scripted

SCHEMA: Mapping[str, object] = {"type": "object", "properties": {}, "additionalProperties": False}
QUESTION = Question(system="You review.", turns=(Turn("user", "def f(): ..."),), schema=SCHEMA, key="k", tokens=1000)
ASK = Ask(question=QUESTION, model="m", max_output=500)


def body_of(provider: HttpProvider, ask: Ask = ASK) -> dict[str, object]:
    """The JSON a provider sends."""
    value = json.loads(provider.encode(ask, Endpoint("https://host", "key")).body)
    assert isinstance(value, dict)
    return value


def read(provider: HttpProvider, *lines: str) -> tuple[str, list[Piece]]:
    """What a provider reads from lines."""
    decoder = provider.decoder()
    pieces = [piece for line in lines if (piece := decoder.feed(line)) is not None]
    return "".join(piece.text for piece in pieces), pieces


def test_providers_are_found_by_their_files_and_may_be_chosen() -> None:
    """One file each beside the one that reads replies, and the setting has no other choices."""
    files = {path.stem for path in Path(providers.__file__).parent.glob("[!_]*.py")}
    (choice,) = (setting.kind.schema["enum"] for setting in SETTINGS if setting.name == "model.provider")
    assert set(discover()) == files - {"reply"} == set(cast("list[str]", choice))


@pytest.mark.parametrize("provider", [OPENAI, ANTHROPIC, OLLAMA])
def test_every_request_streams_and_carries_the_schema_unless_plain(provider: HttpProvider) -> None:
    """Always streamed; the schema goes along, and is left out where the host refused it."""
    body = body_of(provider)
    assert body["stream"] is True
    assert json.dumps(SCHEMA) in json.dumps(body)
    plain = Ask(question=QUESTION, model="m", plain=True)
    assert json.dumps(SCHEMA) not in json.dumps(body_of(provider, plain))


@pytest.mark.parametrize("provider", [OPENAI, ANTHROPIC, OLLAMA])
def test_the_key_is_in_a_header_and_nowhere_else(provider: HttpProvider) -> None:
    """Neither body, address nor representation holds the key; without one no header is sent."""
    request = provider.encode(ASK, Endpoint("https://host", "sk-very-secret"))
    assert any("sk-very-secret" in value for value in request.headers.values())
    assert b"sk-very-secret" not in request.body
    assert "sk-very-secret" not in request.url + repr(request)
    assert "Authorization" not in provider.encode(ASK, Endpoint("https://host")).headers


def test_ollama_is_given_room_for_the_whole_question() -> None:
    """The context asked for holds question and answer: Ollama would cut what does not fit and say nothing."""
    options = body_of(OLLAMA)["options"]
    assert isinstance(options, dict)
    assert options["num_ctx"] >= QUESTION.tokens + ASK.max_output


def test_anthropics_events_become_text_counts_and_an_end() -> None:
    """The tool's input is the text; counts come from the start and the end of the message."""
    text, pieces = read(
        ANTHROPIC,
        "event: message_start",
        'data: {"type": "message_start", "message": {"usage": {"input_tokens": 12, "cache_read_input_tokens": 3}}}',
        'data: {"type": "ping"}',
        'data: {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": "{\\"a\\""}}',
        'data: {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": ": 1}"}}',
        'data: {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}',
    )
    assert text == '{"a": 1}'
    assert pieces[0].usage == Usage(15, None)
    assert (pieces[-1].outcome, pieces[-1].usage) == (Outcome.OK, Usage(None, 9))


@pytest.mark.parametrize(
    ("event", "outcome"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, Outcome.RATE_LIMITED),
        ({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}, Outcome.TRUNCATED),
        ({"type": "message_delta", "delta": {"stop_reason": "refusal"}}, Outcome.REFUSED),
    ],
)
def test_anthropics_failures_are_outcomes(event: dict[str, object], outcome: Outcome) -> None:
    """What ends an answer early is told apart."""
    _, pieces = read(ANTHROPIC, f"data: {json.dumps(event)}")
    assert [piece.outcome for piece in pieces] == [outcome]


def test_ollamas_lines_become_text_counts_and_an_end() -> None:
    """The last line says how it ended and what it took."""
    text, pieces = read(
        OLLAMA,
        '{"message": {"content": "Hi "}, "done": false}',
        '{"message": {"content": "you"}, "done": false}',
        '{"message": {"content": ""}, "done": true, "done_reason": "stop", "prompt_eval_count": 5, "eval_count": 2}',
    )
    assert text == "Hi you"
    assert (pieces[-1].outcome, pieces[-1].usage) == (Outcome.OK, Usage(5, 2))
    assert read(OLLAMA, '{"error": "model not found"}')[1][0].outcome is Outcome.FAILED
    assert read(OLLAMA, '{"done": true, "done_reason": "length"}')[1][0].outcome is Outcome.TRUNCATED


def test_the_first_scripted_answer_that_fits_is_given(tmp_path: Path) -> None:
    """By text or by pattern, in the order of the file; a JSON reply is sent as JSON."""
    script = tmp_path / "script.jsonl"
    script.write_text(
        '{"match": "nowhere", "reply": "no"}\n\n{"match": "def [a-z]", "reply": {"findings": []}}\n'
        '{"match": "", "reply": "late"}\n',
        encoding="utf-8",
    )
    reply = asyncio.run(Scripted(script).complete(ASK))
    assert (reply.outcome, reply.text) == (Outcome.OK, '{"findings": []}')


def test_a_question_without_a_scripted_answer_gets_none(tmp_path: Path) -> None:
    """No answer fits: an outcome that says so."""
    script = tmp_path / "script.jsonl"
    script.write_text('{"match": "((", "reply": "x"}\n', encoding="utf-8")
    assert asyncio.run(Scripted(script).complete(ASK)).outcome is Outcome.EMPTY


@pytest.mark.parametrize("line", ["{", "[]", '{"match": 1, "reply": ""}', '{"match": "a"}'])
def test_a_line_that_is_no_scripted_answer_is_named(tmp_path: Path, line: str) -> None:
    """File and line are in the message."""
    script = tmp_path / "script.jsonl"
    script.write_text(f'{{"match": "a", "reply": "b"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"script\.jsonl:2"):
        Scripted(script)
    with pytest.raises(UserError, match=r"model\.script"):
        Scripted(tmp_path / "none.jsonl")


def test_the_editors_model_is_asked_with_prompt_and_schema() -> None:
    """What the editor answers is the reply; what it fails with is an outcome."""
    heard: list[tuple[str, Mapping[str, object]]] = []

    async def complete(prompt: str, schema: Mapping[str, object]) -> str:
        heard.append((prompt, schema))
        return "{}"

    async def broken(prompt: str, schema: Mapping[str, object]) -> str:
        raise OutsideError("the user said no")

    assert asyncio.run(Client(complete).complete(ASK)).text == "{}"
    assert "You review." in heard[0][0]
    assert "def f(): ..." in heard[0][0]
    assert heard[0][1] == SCHEMA
    reply = asyncio.run(Client(broken).complete(ASK))
    assert (reply.outcome, reply.message) == (Outcome.FAILED, "the user said no")


def test_an_editors_model_that_says_far_too_much_does_not_spend_the_budget() -> None:
    """It is charged what was reserved for an answer, and nothing of it is kept."""

    async def complete(prompt: str, schema: Mapping[str, object]) -> str:
        del prompt, schema
        return "x" * 10_000_000

    reply = asyncio.run(Client(complete).complete(ASK))
    assert (reply.outcome, reply.text, reply.usage.output) == (Outcome.WRONG, "", ASK.max_output)
