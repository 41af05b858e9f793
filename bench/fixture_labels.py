"""Test files of public linters with what those linters say of them, read in place.

Each reader takes a repository and yields its files with the lines that the repository itself expects a report on:
ruff's snapshots, pylint's expected messages, the cases of eslint's rule tests, zizmor's inline snapshots. Nothing of
them is kept, and only rules that an item of ours answers to are read. Invariant: a file comes once for each rule that
was run on it, so that silence about a rule is only asked where the rule had its say.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

ITEMS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "ruff": {
        "B006": ("python/mutable-default",),
        "B009": ("python/literal-getattr",),
        "B010": ("python/literal-getattr",),
        "B014": ("python/redundant-except",),
        "E722": ("python/bare-except",),
        "F401": ("python/unused-import",),
        "F631": ("python/assert-on-tuple",),
        "F811": ("python/redefined",),
        "F821": ("python/undefined-name",),
        "F841": ("python/unused-variable",),
        "S110": ("python/swallowed-error", "python/bare-except"),
        "S307": ("python/eval-of-text",),
        "S501": ("python/certificate-not-verified",),
        "S506": ("python/yaml-builds-objects",),
        "S602": ("python/shell-true",),
        "S605": ("python/shell-true",),
        "T100": ("general/debug-left",),
    },
    "pylint": {
        "assert-on-tuple": ("python/assert-on-tuple",),
        "bare-except": ("python/bare-except",),
        "dangerous-default-value": ("python/mutable-default",),
        "eval-used": ("python/eval-of-text",),
        "forgotten-debug-statement": ("general/debug-left",),
        "function-redefined": ("python/redefined",),
        "overlapping-except": ("python/redundant-except",),
        "undefined-variable": ("python/undefined-name",),
        "unused-import": ("python/unused-import",),
        "unused-variable": ("python/unused-variable",),
    },
    "eslint": {
        "no-async-promise-executor": ("typescript/async-executor",),
        "no-cond-assign": ("typescript/assigned-constant",),
        "no-debugger": ("general/debug-left",),
        "no-empty": ("typescript/swallowed-error",),
        "no-eval": ("typescript/code-from-text",),
        "no-implied-eval": ("typescript/code-from-text",),
        "no-new-func": ("typescript/code-from-text",),
        "use-isnan": ("typescript/compared-with-nan",),
        "valid-typeof": ("typescript/no-such-type",),
    },
    "zizmor": {"template-injection": ("build-and-ci/workflow-text-injection",)},
}
"""The rules read, by source, and the items of ours that say the same."""

Lines = tuple[int, int]
"""The first and the last line of what a linter reports, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A file and one rule run on it. ``expected`` None: the rule reports something in it, and no line is given.

    ``kindred`` are lines on which the same defect has another name there: what is said of them counts for nobody.
    """

    source: str
    rule: str
    name: str
    path: str
    text: str
    expected: tuple[Lines, ...] | None
    kindred: tuple[Lines, ...] = ()


_KINDRED: Final[Mapping[str, tuple[str, ...]]] = {
    "B009": ("B010",),
    "B010": ("B009",),
    "undefined-variable": ("used-before-assignment",),
    "unused-import": ("unused-variable",),
    "unused-variable": ("unused-import",),
}
"""Rules whose defects one item of ours names, or that differ in what they call the same line."""


class Tree:
    """The files of a repository's newest commit."""

    def __init__(self, directory: Path) -> None:
        """Look at a git directory or a work tree."""
        self._git = ("git", "-C", str(directory))
        listed = self._run("ls-tree", "-r", "-z", "--name-only", "HEAD")
        self.paths = tuple(listed.decode("utf-8", "replace").split("\0"))

    def text(self, path: str) -> str | None:
        """A file's text; None when it is not UTF-8."""
        try:
            return self._run("show", f"HEAD:{path}").decode("utf-8")
        except UnicodeDecodeError:
            return None

    def _run(self, *arguments: str) -> bytes:
        return subprocess.run([*self._git, *arguments], check=True, capture_output=True).stdout


