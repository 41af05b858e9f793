"""What one Python file says, as plain values: what it defines and imports, and what it uses.

Produced by index/python_facts.py and kept by blob id, so nothing in here depends on a path, a side or another file.
``ModuleFacts`` answers what a name means and is small; ``ModuleUses`` says who uses what and is large; they are kept
apart so that resolving names never loads uses. Rows are named tuples, not dataclasses: a long file has thousands, and a
tuple costs a fifth of a frozen dataclass and is already JSON. Invariant: lines and columns count from 1, columns are
code points, and the end of a place is exclusive.
"""

from __future__ import annotations

from enum import IntFlag
from typing import Literal, NamedTuple

from roundzero.core.frozen import dataclass
from roundzero.core.text import Position, Span

FACTS_VERSION = 3
"""Changes with every change of what is extracted; facts of another version are not used."""


class Where(IntFlag):
    """The circumstances of a binding or an import."""

    PLAIN = 0
    CONDITIONAL = 1
    """Below an ``if``, a loop or a ``match``."""
    TRIED = 2
    """In a ``try`` statement: its failure is expected, or it stands in for another."""
    TYPING = 4
    """Below ``if TYPE_CHECKING:``: not there when the program runs."""
    LAZY = 8
    """Inside a function: happens when that is called."""


BindingKind = Literal["def", "class", "assign", "augment", "annotate", "import", "global", "delete"]
"""How a name is bound at module level. ``annotate`` and ``delete`` bind nothing; ``global``: a function declares it."""

ParameterKind = Literal["positional", "either", "star", "keyword", "double-star"]

MemberKind = Literal["body", "annotation", "method", "slot", "self", "class"]
"""How a class has an attribute: set in its body, only annotated there, a method, named in ``__slots__``, set on the
first parameter of an instance method, or set on the class, inside or outside of it."""

LiteralRole = Literal[
    "key", "index", "argument", "keyword", "compare", "element", "return", "default", "assign", "case"
]
"""What a string is used as. ``key``: of a dict display; ``index``: ``d["x"]``; ``element``: of a list, tuple or set."""


class Binding(NamedTuple):
    """One way in which a name is bound (or unbound) at module level, and the place of the name or of the statement.

    ``where`` is a ``Where``.
    """

    name: str
    kind: BindingKind
    line: int
    column: int
    end_line: int
    end_column: int
    where: int


class Parameter(NamedTuple):
    """One parameter. ``default`` is its text, shortened; None where there is none."""

    name: str
    kind: ParameterKind
    default: str | None


class Definition(NamedTuple):
    """A function or class at any depth. The place is that of its name.

    ``first_line`` counts its decorators, ``last_line`` is its end. ``decorators``, ``bases`` and the values of
    ``keywords`` (``metaclass=Meta``) are dotted names, "" for anything else. ``parent`` is the kind of scope around it.
    """

    name: str
    qualified: str
    kind: Literal["function", "async", "class"]
    parent: Literal["module", "class", "function"]
    line: int
    column: int
    end_line: int
    end_column: int
    first_line: int
    last_line: int
    where: int
    decorators: tuple[str, ...]
    bases: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...]
    parameters: tuple[Parameter, ...]

    @property
    def span(self) -> Span:
        """The place of the name."""
        return Span(Position(self.line, self.column), Position(self.end_line, self.end_column))


class Member(NamedTuple):
    """An attribute of the class with the qualified name ``owner``.

    ``method`` is the method or, for what is set from outside, the function that sets it; "" for body and module.
    The name "*" stands for attributes whose names are computed. The place is that of the name or target.
    """

    owner: str
    name: str
    kind: MemberKind
    method: str
    line: int
    column: int
    end_line: int
    end_column: int


