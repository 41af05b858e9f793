"""Fills the settings from files, editor, environment and command line.

Order: built-in < the client's own defaults < user file < repository file < editor < environment < command line. The
environment is the user's side and stands above the editor because editors send their defaults too. Invariant: loading
never fails; what is unknown, wrong or not the repository's to set is a ``Problem`` with file and line, and ignored.
Files of the repository are named by their path in it, so that reports are the same in every clone.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.config.table import SETTINGS, Kind, Setting, Settings, Who, snake
from roundzero.config.toml_lines import line_of
from roundzero.core.rule_files import PROJECT_FILE, SETTINGS_FILE
from roundzero.core.ruleset import Place, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

REPOSITORY_FILE: Final = SETTINGS_FILE
MAX_FILE_BYTES: Final = 1_000_000
"""A configuration file above this size is reported and ignored."""


def user_file() -> Path:
    """The user's ``config.toml``; it need not exist."""
    import platformdirs  # noqa: PLC0415  off the start-up path

    return Path(platformdirs.user_config_dir("roundzero", appauthor=False)) / "config.toml"


def load(
    *,
    root: Path | None,
    defaults: Mapping[str, object] | None = None,
    editor: Mapping[str, object] | None = None,
    command_line: Mapping[str, object] | None = None,
    environ: Mapping[str, str],
) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings in force for the repository at ``root`` (None: outside one) and what was wrong.

    ``defaults``, ``editor`` and ``command_line`` use the editor's names, nested or dotted; None values are as good as
    absent. ``defaults`` stand below every file.
    """
    loading = _Loading()
    loading.add(_EDITOR, defaults or {}, "defaults")
    loading.add_file(user_file())
    if root is not None:
        loading.add_repository(root)
    loading.add(_EDITOR, editor or {}, "editor settings")
    loading.add_environment(environ)
    loading.add(_EDITOR, command_line or {}, "command line")
    return loading.settings, tuple(loading.problems)


_EDITOR: Final = {row.name: row for row in SETTINGS}
_TOML: Final = {row.toml: row for row in SETTINGS}


class _Loading:
    """Settings being put together, layer by layer."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.problems: list[Problem] = []

    def add_file(self, path: Path, *, root: Path | None = None, table: tuple[str, ...] = ()) -> bool:
        """Add a TOML file or a table of it, on the repository's side with ``root``. False where there is none."""
        name = str(path) if root is None else path.relative_to(root).as_posix()
        if root is not None and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
            self.problems.append(Problem(name, 0, "is a link that leaves the repository; it was not read"))
            return False
        try:
            data = _bytes(path)
        except _UnreadableError as error:
            self.problems.append(Problem(name, error.line, str(error), whole=True))
            return False
        if data is None or (table and table[-1].encode() not in data):
            return False
        try:
            text, parsed = _parsed(data)
        except _UnreadableError as error:
            self.problems.append(Problem(name, error.line, str(error), whole=True))
            return True
        for key in table:
            parsed = parsed.get(key) if isinstance(parsed, dict) else None
        if isinstance(parsed, dict):
            self.add(_TOML, parsed, name, text=text, table=table, repository=root is not None)
        return isinstance(parsed, dict)

    def add_repository(self, root: Path) -> None:
        """Add ``.roundzero.toml``, or else the table in pyproject.toml."""
        if not self.add_file(root / REPOSITORY_FILE, root=root):
            self.add_file(root / PROJECT_FILE, root=root, table=("tool", "roundzero"))

    def add(
        self,
        names: Mapping[str, Setting],
        values: Mapping[str, object],
        file: str,
        *,
        text: str = "",
        table: tuple[str, ...] = (),
        repository: bool = False,
    ) -> None:
        """Add one layer; problems get the line of the key in ``text``."""

        def line(keys: tuple[str, ...]) -> int:
            return line_of(text, (*table, *keys)) if text else 0

        def complain(message: str, *keys: str) -> None:
            self.problems.append(Problem(file, line(keys), message))

        for key, row, entry, value in _flat(values, names):
            keys = (*key.split("."), entry) if entry is not None else tuple(key.split("."))
            if row is None:
                complain(_unknown(key, names), *keys)
            elif repository and row.who is Who.USER:
                complain(f"{key} cannot be set by a repository; it was ignored. Set it in your own config.toml", *keys)
            elif value is not None and (wrong := self._set(row, entry, value, lower=repository)) is not None:
                complain(f"{key if entry is None else f'{key}.{entry}'} {wrong}", *keys)
            elif value is not None:
                self._note(row, entry, Place(file, line(keys)))

    def _note(self, row: Setting, entry: str | None, place: Place) -> None:
        """Remember where the entry, or the value with each element of a list, that was just put was set."""
        value = getattr(self.settings, row.attribute)
        names = (entry,) if entry is not None else ("", *value) if isinstance(value, tuple) else ("",)
        places = {key: at for key, at in self.settings.places.items() if entry is not None or key[0] != row.attribute}
        places.update({(row.attribute, name): place for name in names})
        self.settings = replace(self.settings, places=places)

    def add_environment(self, environ: Mapping[str, str]) -> None:
        """Add ``ROUNDZERO_*``."""
        names = {row.variable: row for row in SETTINGS if "<" not in row.name}
        for name in sorted(environ):
            if not name.startswith("ROUNDZERO_") or name == "ROUNDZERO_API_KEY" or not environ[name]:
                continue
            row = names.get(name)
            if row is None or row.kind.table or row.kind.schema["type"] == "array":
                self.problems.append(Problem("environment", 0, f"{name} is not a setting; it was ignored"))
            elif (wrong := self._set(row, None, _from_text(row.kind, environ[name]))) is not None:
                self.problems.append(Problem("environment", 0, f"{name} {wrong}"))
            else:
                self._note(row, None, Place(name))

    def _set(self, row: Setting, entry: str | None, value: object, *, lower: bool = False) -> str | None:
        """Put one value; what is wrong with it, or None."""
        try:
            if row.kind.table != (entry is not None):
                return "must be a table; it was ignored"
            good = row.kind.read(value)
        except ValueError:
            return f"must be {row.kind.words}; it was ignored"
        now = getattr(self.settings, row.attribute)
        if lower and row.who is Who.REPOSITORY_LOWERS and isinstance(good, int) and good > now:
            return f"can only be lowered by a repository; {good} is above {now} and was ignored"
        changed = {**now, entry: good} if entry is not None else good
        self.settings = replace(self.settings, **{row.attribute: changed})  # type: ignore[arg-type]  # read() checked it
        return None


