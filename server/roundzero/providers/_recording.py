"""Requests and replies kept in a folder, to run a review again on the same words without a model.

One JSON file for each request, named by the question's digest and its turn, without keys. Invariants: what is replayed
is byte for byte what was recorded; a question that was not recorded is told apart from one without an answer.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from roundzero.core.model_values import Outcome, Reply, Usage
from roundzero.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from roundzero.core.model_values import Ask


class Recorder:
    """Writes what was asked and answered."""

    def __init__(self, folder: Path) -> None:
        """Use ``folder``, which is made when missing. Raises UserError when it cannot be."""
        self._folder = folder
        self._turns: Counter[str] = Counter()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{folder} cannot be made ({error.strerror}); give another folder to --record") from error

    def keep(self, ask: Ask, request: Mapping[str, object], reply: Reply) -> None:
        """Write one exchange. ``request`` is what was sent, without headers. Raises UserError."""
        key = ask.question.key
        self._turns[key] += 1
        record = {
            "question": key,
            "model": ask.model,
            "plain": ask.plain,
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
        try:
            path.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{path} cannot be written ({error.strerror})") from error


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
    """Answers with what was recorded; each question gets its replies in the order in which they came."""

    name = "replayed"

    def __init__(self, folder: Path) -> None:
        """Read nothing yet. Raises UserError when there is no such folder."""
        if not folder.is_dir():
            raise UserError(f"{folder} is no folder of recorded replies; make one with --record")
        self._folder = folder
        self._turns: Counter[str] = Counter()

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
            return Reply(outcome=Outcome.EMPTY, message="this question was not recorded")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(f"{path} is no recorded reply; record again") from error
        self._turns[key] += 1
        return reply
