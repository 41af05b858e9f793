"""name-clash-signature: two functions of one name and incompatible signatures, both within reach of a changed file.

One of them, or the import of it, is new in this change, and one changed file imports both modules (or is one of them):
whoever reads or edits that file can take the one for the other. Compatible are signatures that some call would suit.
Silent for tests, methods, and names that every module has. Invariant: the hit lies on a line of the change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import SymbolChecker, SymbolView, code
from roundzero.checkers._paths import is_script_path, is_test_path
from roundzero.core.change import Side
from roundzero.core.finding import Hit, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.resolution import Found, InRepository

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from roundzero.core.change import FileChange
    from roundzero.core.facts import Definition, ModuleFacts
    from roundzero.core.ports import GrepHit, Symbols
    from roundzero.core.text import RelPath, Span

SHORTEST: Final = 4
_EVERYWHERE: Final = regex(
    r"_|(?:main|run|setup|init|create|build|make|load|save|parse|dump|dumps|loads|register|configure|apply|update|process|"
    r"execute|start|stop|close|open|get|test\w*|handle\w*|upgrade|downgrade|pytest_\w+|add_arguments|cli|app|wrapper|factory)$"
)
"""Names that say nothing but what their module is for."""
_DEFINITION: Final = regex(r"(?:async[ \t]+)?def[ \t]+(\w+)")
_IMPORTED: Final = regex(r"[ \t]*(?:from[ \t].*?\bimport\b(.*)|(?=\w+,?[ \t]*(?:#|\)|$))(.*))")
"""An import by name, or a line of a list of names that an import may go over."""
_NAME: Final = regex(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class _New:
    """A function that a changed file newly defines or imports: where it is defined, and where that is said."""

    file: FileChange
    path: RelPath
    definition: Definition
    span: Span


class NameClashSignature(SymbolChecker):
    """Finds functions that can be taken for another of their name."""

    name = "name-clash-signature"
    version = "2"

    def words(self, view: SymbolView) -> Collection[str]:
        """The names that look new in the text, so that nothing is parsed for names nobody else has."""
        return {name for file in _python_files(view) for name in _named(file)}

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Look for others of each name, and for a changed file that reaches both."""
        news = _all_new(view)
        if not news:
            return
        sites = view.symbols.definitions_of({new.definition.name for new in news}, Side.HEAD)
        reach: dict[RelPath, frozenset[RelPath]] = {}
        told: set[tuple[RelPath, str]] = set()
        for new in news:
            for site in sites[new.definition.name]:
                other = site.definition
                if site.path == new.path or not _counts(site.path, other) or _suit(new.definition, other):
                    continue
                if (new.file.path, other.name) in told or not _both_reached(new, site.path, view, reach):
                    continue
                told.add((new.file.path, other.name))
                source = view.repository.read(site.path, Side.HEAD)
                evidence = (evidence_at(source, other.line, "the other"),) if source is not None else ()
                subject = f"{code(_signature(new.definition))}, {code(_signature(other))}"
                yield Hit(path=new.file.path, span=new.span, subject=subject, evidence=evidence)


def _all_new(view: SymbolView) -> list[_New]:
    """The new functions of the files that name one which is defined in several places."""
    several = {name for name, hits in view.found.items() if _is_defined_twice(name, hits)}
    return [
        new
        for file in _python_files(view)
        if not several.isdisjoint(_named(file))
        for new in (*_defined(file, view.symbols), *_imported(file, view.symbols))
        if new.definition.name in several
    ]


def _python_files(view: SymbolView) -> Iterator[FileChange]:
    for file in view.change.files:
        if file.head is not None and language_of(file.path) == "python" and file.added and _is_production(file.path):
            yield file


def _named(file: FileChange) -> Iterator[str]:
    """The names that added lines define at the module level or import."""
    assert file.head is not None  # noqa: S101  _python_files() looked
    index = file.head.index
    for line in file.added:
        text = index.line(line)
        if (match := _DEFINITION.match(text)) is not None:
            names = [match[1]]
        elif (match := _IMPORTED.match(text)) is not None:
            names = _NAME.findall(match[1] or match[2])
        else:
            continue
        yield from (name for name in names if len(name) >= SHORTEST and _EVERYWHERE.match(name) is None)


def _is_defined_twice(name: str, hits: Collection[GrepHit]) -> bool:
    found = {hit.path for hit in hits if (match := _DEFINITION.match(hit.text)) is not None and match[1] == name}
    return len(found) > 1


