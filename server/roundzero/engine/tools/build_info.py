"""What builds, packages and runs the repository, and what of it names something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.engine.tools._arguments import SIDE, Parameter
from roundzero.engine.tools._view import Found, Places, first_of, unsecret

if TYPE_CHECKING:
    from roundzero.core.text import RelPath
    from roundzero.engine.tools._arguments import Arguments
    from roundzero.engine.tools._view import ToolView

_MOST: Final = 40
_MOST_FILES: Final = 100

_BUILDS: Final = regex(
    r"(?:.*/)?(?:pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|noxfile\.py|pytest\.ini|conftest\.py|requirements[\w.-]*\.txt"
    r"|constraints[\w.-]*\.txt|Pipfile|MANIFEST\.in|package\.json|tsconfig[\w.-]*\.json|Cargo\.toml|build\.rs|go\.mod"
    r"|Makefile|makefile|GNUmakefile|CMakeLists\.txt|[\w.-]+\.(?:cmake|mk|bzl|gradle|gradle\.kts|csproj|sbt)|BUILD"
    r"|BUILD\.bazel|WORKSPACE|MODULE\.bazel|\.bazelrc|meson\.build|pom\.xml|Dockerfile[\w.-]*|[\w.-]+\.dockerfile"
    r"|docker-compose[\w.-]*\.ya?ml|Jenkinsfile|\.gitlab-ci\.yml|\.pre-commit-config\.yaml|\.travis\.yml|justfile)"
    r"|\.github/(?:workflows|actions)/.*\.ya?ml|\.circleci/.*\.ya?ml|\.ci/.*|ci/.*"
)


class BuildInfo:
    """Files of the build."""

    name = "build_info"
    description = (
        "The files that build, package, test or deploy the repository (targets, dependencies, CI), or the lines of "
        "them that hold a text: a file name, a target, a package. 0 lines means that no such file names it."
    )
    parameters = (
        Parameter(name="about", description="a text to look for as a whole word; without it the files are listed"),
        SIDE,
    )

    def run(self, asked: Arguments, view: ToolView) -> Found:
        """Answer."""
        about = asked.text("about")
        paths = sorted(path for path in view.repository.paths(asked.side) if _BUILDS.fullmatch(path) is not None)
        allowed = sorted(view.allowed(paths, asked.side), key=_outermost)
        if not about:
            rest = f"{len(allowed) - _MOST_FILES} more are not listed" if len(allowed) > _MOST_FILES else ""
            listed = [unsecret(path) for path in allowed[:_MOST_FILES]]
            return Found(f"{len(allowed)} files of the build, at the {asked.side.value}", listed, rest)
        known = frozenset(allowed)
        named = view.mentions(about, asked.side)
        places = Places({path: lines for path, lines in named.lines.items() if path in known}, more=named.more)
        body = view.quoted(places, asked.side, _MOST, about)
        rest = first_of(len(body), places.count)
        head = f"{places} of the build's {len(allowed)} files name it, at the {asked.side.value}"
        return Found(head, body, rest)


def _outermost(path: RelPath) -> tuple[int, str]:
    return path.count("/"), path


TOOL: Final = BuildInfo()
