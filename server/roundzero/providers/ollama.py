"""Ollama's own chat protocol: lines of JSON, the schema as ``format``.

The context is asked for as large as the question needs: by default Ollama cuts what does not fit, and says nothing.
Invariant: always streamed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from roundzero.core.model_values import Outcome, Usage
from roundzero.providers import HttpRequest, Piece
from roundzero.providers._events import count, refusal_of

if TYPE_CHECKING:
    from roundzero.core.model_values import Ask
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
        turns = [{"role": turn.role, "content": turn.text} for turn in question.turns]
        needed = question.tokens + ask.max_output
        body: dict[str, object] = {
            "model": ask.model,
            "messages": [{"role": "system", "content": question.system}, *turns],
            "stream": True,
            "options": {
                "temperature": ask.temperature,
                "num_predict": ask.max_output,
                "num_ctx": -(-needed // _STEP) * _STEP,
            },
        }
        if not ask.plain:
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


class _Decoder:
    def feed(self, line: str) -> Piece | None:
        if not line.strip():
            return None
        event = json.loads(line)
        if not isinstance(event, dict):
            raise ValueError("a line is no object")  # noqa: TRY004  a wrong value, not a wrong type of ours
        if event.get("error"):
            return refusal_of(event["error"])
        text = str((event.get("message") or {}).get("content") or "")
        if not event.get("done"):
            return Piece(text=text)
        end = Outcome.TRUNCATED if event.get("done_reason") == "length" else Outcome.OK
        return Piece(text=text, usage=Usage(count(event, "prompt_eval_count"), count(event, "eval_count")), outcome=end)


PROVIDER: Final = Ollama()
