"""deleted-file-still-named: a file this change deletes or renames is still named in a build file, workflow or script.

A name is a hit only when it resolves to the old path: as a label, relative to the naming file, or from the root. A bare
file name that merely looks alike is none. Comments, and lists of what to leave out, are not references. Invariant: the
old path does not exist at the head, and each hit hangs on the file that went.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.core.change import Side, Status
from roundzero.core.finding import Anchor, Edit, Fix, Hit
from roundzero.core.item import Severity, language_of
from roundzero.core.text import Position, RelPath, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.core.change import Change
    from roundzero.core.ports import GrepHit, Repository

_BUILD_LANGUAGES: Final = frozenset({"starlark", "cmake", "make", "dockerfile"})
_BUILD_NAMES: Final = frozenset(
    {"meson.build", "GNUmakefile", "makefile", "justfile", "Justfile", "Containerfile", "SConstruct"}
)
_OTHER_NAMES: Final = frozenset(
    {"pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "MANIFEST.in", "package.json", "Cargo.toml", "noxfile.py",
     ".pre-commit-config.yaml", "Procfile"}
)  # fmt: skip
_LEAVES_OUT: Final = re.compile(r"exclud|ignor|omit|skip|per-file|overrides?\b", re.IGNORECASE)
_PATH_BEFORE: Final = r"(?:[\w@.+~-]|[/:]|\$\{\w+\}|\$\(\w+\)|\$\w+)*"
_VARIABLE: Final = re.compile(r"^(?:\$\{\w+\}|\$\(\w+\)|\$\w+)/")


@dataclass(frozen=True, slots=True)
class _Gone:
    """A path that existed at the base: where it went, if anywhere, and the file of the change it belongs to."""

    path: RelPath
    now: RelPath | None
    anchor: Anchor

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]

    @property
    def module(self) -> str | None:
        """The dotted name of a Python module in a package; None for a top-level one, whose name could mean anything."""
        if language_of(self.path) != "python" or self.name == "__init__.py":
            return None
        parts = self.path.removesuffix(".py").split("/")
        for root in ("src", "lib", "python"):
            if parts[0] == root:
                parts = parts[1:]
        return ".".join(parts) if len(parts) > 1 and all(part.isidentifier() for part in parts) else None


class DeletedFileStillNamed(ChangeChecker):
    """Finds references to files that this change takes away."""

    name = "deleted-file-still-named"

    def words(self, change: Change) -> Collection[str]:
        """The names of the files that went, and the modules they were."""
        gone = list(_gone(change))
        return {item.name for item in gone} | {item.module for item in gone if item.module is not None}

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Resolve every occurrence."""
        gone = list(_gone(change))
        if not gone:
            return
        here = frozenset(repository.paths(Side.HEAD))
        seen: set[tuple[RelPath, int, int]] = set()
        for item in gone:
            if item.path in here:
                continue
            for place in found.get(item.name, ()):
                for hit in _named_by_path(item, place, here, repository):
                    yield from _once(hit, seen)
            if item.module is not None and f"{item.path.removesuffix('.py')}/__init__.py" not in here:
                for place in found.get(item.module, ()):
                    for hit in _named_by_module(item, place, repository):
                        yield from _once(hit, seen)


def _once(hit: Hit, seen: set[tuple[RelPath, int, int]]) -> Iterator[Hit]:
    if hit.path is not None and hit.span is not None:
        key = (hit.path, hit.span.start.line, hit.span.start.column)
        if key not in seen:
            seen.add(key)
            yield hit


def _gone(change: Change) -> Iterator[_Gone]:
    for file in change.files:
        if file.status is Status.DELETED:
            yield _Gone(file.path, None, Anchor(file.path, 1))
        elif file.status is Status.RENAMED and file.old_path is not None:
            yield _Gone(file.old_path, file.path, Anchor(file.path, file.first_changed_line))
    for skip in change.skipped:
        if skip.status is Status.DELETED:
            yield _Gone(skip.path, None, Anchor(skip.path, 1))
        elif skip.status is Status.RENAMED and skip.old_path is not None:
            yield _Gone(skip.old_path, skip.path, Anchor(skip.path, 1))


def _severity(path: RelPath) -> Severity | None:
    """How grave a dead reference in this file is; None for files that name others only in passing."""
    name = path.rsplit("/", 1)[-1]
    language = language_of(path)
    if language in _BUILD_LANGUAGES or name in _BUILD_NAMES or name.startswith("Dockerfile") or name.endswith(".mk"):
        return Severity.P0
    if name in _OTHER_NAMES or language == "bash" or _is_workflow(path):
        return Severity.P1
    return None


