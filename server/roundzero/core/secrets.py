"""Finds keys, tokens and passwords in a text, by their vendors' shapes or by name and randomness.

Used to warn of secrets and to keep them out of what is sent to a model. Placeholders, examples and look-ups are no
secrets. Nothing here ever returns or logs a value. Invariant: spans are ascending and do not overlap, and the cost is
linear in the text.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator


class SecretKind(Enum):
    """How sure a find is: VENDOR is a token no one else writes; the others depend on where they stand."""

    VENDOR = "vendor"
    PRIVATE_KEY = "private-key"
    TOKEN = "token"  # noqa: S105  a word
    URL = "url"
    NAMED = "named"


@dataclass(frozen=True, slots=True, order=True)
class SecretSpan:
    """Where a secret stands (offsets in code points from 0, end exclusive) and what it is called."""

    start: int
    end: int
    label: str
    kind: SecretKind


@dataclass(frozen=True, slots=True)
class _Shape:
    """A vendor's token: the literals one of which it contains, and the whole pattern (group 1 is the secret)."""

    label: str
    literals: tuple[str, ...]
    pattern: str
    kind: SecretKind = SecretKind.VENDOR


_SHAPES: Final = (
    _Shape("AWS access key", ("AKIA", "ASIA", "ABIA"),
           r"(?<![A-Za-z0-9])((?:AKIA|ASIA|ABIA)[A-Z2-7]{16})(?![A-Za-z0-9])"),
    _Shape("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"(?<!\w)(gh[pousr]_[A-Za-z0-9]{36,255})(?!\w)"),
    _Shape("GitHub token", ("github_pat_",), r"(?<!\w)(github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})(?!\w)"),
    _Shape("GitLab token", ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-"),
           r"(?<!\w)(gl(?:pat|dt|rt|ptt|cbt|soat)-[\w-]{20,})(?!\w)"),
    _Shape("Slack token", ("xoxb-", "xoxp-", "xoxa-", "xoxs-", "xoxe-", "xoxr-", "xapp-"),
           r"(?<!\w)((?:xox[abeoprs]|xapp)-\d[\w-]{20,})(?!\w)"),
    _Shape("Slack webhook", ("hooks.slack.com/services/",),
           r"hooks\.slack\.com/services/(T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{20,})"),
    _Shape("Stripe key", ("sk_live_", "rk_live_", "whsec_"), r"(?<!\w)((?:[sr]k_live|whsec)_[A-Za-z0-9+/]{16,})(?!\w)"),
    _Shape("Google API key", ("AIza",), r"(?<!\w)(AIza[\w-]{35})(?![\w-])"),
    _Shape("Google OAuth secret", ("GOCSPX-",), r"(?<!\w)(GOCSPX-[\w-]{28})(?![\w-])"),
    _Shape("Anthropic key", ("sk-ant-",), r"(?<![\w-])(sk-ant-[\w-]{24,})(?!\w)"),
    _Shape("OpenAI key", ("sk-",), r"(?<![\w-])(sk-(?:(?:proj|svcacct|admin)-[\w-]{24,}|[A-Za-z0-9]{40,}))(?!\w)"),
    _Shape("Hugging Face token", ("hf_",), r"(?<!\w)(hf_[A-Za-z]{34})(?!\w)"),
    _Shape("npm token", ("npm_",), r"(?<!\w)(npm_[A-Za-z0-9]{36})(?!\w)"),
    _Shape("PyPI token", ("pypi-Ag",), r"(?<!\w)(pypi-Ag[\w-]{50,})(?!\w)"),
    _Shape("SendGrid key", ("SG.",), r"(?<!\w)(SG\.[\w-]{22}\.[\w-]{43})(?![\w-])"),
    _Shape("DigitalOcean token", ("dop_v1_", "doo_v1_"), r"(?<!\w)(do[op]_v1_[0-9a-f]{64})(?!\w)"),
    _Shape("Azure storage key", ("AccountKey=",), r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    _Shape("JSON web token", ("eyJ",), r"(?<!\w)(eyJ[\w-]{12,}\.eyJ[\w-]{12,}\.[\w-]{20,})(?!\w)", SecretKind.TOKEN),
    _Shape("private key", ("PRIVATE KEY",),
           r"(-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
           r"(?:\\[nr]|[\s\"'+,#]|(?:Proc-Type|DEK-Info|Version|Comment):[^\n]{0,80})*[A-Za-z0-9+/=]{24,}"
           r"(?:\\[nr]|[\s\"'+,#]|[A-Za-z0-9/=])*(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)?)",
           SecretKind.PRIVATE_KEY),
    _Shape("password in a URL", ("://",),
           r"(?<!\w)[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s:/?#@\"'<>{}$%`\\]{0,80}:([^\s:/?#@\"'<>{}$%`\\]{6,80})@"
           r"(?!(?:localhost|127\.|0\.0\.0\.0|\[::1\]|host\b|hostname\b|server\b|proxy\b|example\b|[\w.-]{0,80}\.?example\b))[\w.-]",
           SecretKind.URL),
)  # fmt: skip

_LITERALS: Final = tuple((literal, shape) for shape in _SHAPES for literal in shape.literals)

_NAME_WORDS: Final = (
    "password", "passwd", "pwd", "secret", "token", "api_key", "apikey", "api-key", "access_key", "accesskey",
    "auth_key", "private_key", "secret_key", "credential", "passphrase",
)  # fmt: skip
_ASSIGNED: Final = re.compile(
    r"""[\w.-]{0,40}["']?\]?[ \t]{0,8}(?::[ \t]{0,4}(?:str|string|String)[ \t]{0,4})?(?:=>|:=|[=:])[ \t]{0,8}"""
    r"""(?:[bru]{0,2}(?P<quote>["'])(?P<quoted>[^\s"'\\]{8,200})(?P=quote)(?![.\[%])"""
    r"""|(?P<bare>[A-Za-z0-9+/=_-]{20,200})[ \t]{0,8}\r?$)""",
    re.MULTILINE,
)
_PLACEHOLDER: Final = re.compile(
    r"example|sample|dummy|placeholder|change.?me|your|x{3,}|todo|fake|mock|redact|insert|replace|secret|passw|token"
    r"|default|foobar|foo|test|demo|invalid|\.\.\.|\*{3,}|abcdef|012345|12345|qwert|none|null|undefined|hunter2|deadbeef"
    r"|lorem|correct.?horse|key-?here|<|>|\$\{|\{\{|%\(|\$\(",
    re.IGNORECASE,
)
_VENDOR_PLACEHOLDER: Final = re.compile(
    r"example|x{5,}|\.\.\.|\*{3,}|(.)\1{6}|your|abcdefghij|1234567890|0123456789|fake|dummy", re.IGNORECASE
)
_WORDS: Final = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+)\d{0,2}(?:[-_./:@+ ](?:[A-Z]?[a-z]+|[A-Z]+|\d{1,4})\d{0,2})*")
_CAMEL: Final = re.compile(r"(?:[A-Za-z]?[a-z]+|[A-Z]{2,})(?:[A-Z][a-z]+|[A-Z]{2,}|[A-Z]?\d{1,2}){0,8}")
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
    for shape in dict.fromkeys([shape for literal, shape in _LITERALS if literal in text]):
        for match in _compiled(shape.pattern).finditer(text):
            value = match.group(1)
            if shape.kind is SecretKind.URL:
                real = _is_random_password(value)
            else:
                real = _VENDOR_PLACEHOLDER.search(value) is None and entropy(value) >= _VENDOR_RANDOM_ENOUGH
            if real:
                yield SecretSpan(match.start(1), match.end(1), shape.label, shape.kind)


def _named(text: str) -> Iterator[SecretSpan]:
    """Values assigned to names that say they are secret."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
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


_TAIL: Final = re.compile(
    r"(?:s|_?\d{0,2}|_?(?:key|value|val|id|string|str|hash|bytes|prod|production|live|base64|b64|raw))"
    r"[\"']?\]?[ \t]*(?:$|[:=])",
    re.IGNORECASE | re.MULTILINE,
)


def _ends_name(text: str, at: int) -> bool:
    """Whether the word is what the name is about: ``token`` and ``api_key_prod``, but not ``token_url``."""
    return _TAIL.match(text, at) is not None


_NO_CREDENTIAL: Final = re.compile(
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
    return _kinds(value) >= 3 and len(value) >= 8 and entropy(value) >= _RANDOM_ENOUGH - 0.3


def _is_random_token(value: str) -> bool:
    if (
        len(value) < 16
        or _CAMEL.fullmatch(value) is not None
        or _kinds(value) < 2
        or not any(c.isdigit() for c in value)
    ):
        return False
    if re.fullmatch(r"[0-9a-fA-F-]+", value):
        return len(value) >= 24 and "-" not in value and entropy(value) >= _RANDOM_ENOUGH
    if any(char in value for char in "()[]{}|,;&?"):
        return False
    return entropy(value) >= _TOKEN_RANDOM_ENOUGH


def _kinds(value: str) -> int:
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
