"""Paths that are surely read: by scripts, workflows and Sphinx, from a folder that the text says."""

from __future__ import annotations

import pytest

from support.checking import run

PATH = "general/missing-path"
TREE = "//- tools/lib/common.sh\n echo\n//- tools/generate.sh\n echo\n//- configs/default.toml\n a = 1\n"
ROOT = ' ROOT="$(cd "$(dirname "$0")/.." && pwd)"\n'


def subjects(text: str) -> list[str]:
    """What the titles name."""
    return [seen.title.partition(": ")[2] for seen in run(TREE + text, PATH).shown]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('source "$(dirname "$0")/common.sh"', "`common.sh` (tools/lib/common.sh)"),
        ('. "$(dirname "${BASH_SOURCE[0]}")/lib/comon.sh"', "`lib/comon.sh` (tools/lib/common.sh)"),
        ("source ${0%/*}/lib/nothing.sh", "`lib/nothing.sh`"),
        ('"$ROOT/tools/gen.sh"', "`tools/gen.sh`"),
        ('cp "${ROOT}/config/default.toml" /etc', "`config/default.toml` (configs/default.toml)"),
        ("./tools/generat.sh", "`./tools/generat.sh` (tools/generate.sh)"),
    ],
)
def test_what_a_script_runs_or_reads_has_to_be_there(line: str, said: str) -> None:
    """From its own folder, from one that a variable holds, or from where it is started."""
    assert subjects(f"//- tools/all.sh\n #!/bin/bash\n{ROOT}+{line}\n") == [said]


@pytest.mark.parametrize(
    "line",
    [
        'source "$(dirname "$0")/lib/common.sh"',
        '"$ROOT/tools/generate.sh"',
        '"$OTHER/tools/gen.sh"',
        "[ -f ./tools/local.sh ] && . ./tools/local.sh",
        "if ./tools/probe.sh; then echo; fi",
        "./tools/probe.sh || true",
        "tools/*.sh",
        "./tools/made.sh",
        "./tools/ignored.sh",
        "./elsewhere/run.sh",
        "cat > ./tools/written.sh",
        "python3 tools/other.py",
        "tools/${NAME}.sh",
        "/opt/tools/run.sh",
        "../../other/run.sh",
    ],
)
def test_what_is_there_made_ignored_or_tested_for_is_left_alone(line: str) -> None:
    """So is what lies outside the repository, or in a folder that it does not have."""
    made = "//- Makefile\n all:\n \tprintf x | tee tools/made.sh\n//- .gitignore\n ignored.sh\n"
    assert subjects(f"{made}//- tools/all.sh\n #!/bin/bash\n{ROOT}+{line}\n") == []


def test_a_script_that_goes_to_another_folder_says_nothing_of_where_paths_begin() -> None:
    """Only paths that say from where they are meant are looked at then."""
    lines = '+cd build\n+./tools/probe.sh\n+"$ROOT/tools/generat.sh"\n'
    assert subjects(f"//- tools/all.sh\n #!/bin/bash\n{ROOT}{lines}") == ["`tools/generat.sh` (tools/generate.sh)"]


WORKFLOW = "//- .github/workflows/ci.yml\n on: push\n jobs:\n   a:\n     runs-on: ubuntu-latest\n     steps:\n"


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("uses: ./.github/actions/setup", ["`./.github/actions/setup`"]),
        ("uses: ./.github/actions/there", []),
        ("run: python tools/other.py", ["`tools/other.py`"]),
        ("run: ./tools/generat.sh", ["`./tools/generat.sh` (tools/generate.sh)"]),
        ("run: pip install -r tool/lib/common.sh", ["`tool/lib/common.sh` (tools/lib/common.sh)"]),
        ("run: cd x && ./tools/generat.sh", []),
        ('run: bash "$GITHUB_WORKSPACE/tools/generat.sh"', ["`tools/generat.sh` (tools/generate.sh)"]),
        ('uses: a/b@v1\n+        with: {repository: a/b}\n+      - run: bash "$GITHUB_WORKSPACE/tools/generat.sh"', []),
        ("uses: actions/checkout@v4\n+        with:\n+          path: src\n+      - run: ./tools/generat.sh", []),
        ("uses: actions/checkout@v4\n+      - run: ./tools/generat.sh", ["`./tools/generat.sh` (tools/generate.sh)"]),
        ("uses: actions/checkout@v4\n+        with: {repository: a/b}\n+      - uses: ./.github/actions/setup", []),
    ],
)
def test_a_workflow_starts_at_the_root(step: str, said: list[str]) -> None:
    """A local action has to be a folder with one; another checkout may bring it."""
    action = "//- .github/actions/there/action.yml\n name: there\n"
    assert subjects(f"{action}{WORKFLOW}+      - {step}\n") == said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('html_static_path = ["_static"]', ["`_static`"]),
        ('html_static_path = ["images"]', []),
        ('html_logo = "images/logo.png"', ["`images/logo.png` (docs/images/logo.svg)"]),
        ('templates_path = ["_templates"]', []),
        ('html_static_path = [os.path.join("a", name)]', []),
    ],
)
def test_static_files_of_sphinx_lie_beside_its_configuration(line: str, said: list[str]) -> None:
    """What is computed is left alone, and so are templates, which may be missing."""
    found = subjects(f"//- docs/images/logo.svg\n <svg/>\n//- docs/conf.py\n import os\n project = 'x'\n+{line}\n")
    assert found == said
