"""The repository's own pre-commit hooks, for layout only: what its formatters would change.

Only well-known formatters that take no code for configuration, only at the versions that the repository names, only
from the environments that pre-commit has installed for them before. Of what the repository says about a hook no more
counts than which files it is for and a few plain flags; one that says more does not run. They run over a copy of the
texts at their own paths, with the configuration files of formatters around them, in a git repository of our own. Which
of the hooks wants a change is not told apart. Invariants: nothing is downloaded, neither a command nor a text of the
repository runs, and the work tree is neither read for texts nor written.
"""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.errors import OutsideError
from roundzero.linters import LinterResult
from roundzero.linters._installed import ByProgram, Installed, codes_of, installed
from roundzero.linters._layout import laid_out_anew
from roundzero.linters._work_tree import around, read, read_back, tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from roundzero.core.change import Source
    from roundzero.core.item import Item
    from roundzero.linters import Linter

_NAME: Final = "pre-commit"
_CONFIG: Final = ".pre-commit-config.yaml"
_SECONDS: Final = 60.0
_NONE: Final = "no hook formats"
_FORMATTERS: Final[Mapping[str, str]] = {
    "autopep8": "autopep8",
    "black": "black",
    "black-jupyter": "black",
    "clang-format": "clang-format",
    "end-of-file-fixer": "end-of-file-fixer",
    "fix-byte-order-marker": "fix-byte-order-marker",
    "isort": "isort",
    "mixed-line-ending": "mixed-line-ending",
    "pyproject-fmt": "pyproject-fmt",
    "ruff-format": "ruff",
    "shfmt": "shfmt",
    "stylua": "stylua",
    "trailing-whitespace": "trailing-whitespace-fixer",
    "usort": "usort",
    "yamlfmt": "yamlfmt",
    "yapf": "yapf",
}
"""Hooks that lay code out and do nothing else, by their ids, and their programs.

Left out are those whose configuration can run or fetch code: biome, buildifier, cmake-format, dprint, gersemi,
prettier, taplo, and what cargo, rustup and go start.
"""
_CONFIGURATIONS: Final = (
    ".clang-format", "_clang-format", ".clang-format-ignore", ".editorconfig", ".isort.cfg", ".ruff.toml",
    ".style.yapf", ".stylua.toml", ".yamlfmt", ".yapfignore", "pyproject.toml", "ruff.toml", "setup.cfg", "stylua.toml",
    "tox.ini",
)  # fmt: skip
"""What formatters read, in any folder above a text."""
_ENVIRONMENTS: Final[Mapping[str, str]] = {"golang": "golangenv", "python": "py_env", "rust": "rustenv"}
"""The languages whose hooks run from an environment of their own, and how its folder's name begins."""
_SELECTS: Final[Mapping[str, type]] = {
    "files": str, "exclude": str, "types": list, "types_or": list, "exclude_types": list,
}  # fmt: skip
"""What is taken over of a hook: which files it is for."""
_IGNORED: Final = frozenset({
    "alias", "args", "description", "fail_fast", "id", "minimum_pre_commit_version", "name", "require_serial",
    "verbose",
})  # fmt: skip
"""What says nothing about the layout, or is looked at elsewhere. A hook with any other key does not run."""
_FLAG: Final = regex(
    r"-[CSailpqstw]|-ci|-bn|-sr|-kp|-i=\d{1,2}|\d{1,4}|py\d{2,3}|black"
    r"|--(?:aggressive|filter-files|force-exclude|in-place|preview|quiet|safe)"
    r"|--skip-(?:string-normalization|magic-trailing-comma)"
    r"|--(?:max-)?line-length(?:=\d{1,4})?|--line-width=\d{1,4}|--target-version(?:=py\d{2,3})?"
    r"|--profile(?:=black)?|--fix=(?:auto|crlf|lf|no)|--markdown-linebreak-ext=\w{1,10}"
    r"|--?style=(?:file|pep8|google|LLVM|Google|Chromium|Mozilla|WebKit)|--?fallback-style=none"
)
"""The arguments a hook may have: no paths, no plugins, no configuration."""
_OFFLINE: Final = {
    "CARGO_NET_OFFLINE": "true",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GOFLAGS": "-mod=mod",
    "GOPROXY": "off",
    "PIP_NO_INDEX": "1",
    "PRE_COMMIT_COLOR": "never",
    "npm_config_offline": "true",
}
"""Nothing is fetched, whatever else was overlooked."""


