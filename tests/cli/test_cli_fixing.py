"""Safe fixes on disk."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from roundzero.cli._fixing import Fixed, apply_safe_fixes, summary
from roundzero.core.finding import Edit, Fix, State
from roundzero.core.text import RelPath
from roundzero.render.reasons import reason
from support.report import finding, fix, report, span

if TYPE_CHECKING:
    from pathlib import Path

    from roundzero.core.finding import Finding

A = RelPath("a.py")


def fixed(root: Path, text: str, *findings: Finding) -> Fixed:
    """Apply the fixes of findings in a.py, reviewed with ``text``."""
    return apply_safe_fixes(root, report(findings, texts={"a.py": text}))


def change(
    line: int, start: int, end: int, old: str, new: str, *, safe: bool = True, identity: str = "rz-1"
) -> Finding:
    """A finding with a fix of one edit."""
    where = span(line, start, end)
    return finding("a.py", where, identity=identity, fixes=(fix("a.py", where, old, new, safe=safe),))


def test_several_fixes_of_a_file_are_applied_at_once(tmp_path: Path) -> None:
    """Edits do not shift each other, whatever their length."""
    (tmp_path / "a.py").write_text("one = 1\ntwo = 2\n")
    done = fixed(
        tmp_path, "one = 1\ntwo = 2\n", change(1, 1, 4, "one", "first"), change(2, 7, 8, "2", "22", identity="b")
    )
    assert done == Fixed(2, (A,), ())
    assert (tmp_path / "a.py").read_text() == "first = 1\ntwo = 22\n"
    assert list(summary(done)) == ["fixed 2 findings in 1 file: a.py"]


def test_encoding_marks_line_ends_and_mode_are_kept(tmp_path: Path) -> None:
    """A byte-order mark, CRLF, a declared encoding and the executable bit survive; new lines get the file's ends."""
    data = "\ufeffx = 1\r\ny = 2\r\n".encode()
    (tmp_path / "a.py").write_bytes(data)
    (tmp_path / "a.py").chmod(0o755)
    fixed(tmp_path, "x = 1\r\ny = 2\r\n", change(1, 1, 6, "x = 1", "x = 1\nz = 3"))
    assert (tmp_path / "a.py").read_bytes() == "\ufeffx = 1\r\nz = 3\r\ny = 2\r\n".encode()
    assert stat.S_IMODE((tmp_path / "a.py").stat().st_mode) == 0o755
    text = "# coding: latin-1\nx = 'é'\n"
    (tmp_path / "a.py").write_bytes(text.encode("latin-1"))
    fixed(tmp_path, text, change(2, 6, 7, "é", "ü"))
    assert (tmp_path / "a.py").read_bytes() == text.replace("é", "ü").encode("latin-1")


def test_only_safe_fixes_of_open_findings_are_applied(tmp_path: Path) -> None:
    """Unsafe fixes and fixes of dismissed findings are left alone."""
    (tmp_path / "a.py").write_text("x = 1\n")
    dismissed = change(1, 1, 2, "x", "y").but(state=State.DISMISSED)
    done = fixed(tmp_path, "x = 1\n", change(1, 1, 2, "x", "y", safe=False), dismissed)
    assert done == Fixed(0, (), (), unsafe=1)
    assert (tmp_path / "a.py").read_text() == "x = 1\n"
    nothing, why = summary(done)
    assert (nothing, why.startswith("1 finding has a fix that may change what the program does")) == (
        "fixed nothing",
        True,
    )
    assert reason(why, "zh") != why


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    """Bytes other than the reviewed ones are never overwritten, and that is said."""
    (tmp_path / "a.py").write_text("x = 2\n")
    done = fixed(tmp_path, "x = 1\n", change(1, 1, 2, "x", "y"))
    assert done == Fixed(0, (), ("a.py changed while it was reviewed",))
    assert (tmp_path / "a.py").read_text() == "x = 2\n"
    assert list(summary(done))[1:] == ["not fixed: a.py changed while it was reviewed"]


def test_overlapping_fixes_wait(tmp_path: Path) -> None:
    """Of two fixes that overlap, or insert at one place, the first is applied."""
    (tmp_path / "a.py").write_text("abc = 1\n")
    done = fixed(tmp_path, "abc = 1\n", change(1, 1, 3, "ab", "x"), change(1, 2, 4, "bc", "y", identity="b"))
    assert (done.findings, done.left) == (1, ("a.py:1: overlaps another fix; run again",))
    assert (tmp_path / "a.py").read_text() == "xc = 1\n"


