"""Comments and strings told from code, by language."""

from __future__ import annotations

import pytest

from roundzero.core.change import Source
from roundzero.core.lexical import blanked
from roundzero.core.text import RelPath


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("a.cc", 'auto s = R"x(int f() { ")" // )x"; int g();', "auto s = ; int g();"),
        ("a.h", "int n = 1'000'000; char c = '\"'; int g();", "int n = 1000; char c = ; int g();"),
        ("a.cu", "int f(); // it's g()\nint h(); /* k() */", "int f();\nint h();"),
        ("a.cc", "#define A \\\n  f()\n", "#define A \\\nf()\n"),
        ("a.ts", "const a = `f()${b}`; g('h()')", "const a = ; g()"),
        ("a.go", 'a := `f()"`; g("h()")', "a := ; g()"),
        ("a.sh", "f # it's g\ng 'h'", "f\ng"),
        ("a.cmake", "f(it's) #[[ g()\nh() ]] i()\nj([=[ k() ]] ]=]) # l()", "f(it's)\ni()\nj()"),
        ("a.cmake", 'f("g()\nh() [[" i)\nj()', "f(\ni)\nj()"),
        ("a.py", 'f("""g()\n"""); h(\'k\')', "f(\n); h()"),
    ],
)
def test_what_is_no_code_is_blank(path: str, text: str, code: str) -> None:
    """Raw strings, digit separators and characters of C++ among them; the length and the lines stay."""
    blank = blanked(Source(RelPath(path), text, "0" * 40))
    assert (len(blank), blank.count("\n")) == (len(text), text.count("\n"))
    assert [line.replace(" ", "") for line in blank.split("\n")] == [line.replace(" ", "") for line in code.split("\n")]
