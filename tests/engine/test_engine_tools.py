"""The tools of a model that looks around, over real repositories: what each answers, and what none of them shows."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from roundzero.core.change import Side
from roundzero.core.finding import FindingId, State
from roundzero.core.item import ItemId, Severity
from roundzero.core.ledger import Entry, Ledger, Proof
from roundzero.core.sighting import Sighting
from roundzero.core.text import Position, RelPath, Span
from roundzero.core.toolbox import ToolCall
from roundzero.engine import tools
from roundzero.engine.tools import discover
from roundzero.engine.tools._arguments import schema
from support.looking import answer, asked, with_toolbox
from support.shop import FILES, STOCK

if TYPE_CHECKING:
    from roundzero.engine.repository import Snapshot
    from roundzero.engine.toolbox import Result, Toolbox
    from support.repo import Repo


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A small program, of which the branch changes one line."""
    repo.commit("first", FILES)
    repo.branch("feature")
    repo.write("app/stock.py", STOCK.replace("LIMIT = 10", "LIMIT = 11"))
    return repo


def test_every_tool_is_a_file_with_a_whole_schema() -> None:
    """Found by discovery; each has a name that protocols take, words, and a schema in one piece."""
    assert set(discover()) == {path.stem for path in Path(tools.__file__).parent.glob("[!_]*.py")}
    for name, tool in discover().items():
        made = schema(tool.parameters)
        assert name == tool.name
        assert tool.description
        assert made["additionalProperties"] is False
        assert "$ref" not in json.dumps(made)


def test_read_shows_numbered_lines_of_either_side(shop: Repo) -> None:
    """Lines have their numbers; what was changed is as it is in the text under review, or before."""
    assert answer(shop.root, "read", path="app/stock.py", first=1, last=2).split("\n") == [
        "lines 1 to 2 of 19, at the head", "    1 LIMIT = 11", "    2 ",
    ]  # fmt: skip
    assert "    1 LIMIT = 10" in answer(shop.root, "read", path="./app/stock.py", side="base")
    assert answer(shop.root, "read", path="app/stock.py", first=18, last=900).endswith("   19     pass")


def test_read_lists_a_folder(shop: Repo) -> None:
    """The names in a folder, folders with a slash."""
    listed = answer(shop.root, "read", path=".").split("\n")
    assert listed == [
        "a folder of 6 names", ".github/", "README.md", "app/", "pyproject.toml", "settings.toml", "tests/",
    ]  # fmt: skip
    assert "stock.py" in answer(shop.root, "read", path="app/")


def test_a_long_file_is_read_in_parts(shop: Repo) -> None:
    """Of ten thousand lines some come at once, with the word where to go on; long lines are cut."""
    shop.write("long.txt", "".join(f"line {number} {'x' * 60}\n" for number in range(1, 10_001)))
    first = answer(shop.root, "read", path="long.txt")
    assert first.startswith("lines 1 to 161 of 10000")
    assert first.endswith("ask for more from line 162")
    shop.write("wide.txt", f"{'x' * 5_000}\nlast\n")
    assert max(map(len, answer(shop.root, "read", path="wide.txt").split("\n"))) < 320
    assert answer(shop.root, "read", path="long.txt", first=9_999).startswith("lines 9999 to 10000 of 10000")
    assert answer(shop.root, "read", path="long.txt", first=10_001) == (
        "not answered: it has 10000 lines, so there is no line 10001"
    )


def test_grep_counts_and_shows_and_says_none(shop: Repo) -> None:
    """A count with the lines; zero is an answer; of either side, of a folder; a pattern is no pattern."""
    found = answer(shop.root, "grep", word="LIMIT").split("\n")
    assert found[0] == "grep -w: 5 lines in 4 files at the head"
    assert "app/stock.py:1: LIMIT = 11" in found
    assert answer(shop.root, "grep", word="LIMIT", path="app/front.js").startswith("grep -w: 1 line in 1 file")
    assert "LIMIT = 10" in answer(shop.root, "grep", word="LIMIT", side="base")
    assert answer(shop.root, "grep", word="no_such_name") == "grep -w: 0 lines in 0 files at the head"
    assert answer(shop.root, "grep", word="LIM.*").startswith("grep -w: 0 lines")
    assert answer(shop.root, "grep", word="(((").startswith("grep -w: 0 lines")


