"""Legal code that names what a change removed and needs it no more, or is given it in another way."""

from __future__ import annotations

import pytest

from support.checking import run

SYMBOL = "python/removed-symbol-still-used"
HEADER = "//- src/a.h\n-inline int take_frame(int size) { return size; }\n int other_frame();\n"
TYPE = "//- src/a.h\n-struct TakeFrame { int a; };\n@//- src/b.cc\n void run(TakeFrame* frame);\n"
MACRO = "//- src/a.h\n-#define TAKE_FRAME 3\n int other;\n//- src/b.cc\n int frame = TAKE_FRAME;\n"
GO = "//- go.mod\n module example.com/m\n//- a/a.go\n package a\n-func frames() int { return 1 }\n@ func Other() {}\n"
GO_USE = "//- a/b.go\n package a\n func run() int { return frames() }\n"
CMAKE = "//- a.cmake\n-function(take_frame)\n-endfunction()\n set(X 1)\n//- CMakeLists.txt\n"


def _uses(text: str) -> list[str]:
    """The paths of the uses of a fixture that are reported."""
    return [str(each.path) for each in run(text, SYMBOL).shown]


@pytest.mark.parametrize(
    "line",
    [
        "export function run(size: number, takeFrame: () => void) { return takeFrame(); }",
        "export function run({ deep: { takeFrame } }: Props) { return takeFrame(); }",
        "export const { deep: { takeFrame }, ...rest } = made(); takeFrame();",
        "let other: string, takeFrame: number; export const frames = run(takeFrame);",
        "export interface Frames { takeFrame?: string; other: number }",
        "export const isFrame = /takeFrame(a)/.test(text);",
    ],
)
def test_a_name_of_typescript_that_its_module_binds(line: str) -> None:
    """As a parameter behind others, in nested patterns, in a row of variables; a key or a pattern is none."""
    assert _uses(f"//- src/a.ts\n-function takeFrame() {{}}\n {line}\n") == []


@pytest.mark.parametrize(
    "line", ["export const all = run({ deep: { takeFrame } });", "export const half = 3 / takeFrame();"]
)
def test_a_name_of_typescript_in_nested_values_is_used(line: str) -> None:
    """Nothing takes what is handed on."""
    assert _uses(f"//- src/a.ts\n-const takeFrame = () => 1;\n {line}\n") == ["src/a.ts"]


@pytest.mark.parametrize("star", ["function *takeFrame", "function* takeFrame", "async function *takeFrame"])
def test_a_generator_is_exported_wherever_its_star_stands(star: str) -> None:
    """Before it and behind it."""
    user = "//- src/b.ts\n import { takeFrame } from './a';\n"
    assert _uses(f"//- src/a.ts\n-export function takeFrame() {{}}\n+export {star}() {{}}\n{user}") == []
    assert _uses(f"//- src/a.ts\n-export {star}() {{}}\n export const other = 1;\n{user}") == ["src/b.ts"]


@pytest.mark.parametrize(
    "line",
    [
        "var a=1;export{a as takeFrame};export default a;",
        "export const other = <T, U,>(a: T) => a, takeFrame = 2;",
        "export const other = a < b, takeFrame = c > d;",
        "export opaque type takeFrame = string;",
        "export*from'./c'",
    ],
)
def test_an_export_of_typescript_in_another_form(line: str) -> None:
    """Without blanks, behind what has angle brackets, of a type that nobody sees into, or all of another module."""
    user = "//- src/c.ts\n export const takeFrame = 1;\n//- src/b.ts\n import { takeFrame } from './a';\n"
    assert _uses(f"//- src/a.ts\n-export const takeFrame = 1;\n+{line}\n{user}") == []


@pytest.mark.parametrize(
    "declared",
    [
        "+typedef struct { int a; } TakeFrame;\n",
        "+typedef struct frame_s {\n+  int a;\n+} Frame, *FramePtr, TakeFrame;\n",
        "+struct alignas(16) TakeFrame final { int a; };\n",
        "+struct __attribute__((packed, aligned(4))) TakeFrame { int a; };\n",
        "+class __declspec(dllexport) TakeFrame { int a; };\n",
        "+struct [[nodiscard]] TakeFrame { int a; };\n",
    ],
)
def test_a_type_that_is_written_in_another_way(declared: str) -> None:
    """Its name behind its body, or behind attributes."""
    assert _uses(TYPE.replace("@", declared)) == []
    assert _uses(TYPE.replace("@", " int other;\n")) == ["src/b.cc"]


