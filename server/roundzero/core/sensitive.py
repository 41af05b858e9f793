"""The laxer level of core/secrets: values that might be secret because of what they are called or where they stand.

For what leaves the machine, so it would rather hide a value too many. Names, references and code stay readable: only
literals are taken. Nothing is warned of by this. Invariants: a blank to be filled in, a reference and a placeholder of
ours are no values; each pattern begins with a fixed word and repeats within bounds, so that the cost is linear.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.core.secrets import entropy, kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LONG_NAMES: Final = (
    "password",
    "passwd",
    "passwrd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "credential",
    "bearer",
    "sessid",
    "sessionid",
    "session_id",
    "session-id",
    "jwt",
    "connectionstring",
    "connection_string",
    "webhook_url",
    "webhookurl",
    "securitycode",
    "security_code",
    "client-key-data",
)
_SHORT_NAMES: Final = (
    "pass",
    "auth",
    "sig",
    "signature",
    "pin",
    "psk",
    "pat",
    "dsn",
    "cookie",
    "key",
    "creds",
    "pepper",
    "salt",
    "hmac",
)
_KEYS: Final = regex(
    r"(?:api|access|account|auth|private|secret|signing|encryption|master|shared|storage|app|application|service|admin"
    r"|client|license|webhook|deploy|ssh|session)[_-]?$"
)
"""Before the word key: what is a secret whatever it looks like."""

_VALUE: Final = (
    r"(?:[a-z]{0,2}(?P<triple>\"\"\"|''')(?P<long>[^\n]{3,8000}?)(?P=triple)"
    r"|[a-z]{0,2}\\?\"(?P<double>(?:[^\"\\\n]|\\[^\"\n]){3,8000})\\?\""
    r"|[a-z]{0,2}'(?P<single>(?:[^'\\\n]|\\[^\n]){3,8000})'"
    r"|`(?P<tick>[^`\n]{3,8000})`"
    r"|(?P<bare>[^\s\"'`,;<>(){}\[\]]{3,4000}))"
)
_JUDGED: Final = 200
"""Code points of a value that are looked at: as many tell what the whole is, and bound the cost."""

_GROUPS: Final = ("long", "double", "single", "tick", "bare")
_ASSIGNS: Final = (
    r"[\w.-]{0,40}\\?[\"'`]?\]?"
    r"(?:[ \t]{0,8}(?::[ \t]{0,4}[a-z&][\w.&\[\]| ]{0,30}[ \t]{0,4})?(?:=>|:=|\?=|\+=|::|[=:])[ \t]{0,40}"
    r"|[\s,]{1,80}\\?[\"']?value\\?[\"']?[ \t]{0,8}[:=][ \t]{0,8}"
    r"|[ \t]{0,8},[ \t]{0,8}(?=[\"'])"
    r"|[ \t]{0,8}:[ \t]{0,8}[|>][+-]?[ \t]{0,8}\r?\n[ \t]{1,40})"
)
_AFTER_NAME: Final = regex(_ASSIGNS + _VALUE)

_NO_VALUE: Final = regex(
    r"[\w.-]{0,40}?(?:url|uri|path|file|name|type|field|length|len|size|min|max|count|limit|ttl|expir\w*|timeout|format"
    r"|policy|regex|pattern|label|help|algorithm|reset|version|hint|prompt|input|column|header|prefix|suffix|index|env"
    r"|var|mode|strategy|class|required|enabled|rounds?|endpoint|issuer|ref|error|message|title|key)"
    r"[\"'`\]]{0,2}[ \t:=]",
    re.IGNORECASE,
)
"""After the word: the name is about something else than the value (``token_url``); only a random value is one then."""

_BLANK: Final = regex(
    r"[*x.#_-]+|\{+[^{}]*\}+|%[sdr]|[$][a-z_]\w*"
    r"|(?:none|null|nil|true|false|undefined|str|string|bytes|int|bool|object|any|yes|no|on|off|required|optional)\??",
    re.IGNORECASE,
)
_REFERENCE: Final = regex(r"[$%]\{|\{\{|[$%]\(|<%|\bos\.environ|process\.env|getenv")
_WORDLIKE: Final = regex(
    r"(?:[A-Za-z]?[a-z]+|[A-Z]+)(?:[A-Z][a-z]{2,}|[A-Z]{2,}(?![a-z])|[-_./: ](?:[A-Z]?[a-z]+|[A-Z]+)){0,20}[:.!?]?"
)
_CODE: Final = regex(r"[A-Za-z_][\w.]*(?:\(\)?|\[.*)?|&?\*?[A-Za-z_]\w*(?:::\w+)+|-?\d{1,5}(?:\.\d+)?")
_PASSWORDS: Final = ("pass", "pwd", "pin")

_PLACED: Final[tuple[tuple[str, str, str], ...]] = (
    (
        "authorization",
        "authorization header",
        (
            r"authorization\\?[\"'`]?\]?[ \t]{0,8}[:=,][ \t]{0,8}[a-z]{0,2}\\?[\"'`]?"
            r"(?:(?:bearer|basic|token|apikey|digest|ssws|negotiate|key)[ \t]{1,4})?"
            r"(?P<value>[^\s\"'`,;<>(){}\\]{6,8000})(?!\()"
        ),
    ),
    ("bearer", "bearer token", r"\bbearer[ \t]{1,4}(?P<value>[\w+/=.~-]{8,8000})"),
    ("basic", "basic authentication", r"\bbasic[ \t]{1,4}(?P<value>[\w+/=]{8,8000})(?![\w ])"),
    (
        "x-",
        "key in a header",
        (
            r"\bx-[a-z-]{0,30}(?:key|token|auth|secret|signature)\\?[\"'`]?[ \t]{0,4}[:,=]"
            r"[ \t]{0,8}\\?[\"'`]?"
            r"(?P<value>[^\s\"'`,;<>]{6,8000})"
        ),
    ),
    (
        "--",
        "value of an option",
        (
            r"--[a-z-]{0,30}?(?:password|passwd|passphrase|token|secret|api-?key|access-?key|auth)"
            r"(?:[ \t]{1,4}|=)[\"']?"
            r"(?P<value>[^\s\"'`,<>\])-][^\s\"'`<>\])]{2,500})"
        ),
    ),
    ("-u", "password of a user", r"(?<!\S)-u[ \t=]{0,4}[\"']?[^\s:\"'/]{1,80}:(?P<value>[^\s\"'@/]{3,200})"),
    ("--user", "password of a user", r"(?<!\S)--user[ \t=]{1,4}[\"']?[^\s:\"'/]{1,80}:(?P<value>[^\s\"'@/]{3,200})"),
    ("-p", "password", r"(?<!\S)-p(?P<value>[a-z0-9!@#%^&*+=~][^\s\"'`(<]{5,100})(?=[ \t\r\n])"),
    ("login", "password", r"\blogin\s{1,40}\S{1,100}\s{1,40}password\s{1,40}(?P<value>\S{3,200})"),
    (
        "machine",
        "password",
        (
            r"\bmachine\s{1,40}\S{1,100}\s{1,40}(?:login\s{1,40}\S{1,100}\s{1,40})?"
            r"password\s{1,40}(?P<value>\S{3,200})"
        ),
    ),
    (
        "?",
        "value in a query",
        (
            r"\?(?:[a-z-]{0,20}?(?:token|key|secret|sig|signature|password|passwd|pwd|auth|credential)|code)"
            r"=(?P<value>[^&\s\"'#<>`)]{6,8000})"
        ),
    ),
    (
        "&",
        "value in a query",
        (
            r"&(?:amp;)?[a-z-]{0,20}?(?:token|key|secret|sig|signature|password|passwd|pwd|auth|credential)"
            r"=(?P<value>[^&\s\"'#<>`)]{6,8000})"
        ),
    ),
    (
        ";",
        "connection string",
        (
            r";[ \t]{0,4}(?:password|pwd|accountkey|sharedaccesskey|sharedsecret|shared access key)[ \t]{0,4}="
            r"[ \t]{0,4}(?P<value>[^;\"'\s]{2,400})"
        ),
    ),
    ("password=", "password", r"\bpassword=(?P<value>[^\s\"'`,;(){}<>]{3,200})(?=[ \t]{1,4}[a-z_]{2,20}=)"),
    (
        "<",
        "value of an element",
        (
            r"<[\w:.-]{0,40}?(?:password|passwd|pwd|passphrase|token|secret|api-?key|privatekey"
            r"|credential)"
            r"[\w:.-]{0,20}(?: [^<>\n]{0,200})?>(?P<value>[^<>\n]{3,8000})</"
        ),
    ),
    (":*:", "password", r"(?<=[\w.-]):\*:[^:\s]{1,80}:[^:\s]{1,80}:(?P<value>\S{3,200})(?=\s|$)"),
    (":5432:", "password", r"(?<=[\w.*-]):5432:[^:\s]{1,80}:[^:\s]{1,80}:(?P<value>\S{3,200})(?=\s|$)"),
)
"""What a place begins with (in lower case), what stands there, and where in it the value is."""

_COOKIE: Final = regex(r"cookie2?\\?[\"'`]?[ \t]{0,4}[:=,][ \t]{0,4}\\?[\"'`]?(?P<value>[^\"'`\n\\]{4,4000})")
_CRUMB: Final = regex(r"=([^;\s\"'`]{6,})")
_BLOB: Final = regex(r"(?<![A-Za-z0-9+/_=.-])[A-Za-z0-9+/_-]{40,16000}={0,2}(?![A-Za-z0-9+/_-])")
_DIGESTS: Final = ("sha1", "sha256", "sha384", "sha512", "sha-256", "sha-512", "h1", "integrity", "checksum", "digest")
_BLOB_BITS: Final = 4.2
"""Shannon bits per character: random base64 of 40 characters has 4.7 on average and hardly ever less than this."""

_MAY_BE_WORDS: Final = {"password", "connection string", "value of an element"}
_RANDOM_BITS: Final = 3.0
_PATTERNS: Final = tuple((needle, label, regex(pattern)) for needle, label, pattern in _PLACED)


def named(text: str, lowered: str, settings: bool) -> Iterator[tuple[int, int, str]]:  # noqa: FBT001  one of two kinds
    """Start, end and name of each value. ``lowered``: the text in lower case, as long as it.

    ``settings``: what stands unquoted is a value, even a plain word, and no code.
    """
    yield from _assigned(text, lowered, settings=settings)
    for needle, label, pattern in _PATTERNS:
        for match in _each(needle, pattern, lowered):
            value = text[match.start("value") : min(match.end("value"), match.start("value") + _JUDGED)]
            words = _WORDLIKE.fullmatch(value) is not None and label not in _MAY_BE_WORDS and not settings
            if not is_blank(value) and not words:
                yield *match.span("value"), label
    for match in _each("cookie", _COOKIE, lowered):
        at = match.start("value")
        for crumb in _CRUMB.finditer(text[at : match.end("value")]):
            if not is_blank(crumb[1]):
                yield at + crumb.start(1), at + crumb.end(1), "cookie"
    for match in _BLOB.finditer(text):
        before = lowered[max(0, match.start() - 40) : match.start()]
        random = _is_blob(match[0][:_JUDGED]) and not _is_name(match[0])
        if random and not any(word in before for word in _DIGESTS):
            yield *match.span(), "long random value"


def _each(needle: str, pattern: re.Pattern[str], lowered: str) -> Iterator[re.Match[str]]:
    """Where a pattern stands that begins with ``needle``."""
    at = lowered.find(needle)
    while at >= 0:
        match = pattern.match(lowered, at)
        if match is not None:
            yield match
        at = lowered.find(needle, at + 1 if match is None else match.end())


def repeated(text: str, values: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Where else the values stand that some name or shape gave away. ``values``: their labels.

    A plain word is taken for one only where it is all of a string: it may be a name as well.
    """
    for value, label in itertools.islice(values.items(), _MOST_REPEATED):
        if len(value) < _SHORTEST_REPEATED or "\n" in value:
            continue
        word = _WORDLIKE.fullmatch(value) is not None
        at = text.find(value)
        while at >= 0:
            end = at + len(value)
            before, after = text[at - 1 : at], text[end : end + 1]
            if (before == after and before in _QUOTES) if word else not (_goes_on(before) or _goes_on(after)):
                yield at, end, label
            at = text.find(value, end)


