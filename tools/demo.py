"""``make demo``: a small repository with a branch that has real defects, reviewed.

Builds .demo/ anew each time with real git, lets the installed command review it, and says what to try next. With
``MODEL=1`` the model's part is shown too: no model is asked, its answers are in demo_model.py, and the output says that
they are scripted. Invariant: touches nothing outside .demo/, and deletes it only when an earlier run made it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import demo_model
import demo_shop

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT: Final = Path(__file__).resolve().parent.parent
BRANCH: Final = "checkout"
_MARK: Final = "made-by-roundzero-demo"

_NEXT: Final = """
You see what the branch `checkout` did: two commits, one staged file and one staged deletion, an unstaged edit and two
new files, compared with where it left `main`. shop/prices.py has had a shared default argument for years; the branch
does not touch it, so it is not shown.

Your own code     cd YOUR-REPOSITORY && {bin}/roundzero review
In an editor      any LSP client: {bin}/roundzero lsp
In Neovim 0.11    cd {demo} && PATH={bin}:$PATH nvim --cmd 'set rtp^={root}/neovim' \\
                      --cmd 'lua vim.lsp.enable("roundzero")' shop/checkout.py
"""


_SCRIPTED: Final = """
The answers of the model were SCRIPTED (tools/demo_model.py); no model was asked and nothing was sent. What was done
with them was real: each quote was looked for in the text, one finding was dropped because its quote is nowhere, and the
two that hold wait for a deep review instead of blocking.

With a model      docs/model.md says how to set one up, and what is sent to it
What is sent      cd {demo} && {variables} {bin}/roundzero doctor --what-is-sent
"""


def build(folder: Path) -> None:
    """Create the repository in ``folder``, which must not exist."""
    folder.mkdir(parents=True)
    _git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
    (folder / ".git" / _MARK).touch()
    _commit(folder, "The shop as it was", demo_shop.BEFORE)
    _git(folder, "checkout", "--quiet", "-b", BRANCH)
    _commit(folder, "Pay for a basket", demo_shop.FIRST_COMMIT)
    _commit(folder, "Accept orders without a count", demo_shop.SECOND_COMMIT)
    _write(folder, demo_shop.STAGED)
    (folder / demo_shop.REMOVED).unlink()
    _git(folder, "add", "--all")
    _write(folder, demo_shop.UNSTAGED)
    _write(folder, demo_shop.UNTRACKED)


def main() -> int:
    """Build, review, explain. Returns 0 unless the review could not be made."""
    demo = ROOT / ".demo"
    if demo.exists():
        if not (demo / ".git" / _MARK).exists():
            print(f"{demo} exists and is not this demonstration: move it away first.", file=sys.stderr)
            return 2
        shutil.rmtree(demo)
    build(demo)
    programs = Path(sys.executable).parent
    asked = os.environ.get("MODEL", "") not in {"", "0"}
    script = _script(demo) if asked else {}
    command = ["review", "--model", "quick"] if asked else ["review"]
    print(f"$ cd .demo && roundzero {' '.join(command)}" + ("   (scripted answers)\n" if asked else "\n"), flush=True)
    status = subprocess.run(
        [str(programs / "roundzero"), *command], cwd=demo, env=os.environ | script, check=False
    ).returncode
    if status not in {0, 1}:
        return status
    if asked:
        variables = " ".join(f"{name}={value}" for name, value in script.items() if "MODEL" in name)
        print(_SCRIPTED.format(bin=programs, demo=demo, variables=variables))
    print(_NEXT.format(bin=programs, demo=demo, root=ROOT))
    return 0


def _script(demo: Path) -> dict[str, str]:
    """Variables for the scripted provider; what it counts and keeps stays in .demo/, away from the person's budget."""
    folder = demo / ".git" / "scripted"
    folder.mkdir()
    script = folder / "answers.jsonl"
    script.write_text("".join(json.dumps(each) + "\n" for each in demo_model.ANSWERS), encoding="utf-8")
    return {
        "ROUNDZERO_MODEL_PROVIDER": "scripted",
        "ROUNDZERO_MODEL_NAME": "scripted",
        "ROUNDZERO_MODEL_SCRIPT": str(script),
        "ROUNDZERO_MODEL_REQUESTS_PER_MINUTE": "1000",
        "XDG_STATE_HOME": str(folder),
        "XDG_CACHE_HOME": str(folder),
    }


def _commit(folder: Path, message: str, files: Mapping[str, str]) -> None:
    _write(folder, files)
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", message)


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
        if text.startswith("#!"):
            target.chmod(0o755)


def _git(folder: Path, *arguments: str) -> None:
    """Run git in ``folder``, with the person's own configuration and any surrounding repository out of the way."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    person = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *person, *arguments], cwd=folder, env=environment, check=True)


if __name__ == "__main__":
    sys.exit(main())
