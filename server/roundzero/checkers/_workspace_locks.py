"""Locks that several projects may share: package.json with pnpm, Cargo.toml with Cargo.

pnpm copies each project's ranges into its lock, and Cargo the names of what a crate asks for, so these are compared;
for Cargo also whether the locked version satisfies the range. A project's lock is the nearest one above it that knows
the project. Resolves nothing. Invariant: what a workspace, an override or a patch may replace is not compared.
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from roundzero.checkers._drift import Drift, Pair, Place
from roundzero.checkers._paths import folders_above, is_test_data
from roundzero.core.regex import regex
from roundzero.core.text import RelPath, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._dependency_files import DependencyFiles
    from roundzero.core.change import Source

MOST_PROJECTS: Final = 100
"""Projects compared with one lock that changed; of a larger workspace, those that changed themselves."""

_PNPM, _CARGO = "pnpm-lock.yaml", "Cargo.lock"
_PROJECTS: Final = {_PNPM: "package.json", _CARGO: "Cargo.toml"}
_SECTIONS: Final = ("dependencies", "devDependencies", "optionalDependencies")
_TABLES: Final = ("dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies")
_BLOCK: Final = regex(r"^(\w+):[^\n]*\n(?:(?:[ \t][^\n]*)?(?:\n|\Z))*", re.MULTILINE)
"""A key of a YAML document at its left margin, with all that belongs to it."""
_CLAUSE: Final = regex(r"\s*(?P<sign>>=|<=|[><=^~]?)\s*(?P<version>\d+(?:\.(?:\d+|[*xX]))*|\*)\s*")


class _Asked(NamedTuple):
    """What a project asks of a name: the range, "" where it gives none, and the words it is found by."""

    range: str
    spelt: str


def is_workspace_file(path: RelPath) -> bool:
    """Whether a path is a project file that may have such a lock, or one."""
    name = posixpath.basename(path)
    return (name in _PROJECTS or name in _PROJECTS.values()) and not is_test_data(path)


def workspace_pairs(files: DependencyFiles, touched: Collection[RelPath]) -> Iterator[Pair]:
    """The locks and projects that the change touches one of."""
    found: set[Pair] = set()
    for path in touched:
        name = posixpath.basename(path)
        for lock_name, project_name in _PROJECTS.items():
            if name == project_name and path in files.paths and (lock := _lock_above(files, path, lock_name)):
                found.add(Pair(lock, path, lock_name))
            elif name == lock_name and path in files.paths and not is_test_data(path):
                found |= {Pair(path, project, lock_name) for project in _projects_below(files, path, project_name)}
    yield from sorted(found)


def workspace_drifts(files: DependencyFiles, pairs: Iterable[Pair]) -> Iterator[Drift]:
    """The disagreements of locks with their projects."""
    known: dict[RelPath, Callable[[Source], Iterator[Drift]] | None] = {}
    for pair in pairs:
        lock, project = files.source(pair.lock), files.source(pair.project)
        if lock is None or project is None or pair.kind not in _PROJECTS:
            continue
        if pair.lock not in known:
            known[pair.lock] = (_pnpm if pair.kind == _PNPM else _cargo)(lock, files)
        if (compare := known[pair.lock]) is not None:
            yield from _shaped(compare, project)


def _lock_above(files: DependencyFiles, path: RelPath, name: str) -> RelPath | None:
    locks = () if is_test_data(path) else (RelPath(posixpath.join(folder, name)) for folder in folders_above(path))
    return next((lock for lock in locks if lock in files.paths), None)


def _projects_below(files: DependencyFiles, lock: RelPath, name: str) -> list[RelPath]:
    folder = posixpath.dirname(lock)
    inside = f"{folder}/" if folder else ""
    found = [path for path in files.paths if path.startswith(inside) and posixpath.basename(path) == name]
    found = [path for path in found if _lock_above(files, path, posixpath.basename(lock)) == lock]
    return found if len(found) <= MOST_PROJECTS else []


def _shaped(compare: Callable[[Source], Iterator[Drift]], project: Source) -> Iterator[Drift]:
    try:
        yield from list(compare(project))
    except (ValueError, LookupError, RecursionError, AttributeError, TypeError):
        return  # one of them does not parse, or is not shaped as its format says: there is nothing to compare


def _pnpm(lock: Source, files: DependencyFiles) -> Callable[[Source], Iterator[Drift]] | None:
    """How a package.json is compared with this lock: by the ranges that it copied."""
    del files
    document = _blocks(lock.text, {"importers", "overrides", "specifiers", *_SECTIONS})
    if document is None:
        return None
    importers = document.get("importers") or {".": document}

    def compare(project: Source) -> Iterator[Drift]:
        home = posixpath.relpath(posixpath.dirname(project.path) or ".", posixpath.dirname(lock.path) or ".")
        importer = importers.get(home)
        if importer is None:
            return
        asked = json.loads(project.text)
        free = {*(document.get("overrides") or {}), *asked.get("resolutions", {})}
        free |= {*asked.get("pnpm", {}).get("overrides", {}), *asked.get("peerDependencies", {})}
        free = {
            re.split(r"[@>](?=.)", name.rpartition(">")[2])[0] if not name.startswith("@") else name for name in free
        }
        locked = _locked_by_pnpm(importer)
        if locked is None:
            return
        wanted: dict[str, set[str]] = {}
        for section in _SECTIONS:
            for name, spec in asked.get(section, {}).items():
                wanted.setdefault(name, set()).add(spec)
        for name in sorted({*wanted, *locked} - free):
            specs = wanted.get(name, set())
            if name not in locked or locked[name] not in specs:
                yield _drift(project, lock, name, _Asked(" ".join(sorted(specs)) or "-", name), locked.get(name, "-"))

    return compare


def _locked_by_pnpm(importer: Mapping[str, Any]) -> dict[str, str] | None:
    """The range of each name that a lock copied, in either way of writing it; None where it copied none."""
    if "specifiers" in importer:
        return {str(name): str(spec) for name, spec in (importer["specifiers"] or {}).items()}
    found: dict[str, str] = {}
    for section in _SECTIONS:
        for name, row in (importer.get(section) or {}).items():
            if not isinstance(row, dict):
                return None
            found[name] = str(row["specifier"])
    return found


def _blocks(text: str, wanted: Collection[str]) -> dict[str, Any] | None:
    """The parts of a YAML document that stand at its left margin; the packages, nearly all of a lock, are not read."""
    import yaml  # noqa: PLC0415  few changes need it

    part = "".join(match[0] for match in _BLOCK.finditer(text.replace("\r\n", "\n")) if match[1] in wanted)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        document = yaml.load(part, Loader=loader)  # noqa: S506  a safe loader, the fast one
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _cargo(lock: Source, files: DependencyFiles) -> Callable[[Source], Iterator[Drift]] | None:
    """How a Cargo.toml is compared with this lock: by the names of its package there, and their versions."""
    import tomllib  # noqa: PLC0415  as above

    try:
        packages = tomllib.loads(lock.text).get("package", [])
        top = files.source(RelPath(posixpath.join(posixpath.dirname(lock.path), "Cargo.toml")))
        root = tomllib.loads(top.text) if top is not None else {}
        own = {row["name"]: row for row in packages if "source" not in row}
        versions: dict[str, set[str]] = {}
        for row in packages:
            versions.setdefault(row["name"], set()).add(row["version"])
    except (ValueError, LookupError, RecursionError, AttributeError, TypeError):
        return None
    shared = root.get("workspace", {}).get("dependencies", {})
    patched = {_crate(name) for table in root.get("patch", {}).values() for name in table}

    def compare(project: Source) -> Iterator[Drift]:
        asked = tomllib.loads(project.text)
        package = own.get(asked.get("package", {}).get("name", ""))
        if package is None:
            return
        wanted = _asked_of_cargo(asked, shared)
        if wanted is None:
            return
        rows = [str(row).split(" ") for row in package.get("dependencies", ())]
        locked = {_crate(row[0]): row for row in rows}
        for name in sorted({*wanted, *locked} - {_crate(package["name"])}):
            row, asking = locked.get(name), wanted.get(name, [])
            first = asking[0] if asking else _Asked("-", row[0] if row is not None else name)
            if row is None or not asking:
                yield _drift(project, lock, first.spelt, first, "-" if row is None else " ".join(row[1:2]))
                continue
            found = {row[1]} if len(row) > 1 else versions.get(row[0], set())
            several = sum(_crate(each[0]) == name for each in rows) > 1
            if not several and name not in patched and found and len(asking) == 1:
                answers = [satisfies_cargo(version, first.range) for version in found]
                if all(answer is False for answer in answers):
                    yield _drift(project, lock, first.spelt, first, " ".join(sorted(found)))

    return compare


def _asked_of_cargo(document: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, list[_Asked]] | None:
    """What a crate asks for, by the names of crates; None where a part of it is written elsewhere."""
    found: dict[str, list[_Asked]] = {}
    targets = [document, *document.get("target", {}).values()]
    for name, row in (
        (name, row) for each in targets for table in _TABLES for name, row in each.get(table, {}).items()
    ):
        if isinstance(row, dict) and row.get("workspace"):
            if name not in shared:
                return None
            whole = shared[name]
        else:
            whole = row
        table = whole if isinstance(whole, dict) else {"version": whole}
        asked = _Asked(str(table.get("version", "")), name)
        known = found.setdefault(_crate(table.get("package", name)), [])
        if asked not in known:
            known.append(asked)
    return found


def _crate(name: str) -> str:
    """A crate's name as it is compared: the registry takes one sign for the other."""
    return name.replace("_", "-")


