"""One buffer put into a change equals a new collection with that buffer, without asking the repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roundzero.core.text import RelPath
from roundzero.git.hunks import split_lines
from roundzero.git.repository import CollectRules, Git
from support.gitwork import with_git

if TYPE_CHECKING:
    from roundzero.core.change import Change
    from support.repo import Repo

FILES: dict[str, str | bytes] = {
    "a.py": "1\n2\n3\n",
    "crlf.py": "1\r\n2\r\n",
    "bom.py": "\ufeff1\n",
    "latin.py": b"# coding: latin-1\n\xe9\n",
    "gone.py": "nothing like it\n" * 9,
    "old.py": "".join(f"{number}\n" for number in range(20)),
    "same.py": "1\n2\n",
    "gen.py": "1\n",
    "nul.py": b"a\0b\n1\n",
    "same_nul.py": b"a\0b\n1\n",
    "mode.py": "1\n",
    "bin.py": b"\0\n",
    ".gitattributes": "gen.py linguist-generated\n*nul.py diff\n",
    ".gitignore": "*.log\n",
    ".roundzeroignore": "own_ignored.py\n",
}


@pytest.fixture
def busy(repo: Repo) -> Repo:
    """A work tree with every kind of file in it."""
    repo.commit("before", FILES)
    repo.branch("feature")
    repo.write("a.py", "1\ntwo\n3\n")
    repo.write("bad.py", b"\xff\n")
    repo.write("big.py", "x" * 2_000_000)
    repo.write("gen.py", "2\n")
    repo.write("nul.py", b"a\0b\n2\n")
    repo.write("bin.py", b"\0\0\n")
    repo.write("own_ignored.py", "1\n")
    repo.path("mode.py").chmod(0o755)
    repo.remove("gone.py")
    repo.git("mv", "old.py", "new.py")
    return repo


BUFFERS = [
    "1\n2\n3\n",
    "",
    "1\r\n2\r\nthree\r\n",
    "\ufeff1\nx",
    "1\n2\n",
    "1\n",
    "\0",
    "a\0b\n1\n",
    "a\0b\n3\n",
    "\0\n",
    "é\n",
    "y" * 1_500_000,
]


@pytest.mark.parametrize(
    "path", [*FILES, "bad.py", "big.py", "new.py", "own_ignored.py", "fresh.py", "x.log", "d/e.py"]
)
def test_a_refreshed_change_equals_a_collected_one(busy: Repo, path: str) -> None:
    """For any kind of file and any buffer, in any order, refresh gives what collect gives."""

    async def compare(git: Git) -> None:
        base = await git.choose_base(explicit="main", environ={})
        change = await git.collect(base)
        for text in BUFFERS:
            change = await git.refresh(change, RelPath(path), text)
            expected = await git.collect(base, overlays={RelPath(path): text})
            for got, wanted in zip(_shape(change), _shape(expected), strict=True):
                assert got == wanted, (path, text[:20])
            assert change.snapshot == expected.snapshot

    with_git(busy.root, compare)


def _shape(change: Change) -> list[object]:
    return [
        [(file.path, file.status, file.mode, file.hunks) for file in change.files],
        [(file.path, file.head and (file.head.text[:99], file.head.blob)) for file in change.files],
        [(file.path, file.base and (file.base.path, file.base.text, file.base.blob)) for file in change.files],
        *change.skipped,
    ]


def test_a_keystroke_does_not_touch_the_repository(busy: Repo) -> None:
    """Once collected, buffers are compared even if the repository is gone."""

    async def edit(git: Git) -> None:
        change = await git.collect(await git.choose_base(explicit="main", environ={}))
        busy.root.rename(busy.root.with_name("elsewhere"))
        for text in ("1\ntwo\n3\nfour\n", "1\n2\n3\n4\n"):
            change = await git.refresh(change, RelPath("a.py"), text)
            file = change.file(RelPath("a.py"))
            assert file is not None
            assert file.head is not None
            assert file.head.text == text
        busy.root.with_name("elsewhere").rename(busy.root)

    with_git(busy.root, edit)


def test_an_unchanged_buffer_changes_nothing(busy: Repo) -> None:
    """The same text gives the very same change, so that nothing is analysed again."""

    async def edit(git: Git) -> None:
        change = await git.collect(await git.choose_base(explicit="main", environ={}))
        assert await git.refresh(change, RelPath("a.py"), "1\ntwo\n3\n") is change

    with_git(busy.root, edit)


def test_limits_of_the_collection_hold_for_buffers(busy: Repo) -> None:
    """A buffer of an excluded or untracked file stays out as its collection was told."""

    async def edit(git: Git) -> None:
        base = await git.choose_base(explicit="main", environ={})
        rules = CollectRules(untracked=False, exclude=("same.py",))
        change = await git.collect(base, rules=rules)
        assert (await git.refresh(change, RelPath("fresh.py"), "x\n")).file(RelPath("fresh.py")) is None
        assert (await git.refresh(change, RelPath("same.py"), "x\n")).files == change.files

    with_git(busy.root, edit)


ODD = st.text(st.sampled_from("ab\n\n\r\x0c\x85\u2028\ud800 é"), max_size=60)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(st.tuples(ODD, ODD), min_size=1, max_size=6))
def test_hunks_say_what_they_mean(repo: Repo, pairs: list[tuple[str, str]]) -> None:
    """Applying the hunks to the base's lines gives the head's lines, one pair at a time or many at once."""

    async def compare(git: Git) -> None:
        together = await git._differ.hunks_of(pairs)
        for (base, head), many in zip(pairs, together, strict=True):
            hunks = await git.hunks(base, head)
            assert hunks == many
            old, new = split_lines(base), split_lines(head)
            built: list[str] = []
            at = 0
            for hunk in hunks:
                built += old[at : hunk.base_gap]
                assert len(built) == hunk.head_gap
                assert [old[line - 1] for line in hunk.base_lines] != [new[line - 1] for line in hunk.head_lines]
                built += [new[line - 1] for line in hunk.head_lines]
                at = hunk.base_gap + hunk.base_count
            assert built + old[at:] == new

    with_git(repo.root, compare)


def test_temporary_files_go_with_the_repository(repo: Repo) -> None:
    """The folder of base texts is private while in use and gone afterwards."""

    async def edit(git: Git) -> object:
        await git.hunks("a\nb\n", "a\nc\n")
        folder = git._differ._folder
        assert folder is not None
        assert folder.path.stat().st_mode & 0o777 == 0o700
        return folder.path

    folder = with_git(repo.root, edit)
    assert not folder.exists()  # type: ignore[attr-defined]


def test_an_ignore_file_larger_than_the_limit_holds_for_buffers_too(repo: Repo) -> None:
    """The limit is for files that are reviewed; what the ignore file leaves out stays out at a keystroke."""
    repo.commit("before", {"a.py": "1\n", ".roundzeroignore": f"#{'x' * 200}\nvendor/\n"})
    repo.branch("feature")

    async def edit(git: Git) -> None:
        base = await git.choose_base(explicit="main", environ={})
        rules, path = CollectRules(max_file_bytes=100), RelPath("vendor/v.py")
        change = await git.refresh(await git.collect(base, rules=rules), path, "x\n")
        expected = await git.collect(base, rules=rules, overlays={path: "x\n"})
        assert (change.files, change.skipped) == (expected.files, expected.skipped)
        assert change.file(path) is None

    with_git(repo.root, edit)
