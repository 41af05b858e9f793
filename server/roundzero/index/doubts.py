"""Whether anything elsewhere sets a name that seems missing, or makes the file it would be in.

Looks at the lines that contain the name, in files of any kind. Invariant: it only ever turns *missing* into *unknown*.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.ports import GrepHit
    from roundzero.core.resolution import Missing

_BUILD_NAMES: Final = frozenset(
    {"BUILD", "BUILD.bazel", "CMakeLists.txt", "Makefile", "GNUmakefile", "setup.py", "setup.cfg", "pyproject.toml",
     ".gitignore", "meson.build", "SConstruct", "SConscript", "MANIFEST.in", "Dockerfile", "tox.ini", "noxfile.py",
     "hatch_build.py", "build.py", "conanfile.py", "Cargo.toml", "BUCK", "WORKSPACE", "MODULE.bazel"}
)  # fmt: skip
_BUILD_ENDINGS: Final = (".bzl", ".cmake", ".proto", ".pyx", ".pxd", ".in", ".j2", ".jinja", ".tmpl", ".mk")
_NATIVE_ENDINGS: Final = (".c", ".cc", ".cpp", ".cxx", ".cu", ".h", ".hpp", ".rs", ".pyx", ".pxd", ".pyi", ".i", ".go")


IMPORT_HOOK: Final = "meta_path"
"""A word that must be grepped for beside the names, where a package lacks a name."""


def is_package(missing: Missing) -> bool:
    """Whether the name would be a name or a submodule of a package."""
    return missing.path.rpartition("/")[2] == "__init__.py"


def hook_doubt(missing: Missing, hooks: Iterable[GrepHit]) -> str | None:
    """Why a submodule may be made by an import hook of the same top-level package, or None.

    A hook in a test is for that test.
    """
    package = missing.path.rpartition("/")[0]
    for hit in hooks:
        in_tests = any(part.startswith(("test", "conftest")) for part in hit.path.split("/"))
        if hit.path.endswith(".py") and not in_tests and hit.path.partition("/")[0] == package.partition("/")[0]:
            return f"{hit.path}:{hit.line} hooks imports"
    return None


def doubt(missing: Missing, hits: Iterable[GrepHit]) -> str | None:
    """Why a name may exist after all, or None."""
    name = re.escape(missing.name)
    in_package = is_package(missing)
    stored = re.compile(rf"(?<![\w.])(?!(?:self|cls)\.)[A-Za-z_][\w.]*\.{name}\s*(?::[^=\n]*)?=(?!=)")
    named = re.compile(rf"""\b(?:setattr|add_attribute|set_module_attr\w*)\s*\([^\n]*["']{name}["']""")
    for hit in hits:
        base = hit.path.rpartition("/")[2]
        place = f"{hit.path}:{hit.line}"
        if base.endswith((".py", ".ipynb")) and (stored.search(hit.text) or named.search(hit.text)):
            return f"{place} sets an attribute of that name"
        if in_package and (base in _BUILD_NAMES or base.endswith((*_BUILD_ENDINGS, *_NATIVE_ENDINGS))):
            return f"{place} names it: it may be built"
    return None