def _is_workflow(path: RelPath) -> bool:
    return path.endswith((".yml", ".yaml")) and (
        path.startswith((".github/", ".gitlab", ".circleci/", ".ci/", "ci/", ".azure"))
        or path in {"action.yml", "azure-pipelines.yml", ".travis.yml", "bitbucket-pipelines.yml", "cloudbuild.yaml"}
        or "compose" in path.rsplit("/", 1)[-1]
    )


def _named_by_path(item: _Gone, place: GrepHit, here: Collection[RelPath], repository: Repository) -> Iterator[Hit]:
    severity = _severity(place.path)
    if severity is None:
        return
    for match in re.finditer(
        rf"(?<![\w./:@-]){_PATH_BEFORE}(?<![\w.-]){re.escape(item.name)}(?![\w./-]|\.\w)", place.text
    ):
        token = match.group()
        if _is_comment(place.text, match.start()) or not _means(token, item.path, place.path, here):
            continue
        if _is_left_out(place, repository):
            continue
        span = Span(Position(place.line, match.start() + 1), Position(place.line, match.end() + 1))
        yield Hit(
            path=place.path,
            span=span,
            subject=code(token),
            fixes=_renamed(item, token, place, span),
            cause=item.anchor,
            severity=severity,
        )


def _named_by_module(item: _Gone, place: GrepHit, repository: Repository) -> Iterator[Hit]:
    """``python -m a.b`` in scripts and workflows, and entry points ``a.b:main``."""
    severity = _severity(place.path)
    if severity is None or item.module is None or language_of(place.path) in {"starlark", "cmake"}:
        return
    module = re.escape(item.module)
    for match in re.finditer(rf"(?:(?<=-m )|(?<=[\"'= ])(?=[\w.]+:\w)){module}(?![\w.-])", place.text):
        if _is_comment(place.text, match.start()) or _is_left_out(place, repository):
            continue
        span = Span(Position(place.line, match.start() + 1), Position(place.line, match.end() + 1))
        yield Hit(path=place.path, span=span, subject=code(item.module), cause=item.anchor, severity=severity)


def _means(token: str, gone: RelPath, naming: RelPath, here: Collection[RelPath]) -> bool:
    """Whether a token in a file resolves to the path that went."""
    folder = posixpath.dirname(naming)
    if language_of(naming) == "starlark":
        return _label(token, folder) == gone
    variable = _VARIABLE.match(token)
    rest = token[variable.end() :] if variable is not None else token
    if rest.startswith(("/", "~", "@")) or ":" in rest or "$" in rest:
        return False
    beside = posixpath.normpath(posixpath.join(folder, rest))
    if beside in here:
        return False
    if beside == gone:
        return True
    from_root = posixpath.normpath(rest)
    if variable is not None:
        return "/" in rest and (gone == from_root or gone.endswith("/" + from_root)) and from_root not in here
    return from_root == gone and ("/" in rest or _runs_at_root(naming))


def _label(token: str, folder: str) -> str | None:
    """The path a Bazel label or a file name in a BUILD file stands for."""
    if token.startswith("@"):
        return None
    if token.startswith("//"):
        package, colon, target = token[2:].partition(":")
        return posixpath.join(package, target) if colon else None
    return posixpath.join(folder, token.removeprefix(":"))


def _runs_at_root(naming: RelPath) -> bool:
    return "/" not in naming or naming.startswith((".github/", ".circleci/", ".gitlab"))


def _is_comment(text: str, at: int) -> bool:
    before = text[:at]
    return "#" in before and re.search(r"(?:^|\s)#", before) is not None


def _is_left_out(place: GrepHit, repository: Repository) -> bool:
    """Whether the line belongs to a list of what to leave out: by its own key, or by the key that opens the list."""
    source = repository.read(place.path, Side.HEAD)
    if source is None:
        return _LEAVES_OUT.search(place.text) is not None
    for line in range(place.line, max(0, place.line - 40), -1):
        text = source.index.line(line)
        key = re.match(r"\s*-?\s*[\"']?([\w.-]+)[\"']?\s*[=:]", text)
        if _LEAVES_OUT.search(text.partition("#")[0] if line == place.line else text[:60]) is not None and (
            line == place.line or key is not None
        ):
            return True
        if key is not None:
            return False
    return False


def _renamed(item: _Gone, token: str, place: GrepHit, span: Span) -> tuple[Fix, ...]:
    """Name the new path the way the old one was named, where that is plain."""
    if item.now is None:
        return ()
    same_folder = posixpath.dirname(item.now) == posixpath.dirname(item.path)
    if same_folder:
        new = token.removesuffix(item.name) + item.now.rsplit("/", 1)[-1]
    elif token == item.path:
        new = item.now
    else:
        return ()
    return (Fix(f"Name {new}", safe=False, edits=(Edit(place.path, span, token, new),)),)


CHECKER: Final = DeletedFileStillNamed
