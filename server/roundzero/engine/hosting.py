"""Finds out where questions may go: provider, address, key, limits, from the user's settings alone.

Passes on whether there is consent, and looks for no key without; asking.py keeps to it. Invariants: nothing of this
comes from the repository; a key is in no representation, message or file.
"""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.core.budget import Limits, Tally
from roundzero.engine.post import Post
from roundzero.errors import OutsideError, UserError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from roundzero.config import Settings
    from roundzero.core.budget import Wait
    from roundzero.providers import Endpoint, HttpProvider, Provider
    from roundzero.store.budget_db import Lease

_KEY_SECONDS: Final = 15.0
_KEY_BYTES: Final = 16 * 1024
_KEYRING_SERVICE: Final = "roundzero"


async def post_for(
    settings: Settings,
    *,
    consent: bool,
    environ: Mapping[str, str],
    complete: Callable[[str, Mapping[str, object]], Awaitable[str]] | None = None,
    record: Path | None = None,
    replay: Path | None = None,
) -> Post:
    """The post that the settings name. ``complete`` asks the editor's model.

    ``consent``: the repository is trusted, or a person asked for a model in this very run. Without it the post sends
    nothing, and no key is looked for. Raises UserError with what to set when something is missing.
    """
    from roundzero.providers._recording import Recorder, Replayed  # noqa: PLC0415  off the start-up path
    from roundzero.providers.reply import fits  # noqa: PLC0415  as above
    from roundzero.store.budget_db import BudgetDb  # noqa: PLC0415  as above
    from roundzero.store.reply_cache import ReplyCache  # noqa: PLC0415  as above

    endpoint: Endpoint | None = None
    provider: Provider
    if replay is not None:
        provider = Replayed(replay)
    else:
        provider, endpoint = await _provider(settings, environ, complete, consent=consent)
    recorder = Recorder(record) if record is not None else None
    cached = settings.model_cache and replay is None
    return Post(
        consent=consent,
        provider=provider,
        endpoint=endpoint,
        limits=limits_of(settings) if replay is None else _UNLIMITED,
        budget=BudgetDb() if replay is None else _Unmetered(),
        rest=asyncio.sleep if replay is None else _at_once,
        cache=recorder or (ReplyCache() if cached else None),
        fits=fits,
        recorder=recorder,
    )


_UNLIMITED: Final = Limits(requests_per_minute=10**6, parallel=8, tokens_per_hour=10**12)


class _Unmetered:
    """The budget of a replay, which asks nobody anything."""

    def reserve(
        self, question: str, *, provider: str, tokens: int, cost: float, limits: Limits, clock: Callable[[], float]
    ) -> Lease | Wait:
        """Permit."""
        from roundzero.store.budget_db import Lease  # noqa: PLC0415  off the start-up path

        del question, provider, tokens, cost, limits, clock
        return Lease(0)

    def settle(self, lease: Lease, *, tokens: int, cost: float) -> None:
        """Count nothing."""

    def withdraw(self, lease: Lease) -> None:
        """Count nothing."""

    def hold(self, provider: str, *, until: float, why: str, clock: Callable[[], float]) -> None:
        """Hold nobody."""

    def tally(self, now: float) -> Tally:
        """Nothing."""
        del now
        return Tally(requests=0, tokens=0, cost=0.0, running=0)


async def _at_once(seconds: float) -> None:
    """No wait: what was waited for happened when it was recorded."""
    del seconds
    await asyncio.sleep(0)


def limits_of(settings: Settings) -> Limits:
    """The user's limits."""
    priced = settings.model_price_input is not None or settings.model_price_output is not None
    return Limits(
        requests_per_minute=settings.model_requests_per_minute,
        parallel=settings.model_parallel,
        tokens_per_hour=settings.model_tokens_per_hour,
        cost_per_day=settings.model_cost_per_day if priced else None,
        price_input=settings.model_price_input,
        price_output=settings.model_price_output,
    )


def model_name(settings: Settings) -> str:
    """The model to ask by name. Raises UserError where a host needs one and none is set."""
    if settings.model_name:
        return settings.model_name
    if settings.model_provider in {"scripted", "client"}:
        return settings.model_provider
    raise UserError("no model is named; set model.name, or ROUNDZERO_MODEL_NAME, to one your provider has")


