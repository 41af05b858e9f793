"""Ollama's own chat protocol: lines of JSON, the schema as ``format``, or as one more tool where tools are offered.

The context is asked for as large as the question needs: by default Ollama cuts what does not fit, and says nothing.
Invariant: always streamed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from roundzero.core.model_values import Outcome, Usage
from roundzero.providers import HttpRequest, Piece
from roundzero.providers._calls import Heard, calls_in, in_words, native, plainly, results_in
from roundzero.providers._events import count, refusal_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roundzero.core.model_values import Ask, Turn
    from roundzero.providers import Decoder, Endpoint

_STEP: Final = 2048
"""Context sizes are multiples of this, so that the model is not loaded anew for every question."""


class Ollama:
    """Ollama's chat."""

    name = "ollama"
    default_url: str | None = "http://127.0.0.1:11434"
    key_variables: tuple[str, ...] = ("ROUNDZERO_API_KEY",)

    def encode(self, ask: Ask, endpoint: Endpoint) -> HttpRequest:
        """The one request that puts the question."""
        question = ask.question
        tools = native(ask)
        system, turns = (question.system, question.turns) if tools else in_words(ask)
        needed = question.tokens + ask.max_output
        body: dict[str, object] = {
            "model": ask.model,
            "messages": [{"role": "system", "content": system}, *(_messages(turns) if tools else plainly(turns))],
            "stream": True,
            "options": {
                "temperature": ask.temperature if ask.temperature is not None else 0.0,
                "num_predict": ask.max_output,
                "num_ctx": -(-needed // _STEP) * _STEP,
            },
        }
        if tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
                }
                for tool in tools
            ]
        elif not ask.plain:
            body["format"] = question.schema
        return HttpRequest(
            url=f"{endpoint.url.removesuffix('/v1').removesuffix('/api')}/api/chat",
            headers={"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {},
            body=json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
            media_type="application/x-ndjson",
        )

    def decoder(self) -> Decoder:
        """A reader for its answer."""
        return _Decoder()


def _messages(turns: Sequence[Turn]) -> Iterator[dict[str, object]]:
    for turn in turns:
        if turn.role == "tool":
            for name, result in results_in(turn):
                yield {"role": "tool", "tool_name": name, "content": result}
        elif calls := calls_in(turn):
            made = [{"function": {"name": name, "arguments": arguments}} for name, arguments in calls]
            yield {"role": "assistant", "content": "", "tool_calls": made}
        else:
            yield {"role": turn.role, "content": turn.text}


class _Decoder:
    def __init__(self) -> None:
        self._calls: list[tuple[str, object]] = []

    def feed(self, line: str) -> Piece | None:
        if not line.strip():
            return None
        event = json.loads(line)
        if not isinstance(event, dict):
            raise ValueError("a line is no object")  # noqa: TRY004  a wrong value, not a wrong type of ours
        if event.get("error"):
            return refusal_of(event["error"])
        message = event.get("message") or {}
        text = str(message.get("content") or "")
        for call in message.get("tool_calls") or ():
            asked = call.get("function") or {}
            self._calls.append((str(asked.get("name") or ""), asked.get("arguments") or {}))
        if not event.get("done"):
            return Piece(text=text)
        end = Outcome.TRUNCATED if event.get("done_reason") == "length" else Outcome.OK
        used = Usage(count(event, "prompt_eval_count"), count(event, "eval_count"))
        return Piece(text=text, whole=Heard().whole(self._calls), usage=used, outcome=end)


PROVIDER: Final = Ollama()
