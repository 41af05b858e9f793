"""restored-in-teardown-only: ``setUp`` changes global state that ``tearDown`` restores, and a sibling knows better.

unittest does not call ``tearDown`` when ``setUp`` raises; what ``addCleanup`` registered is called. Reported only where
another class of the file registers the restoration of the same state. Invariant: the hit lies on the name ``setUp``.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.core.finding import evidence_at
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._python import Function
    from roundzero.core.finding import Hit

_STATE: Final = regex(r"\b(os\.environ|sys\.argv|sys\.path|sys\.modules|os\.chdir)\b")
_CHANGES: Final = regex(
    r"\b(?:os\.environ(?:\[[^\]]*\][ \t]*=(?!=)|\.(?:clear|update|pop|setdefault)\()|os\.chdir\(|"
    r"sys\.(?:argv|path)(?:\[[^\]]*\])?[ \t]*=(?!=)|sys\.path\.\w+\(|sys\.modules(?:\[[^\]]*\][ \t]*=(?!=)|\.\w+\())"
)


class RestoredInTeardownOnly(PythonChecker):
    """Finds the classes of a file that restore otherwise than their siblings."""

    name = "restored-in-teardown-only"
    nodes = (ast.ClassDef,)

    def __init__(self) -> None:
        """Start without classes."""
        self._registering: list[tuple[Function, set[str]]] = []
        self._restoring: list[tuple[ast.ClassDef, Function, set[str]]] = []

    def concerns(self, ctx: CheckContext) -> bool:
        """Only tests with both ways."""
        text = ctx.file.source.text
        return ctx.is_test and "addCleanup" in text and "def tearDown" in text

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Note how one class restores what it changes."""
        methods = {part.name: part for part in getattr(node, "body", ()) if isinstance(part, ast.FunctionDef)}
        prepare, restore = methods.get("setUp"), methods.get("tearDown")
        if not isinstance(node, ast.ClassDef) or prepare is None:
            return ()
        text = ctx.file.text(prepare)
        changed = {state for change in _CHANGES.findall(text) for state in _STATE.findall(change)}
        if "addCleanup" in text:
            self._registering.append((prepare, changed))
        elif restore is not None and (shared := changed & set(_STATE.findall(ctx.file.text(restore)))):
            self._restoring.append((node, prepare, shared))
        return ()

    def finish(self, ctx: CheckContext) -> Iterable[Hit]:
        """Compare the classes."""
        for owner, prepare, changed in self._restoring:
            better = next((other for other, states in self._registering if states & changed), None)
            if better is not None:
                line = ctx.file.start(better).line
                hit = ctx.hit_at(ctx.file.name_span(prepare), f"{owner.name}.setUp")
                yield replace(hit, evidence=(evidence_at(ctx.file.source, line, "sibling"),))


CHECKER: Final = RestoredInTeardownOnly
