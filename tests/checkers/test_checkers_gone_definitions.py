"""Definitions of other languages than Python that went, and what still uses them: the cases too odd for an example."""

from __future__ import annotations

import pytest

from roundzero.core.item import Severity
from support.checking import run

SYMBOL = "python/removed-symbol-still-used"
MODULE = "//- src/a.ts\n-export function takeFrame() {}\n export const other = 1;\n"
HEADER = "//- src/a.h\n-inline int take_frame(int size) { return size; }\n int other_frame();\n"
CALL = "//- src/b.cc\n int run() { return take_frame(3); }\n"
GO = "//- go.mod\n module example.com/m\n//- a/a.go\n package a\n-func TakeFrame() int { return 1 }\n"
GO_USE = "//- a/b.go\n package a\n func run() int { return TakeFrame() }\n"
CMAKE = "//- a.cmake\n-function(take_frame)\n-endfunction()\n set(X 1)\n"
RULES = "//- x/BUILD\n a = 1\n//- x/a.bzl\n-def take_frame():\n-    pass\n x = 1\n"


def _seen(text: str) -> list[str]:
    """Where a fixture's uses are, with their texts."""
    return [
        f"{each.path}:{each.span.start.line if each.span is not None else 0} {each.title.rpartition(': ')[2]}"
        for each in run(text, SYMBOL).shown
    ]


def _subjects(text: str) -> list[str]:
    """The texts of a fixture's uses."""
    return [each.rpartition(" ")[2] for each in _seen(text)]


@pytest.mark.parametrize(
    ("path", "line", "subject"),
    [
        ("src/b.ts", 'import type { takeFrame } from "./a";', "takeFrame"),
        ("src/b.ts", 'import other, { type takeFrame as take } from "./a.js";', "takeFrame"),
        ("src/b.ts", 'import * as a from "./a"; a.takeFrame();', "a.takeFrame"),
        ("src/deep/b.tsx", 'export { takeFrame as take } from "../a";', "takeFrame"),
        ("src/b.js", 'const { takeFrame: take } = require("./a.ts");', "takeFrame"),
        ("src/b.js", 'const a = require("./a"); a.takeFrame();', "a.takeFrame"),
        ("b.mjs", 'const { takeFrame } = await import("./src/a");', "takeFrame"),
    ],
)
def test_an_import_of_a_module_that_lost_the_name_is_found(path: str, line: str, subject: str) -> None:
    """However a relative import names it."""
    assert _seen(f"{MODULE}//- {path}\n {line}\n") == [f"{path}:1 `{subject}`"]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("src/b.ts", 'import { takeFrame } from "package";'),
        ("src/b.ts", 'import { takeFrame } from "./b";'),
        ("src/deep/b.ts", 'import { takeFrame } from "./a";'),
        ("src/b.ts", '// import { takeFrame } from "./a";'),
        ("src/b.ts", 'const text = `import { takeFrame } from "./a";`;'),
        ("src/b.ts", 'import { other as takeFrame } from "./a";'),
        ("src/b.ts", 'import * as a from "./a"; run((a) => a.takeFrame());'),
        ("src/b.ts", 'import * as a from "./a"; const f = a.takeFrame ?? a.other;'),
        ("src/b.ts", 'import * as a from "./a"; b.a.takeFrame();'),
        ("src/b.ts", 'vi.mock("./a"); import { takeFrame } from "./a";'),
        ("src/b.ts", 'import text from "./a?raw"; takeFrame;'),
    ],
)
def test_another_module_a_comment_and_a_stand_in_are_left_alone(path: str, line: str) -> None:
    """Only what surely means the module and surely needs the name counts."""
    assert _seen(f"{MODULE}//- {path}\n {line}\n") == []


