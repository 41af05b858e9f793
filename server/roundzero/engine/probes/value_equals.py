"""Whether a constant, a parameter's default or a key of a TOML or JSON file has a value.

The subject is a name of a module, ``Class.name``, ``function(parameter)``, or a dotted key. Only a literal that is
bound once, under no condition, and that nothing in the repository sets again, is a value. Invariant: values of other
types are other values; ``1`` is not ``True``.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from typing import TYPE_CHECKING, Final

from roundzero.core.anatomy import ClaimVerdict
from roundzero.core.change import Side
from roundzero.core.claim_words import VALUE
from roundzero.core.claims import Outcome, bound, unsure
from roundzero.core.regex import regex
from roundzero.core.resolution import Missing
from roundzero.core.syntax import NotPythonError, parse_python
from roundzero.engine.probes._view import bare, is_python
from roundzero.index.doubts import doubt

if TYPE_CHECKING:
    from collections.abc import Collection

    from roundzero.core.change import Source
    from roundzero.core.claims import Asked
    from roundzero.core.text import RelPath
    from roundzero.engine.probes._view import ProbeView

_PARAMETER: Final = regex(r"([A-Za-z_][\w.]*)\((\w+)\)")
_NOTHING: Final = object()


class ValueEquals:
    """See the module. ``path`` is the file, by default the finding's."""

    kind = VALUE

    def words(self, asked: Asked) -> Collection[str]:
        """The last part of the name, to see what else sets it."""
        subject = asked.probe.subject.strip().strip("`")
        found = _PARAMETER.fullmatch(subject)
        last = (found[1] if found else bare(subject)).rpartition(".")[2]
        return {last} if last.isidentifier() else ()

    def look(self, asked: Asked, view: ProbeView) -> Outcome:
        """See Probing."""
        path = view.file(asked.probe.path, asked.path) if bare(asked.probe.path) else asked.path
        source = view.source(path) if path is not None else None
        if path is None or source is None:
            return unsure(f"it is not clear which file {asked.probe.path} is")
        subject = asked.probe.subject.strip().strip("`")
        try:
            value = _value(view, source, subject)
            if isinstance(value, str) and any(value in source.text[each.start : each.end] for each in source.sensitive):
                return unsure(f"{subject} may be a secret")
            expected = _expected(asked.probe.expect)
        except _Unsure as doubtful:
            return unsure(str(doubtful))
        same = type(value) is type(expected) and value == expected
        return Outcome(
            verdict=ClaimVerdict.VERIFIED if same else ClaimVerdict.REFUTED,
            words=f"{path}: {subject} is {value!r}"[:200],
            blobs=bound(view.change, [(path, Side.HEAD)], wide=is_python(path)),
        )


PROBE: Final = ValueEquals()


class _Unsure(Exception):  # noqa: N818  no error: nothing can be told
    """Why a value cannot be told."""


def _expected(said: str) -> object:
    text = said.strip().strip("`").strip()
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise _Unsure(f"{text[:40]!r} is no literal") from None


def _value(view: ProbeView, source: Source, subject: str) -> object:
    if is_python(source.path):
        found = _PARAMETER.fullmatch(subject)
        return _default(view, source, found[1], found[2]) if found else _constant(view, source, bare(subject))
    if source.path.endswith((".toml", ".json")):
        return _key(source, bare(subject))
    raise _Unsure(f"{source.path} is not read for values")


