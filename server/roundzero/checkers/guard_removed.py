"""guard-removed: a ``raise`` or an ``assert`` went from a function that is still there, and nothing took its place.

Silent where the function got a guard about the same, a branch that asks the same, or a call that sounds like a guard;
where the same guard, its condition or its message was added anywhere in the change; where what it refused has an answer
now; where what it was about comes from elsewhere now, or is gone: a parameter, or a variable that served for more than
to be asked of; where it said that something is not supported, stood there for the time being, never ran, or went into a
function; for re-raising, for NotImplementedError, and in tests. A function that lost several, and a guard that went
from several functions, are told once. Looks at text and indentation, not at trees, so that its cost does not grow with
the file. Invariant: the hit lies on a removed line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import ChangeChecker, base_hit
from roundzero.checkers._lifted_guards import is_handed_over, was_for_now, was_unreachable
from roundzero.checkers._paths import is_test_path
from roundzero.core.finding import Edit, Fix
from roundzero.core.item import language_of
from roundzero.core.outline import symbol_at
from roundzero.core.regex import regex
from roundzero.core.text import Position, Span, collapse, dominant_eol, indentation, with_eol

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping

    from roundzero.core.change import Change, FileChange, Source
    from roundzero.core.finding import Hit
    from roundzero.core.linemap import Hunk
    from roundzero.core.ports import GrepHit, Repository
    from roundzero.core.text import LineIndex

_GUARD: Final = regex(r"[ \t]*(?:[^#\"']*:[ \t]*)?(?:raise[ \t]+(?P<raised>[\w.]+)|assert\b(?P<asserted>.*))")
_NO_GUARD: Final = regex(r"NotImplementedError|StopIteration|StopAsyncIteration|SystemExit|KeyboardInterrupt")
_NARROWING: Final = regex(
    r"[ \t(]+(?:isinstance\(|issubclass\(|callable\(|False\b|TYPE_CHECKING|[\w.]+ is not None[ \t]*(?:#.*)?$)"
)
"""Assertions written for a type checker rather than for what may come in."""
_WORD: Final = regex(r"[^\W\d]\w*")
_ASSIGNED: Final = regex(r"[ \t]*(?P<name>\w+)(?:[ \t]*:[^=]*)?[ \t]*=(?!=)(?P<value>.*)")
_RAISES: Final = regex(r"[ \t]*raise[ \t]")
_ANSWERS: Final = regex(
    r"[ \t]*(?:return|yield)[ \t]+(?!(?:None|True|False|-?\d+|[\"'][^\"']*[\"']|\[\]|\(\)|\{\})[ \t]*(?:#.*)?$)"
)
"""A line that gives more than a constant."""
_RUNS_ON: Final = regex(r"\bsys\.(?:version|hexversion|platform)|\bPY[23]\b|\bplatform\.|\bos\.name\b")
_CONSTANT: Final = regex(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
_CLASS: Final = regex(r"class[ \t]+(\w+)")
_OPERAND: Final = regex(r"\w+")
_OWN_NAME: Final = regex(r"(?<![\w.])[^\W\d]\w*(?![\w(])")
"""A name that is neither an attribute nor called."""
_BRANCH: Final = regex(r"[ \t]*(?:if|elif|while)\b|.*\bfor\b.*\bin\b.*\bif\b")
"""A branch, or a comprehension that leaves something out."""
_CONSTANT_INDEX: Final = regex(r"\[[ \t]*-?\d+[ \t]*\]")
_NO_SUBJECT: Final = frozenset(
    {"if", "elif", "else", "not", "and", "or", "in", "is", "None", "True", "False", "len", "isinstance", "self", "cls",
     "assert", "raise", "any", "all", "for", "type", "str", "int"}
)  # fmt: skip
_MODULES: Final = frozenset({"os", "sys", "re", "path", "math", "np", "json", "torch", "time"})
_SOUNDS_LIKE_ONE: Final = regex(
    r"\b(?:raise|assert|abort)\b|\w*(?:check|valid|ensure|verify|require|assert|guard|raise|abort|fail|refuse|reject|"
    r"must|expect|sanit|clamp|normali[sz]e|coerce|parse)\w*\(",
    re.IGNORECASE,
)
_MESSAGE: Final = regex(r"[\"'](?P<fixed>[^\"'{}%\\]{12})")
"""The fixed beginning of a message, long enough to be the same one."""
_DEFINITION: Final = regex(r"[ \t]*(?:async[ \t]+def|def)[ \t]+(\w+)")
_TRIPLE: Final = regex(r"[ \t]*[rRuUbB]?(\"\"\"|''')")
KEPT: Final = 0.3
"""Least share of a function's lines that must be left: below it is another function under the old name."""
RESTORABLE: Final = 8
"""Longest deletion, in lines, that is offered back."""