class _UnreadableError(Exception):
    """A configuration file that costs itself; ``line`` from 1, 0 when unknown."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


def _bytes(path: Path) -> bytes | None:
    """The bytes of a file, None where there is none."""
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            raise _UnreadableError("is not a file; it was not read")
        if facts.st_size > MAX_FILE_BYTES:
            raise _UnreadableError(f"is larger than {MAX_FILE_BYTES} bytes; it was not read")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _UnreadableError(f"cannot be read: {error.strerror}") from error


def _parsed(data: bytes) -> tuple[str, object]:
    """The text of a TOML file and its value."""
    import tomllib  # noqa: PLC0415  off the start-up path

    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        return text, tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise _UnreadableError("is not UTF-8; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        found = re.search(r" \(at line (\d+), column \d+\)$", str(error))
        message = str(error)[: found.start()] if found else str(error)
        raise _UnreadableError(f"is not valid TOML: {message}", int(found[1]) if found else 0) from error
    except (ValueError, RecursionError) as error:
        raise _UnreadableError("is not valid TOML: a number is too long or the nesting too deep") from error


def _flat(
    values: Mapping[str, object], names: Mapping[str, Setting], prefix: str = ""
) -> Iterator[tuple[str, Setting | None, str | None, object]]:
    """(key, row or None when unknown, entry of a table setting or None, value) of nested or dotted values."""
    for key, value in values.items():
        full = prefix + key
        linter = re.fullmatch(r"linters\.([^.]+)\.(enable|path)", full)
        row = names.get(full)
        if linter is not None:
            yield full, names[f"linters.<name>.{linter[2]}"], linter[1], value
        elif row is not None and row.kind.table and isinstance(value, dict):
            for entry, each in value.items():
                yield full, row, str(entry), each
        elif row is not None:
            yield full, row, None, value
        elif isinstance(value, dict) and (full.startswith("linters.") or _is_prefix(full, names)):
            yield from _flat(value, names, full + ".")
        else:
            yield full, None, None, value


def _is_prefix(key: str, names: Mapping[str, Setting]) -> bool:
    return any(name.startswith(key + ".") for name in names)


def _unknown(key: str, names: Mapping[str, Setting]) -> str:
    from roundzero.core.near import near  # noqa: PLC0415  off the start-up path

    meant = ""
    for found in near(key, [*names, *_EDITOR]):
        spelled = found if found in names else snake(found)
        meant = f"; did you mean {spelled}?"
    return f"{key} is not a setting{meant or '; it was ignored'}"


def _from_text(kind: Kind, text: str) -> object:
    """A value from the environment in the type its kind asks for; the text itself where it does not look like it."""
    match kind.schema["type"]:
        case "boolean":
            return {"1": True, "true": True, "0": False, "false": False}.get(text.lower(), text)
        case "integer" | "number":
            try:
                return int(text) if kind.schema["type"] == "integer" else float(text)
            except ValueError:
                return text
        case _:
            return text
