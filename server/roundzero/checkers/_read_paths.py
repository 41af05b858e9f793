"""Paths that a script, workflow or Sphinx configuration surely reads from the repository, and where they may lie.

A script that is sourced or run, a requirements file that is installed from, a local action, a folder of static files.
What a script makes, tests for or changes the folder for is not given. Looks at texts alone: which of the places exist
is for who asks. Invariant: every place is relative to the root, and a path that leaves the repository has none.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._scripts import SHELLS, is_dockerfile, is_shell_script, scripts
from roundzero.checkers._workflows import is_workflow_path
from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.checkers._scripts import Script
    from roundzero.checkers._shell import Command
    from roundzero.checkers._shell_words import Word
    from roundzero.core.change import Source
    from roundzero.core.text import Span

_ITSELF: Final = r"\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\])?\})"
_OWN_FOLDER: Final = (
    rf"(?:\$\(dirname\s+(?:--\s+)?(?:{_ITSELF}|\$\((?:readlink\s+-f|realpath)\s+(?:--\s+)?{_ITSELF}\))\)"
    r"|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%/\*\})"
)
"""The folder of a script as it says it itself, without quotes."""
_BESIDE: Final = regex(rf"{_OWN_FOLDER}/(?P<rest>[\w./-]+)")
_IS_FOLDER: Final = regex(
    rf"\$\(\s*(?:cd|realpath)\s+(?:--\s+)?{_OWN_FOLDER}(?P<up>(?:/\.\.)*)/?(?:\s*(?:&>|>)\s*/dev/null)?"
    rf"\s*(?:(?:&&|;)\s*pwd(?:\s+-P)?\s*)?\)|{_OWN_FOLDER}(?P<more>(?:/\.\.)*)"
)
"""A value that is the folder of the script, or one above it."""
_IS_ROOT: Final = regex(r"\$\(git\s+rev-parse\s+--show-toplevel\)|\$GITHUB_WORKSPACE|\$\{\{\s*github\.workspace\s*\}\}")
_BEHIND: Final = regex(r"(?:\$\{(?P<a>\w+)\}|\$(?P<b>\w+))/(?P<rest>[\w./-]+)")
_PLAIN: Final = regex(r"(?!\.\./)(?:\./)?(?:[\w.-]+/)+[\w.-]+|\./[\w.-]+")
_FILE: Final = regex(r".*[\w-]\.[A-Za-z]\w{0,4}")
_ELSEWHERE: Final = regex(
    r"working-directory|\brepository\s*:|\bgit\s+clone\b|--directory\b"
    r"|\bactions/checkout@\S*[^\n]*\n(?:(?![ \t]*-[ \t])[^\n]*\n){0,8}?[ \t]*(?:with:[^\n]*\b)?path:"
)
"""What says that a path may be meant from another folder, or lie in another repository."""
_GOES: Final = frozenset({"cd", "pushd", "popd"})
_READERS: Final = frozenset({*SHELLS, "python", "python3", "node", "ruby", "perl"})
_INSTALLERS: Final = frozenset({"pip", "pip3", "python", "python3", "uv"})
_LISTS: Final = frozenset({"-r", "--requirement", "-c", "--constraint"})
_LOCAL_ACTION: Final = regex(
    r"^[ \t]*(?:-[ \t]+)?uses:[ \t]*[\"']?(?P<path>\./[\w./-]+?)/?[\"']?[ \t]*(?:#.*)?\r?$", re.MULTILINE
)
_SPHINX: Final = regex(
    r"^(?:html_(?:static_path|extra_path|logo|favicon)|latex_logo)[ \t]*=[ \t]*"
    r"(?P<value>[\[(][^\])]*[\])]|[\"'][^\"'\n]+[\"'])",
    re.MULTILINE,
)
_STRING: Final = regex(r"[\"'](?P<path>[\w./-]+)[\"']")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPath:
    """One path. ``span`` is ``written`` in the file; ``places`` are where it may lie, the likeliest first.

    ``sure``: there is one place, because the script says from where. ``is_action``: a folder with an action in it.
    """

    span: Span
    written: str
    places: tuple[RelPath, ...]
    sure: bool
    is_action: bool = False


def read_paths(source: Source) -> Iterator[ReadPath]:
    """The paths in a file."""
    folder, _, name = source.path.rpartition("/")
    if name == "conf.py":
        yield from _of_sphinx(source, folder)
    elif is_workflow_path(source.path):
        if _ELSEWHERE.search(source.text) is None:
            yield from _of_actions(source)
        yield from _of_scripts(source, [""])
    elif is_shell_script(source) and not is_dockerfile(source):
        yield from _of_scripts(source, list(dict.fromkeys(["", folder])))


def _of_sphinx(source: Source, folder: str) -> Iterator[ReadPath]:
    if re.search(r"\bmkdir\b|\bmakedirs\b", source.text) is not None:
        return
    for match in _SPHINX.finditer(source.text):
        for each in _STRING.finditer(source.text, match.start("value"), match.end("value")):
            start, end = each.span("path")
            places = tuple(_places([folder], each["path"]))
            if places:
                yield ReadPath(span=source.index.span(start, end), written=each["path"], places=places, sure=True)


def _of_actions(source: Source) -> Iterator[ReadPath]:
    for match in _LOCAL_ACTION.finditer(source.text):
        span = source.index.span(*match.span("path"))
        places = tuple(_places([""], match["path"]))
        is_file = match["path"].endswith((".yml", ".yaml"))
        if places:
            yield ReadPath(span=span, written=match["path"], places=places, sure=True, is_action=not is_file)


def _of_scripts(source: Source, starts: list[str]) -> Iterator[ReadPath]:
    own = source.path.rpartition("/")[0]
    read = list(scripts(source))
    at_root = _ELSEWHERE.search(source.text) is None
    stays = at_root and not any(command.name in _GOES for script in read for command in script.shell.commands)
    for script in read:
        folders = _folders(script, own, at_root=at_root)
        for command in script.shell.commands:
            for word, needs_slash in _read(command):
                found = _resolved(script, word, own, folders)
                if found is not None:
                    yield found
                elif stays and needs_slash and _PLAIN.fullmatch(word.plain) is not None:
                    span = _inside(script, word, word.plain)
                    places = tuple(_places(starts, word.plain))
                    if places:
                        yield ReadPath(span=span, written=word.plain, places=places, sure=script.step is not None)


def _resolved(script: Script, word: Word, own: str, folders: dict[str, str]) -> ReadPath | None:
    """A word that says from which folder it is meant."""
    text = word.text.replace('"', "")
    beside = _BESIDE.fullmatch(text) if script.step is None else None
    behind = _BEHIND.fullmatch(text)
    if beside is not None:
        folder, rest = own, beside["rest"]
    elif behind is not None and (name := behind["a"] or behind["b"]) in folders:
        folder, rest = folders[name], behind["rest"]
    else:
        return None
    places = tuple(_places([folder], rest))
    if not places or _FILE.fullmatch(rest) is None or rest not in word.text:
        return None
    return ReadPath(span=_inside(script, word, rest), written=rest, places=places, sure=True)


def _inside(script: Script, word: Word, part: str) -> Span:
    """Where a part stands that a word ends in, quotes aside."""
    at = word.text.rindex(part)
    return script.span(word.start + at, word.start + at + len(part))


def _places(starts: Iterable[str], path: str) -> Iterator[RelPath]:
    for start in starts:
        place = posixpath.normpath(posixpath.join(start, path))
        if not place.startswith(("../", "/")) and place not in {".", ".."}:
            yield RelPath(place)


def _folders(script: Script, own: str, *, at_root: bool) -> dict[str, str]:
    """The variables of a script that hold a folder of the repository, each set once."""
    found: dict[str, str | None] = {"GITHUB_WORKSPACE": ""} if at_root and script.step is not None else {}
    for command in script.shell.commands:
        for name, value, _ in command.settings:
            found[name] = (
                None if name in found else _folder(value.replace('"', ""), own, is_step=script.step is not None)
            )
    return {name: folder for name, folder in found.items() if folder is not None}


def _folder(value: str, own: str, *, is_step: bool) -> str | None:
    if _IS_ROOT.fullmatch(value) is not None:
        return ""
    match = _IS_FOLDER.fullmatch(value) if not is_step else None
    if match is None:
        return None
    up = match["up"] or match["more"] or ""
    folder = posixpath.normpath(f"{own or '.'}{up}")
    return None if folder.startswith("..") else "" if folder == "." else folder


def _read(command: Command) -> Iterator[tuple[Word, bool]]:
    """The words of a command that are files it reads, and whether they are paths by their place alone."""
    words = command.words
    if not words or command.tested or {command.before, command.after} & {"||", "&&"}:
        return
    name = command.name
    if "/" in words[0].text and name != "activate":
        yield words[0], _FILE.fullmatch(words[0].plain) is not None
    elif name in {"source", "."} and len(words) > 1:
        yield words[1], True
    elif name in _READERS and len(words) > 1 and not words[1].text.startswith("-"):
        yield words[1], _FILE.fullmatch(words[1].plain) is not None
    elif name in {"cp", "cat"} and len(words) > 1:
        yield words[1], False
    for at, word in enumerate(words[1:], 1):
        if name in _INSTALLERS and words[at - 1].plain in _LISTS:
            yield word, True
