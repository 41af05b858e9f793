"""Reasons in the reader's language: none is missing, none is mistaken for another."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING

import pytest

import roundzero
from roundzero.cli._fixing import Fixed, summary
from roundzero.config import Settings
from roundzero.core.change import Skip, SkipKind, Status
from roundzero.core.drafting import Gate
from roundzero.core.gate import evaluate
from roundzero.core.model_values import Outcome
from roundzero.core.report import Coverage
from roundzero.core.text import RelPath
from roundzero.core.toolbox import Bounds, Unanswered
from roundzero.engine.agent import LOOP, LOST, ended_by
from roundzero.engine.context import _CLOSED
from roundzero.engine.gaps import WHY_NOT, because
from roundzero.engine.model_access import NO_PROVIDER
from roundzero.engine.model_review import NOT_TRUSTED, choose_depth
from roundzero.git import rules
from roundzero.render.reasons import _CHINESE, reason

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

PACKAGE = Path(roundzero.__path__[0])
PROBES = sorted((PACKAGE / "engine" / "probes").glob("*.py"))
SPEAKING = (
    "core/judge.py", "core/scope.py", "core/families.py", "core/standing.py", "core/advance.py", "core/recalled.py",
    "core/regrading.py", "core/compose.py", "core/strengths.py", "core/reversal.py", "core/rechecking.py",
    "core/recheck_candidates.py", "core/claims.py", "core/toolbox.py", "engine/memory.py",
    "engine/ledger_of_branch.py", "engine/rechecking.py", "engine/gaps.py", "engine/agent.py", "engine/fact_check.py",
    "engine/model_review.py", "index/doubts.py", "index/modules.py", "index/names.py", "index/symbols.py",
    "git/rules.py", "git/ladder.py", "cli/_fixing.py",
    *(f"engine/probes/{each.name}" for each in PROBES if each.name not in {"__init__.py", "_view.py", "_written.py"}),
)  # fmt: skip
"""Modules whose sentences are reasons that a report shows. What gate.py puts together has a test of its own."""
SILENT = (
    "engine/quick_review.py", "engine/deep_review.py", "engine/deepening.py", "engine/whole_review.py",
    "engine/confirming.py", "engine/overviewing.py", "engine/second_look.py",
)  # fmt: skip
"""Modules that take what they say from engine/gaps."""
NO_REASONS = (
    "git fetch", "is not in this clone; fetch it with:", "(\\d+) (\\w+)", "{count} ", "fixed 7 in 7",
    "overlaps another fix; run again", "(rz-[0-9a-f]{12})",
    # to a model, or to a log
    "You may look around", '{"calls": ', "7 If you cannot call tools", "You cannot look around", "the same was asked",
    "(7 more were not carried out", "7\n7(7 more", "not carried out: ", "the reply could not be read: ",
    "the model's part of a review failed", "a reply that was 7", "^",
)  # fmt: skip
"""How other texts of theirs begin: parts of sentences, commands and patterns."""


def _sentences(node: ast.AST, module: ModuleType) -> Iterator[tuple[int, str]]:
    """Strings with several words, but for docstrings and what is raised; names in them are filled in."""
    if isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"Prose", "UserError"}:
        return
    text = None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
    if isinstance(node, ast.JoinedStr):
        text = "".join(_part(part, module) for part in node.values)
    if text is None:
        for child in ast.iter_child_nodes(node):
            yield from _sentences(child, module)
    elif re.search(r"[a-z]{2}.* .*[a-z]{2}", text):
        yield getattr(node, "lineno", 0), text


def _part(part: ast.expr, module: ModuleType) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    name = part.value.id if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name) else ""
    known = getattr(module, name, None)
    return known if isinstance(known, str) else "7"


@pytest.mark.parametrize("name", SPEAKING)
def test_every_reason_has_its_chinese(name: str) -> None:
    """A new reason in a module that gives reasons needs a line in render/reasons.py."""
    path = PACKAGE / name
    module = import_module("roundzero." + name.removesuffix(".py").replace("/", "."))
    found = [
        (line, text)
        for line, text in _sentences(ast.parse(path.read_text(encoding="utf-8")), module)
        if not text.startswith(NO_REASONS)
    ]
    assert found
    assert [(name, line, text) for line, text in found if reason(text, "zh") == text] == []


@pytest.mark.parametrize("name", SILENT)
def test_what_a_model_left_undone_is_worded_in_one_place(name: str) -> None:
    """So that the table above sees every sentence there is."""
    tree = ast.parse((PACKAGE / name).read_text(encoding="utf-8"))
    assert list(_sentences(tree, import_module("roundzero." + name.removesuffix(".py").replace("/", ".")))) == []


def test_how_looking_around_ended_has_its_chinese() -> None:
    """Each bound of a conversation, each reply in the middle that came to nothing, each call without a result."""
    bounds = Bounds()
    ends = [f"{bounds.calls} calls", f"{bounds.bytes} bytes", f"{bounds.seconds:g} seconds", f"{bounds.turns} turns"]
    ends += [LOOP, *(ended_by(outcome) for outcome in LOST)] + [why.value for why in Unanswered]
    assert len(ends) > 10
    assert [text for text in ends if reason(text, "zh") == text] == []


def test_every_role_of_evidence_has_its_chinese() -> None:
    """What checkers and linters call the lines they show."""
    package = PACKAGE
    roles = {
        value.value
        for path in sorted([*(package / "checkers").glob("*.py"), *(package / "linters").glob("*.py")])
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and "vidence" in call.func.id
        for value in (*call.args, *(each.value for each in call.keywords))
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
    }
    assert len(roles) > 5
    assert [role for role in sorted(roles) if reason(role, "zh") == role] == []


def test_every_reason_to_skip_a_file_has_its_chinese() -> None:
    """Those of one word too."""
    given = [value.words for value in vars(rules).values() if isinstance(value, rules.Reason)]
    assert len(given) > 10
    assert [text for text in given if reason(text, "zh") == text] == []


def test_the_reasons_of_a_verdict_have_their_chinese() -> None:
    """Also with the reasons inside them; paths stay as they are."""
    skips = tuple(
        Skip(path=RelPath(path), old_path=None, status=Status.MODIFIED, kind=SkipKind.NOT_CHECKED, reason=why)
        for path, why in (
            ("a, b.py", "its bytes are not valid in its encoding"),
            ("deleted", "7 bytes are more than maxFileBytes (5)"),
            ("c (d).py", "it has unresolved merge conflicts"),
            ("e.py", "binary"),
        )
    )
    failures = tuple(f"ruff {number}" for number in range(5))

    def said(count: int, failed: int) -> list[str]:
        covered = Coverage(files=count, reviewed=0, added_lines=0, skipped=skips[:count])
        verdict = evaluate([], covered, failures[:failed], depth="off")
        return [reason(each, "zh") for each in verdict.reasons]

    assert said(1, 0) == ["1 个文件未检查：a, b.py（其字节不符合其编码）"]
    named = "a, b.py（其字节不符合其编码）, deleted（7 字节超过 maxFileBytes（5））, c (d).py（存在未解决的合并冲突）"
    assert said(4, 5) == [
        f"4 个文件未检查：{named}，另有 1 个",
        "ruff 0",
        "ruff 1",
        "ruff 2",
        "另有 2 项失败",
    ]


def test_what_a_model_did_not_look_at_has_its_chinese() -> None:
    """Each reason behind a number of hunks, and what became of drafted findings."""
    for why in (*WHY_NOT.values(), "too large", "not asked yet", "renamed from a path that is not sent", _CLOSED):
        said = reason(f"3 of 5 hunks were looked at by the model: 2 {why}", "zh")
        assert said == f"模型看了 5 个改动块中的 3 个：2 个{reason(why, 'zh')}"
        assert why not in said
    assert [gate for gate in Gate if reason(gate.value, "zh") == gate.value] == []
    said = reason("0 of 2 hunks were looked at by the model: 1 too large, 1 offline (no host, 3 tries)", "zh")
    assert said == "模型看了 2 个改动块中的 0 个：1 个过大, 1 个离线 (no host, 3 tries)"


def test_what_a_host_said_stands_behind_a_reason_in_chinese() -> None:
    """Also where drafts failed for several reasons; the host's own words stay as they are."""
    for outcome, why in WHY_NOT.items():
        assert reason(because(outcome, "500, 2 tries"), "zh") != because(outcome, "500, 2 tries"), why
    assert reason(because(Outcome.FAILED, "3 questions in a row: the answer was cut off"), "zh") == (
        "失败（连续 3 个问题：回答中断）"
    )
    said = reason("3 of 5 drafts were not made: 1 offline (no host, try later), 2 failed (h answered 500)", "zh")
    assert said == "5 份草稿中有 3 份未生成：1 份离线（no host, try later），2 份失败（h answered 500）"