class GuardRemoved(ChangeChecker):
    """Finds removed guards."""

    name = "guard-removed"
    version = "5"

    def check(self, change: Change, repository: Repository, found: Mapping[str, tuple[GrepHit, ...]]) -> Iterable[Hit]:
        """Look at every changed Python file, then for the same guard in the rest of the change."""
        candidates = [hit for file in change.files for hit in _candidates(file)]
        if not candidates:
            return
        added = {
            collapse(file.head.index.line(line))
            for file in change.files
            if file.head is not None
            for line in file.added
        }
        messages = {match["fixed"] for text in added for match in _MESSAGE.finditer(text)}
        gone = {
            match[1]
            for file in change.files
            if file.base is not None
            for line in file.removed
            if (match := _CLASS.match(file.base.index.line(line)))
        }
        told: set[str] = set()
        for file, line, text in candidates:
            base = file.base
            if (match := _GUARD.match(text)) is not None and match["raised"] in gone:
                continue
            above = _condition_above(base.index, line) if base is not None else None
            asked = collapse(base.index.line(above)) in added if base is not None and above is not None else False
            moved = any(collapse(part) in added for part in _spellings(text)) or (
                (match := _MESSAGE.search(text)) is not None and match["fixed"] in messages
            )
            if base is not None and not moved and not asked:
                once = {text, f"{file.path} {symbol_at(base.path, base.index, line)}"}
                if told.isdisjoint(once):
                    yield base_hit(file, base.index.line_span(line), text, fixes=_restored(file, line))
                told |= once


def _spellings(text: str) -> Iterator[str]:
    """A one-line ``if x: raise E`` may come back as two lines."""
    yield text
    _, colon, action = text.partition(": raise ")
    if colon:
        yield f"raise {action}"


def _candidates(file: FileChange) -> Iterator[tuple[FileChange, int, str]]:
    """Removed guards of one file that its own function does not replace; at most one of each deletion."""
    base, head = file.base, file.head
    if base is None or head is None or language_of(file.path) != "python" or is_test_path(file.path):
        return
    constants: frozenset[str] | None = None
    for hunk in file.hunks:
        for line in hunk.base_lines:
            text = base.index.line(line)
            if not _is_guard(text) or _is_in_handler(base.index, line):
                continue
            name = symbol_at(base.path, base.index, line)
            if name is None or (lines := _function(head, name)) is None or (before := _function(base, name)) is None:
                continue
            condition = _condition_above(base.index, line)
            constants = frozenset(_CONSTANT.findall(head.text)) if constants is None else constants
            if (
                _is_outdated(base.index, line, condition, constants)
                or was_for_now(base.index, line, condition)
                or was_unreachable(base.index, line, condition)
                or is_handed_over(hunk, base.index, head.index, _subjects(base.index, line))
                or _raises_otherwise(hunk, base.index, head.index)
                or (condition not in file.removed and _is_answered(hunk, head.index))
            ):
                continue
            guard = {line, condition}
            reworded = hunk.head_lines if text.lstrip().startswith("assert") or condition not in file.removed else ()
            kept = sum(number not in file.removed and bool(base.index.line(number).strip()) for number in before)
            there = sum(number not in guard and bool(base.index.line(number).strip()) for number in before)
            about = _about(base.index, line)
            if kept < KEPT * there or any(
                number in file.added and _replaces(head.index, number, set() if number in reworded else about)
                for number in lines
            ):
                continue
            subjects = _subjects(base.index, line)
            now = [head.index.line(number) for number in lines if number in file.added]
            if any(_decides(text, base.index, line) or _comes_anew(text, subjects) for text in now):
                continue
            if not _is_pointless(base.index, line, before, lines, head, file.removed):
                yield file, line, text.strip()
                break


def _is_guard(text: str) -> bool:
    match = _GUARD.match(text)
    if match is None:
        return False
    if match.group("raised") is not None:
        return _NO_GUARD.search(match.group("raised")) is None
    return _NARROWING.match(match.group("asserted")) is None


def _is_outdated(index: LineIndex, line: int, condition: int | None, known: frozenset[str]) -> bool:
    """Whether a guard asked which Python or platform it runs on, or for a constant that its file no longer knows."""
    asked = [index.line(number) for number in range(condition or line, line + 1)]
    if any(_RUNS_ON.search(text) is not None for text in asked):
        return True
    return not known.issuperset(word for text in asked for word in _CONSTANT.findall(_plain(text)))


