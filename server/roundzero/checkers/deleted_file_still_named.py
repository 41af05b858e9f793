"""deleted-file-still-named: a file this change deletes or renames is still named in a build file, workflow or script.

A name is a hit only when it resolves to the old path: as a label, relative to the naming file, or from the root; so
does a folder, a pattern or a Bazel package that stands for nothing now. A bare file name that merely looks alike is
none. Comments, and lists of what to leave out, are not references. Invariant: the old path does not exist at the head,
and each hit hangs on the file that went.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import SymbolChecker, code
from roundzero.checkers._dead_names import is_output, is_provided_for, taken_out
from roundzero.checkers._gitignore import GitIgnore
from roundzero.checkers._gone_folders import GoneFolders
from roundzero.checkers._starlark import is_starlark, own_names
from roundzero.core.change import Side, Status
from roundzero.core.finding import Anchor, Edit, Fix, Hit
from roundzero.core.frozen import dataclass
from roundzero.core.item import Severity, language_of
from roundzero.core.regex import regex
from roundzero.core.text import Position, RelPath, Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._base import SymbolView
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
_PROGRAMS: Final = frozenset({"python", "javascript", "typescript", "go"})
_LEAVES_OUT: Final = regex(r"exclud|ignor|omit|skip|per-file|overrides?\b", re.IGNORECASE)
_MAKES: Final = regex(
    r"\b(?:mkdir|rm|rmdir|touch|tee|curl|wget|git)\b[^;&|]*$|\bouts?\s*=[^,]*$|\boutput\w*\s*[:=][^,]*$|\s-o\s*$"
    r"|--out[\w-]*[ =]*$"
    r"|>\s*$"
)
"""What stands before a path that a line makes or takes away."""
_PUTS: Final = regex(r"\b(?:cp|mv|ln|install|rsync)\b[^;&|]*\s[\"']?$")
"""What stands before the path a command puts something at, when it is the last one of the command."""
_ENDS: Final = regex(r"[\"']?\s*(?:$|[);&|])")
_MADE_KEY: Final = regex(r"outs?|outputs?|byproducts?", re.IGNORECASE)
"""What opens a list of what a rule makes."""
_PATH_BEFORE: Final = r"(?:[\w@.+~-]|[/:]|\$\{\w+\}|\$\(\w+\)|\$\w+)*"
_VARIABLE: Final = regex(r"^(?:\$\{\w+\}|\$\(\w+\)|\$\w+)/")


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


class DeletedFileStillNamed(SymbolChecker):
    """Finds references to files that this change takes away."""

    name = "deleted-file-still-named"
    version = "2"

    def words(self, view: SymbolView) -> Collection[str]:
        """The names of the files that went, the modules they were, and the folders that went with them."""
        gone = list(_gone(view.change))
        if not gone:
            return ()
        names = {item.name for item in gone} | {item.module for item in gone if item.module is not None}
        return names | GoneFolders((item.path for item in gone), view.repository.paths(Side.HEAD)).words

    def check(self, view: SymbolView) -> Iterable[Hit]:
        """Resolve every occurrence. What is ignored now only went from the repository: something makes it."""
        repository, found = view.repository, view.found
        ignored = GitIgnore(repository)
        gone = [item for item in _gone(view.change) if not ignored.ignores(item.path)]
        if not gone:
            return
        here = frozenset(repository.paths(Side.HEAD))
        own = own_names(repository, here)
        seen: set[tuple[RelPath, int, int]] = set()
        for item in gone:
            if item.path in here:
                continue
            for place in found.get(item.name, ()):
                for hit in (*_named_by_path(item, place, here, repository, own), *_named_as_workflow(item, place)):
                    yield from _once(hit, seen)
            if item.module is not None and f"{item.path.removesuffix('.py')}/__init__.py" not in here:
                for place in found.get(item.module, ()):
                    for hit in _named_by_module(item, place, repository):
                        yield from _once(hit, seen)
        for hit in _named_by_folder(gone, here, found, repository):
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
    if (
        language in _BUILD_LANGUAGES
        or name in _BUILD_NAMES
        or is_starlark(path)
        or name.startswith("Dockerfile")
        or name.endswith(".mk")
    ):
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


def _named_by_path(
    item: _Gone, place: GrepHit, here: Collection[RelPath], repository: Repository, own: Collection[str]
) -> Iterator[Hit]:
    severity = _severity(place.path)
    if severity is None:
        return
    for match in re.finditer(
        rf"(?<![\w./:@-]){_PATH_BEFORE}(?<![\w.-]){re.escape(item.name)}(?![\w./-]|\.\w)", place.text
    ):
        token = match.group()
        if _is_comment(place.text, match.start()) or not _means(token, item.path, place.path, here, own):
            continue
        if _is_made(place.text, match.start(), match.end()):
            continue
        source = repository.read(place.path, Side.HEAD)
        if is_provided_for(source, token):
            continue
        if _is_left_out(place, repository) or (is_starlark(place.path) and _is_prose(place.text, match.start())):
            continue
        span = Span(Position(place.line, match.start() + 1), Position(place.line, match.end() + 1))
        fixes = _renamed(item, token, place, span)
        if item.now is None and source is not None:
            fixes = taken_out(source, place, token, span)
        yield Hit(
            path=place.path,
            span=span,
            subject=code(token),
            fixes=fixes,
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
        now = _Gone(item.now, None, item.anchor).module if item.now is not None else None
        fixes: tuple[Fix, ...] = ()
        if now is not None:
            fixes = (Fix(f"Name {now}", safe=False, edits=(Edit(place.path, span, item.module, now),)),)
        yield Hit(
            path=place.path, span=span, subject=code(item.module), fixes=fixes, cause=item.anchor, severity=severity
        )


def _named_as_workflow(item: _Gone, place: GrepHit) -> Iterator[Hit]:
    """A workflow's file name as a string in a program: what dispatches or watches workflows knows them by it."""
    if not item.path.startswith(".github/workflows/") or language_of(place.path) not in _PROGRAMS:
        return
    for match in re.finditer(rf"(?<=[\"']){re.escape(item.name)}(?=[\"'])", place.text):
        span = Span(Position(place.line, match.start() + 1), Position(place.line, match.end() + 1))
        fixes = _renamed(item, item.name, place, span) if item.now is not None else ()
        yield Hit(path=place.path, span=span, subject=code(item.name), fixes=fixes, cause=item.anchor)


