"""Checkers of C++ and of the Bazel targets that hold it: casts, members, macros of the build, helpers, includes."""

from __future__ import annotations

import pytest

from support.checking import run

CAST = "cpp/dynamic-cast-unchecked"
MEMBER = "cpp/member-uninitialised"
FORK = "cpp/build-macro-fork"
EXPECTS = "cpp/expectation-behind-macro"
HELPER = "cpp/test-helper-repeated"
DEP = "build-and-ci/include-without-dep"

SEES_NOTHING = "TEST(B, One) { auto b = made(1); EXPECT_EQ(b->x, 1); }"
RC = "//- .bazelrc\n build:accel --copt=-DWITH_ACCEL=1\n"
GPU = "//- .github/workflows/gpu.yml\n"
OPTION = "//- CMakeLists.txt\n option(WITH_ACCEL OFF)\n"


def added(path: str, text: str) -> str:
    """A new file."""
    return f"//- {path}\n" + "".join(f"+{line}\n" for line in text.split("\n"))


@pytest.mark.parametrize(
    ("body", "is_hit"),
    [
        ("auto* b = dynamic_cast<B*>(a); b->go();", True),
        ("const B* b = dynamic_cast<const B*>(a); go(1, *b);", True),
        ("const B* b = dynamic_cast<const B*>(a); B copy = *b;", True),
        ("std::shared_ptr<B> b = std::dynamic_pointer_cast<B>(a); b->go();", True),
        ("dynamic_cast<B*>(a)->go();", True),
        ("B c = *dynamic_cast<B*>(a);", True),
        ("std::dynamic_pointer_cast<ns::B<int>>(a.at(0))->go();", True),
        ("auto* b = dynamic_cast<B*>(a); if (b) b->go();", False),
        ("auto* b = dynamic_cast<B*>(a); CHECK(b != nullptr); b->go();", False),
        ("if (auto* b = dynamic_cast<B*>(a)) b->go();", False),
        ("if (auto* b = dynamic_cast<B*>(a); b && b->ok()) b->go();", False),
        ("auto& b = dynamic_cast<B&>(*a); b.go();", False),
        ("auto* b = dynamic_cast<B*>(a); b = other(b); b->go();", False),
        ("auto* b = dynamic_cast<B*>(a); use(b);", False),
        ("auto* b = dynamic_cast<B*>(a) ? one : two; b->go();", False),
        ("auto* b = dynamic_cast<B*>(a); /* b->go(); */ ASSERT_NE(b, nullptr);", False),
        ("A* a = new B(); auto* b = dynamic_cast<B*>(a); b->go();", False),
        ("const bool is = dynamic_cast<B*>(a) * 2;", False),
        ("if (dynamic_cast<B*>(a) == nullptr) return; dynamic_cast<B*>(a)->go();", False),
        ("assert(dynamic_cast<B*>(a)); auto* b = dynamic_cast<B*>(a); b->go();", False),
        ("if (dynamic_cast<C*>(a) == nullptr) return; dynamic_cast<B*>(a)->go();", True),
    ],
)
def test_a_cast_is_told_where_its_first_use_is_a_dereference(body: str, is_hit: bool) -> None:
    """Held or used at once; whoever asks, hands it on or made the object himself is left alone."""
    done = run(added("src/a.cc", f"void f(A* a) {{\n  {body}\n}}"), CAST)
    assert done.failures == ()
    assert bool(done.shown) is is_hit


@pytest.mark.parametrize(
    ("callers", "is_hit"),
    [
        (SEES_NOTHING, True),
        ("TEST(B, One) { EXPECT_EQ(made(1)->x, 1); }", True),
        (f"{SEES_NOTHING}\nTEST(B, Two) {{ EXPECT_THROW(made(2), Error); }}", True),
        (f"{SEES_NOTHING}\nTEST(B, Two) {{ auto b = made(2); ASSERT_TRUE(b); }}", False),
        ("TEST(B, One) { EXPECT_EQ(made(1), nullptr); }", False),
        ("TEST(B, One) { auto b = other.made(1); b->go(); }", False),
        ("", False),
    ],
)  # fmt: skip
def test_a_function_that_returns_a_cast_is_told_where_no_caller_in_the_file_asks(callers: str, is_hit: bool) -> None:
    """One caller that asks is enough; one that drops the result says nothing."""
    helper = "std::shared_ptr<B> made(int x) {\n  return std::dynamic_pointer_cast<B>(build(x));\n}"
    done = run(added("tests/b_test.cc", f"{helper}\n{callers}"), CAST)
    assert [(seen.line, len(seen.evidence)) for seen in done.shown] == ([(2, 1)] if is_hit else [])