@pytest.mark.parametrize(
    "now",
    [
        'export * from "package";',
        'export * from "./gone";',
        'export * from "./c";',
        "export { take as takeFrame };",
        "export const { takeFrame } = all;",
        "export const first = call(1, 2), takeFrame = 2;",
        "module.exports = all;",
        "module.exports = { ...all };",
        "module.exports = { takeFrame: 1, other };",
        "exports.takeFrame = 1;",
        "const pattern = /[`]/; export function takeFrame() {}",
    ],
)
def test_a_module_that_may_still_export_the_name_is_left_alone(now: str) -> None:
    """By a list, an object, a pattern, or all that another module has."""
    rest = '//- src/c.ts\n export const takeFrame = 1;\n//- src/b.ts\n import { takeFrame } from "./a";\n'
    assert _seen(MODULE.replace("\n export", f"\n+{now}\n export") + rest) == []


def test_what_a_type_lists_and_a_namespace_exports_are_no_exports_of_the_module() -> None:
    """Commas between angle brackets part no declarators."""
    gone = "//- src/a.ts\n-export const one = new Two<Three, takeFrame, Five>();\n export const six = 1;\n"
    inner = "//- src/a.ts\n export namespace N {\n-  export const takeFrame = 1;\n }\n"
    use = '//- src/b.ts\n import { takeFrame } from "./a";\n'
    assert (_seen(gone + use), _seen(inner + use)) == ([], [])


def test_a_variable_called_exports_hides_nothing() -> None:
    """A module of export statements has no such object."""
    own = MODULE.replace("\n export", "\n const exports = all(); use(exports);\n export")
    assert _seen(f'{own}//- src/b.ts\n import {{ takeFrame }} from "./a";\n') == ["src/b.ts:1 `takeFrame`"]


def test_a_module_passes_on_only_what_the_other_has() -> None:
    """A star of a module that is known and lacks the name offers it no more."""
    star = MODULE.replace("\n export", '\n export * from "./c";\n export')
    rest = '//- src/c.ts\n export const nothing = 1;\n//- src/b.ts\n import { takeFrame } from "./a";\n'
    assert _seen(star + rest) == ["src/b.ts:1 `takeFrame`"]


def test_a_module_that_went_is_reported_once_in_a_file() -> None:
    """All its names went with it."""
    gone = "//- src/a.ts\n-export const one = 1;\n-export const two = 2;\n"
    use = '//- src/b.ts\n import { one, two } from "./a";\n//- src/c.ts\n import { two } from "./a";\n'
    whole = '//- src/index.ts\n export * from "./a";\n//- src/d.ts\n import "./a.js";\n'
    found = ["src/b.ts:1 `one`", "src/c.ts:1 `two`", "src/d.ts:1 `./a.js`", "src/index.ts:1 `./a`"]
    assert sorted(_seen(gone + use + whole)) == found


def test_a_module_that_moved_leaves_its_importers_behind() -> None:
    """Those that name its new place are right, in whatever order."""
    moved = "//- src/a.ts -> src/new/a.ts\n export const one = 1;\n export const two = 2;\n"
    use = '//- src/b.ts\n import { one, two } from "./a";\n//- src/c.ts\n import { two } from "./new/a";\n'
    assert _seen(moved + use) == ["src/b.ts:1 `one`"]


@pytest.mark.parametrize("place", ["src/a/index.ts", "src/a.js", "src/a.d.ts", "src/a.svelte", "src/a.native.ts"])
def test_a_module_whose_path_still_means_a_file_is_not_gone(place: str) -> None:
    """It became a folder, or is written in another language."""
    gone = f"//- src/a.ts\n-export const one = 1;\n//- {place}\n+export const one = 1;\n"
    assert _seen(f'{gone}//- src/b.ts\n import {{ one }} from "./a";\n') == []


def test_a_module_that_is_made_now_is_not_gone() -> None:
    """Git ignores it: something writes it before it is imported."""
    gone = "//- .gitignore\n+src/a.ts\n//- src/a.ts\n-export const one = 1;\n"
    assert _seen(f'{gone}//- src/b.ts\n import {{ one }} from "./a";\n') == []


