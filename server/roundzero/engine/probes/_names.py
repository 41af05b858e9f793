"""Whether a Python name surely is, or surely is not, in a module or a class.

Sure is: bound once, at the top level, under no condition, in no ``try``, by nothing that may go another way while the
program runs. Deliberately says nothing of what is bound in two ways, made by decorators or metaclasses, or set from
elsewhere. Invariant: a name that is in one of these states is neither there nor absent.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final, Literal

from roundzero.core.change import Side
from roundzero.core.facts import Where
from roundzero.core.frozen import dataclass
from roundzero.core.resolution import Found, InRepository, Missing
from roundzero.core.syntax import NotPythonError, parse_python
from roundzero.index.doubts import doubt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.core.change import Source
    from roundzero.core.facts import Binding, Import, ModuleFacts
    from roundzero.core.resolution import NameAnswer
    from roundzero.core.text import RelPath
    from roundzero.engine.probes._view import ProbeView

_BINDS: Final = frozenset({"def", "class", "assign", "import"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """``there`` None: it cannot be told. ``words`` say what was seen; ``reads`` are the head files that show it.

    Of what is there ``own`` says that it is bound in the very place, neither imported nor inherited, and ``kind`` what
    it is.
    """

    there: bool | None
    words: str
    reads: tuple[RelPath, ...] = ()
    own: bool = True
    kind: Literal["function", "class", "other"] = "other"

    @property
    def wide(self) -> bool:
        """Whether it rests on every file: what is nowhere could be anywhere."""
        return self.there is False


def unknown(words: str) -> Look:
    """Nothing can be told."""
    return Look(there=None, words=words)


def in_module(view: ProbeView, path: RelPath, name: str) -> Look:
    """A name at the top level of a file."""
    facts = view.symbols.facts(path, Side.HEAD)
    if facts is None:
        return unknown(f"{path} is no Python that can be read")
    imported = [row for row in facts.import_of(name) if row.name]
    if imported and len(facts.bound(name)) == 1:
        return in_import(view, path, imported[0])
    answer = view.symbols.resolve_name(path, name, Side.HEAD)
    inner = {row.name for row in facts.definitions} | {row.name for row in facts.members}
    if isinstance(answer, Missing) and name in inner:
        return unknown(f"{path} has a {name} that is not at its top level")
    return of_answer(view, path, name, answer)


def in_import(view: ProbeView, path: RelPath, row: Import) -> Look:
    """What a name imported by a file is; ``row`` may be one that the file does not have."""
    if row.where & ~Where.LAZY:
        return unknown(f"{path} imports {row.name} under a condition")
    return of_answer(view, path, row.bound, view.symbols.resolve_imports(path, (row,), Side.HEAD)[row])


def of_answer(view: ProbeView, path: RelPath, name: str, answer: NameAnswer) -> Look:
    """What the index found a name of a file to be."""
    if isinstance(answer, Missing):
        if (file := view.unread()) is not None:
            return unknown(file)
        return Look(there=False, words=f"{answer.path} has no {answer.name}, nor does anything set it", reads=(path,))
    if not isinstance(answer, Found):
        return unknown(answer.reason)
    if (reason := _unsure_of(view, path, name, answer)) is not None:
        return unknown(reason)
    line = f":{answer.binding.line}" if answer.binding is not None else ""
    words = f"{answer.path}{line} has it" if answer.is_module else f"{answer.path}{line} defines {name}"
    kind: Literal["function", "class", "other"] = "other"
    if answer.definition is not None:
        kind = "class" if answer.definition.kind == "class" else "function"
    reads = tuple(dict.fromkeys((path, *answer.via, answer.path)))
    return Look(there=True, words=words, reads=reads, own=answer.path == path, kind=kind)


def _unsure_of(view: ProbeView, path: RelPath, name: str, found: Found) -> str | None:
    """Why a name that was found may be missing, or another, while the program runs."""
    if not found.sure:
        return f"{name} may be one of several"
    if found.binding is not None and found.binding.kind == "import":
        return f"{found.path} imports it from where it cannot be followed"
    if found.binding is not None and not _is_plain(found.binding):
        return f"{found.path}:{found.binding.line} binds {name} under a condition"
    for file in dict.fromkeys((path, *found.via, found.path)):
        facts = view.symbols.facts(file, Side.HEAD)
        if facts is None:
            return f"{file} is no Python that can be read"
        names = {name, found.binding.name} if found.binding is not None else {name}
        bound = [row for each in names for row in facts.bound(each) if row.kind != "annotate"]
        if any(not _is_plain(row) for row in bound) or (not bound and _stars_under_condition(facts)):
            return f"{file} binds {name} under a condition, or takes it away"
    return _unsure_here(view, path, name, found)


def _unsure_here(view: ProbeView, path: RelPath, name: str, found: Found) -> str | None:
    """Why a name that its own file binds may not be there yet, or be another, where the file reads it."""
    uses, facts = view.symbols.uses(path, Side.HEAD), view.symbols.facts(path, Side.HEAD)
    if uses is None or facts is None:
        return f"{path} is no Python that can be read"
    line = found.binding.line if found.binding is not None and found.path == path else 0
    for use in uses.uses:
        if use.chain.partition(".")[0] != name:
            continue
        around = facts.definition(uses.scopes[use.scope])
        if use.line < line and (around is None or around.kind == "class"):
            return f"{path}:{use.line} reads {name} before it is there"
    source = view.source(path)
    return f"a function of {path} has a {name} of its own" if source is None or _has_local(source, name) else None


def _has_local(source: Source, name: str) -> bool:
    """Whether a function of a file binds a name, as a parameter or otherwise."""
    word = re.escape(name)
    called = len(re.findall(rf"(?<![\w.]){word}\(", source.text))
    others = len(re.findall(rf"(?<![\w.]){word}\b", source.text)) - called
    if not others and len(re.findall(rf"\b(?:def|class)\s+{word}\b", source.text)) <= 1:
        return False  # all of them are calls, and one a definition
    try:
        tree = parse_python(source)
    except NotPythonError:
        return True
    functions = (
        each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    )
    return any(
        (isinstance(node, ast.arg) and node.arg == name)
        or (isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
        or (node is not each and name in _bound_by(node))
        or (isinstance(node, ast.alias) and (node.asname or node.name) == name)
        or (isinstance(node, ast.ExceptHandler) and node.name == name)
        for each in functions
        for node in ast.walk(each)
    )


def _is_plain(row: Binding) -> bool:
    return row.where == 0 and row.kind in _BINDS


def _stars_under_condition(facts: ModuleFacts) -> bool:
    return any(row.name == "*" and row.where for row in facts.imports)


def in_class(view: ProbeView, path: RelPath, qualified: str, name: str) -> Look:
    """An attribute of a class."""
    members = view.symbols.class_members(path, qualified, Side.HEAD)
    if members is None:
        return unknown(f"{path} has no class {qualified}")
    named = members.named(name)
    for at, member in named:
        source = view.source(at)
        node = _direct_member(source, member.owner, name) if source is not None else None
        if node is not None:
            own = (at, member.owner) == (path, qualified)
            words = f"{at}:{node.lineno} defines {member.owner}.{name}"
            return Look(there=True, words=words, reads=(path, at), own=own, kind=_kind(node))
    reason = _unsure_without(view, path, qualified, name) if not named else f"{qualified}.{name} is set at run time"
    if members.unseen is not None or members.named("*") or reason is not None:
        return unknown(reason or members.unseen or f"{qualified} has attributes with computed names")
    return Look(there=False, words=f"{qualified} in {path} has no {name}, nor do its bases", reads=(path,))


def _unsure_without(view: ProbeView, path: RelPath, qualified: str, name: str) -> str | None:
    """Why an attribute that a class and its bases lack may be there: set from elsewhere, or a subclass's."""
    hits = view.hits(name)
    if (reason := doubt(Missing(path, name), hits) or view.unread()) is not None:
        return reason
    word = re.escape(name)
    stored = re.compile(
        rf"\b(?:self|cls)\.{word}\s*(?::[^=\n]*)?=(?!=)|^\s+(?:async\s+)?def\s+{word}\b|^\s+{word}\s*[:=]"
    )
    setter = next((hit for hit in hits if hit.path.endswith(".py") and stored.search(hit.text)), None)
    return f"{setter.path}:{setter.line} may give {qualified} its {name}" if setter is not None else None


