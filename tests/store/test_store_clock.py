"""The time as the ledger has it."""

import re

import pytest

from roundzero.store.clock import now


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "America/Los_Angeles"])
def test_times_are_in_one_form_wherever_they_are_written(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A time is in UTC, to the second, in any zone: as text it lies between those taken before and after."""
    before = now()
    monkeypatch.setenv("TZ", zone)
    there = now()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", there) is not None
    assert before <= there <= now()