@dataclass(frozen=True, slots=True)
class PreCommit(ByProgram):
    """The linter of one work tree. ``config`` is ours: the repository's hooks that are installed, built anew."""

    root: Path
    config: str

    async def run(self, sources: Sequence[Source], items: Sequence[Item]) -> LinterResult:
        """Let the hooks lay out the sources, and say where that makes a difference."""
        wanted = [item for group in codes_of(items, _NAME).values() for item in group]
        chosen = [at for at, source in enumerate(sources) if any(item.applies.matches(source.path) for item in wanted)]
        if not chosen:
            return LinterResult()
        try:
            texts = await self._formatted([sources[at] for at in chosen])
        except (OutsideError, OSError, UnicodeDecodeError) as error:
            return LinterResult(failures=((None, str(error)),))
        return await laid_out_anew(sources, wanted, dict(zip(chosen, texts, strict=True)), "Lay it out as the hooks do")

    async def _formatted(self, sources: Sequence[Source]) -> list[str]:
        """The texts after the hooks. Raises OutsideError, OSError, UnicodeDecodeError."""
        paths = [source.path for source in sources]
        more = await asyncio.to_thread(around, self.root, paths, _CONFIGURATIONS)
        async with tree([(source.path, source.text) for source in sources], more) as folder:
            git = await Installed("git", "git").start(["init", "-q"], cwd=folder, env=_OFFLINE)
            if git.returncode != 0:
                raise OutsideError(git.complaint)
            config = folder / ".git" / "hooks.yaml"  # where no text can take its place
            await asyncio.to_thread(config.write_text, self.config, encoding="utf-8")
            options = ["run", "--config", str(config), "--color=never", "--files", *(f"./{path}" for path in paths)]
            done = await self.program.start(options, cwd=folder, env=_OFFLINE, seconds=_SECONDS)
            texts = await asyncio.to_thread(read_back, folder, paths)
        changed = any(text != source.text for text, source in zip(texts, sources, strict=True))
        if done.returncode not in (0, 1) or (done.returncode == 1 and not changed):
            lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
            raise OutsideError(next((line for line in reversed(lines) if line.strip()), done.complaint))
        return texts


@dataclass(frozen=True, slots=True)
class _Optional:
    name: str = _NAME
    slow: bool = True

    async def ready(self, own: str | None, root: Path | None) -> Linter | str:
        if root is None:
            return "runs in a work tree only"
        text = await asyncio.to_thread(read, root, _CONFIG)
        if text is None:
            return f"the repository has no {_CONFIG}"
        program = installed(_NAME, own)
        if isinstance(program, str):
            return program
        config, reason = await asyncio.to_thread(_cut_down, text, _store())
        return reason if config is None else PreCommit(program, root, config)


OPTIONAL: Final = _Optional()


def _store() -> Path:
    """Where pre-commit keeps what it installed."""
    if home := os.environ.get("PRE_COMMIT_HOME"):
        return Path(home)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pre-commit"


