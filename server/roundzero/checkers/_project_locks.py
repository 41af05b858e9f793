"""Project files and their locks: pyproject.toml with uv, Poetry or PDM, package.json with npm or Yarn.

uv and npm copy into the lock what the project asked for, so the copies are compared. Of the others only names are, and
versions where the project pins one. Invariant: a project that lists its dependencies elsewhere (``dynamic``) is silent.
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING, Any, Final

from roundzero.checkers._drift import Drift, Pair, Place
from roundzero.checkers._paths import is_test_data
from roundzero.core.regex import regex
from roundzero.core.requirements import canonical, read_requirement
from roundzero.core.text import Position, RelPath, Span
from roundzero.core.versions import exact, normalized, parse_version

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from roundzero.checkers._dependency_files import DependencyFiles
    from roundzero.core.change import Source

_NPM_SECTIONS: Final = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_LOCKS: Final = {
    "uv.lock": "pyproject.toml", "poetry.lock": "pyproject.toml", "pdm.lock": "pyproject.toml",
    "package-lock.json": "package.json", "npm-shrinkwrap.json": "package.json", "yarn.lock": "package.json",
}  # fmt: skip
_NOT_FROM_A_REGISTRY: Final = regex(r"^(?:file|link|workspace|portal|git|git\+\w+|github|https?|npm|patch|catalog):|/")

Row = tuple[str, str]
"""A name as it is compared, and the range as it is compared."""


def is_project_file(path: RelPath) -> bool:
    """Whether a path is a project file that may have a lock beside it, or such a lock."""
    name = posixpath.basename(path)
    return (name in _LOCKS or name in _LOCKS.values()) and not is_test_data(path)


def project_pairs(files: DependencyFiles, touched: Collection[RelPath]) -> Iterator[Pair]:
    """The locks and projects that the change touches one of."""
    folders = {posixpath.dirname(path) for path in touched if is_project_file(path)}
    for folder in sorted(folders):
        for lock_name, project_name in _LOCKS.items():
            lock, project = (RelPath(posixpath.join(folder, name)) for name in (lock_name, project_name))
            if {lock, project} <= files.paths and {lock, project} & set(touched):
                yield Pair(lock, project, lock_name)


def project_drifts(files: DependencyFiles, pairs: Iterable[Pair]) -> Iterator[Drift]:
    """The disagreements of locks with their projects."""
    for pair in pairs:
        lock, project = files.source(pair.lock), files.source(pair.project)
        if lock is not None and project is not None and pair.kind in _LOCKS:
            yield from _drifts(project, lock, pair.kind)


def _drifts(project: Source, lock: Source, kind: str) -> Iterator[Drift]:
    try:
        if kind == "yarn.lock":
            yield from _yarn(project, lock)
        elif kind.endswith(".json"):
            yield from _npm(project, lock)
        elif kind == "uv.lock":
            yield from _uv(project, lock)
        else:
            yield from _names(project, lock)
    except (ValueError, LookupError, RecursionError, AttributeError, TypeError):
        return  # one of them does not parse, or is not shaped as its format says: there is nothing to compare


def _drift(project: Source, lock: Source, name: str, asked: str, locked: str) -> Drift:
    span = _found(project, name)
    places = (Place(project.path, span), Place(lock.path, _found(lock, name) if locked != "-" else None))
    theirs = f"{posixpath.basename(lock.path)}: {locked or '*'}"
    return Drift(key=("project", lock.path, name), name=name, mine=asked or "*", theirs=theirs, places=places)


def _found(source: Source, name: str) -> Span | None:
    """Where a project or a lock names a dependency first; quotes and ``[-_.]`` as they are written."""
    loose = re.sub(r"[-_.]+", "[-_.]+", name)
    match = re.search(rf"(?:(?<=[\"'])|^){loose}(?=[\"'\[ =<>~!;@(])", source.text, re.MULTILINE | re.IGNORECASE)
    return source.index.span(match.start(), match.end()) if match is not None else None


def _npm(project: Source, lock: Source) -> Iterator[Drift]:
    asked = json.loads(project.text)
    locked = json.loads(lock.text)
    root = locked.get("packages", {}).get("") if isinstance(locked.get("packages"), dict) else None
    if root is None:
        known = locked.get("dependencies", {})
        for section in ("dependencies", "devDependencies"):
            for name, spec in asked.get(section, {}).items():
                if name not in known and not _NOT_FROM_A_REGISTRY.search(spec):
                    yield _drift(project, lock, name, spec, "-")
        return
    for section in _NPM_SECTIONS:
        mine, theirs = asked.get(section, {}), root.get(section, {})
        for name in sorted({*mine, *theirs}):
            if mine.get(name) != theirs.get(name):
                moved = name in theirs or any(name in root.get(other, {}) for other in _NPM_SECTIONS)
                elsewhere = any(name in asked.get(other, {}) for other in _NPM_SECTIONS)
                if name in mine or not elsewhere:
                    yield _drift(project, lock, name, mine.get(name, "-"), theirs.get(name, section if moved else "-"))


def _yarn(project: Source, lock: Source) -> Iterator[Drift]:
    asked = json.loads(project.text)
    for section in ("dependencies", "devDependencies", "optionalDependencies"):
        for name, spec in asked.get(section, {}).items():
            if _NOT_FROM_A_REGISTRY.search(spec) or name in asked.get("resolutions", {}):
                continue
            if not re.search(
                rf"(?:^|[\"\s]){re.escape(name)}@(?:npm:)?{re.escape(spec)}(?=[\":,])", lock.text, re.MULTILINE
            ):
                has = re.search(rf"(?:^|[\"\s]){re.escape(name)}@", lock.text, re.MULTILINE)
                yield _drift(project, lock, name, spec, "?" if has else "-")


def _uv(project: Source, lock: Source) -> Iterator[Drift]:
    import tomllib  # noqa: PLC0415  few changes need it

    asked = tomllib.loads(project.text)
    own = canonical(asked.get("project", {}).get("name", ""))
    locked = tomllib.loads(lock.text).get("package", [])
    packages = [row for row in locked if canonical(row["name"]) == own]
    if "dependencies" in asked["project"].get("dynamic", ()):
        return
    metadata = packages[0].get("metadata", {}) if len(packages) == 1 else {}
    if not metadata and (asked["project"].get("dependencies") or asked.get("dependency-groups")):
        yield from _unlocked(project, lock, {canonical(row["name"]) for row in locked})
        return  # written by a version that copied nothing
    if not packages:
        return
    wanted = _rows(_listed(asked))
    copied = [*metadata.get("requires-dist", ())]
    for group in metadata.get("requires-dev", {}).values():
        copied += group
    have: set[Row] = {(canonical(row["name"]), _range(row.get("specifier", ""))) for row in copied}
    if "optional-dependencies" in asked["project"].get("dynamic", ()):
        have = {row for row in have if row in wanted or row[0] in {name for name, _ in wanted}}
    yield from _compared(project, lock, wanted, have)


def _unlocked(project: Source, lock: Source, locked: Collection[str]) -> Iterator[Drift]:
    """What a project needs everywhere, of which a lock has no version at all."""
    import tomllib  # noqa: PLC0415  as above

    for text in tomllib.loads(project.text)["project"].get("dependencies", ()):
        row = read_requirement(text.strip(), Position(1, 1))
        if row is not None and not row.marker and locked and row.name not in locked:
            yield _drift(project, lock, row.name, _range(row.range), "-")


def _compared(project: Source, lock: Source, wanted: set[Row], have: set[Row]) -> Iterator[Drift]:
    for name in sorted({name for name, _ in wanted ^ have}):
        mine = sorted(row for row in wanted if row[0] == name)
        theirs = sorted(row for row in have if row[0] == name)
        asked, locked = (" ".join(sorted({text or "*" for _, text in rows})) for rows in (mine, theirs))
        yield _drift(project, lock, name, asked if mine else "-", locked if theirs else "-")


def _names(project: Source, lock: Source) -> Iterator[Drift]:
    """Poetry and PDM: every dependency is locked, and an exact pin is what is locked."""
    import tomllib  # noqa: PLC0415  as above

    asked = tomllib.loads(project.text)
    if "dependencies" in asked.get("project", {}).get("dynamic", ()) and "poetry" not in asked.get("tool", {}):
        return
    locked: dict[str, set[str]] = {}
    for row in tomllib.loads(lock.text).get("package", []):
        locked.setdefault(canonical(row["name"]), set()).add(str(row.get("version", "")))
    own = canonical(asked.get("project", {}).get("name", ""))
    for name, text in sorted(_rows(_listed(asked)) | _poetry(asked)):
        if name in {"python", own}:
            continue
        if name not in locked:
            yield _drift(project, lock, name, text, "-")
        elif (pin := exact(text)) is not None:
            versions = [parse_version(version) for version in locked[name]]
            if all(version is not None and version.key != pin.key for version in versions):
                yield _drift(project, lock, name, text, " ".join(sorted(locked[name])))


def _listed(document: dict[str, Any]) -> list[str]:
    """The requirements of a project, its extras and its groups, as they are written."""
    project = document.get("project", {})
    found: list[str] = list(project.get("dependencies", ()))
    for group in project.get("optional-dependencies", {}).values():
        found += group
    for group in document.get("dependency-groups", {}).values():
        found += [row for row in group if isinstance(row, str)]
    tool = document.get("tool", {})
    found += tool.get("uv", {}).get("dev-dependencies", ())
    for group in tool.get("pdm", {}).get("dev-dependencies", {}).values():
        found += [row for row in group if not row.startswith("-e")]
    return found


def _poetry(document: dict[str, Any]) -> set[Row]:
    poetry = document.get("tool", {}).get("poetry", {})
    tables = [poetry.get("dependencies", {}), poetry.get("dev-dependencies", {})]
    tables += [group.get("dependencies", {}) for group in poetry.get("group", {}).values()]
    found: set[Row] = set()
    for table in tables:
        for name, value in table.items():
            version = value.get("version", "") if isinstance(value, dict) else value if isinstance(value, str) else ""
            if isinstance(value, dict) and ({"path", "git", "url"} & value.keys() or value.get("optional")):
                continue
            text = f"=={version}" if re.fullmatch(r"\d[\w.]*", version) else version
            found.add((canonical(name), text))
    return found


def _rows(texts: list[str]) -> set[Row]:
    rows = (read_requirement(text.strip(), Position(1, 1)) for text in texts)
    return {(row.name, _range(row.range)) for row in rows if row is not None}


def _range(text: str) -> str:
    return ",".join(normalized(text))
