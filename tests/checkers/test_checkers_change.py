"""Checkers that look at the whole change: references to files that went, layout rules, parts, removed guards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roundzero.checkers._editorconfig import asks_for
from roundzero.core.item import Severity
from roundzero.core.text import RelPath
from roundzero.packs.examples import parse
from support.checking import FixtureRepository, check, run

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from roundzero.core.ports import GrepHit

CLASH = "python/name-clash-signature"
GONE = "general/deleted-file-still-named"


@pytest.mark.parametrize(
    ("naming", "line", "gone", "severity"),
    [
        ("lib/BUILD.bazel", 'srcs = ["//lib:sub/parse.py"],', "lib/sub/parse.py", Severity.P0),
        ("lib/CMakeLists.txt", "add_library(lib parse.cc)", "lib/parse.cc", Severity.P0),
        ("CMakeLists.txt", "add_library(lib ${CMAKE_SOURCE_DIR}/lib/parse.cc)", "lib/parse.cc", Severity.P0),
        ("Makefile", "test:\n\tpython tools/run.py", "tools/run.py", Severity.P0),
        ("Dockerfile", "COPY tools/run.py /srv/", "tools/run.py", Severity.P0),
        ("pyproject.toml", 'readme = "docs/intro.md"', "docs/intro.md", Severity.P1),
        ("pyproject.toml", 'app = "app.tools.run:main"', "src/app/tools/run.py", Severity.P1),
        (".github/workflows/ci.yml", "run: python tools/run.py --fast", "tools/run.py", Severity.P1),
        (".github/workflows/ci.yml", "run: python -m app.run", "app/run.py", Severity.P1),
        ("scripts/all.sh", 'bash "$(dirname "$0")"/one.sh; ./one.sh', "scripts/one.sh", Severity.P1),
        ("scripts/all.sh", '"$ROOT/scripts/one.sh" now', "scripts/one.sh", Severity.P1),
    ],
)
def test_a_reference_that_resolves_to_the_old_path_is_found(
    naming: str, line: str, gone: str, severity: Severity
) -> None:
    """Labels, relative paths, variables and module names are followed; a build file is graver."""
    body = "".join(f" {part}\n" for part in line.split("\n"))
    done = run(f"//- {gone}\n-old = 1\n//- {naming}\n{body}", GONE)
    assert [(seen.path, seen.severity) for seen in done.shown] == [(naming, severity)]
    assert done.shown[0].cause is not None
    assert done.shown[0].cause.path == gone


@pytest.mark.parametrize(
    ("naming", "line", "gone"),
    [
        ("other/BUILD", 'srcs = ["parse.py"],', "lib/parse.py"),
        ("lib/BUILD", 'srcs = ["@dep//lib:parse.py"],', "lib/parse.py"),
        ("lib/BUILD", '# srcs = ["parse.py"],', "lib/parse.py"),
        ("Dockerfile", "COPY app/main.py /srv/", "main.py"),
        ("scripts/all.sh", "cat /etc/tools/run.py", "tools/run.py"),
        ("scripts/all.sh", "echo my-run.py run.pyc", "scripts/run.py"),
        ("pyproject.toml", 'exclude = ["tools/run.py"]', "tools/run.py"),
        ("pyproject.toml", 'omit = [\n  "a.py",\n  "tools/run.py",\n]', "tools/run.py"),
        (".github/workflows/ci.yml", "run: python -m app.runner", "app/run.py"),
        ("notes.txt", "see tools/run.py", "tools/run.py"),
        ("lib/BUILD", 'out = "parse.py"', "lib/parse.py"),
        ("all.sh", "ln -sf ../bin/run.py tools/run.py || exit 1", "tools/run.py"),
        ("all.sh", "rm -f tools/run.py", "tools/run.py"),
        ("tox.ini", "sphinx-apidoc -o docs/api -T app", "docs/api/app.rst"),
        ("app/code.py", 'open("tools/run.py")', "tools/run.py"),
    ],
)
def test_a_name_that_only_looks_alike_is_no_reference(naming: str, line: str, gone: str) -> None:
    """Other folders, other repositories, comments, lists of exclusions and prose are silent."""
    body = "".join(f" {part}\n" for part in line.split("\n"))
    assert run(f"//- {gone}\n-old = 1\n//- {naming}\n{body}", GONE).shown == ()


def test_a_rename_offers_the_new_name() -> None:
    """Where the folder is the same, the reference is rewritten as it was written."""
    text = "".join(f" line {number}\n" for number in range(9))
    done = run(f"//- tools/old.sh -> tools/new.sh\n{text}//- Makefile\n all:\n \t./tools/old.sh -v\n", GONE)
    (fix,) = done.shown[0].fixes
    assert (fix.edits[0].old_text, fix.edits[0].new_text) == ("./tools/old.sh", "./tools/new.sh")


def test_a_package_in_place_of_a_module_keeps_its_name() -> None:
    """``app/run.py`` that became ``app/run/__init__.py`` is still ``app.run``."""
    text = "//- app/run.py\n-a = 1\n//- app/run/__init__.py\n+a = 1\n+b = 2\n//- job.sh\n python -m app.run\n"
    assert run(text, GONE).shown == ()


@pytest.mark.parametrize(
    ("config", "path", "asked"),
    [
        ("[*]\ninsert_final_newline = true", "a/b.py", True),
        ("[*.py]\ninsert_final_newline = true", "a/b.py", True),
        ("[*.py]\ninsert_final_newline = true", "a/b.pyi", False),
        ("[*.{js,py}]\ninsert_final_newline = true", "b.py", True),
        ("[a/*.py]\ninsert_final_newline = true", "a/b.py", True),
        ("[a/*.py]\ninsert_final_newline = true", "a/c/b.py", False),
        ("[a/**.py]\ninsert_final_newline = true", "a/c/b.py", True),
        ("[{Makefile,**.mk}]\ninsert_final_newline = true", "x/Makefile", True),
        ("[[ab].py]\ninsert_final_newline = true", "b.py", True),
        ("[[!ab].py]\ninsert_final_newline = true", "b.py", False),
        ("[file{1..3}.py]\ninsert_final_newline = true", "file2.py", True),
        ("[*]\ninsert_final_newline = true\n[*.py]\ninsert_final_newline = false", "b.py", False),
        ("[*]\ninsert_final_newline = true\n[*.py]\ninsert_final_newline = unset", "b.py", False),
        ("# nothing\n[*]\nindent_size = 4", "b.py", False),
        ("[*\ninsert_final_newline = true", "b.py", False),
    ],
)
def test_editorconfig_sections_are_read_as_its_specification_says(config: str, path: str, asked: bool) -> None:
    """Globs, later sections over earlier ones, unset, and nonsense."""
    body = "".join(f" {line}\n" for line in config.split("\n"))
    repository = FixtureRepository(parse(f"//- .editorconfig\n{body}//- {path}\n x\n"))
    assert asks_for("final-newline", RelPath(path), repository) is asked


def test_the_nearest_editorconfig_wins_and_root_ends_the_search() -> None:
    """A folder's own file comes first; above a topmost one nothing is asked."""
    above = "//- .editorconfig\n [*]\n insert_final_newline = true\n"
    near = "//- a/.editorconfig\n [*]\n insert_final_newline = false\n//- a/b.py\n x\n"
    top = "//- a/.editorconfig\n root = true\n [*]\n indent_size = 2\n//- a/b.py\n x\n"
    for text, asked in ((above + "//- a/b.py\n x\n", True), (above + near, False), (above + top, False)):
        assert asks_for("final-newline", RelPath("a/b.py"), FixtureRepository(parse(text))) is asked


