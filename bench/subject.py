"""What is measured: the installed command, and repositories of a given size with a given change.

The code in them is made up but shaped like real modules: classes, branches, loops, comprehensions, strings, comments.
Invariant: the same arguments give the same texts, so that runs can be compared.
"""

from __future__ import annotations

import os
import random
import subprocess
from typing import TYPE_CHECKING, Final

from installed import ROOT, install

if TYPE_CHECKING:
    from pathlib import Path

CACHE: Final = ROOT / ".cache" / "bench"
SETTINGS: Final = {"settings": {"debounceMs": 0}, "trusted": True}
"""Initialisation options: the debounce is a wait we chose, not a cost."""


def command() -> Path:
    """The ``roundzero`` command of the wheel, installed under .cache with compiled bytecode."""
    CACHE.mkdir(parents=True, exist_ok=True)
    return install(CACHE)


def module(lines: int, seed: int) -> str:
    """A Python module of about ``lines`` lines without defects that a check would report."""
    chance = random.Random(seed)
    text = [f'"""Module {seed}: keeps the books of one department."""', "", "import json", "", "LIMIT = 100", ""]
    number = 0
    while len(text) < lines - 4:
        number += 1
        text += _class(number, chance) if number % 4 == 0 else _function(number, chance)
    text += ["", "def dump(value):", '    """Write a value."""', "    return json.dumps(value)", ""]
    return "\n".join(text)


def changed(text: str, seed: int, *, hunks: int = 12) -> str:
    """``text`` with ``hunks`` places edited: harmless lines and, in every fourth place, a defect."""
    chance = random.Random(seed)
    lines = text.split("\n")
    places = [at for at, line in enumerate(lines) if line.startswith("    total = ")]
    for rank, at in enumerate(sorted(chance.sample(places, min(hunks, len(places))), reverse=True)):
        added = ["    note = f'{total}'.strip()", "    total += len(note)"]
        if rank % 4 == 0:
            added += ["    try:", "        total += int(note)", "    except:", "        total = 0"]
        lines[at + 1 : at + 1] = added
    return "\n".join(lines)


def repository(folder: Path, *, files: int, lines: int, touched: int) -> Path:
    """A repository with ``files`` modules on ``main`` and a branch on which ``touched`` of them differ, uncommitted."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
    for at in range(files):
        path = folder / f"part{at // 100:03d}" / f"module{at:05d}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(module(lines if at < touched else 40, at), encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "base")
    git(folder, "checkout", "--quiet", "-b", "work")
    for at in range(touched):
        path = folder / f"part{at // 100:03d}" / f"module{at:05d}.py"
        path.write_text(changed(path.read_text(encoding="utf-8"), at), encoding="utf-8")
    return folder


def git(folder: Path, *arguments: str) -> bytes:
    """Run git without the person's configuration."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    person = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "gc.auto=0")
    return subprocess.run(
        ["git", *person, *arguments], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE
    ).stdout


def _function(number: int, chance: random.Random) -> list[str]:
    factor = chance.randrange(2, 90)
    return [
        "",
        f"def step_{number}(values, offset={factor}):",
        f'    """Step {number} of the monthly account."""',
        f"    total = offset * {factor}",
        "    for at, value in enumerate(values):",
        f"        if value > {factor} and at % 3 != 0:",
        "            total += value - offset",
        "        elif value is None:",
        "            continue",
        "        else:",
        f"            total -= min(value, {factor})  # never below zero",
        f"    names = [f'row {{at}}' for at in range(total % {factor})]",
        "    return {'total': total, 'names': names, 'limit': LIMIT}",
        "",
    ]


def _class(number: int, chance: random.Random) -> list[str]:
    factor = chance.randrange(2, 90)
    return [
        "",
        f"class Account{number}:",
        f'    """Account {number}."""',
        "",
        "    def __init__(self, owner, rows=()):",
        "        self.owner = owner",
        "        self.rows = list(rows)",
        "",
        "    def add(self, row):",
        f"        if len(self.rows) >= {factor}:",
        "            raise ValueError(f'{self.owner} is full')",
        "        self.rows.append(row)",
        "        return self",
        "",
        "    def balance(self):",
        "        return sum(row['amount'] for row in self.rows if row.get('booked'))",
        "",
    ]
