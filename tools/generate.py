"""Writes every generated file of the repository, or with ``--check`` says which of them drifted.

Sources: the TypedDicts of the wire formats, the models of the packs, the table of settings, the built-in packs, and the
rates that were measured. Invariant: running it twice changes nothing the second time.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from item_pages import Rates, pages
from roundzero.config import SETTINGS, Setting, Who
from roundzero.lsp.schemas import schemas as lsp_schemas
from roundzero.packs import loader
from roundzero.packs.compiling import examples_of
from roundzero.packs.schema import schema as pack_schema
from roundzero.render.shapes import Event, ReportWire

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from roundzero.core.item import Language

ROOT: Final = Path(__file__).resolve().parent.parent
COMMAND: Final = "python tools/generate.py"
LANGUAGES: Final[tuple[tuple[Language, str], ...]] = (("en", ""), ("zh", ".zh"))


def main(argv: list[str] | None = None) -> int:
    """Write the files, or with ``--check`` compare: 1 when some drifted."""
    parser = argparse.ArgumentParser(description="Write every generated file.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file would change")
    check = parser.parse_args(argv).check
    drifted = [path for path, text in generated().items() if not _is(ROOT / path, text)]
    if check:
        for path in drifted:
            print(f"{path} is out of date; run: {COMMAND}", file=sys.stderr)
        return 1 if drifted else 0
    for path, text in generated().items():
        if path in drifted:
            target = ROOT / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            print(f"wrote {path}")
    return 0


def generated() -> dict[str, str]:
    """Every generated file by its path."""
    files = {
        "server/roundzero/render/schema/report-1.json": _schema(ReportWire, "A Round Zero report, schema 1"),
        "server/roundzero/render/schema/ndjson-1.json": _schema(Event, "An event of a Round Zero review, schema 1"),
        "server/roundzero/packs/schema/pack-1.json": _json(pack_schema()),
        **{f"server/roundzero/lsp/schema/{name}": text for name, text in lsp_schemas().items()},
    }
    items = loader.load(repository=None, overrides={}, packs=None, cache_dir=None).items
    examples = [each for file in loader.built_in_files() for each in examples_of(file.read_text(encoding="utf-8"))]
    rates = cast("Rates", json.loads((ROOT / "docs/rates.json").read_text(encoding="utf-8")))
    for language, suffix in LANGUAGES:
        files[f"docs/settings{suffix}.md"] = "".join(f"{line}\n" for line in _settings_page(language))
        for page in pages(items, examples, rates, language):
            files[f"docs/{page.path}"] = "".join(f"{line}\n" for line in page.lines)
    files["README.md"] = _readme((ROOT / "README.md").read_text(encoding="utf-8"))
    files.update(_extension())
    return files


def _is(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


class _Schema(GenerateJsonSchema):
    """JSON Schema 2020-12 without pydantic's titles."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ANN401  pydantic's own union of schemas
        """Titles would only repeat the fields' names."""
        del schema
        return False


def _schema(kind: Any, title: str) -> str:  # noqa: ANN401  a TypedDict or a union of them
    body: Mapping[str, object] = TypeAdapter(kind).json_schema(schema_generator=_Schema, mode="serialization")
    return _json({"$schema": GenerateJsonSchema.schema_dialect, **body, "title": title})


_SETTINGS_WORDS: Final = {
    "en": {
        "title": "Settings",
        "intro": "Order: built-in, user file, repository file, editor, environment, command line; later ones win."
        " In the editor each name has the prefix `roundzero.`. A repository's `.roundzero.toml` (or `[tool.roundzero]`"
        " in pyproject.toml) may set only what the last column allows.",
        "head": "| Editor | TOML | Environment | Takes | Default | Meaning | May be set by |",
        Who.USER: "the user",
        Who.REPOSITORY: "user, repository",
        Who.REPOSITORY_LOWERS: "user; repository only to lower it",
    },
    "zh": {
        "title": "设置",
        "intro": "顺序：内置、用户文件、仓库文件、编辑器、环境变量、命令行；后者优先。"
        "编辑器中的名称以 `roundzero.` 开头。"
        "仓库的 `.roundzero.toml`（或 pyproject.toml 中的 `[tool.roundzero]`）只能设置最后一列允许的项。",
        "head": "| 编辑器 | TOML | 环境变量 | 取值 | 默认值 | 含义 | 可由谁设置 |",
        Who.USER: "用户",
        Who.REPOSITORY: "用户、仓库",
        Who.REPOSITORY_LOWERS: "用户；仓库只能调低",
    },
}


def _settings_page(language: Language) -> Iterator[str]:
    words = _SETTINGS_WORDS[language]
    yield f"# {words['title']}"
    yield ""
    yield words["intro"]
    yield ""
    yield words["head"]
    yield "|---|---|---|---|---|---|---|"
    for row in SETTINGS:
        variable = "" if row.kind.table or row.kind.schema["type"] == "array" else f"`{row.variable}`"
        default = "" if row.default is None else f"`{json.dumps(row.default)}`"
        meaning = row.zh if language == "zh" else row.en
        cells = (f"`{row.name}`", f"`{row.toml}`", variable, row.kind.words, default, meaning, words[row.who])
        yield "| " + " | ".join(cells) + " |"


