"""Checks of what a change leaves behind elsewhere: copies, unhandled members, uses that went, guards that widened."""

from __future__ import annotations

import pytest

from roundzero.checkers._clones import lines_of
from roundzero.core.change import Source
from roundzero.core.text import RelPath
from support.checking import run

COPY = "general/duplicate-code"
GRID = "general/unguarded-kernel-grid"
ENUM = "python/enum-switch-drift"
ORPHAN = "python/orphaned-symbol"
CLEAN = "python/cleanup-removed"
WIDE = "python/guard-widened"
CASES = "python/string-dispatch"

BODY = "".join(
    f"{{mark}}    {line}\n"
    for line in (
        "total = compute_amount(orders, account)",
        "if total > account.balance_now:",
        "    raise NotEnoughMoney(total, account)",
        "account.balance_now -= total",
        'account.history_rows.append(("pay", total))',
        "notify_customer(account.owner, total)",
        "account.save_everything(now, total)",
    )
)


def seen(text: str, item: str) -> list[tuple[str, int, str]]:
    """Where something is shown, and its subject; nothing may go wrong."""
    done = run(text, item)
    assert not done.failures
    return [(each.path or "", each.line, each.title.partition(": ")[2]) for each in done.shown]


def test_of_two_new_copies_the_later_is_reported() -> None:
    """One hit on its first line, whichever file is looked at first."""
    text = f"//- app/a.py\n+def a(orders):\n{BODY}//- app/b.py\n+def b(orders):\n{BODY}".format(mark="+")
    assert seen(text, COPY) == [("app/b.py", 2, "`app/a.py:2`")]


def test_a_copy_within_one_file_is_found() -> None:
    """The places do not overlap."""
    new, old = BODY.format(mark="+"), BODY.format(mark=" ")
    assert seen(f"//- app/a.py\n def a(orders):\n{old}+def b(orders):\n{new}", COPY) == [
        ("app/a.py", 10, "`app/a.py:2`")
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tests/test_a.py", "app/b.py"),
        ("app/a_pb2.py", "app/b.py"),
        ("app/a.py", "tests/b.py"),
        ("app/a.js", "app/b.py"),
    ],
    ids=["test", "generated", "into a test", "language"],
)
def test_copies_that_nobody_minds(old: str, new: str) -> None:
    """Tests repeat themselves, generated files are not written, and languages differ."""
    there, here = BODY.format(mark=" "), BODY.format(mark="+")
    assert seen(f"//- {old}\n def a(orders):\n{there}//- {new}\n+def b(orders):\n{here}", COPY) == []


def test_what_every_file_says_is_no_copy() -> None:
    """Licences, prototypes and lists of parameters and arguments are the same by their nature."""
    licence = "".join(f" * {word} is granted, free of charge, to any person\n" for word in "abcdefgh")
    prototypes = "".join(
        f"    int compute_{word}(const Order& order, int days) const override;\n" for word in "abcdefgh"
    )
    passed = "".join(
        f"    std::optional<Order> order_{word}_given,\n    params.order_{word}.data<int>(),\n" for word in "abcdef"
    )
    text = f"/*\n{licence} */\nclass A {{\n{prototypes}}};\n{passed}"
    old, new = ("".join(f"{mark}{line}\n" for line in text.splitlines()) for mark in " +")
    assert seen(f"//- app/a.h\n{old}//- app/b.h\n{new}", COPY) == []


@pytest.mark.parametrize(
    ("path", "text", "counted"),
    [
        ("a.rs", "pub use a::{\n    b::{c, d},\n    e,\n};\nmod x;\npub(crate) mod y;\n", []),
        ("a.rs", "use q::r;\n#[derive(A)]\ngo(x); // y\n", ["go(x)"]),
        ("a.php", "<?php\nuse A\\B;\nuse A\\{\n    C,\n    D\n};\ngo(x); # y\nrun(x); // y\n",
         ["<?php", "go(x)", "run(x)"]),
        ("a.ts", "import {\n  a,\n  b,\n} from 'x';\nimport('y').then((z) => {\n  go(z);\n});\n", ["go(z)"]),
        ("a.go", 'import (\n\t"a"\n\tb "c"\n)\ngo(x)\n', ["go(x)"]),
        ("a.lua", "go(x) -- y\n-- z\nlocal n = #t + 1\n", ["go(x)", "local n = #t + 1"]),
        ("a.py", "from a import (  # (\n    b,\n)\nn = a // b + 1\nimportant(x)  # y\n",
         ["n = a // b + 1", "important(x)"]),
        ("a.js", "this.x = a; // b\nthis.#go(a, #b in c)\n", ["this.x = a", "this.#go(a, #b in c)"]),
    ],
)  # fmt: skip
def test_imports_and_comments_of_each_language_do_not_count(path: str, text: str, counted: list[str]) -> None:
    """Also imports over several lines; what is a comment elsewhere is code."""
    assert [line.text for line in lines_of(Source(RelPath(path), text, "0" * 40))] == counted


def test_moved_code_is_no_copy() -> None:
    """What was taken away where it stood exists once."""
    gone, here = BODY.format(mark="-"), BODY.format(mark="+")
    assert seen(f"//- app/a.py\n def a(orders):\n{gone}     pass\n//- app/b.py\n+def b(orders):\n{here}", COPY) == []


LAUNCH = "{mark}void {name}(float* x, int n) {{\n{mark}{guard}{mark}    k<<<(n + 255) / 256, 256>>>(x, n);\n{mark}}}\n"


