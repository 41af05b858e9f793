"""ast-grep: the structural rules that stand in pack files.

The command, not the library: the library ignores ``fix`` and can bring the interpreter down with an unknown language.
Rules run on our text under a name of our making, with no project configuration in reach. The finding's range is the
metavariable ``$MARK`` where a rule has one, else the match. Invariant: a rule that ast-grep refuses costs its own item.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from roundzero.core.finding import Edit, Fix, Hit
from roundzero.core.frozen import dataclass
from roundzero.core.item import AstGrepCheck, language_of
from roundzero.errors import OutsideError
from roundzero.linters import LinterResult
from roundzero.linters._base import ByteOffsets, Program, encoded, laid_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from roundzero.core.change import Source
    from roundzero.core.item import Item, ItemId

_SUFFIXES: Final[Mapping[str, str]] = {
    "bash": "sh", "c": "c", "cpp": "cpp", "csharp": "cs", "css": "css", "dart": "dart", "elixir": "ex", "go": "go",
    "haskell": "hs", "hcl": "hcl", "html": "html", "java": "java", "javascript": "js", "json": "json", "kotlin": "kt",
    "lua": "lua", "markdown": "md", "nix": "nix", "php": "php", "python": "py", "ruby": "rb", "rust": "rs",
    "scala": "scala", "solidity": "sol", "swift": "swift", "tsx": "tsx", "typescript": "ts", "yaml": "yml",
    "zig": "zig",
}  # fmt: skip
"""A file name ending by which ast-grep knows each of its languages."""

_ONE: Final = ("scan", "--json=stream", "--stdin")
_MANY: Final = (
    "scan",
    "--json=stream",
    *(f"--no-ignore={kind}" for kind in ("hidden", "dot", "exclude", "global", "parent", "vcs")),
)
_RULES: Final = "rules.txt"
_LONGEST_ARGUMENT: Final = 20_000
"""Characters of rules that go on a command line; Linux allows 128 KiB, Windows 32,767 characters in all."""
_SKIPPED_IN_FOLDERS: Final = 3_000_000
"""Bytes beyond which ast-grep passes over a file in a folder without a word; on standard input it does not."""

_SILENCER: Final = "ast-grep-ignore"
"""In a comment it makes ast-grep drop what it finds there; no option says otherwise. Only our own comments silence."""

_DISARMED: Final = "ast-grep-Ignore"
"""Takes its place in what ast-grep reads: as long, so that no offset changes."""


@dataclass(frozen=True, slots=True)
class _Rule:
    item: Item
    language: str
    document: str

    def fits(self, source: Source) -> bool:
        """Whether the rule may find something there."""
        return self.language == _language(source) and self.item.applies.matches(source.path)


@dataclass(frozen=True, slots=True)
class _Match:
    """What ast-grep found: in which source, by which rule and its number, and its own words."""

    source: int
    number: int
    rule: _Rule
    data: Mapping[str, Any]

    def place(self) -> tuple[int, int, int]:
        """Sort key: source, first byte, rule."""
        return (self.source, self.data["range"]["byteOffset"]["start"], self.number)


@dataclass(frozen=True, slots=True)
class AstGrep:
    """The linter. Holds no state."""

    program: Program

    @property
    def name(self) -> str:
        """The producer's name."""
        return self.program.name

    def at(self, path: str) -> AstGrep:
        """ast-grep, run from another program."""
        return AstGrep(Program(self.name, path))

    def takes(self, item: Item) -> bool:
        """Whether the item carries an ast-grep rule."""
        return any(isinstance(check, AstGrepCheck) for check in item.checks)

    async def version(self) -> str:
        """The program's version."""
        return await self.program.version()

    async def run(self, sources: Sequence[Source], items: Sequence[Item]) -> LinterResult:
        """Check the sources whose language some rule is for; without any, no process is started."""
        rules = _rules(items)
        together: list[int] = []
        groups = [together]
        for at, source in enumerate(sources):
            if any(rule.fits(source) for rule in rules):
                if len(source.text) > _SKIPPED_IN_FOLDERS // 4:  # bytes of a code point, at most
                    groups.append([at])
                else:
                    together.append(at)
        hits: list[tuple[int, ItemId, Hit]] = []
        failures: dict[tuple[int | None, str], None] = {}
        for group in groups:
            if not group:
                continue
            chosen = [sources[at] for at in group]
            try:
                found, refused = await _scan(
                    self.program, chosen, [rule for rule in rules if any(map(rule.fits, chosen))]
                )
            except (OutsideError, OSError) as error:
                failures.update({(None if group is together else group[0], str(error)): None})
                continue
            failures.update(dict.fromkeys((None, words) for words in refused))
            hits.extend((group[match.source], match.rule.item.id, hit) for match, hit in _hits(chosen, found))
        return LinterResult(tuple(sorted(hits, key=lambda hit: hit[0])), tuple(failures))


LINTER: Final = AstGrep(Program("ast-grep"))


