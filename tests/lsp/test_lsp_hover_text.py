"""What a hover says, and what it does not let through."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roundzero.core.change import Side
from roundzero.core.finding import Evidence, Finding, FindingId, Observation, Origin, Verified
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
        "**P1** · bad\n\nbecause\n\nbrought by this branch.\n\n"
        "base: `old()` → now: `new()`\n\n"
        "- ✓ use: `old()` a_b.py:3 (base)\n- ↷ use: `new()` a_b.py:3\n\n"
        "To dismiss it, write this comment, with a reason, on the line or above it:"
        " `roundzero: ignore[python/bad] reason`\n\n`python/bad` · `rz-1`"
    )


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
