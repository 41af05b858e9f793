"""handlers-differ: two places of a file make the same call, and what they catch around it overlaps but differs.

The second half of redundant-except: one place catches ``(OSError, ValueError)``, the other ``(OSError, UnicodeError)``,
and one of them lets pass what the other has met. The call is all that is tried, is made in the same way, and surely
means the same: something the file imports or defines once, a method of the class around, or one of files by its name.
Silent in tests, where there are several handlers, and where what is caught is the same by Python's own classes.
Invariant: a tuple of one of the two places stands on an added line, and the base had no such pair.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import Pair, RelationChecker, code
from roundzero.checkers._paths import is_test_path
from roundzero.checkers._python import definitions, dotted, last_name, near
from roundzero.checkers.redundant_except import bound_in, is_covered_by
from roundzero.core.change import Side
from roundzero.core.finding import Edit, Fix, Hit, evidence_at
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from roundzero.checkers._python import Parsed

_TUPLE: Final = regex(r"\bexcept[ \t]*\(")
_PART: Final = regex(r"\bexcept[ \t]*\(|^[ \t]*[\w.]+[ \t]*[,)]")
"""What a line may hold that a tuple stands on."""

_RUNS_ANOTHER: Final = regex(
    r"(?:^|\.)(?:run\w*|call\w*|invoke\w*|execute\w*|submit|apply\w*|send\w*|request|get|post|to_thread|wait_for|retry\w*|"
    r"getattr|import_module|load_module|check_call|check_output|Popen|partial)$"
)
"""What makes another call or asks another side, and raises what that raises."""

_OF_FILES: Final = frozenset(
    {"read_text", "read_bytes", "write_text", "write_bytes", "iterdir", "readlink", "rmdir", "unlink", "touch"}
)
"""Methods that are a path's, whatever it is called."""

_OS_ERRORS: Final = frozenset(
    {
        "shutil.Error",
        "ssl.SSLError",
        "socket.gaierror",
        "socket.herror",
        "urllib.error.URLError",
        "urllib.error.HTTPError",
    }
)
"""What derives from OSError beside the builtins."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A ``try`` around one call: the call, what it means, and the tuple that is caught."""

    call: ast.Call
    meaning: str
    caught: ast.Tuple

    @property
    def names(self) -> tuple[str, ...]:
        """The members of the tuple."""
        return tuple(dotted(each) for each in self.caught.elts)


class HandlersDiffer(RelationChecker):
    """Finds calls that are guarded in two ways."""

    name = "handlers-differ"

    def compare(self, pair: Pair) -> Iterable[Hit]:
        """Compare the places that an added line belongs to with the others of the file."""
        file = pair.file
        if file.head is None or language_of(file.path) != "python" or is_test_path(file.path):
            return
        if len(_TUPLE.findall(file.head.text)) < 2:
            return
        if not any(_PART.search(file.head.index.line(line)) for line in file.added):
            return
        head = pair.head
        groups = _places(head)
        new = {
            meaning: [place for place in places if not file.added.isdisjoint(head.span(place.caught).lines)]
            for meaning, places in groups.items()
        }
        if not any(new.values()):
            return
        before = _places(pair.base) if file.base is not None and pair.is_python else {}
        for meaning, places in groups.items():
            for place in new[meaning]:
                others = [each for each in places if each not in new[meaning]] or places[: places.index(place)]
                other = next((each for each in others if _differ(place, each)), None)
                if other is not None and not _was_there(before.get(meaning, ()), place, other):
                    yield _hit(head, place, other, places)


def _places(file: Parsed) -> dict[str, list[_Place]]:
    """The places by what their call means, in the order of the text; only of what means one thing in the file."""
    nodes = [*near(file, {"try"})]
    single = [(node, call) for node in nodes if isinstance(node, ast.Try) and (call := _only_call(node)) is not None]
    times = Counter(last_name(call.func) for _, call in single)
    single = [(node, call) for node, call in single if times[last_name(call.func)] > 1]
    if not single:
        return {}
    roots = {dotted(call.func).split(".")[0] for _, call in single}
    bound, lasting = bound_in(file, roots), _lasting(file, roots)
    known = {root for root in roots if bound[root] == 1 and root in lasting}
    owners = {
        id(part): each.name for each in file.tree.body if isinstance(each, ast.ClassDef) for part in ast.walk(each)
    }
    methods = definitions(file.tree)
    groups: dict[str, list[_Place]] = defaultdict(list)
    for node, call in single:
        callee = dotted(call.func)
        root, _, rest = callee.partition(".")
        method = f"{owners.get(id(node))}.{rest}"
        meaning = ""
        if root in known:
            meaning = callee
        elif root in {"self", "cls"} and method in methods:
            meaning = method
        elif last_name(call.func) in _OF_FILES:
            meaning = last_name(call.func)
        caught = node.handlers[0].type
        if meaning and isinstance(caught, ast.Tuple) and _RUNS_ANOTHER.search(callee) is None:
            groups[meaning].append(_Place(call, meaning, caught))
    for places in groups.values():
        places.sort(key=lambda place: file.start(place.call))
    return groups


