"""pygls where it cannot be used as it is: how messages come in, how they go out, and how requests end.

Measured on pygls 2.1.1: a request that does not validate is never answered, an argument object with a ``jsonrpc`` key
is taken for a message, cancelling an executeCommand leaves its coroutine running, ``shutdown`` fails while one is
pending, each notification leaves a future behind, and a send after ``exit`` recurses. So dispatch is ours, on top of
pygls' registration of handlers, its requests to the client and its converter; its built-in handlers are not used. What
the methods mean is in handlers/. Invariant: every request gets exactly one answer, and a notification never gets one.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from roundzero import __version__
from roundzero.errors import RoundzeroError
from roundzero.lsp.greeting import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping

    from cattrs import Converter

    from roundzero.lsp.connection import Connection
    from roundzero.lsp.session import Session

_log: Final = logging.getLogger(__name__)

RequestId = str | int

SLOW_SECONDS: Final = 0.1
"""A message that takes longer is named in the log: everything else waits meanwhile."""

_PARAMS: Final = 2
"""Where ``METHOD_TO_TYPES`` keeps the type of a method's parameters."""


class RequestError(Exception):
    """A request that is answered with an error of this code."""

    def __init__(self, code: int, message: str) -> None:
        """Keep both."""
        super().__init__(message)
        self.code = code


class Protocol(LanguageServerProtocol):
    """JSON-RPC with a client that may do anything."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        """Start without pygls' built-in handlers: they keep documents that we keep ourselves."""
        super().__init__(server, converter)
        self.fm.builtin_features.clear()
        self.connection: Connection | None = None
        self.stopping = False
        self._running: dict[RequestId, asyncio.Task[Any]] = {}

    def receive(self, body: bytes) -> None:
        """Take one message. Whatever it holds, this returns."""
        started = time.perf_counter()
        method = self._take(body)
        if (seconds := time.perf_counter() - started) > SLOW_SECONDS:
            _log.warning("%s held up the event loop for %.0f ms", method, seconds * 1000)

    def _take(self, body: bytes) -> object:
        """Parse and dispatch a message; its method, for the log."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            self._refuse(None, PARSE_ERROR, "the message is not JSON")
            return None
        if not isinstance(message, dict):
            self._refuse(None, INVALID_REQUEST, "a message is one JSON object")
            return None
        if isinstance(method := message.get("method"), str):
            if "id" in message:
                self._request(message["id"], method, message)
            else:
                self._notification(method, message)
        elif "id" in message and ("result" in message or "error" in message):
            self._response(message)
        elif "id" in message:
            self._refuse(message["id"], INVALID_REQUEST, "a request names its method")
        else:
            _log.warning("a message that is neither request, notification nor response was ignored")
        return message.get("method")

    def cancel_pending(self) -> None:
        """Cancel every request in either direction but the one this is called from."""
        this = asyncio.current_task()
        for task in list(self._running.values()):
            if task is not this:
                task.cancel()
        for future in list(self._request_futures.values()):
            future.cancel()

    def _request(self, identity: object, method: str, message: Mapping[str, object]) -> None:
        handler = self.fm.features.get(method)
        if not isinstance(identity, (str, int)) or identity in self._running:
            self._refuse(identity, INVALID_REQUEST, "a request's id is a string or a number not in use")
        elif self.stopping:
            self._refuse(identity, INVALID_REQUEST, "the server is shutting down")
        elif method == types.INITIALIZE:
            self._refuse(identity, INVALID_REQUEST, "the server is initialized")
        elif handler is None:
            self._refuse(identity, types.ErrorCodes.MethodNotFound.value, f"{method} is not known")
        else:
            try:
                params = self._params(method, message)
            except Exception as error:  # noqa: BLE001  whatever a converter raises is the client's fault
                _log.warning("%s with wrong parameters: %s", method, _in_words(error))
                self._refuse(identity, INVALID_PARAMS, f"wrong parameters of {method}: {_in_words(error)}")
                return
            # At once: ``exit`` may follow before the handler's first step, and means another thing without it.
            self.stopping = method == types.SHUTDOWN
            self._run(identity, method, partial(handler, params))

    def _run(self, identity: RequestId, method: str, handler: Callable[[], Any]) -> None:
        try:
            outcome = handler()
        except Exception as error:  # noqa: BLE001  answered and, where it is a bug, logged
            self._answer_error(identity, method, error)
            return
        if not inspect.iscoroutine(outcome):
            self._send_response(identity, result=outcome)
            return
        task: asyncio.Task[Any] = asyncio.get_running_loop().create_task(outcome, name=method)
        self._running[identity] = task
        task.add_done_callback(partial(self._ended, identity, method))

    def _ended(self, identity: RequestId, method: str, task: asyncio.Task[Any]) -> None:
        del self._running[identity]
        if task.cancelled():
            self._refuse(identity, types.LSPErrorCodes.RequestCancelled.value, f"{method} was cancelled")
        elif (error := task.exception()) is not None:
            self._answer_error(identity, method, error)
        else:
            self._send_response(identity, result=task.result())

    def _answer_error(self, identity: RequestId, method: str, error: BaseException) -> None:
        if isinstance(error, RequestError):
            self._refuse(identity, error.code, str(error))
        elif isinstance(error, RoundzeroError):
            _log.warning("%s: %s", method, error)
            self._refuse(identity, types.LSPErrorCodes.RequestFailed.value, str(error))
        elif isinstance(error, JsonRpcException):
            self._refuse(identity, error.code or types.ErrorCodes.InternalError.value, str(error))
        else:
            _log.error("%s failed", method, exc_info=error)
            self._refuse(identity, types.ErrorCodes.InternalError.value, f"{method} failed; the log has the details")

    def _notification(self, method: str, message: Mapping[str, object]) -> None:
        if method == types.CANCEL_REQUEST:
            self._cancel(message.get("params"))
            return
        handler = self.fm.features.get(method)
        if handler is None:
            _log.debug("notification %s is not known", method)
            return
        if self.stopping and method != types.EXIT:
            return
        try:
            outcome = handler(self._params(method, message))
            if inspect.iscoroutine(outcome):
                outcome.close()
                _log.warning("%s without an id was ignored: nobody could be answered", method)
        except RoundzeroError as error:
            _log.warning("%s: %s", method, error)
        except Exception as error:  # noqa: BLE001  nobody waits for an answer: logged, never shown
            if type(error).__module__.startswith("cattrs"):
                _log.warning("%s with wrong parameters was ignored: %s", method, _in_words(error))
            else:
                _log.exception("%s failed", method)

    def _cancel(self, params: object) -> None:
        identity = params.get("id") if isinstance(params, dict) else None
        task = self._running.get(identity) if isinstance(identity, (str, int)) else None
        if task is not None:
            task.cancel()

    def _response(self, message: dict[str, Any]) -> None:
        identity = message["id"]
        future = self._request_futures.get(identity) if isinstance(identity, (str, int)) else None
        kind = self._result_types.pop(identity, None) if future is not None else None
        if future is None:
            _log.debug("a response to nothing that was asked")
            return
        del self._request_futures[identity]
        if not future.set_running_or_notify_cancel():
            return
        if "error" in message:
            error = message["error"] if isinstance(message["error"], dict) else {}
            future.set_exception(JsonRpcInternalError(str(error.get("message", "the client refused"))))
            return
        try:
            result = message.get("result")
            future.set_result(self._converter.structure(message, kind).result if kind is not None else result)
        except Exception as error:  # noqa: BLE001  a client's nonsense is a failed request
            future.set_exception(JsonRpcInternalError(_in_words(error)))

    def _params(self, method: str, message: Mapping[str, object]) -> Any:  # noqa: ANN401  one type per method
        """A method's parameters in its own type; those of our own methods as plain JSON."""
        params = message.get("params")
        known = types.METHOD_TO_TYPES.get(method)
        if known is None:
            return params
        kind: Any = known[_PARAMS]
        if kind is None:
            return None
        if method == types.TEXT_DOCUMENT_CODE_ACTION:
            params = _with_own_diagnostics(params)
        return self._converter.structure(params, kind)

    def _refuse(self, identity: object, code: int, message: str) -> None:
        if self.connection is not None:
            refuse(self.connection, identity, code, message)

    def _send_data(self, data: Any) -> None:  # noqa: ANN401  pygls' own signature
        """Send a message; after the end of the conversation there is nobody to send it to."""
        if self.connection is None or self.connection.closed:
            return
        try:
            self.connection.send(data, self._serialize_message)
        except (TypeError, ValueError, AttributeError):
            _log.exception("a message could not be written as JSON")
            if isinstance(identity := getattr(data, "id", None), (str, int)) and not hasattr(data, "method"):
                self._refuse(identity, types.ErrorCodes.InternalError.value, "the answer could not be written")


