"""Checkers of what a branch says of itself, of what it adds beside text, and of where its text leads."""

from __future__ import annotations

import pytest

from roundzero.checkers._commit_claims import claims
from roundzero.checkers._file_sizes import LARGE, limit, spelt
from roundzero.checkers._markdown import anchors, headings, key, links, slug
from roundzero.packs.examples import parse
from support.checking import FixtureRepository, run

LINK = "general/broken-relative-link"
SAYS = "general/description-contradicts"
WHO = "general/committer-not-a-person"
ENV = "general/env-undocumented"


@pytest.mark.parametrize(
    ("message", "promise"),
    [
        ("Add a case (tests only)", "tests only"),
        ("Test-only change: more cases", "tests only"),
        ("Fix\n\nTests only.", "tests only"),
        ("This only touches the tests.", "tests only"),
        ("补充边界用例，仅修改测试代码", "tests only"),
        ("[docs-only] Say more", "docs only"),
        ("纯文档改动", "docs only"),
        ("Documentation-only patch", "docs only"),
        ("No code changes, just a new layout", "no code changes"),
        ("调整目录，不涉及业务代码改动", "no code changes"),
        ("No dependency changes", "no dependency changes"),
        ("dependencies are unchanged", "no dependency changes"),
        ("无依赖变更", "no dependency changes"),
        ("without any new dependencies", "no new dependencies"),
        ("没有新增第三方依赖", "no new dependencies"),
    ],
)
def test_a_promise_is_heard(message: str, promise: str) -> None:
    """In both languages, in brackets, on a line of its own, and with a noun."""
    assert [claim.promise.value for claim in claims(message)] == [promise]


@pytest.mark.parametrize(
    "message",
    [
        "skip test only on CI",
        "Add a flag for tests only meant for CI",
        "This only tests what is there",
        "keep docs-only adjustments",
        "Adding `does_not_raise` to documentation only",
        "has no dependencies on time",
        "仅测试了一次",
        "依赖变更说明",
        'Revert "tests only change"',
        "> docs only",
        'The message said "no code changes"',
        "no decoder changes",
    ],
)
def test_what_is_no_promise(message: str) -> None:
    """Other sentences with the same words, quotations and reverts."""
    assert list(claims(message)) == []


@pytest.mark.parametrize(
    ("said", "files", "line"),
    [
        ("Tests only", '//- app/a.py\n+"""What it is."""\n+# why\n def f():\n-    return 1\n+    return 2\n', 4),
        ("Docs only", "//- app/a.c\n+/* one\n+   two */\n int x;\n+int y; // three\n", 4),
        ("No code changes", "//- app/a.py\n+# why\n def f():\n-    g()\n     return 1\n", 1),
        (
            "No dependency changes",
            '//- pyproject.toml\n [project]\n-name="a"\n+name="shop"\n dependencies=[\n   "b-c",\n+  "B>=1",\n ]\n',
            5,
        ),
        ("No new dependencies", "//- requirements.txt\n-a==1\n+a==2\n-b\n+b-c\n d\n", 2),
        (
            "No dependency changes",
            '//- package.json\n {\n+  "private": true,\n   "dependencies": {\n-    "a": "1"\n+    "a": "2"\n   }\n }\n',
            4,
        ),
    ],
)
def test_a_broken_promise_is_told_where_it_is_broken(said: str, files: str, line: int) -> None:
    """On the line that is code, or asks for something else; where nothing but removed lines is, on the first change."""
    done = run(f"{files}//> Ada <ada@shop.test>: {said}\n", SAYS)
    assert [seen.span.start.line for seen in done.shown if seen.span is not None] == [line]


