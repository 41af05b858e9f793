"""Old code that a branch newly reaches is exposed; in every doubt it stays pre-existing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roundzero import config
from roundzero.core.change import Side
from roundzero.core.finding import Anchor, Origin
from roundzero.core.judge import shown
from roundzero.core.report import VerdictStatus
from roundzero.core.text import RelPath
from roundzero.engine import exposure
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.workspace import Workspace
from roundzero.index.symbols import RepositorySymbols
from support.engine import live
from support.loop import run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.finding import Finding
    from roundzero.core.report import Report
    from support.repo import Repo

ITEM = "python/undefined-name"
OLD = "def load(text):\n    return jsn.loads(text)\n"
"""A function with an old defect."""

TOUCHED = "VERSION = 2\n"
"""Something else in its file is changed, so that the branch touches the file."""


def reviewed(repo: Repo, base: Mapping[str, str], head: Mapping[str, str], **settings: object) -> Report:
    """A review of a branch with everything listed."""
    repo.commit("base", dict(base))
    repo.branch("topic")
    repo.commit("work", dict(head))

    async def make() -> Report:
        loaded, problems = config.load(root=repo.root, editor=settings, environ={})
        assert not problems
        workspace = await Workspace.open(repo.root, settings=loaded, problems=problems, environ={})
        try:
            return await review(workspace, ReviewRequest(show_all_origins=True))
        finally:
            await workspace.git.close()

    return run(make())


def old_finding(report: Report) -> Finding:
    """The one finding of the old defect."""
    (found,) = [each for each in report.findings if each.seen.item == ITEM]
    return found


def origin(
    repo: Repo, base: Mapping[str, str], head: Mapping[str, str], *, old: str = OLD, path: str = "app/store.py"
) -> Origin:
    """What an old defect counts as, in a file that the branch touches elsewhere."""
    packages = {"app/__init__.py": "", "pyproject.toml": '[project]\nname = "app"\n'}
    report = reviewed(repo, {**packages, path: old, **base}, {path: old + TOUCHED, **head})
    return old_finding(report).origin


def test_a_new_caller_exposes_an_old_defect(repo: Repo) -> None:
    """The finding says which added line reaches it, hangs on that line, is shown, and may block."""
    base = {"app/__init__.py": "", "app/store.py": OLD, "app/main.py": "def main():\n    pass\n"}
    report = reviewed(repo, base, {"app/store.py": OLD + TOUCHED, "app/main.py": CALL}, items={ITEM: "P1"})
    found = old_finding(report)
    assert found.origin is Origin.EXPOSED
    assert shown(found)
    assert (found.blocking, report.verdict.status) == (True, VerdictStatus.BLOCKED)
    assert found.anchor == Anchor(RelPath("app/main.py"), 5)
    use = found.seen.evidence[-1]
    assert (use.role, use.path, use.side, use.line) == ("use", "app/main.py", Side.HEAD, 5)
    assert use.quote.strip() == "return load('x')"


CALL = "from app.store import load\n\n\ndef main():\n    return load('x')\n"

EXPOSED: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "imported by name and called": ({}, {"app/main.py": CALL}),
    "only imported": ({}, {"app/main.py": "from app.store import load\n"}),
    "imported under another name": ({}, {"app/main.py": "from app.store import load as fetch\n\nfetch('x')\n"}),
    "its module imported under another name": ({}, {"app/main.py": "import app.store as s\n\ns.load('x')\n"}),
    "imported inside a function": (
        {"app/main.py": "def main():\n    pass\n"},
        {"app/main.py": "def main():\n    from app.store import load\n    return load('x')\n"},
    ),
    "private and called in its own module": ({}, {"app/store.py": OLD + "\n\ndef other():\n    return load('y')\n"}),
    "only tests called it": (
        {"tests/test_store.py": "from app.store import load\n\n\ndef test_load():\n    load('x')\n"},
        {"app/main.py": CALL},
    ),
    "another module's function of that name was called": (
        {
            "app/other.py": "def load(text):\n    return text\n",
            "app/user.py": "from app.other import load\n\nload('x')\n",
        },
        {"app/main.py": CALL},
    ),
    "only a library's function of that name was called": (
        {"app/user.py": "import json\n\njson.load('x')\n"},
        {"app/main.py": CALL},
    ),
    "it called itself": (
        {"app/store.py": "def load(text):\n    load(text)\n    return jsn.loads(text)\n"},
        {
            "app/store.py": "def load(text):\n    load(text)\n    return jsn.loads(text)\nVERSION = 2\n",
            "app/main.py": CALL,
        },
    ),
    "only prose named it": ({"README.md": "Use `app.store.load`.\n"}, {"app/main.py": CALL}),
}

OLD_ALL_THE_SAME: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "nobody calls it": ({}, {}),
    "an old caller": ({"app/user.py": CALL}, {"app/main.py": CALL}),
    "an old caller that this branch moved": (
        {"app/user.py": CALL},
        {"app/user.py": "", "app/main.py": CALL},
    ),
    "an old import without a call": ({"app/user.py": "from app.store import load\n"}, {"app/main.py": CALL}),
    "an old call of something unknown": (
        {"app/user.py": "def go(thing):\n    return thing.load('x')\n"},
        {"app/main.py": CALL},
    ),
    "an old name in a string": ({"app/user.py": "TASKS = ['app.store.load']\n"}, {"app/main.py": CALL}),
    "an entry point": (
        {"setup.cfg": "[options.entry_points]\nconsole_scripts =\n    load = app.store:load\n"},
        {"app/main.py": CALL},
    ),
    "an old caller that is not reviewed": (
        {"app/user.py": CALL, ".roundzeroignore": "app/user.py\n"},
        {"app/user.py": "", "app/main.py": CALL},
    ),
    "an old star import": ({"app/api.py": "from app.store import *\n"}, {"app/main.py": CALL}),
    "only a test calls it now": (
        {},
        {"tests/test_store.py": "from app.store import load\n\n\ndef test_load():\n    load('x')\n"},
    ),
    "a new call of another function of that name": (
        {"app/other.py": "def load(text):\n    return text\n"},
        {"app/main.py": "from app.other import load\n\nload('x')\n"},
    ),
    "a new call of something unknown": ({}, {"app/main.py": "def main(thing):\n    return thing.load('x')\n"}),
    "a comment names it": ({}, {"app/main.py": "# load is for later\n"}),
    "it calls itself": (
        {},
        {"app/store.py": "def load(text):\n    return jsn.loads(text)\n    load(text)\n"},
    ),
    "imported for its type only": (
        {},
        {"app/main.py": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from app.store import load\n"},
    ),
    "called under a new name": (
        {
            "app/store.py": "def fetch(text):\n    return jsn.loads(text)\n",
            "app/user.py": CALL.replace("load", "fetch"),
        },
        {"app/user.py": CALL},
    ),
    "a framework has it already": (
        {"app/store.py": "from web import route\n\n\n@route('/')\n" + OLD},
        {"app/store.py": "from web import route\n\n\n@route('/')\n" + OLD + TOUCHED, "app/main.py": CALL},
    ),
    "a base that does not parse may have called it": (
        {"app/user.py": "def go(:\n    load('x')\n"},
        {"app/main.py": CALL},
    ),
}


@pytest.mark.parametrize("case", EXPOSED)
def test_what_is_newly_reached_is_exposed(repo: Repo, case: str) -> None:
    """An added line outside tests surely calls or imports it, and nothing but tests did before."""
    base, head = EXPOSED[case]
    assert origin(repo, base, head) is Origin.EXPOSED


@pytest.mark.parametrize("case", OLD_ALL_THE_SAME)
def test_in_every_doubt_it_stays_pre_existing(repo: Repo, case: str) -> None:
    """It was reached before, or may have been, or is not surely reached now."""
    base, head = OLD_ALL_THE_SAME[case]
    assert origin(repo, base, head) is Origin.PRE_EXISTING


CLASS = (
    "class Store:\n    def load(self, text):\n        return jsn.loads(text)\n\n    def size(self):\n        return 0\n"
)
METHODS: dict[str, tuple[dict[str, str], str, Origin]] = {
    "a class made for the first time": ({}, "from app.store import Store\n\nStore().load('x')\n", Origin.EXPOSED),
    "a method of something unknown": ({}, "def main(store):\n    return store.load('x')\n", Origin.PRE_EXISTING),
    "a class that was used before": (
        {"app/user.py": "from app.store import Store\n\nStore().size()\n"},
        "from app.store import Store\n\nstore = Store()\nstore.load('x')\n",
        Origin.PRE_EXISTING,
    ),
    "a method by its class, which was used before": (
        {"app/user.py": "from app.store import Store\n\nStore().size()\n"},
        "from app.store import Store\n\nStore.load(None, 'x')\n",
        Origin.EXPOSED,
    ),
}


@pytest.mark.parametrize("case", METHODS)
def test_a_method_is_reached_through_its_class_only(repo: Repo, case: str) -> None:
    """What the receiver of a call is cannot be told, so a method alone exposes nothing."""
    base, caller, expected = METHODS[case]
    assert origin(repo, base, {"app/main.py": caller}, old=CLASS) is expected


def test_a_finding_in_a_test_is_never_exposed(repo: Repo) -> None:
    """The runner reached it all along."""
    assert (
        origin(repo, {}, {"app/main.py": "from app.test_it import load\n"}, path="app/test_it.py")
        is Origin.PRE_EXISTING
    )


def test_what_looks_at_added_lines_only_is_never_exposed(repo: Repo) -> None:
    """A mutable default on an old line stays out of the review although its function is newly called."""
    old = "def load(text, cache={}):\n    return cache\n"
    report = reviewed(
        repo, {"store.py": old}, {"store.py": old + TOUCHED, "main.py": "from store import load\n\nload('x')\n"}
    )
    assert {each.origin for each in report.findings if each.seen.path == "store.py"} == {Origin.PRE_EXISTING}


def test_nothing_is_asked_where_no_added_line_names_the_symbol(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who exposes nothing does not pay."""

    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(exposure, "_look", never)
    assert origin(repo, {}, {"app/main.py": "def main():\n    return 1\n"}) is Origin.PRE_EXISTING


