"""What went and is still named outside of Python's own imports: in project files, commands, settings and lists."""

from __future__ import annotations

import pytest

from support.checking import run

SYMBOL = "python/removed-symbol-still-used"
GONE = "general/deleted-file-still-named"
CLI = "//- src/app/__init__.py\n NAME = 1\n//- src/app/cli.py\n-def serve(argv):\n-    return 1\n def stay(): pass\n"


@pytest.mark.parametrize(
    ("naming", "line", "marked"),
    [
        ("pyproject.toml", 'app = "app.cli:serve"', "`app.cli:serve`"),
        ("run.sh", "gunicorn app.cli:serve", "`app.cli:serve`"),
        ("conf/settings.py", 'HANDLERS = ["app.cli.serve"]', "`app.cli.serve`"),
        ("deploy.yaml", "command: src.app.cli:serve", "`src.app.cli:serve`"),
    ],
)
def test_a_definition_that_went_is_still_named_by_its_module(naming: str, line: str, marked: str) -> None:
    """An entry point, a command and a dotted string are imported when they are needed."""
    (seen,) = run(f"{CLI}//- {naming}\n {line}\n", SYMBOL).shown
    assert (seen.path, seen.title.rpartition(": ")[2]) == (naming, marked)


@pytest.mark.parametrize(
    ("naming", "line"),
    [
        ("pyproject.toml", 'app = "app.cli:stay"'),
        ("pyproject.toml", '# app = "app.cli:serve"'),
        ("pyproject.toml", 'app = "other.cli:serve"'),
        ("pyproject.toml", 'app = "app.cli:serve_all"'),
        ("notes.txt", "app.cli:serve"),
        ("docs/conf.py", 'nitpick_ignore = [("py:func", "app.cli.serve")]'),
        ("conf/settings.py", 'TEXT = "see app.cli.serve for more"'),
    ],
)
def test_another_name_a_comment_and_prose_are_left_alone(naming: str, line: str) -> None:
    """Only a whole reference counts, in a file that programs read."""
    assert run(f"{CLI}//- {naming}\n {line}\n", SYMBOL).shown == ()


def test_a_name_that_its_module_imports_now_is_still_there() -> None:
    """The definition moved, and its old home passes it on."""
    moved = "//- app/impl.py\n+def serve(argv):\n+    return 1\n"
    old = "//- app/cli.py\n-def serve(argv):\n-    return 1\n+from app.impl import serve\n"
    project = '//- pyproject.toml\n app = "app.cli:serve"\n'
    assert run(f"//- app/__init__.py\n NAME = 1\n{moved}{old}{project}", SYMBOL).shown == ()


@pytest.mark.parametrize(
    ("naming", "lines"),
    [
        ("Makefile", " app/old.py: app/new.py\n \tcp $< $@\n all:\n \tpython app/old.py\n"),
        ("run.sh", " if [ -f app/old.py ]; then\n   python app/old.py\n fi\n"),
        ("CMakeLists.txt", " if(EXISTS app/old.py)\n   install(FILES app/old.py)\n endif()\n"),
        ("CMakeLists.txt", " set(MADE\n   ${CMAKE_CURRENT_BINARY_DIR}/app/old.py\n )\n"),
        ("CMakeLists.txt", " add_custom_command(\n   OUTPUT\n     app/old.py\n   COMMAND make_it\n )\n"),
        ("Makefile", " all:\n \tpython $(OUT_DIR)/app/old.py\n"),
        ("app/BUILD", ' made(\n     outs = [\n         "old.py",\n     ],\n )\n'),
    ],
)
def test_a_file_that_the_naming_one_makes_or_asks_for_may_be_gone(naming: str, lines: str) -> None:
    """A rule for it, a test for it and a build that makes it provide for a repository without it."""
    assert run(f"//- app/old.py\n-x = 1\n//- app/new.py\n y = 1\n//- {naming}\n{lines}", GONE).shown == ()


@pytest.mark.parametrize(
    ("naming", "lines", "left"),
    [
        ("app/BUILD", ' srcs = ["a.py", "old.py"],\n', 'srcs = ["a.py"],\n'),
        ("app/BUILD", ' srcs = ["old.py", "a.py"],\n', 'srcs = ["a.py"],\n'),
        ("app/BUILD", ' srcs = [\n     "old.py",\n     "a.py",\n ],\n', 'srcs = [\n    "a.py",\n],\n'),
        ("app/CMakeLists.txt", " add_library(a\n   old.py\n   a.py)\n", "add_library(a\n  a.py)\n"),
        ("MANIFEST.in", " include app/old.py\n include app/a.py\n", "include app/a.py\n"),
        ("Makefile", " all:\n \tpython app/old.py\n", None),
        ("app/BUILD", ' main = "old.py",\n', None),
        ("package.json", ' {"files": ["a", "app/old.py"]}\n', None),
    ],
)
def test_an_entry_of_a_list_is_left_out_and_nothing_else(naming: str, lines: str, left: str | None) -> None:
    """What hangs on its place, and a list that may end in no comma, keep their words."""
    done = run(f"//- app/old.py\n-x = 1\n//- app/a.py\n y = 1\n//- {naming}\n{lines}", GONE)
    (seen,) = done.shown
    text = "".join(line[1:] for line in lines.splitlines(keepends=True))
    if left is None:
        assert seen.fixes == ()
    else:
        (edit,) = seen.fixes[0].edits
        rows = text.splitlines(keepends=True)
        before = (
            "".join(rows[: edit.span.start.line - 1]) + rows[edit.span.start.line - 1][: edit.span.start.column - 1]
        )
        assert text.startswith(before + edit.old_text)
        assert before + text[len(before) + len(edit.old_text) :] == left


@pytest.mark.parametrize(
    ("line", "found"), [("add_subdirectory(native)", 1), ("add_subdirectory(kept)", 0), ("set(native 1)", 0)]
)
def test_a_folder_that_went_is_still_added_to_the_build(line: str, found: int) -> None:
    """By its bare name, which means a folder only there."""
    text = (
        f"//- native/CMakeLists.txt\n-add_library(n n.cc)\n//- kept/CMakeLists.txt\n x()\n//- CMakeLists.txt\n {line}\n"
    )
    assert len(run(text, GONE).shown) == found
