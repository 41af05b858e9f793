"""The ledger is the fold of its events, and states change by the table only."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundzero.core.anatomy import Anatomy, Claim
from roundzero.core.dismissal import DismissalScope, dismiss
from roundzero.core.finding import FindingId, Observation, State
from roundzero.core.item import ItemId, Severity
from roundzero.core.known_texts import Texts
from roundzero.core.ledger import TRANSITIONS, Entry, Event, Ledger, Proof, Sign, fold, step
from roundzero.core.matching import assign_ids
from roundzero.core.recognition import recognise
from roundzero.core.regrading import CODE_CHANGED, SETTINGS_CHANGED
from roundzero.core.sighting import Sighting
from support.rounds import PATH, Branch, observations, source, unchanged

NAME = FindingId("rz-000000000001")
SEEN = Sighting.of(observations(source("a.py", "bad()\n"))[0], "blob")
TABLE = """
open        seen open         negated fixed  dismissed dismissed  moved-on stale
stale       seen open         negated fixed  dismissed dismissed  recheck-failed unconfirmed
unconfirmed seen open         negated fixed  dismissed dismissed
fixed       seen open         negated fixed
dismissed   seen dismissed    reopened open  expired open
refuted     seen-same refuted seen open
superseded
"""


def entry(state: State) -> Entry:
    """An entry in a state."""
    return Entry(id=NAME, state=state, sighting=SEEN, first_seen=1, last_seen=1)


@pytest.mark.parametrize(("state", "sign"), list(itertools.product(State, Sign)))
def test_every_transition_of_the_table_and_no_other(state: State, sign: Sign) -> None:
    """A sign leads where the design's table says, and nowhere where it says nothing."""
    rows = {row[0]: dict(zip(row[1::2], row[2::2], strict=True)) for line in TABLE.split("\n") if (row := line.split())}
    expected = {**rows[state.value], "refuted": "refuted", "merged": "superseded"}.get(sign.value)
    assert (TRANSITIONS[state, sign].value if (state, sign) in TRANSITIONS else None) == expected
    after = step(entry(state), Event(id=NAME, sign=sign, at="t", round=2, sighting=SEEN))
    assert after is not None
    assert after.state.value == (expected or state.value)


def test_only_being_seen_makes_an_entry() -> None:
    """Whatever else is said of an unknown finding makes none."""
    for sign in Sign:
        made = step(None, Event(id=NAME, sign=sign, at="t", sighting=SEEN))
        assert (made is not None) == (sign is Sign.SEEN)


def test_a_fixed_finding_that_is_seen_again_is_a_counted_regression() -> None:
    """Fixed, then back: open again, with its id, and one regression."""
    branch = Branch()
    branch.round({"a.py": "def f():\n    bad()\n"})
    name = branch.only().id
    branch.round({"a.py": "def f():\n    good()\n"})
    assert branch.only().state is State.FIXED
    branch.round({"a.py": "def f():\n    x()\n    bad()\n"})
    assert branch.only().state is State.OPEN
    assert (branch.only().id, branch.only().regressions, branch.only().first_seen) == (name, 1, 1)


def test_deleted_code_is_fixed_with_the_deletion_as_proof() -> None:
    """The proof names the deletion and its place; for a file that is gone, the file."""
    branch = Branch()
    branch.round({"a.py": "one()\nbad()\ntwo()\n", "b.py": "bad(2)\n"})
    branch.round({"a.py": "one()\ntwo()\n"}, seen=[])
    a, b = sorted(branch.ledger.entries.values(), key=lambda each: each.sighting.path or "")
    assert (a.state, a.proof) == (State.FIXED, Proof(text="the code was deleted", path=PATH, line=1))
    assert b.state is State.OPEN, "nothing listened in a file that was not reviewed"


def test_silence_counts_only_where_something_listened() -> None:
    """An edited line in a file that was not checked stays open; checked, it is fixed."""
    branch = Branch()
    branch.round({"a.py": "bad()\n"})
    branch.round({"a.py": "good()\n"}, silent=["a.py"])
    assert branch.only().state is State.OPEN
    branch.round({"a.py": "fine()\n"})
    assert branch.only().state is State.FIXED


def test_a_rule_that_changed_over_unchanged_code_refutes() -> None:
    """Another version of the producer, the same line, silence: refuted, and it says in which version."""
    branch = Branch()
    branch.round({"a.py": "bad()\n"})
    branch.round({"a.py": "bad()\nmore()\n"}, version="2", seen=[])
    assert branch.only().state is State.REFUTED
    assert branch.only().proof == Proof(text="the rule changed in check 2", path=PATH, line=1)


