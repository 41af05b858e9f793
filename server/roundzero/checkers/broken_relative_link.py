"""broken-relative-link: a link in Markdown leads to no file of the repository, or to no heading of the file.

Looks at the links this change wrote, and at old ones that it broke by taking a file or a heading away. Only links that
are relative to the file in every renderer: rooted ones, pages without an ending, generated pages, templates and files
that are shown elsewhere are left alone, and so is a page most of whose links lead nowhere, unless it is a README.
Invariant: a link that led nowhere at the base is not named.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from functools import cached_property
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._gitignore import GitIgnore
from roundzero.checkers._markdown import Link, anchors, headings, key, links, slug
from roundzero.checkers._paths import folders_above
from roundzero.core.change import Side
from roundzero.core.finding import Anchor, Edit, Fix, Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.ports import GrepHit, Repository

_ELSEWHERE: Final = regex(
    r"^[A-Za-z][\w+.-]*:|^/|^[@~#]?$|[{}<>$*|\\%]|^@|\.\.\.|(?:^|/)path/to/|(?:^|/)(?:your|my|some|example)[-_]"
)
"""Targets with a scheme, rooted ones, templates and placeholders."""

_FRAGMENT_ELSEWHERE: Final = regex(
    r"^(?:L\d+.*|top|fn.*|[:/!^].*|user-content-.*|sec-.*|eq:.*|fig:.*)?$", re.IGNORECASE
)
_SHOWN_ELSEWHERE: Final = regex(
    r"(?:^|/)(?:_posts|_drafts|_includes|content|changelog\.d|newsfragments|news|changes|\.changeset|templates?|"
    r"node_modules|vendor|third_party|_sources|_build)/|(?:^|/)\.github/(?:ISSUE_TEMPLATE|PULL_REQUEST_TEMPLATE)|TEMPLATE\.md$",
    re.IGNORECASE,
)
"""Files that are put together or rendered at another place than their own."""

_ENDING: Final = regex(r"\.(?!html?$|php$|aspx?$)[A-Za-z0-9]{1,8}$")
_HOSTED: Final = regex(r"(?:^|/)(?:issues|pulls?|wiki|releases|actions|discussions|tree|blob|commits?|compare)(?:/|$)")
_MARKDOWN: Final = (".md", ".markdown")
MOST_GONE: Final = 200
"""Files that went whose name is looked for; a change that takes away more is a move of folders."""
FEW_LINKS: Final = 3
"""Broken links of one file from which on, where they are the greater part, the file follows rules of its own."""


class BrokenRelativeLink(ChangeChecker):
    """Finds links that lead nowhere at the head."""

    name = "broken-relative-link"

    def words(self, change: Change) -> Collection[str]:
        """The names of files that went, and of Markdown files that lost a heading."""
        gone = sorted({posixpath.basename(path) for path in _gone(change)})
        return [*gone[:MOST_GONE], *(posixpath.basename(file.path) for file in change.files if _lost_heading(file))]

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Follow the links of changed files, and of files that name what went."""
        changed = [file for file in change.files if file.head is not None and language_of(file.path) == "markdown"]
        naming = {
            hit.path
            for word in self.words(change)
            for hit in found.get(word, ())
            if language_of(hit.path) == "markdown" and change.file(hit.path) is None
        }
        if not changed and not naming:
            return
        sides = {side: _Side(repository, side) for side in (Side.HEAD, Side.BASE)}
        ignored = GitIgnore(repository)
        causes = _causes(change)
        for file in changed:
            if file.head is not None and not _SHOWN_ELSEWHERE.search(file.path):
                yield from _Page(file.head, file.base, file, sides, ignored, causes).hits()
        for path in sorted(naming):
            source = repository.read(path, Side.HEAD)
            if source is not None and not _SHOWN_ELSEWHERE.search(path):
                yield from _Page(source, source, None, sides, ignored, causes).hits()


def _gone(change: Change) -> dict[RelPath, Anchor]:
    """The paths that are not there any more, with what to hang on."""
    gone: dict[RelPath, Anchor] = {}
    for file in change.files:
        if file.head is None:
            gone[file.path] = Anchor(file.path, 1)
        elif file.old_path is not None:
            gone[file.old_path] = Anchor(file.path, file.first_changed_line)
    return gone


def _lost_heading(file: FileChange) -> bool:
    if file.head is None or file.base is None or language_of(file.path) != "markdown":
        return False
    return not set(headings(file.base.text)) <= set(headings(file.head.text))


def _causes(change: Change) -> Mapping[RelPath, Anchor]:
    """By the path a link leads to, the changed line that may have broken it."""
    return {**{file.path: Anchor(file.path, file.first_changed_line) for file in change.files}, **_gone(change)}