@pytest.mark.parametrize(
    ("said", "files", "denied"),
    [
        ("Tests only", "//- app/a.py\n-x = 1\n+x = 2\n", True),
        ("Tests only", "//- app/a.py\n-x = 1  # one\n+x = 1  # two\n", False),
        ("Tests only", "//- tests/a.py\n+x = 2\n//- README.md\n+two\n//- conftest.py\n+x = 1\n", False),
        ("Docs only", '//- app/a.py\n def f():\n-    """One."""\n+    """Two."""\n', False),
        ("Docs only", "//- app/a.c\n-int x; // one\n+int x; /* two */\n", False),
        ("Docs only", "//- app/a.c\n-int x;\n+int y;\n", True),
        ("Docs only", "//- docs/conf.py\n+x = 1\n", False),
        ("Docs only", "//- app/a.py\n-x = (\n+x = ((\n", False),
        ("No code changes", "//- app/a.py\n-x = 1\n+x = 2\n", True),
        (
            "No dependency changes",
            '//- pyproject.toml\n [project]\n-dependencies = []\n+dependencies = ["a>=1"]\n',
            True,
        ),
        ("No dependency changes", '//- pyproject.toml\n [project]\n-name = "a"\n+name = "b"\n', False),
        ("No dependency changes", "//- requirements.txt\n-a==1\n+a==2\n", True),
        ("No new dependencies", "//- requirements.txt\n-a==1\n+a==2\n", False),
        ("No new dependencies", '//- package.json\n-{"dependencies": {}}\n+{"dependencies": {"a": "1"}}\n', True),
        ("No new dependencies", "//- package.json\n-{}\n+{broken\n", False),
    ],
)
def test_a_promise_is_held_against_the_texts(said: str, files: str, denied: bool) -> None:
    """Comments are documentation, a new version is no new dependency, and what does not parse proves nothing."""
    assert bool(run(f"//> Ada <ada@e.example>: {said}\n{files}", SAYS).shown) is denied


def test_a_file_that_two_commits_touched_denies_nothing() -> None:
    """Nobody can tell which of them did it."""
    text = "//> Ada <a@e.example>: Tests only\n//> Ada <a@e.example>: Add x\n//- app/a.py\n+x = 2\n"
    assert run(text, SAYS).shown == ()


@pytest.mark.parametrize(
    ("who", "machine"),
    [
        ("root <root@build-7>", True),
        ("root <root@gpu-7.tools.io>", True),
        ("Ubuntu <ubuntu@ip-10-0-0-7>", True),
        ("jenkins <jenkins@ci.(none)>", True),
        ("Administrator <administrator@pc.localdomain>", True),
        ("Ada <ada@laptop.local>", False),
        ("Lynn Root <lynn@tools.io>", False),
        ("hpk <none@none>", False),
        ("Build <build@tools.io>", False),
        ("root[bot] <root@build-7>", False),
        ("Ada <>", False),
    ],
)
def test_accounts_of_machines(who: str, machine: bool) -> None:
    """Root always, others where no mail goes; people and programs never."""
    assert bool(run(f"//> {who}: Add x\n//- a.py\n+x = 1\n", WHO).shown) is machine


def test_an_account_is_named_once() -> None:
    """However many commits it made."""
    text = "//> root <root@b>: One\n//> root <root@b>: Two\n//- a.py\n+x = 1\n"
    (seen,) = run(text, WHO).shown
    assert (seen.path, seen.title.rpartition(": ")[2]) == (None, "`root@b` (100000000)")


@pytest.mark.parametrize(
    ("config", "most"),
    [
        ("", LARGE),
        ("    - id: check-added-large-files\n", 500 * 1024),
        ("    - id: check-added-large-files\n      args: ['--maxkb=20']\n", 20 * 1024),
        ("    - id: check-added-large-files\n      args:\n        - --maxkb\n        - 20\n", 20 * 1024),
        ("    - id: check-added-large-files\n    - id: other\n      args: ['--maxkb=20']\n", 500 * 1024),
    ],
)
def test_the_limit_is_that_of_the_hook(config: str, most: int) -> None:
    """Its argument, its default, or ours."""
    body = "".join(f" {line}\n" for line in f"repos:\n{config}".splitlines())
    assert limit(FixtureRepository(parse(f"//- .pre-commit-config.yaml\n{body}//- a\n x\n"))) == most


def test_sizes_for_people() -> None:
    """Megabytes from one on."""
    assert (spelt(999_999), spelt(1_240_000)) == ("999 kB", "1.2 MB")


def test_a_large_text_counts_and_a_lock_does_not() -> None:
    """By its bytes, and only where it is new."""
    body = "+" + "x" * 1_000_001 + "\n"
    assert len(run(f"//- a.json\n{body}", "general/large-file-added").shown) == 1
    assert run(f"//- uv.lock\n{body}//- b.json\n 1\n{body}", "general/large-file-added").shown == ()


