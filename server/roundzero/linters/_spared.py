"""What ruff complains of and nobody should hear: it serves where ruff does not look, or is right in its own way.

Code for an older Python, names in modules that make theirs while they run, imports that are handed on, tried, or work
with debuggers, variables and parameters that need not be read, names that a decorator has taken before they are bound
anew, handlers that catch everything for a reason, defaults that a test only reads, commands without a variable part,
what a module puts into another, a debugger's evaluating, texts that are shown rather than run, and lines on which a
comment for pylint or bandit says that it is meant.
Decides and changes nothing. Invariant: what is not one of these kinds is told.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from roundzero.core.regex import regex
from roundzero.core.samples import TEST_FOLDERS
from roundzero.core.text import indentation
from roundzero.linters._snippets import is_snippet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roundzero.core.change import Source
    from roundzero.core.text import LineIndex, RelPath, Span
    from roundzero.linters._handed_on import HandedOn

_CATCHES_ALL: Final = frozenset({"BLE001", "E722", "S110"})
_INSTALLED: Final = frozenset({"_", "get_ipython"})
"""Names that every module may know: ``gettext.install`` makes translation one, and IPython its shell."""
_OF_PYLINT: Final = {
    "B006": {"dangerous-default-value", "W0102"},
    "BLE001": {"broad-except", "broad-exception-caught", "W0703", "W0718"},
    "E722": {"bare-except", "W0702"},
    "F401": {"unused-import", "W0611"},
    "F811": {"function-redefined", "reimported", "E0102", "W0404"},
    "F821": {"undefined-variable", "E0602"},
    "F841": {"unused-variable", "W0612"},
    "S307": {"eval-used", "W0123"},
    "S110": {"broad-except", "broad-exception-caught", "bare-except", "W0702", "W0703", "W0718"},
}
"""What pylint calls the same, by names of today and of before."""
_PYLINT: Final = regex(r"#[ \t]*pylint:[ \t]*disable=([\w, \t-]+)")
_BANDIT: Final = regex(r"#[ \t]*nosec\b")
_NO_STOP: Final = r"(?!(?:set_trace|post_mortem|pm|run|runcall|runeval|launch_ipdb_on_exception)\b)[A-Za-z]\w*"
"""Whatever of a debugger's module is used by a program that works with debuggers."""
_FOR_ITS_EFFECT: Final = regex(
    r"#.*\b(?:side[ -]?effects?|triggers?|registers?|re-?exports?|loads?|behind the scenes)\b", re.IGNORECASE
)
"""On the line of an import, or in a comment right above it."""
_OWN_NAMES: Final = regex(r"\bglobals\(\)|\bsys\.modules\[__name__\]")
_FILLED: Final = regex(
    r"\bglobals\(\)(?:\[[^\]]*\][ \t]*=(?!=)|\.update\()|\b(?:exec|execfile|eval)\b.*\bglobals\(\)|"
    r"\bsetattr\([ \t]*sys\.modules\[__name__\]|\bsys\.modules\[__name__\]\.__dict__"
)
"""A line that makes names of its module while that runs: what is defined there cannot be read."""
_LINES_OF_LITERAL: Final = 20
"""Lines above a quoted word within which the brackets that it is in open."""
_LONGEST: Final = 400
"""Characters of a line that are looked at."""
_SPHINX: Final = regex(r"(?:^|/)(?:docs?|documentation)/(?:[^/]+/)*conf\.py$")
_OF_USE: Final = frozenset({"B006", "B010", "S307", "S602", "S605"})
_DEBUGGER: Final = regex(r"^[ \t]*(?:import|from)[ \t]+(?:bdb|pdb|code|codeop)\b", re.MULTILINE)
"""What runs the text that a person types."""
_SETS: Final = regex(r"setattr\([ \t]*(\w+)[ \t]*,")
_EARLIER: Final = regex(r"from line (\d+)")
_TEST_SUPPORT: Final = regex(r"^_?test(?:_|s?\.|base|case|ing|util)|_tests?\.py$|^conftest\.py$")
_QUOTED: Final = regex(r"[^`]*`([^`\n]*)`")