def _lasting(file: Parsed, names: Collection[str]) -> set[str]:
    """Which names a file imports, or defines at its top."""
    found = {
        part.name for part in file.tree.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    }
    aliases = (part for part in near(file, names) if isinstance(part, ast.alias))
    return found | {alias.asname or alias.name.split(".")[0] for alias in aliases}


def _only_call(node: ast.Try) -> ast.Call | None:
    """The one call that is tried, if one handler with a tuple of several names is all that meets its errors."""
    calls = [part for statement in node.body for part in ast.walk(statement) if isinstance(part, ast.Call)]
    if len(node.body) != 1 or len(calls) != 1 or len(node.handlers) != 1 or not dotted(calls[0].func):
        return None
    caught = node.handlers[0].type
    is_plain = isinstance(caught, ast.Tuple) and len(caught.elts) > 1 and all(map(dotted, caught.elts))
    return calls[0] if is_plain else None


def _differ(one: _Place, other: _Place) -> bool:
    """Whether what two places catch overlaps and is not the same, and they call in the same way."""
    if set(one.names).isdisjoint(other.names) or not _alike(one.call, other.call):
        return False
    return bool(_beyond(one.names, other.names) or _beyond(other.names, one.names))


def _alike(one: ast.Call, other: ast.Call) -> bool:
    """Whether two calls pass as many arguments, by the same names, and the same constants by name."""
    if len(one.args) != len(other.args) or any(isinstance(each, ast.Starred) for each in (*one.args, *other.args)):
        return False
    named = [{each.arg: each.value for each in call.keywords} for call in (one, other)]
    if named[0].keys() != named[1].keys() or None in named[0]:
        return False
    return all(
        ast.dump(value) == ast.dump(named[1][name])
        for name, value in named[0].items()
        if isinstance(value, ast.Constant) or isinstance(named[1][name], ast.Constant)
    )


def _beyond(names: Sequence[str], covering: Sequence[str]) -> list[str]:
    """The names of which others do not cover all."""
    return [
        name
        for name in names
        if name not in covering
        and not any(is_covered_by("OSError" if name in _OS_ERRORS else name, each) for each in covering)
    ]


def _was_there(places: Sequence[_Place], one: _Place, other: _Place) -> bool:
    """Whether two places of the base caught what these do."""
    caught = [set(place.names) for place in places]
    return set(one.names) in caught and set(other.names) in caught


def _hit(file: Parsed, place: _Place, other: _Place, places: Sequence[_Place]) -> Hit:
    missing = _beyond(other.names, place.names) or _beyond(place.names, other.names)
    source = file.source
    return Hit(
        path=source.path,
        span=file.span(place.caught),
        subject=f"{code(place.meaning)}, {code(', '.join(missing))}",
        evidence=(evidence_at(source, file.start(other.caught).line, "the other place", Side.HEAD),),
        fixes=_fixes(file, place, other, places),
    )


def _fixes(file: Parsed, place: _Place, other: _Place, places: Sequence[_Place]) -> tuple[Fix, ...]:
    """Catch in both places what the one that covers more does, or what both do together."""
    known = (set(place.names), set(other.names))
    if any(set(each.names) not in known or not _alike(each.call, place.call) for each in places):
        return ()
    if any("#" in file.text(each.caught) for each in places):
        return ()
    more, less = _beyond(place.names, other.names), _beyond(other.names, place.names)
    if more and less:
        new = f"({', '.join([*_rest(place.names, less), *less])})"
        changed = [*places]
    else:
        wide, narrow = (other, place) if less else (place, other)
        new = file.text(wide.caught)
        changed = [each for each in places if set(each.names) == set(narrow.names)]
    edits = tuple(Edit(file.source.path, file.span(each.caught), file.text(each.caught), new) for each in changed)
    where = "both places" if len(places) == 2 else f"all {len(places)} places"
    return (Fix(f"Catch {new} in {where}", safe=False, edits=edits),)


def _rest(names: Iterable[str], added: Sequence[str]) -> Iterator[str]:
    """The names that others do not cover."""
    return (name for name in names if _beyond([name], added))


CHECKER: Final = HandlersDiffer
