"""Findings of earlier rounds, looked at again in a real repository by a model that says what it is told to."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from roundzero.core.advance import Recheck
from roundzero.core.change import Source
from roundzero.core.finding import FindingId, State
from roundzero.core.item import ItemId, Severity
from roundzero.core.known_texts import Texts
from roundzero.core.ledger import Ledger, Proof
from roundzero.core.model_values import Outcome, Reply
from roundzero.engine import rechecking
from roundzero.engine.asking import Asking
from roundzero.engine.quick_review import Inquiry
from roundzero.engine.rechecking import MOST, Known, Rechecked, joined, recheck
from roundzero.engine.reminding import Reminded, raised_again
from roundzero.engine.repository import Snapshot
from roundzero.git.repository import CollectRules, Git
from support.earlier import APP, BASE, MENDED, NAME, POPS, RULES, THEN, Earlier
from support.inquiry import post_of
from support.loop import run
from support.watched import Watched, ok

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from roundzero.core.text import RelPath
    from support.repo import Repo


def reply(*, claim: str, because: str, line: int, quote: str) -> str:
    """A reply in the form asked for."""
    proof = {"path": APP, "side": "head", "line": line, "quote": quote, "role": "shows it", "decisive": True}
    return json.dumps({"claim": claim, "because": because, "quotes": [proof]})


FIXED = reply(claim="false", because="count is checked again", line=2, quote="if count > len(shelf):")
HOLDS = reply(claim="holds", because="pop() is still called", line=4, quote=POPS)


def again(
    repo: Repo,
    folder: Path,
    watched: Watched,
    *,
    names: int = 1,
    ledger: Callable[[Ledger], Ledger] = lambda known: known,
    heads: dict[RelPath, Source] | None = None,
) -> Rechecked:
    """Recheck on a branch where the finding was seen in the commit before the present one."""

    async def ask() -> Rechecked:
        git = await Git.open(repo.root)
        try:
            change = await git.collect(await git.choose_base(explicit="main", environ={}))
            texts = {file.path: file.head for file in change.files if file.head is not None} | (heads or {})
            then = repo.git("rev-parse", f"HEAD~1:{APP}")
            entries = {}
            for number in range(names):
                name = FindingId(f"rz-{number:012}")
                (entry,) = Earlier({APP: MENDED}, name=name).ledger.entries.values()
                seen, case = entry.sighting, entry.sighting.anatomy
                assert case is not None
                case = replace(case, claims=tuple(replace(each, blobs=(then,)) for each in case.claims))
                entries[name] = replace(entry, sighting=replace(seen, blob=then, anatomy=case))
            known = Known(ledger=ledger(Ledger(entries=entries)), texts=Texts(heads=texts))
            inquiry = Inquiry(
                change=change, ruleset=RULES, model="m", language="en", max_lines=150, covers=lambda _: True
            )
            asking = Asking(post_of(folder, watched))
            return await recheck(known, inquiry, Snapshot(git, change, CollectRules()), asking, watched)
        finally:
            await git.close()

    return run(ask())


@pytest.fixture
def topic(repo: Repo) -> Repo:
    """A branch that popped without a check, and checks again."""
    repo.commit("base", {APP: BASE})
    repo.branch("topic")
    repo.commit("pop", {APP: THEN})
    repo.commit("check again", {APP: MENDED})
    return repo


def test_a_fix_is_proved_by_the_line_that_makes_the_claim_false(topic: Repo, tmp_path: Path) -> None:
    """The model saw what changed since, and what it quotes is new there; the stage is counted."""
    watched = Watched(ok(FIXED))
    found = again(topic, tmp_path, watched)
    (proof,) = [each.proof for each in found.rechecks.values() if each.outcome == "negated"]
    assert (proof.path, proof.line, proof.quote, proof.commit) == (APP, 2, "if count > len(shelf):", topic.head())
    assert (found.stats.asked, found.stats.fixed, found.gaps) == (1, 1, ())
    assert "What changed there since" in watched.asks[0].question.turns[0].text
    assert watched.asks[0].form == "recheck"
    assert watched.stages == [("recheck", 0, 1), ("recheck", 1, 1)]


def test_what_holds_is_kept_as_of_now(topic: Repo, tmp_path: Path) -> None:
    """It is seen again, bound to the text of now, and takes the place of what was only remembered."""
    found = again(topic, tmp_path, Watched(ok(HOLDS)))
    (kept,) = found.kept
    assert (kept.seen.line, kept.text.blob) == (4, topic.git("rev-parse", f"HEAD:{APP}"))
    before = Reminded(rechecks={kept.id: Recheck(outcome="failed", proof=Proof(text="asked again"))})
    after = joined(before, found)
    assert (after.kept, dict(after.rechecks)) == ((kept,), {})


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (Reply(outcome=Outcome.QUOTA, message="no more"), "waiting for budget (no more)"),
        (ok("Sorry."), "with an answer that could not be read"),
        (Reply(outcome=Outcome.EMPTY), "without an answer"),
    ],
)
def test_an_answer_that_does_not_come_leaves_a_finding_as_it_was(
    topic: Repo, tmp_path: Path, given: Reply, why: str
) -> None:
    """It is told of, and the finding is at most stale: nobody looked."""
    found = again(topic, tmp_path, Watched(given))
    assert found.gaps == (f"1 of 1 earlier findings were not rechecked: {why}",)
    assert (found.kept, dict(found.rechecks), found.stats.unanswered) == ((), {}, 1)
    (name,) = found.unanswered
    before = Reminded(rechecks={name: Recheck(outcome="failed", proof=Proof(text="asked again"))})
    assert joined(before, found).rechecks[name].outcome == "lapsed"


def test_nothing_is_sent_of_a_file_that_is_kept_back(topic: Repo, tmp_path: Path) -> None:
    """Its finding is not rechecked, and says so, although its text is at hand."""
    topic.write(".roundzeroignore", f"{APP}\n")
    watched = Watched(ok(FIXED))
    found = again(topic, tmp_path, watched, heads={APP: Source(APP, MENDED, "now")})
    assert watched.asks == []
    assert found.gaps == (f"1 of 1 earlier findings were not rechecked: {rechecking.KEPT_BACK}",)


def test_an_unchanged_function_is_not_asked_about(topic: Repo, tmp_path: Path) -> None:
    """What changed elsewhere in its file is no reason, as git's text of then tells."""
    topic.commit("undo and add", {APP: THEN})
    topic.commit("elsewhere", {APP: THEN.replace("    return value", "    return value or 1")})
    watched = Watched(ok(FIXED))

    def mild(known: Ledger) -> Ledger:
        seen = {name: replace(each.sighting, severity=Severity.P2) for name, each in known.entries.items()}
        return Ledger(entries={name: replace(each, sighting=seen[name]) for name, each in known.entries.items()})

    found = again(topic, tmp_path, watched, ledger=mild)
    assert (watched.asks, found.kept, dict(found.rechecks)) == ([], (), {})


