"""Whether pytest collects a test by its own rules, where nothing in the repository changes them.

Says nothing of tests that other programs run, nor of whether a collected test is skipped. Source of the rules: pytest,
"Conventions for Python test discovery". Invariant: where the rules are configured, or collection is hooked into,
nothing is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.claim_words import TEST
from roundzero.core.claims import unsure
from roundzero.core.facts import Where
from roundzero.core.regex import regex
from roundzero.engine.probes._view import bare, is_python

if TYPE_CHECKING:
    from collections.abc import Collection

    from roundzero.core.claims import Asked, Outcome
    from roundzero.core.facts import Definition, ModuleFacts
    from roundzero.core.text import RelPath
    from roundzero.engine.probes._view import ProbeView

_RULES: Final = (
    "python_files", "python_classes", "python_functions", "pytest_collect_file", "pytest_pycollect_makeitem",
    "pytest_collection_modifyitems", "pytest_ignore_collect", "collect_ignore", "collect_ignore_glob", "load_tests",
    "norecursedirs",
)  # fmt: skip
"""What changes pytest's rules, wherever it stands."""
_PLACES: Final = ("testpaths", "addopts", "deselect")
"""What may keep pytest from looking where a test is."""
_FILE: Final = regex(r"test_.*\.py|.*_test\.py")


class TestCollected:
    """See the module. The subject is a test's name or node id; ``path`` its file, by default the finding's."""

    __test__ = False
    kind = TEST

    def words(self, asked: Asked) -> Collection[str]:
        """What changes the rules."""
        del asked
        return (*_RULES, *_PLACES)

    def look(self, asked: Asked, view: ProbeView) -> Outcome:
        """See Probing."""
        *given, name = bare(asked.probe.subject).split("::")
        named = given.pop(0) if given and given[0].endswith(".py") else asked.probe.path
        path = view.file(named, asked.path) if named else asked.path
        facts = view.symbols.facts(path, Side.HEAD) if path is not None and is_python(path) else None
        if path is None or facts is None:
            return unsure("it is not clear which file the test is in")
        if (rule := next((word for word in _RULES if view.hits(word)), None)) is not None:
            return unsure(f"{rule} changes what is collected")
        if (file := view.unread()) is not None:
            return unsure(file)
        found = [row for row in facts.definitions if row.name == name and _is_in(row, given)]
        reason = _why_not(view, path, facts, found, asked)
        if reason is None:
            return unsure(f"it is not clear which {name} of {path} is meant, or how it is collected")
        if not reason and (where := next((word for word in _PLACES if view.hits(word)), None)) is not None:
            return unsure(f"{where} may leave it out")
        return view.answer(asked, there=not reason, words=reason or f"{path} has it where pytest looks", wide=True)


PROBE: Final = TestCollected()


def _is_in(row: Definition, classes: list[str]) -> bool:
    return not classes or row.qualified == ".".join([*classes, row.name])


def _why_not(view: ProbeView, path: RelPath, facts: ModuleFacts, found: list[Definition], asked: Asked) -> str | None:
    """Why pytest surely does not collect it; "" where it surely does, None where that cannot be told."""
    source = view.source(path)
    odd = not found or any(row.where & ~Where.LAZY or row.decorators for row in found) or bool(facts.dynamic)
    if odd or source is None or "__test__" in source.text or "allow_module_level" in source.text:
        return None
    if not _FILE.fullmatch(path.rpartition("/")[2]):
        return None  # a file may be given to pytest by name
    return _shadowed(facts, found, asked) if len(found) > 1 else _by_rules(facts, found[0], path)


def _shadowed(facts: ModuleFacts, found: list[Definition], asked: Asked) -> str | None:
    """Of two tests of one name in one place the former is not there any more when pytest looks."""
    mine = [row for row in found if row.first_line <= asked.line <= row.last_line]
    if len(mine) != 1 or len({row.qualified for row in found}) != 1 or mine[0].parent == "function":
        return None
    last = max(found, key=lambda row: row.line)
    if last.line == mine[0].line or (not facts.bound(last.name) and last.parent == "module"):
        return None
    return f"line {last.line} defines {last.name} again, so that the one at line {mine[0].line} is gone"


def _by_rules(facts: ModuleFacts, row: Definition, path: RelPath) -> str | None:
    owners = row.qualified.split(".")[:-1]
    classes = [facts.definition(".".join(owners[: number + 1])) for number in range(len(owners))]
    if row.kind == "class" or (row.parent == "module" and len(facts.bound(row.name)) != 1):
        return None
    if row.parent == "function":
        return f"{path}:{row.line} defines {row.name} inside a function"
    if any(each is None or each.bases or each.keywords or each.decorators or each.where for each in classes):
        return None
    if not row.name.startswith("test"):
        return f"{row.name} does not begin with test"
    return next((reason for each in classes if each is not None and (reason := _no_test_class(facts, each))), "")


def _no_test_class(facts: ModuleFacts, row: Definition) -> str:
    """Why a class without bases holds no tests; "" where it does."""
    if not row.name.startswith("Test"):
        return f"{row.name} does not begin with Test"
    made = any(member.name in {"__init__", "__new__"} for member in facts.members_of(row.qualified))
    return f"{row.name} has an __init__" if made else ""
