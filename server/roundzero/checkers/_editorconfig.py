"""What a repository asks of the layout of its files: .editorconfig and pre-commit hooks.

Reads the two files through the repository port and answers two questions about a path: does a file have to end with a
newline, and are blanks at line ends forbidden. What an editor would do to patches and to data of tests is not asked
for: there each blank has a meaning. A hook that looks at them fails all the same. Invariant: whatever cannot be
understood asks nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

from roundzero.core.change import Side
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import linear
from roundzero.core.samples import is_sample
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roundzero.core.ports import Repository

Wish = Literal["final-newline", "no-trailing-space"]

_KEYS: Final[Mapping[Wish, str]] = {
    "final-newline": "insert_final_newline",
    "no-trailing-space": "trim_trailing_whitespace",
}
_HOOKS: Final[Mapping[Wish, str]] = {"final-newline": "end-of-file-fixer", "no-trailing-space": "trailing-whitespace"}
_PRE_COMMIT: Final = RelPath(".pre-commit-config.yaml")
_EXACT: Final = (".patch", ".diff", ".snap", ".golden", ".expected", ".ambr")
_GLOB_LIMIT: Final = 300


def asks_for(wish: Wish, path: RelPath, repository: Repository) -> bool:
    """Whether the repository wants this of a file. May raise OutsideError."""
    answer = _editorconfig(wish, path, repository)
    if answer is not None:
        return answer and not (path.endswith(_EXACT) or is_sample(path))
    config = repository.read(_PRE_COMMIT, Side.HEAD)
    if config is None or _HOOKS[wish] not in config.text:
        return False
    return any(hook.covers(path) for hook in _hooks(config.text, _HOOKS[wish]))


def _editorconfig(wish: Wish, path: RelPath, repository: Repository) -> bool | None:
    """The nearest .editorconfig with a matching section that says so or not; None when none does."""
    folders = path.split("/")[:-1]
    for depth in range(len(folders), -1, -1):
        prefix = "/".join(folders[:depth])
        source = repository.read(RelPath(f"{prefix}/.editorconfig" if prefix else ".editorconfig"), Side.HEAD)
        if source is None:
            continue
        is_root, sections = _sections(source.text)
        inside = path[len(prefix) + 1 :] if prefix else path
        answer: bool | None = None
        for glob, settings in sections:
            value = settings.get(_KEYS[wish])
            if value in {"true", "false"} and _glob_matches(glob, inside):
                answer = value == "true"
            elif value == "unset" and _glob_matches(glob, inside):
                answer = None
        if answer is not None or is_root:
            return answer
    return None


@lru_cache(maxsize=64)
def _sections(text: str) -> tuple[bool, tuple[tuple[str, Mapping[str, str]], ...]]:
    """Whether a file is the topmost one, and its sections in order."""
    is_root = False
    sections: list[tuple[str, dict[str, str]]] = []
    for raw in text.replace("\r\n", "\n").split("\n"):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("[") and line.endswith("]"):
            sections.append((line[1:-1], {}))
            continue
        key, equals, value = line.partition("=")
        if not equals:
            continue
        key, value = key.strip().lower(), value.partition(" #")[0].partition(" ;")[0].strip().lower()
        if sections:
            sections[-1][1][key] = value
        elif key == "root":
            is_root = value == "true"
    return is_root, tuple(sections)


def _glob_matches(glob: str, path: str) -> bool:
    """EditorConfig's globs: a pattern without a slash is about names in any folder below."""
    pattern = _glob_pattern(glob)
    return pattern is not None and pattern.search(path) is not None


@lru_cache(maxsize=512)
def _glob_pattern(glob: str) -> re.Pattern[str] | None:
    if len(glob) > _GLOB_LIMIT:
        return None
    anchored = "/" in glob
    body = "".join(_translate(glob.removeprefix("/")))
    return _compiled(f"^{body}$" if anchored else f"(?:^|/){body}$")


def _one_of(names: str) -> str:
    """A set of characters, ranges included, or what is not in it."""
    negated = names[0] in "!^"
    members = re.escape(names[1:] if negated else names).replace(r"\-", "-")
    return f"[{'^' if negated else ''}{members}]"


def _translate(glob: str) -> Iterator[str]:  # noqa: C901  one branch for each sign of the language
    depth = 0
    at = 0
    while at < len(glob):
        char = glob[at]
        at += 1
        if char == "\\" and at < len(glob):
            yield re.escape(glob[at])
            at += 1
        elif char == "*":
            if glob.startswith("*", at):
                at += 1
                yield ".*"
            else:
                yield "[^/]*"
        elif char == "?":
            yield "[^/]"
        elif char == "[" and (end := glob.find("]", at + 1)) > 0:
            yield _one_of(glob[at:end])
            at = end + 1
        elif char == "{" and (number := re.match(r"(-?\d+)\.\.(-?\d+)\}", glob[at:])) is not None:
            yield r"-?\d+"
            at += number.end()
        elif char == "{" and "}" in glob[at:]:
            depth += 1
            yield "(?:"
        elif char == "}" and depth:
            depth -= 1
            yield ")"
        elif char == "," and depth:
            yield "|"
        else:
            yield re.escape(char)


@dataclass(frozen=True, slots=True)
class _Hook:
    """Which files a pre-commit hook looks at."""

    files: tuple[str, ...]
    excludes: tuple[str, ...]
    types: tuple[str, ...]

    def covers(self, path: RelPath) -> bool:
        """Whether the hook would change this file, as far as can be said."""
        language = language_of(path)
        if any(kind not in {"text", "file", "non-executable", language} for kind in self.types):
            return False
        for pattern in self.files:
            compiled = _compiled(_flat(pattern))
            if compiled is None or compiled.search(path) is None:
                return False
        for pattern in self.excludes:
            compiled = _compiled(_flat(pattern))
            if compiled is None or compiled.search(path) is not None:
                return False
        return True


@lru_cache(maxsize=16)
def _hooks(text: str, name: str) -> tuple[_Hook, ...]:
    """The hooks of that name in a pre-commit configuration; none when it is not one."""
    import yaml  # noqa: PLC0415  only where the repository has this file and the hook in it

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        document = yaml.load(text, Loader=loader)  # noqa: S506  a safe loader, the fast one
    except (yaml.YAMLError, ValueError, RecursionError):
        return ()
    found: list[_Hook] = []
    for entry in _list(document, "repos"):
        for hook in _list(entry, "hooks"):
            if isinstance(hook, dict) and hook.get("id") == name and "manual" not in _list(hook, "stages"):
                both = (document, hook)
                found.append(
                    _Hook(
                        files=tuple(part["files"] for part in both if isinstance(part.get("files"), str)),
                        excludes=tuple(part["exclude"] for part in both if isinstance(part.get("exclude"), str)),
                        types=tuple(str(kind) for key in ("types", "types_or") for kind in _list(hook, key)),
                    )
                )
    return tuple(found)


def _list(value: object, key: str) -> list[Any]:
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, list) else []


def _flat(pattern: str) -> str:
    """A verbose pattern, which RE2 does not know, without its layout."""
    text = pattern.strip()
    if not text.startswith("(?x)"):
        return text
    return re.sub(r"\s+|(?:^|\s)#[^\n]*", "", text.removeprefix("(?x)"))


def _compiled(pattern: str) -> re.Pattern[str] | None:
    """A repository's pattern; None where RE2 cannot say it."""
    try:
        return linear(pattern)
    except ValueError:
        return None