def test_definition_shows_functions_classes_variables_and_other_languages(shop: Repo) -> None:
    """By name, dotted name, and the looks of a line; decorators belong to it; none is an answer."""
    take = answer(shop.root, "definition", name="take")
    assert take.startswith("2 definitions at the head\napp/stock.py:7: Shelf.take")
    assert answer(shop.root, "definition", name="Deep.take").startswith("1 definition\napp/stock.py:14: Deep.take")
    assert "    1 LIMIT = 11" in answer(shop.root, "definition", name="LIMIT")
    assert "    5     size: int = 4" in answer(shop.root, "definition", name="Shelf.size")
    assert '    5 @register("front")' in answer(shop.root, "definition", name="serve()")
    assert "    1 function drawShelf(limit) {" in answer(shop.root, "definition", name="drawShelf")
    assert answer(shop.root, "definition", name="nobody") == "0 definitions at the head"
    assert "is no name" in answer(shop.root, "definition", name="a b")


def test_references_and_callers_say_where_and_how_often(shop: Repo) -> None:
    """Uses in code and mentions elsewhere apart; calls with the function they are made in."""
    used = answer(shop.root, "references", name="app.stock.LIMIT")
    assert used.startswith("used in 1 line in 1 file of Python, mentioned in 2 lines in 2 files of other kinds")
    assert "app/stock.py:8: if count > LIMIT:" in used
    calls = answer(shop.root, "callers", name="Shelf.take")
    assert calls.startswith("called in 4 lines in 3 files")
    assert "app/uses.py:8: in serve: return shelf.take(count)" in calls
    assert "app/stock.py:15: in Deep.take: return super().take(count)" in calls
    assert answer(shop.root, "callers", name="nobody").startswith("called in 0 lines")


def test_subclasses_are_found_over_steps_and_registries_by_what_is_put_in(shop: Repo) -> None:
    """A class that derives from one that derives; what is decorated by a register or put into a dict."""
    below = answer(shop.root, "subclasses", name="Shelf")
    assert below.startswith("subclasses: 2 lines in 1 file; registered: 0 lines")
    assert "app/stock.py:18: class Deeper(Deep):" in below
    registered = answer(shop.root, "subclasses", name="register")
    assert "registered:\napp/uses.py:5:" in registered
    assert "app/registry.py:5: return lambda what: KNOWN.setdefault(name, what)" in answer(
        shop.root, "subclasses", name="KNOWN"
    )


def test_default_of_reads_code_flags_environment_and_settings(shop: Repo) -> None:
    """An assignment, a parameter, a flag's default, a look-up's second argument, a line of settings."""
    depth = answer(shop.root, "default_of", name="--max-depth")
    assert "app/options.py:8: default=7," in depth
    assert "settings.toml:1: max-depth = 9" in depth
    assert "app/options.py:10: return os.environ.get('APP_MODE', 'safe')" in answer(
        shop.root, "default_of", name="APP_MODE"
    )
    assert "app/stock.py:1: LIMIT = 11" in answer(shop.root, "default_of", name="LIMIT")
    assert "app/uses.py:6: def serve(count=3):" in answer(shop.root, "default_of", name="count")
    assert answer(shop.root, "default_of", name="nothing_like_it").startswith("given a value or a default in 0 lines")


def test_tests_for_names_the_test_and_build_info_the_target(shop: Repo) -> None:
    """Tests by name or by module; files of the build, and the lines of them that name something."""
    assert "tests/test_stock.py:5: in test_take: assert Shelf().take(1) == 1" in answer(
        shop.root, "tests_for", name="Shelf.take"
    )
    assert "tests/test_stock.py:1: from app.stock import Shelf" in answer(shop.root, "tests_for", name="app/stock.py")
    assert answer(shop.root, "tests_for", name="serve").startswith("tests name it in 0 lines")
    assert answer(shop.root, "build_info").split("\n") == [
        "2 files of the build, at the head", "pyproject.toml", ".github/workflows/ci.yml",
    ]  # fmt: skip
    assert ".github/workflows/ci.yml:1: run: pytest tests/test_stock.py" in answer(
        shop.root, "build_info", about="tests/test_stock.py"
    )


def test_sibling_idiom_shows_others_of_the_same_and_of_like_names(shop: Repo) -> None:
    """The same name elsewhere first, then what stands beside it and shares a word."""
    take = answer(shop.root, "sibling_idiom", path="app/stock.py", name="Shelf.take")
    assert take.startswith("1 of the same name, 0 beside it")
    assert "app/stock.py:14: Deep.take" in take
    serve = answer(shop.root, "sibling_idiom", path="app/uses.py", name="serve")
    assert "app/uses.py:11: serve_all" in serve