def test_an_unchanged_review_adds_no_round() -> None:
    """Equal merge base, snapshot and settings: no event, no round."""
    branch = Branch()
    branch.round({"a.py": "bad()\n"})
    again = branch.round({"a.py": "bad()\n"})
    assert (again.events, again.round) == ((), None)


def test_being_seen_again_unchanged_writes_no_event_and_is_remembered() -> None:
    """A second file changes: no event for the first one's finding, yet it was last seen in round 2."""
    branch = Branch()
    branch.round({"a.py": "bad()\n", "b.py": "x()\n"})
    assert branch.round({"a.py": "bad()\n", "b.py": "y()\n"}).events == ()
    assert (branch.only().first_seen, branch.only().last_seen) == (1, 2)


def test_a_severity_changes_for_a_recorded_reason_only() -> None:
    """Unchanged code keeps its severity; other settings or other code may change it, and the reason is kept."""
    branch = Branch()
    branch.round({"a.py": "bad()\n"})
    branch.round({"a.py": "bad()\nx()\n"}, severity=Severity.P3)
    assert branch.only().sighting.severity is Severity.P1
    assert branch.findings[0].seen.severity is Severity.P1
    branch.round({"a.py": "bad()\nx()\n"}, severity=Severity.P3, settings="other")
    assert branch.only().sighting.severity is Severity.P3
    assert branch.only().regraded == Proof(text=SETTINGS_CHANGED, path=PATH, line=1)
    branch.round({"a.py": "bad(1)\nx()\n"}, severity=Severity.P0, settings="other")
    assert branch.only().sighting.severity is Severity.P0
    assert branch.only().regraded == Proof(text=CODE_CHANGED, path=PATH, line=1)


def test_a_file_renamed_and_edited_between_two_rounds_takes_its_findings_along() -> None:
    """Nothing was committed, so that its last text is not at hand: its symbols say what it is called now."""
    branch = Branch()
    text = "def f():\n    bad(1)\n\n\ndef g():\n    bad(2)\n"
    other = "def f():\n    bad(3)\n"
    branch.round({"old.py": text, "other.py": other})
    names = [branch.id_at(2, "old.py"), branch.id_at(6, "old.py"), branch.id_at(2, "other.py")]
    branch.round({"new.py": "x()\n" + text.replace("bad(", "bad ("), "other.py": other}, maps=False)
    assert [branch.id_at(3, "new.py"), branch.id_at(7, "new.py"), branch.id_at(2, "other.py")] == names
    assert {each.state for each in branch.ledger.entries.values()} == {State.OPEN}


def test_a_new_file_does_not_inherit_from_one_that_was_deleted() -> None:
    """Other functions, or a file that was there before, are not where a deleted file went."""
    branch = Branch()
    text = "def f():\n    bad(1)\n\n\ndef g():\n    bad(2)\n"
    branch.round({"old.py": text, "kept.py": "def f():\n    bad(4)\n"})
    names = set(branch.ledger.entries)
    kept = text.replace("bad(", "worse(bad, ")
    branch.round({"new.py": "def h():\n    bad (1)\n", "kept.py": "def f():\n    bad(4)\n" + kept}, maps=False)
    assert branch.id_at(2, "new.py") not in names
    assert branch.id_at(4, "kept.py") not in names


def test_a_severity_set_while_a_finding_was_away_counts_when_it_is_back() -> None:
    """Fixed, then graded otherwise, then back: the settings of now decide, with the reason, and go on to count."""
    branch = Branch()
    branch.round({"a.py": "bad()\n"})
    branch.round({"a.py": "good()\n"}, settings="other")
    for more in ("", "x()\n"):
        branch.round({"a.py": "bad()\n" + more}, severity=Severity.P3, settings="other")
        assert branch.findings[0].seen.severity is Severity.P3
        assert branch.only().sighting.severity is Severity.P3
        assert branch.only().regraded == Proof(text=SETTINGS_CHANGED, path=PATH, line=1)


