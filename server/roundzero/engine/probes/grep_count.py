"""How many lines of the head hold a word, and whether anything uses or calls a function.

A count is what it is: of lines with the word, in comments and strings too. So a count settles an expected count, and
that nothing uses a function is settled by what surely is its use, or by its name standing nowhere else; outside of
Python only by a call. Invariant: of several functions of one name nothing is said.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.core.anatomy import ClaimVerdict
from roundzero.core.change import Side
from roundzero.core.claim_words import ABSENT, COUNT, PRESENT, UNCALLED, UNUSED
from roundzero.core.claims import Outcome, bound, unsure
from roundzero.core.regex import regex
from roundzero.core.resolution import Found
from roundzero.engine.probes._view import bare, is_python
from roundzero.engine.probes._written import all_definitions, calls, is_readable, lost

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from roundzero.core.claims import Asked
    from roundzero.core.ports import GrepHit
    from roundzero.core.resolution import DefinitionSite
    from roundzero.core.text import RelPath
    from roundzero.engine.probes._view import ProbeView

_EXPECTED: Final = regex(r"(>=|<=|>|<|==|=)?\s*(\d{1,7})(?:\s*(?:hits?|lines?))?")
_WORDS: Final = {ABSENT: "0", "no": "0", "none": "0", PRESENT: ">0", "yes": ">0", "": ">0"}
_MOST_WORD: Final = 200
_MOST_FILES: Final = 100
"""Files that are parsed to see what a use is; a name that more of them hold is used."""


class GrepCount:
    """See the module. ``path`` narrows a count to a file or folder."""

    kind = COUNT

    def words(self, asked: Asked) -> Collection[str]:
        """The word, or the last part of a dotted name."""
        word = bare(asked.probe.subject)
        return {word.rpartition(".")[2] if asked.probe.expect in {UNUSED, UNCALLED} else word}

    def look(self, asked: Asked, view: ProbeView) -> Outcome:
        """See Probing."""
        word = bare(asked.probe.subject)
        if not word or "\n" in word or len(word) > _MOST_WORD:
            return unsure("it is no word to be looked for")
        if asked.probe.expect in {UNUSED, UNCALLED}:
            name = word.rpartition(".")[2]
            if asked.path is not None and is_readable(asked.path) and name.isidentifier():
                return _called(view, asked.path, name)
            return _used(view, name, asked)
        return _counted(view, word, asked)


PROBE: Final = GrepCount()


def _counted(view: ProbeView, word: str, asked: Asked) -> Outcome:
    said = asked.probe.expect.strip().lower()
    expected = _EXPECTED.fullmatch(_WORDS.get(said, said))
    under = bare(asked.probe.path).removeprefix("./").rstrip("/")
    if expected is None:
        return unsure(f"{asked.probe.expect[:40]!r} is no number of lines")
    if under and not any(path == under or path.startswith(f"{under}/") for path in view.repository.paths(Side.HEAD)):
        return unsure(f"there is no {under}")
    hits = [hit for hit in view.hits(word) if not under or hit.path == under or hit.path.startswith(f"{under}/")]
    words = f"grep -w {word}{f' {under}' if under else ''}: {len(hits)} {'hit' if len(hits) == 1 else 'hits'}"
    verdict = _compared(expected[1] or "=", int(expected[2]), len(hits), _occurrences(word, hits))
    if verdict is not ClaimVerdict.UNVERIFIABLE and (file := view.unread()) is not None:
        return unsure(f"{words}, but {file}")
    return Outcome(verdict=verdict, words=words, blobs=bound(view.change, (), wide=True))


def _compared(sign: str, number: int, lines: int, times: int) -> ClaimVerdict:
    """Whether as many were expected. That there are more than expected proves nothing: a comment is a line as well."""
    least = {">": number + 1, ">=": number}.get(sign)
    most = {"<": number - 1, "<=": number}.get(sign)
    if least is not None:
        return ClaimVerdict.VERIFIED if lines >= least else _if(ClaimVerdict.REFUTED, holds=times < least)
    if most is not None:
        return _if(ClaimVerdict.VERIFIED, holds=times <= most)
    return ClaimVerdict.VERIFIED if lines == number else _if(ClaimVerdict.REFUTED, holds=times < number)


def _if(verdict: ClaimVerdict, *, holds: bool) -> ClaimVerdict:
    return verdict if holds else ClaimVerdict.UNVERIFIABLE


def _occurrences(word: str, hits: Sequence[GrepHit]) -> int:
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    return sum(len(pattern.findall(hit.text)) for hit in hits)


def _used(view: ProbeView, name: str, asked: Asked) -> Outcome:
    """Whether nothing uses, or calls, the one function or class of a name."""
    if not name.isidentifier():
        return unsure(f"{name[:60]!r} is no name")
    hits = view.hits(name)
    sites: Sequence[DefinitionSite] = ()
    if len(view.defined_in(name)) == 1:
        sites = view.symbols.definitions_of((name,), Side.HEAD).get(name, ())
    words = f"grep -w {name}: {len(hits)} {'hit' if len(hits) == 1 else 'hits'}"
    if len({hit.path for hit in hits}) > _MOST_FILES:
        return unsure(words)
    if len(sites) != 1 or sites[0].definition.parent != "module" or sites[0].definition.where:
        return unsure(f"{words}, and it is not clear which {name} is meant")
    (site,) = sites
    if (place := _use_of(view, site, calls=asked.probe.expect == UNCALLED)) is not None:
        path, line = place
        verb = "calls" if asked.probe.expect == UNCALLED else "uses"
        blobs = bound(view.change, [(path, Side.HEAD), (site.path, Side.HEAD)], wide=path != site.path)
        return Outcome(verdict=ClaimVerdict.REFUTED, words=f"{path}:{line} {verb} {name}", blobs=blobs)
    others = [hit for hit in hits if (hit.path, hit.line) != (site.path, site.definition.line)]
    if others or _is_used_otherwise(view, site) is not None or view.unread() is not None:
        return unsure(words)
    return Outcome(
        verdict=ClaimVerdict.VERIFIED,
        words=f"{words}, its definition",
        blobs=bound(view.change, (), wide=True),
    )


def _called(view: ProbeView, near: RelPath, name: str) -> Outcome:
    """Whether the one function of a name in another language is surely called; that it is not is never said."""
    hits = view.hits(name)
    words = f"grep -w {name}: {len(hits)} {'hit' if len(hits) == 1 else 'hits'}"
    sites = all_definitions(view, near, name) or []
    if len(sites) != 1 or sites[0].kind != "function" or lost(view, near, name) is not None:
        return unsure(f"{words}, and it is not clear which {name} is meant")
    (site,) = sites
    place = next(calls(view, site, name), None)
    if place is None:
        return unsure(words)
    blobs = bound(view.change, [(place[0], Side.HEAD), (site.path, Side.HEAD)], wide=place[0] != site.path)
    return Outcome(verdict=ClaimVerdict.REFUTED, words=f"{place[0]}:{place[1]} calls {name}", blobs=blobs)


def _use_of(view: ProbeView, site: DefinitionSite, *, calls: bool) -> tuple[RelPath, int] | None:
    """A line outside the definition that surely reads, or calls, it; the test of a use in comments is that none is."""
    name = site.definition.name
    for each in view.symbols.uses_of((name,), Side.HEAD).get(name, ()):
        own = each.path == site.path and site.definition.first_line <= each.use.line <= site.definition.last_line
        if own or each.use.local or each.use.chain.startswith(".") or each.use.chain.rpartition(".")[2] != name:
            continue
        start = (each.use.line, each.use.column)
        called = any((row.line, row.column) == start and row.callee == each.use.chain for row in each.uses.calls)
        if calls and not called:
            continue
        found = view.symbols.resolve_chain(each.path, each.use.chain, Side.HEAD)
        answer = found.answer
        if (
            isinstance(answer, Found)
            and not found.rest
            and answer.sure
            and answer.path == site.path
            and answer.definition is not None
            and answer.definition.qualified == site.definition.qualified
        ):
            return each.path, each.use.line
    return None


def _is_used_otherwise(view: ProbeView, site: DefinitionSite) -> str | None:
    """Why something may use a function that nothing names, or None."""
    row = site.definition
    facts = view.symbols.facts(site.path, Side.HEAD)
    if not row.name.startswith("_") or row.name.startswith("__"):
        return "others than this repository may use it"
    if row.decorators or row.keywords or row.bases:
        return "what it is decorated with, or a subclass of, may use it"
    if facts is None or facts.dynamic or not is_python(site.path):
        return "its module is dynamic"
    return None