def satisfies_cargo(version: str, requirement: str) -> bool | None:
    """Whether a version lies in a range as Cargo reads it, by itself ``^``; None for what is not understood.

    A version with a pre-release is not answered. Source: the Cargo book, "Specifying Dependencies".
    """
    plain = version.partition("+")[0]
    if not re.fullmatch(r"\d+\.\d+\.\d+", plain):
        return None
    mine = tuple(map(int, plain.split(".")))
    for text in requirement.split(",") if requirement.strip() else ():
        match = _CLAUSE.fullmatch(text)
        if match is None:
            return None
        parts = [part for part in match["version"].split(".") if part.isdigit()]
        wild = len(parts) < len(match["version"].split("."))
        given = tuple(map(int, parts))
        sign = match["sign"] or ("=" if wild else "^")
        if not given and sign in {"=", "^", "~"}:
            continue
        if not _within(mine, sign, given):
            return False
    return True


def _within(mine: tuple[int, ...], sign: str, given: tuple[int, ...]) -> bool:
    full = (*given, 0, 0)[:3]
    if sign in {"=", "~"}:
        kept = len(given) if sign == "=" else min(len(given), 2)
        return mine[:kept] == given[:kept] and mine >= full
    if sign == "^":
        first = next((at for at, part in enumerate(given) if part), len(given) - 1)
        return mine[: first + 1] == given[: first + 1] and mine >= full
    cut = mine[: len(given)]
    return {">": cut > given, ">=": mine >= full, "<": mine < full, "<=": cut <= given}[sign]


def _drift(project: Source, lock: Source, name: str, asked: _Asked, locked: str) -> Drift:
    places = (Place(project.path, _found(project, asked.spelt)), Place(lock.path, _found(lock, name)))
    if asked.range == "-":
        places = (places[1], places[0])
    theirs = f"{posixpath.basename(lock.path)}: {locked or '*'}"
    key = ("project", lock.path, project.path, name)
    return Drift(key=key, name=name, mine=asked.range or "*", theirs=theirs, places=places)


def _found(source: Source, name: str) -> Span | None:
    """Where a project names a dependency, or a lock speaks of it: as a key, a table, or among the others of a list."""
    word = re.escape(name)
    match = re.search(rf"(?:^[ \t]*[\"']?|[\"'.])({word})(?=[\"']?[ \t]*[:=\]]|[\"' ])", source.text, re.MULTILINE)
    return source.index.span(match.start(1), match.end(1)) if match is not None else None