def _raises_otherwise(hunk: Hunk, base: LineIndex, head: LineIndex) -> bool:
    """Whether a hunk raises as often as it did: another exception, or the same in other words."""
    before = sum(_RAISES.match(base.line(number)) is not None for number in hunk.base_lines)
    after = sum(_RAISES.match(head.line(number)) is not None for number in hunk.head_lines)
    return 0 < before <= after


def _is_answered(hunk: Hunk, head: LineIndex) -> bool:
    """Whether what was refused gets an answer of its own now, in the same place."""
    return any(_ANSWERS.match(head.line(number)) is not None for number in hunk.head_lines)


def _condition(index: LineIndex, line: int) -> str:
    """What a guard asks, without strings: its own line, or the condition above a bare ``raise``."""
    text = index.line(line)
    if text.lstrip().startswith("raise"):
        above = _condition_above(index, line)
        if above is None:
            return ""
        text = index.line(above)
    return _plain(text.partition("raise ")[0])


def _subjects(index: LineIndex, line: int) -> set[str]:
    """The names a guard is about."""
    return set(_WORD.findall(_condition(index, line))) - _NO_SUBJECT


def _is_pointless(
    index: LineIndex, line: int, function: range, lines: range, head: Source, removed: Collection[int]
) -> bool:
    """Whether nothing that a guard was about is left in its function, or a name of the function's own that it asked.

    What only the guard asked of, an attribute or another function, is left while the file knows it.
    """
    subjects = _subjects(index, line)
    guard = {line, _condition_above(index, line)}
    now = list(_statements(head.index, lines))
    around = _condition_above(index, line)
    conditions = [
        _condition(index, line),
        *([_plain(index.line(around))] if around is not None and around in removed else []),
    ]
    asked = {name for text in conditions for name in _OWN_NAME.findall(text)} - _NO_SUBJECT
    asked |= {name for text in _statements(index, function) for name in _behind(text, asked)}
    own = _own_names(index, function, guard)
    if subjects and subjects.isdisjoint(word for text in now for word in _WORD.findall(text)):
        before = {word for at in function if at not in guard for word in _WORD.findall(_plain(index.line(at)))}
        return (subjects - asked - before).isdisjoint(_WORD.findall(head.text))
    return not (asked & own).issubset(name for text in now for name in _OWN_NAME.findall(_plain(text)))


def _statements(index: LineIndex, lines: range) -> Iterator[str]:
    """The lines of a function without texts that stand for themselves, as its docstring."""
    quote = ""
    for number in lines:
        text = index.line(number)
        if quote:
            quote = "" if quote in text else quote
        elif (match := _TRIPLE.match(text)) is not None:
            quote = "" if match[1] in text[match.end() :] else match[1]
        else:
            yield text


def _behind(text: str, asked: set[str]) -> list[str]:
    """The names that a line makes a variable of which is asked for."""
    match = _ASSIGNED.match(text)
    return _OWN_NAME.findall(_plain(match["value"])) if match is not None and match["name"] in asked else []


def _own_names(index: LineIndex, function: range, guard: Container[int | None]) -> set[str]:
    """The parameters of a function, and its variables that are used outside a guard, as far as lines show them."""
    parameters: set[str] = set()
    assigned: set[str] = set()
    used: set[str] = set()
    depth = 0
    for number in function:
        text = _plain(index.line(number))
        if number == function.start or depth > 0:
            parameters.update(_OWN_NAME.findall(text))
            depth += text.count("(") - text.count(")")
        elif (match := _ASSIGNED.match(text)) is not None:
            assigned.add(match["name"])
            used.update(_OWN_NAME.findall(match["value"]))
        elif number not in guard:
            used.update(_OWN_NAME.findall(text))
    return parameters | (assigned & used)


def _condition_above(index: LineIndex, line: int) -> int | None:
    """The line of the ``if`` that a line stands in; None where what it stands in is something else."""
    indent = indentation(index.line(line))
    for at in range(line - 1, max(0, line - 12), -1):
        text = index.line(at)
        if text.strip() and indentation(text) < indent:
            return at if text.lstrip().startswith(("if ", "elif ")) else None
    return None


