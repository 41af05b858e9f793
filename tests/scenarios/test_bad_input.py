"""Input that breaks reviewers: for each kind, exactly the added lines are found, and what is not looked at is named.

Every line that counts is ``LINE``, on which a text rule, ruff and ast-grep each see something at a known column.
"""

from __future__ import annotations

import base64
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Cli, Ran
    from support.repo import Repo

LINE: Final = "x = eval(y == None)  # MARK"
OK: Final = "y = 1"
COLUMNS: Final = {"house/mark": 24, "house/none": 15, "house/eval": 5}


@dataclass(frozen=True, kw_only=True)
class Case:
    """Texts at the base, what the branch does, and what a review says.

    ``found`` are paths with the lines on which all three programs see something, ``marked`` those where only the text
    rule looks. ``skipped`` are paths with kind and the beginning of the reason.
    """

    base: dict[str | bytes, str | bytes] | None = None
    change: Callable[[Repo], object]
    found: tuple[tuple[str, int], ...] = ()
    marked: tuple[tuple[str, int], ...] = ()
    skipped: tuple[tuple[str, str, str], ...] = ()
    verdict: str = "LGTM"
    shift: int = 0


def _writes(path: str | bytes, content: str | bytes) -> Callable[[Repo], object]:
    return lambda repo: repo.write(path, content)


def _commits(files: dict[str, str | bytes]) -> Callable[[Repo], object]:
    return lambda repo: repo.commit("change", files)


def _renames(old: str, new: str, text: str) -> Callable[[Repo], object]:
    def change(repo: Repo) -> None:
        repo.rename(old, new)
        repo.write(new, text)

    return change


def _links(path: str, target: str) -> Callable[[Repo], object]:
    def change(repo: Repo) -> None:
        repo.write("ok.py", f"{LINE}\n")
        repo.path(path).symlink_to(target)

    return change


def _nests(repo: Repo) -> None:
    inner = type(repo)(repo.root / "inner")
    inner.commit("inner", {"i.py": f"{LINE}\n"})


def _replaces_by_a_folder(repo: Repo) -> None:
    repo.remove("a.py")
    repo.write("a.py/b.py", f"{LINE}\n")


LONG: Final = "".join(f"line_{number} = {number}\n" for number in range(40))

