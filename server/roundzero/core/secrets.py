"""Finds keys, tokens and passwords in a text, by their vendors' shapes or by name and randomness.

Two levels. ``find_secrets`` is for warnings: what it finds is one, and placeholders, examples and look-ups are none.
``find_sensitive`` is for what leaves the machine: all of that and whatever else might be one, since a value too many
that is kept back costs little; what is one in one place of a text is one everywhere in it. Nothing here ever returns
or logs a value. Invariants: spans are ascending and do not overlap; all that the first level finds lies within spans of
the second; the cost is linear in the text.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex
from roundzero.core.secret_shapes import SHAPES, SecretKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from roundzero.core.secret_shapes import Shape


__all__ = ["SecretKind", "SecretSpan", "entropy", "find_secrets", "find_sensitive", "kinds", "redact"]


@dataclass(frozen=True, slots=True, order=True)
class SecretSpan:
    """Where a secret stands (offsets in code points from 0, end exclusive) and what it is called."""

    start: int
    end: int
    label: str
    kind: SecretKind


_LITERALS: Final = tuple((literal, shape) for shape in SHAPES for literal in shape.literals)

_SHORT: Final = 2000
"""Characters up to which a text is searched for one literal after the other, which is slower but loads nothing."""

_NAME_WORDS: Final = (
    "password", "passwd", "pwd", "secret", "token", "api_key", "apikey", "api-key", "access_key", "accesskey",
    "auth_key", "private_key", "secret_key", "credential", "passphrase",
)  # fmt: skip
_ASSIGNED: Final = regex(
    r"""[\w.-]{0,40}["']?\]?[ \t]{0,8}(?::[ \t]{0,4}(?:str|string|String)[ \t]{0,4})?(?:=>|:=|[=:])[ \t]{0,8}"""
    r"""(?:[bru]{0,2}(?P<quote>["'])(?P<quoted>[^\s"'\\]{8,200})(?P=quote)(?![.\[%])"""
    r"""|(?P<bare>[A-Za-z0-9+/=_-]{20,200})[ \t]{0,8}\r?$)""",
    re.MULTILINE,
)
_PLACEHOLDER: Final = regex(
    r"example|sample|dummy|placeholder|change.?me|your|x{3,}|todo|fake|mock|redact|insert|replace|secret|passw|token"
    r"|default|foobar|foo|test|demo|invalid|\.\.\.|\*{3,}|abcdef|012345|12345|qwert|none|null|undefined|hunter2|deadbeef"
    r"|lorem|correct.?horse|key-?here|<|>|\$\{|\{\{|%\(|\$\(",
    re.IGNORECASE,
)
_VENDOR_PLACEHOLDER: Final = regex(
    r"example|x{5,}|\.\.\.|\*{3,}|(.)\1{6}|your|abcdefghij|1234567890|0123456789|fake|dummy", re.IGNORECASE
)
_WORDS: Final = regex(r"(?:[A-Z]?[a-z]+|[A-Z]+)\d{0,2}(?:[-_./:@+ ](?:[A-Z]?[a-z]+|[A-Z]+|\d{1,4})\d{0,2})*")
_CAMEL: Final = regex(r"(?:[A-Za-z]?[a-z]+|[A-Z]{2,})(?:[A-Z][a-z]+|[A-Z]{2,}|[A-Z]?\d{1,2}){0,8}")
_RANDOM_ENOUGH: Final = 3.0
_TOKEN_RANDOM_ENOUGH: Final = 3.5
_VENDOR_RANDOM_ENOUGH: Final = 3.0
"""Shannon bits per character. Words of 12 letters have about 3; random base64 of 20 characters 4.0, hex 3.3."""


def find_secrets(text: str) -> tuple[SecretSpan, ...]:
    """All secrets in a text."""
    found = sorted(
        [*_shaped(text), *_named(text)], key=lambda span: (span.start, span.kind is SecretKind.NAMED, -span.end)
    )
    result: list[SecretSpan] = []
    for span in found:
        if not result or span.start >= result[-1].end:
            result.append(span)
    return tuple(result)


