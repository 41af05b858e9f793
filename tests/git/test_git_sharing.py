"""Which files beside the change may be shown to a model: by the rules of review, on both sides and in every scope."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roundzero.core.change import Side, SkipKind
from roundzero.core.text import RelPath
from roundzero.git.repository import CollectRules, Git, Scope
from support.gitwork import with_git

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.repo import Repo

FILES = {
    "open.py": "x\n",
    "sub/also.py": "x\n",
    "ignored.py": "x\n",
    "excluded/a.py": "x\n",
    "generated.py": "x\n",
    "sub/not_diffed.py": "x\n",
    "filtered.py": "x\n",
    "large.bin": "x\n",
    "notebook.ipynb": "{}\n",
    ".roundzeroignore": "ignored.py\n",
    ".gitattributes": "generated.py linguist-generated=true\nfiltered.py filter=crypt\n*.bin filter=lfs\n",
    "sub/.gitattributes": "not_diffed.py -diff\n",
}
ASKED = [
    *(RelPath(path) for path in FILES),
    RelPath("link.py"),
    RelPath("../outside.py"),
    RelPath(".git/config"),
    RelPath("no.py"),
]
RULES = CollectRules(exclude=("excluded/",))
SHOWN = {"open.py", "sub/also.py", ".roundzeroignore", ".gitattributes", "sub/.gitattributes"}


@pytest.fixture
def repository(repo: Repo) -> Repo:
    """One file of each kind, all of them on both sides, and a link out of the tree."""
    repo.path("link.py").symlink_to("/etc/passwd")
    repo.commit("first", dict(FILES))
    repo.branch("feature")
    repo.commit("second", {"changed.py": "y\n"})
    return repo


def shown(repo: Repo, side: Side, *, scope: Scope = Scope.WORKTREE, head: str | None = None) -> set[str]:
    """What may be shown of everything that is asked for, links as far as they can be read at all."""

    async def ask(git: Git) -> set[str]:
        choice = await git.choose_base(explicit="main", environ={})
        change = await git.collect(choice, scope=scope, head=head, rules=RULES)
        allowed = await git.shareable(ASKED, side, change, RULES)
        return {path for path in allowed if await git.read(path, side, change) is not None}

    return with_git(repo.root, ask)


@pytest.mark.parametrize("side", list(Side))
@pytest.mark.parametrize("scope", list(Scope))
def test_only_what_would_be_reviewed_may_be_shown(repository: Repo, scope: Scope, side: Side) -> None:
    """Ignored, excluded, generated, unfit for a diff, filtered, stored elsewhere, links, and what is outside stay."""
    assert shown(repository, side, scope=scope) == SHOWN


@pytest.mark.parametrize("side", list(Side))
def test_it_is_the_same_for_a_commit_that_is_not_checked_out(repository: Repo, side: Side) -> None:
    """By objects alone."""
    repository.checkout("main")
    assert shown(repository, side, head="feature") == SHOWN


def test_a_file_that_is_gone_may_be_shown_as_it_was_and_a_hidden_one_may_not(repository: Repo) -> None:
    """Deleting a file takes nothing from the base; making it a link or naming it in the ignore file now does."""
    repository.remove("open.py")
    repository.write(".roundzeroignore", "ignored.py\nsub/also.py\n")
    assert "open.py" in shown(repository, Side.BASE)
    assert "open.py" not in shown(repository, Side.HEAD)
    assert "sub/also.py" not in shown(repository, Side.BASE)


def test_nothing_is_shown_when_nothing_is_asked(repository: Repo) -> None:
    """No command is needed for that."""

    async def ask(git: Git) -> frozenset[RelPath]:
        choice = await git.choose_base(explicit="main", environ={})
        return await git.shareable([], Side.HEAD, await git.collect(choice), RULES)

    assert with_git(repository.root, ask) == frozenset()


def test_a_collection_without_rules_makes_no_excluded_file_sendable(repository: Repo) -> None:
    """The rules are those of whoever asks, not of whichever collection came last."""

    async def ask(git: Git) -> frozenset[RelPath]:
        choice = await git.choose_base(explicit="main", environ={})
        change = await git.collect(choice, rules=RULES)
        await git.collect(choice, rules=CollectRules())
        return await git.shareable(ASKED, Side.HEAD, change, RULES)

    allowed = with_git(repository.root, ask)
    assert "open.py" in allowed
    assert "excluded/a.py" not in allowed


def _as_link(repo: Repo) -> None:
    repo.write("patterns", "ignored.py\n")
    repo.path(".roundzeroignore").unlink()
    repo.path(".roundzeroignore").symlink_to("patterns")


def _as_folder(repo: Repo) -> None:
    repo.path(".roundzeroignore").unlink()
    repo.write(".roundzeroignore/x", "ignored.py\n")


def _too_large(repo: Repo) -> None:
    repo.write(".roundzeroignore", "ignored.py\n" + "#\n" * 600_000)


@pytest.mark.parametrize("make", [_as_link, _as_folder, _too_large])
@pytest.mark.parametrize("scope", list(Scope))
def test_nothing_may_be_shown_while_the_ignore_file_cannot_be_read(
    repository: Repo, make: Callable[[Repo], None], scope: Scope
) -> None:
    """Nobody knows what it would leave out; a review goes on, names it as not checked, and so is incomplete."""
    make(repository)
    repository.commit("third")
    for side in Side:
        assert shown(repository, side, scope=scope) == set()

    async def ask(git: Git) -> tuple[set[str], bool]:
        choice = await git.choose_base(explicit="main", environ={})
        change = await git.collect(choice, scope=scope, rules=RULES)
        gaps: set[str] = {skip.path for skip in change.skipped if skip.kind is SkipKind.NOT_CHECKED}
        return gaps, await git.may_share(change, RULES)

    assert with_git(repository.root, ask) == ({".roundzeroignore"}, False)


def test_a_small_limit_for_files_closes_nothing(repository: Repo) -> None:
    """The ignore file is read whatever size files may have that are reviewed."""
    limits = CollectRules(max_file_bytes=3)

    async def ask(git: Git) -> bool:
        choice = await git.choose_base(explicit="main", environ={})
        return await git.may_share(await git.collect(choice, rules=limits), limits)

    assert with_git(repository.root, ask)
