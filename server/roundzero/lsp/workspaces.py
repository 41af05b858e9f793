"""The repositories under review: which folder of the client's belongs to which, and an engine for each.

Created right after ``initialize`` was answered and before pygls is imported, so that git works while Python imports;
what engines say before an ``Output`` is attached is kept for it. Nothing in here knows LSP. Invariant: one engine for a
repository, however many folders of it the client opened.
"""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol

from roundzero import config
from roundzero.core.frozen import dataclass
from roundzero.core.rule_files import SETTINGS_FILES
from roundzero.core.text import RelPath
from roundzero.engine.session import Engine
from roundzero.errors import OutsideError, RoundzeroError
from roundzero.lsp.client import Folder
from roundzero.lsp.uris import child_uri, path_of, uri_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from roundzero.config import Settings
    from roundzero.core.ruleset import Problem
    from roundzero.engine.session import EngineStatus, Publication
    from roundzero.lsp.client import Client

_log: Final = logging.getLogger(__name__)
Level = Literal["info", "warning", "error"]

CLOSING_SECONDS: Final = 2.0
"""An engine that takes longer to close is left to die with the process."""


class Output(Protocol):
    """Where what engines say goes."""

    def published(self, workspace: Workspace, publication: Publication) -> None:
        """The findings of one file are known anew."""

    def status_changed(self, workspace: Workspace, status: EngineStatus) -> None:
        """The state of a repository's review is another."""

    def message(self, level: Level, text: str) -> None:
        """Something a person should know."""

    async def complete(self, prompt: str, schema: Mapping[str, object]) -> str:
        """What the client's own model says. Raises OutsideError."""


@dataclass(eq=False)
class Workspace:
    """One repository. ``uri`` is its root in the client's spelling; ``folders`` are the client's that lie in it."""

    root: Path
    uri: str
    engine: Engine
    settings: Settings
    problems: tuple[Problem, ...] = ()
    folders: set[str] = field(default_factory=set)
    starting: asyncio.Task[None] | None = None
    spelled: dict[RelPath, str] = field(default_factory=dict)

    def uri_for(self, path: RelPath) -> str:
        """The URI of a path, as the client spelled it if it ever did."""
        return self.spelled.get(path) or child_uri(self.uri, path)

    async def ready(self) -> None:
        """Wait until the engine has started, or could not."""
        if self.starting is not None:
            await asyncio.wait((self.starting,))


@dataclass(frozen=True, slots=True)
class Located:
    """A document's place: which repository and where in it."""

    workspace: Workspace
    path: RelPath


