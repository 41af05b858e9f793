"""How a repository's tests are collected: what pytest's and Bazel's files say about one test file.

Reads the nearest of pytest's own configuration files, as pytest does, and the ``BUILD`` file beside a test. Where a
configuration changes what is collected, or cannot be read, the answer is ``None``: not known. Invariant: nothing but
the files of one side is looked at.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._paths import folders_above
from roundzero.core.change import Side

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.ports import Repository
    from roundzero.core.text import RelPath

_RULES: Final = frozenset({"python_files", "python_classes", "python_functions"})
_SECTIONS: Final = (
    ("pytest.ini", "pytest"),
    (".pytest.ini", "pytest"),
    ("tox.ini", "pytest"),
    ("setup.cfg", "tool:pytest"),
)


def runs_default_pytest(
    path: RelPath, repository: Repository, paths: frozenset[RelPath], *, is_pytests: bool
) -> bool | None:
    """Whether a test file is collected by pytest with its default rules; None where that cannot be told.

    ``is_pytests``: its text is for pytest, whatever else is configured.
    """
    for folder in folders_above(path):
        for name, section in _SECTIONS:
            options = _ini(posixpath.join(folder, name), section, repository, paths)
            if options is not None:
                return None if _RULES & options.keys() or "-p no:python" in options.get("addopts", "") else True
        table = _toml(posixpath.join(folder, "pyproject.toml"), repository, paths)
        if table is not None:
            return None if _RULES & table.keys() else True
    if is_pytests or any(posixpath.join(folder, "conftest.py") in paths for folder in folders_above(path)):
        return True
    return None


def is_run_as_script(path: RelPath, repository: Repository, paths: frozenset[RelPath]) -> bool:
    """Whether Bazel runs a test file as a program: Bazel's own ``py_test`` beside it names the file."""
    folder, _, name = path.rpartition("/")
    for build in ("BUILD.bazel", "BUILD"):
        beside = posixpath.join(folder, build)
        if beside not in paths:
            continue
        source = repository.read(beside, Side.HEAD)  # type: ignore[arg-type]  # a RelPath is a str
        if source is None or _loads_another(source.text):
            return False
        return any(
            _is_main(block, name) for block in re.findall(r"^py_test\((.*?)^\)", source.text, re.MULTILINE | re.DOTALL)
        )
    return False


def _is_main(block: str, name: str) -> bool:
    """Whether a ``py_test`` runs a file: as its ``main``, as its only source, or as the source named like it."""
    main = re.search(r"\bmain\s*=\s*[\"']:?([^\"']+)", block)
    if main is not None:
        return main.group(1) == name
    srcs = re.search(r"\bsrcs\s*=\s*\[([^\]]*)\]", block)
    label = re.search(r"\bname\s*=\s*[\"']([^\"']+)", block)
    if srcs is None or re.search(rf"[\"']:?{re.escape(name)}[\"']", srcs.group(1)) is None:
        return False
    return len(re.findall(r"[\"'][^\"']+[\"']", srcs.group(1))) == 1 or (
        label is not None and f"{label.group(1)}.py" == name
    )


def _loads_another(text: str) -> bool:
    """Whether ``py_test`` is a macro here, which may bring its own main."""
    return any(
        re.search(r"[\"']py_test[\"']|\bpy_test\s*=", rest) is not None
        for label, rest in re.findall(r"load\(\s*[\"']([^\"']+)[\"']([^)]*)\)", text)
        if not label.startswith("@rules_python//")
    )


def _ini(path: str, section: str, repository: Repository, paths: frozenset[RelPath]) -> Mapping[str, str] | None:
    """The options of a section; None where the file or the section does not exist."""
    text = _text(path, repository, paths)
    if text is None:
        return None
    import configparser  # noqa: PLC0415  few changes need it

    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return dict.fromkeys(_RULES, "") if f"[{section}]" in text else None
    if not parser.has_section(section):
        return {} if path.endswith("pytest.ini") else None
    return {key: value or "" for key, value in parser.items(section)}


def _toml(path: str, repository: Repository, paths: frozenset[RelPath]) -> Mapping[str, object] | None:
    """``tool.pytest`` of a pyproject file; None where it has none."""
    text = _text(path, repository, paths)
    if text is None or "pytest" not in text:
        return None
    import tomllib  # noqa: PLC0415  as above

    try:
        table = tomllib.loads(text).get("tool", {}).get("pytest")
    except (tomllib.TOMLDecodeError, AttributeError):
        return dict.fromkeys(_RULES, "")
    if not isinstance(table, dict):
        return None
    options = table.get("ini_options", table)
    return options if isinstance(options, dict) else None


def _text(path: str, repository: Repository, paths: frozenset[RelPath]) -> str | None:
    source = repository.read(path, Side.HEAD) if path in paths else None  # type: ignore[arg-type]  # a RelPath is a str
    return source.text if source is not None else None
