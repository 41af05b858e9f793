"""Quotes against the text they are said to come from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.change import Side, Source
from roundzero.core.evidence import Place, Quote, locate, verified
from roundzero.core.finding import Evidence, Verified
from roundzero.core.text import LineIndex, RelPath

TEXT = """\
import os

class Loader:
    def load_config(self, path: str, *, strict: bool = False) -> Config:
        if path is None:
            return None
        with self._open_file(path) as handle:  # closed below
            data = parse_document(handle.read(), strict=strict)
        return None

    def save_config(self, path: str) -> None:
        std::make_unique<CudaRunner>(graph_params, forward_method_);
        total = price_list[key] * amount_of_units
        return None

    def render(self):
        message = (
            "a long text that says "
            "what went wrong"
        )
        value = compute_total(1.5)
        return None
"""
EXACT, MOVED, WHITESPACE, MISSING = Verified.EXACT, Verified.MOVED, Verified.WHITESPACE, Verified.MISSING


def place(line: int, quote: str, text: str = TEXT) -> tuple[Verified, int]:
    """How one quote comes out."""
    (found,) = locate([Quote(line, quote)], LineIndex(text))
    return found.verified, found.line


@pytest.mark.parametrize(
    ("line", "quote"),
    [
        (1, "import os"),
        (6, "return None"),
        (6, "            return None"),
        (7, "with self._open_file(path) as handle:"),
        (8, "parse_document(handle.read(), strict=strict)"),
        (5, "if path is None:\n            return None"),
        (19, '"what went wrong"\n        )'),
    ],
)
def test_what_stands_at_its_line_is_exact(line: int, quote: str) -> None:
    """A line, a part of one or several lines; common ones too."""
    assert place(line, quote) == (EXACT, line)


@pytest.mark.parametrize(
    ("said", "quote", "line"),
    [
        (90, "data = parse_document(handle.read(), strict=strict)", 8),
        (1, "def save_config(self, path: str) -> None:", 11),
        (3, 'message = (\n            "a long text that says "', 17),
    ],
)
def test_what_stands_in_one_place_has_moved_there(said: int, quote: str, line: int) -> None:
    """However far it is."""
    assert place(said, quote) == (MOVED, line)


@pytest.mark.parametrize(
    ("line", "quote"),
    [
        (8, "`data = parse_document(handle.read(), strict=strict)`"),
        (8, "data=parse_document( handle.read(), strict = strict )"),
        (8, "+            data = parse_document(handle.read(), strict=strict)"),
        (8, "8: data = parse_document(handle.read(), strict=strict)"),
        (8, "loader.py:8:            data = parse_document(handle.read(), strict=strict)"),
        (8, "> data = parse_document(handle.read(), strict=strict)"),
        (8, "```python\ndata = parse_document(handle.read(), strict=strict)\n```"),
        (8, "data = parsedocument(handle.read(), strict=strict)"),
        (8, "data = parse\\_document(handle.read(), strict=strict)"),
        (8, "data = parse_document(..., strict=strict)"),
        (8, "data = parse_document(handle.read(), str…"),
        (8, "data = parse_document(handle.read(), strict=strict)  # here it is lost"),
        (12, "std::make_unique(graph_params, forward_method);"),
        (12, "std::make_unique&lt;CudaRunner&gt;(graph_params, forward_method_);"),
        (17, 'message = ( "a long text that says " "what went wrong" )'),
        (18, "\u201ca long text that says \u201d"),
        (5, " if path is None:\n+    return None\n-    return 1"),
    ],
)
def test_what_reads_the_same_is_found(line: int, quote: str) -> None:
    """White space, marks, framing, remarks, an ellipsis: at its line and from afar."""
    assert place(line, quote) == (WHITESPACE, line)
    if line != 18 and not quote.startswith((" ", "8:", "loader.py:")):
        assert place(60, quote) == (WHITESPACE, line)


@pytest.mark.parametrize(
    ("line", "quote"),
    [
        (7, "return None"),
        (60, "return None"),
        (60, "import os"),
        (60, "with"),
        (8, ")"),
        (60, "data = parse_document(handle.read(), strict=True)"),
        (8, "data = parse_doc(handle.read(), strict=strict)"),
        (7, "with self.open_file(path) as handle: other"),
        (21, "value = compute_total(1)"),
        (21, "compute_total(1"),
        (21, "compute_total(5)"),
        (8, "data = parse__document(handle.read(), strict=strict)"),
        (4, "def load_config(self ... total"),
        (8, "9999: handle.read(), strict=strict"),
        (1, ""),
        (1, "..."),
        (1, "```"),
        (0, "nowhere to be found"),
        (-5, "import os"),
    ],
)
def test_what_is_not_surely_there_is_missing(line: int, quote: str) -> None:
    """Too short, too common, changed, cut inside a word or a number, with marks that the text lacks."""
    assert place(line, quote) == (MISSING, line)


MARKED = """\
int total = shelf_total(/*first=*/1000, /*last=*/0, /*step=*/3);
int other = basket_total
    + downloads_of_the_shelf
    - uploads_of_the_basket;