class _Side:
    """The files of one side, and the anchors of its Markdown files."""

    def __init__(self, repository: Repository, side: Side) -> None:
        self._repository = repository
        self._side = side
        self._texts: dict[RelPath, Source | None] = {}
        self._anchors: dict[RelPath, Collection[str] | None] = {}

    @cached_property
    def paths(self) -> frozenset[RelPath]:
        return frozenset(self._repository.paths(self._side))

    @cached_property
    def folders(self) -> frozenset[str]:
        return frozenset(above for path in self.paths for above in folders_above(path) if above)

    def text(self, path: RelPath) -> Source | None:
        if path not in self._texts:
            self._texts[path] = self._repository.read(path, self._side)
        return self._texts[path]

    def _anchors_of(self, path: RelPath) -> Collection[str] | None:
        if path not in self._anchors:
            source = self.text(path)
            self._anchors[path] = anchors(source.text) if source is not None else None
        return self._anchors[path]

    def broken(self, naming: RelPath, target: str) -> tuple[RelPath, str] | None:
        """The path a link does not find, and the fragment where that alone is missing; None where all is well."""
        written, _, fragment = target.partition("#")
        written, fragment = unquote(written.partition("?")[0]), unquote(fragment)
        path = _resolved(naming, written) if written else naming
        if path is None or path in ("", "."):
            return None
        if path not in self.paths:
            is_there = path.rstrip("/") in self.folders or not self.paths.isdisjoint(map(RelPath, folders_above(path)))
            return None if is_there or not _is_a_file(naming, written) else (path, "")
        if not path.lower().endswith(_MARKDOWN) or _FRAGMENT_ELSEWHERE.match(fragment):
            return None
        known = self._anchors_of(path)
        if known is None or key(fragment) in known or key(re.sub(r"-\d+$", "", fragment)) in known:
            return None
        return (path, fragment)


def _resolved(naming: RelPath, written: str) -> RelPath | None:
    """The path in the repository; None where the link leads out of it."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(naming), written))
    return None if path.startswith("..") else RelPath(path)


def _is_a_file(naming: RelPath, written: str) -> bool:
    """Whether a target that is not there would be a file anywhere: a page may be written without its ending."""
    if _HOSTED.search(written):
        return False
    if _ENDING.search(written) is not None:
        return True
    return _is_readme(naming) and "." not in posixpath.basename(written)


def _is_readme(path: RelPath) -> bool:
    """Whether hosts show a file just where it lies."""
    return posixpath.basename(path).upper().startswith("README")


class _Page:
    """One Markdown file and its links."""

    def __init__(
        self,
        head: Source,
        base: Source | None,
        file: FileChange | None,
        sides: Mapping[Side, _Side],
        ignored: GitIgnore,
        causes: Mapping[RelPath, Anchor],
    ) -> None:
        self._head = head
        self._base = base
        self._file = file
        self._sides = sides
        self._ignored = ignored
        self._causes = causes

    def hits(self) -> Iterator[Hit]:
        followed = [link for link in links(self._head.text) if not _ELSEWHERE.search(_bare(link.target))]
        broken = [(link, missing) for link in followed if (missing := self._missing(link)) is not None]
        if len(broken) >= FEW_LINKS and len(broken) * 2 > len(followed) and not _is_readme(self._head.path):
            return
        for link, missing in broken:
            line = self._head.index.position(link.start).line
            is_new = self._file is not None and line in self._file.added
            if self._was_broken(link.target):
                continue
            cause = None if is_new else self._causes.get(missing[0])
            if is_new or cause is not None:
                yield self._hit(link, missing, cause)

    def _missing(self, link: Link) -> tuple[RelPath, str] | None:
        missing = self._sides[Side.HEAD].broken(self._head.path, link.target)
        return None if missing is None or self._ignored.ignores(missing[0]) else missing

    def _was_broken(self, target: str) -> bool:
        base = self._base
        if base is None or target not in base.text:
            return False
        return self._sides[Side.BASE].broken(base.path, target) is not None

    def _hit(self, link: Link, missing: tuple[RelPath, str], cause: Anchor | None) -> Hit:
        span = self._head.index.span(link.start, link.end)
        new = self._instead(link, missing)
        fixes: tuple[Fix, ...] = ()
        if new is not None:
            fixes = (Fix(f"Link to {new}", safe=False, edits=(Edit(self._head.path, span, link.target, new),)),)
        return Hit(path=self._head.path, span=span, subject=code(link.target), fixes=fixes, cause=cause)

    def _instead(self, link: Link, missing: tuple[RelPath, str]) -> str | None:
        """The nearest heading, or the only file that has the name."""
        path, fragment = missing
        side = self._sides[Side.HEAD]
        if fragment:
            source = side.text(path)
            there = [slug(heading) for heading in headings(source.text)] if source is not None else []
            near = difflib.get_close_matches(fragment.lower(), there, n=1, cutoff=0.75)
            return f"{link.target.partition('#')[0]}#{near[0]}" if near else None
        name = posixpath.basename(path).lower()
        same = [each for each in side.paths if posixpath.basename(each).lower() == name]
        cause = self._causes.get(path)
        if cause is not None and cause.path != path:
            same = [cause.path]  # it was renamed
        if len(same) != 1:
            return None
        new = posixpath.relpath(same[0], posixpath.dirname(self._head.path) or ".")
        whole = new + link.target[len(link.target.partition("#")[0].partition("?")[0]) :]
        return whole if side.broken(self._head.path, whole) is None else new


def _bare(target: str) -> str:
    """A target without its fragment and its escapes, where there is more than a fragment."""
    written = target.partition("#")[0]
    return unquote(written) if written else ("." if "#" in target else "")


CHECKER: Final = BrokenRelativeLink
