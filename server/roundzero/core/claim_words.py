"""Claims that a machine can settle, recognised in the words of the claim (English and Chinese).

Only whole sentences of a few plain kinds: something does not exist, is never used, cannot be imported, has a value, is
no test that is collected; a file does not exist. A claim with a condition ("when", "before", "on Python 3.8") is none
of them, because what a machine sees is the text at the head, at all times and everywhere. Knows no repository.
Invariant: a probe that comes of a claim settles that claim and no weaker one; ``more`` says that the claim says more
than that, so that showing it proves no more than a part.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from roundzero.core.anatomy import Probe
from roundzero.core.item import language_of
from roundzero.core.regex import regex
from roundzero.core.text import RelPath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SYMBOL: Final = "symbol-exists"
QUOTE: Final = "quote-at"
COUNT: Final = "grep-count"
IMPORT: Final = "import-resolves"
VALUE: Final = "value-equals"
TEST: Final = "test-collected"
FILE: Final = "file-names"

ABSENT: Final = "absent"
UNDEFINED: Final = "undefined"
FAILS: Final = "fails"
NO_FUNCTION: Final = "no function"
NO_CLASS: Final = "no class"
PRESENT: Final = "present"
UNUSED: Final = "unused"
UNCALLED: Final = "uncalled"
"""What is expected: of a symbol or file that it is not there, or not defined just there, or is none of a kind; of an
import that it fails, for whatever reason; of a word that nothing uses it, or calls it.
"""


class Settling(NamedTuple):
    """A probe that settles a claim. ``more``: the claim says more, so that the probe can refute it and no more."""

    probe: Probe
    more: bool


_NAME: Final = r"`?(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\(\))?`?"
_FILE: Final = r"`?(?P<file>[\w.@+-]+(?:/[\w.@+-]+)*\.[A-Za-z]\w{0,5})`?"
_PLACE: Final = r"`?(?P<place>[A-Za-z_][\w./-]*)`?"
_KIND: Final = (
    r"(?:(?:module-level |public |private |global |helper )?"
    r"(?:function|method|class|attribute|constant|variable|symbol|name|helper|property|field|definition)s?\s+)"
)
_IN: Final = rf"(?:\s+(?:in|on|of|from|inside)\s+(?:the\s+)?(?:module |class |file |package )?{_PLACE})"
_ANYWHERE: Final = (
    r"(?:\s+(?:anywhere(?: in (?:the|this) (?:repository|repo|codebase|project))?"
    r"|in (?:the|this) (?:repository|repo|codebase|project)))"
)
_NOW: Final = r"(?:\s+(?:any ?more|any longer|at (?:the )?head|now))"
_REST: Final = r"(?P<rest>\s*(?:[,;:]|(?:\s(?:so|and|hence|therefore|which)\b)).*)?"
_END: Final = rf"{_NOW}?(?:{_ANYWHERE}|{_IN})?{_NOW}?{_REST}\s*[.!]?"

_ABSENT: Final = (
    rf"(?:the |there is )?{_KIND}?{_NAME} (?:does not|doesn't|do not) exist{_END}",
    rf"(?:the )?{_KIND}?{_NAME} no longer exists{_END}",
    rf"(?:the )?{_KIND}?{_NAME} is (?:not|never|no longer|nowhere) (?:defined|declared){_END}",
    rf"(?:the )?{_KIND}?{_NAME} is (?:undefined|non-?existent){_END}",
    rf"there is no (?:such )?{_KIND}(?:named |called )?{_NAME}{_END}",
    rf"no {_KIND}(?:named |called )?{_NAME} (?:exists|is defined){_END}",
    (
        rf"(?:the )?(?:module |class |file )?{_PLACE} (?:does not|doesn't) (?:define|have|provide|export|contain)"
        rf" (?:an?y? )?{_KIND}?(?:named |called )?{_NAME}{_NOW}?{_REST}\s*[.!]?"
    ),
    (
        rf"(?:the )?(?:module |class )?{_PLACE} (?:has|defines) no (?:such )?{_KIND}(?:named |called )?{_NAME}"
        rf"{_NOW}?{_REST}\s*[.!]?"
    ),
)
_ABSENT_FILE: Final = (
    (
        rf"(?:the )?(?:file |source file |test file )?{_FILE} (?:(?:does not|doesn't) exist|no longer exists)"
        rf"{_NOW}?{_REST}\s*[.!]?"
    ),
    rf"there is no (?:such )?file (?:named |called )?{_FILE}{_NOW}?{_REST}\s*[.!]?",
    (
        rf"{_PLACE} (?:still )?(?:names|declares|lists|references|refers to|points to) {_FILE},? which"
        rf" (?:(?:does not|doesn't) exist|no longer exists|was deleted){_NOW}?\s*[.!]?"
    ),
)
_UNUSED: Final = (
    (
        rf"(?:the )?{_KIND}?{_NAME} is (?:never|not|no longer|nowhere) (?P<use>used|called|referenced|imported|invoked)"
        rf"{_NOW}?{_ANYWHERE}?{_REST}\s*[.!]?"
    ),
    (
        rf"(?:nothing|nobody|no code|no one) (?:ever )?(?P<use>uses|calls|references|imports|invokes) {_KIND}?{_NAME}"
        rf"{_NOW}?{_ANYWHERE}?{_REST}\s*[.!]?"
    ),
    rf"(?:the )?{_KIND}?{_NAME} has no (?P<use>callers|users|uses|usages|references){_NOW}?{_ANYWHERE}?{_REST}\s*[.!]?",
    (
        rf"there (?:are|is) no (?P<use>callers?|users?|uses?|usages?|references?) (?:of|to) {_KIND}?{_NAME}"
        rf"{_NOW}?{_ANYWHERE}?{_REST}\s*[.!]?"
    ),
)
_FAILS: Final = (
    r"(?:fails|does not resolve|doesn't resolve|cannot be resolved|raises `?(?:ImportError|ModuleNotFoundError)`?)"
)
_IMPORT: Final = (
    (rf"`?from (?P<module>\.*[\w.]*) import (?P<name>\w+)`? {_FAILS}{_NOW}?{_REST}\s*[.!]?"),
    (rf"`?import (?P<module>[\w.]+)`? {_FAILS}{_NOW}?{_REST}\s*[.!]?"),
    rf"{_NAME} cannot be imported from {_PLACE}{_NOW}?{_REST}\s*[.!]?",
)
_LITERAL: Final = r"`?(?P<value>-?\d+(?:\.\d+)?|True|False|None|\"[^\"`]*\"|'[^'`]*')`?"
_VALUE: Final = (
    rf"(?:the )?(?:value|default(?: value)?) of {_NAME} (?:is|equals|=|==) {_LITERAL}{_NOW}?{_REST}\s*[.!]?",
    (
        rf"(?:the )?{_KIND}?`?(?P<name>(?:[A-Za-z_]\w*\.)*[A-Z][A-Z0-9_]+)`? (?:is|equals|=|==|is set to|defaults to)"
        rf" {_LITERAL}{_NOW}?{_REST}\s*[.!]?"
    ),
)
_TEST_NAME: Final = r"(?:the )?(?:test |test case |test class )?`?(?P<test>(?:[\w./-]+\.py::)?(?:\w+::)*\w+)(?:\(\))?`?"
_TEST: Final = (
    (rf"{_TEST_NAME} is (?:never|not) collected(?: by pytest)?{_NOW}?{_REST}\s*[.!]?"),
    (
        rf"pytest (?:does not|doesn't|never) collects? {_TEST_NAME}"
        rf"{_NOW}?{_REST}\s*[.!]?"
    ),
)

_ZH_NAME: Final = r"\s*`?(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)(?:\(\))?`?\s*"
_ZH_PLACE: Final = r"\s*`?(?P<place>[A-Za-z_][A-Za-z0-9_./-]*)`?\s*"
_ZH_FILE: Final = r"\s*`?(?P<file>[A-Za-z0-9_.@+-]+(?:/[A-Za-z0-9_.@+-]+)*\.[A-Za-z][A-Za-z0-9]{0,5})`?\s*"
_ZH_KIND: Final = r"(?:函数|方法|类|属性|常量|变量|符号|名称|模块)"
_ZH_REST: Final = r"(?P<rest>[，,；;].*)?[。.]?"
_ZH_HERE: Final = r"(?:(?:仓库|代码库|项目|全仓)(?:中|里|内))?"
_ZH_ABSENT: Final = (
    rf"{_ZH_KIND}?{_ZH_NAME}(?:这个|该)?{_ZH_KIND}?(?:已|已经|并|根本|现在)?(?:不存在|不再存在|未定义|没有定义|没有被定义){_ZH_REST}",
    rf"{_ZH_HERE}(?:不存在|没有|并无|并没有)(?:名为|叫做)?{_ZH_NAME}(?:的)?(?:这个|这一)?{_ZH_KIND}(?:的定义)?{_ZH_REST}",
    rf"(?:模块|类|文件)?{_ZH_PLACE}(?:中|里)?(?:不存在|没有定义|没有|未定义|未提供)(?:名为|叫做)?{_ZH_NAME}(?:的)?{_ZH_KIND}?{_ZH_REST}",
)
_ZH_ABSENT_FILE: Final = (rf"(?:测试|源)?文件{_ZH_FILE}(?:已|已经|并)?(?:不存在|不再存在|被删除){_ZH_REST}",)
_ZH_UNUSED: Final = (
    rf"{_ZH_KIND}?{_ZH_NAME}(?:从未|从来没有|没有|未|不再)(?:被)?(?:任何地方)?(?P<use>使用|调用|引用|导入)(?:过)?{_ZH_REST}",
    rf"{_ZH_HERE}(?:没有任何地方|没有任何代码|没有地方|无人|没有代码)(?P<use>使用|调用|引用|导入){_ZH_KIND}?{_ZH_NAME}{_ZH_REST}",
)
_ZH_TEST: Final = (
    (
        r"(?:测试|用例)?\s*`?(?P<test>(?:[A-Za-z0-9_./-]+\.py::)?(?:[A-Za-z0-9_]+::)*[A-Za-z0-9_]+)(?:\(\))?`?\s*"
        rf"(?:不会|从不|不|未|没有)(?:被)?(?:pytest)?\s*收集{_ZH_REST}"
    ),
)

_CONDITION: Final = regex(
    r"^\s*[,;:]?\s*(?:and |but )?(?:when|if|unless|until|before|after|on|under|except|only|while|during|with|without"
    r"|for|in case|as long as)\b"
    r"|^\s*[，,；;]?\s*(?:当|如果|若|除非|直到|之前|之后|仅|只有)"
    r"|\b(?:at|on|in) (?:the )?(?:merge )?base\b|基准",
    re.IGNORECASE,
)
"""What makes the rest of a claim a condition of it, or puts it at the other side of the change."""

_CALLS: Final = frozenset({"called", "calls", "callers", "caller", "invoked", "invokes", "调用"})
_NO_NAMES: Final = frozenset(
    """
    it this that which there he she they he nothing everything something code file test tests function method class
    module check guard value result caller callers user users data error exception return branch path default
    """.split()  # noqa: SIM905  words on lines are easier to read
)


_Make: TypeAlias = "Callable[[dict[str, str], str], Probe | None]"


def settling(text: str) -> tuple[Settling, ...]:
    """The probes that settle a claim, none for a claim no machine can settle. At most one."""
    plain = " ".join(text.split())
    found = next(_readings(plain), None)
    return (found,) if found is not None else ()


def is_code_like(name: str, text: str) -> bool:
    """Whether a word of a sentence is surely a name: marked as code, or written as no word is."""
    if name.lower() in _NO_NAMES:
        return False
    if f"`{name}" in text or f"{name}(" in text or f"named {name}" in text or f"called {name}" in text:
        return True
    return bool(
        "_" in name.strip("_") or "." in name or re.search(r"[a-z][A-Z]|\d", name) or re.search(r"[^\x00-\x7f]", text)
    )


def _readings(text: str) -> Iterator[Settling]:
    for patterns, make in _forms():
        for pattern in patterns:
            found = pattern.fullmatch(text)
            if found is None:
                continue
            said = {name: value for name, value in found.groupdict().items() if value is not None}
            if _CONDITION.search(said.get("rest", "")):
                continue
            probe = make(said, text)
            if probe is not None:
                yield Settling(probe, more=bool(said.get("rest")))


def _file(said: dict[str, str], text: str) -> Probe | None:
    name = said["file"]
    known = "/" in name or (language_of(RelPath(name)) is not None and not name.startswith(("self.", "cls.")))
    if not known or f"{name}(" in text:
        return None
    return Probe(kind=FILE, subject=said["file"], path=said.get("place", ""), expect=ABSENT)


def _absent(said: dict[str, str], text: str) -> Probe | None:
    name, place = said["name"].rstrip("."), said.get("place", "").rstrip(".")
    if not is_code_like(name, text) or (place and not _is_place(place, text)):
        return None
    return Probe(kind=SYMBOL, subject=name, path=place, expect=_kind(text, placed=bool(place)))


def _kind(text: str, *, placed: bool) -> str:
    """What is said not to be there: anything, or what this place defines itself, or a function or class."""
    if placed and re.search(r"\bdefine[sd]?\b|定义", text):
        return UNDEFINED
    if re.search(r"\b(?:function|method|helper)\b|函数|方法", text):
        return NO_FUNCTION
    return NO_CLASS if re.search(rf"\bclass\b(?! `?\w+`? {_OF_ITS_OWN})|类", text) else ABSENT


_OF_ITS_OWN: Final = r"(?:has|defines|(?:does not|doesn't) (?!exist))"
"""What follows the class in which something is said to be missing, not one that is."""


def _is_place(place: str, text: str) -> bool:
    """Whether a word names a module, a class or a file."""
    return "/" in place or is_code_like(place, text) or place[:1].isupper()


def _unused(said: dict[str, str], text: str) -> Probe | None:
    name = said["name"].rstrip(".")
    if not is_code_like(name, text):
        return None
    return Probe(kind=COUNT, subject=name, expect=UNCALLED if said["use"] in _CALLS else UNUSED)


def _import(said: dict[str, str], text: str) -> Probe | None:
    module = said.get("module", said.get("place", "")).rstrip(".") or said.get("module", "")
    name = said.get("name", "").rstrip(".")
    if not module or ("place" in said and not (is_code_like(name, text) and is_code_like(module, text))):
        return None
    resolves = "resolve" in text
    subject = f"{module}:{name}" if name else module
    return Probe(kind=IMPORT, subject=subject, expect=ABSENT if resolves else FAILS)


def _value(said: dict[str, str], text: str) -> Probe | None:
    name = said["name"].rstrip(".")
    if not (is_code_like(name, text) or name.isupper()):
        return None
    return Probe(kind=VALUE, subject=name, expect=said["value"])


def _test(said: dict[str, str], text: str) -> Probe | None:
    del text
    name = said["test"]
    bare = name.rpartition("::")[2]
    return Probe(kind=TEST, subject=name, expect=ABSENT) if bare.lower().startswith("test") or "::" in name else None


@cache
def _forms() -> tuple[tuple[tuple[re.Pattern[str], ...], _Make], ...]:
    """The patterns of each kind of claim with what makes a probe of what they find, compiled on first use."""
    return tuple(
        (tuple(re.compile(pattern, re.IGNORECASE | re.DOTALL) for pattern in patterns), make)
        for patterns, make in (
            ((*_ABSENT_FILE, *_ZH_ABSENT_FILE), _file),
            ((*_UNUSED, *_ZH_UNUSED), _unused),
            ((*_TEST, *_ZH_TEST), _test),
            (_IMPORT, _import),
            (_VALUE, _value),
            ((*_ABSENT, *_ZH_ABSENT), _absent),
        )
    )
