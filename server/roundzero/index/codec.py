"""Facts to bytes and back, for keeping them by blob id.

JSON and not marshal or pickle: the bytes lie in a folder that comes along with a copied repository, and must not be
able to do more than be wrong. Invariant: what ``encode`` gives, ``decode`` gives back equal; anything else is None.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Final

from roundzero.core.facts import (
    FACTS_VERSION,
    Binding,
    Call,
    Definition,
    Import,
    Member,
    ModuleFacts,
    ModuleUses,
    Parameter,
    Raise,
    StringUse,
    Use,
)

if TYPE_CHECKING:
    from typing import Any

MOST_BYTES: Final = 64 * 1024 * 1024
"""Longest JSON unpacked: a file of the largest size reviewed stays far below it."""


def encode_module(facts: ModuleFacts) -> bytes:
    """The bytes of what a file defines."""
    return _packed(
        [facts.bindings, facts.definitions, facts.members, facts.imports, facts.exported, facts.computed_all,
         facts.all_place, facts.dynamic, facts.computed_path, facts.replaces_modules]
    )  # fmt: skip


def decode_module(data: bytes) -> ModuleFacts | None:
    """What a file defines; None where the bytes are of another version or damaged."""
    rows = _unpacked(data)
    try:
        bindings, definitions, members, imports, exported, computed_all, all_place, dynamic, *flags = rows
        computed_path, replaces_modules = flags
        return ModuleFacts(
            bindings=tuple(map(Binding._make, bindings)),
            definitions=tuple(map(_definition, definitions)),
            members=tuple(map(Member._make, members)),
            imports=tuple(map(Import._make, imports)),
            exported=None if exported is None else tuple(exported),
            computed_all=bool(computed_all),
            all_place=None if all_place is None else tuple(all_place),
            dynamic=tuple(dynamic),
            computed_path=bool(computed_path),
            replaces_modules=bool(replaces_modules),
        )
    except (TypeError, ValueError, IndexError, AttributeError):
        return None


def encode_uses(uses: ModuleUses) -> bytes:
    """The bytes of what a file uses."""
    return _packed([uses.scopes, uses.uses, uses.calls, uses.strings, uses.raises])


def decode_uses(data: bytes) -> ModuleUses | None:
    """What a file uses; None where the bytes are of another version or damaged."""
    rows = _unpacked(data)
    try:
        scopes, uses, calls, strings, raises = rows
        return ModuleUses(
            scopes=tuple(scopes),
            uses=tuple(map(Use._make, uses)),
            calls=tuple(map(Call._make, calls)),
            strings=tuple(map(StringUse._make, strings)),
            raises=tuple(map(Raise._make, raises)),
        )
    except (TypeError, ValueError, IndexError, AttributeError):
        return None


def _definition(row: list[Any]) -> Definition:
    decorators, bases, keywords, parameters = row[11:]
    pairs = tuple((name, value) for name, value in keywords)
    return Definition._make(
        [*row[:11], tuple(decorators), tuple(bases), pairs, tuple(map(Parameter._make, parameters))]
    )


def _packed(rows: list[object]) -> bytes:
    text = json.dumps([FACTS_VERSION, rows], ensure_ascii=True, separators=(",", ":"), check_circular=False)
    return zlib.compress(text.encode("ascii"), 1)


def _unpacked(data: bytes) -> list[Any]:
    """The rows; empty where the bytes are no good, which no shape accepts."""
    try:
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(data, MOST_BYTES)
        version, rows = json.loads(text)
    except (zlib.error, ValueError, TypeError, RecursionError):
        return []
    return rows if version == FACTS_VERSION and isinstance(rows, list) else []