class Spared:
    """The messages about one source that are not told."""

    def __init__(self, source: Source, messages: Iterable[Mapping[str, Any]]) -> None:
        """Learn from all that is said of a source."""
        self._source = source
        self._in_test = not TEST_FOLDERS.isdisjoint(source.path.split("/")[:-1])
        self._undefined = {name for each in messages if each["code"] == "F821" and (name := _quoted(each["message"]))}
        self._is_snippet = is_snippet(source, self._undefined)
        self._unused = {
            (each["location"]["row"], _quoted(each["message"])) for each in messages if each["code"] == "F401"
        }

    @cached_property
    def _missing_today(self) -> frozenset[str]:
        from roundzero.core.older_python import missing_today  # noqa: PLC0415  off the start-up path

        return missing_today(self._undefined, self._source.text)

    @cached_property
    def _makes_names(self) -> bool:
        index = self._source.index
        lines = {index.position(match.start()).line for match in _OWN_NAMES.finditer(self._source.text)}
        return any(_FILLED.search(index.line(number).partition("#")[0][:_LONGEST]) is not None for number in lines)

    @cached_property
    def _handed_on(self) -> HandedOn:
        from roundzero.linters._handed_on import HandedOn  # noqa: PLC0415  off the start-up path

        return HandedOn(self._source)

    def has(self, code: str | None, words: str, span: Span) -> bool:
        """Whether a message is one; ``code`` is None where the text does not parse."""
        source = self._source
        if code is None:
            from roundzero.core.older_python import explains_error  # noqa: PLC0415  off the start-up path

            return explains_error(source.index.line(span.start.line), source.text)
        if self._is_snippet or _is_silenced(code, source.index.line(span.start.line)):
            return True
        if code in _CATCHES_ALL:
            from roundzero.linters._handlers import cleans_up, is_meant  # noqa: PLC0415  off the start-up path

            meant = is_meant(source.index, span.start.line, in_test=self._in_test)
            return meant or (code == "S110" and cleans_up(source.index, span.start.line))
        if code in {"F401", "T100"}:
            return self._has_import(code, words, span)
        if code == "F821":
            name = _quoted(words)
            is_made = name in _INSTALLED or self._makes_names
            return is_made or name in self._missing_today or _is_literal(source.index, span)
        return self._has_use(code, words, span) if code in _OF_USE else self._has_name(code, words, span)

    def _has_name(self, code: str, words: str, span: Span) -> bool:
        """Whether a variable need not be read, or what takes another's name takes nothing from it.

        An import that is told to be unused loses nothing either: that is said already.
        """
        from roundzero.linters._unread import is_parameter, is_taken, need_not_be_read  # noqa: PLC0415  as above

        index = self._source.index
        if code == "F841":
            return need_not_be_read(index, span.start.line, in_test=self._in_test)
        earlier = _EARLIER.search(words) if code == "F811" else None
        if earlier is None or is_parameter(index, span.start):
            return earlier is not None
        row, name = int(earlier[1]), _quoted(words)
        told = {at for at, full in self._unused if name in {full, full.rpartition(".")[2]}}
        return (row in told and span.start.line not in told) or is_taken(index, row)

    def _is_named_in_remark(self, name: str) -> bool:
        """Whether a line that was made a comment uses a module, as the lines that sphinx-quickstart leaves there."""
        return re.search(rf"^[ \t]*#.*\b{re.escape(name)}\.", self._source.text, re.MULTILINE) is not None

    def _has_use(self, code: str, words: str, span: Span) -> bool:
        """Whether a command has no variable part, code is a debugger's to run, or a default in a test is only read."""
        if code == "B010":
            return self._puts_into_another(span)
        if code == "S307":
            return _DEBUGGER.search(self._source.text) is not None
        if code != "B006":
            return "seems safe" in words
        from roundzero.linters._read_only import is_kept_on_purpose, is_only_read  # noqa: PLC0415  as above

        index, for_test = self._source.index, self._in_test or is_test_support(self._source.path)
        return is_kept_on_purpose(index, span.start) or (for_test and is_only_read(index, span.start))

    def _puts_into_another(self, span: Span) -> bool:
        """Whether a module, while it is loaded, puts something into what is not its own, which type checkers refuse."""
        match = _SETS.match(self._source.index.line(span.start.line)) if span.start.column == 1 else None
        own = rf"^{match[1]}[ \t]*(?::[^=\n]*)?=(?!=)" if match is not None else ""
        return span.start.column == 1 and not (own and re.search(own, self._source.text, re.MULTILINE))

    def _has_import(self, code: str, words: str, span: Span) -> bool:
        """Whether an import serves: a debugger's, or one that nothing in the file seems to use."""
        if code == "T100":
            module = re.escape(_quoted(words))
            return words.startswith("Import") and re.search(rf"\b{module}\.{_NO_STOP}", self._source.text) is not None
        index = self._source.index
        is_probe = "find_spec" in words and _is_probe(index, span.start.line)
        if _SPHINX.search(self._source.path) is not None and self._is_named_in_remark(_quoted(words)):
            return True
        return is_probe or _is_for_its_effect(index, span.start.line) or self._handed_on.has(span)


