"""A pack file's text to items, each fault with its line.

Regular expressions are compiled here and thrown away, ast-grep languages and ruff codes are compared with patterns;
whether a rule exists is for check.py, which may start the programs. Invariant: a fault in one item costs that item
only, and nothing in a pack can run code.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, cast

from pydantic import ValidationError

from roundzero.core.frozen import dataclass
from roundzero.core.item import (
    Applies,
    AstGrepCheck,
    CheckerCheck,
    CheckSpec,
    Convention,
    IgnoresCheck,
    Item,
    ItemId,
    LinterCheck,
    LooksAt,
    Prose,
    RuffCheck,
    Severity,
    TextCheck,
)
from roundzero.core.regex import linear
from roundzero.core.ruleset import Problem
from roundzero.packs import nodes
from roundzero.packs.pack import Pack
from roundzero.packs.schema import (
    AppliesModel,
    AstGrepModel,
    CheckModel,
    ConventionModel,
    HeadModel,
    ItemModel,
    ProseModel,
    TextModel,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roundzero.packs.nodes import DataPath, Document

AST_GREP_LANGUAGES: Final = frozenset({
    "bash", "c", "cpp", "csharp", "css", "dart", "elixir", "go", "haskell", "hcl", "html", "java", "javascript", "json",
    "jsx", "kotlin", "lua", "markdown", "nix", "php", "python", "ruby", "rust", "scala", "solidity", "swift", "tsx",
    "typescript", "yaml", "zig",
})  # fmt: skip
"""What the pinned ast-grep accepts."""


@dataclass(frozen=True, slots=True)
class Example:
    """A fixture text of an item, and the line (from 1) of the pack file it starts on."""

    item: ItemId
    bad: bool
    text: str
    line: int


class _FaultError(Exception):
    def __init__(self, path: DataPath, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


def compile_pack(text: str, file: str) -> Pack:
    """Compile one pack file; ``file`` is its name in problems. Never raises for what the text says."""
    try:
        document = nodes.read(text)
    except nodes.NotReadableError as error:
        return Pack.unusable(file, Problem(file, error.line, error.message, lost=True))
    data = document.data
    if not isinstance(data, dict):
        return Pack.unusable(file, Problem(file, 1, 'a pack is a mapping with "pack", "title" and "items"', lost=True))
    raw_items = data.get("items")
    try:
        head = HeadModel.model_validate({key: value for key, value in data.items() if key != "items"})
    except ValidationError as error:
        return Pack.unusable(file, *_problems(error, document, file, ()))
    if not isinstance(raw_items, list):
        return Pack.unusable(file, Problem(file, document.line(("items",)), '"items" must be a list', lost=True))
    items: list[Item] = []
    problems: list[Problem] = []
    taken: set[str] = set()
    for at, raw in enumerate(raw_items):
        where: DataPath = ("items", at)
        try:
            item = _item(head, ItemModel.model_validate(raw), file, document.line((*where, "id")))
        except ValidationError as error:
            problems.extend(_problems(error, document, file, where))
            continue
        except _FaultError as fault:
            problems.append(Problem(file, document.line((*where, *fault.path)), fault.message, lost=True))
            continue
        if item.id in taken:
            message = f'the item "{item.id}" is there twice: the first one counts'
            problems.append(Problem(file, item.line, message, lost=True))
            continue
        taken.add(item.id)
        items.append(item)
    return Pack(file=file, name=head.pack, title=_prose(head.title), items=tuple(items), problems=tuple(problems))


def examples_of(text: str) -> tuple[Example, ...]:
    """The examples of a pack file's items. Empty for a text that cannot be read; ``compile_pack`` says why."""
    try:
        document = nodes.read(text)
    except nodes.NotReadableError:
        return ()
    data = document.data
    found: list[Example] = []
    raw_items = data.get("items") if isinstance(data, dict) else None
    for at, raw in enumerate(raw_items if isinstance(raw_items, list) else []):
        if not isinstance(data, dict) or not isinstance(raw, dict) or not isinstance(raw.get("examples"), dict):
            continue
        item = ItemId(f"{data.get('pack')}/{raw.get('id')}")
        for kind in ("bad", "good"):
            texts = cast("dict[str, object]", raw["examples"]).get(kind)
            for number, example in enumerate(texts if isinstance(texts, list) else []):
                line = document.line(("items", at, "examples", kind, number))
                found.append(Example(item, kind == "bad", str(example), line))
    return tuple(found)


