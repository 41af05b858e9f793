"""Refusals: of a question, or of the way it was put."""

from __future__ import annotations

import pytest

from roundzero.core.model_values import Ask, Outcome, Question, Reply, ToolSpec, Turn
from roundzero.core.refusal import is_about_form, is_about_temperature, nobody_read

TOOL = ToolSpec(name="grep", description="Search.", parameters={})


def ask(*, tools: tuple[ToolSpec, ...] = (), plain: bool = False, temperature: float | None = 0.0) -> Ask:
    """A question put so."""
    question = Question(system="", turns=(Turn("user", "?"),), schema={}, key="k", tokens=1)
    return Ask(question=question, model="m", max_output=1, tools=tools, plain=plain, temperature=temperature)


@pytest.mark.parametrize(
    ("outcome", "message", "tools", "expected"),
    [
        (Outcome.WRONG, "400: response_format is not supported", (), True),
        (Outcome.WRONG, "400: the prompt is too long", (), False),
        (Outcome.FAILED, "500: failed to apply the chat template", (TOOL,), True),
        (Outcome.FAILED, "500: failed to apply the chat template", (), False),
        (Outcome.FAILED, "500: out of memory", (TOOL,), False),
        (Outcome.OK, "schema", (TOOL,), False),
    ],
)
def test_a_refusal_of_the_form_is_told_by_its_words(
    outcome: Outcome, message: str, tools: tuple[ToolSpec, ...], *, expected: bool
) -> None:
    """A failure counts as one only where there are tools; what was put plainly is never refused for its form."""
    reply = Reply(outcome=outcome, message=message)
    assert is_about_form(reply, ask(tools=tools)) is expected
    assert nobody_read(reply, ask(tools=tools)) is expected
    assert not is_about_form(reply, ask(tools=tools, plain=True))


def test_a_refused_temperature_is_none_where_none_was_given() -> None:
    """Then it is about something else."""
    reply = Reply(outcome=Outcome.WRONG, message="`temperature` is deprecated for this model")
    assert is_about_temperature(reply, ask())
    assert not is_about_temperature(reply, ask(temperature=None))


@pytest.mark.parametrize("outcome", [Outcome.OFFLINE, Outcome.RATE_LIMITED])
def test_who_was_not_let_in_read_nothing(outcome: Outcome) -> None:
    """However the question was put."""
    assert nobody_read(Reply(outcome=outcome), ask(plain=True))
