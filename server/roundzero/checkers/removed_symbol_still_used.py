"""removed-symbol-still-used: the change removed a definition, and something still uses it.

In code: ``module.name``, the name in its own module, the literal target of a patch, ``self.method`` of its class, and
where settings and project files name it (``module:name``). In documentation: a distinctive name that nothing defines
any more. Imports are unresolved-import's. Invariant: a use in code resolved to the removed definition at the base, and
resolves to nothing at the head.
"""

from __future__ import annotations

import builtins
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import (
    Removed,
    cause_of,
    evidence,
    files_about,
    hit_in,
    module_stem,
    python_heads,
    removed_names,
)
from roundzero.checkers._base import SymbolChecker
from roundzero.checkers._documents import mentioned
from roundzero.checkers._paths import is_example
from roundzero.core.change import Side
from roundzero.core.item import Severity, language_of
from roundzero.core.regex import regex
from roundzero.core.resolution import Found, InRepository, Missing, UseSite
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from roundzero.checkers._base import SymbolView
    from roundzero.core.change import FileChange
    from roundzero.core.facts import Definition, Use
    from roundzero.core.finding import Anchor, Hit
    from roundzero.core.ports import GrepHit
    from roundzero.core.text import RelPath

_DEFINES: Final = regex(r"[ \t]+(?:async[ \t]+)?def[ \t]+\w")
_EXPECTED: Final = regex(r"AttributeError|hasattr\(|getattr\(")
_NAMES_CODE: Final = frozenset({"python", "toml", "yaml", "bash", "json", "dockerfile", "make"})
_COMMENT: Final = regex(r"\s*(?:#|//|;)")
_PATCHES: Final = regex(r"(?:patch|setattr)\w*\([^)]*$")


