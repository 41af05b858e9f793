"""The live engine over real repositories."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING
from unittest.mock import patch

from roundzero import config
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.workspace import Workspace
from support.engine import live, names
from support.loop import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from roundzero.core.finding import Finding
    from roundzero.core.report import Report
    from support.engine import Live
    from support.repo import Repo

BAD = "def load(path, cache={}):\n    return cache\n"
GOOD = "def load(path, cache=None):\n    return cache\n"
BARE = "try:\n    pass\nexcept:\n    print()\n"


def branch(repo: Repo, **files: str) -> None:
    """A commit on main with some files (``a_py`` for a.py), and a branch from it."""
    repo.commit("base", {name.replace("_py", ".py"): text for name, text in (files or {"a_py": GOOD}).items()})
    repo.branch("topic")


def facts(findings: Iterable[Finding]) -> list[tuple[object, ...]]:
    """What two front ends must agree on."""
    return [(each.id, each.group, each.seen, each.origin, each.state, each.in_diff, each.blocking) for each in findings]


async def on_disk(repo: Repo, request: ReviewRequest | None = None) -> Report:
    """A review as the command line makes it."""
    settings, _ = config.load(root=repo.root, environ={})
    workspace = await Workspace.open(repo.root, settings=settings, environ={})
    try:
        return await review(workspace, request or ReviewRequest())
    finally:
        await workspace.git.close()


def test_a_buffer_shows_what_the_branch_brings(repo: Repo) -> None:
    """Opening an unsaved text that differs from the base publishes its findings with its version."""
    branch(repo)

    async def scenario() -> None:
        async with live(repo.root) as it:
            it.engine.opened(it.path("a.py"), BAD, 7)
            (finding,) = await it.shows("a.py", "mutable-default", version=7)
            assert finding.seen.line == 1
            it.engine.edited(it.path("a.py"), GOOD, 8)
            await it.shows("a.py", version=8)

    run(scenario())


def test_command_line_and_editor_agree(repo: Repo) -> None:
    """Files on disk and the same texts as unsaved buffers give equal findings."""
    base = {"a_py": GOOD + BARE, "b_py": "x = 1\n", "c_py": BAD}
    branch(repo, **base)
    repo.write("d.py")
    texts = {"a.py": BAD + BARE + "import os\n", "b.py": BAD + "x = 1\n", "c.py": "", "d.py": "import sys\n" + BARE}

    async def scenario() -> None:
        async with live(repo.root) as it:
            for path, text in texts.items():
                it.engine.opened(it.path(path), text, 1)
            await it.shows("a.py", "unused-import")
            await it.shows("b.py", "mutable-default")
            await it.shows("d.py", "bare-except", "unused-import")
            await it.idle()
            unsaved = it.engine.report()
            asked = await it.engine.review(ReviewRequest())
        for path, text in texts.items():
            repo.write(path, text)
        saved = await on_disk(repo)
        assert unsaved is not None
        assert facts(unsaved.findings) == facts(saved.findings) == facts(asked.findings)
        assert unsaved.stats.hidden == saved.stats.hidden == asked.stats.hidden
        assert unsaved.change.snapshot == saved.change.snapshot == asked.change.snapshot
        assert unsaved.verdict == saved.verdict
        assert unsaved.checklists == saved.checklists

    run(scenario())


def test_what_a_report_tells_once_is_marked_at_each_place(repo: Repo) -> None:
    """An editor underlines and counts every import that nothing uses; the report has one finding for the file."""
    branch(repo)

    async def scenario() -> None:
        async with live(repo.root) as it:
            it.engine.opened(it.path("a.py"), GOOD + "import os\nimport sys\nimport re\n", 1)
            await it.shows("a.py", "unused-import", "unused-import", "unused-import")
            await it.idle()
            report = it.engine.report()
            assert report is not None
            assert [each.seen.line for each in report.findings] == [3]
            assert (sum(it.engine.status().counts), sum(report.counts)) == (3, 1)

    run(scenario())


def test_changed_files_that_are_not_open_are_shown_too(repo: Repo) -> None:
    """Without a version; and an empty list follows when the file leaves the change."""
    branch(repo)
    repo.write("a.py", BAD)

    async def scenario() -> None:
        async with live(repo.root) as it:
            await it.shows("a.py", "mutable-default")
            last = it.listener.last("a.py")
            assert last is not None
            assert last.version is None
            repo.write("a.py", GOOD)
            it.engine.files_changed([repo.root / "a.py"])
            await it.shows("a.py")

    run(scenario())


def test_a_finding_keeps_its_id_while_its_line_is_edited(repo: Repo) -> None:
    """Lines above, a renamed parameter, a second equal line before it: the id stays with the place."""
    branch(repo)

    async def scenario() -> None:
        async with live(repo.root) as it:
            it.engine.opened(it.path("a.py"), BAD, 1)
            (first,) = await it.shows("a.py", "mutable-default", version=1)
            it.engine.edited(it.path("a.py"), "import os\nx = os\n" + BAD, 2)
            (moved,) = await it.shows("a.py", "mutable-default", version=2)
            assert (moved.id, moved.seen.line) == (first.id, 3)
            it.engine.edited(it.path("a.py"), "import os\nx = os\n" + BAD.replace("path", "place"), 3)
            (edited,) = await it.shows("a.py", "mutable-default", version=3)
            assert edited.id == first.id
            it.engine.edited(it.path("a.py"), BAD.replace("load", "save") + BAD.replace("path", "place"), 4)
            both = await it.shows("a.py", "mutable-default", "mutable-default", version=4)
            assert both[1].id == first.id
            assert both[0].id != first.id

    run(scenario())


def test_a_half_typed_line_is_no_finding_in_the_editor(repo: Repo) -> None:
    """An open buffer shows no syntax error of ours; a review of the same text does."""
    branch(repo)

    async def scenario() -> None:
        async with live(repo.root) as it:
            it.engine.opened(it.path("a.py"), GOOD + "def f(:\n", 1)
            await it.shows("a.py", version=1)
            status = await it.idle()
            assert any("does not parse" in problem for problem in status.problems)
            report = await it.engine.review(ReviewRequest())
            assert names(report.findings) == ["syntax-error"]

    run(scenario())


def test_a_text_that_does_not_parse_keeps_its_findings(repo: Repo) -> None:
    """The last good results move along, text rules still run, and the status says why."""
    branch(repo)

    async def scenario() -> None:
        async with live(repo.root) as it:
            it.engine.opened(it.path("a.py"), BAD, 1)
            (first,) = await it.shows("a.py", "mutable-default", version=1)
            it.engine.edited(it.path("a.py"), "x = (\n" + BAD, 2)
            (kept,) = await it.shows("a.py", "mutable-default", version=2)
            assert (kept.id, kept.seen.line) == (first.id, 2)
            status = await it.idle()
            assert any("does not parse" in problem for problem in status.problems)
            assert status.verdict is not None
            assert status.verdict.status.value == "INCOMPLETE"
            it.engine.edited(it.path("a.py"), "<<<<<<< ours\n=======\n>>>>>>> theirs\n" + BAD, 3)
            found = await it.shows("a.py", "conflict-marker", "mutable-default", version=3)
            assert [each.id for each in found if each.seen.item == first.seen.item] == [first.id]
            it.engine.edited(it.path("a.py"), GOOD, 4)
            await it.shows("a.py", version=4)
            assert not (await it.idle()).problems

    run(scenario())


def test_a_block_moved_between_files_is_not_introduced(repo: Repo) -> None:
    """Cut here, paste there: no finding, neither while live nor on the command line."""
    branch(repo, a_py=BAD + BARE, b_py="x = 1\n")

    async def scenario() -> None:
        async with live(repo.root) as it:
            it.engine.opened(it.path("b.py"), "x = 1\n" + BAD, 1)
            await it.shows("b.py", "mutable-default", version=1)
            it.engine.opened(it.path("a.py"), BARE, 1)
            await it.shows("a.py", version=1)
            await it.shows("b.py")
            it.engine.edited(it.path("b.py"), "x = 2\n" + BAD, 2)
            await it.shows("b.py", version=2)

    run(scenario())


def test_switching_the_branch_refreshes_by_itself(repo: Repo) -> None:
    """Without any word from the client: git's own files are watched."""
    branch(repo)
    repo.commit("bad", {"a.py": BAD})

    async def scenario() -> None:
        async with live(repo.root) as it:
            await it.shows("a.py", "mutable-default")
            await it.idle()
            repo.checkout("main")
            await it.shows("a.py")
            repo.checkout("topic")
            await it.shows("a.py", "mutable-default")

    run(scenario())


