"""Fixes are tried on a copy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero import config
from roundzero.core.finding import Edit, Fix
from roundzero.core.text import Position, RelPath, Span
from roundzero.engine.analysis import Analyst
from roundzero.engine.fixing import Bench, TriedFix
from roundzero.engine.pool import InProcess
from roundzero.engine.workspace import Workspace
from support.engine import live
from support.loop import run

if TYPE_CHECKING:
    from roundzero.core.finding import Finding
    from support.engine import Live
    from support.repo import Repo

UNUSED = "import os\n\n\nx = 1\n"


async def opened(it: Live, text: str) -> Finding:
    """The one finding of a buffer."""
    it.engine.opened(it.path("a.py"), text, 1)
    (finding,) = await it.shows("a.py", "unused-import", version=1)
    return finding


def start(repo: Repo) -> None:
    """A branch without changes."""
    repo.commit("base", {"a.py": "x = 1\n"})
    repo.branch("topic")


def test_a_fix_that_works_is_preferred(repo: Repo) -> None:
    """The finding is gone on the copy, nothing is worse, the edits fit the text at hand."""
    start(repo)

    async def scenario() -> None:
        async with live(repo.root) as it:
            finding = await opened(it, UNUSED)
            tried = await it.engine.try_fix(finding.id, 0, UNUSED)
            assert (tried.preferred, tried.reason) == (True, None)
            assert tried.edits[0].old_text == "import os\n"
            later = await it.engine.try_fix(finding.id, 0, "y = 2\n" + UNUSED)
            assert later.preferred
            assert later.edits[0].span.start.line == 2

    run(scenario())


def test_a_fix_of_edited_lines_is_refused(repo: Repo) -> None:
    """The original text must still be there."""
    start(repo)

    async def scenario() -> None:
        async with live(repo.root) as it:
            finding = await opened(it, UNUSED)
            tried = await it.engine.try_fix(finding.id, 0, UNUSED.replace("os", "sys"))
            assert (tried.edits, tried.preferred) == ((), False)
            assert tried.reason == "the lines were edited since"
            gone = await it.engine.try_fix(finding.id, 7, UNUSED)
            assert (gone.edits, gone.reason) == ((), "there is no such fix any more")

    run(scenario())


def test_a_fix_that_breaks_the_text_or_brings_worse_is_not_preferred(repo: Repo) -> None:
    """A result that does not parse is refused; one with a new finding is offered, not preferred."""
    start(repo)

    async def scenario() -> None:
        async with live(repo.root) as it:
            finding = await opened(it, UNUSED)
        settings, _ = config.load(root=repo.root, environ={})
        workspace = await Workspace.open(repo.root, settings=settings, environ={})
        runner = InProcess()
        try:
            base = await workspace.choose_base()
            change = await workspace.git.collect(base, overlays={RelPath("a.py"): UNUSED})
            file = change.file(RelPath("a.py"))
            assert file is not None
            bench = Bench(workspace.git, Analyst(workspace.ruleset, linters=workspace.linters, runner=runner))

            async def with_text(new_text: str) -> TriedFix:
                span = Span(Position(1, 1), Position(2, 1))
                edit = Edit(RelPath("a.py"), span, "import os\n", new_text)
                seen = replace(finding.seen, fixes=(Fix("f", safe=True, edits=(edit,)),))
                return await bench.attempt(finding.but(seen=seen), 0, file, UNUSED)

            broken = await with_text("def (\n")
            assert broken.edits == ()
            assert (broken.reason or "").startswith("the result would not parse: ")
            for worse in ("def f(x=[]):\n    return x\n", "import sys\n"):
                tried = await with_text(worse)
                assert tried.edits
                assert (tried.preferred, tried.reason) == (False, None)
        finally:
            await runner.close()
            await workspace.git.close()

    run(scenario())