MARKDOWN = """\
[a](one.md "Title") ![b](<two three.png>) [c [d]](x(1).md) `[e](no.md)` <!-- [f](no.md) -->
[ref]: four.md 'Title'
[^note]: no.md
<img alt="x" src='five.png'>

1. a list

    [g](six.md)

text

    [h](no.md)

~~~
[i](no.md)
~~~
"""


def test_links_are_found_outside_of_code() -> None:
    """Inline, as images, as definitions and in HTML; each span is the target's."""
    found = list(links(MARKDOWN))
    assert [link.target for link in found] == ["one.md", "two three.png", "x(1).md", "four.md", "five.png", "six.md"]
    assert all(MARKDOWN[link.start : link.end] == link.target for link in found)


def test_headings_are_known_by_letters_and_digits() -> None:
    """Both kinds of headings, names given by hand, and none inside code; made pages have no list."""
    known = anchors("# A: *b* `c`!\n\nTwo words\n---------\n## 中文 标题 {#short}\n<a id='x-y'></a>\n```\n# no\n```\n")
    assert known is not None
    assert {key(each) for each in ("a-b-c", "two-words", "中文-标题", "short", "x-y")} <= known
    assert key("no") not in known
    assert anchors("{% include x %}\n# A\n") is None
    assert slug(" A: *b* `c`! ##") == "a-b-c"


def test_headings_in_html_are_anchors() -> None:
    """By their text, on one line or on several; what is not closed is none."""
    text = '<h1 align="center">Round <b>Zero</b></h1>\n<H2>\n  Two\n  words\n</H2>\n<h3>open\n\n# Last\n'
    assert headings(text) == ["Round <b>Zero</b>", "Two words", "Last"]
    known = anchors(text)
    assert known is not None
    assert {key(each) for each in ("round-zero", "two-words", "last")} <= known
    assert slug(headings(text)[0]) == "round-zero"
    assert headings("<h1>" * 200_000) == []
    page = '//- README.md\n <h1 align="center">My Shop</h1>\n+[up](#my-shop) [off](#your-shop)\n'
    assert [seen.title.rpartition(": ")[2] for seen in run(page, LINK).shown] == ["`#your-shop`"]


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("docs/a.md", "[x](page)"),
        ("docs/a.md", "[x](../../../issues/3)"),
        ("docs/a.md", "[x](b.html)"),
        ("docs/a.md", "[x](/b.md) [y](#) [z](#top) [w](b.md?raw=1)"),
        ("docs/a.md", "[x](path/to/file.md) [y](your-file.md) [z]({{ url }}.md)"),
        ("docs/a.md", "[x](linked/b.md)"),
        ("_posts/a.md", "[x](c.md)"),
        (".github/PULL_REQUEST_TEMPLATE.md", "[x](c.md)"),
        ("README.md", "[x](../issues) [y](docs) [z](docs/)"),
        ("docs/a.md", "[x](c.md) [y](d.md) [z](e.md) [w](b.md)"),
    ],
)
def test_what_is_no_broken_link(page: str, line: str) -> None:
    """Pages without an ending, rooted and hosted ones, templates, links in the tree, pages with rules of their own."""
    text = f"//- docs/b.md\n # B\n//- docs/linked\n x\n//- {page}\n+{line}\n"
    assert run(text, LINK).shown == ()


def test_a_readme_names_files_without_an_ending() -> None:
    """It is shown where it lies, so its links can be trusted to mean files."""
    (seen,) = run("//- README.md\n+See the [licence](LICENCE).\n//- LICENSE\n x\n", LINK).shown
    assert seen.title.endswith("`LICENCE`")


def test_a_renamed_page_is_offered_to_old_links() -> None:
    """The old line is tied to the page that moved, and the fragment is kept where it still leads somewhere."""
    body = "".join(f" line {number}\n" for number in range(9))
    done = run(f"//- docs/a.md -> guide/b.md\n # A\n{body}//- README.md\n [x](docs/a.md#a)\n", LINK)
    (seen,) = done.shown
    assert seen.cause is not None
    assert seen.cause.path == "guide/b.md"
    assert seen.fixes[0].edits[0].new_text == "guide/b.md#a"


def test_a_link_that_was_broken_before_is_not_named_again() -> None:
    """Neither on a line that was edited around it, nor elsewhere."""
    text = "//- a.md\n-See [x](gone.md)\n+Do see [x](gone.md)\n [y](gone.md)\n//- b.md\n-x\n+y\n"
    assert run(text, LINK).shown == ()