def test_stash_commit_rebase_and_conflict_are_survived(repo: Repo) -> None:
    """Every step of a stopped rebase leaves an engine that goes on."""
    branch(repo)
    repo.commit("bad", {"a.py": BAD})
    repo.checkout("main")
    repo.commit("other", {"a.py": GOOD.replace("None", "0")})
    repo.checkout("topic")

    async def scenario() -> None:
        async with live(repo.root) as it:
            await it.shows("a.py", "mutable-default")
            repo.git("rebase", "main", check=False)
            it.engine.files_changed([repo.root / "a.py"])
            await it.idle()
            repo.git("rebase", "--abort")
            it.engine.files_changed([repo.root / "a.py"])
            await it.shows("a.py", "mutable-default")
            repo.write("a.py", BAD + "import os\n")
            repo.git("stash")
            repo.git("stash", "pop")
            it.engine.files_changed([repo.root / "a.py"])
            await it.shows("a.py", "mutable-default", "unused-import")
            repo.commit("more")
            await it.listener.until(lambda: _head(it) == repo.head())
            await it.idle()
            await it.shows("a.py", "mutable-default", "unused-import")

    run(scenario())


def _head(it: Live) -> str | None:
    """The commit that the engine's status is of."""
    head = it.engine.status().head
    return head.commit if head is not None else None


