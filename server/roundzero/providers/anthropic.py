"""Anthropic's messages. The schema goes along as the one tool the model must call; its input is the reply.

Invariant: always streamed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from roundzero.core.model_values import Outcome, Usage
from roundzero.providers import HttpRequest, Piece
from roundzero.providers._events import count, event_of, refusal_of

if TYPE_CHECKING:
    from roundzero.core.model_values import Ask
    from roundzero.providers import Decoder, Endpoint

_VERSION: Final = "2023-06-01"
_TOOL: Final = "report"
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
        question = ask.question
        body: dict[str, object] = {
            "model": ask.model,
            "system": question.system,
            "messages": [{"role": turn.role, "content": turn.text} for turn in question.turns],
            "max_tokens": ask.max_output,
            "stream": True,
        }
        if not ask.plain:
            body["tools"] = [{"name": _TOOL, "description": "Report the review.", "input_schema": question.schema}]
            body["tool_choice"] = {"type": "tool", "name": _TOOL}
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


class _Decoder:
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
        if kind == "content_block_delta":
            delta = event.get("delta") or {}
            return Piece(text=str(delta.get("partial_json") or delta.get("text") or ""))
        if kind == "message_delta":
            end = (event.get("delta") or {}).get("stop_reason")
            return Piece(
                usage=Usage(output=count(event.get("usage"), "output_tokens")),
                outcome=None if end is None else _ENDS.get(str(end), Outcome.OK),
            )
        return None


PROVIDER: Final = Anthropic()