_README_TABLE: Final = re.compile(r"(?<=<!-- settings: generated -->\n\n).*?(?=\n<!-- settings: end -->)", re.DOTALL)


def _readme(text: str) -> str:
    """The front page with a short table of the settings between its two marks."""
    rows = ["| Setting | Default | Meaning |", "|---|---|---|"]
    for row in SETTINGS:
        default = "" if row.default in (None, {}, []) else f"`{json.dumps(row.default)}`"
        rows.append(f"| `{row.name}` | {default} | {row.en} |")
    table = "".join(f"{row}\n" for row in rows)
    written, times = _README_TABLE.subn(lambda _: table, text)
    if times != 1:
        raise SystemExit("README.md has lost the marks of its table of settings")
    return written


_OF_THE_EXTENSION: Final[Mapping[str, tuple[Mapping[str, object], str, str]]] = {
    "importStrategy": (
        {"type": "string", "enum": ["useBundled", "fromEnvironment"], "default": "useBundled"},
        "Where the server comes from: what this extension carries, if anything, or what is installed on this machine.",
        "服务器的来源：扩展自带的（如果有），或本机安装的。",
    ),
    "path": (
        {"type": "string", "default": ""},
        "The `roundzero` program to start instead.",
        "改为启动的 `roundzero` 程序。",
    ),
    "interpreter": (
        {"type": "string", "default": ""},
        "The Python (3.11 or later) that has the package, or that the carried server is installed with.",
        "装有该软件包的 Python（3.11 或更高版本），或用来安装自带服务器的 Python。",
    ),
}
"""Settings that only VS Code has: how the extension finds the server. Each with its schema, English and Chinese."""


def _extension() -> dict[str, str]:
    """The extension's settings and their texts, where the extension is."""
    folder = ROOT / "vscode-extension"
    if not (folder / "package.json").is_file():
        return {}
    package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    configuration = package.setdefault("contributes", {}).setdefault("configuration", {})
    configuration["title"] = "Round Zero"
    configuration["properties"] = {f"roundzero.{name}": body for name, body in _properties().items()}
    # What is the user's to decide may not come from a workspace nobody trusts; VS Code sees to those of the machine.
    package["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"] = [
        f"roundzero.{_property(row)}" for row in SETTINGS if row.who is not Who.REPOSITORY and row.scope != "machine"
    ]
    files = {"vscode-extension/package.json": _json(package)}
    for language, suffix in (("en", ""), ("zh", ".zh-cn")):
        path = folder / f"package.nls{suffix}.json"
        texts = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        texts = {key: text for key, text in texts.items() if not key.startswith("setting.")}
        for name, (_, en, zh) in _OF_THE_EXTENSION.items():
            texts[f"setting.{name}"] = zh if language == "zh" else en
        for row in SETTINGS:
            text, key = row.zh if language == "zh" else row.en, f"setting.{_property(row)}"
            if "<" in row.name:  # all settings of one linter are one object there, with one text
                colon = "：" if language == "zh" else ": "
                text = f"{texts.get(key, '')} `{row.name.rpartition('.')[2]}`{colon}{text}".lstrip()
            texts[key] = text
        files[f"vscode-extension/package.nls{suffix}.json"] = _json(texts)
    return files


def _property(row: Setting) -> str:
    return row.name.split(".<")[0]


def _properties() -> dict[str, dict[str, object]]:
    """VS Code's schema per setting. Those per linter are one object, since VS Code has no names with a blank."""
    found: dict[str, dict[str, object]] = {}
    for name, (schema, _, _) in _OF_THE_EXTENSION.items():
        found[name] = {**schema, "scope": "machine", "markdownDescription": f"%setting.{name}%"}
    for row in SETTINGS:
        name = _property(row)
        body = dict(row.kind.schema)
        if "<" in row.name:
            each = found.get(name, {}).get("additionalProperties", {"type": "object", "properties": {}})
            cast("dict[str, dict[str, object]]", each)["properties"][row.name.rpartition(".")[2]] = body[
                "additionalProperties"
            ]
            body = {"type": "object", "additionalProperties": each}
        default = row.default
        if default is None and body["type"] == "string" and "enum" not in body:
            default = ""  # the settings' page has a field for a text, and none for a text or nothing
        elif default is None:
            body["type"] = [body["type"], "null"]
            if isinstance(words := body.get("enum"), list):
                body["enum"] = [*words, None]
        found[name] = {
            **body,
            "default": default,
            "scope": "machine" if "<" in row.name else row.scope,
            "markdownDescription": f"%setting.{name}%",
        }
    return found


if __name__ == "__main__":
    sys.exit(main())