def entry(number: int, state: State, title: str) -> Entry:
    """A finding of an earlier round."""
    seen = Sighting(
        item=ItemId("general/other-defect"),
        producer="m",
        producer_version="1",
        source="model",
        severity=Severity.P1,
        title=title,
        path=RelPath("app/stock.py"),
        side=Side.HEAD,
        span=Span(Position(7, 1), Position(7, 5)),
        symbol="Shelf.take",
        anchor_text="def take",
        blob="b",
    )
    name = FindingId(f"rz-{number}")
    return Entry(id=name, state=state, sighting=seen, first_seen=1, last_seen=2, proof=Proof(text="the guard is back"))


def test_earlier_tells_what_is_over_and_not_what_is_open(shop: Repo) -> None:
    """Fixed ones with the proof; an open one is left for the draft to find by itself."""
    rows = [entry(1, State.FIXED, "take() had no guard"), entry(2, State.OPEN, "take() is slow")]
    ledger = Ledger(entries={row.id: row for row in rows})
    (every, elsewhere) = asked(
        shop.root, ("earlier", {"symbol": "take"}), ("earlier", {"path": "tests"}), ledger=ledger
    )
    assert "fixed: [P1] take() had no guard (app/stock.py:7 in Shelf.take" in every.text
    assert "the guard is back" in every.text
    assert "slow" not in every.text
    assert elsewhere.text == "0 earlier findings that are over"


def test_results_are_cut_to_the_bytes_that_are_left(shop: Repo) -> None:
    """At whole lines, and it says so; our own words come on top."""
    shop.write("wide.txt", "".join(f"word {number} é\n" for number in range(200)))
    (result,) = asked(shop.root, ("read", {"path": "wide.txt"}), most=500)
    assert "more lines are cut: no more bytes are left" in result.text
    assert result.bytes < 500 + 200
    assert result.text.count("word") == len([line for line in result.text.split("\n") if line.endswith("é")])


def test_a_call_ends_at_its_time(shop: Repo) -> None:
    """What takes too long is answered in words, and the next call is carried out as ever."""

    async def use(box: Toolbox, _: Snapshot) -> list[Result]:
        late = await box.run(ToolCall("references", {"name": "LIMIT"}), most=1_000, seconds=0.0)
        good = await box.run(ToolCall("grep", {"word": "LIMIT"}), most=1_000, seconds=30.0)
        return [late, good]

    started = time.monotonic()
    late, good = with_toolbox(shop.root, use)
    assert late.text == "not answered: it took too long; ask for something narrower"
    assert good.text.startswith("grep -w: 5 lines in 4 files")
    assert time.monotonic() - started < 30


def test_equal_calls_get_equal_results_in_another_process_too(shop: Repo) -> None:
    """Whatever order they come in: nothing of a result depends on time, chance or what was asked before."""
    calls: list[tuple[str, dict[str, object]]] = [
        ("grep", {"word": "LIMIT"}), ("references", {"name": "Shelf"}), ("callers", {"name": "take"}),
        ("subclasses", {"name": "Shelf"}), ("read", {"path": "app"}), ("definition", {"name": "take"}),
        ("tests_for", {"name": "take"}), ("sibling_idiom", {"path": "app/uses.py", "name": "serve"}),
    ]  # fmt: skip
    forward = [result.text for result in asked(shop.root, *calls)]
    backward = [result.text for result in asked(shop.root, *reversed(calls))]
    assert forward == backward[::-1]


def test_what_was_shown_can_be_quoted(shop: Repo) -> None:
    """A result names the texts its lines are of, with their sides."""
    (read, grep, base) = asked(
        shop.root,
        ("read", {"path": "app/uses.py"}), ("grep", {"word": "KNOWN"}),
        ("read", {"path": "app/stock.py", "side": "base"}),
    )  # fmt: skip
    assert [(side, source.path) for side, source in read.shown] == [(Side.HEAD, "app/uses.py")]
    assert [(side, source.path) for side, source in grep.shown] == [(Side.HEAD, "app/registry.py")]
    assert [(side, source.path) for side, source in base.shown] == [(Side.BASE, "app/stock.py")]
