"""Anthropic's messages. The schema goes along as the one tool the model must call; its input is the reply.

Where tools are offered it is one of them, and one of them must be called.

Invariant: always streamed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from roundzero.core.model_values import Outcome, Usage
from roundzero.providers import HttpRequest, Piece
from roundzero.providers._calls import REPORT, Heard, call_id, calls_in, in_words, native, plainly, results_in
from roundzero.providers._events import count, event_of, refusal_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from roundzero.core.model_values import Ask, Turn
    from roundzero.providers import Decoder, Endpoint

_VERSION: Final = "2023-06-01"
_ENDS: Final = {
    "max_tokens": Outcome.TRUNCATED,
    "model_context_window_exceeded": Outcome.TRUNCATED,
    "refusal": Outcome.REFUSED,
}


class Anthropic:
    """The messages protocol."""

    name = "anthropic"
    default_url: str | None = "https://api.anthropic.com"
    key_variables: tuple[str, ...] = ("ROUNDZERO_API_KEY", "ANTHROPIC_API_KEY")

    def encode(self, ask: Ask, endpoint: Endpoint) -> HttpRequest:
        """The one request that puts the question."""
        question, tools = ask.question, native(ask)
        system, turns = (question.system, question.turns) if tools else in_words(ask)
        body: dict[str, object] = {
            "model": ask.model,
            "system": system,
            "messages": list(_messages(turns)) if tools else plainly(turns),
            "max_tokens": ask.max_output,
            "stream": True,
        }  # no temperature: models since Opus 4.7 answer 400 to any ("`temperature` is deprecated for this model")
        if tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in tools
            ]
            body["tool_choice"] = {"type": "any"}
        elif not ask.plain:
            body["tools"] = [{"name": REPORT, "description": "Report the review.", "input_schema": question.schema}]
            body["tool_choice"] = {"type": "tool", "name": REPORT}
        headers = {"anthropic-version": _VERSION}
        if endpoint.key:
            headers["x-api-key"] = endpoint.key
        return HttpRequest(
            url=f"{endpoint.url.removesuffix('/v1')}/v1/messages",
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
            results = [
                {"type": "tool_result", "tool_use_id": call_id(at - 1, number), "content": result}
                for number, (_, result) in enumerate(results_in(turn))
            ]
            yield {"role": "user", "content": results}
        elif calls := calls_in(turn):
            made = [
                {"type": "tool_use", "id": call_id(at, number), "name": name, "input": arguments}
                for number, (name, arguments) in enumerate(calls)
            ]
            yield {"role": "assistant", "content": made}
        else:
            yield {"role": turn.role, "content": turn.text}


class _Decoder:
    def __init__(self) -> None:
        self._heard = Heard()
        self._called: set[int] = set()

    def feed(self, line: str) -> Piece | None:
        event = event_of(line)
        if event is None:
            return None
        kind = event.get("type")
        if kind == "error":
            return refusal_of(event.get("error"))
        if kind == "message_start":
            usage = (event.get("message") or {}).get("usage") or {}
            parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
            return Piece(usage=Usage(sum(count(usage, part) or 0 for part in parts)))
        if kind in {"content_block_start", "content_block_delta"}:
            return self._block(event, count(event, "index") or 0)
        if kind == "message_delta":
            end = (event.get("delta") or {}).get("stop_reason")
            return Piece(
                whole=None if end is None else self._heard.whole(),
                usage=Usage(output=count(event.get("usage"), "output_tokens")),
                outcome=None if end is None else _ENDS.get(str(end), Outcome.OK),
            )
        return None

    def _block(self, event: Mapping[str, Any], at: int) -> Piece:
        """Text or a call begins or goes on; the answer is text, in place of what was said before it."""
        block, delta = event.get("content_block") or {}, event.get("delta") or {}
        if block.get("type") == "tool_use":
            if block.get("name") == REPORT:
                return Piece(whole="")
            self._called.add(at)
            self._heard.begin(at, str(block.get("name") or ""))
        if at in self._called:
            self._heard.add(at, str(delta.get("partial_json") or ""))
            return Piece()
        return Piece(text=str(delta.get("partial_json") or delta.get("text") or ""))


PROVIDER: Final = Anthropic()