def cases(directory: Path) -> Iterator[Case]:
    """What a repository has, which of the four it is told by its folders. ValueError for any other."""
    tree = Tree(directory)
    for mark, reader in _READERS.values():
        if any(path.startswith(mark) for path in tree.paths):
            yield from reader(tree)
            return
    raise ValueError(f"{directory} is none of {', '.join(_READERS)}")


_SNAPSHOT: Final = re.compile(r"crates/ruff_linter/src/rules/(\w+)/snapshots/\w+?__tests__([A-Z]+\d+)_(.+\.pyi?)\.snap")
_REPORT: Final = re.compile(
    r"^(?P<rule>[A-Z]+\d+) .*\n +--> [^\n]*?:(?P<line>\d+):\d+\n(?P<shown>(?: *\d* \|.*\n)*) +\|[^\n^]*\^",
    re.MULTILINE,
)
_SHOWN: Final = re.compile(r"^ *(\d+) \|", re.MULTILINE)


def _ruff(tree: Tree) -> Iterator[Case]:
    """A snapshot belongs to one rule and one file. A report ends on the last line that is shown above the carets."""
    fixtures = "crates/ruff_linter/resources/test/fixtures/"
    files = {path.removeprefix(fixtures).replace("/", "__"): path for path in tree.paths if path.startswith(fixtures)}
    reports: dict[tuple[str, str], tuple[Lines, ...]] = {}
    for path in tree.paths:
        match = _SNAPSHOT.fullmatch(path)
        file = files.get(f"{match[1]}__{match[3]}") if match is not None and match[2] in ITEMS["ruff"] else None
        if match is not None and file is not None:
            found = [each for each in _REPORT.finditer(tree.text(path) or "") if each["rule"] == match[2]]
            reports[file, match[2]] = tuple(
                (int(each["line"]), int(_SHOWN.findall(each["shown"])[-1])) for each in found
            )
    for (file, rule), lines in reports.items():
        if (text := tree.text(file)) is not None:
            kindred = tuple(each for other in _KINDRED.get(rule, ()) for each in reports.get((file, other), ()))
            name = file.rpartition("/")[2]
            yield Case(source="ruff", rule=rule, name=file, path=name, text=text, expected=lines, kindred=kindred)


_EXPECTED: Final = re.compile(r"^(?P<rule>[\w-]+):(?P<first>\d+):\d+:(?P<last>\d*)", re.MULTILINE)


def _pylint(tree: Tree) -> Iterator[Case]:
    """What is expected stands beside each file, as ``rule:line:column:last line:column:...``.

    A rule may be turned off in a file, so it had its say where it is expected, or where the file is named after it.
    """
    there = frozenset(tree.paths)
    for path in tree.paths:
        beside = path.removesuffix(".py") + ".txt"
        if not path.startswith("tests/functional/") or not path.endswith(".py") or beside not in there:
            continue
        text, said = tree.text(path), tree.text(beside)
        if text is None or said is None:
            continue
        lines: defaultdict[str, list[Lines]] = defaultdict(list)
        for row in _EXPECTED.finditer(said):
            lines[row["rule"]].append((int(row["first"]), int(row["last"] or row["first"])))
        name = path.rpartition("/")[2]
        for rule in ITEMS["pylint"]:
            if rule in lines or rule.replace("-", "_") in path:
                kindred = tuple(each for other in _KINDRED.get(rule, ()) for each in lines.get(other, ()))
                expected = tuple(lines.get(rule, ()))
                yield Case(
                    source="pylint", rule=rule, name=path, path=name, text=text, expected=expected, kindred=kindred
                )


_JS_TOKEN: Final = re.compile(
    r"""//[^\n]*|/\*.*?\*/|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)"""
    r"""|(?P<sign>[][{}(),:+])|(?P<word>[\w$.]+)""",
    re.DOTALL,
)
_JS_ESCAPE: Final = re.compile(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\n|.)", re.DOTALL)


