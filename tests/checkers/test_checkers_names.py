"""Checkers of names: those documentation speaks of, and those that two functions share."""

from __future__ import annotations

import pytest

from support.checking import run

NOTHING = "python/docstring-names-nothing"
CLASH = "python/name-clash-signature"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Calls ``load_order`` first.", "load_order"),
        ("Calls :func:`load_order` first.", "load_order"),
        ("Calls load_order(path) first.", "load_order"),
        ("Makes a `LoadOrder`.", "LoadOrder"),
    ],
)
def test_code_that_is_nowhere_is_found(line: str, name: str) -> None:
    """In backticks or as a call, with an underscore or mixed case."""
    (seen,) = run(f'//- app/a.py\n def f():\n+    """{line}"""\n     return 1\n', NOTHING).shown
    assert seen.title.endswith(f"`{name}`")


@pytest.mark.parametrize(
    "line",
    [
        "Calls ``load`` first.",
        "Calls load_order first.",
        "Calls ``shop.load_order`` first.",
        "Reads the option ``load_order``.",
        "Reads ``LOAD_ORDER`` from the environment.",
        "Calls ``known_order``.",
        "Calls ``my_order`` and ``FooOrder``.",
        "Says ``isinstance`` and `__init__` and ``known-file``.",
        ">>> load_order(1)",
    ],
)
def test_what_may_live_elsewhere_is_left_alone(line: str) -> None:
    """Plain words, dotted names, options, placeholders and whatever occurs in any file are silent."""
    text = (
        f'//- app/a.py\n def f():\n+    """{line}"""\n     return 1\n//- docs/b.md\n See known_order and known-file.\n'
    )
    assert run(text, NOTHING).shown == ()


def test_a_name_that_exists_nearly_is_offered() -> None:
    """The nearest name of the file is the fix."""
    text = '//- app/a.py\n def load_orders():\n+    """Whatever ``load_ordres`` means."""\n     return 1\n'
    (seen,) = run(text, NOTHING).shown
    assert [edit.new_text for fix in seen.fixes for edit in fix.edits] == ["load_orders"]


TEXT = "//- app/__init__.py\n # app\n//- app/text.py\n def shorten(text):\n     return text\n"
PATHS = "//- app/paths.py\n+def shorten(path, root, depth):\n+    return path\n"
BOTH = "//- app/show.py\n from app.text import shorten\n+from app import paths\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (TEXT + PATHS + BOTH, True),
        (TEXT + PATHS, False),
        (TEXT.replace("(text)", "(text, *more)") + PATHS + BOTH, False),
        (TEXT + PATHS.replace(", root, depth", ", root=None") + BOTH, False),
        (TEXT.replace(" def", " @hook\n def") + PATHS + BOTH, False),
        (TEXT.replace("shorten", "main") + PATHS.replace("shorten", "main") + BOTH, False),
        (TEXT + PATHS.replace("+", " ") + BOTH, False),
        (TEXT + PATHS.replace("+def", "-x = 1\n+def") + BOTH, True),
        (TEXT + PATHS.replace("+def", "-x = (\n+def") + BOTH, False),
        (
            TEXT
            + PATHS.replace("+", " ")
            + "//- app/show.py\n from app.text import shorten\n+from app.paths import shorten\n",
            True,
        ),
    ],
)
def test_a_clash_needs_both_in_reach_and_no_call_that_suits_both(text: str, found: bool) -> None:
    """Only what is new clashes, as a definition or as an import."""
    assert bool(run(text, CLASH).shown) is found


def test_of_comments_only_documentation_is_read() -> None:
    """A remark may speak of anything; ``#:`` documents a name."""
    text = "//- app/a.py\n+# Deliberately no ``load_order`` here.\n+#: See ``load_orders``.\n x = 1\n"
    (seen,) = run(text, NOTHING).shown
    assert seen.title.endswith("`load_orders`")
