"""What passes between the parts of a model review: unit, question, ask, reply, draft.

Values only; no part of a model review knows more of another than these. Invariant: nothing here holds a key, an
address or an unredacted secret.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Literal

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.anatomy import Anatomy
    from roundzero.core.change import Side
    from roundzero.core.item import ItemId, Severity
    from roundzero.core.linemap import Hunk
    from roundzero.core.text import RelPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Consecutive lines of one side of a file, redacted. ``first`` is the line number of the first, from 1."""

    path: RelPath
    side: Side
    first: int
    text: str
    role: str = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing known about the repository, in one line of words, with its place where it has one."""

    text: str
    path: RelPath | None = None
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What one question is about: hunks of a file, the functions around them at both sides, and what is known.

    ``items`` are the points of the checklists that apply; ``triggers`` what checks noticed; ``earlier`` what people
    answered there before and ``dismissed`` what they put aside, which is no reason to ask again, nor is what earlier
    rounds ``praised``; ``guidance`` the repository's own words for reviewers, from the base side only.
    """

    path: RelPath
    hunks: tuple[Hunk, ...]
    excerpts: tuple[Excerpt, ...]
    facts: tuple[Fact, ...] = ()
    items: tuple[ItemId, ...] = ()
    triggers: tuple[Fact, ...] = ()
    earlier: tuple[str, ...] = ()
    dismissed: tuple[str, ...] = ()
    praised: tuple[str, ...] = ()
    guidance: tuple[Excerpt, ...] = ()

    @property
    def lines(self) -> int:
        """How many lines the hunks add and remove."""
        return sum(hunk.head_count + hunk.base_count for hunk in self.hunks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncovered:
    """Hunks that are in no unit, with the reason in words."""

    path: RelPath
    hunks: tuple[Hunk, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation, of a ``user``, an ``assistant``, or a ``tool``.

    An assistant that calls tools says so in JSON, ``{"calls": [{"name": ..., "arguments": {...}}]}``, and the tool turn
    that follows holds ``[{"name": ..., "result": ...}]`` in the order of the calls, whatever a provider makes of that.
    """

    role: Literal["user", "assistant", "tool"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool a model may call. ``parameters`` is the JSON schema of an object, in one piece."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is sent about a unit, for any provider. ``key`` is a digest of all that decides the answer but the model.

    Not of what was dismissed, nor of the lines that other files use something on: neither is a reason to ask again.
    """

    system: str
    turns: tuple[Turn, ...]
    schema: Mapping[str, object]
    key: str
    tokens: int
    """An estimate of what the request holds; never less than the bytes of it divided by four."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question put to a model by name. ``max_output`` in tokens. ``plain``: without the schema, and tools in words.

    ``temperature`` None: what the host takes by itself. ``stands_for`` is the key of the question that this one asks
    again: a reply is an answer to that, too. ``form`` names what a reply must be to be read (providers/reply).
    ``tools`` may be called before the reply is given.
    """

    question: Question
    model: str
    max_output: int = 4096
    temperature: float | None = 0.0
    plain: bool = False
    stands_for: str = ""
    form: str = "draft"
    tools: tuple[ToolSpec, ...] = ()


class Outcome(Enum):
    """How a request ended. Only OK has a text that is worth reading; none of them is an exception."""

    OK = "ok"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    REFUSED = "refused"
    WRONG = "wrong"
    RATE_LIMITED = "rate-limited"
    QUOTA = "quota"
    UNAUTHORISED = "unauthorised"
    OFFLINE = "offline"
    TIMED_OUT = "timed-out"
    FAILED = "failed"
    CANCELLED = "cancelled"
    NOT_ALLOWED = "not-allowed"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; None where it did not say."""

    input: int | None = None
    output: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """How one request ended. ``retry_after`` in seconds, where the provider named it; ``message`` is for people."""

    outcome: Outcome
    text: str = ""
    usage: Usage = Usage()
    retry_after: float | None = None
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A line a draft quotes, as it says; nothing about it is verified yet. ``line`` from 1, 0 when not given."""

    path: str
    side: Side
    line: int
    text: str
    role: str = ""
    decisive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftFinding:
    """One finding as a draft says it, validated in form only."""

    item: str
    title: str
    why: str
    severity: Severity
    path: str
    line: int
    end_line: int
    quotes: tuple[Quote, ...]
    anatomy: Anatomy
    replacement: str | None = None
    """New text for lines ``line`` to ``end_line`` of the head, where the draft offers an edit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One validated reply. ``answered`` are the items it says it looked at and found nothing in.

    ``faults`` say what was wrong with findings that could not be read; ``dropped_probes`` were none.
    """

    findings: tuple[DraftFinding, ...]
    faults: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()
    dropped_probes: int = 0

    @property
    def probes(self) -> int:
        """How many checks its claims propose."""
        return sum(len(claim.proposed) for found in self.findings for claim in found.anatomy.claims)