def _eslint(tree: Tree) -> Iterator[Case]:
    """The cases of a rule's test: all ``valid`` and ``invalid`` snippets, and not on which line."""
    for rule in ITEMS["eslint"]:
        path = f"tests/lib/rules/{rule}.js"
        text = tree.text(path) if path in tree.paths else None
        for wanted, parts in _snippets(text or ""):
            for number, snippet in enumerate(parts, 1):
                name = f"{rule} {'invalid' if wanted else 'valid'} {number}"
                yield Case(
                    source="eslint",
                    rule=rule,
                    name=name,
                    path="snippet.js",
                    text=f"{snippet}\n",
                    expected=None if wanted else (),
                )


def _snippets(text: str) -> Iterator[tuple[bool, list[str]]]:
    tokens = [match for match in _JS_TOKEN.finditer(text) if match.lastgroup]
    for at, token in enumerate(tokens):
        if token[0] in {"valid", "invalid"} and [each[0] for each in tokens[at + 1 : at + 3]] == [":", "["]:
            yield token[0] == "invalid", list(_elements(tokens[at + 3 :]))


def _elements(tokens: Sequence[re.Match[str]]) -> Iterator[str]:
    """The code of each element of a list: the element itself, or its ``code``; pieces joined by ``+`` are one.

    An element with ``options`` is left out: there the rule does not do what it does by itself.
    """
    depth, snippet, before = 0, "", ""
    takes, options = True, False
    for token in tokens:
        if token[0] in {"]", "}", ")"}:
            depth -= 1
        if depth == 1 and token[0] == ":" and before == "options":
            options = True
        if depth < 0 or (depth == 0 and token[0] == ","):
            if snippet and not options:
                yield snippet
            snippet, takes, options = "", True, False
        if depth < 0:
            return
        if token["string"] and takes and (depth == 0 or before == "code:" or (before == "+" and snippet)):
            snippet += _JS_ESCAPE.sub(_plain, token["string"][1:-1])
        elif depth == 1 and token[0] == "," and snippet:
            takes = False
        if token[0] in {"[", "{", "("}:
            depth += 1
        before = "code:" if (before, token[0]) == ("code", ":") else token[0]


def _plain(escape: re.Match[str]) -> str:
    said = escape[1]
    if said[0] in "ux" and len(said) > 1:
        return chr(int(said[1:].strip("{}"), 16))
    return {"n": "\n", "r": "\r", "t": "\t", "\n": ""}.get(said, said)


_RUN: Final = re.compile(r'input_under_test\(\s*"([^"]+)",?\s*\)(.*?)@r?#*"(.*?)"#*,?\s*\)', re.DOTALL)
_FINDING: Final = re.compile(r"^ *\w+\[([\w-]+)\]:[^\n]*\n +--> [^\n]*?:(\d+):\d+\n", re.MULTILINE)


def _zizmor(tree: Tree) -> Iterator[Case]:
    """Inline snapshots of runs with the usual persona; the first line of each report is given."""
    tests = "crates/zizmor/tests/integration"
    for rule in ITEMS["zizmor"]:
        for path, how, said in _RUN.findall(tree.text(f"{tests}/audit/{rule.replace('-', '_')}.rs") or ""):
            text = tree.text(f"{tests}/test-data/{path}") if f"{tests}/test-data/{path}" in tree.paths else None
            if text is None or "persona" in how or "input_under_test" in how or "config" in how:
                continue
            lines = [(int(line), int(line)) for found, line in _FINDING.findall(said) if found == rule]
            yield Case(source="zizmor", rule=rule, name=path, path=path, text=text, expected=tuple(lines))


_READERS: Final[Mapping[str, tuple[str, Callable[[Tree], Iterator[Case]]]]] = {
    "ruff": ("crates/ruff_linter/resources/", _ruff),
    "pylint": ("pylint/checkers/", _pylint),
    "eslint": ("tests/lib/rules/", _eslint),
    "zizmor": ("crates/zizmor/", _zizmor),
}
"""How each source is known, and what reads it."""