@pytest.mark.parametrize(
    ("extra", "asked"),
    [
        ("", True),
        ("        exclude: \\.py$", False),
        ("        files: ^src/", False),
        ("        types: [python]", True),
        ("        types: [yaml]", False),
        ("        exclude: (?x)^(\n          a/.* |  # all\n          b\\.py\n        )$", False),
        ("        exclude: ^(?!a)", False),
        ("        stages: [manual]", False),
    ],
)
def test_pre_commit_hooks_ask_for_what_they_cover(extra: str, asked: bool) -> None:
    """Files, exclude and types of a hook count; a pattern RE2 cannot read asks nothing."""
    config = f"repos:\n  - repo: x\n    hooks:\n      - id: end-of-file-fixer\n{extra}"
    if "(?x)" in extra:
        config = config.replace("exclude: ", "exclude: |\n          ").replace("a/.* |  # all", "a/.* |")
    body = "".join(f" {line}\n" for line in config.split("\n") if line)
    repository = FixtureRepository(parse(f"//- .pre-commit-config.yaml\n{body}//- b.py\n x\n"))
    assert asks_for("final-newline", RelPath("b.py"), repository) is asked


def _many(folder: str, count: int, lines: int, word: str) -> str:
    return "".join(
        f"//- {folder}/{word}{number}.py\n" + "".join(f"+{word}_{number}_{line} = {line}\n" for line in range(lines))
        for number in range(count)
    )


