"""``roundzero hook install`` and ``uninstall``: what they write, what they leave alone, and what they bring back."""

from __future__ import annotations

import os
import shutil
import stat
from typing import TYPE_CHECKING

import pytest

from roundzero.store.branch_db import BranchDb

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Cli
    from support.repo import Repo

OWN = "#!/bin/sh\necho mine\n"


def tree(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """Mode and content of everything below a folder."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(folder.rglob("*")):
        content = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
        found[path.relative_to(folder).as_posix()] = (stat.S_IMODE(path.lstat().st_mode), content)
    return found


@pytest.fixture
def hooks(house: Repo) -> Path:
    """The folder of hooks, which is not there yet."""
    return house.root / ".git" / "hooks"


@pytest.mark.parametrize("stage", ["pre-push", "pre-commit"])
def test_install_and_uninstall_leave_nothing_else(cli: Cli, hooks: Path, stage: str) -> None:
    """One executable file appears and goes; a second time changes nothing and says so."""
    before = tree(hooks.parent)
    ran = cli("hook", "install", "--stage", stage)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == f"{hooks / stage} reviews before every {stage.removeprefix('pre-')}\n"
    (written,) = hooks.iterdir()
    assert (written.name, os.access(written, os.X_OK)) == (stage, True)
    after = tree(hooks.parent)
    assert "installed already" in cli("hook", "install", "--stage", stage).out
    assert tree(hooks.parent) == after
    assert cli("hook", "uninstall", "--stage", stage).out == f"{hooks / stage} is removed\n"
    assert tree(hooks.parent) == {**before, "hooks": after["hooks"]}
    ran = cli("hook", "uninstall", "--stage", stage)
    assert (ran.status, ran.out) == (0, f"there is no hook of Round Zero's at {hooks / stage}\n")


def test_what_stops_a_hook_is_told_in_the_persons_language(
    cli: Cli, house: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it is the settings that cannot be read, and nothing was reviewed."""
    house.write(".roundzero.toml", "[[[")
    for language, push, commit in (
        ("en", "nothing was reviewed, and the push goes on", "nothing was reviewed, and the commit goes on"),
        ("zh", "未审查任何内容，推送继续进行", "未审查任何内容，提交继续进行"),
    ):
        monkeypatch.setenv("ROUNDZERO_LANGUAGE", language)
        for stage, said in (("pre-push", push), ("pre-commit", commit)):
            ran = cli("hook", "run", "--stage", stage)
            assert (ran.status, ran.out, said in ran.err) == (0, "", True)


@pytest.mark.parametrize("kind", ["file", "not executable", "link", "broken link"])
def test_an_existing_hook_comes_back_exactly(cli: Cli, hooks: Path, house: Repo, kind: str) -> None:
    """Whatever it is: it is moved beside ours, and back again."""
    hooks.mkdir()
    hook = hooks / "pre-push"
    if "link" in kind:
        if kind == "link":
            house.write("scripts/pre-push", OWN, executable=True)
        hook.symlink_to("../../scripts/pre-push")
    else:
        hook.write_text(OWN)
        hook.chmod(0o644 if kind == "not executable" else 0o751)
    before = tree(hooks)
    ran = cli("hook", "install")
    assert "it calls the hook that was there, now pre-push.before-roundzero, first" in ran.out
    assert tree(hooks)["pre-push.before-roundzero"] == before["pre-push"]
    assert cli("hook", "install").status == 0
    assert tree(hooks)["pre-push.before-roundzero"] == before["pre-push"]
    assert "again the hook that was there before" in cli("hook", "uninstall").out
    assert tree(hooks) == before


def test_the_two_stages_do_not_know_each_other(cli: Cli, hooks: Path) -> None:
    """Each is installed and removed by itself."""
    for stage in ("pre-push", "pre-commit"):
        assert cli("hook", "install", "--stage", stage).status == 0
    cli("hook", "uninstall")
    assert [path.name for path in hooks.iterdir()] == ["pre-commit"]


def test_a_hook_that_was_changed_by_hand_is_kept(cli: Cli, hooks: Path) -> None:
    """Somebody's lines in our script are somebody's."""
    cli("hook", "install")
    hook = hooks / "pre-push"
    hook.write_text(hook.read_text() + "echo more\n")
    before = tree(hooks)
    for action in ("install", "uninstall"):
        ran = cli("hook", action)
        assert (ran.status, "was changed by hand" in ran.err) == (2, True)
    assert tree(hooks) == before


def test_a_hook_that_replaced_ours_is_kept(cli: Cli, hooks: Path) -> None:
    """Then there are two hooks that are not ours, and only the person knows what to do with them."""
    hooks.mkdir()
    (hooks / "pre-push").write_text(OWN)
    cli("hook", "install")
    (hooks / "pre-push").write_text("#!/bin/sh\necho another\n")
    before = tree(hooks)
    ran = cli("hook", "install")
    assert (ran.status, "something has replaced ours" in ran.err) == (2, True)
    assert cli("hook", "uninstall").out.startswith("there is no hook of Round Zero's")
    assert tree(hooks) == before


def test_a_hook_of_another_installation_is_renewed(cli: Cli, hooks: Path) -> None:
    """The interpreter is the one that installs."""
    from roundzero.cli import _hook_file  # noqa: PLC0415  to write what another installation would have

    hooks.mkdir()
    (hooks / "pre-push").write_bytes(_hook_file.script("pre-push", "/gone/bin/python"))
    assert cli("hook", "install").status == 0
    assert (hooks / "pre-push").read_bytes() == _hook_file.script("pre-push")
    assert [path.name for path in hooks.iterdir()] == ["pre-push"]


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        (".githooks", "part of the work tree"),
        ("{root}/.githooks", "part of the work tree"),
        ("{outside}", "other repositories may share"),
        ("~/hooks", "other repositories may share"),
        ("/dev/null", "other repositories may share"),
    ],
)
def test_a_folder_of_hooks_that_is_not_the_clones_own_is_refused(
    cli: Cli, house: Repo, tmp_path: Path, home: Path, setting: str, why: str
) -> None:
    """Nothing is written there, and the line to add by hand is named."""
    for folder in (house.root / ".githooks", tmp_path / "shared", home / "hooks"):
        folder.mkdir()
    house.config("core.hooksPath", setting.format(root=house.root, outside=tmp_path / "shared"))
    before = tree(house.root), tree(tmp_path / "shared"), tree(home)
    ran = cli("hook", "install")
    assert ran.status == 2
    assert why in ran.err
    assert 'roundzero hook run --stage pre-push -- "$@"' in ran.err
    assert (tree(house.root), tree(tmp_path / "shared"), tree(home)) == before


