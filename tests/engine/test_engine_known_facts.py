"""What is held of files between questions: found out once, never for another text, and bounded."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from roundzero.core.change import Source
from roundzero.core.text import RelPath
from roundzero.engine import known_facts
from roundzero.engine.known_facts import KnownFacts
from roundzero.engine.quick_review import Inquiry, prepare
from roundzero.engine.repository import Snapshot
from roundzero.git.repository import CollectRules
from support.gitwork import with_git
from support.inquiry import RULES

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from roundzero.git.repository import Git
    from support.repo import Repo

A = RelPath("a.py")


def source(text: str, path: str = "a.py") -> Source:
    """A text of a file."""
    return Source(RelPath(path), text, f"blob of {text}")


def test_a_text_is_parsed_once_over_questions(tmp_path: Path) -> None:
    """The second question has what the first found out, and another text is another question."""
    facts = KnownFacts(tmp_path)
    for text, parsed in (("a = b\n", 1), ("a = b\n", 1), ("a = c\n", 2)):
        with facts.open() as store:
            uses = store.uses(source(text), keep=False)
            assert uses is not None
            assert store.extracted == parsed


def test_what_is_worth_keeping_outlives_the_process(tmp_path: Path) -> None:
    """Another one finds it in the repository's database and parses nothing."""
    with KnownFacts(tmp_path).open() as store:
        store.uses(source("a = b\n"), keep=True)
    with KnownFacts(tmp_path).open() as store:
        assert store.uses(source("a = b\n"), keep=True) is not None
        assert store.extracted == 0


def test_the_same_text_is_the_same_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that what was worked out about it stays; a new text replaces it, and the oldest go when there are too many."""
    monkeypatch.setattr(known_facts, "_MOST_TEXT", 12)
    facts = KnownFacts(None)
    first = facts.known(source("a = 1\n"))
    assert facts.known(source("a = 1\n")) is first
    second = facts.known(source("a = 2\n"))
    assert second is not first
    assert facts.known(source("b = 1\n", "b.py")).path == "b.py"
    assert facts.known(source("a = 2\n")) is second
    facts.known(source("c = 1\n", "c.py"))
    assert facts.known(source("a = 2\n")) is second
    longer = facts.known(source("a = 1000000\n"))
    assert facts.known(source("a = 1000000\n")) is longer


def test_a_file_that_is_edited_is_not_parsed_for_its_own_questions(repo: Repo) -> None:
    """Who uses what it changes is found elsewhere, and there once, however often it is edited."""
    repo.commit(
        "before", {"a.py": "def take(shelf):\n    return shelf.pop()\n", "b.py": "from a import take\n\ntake([1])\n"}
    )
    repo.branch("feature")
    facts = KnownFacts(None)

    async def ask(git: Git) -> None:
        choice = await git.choose_base(explicit="main", environ={})
        for number in range(3):
            text = f"def take(shelf):\n    return shelf.pop({number})\n"
            change = await git.collect(choice, overlays={A: text})
            inquiry = Inquiry(
                change=change, ruleset=RULES, model="m", language="en", max_lines=150, covers=lambda _: True
            )
            ready = await prepare(inquiry, Snapshot(git, change, CollectRules()), facts)
            (unit,) = ready.units
            assert [(fact.path, fact.line) for fact in unit.facts] == [(None, 0), ("b.py", 3)]
            with facts.open() as store:
                assert store.extracted == 1

    with_git(repo.root, ask)


def test_one_thread_at_a_time_has_the_facts(tmp_path: Path) -> None:
    """Who comes second waits for the first, and finds what that one found."""
    facts = KnownFacts(tmp_path)
    seen: list[int] = []

    def ask() -> None:
        with facts.open() as store:
            store.uses(source("a = b\n"), keep=False)
            seen.append(store.extracted)

    with facts.open() as store:
        other = threading.Thread(target=ask)
        other.start()
        store.uses(source("a = b\n"), keep=False)
        assert not seen
    other.join()
    assert seen == [1]
