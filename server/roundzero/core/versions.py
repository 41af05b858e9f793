"""Versions and version ranges, as Python packages write them, and the looser ones of npm.

What PEP 440 says is ordered as it says; a text that is no version is None, and an unknown operator makes a range
unanswerable (None), never false. Does not know files or packages. Source: PEP 440, the version specifiers of the Python
packaging guide. Invariant: equal texts, equal answers.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

_VERSION: Final = regex(
    r"""v?(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)
    (?P<pre>[-_.]?(?P<pre_word>alpha|beta|preview|pre|a|b|c|rc)[-_.]?(?P<pre_number>\d*))?
    (?P<post>-(?P<post_plain>\d+)|[-_.]?(?:post|rev|r)[-_.]?(?P<post_number>\d*))?
    (?P<dev>[-_.]?dev[-_.]?(?P<dev_number>\d*))?
    (?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?""",
    re.VERBOSE | re.IGNORECASE,
)
_CLAUSE: Final = regex(r"\s*(?P<operator>===|==|~=|!=|<=|>=|<|>)\s*(?P<version>[^\s,;]+)\s*")
_PRE_ORDER: Final = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}
_LAST: Final = "~"
"""Sorts after every word of a pre-release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version. ``local`` is what stands after the plus sign, in small letters; "" where there is none."""

    epoch: int
    release: tuple[int, ...]
    pre: tuple[str, int] | None
    post: int | None
    dev: int | None
    local: str

    @property
    def is_prerelease(self) -> bool:
        """Whether it is an alpha, beta, release candidate or development version."""
        return self.pre is not None or self.dev is not None

    @property
    def major(self) -> int:
        """The first number."""
        return self.release[0]

    @property
    def minor(self) -> int:
        """The second number, 0 where there is none."""
        return self.release[1] if len(self.release) > 1 else 0

    @property
    def key(self) -> tuple[int, tuple[int, ...], tuple[str, int], int, tuple[int, int]]:
        """What public versions are ordered by. Trailing zeros of the release do not count."""
        release = self.release
        while len(release) > 1 and release[-1] == 0:
            release = release[:-1]
        pre = self.pre or ((_LAST, 0) if self.dev is None or self.post is not None else ("", 0))
        post = -1 if self.post is None else self.post
        return (self.epoch, release, pre, post, (1, 0) if self.dev is None else (0, self.dev))


@lru_cache(maxsize=4096)
def parse_version(text: str) -> Version | None:
    """A version of PEP 440, also one spelt loosely (``1.0-rc1``); None for anything else."""
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        return None
    word = match["pre_word"]
    name = _PRE_ORDER.get(word.lower(), word.lower()) if word is not None else ""
    post = match["post_plain"] or match["post_number"] or "0"
    return Version(
        epoch=int(match["epoch"] or 0),
        release=tuple(int(part) for part in match["release"].split(".")),
        pre=(name, int(match["pre_number"] or 0)) if word is not None else None,
        post=int(post) if match["post"] is not None else None,
        dev=int(match["dev_number"] or 0) if match["dev"] is not None else None,
        local=re.sub(r"[-_]", ".", (match["local"] or "").lower()),
    )


def exact(specifier: str) -> Version | None:
    """The one version that a specifier allows (``==1.2``); None where it allows others, or is more than that."""
    match = _CLAUSE.fullmatch(specifier)
    if match is None or match["operator"] not in {"==", "==="} or match["version"].endswith("*"):
        return None
    return parse_version(match["version"])


def satisfies(version: Version, specifier: str) -> bool | None:
    """Whether a version lies within ``>=1,<2``; pre-releases count as any other. None when the range is not understood.

    An empty specifier is satisfied by every version. A local version counts only where the specifier names one.
    """
    clauses = [part for part in specifier.split(",") if part.strip()]
    answers: list[bool] = []
    for clause in clauses:
        match = _CLAUSE.fullmatch(clause)
        if match is None or (answer := _clause(version, match["operator"], match["version"])) is None:
            return None
        answers.append(answer)
    return all(answers)


def _clause(version: Version, operator: str, text: str) -> bool | None:  # noqa: PLR0911  one return per operator
    if text.endswith(".*"):
        prefix = parse_version(text[:-2])
        if prefix is None or operator not in {"==", "!="}:
            return None
        same = _starts(version, prefix.release)
        return same if operator == "==" else not same
    wanted = parse_version(text)
    if wanted is None:
        return None
    if operator in {"==", "===", "!="}:
        same = version.key == wanted.key and wanted.local in {"", version.local}
        return same if operator != "!=" else not same
    if operator == "~=":
        if len(wanted.release) < 2:
            return None
        return version.key >= wanted.key and _starts(version, wanted.release[:-1])
    if operator == ">=":
        return version.key >= wanted.key
    if operator == "<=":
        return version.key <= wanted.key
    return version.key > wanted.key if operator == ">" else version.key < wanted.key


def _starts(version: Version, prefix: tuple[int, ...]) -> bool:
    padded = version.release + (0,) * (len(prefix) - len(version.release))
    return padded[: len(prefix)] == prefix


def normalized(specifier: str) -> tuple[str, ...]:
    """The clauses of a specifier, sorted and without white space: equal for ranges that are written alike."""
    return tuple(sorted(re.sub(r"\s+", "", clause) for clause in specifier.strip("() ").split(",") if clause.strip()))