def test_a_closed_buffer_gives_way_to_the_disk(repo: Repo) -> None:
    """Unsaved text that is thrown away takes its findings with it."""
    branch(repo)

    async def scenario() -> None:
        async with live(repo.root) as it:
            it.engine.opened(it.path("a.py"), BAD, 1)
            await it.shows("a.py", "mutable-default")
            it.engine.closed(it.path("a.py"))
            await it.shows("a.py")

    run(scenario())


def test_settings_take_effect_and_ids_stay(repo: Repo) -> None:
    """Switching an item off hides its findings; on again, they come back as they were; disabled shows nothing."""
    branch(repo)

    async def scenario() -> None:
        async with live(repo.root) as it:
            it.engine.opened(it.path("a.py"), "import os\n" + BAD, 1)
            await it.shows("a.py", "mutable-default", "unused-import")
            off, _ = config.load(root=repo.root, editor={"items": {"python/unused-import": "off"}}, environ={})
            it.engine.settings_changed(off)
            (finding,) = await it.shows("a.py", "mutable-default")
            disabled, _ = config.load(root=repo.root, editor={"enable": False}, environ={})
            it.engine.settings_changed(disabled)
            await it.shows("a.py")
            it.engine.settings_changed(off)
            (again,) = await it.shows("a.py", "mutable-default")
            assert again.id == finding.id

    run(scenario())


def test_a_pause_starts_nothing(repo: Repo) -> None:
    """Edits during a pause are looked at when it ends."""
    branch(repo)

    async def scenario() -> None:
        async with live(repo.root) as it:
            it.engine.opened(it.path("a.py"), GOOD, 1)
            await it.shows("a.py", version=1)
            await it.idle()
            it.engine.pause()
            it.engine.edited(it.path("a.py"), BAD, 2)
            assert it.engine.status().paused
            assert not it.engine.status().running
            it.engine.resume()
            await it.shows("a.py", "mutable-default", version=2)

    run(scenario())


def test_git_going_away_is_a_problem_not_a_crash(repo: Repo) -> None:
    """Old findings are kept, the verdict is stale, and all is well when git is back."""
    branch(repo)

    async def scenario() -> None:
        async with live(repo.root) as it:
            it.engine.opened(it.path("a.py"), BAD, 1)
            await it.shows("a.py", "mutable-default")
            await it.idle()
            (repo.root / ".git").rename(repo.root / "gone")
            it.engine.files_changed([repo.root / "a.py"])
            await it.listener.until(lambda: bool(it.engine.status().problems))
            assert names(it.engine.findings(it.path("a.py"))) == ["mutable-default"]
            verdict = it.engine.status().verdict
            assert verdict is not None
            assert verdict.stale
            (repo.root / "gone").rename(repo.root / ".git")
            it.engine.files_changed([repo.root / "a.py"])
            await it.listener.until(lambda: not it.engine.status().problems)

    run(scenario())


