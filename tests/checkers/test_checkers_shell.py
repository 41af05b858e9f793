"""What is read of a shell text: commands, what joins them, and where they stand."""

from __future__ import annotations

import pytest

from roundzero.checkers._shell import parse_shell
from roundzero.checkers._shell_words import MOST_DEEP


def _said(text: str) -> list[tuple[str, str]]:
    return [(" ".join(word.text for word in each.words), each.after) for each in parse_shell(text).commands]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("a b\nc", [("a b", "\n"), ("c", "\n")]),
        ("a && b || c; d & e | f\n", [("a", "&&"), ("b", "||"), ("c", ";"), ("d", "&"), ("e", "|"), ("f", "\n")]),
        ("a \\\n  b # c\nd", [("a b", "\n"), ("d", "\n")]),
        ("a 'x; y' \"$(b; c)\" d#e", [("a 'x; y' \"$(b; c)\" d#e", "\n")]),
        ("a > out 2>&1 < in b\n", [("a b", "\n")]),
        ("X=1 Y=$(a b) c d\n", [("c d", "\n")]),
        ("cat <<'E'\nrm; x\nE\nb", [("cat", "\n"), ("b", "\n")]),
        ("cat <<-E > f\n\trm\n\tE\nb", [("cat", "\n"), ("b", "\n")]),
        ("case $x in\n a|b) c ;;\n *) d ;;\nesac\ne", [("c", ";"), ("d", ";"), ("e", "\n")]),
        ("for x in a b; do c $x; done\nd", [("c $x", ";"), ("d", "\n")]),
        ("((a < b)) && c\nd", [("c", "\n"), ("d", "\n")]),
        ('a ${x:-"b; c"} ${{ github.ref }}\nd', [('a ${x:-"b; c"} ${{ github.ref }}', "\n"), ("d", "\n")]),
        ("a $'x\\'; y' <(b c) d\ne", [("a $'x\\'; y' d", "\n"), ("e", "\n")]),
        ("a=(b c\n d)\ne", [("", "\n"), ("e", "\n")]),
        ("a &> log\nb &>> log c", [("a", "\n"), ("b c", "\n")]),
    ],
)
def test_a_text_is_read_as_its_commands(text: str, commands: list[tuple[str, str]]) -> None:
    """Quotes, substitutions, here-documents, patterns and redirections hide nothing and add nothing."""
    assert _said(text) == commands


def test_a_command_knows_its_function_and_its_depth() -> None:
    """Compound commands are counted within the function they stand in."""
    shell = parse_shell("f() {\n if a; then\n  b\n fi\n c\n}\nfunction g {\n d\n}\n( e )\nf\n")
    assert shell.functions == {"f", "g"}
    placed = [(each.name, each.function, each.depth) for each in shell.commands]
    assert placed == [("a", "f", 1), ("b", "f", 1), ("c", "f", 0), ("d", "g", 0), ("e", "", 1), ("f", "", 0)]
    assert shell.ends_in_command


def test_a_command_knows_what_it_gives_a_value() -> None:
    """Before its name, or as the arguments of a declaration; what looks so elsewhere is an argument."""
    shell = parse_shell("A=1 B+=2 c D=3\nlocal e=$(f) g\nmake h=i\nJ[1]=k\n")
    settings = [[(name, value) for name, value, _ in each.settings] for each in shell.commands]
    assert settings == [[("A", "1"), ("B", "2")], [("e", "$(f)")], [], [("J", "k")]]


def test_a_command_whose_status_decides_is_tested() -> None:
    """What stands in a condition, or behind an exclamation mark, is looked at."""
    shell = parse_shell("if a && b; then c; elif d; then e; fi\nwhile f; do g; done\n! h\ni\n")
    assert [each.name for each in shell.commands if each.tested] == ["a", "b", "d", "f", "h"]
    assert not parse_shell("a\nif b; then c; fi\n").ends_in_command


@pytest.mark.parametrize(
    ("text", "stops"),
    [
        ("set -e\na", True),
        ("#!/bin/bash\nset -euo pipefail\na", True),
        ("set -o errexit\na", True),
        ("#!/bin/sh -e\na", True),
        ("set -o pipefail\nset -x\na", False),
        ("#!/usr/bin/env bash\na", False),
    ],
)
def test_a_script_says_whether_a_failure_stops_it(text: str, *, stops: bool) -> None:
    """By ``set`` anywhere, or in its first line."""
    assert parse_shell(text).stops_on_failure() is stops


@pytest.mark.parametrize("text", ["a 'b", 'a "b $(c', "case x in", "f() {", "a <<E", "${", ")", "esac done fi }", "\\"])
def test_a_text_that_ends_too_early_is_read_to_its_end(text: str) -> None:
    """What is cut off costs nothing but itself, and no offset lies outside of the text."""
    assert all(each.end <= len(text) for each in parse_shell(text).commands)


@pytest.mark.parametrize("part", ["$(", '"$(', "${a:-", "( ", "((", "( a; ", "${{ x\n", "if a; then "])
def test_what_lies_deeper_than_anybody_writes_is_passed_over(part: str) -> None:
    """Neither the depth of the calls nor the time grows with it."""
    commands = parse_shell("a\n" + part * 100_000).commands
    assert commands[0].name == "a"
    assert len(commands) <= 2 * MOST_DEEP
