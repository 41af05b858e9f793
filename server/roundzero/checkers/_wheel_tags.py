"""Wheels in one list that were built for something else than the list pins, by what their file names say.

A local version such as ``+cu12torch2.8`` names the library and the CUDA it was built against; the tags name the
interpreter and the machine. Wheels that say nothing are compared with nothing. Invariant: a list that pins a library
twice, for two platforms, says nothing about it.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from roundzero.core.regex import regex
from roundzero.core.versions import parse_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roundzero.core.requirements import Requirement
    from roundzero.core.versions import Version

_CUDA: Final = regex(r"(?<![a-z])cu(?P<major>1\d)\d*(?!\d)")
_LIBRARY: Final = regex(r"(?P<name>torch|tensorflow|jax|numpy|triton)(?P<version>\d+(?:\.\d+)+)")
_MACHINES: Final = regex(r"(x86_64|aarch64|arm64|ppc64le|i686)$|(amd64)$")
_CPYTHON: Final = regex(r"cp3\d+")
LEAST_ALIKE: Final = 3
"""Wheels that must agree on an interpreter or machine before another one stands out."""


def mismatches(rows: Sequence[Requirement]) -> Iterator[tuple[Requirement, str, str]]:
    """The rows of one list whose wheels do not fit it, each with both (``torch2.1.2``, ``torch==2.8.0``)."""
    pinned = _pins(rows)
    cuda = _cuda_of(rows)
    machine = _common([_machine(row) for row in rows if not row.marker])
    python = _common([_interpreter(row) for row in rows if not row.marker])
    for row in rows:
        made = row.artefact
        if made is None:
            continue
        local = made.version.lower().partition("+")[2]
        for match in _LIBRARY.finditer(local):
            wanted = pinned.get(match["name"])
            numbers = [int(part) for part in match["version"].split(".")][:2]
            if wanted is not None and row.name != match["name"] and list(wanted.release[:2]) != numbers:
                yield row, match.group(), f"{match['name']}=={'.'.join(map(str, wanted.release))}"
                break
        else:
            built = _CUDA.search(local)
            if built is not None and cuda and built["major"] != cuda:
                yield row, built.group(), f"cu{cuda}"
            elif machine and not row.marker and _machine(row) not in {"", machine}:
                yield row, _machine(row), machine
            elif python and not row.marker and _interpreter(row) not in {"", python}:
                yield row, _interpreter(row), python


def _pins(rows: Sequence[Requirement]) -> dict[str, Version]:
    """The libraries that the list pins to one version."""
    found: dict[str, set[str]] = {}
    for row in rows:
        made = row.artefact
        text = made.version if made is not None else row.range.removeprefix("==") if row.range.startswith("==") else ""
        if text:
            found.setdefault(row.name, set()).add(text.partition("+")[0].strip())
    single = {name: parse_version(texts.pop()) for name, texts in found.items() if len(texts) == 1}
    return {name: version for name, version in single.items() if version is not None}


def _cuda_of(rows: Sequence[Requirement]) -> str:
    """The major version of CUDA that the frameworks of the list are built with; "" where they say none or several."""
    majors = set()
    for row in rows:
        made = row.artefact
        text = made.version if made is not None else row.range
        match = re.search(r"\+cu(1\d)\d+$", text)
        if match is not None and row.name in {"torch", "torchvision", "torchaudio"}:
            majors.add(match.group(1))
    return majors.pop() if len(majors) == 1 else ""


def _common(values: Sequence[str]) -> str:
    """What most have; "" where too few say anything or there is no majority."""
    counted = Counter(value for value in values if value)
    if not counted:
        return ""
    value, count = counted.most_common(1)[0]
    return value if count >= LEAST_ALIKE and count * 2 > counted.total() else ""


def _machine(row: Requirement) -> str:
    made = row.artefact
    if made is None or made.tags is None:
        return ""
    found = {match.group() for tag in made.tags[2].split(".") if (match := _MACHINES.search(tag)) is not None}
    return found.pop() if len(found) == 1 else ""


def _interpreter(row: Requirement) -> str:
    made = row.artefact
    if made is None or made.tags is None or made.tags[1] in {"abi3", "none"}:
        return ""
    return made.tags[0] if _CPYTHON.fullmatch(made.tags[0]) else ""
