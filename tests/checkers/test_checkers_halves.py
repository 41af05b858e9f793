"""Checks that ask half of a question: identifiers that may be keywords, expectations that anything satisfies."""

# ruff: noqa: E501  a fixture on one line is easier to compare with its neighbours

from __future__ import annotations

import ast

import pytest

from roundzero.core.text import LineIndex
from support.checking import run

IDENTIFIER = "python/identifier-check-gap"
RAISE = "python/tautological-raise"


@pytest.mark.parametrize(
    "text",
    [
        "//- a.py\n+from keyword import iskeyword\n+OK = x.isidentifier() and not iskeyword(x)\n",
        "//- a.py\n+import keyword\n+OK = x.isidentifier() and x not in keyword.kwlist\n",
        "//- a.py\n+OK = 'abc'.isidentifier()\n",
        "//- a.py\n+OK = isidentifier(x)\n",
        "//- a.py\n OK = x.isidentifier()\n+y = 1\n",
        "//- tests/test_a.py\n+OK = x.isidentifier()\n",
        "//- a.py\n+def isidentifier(x):\n+    return x.isidentifier()\n",
    ],
    ids=["both", "list", "constant", "own function", "old", "test", "handed on"],
)
def test_an_identifier_check_that_is_whole_or_old_is_left_alone(text: str) -> None:
    """Whoever asks for keywords too, anywhere in the file, knows of them."""
    assert run(text, IDENTIFIER).shown == ()


@pytest.mark.parametrize(
    ("head", "fixed"),
    [
        (
            '"""Names."""\nfrom __future__ import annotations\n\nimport re\n\nOK = not x.y.isidentifier()\n',
            '"""Names."""\nfrom __future__ import annotations\n\nimport keyword\nimport re\n\nOK = not (x.y.isidentifier() and not keyword.iskeyword(x.y))\n',
        ),
        (
            "import keyword\nOK = x.isidentifier()\n",
            "import keyword\nOK = (x.isidentifier() and not keyword.iskeyword(x))\n",
        ),
        ("import re\nOK = f().isidentifier()\n", ""),
        ("import re\ndef f(x, keyword):\n    return x.isidentifier() and keyword\n", ""),
        (
            "OK = x.isidentifier()\n",
            "import keyword\n\n\nOK = (x.isidentifier() and not keyword.iskeyword(x))\n",
        ),
        (
            "if x.isidentifier(): pass\n",
            "import keyword\n\n\nif (x.isidentifier() and not keyword.iskeyword(x)): pass\n",
        ),
    ],
    ids=["new import", "imported", "call", "other meaning", "first import", "first of all"],
)
def test_the_fix_asks_for_keywords_as_well(head: str, fixed: str) -> None:
    """It imports what it needs, and is not offered where the expression would run twice or the name is taken."""
    added = "".join(f"+{line}\n" for line in head.removesuffix("\n").split("\n"))
    (seen,) = run(f"//- a.py\n{added}", IDENTIFIER).shown
    if not fixed:
        assert seen.fixes == ()
        return
    (fix,) = seen.fixes
    text, index = head, LineIndex(head)
    for edit in sorted(fix.edits, key=lambda row: index.offset(row.span.start), reverse=True):
        text = text[: index.offset(edit.span.start)] + edit.new_text + text[index.offset(edit.span.end) :]
    assert fix.safe
    assert text == fixed
    ast.parse(text)


@pytest.mark.parametrize(
    "body",
    [
        "with pytest.raises(SystemExit):\n    main([])",
        "with self.assertRaises(Exception):\n    main([])",
        "self.assertRaises(BaseException, main, [])",
        "assert main([1])\nwith pytest.raises(Exception):\n    main([])",
        "with patch('a.b'), pytest.raises(Exception):\n    main([])",
    ],
    ids=["exit", "unittest", "callable", "asserts before", "among others"],
)
def test_an_expectation_of_anything_is_found(body: str) -> None:
    """As a context or with a callable; what is asserted before says nothing of the failure."""
    lines = "".join(f"+    {line}\n" for line in body.split("\n"))
    assert len(run(f"//- tests/test_a.py\n+def test_a(self):\n{lines}", RAISE).shown) == 1


@pytest.mark.parametrize(
    "body",
    [
        "with pytest.raises(ValueError):\n    main([])",
        "with pytest.raises(Exception, match='no'):\n    main([])",
        "with pytest.raises(SystemExit) as caught:\n    main([])",
        "with pytest.raises(SystemExit):\n    main([])\nassert capsys.readouterr().err",
        "with pytest.raises(SystemExit):\n    main([])\nprinter.assert_called_once()",
        "with pytest.raises(SystemExit):\n    main([])\nresult.stdout.fnmatch_lines(['x'])",
        "self.assertRaisesRegex(Exception, 'no', main, [])",
        "load.side_effect = Exception\nwith pytest.raises(Exception):\n    main([])",
        "def bad():\n    raise Exception\nwith pytest.raises(Exception):\n    main(bad)",
    ],
    ids=["type", "message", "caught", "output", "mock", "lines", "regex", "injected", "own"],
)
def test_an_expectation_that_asks_more_is_left_alone(body: str) -> None:
    """A narrow type, a message, what was caught, an assertion afterwards, or an error of the test's own making."""
    lines = "".join(f"+    {line}\n" for line in body.split("\n"))
    assert run(f"//- tests/test_a.py\n+def test_a(self):\n{lines}", RAISE).shown == ()


def test_a_helper_or_a_program_may_expect_anything() -> None:
    """Only tests are looked at, not what they share and not code that happens to use the words."""
    body = "+    with pytest.raises(Exception):\n+        main([])\n"
    assert run(f"//- tests/test_a.py\n+def fails():\n{body}//- app/a.py\n+def test_it():\n{body}", RAISE).shown == ()
