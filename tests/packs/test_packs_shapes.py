"""The shipped examples in other shapes: other terminators, odd characters and lines above, no final newline.

What is seen, where it stands, its identity and what its fixes make of the text must not depend on any of it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

import pytest

from roundzero.core.change import Side
from roundzero.core.finding import Fix, fingerprint, observe
from roundzero.core.item import AstGrepCheck, Item, ItemId, RuffCheck, language_of
from roundzero.core.text import LineIndex, RelPath
from roundzero.linters import discover
from roundzero.packs.compiling import examples_of
from roundzero.packs.examples import Fixture, parse
from roundzero.packs.loader import built_in_files
from support.checking import built_in, checker_examples, run_on, source
from support.loop import run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.core.change import Source
    from roundzero.core.finding import Observation

_ODD: Final = "a \U0001f600\t\x0c \x85 b"
_SLASHED: Final = ("c", "cpp", "cuda", "javascript", "jsx", "typescript", "tsx")
_COMMENTS: Final = {
    **dict.fromkeys(("python", "yaml", "toml", "shell", "starlark"), "# {}\n"),
    **dict.fromkeys(_SLASHED, "/* {} */\n"),
    "markdown": "<!-- {} -->\n",
}
_NO_CONTROL: Final = {"yaml", "toml"}
"""Languages in which a control character breaks the file."""

Seen: TypeAlias = "tuple[str | None, int, int, int, int, str, str | None]"


@dataclass(frozen=True)
class Shape:
    """A way to write a text.

    ``above``: what a comment above it holds, "" for none. ``before``: what stands in a comment at the start of lines,
    where a language has such comments.
    """

    above: str = ""
    before: str = ""
    crlf: bool = False
    final: bool = True

    def of(self, path: RelPath, text: str) -> str:
        """The text in this shape."""
        comment = self._comment(path)
        if text.startswith("#!"):
            first, _, rest = text.partition("\n")
            text = f"{first}\n{comment}{rest}"
        else:
            text = comment + text
        if self._before(path):
            lines = text.split("\n")
            text = "\n".join(self._before(path) + line if _takes_comment(line) else line for line in lines)
        if not self.final:
            text = text.removesuffix("\n")
        return text.replace("\n", "\r\n") if self.crlf else text

    def line(self, path: RelPath, text: str, line: int) -> int:
        """Where a line of the text went."""
        stays = line == 0 or (line == 1 and text.startswith("#!"))
        return line if stays else line + self._comment(path).count("\n")

    def column(self, path: RelPath, line: str, column: int) -> int:
        """Where a column of a line went."""
        return column + len(self._before(path)) if _takes_comment(line) else column

    def _before(self, path: RelPath) -> str:
        return f"/* {self.before} */ " if self.before and language_of(path) in _SLASHED else ""

    def _comment(self, path: RelPath) -> str:
        language = language_of(path) or ""
        comment = _COMMENTS.get(language, "")
        above = "a b" if language in _NO_CONTROL else self.above
        return comment.format(above) * 2 if self.above else ""


def _takes_comment(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(("#", "*", "/", "<", "}"))


MORE: Final = (
    (
        "general/broken-relative-link",
        """\
//- docs/use.md
 Use
 ===

 With care
 ---------
