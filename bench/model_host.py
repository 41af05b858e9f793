"""A model's host on this machine that answers slowly and finds something in every part, and settings to ask it.

Chat completions only, and only what our own client needs of HTTP. Invariant: nothing leaves the machine.
"""

from __future__ import annotations

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lsp_client import Message

_PART: Final = re.compile(r"Part of (\S+)\n")
_ADDED: Final = re.compile(r"\n\+ +(\d+) +(\S.*)")
_PIECES: Final = 60


def settings(**model: object) -> Message:
    """Initialisation options that ask a model, with a budget that nothing waits for. ``model``: without its prefix."""
    limits = {"requestsPerMinute": 1_000_000, "tokensPerHour": 1_000_000_000}
    asked = {f"model.{name}": value for name, value in (limits | model).items()}
    return {"settings": {"debounceMs": 0, **asked}, "trusted": True}


def found(path: str, line: int, quote: str, **more: object) -> Message:
    """A finding of a reply, which holds where the line reads as quoted; ``more`` replaces fields."""
    evidence = {"path": path, "side": "head", "line": line, "quote": quote, "role": "the line", "decisive": True}
    finding: Message = {
        "item": "general/other-defect",
        "severity": "P2",
        "title": f"something is wrong with {quote}",
        "path": path,
        "line": line,
        "end_line": line,
        "trigger": "any call",
        "base_to_head": "the line is new",
        "mechanism": [{"text": "the line runs", "evidence": [0]}],
        "consequence": {"text": "a wrong number", "failure": "wrong-result"},
        "severity_reason": "seen by its caller only",
        "evidence": [evidence],
        "claims": [{"text": "the line is wrong", "decisive": True}],
        "open_questions": [],
        "suggestions": [{"text": "write it right", "kind": "fix"}],
        "replacement": None,
    }
    return finding | more


def draft(*findings: Mapping[str, object]) -> str:
    """A reply with these findings."""
    return json.dumps({"findings": list(findings), "clean": []})


class SlowHost:
    """Use as ``with``. Each answer is streamed in small pieces over so many ``seconds``."""

    def __init__(self, seconds: float, *, port: int = 0) -> None:
        """Listen on a port; 0: on a free one."""
        self.answered = 0
        host = self

        class Handler(BaseHTTPRequestHandler):
            """One question."""

            def do_POST(self) -> None:
                """Answer it, slowly."""
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][-1]["content"]
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                text = _answer_to(asked)
                size = -(-len(text) // _PIECES)
                try:
                    for at in range(0, len(text), size):
                        self._send({"choices": [{"delta": {"content": text[at : at + size]}}]})
                        time.sleep(seconds / _PIECES)
                    self._send({"choices": [{"delta": {}, "finish_reason": "stop"}]})
                    self.wfile.write(b"data: [DONE]\n\n")
                except ConnectionError:
                    return
                host.answered += 1

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base names it so
                """Say nothing."""

            def _send(self, event: Message) -> None:
                self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
                self.wfile.flush()

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End; who is being answered is let go."""
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The address to give as model.baseUrl."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"


def _answer_to(asked: str) -> str:
    """A finding at the first line that the part adds."""
    path, added = _PART.search(asked), _ADDED.search(asked)
    if path is None or added is None:
        return draft()
    return draft(found(path[1], int(added[1]), added[2]))
