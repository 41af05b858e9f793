"""The second process of a large review: when it is started early, and that nothing of it is left."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from roundzero.core.text import RelPath
from roundzero.engine.head_start import HeadStart
from roundzero.engine.pool import WORTH_A_PROCESS

if TYPE_CHECKING:
    from pathlib import Path


def started(root: Path, limit: int) -> bool:
    """Whether a process is started for the files of a folder."""

    async def scenario() -> bool:
        early = HeadStart(root, limit=limit)
        try:
            early.listed([RelPath("a.py"), RelPath("gone.py"), RelPath("folder")])
            return early.runner is not None
        finally:
            await early.close()

    return asyncio.run(scenario())


def test_large_files_that_may_be_reviewed_are_worth_a_head_start(tmp_path: Path) -> None:
    """What is missing, is no file or is over the limit counts for nothing."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.py").write_text("#" * (WORTH_A_PROCESS + 1), encoding="utf-8")
    assert started(tmp_path, 10 * WORTH_A_PROCESS) is ((os.cpu_count() or 1) > 1)
    assert not started(tmp_path, WORTH_A_PROCESS)
    (tmp_path / "a.py").write_text("#" * 1000, encoding="utf-8")
    assert not started(tmp_path, 10 * WORTH_A_PROCESS)
