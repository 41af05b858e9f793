"""Quick fixes in files that are laid out otherwise: what they put back, move or leave out, and what stays as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roundzero.packs.examples import parse
from support.checking import checker_examples, run, run_on
from support.fixing import Mended, applied, mended

LINES = pytest.mark.parametrize("crlf", [False, True], ids=["lf", "crlf"])
ITEMS = sorted({item for item, text in checker_examples() if item in text})


def after(text: str, item: str, *, crlf: bool = False) -> str | None:
    """The head after the fix; None where there is none."""
    done = mended(text, item, crlf=crlf)
    return done.after if done is not None else None


@pytest.mark.parametrize("item", ITEMS)
def test_a_fix_ends_lines_as_its_file_does(item: str) -> None:
    """With other ends of lines the same is found, and what a fix writes has them too."""
    for text in (text for name, text in checker_examples() if name == item and item in text):
        fixture = parse(text)
        base, head = (
            {path: text.replace("\n", "\r\n") for path, text in side.items()} for side in (fixture.base, fixture.head)
        )
        other = replace(fixture, base=base, head=head)
        done = run_on(other, item)
        assert [len(seen.fixes) for seen in done.shown] == [len(seen.fixes) for seen in run(text, item).shown]
        for fix in (fix for seen in done.shown for fix in seen.fixes):
            texts = applied(other, fix)
            assert [path for path, new in texts.items() if new.count("\n") != new.count("\r\n")] == []
            assert len(run_on(replace(other, head={**head, **texts}), item).shown) < len(done.shown)


ADDRESS = "general/internal-address"
ROW = '   resolved "https://get.acme-tools.io/{0}/-/{0}-1.0.tgz#abc"\n'
INSIDE = '+  resolved "http://npm.blue.corp:8080/c/-/c-1.0.tgz#abc"\n'


@LINES
@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            f"//- yarn.lock\n{ROW.format('a')}-{ROW.format('c')[1:]}{INSIDE}",
            '  resolved "https://get.acme-tools.io/c/-/c-1.0.tgz#abc"',
        ),
        (
            f"//- yarn.lock\n{ROW.format('a')}{ROW.format('b')}{INSIDE}",
            '  resolved "https://get.acme-tools.io/c/-/c-1.0.tgz#abc"',
        ),
        (
            "//- a.sh\n-git clone git@git.acme-tools.io:a/b.git\n+git clone git@git.blue.corp:a/b.git  # ours\n",
            "git clone git@git.acme-tools.io:a/b.git  # ours",
        ),
        (
            "//- p.conf\n-index = https://get.acme-tools.io/simple\n+index = http://10.214.7.33/simple\n",
            "index = https://get.acme-tools.io/simple",
        ),
        (f"//- yarn.lock\n{ROW.format('a')}{ROW.format('b').replace('get', 'got')}{INSIDE}", None),
        (f"//- yarn.lock\n{ROW.format('a')}{INSIDE}", None),
        (f"//- fetch.sh\n{ROW.format('a')}{ROW.format('b')}{INSIDE}", None),
        ("//- a.sh\n-get https://get.acme-tools.io/a\n+get https://git.blue.corp/b\n", None),
        ("//- a.sh\n-get https://u:p@get.acme-tools.io/a\n+get https://git.blue.corp/a\n", None),
        ("//- a.sh\n-get https://get.acme-tools.io/a\n+get https://u:p@git.blue.corp/a\n", None),
    ],
    ids=[
        "replaced row", "other rows", "shell form", "short path", "rows disagree", "one row", "no lock", "another path",
        "account before", "account now",
    ],
)  # fmt: skip
def test_a_public_host_is_named_where_the_file_shows_it(text: str, line: str | None, crlf: bool) -> None:
    """On the line that was replaced, or in all other rows of a lock; an account is neither read nor written."""
    new = after(text, ADDRESS, crlf=crlf)
    assert (new.rstrip("\n").split("\n")[-1] if new is not None else None) == line


KEY = "python/required-key-relaxed"


@LINES
@pytest.mark.parametrize(
    ("before", "now", "back"),
    [
        ('return "%s" % d["k"]', "return f\"{d.get('k', 1)} x\"", "return f\"{d['k']} x\""),
        ('return g(d[\n-        "k"  # why\n-    ])', 'return g(d.get("k", 1))  # go', 'return g(d["k"])  # go'),
        ('return (d or e)["k"]', 'return (d or e).get("k", 1)', 'return (d or e)["k"]'),
        ('return os.environ["K"]', 'return os.getenv("K", "1")', 'return os.environ["K"]'),
        ('return environ["K"]', 'return getenv("K", "1")', None),
        ('return d["k"]', 'return d.get(\n+        "k",  # why\n+        1,\n+    )', None),
    ],
    ids=["other quotes", "comment at the base", "brackets", "environment", "not imported", "comment"],
)
def test_a_key_is_required_again_in_the_words_of_today(before: str, now: str, back: str | None, crlf: bool) -> None:
    """With the quotes and the owner of today; not where a comment would go, or a name is not there any more."""
    imports = "from os import getenv" if back is None else "import os"
    text = f"//- a.py\n {imports}\n def f(d, e):\n-    {before}\n+    {now}\n"
    wanted = f"{imports}\ndef f(d, e):\n    {back}\n" if back is not None else None
    assert after(text, KEY, crlf=crlf) == wanted


DUMP = "python/environment-dump"


@pytest.mark.parametrize(
    ("call", "new"),
    [
        ('logging.info("é" f"a {sys.argv=} b")', 'logging.info("é" f"a {sys.argv[0]=} b")'),
        (
            'g(f"""a\n+ {x} {y}""")\n+    raise E(f"{os.environ!r:>3}")',
            'g(f"""a\n {x} {y}""")\n    raise E(f"{len(os.environ)!r:>3}")',
        ),
        ('logging.info("a", extra=os.environ)', None),
        ('logging.info("a %(HOME)s", os.environ)', None),
    ],
)
def test_a_number_stands_for_an_environment_only_where_it_is_shown(call: str, new: str | None) -> None:
    """What a logger takes by name, or a format by keys, has to stay a mapping."""
    wanted = f"import logging, os, sys\ndef f(x):\n    {new}\n" if new is not None else None
    assert after(f"//- a.py\n import logging, os, sys\n def f(x):\n+    {call}\n", DUMP) == wanted


@LINES
def test_what_is_set_moves_with_its_comments_above_those_of_the_try(crlf: bool) -> None:
    """Neither is left behind, and none comes between."""
    set_it = "        # on while it runs\n        self.on = [\n            1,  # one\n        ]\n"
    run_it = "        # now\n        try:\n            run()\n        finally:\n            self.on = []\n"
    start = "class A:\n    def f(self):\n"
    head = f"{start}{set_it}        go()\n{run_it}"
    text = "//- a.py\n" + "".join(f"+{line}\n" for line in head.splitlines())
    assert after(text, "python/set-before-try", crlf=crlf) == f"{start}        go()\n{set_it}{run_it}"


@LINES
@pytest.mark.parametrize(
    ("call", "new"),
    [("f()  # go", 'if __name__ == "__main__":\n    f()  # go'), ("f(); g()", None), ("f();", None)],
)
def test_only_the_call_itself_goes_under_the_guard(call: str, new: str | None, crlf: bool) -> None:
    """Another statement of its line is somebody else's."""
    body = "import os\ndef f():\n    os.mkdir('a')\n\n"
    text = "//- a.py\n" + "".join(f" {line}\n" for line in body.splitlines()) + f"+{call}\n"
    assert after(text, "python/import-side-effect", crlf=crlf) == (f"{body}{new}\n" if new is not None else None)


