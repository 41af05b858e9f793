"""Regular expressions that are compiled when they are first used.

Every run imports some four hundred of them and uses a tenth; to compile the others took thirty of the five hundred
milliseconds of a review. Invariant: once used, it is as fast as what ``re.compile`` gives, and means the same; to be
used by several threads, copied, compared or sent to another process does it no harm.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from typing import AnyStr

_OFFERED = frozenset({
    "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn", "scanner", "flags", "groups",
    "groupindex",
})  # fmt: skip


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As ``re.compile``, later; for a constant of a module. A wrong one raises ``re.error`` when it is used."""
    return cast("re.Pattern[AnyStr]", _Later(pattern, flags))


class _Later:
    """What stands for the compiled expression: all but ``pattern`` is there from the first use on."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._given = flags

    def __getattr__(self, name: str) -> object:
        if name not in _OFFERED:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._given)
        vars(self).update({each: getattr(compiled, each) for each in _OFFERED})
        return vars(self)[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Later):
            return NotImplemented
        return (self.pattern, self._given) == (other.pattern, other._given)

    def __hash__(self) -> int:
        return hash((self.pattern, self._given))

    def __reduce__(self) -> tuple[object, ...]:
        return regex, (self.pattern, self._given)
