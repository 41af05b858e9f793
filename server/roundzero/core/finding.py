"""What was seen, and what it is: Hit, Observation, Finding, Evidence, Fix, fingerprint.

A ``Hit`` is what a checker or linter saw in one version of a file. Joined with its item it is an ``Observation``. An
observation that has been given an identity, an origin and a state is a ``Finding``. Nothing in here decides whether a
finding is shown (scope, gate) or whether two are the same (matching). Invariant: title and line number never enter a
fingerprint or an id.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, NewType

from roundzero.core.change import Side, Source
from roundzero.core.frozen import dataclass
from roundzero.core.outline import symbol_at
from roundzero.core.secrets import find_secrets
from roundzero.core.text import RelPath, Span, collapse

if TYPE_CHECKING:
    from roundzero.core.anatomy import Anatomy
    from roundzero.core.item import Item, ItemId, Language, Severity
    from roundzero.core.secrets import SecretSpan

FindingId = NewType("FindingId", str)

PLACE: Final = "place"
"""The role of evidence that is nothing but the line a finding stands on."""

QUOTE_LENGTH: Final = 240
"""Longest quote of a line in code points: generated lines hold a megabyte, and a thousand findings."""

_BEFORE_QUOTE: Final = 40
_WHOLE_LINE: Final = 4000
"""Up to this length a line is looked at anew for each finding; beyond, once for all of them."""


class Origin(Enum):
    """Whether this branch brought a finding."""

    INTRODUCED = "introduced"
    EXPOSED = "exposed"
    PRE_EXISTING = "pre-existing"


class State(Enum):
    """Where a finding stands in the ledger."""

    OPEN = "open"
    STALE = "stale"
    UNCONFIRMED = "unconfirmed"
    FIXED = "fixed"
    DISMISSED = "dismissed"
    REFUTED = "refuted"
    SUPERSEDED = "superseded"


class Verified(Enum):
    """How a quote compares with the snapshot."""

    EXACT = "exact"
    MOVED = "moved"
    WHITESPACE = "whitespace"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A line that supports a finding. ``line`` from 1; ``role`` says what it shows ("definition", "use", ...)."""

    path: RelPath
    side: Side
    line: int
    quote: str
    role: str
    blob: str
    verified: Verified = Verified.EXACT

    @property
    def is_place(self) -> bool:
        """Whether it is nothing but the finding's own line, which every output shows anyway."""
        return self.role == PLACE

    @property
    def is_found(self) -> bool:
        """Whether its quote can be read in the text, at whatever line."""
        return self.verified is not Verified.MISSING


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``old_text``, which stands at ``span`` of the head text, by ``new_text``."""

    path: RelPath
    span: Span
    old_text: str
    new_text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of the head text that removes a finding. ``safe``: it cannot change what the program does otherwise."""

    title: str
    safe: bool
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Anchor:
    """The changed head line that a finding outside the hunks hangs on."""

    path: RelPath
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """What a checker or linter saw, before it belongs to an item.

    ``span`` None: about the file or, with ``path`` None, the change as a whole. ``subject`` names the thing in code
    terms that need no translation (```cache={}```). ``cause`` ties a consequence on an
    unchanged line to the changed line that brought it. ``unused`` marks text an editor may fade. ``severity`` replaces
    the item's where the place decides how grave it is.
    """

    path: RelPath | None
    span: Span | None
    side: Side = Side.HEAD
    subject: str = ""
    evidence: tuple[Evidence, ...] = ()
    fixes: tuple[Fix, ...] = ()
    cause: Anchor | None = None
    unused: bool = False
    severity: Severity | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A hit joined with its item. ``anchor_text`` is the collapsed text of the line the span starts on."""

    item: ItemId
    producer: str
    producer_version: str
    source: Literal["check", "model"]
    severity: Severity
    title: str
    why: str
    path: RelPath | None
    side: Side
    span: Span | None
    symbol: str | None
    anchor_text: str
    evidence: tuple[Evidence, ...] = ()
    fixes: tuple[Fix, ...] = ()
    cause: Anchor | None = None
    unused: bool = False
    anatomy: Anatomy | None = None

    @property
    def line(self) -> int:
        """The line it starts on; 0 when it is about a whole file or change."""
        return self.span.start.line if self.span is not None else 0

    def stands_at(self, evidence: Evidence) -> bool:
        """Whether evidence is the line this starts on."""
        return (evidence.path, evidence.side, evidence.line) == (self.path, self.side, self.line)

    @property
    def beyond(self) -> tuple[Evidence, ...]:
        """The evidence that says more than where it stands."""
        return tuple(each for each in self.evidence if not each.is_place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What a finding's state rests on: the place (line from 1) and commit that show it, since when, and until when.

    ``quote`` is what stands at the place, where that is the proof.
    """

    path: RelPath | None = None
    line: int | None = None
    quote: str | None = None
    commit: str | None = None
    at: str | None = None
    expires: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An observation with identity, origin and state.

    ``state_text`` and ``state_by`` say why it is in its state and who said so. ``hidden`` is the reason it is not
    shown, or None; hiding never drops a finding. ``counts``: open and this branch's, whether shown or not. ``blocking``
    and ``not_blocking_because`` are the gate's. ``outdated``: what it claims was checked in texts that are no more.
    """

    id: FindingId
    group: str
    seen: Observation
    origin: Origin
    in_diff: bool
    anchor: Anchor | None
    state: State = State.OPEN
    state_text: str | None = None
    state_by: str | None = None
    grounds: Grounds | None = None
    hidden: str | None = None
    counts: bool = False
    outdated: bool = False
    blocking: bool = False
    not_blocking_because: str | None = None
    first_seen: int | None = None
    last_seen: int | None = None
    regressions: int = 0
    family: FindingId | None = None

    def but(self, **changes: object) -> Finding:
        """A copy with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]

    def hidden_for(self, reason: str) -> Finding:
        """A copy that is not shown and decides nothing, for a reason that lies in other findings."""
        return self.but(hidden=reason, counts=False, blocking=False, not_blocking_because=None)