log("\u26a0\ufe0f careful with the shelf");
int price = price_of_the_shelf();  // in euros
"""


@pytest.mark.parametrize(
    ("line", "quote"),
    [
        (1, "int total = shelf_total(/*first=*/1000, /*second=*/0, /*step=*/3);"),
        (1, "shelf_total(/*first=*/1000, /*last=*/0, /*steps=*/3"),
        (3, "- downloads_of_the_shelf"),
        (4, "+ uploads_of_the_basket;"),
        (6, "int price = price_of_the_shelf();  // in dollars"),
        (6, "price_of_the_shelf();  /* in dollars */"),
    ],
)
def test_what_stands_between_marks_of_a_comment_or_after_a_sign_is_read(line: int, quote: str) -> None:
    """Code goes on behind a comment that ends, and what is added was not taken away."""
    assert place(line, quote, MARKED) == (MISSING, line)
    assert place(60, quote, MARKED) == (MISSING, 60)


@pytest.mark.parametrize(
    ("line", "quote"),
    [
        (1, "+int total = shelf_total(/*first=*/1000, /*last=*/0, /*step=*/3);"),
        (3, "+    + downloads_of_the_shelf"),
        (5, '- log("\u26a0\ufe0f careful with the shelf");'),
        (5, 'log("\u26a0 careful with the shelf");'),
        (5, 'log("\u26a0 careful with the shelf");  /* in which */'),
        (5, 'log("\u26a0 careful with the shelf");  // in which'),
        (6, "int price = price_of_the_shelf(); // in euros"),
    ],
)
def test_marks_of_a_diff_remarks_and_what_a_reply_may_not_hold_do_not_hinder(line: int, quote: str) -> None:
    """A variation selector of an emoji is taken out of what a model says; the line is found."""
    assert place(line, quote, MARKED) == (WHITESPACE, line)
    assert place(60, quote, MARKED) == (WHITESPACE, line)


def test_of_several_places_the_neighbours_tell_the_meant_one() -> None:
    """Two around it that moved by as many lines; one alone, or two that disagree, tell nothing."""
    lines = [f"value_{number} = something_unique({number})" for number in range(40)]
    for at in (5, 20, 35):
        lines[at] = "call_the_same(argument)"
    text = LineIndex("# new\n# new\n" + "\n".join(lines) + "\n")
    before, after = Quote(19, "value_18 = something_unique(18)"), Quote(24, "value_23 = something_unique(23)")
    meant = Quote(21, "call_the_same(argument)")
    assert locate([before, meant, after], text)[1] == Place(MOVED, 23)
    assert locate([before, meant], text)[1] == Place(MISSING, 21)
    other = Quote(25, "value_23 = something_unique(23)")
    assert locate([before, meant, other], text)[1] == Place(MISSING, 21)


def test_one_that_is_near_is_meant_where_all_others_are_far() -> None:
    """A reviewer is often wrong by a line; not where a neighbour shows that lines moved."""
    lines = [f"value_{number} = something_unique({number})" for number in range(300)]
    lines[50] = lines[250] = "call_the_same(argument)"
    text = LineIndex("\n".join(lines) + "\n")
    assert locate([Quote(49, "call_the_same(argument)")], text) == [Place(MOVED, 51)]
    moved = Quote(30, "value_60 = something_unique(60)")
    assert locate([moved, Quote(49, "call_the_same(argument)")], text)[1] == Place(MISSING, 49)


def test_one_line_is_not_two() -> None:
    """What was said of two lines and stands on one belongs to at most one of them."""
    text = LineIndex(TEXT)
    quote = "data = parse_document(handle.read(), strict=strict)"
    assert [each.verified for each in locate([Quote(8, quote), Quote(80, quote)], text)] == [EXACT, MISSING]
    assert [each.verified for each in locate([Quote(40, quote), Quote(80, quote)], text)] == [MISSING, MISSING]
    assert [each.line for each in locate([Quote(40, quote), Quote(44, quote)], text)] == [8, 8]
    lax = "data = parsedocument(handle.read(), strict=strict)"
    assert [each.verified for each in locate([Quote(40, quote), Quote(80, lax)], text)] == [MOVED, MISSING]


def test_what_would_cross_its_neighbours_stays_missing() -> None:
    """A short line that reads the same in another function is another line."""
    text = LineIndex("if row_slice is not None:\n" + "x = 1\n" * 20 + "scale_is_packed = dtype_of(tensor, device)\n")
    quotes = [Quote(10, "scale_is_packed = dtype_of(tensor, device)"), Quote(40, "if row_slice is not None:")]
    assert locate(quotes, text) == [Place(MOVED, 22), Place(MISSING, 40)]


def test_evidence_carries_what_it_was_checked_against() -> None:
    """Blob and line of the text under review; without one it is missing; the order stays."""
    proofs = [
        Evidence(path=RelPath(path), side=side, line=line, quote=quote, role="use", blob="old")
        for path, side, line, quote in [
            ("a.py", Side.HEAD, 90, "data = parse_document(handle.read(), strict=strict)"),
            ("gone.py", Side.HEAD, 1, "import os"),
            ("a.py", Side.BASE, 1, "import os"),
            ("a.py", Side.HEAD, 1, "import os"),
        ]
    ]
    found = verified(proofs, {(RelPath("a.py"), Side.HEAD): Source(RelPath("a.py"), TEXT, "new")})
    assert [(each.verified, each.line, each.blob) for each in found] == [
        (MOVED, 8, "new"),
        (MISSING, 1, "old"),
        (MISSING, 1, "old"),
        (EXACT, 1, "new"),
    ]


LINES = st.lists(
    st.text(st.sampled_from("ab_ ()=.,*<>`'\"\\-#0\t…é\r"), max_size=12), min_size=1, max_size=12
)  # fmt: skip


@given(LINES, st.integers(-1, 14), st.text(st.sampled_from("ab_ ()=.,*<>`'\"\\-#0\t\n…é\r"), max_size=20))
def test_any_quote_comes_out(lines: list[str], line: int, quote: str) -> None:
    """Whatever is quoted from whatever text; what is exact or moved can be read there."""
    index = LineIndex("\n".join(lines))
    (found,) = locate([Quote(line, quote)], index)
    if found.verified in {EXACT, MOVED}:
        assert index.text[index.line_start(found.line) :].find(quote.strip()) >= 0
    assert (found.line == line) or found.verified in {MOVED, WHITESPACE}


@given(LINES, st.data())
def test_a_line_is_exact_where_it_stands(lines: list[str], data: st.DataObject) -> None:
    """Every line that is not empty, copied as it is."""
    index = LineIndex("\n".join(lines))
    number = data.draw(st.integers(1, len(lines)))
    if index.line(number).strip():
        (found,) = locate([Quote(number, index.line(number))], index)
        assert found == Place(EXACT, number)


def test_several_lines_stand_in_a_text_with_other_line_ends() -> None:
    """A quote says nothing of line ends, so those of the text do not tell against it, nor the other way round."""
    quote = 'message = (\n            "a long text that says "'
    crlf = TEXT.replace("\n", "\r\n")
    assert place(17, quote, crlf) == (EXACT, 17)
    assert place(1, quote, crlf) == (MOVED, 17)
    assert place(17, quote.replace("\n", "\r\n")) == (EXACT, 17)
