"""Whether anything elsewhere sets a name that seems missing, or makes the file it would be in.

Looks at the lines that contain the name, in files of any kind. Of a submodule that was a source file until this change
less is doubted than of a name that was never seen: it was made by nobody. Invariant: it only ever turns *missing* into
*unknown*.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex

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
_MAKES: Final = regex(
    r"\bExtension\b|ext_modules|cython|mypyc|cffi|pybind|nanobind|maturin|rust|module-name|swig|f2py|custom_command"
    r"|genrule|\bouts?\b|\boutput|write_to|version[-_]file",
    re.IGNORECASE,
)
"""What a line of a build file says when it makes a module rather than lists or configures one."""
_MADE_FROM: Final = r"\.(?:pyx|pxd|c|cc|cpp|cxx|cu|rs|f90|so|pyd|proto|py\.in|in|j2|jinja|tmpl)\b"
_NATIVE_MODULE: Final = r"(?:MODULE\w*|Py_InitModule\w*)\s*\(\s*\"?"

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
        if hit.path.endswith(".py") and not _in_tests(hit) and hit.path.partition("/")[0] == package.partition("/")[0]:
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


def gone_doubt(missing: Missing, hits: Iterable[GrepHit]) -> str | None:
    """Why a submodule whose source file this change took away may exist after all, or None.

    That somebody names it says nothing, many do; only what sets it on its package, or makes it from something else.
    """
    name = re.escape(missing.name)
    package = re.escape(missing.path.rpartition("/")[0].rpartition("/")[2])
    owner = rf"(?:[\w.]*\b{package}|[\w.]*modules\[[^\]]*\])"
    stored = re.compile(
        rf"(?<![\w\"'])(?:[\w.]+\.)?{package}\.{name}\s*(?::[^=\n]*)?=(?!=)"
        rf"|setattr\(\s*{owner}\s*,\s*[\"']{name}[\"']"
        rf"|modules\[\s*[\"'][\w.]*\b{package}\.{name}[\"']\s*\]\s*="
    )
    made = re.compile(rf"(?<![\w-]){name}{_MADE_FROM}")
    native = re.compile(rf"{_NATIVE_MODULE}{name}\b|pymodule")
    for hit in hits:
        base = hit.path.rpartition("/")[2]
        place = f"{hit.path}:{hit.line}"
        if base.endswith((".py", ".ipynb")) and not _in_tests(hit) and stored.search(hit.text):
            return f"{place} sets an attribute of that name"
        builds = (base in _BUILD_NAMES and base != ".gitignore") or base.endswith(_BUILD_ENDINGS)
        if (base.endswith(_NATIVE_ENDINGS) and native.search(hit.text)) or (
            builds and (made.search(hit.text) or _MAKES.search(hit.text))
        ):
            return f"{place} names it: it may be built"
    return None


def _in_tests(hit: GrepHit) -> bool:
    return any(part.startswith(("test", "conftest")) for part in hit.path.split("/"))