@LINES
def test_a_check_comes_back_with_its_comment(crlf: bool) -> None:
    """The comment that was removed above it comes back too."""
    text = """\
//- a.py
 def f(a, b):
-    # not without a
-    if a is None:
-        raise ValueError('no a at all')
     return a + b
"""
    done = mended(text, "python/guard-removed", crlf=crlf)
    assert done is not None
    assert done.put_in == (
        "def f(a, b):",
        """\
    # not without a
    if a is None:
        raise ValueError('no a at all')""",
    )


SELECT = "dependencies/select-branch-missing"
FIRST = """\
 def torch():
     return select({
         "//:rocm": ["@rocm"],
         "//:arm": ["@arm"],
+        "//:arm2": ["@%s"],
         "//conditions:default": ["@torch"],
     })
"""


@LINES
@pytest.mark.parametrize(
    ("value", "rest", "new"),
    [
        (
            "arm2",
            """\
"//:arm": ["b"],  # b
         # else
         "//conditions:default": [
             "c",
         ],""",
            """\
        "//:arm2": [
            "c",
        ],""",
        ),
        ("arm", '"//:arm": ["b"],\n         "//conditions:default": [],', '        "//:arm2": ["b"],'),
        ("arm2", '"//:arm": ["b"],', None),
        ("arm2", '"//conditions:default": ["c"],\n         "//:arm": ["b"]', None),
    ],
    ids=["as by default", "as its twin", "no default", "no comma"],
)
def test_a_missing_condition_is_given_what_it_has_today(value: str, rest: str, new: str | None, crlf: bool) -> None:
    """That of the default, or that of the condition with which it goes in the other calls."""
    second = f' def other():\n     return select({{\n         "//:rocm": ["a"],\n         {rest}\n     }})\n'
    done = mended(f"//- build/deps.bzl\n{FIRST % value}{second}", SELECT, crlf=crlf)
    assert (done.put_in[1] if done is not None else None) == new


