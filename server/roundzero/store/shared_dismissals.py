"""The file of dismissals that everyone shares, on disk, where a person asks for a change of it.

Reviews read it at the commit or in the work tree they review; that is not done here. Invariant: the file is replaced
as a whole or left as it was, and nothing is read or written through a link.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from roundzero.core.rule_files import SHARED_FILE
from roundzero.core.shared_file import parse_shared, with_dismissal, without_dismissal
from roundzero.core.text import Decoded, decode, encode
from roundzero.errors import OutsideError, UserError
from roundzero.regular import open_regular

if TYPE_CHECKING:
    from roundzero.core.dismissal import Dismissal
    from roundzero.core.finding import FindingId


class SharedDismissals:
    """The shared file of the work tree at ``root``."""

    def __init__(self, root: Path) -> None:
        """Read nothing yet."""
        self._root = root
        self._path = root / SHARED_FILE

    def read(self) -> tuple[tuple[Dismissal, ...], tuple[str, ...]]:
        """The dismissals as far as the file can be read, and what is wrong with it."""
        try:
            text = self._now().text
        except UserError as error:
            return (), (str(error),)
        return parse_shared(text)

    def add(self, dismissal: Dismissal) -> None:
        """Write a dismissal, in place of one of the same name. Raises UserError, OutsideError."""
        now = self._now()
        try:
            text = with_dismissal(now.text, dismissal)
        except ValueError as error:
            raise UserError(f"{error}; correct it first") from error
        self._write(Decoded(text, now.encoding, now.bom))

    def take_back(self, name: FindingId) -> bool:
        """Take away the dismissals of a finding; False when there are none. Raises UserError, OutsideError."""
        if all(each.id != name for each in self.read()[0]):
            return False
        now = self._now()
        try:
            text = without_dismissal(now.text, name)
        except ValueError as error:
            raise UserError(f"{error}; correct it first") from error
        self._write(Decoded(text, now.encoding, now.bom) if text is not None else None)
        return True

    def _now(self) -> Decoded:
        """The file as it is; empty where there is none. Raises UserError."""
        if Path(os.path.realpath(self._path)) != Path(os.path.realpath(self._root)) / SHARED_FILE:
            raise UserError(f"{SHARED_FILE} leads elsewhere by a symbolic link; replace it by a file")
        try:
            with open_regular(self._path) as file:
                data = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return Decoded("", "utf-8", bom=False)
        except OSError as error:
            raise UserError(f"{SHARED_FILE} cannot be read ({error.strerror}); correct it first") from error
        text = decode(data, python=False)
        if text is None:
            raise UserError(f"{SHARED_FILE} cannot be read (it is not UTF-8); correct it first")
        return text

    def _write(self, content: Decoded | None) -> None:
        """Replace the file that ``_now`` has read; None removes it."""
        target = self._path
        fresh = target.with_name(f"{target.name}.{os.getpid()}")
        try:
            if content is None:
                target.unlink(missing_ok=True)
                return
            target.parent.mkdir(exist_ok=True)
            fresh.write_bytes(encode(content))
            if target.exists():
                shutil.copymode(target, fresh)
            fresh.replace(target)
        except OSError as error:
            raise OutsideError(f"{SHARED_FILE} cannot be written: {error.strerror}; check its permissions") from error
