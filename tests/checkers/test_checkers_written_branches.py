"""Quick fixes that write a branch: where another member, or an empty input, is refused in the way of the file."""

from __future__ import annotations

import pytest

from support.fixing import mended

DRIFT = "python/enum-switch-drift"
GRID = "general/unguarded-kernel-grid"
LINES = pytest.mark.parametrize("crlf", [False, True], ids=["lf", "crlf"])


def put_in(text: str, item: str, *, crlf: bool = False) -> tuple[str, str] | None:
    """The line above what the fix puts in, and that; None where there is no fix."""
    done = mended(text, item, crlf=crlf)
    return done.put_in if done is not None else None


def shown(text: str, sign: str = " ") -> str:
    """A text as lines of a fixture."""
    return "".join(f"{sign}{line}\n" for line in text.strip("\n").split("\n"))


KIND = "//- app/kind.h\n enum class Kind {\n   A,\n   B,\n+  C,\n+  D,\n };\n//- app/show."
BLOCKS = """
char show(Kind kind) {
  switch (kind) {
    case Kind::A:
      return '+';

    case Kind::B: {
      return Name{'-'};  // minus
      // nothing comes here
    }
  }
}
"""
DEFAULT = BLOCKS.replace("    }\n  }", '    }\n    default: throw Kinds("no");\n  }')
ROWS = """
char show(Kind kind) {
  switch (kind) {
    case A: shown(1); break;
    case B: return f({1, 2}); /* two */
  }
}
"""
THROWS = """\

    case Kind::C:
      throw std::{0}("Kind::C is not handled");

    case Kind::D:
      throw std::{0}("Kind::D is not handled");"""
ASSERTS = """\
    case C: assert(0 && "C is not handled"); break;
    case D: assert(0 && "D is not handled"); break;"""
LAST_ROW = "case B: return f({1, 2}); /* two */"


@LINES
@pytest.mark.parametrize(
    ("text", "above", "words"),
    [
        (DEFAULT, "}", "    case Kind::C:\n    case Kind::D:"),
        (f"#include <stdexcept>{BLOCKS}", "}", THROWS.format("logic_error")),
        (f'int f() {{ throw std::out_of_range("f"); }}{BLOCKS}', "}", THROWS.format("out_of_range")),
        (f"#include <cstdlib>{ROWS}", LAST_ROW, "    case C: std::abort();\n    case D: std::abort();"),
        (f"#include <stdlib.h>{ROWS}", LAST_ROW, "    case C: abort();\n    case D: abort();"),
        (f"#include <assert.h>{ROWS}", LAST_ROW, ASSERTS),
        (ROWS.replace("  }\n}", "  }\n  abort();\n}"), LAST_ROW, "    case C: break;\n    case D: break;"),
        (
            ROWS.replace("  }\n}", '  }\n  RT_CHECK(false, "kind");\n}'),
            LAST_ROW,
            "    case C: break;\n    case D: break;",
        ),
        (
            f'#include <stdexcept>\nint f() {{\n  RT_FAIL("%d", 1);\n}}{ROWS}',
            LAST_ROW,
            '    case C: RT_FAIL("C is not handled");\n    case D: RT_FAIL("D is not handled");',
        ),
    ],
)
def test_a_case_for_each_missing_member_is_written_like_the_others(
    text: str, above: str, words: str, crlf: bool
) -> None:
    """Above a default that refuses, else with what the file already refuses by, or leaving for what does below."""
    assert put_in(f"{KIND}cc\n{shown(text)}", DRIFT, crlf=crlf) == (above, words)


INCLUDED = f"#include <stdlib.h>{ROWS}"


@pytest.mark.parametrize(
    "text",
    [
        BLOCKS,
        INCLUDED.replace("return f({1, 2});", "f({1, 2});"),
        INCLUDED.replace("return f", "if (kind) return f"),
        INCLUDED.replace("return f({1, 2});", "if (f) { return 1; } else { return 2; }"),
        INCLUDED.replace("    case B", "#ifdef TWO\n    case B").replace("/* two */", "\n#endif"),
        "#include <stdlib.h>\nchar f(Kind kind) { switch (kind) { case A: return 1; case B: return 2; } }",
        INCLUDED.replace("return f({1, 2});", "int x = f({1, 2}); return x;"),
        INCLUDED.replace("return f({1, 2});", "std::string x(f({1, 2})); return x[0];"),
        DEFAULT.replace('throw Kinds("no")', "std::unreachable()"),
        DEFAULT.replace("return Name{'-'};", "name();"),
    ],
    ids=[
        "nothing refuses", "runs on", "may run on", "blocks", "conditional", "one line", "a variable",
        "an object", "promised", "into the default",
    ],
)  # fmt: skip
def test_no_case_is_written_where_it_may_change_another_or_has_no_words(text: str) -> None:
    """What runs into the next case still has to; a promise that nothing comes is no refusal."""
    assert put_in(f"{KIND}cc\n{shown(text)}", DRIFT) is None


