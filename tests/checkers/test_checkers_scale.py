"""Checks take time in proportion to a text, whatever it is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import pytest

from roundzero import config
from roundzero.engine.review import ReviewRequest, review
from roundzero.engine.workspace import Workspace
from support.loop import run

if TYPE_CHECKING:
    from roundzero.core.report import Report
    from support.repo import Repo

SHORT: Final = 700
TIMES: Final = 6
MORE: Final = 12
"""Six times the text may take twelve times as long (a square would be 36), and a second besides."""
BESIDES: Final = 1.0

PYTHON: Final = """\
def work_{0}(a, b={0}):
    step_{0}(a)
    if a:
        return b
    raise ValueError(a)


"""
TESTS: Final = """\
def test_work_{0}(monkeypatch):
    monkeypatch.setattr('os.getcwd', lambda: {0})
    with patch('app.work_{0}'):
        assert work_{0}({0}) == {0}


"""
CPP: Final = """\
int work_{0}(std::shared_ptr<Base> b) {{
#if USING_GPU
  auto d = std::dynamic_pointer_cast<D{0}>(b);
#endif
  return d->x + {0};
}}
struct S{0} {{
  int x;
}};
TEST(S, T{0}) {{
  EXPECT_EQ(work_{0}(b), {0});
}}
"""
SHELL: Final = """\
work_{0}() {{
  local x=$1
  pytest tests/{0} || true
  kill -9 $(pgrep app{0})
}}
work_{0} $A$B > out{0}.log
"""
WORKFLOW: Final = """\
  job{0}:
    runs-on: ubuntu-latest
    steps:
      - run: pytest tests/{0}
      - uses: actions/upload-artifact@v4
      - run: echo ${{{{ steps.a{0}.outputs.b }}}}
"""
SCRIPT: Final = """\
export function work{0}(a) {{
  if (typeof a === 'string') {{
    return {0};
  }}
  return work{0}(a);
}}
"""
BAZEL: Final = """\
cc_library(
    name = "t{0}",
    srcs = ["t{0}.cc"],
    hdrs = ["t{0}.h"],
    deps = [":t{0}x"],
)
"""
INPUTS: Final = """\
def test_option_{0}():
    assert main(["--port{0}", "8000"]) == 0


def test_variable_{0}(monkeypatch):
    monkeypatch.setenv("SHOP_PORT{0}", "8001")
    assert main([]) == 0


"""
KERNELS: Final = """\
void work_{0}(int n) {{
  if (n == 0) return;
  step_{0}<<<n, 32>>>(n);
}}
void bare_{0}(int n) {{
  step_{0}<<<n, 32>>>(n);
}}
"""
LANGUAGES: Final = {
    "python": ("app.py", "", PYTHON),
    "tests": ("tests/test_app.py", "from app import *\nfrom unittest.mock import patch\n\n\n", TESTS),
    "inputs": ("tests/test_main.py", "from app import main\n\n\n", INPUTS),
    "c++": ("src/app_test.cc", "#include <memory>\n", CPP),
    "shell": ("ci/run.sh", "#!/bin/bash\n", SHELL),
    "workflow": (".github/workflows/ci.yml", "name: ci\non: push\njobs:\n", WORKFLOW),
    "typescript": ("app.ts", "", SCRIPT),
    "bazel": ("src/BUILD", "", BAZEL),
    "kernels": ("src/app.cu", "", KERNELS),
    "lock": ("app.lock", "", 'url = "http://mirror.blue.corp:8080/a/package-{0}.tar.gz"\n'),
    "requirements": ("requirements.txt", "", "package-{0}=={0}.0\n"),
    "markdown": ("README.md", "# Title\n", "## Part {0}\n\nSee [part](#part-{0}) and `app.py`.\n\n"),
}


def reviewed(repo: Repo, base: str) -> Report:
    """A review of what differs from a branch."""

    async def make() -> Report:
        loaded, problems = config.load(root=repo.root, editor={}, environ={})
        workspace = await Workspace.open(repo.root, settings=loaded, problems=problems, environ={})
        try:
            return await review(workspace, ReviewRequest(base=base))
        finally:
            await workspace.git.close()

    return run(make())


@pytest.mark.parametrize("new", [True, False], ids=["new", "old"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_long_file_costs_in_proportion(repo: Repo, language: str, *, new: bool) -> None:
    """Whether all of it is new or a few lines at its end are, and whatever looks at it."""
    path, head, row = LANGUAGES[language]
    took: list[float] = []
    for size in (3, SHORT, SHORT * TIMES):
        text = head + "".join(row.format(number) for number in range(size))
        repo.commit("base", {"kept.py": "x = 1\n", path: "" if new else text})
        repo.git("branch", "-f", "base")
        repo.write(path, text + "".join(row.format(number) for number in range(size, size + 3)))
        start = time.process_time()
        report = reviewed(repo, "base")
        took.append(time.process_time() - start)
        assert report.stats.failures == ()
    assert took[2] <= MORE * took[1] + BESIDES, took