@pytest.mark.parametrize(
    "line",
    [
        "void run() { int other = 1, take_frame = 2; use(take_frame); }",
        "void run() { int other = made(1, 2), *take_frame; use(take_frame); }",
        "void run() { Frame other(1), take_frame(2); use(take_frame); }",
        "void run() { int other{0}, take_frame{2}; use(take_frame); }",
        "void run() { for (int other = 0, take_frame = 2; other < take_frame; other++) {} }",
        "static struct { int a; } take_frame = {1}; int frame = take_frame.a;",
        "struct Frames : Base { Frames(int a) : take_frame(a) {} int one() { return take_frame; } };",
        "extern int __attribute__((weak)) take_frame(int); int frame = take_frame(3);",
        "FRAMES_API(int) take_frame(int); int frame = take_frame(3);",
        "int PRINTS_LIKE(1, 2) take_frame(int, ...); int frame = take_frame(3);",
        "decltype(other(1)) take_frame(int); int frame = take_frame(3);",
    ],
)
def test_a_name_of_cpp_that_is_declared_behind_others(line: str) -> None:
    """In a row of variables, behind a body, as a member that a constructor initialises, behind attributes."""
    assert _uses(f"{HEADER}//- src/b.cc\n {line}\n") == []


@pytest.mark.parametrize(
    "line",
    [
        "int run() { if (frame) { other(); } take_frame(3); }",
        "auto frames = {{1, 2}, take_frame(3), other(4)};",
        "int frame = other ? made() : take_frame(3);",
        "int frame = made(1, take_frame(2));",
        "void run() { if (other(1)) take_frame(2); }",
        "void run() { for (int a : all(2)) take_frame(a); }",
        "int run() { return (int) take_frame(a); }",
    ],
)
def test_a_name_of_cpp_behind_others_that_is_used(line: str) -> None:
    """Behind a block, in a list, in a condition and as an argument nothing is declared."""
    assert _uses(f"{HEADER}//- src/b.cc\n {line}\n") == ["src/b.cc"]


@pytest.mark.parametrize(
    "build",
    [
        "//- CMakeLists.txt\n add_definitions(-DTAKE_FRAME=3)\n",
        "//- BUILD\n cc_library(name = 'a', copts = ['-DTAKE_FRAME'])\n",
        "//- setup.py\n setup(define_macros=[('TAKE_FRAME', '3')])\n",
    ],
)
def test_a_macro_that_a_build_defines(build: str) -> None:
    """With its option directly before the name, or as a word of Python."""
    assert _uses(MACRO + build) == []
    assert _uses(MACRO) == ["src/b.cc"]


def test_a_macro_in_the_lines_of_another_one() -> None:
    """However these end: it is used where that is."""
    for end in ("\n", "\r\n"):
        other = f"//- src/b.cc\n #define OTHER(x) \\{end}   TAKE_FRAME(x){end} int z;{end}"
        assert _uses("//- src/a.h\n-#define TAKE_FRAME(x) x\n int other;\n" + other) == []


@pytest.mark.parametrize(
    "row", ["+var (\n+    frames = made()\n+)\n", "+var ( frames = made() )\n", "+const (a = 1; frames = 2)\n"]
)
def test_a_block_of_go_that_nobody_formatted(row: str) -> None:
    """Blanks for tabs, or all on one line."""
    assert _uses(GO.replace("@", row) + GO_USE) == []
    assert _uses(GO.replace("@", "") + GO_USE) == ["a/b.go"]


@pytest.mark.parametrize(
    "lines",
    [
        "func run(frames ...int) int { return frames[0] }",
        "func run(frames <-chan int) int { return <-frames }",
        'import frames "x/y"\n func run() int { return frames.X() }',
        'import "x/frames"\n func run() int { return frames.X() }',
        'import (\n \t"x/frames/v2"\n )\n func run() int { return frames.X() }',
        'import (\n \t"x/go-frames"\n )\n func run() int { return frames.X() }',
    ],
)
def test_a_name_of_go_that_a_parameter_or_a_package_has(lines: str) -> None:
    """Parameters of every form, and the names that imports bring, by alias or path."""
    assert _uses(f"{GO.replace('@', '')}//- a/b.go\n package a\n {lines}\n") == []


@pytest.mark.parametrize(
    "lines",
    [" #[[\n take_frame(a)\n ]]\n", " message([=[\n take_frame(a)\n ]=])\n", ' message("\n take_frame(a)\n ")\n'],
)
def test_a_command_of_cmake_in_text(lines: str) -> None:
    """Comments and arguments in brackets, and strings of several lines."""
    assert _uses(CMAKE + lines) == []
    assert _uses(f"{CMAKE}{lines} message(don't)#[[x]]\n take_frame(a)\n") == ["CMakeLists.txt"]


def test_a_module_named_by_nothing_but_its_suffix() -> None:
    """No word names it, and the file that goes with it costs the others nothing."""
    text = "//- .eslintrc.js\n-module.exports = { rules: 1 };\n"
    text += "//- src/a.ts\n-export const takeFrame = 1;\n export const b = 1;\n"
    assert _uses(f"{text}//- src/b.ts\n import {{ takeFrame }} from './a';\n") == ["src/b.ts"]
