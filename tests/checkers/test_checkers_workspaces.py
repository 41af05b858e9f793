"""Locks that several projects share: pnpm's and Cargo's."""

from __future__ import annotations

import pytest

from roundzero.checkers._workspace_locks import satisfies_cargo
from support.checking import run

DRIFT = "dependencies/parallel-lists-drift"

PNPM = """\
//- {folder}pnpm-lock.yaml
 lockfileVersion: '9.0'

 overrides:
   left-pad: 1.3.0

 importers:

   .:
     dependencies:
       react:
         specifier: ^18.2.0
         version: 18.2.0
     devDependencies:
       '@types/react':
         specifier: ^18.0.0
         version: 18.0.1

   packages/desk:
     dependencies:
       left-pad:
         specifier: 1.3.0
         version: 1.3.0

 packages:

   react@18.2.0:
     resolution: {{integrity: sha512-x}}
"""
OLD_PNPM = """\
//- pnpm-lock.yaml
 lockfileVersion: 5.4

 specifiers:
   react: ^18.2.0

 dependencies:
   react: 18.2.0
"""
CARGO = """\
//- Cargo.lock
 version = 4

 [[package]]
 name = "desk"
 version = "0.1.0"
 dependencies = [
  "rand_core",
  "serde",
  "syn 1.0.109",
  "syn 2.0.39",
 ]

 [[package]]
 name = "rand_core"
 version = "0.6.4"
 source = "registry+https://example.invalid"

 [[package]]
 name = "serde"
 version = "1.0.190"
 source = "registry+https://example.invalid"
"""
BOTH = ' old = { package = "syn", version = "1" }\n syn = "2"\n'


def said(text: str) -> list[tuple[str | None, int | None, str]]:
    """What is shown: path, line and what the title ends with."""
    done = run(text, DRIFT)
    assert done.failures == ()
    return [
        (seen.path, seen.span.start.line if seen.span is not None else None, seen.title.partition(": ")[2])
        for seen in done.shown
    ]


def package(*rows: str) -> str:
    """A package.json at the top, a row each, with a sign in front."""
    body = "".join(f"{row[0]}    {row[1:]}\n" for row in rows)
    return '//- package.json\n {\n   "name": "shop",\n   "dependencies": {\n' + body + "   }\n }\n"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            ('-"react": "^18.2.0",', '+"react": "^19.0.0",'),
            [("package.json", 4, "`react` (^19.0.0; pnpm-lock.yaml: ^18.2.0)")],
        ),
        ((' "react": "^18.2.0",', '+"zod": "^3.0.0",'), [("package.json", 5, "`zod` (^3.0.0; pnpm-lock.yaml: -)")]),
        (('-"react": "^18.2.0",',), [("pnpm-lock.yaml", 10, "`react` (-; pnpm-lock.yaml: ^18.2.0)")]),
        ((' "react": "^18.2.0",', '+"left-pad": "^1.0.0",'), []),
        ((' "react": "^18.1.0",', '+"type": "module",'), [("package.json", 5, "`type` (module; pnpm-lock.yaml: -)")]),
    ],
)  # fmt: skip
def test_what_pnpm_copied_is_held_against_the_project(
    rows: tuple[str, ...], expected: list[tuple[str, int, str]]
) -> None:
    """A range, a name that one of them lacks; not what an override replaces, nor what differed before."""
    types = ' "@types/react": "^18.0.0"'
    assert said(package(*rows, types) + PNPM.format(folder="")) == expected


def test_a_project_deeper_in_the_workspace_has_the_lock_above_it() -> None:
    """The lock knows it by its folder; one that it does not know has nothing to be held against."""
    desk = '//- web/packages/{name}/package.json\n {{\n   "dependencies": {{\n+    "zod": "^3.0.0"\n   }}\n }}\n'
    lock = PNPM.format(folder="web/")
    assert said(desk.format(name="desk") + lock) == [
        ("web/packages/desk/package.json", 3, "`zod` (^3.0.0; pnpm-lock.yaml: -)")
    ]
    assert said(desk.format(name="other") + lock) == []


def test_a_lock_of_an_older_pnpm_copies_ranges_at_its_top() -> None:
    """Its format has one list of ranges for all sections."""
    rows = ('-"react": "^18.2.0"', '+"react": "^19.0.0"')
    assert said(package(*rows) + OLD_PNPM) == [("package.json", 4, "`react` (^19.0.0; pnpm-lock.yaml: ^18.2.0)")]


