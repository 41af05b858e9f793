"""Who runs a model: what a provider is, and how providers are found.

A provider translates. ``HttpProvider`` is a pure pair, a question to one HTTP request and the lines of the answer to
pieces; ``_http`` sends it. ``DirectProvider`` answers by other means. Neither retries, waits for a budget, or knows
what a finding is. Invariants: a module of this package whose name does not begin with ``_`` defines ``PROVIDER``, but
for ``reply``, which reads what they all give; how a request ended is a value (Outcome), only cancellation is raised.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.model_values import Ask, Outcome, Reply, Usage

_PARTS = frozenset({"reply"})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask and by which right. The key shows in no representation."""

    url: str
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One POST. Headers, which may hold a key, show in no representation."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes
    media_type: str
    """What the answer must be: ``text/event-stream`` or ``application/x-ndjson``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a streamed answer: some text, a count of tokens, or how it ended and why.

    ``whole``: the text of the whole answer, in place of what came of it so far.
    """

    text: str = ""
    whole: str | None = None
    usage: Usage | None = None
    outcome: Outcome | None = None
    message: str = ""


class Decoder(Protocol):
    """Reads one streamed answer line by line."""

    def feed(self, line: str) -> Piece | None:
        """What a line (without its end) says; None: nothing. Raises ValueError for a line that says nothing legal."""


@runtime_checkable
class HttpProvider(Protocol):
    """A protocol over HTTP, as two pure functions."""

    name: str
    default_url: str | None
    key_variables: tuple[str, ...]

    def encode(self, ask: Ask, endpoint: Endpoint) -> HttpRequest:
        """The one request that puts the question."""

    def decoder(self) -> Decoder:
        """A reader for its answer."""


@runtime_checkable
class DirectProvider(Protocol):
    """A provider that needs no HTTP of ours."""

    name: str

    async def complete(self, ask: Ask) -> Reply:
        """Answer."""


Provider = HttpProvider | DirectProvider


def discover() -> Mapping[str, object]:
    """Every provider of this package by name: an HttpProvider, or a class that makes a DirectProvider."""
    names = sorted(
        module.name
        for module in pkgutil.iter_modules(__path__)
        if not module.name.startswith("_") and module.name not in _PARTS
    )
    return {name: importlib.import_module(f"{__name__}.{name}").PROVIDER for name in names}
