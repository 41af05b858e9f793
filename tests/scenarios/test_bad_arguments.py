"""Options, settings and packs that are wrong: status 2 with what to do, or a notice and a review all the same."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from roundzero.render import formats

if TYPE_CHECKING:
    from support.command import Cli, Ran
    from support.repo import Repo

LINE: Final = "x = eval(y == None)  # MARK"
BAD: Final = f"{LINE}\n"
TOKEN: Final = "ghp_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"


@pytest.fixture
def topic(house: Repo) -> Repo:
    """A branch with one bad file."""
    house.branch("topic")
    house.write("a.py", BAD)
    return house


def wire(ran: Ran) -> dict[str, Any]:
    """The report of a JSON run."""
    assert ran.err == ""
    loaded: dict[str, Any] = json.loads(ran.out)
    return loaded


def paths(ran: Ran) -> set[str]:
    """The files with findings."""
    return {each["path"] for each in wire(ran)["findings"]}


def test_options_may_stand_between_paths(cli: Cli, topic: Repo) -> None:
    """Paths before, between and after options all count; after ``--`` a name may begin with a dash."""
    topic.write("b.py", BAD)
    topic.write("c.py", BAD)
    topic.write("-d.py", BAD)
    assert paths(cli("review", "a.py", "--format", "json", "b.py", "--no-ledger")) == {"a.py", "b.py"}
    assert paths(cli("review", "c.py", "--format", "json", "--", "-d.py")) == {"c.py", "-d.py"}
    assert cli("packs", "show", "--repo", ".", "house/mark").status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["review", ""], "paths is given an empty text"),
        (["review", "--base", ""], "--base is given an empty text"),
        (["review", "--repo", ""], "--repo is given an empty text"),
        (["review", "--output", ""], "--output is given an empty text"),
        (["review", "--base", "--output=x"], "--base"),
        (["review", "--base=--output=x"], "names no commit"),
        (["review", "--base", "HEAD\nx"], "names no commit"),
        (["review", "--head", "nope"], "names no commit"),
        (["review", "--head", "HEAD:a.py"], "names no commit"),
        (["review", ".."], "is outside the repository"),
        (["review", "nowhere.py"], "does not exist and is not part of the change"),
        (["review", "--diff", "."], "cannot be read: Is a directory"),
        (["review", "--diff", "nowhere"], "cannot be read: No such file"),
        (["review", "--stdin-path", "/etc/passwd"], "is outside the repository"),
        (["review", "--stdin-path", "x/../../y"], "is outside the repository"),
        (["review", "--stdin-path", "."], "names no file of the repository"),
        (["review", "--stdin-path", ".git/config"], "names no file of the repository"),
        (["review", "--format", "yaml"], "invalid choice"),
        (["review", "--formt", "json"], "unrecognized arguments"),
        (["base", "--repo", "/dev/null"], "is not a folder"),
        (["packs", "show", "no/such"], "there is no item"),
        (["packs", "check", "nowhere.yaml"], ""),
        (["nothing"], "invalid choice"),
        ([], "usage"),
    ],
)  # fmt: skip
def test_wrong_options_say_what_is_wrong(cli: Cli, topic: Repo, arguments: list[str], message: str) -> None:
    """Never a review of something else, never a stack."""
    assert topic.path("a.py").exists()
    ran = cli(*arguments)
    assert ran.status in ((1, 2) if arguments[:2] == ["packs", "check"] else (2,))
    assert message in ran.err
    assert "our fault" not in ran.err


@pytest.mark.parametrize(
    "diff",
    [
        b"",
        b"\0\xff",
        b"+++ b/a.py\n@@ -1 +1 @@\n",
        b"diff --git a/a.py b/a.py\nGIT binary patch\n",
        b'--- "a/\\777.py"\n+++ "b/\\777.py"\n@@ -1 +1 @@\n-x\n+y\n',
        b'--- "a/\\400.py"\n+++ "b/\\000.py"\n@@ -1 +1 @@\n-x\n+y\n',
        b"--- a/a\0.py\n+++ b/a\0.py\n@@ -1 +1 @@\n-x\n+y\n",
        b"--- a/a.py\n+++ b/a.py\n@@ -1 +" + b"9" * 5000 + b" @@\n-x\n+y\n",
        b"--- a/a.py\n+++ b/a.py\n@@ -1 +99999,0 @@\n-x\n",
    ],
)
def test_a_diff_of_nothing(cli: Cli, topic: Repo, diff: bytes) -> None:
    """A diff without a readable hunk restricts to nothing or is refused; it is never our fault."""
    assert topic.path("a.py").exists()
    assert cli("review", "--diff", "-", stdin=diff).status in (0, 2)


def test_a_diff_that_does_not_fit(cli: Cli, topic: Repo) -> None:
    """Status 2 and the name of the file."""
    diff = b"--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+something else\n"
    ran = cli("review", "--diff", "-", stdin=diff)
    assert ran.status == 2
    assert "a.py" in ran.err
    assert topic.path("a.py").exists()


def test_text_on_standard_input(cli: Cli, topic: Repo) -> None:
    """New, changed, ignored and undecodable texts: reviewed, or said why not."""
    topic.write(".gitignore", "ig.py\n")
    assert paths(cli("review", "--stdin-path", "new/n.py", "--format", "json", stdin=BAD.encode())) == {"new/n.py"}
    assert paths(cli("review", "--stdin-path", "a.py", "--format", "json", stdin=b"")) == set()
    ran = cli("review", "--stdin-path", "ig.py", "--format", "json", stdin=BAD.encode())
    assert (paths(ran), wire(ran)["notices"]) == (set(), ["ig.py is ignored by git, so it was not reviewed"])
    ran = cli("review", "--stdin-path", "a.py", stdin=b"\xff")
    assert (ran.status, "send UTF-8" in ran.err) == (2, True)


@pytest.mark.parametrize(
    "text",
    [
        "packs = 3\n", "items = []\n", 'exclude = "x"\n', "max_file_bytes = -1\n", 'max_file_bytes = "x"\n',
        "gate = 1\n",
        "[gate]\nfail_on = 7\n", "unknown = true\n", "packs = [1]\n", "[items]\n'house/mark' = 'P9'\n",
        "base = 3\n", "show_origins = ['nope']\n", "min_severity = 'P7'\n", "untracked = 'yes'\n", "language = 'xx'\n",
        "exclude = ['[', '!', '***', '\\\\']\n", "[linters]\nruff = 3\n", "debounce_ms = 1e400\n", "packs = ['nope']\n",
    ],
)  # fmt: skip
def test_settings_of_the_wrong_kind(cli: Cli, topic: Repo, text: str) -> None:
    """A wrong setting is reported and ignored, and the review is made."""
    topic.write(".roundzero.toml", text)
    for command in (["review", "--format", "json"], ["base"], ["doctor"], ["packs", "list"]):
        ran = cli(*command)
        assert ran.status in (0, 1), ran.err
    assert wire(cli("review", "--format", "json"))["coverage"]["files"] == 2


ITEM: Final = """\
pack: odd
title: {en: Odd}
items:
  - id: one
    title: {en: one}
    severity: P2
    why: {en: It says so.}
    looks_at: added
    check:
