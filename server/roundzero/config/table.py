"""The one table of settings: names, values, defaults, who may set them, and what they mean in English and Chinese.

Each field of ``Settings`` carries its own row, so that there is no second place to edit. Deliberately no pydantic: this
module is on the start-up path of every command. Reading files is loading.py. Invariant: every default is a value its
own kind accepts.
"""

from __future__ import annotations

import re
from dataclasses import field, fields, replace
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from roundzero.core.ruleset import Place

T = TypeVar("T")
VsCodeScope = Literal["machine", "resource", "window"]


class Who(Enum):
    """Who may set a setting. A repository is hostile until trusted."""

    USER = "user"
    REPOSITORY = "repository"
    REPOSITORY_LOWERS = "repository, only to lower it"


@dataclass(frozen=True, slots=True)
class Kind:
    """What values a setting takes. ``read`` returns the value or raises ValueError; ``words`` names the values."""

    words: str
    read: Callable[[object], object]
    schema: Mapping[str, object]
    table: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One row of the table. ``name`` is the editor's spelling, ``attribute`` the field of ``Settings``."""

    name: str
    attribute: str
    kind: Kind
    default: object
    who: Who
    scope: VsCodeScope
    en: str
    zh: str

    @property
    def toml(self) -> str:
        """The name in configuration files."""
        return snake(self.name)

    @property
    def variable(self) -> str:
        """The name in the environment."""
        return "ROUNDZERO_" + self.toml.replace(".", "_").upper()