def _named_by_folder(
    gone: list[_Gone],
    here: frozenset[RelPath],
    found: Mapping[str, tuple[GrepHit, ...]],
    repository: Repository,
) -> Iterator[Hit]:
    """Folders, patterns and Bazel packages that lost their last file."""
    anchors = {item.path: item.anchor for item in gone if item.path not in here}
    folders = GoneFolders(anchors, here)
    places = dict.fromkeys(place for name in sorted(folders.words) for place in found.get(name, ()))
    for place in places:
        severity = _severity(place.path)
        if severity is None:
            continue
        for named, lost in (*folders.in_line(place), *folders.packages_in_line(place)):
            start = named.span.start.column - 1
            if _is_comment(place.text, start) or _is_made(place.text, start, start + len(named.token)):
                continue
            if _is_left_out(place, repository) or is_provided_for(None, named.token):
                continue
            yield Hit(
                path=place.path, span=named.span, subject=code(named.token), cause=anchors[lost], severity=severity
            )


def _means(
    token: str, gone: RelPath, naming: RelPath, here: Collection[RelPath], own: Collection[str] = frozenset()
) -> bool:
    """Whether a token in a file resolves to the path that went."""
    folder = posixpath.dirname(naming)
    if is_starlark(naming):
        return _label(token, folder, own) == gone
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


def _label(token: str, folder: str, own: Collection[str]) -> str | None:
    """The path a Bazel label or a file name in a BUILD file stands for; ``own`` are the repository's own names."""
    if token.startswith("@"):
        name, slashes, _ = token.lstrip("@").partition("//")
        if not slashes or name not in own:
            return None
        token = token.lstrip("@").removeprefix(name)
    if token.startswith("//"):
        package, colon, target = token[2:].partition(":")
        return posixpath.join(package, target) if colon else None
    return posixpath.join(folder, token.removeprefix(":"))


def _runs_at_root(naming: RelPath) -> bool:
    return "/" not in naming or naming.startswith((".github/", ".circleci/", ".gitlab"))


def _is_comment(text: str, at: int) -> bool:
    before = text[:at]
    return "#" in before and re.search(r"(?:^|\s)#", before) is not None


def _is_prose(text: str, at: int) -> bool:
    """Whether a name in Starlark stands in a docstring: only a string, or a location in a command, is a reference."""
    before = text[:at]
    if before.count('"""') % 2:
        return True
    return not (before.count('"') % 2 or before.count("'") % 2 or "$(" in before)


def _is_made(text: str, start: int, end: int) -> bool:
    """Whether a line makes the path it names, or takes it away, rather than needs it."""
    before = text[:start]
    if _MAKES.search(before) is not None:
        return True
    return _PUTS.search(before) is not None and _ENDS.match(text[end:]) is not None


def _is_left_out(place: GrepHit, repository: Repository) -> bool:
    """Whether the line belongs to a list of what to leave out or make, by its key or the one that opens the list."""
    source = repository.read(place.path, Side.HEAD)
    if source is None:
        return _LEAVES_OUT.search(place.text) is not None
    if language_of(place.path) == "cmake" and is_output(source, place.line):
        return True
    for line in range(place.line, max(0, place.line - 40), -1):
        text = source.index.line(line)
        key = re.match(r"\s*-?\s*[\"']?([\w.-]+)[\"']?\s*[=:]", text)
        if key is not None and _MADE_KEY.fullmatch(key[1]) is not None:
            return True
        if _LEAVES_OUT.search(text.partition("#")[0] if line == place.line else text[:60]) is not None and (
            line == place.line or key is not None
        ):
            return True
        if key is not None:
            return False
    return False


def _renamed(item: _Gone, token: str, place: GrepHit, span: Span) -> tuple[Fix, ...]:
    """Name the new path the way the old one was named, where that is plain."""
    if item.now is None or (new := _spelt_like(token, item, item.now, place.path)) is None:
        return ()
    return (Fix(f"Name {new}", safe=False, edits=(Edit(place.path, span, token, new),)),)


def _spelt_like(  # noqa: PLR0911  one return per way of naming
    token: str, item: _Gone, now: RelPath, naming: RelPath
) -> str | None:
    """The new path as a label, after a variable, relative to the naming file or from the root, as the old one was."""
    if posixpath.dirname(now) == posixpath.dirname(item.path):
        return token.removesuffix(item.name) + posixpath.basename(now)
    folder = posixpath.dirname(naming)
    if is_starlark(naming):
        inside = posixpath.relpath(now, folder or ".")
        if inside.startswith("..") or token.startswith(("//", "@")):
            return None
        return f":{inside}" if token.startswith(":") else inside
    variable = _VARIABLE.match(token)
    if variable is not None:
        return f"{variable.group()}{now}" if token[variable.end() :] == item.path else None
    if token == item.path:
        return now
    if posixpath.normpath(posixpath.join(folder, token)) != item.path:
        return None
    beside = posixpath.relpath(now, folder or ".")
    return f"./{beside}" if token.startswith("./") and not beside.startswith("..") else beside


CHECKER: Final = DeletedFileStillNamed