def test_a_hook_that_is_no_longer_in_force_can_be_removed(cli: Cli, house: Repo, hooks: Path, tmp_path: Path) -> None:
    """Somebody set core.hooksPath since: ours is where it was put."""
    cli("hook", "install")
    house.config("core.hooksPath", str(tmp_path))
    assert cli("hook", "uninstall").out == f"{hooks / 'pre-push'} is removed\n"
    assert list(hooks.iterdir()) == []


def test_a_folder_of_hooks_that_leads_into_the_work_tree_is_refused(cli: Cli, house: Repo, hooks: Path) -> None:
    """A link in its place counts as what it leads to."""
    house.write("tools/hooks/readme", "x\n")
    hooks.symlink_to("../tools/hooks")
    ran = cli("hook", "install")
    assert (ran.status, "part of the work tree" in ran.err) == (2, True)
    assert [path.name for path in (house.root / "tools" / "hooks").iterdir()] == ["readme"]


def test_a_folder_of_hooks_inside_the_clones_git_directory_is_its_own(cli: Cli, house: Repo) -> None:
    """Wherever core.hooksPath says."""
    house.config("core.hooksPath", ".git/our-hooks")
    assert cli("hook", "install").status == 0
    assert (house.root / ".git" / "our-hooks" / "pre-push").is_file()