class Workspaces:
    """All repositories of one client."""

    def __init__(self, client: Client, environ: Mapping[str, str]) -> None:
        """Start with none; ``environ`` is the process environment."""
        self._client = client
        self._environ = environ
        self._editor: dict[str, Mapping[str, object]] = {}
        self._by_root: dict[Path, Workspace] = {}
        self._idle: dict[str, Folder] = {}
        self._folderless = not client.folders
        self._reported: set[str] = set()
        self._output: Output | None = None
        self._waiting: list[Callable[[Output], None]] = []

    def all(self) -> tuple[Workspace, ...]:
        """Every repository."""
        return tuple(self._by_root.values())

    def attach(self, output: Output) -> None:
        """Say everything that was kept, and from now on at once."""
        self._output = output
        waiting, self._waiting = self._waiting, []
        for say in waiting:
            say(output)

    def say(self, what: Callable[[Output], None]) -> None:
        """Hand something to the output, now or when there is one."""
        if self._output is None:
            self._waiting.append(what)
        else:
            what(self._output)

    def add(self, folder: Folder) -> Workspace | None:
        """Take a folder of the client's. None: it is no file folder or lies in no repository, which is logged once."""
        path = path_of(folder.uri)
        if path is None:
            self._report(f"{folder.uri} is not reviewed: only file: folders are")
            return None
        top = repository_of(Path(path))
        if top is None:
            self._idle[folder.uri] = folder
            self._report(f"{path} is not in a git repository; it is not reviewed. Run git init in it to change that.")
            return None
        self._idle.pop(folder.uri, None)
        workspace = self._by_root.get(top)
        if workspace is None:
            workspace = self._open(top, _root_uri(folder.uri, Path(path), top))
        workspace.folders.add(folder.uri)
        return workspace

    def remove(self, uri: str) -> Workspace | None:
        """Let a folder go. The repository, if no other folder lies in it: its engine is to be closed by the caller."""
        self._idle.pop(uri, None)
        for root, workspace in list(self._by_root.items()):
            workspace.folders.discard(uri)
            if not workspace.folders:
                del self._by_root[root]
                return workspace
        return None

    def discover(self, uri: str) -> Workspace | None:
        """The repository of a document, if it was not there yet when its folder came, or the client has no folders."""
        path = path_of(uri)
        if path is None:
            return None
        for folder in list(self._idle.values()):
            place = path_of(folder.uri)
            if place is not None and Path(path).is_relative_to(place) and repository_of(Path(place)) is not None:
                return self.add(folder)
        if self._folderless and repository_of(Path(path).parent) is not None:
            above = uri.rpartition("/")[0]
            return self.add(Folder(above, above))
        return None

    def locate(self, uri: str) -> Located | None:
        """Where a document belongs: the deepest repository that holds it."""
        path = path_of(uri)
        if path is None:
            return None
        return self._locate(path) or self._locate(os.path.realpath(path))

    def configure(self, uri: str | None, editor: Mapping[str, object]) -> None:
        """Take the client's settings for a folder, or for all of them."""
        for workspace in self.all():
            if uri is None or uri in workspace.folders:
                self._editor[workspace.uri] = editor
                settings, problems = self._settings(workspace.root, editor)
                if (settings, problems) != (workspace.settings, workspace.problems):
                    workspace.settings, workspace.problems = settings, problems
                    workspace.engine.settings_changed(settings, problems)

    def reload(self, root: Path) -> None:
        """Read the settings of a repository again, because a file of them changed."""
        workspace = self._by_root.get(root)
        if workspace is not None:
            self.configure(next(iter(workspace.folders), None), self._editor.get(workspace.uri, self._client.settings))

    async def close(self, *workspaces: Workspace) -> None:
        """Close the engines of these, or of all."""
        closing = [asyncio.ensure_future(_close(each)) for each in workspaces or self.all()]
        if closing:
            await asyncio.wait(closing, timeout=CLOSING_SECONDS)

    def _open(self, root: Path, uri: str) -> Workspace:
        settings, problems = self._settings(root, self._client.settings)
        listener = _Listener(self)
        engine = Engine(
            root=root,
            settings=settings,
            problems=problems,
            trusted=self._client.trusted,
            listener=listener,
            complete=self._complete if self._client.model_provider else None,
        )
        workspace = Workspace(root, uri, engine, settings, problems)
        listener.workspace = workspace
        self._by_root[root] = workspace
        workspace.starting = asyncio.ensure_future(self._start(workspace))
        return workspace

    async def _start(self, workspace: Workspace) -> None:
        try:
            await workspace.engine.start()
        except RoundzeroError as error:
            self._report(f"{workspace.root} is not reviewed: {error}", "error")
        except Exception:  # noqa: BLE001  a bug in one review must not cost the others
            _log.exception("the review of %s could not start", workspace.root)

    def _settings(self, root: Path, editor: Mapping[str, object]) -> tuple[Settings, tuple[Problem, ...]]:
        spoken = {"language": "zh"} if (self._client.locale or "").lower().startswith("zh") else {}
        settings, problems = config.load(root=root, defaults=spoken, editor=editor, environ=self._environ)
        for problem in problems:
            ours = problem.file in SETTINGS_FILES
            self._report(str(replace(problem, file=str(root / problem.file)) if ours else problem))
        return settings, problems

    async def _complete(self, prompt: str, schema: Mapping[str, object]) -> str:
        if self._output is None:
            raise OutsideError("the editor cannot be asked yet")
        return await self._output.complete(prompt, schema)

    def _report(self, text: str, level: Level = "warning") -> None:
        """Say it once: a client repeats its folders and settings, nobody wants to read about them again."""
        if text not in self._reported:
            self._reported.add(text)
            self.say(lambda output: output.message(level, text))

    def _locate(self, path: str) -> Located | None:
        inside = Path(path)
        for root in (inside, *inside.parents):
            if (workspace := self._by_root.get(root)) is not None:
                return Located(workspace, RelPath(inside.relative_to(root).as_posix()))
        return None


class _Listener:
    """Hears one engine and passes it on with the repository it speaks of."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces
        self.workspace: Workspace | None = None

    def published(self, publication: Publication) -> None:
        if (workspace := self.workspace) is not None:
            self._workspaces.say(partial(_publish, workspace, publication))

    def status_changed(self, status: EngineStatus) -> None:
        if (workspace := self.workspace) is not None:
            self._workspaces.say(partial(_tell, workspace, status))

    def message(self, level: Level, text: str) -> None:
        self._workspaces.say(lambda output: output.message(level, text))


def _publish(workspace: Workspace, publication: Publication, output: Output) -> None:
    output.published(workspace, publication)


def _tell(workspace: Workspace, status: EngineStatus, output: Output) -> None:
    output.status_changed(workspace, status)


def repository_of(folder: Path) -> Path | None:
    """The nearest folder upwards with a ``.git``, by the spelling given: symbolic links are not resolved."""
    for each in (folder, *folder.parents):
        if (each / ".git").exists():
            return each
    return None


def _root_uri(uri: str, folder: Path, top: Path) -> str:
    """The URI of ``top``, a parent of ``folder``, in the spelling of the folder's URI."""
    depth = len(folder.relative_to(top).parts)
    parts = uri.rstrip("/").split("/")
    spelled = "/".join(parts[: len(parts) - depth])
    return spelled if path_of(spelled) == str(top) else uri_of(str(top))


async def _close(workspace: Workspace) -> None:
    if workspace.starting is not None:
        workspace.starting.cancel()
    try:
        await workspace.engine.close()
    except Exception:  # noqa: BLE001  a bug in one review must not cost the others
        _log.exception("the review of %s did not close well", workspace.root)
