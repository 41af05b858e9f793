"""Whether a model may be asked for a live engine, and through whom.

Opens a post once for the settings and the trust in force. Invariant: no provider is looked up, no key read and nothing
sent where the user configured none or does not trust the repository; where model reviews are switched off, one is made
only for a person who asks.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Final

from roundzero.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from roundzero.config import Settings
    from roundzero.engine.asking import Asking, Spent
    from roundzero.engine.post import Post
    from roundzero.engine.state import State
    from roundzero.engine.workspace import Workspace

    Complete = Callable[[str, Mapping[str, object]], Awaitable[str]]

NOT_TRUSTED: Final = "this repository is not trusted, so no model is asked; to trust it: roundzero trust"
SWITCHED_OFF: Final = "model.mode is off"
NO_PROVIDER: Final = "no model provider is configured; set model.provider in your own settings"
_FIELDS: Final = (
    "model_mode", "model_provider", "model_name", "model_base_url", "model_api_key_command", "model_script",
    "model_cache", "model_requests_per_minute", "model_parallel", "model_tokens_per_hour", "model_cost_per_day",
    "model_price_input", "model_price_output",
)  # fmt: skip


class ModelAccess:
    """See the module. ``heard`` is called when whoever asks changes state, ``complain`` with what people must know."""

    def __init__(
        self,
        state: State,
        *,
        heard: Callable[[], None],
        complain: Callable[[str], None],
        complete: Complete | None = None,
    ) -> None:
        """Open nothing. ``complete`` asks the editor's own model."""
        self._state = state
        self._heard = heard
        self._complain = complain
        self._complete = complete
        self._before: Spent | None = None
        self._refusal: str | None = None
        self._doubtful = False
        self._anew: Asking | None = None
        self.asking: Asking | None = None
        self.beside: list[Asking] = []
        """Who asks for reviews that people wait for, with posts of their own."""
        self.made_of: object = None
        self.broken: str | None = None
        """What a person must set before anything can be asked."""

    def reset(self) -> None:
        """Look for provider, key and trust again; a person has changed something."""
        self._doubtful = True
        self._refusal = self.broken = None

    @property
    def why_off(self) -> str | None:
        """Why no model is asked here at all, as far as that is known."""
        settings = self._state.settings
        if settings.model_provider is None:
            return NO_PROVIDER
        if settings.model_mode == "off":
            return SWITCHED_OFF
        if self._state.trusted is False:
            return NOT_TRUSTED
        return self._refusal

    def spent(self) -> Spent | None:
        """What was asked so far, by everyone who asked."""
        parts = [self._before, *(each.spent for each in (self.asking, self._anew, *self.beside) if each is not None)]
        known = [each for each in parts if each is not None]
        return reduce(_sum, known) if known else None

    def settle(self) -> None:
        """Keep what those beside have spent, and forget them: they are done."""
        known = [each for each in (self._before, *(one.spent for one in self.beside)) if each is not None]
        self._before, self.beside = (reduce(_sum, known) if known else None), []

    def look_again(self) -> None:
        """Try a host anew that could not be reached before."""
        for each in (self.asking, self._anew):
            if each is not None:
                each.look_again()

    def anew(self) -> Asking:
        """Who asks past the replies that are kept, and keeps the new ones. Only where ``ready`` has been asked."""
        from roundzero.engine.asking import Asking  # noqa: PLC0415  off the start-up path

        assert self.asking is not None  # noqa: S101  ready() opened it
        if self._anew is None:
            self._anew = Asking(afresh(self.asking.post), self._heard)
        return self._anew

    async def ready(self, workspace: Workspace, *, wanted: bool) -> Asking:
        """Who is asked. Raises UserError with what to do when nobody may be. ``wanted``: a person asks for it."""
        settings = workspace.settings
        if settings.model_provider is None:
            raise UserError(NO_PROVIDER)
        if settings.model_mode == "off" and not wanted:
            raise UserError(SWITCHED_OFF)
        trusted = self._state.trusted
        if trusted is None:
            from roundzero.engine.workspace import is_trusted  # noqa: PLC0415  off the start-up path

            trusted = await asyncio.to_thread(is_trusted, workspace.git.common_dir)
        self._refusal = None if trusted else NOT_TRUSTED
        if not trusted:
            raise UserError(NOT_TRUSTED)
        made_of = _model_settings(settings)
        if self.asking is None or self.made_of != made_of or self._doubtful:
            await self._open(workspace, settings, made_of)
        assert self.asking is not None  # noqa: S101  just opened
        return self.asking

    async def _open(self, workspace: Workspace, settings: Settings, made_of: object) -> None:
        from roundzero.engine.asking import Asking  # noqa: PLC0415  off the start-up path
        from roundzero.engine.hosting import model_name, post_for  # noqa: PLC0415  as above

        try:
            model_name(settings)
            post = await post_for(settings, consent=True, environ=workspace.environ, complete=self._complete)
        except UserError as error:
            self.broken = str(error)
            self._complain(f"the model cannot be asked: {error}")
            raise
        self.broken = None
        beside, self.beside = self.beside, []
        self._before, self._anew, self.beside = self.spent(), None, beside
        self.asking = Asking(post, self._heard)
        self.made_of, self._doubtful = made_of, False


def _model_settings(settings: Settings) -> object:
    """All that decides who is asked, under which limits."""
    return tuple((name, getattr(settings, name)) for name in _FIELDS)


def _sum(one: Spent, other: Spent) -> Spent:
    return replace(
        one,
        requests=one.requests + other.requests,
        cached=one.cached + other.cached,
        sent=one.sent + other.sent,
        received=one.received + other.received,
        cost=one.cost + other.cost,
    )


def afresh(post: Post) -> Post:
    """The same post, where what was answered is asked again, and then kept."""
    from roundzero.store.reply_cache import ReplyCache  # noqa: PLC0415  off the start-up path

    class Unread(ReplyCache):
        """A cache that only takes."""

        def get(self, key: str, *, now: float) -> None:
            """Nothing."""
            del key, now

    return replace(post, cache=Unread(post.cache.path)) if isinstance(post.cache, ReplyCache) else post