def test_linked_worktrees_share_the_hook(cli: Cli, house: Repo, hooks: Path, tmp_path: Path) -> None:
    """It is installed once, from wherever."""
    house.git("worktree", "add", "--quiet", "-b", "topic", str(tmp_path / "linked"))
    assert cli("hook", "install", here=tmp_path / "linked").status == 0
    assert "installed already" in cli("hook", "install").out
    assert [path.name for path in hooks.iterdir()] == ["pre-push"]


def test_what_is_no_repository_or_no_action_is_refused(cli: Cli, tmp_path: Path) -> None:
    """Status 2 and words."""
    ran = cli("hook", "install", "--repo", str(tmp_path))
    assert (ran.status, "git" in ran.err) == (2, True)
    for words in (["install", "pre-push"], ["install", "--stage", "post-push"], ["remove"], []):
        assert cli("hook", *words).status == 2


def pushed(repo: Repo, name: str) -> bytes:
    """What git would write for a push of a new branch."""
    return f"refs/heads/{name} {repo.head(name)} refs/heads/{name} {'0' * 40}\n".encode()


@pytest.fixture
def topic(house: Repo) -> Repo:
    """A branch that brings something."""
    house.branch("topic")
    house.commit("one", {"a.py": "# MARK\n", "b.py": "# MARK\n"})
    return house


def test_the_gate_is_the_persons(cli: Cli, topic: Repo, home: Path) -> None:
    """gate.failOn of the person's own settings decides what stops a push, as it does in a review."""
    ran = cli("hook", "run", "--", "origin", "url", stdin=pushed(topic, "topic"))
    assert (ran.status, ran.out, ran.err) == (0, "", "roundzero: topic: LGTM (checks only)\n")
    config = home / "config" / "roundzero" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[gate]\nfail_on = "P2"\n')
    ran = cli("hook", "run", stdin=pushed(topic, "topic"))
    assert ran.status == 1
    assert "  a.py:1:3 P2 a mark [house/mark]\n  b.py:1:3 P2 a mark [house/mark]\n" in ran.err
    cli("review")
    assert cli("hook", "run", stdin=pushed(topic, "topic")).status == 1


def test_without_a_work_tree_the_settings_and_packs_are_those_of_what_is_pushed(
    cli: Cli, topic: Repo, tmp_path: Path
) -> None:
    """Of each commit its own; settings that cannot be read are named, and nothing is called good by others."""
    topic.branch("raised")
    topic.commit("two", {".roundzero.toml": 'packs = ["house"]\n[items]\n"house/mark" = "P1"\n'})
    topic.branch("broken")
    topic.commit("three", {".roundzero.toml": "packs = [\n"})
    topic.branch("unpacked")
    topic.commit("four", {".roundzero.toml": 'packs = ["house"]\n', ".roundzero/checklists/house.yaml": "pack: [\n"})
    topic.branch("linked")
    topic.path(".roundzero.toml").unlink()
    topic.path(".roundzero.toml").symlink_to("other.toml")
    topic.commit("five", {"other.toml": 'packs = ["house"]\n[items]\n"house/mark" = "P1"\n'})
    bare = topic.clone(tmp_path / "bare.git", "--bare")

    def push(name: str) -> tuple[int, str]:
        ran = cli("hook", "run", stdin=pushed(topic, name), here=bare.root)
        return ran.status, ran.err

    assert push("topic") == (0, "roundzero: topic: LGTM (checks only)\n")
    status, said = push("raised")
    assert (status, "a.py:1:3 P1 a mark [house/mark]" in said) == (1, True)
    status, said = push("broken")
    assert (status, "is not valid TOML" in said, "not reviewed" in said) == (0, True, True)
    status, said = push("unpacked")
    assert (status, "INCOMPLETE" in said, "house.yaml" in said) == (0, True, True)
    status, said = push("linked")
    assert (status, "not reviewed" in said, ".roundzero.toml: is a link" in said) == (0, True, True)