@pytest.mark.parametrize(
    ("member", "is_hit"),
    [
        ("int a;", True),
        ("unsigned long long a;", True),
        ("std::size_t a;", True),
        ("Row* a;", True),
        ("std::map<int, int>* a;", True),
        ("int a = 0;", False),
        ("int a{0};", False),
        ("static int a;", False),
        ("int a();", False),
        ("Row a;", False),
        ("int& a;", False),
        ("typedef int* a;", False),
        ("K() = default; int a;", True),
        ("K(int b) : a(b) {} int a;", False),
        ("K(); int a;", False),
        ("~K() {} int a;", True),
        ("int get() { int a; return a; }", False),
        ("struct Inner { int a; };", False),
    ],
)
def test_a_member_is_told_where_nothing_gives_it_a_value(member: str, is_hit: bool) -> None:
    """Numbers and pointers of classes without a constructor of their own."""
    done = run(added("src/k.h", f"class K : public Base {{\n public:\n  {member}\n}};"), MEMBER)
    assert done.failures == ()
    assert bool(done.shown) is is_hit


def test_what_protoc_made_and_structs_have_members_without_a_value() -> None:
    """Both are filled in by others."""
    assert run(added("src/k.pb.h", "class K { int a; };"), MEMBER).shown == ()
    assert run(added("src/k.h", "struct K { int a; };\nenum class K { A };"), MEMBER).shown == ()


@pytest.mark.parametrize(
    ("others", "words"),
    [
        (RC, ".bazelrc:1 --config=accel; scripts: -; tests: -"),
        (
            f"{RC} build:large --config=accel\n test:all --config=large\n{GPU} run: bazel test --config=all //...\n",
            ".bazelrc:1 --config=accel; scripts: gpu.yml; tests: -",
        ),
        (
            f"{RC}//- ci/run.sh\n bazel test --config=cuda //...\n",
            ".bazelrc:1 --config=accel; scripts: -; tests: -",
        ),
        (
            f"{OPTION}//- ci/run.sh\n cmake -DWITH_ACCEL=ON .\n//- tests/f_test.cc\n #if WITH_ACCEL\n #endif\n",
            "CMakeLists.txt:1; scripts: run.sh; tests: f_test.cc",
        ),
        ("//- .bazelrc\n # build:accel --copt=-DWITH_ACCEL=1\n", ""),
        ("//- src/config.h\n #define WITH_ACCEL 1\n", ""),
        ("", ""),
    ],
)
def test_a_fork_says_who_sets_the_macro_and_who_runs_such_a_build(others: str, words: str) -> None:
    """Configurations that include the one count; a macro that no build file sets is no fork of the build."""
    done = run(
        f"//- src/f.cc\n int f() {{\n+#if defined(WITH_ACCEL)\n+  return 2;\n+#endif\n   return 1;\n }}\n{others}", FORK
    )
    assert done.failures == ()
    assert [seen.title.partition("`WITH_ACCEL` ")[2] for seen in done.shown] == ([f"({words})"] if words else [])


@pytest.mark.parametrize(
    "line",
    ["#include <WITH_ACCEL.h>", "#define WITH_ACCEL 1", "#ifdef __CUDA_ARCH__", "#ifndef NDEBUG", "// #if WITH_ACCEL"],
)
def test_only_conditions_on_macros_of_the_build_fork(line: str) -> None:
    """Not those of compilers, nor what stands in comments."""
    assert run(f"//- src/f.cc\n int f() {{\n+{line}\n   return 1;\n }}\n{OPTION}", FORK).shown == ()


@pytest.mark.parametrize(
    ("test", "lines"),
    [
        ("TEST(L, One) { EXPECT_EQ(Layout::make(8).rank, 8); }", [1]),
        ("TEST_F(L, One) {\n  auto made = Layout::make(8);\n  ASSERT_EQ(made.rank, 8);\n}", [3]),
        ("TEST(L, One) { Layout::make(8); }", []),
        ("TEST(L, One) { EXPECT_EQ(Other::make(8).rank, 8); }", []),
        ("Layout of(int r) { return Layout::make(r); }\nTEST(L, One) { EXPECT_EQ(of(8).rank, 8); }", [2]),
        ("Layout of(int r) { return Layout::make(r); }\nTEST(L, One) { EXPECT_EQ(8, 8); }", []),
        ("int check() { EXPECT_EQ(Layout::make(8).rank, 8); }", []),
    ],
)
def test_a_test_is_told_where_it_expects_something_of_a_function_that_forks(test: str, lines: list[int]) -> None:
    """By itself or through a function of its own file; once for each test."""
    fork = "+#ifdef WITH_ACCEL\n+    r /= 2;\n+#endif\n"
    code = f"//- src/l.h\n struct Layout {{\n   static Layout make(int r) {{\n{fork}     return {{r}};\n   }}\n }};\n"
    done = run(f"{OPTION}{code}{added('tests/l_test.cc', test)}", EXPECTS)
    assert done.failures == ()
    assert [seen.line for seen in done.shown] == lines


