"""import-side-effect: importing a module writes, starts, prints or changes the process.

Only calls of known names and of this file's own functions that lead to them are judged. Scripts, tests and files that
tools run for their effect are none of this check's business; reading a data file at import is common and accepted.
Invariant: nothing inside a function, a class or ``if __name__ == ...`` is reported.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._paths import is_script_path
from roundzero.checkers._python import blocks, definitions, dotted, within
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.checkers._python import Function
    from roundzero.core.finding import Fix, Hit

_EFFECTS: Final = frozenset(
    {
        "print", "input", "os.makedirs", "os.mkdir", "os.remove", "os.unlink", "os.rmdir", "os.removedirs", "os.rename",
        "os.replace", "os.chdir", "os.chmod", "os.chown", "os.symlink", "os.link", "os.system", "os.popen", "os.putenv",
        "os.unsetenv", "os.umask", "os.fork", "os.kill", "os.execv", "os.startfile", "subprocess.run",
        "subprocess.Popen", "subprocess.call", "subprocess.check_call", "subprocess.check_output",
        "subprocess.getoutput", "shutil.rmtree", "shutil.copy", "shutil.copyfile", "shutil.copytree", "shutil.move",
        "requests.get", "requests.post", "requests.put", "requests.delete", "requests.request", "httpx.get",
        "httpx.post", "urllib.request.urlopen", "urlopen", "urllib.request.urlretrieve", "socket.create_connection",
        "time.sleep", "sys.path.insert", "sys.path.append", "sys.path.extend", "sys.path.remove", "sys.argv.append",
        "sys.argv.extend", "sys.argv.pop", "os.environ.update", "os.environ.setdefault", "os.environ.pop",
        "os.environ.clear", "site.addsitedir", "nltk.download",
    }
)  # fmt: skip
_WRITES: Final = frozenset({"mkdir", "write_text", "write_bytes", "unlink", "rmdir", "touch"})
"""Methods of a path."""
_PROCESS_STATE: Final = frozenset({"sys.path", "sys.argv", "os.environ"})
MUCH: Final = 4
"""Calls with an effect at the module level, from which on a file is no module that happens to have one, if there are
some of a PROGRAM."""
_PROGRAM: Final = regex(r"print|input|subprocess\..*|shutil\..*|os\.(?:system|popen|execv|startfile|fork|kill)")
_ACCEPTED_KEYS: Final = frozenset({"DJANGO_SETTINGS_MODULE"})


class ImportSideEffect(PythonChecker):
    """Finds effects at module level."""

    name = "import-side-effect"
    version = "5"
    nodes = (ast.Module,)

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Look at the statements a module runs when it is imported."""
        if not isinstance(node, ast.Module) or ctx.is_test or is_script_path(ctx.path) or _is_script(node, ctx):
            return
        functions = definitions(node)
        for statement in _run_at_import(node.body):
            for part in _evaluated(statement):
                effect = _effect(part, functions, frozenset())
                if effect:
                    yield ctx.hit(part, fixes=_guarded(ctx, statement, part, functions))
                    break


def _is_script(tree: ast.Module, ctx: CheckContext) -> bool:
    """Whether a file is meant to be run: it defines nothing, or has no main guard and is a program.

    A program begins with a shebang, or reads its arguments or does MUCH at the module level, as programs do.
    """
    if not any(isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) for node in tree.body):
        return True
    if any(_is_main_guard(node) for node in tree.body):
        return False
    calls = [part for node in _run_at_import(tree.body) for part in within(node) if isinstance(part, ast.Call)]
    reads = any(isinstance(call.func, ast.Attribute) and call.func.attr == "parse_args" for call in calls)
    does = [name for call in calls if (name := dotted(call.func)) in _EFFECTS]
    is_much = len(does) >= MUCH and any(_PROGRAM.fullmatch(name) for name in does)
    return ctx.file.source.text.startswith("#!") or reads or is_much


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(
        isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test)
    )


def _run_at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or _is_main_guard(node):
            continue
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            yield from _run_at_import(blocks(node))
        else:
            yield node


def _evaluated(statement: ast.stmt) -> Iterator[ast.expr]:
    """The calls and targets of one statement that could change something."""
    targets: list[ast.expr] = []
    if isinstance(statement, (ast.Assign, ast.Delete)):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    yield from targets
    for part in within(statement):
        if isinstance(part, ast.Call):
            yield part


def _effect(part: ast.expr, functions: Mapping[str, Function], above: frozenset[str]) -> bool:
    """Whether evaluating this has an effect: itself, or in a function of this file that it calls."""
    if isinstance(part, ast.Subscript):
        return dotted(part.value) in {"os.environ", "sys.path", "sys.argv"} and not _is_accepted(part.slice)
    if isinstance(part, ast.Attribute):
        return dotted(part) in _PROCESS_STATE
    if not isinstance(part, ast.Call):
        return False
    name = dotted(part.func)
    writes = isinstance(part.func, ast.Attribute) and part.func.attr in _WRITES
    if writes or name in _EFFECTS or name == "open":
        return writes or _has_effect(part, name)
    function = functions.get(name)
    if function is None or name in above or _is_lazy(function):
        return False
    return any(
        _effect(inner, functions, above | {name}) for statement in function.body for inner in _inner_parts(statement)
    )


def _inner_parts(statement: ast.stmt) -> Iterator[ast.expr]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for part in (statement, *within(statement)):
        if isinstance(part, ast.stmt) and not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if isinstance(part, (ast.Assign, ast.Delete)):
                yield from part.targets
            elif isinstance(part, ast.AugAssign):
                yield part.target
        elif isinstance(part, ast.Call):
            yield part


def _is_lazy(function: Function) -> bool:
    """Whether calling it only makes a generator or a coroutine, or a decorator changes what calling means."""
    if isinstance(function, ast.AsyncFunctionDef) or function.decorator_list:
        return True
    return any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in within(function))


def _has_effect(call: ast.Call, name: str) -> bool:
    """Whether a call of a known name does something. ``print(..., file=x)`` writes where it is told to."""
    if name == "open":
        return _opens_for_writing(call)
    if any(keyword.arg == "file" for keyword in call.keywords):
        return False
    return not (call.args and _is_accepted(call.args[0]))


def _is_accepted(key: ast.expr) -> bool:
    return isinstance(key, ast.Constant) and key.value in _ACCEPTED_KEYS


def _opens_for_writing(call: ast.Call) -> bool:
    mode = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "mode"), None)
    return isinstance(mode, ast.Constant) and isinstance(mode.value, str) and mode.value[:1] in {"w", "a", "x"}


def _guarded(
    ctx: CheckContext, statement: ast.stmt, part: ast.expr, functions: Mapping[str, Function]
) -> tuple[Fix, ...]:
    """Put a bare call of a function of this file, alone on its line at module level, under the main guard."""
    if not isinstance(statement, ast.Expr) or statement.value is not part or statement.col_offset != 0:
        return ()
    if not isinstance(part, ast.Call) or dotted(part.func) not in functions or statement.end_lineno != statement.lineno:
        return ()
    end = ctx.file.end(statement)
    if not re.match(r"\s*(?:#|$)", ctx.file.source.index.line(end.line)[end.column - 1 :]):
        return ()
    new = f'if __name__ == "__main__":\n    {ctx.file.text(statement)}'
    return (ctx.replace("Run it only as a program", new, ctx.file.span(statement), safe=False),)


CHECKER: Final = ImportSideEffect
