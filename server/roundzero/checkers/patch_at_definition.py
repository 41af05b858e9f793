"""patch-at-definition: a test patches a function where it is defined, while the code under test imported it by name.

The code keeps the original, so the patch does nothing. Looks at literal targets on changed lines, and at old ones whose
code under test the change turned to a from-import. Silent where the patch reaches anybody: the defining module itself,
a lazy import, an access through the module; and where the use site is patched as well. Invariant: the module that keeps
the original is within two imports of the test.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import added_matches, evidence, files_about, hit_in, python_heads
from roundzero.checkers._base import SymbolChecker, replace
from roundzero.checkers._paths import is_test_path
from roundzero.core.change import Side
from roundzero.core.facts import Where
from roundzero.core.finding import Anchor
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.resolution import Found, InRepository

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from roundzero.checkers._base import SymbolView
    from roundzero.core.facts import Import, ModuleUses, StringUse
    from roundzero.core.finding import Fix, Hit
    from roundzero.core.text import RelPath

_PATCH: Final = regex(r"(?:^|\.)(?:patch(?:\.object)?|(?:monkeypatch|mp)\.setattr)$")
_PATCHING: Final = regex(r"\bpatch(?:\.object)?\(|\bsetattr\(|^\s*[\"'][\w.]+[\"'],?")
_ANY: Final = regex("")
_FROM_IMPORT: Final = regex(r"^(?:from[ \t]|[ \t]+\w+(?:[ \t]+as[ \t]+\w+)?,?[ \t]*(?:#.*)?\)?$)")


@dataclass(frozen=True, slots=True)
class _Target:
    """A patched name: the literal, the module that defines it or the package that offers it, and the name."""

    test: RelPath
    string: StringUse
    dotted: str
    home: RelPath
    name: str


@dataclass(frozen=True, slots=True)
class _Keeper:
    """A module that imported the name and uses what it imported."""

    path: RelPath
    row: Import


class PatchAtDefinition(SymbolChecker):
    """Finds patches that reach nobody."""

    name = "patch-at-definition"
    version = "2"

    def words(self, view: SymbolView) -> Collection[str]:
        """The patched names, and the names that production code of the change now imports."""
        words = {part for _, string in _literals(view) for part in string.value.split(".")[-2:]}
        return words | {row.name for _, row in _new_imports(view)}

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Look at patches on added lines, then at those that new imports may have emptied."""
        for test, string in _literals(view):
            target = _target(view, test, string)
            if target is not None:
                yield from _look(view, target, None)
        for keeper, row in _new_imports(view):
            for target in _old_patches(view, row.name):
                yield from _look(view, target, keeper)


def _literals(view: SymbolView) -> Iterator[tuple[RelPath, StringUse]]:
    for file in python_heads(view):
        if is_test_path(file.path) and added_matches(file, _PATCHING):
            uses = view.symbols.uses(file.path, Side.HEAD)
            for string in uses.strings if uses is not None else ():
                if string.line in file.added and _is_target(string):
                    yield file.path, string


def _is_target(string: StringUse) -> bool:
    return string.role == "argument" and _PATCH.search(string.owner) is not None


def _new_imports(view: SymbolView) -> Iterator[tuple[RelPath, Import]]:
    """From-imports that changed production code did not have at the base."""
    for file in python_heads(view):
        if file.base is None or is_test_path(file.path) or not added_matches(file, _FROM_IMPORT):
            continue
        after = view.symbols.facts(file.path, Side.HEAD)
        before = view.symbols.facts(file.base.path, Side.BASE)
        if after is None or before is None:
            continue
        old = {row.name for row in before.imports}
        for row in after.imports:
            if row.name not in {"", "*"} and not row.scope and row.line in file.added and row.name not in old:
                yield file.path, row


def _old_patches(view: SymbolView, name: str) -> Iterator[_Target]:
    paths = {
        hit.path
        for hit in view.symbols.mentions({name}, Side.HEAD)[name]
        if language_of(hit.path) == "python" and is_test_path(hit.path) and re.search(rf"[.\"']{name}[\"']", hit.text)
    }
    for path in sorted(paths):
        file = view.change.file(path)
        uses = view.symbols.uses(path, Side.HEAD)
        for string in uses.strings if uses is not None else ():
            if string.value.rpartition(".")[2] != name or not _is_target(string):
                continue
            target = _target(view, path, string) if file is None or string.line not in file.added else None
            if target is not None:
                yield target


def _target(view: SymbolView, test: RelPath, string: StringUse) -> _Target | None:
    """What a literal patches; None unless it surely is a name that a module of the repository defines."""
    module, _, name = string.value.rpartition(".")
    home = _module(view, test, module) if module else _patched_object(view, test, string)
    if home is None or is_test_path(home):
        return None
    found = view.symbols.resolve_name(home, name, Side.HEAD)
    if not isinstance(found, Found) or found.binding is None or found.binding.kind not in {"def", "class", "assign"}:
        return None
    if found.path != home and not (home.endswith("/__init__.py") and home in found.via):
        return None
    return _Target(test, string, module, home, name)


def _module(view: SymbolView, test: RelPath, dotted: str) -> RelPath | None:
    answer = view.symbols.module(test, dotted, 0, Side.HEAD)
    return answer.paths[0] if isinstance(answer, InRepository) and answer.sure and len(answer.paths) == 1 else None


def _patched_object(view: SymbolView, test: RelPath, string: StringUse) -> RelPath | None:
    """The module in ``patch.object(module, "name")``."""
    uses = view.symbols.uses(test, Side.HEAD)
    for call in uses.calls if uses is not None else ():
        start, end = (call.line, call.column), (call.end_line, call.end_column)
        if call.callee == string.owner and start <= (string.line, string.column) < end and not call.local:
            found = view.symbols.resolve_chain(test, call.first, Side.HEAD).answer if call.first else None
            return found.path if isinstance(found, Found) and found.is_module and found.sure else None
    return None