def test_a_test_of_old_is_not_told_of_a_new_fork() -> None:
    """What it expects stood there before: only lines that the change adds are looked at."""
    code = "//- src/l.h\n int make(int r) {\n+#ifdef WITH_ACCEL\n+  r /= 2;\n+#endif\n   return r;\n }\n"
    assert (
        run(f"{OPTION}{code}//- tests/l_test.cc\n TEST(L, One) {{ EXPECT_EQ(make(8), 8); }}\n+// more\n", EXPECTS).shown
        == ()
    )


@pytest.mark.parametrize(
    ("own", "is_hit"),
    [
        ("std::shared_ptr<Spec> makeRowPlan() {", True),
        ("shared_ptr<Spec> make_row_plan(int a, int b) {", True),
        ("Spec* makeRowPlan() {", False),
        ("std::shared_ptr<Spec> makeOther() {", False),
        ("std::shared_ptr<Spec> makeRowPlan() override {", False),
    ],
)
def test_a_helper_is_told_where_a_header_beside_it_makes_the_same(own: str, is_hit: bool) -> None:
    """The same type, and names that share two words."""
    header = "//- t/test/utils.h\n inline std::shared_ptr<Spec> makeResolvedRowPlan(int rank) { return {}; }\n"
    done = run(f"{header}{added('t/test/row_test.cc', own + ' return {}; }')}", HELPER)
    assert done.failures == ()
    assert bool(done.shown) is is_hit


def test_a_helper_that_was_there_or_whose_header_is_included_is_not_told() -> None:
    """Neither is this change's doing."""
    header = "//- t/test/utils.h\n inline Spec makeFirstRowPlan() { return {}; }\n"
    assert run(f"{header}//- t/test/m_test.cc\n Spec makeRowPlan() {{ return {{}}; }}\n+int a;\n", HELPER).shown == ()
    text = '#include "utils.h"\nSpec makeRowPlan() { return {}; }'
    assert run(f"{header}{added('t/test/m_test.cc', text)}", HELPER).shown == ()


@pytest.mark.parametrize(
    ("deps", "include", "is_hit"),
    [
        ('["//base:text"]', "base/text.h", False),
        ('["@shop//base:text"]', "base/text.h", False),
        ('["//base"]', "base/text.h", True),
        ('["//base"]', "base/base.h", False),
        ("[]", "base/gone.h", False),
        ("[]", "base/loose.h", False),
        ('["//base:all"]', "base/deep/one.h", True),
        ('["//base:deep"]', "base/deep/one.h", False),
        ('["//base:deep"]', "base/deep/left.h", False),
        ('[":own"]', "app/own.h", False),
        ("[]", "app/own.h", True),
        ("[]", "own.h", True),
        ('DEPS + ["//base"]', "base/text.h", False),
        ('select({"//:x": ["//base:text"]})', "base/text.h", False),
        ('["//base"] + more()', "base/text.h", True),
    ],
)
def test_an_include_needs_a_target_that_has_the_header_among_the_direct_dependencies(
    deps: str, include: str, is_hit: bool
) -> None:
    """By name, by ``glob``, through names of the same file; headers that no target has are left alone."""
    text = (
        '//- WORKSPACE\n workspace(name = "shop")\n//- base/BUILD\n cc_library(name = "text", hdrs = ["text.h"])\n'
        ' cc_library(name = "base", hdrs = ["base.h"])\n'
        ' cc_library(name = "deep", hdrs = glob(["deep/*.h"], exclude = ["deep/left.h"]))\n'
        "//- base/text.h\n int a;\n//- base/base.h\n int a;\n//- base/loose.h\n int a;\n//- base/deep/one.h\n int a;\n"
        "//- base/deep/left.h\n int a;\n//- app/own.h\n int a;\n"
        '//- app/BUILD\n DEPS = ["//base:text"]\n cc_library(name = "own", hdrs = ["own.h"])\n'
        f'+cc_library(name = "app", srcs = ["app.cc"], deps = {deps})\n//- app/app.cc\n #include "{include}"\n'
    )
    done = run(text, DEP)
    assert done.failures == ()
    assert [seen.path for seen in done.shown] == (["app/BUILD"] if is_hit else [])


def test_an_include_that_a_change_adds_is_told_where_it_stands() -> None:
    """The BUILD file is as it was; includes of old are left alone."""
    text = (
        '//- base/BUILD\n cc_library(name = "text", hdrs = ["a.h", "b.h"])\n//- base/a.h\n int a;\n'
        "//- base/b.h\n int b;\n"
        '//- app/BUILD\n cc_library(name = "app", srcs = ["app.cc"])\n//- app/app.cc\n #include "base/a.h"\n'
    )
    assert run(text, DEP).shown == ()
    (seen,) = run(f'{text}+#include "base/b.h"\n', DEP).shown
    assert (seen.path, seen.line, "(//base:text)" in seen.title) == ("app/app.cc", 2, True)