def test_nothing_is_thrown_on_a_device() -> None:
    """Code for a device has no exceptions, even where the file includes them."""
    text = shown(f"#include <stdexcept>{BLOCKS}")
    assert put_in(f"{KIND}cu\n{text}", DRIFT) is None
    assert put_in(f"{KIND}cu\n{shown(DEFAULT)}", DRIFT) == ("}", "    case Kind::C:\n    case Kind::D:")


SCRIPT = "//- web/kind.ts\n export enum Kind {\n   A,\n   B,\n+  C,\n }\n//- web/show.ts\n"
BODY = " function show(kind: Kind) {{\n   switch (kind) {{\n{}\n   }}\n }}\n"


@LINES
@pytest.mark.parametrize(
    ("cases", "above", "words"),
    [
        (
            "     case Kind.A:\n       return 1;\n     case Kind.B:\n       return 2;",
            "return 2;",
            '    case Kind.C:\n      throw new Error("Kind.C is not handled");',
        ),
        (
            "     case k.Kind.A: return 'a'\n     case k.Kind.B: return 'b'",
            "case k.Kind.B: return 'b'",
            "    case k.Kind.C: throw new Error('k.Kind.C is not handled')",
        ),
        (
            """\
     case Kind.A:
       return g
         .map((x) => {
           return x
         })
     case Kind.B:
       if (g) return 1
       return f(
         2)  // two
       // done""",
            "// done",
            '    case Kind.C:\n      throw new Error("Kind.C is not handled")',
        ),
        (
            "     case Kind.A:\n     case Kind.B:\n       break;\n     default:\n       assertNever(kind);",
            "break;",
            '    case Kind.C:\n      throw new Error("Kind.C is not handled");',
        ),
        (
            "     case Kind.A:\n     case Kind.B:\n       break;\n     default:\n       throw new TypeError();",
            "break;",
            "    case Kind.C:",
        ),
    ],
)
def test_a_case_of_typescript_throws(cases: str, above: str, words: str, crlf: bool) -> None:
    """With the file's quotes and semicolons; where the default is what a compiler proves, in a case of its own."""
    assert put_in(SCRIPT + BODY.format(cases), DRIFT, crlf=crlf) == (above, words)


@pytest.mark.parametrize("last", ["f()", "if (f)\n         return 2", "if (f) return 1; else return 2", "{ f() }"])
def test_no_case_of_typescript_where_the_last_one_may_run_on(last: str) -> None:
    """A new case would be run into."""
    cases = f"     case Kind.A:\n       return 1\n     case Kind.B:\n       {last}"
    assert put_in(SCRIPT + BODY.format(cases), DRIFT) is None


STATE = "//- app/__init__.py\n N = 1\n//- app/state.py\n from enum import Enum\n class State(Enum):\n"
STATE += "     A = 1\n     B = 2\n+    C = 3\n+    D = 4\n//- app/show.py\n from app.state import State\n"
REFUSED = """\
        case State.C:
            raise NotImplementedError
        case State.D:
            raise NotImplementedError"""


@LINES
@pytest.mark.parametrize(
    ("text", "above", "words"),
    [
        (
            """\
async def show(state):
    match state:
        case State.A: return 1
        case (
            State.B
        ):
            return (
                2
            )  # two
            # still two

        case _:
            raise ValueError""",
            "# still two",
            REFUSED,
        ),
        (
            """\
def show(of):
\tif of.state in (State.A,): return 1
\telif of.state is State.B: return 2;  # two
\treturn 3""",
            "elif of.state is State.B: return 2;  # two",
            """\
\telif of.state is State.C: raise NotImplementedError
\telif of.state is State.D: raise NotImplementedError""",
        ),
        (
            """\
def show(a):
    if a in (State.A,):
        b = 1
    else:
        if a in {State.B}:
            b = 2
        # of a
    return b""",
            "b = 2",
            """\
        elif a == State.C:
            raise NotImplementedError
        elif a == State.D:
            raise NotImplementedError""",
        ),
    ],
)
def test_branches_of_python_keep_comments_where_they_are(text: str, above: str, words: str, crlf: bool) -> None:
    """Behind the comments of the branch above, with its kind of comparison, on one line where that is."""
    assert put_in(f"{STATE}{shown(text)}", DRIFT, crlf=crlf) == (above, words)