def _look(view: SymbolView, target: _Target, only: RelPath | None) -> Iterator[Hit]:
    keepers = _keepers(view, target)
    if not keepers or (only is not None and all(keeper.path != only for keeper in keepers)):
        return
    near = _near(view, target.test)
    keepers = [keeper for keeper in keepers if keeper.path in near]
    if only is not None:
        keepers = [keeper for keeper in keepers if keeper.path == only]
    if not keepers or any(_is_patched_too(view, target, keeper) for keeper in keepers):
        return
    first = keepers[0]
    yield hit_in(
        view,
        target.test,
        target.string.span,
        target.string.value,
        cause=Anchor(first.path, first.row.line) if only is not None else None,
        evidence=evidence(view, first.path, Side.HEAD, first.row.line, "the code under test holds the original"),
        fixes=_fixes(view, target, keepers),
    )


def _keepers(view: SymbolView, target: _Target) -> list[_Keeper]:
    """The modules that keep the original; none when the patch reaches anybody at all, or may."""
    own = view.symbols.uses(target.home, Side.HEAD)
    if own is None or _uses_name(own, target.name):
        return []
    keepers: list[_Keeper] = []
    for path in files_about(view, target.name, target.home, _ANY):
        found = _keeping(view, target, path) if path != target.home else []
        if found is None:
            return []
        keepers += found
    return keepers


def _keeping(view: SymbolView, target: _Target, path: RelPath) -> list[_Keeper] | None:
    """How a file keeps the original; None when it sees the patch, or may."""
    facts, uses = view.symbols.facts(path, Side.HEAD), view.symbols.uses(path, Side.HEAD)
    if facts is None or uses is None or any(_is_through_module(view, target, path, use.chain) for use in uses.uses):
        return None
    rows = [row for row in facts.imports if row.name == target.name and not row.where & Where.TYPING]
    answers = view.symbols.resolve_imports(path, rows, Side.HEAD) if rows else {}
    mine = [
        row for row, found in answers.items() if isinstance(found, Found) and target.home in {found.path, *found.via}
    ]
    if is_test_path(path):
        return []
    if any(row.scope or row.where & Where.TRIED for row in mine):
        return None
    return [_Keeper(path, row) for row in mine if _uses_name(uses, row.bound)]


def _uses_name(uses: ModuleUses, name: str) -> bool:
    """Whether a function reads a name of its module."""
    return any(use.scope and not use.local and use.chain.partition(".")[0] == name for use in uses.uses)


def _is_through_module(view: SymbolView, target: _Target, path: RelPath, chain: str) -> bool:
    """Whether ``module.name`` reads the target: such a use sees the patch. In doubt it does."""
    owner, _, _ = chain.partition(f".{target.name}")
    if owner == chain or f"{chain}.".find(f".{target.name}.") < 0:
        return False
    found = view.symbols.resolve_chain(path, owner, Side.HEAD).answer if not owner.startswith(".") else None
    return isinstance(found, Found) and found.is_module and found.path == target.home


def _near(view: SymbolView, test: RelPath) -> set[RelPath]:
    """The modules within two imports of a test."""
    first = _imported(view, test)
    near = set(first)
    for path in sorted(first):
        near |= _imported(view, path)
    return near


def _imported(view: SymbolView, path: RelPath) -> set[RelPath]:
    facts = view.symbols.facts(path, Side.HEAD)
    paths: set[RelPath] = set()
    for row in facts.imports if facts is not None else ():
        for dotted in (row.module, ".".join(part for part in (row.module, row.name) if part and part != "*")):
            answer = view.symbols.module(path, dotted, row.level, Side.HEAD) if dotted else None
            if isinstance(answer, InRepository) and answer.sure:
                paths.update(answer.paths)
    return paths


def _is_patched_too(view: SymbolView, target: _Target, keeper: _Keeper) -> bool:
    """Whether the same test, or what prepares it, also patches the name where it is used."""
    uses = view.symbols.uses(target.test, Side.HEAD)
    if uses is None:
        return True
    for string in uses.strings:
        module, _, name = string.value.rpartition(".")
        if name != keeper.row.bound or string == target.string or not _is_target(string):
            continue
        at = _module(view, target.test, module) if module else _patched_object(view, target.test, string)
        scope = uses.scopes[string.scope]
        if at == keeper.path and (
            string.scope == target.string.scope or not scope.rpartition(".")[2].startswith("test")
        ):
            return True
    return False


def _fixes(view: SymbolView, target: _Target, keepers: list[_Keeper]) -> tuple[Fix, ...]:
    """Patch the name where it is used, where that is one place."""
    source = view.repository.read(target.test, Side.HEAD)
    if source is None or len(keepers) != 1 or not target.dotted:
        return ()
    keeper = keepers[0]
    new = _dotted_beside(target, keeper.path)
    text = source.index.slice(target.string.span)
    if new is None or text[1:-1] != target.string.value:
        return ()
    value = f"{new}.{keeper.row.bound}"
    return (replace(source, f"Patch {value}", f"{text[0]}{value}{text[-1]}", target.string.span, safe=True),)


def _dotted_beside(target: _Target, path: RelPath) -> str | None:
    """A file's dotted name under the root that the target's own name starts from."""
    tail = target.dotted.replace(".", "/")
    stem = target.home.removesuffix(".py").removesuffix("/__init__")
    root = stem.removesuffix(tail)
    if not stem.endswith(tail) or not path.startswith(root):
        return None
    return path.removeprefix(root).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


CHECKER: Final = PatchAtDefinition