class RemovedSymbolStillUsed(SymbolChecker):
    """Finds uses of what the change removed."""

    name = "removed-symbol-still-used"
    version = "2"

    def words(self, view: SymbolView) -> Collection[str]:
        """The names that went."""
        gone = removed_names(view)
        return (
            {row.name for row in gone}
            | {module_stem(row.path) for row in gone}
            | {row.name for _, row in _methods(view)}
        )

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Look at every use of every name that went."""
        gone = removed_names(view)
        for removed in gone:
            for site in _sites(view, removed.name, removed.path):
                yield from _in_code(view, removed, site)
            yield from _as_patch_target(view, removed)
            yield from _as_entry_point(view, removed)
            if removed.binding.kind in {"def", "class"}:
                yield from _in_documents(view, removed)
        for file, row in _methods(view):
            for site in _sites(view, row.name, file.path):
                yield from _as_method(view, file, row, site)


def _sites(view: SymbolView, name: str, home: RelPath) -> Iterator[UseSite]:
    """Where files that may know a module read a name: as an attribute, or in the module itself as it is."""
    read = re.compile(rf"\.\s*{re.escape(name)}\b")
    for path in dict.fromkeys((home, *files_about(view, name, home, read))):
        uses = view.symbols.uses(path, Side.HEAD)
        for use in uses.uses if uses is not None else ():
            if name in use.chain and name in use.chain.split("."):
                yield UseSite(path, use, uses)  # type: ignore[arg-type]  # uses is not None here


def _in_code(view: SymbolView, removed: Removed, site: UseSite) -> Iterator[Hit]:
    use, name = site.use, removed.name
    if use.local or removed.binding.kind not in {"def", "class", "assign"}:
        return
    if site.path == removed.path:
        if use.chain.partition(".")[0] == name and _is_unbound(view, removed):
            yield _hit(view, removed, site.path, _part(use, name), use.chain)
        return
    parts = use.chain.split(".")
    if name not in parts[1:]:
        return
    chain = ".".join(parts[: parts.index(name, 1) + 1])
    now = view.symbols.resolve_chain(site.path, chain, Side.HEAD).answer
    if not isinstance(now, Missing) or now.name != name:
        return
    before = view.symbols.resolve_chain(_old_path(view, site.path), chain, Side.BASE).answer
    if isinstance(before, Found) and _old(removed) in {before.path, *before.via} and not _expected(view, site):
        yield _hit(view, removed, site.path, _part(use, chain), chain)


def _is_unbound(view: SymbolView, removed: Removed) -> bool:
    """Whether a bare name means nothing in its own module any more."""
    facts = view.symbols.facts(removed.path, Side.HEAD)
    return (
        facts is not None
        and not facts.dynamic
        and not hasattr(builtins, removed.name)
        and not any(row.name == "*" for row in facts.imports)
        and not facts.bound(removed.name)
        and not any(row.bound == removed.name for row in facts.imports)
    )


def _as_patch_target(view: SymbolView, removed: Removed) -> Iterator[Hit]:
    """``patch("module.name")`` of a name that is gone raises AttributeError."""
    target = re.compile(
        rf"\b(?:patch|setattr|patch\.object|patch\.multiple)\(\s*[\"'][\w.]+\.{re.escape(removed.name)}[\"']"
    )
    paths = {
        hit.path
        for hit in view.symbols.mentions({removed.name}, Side.HEAD)[removed.name]
        if language_of(hit.path) == "python" and target.search(hit.text) and "create=" not in hit.text
    }
    for path in sorted(paths):
        uses = view.symbols.uses(path, Side.HEAD)
        for string in uses.strings if uses is not None else ():
            module, _, name = string.value.rpartition(".")
            if name != removed.name or string.role != "argument" or not re.search(r"(?:patch|setattr)$", string.owner):
                continue
            answer = view.symbols.module(path, module, 0, Side.HEAD)
            if not isinstance(answer, InRepository) or not answer.sure or answer.paths != (removed.path,):
                continue
            if isinstance(view.symbols.resolve_name(removed.path, name, Side.HEAD), Missing):
                yield _hit(view, removed, path, string.span, string.value)


def _as_entry_point(view: SymbolView, removed: Removed) -> Iterator[Hit]:
    """``module:name`` of a project file or command, and ``"module.name"``: what imports it finds nothing."""
    modules = [re.escape(module) for module in _modules(removed.path)]
    if not modules:
        return
    name = re.escape(removed.name)
    quoted = "|".join(module for module in modules if "." in module)
    named = re.compile(
        rf"(?:(?<=[\s\"'=])(?:{'|'.join(modules)}):{name}(?![\w.])"
        + (rf"|(?<=[\"'])(?:{quoted})\.{name}(?=[\"']))" if quoted else ")")
    )
    for hit in view.symbols.mentions({removed.name}, Side.HEAD)[removed.name]:
        match = named.search(hit.text) if language_of(hit.path) in _NAMES_CODE and not is_example(hit.path) else None
        if match is None or _COMMENT.match(hit.text) or _PATCHES.search(hit.text[: match.start()]):
            continue
        if isinstance(view.symbols.resolve_name(removed.path, removed.name, Side.HEAD), Missing):
            span = Span(Position(hit.line, match.start() + 1), Position(hit.line, match.end() + 1))
            yield _hit(view, removed, hit.path, span, match.group())


def _modules(path: RelPath) -> list[str]:
    """What a module may be called: its path in dots, from the root and from below a folder of sources."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    rows = [parts, parts[1:]] if parts[0] in {"src", "lib", "python"} else [parts]
    return [".".join(row) for row in rows if row and all(part.isidentifier() for part in row)]


def _in_documents(view: SymbolView, removed: Removed) -> Iterator[Hit]:
    name = removed.name
    hits = view.symbols.mentions({name}, Side.HEAD)[name]
    for hit, span in mentioned(view.repository, hits, name, lambda hit: _may_define(hit, name)):
        yield replace(_hit(view, removed, hit.path, span, name), severity=Severity.P3)


def _may_define(hit: GrepHit, name: str) -> bool:
    """Whether a line anywhere may give the name a meaning of its own; a plain import or call does not."""
    return (
        re.search(
            rf"\b(?:def|class)\s+{name}\b|\b{name}\s*(?::[^=]*)?=(?!=)|[\"'`]{name}[\"'`]|\bas\s+{name}\b|import",
            hit.text,
        )
        is not None
    )


