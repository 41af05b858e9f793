"""Whether a name is there: in the file, class or module that is named, or as the finding's own lines use it.

A bare name of Python is judged where it is used, never by a namesake elsewhere. Of other languages it is only said that
a definition is there (_written), never that there is none. Invariant: where the change took a definition of that name
away and nothing says which one is meant, nothing is said.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import Side
from roundzero.core.claim_words import NO_CLASS, NO_FUNCTION, SYMBOL, UNDEFINED
from roundzero.core.claims import unsure
from roundzero.core.resolution import Found
from roundzero.core.text import RelPath
from roundzero.engine.probes._names import (
    Look,
    class_named,
    in_class,
    in_import,
    in_module,
    module_named,
    of_answer,
    unknown,
)
from roundzero.engine.probes._view import bare, is_python
from roundzero.engine.probes._written import all_definitions, definitions, family_of, is_readable, lost

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from roundzero.core.claims import Asked, Outcome
    from roundzero.engine.probes._view import ProbeView
    from roundzero.engine.probes._written import Written

_OWN: Final = frozenset({"self", "cls"})


class SymbolExists:
    """See the module."""

    kind = SYMBOL

    def words(self, asked: Asked) -> Collection[str]:
        """Each part of the name, and of where it should be."""
        place = bare(asked.probe.path)
        parts = [] if "/" in place or place.endswith((".py", ".pyi")) else place.split(".")
        return {part for part in (*bare(asked.probe.subject).split("."), *parts) if part.isidentifier()} - _OWN

    def look(self, asked: Asked, view: ProbeView) -> Outcome:
        """See Probing."""
        name, place = bare(asked.probe.subject), bare(asked.probe.path)
        if not all(part.isidentifier() for part in name.split(".")):
            return unsure(f"{name[:60]!r} is no name")
        look = _placed(view, asked, name, place) if place else _unplaced(view, asked, name)
        if look.there is None or (look.there and not _is_what_was_meant(look, asked)):
            return unsure(look.words)
        return view.answer(asked, there=look.there, words=look.words, reads=look.reads, wide=look.wide)


PROBE: Final = SymbolExists()


def _is_what_was_meant(look: Look, asked: Asked) -> bool:
    """Whether what is there is of the kind, and in the place, that it is said not to be."""
    expected = asked.probe.expect
    if expected == UNDEFINED:
        return look.own
    wanted = {NO_FUNCTION: "function", NO_CLASS: "class"}.get(expected)
    return wanted is None or look.kind == wanted


def _placed(view: ProbeView, asked: Asked, name: str, place: str) -> Look:
    """A name in a file, a class or a module that is named."""
    path = view.file(place, asked.path)
    if path is not None:
        return _in_file(view, path, name)
    if "/" in place or place.endswith((".py", ".pyi")):
        return unknown(f"it is not clear which file {place} is")
    if "." in name or not all(part.isidentifier() for part in place.split(".")):
        return unknown(f"it is not clear what {place} is")
    found = class_named(view, asked.path if is_python(asked.path) else None, place)
    if found is not None:
        return in_class(view, *found, name)
    path = module_named(view, asked.path, place) if asked.path is not None and is_python(asked.path) else None
    return in_module(view, path, name) if path is not None else unknown(f"it is not clear what {place} is")


def _in_file(view: ProbeView, path: RelPath, name: str) -> Look:
    if is_readable(path) and "." not in name:
        return _as_written(definitions(view, path, name), name)
    if not is_python(path):
        return unknown(f"{path} is not Python")
    owner, _, last = name.rpartition(".")
    return in_class(view, path, owner, last) if owner else in_module(view, path, name)


def _unplaced(view: ProbeView, asked: Asked, name: str) -> Look:
    if asked.path is None or not is_python(asked.path):
        is_written = asked.path is not None and is_readable(asked.path) and "." not in name
        return _written_near(view, asked, name) if is_written else unknown("it stands in no file that can be read")
    first, *rest = name.split(".")
    if first in _OWN:
        owner = _class_around(view, asked)
        return in_class(view, asked.path, owner, rest[0]) if owner and len(rest) == 1 else unknown("of no class seen")
    if rest:
        return _dotted(view, asked.path, name)
    if not _is_code(view, asked, name):
        return unknown(f"it is not clear what {name} is")
    if (gone := view.lost(name)) is not None:
        looks = [look for look in _uses(view, asked, name) if look.there is not True]
        return _agreeing(looks, f"the change removes a {name} from {gone}")
    return _agreeing(list(_uses(view, asked, name)), f"it is not clear which {name} is meant")


def _written_near(view: ProbeView, asked: Asked, name: str) -> Look:
    """A bare name in another language: as the file of the finding defines it, or one it quotes, or the only one."""
    path = asked.path or RelPath("")
    family = family_of(path)
    files = dict.fromkeys((path, *(each for each, _ in asked.places if family_of(each) == family)))
    near = [row for each in files for row in definitions(view, each, name)]
    lines = {(hit.path, hit.line): hit.text for hit in view.hits(name)}
    own = {(each.path, each.line) for each in near}
    quoted = [lines[place] for place in asked.places if place in lines and place not in own]
    if any(re.search(rf"(?:\.|->|::)\s*{re.escape(name)}\b", line) for line in quoted):
        return unknown(f"{name} is read of something unknown")
    if (gone := lost(view, path, name)) is not None:
        return unknown(f"the change removes a {name} from {gone}")
    if near:
        return _as_written(near, name)
    found = all_definitions(view, path, name)
    return _as_written(found, name) if found is not None and len(found) == 1 else unknown(f"no {name} is seen for sure")


def _as_written(rows: Sequence[Written], name: str) -> Look:
    """That a name is there, where it is written; nothing where it is not, or once so and once otherwise."""
    if not rows or len({row.kind for row in rows}) != 1:
        return unknown(f"no {name} is seen for sure")
    (first, *_) = rows
    return Look(there=True, words=f"{first.words} defines {name}", reads=(first.path,), kind=first.kind)


def _is_code(view: ProbeView, asked: Asked, name: str) -> bool:
    """Whether a bare name is one of Python here: the claim calls it so, or the quoted lines call, import or define it.

    A key of a dict or a column of a table may read the same.
    """
    if f"{name}(" in asked.text or asked.probe.expect in {NO_FUNCTION, NO_CLASS}:
        return True
    used = re.compile(rf"\b{name}\s*\(|\b(?:import|def|class)\b[^\n\"']*\b{name}\b|@{name}\b")
    lines = {(hit.path, hit.line): hit.text for hit in view.hits(name)}
    return any(used.search(lines[place]) for place in asked.places if place in lines)


def _class_around(view: ProbeView, asked: Asked) -> str | None:
    """The innermost class that a finding stands in."""
    facts = view.symbols.facts(asked.path, Side.HEAD) if asked.path is not None else None
    parts = (asked.symbol or "").split(".")
    for number in range(len(parts), 0, -1):
        definition = facts.definition(".".join(parts[:number])) if facts is not None else None
        if definition is not None and definition.kind == "class":
            return definition.qualified
    return None


def _dotted(view: ProbeView, path: RelPath, name: str) -> Look:
    """A dotted name as a file reads it, or of the only class that is called so."""
    chain = view.symbols.resolve_chain(path, name, Side.HEAD)
    found = chain.answer
    first, *rest = name.split(".")
    facts = view.symbols.facts(path, Side.HEAD)
    if facts is not None and any(row.where for row in facts.bound(first)):
        return unknown(f"{path} binds {first} under a condition")
    if isinstance(found, Found) and found.definition is not None and len(chain.rest) == 1:
        if found.definition.kind != "class" or not found.sure or found.definition.where:
            return unknown(f"{name} is no attribute of a class that is seen")
        return in_class(view, found.path, found.definition.qualified, chain.rest[0])
    if not chain.rest:
        last = found.binding.name if isinstance(found, Found) and found.binding is not None else name.rpartition(".")[2]
        look = of_answer(view, path, last, found)
        if look.there is not None:
            return look
    if facts is not None and not facts.bound(first) and len(rest) == 1:
        owner = class_named(view, path, first)
        if owner is not None:
            return in_class(view, *owner, rest[0])
    return unknown(f"it is not clear what {first} is")


def _uses(view: ProbeView, asked: Asked, name: str) -> Iterator[Look]:
    """What a bare name is in the files that the finding quotes: at their top level, as imported, as used there."""
    files = dict.fromkeys(path for path in (asked.path, *(path for path, _ in asked.places)) if is_python(path))
    for path in files:
        if path is None or not view.names(path, name):
            continue
        facts = view.symbols.facts(path, Side.HEAD)
        if facts is None:
            yield unknown(f"{path} is no Python that can be read")
            continue
        rows = [row for row in facts.imports if row.bound == name and row.name]
        if facts.bound(name):
            yield in_module(view, path, name)
        elif rows:
            yield from (in_import(view, path, row) for row in rows)
        else:
            yield from _read_there(view, asked, path, name)


def _read_there(view: ProbeView, asked: Asked, path: RelPath, name: str) -> Iterator[Look]:
    """What the last part of a dotted name is on the quoted lines of a file."""
    lines = {line for at, line in asked.places if at == path}
    uses = view.symbols.uses(path, Side.HEAD)
    for use in uses.uses if uses is not None else ():
        if use.line in lines and use.chain.rpartition(".")[2] == name and "." in use.chain:
            unclear = use.local or use.chain.startswith(".")
            yield (
                unknown(f"{path}:{use.line} reads it of something unknown")
                if unclear
                else _dotted(view, path, use.chain)
            )


def _agreeing(looks: list[Look], otherwise: str) -> Look:
    """What all of them say."""
    answers = {look.there for look in looks}
    if len(answers) != 1 or answers == {None}:
        return unknown(next((look.words for look in looks if look.there is None), otherwise))
    reads = tuple(dict.fromkeys(path for look in looks for path in look.reads))
    return replace(looks[0], reads=reads)