def observe(
    item: Item, hit: Hit, source: Source | None, *, producer: str, version: str, language: Language = "en"
) -> Observation:
    """Join a hit with its item. ``source`` is the text the hit's span lies in, None for the whole change.

    A hit that brought no evidence and lies in a text has the line it starts on.
    """
    title = item.title.text(language)
    if hit.subject:
        title += ("：" if language == "zh" else ": ") + hit.subject
    line = hit.span.start.line if hit.span is not None else 0
    symbol, anchor_text, evidence = None, collapse(hit.subject), hit.evidence
    if source is not None and hit.span is not None:
        symbol = symbol_at(source.path, source.index, line)
        text = source.index.line(line)
        anchor_text = collapse(text) if len(text) <= _WHOLE_LINE else _collapsed(text)
        evidence = evidence or (evidence_at(source, line, PLACE, hit.side, column=hit.span.start.column),)
    return Observation(
        item=item.id,
        producer=producer,
        producer_version=version,
        source="check",
        severity=item.severity if hit.severity is None or item.severity_set else hit.severity,
        title=title,
        why=item.why.text(language),
        path=hit.path,
        side=hit.side,
        span=hit.span,
        symbol=symbol,
        anchor_text=anchor_text,
        evidence=evidence,
        fixes=hit.fixes,
        cause=hit.cause,
        unused=hit.unused,
    )


@lru_cache(maxsize=16)
def _collapsed(line: str) -> str:
    """A long line, once for all its findings: a thousand copies of a generated megabyte are a gigabyte."""
    return collapse(line)


def evidence_at(source: Source, line: int, role: str, side: Side = Side.HEAD, *, column: int = 1) -> Evidence:
    """A line of a source as evidence, without secrets; of a long line the stretch around ``column``."""
    quote = _quoted(source, line, column)
    return Evidence(path=source.path, side=side, line=line, quote=quote, role=role, blob=source.blob)


def _quoted(source: Source, line: int, column: int) -> str:
    text = source.index.line(line)
    start = max(0, min(column - 1 - _BEFORE_QUOTE, len(text) - QUOTE_LENGTH))
    end = start + QUOTE_LENGTH
    alone = len(text) <= _WHOLE_LINE
    shift = 0 if alone else source.index.line_start(line)
    quote, at = "", start
    for secret in _secrets_of(text) if alone else source.secrets:
        first, last = secret.start - shift, secret.end - shift
        if last > at and first < end:
            quote, at = f"{quote}{text[at : max(at, first)]}[redacted]", last
    return quote + text[at:end]


@lru_cache(maxsize=8192)
def _secrets_of(line: str) -> tuple[SecretSpan, ...]:
    """Remembered, because the same lines are quoted again at each keystroke."""
    return find_secrets(line)


def fingerprint(item: ItemId, path: RelPath | None, symbol: str | None, anchor_text: str) -> str:
    """The tolerant value: 12 hex digits of SHA-256 over item, path, symbol and collapsed anchor text."""
    return _digest(item, path or "", symbol or "", anchor_text)


def first_id(item: ItemId, path: RelPath | None, symbol: str | None, anchor_text: str, ordinal: int) -> FindingId:
    """A finding's first id. ``ordinal`` counts findings with equal fingerprint from 0, in line order."""
    return FindingId("rz-" + _digest(item, path or "", symbol or "", anchor_text, str(ordinal)))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:12]
