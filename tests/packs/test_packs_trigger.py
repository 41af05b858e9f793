"""Items whose checks speak to a model only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundzero.core.item import ItemId, Severity
from roundzero.packs.loader import load

if TYPE_CHECKING:
    from pathlib import Path

NAME = ItemId("python/cleanup-removed")


def test_a_trigger_is_checked_and_kept_from_people(tmp_path: Path) -> None:
    """The pack says so, and the compiled cache says the same."""
    for _ in range(2):
        item = load(repository=None, overrides={}, packs=None, cache_dir=tmp_path).by_id[NAME]
        assert (item.enabled, item.trigger, bool(item.checks)) == (True, True, True)


def test_a_severity_of_ones_own_shows_what_a_trigger_sees() -> None:
    """Who gives it one wants to see it; off is off."""
    shown = load(repository=None, overrides={NAME: "P1"}, packs=None, cache_dir=None).by_id[NAME]
    assert (shown.enabled, shown.trigger, shown.severity) == (True, False, Severity.P1)
    assert not load(repository=None, overrides={NAME: "off"}, packs=None, cache_dir=None).by_id[NAME].enabled
