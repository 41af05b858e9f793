"""class-attribute-only-on-self: ``Class.name`` is read, but only instances have the name: methods set it on ``self``.

Looks at uses on changed lines, and at uses elsewhere of an attribute that the change took from the class. Silent for
classes with bases that are not seen, and where anything sets the name on a class. Invariant: every way in which a class
can have the name was seen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._across import added_matches, cause_of, evidence, files_about, hit_in, python_heads
from roundzero.checkers._base import SymbolChecker
from roundzero.core.change import Side
from roundzero.core.regex import regex
from roundzero.core.resolution import Found
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from roundzero.checkers._base import SymbolView
    from roundzero.core.facts import Member, Use
    from roundzero.core.finding import Anchor, Hit
    from roundzero.core.text import RelPath

_ON_CLASS: Final = regex(r"\b(?:[A-Z]\w*|cls|__class__)\.[a-zA-Z_]\w*")
_BODY: Final = regex(r"[ \t]+\w+[ \t]*(?::[^=]*)?=(?!=)")
_EXPECTED: Final = regex(r"AttributeError|hasattr\(|getattr\(")


class ClassAttributeOnlyOnSelf(SymbolChecker):
    """Finds attributes read on a class that only instances have."""

    name = "class-attribute-only-on-self"

    def words(self, view: SymbolView) -> Collection[str]:
        """The attributes that the change took from a class."""
        return {name for _, _, name, _ in _taken(view)}

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Look at added lines, then at uses of what was taken from a class."""
        for file in python_heads(view):
            if not added_matches(file, _ON_CLASS):
                continue
            uses = view.symbols.uses(file.path, Side.HEAD)
            for use in uses.uses if uses is not None else ():
                if use.line in file.added and _ON_CLASS.search(use.chain):
                    yield from _look(view, file.path, use, uses.scopes[use.scope] if uses is not None else "", None)
        taken = {(path, owner, name): cause for path, owner, name, cause in _taken(view)}
        if not taken:
            return
        for home, owner, name in taken:
            read = re.compile(rf"\b{owner.rpartition('.')[2]}\.{name}\b")
            for path in files_about(view, name, home, read):
                changed = view.change.file(path)
                uses = view.symbols.uses(path, Side.HEAD)
                for use in uses.uses if uses is not None else ():
                    if use.local or f".{name}" not in use.chain or (changed and use.line in changed.added):
                        continue
                    yield from _look(view, path, use, "", taken)


def _taken(view: SymbolView) -> list[tuple[RelPath, str, str, Anchor]]:
    """Attributes that a class body set at the base and only methods set at the head."""
    rows: list[tuple[RelPath, str, str, Anchor]] = []
    for file in python_heads(view):
        base = file.base
        if base is None or not any(_BODY.match(base.index.line(line)) for line in file.removed):
            continue
        before = view.symbols.facts(base.path, Side.BASE)
        after = view.symbols.facts(file.path, Side.HEAD)
        if before is None or after is None:
            continue
        kinds: dict[tuple[str, str], set[str]] = {}
        for row in after.members:
            kinds.setdefault((row.owner, row.name), set()).add(row.kind)
        rows += [
            (file.path, row.owner, row.name, cause_of(file, row.line))
            for row in before.members
            if row.kind == "body" and row.line in file.removed and kinds.get((row.owner, row.name)) == {"self"}
        ]
    return rows


def _look(
    view: SymbolView,
    path: RelPath,
    use: Use,
    scope: str,
    taken: dict[tuple[RelPath, str, str], Anchor] | None,
) -> Iterator[Hit]:
    place = _class_of(view, path, use, scope)
    if place is None:
        return
    at, qualified, name, before = place
    if taken is not None and (at, qualified, name) not in taken:
        return
    setting = _set_on_self(view, at, qualified, name)
    if setting is None or _is_set_elsewhere(view, qualified, name) or _is_expected(view, path, use):
        return
    subject = f"{before}.{name}"
    span = use.span
    if use.line == use.end_line and use.chain.startswith(subject):
        span = Span(Position(use.line, use.column), Position(use.line, use.column + len(subject)))
    yield hit_in(
        view,
        path,
        span,
        subject,
        cause=taken[at, qualified, name] if taken is not None else None,
        evidence=evidence(view, setting[0], Side.HEAD, setting[1].line, "set on the instance"),
    )


def _class_of(view: SymbolView, path: RelPath, use: Use, scope: str) -> tuple[RelPath, str, str, str] | None:
    """The class a chain reads an attribute of: its file, its name, the attribute, and the chain up to it."""
    for owned in ("cls.", "self.__class__."):
        if use.chain.startswith(owned):
            facts = view.symbols.facts(path, Side.HEAD)
            method = facts.definition(scope) if facts is not None else None
            is_method = method is not None and method.parent == "class"
            if not is_method or method is None or ("classmethod" in method.decorators) != (owned == "cls."):
                return None
            return path, scope.rpartition(".")[0], use.chain.removeprefix(owned).partition(".")[0], owned[:-1]
    if use.local:
        return None
    answer = view.symbols.resolve_chain(path, use.chain, Side.HEAD)
    found = answer.answer
    if not isinstance(found, Found) or not found.sure or found.definition is None or not answer.rest:
        return None
    if found.definition.kind != "class":
        return None
    before = use.chain.removesuffix("." + ".".join(answer.rest))
    return found.path, found.definition.qualified, answer.rest[0], before


def _set_on_self(view: SymbolView, path: RelPath, qualified: str, name: str) -> tuple[RelPath, Member] | None:
    """Where the instance gets the attribute; None where the class has it, or may have."""
    members = view.symbols.class_members(path, qualified, Side.HEAD)
    if members is None or members.unseen is not None or name.startswith("__"):
        return None
    rows = members.named(name)
    if any(member.kind not in {"self", "annotation"} for _, member in rows):
        return None
    return next(((at, member) for at, member in rows if member.kind == "self"), None)


def _is_set_elsewhere(view: SymbolView, qualified: str, name: str) -> bool:
    """Whether some line may set the name on the class: from outside, or in the body of a subclass."""
    short = qualified.rpartition(".")[2]
    sets = re.compile(
        rf"\b(?:{short}|cls|klass|__class__|type\(\w+\))\.{name}\s*(?::[^=]*)?=(?!=)|^\s+{name}\s*(?::[^=]*)?=(?!=)"
        rf"|setattr\([^\n]*{name}|def {name}\b|patch\.object\([^\n]*{name}"
    )
    return any(sets.search(hit.text) for hit in view.symbols.mentions({name}, Side.HEAD)[name])


def _is_expected(view: SymbolView, path: RelPath, use: Use) -> bool:
    source = view.repository.read(path, Side.HEAD)
    if source is None:
        return True
    lines = range(max(1, use.line - 4), min(source.index.line_count, use.end_line + 4) + 1)
    return any(_EXPECTED.search(source.index.line(line)) for line in lines)


CHECKER: Final = ClassAttributeOnlyOnSelf
