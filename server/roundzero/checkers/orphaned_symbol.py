"""orphaned-symbol: the change removed the last use of a function or class that stays behind.

A name counts as used wherever it stands in code, configuration or a build file, in a string too; tests and prose do not
use. Silent for what is registered by a decorator, offered in ``__all__`` or an ``__init__``, or found by name.
Invariant: the definition is old, alone of its name, and at module level.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import cause_of, evidence
from roundzero.checkers._base import SymbolChecker, code
from roundzero.checkers._paths import is_script_path, is_test_path
from roundzero.core.change import Side
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from roundzero.checkers._base import SymbolView
    from roundzero.core.change import FileChange
    from roundzero.core.facts import Definition
    from roundzero.core.ports import GrepHit
    from roundzero.core.text import RelPath

SHORTEST: Final = 5
MOST_NAMES: Final = 100

_NAME: Final = regex(r"(?<![\w\"'])[A-Za-z_]\w{4,}(?=[ \t]*[(.,)\]:=}]|[ \t]*$)")
_PROSE: Final = (".md", ".rst", ".txt", ".adoc")
_FOUND_BY_NAME: Final = regex(
    r"main|pytest_\w+|setup|teardown|register\w*|visit_\w+|do_\w+|handle_\w+|test\w*|__\w+__", re.IGNORECASE
)


class OrphanedSymbol(SymbolChecker):
    """Finds functions and classes that nothing uses any more."""

    name = "orphaned-symbol"

    def words(self, view: SymbolView) -> Collection[str]:
        """The names that removed lines used and the same file's head does not."""
        return set(_dropped(view))

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Ask for each of them where it is defined, and whether anything else mentions it."""
        for name, (file, line) in _dropped(view).items():
            hits = view.found.get(name, ())
            makes = re.compile(rf"(?:async[ \t]+def|def|class)[ \t]+{name}\b")
            defining = [hit for hit in hits if language_of(hit.path) == "python" and makes.match(hit.text)]
            if len(defining) != 1 or any(_uses(hit) for hit in hits if hit is not defining[0]):
                continue
            home = defining[0]
            definition = _definition(view, home.path, name)
            if definition is None or file.base is None:
                continue
            cause = cause_of(file, line)
            yield Hit(
                path=home.path,
                span=definition.span,
                subject=code(name),
                evidence=evidence(view, file.base.path, Side.BASE, line, "last use"),
                cause=cause,
            )


def _dropped(view: SymbolView) -> dict[str, tuple[FileChange, int]]:
    """The names that a production file used on removed lines and now has no more, with the first such line."""
    found: dict[str, tuple[FileChange, int]] = {}
    for file in view.change.files:
        base = file.base
        if base is None or language_of(base.path) != "python" or is_test_path(base.path):
            continue
        text = file.head.text if file.head is not None else ""
        for line in sorted(file.removed):
            row = base.index.line(line)
            if row.lstrip().startswith(("#", "def ", "class ", "async def ", "from ", "import ")):
                continue
            for name in _NAME.findall(row.partition(" #")[0]):
                if name not in found and len(found) < MOST_NAMES and _defined_or_absent(name, text):
                    found[name] = (file, line)
    return found


def _defined_or_absent(name: str, text: str) -> bool:
    """Whether a text has a name at most where it defines it."""
    mentions = len(re.findall(rf"\b{re.escape(name)}\b", text)) if name in text else 0
    return mentions == 0 or (
        mentions == 1
        and re.search(rf"^(?:async[ \t]+def|def|class)[ \t]+{re.escape(name)}\b", text, re.MULTILINE) is not None
    )


def _uses(hit: GrepHit) -> bool:
    return not hit.path.endswith(_PROSE) and not is_test_path(hit.path)


def _definition(view: SymbolView, path: RelPath, name: str) -> Definition | None:
    """The definition, if it is one that only its own name leads to and that the base had."""
    if is_test_path(path) or is_script_path(path) or path.endswith("/__init__.py") or _FOUND_BY_NAME.fullmatch(name):
        return None
    facts = view.symbols.facts(path, Side.HEAD)
    row = facts.definition(name) if facts is not None else None
    if facts is None or row is None or row.parent != "module" or row.decorators or row.keywords:
        return None
    if row.bases or name in (facts.exported or ()) or facts.dynamic:
        return None
    changed = view.change.file(path)
    return None if changed is not None and row.line in changed.added else row


CHECKER: Final = OrphanedSymbol
