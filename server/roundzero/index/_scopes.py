"""Name scopes of one file while it is walked, and where a name's root lies.

Invariant: a scope is complete only once its whole body was walked, so roots are asked for at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Collection

ScopeKind = Literal["module", "class", "function", "comprehension"]


class Scope:
    """One scope. ``number`` is its place in the table of qualified names, shared by comprehensions and lambdas.

    ``receiver`` is the first parameter of the method around it, ``owner`` that method's class.
    """

    __slots__ = ("bound", "globals", "kind", "method", "number", "on_class", "owner", "parent", "qualified", "receiver")

    def __init__(self, kind: ScopeKind, qualified: str, number: int, parent: Scope | None) -> None:
        """Open a scope inside ``parent``; it knows its parent's receiver."""
        self.kind: ScopeKind = kind
        self.qualified = qualified
        self.number = number
        self.parent = parent
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        inherits = parent is not None and kind != "class"
        self.receiver: str = parent.receiver if inherits and parent is not None else ""
        self.owner: str = parent.owner if inherits and parent is not None else ""
        self.method: str = parent.method if inherits and parent is not None else ""
        self.on_class: bool = parent.on_class if inherits and parent is not None else False

    def enter_method(self, receiver: str, owner: str, method: str, *, on_class: bool) -> None:
        """Make this the body of a method."""
        self.receiver, self.owner, self.method, self.on_class = receiver, owner, method, on_class

    def bind(self, names: Collection[str]) -> None:
        """Note names this scope binds."""
        self.bound.update(names)

    def outside_comprehensions(self) -> Scope:
        """The scope a walrus in here binds in."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        return scope


def is_local(scope: Scope, name: str) -> bool:
    """Whether a name read in a scope is a local of a function (or class body) around it."""
    current: Scope | None = scope
    while current is not None and current.parent is not None:
        if current.kind != "class" or current is scope:
            if name in current.globals:
                return False
            if name in current.bound:
                return True
        current = current.parent
    return False