"""


@pytest.mark.parametrize(
    "pack",
    [
        "", "x", "[", "\0", "pack: odd\n", "pack: [a]\nitems: 3\n", "- 1\n", "&a [*a]\n", "a: &a [1]\nb: *a\n",
        ITEM + "      ruff: [XYZ999]\n", ITEM + "      text: {regex: '('}\n", ITEM + "      text: {regex: '(?=a)'}\n",
        ITEM + "      checker: no-such\n", ITEM + "      ast-grep: {language: klingon, rule: {pattern: x}}\n",
        ITEM + "      ast-grep: {rule: 3}\n",
        "pack: odd\ntitle: {en: x}\nitems:\n" + "".join(f"{'  ' * depth}- a:\n" for depth in range(1, 300)),
        "!!python/object/apply:os.system ['touch ran']\n",
    ],
)  # fmt: skip
def test_a_broken_pack_costs_itself(cli: Cli, topic: Repo, pack: str) -> None:
    """Whatever a pack holds, the rules of the others run, and the pack is named."""
    topic.write(".roundzero/checklists/odd.yaml", pack)
    topic.write(".roundzero.toml", 'packs = ["house", "odd"]\n')
    ran = cli("review", "--format", "json", "a.py")
    assert {each["item"] for each in wire(ran)["findings"]} == {"house/mark", "house/none", "house/eval"}
    assert "odd" in " ".join([*wire(ran)["notices"], *wire(ran)["stats"]["failures"]])
    assert cli("packs", "check", ".roundzero/checklists/odd.yaml").status == 1
    assert not topic.path("ran").exists()


def test_a_regex_that_would_explode(cli: Cli, topic: Repo) -> None:
    """Text rules take time in proportion to the text."""
    topic.write(".roundzero/checklists/odd.yaml", ITEM + "      text: {regex: '(a+)+$'}\n")
    topic.write(".roundzero.toml", 'packs = ["odd"]\n')
    topic.write("a.txt", "a" * 50_000 + "!\n")
    assert wire(cli("review", "--format", "json", "a.txt"))["findings"] == []


def test_no_format_shows_a_secret(cli: Cli, repo: Repo) -> None:
    """A secret's value is in no output, whatever item has a finding on its line, and fixes are still applied."""
    repo.commit("first", {"keep.py": "a = 1\n"})
    repo.branch("topic")
    repo.write(
        "s.py",
        f'import os\nkey = "{TOKEN}"; import json\n'
        f'def f(a, key=["{TOKEN}"]):\n    """Do."""\n    return a == None, "{TOKEN}"\n'
        'db = {"password": "Xk3!9fQz#21p"}\nconnect("Xk3!9fQz#21p" == None)\n',
    )  # fmt: skip
    for form in formats():
        ran = cli("review", "--all-origins", "--format", form)
        assert "s.py" in ran.out
        assert TOKEN not in ran.out
        assert "Xk3!9fQz" not in ran.out
        assert "secret-added" in ran.out
    assert cli("review", "--fix").status in (0, 1)
    assert "import os" not in repo.read("s.py")
    assert TOKEN in repo.read("s.py")


def test_python_newer_than_the_one_that_runs(cli: Cli, repo: Repo) -> None:
    """Grammar that only ruff knows is no syntax error: the items that need a tree are named as not checked."""
    repo.commit("first", {"keep.py": "a = 1\n"})
    repo.branch("topic")
    repo.write("new.py", "type Z[T] = list[T]\ntry:\n    pass\nexcept:\n    pass\n")
    document = wire(cli("review", "--format", "json"))
    items = {each["item"] for each in document["findings"]}
    assert "python/bare-except" in items
    said = " ".join(document["stats"]["failures"])
    assert "does not parse" not in said
    if sys.version_info < (3, 12):
        assert "new.py: Python checks did not run: Python 3.11, which runs Round Zero, cannot parse line 1" in said
        assert document["verdict"]["status"] == "INCOMPLETE"
        line = next(each for each in document["checklists"] if each["item"] == "python/redundant-except")
        assert line["status"] == "not-checked"
    repo.write("new.py", "def f(:\n")
    assert "new.py:1: does not parse" in " ".join(wire(cli("review", "--format", "json"))["stats"]["failures"])
