"""What a change is as a whole, and what earlier rounds praised, in a real repository."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import pytest

from roundzero.core.drafting import Texts
from roundzero.core.finding import State
from roundzero.core.ledger import Ledger
from roundzero.core.model_values import Outcome, Reply
from roundzero.core.reversal import reverses
from roundzero.core.text import collapse
from roundzero.core.units import cut
from roundzero.engine.asking import Asking
from roundzero.engine.overviewing import Overviewed, Praised, keep, overview, praised
from roundzero.engine.quick_review import Inquiry
from roundzero.engine.repository import Snapshot
from roundzero.engine.reversing import earlier_advice
from roundzero.git.repository import CollectRules, Git
from roundzero.store.ledger_db import LedgerDb
from support.earlier import APP, BASE, MENDED, POPS, RULES, THEN, Earlier
from support.inquiry import post_of
from support.loop import run
from support.watched import Watched, ok

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from roundzero.core.change import Change
    from support.repo import Repo

T = TypeVar("T")
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
MESSAGE = f"Take one by one\n\nThe count is still checked first. Key {TOKEN}.\n\nSigned-off-by: Ada <ada@e.example>"


def shown(line: int, text: str, side: str = "head") -> dict[str, object]:
    """A quote."""
    return {"path": APP, "side": side, "line": line, "quote": text}


REPLY = json.dumps(
    {
        "summary": "Items are taken one by one.",
        "themes": ["stock"],
        "files": [{"path": APP, "text": "pops"}],
        "strengths": [{"text": "takes no copy", "quotes": [shown(2, POPS)]}, {"text": "broken", "quotes": "none"}],
        "description": [
            {
                "said": "The count is still checked first.",
                "text": "the check was removed",
                "quotes": [shown(3, "raise ValueError(count)", "base")],
            }
        ],
    }
)


@pytest.fixture
def topic(repo: Repo) -> Repo:
    """A branch whose message says what its change does not do."""
    repo.commit("base", {APP: BASE})
    repo.branch("topic")
    repo.commit(MESSAGE, {APP: THEN})
    return repo


def there(repo: Repo, question: Callable[[Git, Change, Snapshot], Awaitable[T]]) -> T:
    """The answer to a question about a repository as it is now."""

    async def ask() -> T:
        git = await Git.open(repo.root)
        try:
            change = await git.collect(await git.choose_base(explicit="main", environ={}))
            return await question(git, change, Snapshot(git, change, CollectRules()))
        finally:
            await git.close()

    return run(ask())


def overviewed(repo: Repo, folder: Path, watched: Watched) -> Overviewed:
    """Ask about the change as a whole."""

    async def ask(_: Git, change: Change, snapshot: Snapshot) -> Overviewed:
        units = cut(change, RULES, max_lines=150, covers=lambda _: True).units
        inquiry = Inquiry(change=change, ruleset=RULES, model="m", language="en", max_lines=150, covers=lambda _: True)
        asking = Asking(post_of(folder, watched))
        return await overview(inquiry, units, snapshot, asking, watched, sources=Texts.of(change).sources)

    return there(repo, ask)


def test_a_description_that_the_change_contradicts_is_found(topic: Repo, tmp_path: Path) -> None:
    """The commit's message is in the question, without secrets and people; what is said of it is checked."""
    watched = Watched(ok(REPLY))
    found = overviewed(topic, tmp_path, watched).overview
    assert found is not None
    assert [(each.text, each.commit) for each in found.mismatches] == [("the check was removed", topic.head())]
    assert [each.text for each in found.strengths] == ["takes no copy"]
    text = watched.asks[0].question.turns[0].text
    assert "The count is still checked first." in text
    assert TOKEN not in text
    assert "ada@" not in text
    assert watched.stages == [("overview", 0, 1), ("overview", 1, 1)]


@pytest.mark.parametrize(
    ("given", "why"),
    [(Reply(outcome=Outcome.OFFLINE), "offline"), (ok("{}"), "with an answer that could not be read")],
)
def test_an_overview_that_could_not_be_made_is_a_gap_in_words(
    topic: Repo, tmp_path: Path, given: Reply, why: str
) -> None:
    """And nothing else."""
    found = overviewed(topic, tmp_path, Watched(given))
    assert found == Overviewed(gap=f"the question about the change as a whole ended {why}")


def test_praise_is_kept_and_its_undoing_told_of(topic: Repo, tmp_path: Path) -> None:
    """Across rounds and processes; also when the file goes back to what it was at the base, and is gone."""
    found = overviewed(topic, tmp_path, Watched(ok(REPLY))).overview
    assert found is not None
    ledgers = LedgerDb(topic.root / ".git")
    branch = ledgers.claim("refs/heads/topic", topic.head(), refs=["refs/heads/topic"])
    strengths = found.strengths

    def again(index: int) -> Praised:
        return there(
            topic, lambda git, change, snapshot: praised(git.common_dir, branch, change, snapshot, index=index)
        )

    before = again(1)
    assert [(each.text, each.since) for each in before.strengths(strengths, 1)] == [("takes no copy", 1)]
    run(keep(topic.root / ".git", branch, 1, before.written(strengths, 1)))
    assert [each.since for each in again(2).strengths((), 2)] == [1]
    topic.write(APP, BASE)
    undone = again(2)
    assert undone.notices == ("round 1 praised what is gone from app.py: takes no copy",)
    assert undone.strengths((), 2) == ()
    topic.remove(APP)
    assert len(again(2).notices) == 1


def test_a_finding_on_what_replaced_a_defect_is_told_to_take_advice_back(topic: Repo) -> None:
    """From git's text of the round that last saw it, however the fix was proved."""
    then = topic.git("rev-parse", f"HEAD:{APP}")
    topic.write(APP, MENDED.replace(POPS, "return shelf.take(count)"))

    async def ask(git: Git, change: Change, _: Snapshot) -> tuple[str, ...]:
        (entry,) = Earlier({APP: MENDED}, state=State.FIXED, left=2).ledger.entries.values()
        seen = entry.sighting.observation()
        known = Ledger(entries={entry.id: replace(entry, sighting=replace(entry.sighting, blob=then))})
        index = change.head_texts[APP].index
        seen = replace(seen, span=index.line_span(2), anchor_text=collapse(index.line(2)))
        return reverses(seen, await earlier_advice(git, known, change))

    assert there(topic, ask) == ("rz-000000000001, fixed in round 2: take() empties the shelf",)