@pytest.mark.parametrize(
    ("orders", "printing", "parts"),
    [
        ("+  bool skip_empty_rows = false;\n", "+skip_empty_rows = options.get('skip_empty_rows')\n", 0),
        ("-  bool skip_empty_rows = false;\n", "-skip_empty_rows = 1\n", 0),
        ("+  bool skip_empty_rows = false;\n", "-skip_empty_rows = 1\n", 1),
        ("   bool skip_empty_rows = false;\n+  skip_empty_rows = true;\n", "+skip_empty_rows = 1\n", 0),
        ("   bool skip_empty_rows;\n+  skip_empty_rows = true;\n", " skip_empty_rows = 1\n+skip_empty_rows = 2\n", 1),
        ("+  bool skipped = false;\n", "+skipped = 1\n", 1),
    ],
    ids=["came", "went", "one each", "old in one", "old in both", "plain word"],
)
def test_parts_that_share_a_new_name_are_one(orders: str, printing: str, parts: int) -> None:
    """An option that is read in one language and used in another; a name of before says less."""
    text = _many("orders", 9, 100, "order") + _many("printing", 3, 100, "printer")
    text += f"//- orders/options.h\n{orders}//- printing/pages.py\n{printing}"
    assert len(run(text, "general/unrelated-changes").shown) == parts


@pytest.mark.parametrize(("folder", "parts"), [("orders", 0), ("billing/core", 1)])
def test_a_header_its_source_and_their_test_are_one_thing_that_others_name(folder: str, parts: int) -> None:
    """Files of one name in three places are three things, and who names one may mean any."""
    text = _many("orders", 9, 100, "order") + _many("printing", 3, 100, "printer")
    text += "//- orders/Ledger.h\n+int a;\n//- orders/test/LedgerTest.cc\n+int b;\n//- shop/Ledger.cc\n+int c;\n"
    text += f"//- {folder}/Ledger.cc\n+int d;\n//- printing/printer9.cc\n+#include <Ledger.h>\n"
    assert len(run(text, "general/unrelated-changes").shown) == parts


def test_a_large_change_in_two_parts_is_named_once() -> None:
    """Nine files and three without any tie, over the size: one finding about the change."""
    done = run(_many("orders", 9, 100, "order") + _many("printing", 3, 100, "printer"), "general/unrelated-changes")
    (seen,) = done.shown
    assert (seen.path, seen.span) == (None, None)
    assert seen.title.endswith("`orders/` (9), `printing/` (3)")


def test_parts_that_are_not_named_are_told_of() -> None:
    """The title names four, and says where there are more."""
    folders = {"orders": "order", "printing": "printer", "billing": "invoice", "shipping": "parcel", "stock": "shelf"}
    for count, end in ((4, "(3)"), (5, "(3), …")):
        text = "".join(_many(name, 3, 120, word) for name, word in list(folders.items())[:count])
        (seen,) = run(text, "general/unrelated-changes").shown
        assert seen.title.endswith(end)