def test_one_fix_of_several_findings_fixes_all_of_them(tmp_path: Path) -> None:
    """What a fix that was applied does for another finding too is no overlap."""
    (tmp_path / "a.py").write_text("abc = 1\n")
    done = fixed(tmp_path, "abc = 1\n", change(1, 1, 3, "ab", "x"), change(1, 1, 3, "ab", "x", identity="b"))
    assert (done.findings, done.left, done.again) == (2, (), False)
    assert (tmp_path / "a.py").read_text() == "xc = 1\n"


def test_a_fix_that_breaks_the_file_is_not_written(tmp_path: Path) -> None:
    """A Python file that parsed still parses afterwards, or stays as it was."""
    (tmp_path / "a.py").write_text("x = 1\n")
    done = fixed(tmp_path, "x = 1\n", change(1, 1, 2, "x", "x ="))
    assert (done.findings, done.left) == (0, ("a.py: with the fixes it would no longer parse",))
    assert (tmp_path / "a.py").read_text() == "x = 1\n"


def test_fixes_that_do_not_go_together_wait(tmp_path: Path) -> None:
    """Where each line of a block can go but not all of them at once, some are taken, and the rest in another go."""
    text = "if 1:\n    x\n    y\n    z\n"
    (tmp_path / "a.py").write_text(text)
    rows = [change(line, 1, 6, f"    {name}", "", identity=name) for line, name in ((2, "x"), (3, "y"), (4, "z"))]
    done = fixed(tmp_path, text, *rows)
    assert (done.findings, done.again) == (1, True)
    assert done.left == ("a.py: one of the fixes overlaps another fix; run again",)
    assert (tmp_path / "a.py").read_text() == "if 1:\n\n    y\n    z\n"


def test_a_fix_over_several_files_is_whole_or_not_at_all(tmp_path: Path) -> None:
    """When one file of a fix cannot be changed, the other is not either."""
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("x = 1\n")
    edits = tuple(Edit(RelPath(name), span(1, 1, 2), "x", new) for name, new in (("a.py", "y"), ("b.py", "x =")))
    done = apply_safe_fixes(
        tmp_path,
        report([finding(fixes=(Fix("both", True, edits),))], texts={"a.py": "x = 1\n", "b.py": "x = 1\n"}),
    )
    assert done.findings == 0
    assert (tmp_path / "a.py").read_text() == (tmp_path / "b.py").read_text() == "x = 1\n"


def test_links_are_not_written_through(tmp_path: Path) -> None:
    """A file reached through a link, also of a folder above it, is left alone."""
    root, outside = tmp_path / "repo", tmp_path / "outside"
    for folder in (root, outside):
        folder.mkdir()
    (outside / "a.py").write_text("x = 1\n")
    (root / "a.py").symlink_to(outside / "a.py")
    (root / "sub").symlink_to(outside)
    done = fixed(root, "x = 1\n", change(1, 1, 2, "x", "y"))
    assert done.left == ("a.py is reached through a link",)
    through = finding("sub/a.py", fixes=(fix("sub/a.py", span(1, 1, 2), "x", "y"),))
    assert apply_safe_fixes(root, report([through], texts={"sub/a.py": "x = 1\n"})).findings == 0
    assert (outside / "a.py").read_text() == "x = 1\n"


def test_a_folder_that_cannot_be_written_costs_only_its_files(tmp_path: Path) -> None:
    """What has gone from the disk is reported, and nothing is left behind."""
    done = fixed(tmp_path, "x = 1\n", change(1, 1, 2, "x", "y"))
    assert done.left == ("a.py cannot be read (No such file or directory)",)
    assert list(tmp_path.iterdir()) == []


def test_characters_the_encoding_lacks_are_not_written(tmp_path: Path) -> None:
    """A fix that cannot be said in the file's encoding is left out."""
    text = "# coding: latin-1\nx = 'a'\n"
    (tmp_path / "a.py").write_bytes(text.encode("latin-1"))
    done = fixed(tmp_path, text, change(2, 6, 7, "a", "中"))
    assert done.left == ("a.py: the fix has characters its encoding latin-1 lacks",)
