"""Editors that are no Python packages: installed for the tests from outside where that is possible.

Invariant: a run that asks for what people install (``--installed``) either drives them or names them as not driven.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from support import debian

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

EDITORS: Final = {
    "test_e2e_emacs.py": ("emacs-nox", "elpa-eglot"),
    "test_e2e_vim.py": ("vim", "vim-ale"),
}
"""Tests, and the Debian packages they drive."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out, as tests that need more than Python packages, what was not asked for or cannot be there."""
    packages = EDITORS.get(collection_path.name)
    if packages is None:
        return None
    possible = debian.are_installed(*packages) or debian.can_install()
    return None if config.getoption("--installed") and possible else True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was not driven."""
    if not config.getoption("--installed") or debian.can_install():
        return
    for name, packages in EDITORS.items():
        if not debian.are_installed(*packages):
            terminalreporter.write_line(
                f"{name}: not run; it needs Debian's {' and '.join(packages)}, or root to install"
            )