def test_parts_that_name_each_other_are_one() -> None:
    """An import ties two folders; so does a function one defines and the other calls."""
    imports = "//- printing/page.py\n+from orders import order3\n"
    calls = "//- printing/page.py\n+print_order_list(1)\n//- orders/list.py\n+def print_order_list(a): ...\n"
    parts = _many("orders", 9, 100, "order") + _many("printing", 3, 100, "printer")
    assert run(parts + imports, "general/unrelated-changes").shown == ()
    assert run(parts + calls, "general/unrelated-changes").shown == ()


def test_a_small_change_is_split_only_into_parts_with_code_and_tests() -> None:
    """Below the size nobody needs the advice, unless each part could have been a change of its own."""
    parts = _many("orders", 9, 5, "order") + _many("printing", 3, 5, "printer")
    first, second = _many("orders/tests", 1, 5, "order"), _many("printing/tests", 1, 5, "printer")
    assert run(parts, "general/unrelated-changes").shown == ()
    assert run(parts + first, "general/unrelated-changes").shown == ()
    (seen,) = run(parts + first + second, "general/unrelated-changes").shown
    assert seen.title.endswith("`orders/` (10), `printing/` (4)")


@pytest.mark.parametrize(("after", "is_split"), [("Path(root) / {0}", False), ("{0}.use({1})", True)])
def test_one_edit_made_everywhere_is_one_change(after: str, *, is_split: bool) -> None:
    """What a sweep replaces is the same in each place, whatever stands around it."""
    files = {
        "orders/a.py": "cost",
        "orders/tests/test_a.py": "sums",
        "prints/b.py": "page",
        "prints/tests/test_b.py": "inks",
    }
    text = ""
    for path, word in files.items():
        text += f"//- {path}\n"
        for number in range(5):
            text += f"-{word}{number} = join(root, {word})\n+{word}{number} = {after.format(word, word * number)}\n \n"
    assert bool(run(text, "general/unrelated-changes").shown) is is_split


@pytest.mark.parametrize(
    "tie",
    [
        "//- orders/tests/order0.py\n+from printing import printer0\n",
        "//- printing/tests/printer0.py\n+same_idea(1)\n//- orders/order0.py\n+same_idea(2)\n",
        "//- order0_page.py\n+width = 1\n//- printing/tests/printer0.py\n+import order0_page\n",
    ],
    ids=["import", "identifier", "file name"],
)
def test_one_thing_in_common_keeps_a_small_change_together(tie: str) -> None:
    """An import, an identifier of several words, or a file named like another."""
    parts = _many("orders", 1, 5, "order") + _many("printing", 1, 5, "printer")
    tests = _many("orders/tests", 1, 5, "order") + _many("printing/tests", 1, 5, "printer")
    assert len(run(parts + tests, "general/unrelated-changes").shown) == 1
    added = parts + tests
    for block in tie.split("//- ")[1:]:
        path, _, lines = block.partition("\n")
        head = f"//- {path}\n"
        added = added.replace(head, head + lines) if head in added else added + head + lines
    assert run(added, "general/unrelated-changes").shown == ()


@pytest.mark.parametrize(
    "text",
    [
        "//- a.py\n def f(a):\n-    if a: raise ValueError(a)\n+    a = clamp(a)\n     return a\n",
        "//- a.py\n def f(a):\n-    assert isinstance(a, int)\n     return a\n",
        "//- a.py\n def f(a):\n     try: g()\n     except A as e:\n-        raise Bad(a) from e\n+        log(e)\n",
        "//- a.py\n def f(a):\n-    b = a.b\n-    if b < 0:\n-        raise ValueError\n     return a\n",
        "//- a.py\n-assert 1\n x = 1\n",
        "//- a.py\n def f(a):\n-    # raise ValueError(a)\n-    x = 'raise ValueError'\n     return a\n",
    ],
    ids=["replaced", "narrowing", "handler", "subject-gone", "module", "comment"],
)
def test_what_is_no_removed_guard(text: str) -> None:
    """Replacements, type narrowing, re-raising, guards of what is gone too, and comments are silent."""
    check(text, "python/guard-removed")