def changed(done: Mended | None) -> list[tuple[str, str]]:
    """The lines that a fix changes, before and after, where it adds and takes none."""
    assert done is not None
    old, new = done.before.split("\n"), done.after.split("\n")
    assert len(old) == len(new)
    return [(before, now) for before, now in zip(old, new, strict=True) if before != now]


PINNED = """\
//- deps/requirements.txt
 torch==2.8.0
 numpy==1.0.0
 tabulate==0.9.0  # why
//- build/wheel.bzl
 def deps():
     return select({
         "//:gpu": [
             "torch==2.8.0",
             "numpy==1.0.0",
-            "tabulate==0.9.0",
"""


@LINES
@pytest.mark.parametrize(
    ("row", "new"),
    [
        ('"tabulate[a,b] == 0.9.1 ; os == 3", "x==2",  # t', '"tabulate[a,b] ==0.9.0 ; os == 3", "x==2",  # t'),
        ("'tabulate==0.9.1',", "'tabulate==0.9.0',"),
    ],
)
def test_only_the_pin_of_a_row_is_replaced(row: str, new: str, crlf: bool) -> None:
    """Extras, markers and comments are the row's own."""
    text = f"{PINNED}+        {row}\n         ],\n     }})\n"
    wanted = [(f"        {row}", f"        {new}")]
    assert changed(mended(text, "dependencies/parallel-lists-drift", crlf=crlf)) == wanted


GONE = "//- tools/gen.py\n-x = 1\n"


@LINES
@pytest.mark.parametrize(
    ("path", "lines", "left"),
    [
        ("MANIFEST.in", "include a.py\ninclude tools/gen.py", "include a.py"),
        ("CMakeLists.txt", "add_library(x a.py tools/gen.py)  # two", "add_library(x a.py)  # two"),
        ("CMakeLists.txt", "configure_file(a.in tools/gen.py)", None),
        ("CMakeLists.txt", "set(X\n  a.py\n  tools/gen.py\n)", "set(X\n  a.py\n)"),
        ("BUILD", 'x(srcs = [\n    "tools/gen.py",  # why\n])', None),
    ],
)
def test_a_file_that_is_gone_is_left_out_of_lists(path: str, lines: str, left: str | None, crlf: bool) -> None:
    """At a file's end too, whether its last line ends or not; what hangs on its place or has a comment stays."""
    rows = "".join(f" {line}\n" for line in lines.split("\n"))
    assert after(f"{GONE}//- {path}\n{rows}", "general/deleted-file-still-named", crlf=crlf) == (
        f"{left}\n" if left is not None else None
    )
    if path == "MANIFEST.in":
        cut = after(f"{GONE}//- {path}\n{rows}\\\n", "general/deleted-file-still-named")
        assert cut == f"{left}\n"


@pytest.mark.parametrize(
    ("label", "new"),
    [("'parse.cc'", "'parse/parse.cc'"), ('"""parse.cc"""', None), ('r"parse.cc"', None)],
)
def test_a_label_is_named_anew_only_as_a_plain_string(label: str, new: str | None) -> None:
    """Where it stands in its quotes is not plain behind a prefix."""
    rows = 'cc_library(\n    name = "lib",\n    srcs = [{}],  # x\n)\n'
    added = "".join(f"+{line}\n" for line in rows.format(label).splitlines())
    text = f"//- lib/parse/parse.cc\n x\n//- lib/BUILD\n{added}"
    assert after(text, "build-and-ci/label-names-nothing") == (rows.format(new) if new is not None else None)


@pytest.mark.parametrize(
    ("url", "new"),
    [("get.acme-tools.io:80/x", "https://get.acme-tools.io/x"), ("get.acme-tools.io:8080/x", None)],
)
def test_https_is_not_expected_at_a_port_of_http(url: str, new: str | None) -> None:
    """Its own port needs no name; what answers at a chosen one is not known."""
    assert after(f'//- a.py\n+U = "http://{url}"\n', "general/plain-http") == (f'U = "{new}"\n' if new else None)


@LINES
def test_an_action_that_is_not_there_is_missed_whatever_ends_the_line(crlf: bool) -> None:
    """It is looked for without its line's end."""
    text = "//- .github/actions/set-up/action.yml\n x\n//- .github/workflows/a.yml\n jobs:\n   a:\n     steps:\n"
    assert mended(f"{text}+      - uses: ./.github/actions/setup\n", "general/missing-path", crlf=crlf) is None