def test_selecting_a_base_is_kept_for_the_branch(repo: Repo) -> None:
    """The selected base holds for every front end, and None goes back to choosing."""
    branch(repo)
    repo.commit("bad", {"a.py": BAD})

    async def scenario() -> None:
        async with live(repo.root) as it:
            await it.shows("a.py", "mutable-default")
            choice = await it.engine.select_base("topic")
            assert choice.ref == "topic"
            await it.shows("a.py")
            assert (await on_disk(repo)).findings == ()
            await it.engine.select_base(None)
            await it.shows("a.py", "mutable-default")
            assert await it.engine.base_text(it.path("a.py")) == GOOD

    run(scenario())


def test_someone_who_never_pauses_sees_findings(repo: Repo) -> None:
    """Keys faster than a job: something is shown while typing goes on."""
    branch(repo)

    async def scenario() -> None:
        async with live(repo.root, debounceMs=150) as it:
            it.engine.opened(it.path("a.py"), GOOD, 1)
            await it.shows("a.py", version=1)
            loop = asyncio.get_running_loop()
            end = loop.time() + 3
            version = 1
            while loop.time() < end:
                last = it.listener.last("a.py")
                if last is not None and names(last.findings) == ["mutable-default"]:
                    break
                version += 1
                it.engine.edited(it.path("a.py"), BAD + "#" * version, version)
                await asyncio.sleep(0.01)
            assert loop.time() < end

    run(scenario())


def test_closing_with_work_pending_ends_promptly(repo: Repo) -> None:
    """Close right after start, and in the middle of jobs: no task and no process is left (the loop checks)."""
    branch(repo)

    async def scenario() -> None:
        for turns in (0, 1, 5, 50):
            async with live(repo.root) as it:
                it.engine.opened(it.path("a.py"), BAD, 1)
                for _ in range(turns):
                    await asyncio.sleep(0)
                it.engine.edited(it.path("a.py"), GOOD, 2)

    run(scenario())


def test_what_the_whole_change_shows_moves_with_the_text(repo: Repo) -> None:
    """Checks of the change run on save and not per keystroke; their findings follow the lines meanwhile."""
    build = 'py_library(name = "gone", srcs = ["gone.py"])\n'
    repo.commit("base", {"gone.py": "x = 1\n", "BUILD": build})
    repo.branch("topic")
    repo.remove("gone.py")

    async def scenario() -> None:
        async with live(repo.root) as it:
            it.engine.opened(it.path("BUILD"), "# one\n" + build, 1)
            (first,) = await it.shows("BUILD", "deleted-file-still-named", version=1)
            await it.idle()
            it.engine.edited(it.path("BUILD"), "# one\n# two\n" + build, 2)
            (moved,) = await it.shows("BUILD", "deleted-file-still-named", version=2)
            assert (first.seen.line, moved.seen.line) == (2, 3)
            assert moved.id == first.id

    run(scenario())


def test_a_long_file_never_stalls_the_loop(repo: Repo) -> None:
    """10,000 lines, opened and typed in: what a keystroke does on the loop stays below 50 ms of processor time."""
    body = "".join(f"def f{n}(a, b):\n    if a:\n        return b\n    return a\n\n\n" for n in range(1700))
    branch(repo, a_py=body)

    async def scenario() -> None:
        async with live(repo.root) as it:
            it.engine.opened(it.path("a.py"), body + BAD, 1)
            await it.shows("a.py", "mutable-default", version=1)
            await it.idle()
            longest = Longest()
            with longest.measuring:
                for version in range(2, 8):
                    it.engine.edited(it.path("a.py"), f"x{version} = 1\n" + body + BAD, version)
                    await it.shows("a.py", "mutable-default", version=version)
            assert longest.seconds < 0.05

    run(scenario())


class Longest:
    """The longest turn of the loop, in seconds of this thread's processor time: a busy machine does not count."""

    def __init__(self) -> None:
        """Nothing was measured."""
        self.seconds = 0.0
        original: Callable[[asyncio.Handle], None] = vars(asyncio.Handle)["_run"]

        def measured(handle: asyncio.Handle) -> None:
            before = time.thread_time()
            original(handle)
            self.seconds = max(self.seconds, time.thread_time() - before)

        self.measuring = patch.object(asyncio.Handle, "_run", measured)
