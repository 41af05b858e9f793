"""What a name of a module is, on one side: through imports, re-exports and star imports.

Decides from files alone; that nothing elsewhere sets the name is checked by ``doubts``. Invariant: *missing* means that
every file that could bind the name was seen, parsed and is without it; in doubt the answer is unknown.
"""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from roundzero.core.facts import Where
from roundzero.core.resolution import (
    ChainAnswer,
    External,
    Found,
    InRepository,
    Missing,
    NameAnswer,
    Namespace,
    Unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from roundzero.core.facts import Binding, Definition, Import, ModuleFacts
    from roundzero.core.text import RelPath
    from roundzero.index.modules import Modules

DEEPEST: Final = 60
"""Most modules a name is followed through."""

_GENERATED: Final = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py")
"""Endings of what the compiler of protocol buffers writes, which may bind names by calls alone."""
_BINDING_NOTHING: Final = frozenset({"annotate", "delete"})
_Seen = frozenset[tuple[str, str]]


class Names:
    """Names of the modules of one side. ``facts`` gives a file's facts and ends the question when time is over."""

    def __init__(self, modules: Modules, facts: Callable[[RelPath], ModuleFacts | None]) -> None:
        """Ask ``modules`` and ``facts``."""
        self._modules = modules
        self._facts = facts

    def name(self, path: RelPath, name: str) -> NameAnswer:
        """A name of the module in a file."""
        return self._name(path, name, frozenset())

    def imported(self, importer: RelPath, row: Import) -> NameAnswer:
        """What an import binds; of a star import, and of plain modules, the module."""
        return self._imported(importer, row, frozenset())

    def chain(self, path: RelPath, chain: str) -> ChainAnswer:
        """A dotted name read at the module level of a file."""
        first, *rest = chain.split(".")
        if not first:
            return ChainAnswer(Unknown("its root is an expression"), tuple(rest))
        facts = self._facts(path)
        if facts is None:
            return ChainAnswer(Unknown(f"{path} does not parse"), tuple(rest))
        bound = [row for row in facts.bound(first) if row.kind not in _BINDING_NOTHING]
        if not bound:
            return ChainAnswer(Unknown(f"{first} is not bound in the file"), tuple(rest))
        plain = [row for row in facts.import_of(first) if not row.name and not row.asname]
        if plain and len(bound) == len(plain):
            return self._below(self._top(path, first), tuple(rest))
        return self._below(self._name(path, first, frozenset()), tuple(rest))

    def _top(self, path: RelPath, first: str) -> NameAnswer:
        answer = self._modules.find(path, first)
        if isinstance(answer, InRepository) and answer.sure and len(answer.paths) == 1:
            return Found(path=answer.paths[0], binding=None)
        return Unknown(f"{first} is not surely of this repository")

    def _below(self, answer: NameAnswer, rest: tuple[str, ...]) -> ChainAnswer:
        while rest and isinstance(answer, Found) and answer.is_module:
            below = self._name(answer.path, rest[0], frozenset())
            if not answer.sure and isinstance(below, Missing):
                below = Unknown(f"another module than {answer.path} may be meant")
            elif not answer.sure and isinstance(below, Found):
                below = replace(below, sure=False)
            answer, rest = below, rest[1:]
        if rest and isinstance(answer, Found) and answer.binding is not None and answer.binding.kind == "import":
            answer = Unknown(f"{answer.binding.name} is not followed out of the repository")
        return ChainAnswer(answer, rest)

    def _imported(  # noqa: PLR0911  one return per kind of answer
        self, importer: RelPath, row: Import, seen: _Seen
    ) -> NameAnswer:
        answer = self._modules.find(importer, row.module, row.level)
        if isinstance(answer, External):
            return Unknown(f"{row.module} is external")
        if isinstance(answer, Unknown):
            return answer
        if isinstance(answer, Namespace):
            return self._in_namespace(importer, row)
        if not isinstance(answer, InRepository):
            return Unknown(f"{answer.package} has no module for {row.module or '.'}")
        if not answer.sure:
            return Unknown(f"{row.module} is not surely of this repository")
        several = len(answer.paths) > 1
        if not row.name or row.name == "*":
            return Found(path=answer.paths[0], binding=None, sure=not several)
        answers = [self._name(path, row.name, seen) for path in answer.paths]
        for found in answers:
            if isinstance(found, Found):
                return replace(found, sure=found.sure and not several)
        return next((unknown for unknown in answers if isinstance(unknown, Unknown)), answers[0])

    def _in_namespace(self, importer: RelPath, row: Import) -> NameAnswer:
        if row.name and row.name != "*":
            dotted = f"{row.module}.{row.name}" if row.module else row.name
            below = self._modules.find(importer, dotted, row.level)
            if isinstance(below, InRepository):
                return Found(path=below.paths[0], binding=None)
        return Unknown(f"{row.module or '.'} is a folder without __init__.py")

    def _name(  # noqa: PLR0911  one return per kind of answer
        self, path: RelPath, name: str, seen: _Seen
    ) -> NameAnswer:
        if (path, name) in seen or len(seen) > DEEPEST:
            return Missing(path, name)
        seen |= {(path, name)}
        facts = self._facts(path)
        if facts is None:
            return Unknown(f"{path} does not parse")
        is_stub = path.endswith(".pyi")
        is_package = path.rpartition("/")[2] in {"__init__.py", "__init__.pyi"}
        bound = [row for row in facts.bound(name) if row.kind != "delete" and (is_stub or row.kind != "annotate")]
        if is_package and bound and self._only_asks_itself(path, facts, bound):
            bound = []
        if bound:
            return self._follow(path, facts, bound, seen)
        if is_package and (below := self._modules.submodule(path, name)) is not None:
            return _as_name(below)
        was_source = is_package and self._modules.is_gone(path, name)
        if (reason := _doubt(path, name, facts, is_package=is_package, was_source=was_source)) is not None:
            return Unknown(reason)
        starred = self._through_stars(path, name, facts, seen)
        if starred is not None:
            return starred
        stub = f"{path}i"
        if not is_stub and self._modules.tree.is_file(stub):
            return Unknown(f"{stub} describes the module")
        return Missing(path, name, self._near(path, name, facts, is_package=is_package))

    def _only_asks_itself(self, path: RelPath, facts: ModuleFacts, bound: list[Binding]) -> bool:
        """Whether a package binds a name only by ``from . import name``, which asks for a submodule and makes none.

        A package that names its own submodule without a dot is one of Python 2, and means that.
        """
        if any(row.kind != "import" for row in bound):
            return False
        for row in facts.import_of(bound[-1].name):
            answer = self._modules.find(path, row.module, row.level) if row.name == bound[-1].name else None
            if not isinstance(answer, InRepository) or path not in answer.paths:
                return False
            if not row.level and self._modules.submodule(path, row.module) is not None:
                return False
        return True

    def _follow(self, path: RelPath, facts: ModuleFacts, bound: list[Binding], seen: _Seen) -> NameAnswer:
        """The end of a chain of re-exports; where it cannot be followed, the file that binds the name."""
        last = bound[-1]
        here = Found(path=path, binding=last, definition=_definition(facts, last), sure=len(bound) == 1)
        if any(row.kind != "import" for row in bound):
            return here if last.kind != "import" else self._not_import(path, facts, bound)
        rows = sorted(facts.import_of(last.name), key=lambda row: bool(row.where & Where.TYPING))
        for row in rows:
            if not row.name and not row.asname:
                continue
            answer = self._imported(path, row, seen)
            if isinstance(answer, Found):
                return replace(answer, via=(path, *answer.via), sure=answer.sure and here.sure)
        return here

    def _not_import(self, path: RelPath, facts: ModuleFacts, bound: list[Binding]) -> Found:
        own = next(row for row in reversed(bound) if row.kind != "import")
        return Found(path=path, binding=own, definition=_definition(facts, own), sure=False)

    def _through_stars(self, path: RelPath, name: str, facts: ModuleFacts, seen: _Seen) -> Found | Unknown | None:
        """What star imports bring; None when they surely do not bring the name."""
        doubt: Unknown | None = None
        for row in facts.imports:
            if row.name != "*":
                continue
            answer = self._modules.find(path, row.module, row.level)
            if not isinstance(answer, InRepository):
                doubt = Unknown(f"{path} imports * from {'.' * row.level}{row.module}, which is not seen")
                continue
            if not answer.sure:
                doubt = Unknown(f"{path} imports * from {row.module}, which is not surely of this repository")
            for target in answer.paths:
                brought = self._brought(target, name, seen)
                if isinstance(brought, Found):
                    return replace(brought, via=(path, *brought.via), sure=brought.sure and len(answer.paths) == 1)
                doubt = brought or doubt
        return doubt

    def _brought(self, path: RelPath, name: str, seen: _Seen) -> Found | Unknown | None:
        """Whether ``from path import *`` brings a name."""
        facts = self._facts(path)
        if facts is None:
            return Unknown(f"{path} does not parse")
        if not facts.computed_all and (
            name not in facts.exported if facts.exported is not None else name.startswith("_")
        ):
            return Unknown(f"{path} is dynamic") if facts.dynamic and facts.exported is None else None
        answer = self._name(path, name, seen)
        return None if isinstance(answer, Missing) else answer

    def _near(self, path: RelPath, name: str, facts: ModuleFacts, *, is_package: bool) -> tuple[str, ...]:
        names = {row.name for row in facts.bindings if row.kind not in _BINDING_NOTHING and row.name != name}
        if is_package:
            names.update(self._modules.submodules(path))
        return tuple(difflib.get_close_matches(name, sorted(names), n=3, cutoff=0.75))


def _as_name(answer: object) -> NameAnswer:
    if isinstance(answer, InRepository):
        return Found(path=answer.paths[0], binding=None)
    if isinstance(answer, Unknown):
        return answer
    return Unknown("it is a folder without __init__.py")


def _doubt(path: RelPath, name: str, facts: ModuleFacts, *, is_package: bool, was_source: bool) -> str | None:
    """Why a file may bind a name although it is not seen to. ``was_source``: a source file was the submodule."""
    if facts.dynamic:
        return f"{path} is dynamic: {facts.dynamic[0]}"
    if path.endswith(_GENERATED):
        return f"{path} is generated"
    if name.startswith("__") and name.endswith("__") and not was_source:
        return f"{name} may be set by the interpreter"
    if any(row.kind != "import" for row in facts.bound(name)):
        return f"{path} only annotates or deletes {name}"
    if is_package and facts.computed_path and not was_source:  # of one that was, who asks looks closer
        return f"{path} changes where its submodules are found"
    return None


def _definition(facts: ModuleFacts, binding: Binding) -> Definition | None:
    return facts.definition(binding.name) if binding.kind in {"def", "class"} else None
