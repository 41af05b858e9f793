"""Quick fixes of checkers: each applies to the text as it is, the result parses, and the finding is gone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from roundzero.core.text import RelPath
from support.checking import checker_examples, run
from support.fixing import applied

if TYPE_CHECKING:
    from support.checking import Checked


FIXED = {
    "build-and-ci": ("argument-shifts", "option-not-known"),
    "dependencies": ("parallel-lists-drift", "select-branch-missing"),
    "general": (
        "broken-relative-link", "deleted-file-still-named", "eof-newline", "internal-address", "missing-path",
        "plain-http", "trailing-space", "unguarded-kernel-grid",
    ),
    "python": (
        "attribute-on-wrong-module", "cleanup-removed",
        "callback-under-lock", "environment-dump",
        "docstring-names-nothing", "enum-switch-drift", "field-not-copied", "guard-removed", "handlers-differ",
        "identical-branches", "identifier-check-gap", "import-side-effect", "missing-from-all", "misspelt-literal",
        "parameter-now-dead", "sibling-outlier", "state-outside-init", "tautological-raise",
        "patch-at-definition", "raises-without-match", "redundant-except", "required-key-relaxed", "set-before-try",
        "test-never-collected", "test-writes-sys-modules", "unresolved-import",
    ),
    "tests": ("constant-skip", "test-env-unrestored", "test-writes-private", "wait-without-timeout"),
}  # fmt: skip
"""The items whose own examples have a quick fix, by checklist."""
ITEMS = sorted({item for item, text in checker_examples() if item in text})


@pytest.mark.parametrize("item", ITEMS)
def test_every_fix_removes_its_finding(item: str) -> None:
    """After a fix the head still parses and the checker no longer sees what it saw; who had a fix still has one."""
    tried = 0
    for text in (text for name, text in checker_examples() if name == item and item in text):
        done = run(text, item)
        for fix in (fix for observation in done.shown for fix in observation.fixes):
            tried += 1
            texts = applied(done.fixture, fix)
            for path, fixed in texts.items():
                if path.endswith(".py"):
                    ast.parse(fixed)
            again = run(_fixture(done, texts), item)
            assert len(again.shown) < len(done.shown)
    pack, _, name = item.partition("/")
    assert (tried > 0) is (name in FIXED.get(pack, ()))


def _fixture(done: Checked, texts: dict[RelPath, str]) -> str:
    """A fixture with the same base and another head, line by line removed and added."""
    parts = []
    for path in sorted({*done.fixture.base, *texts}):
        parts.append(f"//- {path}")
        base, head = done.fixture.base.get(path), texts.get(path)
        for sign, side in (("-", base), ("+", head)):
            if side is not None and base != head:
                parts += [sign + line for line in side.removesuffix("\n").split("\n")]
                parts += [] if side.endswith("\n") else ["\\"]
        if base == head and base is not None:
            parts += [" " + line for line in base.removesuffix("\n").split("\n")]
    return "\n".join(parts) + "\n"


@pytest.mark.parametrize(
    ("item", "text", "new", "safe"),
    [
        ("python/redundant-except", "//- a.py\n+try: f()\n+except (OSError, IOError): pass\n", "OSError", True),
        (
            "python/redundant-except",
            "//- a.py\n+try: f()\n+except (A, KeyError, LookupError): pass\n",
            "(A, LookupError)",
            True,
        ),
        ("general/plain-http", '//- a.py\n+U = "http://get.acme-tools.io"\n', "https", False),
        ("python/required-key-relaxed", '//- a.py\n-x = d["k"]\n+x = d.get("k", 1)\n', 'd["k"]', False),
        ("python/guard-removed", "//- a.py\n def f(a):\n-    assert a\n     return a\n", "    assert a\n", False),
        (
            "python/test-writes-sys-modules",
            "//- tests/test_a.py\n def test_a(monkeypatch):\n+    sys.modules['b'] = 1\n     assert a()\n",
            "monkeypatch.setitem(sys.modules, 'b', 1)",
            True,
        ),
        (
            "python/identical-branches",
            "//- a.py\n def f(a):\n+    if a:\n+        g()\n+        h()\n+    else:\n+        g()\n+        h()\n",
            "g()\n    h()",
            False,
        ),
        (
            "python/import-side-effect",
            "//- a.py\n import os\n def f():\n     os.mkdir('a')\n\n+f()\n",
            'if __name__ == "__main__":\n    f()',
            False,
        ),
    ],
)
def test_what_a_fix_writes(item: str, text: str, new: str, safe: bool) -> None:
    """The first edit's text, and whether it is offered as safe."""
    done = run(text, item)
    assert len(done.shown) == 1
    (fix,) = done.shown[0].fixes
    assert (fix.edits[0].new_text, fix.safe) == (new, safe)


def test_a_plain_test_function_is_given_the_fixture_it_needs() -> None:
    """Without monkeypatch the fix asks for it first, which is safe where nobody calls the test by name."""
    text = "//- tests/test_a.py\n import sys\n def test_a():\n+    sys.modules['b'] = 1\n     assert a()\n"
    done = run(text, "python/test-writes-sys-modules")
    (fix,) = done.shown[0].fixes
    assert fix.safe is True
    wanted = "import sys\ndef test_a(monkeypatch):\n    monkeypatch.setitem(sys.modules, 'b', 1)\n    assert a()\n"
    assert applied(done.fixture, fix)[RelPath("tests/test_a.py")] == wanted


def test_no_fix_where_a_comment_would_be_lost() -> None:
    """A tuple with a comment inside is reported and left to the person."""
    done = run("//- a.py\n+try: f()\n+except (OSError,  # why\n+        IOError): pass\n", "python/redundant-except")
    assert len(done.shown) == 1
    assert done.shown[0].fixes == ()


def test_trailing_space_is_told_once_for_a_file_and_removed_from_all_its_lines() -> None:
    """A file that was written without the hook has it on every other line."""
    config = "//- .editorconfig\n [*]\n trim_trailing_whitespace = true\n"
    (seen,) = run(config + "//- a.py\n+x = 1 \n+y = 1\n+z = 1\t\n", "general/trailing-space").shown
    assert seen.title.endswith(": (2)")
    assert [(edit.span.start.line, edit.old_text) for edit in seen.fixes[0].edits] == [(1, " "), (3, "\t")]


def test_trailing_space_in_a_file_with_long_strings_is_not_safe_to_remove() -> None:
    """A blank at a line's end may be text."""
    config = "//- .editorconfig\n [*]\n trim_trailing_whitespace = true\n"
    plain = run(config + "//- a.py\n+x = 1 \n", "general/trailing-space")
    text = run(config + '//- a.py\n+"""a \n+b"""\n', "general/trailing-space")
    assert [fix.safe for seen in plain.shown for fix in seen.fixes] == [True]
    assert [fix.safe for seen in text.shown for fix in seen.fixes] == [False]
