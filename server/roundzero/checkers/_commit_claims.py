"""What a commit message promises about the kind of its change, in English and Chinese.

Only phrases that can mean nothing else: a whole line, brackets, or "test-only change". Words in quotes, quoted lines
and what is told of another commit are passed over. Invariant: a promise is named with the words that make it.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Final

from roundzero.core.frozen import dataclass
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator


class Promise(Enum):
    """What a message says of the change."""

    TESTS_ONLY = "tests only"
    DOCS_ONLY = "docs only"
    NO_CODE = "no code changes"
    NO_DEPENDENCIES = "no dependency changes"
    NO_NEW_DEPENDENCIES = "no new dependencies"


@dataclass(frozen=True, slots=True)
class Claim:
    """A promise and its words."""

    promise: Promise
    words: str


_END_ZH: Final = r"(?=$|[\s，。；、）)】\].,;!！])"
_NOUN: Final = r"(?:change|commit|patch|pr|pull request|update|edit|fix)(?:e?s)?"


def _only(what: str) -> str:
    """The ways to say "nothing but" that are no part of another sentence."""
    return (
        rf"\b(?:{what})[- ]only {_NOUN}\b|[(\[](?:{what})[- ]only[)\]]|^[\W_]*(?:{what})[- ]only(?:[\W_]*$|:| --? )"
        rf"|(?<=[.;:,] )(?:{what})[- ]only(?= *(?:$|[.;]))"
        rf"|\b(?:only|just) (?:touch|chang|modif|affect|updat)(?:es|ed|ing|ies|ied|e|y)? (?:the )?(?:{what})"
        r"(?= *(?:$|[.,;)]))"
        rf"|\b(?:changes?|touches) (?:the )?(?:{what}) only\b"
    )


_PROMISES: Final = (
    (
        Promise.NO_NEW_DEPENDENCIES,
        r"\b(?:no|without(?: any)?|adds no|zero) (?:new|additional|extra) (?:[\w-]+ )?dependenc(?:y|ies)\b"
        r"|(?:无|没有|未|不)(?:任何)?(?:新增|引入|增加|添加)(?:任何)?(?:新的?)?(?:第三方)?依赖(?:项|包|库)?" + _END_ZH,
    ),
    (
        Promise.NO_DEPENDENCIES,
        r"\b(?:no|without(?: any)?) (?:[\w-]+ )?(?:dependency|deps?) (?:change|update|bump)s?\b"
        r"|\b(?:does(?:n't| not)|without) (?:chang|touch|updat)(?:e|ing)? (?:any |the |any of the )?"
        r"(?:dependencies|deps)\b"
        r"|\bno changes? (?:to|in) (?:the )?(?:[\w-]+ )?dependencies\b"
        r"|\bdependencies (?:are |remain |stay )?(?:unchanged|untouched)\b"
        r"|(?:无|没有|未|不)(?:任何)?(?:涉及|修改|变更|改动|更改)?(?:任何)?(?:第三方)?依赖(?:项|包)?(?:的)?(?:变更|变化|改动|修改|更新)"
        r"|(?:不涉及|未修改|未改动|不改|未变更|不修改)(?:任何)?(?:第三方)?依赖(?:项|包)?" + _END_ZH,
    ),
    (
        Promise.TESTS_ONLY,
        _only(r"(?:unit )?tests?")
        + r"|(?:仅|只|纯)(?:改|修改|改动|涉及|增加|新增|补充|更新|调整)?(?:了)?(?:单元|集成)?测试(?:代码|用例|文件)?"
        r"(?:改动|变更|修改)?" + _END_ZH,
    ),
    (
        Promise.DOCS_ONLY,
        _only(r"docs?|documentation|readme|changelog|comments?")
        + r"|(?:仅|只|纯)(?:改|修改|改动|涉及|更新|调整)?(?:了)?(?:文档|注释|文档和注释)(?:改动|变更|修改|更新)?"
        + _END_ZH,
    ),
    (
        Promise.NO_CODE,
        r"\b(?:no|without(?: any)?) (?:production |source |actual |functional )?code changes?\b"
        r"|(?:无|没有|未|不)(?:任何)?(?:涉及|修改|改动)?(?:任何)?(?:业务|生产|产品)?代码(?:的)?(?:变更|改动|修改)"
        r"|(?:不改|未改动|未修改|不修改|不涉及)(?:任何)?(?:业务|生产|产品)?代码" + _END_ZH,
    ),
)
_ALL: Final = tuple((promise, regex(pattern, re.IGNORECASE | re.MULTILINE)) for promise, pattern in _PROMISES)
_PASSED_OVER: Final = regex(r"\s*>|\s*(?:revert|this reverts)\b|\s*\w+-by:", re.IGNORECASE)
_QUOTED: Final = regex(r"\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`|「[^」\n]*」")


def claims(message: str) -> Iterator[Claim]:
    """What a message promises, each promise once."""
    lines = ["" if _PASSED_OVER.match(line) else _QUOTED.sub(" ", line) for line in message.split("\n")]
    said = "\n".join(lines)
    new_only = False
    for promise, pattern in _ALL:
        match = pattern.search(said)
        if match is None or (promise is Promise.NO_DEPENDENCIES and new_only):
            continue
        new_only = new_only or promise is Promise.NO_NEW_DEPENDENCIES
        yield Claim(promise, match[0].strip(" \t\n.,;-*#()[]"))
