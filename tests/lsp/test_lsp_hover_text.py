"""What a hover says, and what it does not let through."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roundzero.core.change import Side
from roundzero.core.finding import Evidence, Finding, FindingId, Observation, Origin, State, Verified
from roundzero.core.item import ItemId, Severity
from roundzero.core.text import Position, RelPath, Span
from roundzero.lsp.hover_text import hover_text


def finding(*, title: str = "bad", why: str = "", evidence: tuple[Evidence, ...] = ()) -> Finding:
    """A finding with these texts."""
    seen = Observation(
        item=ItemId("python/bad"), producer="test", producer_version="1", source="check", severity=Severity.P1,
        title=title, why=why, path=RelPath("a.py"), side=Side.HEAD, span=Span(Position(1, 1), Position(1, 2)),
        symbol=None, anchor_text="", evidence=evidence,
    )  # fmt: skip
    return Finding(id=FindingId("rz-1"), group="g", seen=seen, origin=Origin.INTRODUCED, in_diff=True, anchor=None)


def line(quote: str, side: Side, verified: Verified = Verified.EXACT) -> Evidence:
    """A line of evidence."""
    return Evidence(path=RelPath("a_b.py"), side=side, line=3, quote=quote, role="use", blob="", verified=verified)


def test_everything_a_person_needs_is_there() -> None:
    """Severity, title, reason, origin, evidence with marks, how to dismiss it, item and id."""
    text = hover_text(
        finding(
            why="because",
            evidence=(line("old()", Side.BASE), line("  new()", Side.HEAD, Verified.MOVED)),
        ),
        "en",
        markdown=True,
    )
    assert text == (
        "**P1** · bad\n\nbecause\n\nBrought by this branch.\n\n"
        "base: `old()` → now: `new()`\n\n"
        "- use: `old()` a_b.py:3 (base) ✓\n- use: `new()` a_b.py:3 ✓ moved\n\n"
        "To dismiss it, write this comment, with a reason, on the line or above it:"
        " `roundzero: ignore[python/bad] reason`\n\n`python/bad` · `rz-1`"
    )


def test_a_state_is_said_in_the_readers_language() -> None:
    """Its reason too, unless a person wrote it."""
    fixed = finding().but(state=State.FIXED, state_text="the code was deleted")
    assert "已修复 (代码已删除)" in hover_text(fixed, "zh", markdown=False)
    aside = finding().but(state=State.DISMISSED, state_text="part of the plan")
    assert "已忽略 (part of the plan)" in hover_text(aside, "zh", markdown=False)


def test_the_line_under_the_pointer_is_not_quoted_again() -> None:
    """A removed line is, because the editor does not show it."""
    own = Evidence(path=RelPath("a.py"), side=Side.HEAD, line=1, quote="here()", role="place", blob="")
    assert hover_text(finding(evidence=(own,)), "en", markdown=True) == hover_text(finding(), "en", markdown=True)
    gone = finding(evidence=(replace(own, side=Side.BASE),))
    gone = replace(gone, seen=replace(gone.seen, side=Side.BASE))
    assert "- place: `here()` a.py:1 (base) ✓" in hover_text(gone, "en", markdown=True)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("![x](http://a)", "!\\[x\\](http\\://a)"),
        ("<img src=x> &amp;", "\\<img src=x\\> \\&amp;"),
        ("# heading\n- item\n1. one", "\\# heading\n\\- item\n1\\. one"),
        ("*a* _b_ snake_case **c**", "\\*a\\* \\_b\\_ snake_case \\*\\*c\\*\\*"),
        ("see www.a.com", "see www\\.a.com"),
        ("code `a*b` stays, ` alone not", "code `a*b` stays, \\` alone not"),
        ("right\u202eleft", "right\\\\u202eleft"),
        ("\\", "\\\\"),
    ],
)
def test_text_cannot_become_markup(text: str, escaped: str) -> None:
    """Links, images, HTML, headings and direction marks lose their power; code between backticks stays code."""
    assert f"\n\n{escaped}\n\n" in hover_text(finding(why=text), "en", markdown=True)


@pytest.mark.parametrize(
    ("quote", "code"), [("a`b", "``a`b``"), ("`x`", "`` `x` ``"), ("a``b", "```a``b```"), ("a\tb", "`a    b`")]
)
def test_code_with_backticks_is_fenced_by_more(quote: str, code: str) -> None:
    """A quote cannot leave its code span."""
    assert f": {code} a" in hover_text(finding(evidence=(line(quote, Side.HEAD),)), "en", markdown=True)


def test_plain_text_has_no_marks() -> None:
    """A client that shows plain text sees the words as they are."""
    text = hover_text(finding(why="a*b `c` [d]"), "en", markdown=False)
    assert "a*b `c` [d]" in text
    assert "**" not in text


def test_chinese_prose() -> None:
    """The words around follow the language of the prose."""
    assert "由本分支引入" in hover_text(finding(), "zh", markdown=True)


def test_each_origin_is_named() -> None:
    """Where a finding comes from is said in words."""
    for origin in Origin:
        assert hover_text(replace(finding(), origin=origin), "en", markdown=True).count("branch") == 1