GUARDED = """
import triton
def a(x):
    if x.numel() == 0:
        return
    a_kernel[(x.numel(),)](x)
def b(x, n):
    assert n > 0
    b_kernel[(n,)](x)
"""


@LINES
@pytest.mark.parametrize(
    ("text", "above", "words"),
    [
        (
            """\
def c(x, out):
    rows, width = x.shape
    grid = (rows, 4)
    # one each
    c_kernel[grid](x)
    return out""",
            "grid = (rows, 4)",
            "    if rows == 0:\n        return out",
        ),
        (
            """\
async def c(x, num_tokens):
\twith on(x):
\t\tif x:
\t\t\tc_kernel[(
\t\t\t\ttriton.cdiv(num_tokens, 4), x.shape[1])](x)
\t\telse:
\t\t\td_kernel[(num_tokens,)](x)
\treturn x, None""",
            None,
            None,
        ),
        (
            """\
async def c(x, num_tokens):
\ty = x
\twith on(x):
\t\tc_kernel[(triton.cdiv(num_tokens, 4), x.shape[1])](x)
\treturn x, y""",
            "y = x",
            "\tif num_tokens == 0 or x.shape[1] == 0:\n\t\treturn x, y",
        ),
        (
            """\
class A:
    def c(self, x, n):
        def grid(meta):
            return (triton.cdiv(n, meta['B']),)
        c_kernel[grid](x)""",
            "return (triton.cdiv(n, meta['B']),)",
            "        if n == 0:\n            return",
        ),
        (
            """\
def c(x, n, threads):
    blocks = min((n + threads - 1) // threads, 4)
    c_kernel[blocks, threads](x)
    torch.synchronize()""",
            "blocks = min((n + threads - 1) // threads, 4)",
            "    if n == 0:\n        return",
        ),
        (
            "def c(x):\n    total = x.shape[0] * x.shape[1]\n    c_kernel[(total,)](x)\n    return None",
            "total = x.shape[0] * x.shape[1]",
            "    if total == 0:\n        return None",
        ),
        ("def c(x, n): c_kernel[(n,)](x)", None, None),
        ("def c(ctx, x, n):\n    c_kernel[(n,)](x)\n    ctx.keep(x)\n    return x", None, None),
        ("def c(x, n):\n    for a in x:\n        c_kernel[(n,)](a)", None, None),
        ("def c(x, n):\n    c_kernel[(n,)](x)\n    return x.view(3)", None, None),
        ("def c(x, n):\n    c_kernel[(n // 4,)](x)", None, None),
        ("def c(x, n):\n    c_kernel[(n,)](x)\n    yield x", None, None),
    ],
)
def test_a_launch_of_python_leaves_early(text: str, above: str | None, words: str | None, crlf: bool) -> None:
    """Once the sizes are bound, with what the function returns; not where more than launches would be left out."""
    fixture = f"//- ops/a.py\n{shown(GUARDED)}{shown(text, '+')}"
    assert put_in(fixture, GRID, crlf=crlf) == ((above, words) if words is not None else None)


def test_siblings_that_only_assert_are_no_pattern_for_leaving() -> None:
    """Where every guard of the file refuses an empty input, none is told to return."""
    asserting = GUARDED.replace("if x.numel() == 0:\n        return", "assert x.numel() > 0")
    text = shown("def c(x, n):\n    c_kernel[(n,)](x)", "+")
    assert put_in(f"//- ops/a.py\n{shown(asserting)}{text}", GRID) is None


SCALE = """
void scale(float* x, int count) {
    if (count == 0) {
        return;
    }
    scale_kernel<<<(count + 255) / 256, 256>>>(x, count);
}
void shift(float* x, int count) {
    SHIFT_CHECK(count > 0);
    shift_kernel<<<count, 256>>>(x, count);
}
"""
BRACED = "    if ({}) {{\n        return{};\n    }}"