def test_a_default_that_went_is_still_imported() -> None:
    """By whatever name the importing module calls it."""
    gone = "//- src/frame.ts\n-export default class Frame {}\n+export class Frame {}\n"
    assert _seen(f'{gone}//- src/b.ts\n import Shape from "./frame";\n') == ["src/b.ts:1 `Shape`"]


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("export const x = takeFrame(1);", True),
        ('const a = require("a");\n const x = new takeFrame(1);', True),
        ("export const x = takeFrame<Frame<number>>(1);", True),
        ("export { takeFrame };", True),
        ("export const x = () => {\n   takeFrame(1);\n };", True),
        ("const x = takeFrame(1);", False),
        ('import { takeFrame } from "b"; takeFrame();', False),
        ("export const x = { takeFrame() { return 1; } };", False),
        ("export const x = a.takeFrame(1);", False),
        ("export const x = (takeFrame) => takeFrame(1);", False),
        ("export const x = 'takeFrame(1)';", False),
        ("/* global takeFrame */ export const x = takeFrame(1);", False),
    ],
)
def test_a_function_that_only_its_module_knew_is_still_called_there(rest: str, *, found: bool) -> None:
    """Where the module is one, and nothing in it binds the name."""
    assert _subjects(f"//- src/a.ts\n-function takeFrame() {{}}\n {rest}\n") == ["`takeFrame`"] * found


@pytest.mark.parametrize(
    ("path", "line", "found"),
    [
        ("x/BUILD", 'load(":a.bzl", "take_frame")', True),
        ("y/BUILD", 'load("//x:a.bzl", take = "take_frame")', True),
        ("y/BUILD", 'load("@//x:a.bzl", "take_frame")', True),
        ("MODULE.bazel", 'ext = use_extension("//x:a.bzl", "take_frame")', True),
        ("y/BUILD", 'load(":a.bzl", "take_frame")', False),
        ("y/BUILD", 'load("@other//x:a.bzl", "take_frame")', False),
        ("y/BUILD", 'load("//x:b.bzl", "take_frame")', False),
        ("y/BUILD", '# load("//x:a.bzl", "take_frame")', False),
        ("y/BUILD", 'genrule(name = "take_frame")', False),
    ],
)
def test_a_load_of_a_name_that_went_is_found_by_its_label(path: str, line: str, *, found: bool) -> None:
    """A label means a file of its own repository, seen from its own package."""
    assert _subjects(f"{RULES}//- {path}\n {line}\n") == ["`take_frame`"] * found


@pytest.mark.parametrize(
    "now", ['load("//y:b.bzl", "take_frame")', "take_frame = x", "def run(take_frame):\n     pass"]
)
def test_a_name_that_the_rules_get_from_elsewhere_is_still_there(now: str) -> None:
    """Loaded, assigned or a parameter."""
    text = f"//- x/a.bzl\n-def take_frame():\n-    pass\n {now}\n def all():\n     take_frame()\n"
    assert _seen(text) == []


@pytest.mark.parametrize(
    ("removed", "use"),
    [
        ("int take_frame(int size) { return 1; }", "int run() { return take_frame(3); }"),
        ("int take_frame(int size) { return 1; }", "int run() { return a > 1 && take_frame(3); }"),
        ("int take_frame(int size) { return 1; }", "auto* f = &take_frame;"),
        ("std::function<int()> take_frame() { return {}; }", "auto f = take_frame();"),
        ("class take_frame : public Base { int a; };", "const take_frame& f = all();"),
        ("class take_frame { int a; };", "TEST_F(take_frame, Works) {}"),
        ("class take_frame { int a; };", "INSTANTIATE_TEST_SUITE_P(All, take_frame, kAll);"),
        ("class take_frame { int a; };", "class Own : public take_frame {};"),
        ("enum class take_frame { kA, kB };", "auto f = take_frame::kA;"),
        ("using take_frame = int;", "std::vector<take_frame> all;"),
        ("constexpr int take_frame = 3;", "int f = 2 * take_frame;"),
        ("#define take_frame(x) x", "int f = take_frame(3);"),
    ],
)
def test_what_no_file_declares_any_more_is_still_used(removed: str, use: str) -> None:
    """A function, a class, an enumeration, an alias, a constant and a macro."""
    text = f"//- src/a.h\n-{removed}\n int other_frame();\n//- src/b.cc\n {use}\n"
    assert _subjects(text) == ["`take_frame`"]


