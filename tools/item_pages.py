"""The pages about items: one with all of them, and one for each pack.

An item's part says what it finds and why, gives an example of each kind, tells how to silence it, and how often it
spoke where that was measured (docs/rates.json, written by bench/false_alarms.py). Measures nothing itself. Invariant:
an item that did not run in a measurement is called not measured, never silent.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple, NotRequired, TypedDict

from roundzero.core.item import (
    AstGrepCheck,
    CheckerCheck,
    CheckSpec,
    IgnoresCheck,
    Item,
    Language,
    LinterCheck,
    RuffCheck,
    TextCheck,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from roundzero.packs.compiling import Example

WORDS: Final = {
    "en": {
        "title": "Checklist items",
        "intro": "Every item of the built-in packs. `items` in the settings switches one off or changes its severity."
        " The pages of the packs say why each matters, give examples, and tell how often it spoke where measured.",
        "head": "| Item | What it says | Severity | | Checked by |",
        "pack_intro": "All items of this pack. In the examples the first column is a diff's: `+` the branch's, `-` the"
        " base's, a blank both's; `^` begins a line of carets under what is reported. How rates were measured:"
        " [measurements](../measurements.md).",
        "on": "on",
        "off": "off",
        "trigger": "only told to a model",
        "ask": "asked of a model",
        "by": "checked by",
        "looks_at": "looks at",
        "bad": "Reported:",
        "good": "Not reported:",
        "silence": "To silence one: `roundzero: ignore[{id}] reason` in a comment, on its line or alone on the line"
        ' above. To switch it off: `items = {{"{id}" = "off"}}`.',
        "merged": "Measured: {hits} on {lines} added lines of {branches} merged branches ({rate} per 1,000).",
        "whole": "Measured: {hits} on {lines} lines of whole repositories as if all were new ({rate} per 1,000).",
        "merged_none": "Measured: no hit on {lines} added lines of {branches} merged branches.",
        "whole_none": "Measured: no hit on {lines} lines of whole repositories as if all were new.",
        "read": "Read: {true} true, {false} false, {arguable} arguable{unread}.",
        "unread": ", {unread} not read",
        "not_read": "None of them was read.",
        "hit": "1 hit",
        "many": "{hits} hits",
        "not_off": "Not measured: it is off.",
        "not_trigger": "Not measured: it is not shown.",
        "not_linter": "Not measured: it needs a linter that need not be installed.",
        "not_on": "Not measured: there was nothing for it in what was measured, or it is newer.",
        "comments": "the comments that dismiss findings",
    },
    "zh": {
        "title": "清单条目",
        "intro": "内置清单包的全部条目。设置中的 `items` 可以关闭条目或改变其严重级别。"
        "各清单包的页面说明每一条的理由，给出示例，并给出测得的报告频率。",
        "head": "| 条目 | 报告内容 | 级别 | | 检查方式 |",
        "pack_intro": "本清单包的全部条目。示例的第一列与 diff 相同：`+` 属于分支，`-` 属于基准，空格属于两者；"
        "`^` 开头的行用脱字符标出被报告之处。频率的测量方法见[测量](../measurements.md)。",
        "on": "开启",
        "off": "关闭",
        "trigger": "只告知模型",
        "ask": "询问模型",
        "by": "检查方式",
        "looks_at": "查看范围",
        "bad": "会报告：",
        "good": "不报告：",
        "silence": "忽略一处：在该行或其上一行单独的注释中写 `roundzero: ignore[{id}] 理由`。"
        '关闭该条目：`items = {{"{id}" = "off"}}`。',
        "merged": "测量：在 {branches} 个已合并分支新增的 {lines} 行中有 {hits}（每千行 {rate}）。",
        "whole": "测量：把整个仓库当作新代码，{lines} 行中有 {hits}（每千行 {rate}）。",
        "merged_none": "测量：在 {branches} 个已合并分支新增的 {lines} 行中没有报告。",
        "whole_none": "测量：把整个仓库当作新代码，{lines} 行中没有报告。",
        "read": "核阅：{true} 处正确，{false} 处错误，{arguable} 处有争议{unread}。",
        "unread": "，{unread} 处未读",
        "not_read": "均未核阅。",
        "hit": "1 处报告",
        "many": "{hits} 处报告",
        "not_off": "未测量：该条目已关闭。",
        "not_trigger": "未测量：该条目不会显示。",
        "not_linter": "未测量：该条目需要不一定安装的检查工具。",
        "not_on": "未测量：所测代码中没有它的检查对象，或该条目在测量之后加入。",
        "comments": "忽略报告的注释",
    },
}


LEAST_LINES: Final = 1000
"""Lines of merged branches on which silence says something."""


class Rate(TypedDict):
    """How often one item spoke: ``lines`` are those it looks at; the rest are counts of hits, by verdict where read."""

    lines: int
    hits: int
    true: NotRequired[int]
    false: NotRequired[int]
    arguable: NotRequired[int]


class Measured(TypedDict):
    """One measurement: all its lines, its branches, and the items that ran in it."""

    lines: int
    branches: int
    items: dict[str, Rate]


class Rates(TypedDict):
    """docs/rates.json: what merged branches added, and whole repositories for what those do not hold."""

    merged: Measured
    whole: Measured


class Page(NamedTuple):
    """A page: its path below docs/, and its lines."""

    path: str
    lines: tuple[str, ...]


def pages(items: Sequence[Item], examples: Sequence[Example], rates: Rates, language: Language) -> Iterator[Page]:
    """All pages in a language."""
    suffix = "" if language == "en" else f".{language}"
    yield Page(f"items{suffix}.md", tuple(_all(items, language, suffix)))
    for pack, of_pack in groupby(items, lambda item: item.pack):
        lines = _pack(pack, tuple(of_pack), examples, rates, language)
        yield Page(f"items/{pack}{suffix}.md", tuple(lines))


def measured(item: Item, rates: Rates, language: Language) -> str:
    """How often an item spoke: on merged branches, or on whole repositories where those have next to nothing for it."""
    words = WORDS[language]
    run, which = rates["merged"], "merged"
    rate, other = run["items"].get(item.id), rates["whole"]["items"].get(item.id)
    if other is not None and (rate is None or (not rate["hits"] and rate["lines"] < min(LEAST_LINES, other["lines"]))):
        run, which, rate = rates["whole"], "whole", other
    if rate is None:
        return words["not_linter" if item.needs_linter else f"not_{_state(item)}"]
    branches, hits = f"{run['branches']:,}", rate["hits"]
    if not hits:
        return words[f"{which}_none"].format(lines=f"{rate['lines']:,}", branches=branches)
    said = words["hit"] if hits == 1 else words["many"].format(hits=hits)
    lines = run["lines"] if which == "merged" else rate["lines"]  # of whole repositories most is for other items
    share = f"{hits * 1000 / lines:.2f}"
    told = words[which].format(hits=said, lines=f"{lines:,}", branches=branches, rate=share)
    return f"{told}{' ' if language == 'en' else ''}{_read(rate, words)}"


def _read(rate: Rate, words: Mapping[str, str]) -> str:
    true, false, arguable = rate.get("true", 0), rate.get("false", 0), rate.get("arguable", 0)
    unread = rate["hits"] - true - false - arguable
    if unread == rate["hits"]:
        return words["not_read"]
    rest = words["unread"].format(unread=unread) if unread else ""
    return words["read"].format(true=true, false=false, arguable=arguable, unread=rest)


def _all(items: Sequence[Item], language: Language, suffix: str) -> Iterator[str]:
    words = WORDS[language]
    yield f"# {words['title']}"
    yield ""
    yield words["intro"]
    for pack, of_pack in groupby(items, lambda item: item.pack):
        page = f"items/{pack}{suffix}.md"
        yield from ("", f"## [{pack}]({page})", "", words["head"], "|---|---|---|---|---|")
        for item in of_pack:
            title = item.title.text(language).replace("|", "\\|")
            cells = (f"[{_name(item)}]({page}#{_name(item)})", title, item.severity.name, words[_state(item)])
            yield "| " + " | ".join((*cells, _by(item, words))) + " |"


def _pack(
    pack: str, items: Sequence[Item], examples: Sequence[Example], rates: Rates, language: Language
) -> Iterator[str]:
    words = WORDS[language]
    yield from (f"# {pack}", "", words["pack_intro"])
    for item in items:
        yield from ("", f"## {_name(item)}", "", f"**{item.title.text(language)}**", "")
        looks_at = f"{words['looks_at']} `{item.looks_at.value}`"
        by = f"{words['by']} {_by(item, words)}" if item.checks else words["ask"]
        yield " · ".join((item.severity.name, words[_state(item)], looks_at, by))
        if why := item.why.text(language).strip():
            yield from ("", why)
        for bad in (True, False):
            first = next((each for each in examples if each.item == item.id and each.bad is bad), None)
            if first is not None and item.checks:
                yield from ("", words["bad" if bad else "good"], "", *_fenced(first.text))
        yield from ("", words["silence"].format(id=item.id))
        if item.checks:
            yield from ("", measured(item, rates, language))


def _fenced(text: str) -> Iterator[str]:
    """A block of code whose fence is longer than any within."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`{3,}", text)), default=0))
    yield from (fence + "text", *text.rstrip("\n").split("\n"), fence)


def _name(item: Item) -> str:
    return item.id.partition("/")[2]


def _state(item: Item) -> str:
    return "off" if not item.enabled else "trigger" if item.trigger else "on"


def _by(item: Item, words: Mapping[str, str]) -> str:
    return ", ".join(dict.fromkeys(_named(check, words) for check in item.checks)) or words["ask"]


def _named(check: CheckSpec, words: Mapping[str, str]) -> str:
    match check:
        case RuffCheck():
            return "ruff " + ", ".join(f"`{code}`" for code in check.codes)
        case AstGrepCheck():
            return "ast-grep"
        case TextCheck():
            return f"`{check.pattern}`".replace("|", "\\|")
        case CheckerCheck():
            return f"`{check.name}`"
        case IgnoresCheck():
            return words["comments"]
        case LinterCheck():
            return " ".join((check.linter, ", ".join(f"`{code}`" for code in check.codes))).strip()
