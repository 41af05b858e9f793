"""Regular expressions: ours, that are compiled when they are first used, and a stranger's, in linear time.

Every run imports some four hundred of them and uses a tenth; to compile the others took thirty of the five hundred
milliseconds of a review. Invariant: once used, it is as fast as what ``re.compile`` gives, and means the same; to be
used by several threads, copied, compared or sent to another process does it no harm.
"""

from __future__ import annotations

import re
from functools import lru_cache
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


@lru_cache(maxsize=1024)
def linear(pattern: str) -> re.Pattern[str]:
    """One that may come from a repository nobody trusts, for RE2. Raises ValueError with RE2's words.

    It does what ``re``'s would, but that ``span``, ``start`` and ``end`` of a match take numbers of groups only.
    """
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415  only where there is such a pattern

    options = re2.Options()
    options.log_errors = False
    try:
        return cast("re.Pattern[str]", re2.compile(pattern, options))
    except re2.error as error:
        said = error.args[0] if error.args else ""
        raise ValueError(said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)) from None


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
