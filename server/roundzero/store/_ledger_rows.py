"""Entries, events and rounds as rows of text, and back.

JSON in ASCII: short keys, absent where a field has its default, and of a sighting only what differs from the one
before, because most events say no more than that a finding moved with its file. Invariant: decoding what was encoded
gives an equal value, given the same sighting before.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from roundzero.core.change import Side
from roundzero.core.dismissal import Dismissal, DismissalScope
from roundzero.core.finding import Evidence, FindingId, State, Verified
from roundzero.core.item import ItemId, Severity
from roundzero.core.ledger import Entry, Event, Proof, Round, Sign
from roundzero.core.report import VerdictStatus
from roundzero.core.sighting import Sighting
from roundzero.core.text import Position, RelPath, Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.anatomy import Anatomy

Row = dict[str, Any]

_NAMES: Final = (
    "item", "producer", "producer_version", "source", "severity", "title", "path", "side", "span", "symbol",
    "anchor_text", "blob", "why", "evidence", "anatomy",
)  # fmt: skip
_SHORT: Final = {name: "iqrvsxpdnyatwez"[at] for at, name in enumerate(_NAMES)}


_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))
_STATES: Final = {state.value: state for state in State}
_SIDES: Final = {side.value: side for side in Side}
_SEVERITIES: Final = tuple(Severity)
"""Looked up, because calling an enumeration is ten times as slow, and opening a ledger decodes thousands."""


def dumps(row: object) -> str:
    """One line of JSON."""
    return _ENCODER.encode(row)


def entry_row(entry: Entry) -> str:
    """An entry."""
    row: Row = {"s": entry.state.value, "g": sighting_row(entry.sighting, None), "f": entry.first_seen}
    row |= _some(
        l=entry.last_seen, n=entry.regressions or None, m=entry.family, o=entry.into, p=_proof_row(entry.proof),
        d=dismissal_row(entry.dismissal), r=_proof_row(entry.regraded), t=entry.since or None, e=entry.left,
    )  # fmt: skip
    return dumps(row)


def entry_of(name: str, row: Mapping[str, Any]) -> Entry:
    """The entry of a row."""
    return Entry(
        id=FindingId(name),
        state=_STATES[row["s"]],
        sighting=sighting_of(row["g"], None),
        first_seen=row["f"],
        last_seen=row.get("l"),
        regressions=row.get("n", 0),
        family=_id(row.get("m")),
        into=_id(row.get("o")),
        proof=_proof_of(row.get("p")),
        dismissal=dismissal_of(row.get("d")),
        regraded=_proof_of(row.get("r")),
        since=row.get("t", ""),
        left=row.get("e"),
    )


def event_row(event: Event, before: Sighting | None) -> Row:
    """An event, given the sighting of its entry before it."""
    sighting = sighting_row(event.sighting, before) if event.sighting is not None else None
    return {"k": event.sign.value, "t": event.at} | _some(
        g=sighting,
        p=_proof_row(event.proof),
        d=dismissal_row(event.dismissal),
        o=event.into,
        v=int(event.severity) if event.severity is not None else None,
        b=event.by,
    )


def event_of(name: str, index: int | None, row: Mapping[str, Any], before: Sighting | None) -> Event:
    """The event of a row."""
    return Event(
        id=FindingId(name),
        sign=Sign(row["k"]),
        at=row["t"],
        round=index,
        sighting=sighting_of(row["g"], before) if "g" in row else None,
        proof=_proof_of(row.get("p")),
        dismissal=dismissal_of(row.get("d")),
        into=_id(row.get("o")),
        severity=Severity(row["v"]) if "v" in row else None,
        by=row.get("b"),
    )


def sighting_row(seen: Sighting, before: Sighting | None) -> Row:
    """The fields of a sighting that differ from ``before``."""
    if before is None:
        return _whole(seen)
    if before is seen:
        return {}
    row: Row = {}
    for name, short in _SHORT.items():
        value = getattr(seen, name)
        if value != getattr(before, name):
            row[short] = _anatomy_row(value) if name == "anatomy" else _plain(value)
    return row


def _whole(seen: Sighting) -> Row:
    row: Row = {
        "i": seen.item, "q": seen.producer, "r": seen.producer_version, "v": seen.source, "s": int(seen.severity),
        "x": seen.title, "p": seen.path, "d": seen.side.value, "n": _plain(seen.span), "a": seen.anchor_text,
        "t": seen.blob,
    }  # fmt: skip
    if seen.symbol is not None:
        row["y"] = seen.symbol
    if seen.why:
        row["w"] = seen.why
    if seen.evidence:
        row["e"] = _plain(seen.evidence)
    if seen.anatomy is not None:
        row["z"] = _anatomy_row(seen.anatomy)
    return row


def _anatomy_row(value: Anatomy | None) -> Row | None:
    if value is None:
        return None
    from roundzero.store._anatomy_rows import anatomy_row  # noqa: PLC0415  where a model took part

    return anatomy_row(value)


def _anatomy_of(row: Row | None) -> Anatomy | None:
    if row is None:
        return None
    from roundzero.store._anatomy_rows import anatomy_of  # noqa: PLC0415  as above

    return anatomy_of(row)


def _plain(value: object) -> object:
    match value:
        case Span():
            return [value.start.line, value.start.column, value.end.line, value.end.column]
        case Severity():
            return int(value)
        case Side():
            return value.value
        case tuple():
            return [[e.path, e.side.value, e.line, e.quote, e.role, e.blob, e.verified.value] for e in value]
        case _:
            return value


def sighting_of(row: Mapping[str, Any], before: Sighting | None) -> Sighting:
    """The sighting of a row over ``before``."""
    if before is not None:
        changed = {name: _value(name, row[short]) for name, short in _SHORT.items() if short in row}
        return replace(before, **changed)
    span, path = row["n"], row["p"]
    return Sighting(
        item=ItemId(row["i"]),
        producer=row["q"],
        producer_version=row["r"],
        source=row["v"],
        severity=_SEVERITIES[row["s"]],
        title=row["x"],
        path=RelPath(path) if path is not None else None,
        side=_SIDES[row["d"]],
        span=None if span is None else Span(Position(span[0], span[1]), Position(span[2], span[3])),
        symbol=row.get("y"),
        anchor_text=row["a"],
        blob=row["t"],
        why=row.get("w", ""),
        evidence=_value("evidence", row["e"]) if "e" in row else (),
        anatomy=_anatomy_of(row.get("z")),
    )


def _value(name: str, value: Any) -> Any:  # noqa: ANN401  JSON in, a field's value out
    match name:
        case "span":
            return None if value is None else Span(Position(value[0], value[1]), Position(value[2], value[3]))
        case "severity":
            return Severity(value)
        case "side":
            return Side(value)
        case "anatomy":
            return _anatomy_of(value)
        case "evidence":
            return tuple(
                Evidence(
                    path=RelPath(e[0]), side=Side(e[1]), line=e[2], quote=e[3], role=e[4], blob=e[5],
                    verified=Verified(e[6]),
                )
                for e in value
            )  # fmt: skip
        case _:
            return value


def round_row(each: Round) -> str:
    """A round; its index is a column."""
    verdict = each.verdict.value if each.verdict is not None else ""
    return dumps(
        {
            "t": each.at, "m": each.merge_base, "s": each.snapshot, "g": each.settings, "v": verdict,
            "c": each.counts, "h": each.commit, "d": each.delta, "n": each.full, "a": each.absent,
        }
    )  # fmt: skip


def round_of(index: int, text: str) -> Round:
    """The round of a row."""
    row = json.loads(text)
    p0, p1, p2, p3 = row["c"]
    return Round(
        index=index,
        at=row["t"],
        merge_base=row["m"],
        snapshot=row["s"],
        settings=row["g"],
        verdict=VerdictStatus(row["v"]) if row["v"] else None,
        counts=(p0, p1, p2, p3),
        commit=row["h"],
        delta=tuple(RelPath(path) for path in row["d"]),
        full=row["n"],
        absent=tuple(FindingId(name) for name in row["a"]),
    )


def dismissal_row(each: Dismissal | None) -> Row | None:
    """A dismissal."""
    if each is None:
        return None
    return {
        "id": each.id, "scope": each.scope.value, "item": each.item, "path": each.path, "symbol": each.symbol,
        "anchor": each.anchor, "reason": each.reason, "by": each.by, "at": each.at, "expires": each.expires,
    }  # fmt: skip


def dismissal_of(row: Mapping[str, Any] | None) -> Dismissal | None:
    """The dismissal of a row."""
    if row is None:
        return None
    return Dismissal(
        id=FindingId(row["id"]),
        scope=DismissalScope(row["scope"]),
        item=ItemId(row["item"]),
        path=row["path"],
        symbol=row["symbol"],
        anchor=row["anchor"],
        reason=row["reason"],
        by=row["by"],
        at=row["at"],
        expires=row["expires"],
    )


def _proof_row(proof: Proof | None) -> list[object] | None:
    if proof is None:
        return None
    row: list[object] = [proof.text, proof.path, proof.line, proof.commit]
    return row if proof.quote is None else [*row, proof.quote]


def _proof_of(row: list[Any] | None) -> Proof | None:
    if row is None:
        return None
    text, path, line, commit, *quote = row
    return Proof(text=text, path=path, line=line, commit=commit, quote=quote[0] if quote else None)


def _id(value: str | None) -> FindingId | None:
    return None if value is None else FindingId(value)


def _some(**fields: object) -> Row:
    return {name: value for name, value in fields.items() if value is not None}