def find_sensitive(text: str, *, settings: bool = False) -> tuple[SecretSpan, ...]:
    """All that is or might be a secret. ``settings``: the text is a file of settings, where bare words are values."""
    from roundzero.core.sensitive import named, repeated  # noqa: PLC0415  its patterns are not needed for a start

    lowered = _lowered(text)
    loose = (SecretSpan(start, end, label, SecretKind.NAMED) for start, end, label in named(text, lowered, settings))
    found = _united([*find_secrets(text), *_unsure(text), *loose])
    values = {text[span.start : span.end]: span.label for span in found}
    again = [SecretSpan(start, end, label, SecretKind.NAMED) for start, end, label in repeated(text, values)]
    return _united([*found, *again])


def find_sensitive_in_names(text: str) -> tuple[SecretSpan, ...]:
    """The same, and shapes that are a part of a name, as of a file's: ``dump_<token>_old.json``."""
    found = find_sensitive(text)
    if "_" not in text:
        return found
    apart = text.replace("_", " ")
    for literal, _ in _LITERALS:
        if "_" in literal:
            apart = apart.replace(literal.replace("_", " "), literal)
    return _united([*found, *_unsure(apart)])


def _united(spans: Iterable[SecretSpan]) -> tuple[SecretSpan, ...]:
    """Spans in order, those that overlap as one."""
    result: list[SecretSpan] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not result or span.start >= result[-1].end:
            result.append(span)
        elif span.end > result[-1].end:
            last = result[-1]
            result[-1] = SecretSpan(last.start, span.end, last.label, last.kind)
    return tuple(result)


def redact(text: str, replacement: str = "[redacted]") -> str:
    """The text with every secret replaced."""
    parts: list[str] = []
    at = 0
    for span in find_secrets(text):
        parts += [text[at : span.start], replacement]
        at = span.end
    return "".join([*parts, text[at:]])


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when a literal of the shape is first seen: all of them together would cost 10 ms of every start."""
    return re.compile(pattern)


def _shaped(text: str) -> Iterator[SecretSpan]:
    for shape in _present(text, sure=True):
        for match in _matches(shape, text):
            value = match.group(1)
            if shape.kind is SecretKind.URL:
                real = _is_random_password(value)
            elif shape.kind is SecretKind.NAMED:
                real = _is_secret(value, "token", "quoted")
            else:
                real = _VENDOR_PLACEHOLDER.search(value) is None and entropy(value) >= _VENDOR_RANDOM_ENOUGH
            if real:
                yield SecretSpan(match.start(1), match.end(1), shape.label, shape.kind)


def _unsure(text: str) -> Iterator[SecretSpan]:
    """By shape, whatever else it may be, as long as it is no blank to be filled in."""
    from roundzero.core.sensitive import is_blank  # noqa: PLC0415  as above

    for shape in [*_present(text, sure=True), *_present(text, sure=False)]:
        for match in _matches(shape, text):
            value = match.group(1)
            chance = shape.kind is not SecretKind.VENDOR or any(char.isdigit() for char in value)
            if chance and not (shape.kind is SecretKind.URL and is_blank(value)):
                yield SecretSpan(match.start(1), match.end(1), shape.label, shape.kind)


def _present(text: str, *, sure: bool) -> Iterator[Shape]:
    """The shapes of one level that may be in a text."""
    if len(text) < _SHORT:
        there = [shape for literal, shape in _LITERALS if shape.sure is sure and literal in text]
    else:
        found = sorted(_literals()(text.encode("utf-8", "surrogatepass")) or ())
        there = [shape for at in found if (shape := _LITERALS[at][1]).sure is sure]
    yield from dict.fromkeys(there)


@cache
def _literals() -> Callable[[bytes], list[int] | None]:
    """Gives the numbers of the literals in a text, in one pass: 20 times as fast as one after the other."""
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415  many processes look at no long text

    automaton = re2.Set.SearchSet()
    for literal, _ in _LITERALS:
        automaton.Add(re2.escape(literal))
    automaton.Compile()
    match: Callable[[bytes], list[int] | None] = automaton.Match
    return match


def _matches(shape: Shape, text: str) -> Iterator[re.Match[str]]:
    """Where a shape stands. Looking for its literal first is some fifty times faster than for its pattern."""
    pattern = _compiled(shape.pattern)
    if shape.within:
        yield from pattern.finditer(text)
        return
    for literal in shape.literals:
        at = text.find(literal)
        while at >= 0:
            match = pattern.match(text, at)
            if match is not None:
                yield match
            at = text.find(literal, at + 1 if match is None else match.end())


def _lowered(text: str) -> str:
    """In lower case, and as long as before."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    return lowered


