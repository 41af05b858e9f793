"""Takes a parameter out of a function's signature, its argument out of the calls, and its entry out of the docstring.

Only the function's own file is looked at, and the title says so. Nothing is offered for a public function that it does
not call, since all its callers are elsewhere, nor unless every place of the file that names the function is surely it
and can be mended: a plain call, or one on ``self`` or ``cls`` inside of the class. Invariant: an argument or a default
whose evaluation may do something stays, and with it all the rest.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._brackets import bracket
from roundzero.checkers._entries import without_entry
from roundzero.checkers._python import dotted, near, within
from roundzero.core.finding import Edit, Fix
from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundzero.checkers._python import Function, Parsed

_DOES_SOMETHING: Final = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.GeneratorExp)
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class _Parameter:
    """A parameter of a function; ``owner``: the class it is a method of; ``place``: its place among plain arguments."""

    node: Function
    name: str
    owner: ast.ClassDef | None
    place: int | None


def take_out(file: Parsed, node: Function, parameter: ast.arg) -> tuple[Fix, ...]:
    """The fix, or none where something in the file is in doubt."""
    taken = _parameter(file, node, parameter)
    if taken is None:
        return ()
    calls = _calls(file, taken)
    signature = _out_of_signature(file, taken)
    documented = without_entry(file, node, taken.name)
    if calls is None or signature is None or documented is None or not (calls or node.name.startswith("_")):
        return ()
    edits = [signature, *documented]
    mended = 0
    for call in calls:
        found = _out_of_call(file, call, taken)
        if found is None:
            return ()
        mended += len(found)
        edits += found
    where = f" and {mended} call{'s' if mended > 1 else ''} of this file" if mended else ""
    return (Fix(f"Take {taken.name} out of the signature{where}", safe=False, edits=tuple(edits)),)


def _parameter(file: Parsed, node: Function, parameter: ast.arg) -> _Parameter | None:
    """What is known of it; None where the keyword would be taken by ``**`` or the function is inside of others."""
    arguments = node.args
    if arguments.kwarg is not None or "# type: (" in file.text(node) or _has_active_default(arguments, parameter):
        return None
    owner = None
    if node not in file.tree.body:
        owner = next((each for each in file.tree.body if isinstance(each, ast.ClassDef) and node in each.body), None)
        if owner is None:
            return None
    plain = [*arguments.posonlyargs, *arguments.args]
    is_static = any(dotted(each) == "staticmethod" for each in node.decorator_list)
    first = 0 if owner is None or is_static else 1
    if first and (not plain or plain[0].arg not in {"self", "cls"}):
        return None
    return _Parameter(node, parameter.arg, owner, plain.index(parameter) - first if parameter in plain else None)


def _has_active_default(arguments: ast.arguments, parameter: ast.arg) -> bool:
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = zip((*plain[len(plain) - len(arguments.defaults) :], *arguments.kwonlyargs),
                   (*arguments.defaults, *arguments.kw_defaults), strict=True)  # fmt: skip
    default = next((value for owner, value in defaults if owner is parameter), None)
    return default is not None and any(isinstance(part, _DOES_SOMETHING) for part in ast.walk(default))


def _calls(file: Parsed, taken: _Parameter) -> list[ast.Call] | None:
    """The calls of a function in its file; None where its name stands for anything else, or may."""
    name, owner = taken.node.name, taken.owner
    nodes = [*near(file, {name})]
    if any(_may_be_another(each, taken) for each in nodes):
        return None
    calls = [each for each in nodes if isinstance(each, ast.Call) and name == dotted(each.func).rpartition(".")[2]]
    calls = [each for each in calls if owner is not None or isinstance(each.func, ast.Name)]
    if owner is not None:
        inside = {id(each) for method in owner.body for each in _on_itself(method)}
        named = [each for each in nodes if isinstance(each, (ast.Name, ast.Attribute)) and name == _last(each)]
        if any(id(call) not in inside for call in calls) or len(named) != len(calls):
            return None
    return calls


def _may_be_another(node: ast.AST, taken: _Parameter) -> bool:
    """Whether a node gives the function's name to something else, or reaches the function by its name as a text."""
    name = taken.node.name
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Attribute):
        return node.attr == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.alias):
        return name in {node.asname, node.name}
    if isinstance(node, ast.arg):
        return node.arg == name and taken.owner is None
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value.rpartition(".")[2] == name
    return isinstance(node, _DEFINITIONS) and node.name == name and node is not taken.node


def _last(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _on_itself(method: ast.stmt) -> list[ast.AST]:
    """The calls on ``self`` and ``cls`` that a method makes, if nothing in it gives these names to anything else."""
    if not isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return []
    first = next(iter([*method.args.posonlyargs, *method.args.args]), None)
    parts = [*within(method, into_scopes=True)]
    for part in parts:
        is_bound = isinstance(part, ast.Name) and part.id in {"self", "cls"} and not isinstance(part.ctx, ast.Load)
        if is_bound or (isinstance(part, ast.arg) and part.arg in {"self", "cls"} and part is not first):
            return []
        if isinstance(part, ast.ClassDef):
            return []
    return [each for each in parts if isinstance(each, ast.Call) and dotted(each.func).split(".")[0] in {"self", "cls"}
            and dotted(each.func).count(".") == 1]  # fmt: skip


def _out_of_signature(file: Parsed, taken: _Parameter) -> Edit | None:
    """The edit of the signature; a ``/`` or ``*`` that sets nothing apart any more goes along."""
    node, arguments = taken.node, taken.node.args
    index = file.source.index
    found = bracket(file.source, index.offset(file.name_span(node).end), index.offset(file.start(node.body[0])))
    if found is None:
        return None
    names = _members(arguments)
    if len(names) != len(found.members) or taken.name not in names:
        return None
    at = first = last = names.index(taken.name)
    if found.members[at].first != taken.name:
        return None
    if [each.arg for each in arguments.posonlyargs] == [taken.name]:
        last = at + 1
    elif [each.arg for each in arguments.kwonlyargs] == [taken.name] and arguments.vararg is None:
        first = at - 1
    return found.without(first, last)


def _members(arguments: ast.arguments) -> list[str]:
    """What stands between the parentheses of a signature, in order; its marks as they are, and what takes the rest."""
    names = [each.arg for each in arguments.posonlyargs]
    names += ["/"] * bool(names)
    names += [each.arg for each in arguments.args]
    names += ["*"] if arguments.vararg is not None or arguments.kwonlyargs else []
    names += [each.arg for each in arguments.kwonlyargs]
    return names


def _out_of_call(file: Parsed, call: ast.Call, taken: _Parameter) -> tuple[Edit, ...] | None:
    """The edit of a call, if it passes the argument; None where that is in doubt."""
    values: Sequence[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if any(isinstance(each, ast.Starred) or (isinstance(each, ast.keyword) and each.arg is None) for each in values):
        return None
    at = next((at for at, each in enumerate(values) if isinstance(each, ast.keyword) and each.arg == taken.name), None)
    if at is None and taken.place is not None and taken.place < len(call.args):
        at = taken.place
    if at is None:
        return ()
    if any(isinstance(part, _DOES_SOMETHING) for part in ast.walk(values[at])):
        return None
    index = file.source.index
    found = bracket(file.source, index.offset(file.end(call.func)), index.offset(file.end(call)))
    # With nothing starred, plain arguments come first in the text too.
    edit = found.without(at) if found is not None and len(found.members) == len(values) else None
    return (edit,) if edit is not None else None