def _cut_down(text: str, store: Path) -> tuple[str | None, str]:
    """A configuration with nothing but formatters that are installed; None, and why, where there are none."""
    import yaml  # noqa: PLC0415  only where a repository has hooks

    try:
        config = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        config = None
    if not isinstance(config, dict):
        return None, _NONE
    repos: list[dict[str, object]] = []
    reason = _NONE
    for repo in _dicts(config.get("repos")):
        name, rev = repo.get("repo"), repo.get("rev")
        if isinstance(name, str) and isinstance(rev, str) and name not in {"local", "meta"}:
            wanted = [each for each in _dicts(repo.get("hooks")) if str(each.get("id")) in _FORMATTERS]
            found = [_rebuilt(hook, name, rev, store) for hook in wanted]
            reason = next((each for each in found if isinstance(each, str)), reason)
            if hooks := [each for each in found if not isinstance(each, str)]:
                repos.append({"repo": name, "rev": rev, "hooks": hooks})
    if not repos:
        return None, reason
    kept = {key: config[key] for key in ("exclude", "files") if isinstance(config.get(key), str)}
    return yaml.safe_dump({**kept, "repos": repos}, allow_unicode=True), ""


def _dicts(value: object) -> Iterator[Mapping[str, Any]]:
    yield from (each for each in value if isinstance(each, dict)) if isinstance(value, list) else ()


def _is_plain(hook: Mapping[str, Any]) -> bool:
    """Whether the hook says no more than which files it is for, and gives no arguments but flags that we know."""
    if any(
        key not in _IGNORED and not (key in _SELECTS and isinstance(value, _SELECTS[key]))
        for key, value in hook.items()
    ):
        return False
    args = hook.get("args", [])
    return isinstance(args, list) and all(isinstance(each, str) and _FLAG.fullmatch(each) for each in args)


def _rebuilt(hook: Mapping[str, Any], name: str, rev: str, store: Path) -> dict[str, object] | str:
    """The hook as we run it, in the environment that is there and writing no log; or why it does not run."""
    if not _is_plain(hook):
        return "its hooks that format say themselves how they run"
    version = _installed_version(name, rev, hook["id"], store)
    if version is None:
        return "its hooks that format are not installed (pre-commit install-hooks)"
    kept = {key: hook[key] for key in ("id", "args", *_SELECTS) if key in hook}
    return {**kept, "language_version": version, "log_file": "", "verbose": False}


def _installed_version(name: str, rev: str, hook: str, store: Path) -> str | None:
    """The language version of the environment where pre-commit has installed the hook's program; None without one."""
    import yaml  # noqa: PLC0415  as above

    source = _place(store, name, rev)
    if source is None:
        return None
    try:
        manifest = yaml.safe_load((source / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return None
    known = next((each for each in _dicts(manifest) if each.get("id") == hook), {})
    folder = _ENVIRONMENTS.get(str(known.get("language")))
    program = _FORMATTERS[hook]
    if folder is None or str(known.get("entry")).split()[:1] != [program]:
        return None
    more = [str(each) for each in known.get("additional_dependencies") or ()]
    place = _place(store, f"{name}:{','.join(more)}", rev) if more else source
    if place is None:
        return None
    programs = (f"bin/{program}", f"bin/{program}.exe", f"Scripts/{program}.exe")
    for found in sorted(place.glob(f"{folder}-*/.install_state_v*")):
        version = found.parent.name.removeprefix(f"{folder}-")
        if re.fullmatch(r"[\w.]+", version) and any((found.parent / each).is_file() for each in programs):
            return version
    return None


def _place(store: Path, name: str, rev: str) -> Path | None:
    """Where pre-commit has a repository at a version, by its own records."""
    import sqlite3  # noqa: PLC0415  only where a repository has hooks
    from contextlib import closing  # noqa: PLC0415  as above

    try:
        with closing(sqlite3.connect(f"{(store / 'db.db').as_uri()}?mode=ro", uri=True)) as database:
            row = database.execute("SELECT path FROM repos WHERE repo = ? AND ref = ?", (name, rev)).fetchone()
    except (sqlite3.Error, ValueError):
        return None
    return Path(row[0]) if row is not None and Path(row[0]).is_dir() else None