def test_many_are_bounded_and_the_rest_is_told_of(topic: Repo, tmp_path: Path) -> None:
    """The gravest come first; equal questions are asked once."""
    found = again(topic, tmp_path, Watched(ok(FIXED)), names=MOST + 3)
    assert len(found.rechecks) == MOST
    assert found.gaps == (f"3 of {MOST + 3} earlier findings were not rechecked: {rechecking.TOO_MANY}",)


def test_what_was_raised_anyhow_is_known_by_its_entry() -> None:
    """Open, unconfirmed or fixed; what is new is none of them."""
    earlier = Earlier({APP: THEN})
    seen = earlier.sighting.observation()
    for state in (State.OPEN, State.UNCONFIRMED, State.FIXED):
        known = Known(ledger=Earlier({APP: THEN}, state=state).ledger, texts=earlier.texts)
        assert raised_again(known.ledger, known.texts, [seen]) == {NAME}
        assert (
            raised_again(known.ledger, known.texts, [replace(seen, item=ItemId("p/other"), title="x", evidence=())])
            == frozenset()
        )


def test_dismissed_findings_are_left_alone(topic: Repo, tmp_path: Path) -> None:
    """A person has spoken."""
    watched = Watched(ok(FIXED))

    def aside(known: Ledger) -> Ledger:
        return Ledger(entries={name: replace(each, state=State.DISMISSED) for name, each in known.entries.items()})

    assert again(topic, tmp_path, watched, ledger=aside) == Rechecked()
