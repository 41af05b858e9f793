"""Makes one file's part of a change from its two sides in bytes.

Pure. Shared by a whole collection and by one edited buffer, so that both judge a file alike. Invariant: a candidate
becomes a FileChange, a Skip with its reason, both (deleted), or nothing (no line changed); never two reasons.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from roundzero.core.change import ABSENT, FileChange, Skip, SkipKind, Source, Status
from roundzero.core.frozen import dataclass
from roundzero.core.item import language_of
from roundzero.core.text import Decoded, decode, encode
from roundzero.git import rules
from roundzero.git.hunks import as_committed, parse_hunks, settle, split_lines, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.core.linemap import Hunk
    from roundzero.core.text import RelPath
    from roundzero.git.blobs import Blob
    from roundzero.git.rules import Reason

_BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One changed path and what is known of it.

    ``base`` None with a ``base_id`` set: not in this clone. ``head`` None with a size: larger than the limit.
    ``body`` is git's hunk text, None when the two texts have to be compared. ``head_mode`` is 000000 when deleted.
    """

    path: RelPath
    base_path: RelPath
    status: Status
    base_mode: str = ABSENT
    base_id: str | None = None
    base: Blob | None = None
    head_mode: str = ABSENT
    head_id: str | None = None
    head: bytes | None = None
    head_size: int = 0
    head_text: Decoded | None = None
    body: bytes | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    reason: Reason | None = None

    @property
    def untouched(self) -> bool:
        """Whether both sides are the same bytes: git names a file whose time stamp alone is new, after a copy say."""
        if self.base_id is None or self.base_mode not in (self.head_mode, ABSENT):
            return False
        return (self.base_path, self.base_id) == (self.path, self.head_id)

    def bare(self) -> Candidate:
        """The candidate without bytes and texts, to be kept."""
        return replace(self, base=None, head=None, head_text=None, body=None)

    @property
    def deleted(self) -> bool:
        """Whether there is no head side."""
        return self.head_mode == ABSENT


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a candidate. ``compare``: the file's hunks are still to be made from its texts."""

    file: FileChange | None = None
    skip: Skip | None = None
    compare: bool = False


def build(candidate: Candidate, *, max_bytes: int) -> Outcome:
    """Judge a candidate and, if it is to be reviewed, decode it and read its hunks."""
    if candidate.deleted:
        return _deleted(candidate, max_bytes)
    if candidate.untouched:
        return Outcome()
    reason = candidate.reason or _unsuitable(candidate, max_bytes)
    if reason is not None:
        return Outcome(skip=skip(candidate, reason))
    head = _head_source(candidate)
    if head is None:
        return Outcome(skip=skip(candidate, rules.UNDECODABLE))
    base = _base_source(candidate)
    file = FileChange(
        path=candidate.path,
        status=candidate.status if base is not None else Status.ADDED,
        base=base,
        head=head,
        hunks=(),
        mode=candidate.head_mode,
    )
    hunks = _hunks(candidate, base, head)
    if hunks is None:
        return Outcome(file=file, compare=True)
    return finish(file, hunks, base_mode=candidate.base_mode)


def finish(file: FileChange, hunks: tuple[Hunk, ...], *, base_mode: str) -> Outcome:
    """The outcome once the hunks are known: a modified file without any is no change but perhaps of its mode."""
    if hunks or file.status is not Status.MODIFIED:
        return Outcome(file=replace(file, hunks=hunks))
    if base_mode in (file.mode, ABSENT) or file.head is None:
        return Outcome()
    mode_only = Skip(
        path=file.path,
        kind=rules.MODE_ONLY.kind,
        reason=rules.MODE_ONLY.words,
        obstacle=rules.MODE_ONLY.obstacle,
        status=Status.MODE,
        mode=file.mode,
        blob=file.head.blob,
    )
    return Outcome(skip=mode_only)


def skip(candidate: Candidate, reason: Reason) -> Skip:
    """The candidate as a skipped path."""
    is_binary = reason is rules.BINARY
    return Skip(
        path=candidate.path,
        kind=reason.kind,
        reason=reason.words,
        obstacle=reason.obstacle,
        status=candidate.status if reason is not rules.MODE_ONLY else Status.MODE,
        old_path=candidate.base_path if candidate.base_path != candidate.path else None,
        mode=candidate.head_mode,
        blob=candidate.head_id or "",
        size=(candidate.head_size or None) if is_binary or reason.kind is SkipKind.NOT_CHECKED else None,
        binary=is_binary,
    )


