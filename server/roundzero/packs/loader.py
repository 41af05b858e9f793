"""Packs and settings to the items in force.

Built-in packs come with the package, repository packs from ``.roundzero/checklists``. Nothing is validated twice: what
was compiled once is read from the cache. Starts no process. Invariant: never raises for a bad pack or setting; a fault
costs what it stands in, and is a Problem.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.item import CheckerCheck, Item, ItemId, Severity
from roundzero.core.ruleset import Place, Problem, Ruleset
from roundzero.errors import OutsideError
from roundzero.packs import cache
from roundzero.packs.pack import Pack
from roundzero.regular import open_regular, size

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

REPOSITORY_FOLDER: Final = ".roundzero/checklists"
MOST_BYTES: Final = 1_000_000
"""A pack file larger than this is not read."""
MOST_FILES: Final = 100
"""More pack files than this in one repository are not read."""
_SETTINGS: Final = Place("settings")
"""What problems of settings name when nobody said where they were set."""


def load(
    *,
    repository: Path | None,
    overrides: Mapping[str, str],
    packs: Sequence[str] | None,
    cache_dir: Path | None,
    places: Mapping[tuple[str, str], Place] = MappingProxyType({}),
) -> Ruleset:
    """Load every pack and apply the settings.

    ``overrides``: item (full name, alias, or a name only one pack has) to "off" or to a severity, which also switches
    it on. ``packs``: the packs in force, None for all; the others' items are loaded and off whatever else is set.
    ``places``: where ("items", name) and ("packs", name) were set, for problems. ``cache_dir`` None: compile every
    time. Raises OutsideError when the built-in packs are missing from the installation.
    """
    folder = cache_dir / "packs" if cache_dir is not None else None
    digest = hashlib.sha256(cache.key(b"", "").encode())
    built_in = [_read(path, path.name, folder, digest) for path in built_in_files()]
    own = [] if repository is None else _repository_packs(repository, folder, digest)
    problems = [problem for pack in (*built_in, *own) for problem in pack.problems]
    taken = {pack.name for pack in built_in}
    items = _items(built_in)
    known_checkers = {check.name for item in items for check in item.checks if isinstance(check, CheckerCheck)}
    for pack in own:
        if not pack.name:
            continue
        if pack.name in taken:
            problems.append(Problem(pack.file, 1, f'the pack name "{pack.name}" is taken', lost=True))
            continue
        taken.add(pack.name)
        items.extend(_permitted(pack, known_checkers, problems))
    wished = _Wishes(overrides, packs, places)
    items = _settled(_with_unique_aliases(items, problems), wished, taken, problems)
    digest.update(repr((sorted(overrides.items()), None if packs is None else sorted(packs))).encode())
    return Ruleset(tuple(items), digest.hexdigest(), tuple(problems))


def built_in_files(package: Path = Path(__file__).parent.parent) -> tuple[Path, ...]:
    """The pack files that come with the package, general first. Raises OutsideError when there are none."""
    # An editable install does not see the data that the wheel puts beside the code, hence two places.
    for folder in (package / "checklists", package.parent.parent / "checklists"):
        if files := sorted(folder.glob("*.yaml"), key=lambda file: (file.name != "general.yaml", file.name)):
            return tuple(files)
    raise OutsideError("the built-in packs are missing: install roundzero again")


def repository_files(repository: Path) -> tuple[Path, ...]:
    """The repository's own pack files, sorted. None when the folder is a link that leads out of the repository."""
    folder = repository / REPOSITORY_FOLDER
    try:
        if not folder.resolve().is_relative_to(repository.resolve()):
            return ()
        names = sorted(entry.name for entry in os.scandir(folder))
    except (OSError, RuntimeError):
        return ()
    return tuple(folder / name for name in names if name.endswith((".yaml", ".yml")) and not name.startswith("."))


def _repository_packs(repository: Path, folder: Path | None, digest: hashlib._Hash) -> list[Pack]:
    files = repository_files(repository)
    packs = [_read(path, f"{REPOSITORY_FOLDER}/{path.name}", folder, digest) for path in files[:MOST_FILES]]
    if len(files) > MOST_FILES:
        packs.append(_broken(REPOSITORY_FOLDER, f"more than {MOST_FILES} pack files: the rest is not read"))
    return packs


