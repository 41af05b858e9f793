"""The chat protocol most hosts speak: OpenAI itself, llama.cpp, vLLM, LM Studio and others.

The schema goes along as ``response_format``; a host that refuses it is asked again without (``Ask.plain``). Invariant:
always streamed.
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
        turns = [{"role": turn.role, "content": turn.text} for turn in question.turns]
        body: dict[str, object] = {
            "model": ask.model,
            "messages": [{"role": "system", "content": question.system}, *turns],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if f"//{_OWN_HOST}/" in endpoint.url + "/":
            body["max_completion_tokens"] = ask.max_output
        else:
            body |= {"max_tokens": ask.max_output, "temperature": ask.temperature}
        if not ask.plain:
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


class _Decoder:
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
        end = choice.get("finish_reason")
        return Piece(
            text=str(delta.get("content") or ""),
            usage=used,
            outcome=None if end is None else _ENDS.get(str(end), Outcome.OK),
        )


PROVIDER: Final = OpenAI()
