"""From a dotted name in an import to a file of the repository.

Follows CPython's path-based finder in each plausible root (regular package, extension module, source file, folder).
Does not open Python files. Source of the order: importlib.machinery.FileFinder. Invariant: a name whose first part the
repository does not surely own is external or unsure, never absent.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from roundzero.core.resolution import AbsentModule, External, InRepository, ModuleAnswer, Namespace, Unknown
from roundzero.core.text import RelPath
from roundzero.index.roots import Roots
from roundzero.index.tree import Tree, join, parent

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

NATIVE: Final = (".so", ".pyd", ".pyx", ".pxd", ".dylib", ".pyx.in", ".py.in", ".pyc")
"""Endings of modules that are no Python source, or become one by a build."""

_GENERATED: Final = ("_pb2", "_pb2_grpc", "_pb2_pyi", "_grpc", "_generated", "_version", "_build_info")


class Modules:
    """Finds modules on one side. ``external`` are first parts that are never the repository's."""

    def __init__(
        self,
        tree: Tree,
        read: Callable[[RelPath], str | None],
        *,
        external: Collection[str] = sys.stdlib_module_names,
        gone: Collection[RelPath] = (),
    ) -> None:
        """Use the paths of ``tree``; ``read`` gives the text of configuration files.

        ``gone`` are source files of the other side: a module that was one is not suspected of being built.
        """
        self.tree = tree
        self._roots = Roots(tree, read)
        self._external = external
        self._gone = frozenset(gone)
        self._found: dict[tuple[str, str, int], ModuleAnswer] = {}

    def find(self, importer: RelPath, module: str, level: int = 0) -> ModuleAnswer:
        """What ``import module`` (level 0) or ``from ..module import`` (level 2) in a file means."""
        key = (parent(importer), module, level)
        if key not in self._found:
            self._found[key] = self._relative(importer, module, level) if level else self._absolute(importer, module)
        answer = self._found[key]
        if isinstance(answer, InRepository) and importer == f"{join(parent(importer), module)}.py" in answer.paths:
            return Unknown(f"{importer} imports its own name")
        return answer

    def submodule(self, package: RelPath, name: str) -> ModuleAnswer | None:
        """A module directly in the package whose ``__init__`` file is ``package``; None when there is none."""
        folder = parent(package)
        answer = self._in_folder(folder, name)
        return Unknown(f"{name} may be built") if answer is None and self._may_be_built(folder, name) else answer

    def is_gone(self, package: RelPath, name: str) -> bool:
        """Whether a package lost the source file of a submodule. ``package`` is its ``__init__`` file."""
        return self._was_source(parent(package), name)

    def submodules(self, package: RelPath) -> tuple[str, ...]:
        """The names of the source modules directly in a package."""
        return tuple(
            name.removesuffix(".py")
            for name in self.tree.names_in(parent(package))
            if name.endswith(".py") and name != "__init__.py"
        )

    def _relative(self, importer: RelPath, module: str, level: int) -> ModuleAnswer:
        folder = parent(importer)
        for _ in range(level - 1):
            if not folder:
                return Unknown("the relative import leaves the repository")
            folder = parent(folder)
        if not module:
            return self._package(folder)
        answer = self._walk(folder, module.split("."))
        if answer is None:
            init = join(folder, "__init__.py")
            return AbsentModule(init) if self.tree.is_file(init) else Unknown("the package is a namespace")
        return answer

    def _package(self, folder: str) -> ModuleAnswer:
        for name in ("__init__.py", "__init__.pyi"):
            if self.tree.is_file(join(folder, name)):
                return InRepository((join(folder, name),))
        return Namespace((RelPath(folder),))

    def _absolute(self, importer: RelPath, module: str) -> ModuleAnswer:
        parts = module.split(".")
        if parts[0] in self._external:
            return External()
        walked = ((root, self._walk(root, parts)) for root in self._roots.of(importer))
        answers = [(root, answer) for root, answer in walked if answer is not None]
        unknown = next((answer for _, answer in answers if isinstance(answer, Unknown)), None)
        files = [path for _, answer in answers if isinstance(answer, InRepository) for path in answer.paths]
        sure = any(
            self._owned(root, parts[0], importer) for root, answer in answers if isinstance(answer, InRepository)
        )
        elsewhere = [path for path in self._with_suffix(parts) if path not in files]
        if files or elsewhere:
            if unknown is not None:
                return unknown
            return InRepository((*dict.fromkeys(files), *elsewhere), sure=sure)
        if unknown is not None:
            return unknown
        folders = tuple(row for _, answer in answers if isinstance(answer, Namespace) for row in answer.folders)
        if folders:
            return Namespace(folders)
        absent = next((answer for _, answer in answers if isinstance(answer, AbsentModule)), None)
        return absent if absent is not None else External()

    def _owned(self, root: str, first: str, importer: RelPath) -> bool:
        """Whether ``first`` at a root is the repository's: a regular package, a file, or what the importer is in."""
        place = join(root, first)
        return (
            self.tree.is_file(join(place, "__init__.py"))
            or self.tree.is_file(f"{place}.py")
            or importer.startswith(f"{place}/")
        )

    def _walk(self, root: str, parts: list[str]) -> ModuleAnswer | None:
        """A dotted name from one root; None where its first part is not there."""
        folder = root
        for number, part in enumerate(parts):
            answer = self._in_folder(folder, part)
            if answer is None:
                init = join(folder, "__init__.py")
                if number and self.tree.is_file(init):
                    built = self._may_be_built(folder, part)
                    return Unknown(f"{part} may be built") if built else AbsentModule(init)
                return None
            if number == len(parts) - 1 or isinstance(answer, Unknown):
                return answer
            if isinstance(answer, InRepository) and not answer.paths[0].endswith(("/__init__.py", "/__init__.pyi")):
                return Unknown(f"{answer.paths[0]} is no package")
            folder = join(folder, part)
        return None

    def _in_folder(self, folder: str, name: str) -> ModuleAnswer | None:
        """One module directly in a folder, as FileFinder sees it."""
        tree = self.tree
        place = join(folder, name)
        if tree.is_file(join(place, "__init__.py")):
            return InRepository((join(place, "__init__.py"),))
        stub = next((path for path in (join(place, "__init__.pyi"), f"{place}.pyi") if tree.is_file(path)), None)
        if any(tree.is_file(place + ending) for ending in NATIVE) or self._tagged(folder, name):
            return Unknown(f"{place} is a native or generated module")
        if tree.is_file(f"{place}.py"):
            return InRepository((RelPath(f"{place}.py"),))
        if stub is not None:
            return InRepository((RelPath(stub),))
        return Namespace((place,)) if tree.is_folder(place) else None

    def _tagged(self, folder: str, name: str) -> bool:
        """Whether there is an extension module with a tag: ``name.cpython-311-x86_64-linux-gnu.so``."""
        start = f"{name}."
        return any(row.startswith(start) and row.endswith((".so", ".pyd")) for row in self.tree.names_in(folder))

    def _with_suffix(self, parts: list[str]) -> tuple[RelPath, ...]:
        """The files anywhere whose path ends like the dotted name: scripts and tests extend ``sys.path`` at will."""
        tail = "/".join(parts)
        files = (path for path in self.tree.named(f"{parts[-1]}.py") if f"/{path}".endswith(f"/{tail}.py"))
        packages = (
            join(folder, "__init__.py")
            for folder in self.tree.folders_named(parts[-1])
            if f"/{folder}".endswith(f"/{tail}") and self.tree.is_file(join(folder, "__init__.py"))
        )
        return (*files, *packages)

    def _may_be_built(self, folder: str, name: str) -> bool:
        """Whether a module's name is one that builds give: generated code, or ``_speedups`` in C."""
        if name.endswith(_GENERATED):
            return True
        return name.startswith("_") and not name.startswith("__") and not self._was_source(folder, name)

    def _was_source(self, folder: str, name: str) -> bool:
        place = join(folder, name)
        return f"{place}.py" in self._gone or f"{place}/__init__.py" in self._gone