@pytest.mark.parametrize(("guards", "found"), [(2, 1), (0, 0)], ids=["siblings guard", "nobody guards"])
def test_an_empty_grid_is_reported_where_siblings_guard(guards: int, found: int) -> None:
    """The file itself says whether zero can come."""
    old = "".join(
        LAUNCH.format(mark=" ", name=f"f{at}", guard="    if (n == 0) return;\n" if at < guards else "    // n\n")
        for at in range(2)
    )
    new = LAUNCH.format(mark="+", name="g", guard="    // if (n == 0) return;\n")
    assert len(seen(f"//- a.cu\n{old}{new}", GRID)) == found


KIND = "//- app/kind.py\n from enum import Enum\n class Kind(Enum):\n     A = 1\n     B = 2\n{new}"


@pytest.mark.parametrize(
    ("place", "found"),
    [
        (" match kind:\n     case Kind.A: a()\n     case Kind.B: b()\n", 1),
        (" match kind:\n     case Kind.A: a()\n     case Kind.B: b()\n     case _: assert_never(kind)\n", 1),
        (" match kind:\n     case Kind.A: a()\n     case Kind.B: b()\n     case _: c()\n", 0),
        (" match kind:\n     case Kind.A: a()\n", 0),
        (" match kind:\n     case Kind.A | Kind.B: a()\n     case Other.C: b()\n", 0),
        (" if kind == Kind.A: a()\n elif kind == Kind.B and more: b()\n", 0),
        (" TABLE = {kinds.Kind.A: 1, kinds.Kind.B: 2}\n", 1),
    ],
    ids=["no default", "refuses", "default", "few", "mixed", "other condition", "table"],
)
def test_a_new_member_passes_by(place: str, found: int) -> None:
    """Only a place that lists all others, and serves nobody else, is meant to know them all."""
    text = KIND.format(new="+    C = 3\n") + f"//- app/show.py\n from app.kind import Kind\n{place}"
    assert len(seen(text, ENUM)) == found


def test_a_renamed_member_is_no_new_one() -> None:
    """A rename breaks at its uses, which other checks see."""
    text = KIND.format(new="-    C = 3\n+    D = 3\n") + (
        "//- app/show.py\n from app.kind import Kind\n TABLE = {Kind.A: 1, Kind.B: 2, Kind.C: 3}\n"
    )
    assert seen(text, ENUM) == []


def test_a_switch_with_a_default_that_serves_is_silent() -> None:
    """Comments, strings and inner switches do not count as labels."""
    enum = "//- a.h\n enum class Kind { A, B,\n+C,\n };\n"
    inner = " switch (k) { case Kind::A: switch (n) { default: break; } break; /* default: */ case Kind::B: break; }\n"
    assert [row[:2] for row in seen(f"{enum}//- b.cc\n void f(Kind k) {{\n{inner} }}\n", ENUM)] == [("b.cc", 2)]
    served = inner.replace("/* default: */", "default: return;")
    assert seen(f"{enum}//- b.cc\n void f(Kind k) {{\n{served} }}\n", ENUM) == []


@pytest.mark.parametrize(
    ("last", "found"),
    [("+    case Kind.C: c()\n", 1), ("+    case Kind.C: c()\n     case _: d()\n", 0), ("     case Kind.C: c()\n", 0)],
    ids=["touched", "default", "old"],
)
def test_a_touched_match_that_lacks_one_member(last: str, found: int) -> None:
    """An old one is as it was meant to be."""
    members = "     C = 3\n     D = 4\n     NONE = 5\n"
    place = f" match kind:\n     case Kind.A: a()\n     case Kind.B: b()\n{last}+print()\n"
    rows = seen(KIND.format(new=members) + f"//- app/show.py\n from app.kind import Kind\n{place}", ENUM)
    assert [subject for _, _, subject in rows] == ["`Kind.D`"] * found


USED = "//- app/main.py\n def main():\n-    return load_all()\n+    return 1\n"


@pytest.mark.parametrize(
    "home",
    [
        " @command\n def load_all(): ...\n",
        ' __all__ = ["load_all"]\n def load_all(): ...\n',
        " class A:\n     def load_all(self): ...\n",
        "+def load_all(): ...\n",
        ' def load_all(): ...\n NAMES = ["load_all"]\n',
    ],
    ids=["registered", "offered", "method", "new", "found by name"],
)
def test_what_may_still_be_used_is_no_orphan(home: str) -> None:
    """Whatever else can lead to the definition is a use."""
    assert seen(f"//- app/home.py\n{home}{USED}", ORPHAN) == []


def test_an_orphan_hangs_on_the_line_that_lost_it() -> None:
    """The definition is an old line; the cause is a changed one."""
    (hit,) = run(f"//- app/home.py\n def load_all(): ...\n{USED}", ORPHAN).shown
    assert (hit.path, hit.cause.path if hit.cause else "") == ("app/home.py", "app/main.py")


def test_a_clean_up_that_another_takes_over_is_left_alone() -> None:
    """A ``finally`` or another call that gives back is one."""
    text = "//- app/a.py\n def a(f):\n-    f.close()\n+    f.release()\n def b(f):\n     f.close()\n"
    assert seen(text, CLEAN) == []


def test_a_guard_that_says_it_otherwise_is_left_alone() -> None:
    """An old value that went makes it another condition."""
    text = "//- app/a.py\n def can_pay(k):\n-    return k in (A, B)\n+    return k in (A, C)\n"
    assert seen(text, WIDE) == []


def test_strings_that_a_literal_type_lists_are_left_alone() -> None:
    """Then a type checker knows the cases."""
    uses = "".join(f'//- app/m{at}.py\n if kind == "refund": pass\n' for at in range(3))
    text = f'//- app/a.py\n+if kind == "refund": pass\n{uses}//- app/b.py\n def f(): return "refund"\n'
    assert len(seen(text, CASES)) == 1
    assert seen(f'{text}//- app/c.py\n Kind = Literal["refund", "payment"]\n', CASES) == []
