"""Expressions that are compiled late: all of ours are right, none is compiled by importing, and they work as any."""

from __future__ import annotations

import ast
import copy
import pickle
import pkgutil
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import roundzero
from roundzero.core.regex import linear, regex

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(roundzero.__file__).parent
MODULES = [each.name for each in pkgutil.walk_packages([str(ROOT)], "roundzero.") if "__main__" not in each.name]
COMPILE_ALL = """
import importlib, re, sys
from roundzero.core import regex
regex.regex = re.compile
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def test_it_does_what_a_compiled_one_does() -> None:
    """The first time and later."""
    late, early = regex("a(?P<b>.)", re.IGNORECASE), re.compile("a(?P<b>.)", re.IGNORECASE)
    for _ in range(2):
        match = late.search("xABy")
        assert match is not None
        assert match["b"] == "B"
        assert late.sub("-", "xABy") == early.sub("-", "xABy") == "x-y"
        assert late.pattern == early.pattern
        assert (late.flags, late.groups, late.groupindex) == (early.flags, early.groups, early.groupindex)


def test_it_reads_bytes() -> None:
    """Where the expression is bytes."""
    assert regex(b"a.").findall(b"abacx") == [b"ab", b"ac"]


def test_a_wrong_one_says_so_when_it_is_used() -> None:
    """As re.compile does when it is made."""
    late = regex("(")
    with pytest.raises(re.error, match="unterminated subpattern"):
        late.search("x")


@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda late: pickle.loads(pickle.dumps(late))],  # noqa: S301  our own
    ids=["copy", "deep", "pickle"],
)
def test_it_can_be_copied_and_sent(again: Callable[[re.Pattern[str]], re.Pattern[str]]) -> None:
    """Before it was used and after; what comes of it is equal, as with a compiled one."""
    late = regex("(?P<letter>a)", re.IGNORECASE)
    for _ in range(2):
        other = again(late)
        assert other == late
        assert hash(other) == hash(late)
        assert other.match("A")
        assert late.match("A")
    assert late not in {regex("b", re.IGNORECASE), regex("(?P<letter>a)"), re.compile("a")}


def test_a_strangers_pattern_takes_no_longer_than_its_text() -> None:
    """Python's own engine would try every way to divide the letters."""
    pattern = linear("(a+)+(?P<end>b)")
    assert pattern.search("a" * 10_000) is None
    match = pattern.search("aab")
    assert match is not None
    assert match.span(pattern.groupindex["end"]) == (2, 3)


@pytest.mark.parametrize(("wrong", "said"), [("(", "missing )"), (r"(a)\1", "invalid escape")])
def test_what_linear_time_does_not_allow_is_refused_in_words(wrong: str, said: str) -> None:
    """Also what Python would take."""
    with pytest.raises(ValueError, match=re.escape(said)):
        linear(wrong)


def test_threads_may_use_it_for_the_first_time_at_once() -> None:
    """Each gets its answer, whoever compiles it."""
    for number in range(50):
        late, start = regex(f"a(?P<b>[0-9]+){number}"), threading.Barrier(8)

        def use(late: re.Pattern[str] = late, start: threading.Barrier = start, number: int = number) -> bool:
            start.wait()
            return late.fullmatch(f"a5{number}") is not None and late.groups == 1

        with ThreadPoolExecutor(8) as threads:
            assert all(each.result() for each in [threads.submit(use) for _ in range(8)])


def test_all_of_ours_compile() -> None:
    """Nobody meets a wrong one."""
    subprocess.run([sys.executable, "-c", COMPILE_ALL, *MODULES], check=True)


def test_importing_compiles_none() -> None:
    """It would cost every run."""
    early = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in ROOT.rglob("*.py")
        for call in _at_import(ast.parse(path.read_text(encoding="utf-8")))
        if ast.unparse(call.func) == "re.compile"
    ]
    assert not early, "use roundzero.core.regex for constants of a module"


def _at_import(tree: ast.AST) -> list[ast.Call]:
    """Calls that importing a module makes."""
    if isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return []
    found = [tree] if isinstance(tree, ast.Call) else []
    return [*found, *(call for child in ast.iter_child_nodes(tree) for call in _at_import(child))]