def test_a_question_that_takes_too_long_leaves_it_pre_existing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing fails, and the verdict is complete."""
    asked = RepositorySymbols.mentions

    def late(self: RepositorySymbols, words: set[str], side: Side) -> object:
        self._limit._end = 0.0  # type: ignore[attr-defined]  # the time is over from here on
        return asked(self, words, side)

    monkeypatch.setattr(RepositorySymbols, "mentions", late)
    base = {"app/__init__.py": "", "app/store.py": OLD}
    report = reviewed(repo, base, {"app/store.py": OLD + TOUCHED, "app/main.py": CALL})
    assert old_finding(report).origin is Origin.PRE_EXISTING


def test_an_editor_shows_what_is_exposed_while_somebody_types(repo: Repo) -> None:
    """The change lane finds out; typing keeps the answer, and the finding goes with the line that reaches it."""
    repo.commit("base", {"app/__init__.py": "", "app/store.py": OLD})
    repo.branch("topic")
    repo.commit("work", {"app/store.py": OLD + TOUCHED, "app/main.py": CALL})

    async def play() -> None:
        async with live(repo.root) as editor:
            store, main = editor.path("app/store.py"), editor.path("app/main.py")
            (found,) = await editor.shows("app/store.py", "undefined-name")
            assert found.origin is Origin.EXPOSED
            assert found.anchor is not None
            assert (found.anchor.path, found.anchor.line) == ("app/main.py", 5)
            editor.engine.opened(store, OLD + TOUCHED, 1)
            editor.engine.edited(store, "import os\n" + OLD + TOUCHED, 2)
            now = await editor.shows("app/store.py", "undefined-name", "unused-import", version=2)
            old = next(each for each in now if each.seen.item == ITEM)
            assert (old.origin, old.id) == (Origin.EXPOSED, found.id)
            editor.engine.opened(main, CALL, 1)
            editor.engine.edited(main, "VERSION = 1\n", 2)
            repo.write("app/main.py", "VERSION = 1\n")
            editor.engine.saved(main)
            await editor.shows("app/store.py", "unused-import")

    run(play())
