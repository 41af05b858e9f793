"""Which Bazel tests the scripts of a repository select, where a change writes such a script and adds tests beside it.

Only patterns that are written out count (``//pkg:all``, ``//pkg/...``, ``//pkg:name``); a script that selects by a
variable alone, or by everything, leaves nothing to say. Does not run queries. Invariant: a target that any script of
the repository selects is selected.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import code
from roundzero.checkers._starlark import is_build_file, parse_starlark, targets
from roundzero.core.change import Side
from roundzero.core.few import few
from roundzero.core.finding import Hit, evidence_at
from roundzero.core.item import Severity, language_of
from roundzero.core.regex import regex
from roundzero.core.text import Position, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit
    from roundzero.core.text import RelPath

WORDS: Final = ("bazel", "bazelisk")
_SELECTS: Final = regex(r"\bbazel(?:isk)?\b[^#]*?(?:\btest\b|\bquery\b|\bcoverage\b)")
_PATTERN: Final = regex(
    r"(?<![\w:.@])(?P<minus>-?)//(?P<package>[\w./+-]*?)(?P<rest>/?\.\.\.(?::\w+)?|:[\w.*+-]+|(?![\w/.:]))"
)
_ELSEWHERE: Final = regex(r"(?:^|/)(?:3rdparty|third_?party|vendor|external|node_modules|docs?)/", re.IGNORECASE)
MOST_NAMED: Final = 3


def is_own_script(path: RelPath) -> bool:
    """Whether a file is a script or workflow of the repository's own."""
    name = posixpath.basename(path)
    ours = language_of(path) in {"bash", "yaml", "make"} or name in {"Jenkinsfile", "justfile", "tox.ini"}
    return ours and _ELSEWHERE.search(path) is None


def may_select(change: Change) -> bool:
    """Whether a change writes a script that runs Bazel and touches a BUILD file."""
    return any(is_build_file(file.path) for file in change.files) and any(
        is_own_script(file.path) and "bazel" in "".join(file.added_lines) for file in change.files
    )


def unselected(change: Change, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterator[Hit]:
    """The first selecting line that the change writes, if it adds tests that no line of any script selects."""
    lines = dict.fromkeys(hit for word in WORDS for hit in found.get(word, ()) if is_own_script(hit.path))
    patterns: list[str] = []
    own: list[GrepHit] = []
    for hit in lines:
        if _SELECTS.search(hit.text) is None or hit.text.lstrip().startswith("#"):
            continue
        here = [f"{match['package']}{match['rest']}" for match in _PATTERN.finditer(hit.text) if not match["minus"]]
        patterns += here
        file = change.file(hit.path)
        if here and file is not None and hit.line in file.added:
            own.append(hit)
    if not own:
        return
    added = [row for file in change.files for row in _added_tests(file)]
    missed = [row for row in added if not any(_selects(pattern, row[0], row[1]) for pattern in patterns)]
    if not missed:
        return
    first = min(own, key=lambda hit: (hit.path, hit.line))
    match = _PATTERN.search(first.text)
    if match is None:
        return
    span = Span(Position(first.line, match.start() + 1), Position(first.line, match.end() + 1))
    named = [f"//{package}:{name}" for package, name, _, _ in missed]
    yield Hit(
        path=first.path,
        span=span,
        subject=f"{code(match.group())} ({few(named, MOST_NAMED)}: -)",
        evidence=tuple(
            evidence_at(file.head, line, "target", Side.HEAD) for _, _, file, line in missed if file.head is not None
        ),
        severity=Severity.P2,
    )


def _added_tests(file: FileChange) -> Iterator[tuple[str, str, FileChange, int]]:
    """The test targets that a change adds to a BUILD file: package, name, file and line."""
    parsed = parse_starlark(file.head) if is_build_file(file.path) and file.added else None
    if parsed is None:
        return
    package = posixpath.dirname(file.path)
    for target in targets(parsed):
        line = parsed.start(target.attributes["name"]).line
        is_test = target.kind.rpartition(".")[2].endswith("_test")
        if is_test and line in file.added and "manual" not in target.texts("tags"):
            yield package, target.name, file, line


def _selects(pattern: str, package: str, name: str) -> bool:
    folder, colon, target = pattern.partition(":")
    if "..." in folder:
        root = folder.partition("...")[0].rstrip("/")
        return not root or package == root or package.startswith(f"{root}/")
    if folder != package:
        return False
    return not colon or target in {"all", "*", "all-targets", name}
