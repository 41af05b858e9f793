"""Words from outside can be written and shown, whatever they hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.harmless import clean, is_hidden, line, prose, whole

anything = st.text(st.characters(codec=None), max_size=80)


@given(anything)
def test_what_is_kept_can_be_written_and_shown(text: str) -> None:
    """Halves of characters, controls and invisible ones are gone, and doing it again changes nothing."""
    assert whole(text).encode("utf-8").decode("utf-8") == whole(text)
    for made in (clean(text), prose(text), line(text)):
        assert made.encode("utf-8").decode("utf-8") == made
        assert not any(is_hidden(each) for each in made)
    assert whole(whole(text)) == whole(text)
    assert clean(clean(text)) == clean(text)
    assert "\n" not in line(text)


def test_halves_become_the_character_they_spell() -> None:
    """In their order; a half alone is shown as lost, and a text without halves is itself."""
    assert whole("a\ud83d\ude00b\ud83dc\ude00") == "a\U0001f600b\ufffdc\ufffd"
    text = "a\U0001f600"
    assert whole(text) is text


def test_marks_that_say_verified_are_ours() -> None:
    """In prose they go; what is quoted as code is not prose."""
    assert prose("\u2713 verified \u274c") == "verified"
    assert clean("\u2713 verified") == "\u2713 verified"