def _is_production(path: RelPath) -> bool:
    return not is_test_path(path) and not is_script_path(path)


def _defined(file: FileChange, symbols: Symbols) -> Iterator[_New]:
    """Functions of the module level that the base of the file does not have."""
    facts = symbols.facts(file.path, Side.HEAD)
    old = symbols.facts(file.base.path, Side.BASE) if file.base is not None else None
    if _is_unread(file, old):
        return
    for row in facts.definitions if facts is not None else ():
        if row.line in file.added and _counts(file.path, row) and (old is None or old.definition(row.name) is None):
            yield _New(file, file.path, row, row.span)


def _imported(file: FileChange, symbols: Symbols) -> Iterator[_New]:
    """Functions of other modules that the file newly imports by name."""
    facts = symbols.facts(file.path, Side.HEAD)
    old = symbols.facts(file.base.path, Side.BASE) if file.base is not None else None
    if _is_unread(file, old):
        return
    known = {(row.module, row.level, row.name) for row in old.imports} if old is not None else set()
    rows = [
        row
        for row in (facts.imports if facts is not None else ())
        if row.line in file.added
        and row.name not in {"", "*"}
        and (row.module, row.level, row.name) not in known
        and not row.asname
    ]
    for row, answer in symbols.resolve_imports(file.path, rows, Side.HEAD).items() if rows else ():
        if not isinstance(answer, Found) or not answer.sure or answer.definition is None:
            continue
        if _counts(answer.path, answer.definition):
            yield _New(file, answer.path, answer.definition, row.span)


def _is_unread(file: FileChange, old: ModuleFacts | None) -> bool:
    """Whether the base is Python that does not parse, so that nobody knows what is new."""
    return file.base is not None and language_of(file.base.path) == "python" and old is None


def _counts(path: RelPath, row: Definition) -> bool:
    """Whether a definition is a function of the module level with a name and signature of its own."""
    return (
        row.parent == "module"
        and row.kind != "class"
        and not row.decorators
        and len(row.name) >= SHORTEST
        and _EVERYWHERE.match(row.name) is None
        and _is_production(path)
    )


def _suit(one: Definition, other: Definition) -> bool:
    """Whether some number of positional arguments, and no more than the required keywords, suits both."""
    low, high, keywords = _arity(one)
    other_low, other_high, other_keywords = _arity(other)
    if low > other_high or other_low > high:
        return False
    return (keywords <= other_keywords or _takes_any(other)) and (other_keywords <= keywords or _takes_any(one))


def _takes_any(row: Definition) -> bool:
    """Whether keywords of any name may be given."""
    return any(parameter.kind == "double-star" for parameter in row.parameters)


def _arity(row: Definition) -> tuple[int, int, frozenset[str]]:
    places = [parameter for parameter in row.parameters if parameter.kind in {"positional", "either"}]
    starred = any(parameter.kind == "star" for parameter in row.parameters)
    required = sum(parameter.default is None for parameter in places)
    keywords = frozenset(
        parameter.name for parameter in row.parameters if parameter.kind == "keyword" and parameter.default is None
    )
    return required, 1000 if starred else len(places), keywords


def _both_reached(new: _New, other: RelPath, view: SymbolView, reach: dict[RelPath, frozenset[RelPath]]) -> bool:
    for file in view.change.files:
        if file.head is None or language_of(file.path) != "python" or is_test_path(file.path):
            continue
        if file.path not in reach:
            reach[file.path] = _reached(file.path, view.symbols)
        if new.path in reach[file.path] and other in reach[file.path]:
            return True
    return False


def _reached(path: RelPath, symbols: Symbols) -> frozenset[RelPath]:
    """A file and the modules it imports."""
    facts = symbols.facts(path, Side.HEAD)
    found = {path}
    for row in facts.imports if facts is not None else ():
        module = symbols.module(path, row.module, row.level, Side.HEAD)
        if isinstance(module, InRepository) and module.sure and len(module.paths) == 1:
            found.add(module.paths[0])
        if row.name not in {"", "*"}:
            below = symbols.module(path, f"{row.module}.{row.name}".lstrip("."), row.level, Side.HEAD)
            if isinstance(below, InRepository) and below.sure:
                found.update(below.paths)
    return frozenset(found)


def _signature(row: Definition) -> str:
    marks = {"star": "*", "double-star": "**"}
    return f"{row.name}({', '.join(marks.get(part.kind, '') + part.name for part in row.parameters)})"


CHECKER: Final = NameClashSignature