def test_a_dismissal_survives_rewording_and_moves_until_it_expires() -> None:
    """Edited, moved and renamed, it stays dismissed; on the day of its expiry it is open again."""
    branch = Branch()
    branch.round({"a.py": "def f():\n    bad(1, 2)\n"})
    seen = branch.only()
    put = dismiss(
        seen.sighting, seen.id, scope=DismissalScope.FINDING, reason="intended", by="me", at="t", expires="2026-01-05"
    )
    branch.write(Event(id=seen.id, sign=Sign.DISMISSED, at="t", dismissal=put))
    branch.round({"a.py": "x()\ndef f():\n    bad(1, 2, 3)\n"})
    branch.round({"b.py": "x()\ndef f():\n    bad(1, 2, 3)\n"})
    assert (branch.only().id, branch.only().state) == (seen.id, State.DISMISSED)
    assert (branch.findings[0].state, branch.findings[0].state_text) == (State.DISMISSED, "intended")
    branch.round({"b.py": "y()\ndef f():\n    bad(1, 2, 3)\n"})
    assert branch.only().state is State.DISMISSED
    branch.round({"b.py": "z()\ndef f():\n    bad(1, 2, 3)\n"})
    assert branch.only().state is State.OPEN


def test_what_was_merged_follows_its_target() -> None:
    """A name leads through everything it was merged into, and a circle ends."""
    first, second = FindingId("rz-1"), FindingId("rz-2")
    ledger = fold(
        [
            *(Event(id=name, sign=Sign.SEEN, at="t", sighting=SEEN) for name in (first, second)),
            Event(id=first, sign=Sign.MERGED, at="t", into=second),
        ]
    )
    target = ledger.target(first)
    assert target is not None
    assert (target.id, ledger.entries[first].state) == (second, State.SUPERSEDED)
    circle = fold([Event(id=second, sign=Sign.MERGED, at="t", into=first)], ledger)
    assert circle.target(first) is not None


def test_a_models_finding_goes_stale_and_returns() -> None:
    """Its text moved on and no model looked: stale. Seen again: open."""
    branch = Branch()
    seen = [replace(each, source="model") for each in observations(source("a.py", "bad()\n"))]
    branch.round({"a.py": "bad()\n"}, seen=seen)
    branch.round({"a.py": "x()\nbad()\n"}, seen=[])
    assert branch.only().state is State.STALE
    later = [
        replace(each, source="model", title="reworded") for each in observations(source("a.py", "x()\nbad()\ny()\n"))
    ]
    branch.round({"a.py": "x()\nbad()\ny()\n"}, seen=later)
    assert branch.only().state is State.OPEN


def test_an_unchanged_change_is_a_round_again_only_where_something_came_of_it() -> None:
    """A deeper look once, and what is open now and was not; other words and a shallower look are none."""
    branch, text = Branch(), {"a.py": "bad()\n"}
    seen = [replace(each, source="model") for each in observations(source("a.py", "bad()\n"))]
    assert branch.round(text, seen=[]).round is not None
    assert branch.round(text, seen=[], settings="s:quick").round is not None
    assert branch.round(text, seen=[]).round is None
    assert branch.round(text, seen=[], settings="s:quick").round is None
    assert branch.round(text, seen=seen).round is not None
    reworded = [replace(each, title="in other words") for each in seen]
    again = branch.round(text, seen=reworded)
    assert (again.round, again.events) == (None, ())
    assert branch.round(text, seen=seen, settings="t").round is not None


def a_models(text: str, title: str, item: str = "python/bad") -> list[Observation]:
    """What a model says of the bad lines of a text."""
    seen = observations(source("a.py", text))
    return [replace(each, source="model", title=title, item=ItemId(item)) for each in seen]


@pytest.mark.parametrize(
    ("title", "same"),
    [
        ("a count that is too large leaves the shelf empty", True),
        ("nothing tests this function", False),
    ],
)
def test_a_model_may_file_a_defect_elsewhere(title: str, same: bool) -> None:
    """Under another item it is the same defect only in like words: a place may hold two."""
    branch = Branch()
    first = a_models("bad()\n", "the shelf is left empty when the count is too large")
    branch.round({"a.py": "bad()\n"}, seen=first)
    name = branch.only().id
    now = Texts(heads={PATH: source("a.py", "bad()\n")})
    ids = recognise(branch.ledger, a_models("bad()\n", title, "general/other"), now)
    assert (ids == [name]) is same


def test_the_case_of_a_model_is_kept_without_secrets() -> None:
    """What was argued comes back from the ledger; a check has none."""
    key = "AKIA" + "Q3EJ7ZLRPTVNW2XB"
    (seen,) = a_models("bad()\n", "t")
    seen = replace(seen, anatomy=Anatomy(trigger=f"the key {key}", claims=(Claim(text="c", decisive=True),)))
    kept = Sighting.of(seen, "blob").observation().anatomy
    assert kept is not None
    assert kept.claims == seen.anatomy.claims if seen.anatomy is not None else False
    assert kept.trigger is not None
    assert key not in kept.trigger
    assert kept.trigger.startswith("the key ")