def _kind(node: ast.stmt) -> Literal["function", "class", "other"]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return "function"
    return "class" if isinstance(node, ast.ClassDef) else "other"


def _direct_member(source: Source, qualified: str, name: str) -> ast.stmt | None:
    """The statement by which a class surely defines an attribute: once, in its body, under no condition."""
    try:
        tree = parse_python(source)
    except NotPythonError:
        return None
    found = list(_classes(tree, qualified.split(".")))
    if len(found) != 1:
        return None
    binds = [node for node in ast.walk(found[0]) if name in _bound_by(node)]
    direct = [node for node in found[0].body if name in _bound_by(node)]
    deleted = any(isinstance(node, ast.Delete) for node in ast.walk(found[0]))
    return direct[0] if len(direct) == len(binds) == 1 and not deleted else None


def _classes(node: ast.Module | ast.ClassDef, names: list[str]) -> Iterator[ast.ClassDef]:
    for child in ast.walk(node) if isinstance(node, ast.Module) and len(names) == 1 else node.body:
        if isinstance(child, ast.ClassDef) and child.name == names[0]:
            if len(names) == 1:
                yield child
            else:
                yield from _classes(child, names[1:])


def _bound_by(node: ast.AST) -> set[str]:
    """The names a statement binds where it stands."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    if isinstance(node, ast.AnnAssign | ast.AugAssign) and node.value is not None:
        return {node.target.id} if isinstance(node.target, ast.Name) else set()
    return set()


def class_named(view: ProbeView, path: RelPath | None, name: str) -> tuple[RelPath, str] | None:
    """File and qualified name of the class that a name means in a file or, if it means none there, of the only one."""
    first = name.partition(".")[0]
    if path is not None and view.names(path, first) and view.symbols.facts(path, Side.HEAD) is not None:
        answer = view.symbols.resolve_chain(path, name, Side.HEAD)
        found = answer.answer
        if isinstance(found, Found) and found.definition is not None and not answer.rest:
            is_sure = found.definition.kind == "class" and _unsure_of(view, path, name, found) is None
            return (found.path, found.definition.qualified) if is_sure else None
    if "." in name or len(view.defined_in(name)) != 1:
        return None
    sites = view.symbols.definitions_of((name,), Side.HEAD).get(name, ())
    if len(sites) == 1 and sites[0].definition.kind == "class" and sites[0].definition.where == 0:
        return sites[0].path, sites[0].definition.qualified
    return None


def module_named(view: ProbeView, importer: RelPath, dotted: str) -> RelPath | None:
    """The one file that a dotted module name surely means in a file."""
    answer = view.symbols.module(importer, dotted, 0, Side.HEAD)
    return answer.paths[0] if isinstance(answer, InRepository) and answer.sure and len(answer.paths) == 1 else None