CASES: Final[dict[str, Case]] = {
    "a lone carriage return ends no line": Case(
        change=_writes("a.py", f"{OK}\n# a\rb = 1\n{LINE}\n"), found=(("a.py", 3),)
    ),
    "a form feed ends no line": Case(change=_writes("a.py", f"{OK}\n\f\n{LINE}\n"), found=(("a.py", 3),)),
    "NEL, FS and U+2028 end no line": Case(
        change=_writes("a.py", f"s = 'a\x85b\u2028c\x1cd\u2029'\n{LINE}\n"), found=(("a.py", 2),)
    ),
    "CRLF": Case(base={"a.py": f"{OK}\r\n"}, change=_writes("a.py", f"{OK}\r\n{LINE}\r\n"), found=(("a.py", 2),)),
    "CRLF turned LF changes no line": Case(
        base={"a.py": f"{LINE}\r\n{OK}\r\n"}, change=_writes("a.py", f"{LINE}\n{OK}\n{LINE}\n"), found=(("a.py", 3),)
    ),
    "LF turned CRLF changes no line": Case(
        base={"a.py": f"{LINE}\n{OK}\n"}, change=_writes("a.py", f"{LINE}\r\n{OK}\r\n"), found=()
    ),
    "no final newline": Case(base={"a.py": OK}, change=_writes("a.py", f"{OK}\n{LINE}"), found=(("a.py", 2),)),
    "a final newline added changes no line": Case(base={"a.py": LINE}, change=_writes("a.py", f"{LINE}\n")),
    "a path with a quote": Case(change=_commits({'a"b.py': f"{LINE}\n"}), found=(('a"b.py', 1),)),
    "a path with a tab and a line feed": Case(change=_commits({"a\tb\nc.py": f"{LINE}\n"}), found=(("a\tb\nc.py", 1),)),
    "a path with a backslash": Case(change=_writes("a\\b.py", f"{LINE}\n"), found=(("a\\b.py", 1),)),
    "a path of spaces": Case(change=_writes(" a .py", f"{LINE}\n"), found=((" a .py", 1),)),
    "a path like a pattern": Case(change=_writes("#%[x]*?.py", f"{LINE}\n"), found=(("#%[x]*?.py", 1),)),
    "a path like an option": Case(change=_writes("-rf.py", f"{LINE}\n"), found=(("-rf.py", 1),)),
    "a path like a magic pathspec": Case(change=_commits({":(top)a.py": f"{LINE}\n"}), found=((":(top)a.py", 1),)),
    "a path that is not ASCII": Case(change=_commits({"中文/ünï.py": f"{LINE}\n"}), found=(("中文/ünï.py", 1),)),
    "a path that is not UTF-8": Case(change=_writes(b"caf\xe9.py", f"{LINE}\n"), found=(("caf\ufffd.py", 1),)),
    "an untracked file": Case(change=_writes("new/a.py", f"{LINE}\n"), found=(("new/a.py", 1),)),
    "an ignored file": Case(base={".gitignore": "*.log.py\n"}, change=_writes("x.log.py", f"{LINE}\n")),
    "a rename with an edit": Case(
        base={"old.py": LONG}, change=_renames("old.py", "new.py", f"{LONG}{LINE}\n"), found=(("new.py", 41),)
    ),
    "a deletion only": Case(base={"a.py": f"{OK}\n{LINE}\n{OK}\n"}, change=_writes("a.py", f"{LINE}\n{OK}\n")),
    "a deleted file": Case(
        base={"a.py": f"{LINE}\n"}, change=lambda repo: repo.remove("a.py"), skipped=(("a.py", "by-rule", "deleted"),)
    ),
    "an emptied file": Case(base={"a.py": f"{LINE}\n"}, change=_writes("a.py", "")),
    "an empty new file": Case(change=_writes("a.py", "")),
    "emoji before the column": Case(
        change=_writes("a.py", f"s = '👩‍👩‍👧'; {LINE}\n"), found=(("a.py", 1),), shift=len("s = '👩‍👩‍👧'; ")
    ),
    "a byte-order mark": Case(change=_writes("a.py", f"\ufeff{LINE}\n"), found=(("a.py", 1),)),
    "a byte-order mark added": Case(
        base={"a.py": f"{LINE}\n{OK}\n"}, change=_writes("a.py", f"\ufeff{LINE}\n{OK}\n{LINE}\n"), found=(("a.py", 3),)
    ),
    "text that looks like a diff": Case(
        base={"a.py": "s = '''\nBinary files a and b differ\n'''\n"},
        change=_writes("a.py", f"s = '''\n+++ b/x\n--- a/x\ndiff --git a/a.py b/a.py\n@@ -1 +1 @@\n'''\n{LINE}\n"),
        found=(("a.py", 7),),
    ),
    "one-line hunks": Case(
        base={"a.py": "a = 1\nb = 2\nc = 3\n"}, change=_writes("a.py", f"a = 1\n{LINE}\nc = 3\n"), found=(("a.py", 2),)
    ),
    "declared Latin-1": Case(
        change=_writes("a.py", f"# coding: latin-1\ns = 'é'\n{LINE}\n".encode("latin-1")), found=(("a.py", 3),)
    ),
    "undecodable": Case(
        change=_writes("a.py", f"s = 'é'\n{LINE}\n".encode("latin-1")),
        skipped=(("a.py", "not-checked", "its bytes are not valid"),),
        verdict="INCOMPLETE",
    ),
    "an unknown declared encoding": Case(
        change=_writes("a.py", f"# coding: klingon\n{LINE}\n"),
        skipped=(("a.py", "not-checked", "its bytes are not valid"),),
        verdict="INCOMPLETE",
    ),
    "a declared encoding that is no text": Case(
        change=_writes("a.py", f"# coding: rot13\n{LINE}\n"),
        skipped=(("a.py", "not-checked", "its bytes are not valid"),),
        verdict="INCOMPLETE",
    ),
    "a NUL byte": Case(
        change=_writes("a.py", f"s = '\0'\n{LINE}\n"), skipped=(("a.py", "by-rule", "binary"),)
    ),
    "a late NUL byte": Case(
        change=_writes("a.py", f"{LINE}\n#{'x' * 9000}\ns = '\0'\n"), found=(("a.py", 1),)
    ),
    "conflict markers": Case(
        change=_writes("a.py", f"<<<<<<< ours\n{LINE}\n=======\n{LINE}\n>>>>>>> theirs\n"),
        marked=(("a.py", 2), ("a.py", 4)),
        verdict="INCOMPLETE",
    ),
    "a syntax error": Case(
        change=_writes("a.py", f"def f(:\n{LINE}\n"), marked=(("a.py", 2),), verdict="INCOMPLETE"
    ),
    "a generated file": Case(
        base={".gitattributes": "gen.py linguist-generated\n"},
        change=_writes("gen.py", f"{LINE}\n"),
        skipped=(("gen.py", "by-rule", "generated"),),
    ),
    "a file with -diff": Case(
        base={".gitattributes": "no.py -diff\n"},
        change=_writes("no.py", f"{LINE}\n"),
        skipped=(("no.py", "by-rule", "attribute -diff"),),
    ),
    "an LFS pointer": Case(
        change=_writes("a.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
        skipped=(("a.bin", "by-rule", "stored by Git LFS"),),
    ),
    "a line of 3 MB": Case(
        change=_writes("a.js", "x" * 3_000_000),
        skipped=(("a.js", "not-checked", "3000000 bytes"),),
        verdict="INCOMPLETE",
    ),
    "a line of 900 KB": Case(change=_writes("a.txt", "x" * 900_000 + "MARK"), marked=(("a.txt", 1),)),
    "50,000 lines": Case(change=_writes("a.py", "y = 1\n" * 49_999 + f"{LINE}\n"), found=(("a.py", 50_000),)),
    "only the mode": Case(
        base={"a.py": f"{LINE}\n"},
        change=lambda repo: repo.path("a.py").chmod(0o755),
        skipped=(("a.py", "by-rule", "only its mode"),),
    ),
    "a notebook": Case(change=_writes("a.ipynb", "{}"), skipped=(("a.ipynb", "by-rule", "notebook"),)),
    "a symbolic link": Case(
        change=_links("l.py", "ok.py"), found=(("ok.py", 1),), skipped=(("l.py", "by-rule", "symbolic link"),)
    ),
    "a broken symbolic link": Case(
        change=_links("l.py", "nowhere"), found=(("ok.py", 1),), skipped=(("l.py", "by-rule", "symbolic link"),)
    ),
    "a symbolic link out of the tree": Case(
        change=_links("l.py", "/etc/hostname"), found=(("ok.py", 1),), skipped=(("l.py", "by-rule", "symbolic link"),)
    ),
    "a symbolic link to a folder above": Case(
        change=_links("up", ".."), found=(("ok.py", 1),), skipped=(("up", "by-rule", "symbolic link"),)
    ),
    "a nested repository": Case(change=_nests, skipped=(("inner", "by-rule", "nested repository"),)),
    "a folder in place of a file": Case(
        base={"a.py": LONG},
        change=_replaces_by_a_folder,
        found=(("a.py/b.py", 1),),
        skipped=(("a.py", "by-rule", "deleted"),),
    ),
    "a named pipe": Case(change=lambda repo: os.mkfifo(repo.path("p.py"))),
    "twins in another case": Case(
        change=lambda repo: (repo.write("A.py", f"{LINE}\n"), repo.write("a.py", f"{OK}\n{LINE}\n")),
        found=(("A.py", 1), ("a.py", 2)),
    ),
    "Python newer than the one that runs": Case(
        change=_writes("a.py", f"type Z[T] = list[T]\n{LINE}\n"), found=(("a.py", 2),)
    ),
    "a deep expression": Case(change=_writes("a.py", f"{LINE}\nz = {'(' * 150}1{')' * 150}\n"), found=(("a.py", 1),)),
}  # fmt: skip


def report(ran: Ran, status: int = 0) -> dict[str, Any]:
    """The report of a JSON run that ended well and said nothing else."""
    assert (ran.err, ran.status) == ("", status)
    loaded: dict[str, Any] = json.loads(ran.out)
    return loaded


def places(wire: dict[str, Any]) -> list[tuple[str, int, int, str]]:
    """Path, line, column and item of each finding."""
    return sorted(
        (each["path"], each["range"]["start"]["line"], each["range"]["start"]["column"], each["item"])
        for each in wire["findings"]
    )


@pytest.mark.parametrize("name", CASES)
def test_the_right_lines_and_nothing_else(cli: Cli, house: Repo, name: str) -> None:
    """Each kind of input gives its findings at their columns, its skips with their reasons, and its verdict."""
    case = CASES[name]
    for path, content in (case.base or {}).items():
        house.write(path, content)
    house.commit("base")
    house.branch("topic")
    case.change(house)
    wire = report(cli("review", "--format", "json"))
    expected = [(path, line, column, item) for path, line in case.found for item, column in COLUMNS.items()]
    if case.shift:
        expected = [(path, line, column + case.shift, item) for path, line, column, item in expected]
    got = places(wire)
    for path, line in case.marked:
        assert (path, line, "house/mark") in [(each[0], each[1], each[3]) for each in got]
    marked = {*case.marked}
    assert [each for each in got if (each[0], each[1]) not in marked] == sorted(expected)
    skipped = [(skip["path"], skip["kind"], skip["reason"]) for skip in wire["coverage"]["skipped"]]
    assert [(path, kind) for path, kind, _ in skipped] == [(path, kind) for path, kind, _ in case.skipped]
    for (_, _, reason), (_, _, start) in zip(skipped, case.skipped, strict=True):
        assert reason.startswith(start)
    assert wire["verdict"]["status"] == case.verdict, wire["verdict"]


def test_a_path_that_is_not_utf8_keeps_its_bytes(cli: Cli, house: Repo) -> None:
    """JSON carries the bytes that U+FFFD stands for."""
    house.branch("topic")
    house.write(b"caf\xe9.py", f"{LINE}\n")
    (first, *_) = report(cli("review", "--format", "json"))["findings"]
    assert base64.b64decode(first["path_bytes"]) == b"caf\xe9.py"