def test_no_secret_is_kept() -> None:
    """The value of a key in the line is not in the ledger, and the finding is still recognised by it."""
    key = "AKIA" + "Q3EJ7ZLRPTVNW2XB"
    branch = Branch()
    branch.round({"a.py": f"def f():\n    bad({key!r})\n"})
    assert key not in repr(branch.history)
    name = branch.only().id
    branch.round({"a.py": f"def f():\n    x()\n    bad({key!r})\n"})
    assert branch.only().id == name


LINES = st.lists(
    st.one_of(
        st.integers(0, 12).map(lambda n: f"bad(value_{n})"),
        st.integers(0, 9).map(lambda n: f"fine_{n}()"),
        st.just("bad()"),
    ),
    max_size=12,
)
TEXTS = st.lists(st.tuples(LINES, LINES), min_size=1, max_size=6)


def text(lines: list[str]) -> str:
    """A file of lines."""
    return "".join(f"{line}\n" for line in lines)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.booleans())
def test_ids_are_unique_and_the_fold_of_the_events_is_the_state(
    rounds: list[tuple[list[str], list[str]]], maps: bool
) -> None:
    """Through any history: no two findings share an id, and folding all events at once gives the same ledger."""
    branch = Branch()
    for a, b in rounds:
        branch.round({"a.py": text(a), "b.py": text(b)}, maps=maps)
        ids = [each.id for each in branch.findings]
        assert len(ids) == len(set(ids))
        assert set(ids) <= set(branch.ledger.entries)
    assert fold(branch.history) == branch.ledger


@settings(max_examples=100, deadline=None)
@given(TEXTS, LINES, LINES)
def test_a_round_that_checked_nothing_changes_nothing(
    rounds: list[tuple[list[str], list[str]]], a: list[str], b: list[str]
) -> None:
    """No listener, no observation: the ledger is the one before, but for its round."""
    branch = Branch()
    for one, other in rounds:
        branch.round({"a.py": text(one), "b.py": text(other)})
    before = branch.ledger
    branch.round({"a.py": text(a), "b.py": text(b)}, silent=["a.py", "b.py"])
    assert unchanged(before, branch.ledger)


@settings(max_examples=100, deadline=None)
@given(st.permutations(range(8)), st.permutations(range(8)), st.lists(st.integers(0, 8), max_size=4), st.booleans())
def test_moved_code_keeps_its_id(first: list[int], then: list[int], pads: list[int], maps: bool) -> None:
    """Distinct lines in any new order, with others between them and half of them in another file: same ids."""
    branch = Branch()
    lines = [f"    bad(some_argument_{number}, another={number})" for number in range(8)]
    branch.round({"a.py": text([lines[at] for at in first]), "b.py": "x()\n"})
    before = {each.seen.anchor_text: each.id for each in branch.findings}
    moved = [lines[at] for at in then]
    for pad in pads:
        moved.insert(pad, "    pad()")
    branch.round({"a.py": text(moved[:5]), "b.py": text(["x()", *moved[5:]])}, maps=maps)
    after = {each.seen.anchor_text: each.id for each in branch.findings}
    assert after == before


def test_an_equal_line_elsewhere_is_another_defect() -> None:
    """A kept line that is silent does not lend its id to a copy of it; order of input decides nothing."""
    branch = Branch()
    branch.round({"a.py": "bad()\nx()\n"})
    name = branch.only().id
    seen: list[Observation] = observations(source("a.py", "bad()\nx()\nbad()\n"))
    branch.round({"a.py": "bad()\nx()\nbad()\n"}, seen=list(reversed(seen)))
    assert branch.id_at(1) == name
    assert branch.id_at(3) != name


def test_a_long_line_that_left_for_another_file_lends_its_id_to_no_line_that_resembles_it() -> None:
    """Where it was, something like it was written; the very line stands in the new file."""
    branch = Branch()
    branch.round({"a.py": "from app.parts import bad_one\nx()\n"})
    name = branch.only().id
    branch.round({"a.py": "from app.parts import bad_two\nx()\n", "b.py": "y()\nfrom app.parts import bad_one\n"})
    assert branch.id_at(2, "b.py") == name
    assert branch.id_at(1) != name


def test_an_empty_ledger_gives_first_ids() -> None:
    """Without memory the ids are those of a review without a ledger."""
    seen = observations(source("a.py", "bad()\nbad()\nbad(1)\n"))
    assert recognise(Ledger(), seen, Texts()) == assign_ids(seen)
