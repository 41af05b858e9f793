"""Names that the change moved to another module, and uses on old lines that ask the old one."""

from __future__ import annotations

import pytest

from support.checking import run

ATTRIBUTE = "python/attribute-on-wrong-module"
MOVED = (
    "//- app/__init__.py\n NAME = 1\n"
    "//- app/files.py\n-def folder(path):\n-    return path\n def size(path): pass\n"
    "//- app/folders.py\n+def folder(path):\n+    return path\n"
)


@pytest.mark.parametrize(
    ("text", "edits"),
    [
        (
            " from app import files\n def f():\n     return files.folder(1)\n",
            [("files", "files, folders"), ("files.folder", "folders.folder")],
        ),
        (
            " from app import files, folders\n def f():\n     return files.folder(1), folders\n",
            [("files.folder", "folders.folder")],
        ),
        (" import app.files\n def f():\n     return app.files.folder(1)\n", []),
        (" from app import files as f\n def g():\n     return f.folder(1)\n", []),
    ],
)
def test_a_use_that_stayed_asks_the_old_module(text: str, edits: list[tuple[str, str]]) -> None:
    """The finding hangs on what moved; the fix imports the new module beside the old one where that is plain."""
    (seen,) = run(f"{MOVED}//- app/main.py\n{text}", ATTRIBUTE).shown
    assert [(edit.old_text, edit.new_text) for fix in seen.fixes for edit in fix.edits] == edits
    assert seen.cause is not None
    assert seen.cause.path == "app/files.py"


@pytest.mark.parametrize(
    "text",
    [
        " from app import files\n def f(files):\n     return files.folder(1)\n",
        " from app import files\n try:\n     files.folder(1)\n except AttributeError:\n     pass\n",
        " from other import files\n files.folder(1)\n",
        " from app import files\n files.size(1)\n",
    ],
)
def test_another_object_and_a_guard_are_left_alone(text: str) -> None:
    """Only what meant the moved name before is behind."""
    assert run(f"{MOVED}//- app/main.py\n{text}", ATTRIBUTE).shown == ()


def test_a_name_that_moved_nowhere_is_not_in_another_module() -> None:
    """It is only gone."""
    text = MOVED.replace("+def folder", "+def other")
    assert run(f"{text}//- app/main.py\n from app import files\n files.folder(1)\n", ATTRIBUTE).shown == ()
