"""How often items spoke: what is written down of a measurement, and what the pages say of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import false_alarms
import item_pages
import rates
from roundzero.core.item import Item, ItemId, LinterCheck, Prose, Severity
from roundzero.packs import loader
from roundzero.packs.compiling import examples_of

if TYPE_CHECKING:
    from pathlib import Path

    from support.repo import Repo

DOCUMENT = """
| Branch | Place | Item | Verdict | Why |
|---|---|---|---|---|
| shop `abc1234` | `app/a.py:3` | bare-except | true | it is bare |
| shop `abc1234` | `app/a.py:3` | bare-except | arguable | the second of that line |
| shop `def5678` | `app/a.py:3` | bare-except | false | another branch |

| Item | True | False |
|---|--:|--:|
| `python/bare-except` | 1 | 0 |
"""


def ran(*places: str, **added: int) -> rates.Run:
    """A measurement in which bare-except spoke at these places of one branch."""
    hits = [rates.Seen("abc1234" + "0" * 33, place, "python/bare-except") for place in places]
    return rates.Run(
        branches=1, lines=sum(added.values()), hits=hits, added={f"app/a.{kind}": n for kind, n in added.items()}
    )


def test_a_verdict_counts_for_one_hit_of_its_branch_and_place() -> None:
    """Two verdicts on one line are two hits'; a hit elsewhere, or another branch's verdict, is not read."""
    part = rates.measured(ran("app/a.py:3", "app/a.py:3", "app/a.py:9", py=500), rates.verdicts(DOCUMENT), {})
    assert part["items"]["python/bare-except"] == {"lines": 500, "hits": 3, "true": 1, "false": 0, "arguable": 1}


def test_what_had_no_file_to_look_at_was_not_measured() -> None:
    """A measurement without C++ says nothing of items about C++, and one of C++ alone nothing of Python."""
    python, cpp = rates.measured(ran(py=5), (), {})["items"], rates.measured(ran(cc=5), (), {})["items"]
    assert ("python/bare-except" in python, "cpp/using-in-header" in python) == (True, False)
    assert ("python/bare-except" in cpp, "cpp/swallowed-exception" in cpp) == (False, True)
    both = rates.measured(ran(py=5, cc=7), (), {})["items"]
    assert (both["python/bare-except"]["lines"], both["cpp/swallowed-exception"]["lines"]) == (5, 7)


def test_what_needs_a_base_did_not_run_where_all_is_new() -> None:
    """A check for what was removed cannot speak of a repository that only adds; one for what stands there can."""
    only = rates.measured(replace(ran(py=5), only_adds=True), (), {})["items"]
    assert ("python/guard-removed" in only, "python/mutable-default" in only) == (False, True)
    assert "python/guard-removed" in rates.measured(ran(py=5), (), {})["items"]


def test_items_that_are_never_shown_have_no_rate() -> None:
    """Those that are off, told to a model only, or left to a linter, neither spoke nor were silent."""
    items = {item.id: item for item in loader.load(repository=None, overrides={}, packs=None, cache_dir=None).items}
    kinds = dict.fromkeys(("py", "cc", "h", "ts", "js", "sh", "yml", "yaml", "txt", "toml", "json", "md", "BUILD"), 1)
    measured = [items[ItemId(name)] for name in rates.measured(ran(**kinds), (), {})["items"]]
    assert measured
    assert all(item.enabled and item.checks and not item.trigger and not item.needs_linter for item in measured)


def test_verdicts_by_hand_stay_while_the_hits_do(tmp_path: Path) -> None:
    """A second measurement with as many hits keeps what was read of them, one with more does not; other parts stay."""
    file = tmp_path / "rates.json"
    rates.write(file, "whole", ran("app/a.py:3", py=10), ())
    rates.write(file, "merged", ran(py=10), ())
    read = json.loads(file.read_text("utf-8"))
    read["whole"]["items"]["python/bare-except"]["true"] = 1
    file.write_text(json.dumps(read), "utf-8")
    rates.write(file, "whole", ran("app/a.py:4", py=20), ())
    assert json.loads(file.read_text("utf-8"))["whole"]["items"]["python/bare-except"] == {
        "lines": 20,
        "hits": 1,
        "true": 1,
    }
    rates.write(file, "whole", ran("app/a.py:4", "app/a.py:5", py=20), ())
    assert json.loads(file.read_text("utf-8"))["whole"]["items"]["python/bare-except"] == {"lines": 20, "hits": 2}
    assert json.loads(file.read_text("utf-8"))["merged"] == read["merged"]


@pytest.mark.parametrize(("branch", "hits"), [("work", 1), ("main", 0)])
def test_branches_are_reviewed_and_their_rates_written(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str], branch: str, hits: int
) -> None:
    """A case file leads to reviews, and these to the rates of all items that could speak."""
    base = repo.commit("one", {"a.py": "def run():\n    return 1\n"})
    repo.git("checkout", "-q", "-b", "work")
    repo.commit("two", {"a.py": "def run():\n    try:\n        return 2\n    except:\n        return 1\n"})
    head = repo.git("rev-parse", branch).strip()
    (tmp_path / "repos").mkdir()
    (tmp_path / "repos" / "ada+shop").symlink_to(repo.root)
    cases = tmp_path / "merges_ada_shop.json"
    cases.write_text(json.dumps([{"base": base, "head": head}]), "utf-8")
    file = tmp_path / "rates.json"
    assert false_alarms.main([str(cases), "--repos", str(tmp_path / "repos"), "--rates", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"hits {hits} lines {4 * hits} ")
    part = json.loads(file.read_text("utf-8"))["merged"]
    assert part["items"].get("python/bare-except", {"hits": 0})["hits"] == hits


def test_a_whole_repository_is_reviewed_as_if_new(repo: Repo, tmp_path: Path) -> None:
    """All lines of the newest commit count as added."""
    repo.commit("one", {"a.py": "def run():\n    try:\n        return 2\n    except:\n        return 1\n"})
    (tmp_path / "ada+shop").symlink_to(repo.root)
    file = tmp_path / "rates.json"
    assert false_alarms.main(["--whole", "ada+shop", "--repos", str(tmp_path), "--rates", str(file)]) == 0
    part = json.loads(file.read_text("utf-8"))["whole"]
    assert (part["lines"], part["items"]["python/bare-except"]) == (5, {"lines": 5, "hits": 1})


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        (None, "Not measured: there was nothing for it in what was measured, or it is newer."),
        ({"lines": 900, "hits": 0}, "Measured: no hit on 900 added lines of 4 merged branches."),
        (
            {"lines": 900, "hits": 3, "true": 1, "false": 0, "arguable": 1},
            (
                "Measured: 3 hits on 2,000 added lines of 4 merged branches (1.50 per 1,000). "
                "Read: 1 true, 0 false, 1 arguable, 1 not read."
            ),
        ),
        (
            {"lines": 900, "hits": 1},
            "Measured: 1 hit on 2,000 added lines of 4 merged branches (0.50 per 1,000). None of them was read.",
        ),
    ],
)
def test_a_page_says_how_often_its_item_spoke(rate: item_pages.Rate | None, said: str) -> None:
    """Hits with how they were read, silence with what was looked at, and nothing of what did not run."""
    item = Item(id=ItemId("house/x"), title=Prose("x"), why=Prose(""), severity=Severity.P3)
    items: dict[str, item_pages.Rate] = {} if rate is None else {item.id: rate}
    nothing = item_pages.Measured(lines=0, branches=0, items={})
    merged = item_pages.Measured(lines=2000, branches=4, items=items)
    assert item_pages.measured(item, item_pages.Rates(merged=merged, whole=nothing), "en") == said


def test_a_page_says_why_an_item_was_not_measured() -> None:
    """What is off, not shown, or left to a linter did not run; a Chinese page says so in Chinese."""
    nothing = item_pages.Measured(lines=0, branches=0, items={})
    both = item_pages.Rates(merged=nothing, whole=nothing)
    item = Item(id=ItemId("house/x"), title=Prose("x"), why=Prose(""), severity=Severity.P3)
    linter = replace(item, checks=(LinterCheck("shellcheck", ("SC2115",)),))
    kinds = (replace(item, enabled=False), replace(item, trigger=True), linter)
    said = [item_pages.measured(each, both, "en").partition(": ")[2] for each in kinds]
    assert said == ["it is off.", "it is not shown.", "it needs a linter that need not be installed."]
    assert item_pages.measured(linter, both, "zh").startswith("未测量")


@pytest.mark.parametrize(
    ("merged", "said"),
    [
        (None, "Measured: 2 hits on 40,000 lines of whole repositories as if all were new (0.05 per 1,000)."),
        ({"lines": 90, "hits": 0}, "Measured: 2 hits on 40,000 lines of whole"),
        ({"lines": 90, "hits": 1}, "Measured: 1 hit on 2,000 added lines of 4 merged branches"),
        ({"lines": 1900, "hits": 0}, "Measured: no hit on 1,900 added lines of 4 merged branches."),
    ],
)
def test_whole_repositories_speak_where_branches_had_next_to_nothing(merged: item_pages.Rate | None, said: str) -> None:
    """A hit on a branch, or silence on enough lines of branches, says more than all files of a repository."""
    item = Item(id=ItemId("house/x"), title=Prose("x"), why=Prose(""), severity=Severity.P3)
    items: dict[str, item_pages.Rate] = {} if merged is None else {item.id: merged}
    whole = item_pages.Measured(lines=50000, branches=2, items={item.id: {"lines": 40000, "hits": 2}})
    rates_of = item_pages.Rates(merged=item_pages.Measured(lines=2000, branches=4, items=items), whole=whole)
    assert item_pages.measured(item, rates_of, "en").startswith(said)


def test_the_page_of_a_pack_has_all_that_is_needed_to_use_an_item() -> None:
    """What, why, an example of each kind, how to silence it, and how often it spoke."""
    file = next(each for each in loader.built_in_files() if each.name == "python.yaml")
    items = loader.load(repository=None, overrides={}, packs=None, cache_dir=None).items
    item = next(each for each in items if each.id == "python/bare-except")
    nothing = item_pages.Measured(lines=0, branches=0, items={})
    examples = examples_of(file.read_text("utf-8"))
    _, page = item_pages.pages([item], examples, item_pages.Rates(merged=nothing, whole=nothing), "en")
    text = "\n".join(page.lines)
    assert page.path == "items/python.md"
    wanted = (
        "## bare-except",
        item.title.en,
        item.why.en,
        "Reported:\n\n```text\n//- ",
        "Not reported:\n\n```text\n//- ",
    )
    assert [
        part for part in (*wanted, "roundzero: ignore[python/bare-except]", "Not measured: ") if part not in text
    ] == []
