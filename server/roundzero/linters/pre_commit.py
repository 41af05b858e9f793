"""The repository's own pre-commit hooks, for layout only: what its formatters would change.

Only well-known formatters, only at the versions that the repository names, only where pre-commit has installed them
before: nothing is downloaded and no program of the repository runs. They run over a copy of the texts at their own
paths, with the configuration files of formatters around them, in a git repository of our own. Which of the hooks wants
a change is not told apart. Invariant: the work tree is neither read for texts nor written.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from roundzero.errors import OutsideError
from roundzero.linters import LinterResult
from roundzero.linters._installed import Installed, codes_of, installed
from roundzero.linters._layout import TooDifferentError, layout_hits
from roundzero.linters._work_tree import around, read, read_back, tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from roundzero.core.change import Source
    from roundzero.core.finding import Hit
    from roundzero.core.item import Item, ItemId
    from roundzero.linters import Linter

_NAME: Final = "pre-commit"
_CONFIG: Final = ".pre-commit-config.yaml"
_SECONDS: Final = 60.0
_FORMATTERS: Final = frozenset({
    "autopep8", "biome-format", "black", "black-jupyter", "buildifier", "clang-format", "cmake-format", "dprint",
    "end-of-file-fixer", "fix-byte-order-marker", "fmt", "gersemi", "go-fmt", "gofmt", "isort", "mixed-line-ending",
    "prettier", "pyproject-fmt", "ruff-format", "rustfmt", "shfmt", "stylua", "taplo-format", "trailing-whitespace",
    "usort", "yamlfmt", "yapf",
})  # fmt: skip
"""Hooks that lay code out and do nothing else, by their ids."""
_CONFIGURATIONS: Final = (
    ".clang-format", "_clang-format", ".clang-format-ignore", ".editorconfig", ".isort.cfg", ".prettierignore",
    ".prettierrc", ".prettierrc.json", ".prettierrc.toml", ".prettierrc.yaml", ".prettierrc.yml", ".ruff.toml",
    ".rustfmt.toml", ".style.yapf", ".stylua.toml", ".taplo.toml", ".yamlfmt", ".yapfignore", "biome.json",
    "dprint.json", "package.json", "pyproject.toml", "ruff.toml", "rustfmt.toml", "setup.cfg", "stylua.toml",
    "taplo.toml", "tox.ini",
)  # fmt: skip
"""What formatters read, in any folder above a text."""
_NEEDS_NO_ENVIRONMENT: Final = frozenset({"fail", "pygrep", "script", "system", "unsupported", "unsupported_script"})
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
class PreCommit:
    """The linter of one work tree. ``config`` is the repository's, cut down to hooks that are installed."""

    program: Installed
    root: Path
    config: str

    @property
    def name(self) -> str:
        """The producer's name."""
        return _NAME

    def takes(self, item: Item) -> bool:
        """Whether the item is about layout by the repository's hooks."""
        return _NAME in item.linters

    async def version(self) -> str:
        """The program's version."""
        return await self.program.version()

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
        hits: list[tuple[int, ItemId, Hit]] = []
        failures: list[tuple[int | None, str]] = []
        for at, text in zip(chosen, texts, strict=True):
            names = [item.id for item in wanted if item.applies.matches(sources[at].path)]
            try:
                found = await asyncio.to_thread(list, layout_hits(sources[at], text, "Lay it out as the hooks do"))
            except TooDifferentError:
                failures.append((at, "its layout differs in too many lines to say in which"))
                continue
            hits += [(at, name, hit) for hit in found for name in names]
        return LinterResult(hits=tuple(hits), failures=tuple(failures))

    async def _formatted(self, sources: Sequence[Source]) -> list[str]:
        """The texts after the hooks. Raises OutsideError, OSError, UnicodeDecodeError."""
        paths = [source.path for source in sources]
        more = await asyncio.to_thread(around, self.root, paths, _CONFIGURATIONS)
        more[_CONFIG] = self.config
        async with tree([(source.path, source.text) for source in sources], more) as folder:
            git = await Installed("git", "git").start(["init", "-q"], cwd=folder, env=_OFFLINE)
            if git.returncode != 0:
                raise OutsideError(git.complaint)
            options = ["run", "--config", _CONFIG, "--color=never", "--files", *(f"./{path}" for path in paths)]
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
        config, hooks = await asyncio.to_thread(_cut_down, text, _store())
        if config is None:
            return "its hooks that format are not installed (pre-commit install-hooks)" if hooks else "no hook formats"
        return PreCommit(program, root, config)


OPTIONAL: Final = _Optional()


def _store() -> Path:
    """Where pre-commit keeps what it installed."""
    if home := os.environ.get("PRE_COMMIT_HOME"):
        return Path(home)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pre-commit"


def _cut_down(text: str, store: Path) -> tuple[str | None, int]:
    """The configuration with nothing but formatters that are installed (None: there are none), and how many it has."""
    import yaml  # noqa: PLC0415  only where a repository has hooks

    try:
        config = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError):
        return None, 0
    repos, hooks = [], 0
    for repo in _dicts(config.get("repos") if isinstance(config, dict) else None):
        mine = [hook for hook in _dicts(repo.get("hooks")) if hook.get("id") in _FORMATTERS]
        if repo.get("repo") in (None, "local", "meta") or not mine:
            continue
        hooks += len(mine)
        if there := [hook for hook in mine if _is_installed(repo, hook, store)]:
            repos.append({"repo": repo["repo"], "rev": repo.get("rev"), "hooks": there})
    if not repos:
        return None, hooks
    kept = {key: config[key] for key in ("default_language_version", "exclude", "files") if key in config}
    return yaml.safe_dump({**kept, "repos": repos}, allow_unicode=True), hooks


def _dicts(value: object) -> Iterator[Mapping[str, Any]]:
    yield from (each for each in value if isinstance(each, dict)) if isinstance(value, list) else ()


def _is_installed(repo: Mapping[str, Any], hook: Mapping[str, Any], store: Path) -> bool:
    """Whether pre-commit has the hook's repository at its version, and an environment to run it in."""
    import yaml  # noqa: PLC0415  as above

    name, rev = str(repo["repo"]), str(repo.get("rev"))
    source = _place(store, name, rev)
    if source is None:
        return False
    try:
        manifest = yaml.safe_load((source / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
        return False
    known = next((each for each in _dicts(manifest) if each.get("id") == hook["id"]), None)
    if known is None:
        return False
    more = [str(each) for each in hook.get("additional_dependencies", known.get("additional_dependencies")) or ()]
    place = _place(store, f"{name}:{','.join(more)}", rev) if more else source
    language = str(hook.get("language", known.get("language")))
    return place is not None and (language in _NEEDS_NO_ENVIRONMENT or any(place.glob("*env*-*/.install_state_v*")))


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
