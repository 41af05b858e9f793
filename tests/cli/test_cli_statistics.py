"""The numbers a report gives about itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from support.command import Cli
    from support.repo import Repo


def report(cli: Cli, *arguments: str) -> dict[str, Any]:
    """The JSON report."""
    document = json.loads(cli("review", "--format", "json", *arguments).out)
    assert isinstance(document, dict)
    return document


def test_statistics_count_what_the_report_holds(cli: Cli, house: Repo) -> None:
    """Patch, items, origins and states are the true ones; what only a model gives is null."""
    path = ".roundzero/checklists/house.yaml"
    everywhere = (house.root / path).read_text().replace("looks_at: added", "looks_at: file")
    house.commit("second", {"old.py": "a = 1  # MARK\nb = 2\n", path: everywhere})
    house.branch("topic")
    house.write("old.py", "a = 1  # MARK\nb = 3  # é MARK\n")
    house.write("new.py", "x = 1  # MARK  roundzero: ignore[house/mark] on purpose\n")
    house.write("blob.bin", b"\0")
    found = report(cli, "--all-origins")
    stats = found["stats"]
    assert stats["patch_bytes"] == sum(
        len(line.encode()) for line in ("b = 2\n", "b = 3  # é MARK\n", (house.root / "new.py").read_text())
    )
    assert stats["deleted_lines"] == 1
    assert stats["items"] == {"pass": 0, "fail": 1, "not_applicable": 0, "not_checked": 0}
    assert stats["origins"] == {"introduced": 1, "exposed": 0, "pre_existing": 1}
    assert {name: number for name, number in stats["states"].items() if number} == {"open": 2, "dismissed": 1}
    assert stats["new"] == 3
    assert stats["returned"] == stats["blocking_unchanged"] == 0
    assert [stats[name] for name in ("model", "drafts", "fact_checks", "tokens", "cost")] == [None] * 5
    assert found["coverage"]["files"] == 3


def test_files_new_since_the_last_round_are_counted_with_and_without_a_ledger(cli: Cli, house: Repo) -> None:
    """Without a round before, all files of the change are new; restricted reviews compare with the last round."""
    house.branch("topic")
    house.write("one.py", "x = 1\n")
    house.write("two.py", "x = 2\n")
    alone = report(cli, "--no-ledger")
    assert alone["round"] == {"index": None, "previous": None, "delta_files": 2, "full_files": 2}
    assert (alone["stats"]["new"], alone["stats"]["returned"]) == (None, None)
    assert report(cli)["round"] == {"index": 1, "previous": None, "delta_files": 2, "full_files": 2}
    house.write("two.py", "x = 3\n")
    restricted = report(cli, "two.py")
    assert restricted["round"] == {"index": None, "previous": None, "delta_files": 1, "full_files": 2}
    assert report(cli)["round"] == {"index": 2, "previous": 1, "delta_files": 1, "full_files": 2}


def test_files_that_are_not_reviewed_count_as_files_of_the_change(cli: Cli, house: Repo) -> None:
    """So that there are never more new files than files; one that is as before is of the change no more."""
    house.branch("topic")
    house.write("blob.bin", b"\0")
    house.write("one.py", "x = 1\n")
    assert report(cli)["round"] == {"index": 1, "previous": None, "delta_files": 2, "full_files": 2}
    (house.root / "one.py").unlink()
    assert report(cli)["round"] == {"index": 2, "previous": 1, "delta_files": 0, "full_files": 1}


def test_a_finding_that_came_back_is_counted(cli: Cli, house: Repo) -> None:
    """What was fixed in one round and is there again in a later one has returned, and is not new."""
    house.branch("topic")
    for text, fixed, new, returned in (
        ("x = 1  # MARK\n", 0, 1, 0),
        ("x = 1\n", 1, 0, 0),
        ("x = 1  # MARK\n", 0, 0, 1),
    ):
        house.write("one.py", text)
        stats = report(cli)["stats"]
        assert (stats["states"]["fixed"], stats["new"], stats["returned"]) == (fixed, new, returned), text
