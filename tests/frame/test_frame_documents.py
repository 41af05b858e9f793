"""The documents name things that exist."""

from __future__ import annotations

import json
import pkgutil
import re
from pathlib import Path
from typing import Final

import pytest

import roundzero.cli
from roundzero.config import SETTINGS
from roundzero.lsp.greeting import COMMANDS

ROOT: Final = Path(__file__).resolve().parent.parent.parent
DOCUMENTS: Final = (
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "vscode-extension/README.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")),
)
PLACES: Final = (
    "server", "tests", "tools", "bench", "docs", "checklists", "neovim", "requirements", "vscode-extension",
)  # fmt: skip
TARGETS: Final = {"demo", "test", "e2e", "e2e-vscode", "check", "fix", "bench", "wheel", "vsix"}
MADE: Final = {"docs/benchmarks.md"}
"""What appears with the first ``make bench``."""

CODE: Final = re.compile(r"`([^`\n]+)`")
LINK: Final = re.compile(r"\]\(([\w./-]+)(?:#[\w-]*)?\)")
FENCED: Final = re.compile(r"^(`{3,})[^`\n]*\n.*?^\1$", re.DOTALL | re.MULTILINE)


def text_of(document: str) -> str:
    """The text of a document."""
    return (ROOT / document).read_text(encoding="utf-8")


def quoted(document: str) -> set[str]:
    """What stands between single backticks."""
    return {found[1].strip() for found in CODE.finditer(FENCED.sub("", text_of(document))) if found[1]}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_in_a_document_exists(document: str) -> None:
    """A path in backticks leads to a file or folder of this repository, a link to one from the document's folder."""
    named = {each for each in quoted(document) if re.fullmatch(r"[\w./-]+", each) and each.split("/")[0] in PLACES}
    missing = {name for name in named if "/" in name and not (ROOT / name).exists() and name not in MADE}
    folder = (ROOT / document).parent
    links = LINK.findall(FENCED.sub("", text_of(document)))
    missing |= {link for link in links if not (folder / link).exists() and link not in MADE}
    assert sorted(missing) == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_make_target_in_a_document_exists(document: str) -> None:
    """``make x`` is only ever said of a target."""
    assert set(re.findall(r"(?:`|^    )make ([a-z0-9-]+)", text_of(document), re.MULTILINE)) <= TARGETS


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_in_a_document_exists(document: str) -> None:
    """``roundzero x`` is a subcommand or a bare option."""
    known = {each.name for each in pkgutil.iter_modules(roundzero.cli.__path__) if not each.name.startswith("_")}
    said = re.findall(r"(?:`|^ +(?:\$ )?|/)roundzero ([a-z-]+)", text_of(document), re.MULTILINE)
    assert set(said) <= (known - {"main"}) | {"help", "--version"}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_setting_in_a_document_exists(document: str) -> None:
    """A dotted name of a section of settings, in either spelling, or a variable of ours is one that is read."""
    names = {name for row in SETTINGS for name in (row.name, row.toml)}
    sections = {name.split(".")[0] for name in names if "." in name}
    dotted = {each for each in quoted(document) if re.fullmatch(r"[a-z]\w*(\.\w+)+", each)}
    said = {each for each in dotted if each.split(".")[0] in sections}
    patterns = [re.compile(re.sub(r"\\?<\w+\\?>", r"[\\w-]+", re.escape(name))) for name in names]
    assert {each for each in said if not any(pattern.fullmatch(each) for pattern in patterns)} == set()
    variables = set(re.findall(r"(?<!vars\.)\bROUNDZERO_[A-Z_]+\b", text_of(document)))
    known = "\n".join(path.read_text("utf-8") for path in (ROOT / "server").rglob("*.py"))
    rows = {row.variable for row in SETTINGS}
    assert {each for each in variables if each not in rows and f'"{each}"' not in known} == set()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_name_that_editors_use_exists(document: str) -> None:
    """``roundzero.x`` is a command of the server's, or a command or setting of the VS Code extension."""
    package = json.loads(text_of("vscode-extension/package.json"))["contributes"]
    configuration = package["configuration"]
    groups = configuration if isinstance(configuration, list) else [configuration]
    known = {*COMMANDS, *(each["command"] for each in package["commands"])}
    known.update(name for group in groups for name in group["properties"])
    said = {each for each in quoted(document) if re.fullmatch(r"roundzero\.[a-z]\w*(\.\w+)*", each)}
    assert {each for each in said if each not in known and each.rsplit(".", 1)[-1] not in {"md", "sarif"}} == set()


def test_make_has_the_targets_it_promises_and_no_others() -> None:
    """The Makefile's public targets."""
    assert set(re.findall(r"^([a-z0-9-]+):", text_of("Makefile"), flags=re.MULTILINE)) == TARGETS
