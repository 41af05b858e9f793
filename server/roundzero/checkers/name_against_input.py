"""name-against-input: a test is named for a kind of text, and none of its literals has it.

A test ``..._with_spaces`` without a space tests something else, or the case is missing. A question for whoever reads
the change. Silent where the input may come from elsewhere: arguments, fixtures, constants of the module, f-strings,
files. Invariant: the hit lies on the name of a test whose texts are all in its own body.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import CheckContext, PythonChecker
from roundzero.checkers._python import is_docstring, is_test_function, within
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.checkers._python import Function
    from roundzero.core.finding import Hit

_KINDS: Final = (
    (regex(r"(?:^|_)(?:spaces?|space_separated|whitespaces?)(?:_|$)"), regex(r"\s")),
    (regex(r"(?:^|_)commas?(?:_|$)"), regex(r",")),
    (regex(r"(?:^|_)(?:newlines?|line_breaks?)(?:_|$)"), regex(r"[\r\n]|%0[aAdD]")),
    (regex(r"(?:^|_)(?:unicode|non_ascii|nonascii|emojis?|chinese|umlauts?)(?:_|$)"), regex(r"[^\x00-\x7f]")),
    (regex(r"(?:^|_)(?:slash|slashes)(?:_|$)"), regex(r"[/\\]")),
    (regex(r"(?:^|_)(?:colons?|semicolons?)(?:_|$)"), regex(r"[:;]")),
    (regex(r"(?:^|_)(?:quotes|quoted|quotation)(?:_|$)"), regex(r"[\"'`]")),
    (regex(r"(?:^|_)(?:uppercase|upper_case|capital(?:s|ized)?)(?:_|$)"), regex(r"[A-Z]")),
    (regex(r"(?:^|_)(?:hyphens?|hyphenated|dashes)(?:_|$)"), regex(r"\w-\w|^-\w|\w-$")),
)
"""What a name says, and what a text then has."""
_LACKING: Final = regex(r"(?:^|_)(?:no|non|not|without|missing|strips?|stripped|removes?|ignores?)_")
"""What stands before the kind of text that a test is about not having."""
_BUILDING: Final = frozenset({"chr", "join", "read_text", "open", "upper", "lower", "format", "replace", "splitlines"})
_CONSTANT: Final = regex(r"_?[A-Z][A-Z0-9_]*")


class NameAgainstInput(PythonChecker):
    """Finds tests that do not try what they are named for."""

    name = "name-against-input"
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef)

    def concerns(self, ctx: CheckContext) -> bool:
        """Only tests."""
        return ctx.is_test

    def visit(self, node: ast.AST, ctx: CheckContext) -> Iterable[Hit]:
        """Compare one test with its name."""
        if not is_test_function(node):
            return
        name = _LACKING.sub("_!", node.name.replace("non_ascii", "unicode"))
        wanted = [pattern for words, pattern in _KINDS if words.search(name)]
        if not wanted or _gets_more(node):
            return
        texts = _texts(node)
        if texts and any(not any(pattern.search(text) for text in texts) for pattern in wanted):
            yield ctx.hit_at(ctx.file.name_span(node), node.name)


def _gets_more(test: Function) -> bool:
    """Whether a test has inputs that are not literals of its own."""
    arguments = [*test.args.posonlyargs, *test.args.args, *test.args.kwonlyargs]
    if test.decorator_list or [each.arg for each in arguments] not in ([], ["self"]):
        return True
    return any(
        isinstance(node, ast.JoinedStr)
        or (isinstance(node, ast.Attribute) and node.attr in _BUILDING)
        or (isinstance(node, ast.Name) and (node.id in _BUILDING or _CONSTANT.fullmatch(node.id) is not None))
        or (isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mod, ast.Mult)))
        for node in within(test, into_scopes=True)
    )


def _texts(test: Function) -> list[str]:
    """The texts of a test, of bytes too, without its docstring and what assertions say when they fail."""
    body = test.body[1:] if test.body and is_docstring(test.body[0]) else test.body
    found: list[str] = []
    for statement in body:
        for node in (statement, *within(statement, into_scopes=True)):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, str):
                found.append(value)
            elif isinstance(value, bytes):
                found.append(value.decode("utf-8", "replace"))
    return found


CHECKER: Final = NameAgainstInput
