"""``roundzero doctor --what-is-sent``: the exact request a model would get, and nothing else of the person's.

The same way as a review, up to the sending. Invariant: nothing is sent, no key is read, and the ledger stays as it is.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roundzero.cli import _stdout
from roundzero.cli._place import inside, open_place
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from roundzero.cli._place import Place


_DEEPER: Final = """\
A deep review (--model deep, or on command in an editor) sends more, to the same address and under the same rules:
what is ignored, kept back or secret stays here. It asks this question up to {drafts} times: in other orders, once with
comments and strings blanked, and twice of a model that may read and search other files of this repository. Then it asks
about single findings: whether they hold, whether what they claim is true, and whether earlier ones are fixed. And once
it asks what the change is as a whole, with the messages of its commits.
"""


async def show(directory: str, wanted: str) -> int:
    """Print the address and the body of the first request about ``wanted`` (".": the change)."""
    from roundzero.config import load  # noqa: PLC0415  off the start-up path

    settings, problems = load(root=None, environ=os.environ)
    if settings.model_provider is None:
        from roundzero.engine.model_review import misnamed  # noqa: PLC0415  off the start-up path

        _stdout.write(f"Nothing is sent: no model provider is configured{misnamed(problems)}.\n")
        return 0
    place = await open_place(directory)
    try:
        root = place.git.root
        path = inside(wanted, root, start=Path.cwd() / directory)
        await _show(place, path)
    finally:
        await place.git.close()
    return 0


async def _show(place: Place, path: RelPath) -> None:
    from roundzero.engine.model_review import outgoing  # noqa: PLC0415  off the start-up path
    from roundzero.engine.review import ReviewRequest, inquire  # noqa: PLC0415  as above
    from roundzero.engine.workspace import Workspace  # noqa: PLC0415  as above
    from roundzero.render.words import some  # noqa: PLC0415  as above

    workspace = await Workspace.open(place.git.root, settings=place.settings, problems=place.problems, git=place.git)
    # A review of a path, even of the root's, reads the ledger and writes no round.
    request = ReviewRequest(paths=(path or RelPath("."),), remember=True)
    inquiry, snapshot = await inquire(workspace, request)
    requests = await outgoing(inquiry, snapshot, place.settings, workspace.environ)
    where = path or "this change"
    if not requests:
        _stdout.write_lines([f"Nothing is sent about {where}: it has no changed lines that may be asked about."])
        return
    first = requests[0]
    when = (
        "by itself, because the repository is trusted"
        if await place.trusted()
        else ("only when you ask with --model quick, because the repository is not trusted")
    )
    which = some(("The only request", "The first of {count} requests"), len(requests))
    _stdout.write_lines([f"{which} about {where}; it is sent {when}."])
    _stdout.write(_DEEPER.format(drafts=place.settings.model_drafts))
    _stdout.write(
        f"POST {first.address}\n\n" if first.address else "To no address: the provider is in this process.\n\n"
    )
    _stdout.write(first.body.decode("utf-8") + "\n")
