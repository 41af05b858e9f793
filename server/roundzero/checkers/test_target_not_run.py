"""test-target-not-run: a changed test that Bazel does not run, by its tags, for want of a target or by a script.

Tags that leave out are ``manual``, which Bazel knows, those that a ``--test_tag_filters`` of the repository excludes,
and, where the change adds them, words such as ``skip`` or ``disabled``. A test in a package whose other tests all have
targets should have one too. A change that writes the script which selects tests should select those that it adds. Tests
that it does not touch, or only keeps in step without a new test or assertion, and those that measure, are not looked
at; a tag is told once for a BUILD file. Invariant: a test with one target that runs is run.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, code
from roundzero.checkers._ci_selection import WORDS, may_select, unselected
from roundzero.checkers._paths import is_test_data, is_test_module
from roundzero.checkers._starlark import build_file_of, is_build_file, parse_starlark, strings, targets
from roundzero.core.change import Side, Status
from roundzero.core.finding import Anchor, Hit, evidence_at
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.scope import nearest_changed_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from roundzero.checkers._python import Parsed
    from roundzero.checkers._starlark import Target
    from roundzero.core.change import Change, FileChange
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import RelPath

_FILTER: Final = "test_tag_filters"
_MANUAL: Final = "manual"
_EXCLUDED: Final = regex(r"(?:^|[,=\s\"'])-(?P<tag>[A-Za-z_][\w.-]*)")
_LEAVES_OUT: Final = regex(
    r"^(?:manual|notest|disabled|broken)$|(?:^|[_-])(?:skip|skipped|disabled|quarantined?)(?:[_-](?:ci|tests?|all))?$"
)
"""A tag that goes on to say where, such as ``skip-windows``, leaves the test to run elsewhere."""
_LANGUAGES: Final = frozenset({"python", "cpp", "c", "cuda", "java", "go"})
_COLLECTS: Final = regex(r"\bglob\(|\[\s*.*\bfor\b", re.DOTALL)
_MEASURES: Final = regex(r"perf|bench|stress", re.IGNORECASE)
"""What is run by hand because it measures."""
_PROVES: Final = regex(
    r"assert|\b(?:EXPECT|CHECK|REQUIRE|TEST)\w*\(|\b(?:def|func)[ \t]+test|@test\b|\.raises\(|\bt\.(?:Error|Fatal|Run)",
    re.IGNORECASE,
)
"""A test or an assertion: what nobody runs when the test does not run."""
LEAST_SIBLINGS: Final = 3
"""Tests of a package that must have a target of their own before one without is missed."""


class TestTargetNotRun(ChangeChecker):
    """Finds changed tests that no run of all targets reaches."""

    __test__ = False
    name = "test-target-not-run"
    version = "2"

    def words(self, change: Change) -> Collection[str]:
        """The option that leaves tests out, where the change touches a test, and who runs Bazel."""
        tags = (_FILTER,) if any(_is_test(file) for file in change.files) else ()
        return (*tags, *(WORDS if may_select(change) else ()))

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Find the targets of every changed test."""
        if may_select(change):
            yield from unselected(change, found)
        tests = [file for file in change.files if _is_test(file)]
        here = repository.paths(Side.HEAD) if tests else ()
        if not any(is_build_file(path) for path in here):
            return
        left_out = {tag for hit in found.get(_FILTER, ()) for tag in _left_out_by(hit.text)}
        builds: dict[RelPath, Parsed | None] = {}
        told: set[tuple[RelPath | None, str]] = set()
        for file in tests:
            build = build_file_of(posixpath.dirname(file.path), here)
            if build is None:
                continue
            if build not in builds:
                builds[build] = parse_starlark(repository.read(build, Side.HEAD))
            parsed = builds[build]
            if parsed is not None:
                for tag, hit in _look(change, file, build, parsed, left_out, here):
                    if (hit.path, tag) not in told:
                        told.add((hit.path, tag))
                        yield hit


def _is_test(file: FileChange) -> bool:
    return (
        file.head is not None
        and bool(file.added)
        and language_of(file.path) in _LANGUAGES
        and _is_test_name(file.path)
        and not is_test_data(file.path)
    )


def _is_test_name(path: RelPath) -> bool:
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return is_test_module(path) or stem.endswith("Test")


def _left_out_by(text: str) -> Iterator[str]:
    value = text.partition(_FILTER)[2].lstrip("= ")
    yield from (match["tag"] for match in _EXCLUDED.finditer(value.split(" --")[0]))


def _look(
    change: Change,
    file: FileChange,
    build: RelPath,
    parsed: Parsed,
    left_out: Collection[str],
    here: Collection[RelPath],
) -> Iterator[tuple[str, Hit]]:
    package = posixpath.dirname(build)
    inside = posixpath.relpath(file.path, package or ".")
    tests = [target for target in targets(parsed) if "test" in target.kind.rpartition(".")[2].lower()]
    own = [target for target in tests if _names(target, inside)]
    if own:
        tagged = [(target, [tag for tag in target.texts("tags") if _is_left_out(tag, left_out)]) for target in own]
        target, tags = tagged[0]
        if all(tags for _, tags in tagged) and not _MEASURES.search(f"{file.path} {target.name}"):
            hit = _tagged(change, file, build, parsed, target, tags)
            known = any(tag == _MANUAL or tag in left_out for tag in tags)
            if hit.cause is None or (known and _proves_more(file)):
                yield tags[0], hit
        return
    if file.status is not Status.ADDED or _COLLECTS.search(parsed.source.text) or inside in parsed.source.text:
        return
    folder = posixpath.dirname(file.path)
    beside = [
        path
        for path in here
        if posixpath.dirname(path) == folder and path != file.path and _is_test_name(path)
        and language_of(path) == language_of(file.path)
    ]  # fmt: skip
    named = [
        path for path in beside if any(_names(target, posixpath.relpath(path, package or ".")) for target in tests)
    ]
    if len(named) >= LEAST_SIBLINGS and len(named) == len(beside):
        yield file.path, Hit(path=file.path, span=None, subject=f"{code(inside)} ({build}: -)")


def _proves_more(file: FileChange) -> bool:
    """Whether a changed test has a new test or assertion, and is not only kept in step with what it calls."""
    head = file.head
    return head is not None and any(_PROVES.search(head.index.line(line)) for line in file.added)


def _names(target: Target, inside: str) -> bool:
    """Whether a target is made of a file: by its sources, or by its main."""
    wanted = {inside, f":{inside}"}
    return any(text in wanted for name in ("srcs", "src", "main", "test_file") for text in target.texts(name))


def _is_left_out(tag: str, left_out: Collection[str]) -> bool:
    return tag in left_out or _LEAVES_OUT.search(tag) is not None


def _tagged(change: Change, file: FileChange, build: RelPath, parsed: Parsed, target: Target, tags: list[str]) -> Hit:
    value = target.attributes["tags"]
    node = next((each for each in strings(value) if each.value == tags[0]), None)
    span = parsed.span(node if node is not None else target.node)
    changed = change.file(build)
    own = changed is not None and span.start.line in changed.added
    return Hit(
        path=build,
        span=span,
        subject=f"{code(target.name)} ({tags[0]})",
        evidence=() if own else (evidence_at(parsed.source, span.start.line, "target", Side.HEAD),),
        cause=None if own else Anchor(file.path, nearest_changed_line(file, 1)),
    )


CHECKER: Final = TestTargetNotRun