@pytest.mark.parametrize(
    "line",
    [
        "int take_frame(int size) { return size; }",
        "class take_frame;",
        "void call(int take_frame);",
        "void call(Frame* take_frame);",
        "void call() { auto take_frame = [](int x) { return x; }; }",
        "void call() { auto [take_frame, more] = pair(); }",
        "void call() { run([take_frame = 1] { return 2; }); }",
        "struct Own { int take_frame; };",
        "struct Own { Frame* take_frame(int x); };",
        "enum Kind { kOther, take_frame };",
        "using outside::take_frame;",
        "typedef int (*take_frame)(int);",
        "template <typename take_frame> void call();",
        "DEFINE_FRAME(take_frame, 3);",
        "#define take_frame(x) x",
        "#ifdef take_frame\n #endif",
        "std::map<int, int> take_frame(int x);",
        "const std::map<int, int>& take_frame(int x) { return all; }",
        "std::function<int()> take_frame(int x) { return {}; }",
        "FRAME_API(1) int take_frame(int x);",
    ],
)
def test_a_name_that_anything_may_declare_is_left_alone(line: str) -> None:
    """A declaration, a local, a parameter, a field or a macro anywhere is enough."""
    assert _seen(f"{HEADER}{CALL}//- src/c.cc\n {line}\n") == []


@pytest.mark.parametrize(
    "rest",
    [
        "//- src/c.proto\n message take_frame {}\n",
        "//- src/c.proto\n+message Frame {}\n",
        "//- src/c.cc\n+#include <frames/take.h>\n",
        "//- src/c.cc\n+using namespace frames;\n",
        "//- src/c.cc\n+MAKE_ALL(frame)\n",
        "//- src/c.cc\n+  X(frame)\n",
        "//- src/c.h\n+#define MAKE(x) int take_##x(int size)\n",
        "//- gen.py\n text = 'int take_frame(int size) { return static take_frame; }'\n",
    ],
)
def test_a_name_that_may_be_made_or_brought_is_left_alone(rest: str) -> None:
    """By a generator, a macro that pastes it, or an include of something outside."""
    assert _seen(f"{HEADER}{CALL}{rest}") == []


@pytest.mark.parametrize(
    "use",
    [
        "// take_frame(3)",
        'auto text = "take_frame(3)";',
        "int f = frame.take_frame(3);",
        "TEST(take_frame, Works) {}",
        "TEST_F(Frames, take_frame) {}",
        "int f = other::take_frame(3);",
        "#if 0\n int f = take_frame(3);\n #endif",
    ],
)
def test_what_only_reads_like_a_use_is_none(use: str) -> None:
    """A comment, a string, a member, another namespace's and what is left out."""
    assert _seen(f"{HEADER}//- src/b.cc\n {use}\n") == []


def test_a_using_declaration_of_its_own_namespace_gives_a_name_no_meaning() -> None:
    """It needs the definition like any other use; one of another namespace may bring the name."""
    gone = "//- src/a.h\n namespace own {\n-int take_frame(int size) { return 1; }\n int other();\n }\n"
    assert _seen(f"{gone}//- src/b.cc\n using own::take_frame;\n") == ["src/b.cc:1 `take_frame`"]
    assert _seen(f"{gone}//- src/b.cc\n using more::take_frame;\n int f = take_frame(1);\n") == []