def _constant(view: ProbeView, source: Source, name: str) -> object:
    owner, _, last = name.rpartition(".")
    once = re.findall(
        rf"^[ \t]*(?:\w+[ \t]*=[ \t]*)*{re.escape(last)}[ \t]*(?::[^=\n]*)?=(?!=)", source.text, re.MULTILINE
    )
    if len(once) != 1:
        raise _Unsure(f"{name} is not bound exactly once in {source.path}")
    reason = doubt(Missing(source.path, last), view.hits(last)) or view.unread() or _elsewhere(view, source, last)
    if reason is None and owner:
        stored = re.compile(rf"\b(?:self|cls)\.{re.escape(last)}\s*(?::[^=\n]*)?(?:[-+*/|&]|//|\*\*)?=(?!=)")
        reason = next((f"{hit.path}:{hit.line} sets it" for hit in view.hits(last) if stored.search(hit.text)), None)
    if reason is not None:
        raise _Unsure(reason)
    tree = _tree(source)
    body = _body(source, owner, tree)
    direct = [node for node in body if isinstance(node, ast.Assign | ast.AnnAssign) and _binds(node, last)]
    binds = sum(_binds(node, last) for node in ast.walk(tree)) if owner else _bound(view, source.path, last)
    if len(direct) != 1 or binds != 1:
        raise _Unsure(f"{name} is not bound exactly once in {source.path}")
    return _literal(direct[0].value, name)


def _elsewhere(view: ProbeView, source: Source, name: str) -> str | None:
    """Another file that gives a value to the same name, so that it is not clear which is meant."""
    binds = re.compile(rf"^\s*{re.escape(name)}\s*(?::[^=\n]*)?=(?!=)")
    other = next((hit for hit in view.hits(name) if hit.path != source.path and binds.search(hit.text)), None)
    return f"{other.path}:{other.line} sets a {name} as well" if other is not None else None


def _bound(view: ProbeView, path: RelPath, name: str) -> int:
    """How often a module binds a name surely; 0 where anything about it is unsure."""
    facts = view.symbols.facts(path, Side.HEAD)
    if facts is None or facts.dynamic:
        return 0
    rows = facts.bound(name)
    return len(rows) if all(row.kind in {"assign", "annotate"} and row.where == 0 for row in rows) else 0


def _default(view: ProbeView, source: Source, function: str, parameter: str) -> object:
    owner, _, last = function.rpartition(".")
    found = [
        node for node in _body(source, owner, _tree(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    same = [node for node in found if node.name == last]
    if len(same) != 1 or same[0].decorator_list or doubt(Missing(source.path, last), view.hits(last)) is not None:
        raise _Unsure(f"{function} is not defined exactly once, or decorated, in {source.path}")
    facts = view.symbols.facts(source.path, Side.HEAD)
    if facts is None or (not owner and len(facts.bound(last)) != 1):
        raise _Unsure(f"{function} is not bound exactly once in {source.path}")
    arguments = same[0].args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: dict[str, ast.expr | None] = dict(
        zip(
            [each.arg for each in positional][len(positional) - len(arguments.defaults) :],
            arguments.defaults,
            strict=True,
        )
    )
    defaults |= {each.arg: value for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)}
    return _literal(defaults.get(parameter), f"{function}({parameter})")


def _literal(node: ast.expr | None, name: str) -> object:
    if node is None:
        raise _Unsure(f"{name} has no value")
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        raise _Unsure(f"{name} is no literal") from None


def _tree(source: Source) -> ast.Module:
    try:
        return parse_python(source)
    except NotPythonError as error:
        raise _Unsure(f"{source.path} does not parse") from error


def _body(source: Source, owner: str, tree: ast.Module) -> list[ast.stmt]:
    """The statements of the module, or of the one class with a qualified name."""
    body: list[ast.stmt] = tree.body
    for name in owner.split(".") if owner else ():
        classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == name]
        if len(classes) != 1:
            raise _Unsure(f"{source.path} has no one class {owner}")
        body = classes[0].body
    return body


def _binds(node: ast.AST, name: str) -> bool:
    """Whether a statement or target binds a bare name."""
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    if isinstance(node, ast.AnnAssign | ast.AugAssign):
        return isinstance(node.target, ast.Name) and node.target.id == name and node.value is not None
    return False


def _key(source: Source, dotted: str) -> object:
    try:
        data: object = tomllib.loads(source.text) if source.path.endswith(".toml") else json.loads(source.text)
    except (ValueError, RecursionError) as error:
        raise _Unsure(f"{source.path} cannot be read") from error
    for part in dotted.split("."):
        data = data.get(part, _NOTHING) if isinstance(data, dict) else _NOTHING
        if data is _NOTHING:
            raise _Unsure(f"{source.path} has no {dotted}")
    return data
