"""The chat protocol most hosts speak: OpenAI itself, llama.cpp, vLLM, LM Studio and others.

The schema goes along as ``response_format``, or as one more tool where tools are offered: together they are refused by
hosts that enforce either with a grammar. A host that refuses is asked again without (``Ask.plain``). Invariant: always
streamed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from roundzero.core.model_values import Outcome, Usage
from roundzero.providers import HttpRequest, Piece
from roundzero.providers._calls import Heard, call_id, calls_in, in_words, native, plainly, results_in
from roundzero.providers._events import count, event_of, refusal_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roundzero.core.model_values import Ask, Turn
    from roundzero.providers import Decoder, Endpoint

_ENDS: Final = {
    "stop": Outcome.OK,
    "length": Outcome.TRUNCATED,
    "content_filter": Outcome.REFUSED,
}
_OWN_HOST: Final = "api.openai.com"


class OpenAI:
    """Chat completions."""

    name = "openai"
    default_url: str | None = f"https://{_OWN_HOST}/v1"
    key_variables: tuple[str, ...] = ("ROUNDZERO_API_KEY", "OPENAI_API_KEY")

    def encode(self, ask: Ask, endpoint: Endpoint) -> HttpRequest:
        """The one request that puts the question."""
        question = ask.question
        tools = native(ask)
        system, turns = (question.system, question.turns) if tools else in_words(ask)
        body: dict[str, object] = {
            "model": ask.model,
            "messages": [{"role": "system", "content": system}, *(_messages(turns) if tools else plainly(turns))],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if f"//{_OWN_HOST}/" in endpoint.url + "/":
            body["max_completion_tokens"] = ask.max_output
        else:
            body["max_tokens"] = ask.max_output
            if ask.temperature is not None:
                body["temperature"] = ask.temperature
        if tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
                }
                for tool in tools
            ]
            body["tool_choice"] = "required"
        elif not ask.plain:
            schema = {"name": "review", "strict": True, "schema": question.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        return HttpRequest(
            url=f"{endpoint.url}/chat/completions",
            headers=headers,
            body=json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
            media_type="text/event-stream",
        )

    def decoder(self) -> Decoder:
        """A reader for its answer."""
        return _Decoder()


def _messages(turns: Sequence[Turn]) -> Iterator[dict[str, object]]:
    for at, turn in enumerate(turns):
        if turn.role == "tool":
            for number, (_, result) in enumerate(results_in(turn)):
                yield {"role": "tool", "tool_call_id": call_id(at - 1, number), "content": result}
        elif calls := calls_in(turn):
            made = [
                {
                    "id": call_id(at, number),
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)},
                }
                for number, (name, arguments) in enumerate(calls)
            ]
            yield {"role": "assistant", "content": None, "tool_calls": made}
        else:
            yield {"role": turn.role, "content": turn.text}


class _Decoder:
    def __init__(self) -> None:
        self._heard = Heard()

    def feed(self, line: str) -> Piece | None:
        event = event_of(line)
        if event is None:
            return None
        if event.get("error"):
            return refusal_of(event["error"])
        usage = event.get("usage")
        used = Usage(count(usage, "prompt_tokens"), count(usage, "completion_tokens")) if usage else None
        choices = event.get("choices") or []
        if not choices:
            return Piece(usage=used) if used is not None else None
        choice = choices[0]
        delta = choice.get("delta") or {}
        if delta.get("refusal"):
            return Piece(outcome=Outcome.REFUSED, message=str(delta["refusal"]), usage=used)
        for number, call in enumerate(delta.get("tool_calls") or ()):
            at, asked = count(call, "index") or number, call.get("function") or {}
            self._heard.begin(at, str(asked.get("name") or ""), str(call.get("id") or ""))
            given = asked.get("arguments") or ""
            self._heard.add(at, given if isinstance(given, str) else json.dumps(given))
        end = choice.get("finish_reason")
        return Piece(
            text=str(delta.get("content") or ""),
            whole=None if end is None else self._heard.whole(),
            usage=used,
            outcome=None if end is None else _ENDS.get(str(end), Outcome.OK),
        )


PROVIDER: Final = OpenAI()