@pytest.mark.parametrize("line", ["int take_frame(int size);", "extern const int take_frame;", "class take_frame;"])
def test_a_declaration_that_went_defined_nothing(line: str) -> None:
    """What it speaks of may be generated, or another library's."""
    assert _seen(f"//- src/a.h\n-{line}\n int other_frame();\n{CALL}") == []


def test_a_definition_that_went_with_its_declaration_is_reported_once() -> None:
    """The header's line and the source's speak of one thing."""
    header = "//- src/a.h\n-int take_frame(int size);\n int x();\n"
    source = "//- src/a.cc\n-int take_frame(int size) { return 1; }\n int x() {}\n"
    assert _seen(header + source + CALL) == ["src/b.cc:1 `take_frame`"]


def test_a_definition_that_some_builds_left_out_is_left_alone() -> None:
    """What stands under a condition may come from elsewhere where the condition does not hold."""
    text = "//- src/a.h\n int other_frame();\n-#ifndef HAVE_FRAME\n-int take_frame(int size) {}\n-#endif\n"
    assert _seen(text + CALL) == []


@pytest.mark.parametrize(
    ("before", "use", "found"),
    [
        ("class Frame {", "void run(Frame* f) { f->takeSize(3); }", True),
        ("class Frame : public Base {", "void run(Frame* f) { f->takeSize(3); }", False),
        ("class Frame {", "void run(Other* f) { f->takeSize(3); }", False),
        ("class Frame {", "void run(Frame* f) { f->takeSize = 3; }", False),
    ],
)
def test_a_method_that_one_class_had_is_still_called(before: str, use: str, *, found: bool) -> None:
    """Where the caller knows the class, and no base of it may have the method."""
    text = f"//- src/a.h\n {before}\n-  int takeSize(int x);\n   int other();\n }};\n//- src/b.cc\n {use}\n"
    assert _subjects(text) == ["`takeSize`"] * found


@pytest.mark.parametrize(
    ("path", "text", "subject"),
    [
        ("a/b.go", "package a\n func run() int { return TakeFrame() }", "TakeFrame"),
        ("a/b_test.go", 'package a_test\n import "example.com/m/a"\n var x = a.TakeFrame()', "a.TakeFrame"),
        ("c/c.go", 'package c\n import (\n \tother "example.com/m/a"\n )\n var x = other.TakeFrame', "other.TakeFrame"),
    ],
)
def test_a_use_in_the_package_and_of_the_package_is_found(path: str, text: str, subject: str) -> None:
    """A package is a folder, and its path begins with the module's."""
    assert _subjects(f"{GO}//- {path}\n {text}\n") == [f"`{subject}`"]


