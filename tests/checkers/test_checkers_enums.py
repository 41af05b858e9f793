"""Places that list the members of an enumeration: in TypeScript, and where a case was taken out."""

from __future__ import annotations

import ast

import pytest

from support.checking import run

DRIFT = "python/enum-switch-drift"
KIND = "//- web/kind.ts\n export enum Kind {\n   Read,\n   Write = 3,\n+  Trim,\n }\n"


def titles(text: str) -> list[str]:
    """What the titles name."""
    return [seen.title.rpartition(": ")[2] for seen in run(text, DRIFT).shown]


@pytest.mark.parametrize(
    ("cases", "found"),
    [
        ("case Kind.Read: return 1;\n case Kind.Write: return 2;", True),
        ("case Kind.Read:\n case Kind.Write: return 2;\n default: throw new Error();", True),
        ("case Kind.Read:\n case Kind.Write: return 2;\n default: assertNever(kind);", True),
        ("case Kind.Read:\n case Kind.Write: return 2;\n default: return 3;", False),
        ("case Kind.Read: return 1;", False),
        ("case Read: return 1;\n case Write: return 2;", False),
        ("case Kind.Read:\n case Kind.Write:\n case Kind.Trim: return 1;", False),
    ],
)
def test_a_switch_of_typescript_follows_its_enumeration(cases: str, found: bool) -> None:
    """Members are named with their enumeration; a default that serves others serves the new one."""
    text = f"{KIND}//- web/name.ts\n export function f(kind: Kind) {{\n switch (kind) {{\n {cases}\n }}\n }}\n"
    assert titles(text) == (["`Kind.Trim`"] if found else [])


def test_an_enumeration_of_another_language_is_another_one() -> None:
    """A switch in C++ does not follow an enumeration of TypeScript."""
    cases = " case Kind::Read: return 1;\n case Kind::Write: return 2;\n"
    cpp = f"//- src/a.cc\n int f(Kind kind) {{\n switch (kind) {{\n{cases} }}\n }}\n"
    assert titles(KIND + cpp) == []


STATE = "//- app/__init__.py\n NAME = 1\n//- app/state.py\n from enum import Enum\n class State(Enum):\n"
CASES = ["NEW", "BUSY", "FAILED", "DONE"]


@pytest.mark.parametrize(
    ("members", "rest", "found"),
    [
        ([*CASES, "LATE"], "", ["`State.DONE, State.LATE`"]),
        (CASES, "", ["`State.DONE`"]),
        (CASES, "         case _: return 0\n", []),
        (CASES[:-1], "", []),
        ([*CASES, "LATE", "LOST"], "", []),
    ],
)
def test_a_case_that_was_taken_out_is_missed(members: list[str], rest: str, found: list[str]) -> None:
    """Unless the member went too, the others are served, or the place left out more anyway."""
    enum = STATE + "".join(f"     {name} = {at}\n" for at, name in enumerate(members))
    kept = "".join(f"         case State.{name}: return 1\n" for name in CASES[:-1])
    gone = "-        case State.DONE: return 2\n"
    show = "//- app/show.py\n from app.state import State\n def show(state):\n     match state:\n"
    assert titles(enum + show + kept + gone + rest) == found


SHOW = "//- app/show.py\n from app.state import State\n def show(state):\n"


MATCH = """\
     match state:
         case State.NEW:
             return 1
         case State.BUSY | State.OLD:
             return 2
         case _:
             raise ValueError
"""
CHAIN = """\
     if state is State.NEW:
         return 1
     elif state in {State.OLD}:
         return 3
     elif state is State.BUSY:
         return 2
"""
SHORT = """\
     match state:
         case State.NEW: return 1
         case State.OLD: return 3
         case State.BUSY: return 2
"""


@pytest.mark.parametrize(
    ("body", "branch"),
    [
        (MATCH, "\n        case State.LATE:\n            raise NotImplementedError"),
        (CHAIN, "\n    elif state is State.LATE:\n        raise NotImplementedError"),
        (SHORT, "\n        case State.LATE: raise NotImplementedError"),
        ("     return {State.NEW: 1, State.OLD: 3, State.BUSY: 2}[state]\n", None),
    ],
)
def test_a_branch_that_refuses_the_new_member_is_offered(body: str, branch: str | None) -> None:
    """Behind the last one, written like it; a table has no place for one."""
    enum = STATE + "     NEW = 1\n     OLD = 2\n     BUSY = 3\n+    LATE = 4\n"
    (seen,) = run(f"{enum}{SHOW}{body}", DRIFT).shown
    assert [edit.new_text for fix in seen.fixes for edit in fix.edits] == ([branch] if branch is not None else [])
    text = "".join(line[1:] for line in f"{SHOW}{body}".splitlines(keepends=True)[1:])
    for edit in (edit for fix in seen.fixes for edit in fix.edits):
        rows = text.split("\n")
        row = rows[edit.span.start.line - 1]
        rows[edit.span.start.line - 1] = (
            row[: edit.span.start.column - 1] + edit.new_text + row[edit.span.start.column - 1 :]
        )
        ast.parse("\n".join(rows))
