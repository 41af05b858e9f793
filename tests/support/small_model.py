"""A real llama.cpp server with a real small model, on this machine, for tests of the machinery and never of opinions.

Run with the interpreter that has xllamacpp (``make e2e`` makes one outside the tree): MODEL, the number of slots, and a
TEMPLATE for conversations where it should not be the model's own. It prints its address, and ends when its standard
input does. Invariant: listens on this machine only.
"""

from __future__ import annotations

import sys
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found]

_CONTEXT_OF_A_SLOT = 8192


def main(model: str, slots: int, template: str | None = None) -> None:
    """Serve until standard input ends."""
    settings = xllamacpp.CommonParams()
    settings.model.path = model
    settings.n_ctx = _CONTEXT_OF_A_SLOT * slots
    settings.n_parallel = slots
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.cpuparams.n_threads = 1  # two wait for each other whenever the machine has other work
    settings.cpuparams_batch.n_threads = 1
    settings.endpoint_slots = True
    settings.endpoint_metrics = True
    if template is not None:
        settings.chat_template = Path(template).read_text(encoding="utf-8")
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)  # noqa: T201  what it is for
    sys.stdin.read()


main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
