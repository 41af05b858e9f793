"""The attributes of a class with those of its bases, as far as the repository shows them.

Not a method resolution order: only whether an attribute exists is answered. Invariant: ``unseen`` is None only where
every base was found and nothing may add attributes while the program runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.resolution import ClassMembers, Found

if TYPE_CHECKING:
    from collections.abc import Callable

    from roundzero.core.facts import Definition, Member, ModuleFacts
    from roundzero.core.resolution import ChainAnswer
    from roundzero.core.text import RelPath

_HARMLESS_BASES: Final = frozenset(
    {"object", "Generic", "typing.Generic", "Protocol", "typing.Protocol", "ABC", "abc.ABC"}
)
_HARMLESS_META: Final = frozenset({"ABCMeta", "abc.ABCMeta"})
_HARMLESS_DECORATORS: Final = frozenset(
    {"dataclass", "dataclasses.dataclass", "final", "typing.final", "runtime_checkable", "typing.runtime_checkable",
     "functools.total_ordering", "total_ordering", "override", "deprecated"}
)  # fmt: skip
_HOOKS: Final = frozenset({"__getattr__", "__getattribute__"})


def class_members(
    path: RelPath,
    qualified: str,
    facts: Callable[[RelPath], ModuleFacts | None],
    chain: Callable[[RelPath, str], ChainAnswer],
) -> ClassMembers | None:
    """The attributes of a class; None when the file has no such class."""
    rows: list[tuple[RelPath, Member]] = []
    unseen: str | None = None
    waiting: list[tuple[RelPath, str]] = [(path, qualified)]
    seen: set[tuple[RelPath, str]] = set()
    while waiting:
        place = waiting.pop(0)
        if place in seen:
            continue
        seen.add(place)
        at, name = place
        module = facts(at)
        definition = module.definition(name) if module is not None else None
        if module is None or definition is None or definition.kind != "class":
            if place == (path, qualified):
                return None
            unseen = unseen or f"{name} of {at} is no class that is seen"
            continue
        members = module.members_of(name)
        rows += [(at, member) for member in members]
        unseen = unseen or _doubt(module, definition, members)
        for base in definition.bases:
            if base in _HARMLESS_BASES:
                continue
            found = chain(at, base)
            answer = found.answer
            if not isinstance(answer, Found) or answer.binding is None:
                unseen = unseen or f"the base {base or 'of ' + name} is not seen"
                continue
            waiting.append((answer.path, ".".join((answer.binding.name, *found.rest))))
    return ClassMembers(tuple(rows), unseen)


def _doubt(module: ModuleFacts, definition: Definition, members: tuple[Member, ...]) -> str | None:
    """Why a class may have attributes that are not seen."""
    if sum(row.qualified == definition.qualified for row in module.definitions) > 1:
        return f"{definition.name} is defined more than once"
    if definition.parent == "function":
        return f"{definition.name} is defined in a function"
    for keyword, value in definition.keywords:
        if not (keyword == "metaclass" and value in _HARMLESS_META):
            return f"{definition.name} is made by {value or keyword}"
    for decorator in definition.decorators:
        if decorator not in _HARMLESS_DECORATORS:
            return f"{definition.name} is decorated by {decorator or 'an expression'}"
    for member in members:
        if member.name in _HOOKS or member.name == "*":
            return f"{definition.name} has {member.name}"
    return None