class Server(LanguageServer):
    """The pygls server that handlers get as their first argument."""

    protocol: Protocol
    session: Session

    def __init__(self, connection: Connection) -> None:
        """Talk over ``connection``; ``session`` is set before the first message is received."""
        super().__init__("roundzero", __version__, protocol_cls=Protocol)
        self.protocol.connection = connection
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._background: set[asyncio.Task[None]] = set()

    def end(self) -> None:
        """End the conversation: with 0 when the client asked for ``shutdown``, else 1."""
        if not self.ended.done():
            self.ended.set_result(0 if self.protocol.stopping else 1)

    def background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something a notification set off and nobody waits for."""
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background_ended)

    def _background_ended(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("%s failed", task.get_name(), exc_info=error)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log only: pygls' own shows a popup through a connection that may be what failed."""
        _log.error("%s: %s", getattr(source, "__name__", source), error)


def _with_own_diagnostics(params: Any) -> Any:  # noqa: ANN401  plain JSON of any shape
    """Code-action parameters without other servers' diagnostics: nothing of theirs is used, and it may not validate."""
    try:
        context = params["context"]
        own = [item for item in context["diagnostics"] if item.get("source") == "roundzero"]
        return {**params, "context": {**context, "diagnostics": own}}
    except (TypeError, KeyError, AttributeError):
        return params


def _in_words(error: BaseException) -> str:
    """What is wrong, without the nesting of a converter's exception groups."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:300]