_MOST_REPEATED: Final = 200
"""Values of one text that are looked for anew: a file with more of them holds little else."""
_SHORTEST_REPEATED: Final = 6
_QUOTES: Final = frozenset("\"'`")


def _goes_on(character: str) -> bool:
    return character.isalnum() or character == "_"


def is_blank(value: str) -> bool:
    """Whether a value is a blank to be filled in, or names where the value is."""
    bare = value.strip()
    if bare.startswith("<") or bare.endswith("..."):
        return True
    return _BLANK.fullmatch(bare) is not None or _REFERENCE.search(bare) is not None


def _assigned(text: str, lowered: str, *, settings: bool) -> Iterator[tuple[int, int, str]]:
    """Values that are given to a name."""
    for name in (*_LONG_NAMES, *_SHORT_NAMES):
        at = lowered.find(name)
        while at >= 0:
            end = at + len(name)
            whole = not (lowered[at - 1 : at].isalpha() or lowered[end : end + 1].isalpha())
            long = name in _LONG_NAMES or (name == "key" and _KEYS.search(lowered, max(0, at - 12), at) is not None)
            match = _AFTER_NAME.match(lowered, end) if long or whole else None
            at = end
            if match is not None:
                group = next(each for each in _GROUPS if match[each] is not None)
                start, stop = match.span(group)
                after = lowered[stop : stop + 1] if group == "bare" else None
                if _taken(
                    name, text[start : min(stop, start + _JUDGED)], text[end:start], after, long=long, settings=settings
                ):
                    yield start, stop, name.replace("_", " ")
                    at = stop
            at = lowered.find(name, at)


