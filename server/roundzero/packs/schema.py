"""What may stand in a pack file: the one description, from which the published JSON schema is generated.

Shape only; what a regular expression, a rule or a name means is judged in compiling.py and check.py. Invariant: an
unknown key is an error, never ignored.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator

NAME: Final = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
FULL_NAME: Final = r"^[a-z][a-z0-9-]*/[a-z][a-z0-9-]*$"
RUFF_CODE: Final = r"^[A-Z]{1,7}[0-9]{3,4}$"
LINTER_CODE: Final = r"^[A-Za-z][A-Za-z0-9-]{0,60}$"

Name = Annotated[str, Field(pattern=NAME, max_length=60)]
Text = Annotated[str, Field(min_length=1)]
Glob = Annotated[str, Field(min_length=1, max_length=300)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=False)


class ProseModel(_Strict):
    """A text in English and, where there is one, in Chinese."""

    en: Text
    zh: str = ""


def _prose(value: object) -> object:
    return {"en": value} if isinstance(value, str) else value


def _listed(value: object) -> object:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


ProseField = Annotated[ProseModel, BeforeValidator(_prose, json_schema_input_type=ProseModel | str)]


class AppliesModel(_Strict):
    """Where items apply: languages (none: all), globs that must match (none: all), globs that must not."""

    languages: list[Name] = []
    paths: list[Glob] = []
    not_: list[Glob] = Field(default=[], alias="not")


class AstGrepModel(_Strict):
    """An ast-grep rule; ``language`` may be left out where the item applies to a single one."""

    language: Annotated[list[Name], BeforeValidator(_listed, json_schema_input_type=Name | list[Name])] = []
    rule: dict[str, JsonValue]
    constraints: dict[str, JsonValue] | None = None
    utils: dict[str, JsonValue] | None = None
    transform: dict[str, JsonValue] | None = None
    fix: str | dict[str, JsonValue] | None = None


class TextModel(_Strict):
    """A regular expression (RE2) tried on each line; group ``mark`` is the finding's range."""

    regex: Text
    unless: Text | None = None


class LinterModel(_Strict):
    """An optional linter by name, and its codes where it has several."""

    name: Name
    codes: list[Annotated[str, Field(pattern=LINTER_CODE)]] = []


class CheckModel(_Strict):
    """How an item is checked; exactly one key."""

    ruff: list[Annotated[str, Field(pattern=RUFF_CODE)]] | None = Field(default=None, min_length=1)
    ast_grep: AstGrepModel | None = Field(default=None, alias="ast-grep")
    text: TextModel | None = None
    checker: Name | None = None
    linter: LinterModel | None = None
    ignores: Literal["unused"] | None = None

    @model_validator(mode="after")
    def _one(self) -> CheckModel:
        kinds = (self.ruff, self.ast_grep, self.text, self.checker, self.linter, self.ignores)
        if sum(kind is not None for kind in kinds) != 1:
            raise ValueError('a check has exactly one of "ruff", "ast-grep", "text", "checker", "linter" and "ignores"')
        return self


class ConventionModel(_Strict):
    """Silent below a share of the repository's own cases, which are counted at the base, in the background.

    ``cases``: an ast-grep rule that matches every case, obeying or not.
    """

    at_least: float = Field(ge=0, le=1)
    cases: AstGrepModel
    min: int = Field(default=5, ge=1)


class ExamplesModel(_Strict):
    """Fixture texts: a bad one fires exactly where marked, a good one is silent."""

    bad: list[Text] = []
    good: list[Text] = []


class ItemModel(_Strict):
    """One point of a checklist."""

    id: Name
    aliases: list[Annotated[str, Field(pattern=FULL_NAME)]] = []
    covers: list[Annotated[str, Field(pattern=FULL_NAME)]] = []
    section: str = ""
    title: ProseField
    severity: Literal["P0", "P1", "P2", "P3"]
    default: Literal["on", "off", "trigger"] = "on"
    why: ProseField
    looks_at: Literal["added", "hunk", "file", "change"] = "added"
    one_a_file: Literal["", "subject", "item"] = ""
    applies: AppliesModel = AppliesModel()
    check: Annotated[
        list[CheckModel], BeforeValidator(_listed, json_schema_input_type=CheckModel | list[CheckModel])
    ] = []
    ask: Text | None = None
    convention: ConventionModel | None = None
    examples: ExamplesModel = ExamplesModel()

    @model_validator(mode="after")
    def _asks_or_checks(self) -> ItemModel:
        if not self.check and self.ask is None:
            raise ValueError('an item needs a "check" or, for the model, an "ask"')
        return self


class HeadModel(_Strict):
    """A pack without its items."""

    pack: Name
    title: ProseField
    applies: AppliesModel = AppliesModel()


class PackModel(HeadModel):
    """A pack file."""

    items: list[ItemModel]


def schema() -> dict[str, Any]:
    """The JSON schema of a pack file, as published in ``schema/pack-1.json``."""
    model = PackModel.model_json_schema(by_alias=True)
    title = "Round Zero pack, version 1"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **model, "title": title}
