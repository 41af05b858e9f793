"""description-contradicts: a commit message promises what its paths deny.

"Tests only" beside code, "docs only" beside code that is more than comments, "no dependency changes" beside another
list of dependencies. Only files that no other commit of the branch touched are held against a message, and only what
both texts prove: comments and docstrings are documentation wherever they stand. Invariant: a promise is broken by one
hit.
"""

from __future__ import annotations

import ast
import json
import posixpath
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._dependency_files import is_requirements
from roundzero.checkers._paths import is_script_path, is_test_data, is_test_path
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.lexical import blanked, comments_and_strings, is_known
from roundzero.core.regex import regex
from roundzero.core.requirements import canonical, read_requirements
from roundzero.core.text import LineIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from roundzero.checkers._commit_claims import Promise
    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.ports import Commit, GrepHit, Repository
    from roundzero.core.text import RelPath

_CODE: Final = frozenset(
    {"python", "javascript", "jsx", "typescript", "tsx", "c", "cpp", "cuda", "go", "rust", "java", "kotlin", "ruby",
     "php", "csharp", "swift", "scala", "lua"}
)  # fmt: skip
_NAME: Final = regex(r"^\s*(?P<name>[A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?P<range>[^;#]*)")


class DescriptionContradicts(ChangeChecker):
    """Finds promises that a change breaks."""

    name = "description-contradicts"
    version = "2"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Hold each message against the files of its commit."""
        commits = repository.commits()
        touched = Counter(path for commit in commits for path in commit.paths)
        for commit in commits:
            own = [path for path in commit.paths if touched[path] == 1]
            yield from _broken(change, commit, own)


def _broken(change: Change, commit: Commit, own: list[RelPath]) -> Iterator[Hit]:
    from roundzero.checkers._commit_claims import claims  # noqa: PLC0415  where there are commits

    for claim in claims(commit.text):
        for path in own:
            file = change.file(path)
            if file is not None and _denies(claim.promise, file):
                has_text = file.head is not None and file.head.text
                span = file.head.index.line_span(_denying_line(claim.promise, file)) if has_text and file.head else None
                yield Hit(path=path, span=span, subject=f"{code(claim.words)} ({commit.id[:9]})")
                break


def _denies(promise: Promise, file: FileChange) -> bool:
    from roundzero.checkers._commit_claims import Promise  # noqa: PLC0415  as above

    match promise:
        case Promise.TESTS_ONLY:
            return _is_product(file.path) and _is_code_change(file)
        case Promise.DOCS_ONLY:
            return language_of(file.path) in _CODE and not _is_documentation(file.path) and _is_code_change(file)
        case Promise.NO_CODE:
            return _is_product(file.path) and _is_code_change(file)
        case Promise.NO_DEPENDENCIES:
            before, after = _asked(file.base), _asked(file.head)
            return before is not None and after is not None and before != after
        case Promise.NO_NEW_DEPENDENCIES:
            before, after = _asked(file.base), _asked(file.head)
            return before is not None and after is not None and not set(after) <= set(before)


def _denying_line(promise: Promise, file: FileChange) -> int:
    """The first changed line, from 1, that is about what was promised not to be there."""
    from roundzero.checkers._commit_claims import Promise  # noqa: PLC0415  as above

    if promise in {Promise.NO_DEPENDENCIES, Promise.NO_NEW_DEPENDENCIES}:
        before, after = _asked(file.base) or {}, _asked(file.head) or {}
        changed = [name for name in after if name not in before]
        changed += [name for name in after if name in before and before[name] != after[name]]
        changed = changed if promise is Promise.NO_DEPENDENCIES else [name for name in changed if name not in before]
        words = [
            re.compile(rf"(?<![\w.-]){re.sub('[-_.]+', '[-_.]+', name)}(?![\w-])", re.IGNORECASE) for name in changed
        ]
        about = [line for line, text in _added(file) if any(word.search(text.partition("#")[0]) for word in words)]
    else:
        texts = _without_documentation(file.head) if file.head is not None else []
        about = [line for line, _ in _added(file) if line <= len(texts) and texts[line - 1].strip()]
    return about[0] if about else file.first_changed_line


def _added(file: FileChange) -> list[tuple[int, str]]:
    """The added lines with their numbers, in order."""
    index = file.head.index if file.head is not None else None
    return [(line, index.line(line)) for line in sorted(file.added)] if index is not None else []


def _without_documentation(source: Source) -> list[str]:
    """The lines of a text with comments blanked, and the lines of Python's docstrings empty."""
    lines = blanked(source, strings=False).split("\n")
    if language_of(source.path) == "python":
        try:
            tree = ast.parse(source.text)
        except (SyntaxError, ValueError, RecursionError):
            return lines
        told = {line for each in _docstrings(tree) for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)}
        lines = ["" if line in told else text for line, text in enumerate(lines, 1)]
    return lines


def _docstrings(tree: ast.Module) -> Iterator[ast.Expr]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first


def _is_product(path: RelPath) -> bool:
    is_beside = is_test_path(path) or is_test_data(path) or is_script_path(path)
    return language_of(path) in _CODE and not is_beside


def _is_documentation(path: RelPath) -> bool:
    return any(folder in {"doc", "docs", "examples", "documentation"} for folder in path.lower().split("/"))


def _is_code_change(file: FileChange) -> bool:
    """Whether more than comments and docstrings differ; False where that cannot be told."""
    if file.base is None or file.head is None:
        side = file.base or file.head
        return side is not None and bool(side.text.strip())
    if language_of(file.path) == "python":
        try:
            return _bare_tree(file.base) != _bare_tree(file.head)
        except (SyntaxError, ValueError, RecursionError):
            return False
    if not is_known(file.head):
        return False
    return _bare_text(file.base) != _bare_text(file.head)


def _bare_tree(source: Source) -> str:
    tree = ast.parse(source.text)
    told = {id(first) for first in _docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            node.body = [part for part in node.body if id(part) not in told]
    return ast.dump(tree)


def _bare_text(source: Source) -> str:
    pieces: list[str] = []
    at = 0
    for match in comments_and_strings(source):
        if match["comment"] is not None:
            pieces.append(source.text[at : match.start()])
            at = match.end()
    return "".join("".join((*pieces, source.text[at:])).split())


def _asked(source: Source | None) -> dict[str, str] | None:
    """The dependencies a file asks for, with their ranges; None for a file of another kind or one that is not there."""
    if source is None:
        return None
    name = posixpath.basename(source.path)
    if is_requirements(source.path):
        return {row.name: row.range for row in read_requirements(LineIndex(source.text)).rows}
    try:
        if name == "pyproject.toml":
            import tomllib  # noqa: PLC0415  few changes need it

            return _of_project(tomllib.loads(source.text))
        if name == "package.json":
            return _of_package(json.loads(source.text))
    except (ValueError, RecursionError):
        return None
    return None


def _of_project(table: dict[str, Any]) -> dict[str, str]:
    project = table.get("project")
    listed = project.get("dependencies") if isinstance(project, dict) else None
    rows = [row for row in listed if isinstance(row, str)] if isinstance(listed, list) else []
    found = (_NAME.match(row) for row in rows)
    return {canonical(match["name"]): match["range"].strip() for match in found if match is not None}


def _of_package(table: object) -> dict[str, str]:
    sections = [table.get(name) for name in ("dependencies", "peerDependencies")] if isinstance(table, dict) else []
    return {str(name): str(value) for part in sections if isinstance(part, dict) for name, value in part.items()}


CHECKER: Final = DescriptionContradicts