def test_a_base_that_was_selected_for_the_branch_counts(cli: Cli, topic: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when another branch is checked out."""
    monkeypatch.setenv("ROUNDZERO_GATE_FAIL_ON", "P2")
    BranchDb(topic.root / ".git").select_base("refs/heads/topic", "topic")
    topic.checkout("main")
    assert cli("hook", "run", stdin=pushed(topic, "topic")).status == 0
    BranchDb(topic.root / ".git").select_base("refs/heads/topic", "gone")
    assert cli("hook", "run", stdin=pushed(topic, "topic")).status == 1


def test_a_review_that_takes_too_long_stops_nothing(cli: Cli, topic: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not reviewed is named."""
    monkeypatch.setattr("roundzero.cli._hook_review.SECONDS", 0.0)
    for number in range(7):
        topic.branch(f"b{number}")
        topic.commit("more", {"c.py": f"{number}\n"})
    ran = cli("hook", "run", stdin=b"".join(pushed(topic, f"b{number}") for number in range(7)))
    assert ran.status == 0
    assert ran.err == (
        "roundzero: b0, b1, b2, b3, b4, 2 more: not reviewed, which does not stop the push: it took more than 0.0"
        " seconds; roundzero review takes its time\n"
    )


@pytest.mark.parametrize("given", [b"refs/heads/topic\n", b"\xff\0\n", b"a b c d\n"])
def test_input_that_is_not_gits_stops_nothing(cli: Cli, topic: Repo, given: bytes) -> None:
    """It is told, or names nothing."""
    ran = cli("hook", "run", stdin=given)
    assert (ran.status, "our fault" in ran.err) == (0, False)


def test_a_bug_of_ours_stops_nothing(cli: Cli, topic: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """It leaves its log file, and the push goes on."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("roundzero.cli._hook_review.review", broken)
    ran = cli("hook", "run", stdin=pushed(topic, "topic"))
    assert ran.status == 0
    assert "topic: not reviewed, which does not stop the push: this is our fault (ZeroDivisionError)" in ran.err


def test_a_failure_beside_a_finding_does_not_let_it_pass(
    cli: Cli, topic: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One ref cannot be reviewed, the other is stopped."""
    monkeypatch.setenv("ROUNDZERO_GATE_FAIL_ON", "P2")
    bad = pushed(topic, "topic")
    topic.git("checkout", "--quiet", "--orphan", "island")
    topic.commit("alone", {"a.py": "x = 1\n"})
    for given in (bad + pushed(topic, "island"), pushed(topic, "island") + bad):
        ran = cli("hook", "run", stdin=given)
        assert ran.status == 1
        assert "island: not reviewed, which does not stop the push" in ran.err
        assert "the push was stopped" in ran.err


def test_a_model_that_hooks_are_to_ask_is_not_passed_over_in_silence(
    cli: Cli, topic: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """hook.model is off by default; what it asks for and does not get is said."""
    monkeypatch.setenv("ROUNDZERO_HOOK_MODEL", "quick")
    ran = cli("hook", "run", stdin=pushed(topic, "topic"))
    assert ran.err.startswith("roundzero: hook.model quick has no effect: ")


def test_secrets_and_odd_names_are_not_shown_as_they_are(cli: Cli, repo: Repo) -> None:
    """Nothing in a path moves the cursor, and a secret is masked in every output."""
    repo.commit("first", {"a.py": "x = 1\n"})
    repo.branch("topic")
    secret = "ghp_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"
    repo.commit("one", {"odd\x1b[31m.py": f'TOKEN = "{secret}"\n'})
    ran = cli("hook", "run", stdin=pushed(repo, "topic"))
    assert ran.status == 1
    assert "odd\\x1b[31m.py:1" in ran.err
    assert secret not in ran.err
    assert "\x1b" not in ran.err


KEY = "AKIA" + "Q3ZT7XKPW5LN2VHD"


def push(cli: Cli, commit: str, there: str = "0" * 40) -> tuple[int, str]:
    """Status and words of a push of the branch."""
    ran = cli("hook", "run", stdin=f"refs/heads/topic {commit} refs/heads/topic {there}\n".encode())
    return ran.status, ran.err


def test_a_secret_that_a_later_commit_removed_stops_the_push(cli: Cli, repo: Repo) -> None:
    """It leaves the machine with its commit, which is named; its value is not, and what the remote has is no news."""
    repo.commit("first", {"a.py": "x = 1\n"})
    repo.branch("topic")
    repo.commit("before", {"a.py": "x = 2\n"})
    bad = repo.commit("oops", {"a.py": f"x = 2\nkey = '{KEY}'\n"})
    repo.commit("more", {"b.py": "y = 1\n"})
    good = repo.commit("removed", {"a.py": "x = 2\n"})
    for _ in range(2):
        status, said = push(cli, good)
        assert (status, KEY in said) == (1, False)
        assert "topic: LGTM" in said
        assert f"  commit {bad[:12]}: a.py:2 P0 " in said
        assert "[general/secret-added]" in said
        assert "git rebase -i" in said
    assert push(cli, good, there=bad)[0] == 0
    repo.git("update-ref", "refs/remotes/origin/other", good)
    assert push(cli, good)[0] == 0


def test_of_the_history_only_secrets_that_are_gone_count(cli: Cli, repo: Repo) -> None:
    """One that is still there is the review's; one that was there before, or that a comment dismisses, is none."""
    first = repo.commit("first", {"old.py": f"key = '{KEY}'\n"})
    repo.git("update-ref", "refs/remotes/origin/main", first)
    repo.branch("topic")
    repo.commit("touched", {"old.py": f"x = 1\nkey = '{KEY}'\n"})
    repo.commit("dismissed", {"c.py": f"key = '{KEY}'  # roundzero: ignore[secret-added] revoked years ago\n"})
    removed = repo.commit("removed", {"old.py": "x = 1\n", "c.py": "x = 1\n"})
    assert push(cli, removed)[0] == 0
    kept = repo.commit("kept", {"d.py": f"key = 'AKIA{KEY[:3:-1]}'\n"})
    status, said = push(cli, kept)
    assert (status, said.count("general/secret-added"), "commit " in said) == (1, 1, False)


@pytest.mark.parametrize(
    ("index", "command"),
    [
        (None, "roundzero review --scope staged"),
        (".git/index", "roundzero review --scope staged"),
        (".git/index.lock", "roundzero review --base HEAD"),
        (".git/next-index-7.lock", "roundzero review --base HEAD"),
    ],
)
def test_a_stopped_commit_is_shown_by_a_command_that_still_sees_it(
    cli: Cli, repo: Repo, monkeypatch: pytest.MonkeyPatch, index: str | None, command: str
) -> None:
    """What ``commit -a`` or a path staged goes with the index that git made for it, so the work tree is named then."""
    repo.commit("one", {"a.py": "x = 1\n"})
    repo.write("a.py", "<<<<<<< a\nx = 1\n=======\nx = 2\n>>>>>>> b\n")
    repo.stage("a.py")
    if index is not None:
        if index.endswith(".lock"):
            shutil.copy(repo.root / ".git" / "index", repo.root / index)
        monkeypatch.setenv("GIT_INDEX_FILE", index)
    ran = cli("hook", "run", "--stage", "pre-commit")
    assert (ran.status, f"all of it: {command}\n" in ran.err) == (1, True), ran.err
    monkeypatch.delenv("GIT_INDEX_FILE", raising=False)
    assert "P0" in cli(*command.split()[1:]).out