def test_what_stands_below_a_review_has_its_chinese() -> None:
    """Notices of fixes, of an ignored file and of the model; the reason inside one too, names as they are."""
    paths = (RelPath("a.py"), RelPath("b, c.py"))
    for fixed, said in (
        (Fixed(), ["未修复任何内容"]),
        (Fixed(1, paths[:1]), ["已修复 1 个文件中的 1 项发现：a.py"]),
        (Fixed(2, paths[:1]), ["已修复 1 个文件中的 2 项发现：a.py"]),
        (Fixed(2, paths), ["已修复 2 个文件中的 2 项发现：a.py, b, c.py"]),
        (Fixed(1, paths, ("d.py is reached through a link",)), [
            "已修复 2 个文件中的 1 项发现：a.py, b, c.py", "未修复：d.py 需经链接到达",
        ]),
    ):  # fmt: skip
        assert [reason(each, "zh") for each in summary(fixed)] == said
    assert reason("a.py is ignored by git, so it was not reviewed", "zh") == "a.py 被 git 忽略，因此未审查"
    given = Settings(model_provider="ollama", model_depth="deep")
    assert choose_depth(given, trusted=True).notice is None
    assert choose_depth(given, trusted=False).notice == NOT_TRUSTED
    assert all(reason(notice, "zh") != notice for notice in (NO_PROVIDER, NOT_TRUSTED))


def test_english_and_strange_texts_stay_as_they_are() -> None:
    """Only Chinese readers get another text, and only for what is in the table."""
    assert reason("milder than P2", "en") == "milder than P2"
    assert reason("ruff: it broke", "zh") == "ruff: it broke"
    assert reason("milder than P2", "zh") == "轻于 P2"
    assert reason("pre-existing findings are not asked for", "zh") == "未要求显示此分支之前就有的发现"
    assert reason("it is fixed", "zh") == "已修复"


def test_both_languages_name_the_same_things() -> None:
    """No sentence drops or invents a name, and all are Chinese."""
    for english, chinese in _CHINESE.items():
        names = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in (english, chinese)]
        assert names[0] == names[1], english
        assert any(character >= "\u4e00" for character in chinese) or chinese == "{state}", english
