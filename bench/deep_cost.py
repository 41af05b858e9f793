"""What a deep review asks of a model: requests and tokens, for a change of one place in each of five small files.

No model is asked: answers are scripted, and tokens are counted as they are reserved, by the length of the questions.
Drafts find nothing, so there is nothing to look at again or to check; that a finding costs is in the second review,
where all drafts raise one. In the third the voices with tools call two before they answer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import subject
from installed import clean_environment
from model_host import found
from report import Row, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FILES: Final = 20
TOUCHED: Final = 5
LINES: Final = 60
HUNKS: Final = 1

_EMPTY: Final[dict[str, list[object]]] = {"findings": [], "clean": []}
_NOTHING: Final = {"summary": "", "themes": [], "files": [], "strengths": [], "description": []}
_CALLS: Final = {
    "calls": [
        {"name": "callers", "arguments": {"name": "step_1"}},
        {"name": "read", "arguments": {"path": "part000/module00000.py"}},
    ]
}
_OVERVIEW: Final = "Describe it; do not look for defects"
_LOOKS: Final = "You may look around"
_LINE: Final = "note = f'{total}'.strip()"


def measure() -> list[Row]:
    """Rows for requests and tokens."""
    return _measured(Path(sys.executable).parent / "roundzero")


def _measured(command: Path) -> list[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        root = _repository(Path(scratch) / "work")
        line = next(
            number
            for number, text in enumerate((root / "part000/module00000.py").read_text().split("\n"), 1)
            if _LINE in text
        )
        said = found(
            "part000/module00000.py",
            line,
            _LINE,
            severity="P1",
            claims=[{"text": "the line is wrong", "decisive": True}],
        )
        proof = {"path": said["path"], "side": "head", "line": line, "quote": _LINE, "role": "the line"}
        checked = {"claims": [{"claim": 0, "verdict": "verified", "reason": "it reads so", "evidence": [proof]}]}
        overview: dict[str, object] = {"match": _OVERVIEW, "reply": _NOTHING}
        rest: dict[str, object] = {"match": "", "reply": _EMPTY}
        ways: Mapping[str, list[dict[str, object]]] = {
            "nothing is found": [overview, rest],
            "one finding": [
                overview,
                {"match": "Say of each numbered claim", "reply": checked},
                {"match": "Part of part000/module00000.py", "reply": _EMPTY | {"findings": [said]}},
                rest,
            ],
            "two calls by each voice with tools": [
                overview,
                {"match": "Result of read", "reply": _EMPTY},
                {"match": _LOOKS, "reply": _CALLS},
                rest,
            ],
        }
        run = _Run(command, root, Path(scratch))
        quick = run.rows("quick, nothing is found", ways["nothing is found"], "quick")
        return [*quick, *(row for name, script in ways.items() for row in run.rows(f"deep, {name}", script, "deep"))]


@dataclass(frozen=True)
class _Run:
    """Reviews of one repository by one command."""

    command: Path
    root: Path
    scratch: Path

    def rows(self, name: str, script: Sequence[Mapping[str, object]], depth: str) -> list[Row]:
        """What one review asked, with these answers."""
        answers = self.scratch / "script.jsonl"
        answers.write_text("".join(json.dumps(row) + "\n" for row in script))
        done = subprocess.run(
            [self.command, "review", "--model", depth, "--format", "json", "--no-ledger"],
            cwd=self.root,
            env=_environment(self.scratch, answers),
            stdout=subprocess.PIPE,
            check=False,
        )
        stats = json.loads(done.stdout)["stats"]
        tokens = stats["tokens"]
        return [
            Row(what=f"{name}: asked", ours=stats["drafts"]["requests"], unit="requests"),
            Row(what=f"{name}: sent and received, estimated", ours=tokens["sent"] + tokens["received"], unit="tokens"),
        ]


def _repository(root: Path) -> Path:
    """Small modules, of which a branch of one commit changes some in a few places."""
    root.mkdir(parents=True)
    subject.git(root, "init", "--quiet", "--template=", "--initial-branch=main")
    texts = {f"part000/module{at:05d}.py": subject.module(LINES, at) for at in range(FILES)}
    _commit(root, texts, "Books of departments")
    subject.git(root, "checkout", "--quiet", "-b", "feature")
    _commit(
        root,
        {name: subject.changed(text, at, hunks=HUNKS) for at, (name, text) in enumerate(texts.items()) if at < TOUCHED},
        "Take notes of totals",
    )
    return root


def _commit(root: Path, texts: Mapping[str, str], message: str) -> None:
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subject.git(root, "add", "--all")
    subject.git(root, "commit", "--quiet", "--message", message)


def _environment(scratch: Path, answers: Path) -> dict[str, str]:
    """Caches, settings and a budget of its own; no reply is kept."""
    return clean_environment() | {
        "XDG_CACHE_HOME": f"{scratch}/cache",
        "XDG_STATE_HOME": f"{scratch}/state",
        "XDG_CONFIG_HOME": f"{scratch}/config",
        "ROUNDZERO_MODEL_PROVIDER": "scripted",
        "ROUNDZERO_MODEL_SCRIPT": str(answers),
        "ROUNDZERO_MODEL_CACHE": "false",
        "ROUNDZERO_MODEL_REQUESTS_PER_MINUTE": "1000000",
        "ROUNDZERO_MODEL_TOKENS_PER_HOUR": "1000000000",
    }


if __name__ == "__main__":
    print(table(measure()))
    sys.exit(0)