class Import(NamedTuple):
    """One name of an import statement. The place is that of the name with its ``as``.

    ``import a.b as c``: module "a.b", name "", asname "c". ``from ..a import b``: module "a", level 2, name "b".
    ``first_line`` is the statement's; ``scope`` is the qualified name of the function or class around it.
    """

    module: str
    level: int
    name: str
    asname: str
    line: int
    column: int
    end_line: int
    end_column: int
    first_line: int
    where: int
    scope: str

    @property
    def span(self) -> Span:
        """The place of the name with its ``as``."""
        return Span(Position(self.line, self.column), Position(self.end_line, self.end_column))

    @property
    def bound(self) -> str:
        """The name it binds; "*" for a star import."""
        return self.asname or self.name or self.module.partition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFacts:
    """What a file defines.

    ``exported`` are the names in ``__all__``; None without one, and also when it is computed (``computed_all``), when
    ``__all__`` is one of ``dynamic`` no more than any name. ``dynamic`` says what may bind names that cannot be seen
    (``globals()``, a module's ``__getattr__``, ...); ``computed_path``: the package's ``__path__`` is touched.
    ``replaces_modules``: ``sys.modules[...]`` is used, so what the file imports may be a stand-in.
    """

    bindings: tuple[Binding, ...]
    definitions: tuple[Definition, ...]
    members: tuple[Member, ...]
    imports: tuple[Import, ...]
    exported: tuple[str, ...] | None
    computed_all: bool
    all_place: tuple[int, int, int, int] | None
    dynamic: tuple[str, ...]
    computed_path: bool
    replaces_modules: bool

    def bound(self, name: str) -> tuple[Binding, ...]:
        """Everything that binds or unbinds a name at module level."""
        return tuple(binding for binding in self.bindings if binding.name == name)

    def definition(self, qualified: str) -> Definition | None:
        """The last definition of a qualified name, which is the one that stays."""
        return next((row for row in reversed(self.definitions) if row.qualified == qualified), None)

    def members_of(self, qualified: str) -> tuple[Member, ...]:
        """The attributes of a class, without those of its bases."""
        return tuple(member for member in self.members if member.owner == qualified)

    def import_of(self, name: str) -> tuple[Import, ...]:
        """The imports that bind a name at module level."""
        return tuple(row for row in self.imports if row.bound == name and not row.scope)


class Use(NamedTuple):
    """A name or dotted name that is read. ``chain`` starts with "." where the root is no name: ``f().b`` is ".b".

    ``local``: its root is a local variable or parameter of a function around it. ``scope`` is an index into
    ``ModuleUses.scopes``.
    """

    chain: str
    line: int
    column: int
    end_line: int
    end_column: int
    scope: int
    local: bool

    @property
    def span(self) -> Span:
        """The place of the whole chain."""
        return Span(Position(self.line, self.column), Position(self.end_line, self.end_column))


class Call(NamedTuple):
    """A call, and the place of all of it. ``callee`` as ``Use.chain``; ``first``: that of the first argument, or ""."""

    callee: str
    first: str
    line: int
    column: int
    end_line: int
    end_column: int
    scope: int
    local: bool


class StringUse(NamedTuple):
    """A short string without white space, and what it is used as.

    ``owner`` is the callee of an argument, the chain that is indexed or compared, or the name that is assigned or
    passed by keyword.
    """

    value: str
    role: LiteralRole
    owner: str
    line: int
    column: int
    end_line: int
    end_column: int
    scope: int

    @property
    def span(self) -> Span:
        """The place with its quotes."""
        return Span(Position(self.line, self.column), Position(self.end_line, self.end_column))


class Raise(NamedTuple):
    """A ``raise`` statement. ``exception`` is the class's dotted name, "" for a re-raise."""

    exception: str
    line: int
    column: int
    end_line: int
    end_column: int
    scope: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleUses:
    """What a file uses, in source order within a function. ``scopes[0]`` is "", the module level."""

    scopes: tuple[str, ...]
    uses: tuple[Use, ...]
    calls: tuple[Call, ...]
    strings: tuple[StringUse, ...]
    raises: tuple[Raise, ...]

    def raises_in(self, qualified: str) -> tuple[Raise, ...]:
        """The raise statements of a function, without those of functions inside it."""
        return tuple(row for row in self.raises if self.scopes[row.scope] == qualified)

    def calls_in(self, qualified: str) -> tuple[Call, ...]:
        """The calls of a function, without those of functions inside it."""
        return tuple(row for row in self.calls if self.scopes[row.scope] == qualified)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """All facts of one file."""

    module: ModuleFacts
    uses: ModuleUses