def _read(path: Path, file: str, folder: Path | None, digest: hashlib._Hash) -> Pack:
    try:
        content = _content(path)
        text = content.decode("utf-8-sig")
    except OSError as error:
        return _broken(file, f"cannot be read: {error.strerror}")
    except UnicodeDecodeError:
        return _broken(file, "is not UTF-8")
    except ValueError as error:
        return _broken(file, str(error))
    name = cache.key(content, file)
    digest.update(name.encode())
    if folder is not None and (pack := cache.load(folder, name)) is not None:
        return pack
    from roundzero.packs.compiling import compile_pack  # noqa: PLC0415  needs pydantic and yaml, a cached pack does not

    pack = compile_pack(text, file)
    if folder is not None:
        cache.save(folder, name, pack)
    return pack


def _content(path: Path) -> bytes:
    """The bytes of a regular file. A link is refused: it may lead out of the repository."""
    with open_regular(path) as file:
        if size(file) > MOST_BYTES:
            raise ValueError(f"is larger than {MOST_BYTES} bytes")
        return file.read()


def _broken(file: str, message: str) -> Pack:
    return Pack.unusable(file, Problem(file, 0, message, lost=True))


def _items(packs: Iterable[Pack]) -> list[Item]:
    return [item for pack in packs for item in pack.items]


def _permitted(pack: Pack, known_checkers: Collection[str], problems: list[Problem]) -> list[Item]:
    """A repository pack's items, without those that name a checker that does not exist."""
    kept: list[Item] = []
    for item in pack.items:
        unknown = [
            check.name for check in item.checks if isinstance(check, CheckerCheck) and check.name not in known_checkers
        ]
        if unknown:
            message = f'{item.id}: there is no checker "{unknown[0]}"'
            problems.append(Problem(pack.file, item.line, message, lost=True))
        else:
            kept.append(item)
    return kept


def _with_unique_aliases(items: Sequence[Item], problems: list[Problem]) -> list[Item]:
    owners: dict[ItemId, ItemId] = {item.id: item.id for item in items}
    result: list[Item] = []
    for item in items:
        aliases: list[ItemId] = []
        for alias in item.aliases:
            if alias in owners:
                message = f"{item.id}: the former name {alias} belongs to {owners[alias]}"
                problems.append(Problem(item.origin_file, item.line, message))
            else:
                owners[alias] = item.id
                aliases.append(alias)
        result.append(item if len(aliases) == len(item.aliases) else replace(item, aliases=tuple(aliases)))
    return result


@dataclass(frozen=True, slots=True)
class _Wishes:
    """What the settings say."""

    overrides: Mapping[str, str]
    packs: Sequence[str] | None
    places: Mapping[tuple[str, str], Place]

    def problem(self, kind: str, name: str, message: str) -> Problem:
        """A problem where ``name`` was set."""
        place = self.places.get((kind, name), _SETTINGS)
        return Problem(place.file, place.line, message)


def _settled(
    items: Sequence[Item], wished: _Wishes, known_packs: Collection[str], problems: list[Problem]
) -> list[Item]:
    """The items with the settings applied, in the same order."""
    packs = wished.packs
    if packs is not None:
        problems.extend(
            wished.problem("packs", name, f'there is no pack "{name}"{_nearest(name, known_packs)}')
            for name in packs
            if name not in known_packs
        )
        known = [name for name in packs if name in known_packs]
        packs = known if known or not packs else None  # nothing but misspelt names must not switch all off
    settled = {item.id: item for item in items}
    names = _names(items)
    for name, value in wished.overrides.items():
        item_id = names.get(name)
        if item_id is None:
            message = f'there is no item "{name}"{_nearest(name, names)}'
            problems.append(wished.problem("items", name, message))
        elif value == "off":
            settled[item_id] = replace(settled[item_id], enabled=False)
        elif value in Severity.__members__:
            settled[item_id] = replace(
                settled[item_id], severity=Severity[value], severity_set=True, enabled=True, trigger=False
            )
        else:
            problems.append(wished.problem("items", name, f'{name}: "{value}" is none of off, P0, P1, P2, P3'))
    return [item if packs is None or item.pack in packs else replace(item, enabled=False) for item in settled.values()]


def _names(items: Sequence[Item]) -> dict[str, ItemId]:
    """Every name an item may be called by: its short one where only one pack has it, former full ones, its full one."""
    short: dict[str, ItemId | None] = {}
    for item in items:
        name = item.id.split("/", 1)[1]
        short[name] = None if name in short else item.id
    names = {name: item_id for name, item_id in short.items() if item_id is not None}
    names.update({alias: item.id for item in items for alias in item.aliases})
    names.update({item.id: item.id for item in items})
    return names


def _nearest(name: str, known: Iterable[str]) -> str:
    from roundzero.core.near import near  # noqa: PLC0415  only for a message

    found = near(name, known)
    return f'; did you mean "{found[0]}"?' if found else "; it was ignored"