def test_other_languages_read_the_environment_too() -> None:
    """And a changelog is no table."""
    names = [f"SHOP_{letter}" for letter in "ABCDE"]
    reads = "".join(f' x = os.Getenv("{name}")\n' for name in names) + '+x, ok := os.LookupEnv("SHOP_NEW")\n'
    told = "".join(f" {name} is told\n" for name in names)
    assert len(run(f"//- shop/a.go\n{reads}//- env.md\n{told}", ENV).shown) == 1
    assert run(f"//- shop/a.go\n{reads}//- CHANGELOG.md\n{told}", ENV).shown == ()
    assert run(f"//- tests/a_test.go\n{reads}//- env.md\n{told}", ENV).shown == ()


def test_a_reading_that_moved_is_not_new() -> None:
    """A name that a removed line read was known before, also where its file is deleted."""
    names = [f"SHOP_{letter}" for letter in "ABCDE"]
    reads = "".join(f' x = os.getenv("{name}")\n' for name in names)
    told = "//- env.md\n" + "".join(f" {name} is told\n" for name in names)
    new = '//- shop/b.py\n+y = os.getenv("SHOP_NEW")\n'
    assert len(run(f"//- shop/a.py\n{reads}{new}{told}", ENV).shown) == 1
    assert run(f'//- shop/a.py\n{reads}-y = os.environ["SHOP_NEW"]\n{new}{told}', ENV).shown == ()
    assert run(f'//- shop/a.py\n{reads}//- shop/c.py\n-y = os.environ["SHOP_NEW"]\n{new}{told}', ENV).shown == ()


def test_a_split_plan_lists_the_files_of_each_part() -> None:
    """As evidence, with the first changed line of each."""
    many = "".join(
        f"//- {folder}/{word}{number}.py\n" + "".join(f"+{word}_{number}_{line} = {line}\n" for line in range(100))
        for folder, word, count in (("orders", "order", 9), ("printing", "printer", 3))
        for number in range(count)
    )
    (seen,) = run(many, "general/unrelated-changes").shown
    assert [proof.role for proof in seen.evidence] == ["in part 1"] * 9 + ["in part 2"] * 3
    assert (seen.evidence[-1].path, seen.evidence[-1].quote) == ("printing/printer2.py", "printer_2_0 = 0")


def test_one_edit_in_most_files_is_one_change() -> None:
    """A name or an address that is replaced everywhere; with another edit in each file there are parts."""
    for new, parts in (("robeypointer", 0), ("number{number}", 1)):
        many = "".join(
            f"//- {folder}/{word}{number}.py\n {word}_{number} = 1\n"
            f"-# by robey@lag\n+# by {new.format(number=number)}@lag\n"
            for folder, word, count in (("orders", "order", 26), ("printing", "printer", 6))
            for number in range(count)
        )
        assert len(run(many, "general/unrelated-changes").shown) == parts


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ('+raise ImportError("needs Acme: http://acme-tools.io/")\n', 0),
        ('+raise ImportError(\n+    "needs Acme: "\n+    f"http://acme-tools.io/ for {x}"\n+)\n', 1),
        ('+raise ImportError(\n+    "needs Acme, "\n+    f"see http://acme-tools.io/ for {x}"\n+)\n', 0),
        ('+warnings.warn("moved to http://acme-tools.io/", DeprecationWarning)\n', 0),
        ('+raise Moved("http://acme-tools.io/")\n', 1),
        ('+print("http://acme-tools.io/help")\n', 0),
        ('+click.echo("see " + f"http://acme-tools.io/{x}")\n', 0),
        ('+print(get("http://acme-tools.io/help"))\n', 1),
        ('+blueprint("http://acme-tools.io/help")\n', 1),
        ('+run("wget -q http://acme-tools.io/a")\n', 1),
    ],
)
def test_an_address_in_the_words_of_an_error_is_told_to_people(line: str, count: int) -> None:
    """An address alone, and one in a command, may be opened."""
    assert len(run(f"//- app/a.py\n{line}", "general/plain-http").shown) == count