def test_one_decision_about_guards_is_told_once() -> None:
    """A function that lost several was rewritten; one guard that went from several functions went for one reason."""
    first = " def f(a):\n-    assert a.x\n     b(a)\n     c(a)\n-    assert a.y\n     d(a)\n     return e(a)\n"
    other = " def g(a):\n-    assert a.x\n     b(a)\n     c(a)\n     return d(a)\n"
    third = other.replace("def g", "def h").replace("a.x", "a.z")
    seen = run(f"//- a.py\n{first} \n{other} \n{third}", "python/guard-removed").shown
    assert [each.title.rpartition(": ")[2] for each in seen] == ["`assert a.x`", "`assert a.z`"]


def test_a_removed_guard_comes_back_with_the_line_ends_of_the_file() -> None:
    """Restoring into a file with carriage returns writes carriage returns."""
    done = run("//- a.py\n def f(a):\r\n-    assert a\r\n     return a\r\n", "python/guard-removed")
    (fix,) = done.shown[0].fixes
    assert fix.edits[0].new_text == "    assert a\r\n"


def test_a_secret_is_named_by_kind_and_never_shown() -> None:
    """Neither title nor evidence nor fix holds the value."""
    value = "ghp_" + "q7Zk2Lw9XvB4nT8sR1mY6cD3fG5hJ0pAeU8i"
    done = run(f'//- app/a.py\n+T = "{value}"\n', "general/secret-added")
    (seen,) = done.shown
    assert seen.title.endswith(": GitHub token")
    assert value not in repr(done.hits)


def test_a_vendor_token_counts_in_a_test_but_not_in_test_data() -> None:
    """A real token in a test is a leak; recorded data is not judged."""
    value = "ghp_" + "q7Zk2Lw9XvB4nT8sR1mY6cD3fG5hJ0pAeU8i"
    assert len(run(f'//- tests/test_a.py\n+T = "{value}"\n', "general/secret-added").shown) == 1
    assert run(f'//- tests/fixtures/a.json\n+"{value}"\n', "general/secret-added").shown == ()


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("dummyserver/certs/client.key", 0),
        ("app/fake_host/client.key", 0),
        ("etc/ssl-cert-snakeoil.key", 0),
        ("etc/self-signed.pem", 0),
        ("app/certs/client.key", 1),
        ("app/notafake/client.key", 1),
        ("mockingbird/client.key", 1),
    ],
)
def test_a_private_key_of_what_calls_itself_a_dummy_guards_nothing(path: str, count: int) -> None:
    """Elsewhere it is one; a vendor's token is one everywhere."""
    key = "-----BEGIN RSA " + "PRIVATE KEY-----\n+" + "MIICXQIBAAKBgQDbMJ15vLE" * 3
    assert len(run(f"//- {path}\n+{key}\n", "general/secret-added").shown) == count
    token = "ghp_" + "q7Zk2Lw9XvB4nT8sR1mY6cD3fG5hJ0pAeU8i"
    assert len(run(f"//- {path}\n+{token}\n", "general/secret-added").shown) == 1


def test_tests_and_documentation_are_no_part_of_their_own() -> None:
    """What belongs to code by its nature is not advised to leave it."""
    pages = "".join(f"//- doc/page{number}.rst\n+Text number {number}\n" for number in range(5))
    text = _many("orders", 9, 120, "order") + _many("tests/printing", 4, 20, "printer") + pages
    assert run(text, "general/unrelated-changes").shown == ()


def test_words_that_name_nothing_are_not_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """They stand on every fourth line of a repository, and an import over several lines looks like a list of them."""
    asked: set[str] = set()
    grep = FixtureRepository.grep

    def listen(repository: FixtureRepository, words: Collection[str]) -> Mapping[str, tuple[GrepHit, ...]]:
        asked.update(words)
        return grep(repository, words)

    monkeypatch.setattr(FixtureRepository, "grep", listen)
    run("//- a.py\n+def f(a):\n+    g(\n+        self,\n+        price,\n+    )\n+    return\n", CLASH)
    assert "price" in asked
    assert asked.isdisjoint({"self", "return"})