async def _provider(
    settings: Settings,
    environ: Mapping[str, str],
    complete: Callable[[str, Mapping[str, object]], Awaitable[str]] | None,
    *,
    consent: bool,
) -> tuple[Provider, Endpoint | None]:
    from roundzero.providers import Endpoint, HttpProvider, discover  # noqa: PLC0415  off the start-up path
    from roundzero.providers._http import check_way, checked_url, is_loopback, load  # noqa: PLC0415  as above
    from roundzero.providers.client import Client  # noqa: PLC0415  as above
    from roundzero.providers.scripted import Scripted  # noqa: PLC0415  as above

    name = settings.model_provider
    if name is None:
        raise UserError(
            "no model provider is configured; set model.provider in your own settings, or leave --model out"
        )
    if name == "scripted":
        if settings.model_script is None:
            raise UserError("the scripted provider needs answers; set model.script or ROUNDZERO_MODEL_SCRIPT to a file")
        return Scripted(settings.model_script), None
    if name == "client":
        if complete is None:
            raise UserError("the provider client is the editor's own model, and no editor offers one here")
        return Client(complete), None
    provider = discover()[name]
    assert isinstance(provider, HttpProvider)  # noqa: S101  the other two are above
    url = settings.model_base_url or provider.default_url
    if url is None:
        raise UserError(f"the provider {name} needs an address; set model.baseUrl")
    url = checked_url(url)
    if not consent:
        return provider, Endpoint(url)
    await load()
    await asyncio.to_thread(check_way, url)
    key = await find_key(settings, provider, environ)
    from urllib.parse import urlsplit  # noqa: PLC0415  off the start-up path

    if key is None and not is_loopback(urlsplit(url).hostname or ""):
        raise UserError(
            f"no key for {name}; put it into ROUNDZERO_API_KEY, your keyring (service {_KEYRING_SERVICE}, user {name}),"
            " or let model.apiKeyCommand print it"
        )
    return provider, Endpoint(url, key)


async def find_key(settings: Settings, provider: HttpProvider, environ: Mapping[str, str]) -> str | None:
    """The key: of the environment, else what the user's command prints, else of the keyring. Raises UserError.

    A provider's usual variable counts only for the provider's own address: a key for one host is not shown to another.
    """
    own = settings.model_base_url is None or settings.model_base_url.rstrip("/") == provider.default_url
    for name in provider.key_variables if own else provider.key_variables[:1]:
        if value := environ.get(name, "").strip():
            return _usable(value, name)
    if settings.model_api_key_command and settings.model_api_key_command.strip():
        return _usable(await _printed(settings.model_api_key_command), "what model.apiKeyCommand printed")
    found = await asyncio.to_thread(_in_keyring, provider.name)
    return None if found is None else _usable(found, "the key in your keyring")


def _usable(key: str, where: str) -> str:
    """A key that can stand in a header. Raises UserError that does not repeat it."""
    if key.isascii() and key.isprintable() and " " not in key:
        return key
    raise UserError(f"{where} is no key: it holds a space, a line end or other characters that no key has")


async def _printed(command: str) -> str:
    from roundzero.proc import run  # noqa: PLC0415  off the start-up path

    try:
        done = await run(shlex.split(command), cwd=Path.home(), seconds=_KEY_SECONDS, max_stdout=_KEY_BYTES)
    except (OutsideError, ValueError) as error:
        raise UserError(f"model.apiKeyCommand could not be run ({error})") from error
    key = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode != 0 or not key or "\n" in key:
        raise UserError("model.apiKeyCommand must print the key, on one line, and exit with 0")
    return key


def _in_keyring(name: str) -> str | None:
    """The key in the user's keyring, where the package keyring is installed."""
    try:
        import keyring  # type: ignore[import-not-found]  # noqa: PLC0415  optional
    except ImportError:
        return None
    try:
        found = keyring.get_password(_KEYRING_SERVICE, name)
    except Exception:  # noqa: BLE001  backends raise what they like
        return None
    return found if isinstance(found, str) and found else None