def _methods(view: SymbolView) -> list[tuple[FileChange, Definition]]:
    """Methods that a class lost while it stayed."""
    rows: list[tuple[FileChange, Definition]] = []
    for file in python_heads(view):
        base = file.base
        if base is None or not any(_DEFINES.match(base.index.line(line)) for line in file.removed):
            continue
        before = view.symbols.facts(base.path, Side.BASE)
        after = view.symbols.facts(file.path, Side.HEAD)
        if before is None or after is None:
            continue
        there = {row.qualified for row in after.definitions}
        rows += [
            (file, row)
            for row in before.definitions
            if row.parent == "class"
            and row.kind != "class"
            and row.line in file.removed
            and row.qualified not in there
            and row.qualified.rpartition(".")[0] in there
        ]
    return rows


def _as_method(view: SymbolView, file: FileChange, row: Definition, site: UseSite) -> Iterator[Hit]:
    """``self.name`` in the class that lost it, or ``Class.name`` anywhere."""
    owner = row.qualified.rpartition(".")[0]
    use = site.use
    scope = site.uses.scopes[use.scope]
    root, _, rest = use.chain.partition(".")
    if rest.partition(".")[0] == row.name and root in {"self", "cls"} and use.local:
        if site.path != file.path or not scope.startswith(f"{owner}."):
            return
        subject = f"{root}.{row.name}"
    else:
        parts = use.chain.split(".")
        if use.local or row.name not in parts[1:]:
            return
        subject = ".".join(parts[: parts.index(row.name, 1) + 1])
        answer = view.symbols.resolve_chain(site.path, subject, Side.HEAD)
        found = answer.answer
        if (
            not isinstance(found, Found)
            or not found.sure
            or found.definition is None
            or (found.path, found.definition.qualified, answer.rest) != (file.path, owner, (row.name,))
        ):
            return
    members = view.symbols.class_members(file.path, owner, Side.HEAD)
    if members is None or members.unseen is not None or members.named(row.name) or _expected(view, site):
        return
    if root in {"self", "cls"} and _is_abstract(view, row.name):
        return
    cause = cause_of(file, row.line)
    base = file.base
    shown = evidence(view, base.path, Side.BASE, row.line, "definition") if base is not None else ()
    yield hit_in(view, site.path, _part(use, subject), subject, cause=cause, evidence=shown)


def _is_abstract(view: SymbolView, name: str) -> bool:
    """Whether some other class may give the attribute: the class may be a mixin or have subclasses."""
    gives = re.compile(rf"\bdef\s+{name}\b|^\s+{name}\s*(?::[^=]*)?=(?!=)|\.{name}\s*=(?!=)")
    return any(gives.search(hit.text) for hit in view.symbols.mentions({name}, Side.HEAD)[name])


def _part(use: Use, chain: str) -> Span:
    if use.line != use.end_line or not use.chain.startswith(chain):
        return use.span
    return Span(Position(use.line, use.column), Position(use.line, use.column + len(chain)))


def _expected(view: SymbolView, site: UseSite) -> bool:
    source = view.repository.read(site.path, Side.HEAD)
    if source is None:
        return True
    lines = range(max(1, site.use.line - 4), min(source.index.line_count, site.use.end_line + 4) + 1)
    return any(_EXPECTED.search(source.index.line(line)) for line in lines)


def _old_path(view: SymbolView, path: RelPath) -> RelPath:
    file = view.change.file(path)
    return file.base.path if file is not None and file.base is not None else path


def _old(removed: Removed) -> RelPath:
    base = removed.file.base
    return base.path if base is not None else removed.path


def _hit(view: SymbolView, removed: Removed, path: RelPath, span: Span, subject: str) -> Hit:
    cause: Anchor = removed.cause
    shown = evidence(view, _old(removed), Side.BASE, removed.binding.line, "definition")
    return hit_in(view, path, span, subject, cause=cause, evidence=shown)


CHECKER: Final = RemovedSymbolStillUsed
