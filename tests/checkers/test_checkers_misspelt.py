"""misspelt-literal: a whole repository decides what is written all the time."""

from __future__ import annotations

import pytest

from roundzero.checkers.misspelt_literal import is_slip, spellings
from support.checking import run

ITEM = "python/misspelt-literal"
OFTEN = "".join(f' A{number} = row["position"]\n' for number in range(10))
WRITTEN = '//- app/new.py\n+A = row["postion"]\n'


@pytest.mark.parametrize("often", [OFTEN, OFTEN.replace('"', "'"), OFTEN.replace('row["position"]', 'f("position")')])
def test_a_slip_against_a_word_of_another_file_is_found(often: str) -> None:
    """Nothing in the changed file is like it: the rest of the repository has the word, however it is used there."""
    (seen,) = run(f"{WRITTEN}//- app/old.py\n{often}", ITEM).shown
    assert (seen.path, seen.fixes[0].edits[0].new_text) == ("app/new.py", '"position"')


@pytest.mark.parametrize(
    "rest",
    [
        "//- app/old.py\n" + "".join(OFTEN.splitlines(keepends=True)[1:]),
        "//- app/old.py\n" + OFTEN.replace('"', ""),
        "//- app/old.txt\n" + OFTEN,
        "//- app/old.py\n" + OFTEN + ' OLD = row["postion"]\n',
        "//- app/old.py\n" + OFTEN + "//- schema.sql\n postion int\n",
    ],
    ids=["nine times", "a name", "no code", "old spelling", "another language"],
)
def test_a_word_that_is_not_frequent_or_not_new_is_left_alone(rest: str) -> None:
    """Nine uses are too few, names and prose are no strings, and what is there already may be meant."""
    done = run(WRITTEN + rest, ITEM)
    assert (done.shown, done.failures) == ((), ())


def test_a_test_may_spell_as_it_likes() -> None:
    """Wrong keys are what tests are made of."""
    assert run(f'//- tests/test_a.py\n+A = row["postion"]\n//- app/old.py\n{OFTEN}', ITEM).shown == ()


def test_without_time_it_is_not_checked() -> None:
    """The question is given up with a reason, never answered by silence."""
    done = run(f"{WRITTEN}//- app/old.py\n{OFTEN}", ITEM, seconds=-1)
    assert done.shown == ()
    assert len(done.failures) == 1


@pytest.mark.parametrize("written", ["postion", "delimeter", "RETRY_COUTN", "retryCont", "descripsion"])
def test_every_spelling_is_one_slip_away(written: str) -> None:
    """What is looked for is what the rule calls a slip, and nothing twice."""
    near = spellings(written)
    assert len(set(near)) == len(near)
    assert all(is_slip(written, word) for word in near)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("postion", "position"),
        ("posiiton", "position"),
        ("possition", "position"),
        ("delimeter", "delimiter"),
        ("RETRY_COUTN", "RETRY_COUNT"),
        ("retryCont", "retryCount"),
    ],
)
def test_what_was_meant_is_among_the_spellings(written: str, meant: str) -> None:
    """Letters too few, too many, swapped and replaced, in either case."""
    assert meant in spellings(written)
