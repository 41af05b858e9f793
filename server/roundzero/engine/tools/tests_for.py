"""Which tests name a function, class or file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roundzero.checkers._paths import is_test_path
from roundzero.core.item import language_of
from roundzero.core.outline import symbol_at
from roundzero.engine.tools._arguments import SIDE, Parameter, RefusedError
from roundzero.engine.tools._view import MOST_WIDTH, Found, Places, first_of, last_part, unsecret

if TYPE_CHECKING:
    from roundzero.engine.tools._arguments import Arguments
    from roundzero.engine.tools._view import ToolView

_MOST: Final = 40


class TestsFor:
    """Tests that mention something."""

    name = "tests_for"
    description = (
        "The lines of test files that name a function or class, or the module of a file, each with the test it is in. "
        "0 means that no test names it, not that none runs it."
    )
    parameters = (Parameter(name="name", description="a name, or the path of a file", required=True, most=1000), SIDE)

    def run(self, asked: Arguments, view: ToolView) -> Found:
        """Answer."""
        said = asked.text("name")
        is_file = "/" in said or language_of(view.path(said)) is not None
        word = _module_of(view.path(said)) if is_file else last_part(said)
        named = view.mentions(word, asked.side)
        places = Places({path: lines for path, lines in named.lines.items() if is_test_path(path)}, more=named.more)
        body: list[str] = []
        for path, lines in places.lines.items():
            try:
                source = view.source(path, asked.side)
                texts = view.lines(path, asked.side)
            except RefusedError:
                continue
            for line in lines[: _MOST - len(body)]:
                inside = symbol_at(path, source.index, line)
                where = f" in {inside}:" if inside is not None else ""
                body.append(f"{unsecret(path)}:{line}:{where} {texts[line - 1].strip()[:MOST_WIDTH]}")
        rest = first_of(len(body), places.count)
        what = "the module" if is_file else "it"
        return Found(f"tests name {what} in {places}, at the {asked.side.value}", body, rest)


def _module_of(path: str) -> str:
    """The name by which a file is imported."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    return folders[-1] if stem in {"__init__", "index", "mod"} and folders else stem


TOOL: Final = TestsFor()