def _decides(added: str, index: LineIndex, line: int) -> bool:
    """Whether an added condition asks of everything that a guard asked about, numbers included: it is handled there.

    A number that only picks an item is none.
    """
    if _BRANCH.match(added) is None:
        return False
    text = index.line(line)
    if text.lstrip().startswith("raise"):
        above = _condition_above(index, line)
        text = index.line(above) if above is not None else ""
    text = _CONSTANT_INDEX.sub("", _plain(text.partition("raise ")[0]))
    asked = set(_OPERAND.findall(text)) - _NO_SUBJECT
    return bool(asked) and asked <= set(_OPERAND.findall(_plain(added)))


def _comes_anew(added: str, subjects: set[str]) -> bool:
    """Whether an added line takes what a guard was about from somewhere else, which may have looked at it already."""
    match = _ASSIGNED.match(added)
    if match is None or match["name"] not in subjects:
        return False
    return match["name"] not in _WORD.findall(_plain(match["value"]))


def _plain(text: str) -> str:
    """A line without its strings and comment."""
    return re.sub(r"\"[^\"]*\"|'[^']*'|#.*", "", text)


def _about(index: LineIndex, line: int) -> set[str]:
    """What a guard speaks of: the names of its condition and the exception, without those of functions."""
    above = _condition_above(index, line) if index.line(line).lstrip().startswith("raise") else None
    text = " ".join(index.line(number) for number in (above, line) if number is not None)
    plain = _plain(text)
    plain = re.sub(r"(?<!raise )\b(?:(\w+)\.)?[\w.]*\w\(", r"\1 (", plain)
    return set(_WORD.findall(plain)) - _NO_SUBJECT - _MODULES


def _replaces(index: LineIndex, line: int, about: set[str]) -> bool:
    """Whether an added line takes a guard's place: a guard about the same, or a call that sounds like a check.

    ``about`` is empty where any guard will do: in the place of an assertion, or under the condition that was kept.
    """
    text = index.line(line)
    if _SOUNDS_LIKE_ONE.search(text) is None:
        return False
    match = _GUARD.match(text)
    if match is None:
        return True
    if match.group("asserted") is not None and _NARROWING.match(match.group("asserted")) is not None:
        return False
    return not about or bool(about & _about(index, line))


def _is_in_handler(index: LineIndex, line: int) -> bool:
    """Whether a line is directly inside an ``except``: what it raises anew would have risen anyway."""
    indent = indentation(index.line(line))
    for number in range(line - 1, max(0, line - 60), -1):
        text = index.line(number)
        if text.strip() and indentation(text) < indent:
            stripped = text.lstrip()
            if stripped.startswith("except"):
                return True
            if not stripped.startswith(("if ", "else", "elif ", "with ", "for ")):
                return False
            indent = indentation(text)
    return False


def _function(source: Source, name: str) -> range | None:
    """The lines of a function by its qualified name, from its definition to its last line."""
    last = name.rsplit(".", 1)[-1]
    index = source.index
    for number in range(1, index.line_count + 1):
        text = index.line(number)
        match = _DEFINITION.match(text)
        if match is None or match.group(1) != last or symbol_at(source.path, index, number) != name:
            continue
        indent = indentation(text)
        end = number
        depth_of_signature = text.count("(") - text.count(")")
        for inner in range(number + 1, index.line_count + 1):
            body = index.line(inner)
            if (
                body.strip()
                and depth_of_signature <= 0
                and indentation(body) <= indent
                and not body.lstrip().startswith("#")
            ):
                break
            depth_of_signature += body.count("(") - body.count(")") if depth_of_signature > 0 else 0
            if body.strip():
                end = inner
        return range(number, end + 1)
    return None


def _restored(file: FileChange, line: int) -> tuple[Fix, ...]:
    """Put a deletion back where nothing replaced it and it holds nothing but the guard."""
    base, head = file.base, file.head
    hunk = next((hunk for hunk in file.hunks if line in hunk.base_lines), None)
    if base is None or head is None or hunk is None or hunk.head_count or hunk.base_count > RESTORABLE:
        return ()
    removed = [base.index.line(number) for number in hunk.base_lines]
    first = next((text for text in removed if text.strip() and not text.lstrip().startswith("#")), "")
    if not first.lstrip().startswith(("if ", "assert", "raise ")) or any(
        text.strip() and indentation(text) < indentation(first) for text in removed
    ):
        return ()
    after = hunk.head_gap + 1
    if after > head.index.line_count and not head.text.endswith("\n"):
        return ()
    place = Position(after, 1)
    new = with_eol("\n".join(removed) + "\n", dominant_eol(head.text))
    return (Fix("Restore the check", safe=False, edits=(Edit(file.path, Span(place, place), "", new),)),)


CHECKER: Final = GuardRemoved
