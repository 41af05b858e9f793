"""unknown-build-id: a comment refers to a build that the reader cannot find.

Two kinds: a label of a target that is not there, and the bare number of a build or a pipeline's run, without an address
and named nowhere else. Labels of other repositories, and of packages whose BUILD file may compute its targets, are left
alone. Invariant: a hit lies in a comment on an added line.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._paths import is_test_data
from roundzero.checkers._starlark import BUILD_NAMES
from roundzero.core.change import Side
from roundzero.core.finding import Hit
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.lexical import comments_and_strings
from roundzero.core.regex import regex
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import Span

_LABEL: Final = regex(r"(?<=[\s(`])//(?P<package>[A-Za-z]\w*(?:[./-]\w+)*):(?P<target>\w[\w.+-]*\w)")
_NUMBER: Final = regex(
    r"\b(?:build|pipeline|(?:ci|workflow|pipeline|job) run)s?[ -]?(?:id|no\.?|number|#)[ :=#]*(?P<named>\d{4,})\b"
    r"|\b(?:build|pipeline) #?(?P<plain>\d{6,})\b"
    r"|(?:构建|流水线|任务)(?:编号|号|ID|id)?[ :：#]*(?P<zh>\d{4,})",
    re.IGNORECASE,
)
_MAY_HAVE: Final = regex(r"//\w+[\w./-]*:\w|build|pipeline|run|构建|流水线|任务", re.IGNORECASE)
_COMPUTES: Final = regex(r"\bfor\b[^\n]*\bin\b|\*\*kwargs")
_PROSE: Final = frozenset({"markdown", "rst", "json"})


@dataclass(frozen=True, slots=True)
class _Reference:
    """What a comment refers to: a number, or a label with its package and target."""

    path: RelPath
    span: Span
    text: str
    package: str = ""
    target: str = ""


class UnknownBuildId(ChangeChecker):
    """Finds builds that comments name and nobody can find."""

    name = "unknown-build-id"

    def __init__(self) -> None:
        """Start before the change is known."""
        self._known: list[_Reference] | None = None

    def words(self, change: Change) -> Collection[str]:
        """The numbers."""
        return {each.text for each in self._references(change) if not each.target}

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look the builds up."""
        references = self._references(change)
        here = repository.paths(Side.HEAD) if any(each.target for each in references) else ()
        for each in references:
            if each.target:
                is_unknown = _leads_nowhere(each, here, repository)
            else:
                is_unknown = all(_is_new(change, hit) for hit in found.get(each.text, ()))
            if is_unknown:
                yield Hit(path=each.path, span=each.span, subject=code(each.text))

    def _references(self, change: Change) -> list[_Reference]:
        if self._known is None:
            self._known = [reference for file in change.files for reference in _in_file(file)]
        return self._known


def _is_new(change: Change, hit: GrepHit) -> bool:
    file = change.file(hit.path)
    return file is not None and hit.line in file.added


def _in_file(file: FileChange) -> Iterator[_Reference]:
    head = file.head
    if head is None or language_of(file.path) in {*_PROSE, None} or is_test_data(file.path):
        return
    if not any(_MAY_HAVE.search(line) for line in file.added_lines):
        return
    index = head.index
    for comment in comments_and_strings(head):
        text = comment["comment"]
        if text is None or _MAY_HAVE.search(text) is None:
            continue
        for match in (*_LABEL.finditer(text), *_NUMBER.finditer(text)):
            group = next((name for name, value in match.groupdict().items() if value is not None), None)
            start, end = match.span() if group == "package" else match.span(group or 0)
            span = index.span(comment.start() + start, comment.start() + end)
            line = index.line(span.start.line)
            if span.start.line not in file.added or "://" in line:
                continue
            parts = match.groupdict()
            yield _Reference(file.path, span, text[start:end], parts.get("package", ""), parts.get("target", ""))


def _leads_nowhere(each: _Reference, here: Collection[RelPath], repository: Repository) -> bool:
    first = each.package.partition("/")[0] + "/"
    if not any(path.startswith(first) for path in here):
        return False
    build = next((path for name in BUILD_NAMES if (path := RelPath(f"{each.package}/{name}")) in here), None)
    if build is None:
        has_folder = any(path.startswith(f"{each.package}/") for path in here)
        return not has_folder and any(path.startswith(first) and path.endswith(BUILD_NAMES) for path in here)
    source = repository.read(build, Side.HEAD)
    if source is None or RelPath(posixpath.join(each.package, each.target)) in here:
        return False
    names = re.findall(r"\bname\s*=\s*\"([^\"]+)\"|^\w+\(\s*\"([^\"]+)\"", source.text, re.MULTILINE)
    made = {name for pair in names for name in pair if name}
    is_made = each.target in source.text or any(each.target.startswith(name) for name in made)
    return not is_made and _COMPUTES.search(source.text) is None


CHECKER: Final = UnknownBuildId
