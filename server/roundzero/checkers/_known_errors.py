"""What a test may ask of an error that it expects by a blind type: the type that is meant, or the exit code.

Knows what one file shows: a function defined in it with one type or code of its own, calls that parse arguments of a
command line, and a few functions of the standard library. Invariant: one guess or none; where the block makes several
calls that may be meant, none.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._python import definitions, dotted, last_name, within
from roundzero.core.finding import Edit, Fix
from roundzero.core.regex import regex
from roundzero.core.text import Position, Span, dominant_eol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from roundzero.checkers._python import Function, Parsed

EXIT: Final = "SystemExit"
USAGE: Final = 2
"""The code with which argparse, optparse and click refuse what they are given."""

_PARSES: Final = regex(r"_?parse_(?:\w+_)?(?:known_)?(?:args|arguments|argv|options|command_line|cmdline|cli)")
_WRONG: Final = regex(r"--?(?:no[-_]?such|unknown|invalid|bogus|not[-_]an?[-_]|unrecogni[sz]ed|nonsense)\S*")
_TELLS: Final = frozenset({"-h", "--help", "--version"})
_EXITS: Final = frozenset({"sys.exit", "exit", "quit"})
_TYPES: Final[Mapping[str, str]] = {
    "int": "ValueError",
    "float": "ValueError",
    "json.loads": "ValueError",
    "importlib.import_module": "ImportError",
}
"""What functions of the standard library raise for a value that is of the right type but wrong."""

_NAMES: Final = ("stopped", "exited", "ended")
_BLIND: Final = frozenset({"Exception", "BaseException", EXIT})


def more_asked(file: Parsed, test: Function, call: ast.Call) -> tuple[Fix, ...]:
    """The fix that asks for more than the expectation ``call`` of a test does."""
    block = next((part for part in within(test) if isinstance(part, ast.With) and _is_of(part, call)), None)
    kind = dotted(call.args[0])
    callee = _only_callee(block.body) if block is not None else dotted(call.args[1]) if len(call.args) > 1 else ""
    if kind != EXIT:
        known = _type_of(file, test, callee) if callee else ""
        if not known:
            return ()
        span = file.span(call.args[0])
        return (Fix(f"Expect {known}", safe=False, edits=(Edit(file.source.path, span, kind, known),)),)
    code = _code_of(file, test, block.body, callee) if block is not None else None
    return _with_code(file, test, block, call, code) if block is not None and code is not None else ()


def _is_of(block: ast.With, call: ast.Call) -> bool:
    return any(item.context_expr is call for item in block.items)


def _only_callee(body: Sequence[ast.stmt]) -> str:
    """What the one call of a block calls; "" where it makes none or several, or does anything else that may raise."""
    parts = [part for statement in body for part in ast.walk(statement)]
    calls = [part for part in parts if isinstance(part, ast.Call)]
    simple = len(body) == 1 and isinstance(body[0], (ast.Expr, ast.Assign, ast.AnnAssign))
    others = any(isinstance(part, (ast.Subscript, ast.BinOp, ast.Lambda)) for part in parts)
    return dotted(calls[0].func) if simple and len(calls) == 1 and not others else ""


def _type_of(file: Parsed, test: Function, callee: str) -> str:
    """The one type that a function raises, as far as the file shows it."""
    function = _defined(file, test, callee)
    if function is not None:
        raised = _raised(function)
        kind = next(iter(raised)) if len(raised) == 1 else ""
        is_class = kind.rpartition(".")[2][:1].isupper() and kind.split(".")[0] not in _set_in(function)
        return kind if is_class and kind not in _BLIND else ""
    module, _, name = callee.rpartition(".")
    if callee not in _TYPES or (module and not _imports(file, module)) or (not module and name in _set_in(file.tree)):
        return ""
    return _TYPES[callee]


def _raised(function: Function) -> set[str]:
    """The types of all errors that a function raises itself; "" for one that cannot be told or is raised anew."""
    return {
        dotted(part.exc.func if isinstance(part.exc, ast.Call) else part.exc) if part.exc is not None else ""
        for part in within(function)
        if isinstance(part, ast.Raise)
    }


def _set_in(node: ast.AST) -> set[str]:
    """The names that something inside of a node gives a meaning."""
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            found |= {part.id} if not isinstance(part.ctx, ast.Load) else set()
        elif isinstance(part, ast.alias):
            found.add((part.asname or part.name).split(".")[0])
        elif part is not node:
            found |= {name for name in (getattr(part, "name", None), getattr(part, "arg", None)) if name}
    return found


def _defined(file: Parsed, test: Function, callee: str) -> Function | None:
    """The function of the file that a test calls by its plain name, if it surely is the only one of that name."""
    function = definitions(file.tree).get(callee) if "." not in callee else None
    if function is None or function not in file.tree.body or function.decorator_list or callee in _set_in(test):
        return None
    if any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in within(function)):
        return None
    named = [part for part in ast.walk(file.tree) if getattr(part, "name", "") == callee]
    return function if len(named) == 1 else None


def _imports(file: Parsed, module: str) -> bool:
    return any(
        alias.name == module and alias.asname is None
        for part in file.tree.body
        if isinstance(part, ast.Import)
        for alias in part.names
    )


def _code_of(file: Parsed, test: Function, body: Sequence[ast.stmt], callee: str) -> int | None:
    """The code with which a block ends the program, as far as its calls or the function they call show it."""
    function = _defined(file, test, callee) if callee else None
    if function is not None and (code := _exit_code(function)) is not None:
        return code
    calls = [part for statement in body for part in ast.walk(statement) if isinstance(part, ast.Call)]
    asking = [(call, _texts(call)) for call in calls]
    inner = [part for part in within(function) if isinstance(part, ast.Call)] if function is not None else []
    hands_on = any(_is_parser(part, ()) for part in inner)
    parsing = [(call, texts) for call, texts in asking if hands_on or _is_parser(call, texts)]
    if len(parsing) == 1:
        return 0 if not _TELLS.isdisjoint(parsing[0][1]) else USAGE
    if len(calls) != 1 or not asking[0][1]:
        return None
    if "--help" in asking[0][1] or "--version" in asking[0][1]:
        return 0
    return USAGE if any(_WRONG.fullmatch(text) is not None for text in asking[0][1]) else None


def _is_parser(call: ast.Call, texts: Iterable[str]) -> bool:
    name = last_name(call.func)
    return _PARSES.fullmatch(name) is not None or (name == "parse" and any(text[:1] == "-" for text in texts))


def _texts(call: ast.Call) -> list[str]:
    """The words of a command line that a call is given as one text or in a list."""
    given = [*call.args, *(each.value for each in call.keywords)]
    lists = [part.elts for part in given if isinstance(part, (ast.List, ast.Tuple))]
    parts = [part for inner in [given, *lists] for part in inner]
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return [word for text in texts for word in text.split()]


def _exit_code(function: Function) -> int | None:
    """The one code with which a function of the file exits by itself."""
    codes: set[int | None] = set()
    for part in within(function):
        value = part.exc if isinstance(part, ast.Raise) else part
        if not isinstance(value, ast.Call) or dotted(value.func) not in {*_EXITS, EXIT}:
            continue
        code = value.args[0] if value.args else ast.Constant(0)
        codes.add(code.value if isinstance(code, ast.Constant) and type(code.value) is int else None)
    return next(iter(codes)) if len(codes) == 1 else None


def _with_code(file: Parsed, test: Function, block: ast.With, call: ast.Call, code: int) -> tuple[Fix, ...]:
    """Keep what was raised, and compare its code behind the block."""
    index = file.source.index
    text = file.text(test)
    name = next((each for each in _NAMES if re.search(rf"\b{each}\b", text) is None), "")
    called = dotted(call.func)
    if called == "self.assertRaises":
        new = f"self.assertEqual({name}.exception.code, {code})"
    elif called == "pytest.raises" or (
        called == "raises" and re.search(r"^from pytest import", index.text, re.MULTILINE)
    ):
        new = f"assert {name}.value.code == {code}"
    else:
        return ()
    start, behind, last = file.start(block), file.end(call), file.end(block).line
    indent = index.line(start.line)[: start.column - 1]
    after = index.line(behind.line)[behind.column - 1 :].lstrip()
    # A statement may share the last line of the block, but none that is part of something around it.
    if not name or indent.strip() or after[:1] not in {":", ","} or block.body[0].lineno == block.lineno:
        return ()
    eol = dominant_eol(index.text)
    place = Position(last, len(index.line(last)) + 1)
    edits = (
        Edit(file.source.path, Span(behind, behind), "", f" as {name}"),
        Edit(file.source.path, Span(place, place), "", f"{eol}{indent}{new}"),
    )
    return (Fix(f"Expect exit code {code}", safe=False, edits=edits),)
