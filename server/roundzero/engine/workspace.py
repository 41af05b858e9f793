"""One repository made ready for reviewing: git, settings, rules and linters. Front ends open it and hand it on.

Holds no findings and starts no tasks. Invariant: two workspaces with equal settings over equal repositories give equal
reviews.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from roundzero.core.finding import Origin
from roundzero.core.gate import GatePolicy
from roundzero.core.item import Severity
from roundzero.core.judge import View
from roundzero.errors import OutsideError, UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.config import Settings
    from roundzero.core.change import BaseChoice, Change
    from roundzero.core.ruleset import Problem, Ruleset
    from roundzero.engine.repository import Snapshot
    from roundzero.git.repository import CollectRules, Git
    from roundzero.linters import Linter


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """Everything a review needs. ``problems`` are those of settings, packs and linters; ``trusted`` is as it was given.

    ``about_linters``: those of linters alone.
    """

    git: Git
    settings: Settings
    ruleset: Ruleset
    linters: tuple[Linter, ...]
    environ: Mapping[str, str]
    problems: tuple[Problem, ...] = ()
    about_linters: tuple[Problem, ...] = ()
    trusted: bool | None = None

    @classmethod
    async def open(  # noqa: PLR0913  each is an independent input
        cls,
        directory: Path,
        *,
        settings: Settings,
        environ: Mapping[str, str] | None = None,
        problems: tuple[Problem, ...] = (),
        git: Git | None = None,
        trusted: bool | None = None,
        ruleset: Ruleset | None = None,
    ) -> Workspace:
        """Open the repository around ``directory``. Raises UserError as git does, OutsideError without our packs.

        ``trusted`` None: the user's list of trusted repositories decides. ``ruleset`` None: the one of the work tree.
        """
        from roundzero.git.repository import Git as Opening  # noqa: PLC0415  off the import path

        git = git or await Opening.open(directory)
        if ruleset is None:
            ruleset = await asyncio.to_thread(load_rules, None if git.bare else git.root, settings)
        chosen = choose_linters(settings, git.common_dir, trusted=trusted)
        return cls(
            git=git,
            settings=settings,
            ruleset=ruleset,
            linters=chosen.linters,
            environ=os.environ if environ is None else environ,
            problems=(*problems, *ruleset.problems, *chosen.problems),
            about_linters=chosen.problems,
            trusted=trusted,
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

    def around(self, change: Change) -> Snapshot:
        """A change of this repository and what lies around it, under the settings of now."""
        from roundzero.engine.repository import Snapshot as Around  # noqa: PLC0415  as above

        return Around(self.git, change, self.collect_rules(), self.git.common_dir)

    async def choose_base(self, explicit: str | None = None, *, head: str | None = None) -> BaseChoice:
        """The base: asked for, selected for the branch, set, or chosen. Raises UserError.

        A selection outranks the setting, since a person made it for this branch. ``head`` names another commit than
        HEAD to choose the base for.
        """
        saved = await self._saved_base() if explicit is None and head is None else None
        if saved is not None or explicit is not None or not self.settings.base:
            return await self.git.choose_base(explicit=explicit, environ=self.environ, saved=saved, head=head)
        try:
            return await self.git.choose_base(explicit=self.settings.base, environ=self.environ, head=head)
        except UserError as error:
            place = self.settings.places.get(("base", ""))
            raise UserError(f"{error}. The base is set in {place}" if place is not None else str(error)) from error

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
        chosen = choose_linters(settings, self.git.common_dir, trusted=self.trusted)
        return replace(
            self,
            settings=settings,
            ruleset=ruleset,
            linters=chosen.linters,
            problems=(*problems, *ruleset.problems, *chosen.problems),
            about_linters=chosen.problems,
        )


def load_rules(root: Path | None, settings: Settings) -> Ruleset:
    """The rules in force; without a ``root`` those of no repository. Reads files; may take 50 ms."""
    import platformdirs  # noqa: PLC0415  off the import path

    from roundzero.packs.loader import load  # noqa: PLC0415  as above

    cache = Path(platformdirs.user_cache_dir("roundzero", appauthor=False))
    return load(
        repository=root,
        overrides=dict(settings.items),
        packs=settings.packs or None,
        cache_dir=cache,
        places=settings.places,
    )


@dataclass(frozen=True, slots=True)
class LinterChoice:
    """The linters in use, and what is wrong with what the settings say of them."""

    linters: tuple[Linter, ...]
    problems: tuple[Problem, ...]


def choose_linters(settings: Settings, common_dir: Path | None, *, trusted: bool | None = None) -> LinterChoice:
    """The linters the settings ask for. Programs that do not come with us run in trusted repositories only.

    ``common_dir`` None: there is no repository. ``trusted`` None: the user's list decides.
    """
    from roundzero.core.ruleset import Place, Problem  # noqa: PLC0415  off the import path
    from roundzero.linters import discover  # noqa: PLC0415  as above

    known = {linter.name: linter for linter in discover()}
    problems = []
    for attribute in ("linters_enable", "linters_path"):
        for name in getattr(settings, attribute):
            if name not in known:
                place = settings.places.get((attribute, name), Place("settings"))
                message = f"there is no linter {name}; it was ignored. Known are {', '.join(known)}"
                problems.append(Problem(place.file, place.line, message))
    paths = {name: path for name, path in settings.linters_path.items() if name in known}
    if paths and common_dir is not None and not (is_trusted(common_dir) if trusted is None else trusted):
        for name in paths:
            place = settings.places.get(("linters_path", name), Place("settings"))
            message = (
                f"linters.{name}.path counts in trusted repositories only, so the copy that comes with Round Zero ran;"
                " to trust this one: roundzero trust"
            )
            problems.append(Problem(place.file, place.line, message))
        paths = {}
    running = (linter for linter in known.values() if settings.linters_enable.get(linter.name, True))
    chosen = tuple(linter.at(paths[linter.name]) if linter.name in paths else linter for linter in running)
    return LinterChoice(chosen, tuple(problems))


def is_trusted(common_dir: Path) -> bool:
    """Whether the user's list has a repository; not, when the list cannot be read."""
    from roundzero.store.trust_db import TrustDb  # noqa: PLC0415  rarely needed

    try:
        return TrustDb().is_trusted(common_dir)
    except OutsideError:
        return False