def _named(text: str) -> Iterator[SecretSpan]:
    """Values assigned to names that say they are secret."""
    lowered = _lowered(text)
    seen: set[int] = set()
    for word in _NAME_WORDS:
        at = lowered.find(word)
        while at >= 0:
            match = _ASSIGNED.match(text, at + len(word))
            if match is not None:
                group = "quoted" if match.group("quoted") else "bare"
                start, end = match.span(group)
                if (
                    start not in seen
                    and _is_credential(text, at, word)
                    and _ends_name(text, at + len(word))
                    and _is_secret(match.group(group), word, group)
                ):
                    seen.add(start)
                    yield SecretSpan(start, end, _label(word), SecretKind.NAMED)
            at = lowered.find(word, at + 1)


_TAIL: Final = regex(
    r"(?:s|_?\d{0,2}|_?(?:key|value|val|id|string|str|hash|bytes|prod|production|live|base64|b64|raw))"
    r"[\"']?\]?[ \t]*(?:$|[:=])",
    re.IGNORECASE | re.MULTILINE,
)


def _ends_name(text: str, at: int) -> bool:
    """Whether the word is what the name is about: ``token`` and ``api_key_prod``, but not ``token_url``."""
    return _TAIL.match(text, at) is not None


_NO_CREDENTIAL: Final = regex(
    r"(?:next|continuation|lock|change|request|idempotency|page|pagination|sync|update|action|csrf|xsrf|cancel|resume|"
    r"start|end|stop|special|pad|eos|bos|unk|mask|cls|sep)[_-]?$",
    re.IGNORECASE,
)
"""Before the word token: tokens of pages, locks, idempotency and language models open nothing."""


def _is_credential(text: str, at: int, word: str) -> bool:
    return word != "token" or _NO_CREDENTIAL.search(text, max(0, at - 14), at) is None


def _label(word: str) -> str:
    return re.sub(r"[_-]", " ", word).replace("api", "API").replace("APIkey", "API key")


def _is_secret(value: str, word: str, group: str) -> bool:
    if _PLACEHOLDER.search(value) is not None or _WORDS.fullmatch(value) is not None or "://" in value:
        return False
    if group == "bare":
        return _is_random_token(value)
    if word in {"password", "passwd", "pwd", "passphrase"}:
        return _is_random_password(value)
    return _is_random_token(value)


def _is_random_password(value: str) -> bool:
    """Short and mixed: at least two kinds of character besides lower-case letters, or three kinds at all."""
    if _PLACEHOLDER.search(value) is not None or _WORDS.fullmatch(value) is not None:
        return False
    return kinds(value) >= 3 and len(value) >= 8 and entropy(value) >= _RANDOM_ENOUGH - 0.3


def _is_random_token(value: str) -> bool:
    if (
        len(value) < 16
        or _CAMEL.fullmatch(value) is not None
        or kinds(value) < 2
        or not any(c.isdigit() for c in value)
    ):
        return False
    if re.fullmatch(r"[0-9a-fA-F-]+", value):
        return len(value) >= 24 and "-" not in value and entropy(value) >= _RANDOM_ENOUGH
    if any(char in value for char in "()[]{}|,;&?"):
        return False
    return entropy(value) >= _TOKEN_RANDOM_ENOUGH


def kinds(value: str) -> int:
    """How many kinds of character a text has: lower and upper case, digits, others."""
    return (
        any(char.islower() for char in value)
        + any(char.isupper() for char in value)
        + any(char.isdigit() for char in value)
        + any(not char.isalnum() for char in value)
    )


def entropy(text: str) -> float:
    """Shannon entropy of a text's characters, in bits per character."""
    total = len(text)
    return -sum(count / total * math.log2(count / total) for count in Counter(text).values()) if total else 0.0
