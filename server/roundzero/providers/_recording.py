"""Requests and replies kept in a folder, to run a review again on the same words without a model.

One JSON file for each request, named by the question's digest and its turn, without keys; it is there whole or not at
all. Invariants: what is replayed is byte for byte what was recorded; a question that was not recorded is told apart
from one without an answer; a recording that was interrupted goes on where it was, since what it has an answer for is
not asked again.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from roundzero.core.model_values import Outcome, Reply, Usage
from roundzero.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from roundzero.core.model_values import Ask


class Recorder:
    """Writes what was asked and answered, and knows what a folder has answers for already.

    Of one who was asked the same in the same way: a recording by another model is none of this one's.
    """

    def __init__(self, folder: Path) -> None:
        """Use ``folder``, which is made when missing. Raises UserError when it cannot be."""
        self._folder = folder
        self._turns: Counter[str] = Counter()
        self._known: dict[str, str] | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{folder} cannot be made ({error.strerror}); give another folder to --record") from error

    def get(self, key: str, *, now: float) -> str | None:
        """The reply that was recorded for a digest of all that decides it (engine/post.digest)."""
        del now
        if self._known is None:
            self._known = _answers(self._folder)
        return self._known.get(key)

    def put(self, key: str, text: str, *, now: float) -> None:
        """Nothing more: ``keep`` has written it."""

    def keep(self, ask: Ask, request: Mapping[str, object], reply: Reply, answers: Sequence[str] = ()) -> None:
        """Write one exchange. ``request`` is what was sent, without headers. Raises UserError.

        ``answers``: the digests of the questions it is the answer to.
        """
        key = ask.question.key
        self._turns[key] += 1
        record = {
            "question": key,
            "model": ask.model,
            "plain": ask.plain,
            "answers": list(answers),
            "request": request,
            "reply": {
                "outcome": reply.outcome.value,
                "text": reply.text,
                "input_tokens": reply.usage.input,
                "output_tokens": reply.usage.output,
                "message": reply.message,
            },
        }
        path = self._folder / f"{key[:32]}-{self._turns[key]}.json"
        part = path.with_suffix(f".{os.getpid()}.part")
        try:
            part.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            part.replace(path)
        except OSError as error:
            raise UserError(f"{path} cannot be written ({error.strerror})") from error


def _answers(folder: Path) -> dict[str, str]:
    """The good replies of a folder by what they answer; one that was asked for again stands for the first."""
    own: dict[str, str] = {}
    instead: dict[str, str] = {}
    for path in sorted(folder.glob("*.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            said = json.loads(path.read_text(encoding="utf-8"))
            reply, (first, *more) = said["reply"], said["answers"]
            if reply["outcome"] == Outcome.OK.value:
                own[str(first)] = str(reply["text"])
                instead.update((str(other), str(reply["text"])) for other in more)
    return own | instead


def recorded_model(folder: Path) -> str | None:
    """The model that was asked when a folder was recorded; None where nothing was."""
    for path in sorted(folder.glob("*.json")):
        try:
            said = json.loads(path.read_text(encoding="utf-8"))["model"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        return said if isinstance(said, str) else None
    return None


class Replayed:
    """Answers with what was recorded; each question gets its replies in the order in which they came.

    Who puts one again that was answered well gets the same reply: it was at hand when it was recorded.
    """

    name = "replayed"

    def __init__(self, folder: Path) -> None:
        """Read nothing yet. Raises UserError when there is no such folder."""
        if not folder.is_dir():
            raise UserError(f"{folder} is no folder of recorded replies; make one with --record")
        self._folder = folder
        self._turns: Counter[str] = Counter()
        self._last: dict[str, Reply] = {}

    async def complete(self, ask: Ask) -> Reply:
        """The recorded reply."""
        key = ask.question.key
        path = self._folder / f"{key[:32]}-{self._turns[key] + 1}.json"
        try:
            said = json.loads(path.read_text(encoding="utf-8"))["reply"]
            usage = Usage(said["input_tokens"], said["output_tokens"])
            reply = Reply(
                outcome=Outcome(said["outcome"]), text=said["text"], usage=usage, message=str(said["message"])
            )
        except FileNotFoundError:
            if (last := self._last.get(key)) is not None and last.outcome is Outcome.OK:
                return last
            return Reply(outcome=Outcome.EMPTY, message="this question was not recorded")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(f"{path} is no recorded reply; record again") from error
        self._turns[key] += 1
        self._last[key] = reply
        return reply