@LINES
@pytest.mark.parametrize(
    ("text", "above", "words"),
    [
        (
            """\
void clear(float* x, int count) {
    const int blocks = (count + 255) / 256;
    // all of it
    clear_kernel<<<blocks, 256>>>(x);
    CUDA_CHECK(cudaGetLastError());
}""",
            "const int blocks = (count + 255) / 256;",
            BRACED.format("count == 0", ""),
        ),
        (
            """\
Tensor clear(const Tensor& x, int64_t rows, const int& cols) {
    auto out = like(x);
    dim3 grid(rows, ceil_div(cols, kThreads));
    if (x.is_half()) {
        clear_kernel<half><<<grid, 256>>>(x);
    } else {
        clear_kernel<float><<<grid, 256>>>(x);
    }
    return out;
}""",
            "dim3 grid(rows, ceil_div(cols, kThreads));",
            BRACED.format("rows == 0 || cols == 0", " out"),
        ),
        (
            """\
Tensor clear(const Tensor& x) {
    const auto n = x.numel();
    DISPATCH_ALL(x.scalar_type(), "clear", [&] {
        clear_kernel<scalar_t><<<std::min<int>((n + 127) / 128, 1024), 128>>>(x);
    });
    return x;
}""",
            "const auto n = x.numel();",
            BRACED.format("n == 0", " x"),
        ),
        (
            """\
template <typename T>
void clear(T* x, std::size_t count, int heads) {
    const auto blocks = many(count, heads);
    clear_kernel<<<blocks, 256>>>(x);
}""",
            "const auto blocks = many(count, heads);",
            BRACED.format("blocks == 0", ""),
        ),
        ("void clear(float* x, int* count) {\n    clear_kernel<<<*count, 256>>>(x);\n}", None, None),
        ("void clear(float* x, int n) {\n    clear_kernel<<<n, 256>>>(x);\n    cudaFree(x);\n}", None, None),
        ("void clear(float* x, int n) {\n    if (x) copy(); else clear_kernel<<<n, 256>>>(x);\n}", None, None),
        (
            """\
cudaError_t clear(int n) {
    clear_kernel<<<n, 256>>>();
    return cudaGetLastError();
}""",
            None,
            None,
        ),
        (
            """\
void clear(int a) {
    int n = a;
    if (a) { n = 4; }
    clear_kernel<<<n, 256>>>();
}""",
            None,
            None,
        ),
        ("void clear(int n) {\n    for (int i = 0; i < 3; i++)\n        clear_kernel<<<n, 256>>>(i);\n}", None, None),
        ("void clear(int n) { clear_kernel<<<n, 256>>>(); }", None, None),
        (
            "template <int Rows>\nvoid clear(int n) {\n    clear_kernel<<<dim3(n, Rows), 256>>>();\n}",
            "void clear(int n) {",
            BRACED.format("n == 0", ""),
        ),
        (
            "void clear() {\n    int n = props.multiProcessorCount * 2;\n    clear_kernel<<<n, 256>>>();\n}",
            None,
            None,
        ),
    ],
)
def test_a_launch_of_cuda_leaves_early(text: str, above: str | None, words: str | None, crlf: bool) -> None:
    """Before the statement that launches, with what the function gives; not where anything else would be left out."""
    fixture = f"//- ops/a.cu\n{shown(SCALE)}{shown(text, '+')}"
    assert put_in(fixture, GRID, crlf=crlf) == ((above, words) if words is not None else None)


@pytest.mark.parametrize(
    ("guard", "words"),
    [
        ("if (count <= 0) return;", "    if (count <= 0) return;"),
        ("if (count == 0)\n        return;", "    if (count == 0)\n        return;"),
        ("SCALE_CHECK(count > 0);", None),
    ],
)
def test_a_guard_is_spelt_like_its_siblings(guard: str, words: str | None) -> None:
    """On one line or two, with their comparison; where all of them are macros, there is none."""
    scale = SCALE.replace("if (count == 0) {\n        return;\n    }", guard)
    text = shown("void clear(int count) {\n    clear_kernel<<<count, 256>>>();\n}", "+")
    above = "void clear(int count) {"
    assert put_in(f"//- ops/a.cu\n{shown(scale)}{text}", GRID) == ((above, words) if words is not None else None)
