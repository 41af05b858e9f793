"""Statements near some words: all that a walk over everything would find of them, in any text."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from roundzero.checkers._python import near, parse
from roundzero.core.change import Source, blob_id
from roundzero.core.text import RelPath

TEXT = """\
@value(lambda value: value)
def f(a, b=(value := 1)):
    x = f'''{
        value}'''
    with a as value: pass
    return [value for value in b if (
        a)]\r
class C(value): pass\rvalue = 1
\f
if a:
    import value.b as value, c
"""
OWN = sorted((Path(__file__).parents[2] / "server" / "roundzero" / "checkers").glob("*.py"))[::8]


@pytest.mark.parametrize("text", [TEXT, *(path.read_text("utf-8") for path in OWN)], ids=str.__len__)
@pytest.mark.parametrize("word", ["value", "node", "a", "Hit"])
def test_nothing_that_bears_a_word_is_left_out(text: str, word: str) -> None:
    """Names, arguments, imports and definitions."""
    parsed = parse(Source(RelPath("a.py"), text, blob_id(text.encode())))
    there = {id(node) for node in near(parsed, {word})}
    missed = [ast.dump(node) for node in ast.walk(parsed.tree) if _bears(node, word) and id(node) not in there]
    assert not missed


@pytest.mark.parametrize("written", ["\u00b5", "\ufb01le", "\u0915\u093f", "e\u0301t\u00e9"])
def test_names_are_found_however_they_are_written(written: str) -> None:
    """The parser normalises them; the text has them as somebody typed them, with marks that are no letters."""
    parsed = parse(Source(RelPath("a.py"), f"x = '\u2028\ufdfa'\nif x:\n    y = {written} + 1\n", "0"))
    (name,) = {node.id for node in ast.walk(parsed.tree) if isinstance(node, ast.Name)} - {"x", "y"}
    assert name in {node.id for node in near(parsed, {name}) if isinstance(node, ast.Name)}


def test_other_statements_are_not_looked_at() -> None:
    """Nor what is in them."""
    text = "def f():\n    return value\n\ndef g():\n    return other\n"
    parsed = parse(Source(RelPath("a.py"), text, blob_id(text.encode())))
    assert [node.name for node in near(parsed, {"value"}) if isinstance(node, ast.FunctionDef)] == ["f"]


def _bears(node: ast.AST, word: str) -> bool:
    if isinstance(node, ast.alias):
        return word in {node.asname, node.name.split(".")[0]}
    return word in {getattr(node, name, None) for name in ("id", "name", "arg", "attr")}
