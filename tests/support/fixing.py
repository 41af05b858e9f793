"""Applies the quick fixes of what is shown of a fixture, and looks again.

Invariant: what comes back was seen to be valid, where it is Python, and to be rid of the finding.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from roundzero.core.change import Side
from roundzero.packs.examples import parse
from support.checking import FixtureRepository, run_on

if TYPE_CHECKING:
    from roundzero.core.finding import Fix
    from roundzero.core.text import RelPath
    from roundzero.packs.examples import Fixture


def applied(fixture: Fixture, fix: Fix) -> dict[RelPath, str]:
    """The head texts after a fix."""
    repository = FixtureRepository(fixture)
    texts = dict(fixture.head)
    for edit in sorted(fix.edits, key=lambda edit: edit.span, reverse=True):
        source = repository.read(edit.path, Side.HEAD)
        assert source is not None
        start, end = source.index.offset(edit.span.start), source.index.offset(edit.span.end)
        assert source.text[start:end] == edit.old_text
        texts[edit.path] = texts[edit.path][:start] + edit.new_text + texts[edit.path][end:]
    return texts


class Mended(NamedTuple):
    """A file's text before and after a fix, its lines ended as on Unix."""

    before: str
    after: str

    @property
    def put_in(self) -> tuple[str, str]:
        """The line above what a fix puts in, without its indent, and the lines that it puts in: nothing else goes."""
        old, new = self.before.split("\n"), self.after.split("\n")
        more = len(new) - len(old)
        at = next(
            at for at in range(len(old) + 1) if new[:at] + new[at + more :] == old and new[: at + 1] != old[: at + 1]
        )
        return (old[at - 1].strip() if at else "", "\n".join(new[at : at + more]))


def mended(text: str, item: str, *, crlf: bool = False) -> Mended | None:
    r"""What the first fix of the one finding makes of its file; None where it has none.

    With ``crlf`` both sides of every file have ``\r\n``, and so must what comes back.
    """
    fixture = parse(text)
    if crlf:
        base, head = (
            {path: text.replace("\n", "\r\n") for path, text in side.items()} for side in (fixture.base, fixture.head)
        )
        fixture = replace(fixture, base=base, head=head)
    done = run_on(fixture, item)
    assert not done.failures
    (seen,) = done.shown
    if not seen.fixes:
        return None
    texts = applied(fixture, seen.fixes[0])
    path = seen.fixes[0].edits[0].path
    if path.endswith(".py"):
        ast.parse(texts[path])
    again = run_on(replace(fixture, head={**fixture.head, **texts}), item)
    assert not again.shown
    assert not again.failures
    assert texts[path].count("\n") == texts[path].count("\r\n") or not crlf
    return Mended(fixture.head[path].replace("\r\n", "\n"), texts[path].replace("\r\n", "\n"))
