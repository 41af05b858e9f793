"""One repository made ready for reviewing: git, settings, rules and linters. Front ends open it and hand it on.

Holds no findings and starts no tasks. Invariant: two workspaces with equal settings over equal repositories give equal
reviews.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from roundzero.core.frozen import dataclass
from roundzero.errors import OutsideError, UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.config import Settings
    from roundzero.core.change import BaseChoice, Change
    from roundzero.core.convention import Tally
    from roundzero.core.gate import GatePolicy
    from roundzero.core.item import Item, ItemId
    from roundzero.core.judge import View
    from roundzero.core.ruleset import Problem, Ruleset
    from roundzero.engine.repository import Snapshot
    from roundzero.git.repository import CollectRules, Git
    from roundzero.linters import Linter


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """Everything a review needs. ``problems`` are those of settings, packs and linters; ``trusted`` is as it was given.

    ``about_linters``: those of linters alone. ``rules`` are those of ``ruleset`` before anything was known of the
    repository's conventions, which are off until ``keeping`` says how it keeps them.
    """

    git: Git
    settings: Settings
    ruleset: Ruleset
    linters: tuple[Linter, ...]
    environ: Mapping[str, str]
    problems: tuple[Problem, ...] = ()
    about_linters: tuple[Problem, ...] = ()
    trusted: bool | None = None
    rules: Ruleset | None = None

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
        from roundzero.core.convention import settled  # noqa: PLC0415  off the import path
        from roundzero.git.repository import Git as Opening  # noqa: PLC0415  as above

        git = git or await Opening.open(directory)
        if ruleset is None:
            ruleset = await asyncio.to_thread(load_rules, None if git.bare else git.root, settings)
        chosen = await choose_linters(settings, git, trusted=trusted, ruleset=ruleset)
        rules = ruleset.able(chosen.names)
        return cls(
            git=git,
            settings=settings,
            ruleset=settled(rules, {}),
            rules=rules,
            linters=chosen.linters,
            environ=os.environ if environ is None else environ,
            problems=(*problems, *ruleset.problems, *chosen.problems),
            about_linters=chosen.problems,
            trusted=trusted,
        )

    @property
    def view(self) -> View:
        """What the settings show."""
        from roundzero.core.finding import Origin  # noqa: PLC0415  off the import path
        from roundzero.core.item import Severity  # noqa: PLC0415  as above
        from roundzero.core.judge import View as Shown  # noqa: PLC0415  as above

        origins = frozenset(Origin(name) for name in self.settings.show_origins)
        return Shown(origins=origins, min_severity=Severity[self.settings.min_severity])

    @property
    def policy(self) -> GatePolicy:
        """What blocks."""
        from roundzero.core.gate import GatePolicy as Policy  # noqa: PLC0415  off the import path

        return Policy(support=self.settings.gate_support)

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

    @staticmethod
    def is_optional(linter: Linter) -> bool:
        """Whether a linter is one that does not come with Round Zero."""
        return not hasattr(linter, "at")

    @property
    def conventions(self) -> tuple[Item, ...]:
        """The items that are in force where the repository obeys them."""
        from roundzero.core.convention import conventions  # noqa: PLC0415  off the import path

        return conventions(self.rules) if self.rules is not None else ()

    def keeping(self, tallies: Mapping[ItemId, Tally]) -> Workspace:
        """The same with the conventions that the repository obeys."""
        from roundzero.core.convention import settled  # noqa: PLC0415  off the import path

        return replace(self, ruleset=settled(self.rules, tallies)) if self.rules is not None else self

    async def but(
        self, *, settings: Settings, ruleset: Ruleset, problems: tuple[Problem, ...], hurried: bool = False
    ) -> Workspace:
        """The same repository under other settings. ``hurried``: without linters that are slow."""
        from roundzero.core.convention import settled  # noqa: PLC0415  off the import path

        chosen = await choose_linters(settings, self.git, trusted=self.trusted, ruleset=ruleset, hurried=hurried)
        rules = ruleset.able(chosen.names)
        return replace(
            self,
            settings=settings,
            ruleset=settled(rules, {}),
            rules=rules,
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
    """The linters in use, what is wrong with what the settings say of them, and why optional ones are not used."""

    linters: tuple[Linter, ...]
    problems: tuple[Problem, ...]
    absent: tuple[tuple[str, str], ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The linters in use, by name."""
        return frozenset(linter.name for linter in self.linters)


async def choose_linters(
    settings: Settings,
    git: Git | None,
    *,
    trusted: bool | None = None,
    ruleset: Ruleset | None = None,
    hurried: bool = False,
) -> LinterChoice:
    """The linters the settings ask for. Programs that do not come with us run in trusted repositories only.

    ``git`` None: there is no repository. ``trusted`` None: the user's list decides. ``ruleset``: without optional ones
    that none of its enabled items names. ``hurried``: without slow ones.
    """
    from roundzero.core.ruleset import Place, Problem  # noqa: PLC0415  off the import path
    from roundzero.linters import discover, optional  # noqa: PLC0415  as above

    known = {linter.name: linter for linter in discover()}
    others = {linter.name: linter for linter in optional()}
    problems = []
    for attribute in ("linters_enable", "linters_path"):
        for name in getattr(settings, attribute):
            if name not in known and name not in others:
                place = settings.places.get((attribute, name), Place("settings"))
                message = f"there is no linter {name}; it was ignored. Known are {', '.join((*known, *others))}"
                problems.append(Problem(place.file, place.line, message))
    paths, absent = dict(settings.linters_path), []
    others = {name: linter for name, linter in others.items() if settings.linters_enable.get(name, True)}
    if git is not None and not (is_trusted(git.common_dir) if trusted is None else trusted):
        for name in known.keys() & paths.keys():
            place = settings.places.get(("linters_path", name), Place("settings"))
            message = (
                f"linters.{name}.path counts in trusted repositories only, so the copy that comes with Round Zero ran;"
                " to trust this one: roundzero trust"
            )
            problems.append(Problem(place.file, place.line, message))
        absent = [(name, "only in trusted repositories (roundzero trust)") for name in others]
        paths, others = {}, {}
    linters: list[Linter] = [
        linter.at(paths[name]) if name in paths else linter
        for name, linter in known.items()
        if settings.linters_enable.get(name, True)
    ]
    for name, linter in others.items():
        if (hurried and linter.slow) or (ruleset is not None and not _names(ruleset, name)):
            continue
        ready = await linter.ready(paths.get(name), None if git is None or git.bare else git.root)
        if isinstance(ready, str):
            absent.append((name, ready))
            if ready.startswith(f"linters.{name}.path"):
                place = settings.places.get(("linters_path", name), Place("settings"))
                problems.append(Problem(place.file, place.line, f"{ready}; its items are off"))
        else:
            linters.append(ready)
    return LinterChoice(tuple(linters), tuple(problems), tuple(absent))


def _names(ruleset: Ruleset, linter: str) -> bool:
    return any(item.enabled and linter in item.linters for item in ruleset.items)


def is_trusted(common_dir: Path) -> bool:
    """Whether the user's list has a repository; not, when the list cannot be read."""
    from roundzero.store.trust_db import TrustDb  # noqa: PLC0415  rarely needed

    try:
        return TrustDb().is_trusted(common_dir)
    except OutsideError:
        return False
