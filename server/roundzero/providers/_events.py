"""What the streamed protocols have in common: events, counts, and errors said in the stream."""

from __future__ import annotations

import json
from typing import Any, Final

from roundzero.core.model_values import Outcome
from roundzero.providers import Piece

_DATA: Final = "data:"
_END: Final = "[DONE]"
"""What OpenAI's protocol ends with; no other sends it."""

_QUOTA: Final = (
    "insufficient_quota",
    "exceeded your current quota",
    "credit balance",
    "billing_hard_limit",
    "billing_not_active",
    "insufficient credit",
    "insufficient balance",
    "out of credits",
    "payment required",
)
_RATE: Final = ("rate_limit", "rate limit", "overloaded", "too many requests", "resource_exhausted")
_RIGHT: Final = ("invalid_api_key", "invalid api key", "incorrect api key", "authentication_error", "permission_error")
_LENGTH: Final = (
    "context size",
    "context_length",
    "context length",
    "context window",
    "prompt is too long",
    "input is too long",
    "reduce the length",
    "exceeds the maximum number of tokens",
)
_ADVICE: Final = (
    "the question is too long for the model; give it more context where it runs (llama.cpp: -c), or set"
    " model.maxUnitLines lower"
)
_SAYS_QUOTA: Final = frozenset({0, 400, 403, 429})
_SAYS_RATE: Final = frozenset({0, 503})
_SAYS_RIGHT: Final = frozenset({0, 400})
_SAYS_LENGTH: Final = frozenset({0, 400, 413, 422, 500})
"""Statuses with which words count, 0 in the stream: a page of a proxy that says something else is not the host's word.

A plain rate limit may well speak of billing ("add a payment method to increase it"), so only what names a spent account
is taken for that.
"""


_MOST: Final = 100_000_000
"""More tokens than any question takes: a host that counts more does not count."""


def event_of(line: str) -> dict[str, Any] | None:
    """The event of a line of an event stream; None for comments, names, blank lines and the mark of its end.

    Raises ValueError where it is no JSON object.
    """
    data = line.removeprefix(_DATA).strip() if line.startswith(_DATA) else _END
    if data == _END:
        return None
    event = json.loads(data)
    if not isinstance(event, dict):
        raise ValueError("an event is no object")  # noqa: TRY004  a wrong value, not a wrong type of ours
    return event


def count(holder: object, name: str) -> int | None:
    """A count of tokens, or of places in a list, where it is one that can be."""
    value = holder.get(name) if isinstance(holder, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST else None


def refusal_of(error: object) -> Piece:
    """An error that comes in the answer itself."""
    said = " ".join(str(part) for part in error.values()) if isinstance(error, dict) else str(error)
    message = str(error.get("message") or said) if isinstance(error, dict) else said
    return Piece(outcome=outcome_of(said), message=advised(message, said))


def advised(message: str, said: str, status: int = 0) -> str:
    """A message about what a host said, and before it what to do, where there is something."""
    return f"{_ADVICE} ({message})" if _about_length(said.lower(), status) else message


def outcome_of(said: str, status: int = 0) -> Outcome:
    """What kind of failure a provider's words and HTTP status mean."""
    text = said.lower()
    if status == 402 or (status in _SAYS_QUOTA and any(word in text for word in _QUOTA)):
        return Outcome.QUOTA
    if status in {429, 529} or (status in _SAYS_RATE and any(word in text for word in _RATE)):
        return Outcome.RATE_LIMITED
    if status in {401, 403} or (status in _SAYS_RIGHT and any(word in text for word in _RIGHT)):
        return Outcome.UNAUTHORISED
    if status == 408:
        return Outcome.TIMED_OUT
    if _about_length(text, status):
        return Outcome.REFUSED
    return Outcome.WRONG if 400 <= status < 500 else Outcome.FAILED


def _about_length(text: str, status: int) -> bool:
    return status in _SAYS_LENGTH and any(word in text for word in _LENGTH)