def _taken(name: str, value: str, about: str, after: str | None, *, long: bool, settings: bool) -> bool:
    """Whether a value is one. ``about``: what stands between name and value; ``after``: what follows a bare value."""
    if is_blank(value) or (after is not None and not _bare(value, after, settings=settings)):
        return False
    if _NO_VALUE.match(about) is not None:
        return _is_random(value)
    if settings and after is not None and (long or name != "key"):
        return True
    return _long_takes(name, value, about) if long else _short_takes(name, value, about)


def _bare(value: str, after: str, *, settings: bool) -> bool:
    """Whether what stands unquoted is a value and no code."""
    if settings:
        return re.fullmatch(r"-?\d{1,3}", value) is None
    if after in {"(", "[", "{"} or len(value) < 6:
        return False
    return _CODE.fullmatch(value) is None or (any(char.isdigit() for char in value) and value.isalnum())


def _long_takes(name: str, value: str, about: str) -> bool:
    """Passwords may be words; keys and tokens are not."""
    if name.startswith(_PASSWORDS):
        return _is_password(value, about)
    if _WORDLIKE.fullmatch(value) is not None:
        return len(value) >= 24 and "_" not in value and "-" not in value and " " not in value
    return len(value) >= 6


def _short_takes(name: str, value: str, about: str) -> bool:
    """Short names mean other things as well: only what looks like no word, path or sentence is taken."""
    if name.startswith(_PASSWORDS):
        return _is_password(value, about)
    if name == "key":
        return _is_random(value)
    return len(value) >= 8 and " " not in value and _WORDLIKE.fullmatch(value) is None and kinds(value) >= 2