def _item(head: HeadModel, model: ItemModel, file: str, line: int) -> Item:
    applies = _applies(head.applies, model.applies)
    checks = tuple(spec for at, check in enumerate(model.check) for spec in _checks(check, applies, ("check", at)))
    return Item(
        id=ItemId(f"{head.pack}/{model.id}"),
        aliases=tuple(ItemId(alias) for alias in model.aliases),
        covers=tuple(ItemId(name) for name in model.covers),
        section=model.section,
        title=_prose(model.title),
        why=_prose(model.why),
        severity=Severity[model.severity],
        enabled=model.default != "off",
        trigger=model.default == "trigger",
        looks_at=LooksAt(model.looks_at),
        one_a_file=model.one_a_file,
        applies=applies,
        checks=checks,
        ask=model.ask,
        convention=None if model.convention is None else _convention(model.convention, applies, checks),
        origin_file=file,
        line=line,
    )


def _convention(model: ConventionModel, applies: Applies, checks: tuple[CheckSpec, ...]) -> Convention:
    if not checks or not all(isinstance(check, RuffCheck | AstGrepCheck) for check in checks):
        raise _FaultError(("convention",), 'what breaks a convention is found by "ruff" or "ast-grep"')
    cases = tuple(_ast_grep(model.cases, applies, ("convention", "cases")))
    return Convention(at_least=model.at_least, cases=cases, min=model.min)


def _prose(model: ProseModel) -> Prose:
    return Prose(" ".join(model.en.split()), model.zh.strip())


def _applies(pack: AppliesModel, item: AppliesModel) -> Applies:
    return Applies(
        languages=tuple(item.languages or pack.languages),
        paths=tuple(item.paths or pack.paths),
        exclude=(*pack.not_, *item.not_),
    )


def _checks(model: CheckModel, applies: Applies, path: DataPath) -> Iterator[CheckSpec]:
    if model.ruff is not None:
        yield RuffCheck(tuple(model.ruff))
    elif model.checker is not None:
        yield CheckerCheck(model.checker)
    elif model.linter is not None:
        yield LinterCheck(model.linter.name, tuple(model.linter.codes))
    elif model.ignores is not None:
        yield IgnoresCheck()
    elif model.text is not None:
        yield _text(model.text, (*path, "text"))
    elif model.ast_grep is not None:
        yield from _ast_grep(model.ast_grep, applies, (*path, "ast-grep"))


def _text(model: TextModel, path: DataPath) -> TextCheck:
    for key, pattern in (("regex", model.regex), ("unless", model.unless)):
        if pattern is None:
            continue
        try:
            linear(pattern)
        except ValueError as error:
            raise _FaultError((*path, key), f"not a regular expression of RE2: {error}") from None
    return TextCheck(model.regex, model.unless)


def _ast_grep(model: AstGrepModel, applies: Applies, path: DataPath) -> Iterator[AstGrepCheck]:
    languages = model.language or list(applies.languages)
    if not model.language and len(languages) != 1:
        raise _FaultError(path, 'an ast-grep rule needs a "language"')
    for language in languages:
        if language not in AST_GREP_LANGUAGES:
            raise _FaultError((*path, "language"), f'ast-grep does not know the language "{language}"')
        document = model.model_dump(exclude={"language"}, exclude_none=True, exclude_unset=True)
        yield AstGrepCheck(json.dumps({"language": language, **document}, ensure_ascii=False, sort_keys=True))


def _problems(error: ValidationError, document: Document, file: str, where: DataPath) -> Iterator[Problem]:
    for detail in error.errors(include_url=False, include_context=False):
        path = tuple(step for step in detail["loc"] if isinstance(step, str | int))
        name = path[-1] if path else "item"
        if detail["type"] == "missing":
            message = f'"{name}" is missing'
        elif detail["type"] == "extra_forbidden":
            message = f'unknown key "{name}"'
        else:
            words = detail["msg"].removeprefix("Value error, ")
            message = f'"{name}": {words}' if path else words
        yield Problem(file, document.line((*where, *path)), message, lost=True)