def test_a_lock_that_changed_alone_is_held_against_its_projects() -> None:
    """The line of the lock is told where the project does not speak of it."""
    text = package(' "react": "^18.2.0",', ' "@types/react": "^18.0.0"') + PNPM.format(folder="").replace(
        " importers:\n\n   .:\n     dependencies:\n",
        " importers:\n\n   .:\n     dependencies:\n+      zod:\n+        specifier: ^3.0.0\n+        version: 3.0.0\n",
    )
    assert said(text) == [("pnpm-lock.yaml", 10, "`zod` (-; pnpm-lock.yaml: ^3.0.0)")]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ('+regex = "1"\n', [("Cargo.toml", 5, "`regex` (1; Cargo.lock: -)")]),
        ('-serde = "1"\n+serde = "1.0.200"\n', [("Cargo.toml", 5, "`serde` (1.0.200; Cargo.lock: 1.0.190)")]),
        ('-serde = "1"\n', [("Cargo.lock", 8, "`serde` (-; Cargo.lock: *)")]),
        ('-serde = "1"\n+serde = { version = ">=1.0.100, <2", features = ["derive"] }\n', []),
        ('-serde = "1"\n+serde.workspace = true\n', []),
        (" serde = \"1\"\n+\n+[target.'cfg(unix)'.dev-dependencies]\n+nix = \"0.27\"\n",
         [("Cargo.toml", 8, "`nix` (0.27; Cargo.lock: -)")]),
        (' serde = "1"\n+\n+[dev-dependencies.nix]\n+version = "0.27"\n',
         [("Cargo.toml", 7, "`nix` (0.27; Cargo.lock: -)")]),
    ],
)  # fmt: skip
def test_what_a_crate_asks_for_is_held_against_cargos_lock(rows: str, expected: list[tuple[str, int, str]]) -> None:
    """A name that one of them lacks, and a version outside the range; a crate may have another name, or come twice."""
    have = "" if "serde" in rows else ' serde = "1"\n'
    head = ' [package]\n name = "desk"\n [dependencies]\n rand-core = "0.6"\n'
    text = f"//- Cargo.toml\n{head}{rows}{have}" if "[" not in rows else f"//- Cargo.toml\n{head}{have}{rows}"
    middle = text.replace(" [dependencies]\n", f" [dependencies]\n{BOTH}", 1)
    shifted = [(path, line + 2 if path == "Cargo.toml" else line, words) for path, line, words in expected]
    assert said(middle + CARGO) == shifted


def test_a_member_of_a_workspace_asks_through_its_root() -> None:
    """What the root calls otherwise is known by the crate's own name; what it does not list is not known."""
    root = '//- Cargo.toml\n [workspace.dependencies]\n ours = { package = "serde", version = "1" }\n'
    member = '//- desk/Cargo.toml\n [package]\n name = "desk"\n [dependencies]\n rand_core = "0.6"\n' + BOTH
    assert said(root + member + "+ours.workspace = true\n" + CARGO) == []
    assert said(root + member + ' ours = { workspace = true }\n+regex = "1"\n' + CARGO) == [
        ("desk/Cargo.toml", 8, "`regex` (1; Cargo.lock: -)")
    ]
    assert said(root + member + "+theirs = { workspace = true }\n" + CARGO) == []


@pytest.mark.parametrize(
    ("version", "requirement", "answer"),
    [
        ("1.2.3", "1", True), ("1.2.3", "1.2.4", False), ("2.0.0", "1", False), ("0.2.9", "0.2.3", True),
        ("0.3.0", "0.2.3", False), ("0.0.4", "0.0.3", False), ("0.9.0", "0", True), ("1.2.3", "^1.2", True),
        ("1.2.3", "~1.2.0", True), ("1.3.0", "~1.2", False), ("1.3.0", "~1", True), ("1.2.3", "=1.2.3", True),
        ("1.2.4", "=1.2.3", False), ("1.2.4", "=1.2", True), ("1.2.3", "1.*", True), ("2.0.0", "1.*", False),
        ("7.0.0", "*", True), ("1.5.0", ">=1.2, <1.5", False), ("1.4.9", ">= 1.2, < 1.5", True),
        ("1.2.9", ">1.2", False), ("1.3.0", ">1.2", True), ("1.2.9", "<=1.2", True), ("1.3.0", "<=1.2", False),
        ("1.0.0-rc.1", "1", None), ("1.0.0+build.5", "1", True), ("1.0.0", "1.0.0-rc.1", None),
        ("1.0.0", "", True), ("1.0.0", "one", None),
    ],
)  # fmt: skip
def test_a_range_is_read_as_cargo_reads_it(version: str, requirement: str, answer: bool | None) -> None:
    """By itself it is a caret; what is not understood is not answered."""
    assert satisfies_cargo(version, requirement) is answer


@pytest.mark.parametrize("broken", [" importers: [\n", " importers:\n   .: 3\n", " packages: {}\n", " \n"])
def test_a_lock_that_is_no_lock_says_nothing(broken: str) -> None:
    """Neither one that does not parse nor one of another shape."""
    assert said(package('+"react": "^19.0.0"') + f"//- pnpm-lock.yaml\n{broken}") == []
    assert (
        said('//- Cargo.toml\n [package]\n name = "desk"\n [dependencies]\n+a = "1"\n//- Cargo.lock\n' + broken) == []
    )