def _is_literal(index: LineIndex, span: Span) -> bool:
    """Whether a name is a quoted word of ``Literal[...]`` or ``Annotated[...]``, wherever these come from.

    Ruff knows them from ``typing`` alone, and takes the words of others for annotations.
    """
    first = max(1, span.start.line - _LINES_OF_LITERAL)
    lines = [index.line(number) for number in range(first, span.start.line)]
    before = "\n".join((*lines, index.line(span.start.line)[: span.start.column - 1]))
    opened = max(before.rfind("Literal["), before.rfind("Annotated["))
    words = before[opened:]
    return opened >= 0 and words.endswith(('"', "'")) and words.count("[") > words.count("]")


def is_test_support(path: RelPath) -> bool:
    """Whether a module by its name serves tests, wherever it lies: their base class, their tools, or tests."""
    return _TEST_SUPPORT.search(path.rpartition("/")[2]) is not None


def _is_for_its_effect(index: LineIndex, line: int) -> bool:
    """Whether a comment on a line, or one that stands right above it and over no other import, says so."""
    if _FOR_ITS_EFFECT.search(index.line(line)) is not None:
        return True
    above, below = index.line(line - 1).lstrip() if line > 1 else "", line + 1
    is_alone = below > index.line_count or not index.line(below).lstrip().startswith("import ")
    return is_alone and above.startswith("#") and _FOR_ITS_EFFECT.search(above) is not None


def _is_probe(index: LineIndex, line: int) -> bool:
    """Whether an import that is tried asks if the module is there: something is done where it is, or is not."""
    indent = indentation(index.line(line))
    for number in range(line + 1, index.line_count + 1):
        text = index.line(number)
        if not text.strip():
            continue
        if indentation(text) < indent:
            then = (index.line(after).strip() for after in range(number + 1, index.line_count + 1))
            return text.lstrip().startswith("except") and next(filter(None, then), "pass") != "pass"
        if indentation(text) == indent and not text.lstrip().startswith(("import ", "from ", ")", "#")):
            return True
    return False


def _is_silenced(code: str, line: str) -> bool:
    """Whether a comment on a line tells pylint or bandit to say nothing of the same."""
    if code.startswith("S") and _BANDIT.search(line) is not None:
        return True
    match = _PYLINT.search(line) if code in _OF_PYLINT else None
    return match is not None and not _OF_PYLINT[code].isdisjoint(re.split(r"[, \t]+", match[1]))


def _quoted(words: object) -> str:
    match = _QUOTED.match(str(words))
    return match[1] if match is not None else ""
