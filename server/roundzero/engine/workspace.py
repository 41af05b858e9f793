"""One repository made ready for reviewing: git, settings, rules and linters. Front ends open it and hand it on.

Holds no findings and starts no tasks. Invariant: two workspaces with equal settings over equal repositories give equal
reviews.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.core.finding import Origin
from roundzero.core.gate import GatePolicy
from roundzero.core.item import Severity
from roundzero.core.judge import View
from roundzero.errors import OutsideError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.config import Settings
    from roundzero.core.change import BaseChoice
    from roundzero.core.ruleset import Problem, Ruleset
    from roundzero.engine.pool import Runner
    from roundzero.git.repository import CollectRules, Git
    from roundzero.linters import Linter

REF_PREFIX: Final = "refs/heads/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """Everything a review needs. ``problems`` are those of configuration and packs."""

    git: Git
    settings: Settings
    ruleset: Ruleset
    linters: tuple[Linter, ...]
    environ: Mapping[str, str]
    problems: tuple[Problem, ...] = ()

    @classmethod
    async def open(
        cls,
        directory: Path,
        *,
        settings: Settings,
        environ: Mapping[str, str] | None = None,
        problems: tuple[Problem, ...] = (),
        git: Git | None = None,
    ) -> Workspace:
        """Open the repository around ``directory``. Raises UserError as git does, OutsideError without our packs."""
        from roundzero.git.repository import Git as Opening  # noqa: PLC0415  off the import path

        git = git or await Opening.open(directory)
        ruleset = await asyncio.to_thread(load_rules, None if git.bare else git.root, settings)
        return cls(
            git=git,
            settings=settings,
            ruleset=ruleset,
            linters=_linters(settings),
            environ=os.environ if environ is None else environ,
            problems=(*problems, *ruleset.problems),
        )

    @property
    def view(self) -> View:
        """What the settings show."""
        origins = frozenset(Origin(name) for name in self.settings.show_origins)
        return View(origins=origins, min_severity=Severity[self.settings.min_severity])

    @property
    def policy(self) -> GatePolicy:
        """What blocks."""
        return GatePolicy(support=self.settings.gate_support)

    def collect_rules(self, *, untracked: bool = True) -> CollectRules:
        """What is left out of the change by the settings."""
        from roundzero.git.repository import CollectRules as Rules  # noqa: PLC0415  as above

        return Rules(
            untracked=untracked and self.settings.untracked,
            exclude=self.settings.exclude,
            max_file_bytes=self.settings.max_file_bytes,
        )

    async def choose_base(self, explicit: str | None = None, *, head: str | None = None) -> BaseChoice:
        """The base: asked for, selected for the branch, set, or chosen. Raises UserError.

        A selection outranks the setting, since a person made it for this branch. ``head`` names another commit than
        HEAD to choose the base for.
        """
        saved = await self._saved_base() if explicit is None and head is None else None
        if saved is None:
            explicit = explicit or self.settings.base or None
        return await self.git.choose_base(explicit=explicit, environ=self.environ, saved=saved, head=head)

    async def select_base(self, ref: str | None) -> BaseChoice:
        """Keep a base for the current branch, or go back to choosing. Raises UserError for a ref that is none."""
        from roundzero.store.branch_db import BranchDb  # noqa: PLC0415  rarely needed

        if ref is not None:
            await self.git.choose_base(explicit=ref, environ=self.environ)
        if (branch := await self.git.branch_ref()) is not None:
            BranchDb(self.git.common_dir).select_base(branch, ref)
        return await self.choose_base()

    async def _saved_base(self) -> str | None:
        from roundzero.store.branch_db import BranchDb  # noqa: PLC0415  off the import path

        choices = BranchDb(self.git.common_dir)
        if not choices.path.exists() or (branch := await self.git.branch_ref()) is None:
            return None
        try:
            return choices.selected_base(branch)
        except OutsideError:
            return None

    def but(self, *, settings: Settings, ruleset: Ruleset, problems: tuple[Problem, ...]) -> Workspace:
        """The same repository under other settings."""
        return replace(
            self,
            settings=settings,
            ruleset=ruleset,
            linters=_linters(settings),
            problems=(*problems, *ruleset.problems),
        )


def load_rules(root: Path | None, settings: Settings) -> Ruleset:
    """The rules in force; without a ``root`` those of no repository. Reads files; may take 50 ms."""
    import platformdirs  # noqa: PLC0415  off the import path

    from roundzero.packs.loader import load  # noqa: PLC0415  as above

    cache = Path(platformdirs.user_cache_dir("roundzero", appauthor=False))
    return load(repository=root, overrides=dict(settings.items), packs=settings.packs or None, cache_dir=cache)


def _linters(settings: Settings) -> tuple[Linter, ...]:
    from roundzero.linters import discover  # noqa: PLC0415  off the import path

    return tuple(linter for linter in discover() if settings.linters_enable.get(linter.name, True))


async def close_all(runner: Runner, git: Git) -> None:
    """Let go of every process."""
    try:
        await runner.close()
    finally:
        await git.close()
