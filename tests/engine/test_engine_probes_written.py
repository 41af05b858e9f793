"""Probes of code that is not Python: a definition that is written the usual way refutes that there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roundzero.core.anatomy import ClaimVerdict
from support.probing import probed

if TYPE_CHECKING:
    from collections.abc import Mapping

R, U = ClaimVerdict.REFUTED, ClaimVerdict.UNVERIFIABLE
GONE = "`take_all` does not exist"

DEFINED: Mapping[str, tuple[str, ...]] = {
    "a.cc": (
        "int take_all(int count) {\n  return count;\n}\n",
        "static inline std::vector<int>*\ntake_all(const std::string& a,\n         int b) noexcept\n{\n}\n",
        "namespace shop {\n  auto take_all(F f = g()) const -> int {\n  }\n}\n",
        "#pragma once\ntemplate <typename T, int N>\nT take_all(T t) { return t; }\n",
        "#define take_all(x) (x)\n",
        "class take_all : public ns::Base {\n};\n",
        "struct take_all {\n  int x;\n};\n",
        "static constexpr int take_all = 7;\n",
        "int Shelf::take_all(int n) {\n  return n;\n}\n",
    ),
    "a.h": ("#ifndef A_H\n#define A_H\nint take_all(int n) { return n; }\n#endif\n",),
    "k.cu": ("__global__ void take_all(float* x) {\n}\n",),
    "a.sh": ("take_all() {\n  echo\n}\n", "function take_all {\n  echo\n}\n", "export take_all=1\n"),
    "a.ts": (
        "export async function take_all(n: number) {\n}\n",
        "export const take_all = (n) => n\n",
        "export interface take_all {\n}\n",
        "type take_all = string\n",
    ),
    "a.js": ("class take_all extends B {\n}\n",),
    "a.go": (
        "func take_all(n int) int {\n}\n",
        "func (s *Shelf) take_all(n int) {\n}\n",
        "type take_all struct {\n}\n",
    ),
}

UNSURE: Mapping[str, tuple[str, ...]] = {
    "a.cc": (
        "int take_all(int count);\n",  # a declaration may have no definition
        "// int take_all(int n) {\nint x = 1;\n",
        'const char* s = "int take_all() {";\n',
        "#ifdef OLD\nint take_all(int n) {\n}\n#endif\n",
        "#if 0\nint take_all(int n) {\n}\n#endif\n",
        "int f() {\n  return take_all(1);\n}\n",
        "int f() {\n  if (take_all(1)) {\n  }\n}\n",
        "int f() {\n  else take_all(1); {\n  }\n}\n",
        "TEST(Shop, take_all) {\n}\n",
        "class take_all;\n",
        "void f(take_all& x) {\n}\n",
        "int take_all_again(int n) {\n}\n",
    ),
    "a.sh": ("take_all\n", "# take_all() {\n", "echo take_all=1\n", "  other=$(take_all)\n"),
    "a.ts": ("take_all(1)\n", "import { take_all } from './b'\n", "  take_all(n) {\n  }\n", "return take_all(1)\n"),
    "a.go": ("x := take_all(1)\n", "// func take_all() {\n"),
    "a.lua": ("function take_all()\nend\n",),
}


@pytest.mark.parametrize(("path", "text"), [(path, text) for path, rows in DEFINED.items() for text in rows])
def test_a_does_not_exist_is_refuted_by_a_definition(path: str, text: str) -> None:
    """In the file of the finding, or where the claim says; it names the line."""
    head = {path: text, "use.py": "x = 1\n"}
    for claim in (GONE, f"{path} does not define `take_all`"):
        found = probed(head, claim, at=path)
        assert found.verdict is R
        assert found.probe is not None
        assert found.probe.startswith(f"{path}:")
        assert found.blobs


@pytest.mark.parametrize(("path", "text"), [(path, text) for path, rows in UNSURE.items() for text in rows])
def test_what_only_looks_like_a_definition_settles_nothing(path: str, text: str) -> None:
    """Nor does it say that there is none: what is not seen may come from anywhere."""
    for claim in (GONE, f"{path} does not define `take_all`"):
        assert probed({path: text}, claim, at=path).verdict is U


DEF = "int take_all(int n) {\n  return n;\n}\n"


@pytest.mark.parametrize(
    ("head", "claim", "verdict"),
    [
        # in another file of the language, the only one
        ({"a.cc": "int f() {\n  return take_all(1);\n}\n", "b.cc": DEF}, GONE, R),
        # two of the name, or one in a language that cannot be called from here
        ({"a.cc": "int f() {\n  return take_all(1);\n}\n", "b.cc": DEF, "c.cc": DEF}, GONE, U),
        ({"a.cc": "int f() {\n  return take_all(1);\n}\n", "b.sh": "take_all() {\n}\n"}, GONE, U),
        # of another thing than the one the finding quotes
        ({"a.cc": "int f() {\n  return shelf.take_all(1);\n}\n", "b.cc": DEF}, GONE, U),
        ({"a.cc": "int f() {\n  return shelf->take_all(1);\n}\n", "b.cc": DEF}, GONE, U),
        ({"a.cc": "int f() {\n  return Shelf::take_all(1);\n}\n", "b.cc": DEF}, GONE, U),
        # of another kind than is meant
        ({"a.cc": "struct take_all {\n};\n"}, "the function `take_all` does not exist", U),
        ({"a.cc": "struct take_all {\n};\n"}, "the class `take_all` does not exist", R),
        # dotted names are of something
        ({"a.cc": DEF}, "`shelf.take_all` does not exist", U),
        ({"a.cc": DEF}, "`take_all` does not exist when FAST is set", U),
    ],
)
def test_a_name_is_judged_by_what_is_surely_meant(head: Mapping[str, str], claim: str, verdict: ClaimVerdict) -> None:
    """By its own file first, then by the only definition of its language."""
    assert probed(head, claim, at="a.cc", line=2).verdict is verdict


def test_a_definition_that_the_change_took_away_leaves_it_open() -> None:
    """Whichever is left may be another one."""
    use = "int f() {\n  return take_all(1);\n}\n"
    base = {"a.cc": use, "b.cc": DEF, "c.cc": "int x;\n"}
    head = {"a.cc": use, "b.cc": "int y;\n", "c.cc": DEF}
    assert probed(head, GONE, at="a.cc", line=2, base=base).verdict is U


@pytest.mark.parametrize(
    ("head", "verdict"),
    [
        ({"a.cc": DEF, "b.cc": "int g() {\n  return take_all(2);\n}\n"}, R),
        ({"a.cc": f"{DEF}int g() {{\n  int x = 1 + take_all(2);\n}}\n"}, R),
        ({"a.ts": "function take_all(n) {\n}\n", "b.ts": "const x = await take_all(1)\n"}, R),
        ({"a.sh": "take_all() {\n  echo\n}\n", "b.sh": "if ! take_all now; then\n  exit 1\nfi\n"}, R),
        ({"a.go": "func take_all(n int) int {\n}\n\nfunc g() {\n\tgo take_all(1)\n}\n"}, R),
        # its own body, a declaration, a comment, a string, a condition, a namesake's, another function
        ({"a.cc": "int take_all(int n) {\n  return take_all(n - 1);\n}\n"}, U),
        ({"a.cc": DEF, "b.h": "int take_all(int n);\n"}, U),
        ({"a.cc": DEF, "b.cc": "// take_all(1)\n"}, U),
        ({"a.cc": DEF, "b.cc": 'log("take_all(1)");\n'}, U),
        ({"a.cc": DEF, "b.cc": "#ifdef OLD\nint x = take_all(1);\n#endif\n"}, U),
        ({"a.cc": DEF, "b.cc": "int x = shelf.take_all(1);\n"}, U),
        ({"a.cc": DEF, "b.cc": DEF, "c.cc": "int x = take_all(1);\n"}, U),
        ({"a.cc": DEF, "b.py": "take_all(1)\n"}, U),
        ({"a.sh": "take_all() {\n  echo\n}\n", "b.sh": "echo take_all\ntake_all=1\n"}, U),
        ({"a.cc": DEF}, U),
    ],
)
def test_a_never_called_is_refuted_by_a_call(head: Mapping[str, str], verdict: ClaimVerdict) -> None:
    """That surely is one; that there is none is never sure, since others may call it."""
    at = next(iter(head))
    for claim in ("`take_all` is never called", "nothing uses `take_all`"):
        assert probed(head, claim, at=at).verdict is verdict
