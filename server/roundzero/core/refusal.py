"""What a host refused: the question, or only the way in which it was put.

Hosts differ in what they take: some know no schema, some no tools, some no temperature. Told from the words of the
refusal, since no status says it. Invariant: what was put plainly is never put differently because of its form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.model_values import Outcome

if TYPE_CHECKING:
    from roundzero.core.model_values import Ask, Reply

_ABOUT_SCHEMA: Final = ("response_format", "json_schema", "schema", "tool_choice", "tools", "'format'", "grammar")
_ABOUT_TOOLS: Final = ("tool", "function", "roles must alternate", "role 'tool'", "jinja", "chat template")


def is_about_temperature(reply: Reply, ask: Ask) -> bool:
    """Whether a host takes no temperature, as newer models do not."""
    return ask.temperature is not None and reply.outcome is Outcome.WRONG and "temperature" in reply.message.lower()


def is_about_form(reply: Reply, ask: Ask) -> bool:
    """Whether a host refused the way the schema or the tools were given; False for what was put plainly.

    Of tools some speak as of a failure of their own: llama.cpp answers 500 where it was started without templates.
    """
    if ask.plain or (reply.outcome is not Outcome.WRONG and not (reply.outcome is Outcome.FAILED and ask.tools)):
        return False
    said = reply.message.lower()
    return any(word in said for word in (*_ABOUT_SCHEMA, *(_ABOUT_TOOLS if ask.tools else ())))


def nobody_read(reply: Reply, ask: Ask) -> bool:
    """Whether no model can have read a question that a host counted no tokens for."""
    if reply.outcome in {Outcome.OFFLINE, Outcome.RATE_LIMITED}:
        return True
    return not reply.text and is_about_form(reply, ask)