@pytest.mark.parametrize("path", ["NOTICE", "doc/announce/old.txt", "node_modules/a/b.json", "third_party/a.sh"])
def test_what_nobody_runs_may_name_a_plain_address(path: str) -> None:
    """Prose by its name, and what others wrote."""
    line = '+x = "http://downloads.acme-tools.io/a"\n'
    assert run(f"//- {path}\n{line}", "general/plain-http").shown == ()
    assert len(run(f"//- src/{path.rpartition('/')[2]}.sh\n{line}", "general/plain-http").shown) == (path != "NOTICE")


@pytest.mark.parametrize(
    ("line", "host"),
    [
        ('U = "https://git.blue.corp/x"', "git.blue.corp"),
        ("# see http://wiki.blue.lan/x", "wiki.blue.lan"),
        ('U = "postgres://me:secret@db.blue.internal:5432/x"', "db.blue.internal"),
        ('U = "grpc://172.20.3.4:90"', "172.20.3.4"),
        ('U = "https://172.15.3.4:90"', None),
        ('U = "https://metadata.google.internal/x"', None),
        ('U = "http://a.default.svc.cluster.local"', None),
        ('U = "http://192.168.1.1/"', None),
        ('U = "https://your-host.corp/"', None),
        ('U = "https://git.acme.internal/x"', "git.acme.internal"),
        ('U = "https://git.mycompany.corp/x"', "git.mycompany.corp"),
        ('U = "https://my-registry.internal/x"', None),
        ('U = "https://tools.io/blue.corp"', None),
    ],
)
def test_hosts_of_one_network(line: str, host: str | None) -> None:
    """Domains that are nobody's and private networks; not what clouds and containers give, nor placeholders."""
    titles = [
        seen.title.rpartition(": ")[2] for seen in run(f"//- app/a.py\n+{line}\n", "general/internal-address").shown
    ]
    assert titles == ([f"`{host}`"] if host is not None else [])


def test_a_network_the_repository_names_is_no_news() -> None:
    """Another host of the same domain, in another file."""
    text = "//- conf.toml\n a = 'https://one.blue.corp'\n//- app/a.py\n+U = 'https://two.blue.corp'\n"
    assert run(text, "general/internal-address").shown == ()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("//- a.conf\n-U = 'https://One.blue.corp'\n+U = ''\n//- app/a.py\n+U = 'https://one.blue.corp'\n", 0),
        ("//- a.conf\n-U = 'https://one.blue.corp'\n//- app/a.py\n+U = 'https://one.blue.corp'\n", 0),
        ("//- a.conf\n-U = 'https://big-blue.corp'\n//- app/a.py\n+U = 'https://one.blue.corp'\n", 1),
        ("//- setup.sh\n+git clone git@git.blue.corp:x/y.git\n", 1),
    ],
    ids=["moved", "from a deleted file", "another domain", "no slashes in the file"],
)
def test_a_host_that_stood_in_a_changed_file_is_no_news(text: str, count: int) -> None:
    """Lines that this change removes count as the repository's knowledge."""
    assert len(run(text, "general/internal-address").shown) == count


@pytest.mark.parametrize(
    ("comment", "seen"),
    [
        ("# broken since build #48213", ["`48213`"]),
        ("# CI run id 48213", ["`48213`"]),
        ("# 流水线编号 48213 起失败", ["`48213`"]),
        ("# run 100000 times, build 2024", []),
        ("# build #48213, see https://ci.tools.io/48213", []),
        ("x = 'build #48213'", []),
        ("# see //lib:none", ["`//lib:none`"]),
        ("# see //lib:parse and //lib:parse_test", []),
        ("# see //lib/none:none and //gone:none", ["`//lib/none:none`"]),
        ("# deps = ['//lib:none']", []),
    ],
)
def test_builds_that_comments_name(comment: str, seen: list[str]) -> None:
    """Numbers that say so, and labels of this repository that lead nowhere."""
    text = f'//- lib/BUILD\n py_library(name = "parse")\n//- app/a.py\n+{comment}\n'
    found = run(text, "general/unknown-build-id").shown
    assert [each.title.rpartition(": ")[2] for each in found] == seen


def test_a_host_without_encryption_is_told_once_a_file() -> None:
    """Its other addresses say nothing new; another host does."""
    lines = "".join(
        f"+{name} = 'http://{host}.tools.io/{name}'\n" for name, host in (("a", "x"), ("b", "x"), ("c", "y"))
    )
    assert [each.line for each in run(f"//- app/a.py\n{lines}", "general/plain-http").shown] == [1, 3]