async def complaint(check: AstGrepCheck, ast_grep: Program = LINTER.program) -> str | None:
    """What ast-grep has against a rule, or None. Raises OutsideError when it cannot be asked."""
    done = await ast_grep.start([*_ONE, "--inline-rules", _numbered([check.document])], stdin=b"\n")
    if done.returncode == 0:
        return None
    lines = [line.lstrip("╰▻ ").strip() for line in done.stderr.decode("utf-8", "replace").split("\n")]
    causes = [line for line in lines[lines.index("✖ Caused by") + 1 :] if line] if "✖ Caused by" in lines else lines
    return causes[-1] if causes else f"exit status {done.returncode}"


def _rules(items: Sequence[Item]) -> list[_Rule]:
    rules = []
    for item in items:
        for check in item.checks:
            if isinstance(check, AstGrepCheck):
                language = str(json.loads(check.document)["language"])
                rules.append(_Rule(item, "javascript" if language == "jsx" else language, check.document))
    return rules


def _language(source: Source) -> str | None:
    language = language_of(source.path)
    return "javascript" if language == "jsx" else language


def _numbered(documents: Sequence[str]) -> str:
    """The rules as one file, each with its number for an id. JSON is YAML, one document a rule."""
    return "\n---\n".join(f'{{"id": "{at}", {document.lstrip()[1:]}' for at, document in enumerate(documents))


async def _scan(ast_grep: Program, sources: Sequence[Source], rules: Sequence[_Rule]) -> tuple[list[_Match], list[str]]:
    """The matches, and what is wrong with rules that ast-grep refused. Raises OutsideError."""
    found = await _start(ast_grep, sources, rules)
    if found is not None:
        return found, []
    # One bad rule makes it refuse all: find it, and do without.
    complaints = [await complaint(AstGrepCheck(rule.document), ast_grep) for rule in rules]
    good = [rule for rule, words in zip(rules, complaints, strict=True) if words is None]
    found = await _start(ast_grep, sources, good) if good else []
    if found is None or len(good) == len(rules):
        raise OutsideError("ast-grep stopped without a result")
    return found, [
        f"{rule.item.id}: ast-grep does not accept the rule: {words}"
        for rule, words in zip(rules, complaints, strict=True)
        if words is not None
    ]


async def _start(ast_grep: Program, sources: Sequence[Source], rules: Sequence[_Rule]) -> list[_Match] | None:
    """Run ast-grep once; None when it stops without a result. Raises OutsideError."""
    documents = _numbered([rule.document for rule in rules])
    if len(sources) == 1 and len(documents) < _LONGEST_ARGUMENT:
        done = await ast_grep.start([*_ONE, "--inline-rules", documents], stdin=_disarmed(sources[0]))
    elif len(sources) == 1:
        async with laid_out([documents], [_RULES]) as laid:
            done = await ast_grep.start([*_ONE, "-r", *laid.places], cwd=laid.path, stdin=_disarmed(sources[0]))
    else:
        texts = [*(source.text.replace(_SILENCER, _DISARMED) for source in sources), documents]
        names = [*(f"{at}.{_SUFFIXES[_language(source) or '']}" for at, source in enumerate(sources)), _RULES]
        async with laid_out(texts, names) as laid:
            done = await ast_grep.start([*_MANY, "-r", [*laid.places][-1], "."], cwd=laid.path)
    if done.returncode != 0:
        return None
    found = []
    try:
        for line in done.stdout.split(b"\n"):
            if line:
                data = json.loads(line)
                source = 0 if len(sources) == 1 else laid.number(data["file"])
                found.append(_Match(source, int(data["ruleId"]), rules[int(data["ruleId"])], data))
    except (ValueError, LookupError, TypeError) as error:
        raise OutsideError(f"{ast_grep.name} gave an answer that could not be read") from error
    return found


def _disarmed(source: Source) -> bytes:
    return encoded(source.text.replace(_SILENCER, _DISARMED))


def _hits(sources: Sequence[Source], found: Sequence[_Match]) -> Iterator[tuple[_Match, Hit]]:
    """What the matches mean, by source and place, without those where their item does not apply."""
    offsets = [ByteOffsets(source.text) for source in sources]
    for match in sorted(
        found, key=lambda match: (match.source, match.data["range"]["byteOffset"]["start"], match.number)
    ):
        source = sources[match.source]
        if match.rule.item.applies.matches(source.path):
            yield match, _hit(source, offsets[match.source], match.data)


def _hit(source: Source, offsets: ByteOffsets, match: Mapping[str, Any]) -> Hit:
    place = match["range"]
    marked = match.get("metaVariables", {}).get("single", {}).get("MARK")
    if marked is not None:
        place = marked["range"]
    start, end = (offsets.characters(place["byteOffset"][side]) for side in ("start", "end"))
    fixes: tuple[Fix, ...] = ()
    if isinstance(match.get("replacement"), str):
        first, last = (offsets.characters(match["replacementOffsets"][side]) for side in ("start", "end"))
        old, new = source.text[first:last], match["replacement"].replace(_DISARMED, _SILENCER)
        title = f"Replace by `{new.strip().splitlines()[0][:60]}`" if new.strip() else "Delete it"
        fixes = (Fix(title, safe=False, edits=(Edit(source.path, source.index.span(first, last), old, new),)),)
    return Hit(path=source.path, span=source.index.span(start, end), fixes=fixes)
