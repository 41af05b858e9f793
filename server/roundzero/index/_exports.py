"""What a module says in ``__all__``: a list of names, or something computed.

Does not evaluate anything. Invariant: a name in ``names`` was seen.
"""

from __future__ import annotations

import ast


class Exports:
    """``__all__`` as it is built up statement by statement."""

    def __init__(self) -> None:
        """Nothing is said yet."""
        self.names: list[str] | None = None
        self.computed = False
        self.place: tuple[int, int, int, int] | None = None

    def assigned(self, target: ast.expr, value: ast.expr, place: tuple[int, int, int, int]) -> None:
        """A module-level assignment."""
        if isinstance(target, (ast.Tuple, ast.List)):
            self.computed |= any(isinstance(row, ast.Name) and row.id == "__all__" for row in target.elts)
        elif isinstance(target, ast.Name) and target.id == "__all__":
            self.names = []
            self.place = place
            self._extend(value)

    def augmented(self, node: ast.AugAssign) -> None:
        """A module-level ``+=``."""
        if isinstance(node.target, ast.Name) and node.target.id == "__all__":
            self._extend(node.value)

    def called(self, node: ast.Call) -> None:
        """A call that is a statement of its own at module level."""
        function = node.func
        if not (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)):
            return
        if function.value.id != "__all__" or len(node.args) != 1:
            return
        if function.attr == "extend":
            self._extend(node.args[0])
        elif function.attr == "append":
            self._extend(ast.List([node.args[0]], ast.Load()))
        else:
            self.computed = True

    def _extend(self, value: ast.expr) -> None:
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            self._extend(value.left)
            self._extend(value.right)
            return
        if not isinstance(value, (ast.List, ast.Tuple, ast.Set)):
            self.computed = True
            return
        for element in value.elts:
            name = element.value if isinstance(element, ast.Constant) else None
            if isinstance(name, str):
                self.names = [*(self.names or ()), name]
            else:
                self.computed = True