def decoded(data: bytes, path: RelPath) -> Decoded | None:
    """Decode by the rules of the path's language."""
    return decode(data, python=language_of(path) == "python")


def buffer(text: str, disk: Decoded | None) -> tuple[Decoded, bytes]:
    """An editor's text, and the bytes that saving it would write. ``disk`` is what the file holds now."""
    bom = text.startswith(_BOM) or (disk is not None and disk.bom)
    content = Decoded(text.removeprefix(_BOM), disk.encoding if disk is not None else "utf-8", bom)
    try:
        return content, encode(content)
    except (UnicodeEncodeError, LookupError):
        return content, content.text.encode("utf-8", "surrogatepass")


def _deleted(candidate: Candidate, max_bytes: int) -> Outcome:
    gone = skip(candidate, candidate.reason or rules.DELETED)
    blob = candidate.base
    if candidate.reason is not None or blob is None or blob.data is None or blob.size > max_bytes:
        return Outcome(skip=gone)
    if rules.by_content(blob.data, candidate.attributes) is not None:
        return Outcome(skip=gone)
    base = _base_source(candidate)
    assert base is not None  # noqa: S101  there are bytes
    hunks = whole(base.index.line_count, 0)
    file = FileChange(path=candidate.path, status=Status.DELETED, base=base, head=None, hunks=hunks, mode=ABSENT)
    return Outcome(file=file, skip=gone)


def _unsuitable(candidate: Candidate, max_bytes: int) -> Reason | None:
    """Why the bytes cannot be reviewed, or None."""
    if candidate.base_id is not None and candidate.base_id == candidate.head_id and candidate.status is Status.MODIFIED:
        return rules.MODE_ONLY if candidate.base_mode not in (candidate.head_mode, ABSENT) else None
    if candidate.head is None and candidate.head_size and rules.is_never_text(candidate.path):
        return rules.BINARY
    if candidate.head is None:
        return rules.over_size(candidate.head_size, max_bytes) if candidate.head_size else rules.NO_HEAD
    if (reason := rules.by_content(candidate.head, candidate.attributes)) is not None:
        return reason
    if len(candidate.head) > max_bytes:
        return rules.over_size(len(candidate.head), max_bytes)
    return _unsuitable_base(candidate, max_bytes) if candidate.base_id is not None else None


def _unsuitable_base(candidate: Candidate, max_bytes: int) -> Reason | None:
    if candidate.base is None:
        return rules.NO_BASE
    if candidate.base.data is None:
        return rules.over_size(candidate.base.size, max_bytes)
    return None


def _head_source(candidate: Candidate) -> Source | None:
    content = candidate.head_text
    if content is None and candidate.head is not None:
        content = decoded(candidate.head, candidate.path)
    if content is None:
        return None
    return Source(candidate.path, content.text, candidate.head_id or "", encoding=content.encoding, bom=content.bom)


def _base_source(candidate: Candidate) -> Source | None:
    """The base as text; one that is none has no lines, so that every line of the head counts as added."""
    blob = candidate.base
    if blob is None or blob.data is None or rules.by_content(blob.data, candidate.attributes) is not None:
        return None
    content = decoded(blob.data, candidate.base_path)
    if content is None:  # the head may have put it right; what counts is that lines stay lines
        content = Decoded(blob.data.decode("utf-8", "replace"), "utf-8", bom=False)
    return Source(candidate.base_path, content.text, blob.id, encoding=content.encoding, bom=content.bom)


def _hunks(candidate: Candidate, base: Source | None, head: Source) -> tuple[Hunk, ...] | None:
    if base is None:
        return whole(0, head.index.line_count)
    base_lines, head_lines = (split_lines(as_committed(side.text)) for side in (base, head))
    if not base_lines or not head_lines:
        return whole(len(base_lines), len(head_lines))
    hunks = parse_hunks(candidate.body) if candidate.body is not None else []
    return settle(hunks, base_lines, head_lines) if hunks is not None else None