@pytest.mark.parametrize(
    "rest",
    [
        f"{GO_USE}//- a/c_windows.go\n //go:build windows\n package a\n func TakeFrame() int {{ return 2 }}\n",
        f"{GO_USE}//- a/c.go\n package a\n var (\n \tother, TakeFrame = pair()\n )\n",
        f"{GO_USE}//- a/c.go\n+package a\n+//go:generate frames\n",
        '//- a/b.go\n package a\n import . "frames"\n var x = TakeFrame()\n',
        "//- a/b.go\n package a\n func run() { TakeFrame := one(); TakeFrame() }\n",
        "//- a/b.go\n package a\n func run(TakeFrame func()) { TakeFrame() }\n",
        "//- a/b.go\n package a\n type I interface {\n \tTakeFrame() int\n }\n",
        "//- a/b.go\n package a\n func (x T) TakeFrame() int { return x.TakeFrame() }\n",
        "//- a/b.go\n package a\n var x = T{TakeFrame: 1}\n",
        '//- c/c.go\n package c\n import "example.com/other/a"\n var x = a.TakeFrame()\n',
        '//- c/c.go\n package c\n import "example.com/m/a"\n func f(a T) { a.TakeFrame() }\n',
        "//- c/c.go\n package c\n var x = TakeFrame()\n",
    ],
)
def test_another_declaration_of_the_folder_and_a_local_are_left_alone(rest: str) -> None:
    """Files for other systems count, and so does what a file may bind itself."""
    assert _seen(GO + rest) == []


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("//- CMakeLists.txt\n take_frame(core)\n", True),
        ("//- CMakeLists.txt\n # take_frame(core)\n", False),
        ("//- CMakeLists.txt\n take_frame(core)\n//- b.cmake\n MACRO(Take_Frame)\n ENDMACRO()\n", False),
        ("//- CMakeLists.txt\n take_frame(core)\n//- b.cmake\n macro(take_frame)\n endmacro()\n", False),
        ("//- CMakeLists.txt\n if(COMMAND take_frame)\n   take_frame(core)\n endif()\n", False),
        ("//- CMakeLists.txt\n+find_package(Frames)\n take_frame(core)\n", False),
    ],
)
def test_a_command_of_cmake_that_went_is_still_called(rest: str, *, found: bool) -> None:
    """Unless something defines it, asks for it, or may bring it."""
    assert _subjects(CMAKE + rest) == ["`take_frame`"] * found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("//- a.sh\n #!/bin/sh\n-take_frame() { :; }\n take_frame all\n", True),
        ("//- lib.sh\n-take_frame() { :; }\n x=1\n//- a.sh\n . ./lib.sh\n take_frame all\n", True),
        ('//- lib.sh\n-take_frame() { :; }\n x=1\n//- a.sh\n . "$(dirname "$0")/lib.sh"\n take_frame all\n', True),
        ('//- a.sh\n #!/bin/sh\n-take_frame() { :; }\n x="$(take_frame all)"\n', True),
        ("//- lib.sh\n-take_frame() { :; }\n x=1\n//- a.sh\n take_frame all\n", False),
        ("//- a.sh\n #!/bin/sh\n-take_frame() { :; }\n echo take_frame # take_frame\n", False),
        ("//- a.sh\n #!/bin/sh\n-take_frame() { :; }\n+. ./b.sh\n take_frame\n//- b.sh\n+take_frame() { :; }\n", False),
        ("//- a.sh\n #!/bin/sh\n-take_frame() { :; }\n command -v take_frame && take_frame\n", False),
        ("//- a.sh\n #!/bin/sh\n-python() { :; }\n python all\n", False),
    ],
)
def test_a_function_of_a_shell_that_went_is_still_called(text: str, *, found: bool) -> None:
    """In its own file, and in those that read it by its path."""
    assert _subjects(text) == ["`take_frame`"] * found


def test_a_document_that_names_what_went_is_told_of_it_gently() -> None:
    """No code has the distinctive name any more, and nothing around the mention speaks of the past."""
    (seen,) = run(f"{HEADER}//- docs/use.md\n Call `take_frame` first.\n", SYMBOL).shown
    assert (seen.path, seen.severity) == ("docs/use.md", Severity.P3)
    assert _seen(f"{HEADER}//- docs/use.md\n Call `take_frame` first.\n//- gen.lua\n take_frame = 1\n") == []


def test_no_more_than_three_uses_of_a_name_are_reported_in_a_file() -> None:
    """The others follow from them."""
    lines = "".join(f" int f{at} = take_frame({at});\n" for at in range(9))
    assert len(_seen(f"{HEADER}//- src/b.cc\n{lines}")) == 3


@pytest.mark.parametrize("path", ["third_party/x/b.cc", "tests/data/b.cc", "examples/b.cc"])
def test_copies_samples_and_examples_are_left_alone(path: str) -> None:
    """They are not built from this repository's definitions."""
    assert _seen(f"{HEADER}//- {path}\n int f = take_frame(3);\n") == []