def snake(name: str) -> str:
    """``debounceMs`` as configuration files write it: ``debounce_ms``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _typed(words: str, kind: type, json_type: str) -> Kind:
    def read(value: object) -> object:
        if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            return value
        raise ValueError

    return Kind(words, read, {"type": json_type})


def _whole(least: int) -> Kind:
    def read(value: object) -> object:
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        raise ValueError

    return Kind(f"a whole number from {least}", read, {"type": "integer", "minimum": least})


def _amount(value: object) -> object:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
        return float(value)
    raise ValueError


def _one_of(*words: str) -> Kind:
    def read(value: object) -> object:
        if value in words:
            return value
        raise ValueError

    return Kind(" or ".join(f'"{word}"' for word in words), read, {"type": "string", "enum": list(words)})


def _list_of(item: Kind) -> Kind:
    def read(value: object) -> object:
        if isinstance(value, (list, tuple)):
            return tuple(item.read(each) for each in value)
        raise ValueError

    return Kind(f"a list, each {item.words}", read, {"type": "array", "items": item.schema})


def _table_of(item: Kind) -> Kind:
    return Kind(item.words, item.read, {"type": "object", "additionalProperties": item.schema}, table=True)


_BOOL: Final = _typed("true or false", bool, "boolean")
_TEXT: Final = _typed("a string", str, "string")
_NUMBER: Final = Kind("a number from 0", _amount, {"type": "number", "minimum": 0})
_SEVERITY: Final = _one_of("P0", "P1", "P2", "P3")
_LEVEL: Final = replace(
    _one_of("off", "P0", "P1", "P2", "P3"),
    words='"off" or a severity, "P0" to "P3", which also switches on what is off',
)
_DIAGNOSTIC: Final = {"P0": "error", "P1": "error", "P2": "warning", "P3": "information"}
_ON: Final = True
_HELD: Final = "roundzero setting"


def _set(  # noqa: PLR0913  the columns of the table
    name: str, kind: Kind, default: T, en: str, zh: str, *, who: Who = Who.USER, scope: VsCodeScope = "resource"
) -> T:
    """A field of ``Settings`` that carries its row of the table. Typed as its default, as dataclasses.field is."""
    row = {_HELD: (name, kind, default, who, scope, en, zh)}
    if kind.table:
        return field(default_factory=lambda: default, metadata=row)
    return field(default=default, metadata=row)


_REPO: Final = Who.REPOSITORY


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings in force, one field per name; nested names are flattened (``gate_fail_on``)."""

    enable: bool = _set("enable", _BOOL, _ON, "Review this folder in the editor.", "在编辑器中审查此文件夹。")
    base: str | None = _set(
        "base",
        _TEXT,
        None,
        "The ref to compare with; without it the base is chosen.",
        "用于比较的引用；未设置时自动选择。",
        who=_REPO,
    )
    run: Literal["onType", "onSave"] = _set(
        "run", _one_of("onType", "onSave"), "onType", "When checks run in the editor.", "编辑器中何时运行检查。"
    )
    debounce_ms: int = _set(
        "debounceMs",
        _whole(0),
        150,
        "Pause after the last keystroke before checks run, in milliseconds.",
        "最后一次按键后等待多少毫秒再运行检查。",
    )
    min_severity: Literal["P0", "P1", "P2", "P3"] = _set(
        "minSeverity", _SEVERITY, "P3", "The mildest severity that is shown.", "显示的最低严重级别。", who=_REPO
    )
    show_origins: tuple[str, ...] = _set(
        "showOrigins",
        _list_of(_one_of("introduced", "exposed", "pre-existing")),
        ("introduced", "exposed"),
        "Which origins of findings are shown.",
        "显示哪些来源的发现。",
    )
    untracked: bool = _set(
        "untracked",
        _BOOL,
        _ON,
        "Whether untracked files belong to the change.",
        "未跟踪的文件是否属于变更。",
    )
    exclude: tuple[str, ...] = _set(
        "exclude", _list_of(_TEXT), (), "Globs of paths that are not reviewed.", "不审查的路径（通配符）。", who=_REPO
    )
    max_file_bytes: int = _set(
        "maxFileBytes",
        _whole(1),
        1_000_000,
        "Larger files are not checked, in bytes.",
        "超过此大小（字节）的文件不检查。",
        who=Who.REPOSITORY_LOWERS,
    )
    packs: tuple[str, ...] = _set(
        "packs",
        _list_of(_TEXT),
        (),
        "The packs in force; an empty list means all.",
        "启用的清单包；空列表表示全部。",
        who=_REPO,
    )
    items: Mapping[str, str] = _set(
        "items",
        _table_of(_LEVEL),
        {},
        'Per item: "off", or its severity here.',
        '按条目设置："off"，或在此处的严重级别。',
        who=_REPO,
    )
    diagnostic_severity: Mapping[str, str] = _set(
        "diagnosticSeverity",
        _table_of(_one_of("error", "warning", "information", "hint")),
        _DIAGNOSTIC,
        "How the editor shows each severity.",
        "编辑器如何显示每个严重级别。",
        who=_REPO,
    )
    language: Literal["en", "zh"] = _set(
        "language",
        _one_of("en", "zh"),
        "en",
        "The language of titles, explanations and reports; JSON keeps reasons in English.",
        "标题、说明和报告的语言；JSON 中的原因保持英文。",
        who=_REPO,
    )
    gate_fail_on: Literal["P0", "P1", "P2", "P3", "never"] = _set(
        "gate.failOn",
        _one_of("P0", "P1", "P2", "P3", "never"),
        "P1",
        "The mildest severity at which the command exits with 1.",
        "使命令以 1 退出的最低严重级别。",
    )
    gate_support: int = _set(
        "gate.support",
        _whole(1),
        3,
        "Drafts of five that must raise a model's finding before it may block; fewer need a second look.",
        "模型的发现要阻止合入，五份草稿中至少需要几份提出它；不足时须经再次查看确认。",
    )
    hook_model: Literal["off", "quick", "deep"] = _set(
        "hook.model",
        _one_of("off", "quick", "deep"),
        "off",
        "Depth of the model review in git hooks, in trusted repositories.",
        "git 钩子中模型审查的深度（仅限受信任的仓库）。",
    )
    model_mode: Literal["off", "manual", "onSave", "onIdle"] = _set(
        "model.mode",
        _one_of("off", "manual", "onSave", "onIdle"),
        "onIdle",
        "When the model reviews; nothing runs before a provider is configured.",
        "模型何时审查；未配置提供方时不会运行。",
        scope="machine",
    )
    model_provider: str | None = _set(
        "model.provider",
        _one_of("openai", "anthropic", "ollama", "client", "scripted"),
        None,
        "Who runs the model. Without one nothing is sent anywhere.",
        "模型的提供方。未设置时不会发送任何内容。",
        scope="machine",
    )
    model_name: str | None = _set("model.name", _TEXT, None, "The model's name.", "模型名称。", scope="machine")
    model_base_url: str | None = _set(
        "model.baseUrl", _TEXT, None, "Address of the provider.", "提供方的地址。", scope="machine"
    )
    model_api_key_command: str | None = _set(
        "model.apiKeyCommand", _TEXT, None, "A command that prints the key.", "输出密钥的命令。", scope="machine"
    )
    model_depth: Literal["quick", "deep"] = _set(
        "model.depth",
        _one_of("quick", "deep"),
        "quick",
        "Depth of a review you ask for without saying how deep; what runs by itself in the editor is always quick.",
        "未指明深度时所请求审查的深度；编辑器中自动进行的审查始终为 quick。",
        scope="machine",
    )
    model_drafts: int = _set(
        "model.drafts",
        _whole(1),
        5,
        "Independent drafts of a deep review, five at most.",
        "深度审查的独立草稿数，最多五份。",
        scope="machine",
    )
    model_requests_per_minute: int = _set(
        "model.requestsPerMinute", _whole(1), 10, "Most requests in a minute.", "每分钟最多请求数。", scope="machine"
    )
    model_parallel: int = _set(
        "model.parallel", _whole(1), 1, "Most requests at once.", "同时进行的最多请求数。", scope="machine"
    )
    model_tokens_per_hour: int = _set(
        "model.tokensPerHour",
        _whole(0),
        200_000,
        "Most tokens in an hour, both ways.",
        "每小时最多令牌数（收发合计）。",
        scope="machine",
    )
    model_cost_per_day: float | None = _set(
        "model.costPerDay",
        _NUMBER,
        None,
        "Most money in a day; needs the prices.",
        "每天最高花费；需要设置价格。",
        scope="machine",
    )
    model_price_input: float | None = _set(
        "model.priceInput", _NUMBER, None, "Price of a million tokens sent.", "发送一百万令牌的价格。", scope="machine"
    )
    model_price_output: float | None = _set(
        "model.priceOutput",
        _NUMBER,
        None,
        "Price of a million tokens received.",
        "接收一百万令牌的价格。",
        scope="machine",
    )
    model_max_unit_lines: int = _set(
        "model.maxUnitLines",
        _whole(1),
        150,
        "Most lines of code in one question.",
        "一次提问最多包含的代码行数。",
        scope="machine",
    )
    model_cache: bool = _set(
        "model.cache",
        _BOOL,
        _ON,
        "Keep replies in the user's cache folder.",
        "在用户缓存目录中保留回复。",
        scope="machine",
    )
    model_script: str | None = _set(
        "model.script",
        _TEXT,
        None,
        "Replies of the scripted provider: a JSONL file.",
        "脚本提供方的回复：JSONL 文件。",
        scope="machine",
    )
    linters_enable: Mapping[str, bool] = _set(
        "linters.<name>.enable", _table_of(_BOOL), {}, "Whether a linter runs.", "是否运行某个检查程序。"
    )
    linters_path: Mapping[str, str] = _set(
        "linters.<name>.path",
        _table_of(_TEXT),
        {},
        "Where a linter's program is.",
        "检查程序所在的路径。",
        scope="machine",
    )
    trace: Literal["off", "messages", "verbose"] = _set(
        "trace",
        _one_of("off", "messages", "verbose"),
        "off",
        "Traces the protocol in the editor's log.",
        "在编辑器日志中跟踪协议消息。",
        scope="window",
    )
    log_level: Literal["error", "warning", "info", "debug"] = _set(
        "logLevel",
        _one_of("error", "warning", "info", "debug"),
        "info",
        "How much is logged.",
        "日志的详细程度。",
        scope="window",
    )
    places: Mapping[tuple[str, str], Place] = field(default_factory=dict)
    """Where each value, entry of a table and element of a list was set: by field and entry ("" for the value itself).

    For messages only."""


def _rows() -> Iterator[Setting]:
    for each in fields(Settings):
        if _HELD not in each.metadata:
            continue
        name, kind, default, who, scope, en, zh = each.metadata[_HELD]
        yield Setting(name=name, attribute=each.name, kind=kind, default=default, who=who, scope=scope, en=en, zh=zh)


SETTINGS: Final[tuple[Setting, ...]] = tuple(_rows())
"""The one table. Documentation, the editor's settings and ``roundzero init`` are made from it."""