def _is_password(value: str, about: str) -> bool:
    """Anything in place of a password but the name of one, or a text about it."""
    plain = value.lower()
    if _WORDLIKE.fullmatch(value) is None:
        return value.count(" ") < 8
    return not any(word in plain for word in ("pass", "secret", "pwd", "field", "input")) and "," not in about


def _is_random(value: str) -> bool:
    if len(value) < 16 or " " in value or "://" in value or value.startswith(("/", "./")):
        return False
    return kinds(value) >= 2 and any(char.isdigit() for char in value) and entropy(value) >= _RANDOM_BITS


def _is_blob(value: str) -> bool:
    digits = sum(char.isdigit() for char in value)
    mixed = any(char.islower() for char in value) and any(char.isupper() for char in value)
    return mixed and digits >= 2 and entropy(value) >= _BLOB_BITS


def _is_name(value: str) -> bool:
    """Whether it is a path or another long name: three words in it, and no part that is random by itself."""
    parts = _PARTED.split(value)
    words = sum(_WORD.fullmatch(part) is not None for part in parts)
    random = (len(part) >= _RANDOM_PART and _WORDLIKE.fullmatch(part) is None for part in parts)
    return words >= 3 and not any(random)


_PARTED: Final = regex(r"[-_/+=]+")
_WORD: Final = regex(r"[A-Z]?[a-z]{3,20}")
_RANDOM_PART: Final = 20
"""Letters and digits in one piece that are no words: what is random and as long as 40 has mostly one."""

_SETTINGS_SUFFIXES: Final = (
    ".env",
    ".ini",
    ".cfg",
    ".conf",
    ".properties",
    ".toml",
    ".yaml",
    ".yml",
    ".json",
    ".tf",
    ".tfvars",
    ".hcl",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".envrc",
    ".dockercfg",
    "/credentials",
    "/config",
    ".xml",
    ".plist",
)


def is_settings(path: str) -> bool:
    """Whether a file of that name holds settings rather than code."""
    name = "/" + path.rsplit("/", 1)[-1].lower()
    return name.endswith(_SETTINGS_SUFFIXES) or name.startswith(("/.env", "/dockerfile")) or ".env." in name