//- README.md
 See [here], [there] and [the rest](docs/use.md#with-care).

+[here]: docs/gone.md
+[there]: docs/use.md#use
""",
    ),
    (
        "dependencies/prerelease-pin",
        """\
//- pyproject.toml
 [tool.poetry]
 name = "shop"

 [tool.poetry.dependencies]
+attrs = "24.1.0rc1"
""",
    ),
    (
        "general/large-file-added",
        """\
//- .pre-commit-config.yaml
 repos:
   - hooks:
       - id: check-added-large-files
         args:
           - --maxkb
           - "100"
//! models/tiny.bin 150000
""",
    ),
    (
        "python/unresolved-import",
        """\
//- .gitignore
 app/version_made
//- app/__init__.py
 # the shop
//- app/main.py
+from app import version_made
""",
    ),
)
"""Items with texts that say what no shipped example says, and that a line's end could change."""

SHAPES: Final = {
    "as it is": Shape(),
    "crlf": Shape(crlf=True),
    "odd characters above": Shape(above=_ODD),
    "a separator of lines above": Shape(above="a\u2028b"),
    "lone returns above": Shape(above="a\r# b"),
    "lone returns above, crlf": Shape(above="a\r# b", crlf=True),
    "odd characters on the line": Shape(before="\U0001f600\t\u2028"),
    "no final newline": Shape(final=False),
}


def shaped(fixture: Fixture, shape: Shape) -> Fixture:
    """The fixture with all its texts in a shape."""
    base = {path: shape.of(path, text) for path, text in fixture.base.items()}
    head = {path: shape.of(path, text) for path, text in fixture.head.items()}
    return replace(fixture, base=base, head=head)


def _row(seen: Observation, shape: Shape, fixture: Fixture, *, same_line: bool) -> Seen:
    """What an observation of the fixture says, its place that in the shaped text; with its identity by ``same_line``.

    The line it stands on is a part of that.
    """
    start, end, column, last = 0, 0, 0, 0
    if seen.span is not None and seen.path is not None:
        text = (fixture.head if seen.side is Side.HEAD else fixture.base)[seen.path]
        start, end = (shape.line(seen.path, text, each.line) for each in (seen.span.start, seen.span.end))
        lines = LineIndex(text)
        places = ((lines.line(each.line), each.column) for each in (seen.span.start, seen.span.end))
        column, last = (shape.column(seen.path, *place) for place in places)
    title = seen.title.partition(":")[0]
    identity = fingerprint(seen.item, seen.path, seen.symbol, seen.anchor_text) if same_line else None
    return (seen.path, start, column, end, last, title, identity)


def _fixed(text: str, fixes: Iterable[Fix]) -> Iterator[str]:
    """What each fix makes of a text, with line feeds as terminators; its edits have to fit."""
    index = LineIndex(text)
    for fix in fixes:
        now = text
        for edit in sorted(fix.edits, key=lambda edit: edit.span, reverse=True):
            assert index.slice(edit.span) == edit.old_text, fix
            now = now[: index.offset(edit.span.start)] + edit.new_text + now[index.offset(edit.span.end) :]
        yield now.replace("\r\n", "\n")


def _differences(
    item: str, fixture: Fixture, plain: Iterable[Observation], now: Iterable[Observation], shape: Shape
) -> Iterator[str]:
    plain, now = sorted(plain, key=_order), sorted(now, key=_order)
    same_line = not shape.before
    wanted = [_row(seen, shape, fixture, same_line=same_line) for seen in plain]
    got = [_row(seen, SHAPES["as it is"], fixture, same_line=same_line) for seen in now]
    if wanted != got:
        yield f"{item}: {wanted} became {got}"
        return
    for before, after in zip(plain, now, strict=True):
        if not (before.fixes or after.fixes) or before.path is None:
            continue
        if shape.before and not after.fixes and all(map(_adds_lines, before.fixes)):
            continue  # lines that begin with a comment are no model for new ones
        texts = [shape.of(before.path, text) for text in _fixed(fixture.head[before.path], before.fixes)]
        texts = [text.replace("\r\n", "\n") for text in texts]
        made = list(_fixed(shape.of(before.path, fixture.head[before.path]), after.fixes))
        if [text.rstrip("\n") for text in made] != [text.rstrip("\n") for text in texts]:
            yield f"{item}: its fixes make {made} and not {texts}"


def _adds_lines(fix: Fix) -> bool:
    """Whether a fix only writes lines of its own, which have to look like those beside them."""
    return all(not edit.old_text and "\n" in edit.new_text for edit in fix.edits)


def _order(seen: Observation) -> tuple[str, str, int, int, str]:
    column = seen.span.start.column if seen.span is not None else 0
    return (seen.path or "", seen.side.value, seen.line, column, seen.title)


@cache
def _checked(name: str) -> tuple[tuple[str, Fixture, tuple[Observation, ...]], ...]:
    """What checkers say of every example in a shape."""
    rows = []
    for item, text in (*checker_examples(), *MORE):
        fixture = parse(text)
        done = run_on(shaped(fixture, SHAPES[name]), item)
        assert not done.failures, (item, done.failures)
        rows.append((item, fixture, done.shown))
    return tuple(rows)


@cache
def _linted(name: str) -> tuple[tuple[str, Fixture, tuple[Observation, ...]], ...]:
    """What ruff and ast-grep say of the head of every example in a shape: one run of each program."""
    cases = [(item, parse(text)) for item, text in _linter_examples()]
    texts: list[tuple[int, Source]] = []
    for at, (_, fixture) in enumerate(cases):
        texts += [(at, source(path, text)) for path, text in shaped(fixture, SHAPES[name]).head.items()]
    items = [replace(built_in().by_id[ItemId(each)], enabled=True) for each in sorted({item for item, _ in cases})]
    by_id = {item.id: item for item in items}
    found: dict[int, list[Observation]] = defaultdict(list)
    for linter in discover():
        taken = [item for item in items if linter.takes(item)]
        result = run(linter.run([each for _, each in texts], taken))
        assert result.failures == ()
        for at, item, hit in result.hits:
            if item == cases[texts[at][0]][0]:
                seen = observe(by_id[item], hit, texts[at][1], producer=linter.name, version="0")
                found[texts[at][0]].append(seen)
    return tuple((item, fixture, tuple(found[at])) for at, (item, fixture) in enumerate(cases))


def _linter_examples() -> Iterator[tuple[ItemId, str]]:
    """Every example of an item that ruff or ast-grep decides: the item and the text."""
    for file in built_in_files():
        for example in examples_of(file.read_text(encoding="utf-8")):
            if _is_linted(built_in().by_id[example.item]):
                yield example.item, example.text


def _is_linted(item: Item) -> bool:
    return any(isinstance(check, (RuffCheck, AstGrepCheck)) for check in item.checks)


@pytest.mark.parametrize("name", [name for name in SHAPES if name != "as it is"])
def test_a_checker_sees_the_same_in_every_shape_of_a_text(name: str) -> None:
    """Every finding is there, at the line and columns it moved to, with its identity and its fixes."""
    pairs = zip(_checked("as it is"), _checked(name), strict=True)
    wrong = [
        words
        for (item, fixture, plain), (_, _, now) in pairs
        for words in _differences(item, fixture, plain, now, SHAPES[name])
    ]
    assert wrong == []


@pytest.mark.parametrize("name", [name for name in SHAPES if name != "as it is"])
def test_ruff_and_ast_grep_see_the_same_in_every_shape_of_a_text(name: str) -> None:
    """Every finding is there, at the line and columns it moved to, with its identity and its fixes."""
    pairs = zip(_linted("as it is"), _linted(name), strict=True)
    wrong = [
        words
        for (item, fixture, plain), (_, _, now) in pairs
        for words in _differences(item, fixture, plain, now, SHAPES[name])
    ]
    assert wrong == []


def test_the_shapes_are_put_to_most_examples() -> None:
    """Both kinds of item have examples with findings and with fixes, so that there is something to compare."""
    for rows in (_checked("as it is"), _linted("as it is")):
        assert sum(bool(seen) for _, _, seen in rows) > 50
        assert any(each.fixes for _, _, seen in rows for each in seen)
