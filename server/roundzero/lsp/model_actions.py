"""Code actions that a model's finding has beside its fixes: explain, copy as a comment, ask again, answer a question.

Each is a command that any client can run; where a client announces a command of its own that does it better (a
clipboard, an input box), that one is named. Invariant: nothing here needs an extension.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsprotocol import types

from roundzero.core.item import Severity
from roundzero.core.text import collapse
from roundzero.lsp.convert import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from roundzero.core.finding import Finding
    from roundzero.core.item import Language

ABOUT: Final = "quickfix.roundzero.about"
"""The kind of these actions."""

ASK_ANSWER: Final = "roundzero.askAnswer"
"""A command of the client's: ask the person, then send ``roundzero.answer``."""

_MOST_QUESTIONS: Final = 2
_MOST_TITLE: Final = 80
_WORDS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "explain": "Explain this finding",
        "copy": "Show this finding as a comment",
        "again": "Ask the model again",
        "deep": "Confirm deeply: look again and check its claims",
        "answer": "Answer: {}",
        "yes": "“{}” Yes",
        "no": "“{}” No",
    },
    "zh": {
        "explain": "解释此发现",
        "copy": "以评论形式显示此发现",
        "again": "再次询问模型",
        "deep": "深度确认：再次查看并核实其论断",
        "answer": "回答：{}",
        "yes": "“{}” 是",
        "no": "“{}” 否",
    },
}


def about(finding: Finding, language: Language, commands: Collection[str]) -> Iterator[types.CodeAction]:
    """The actions of one finding. ``commands`` are those the client announced as its own."""
    case, words = finding.seen.anatomy, _WORDS[language]
    if case is None:
        return
    yield _action(words["explain"], "roundzero.explain", {"id": finding.id, "show": True})
    yield _action(words["copy"], "roundzero.copy", {"id": finding.id, "show": True})
    yield _action(words["again"], "roundzero.recheck", {"id": finding.id})
    if case.confirmed is None and finding.seen.severity <= Severity.P1:
        yield _action(words["deep"], "roundzero.recheck", {"id": finding.id, "depth": "deep"})
    open_still = [each.text for each in case.open_questions if each.answer is None]
    for question in open_still[:_MOST_QUESTIONS]:
        asked = {"id": finding.id, "question": question}
        line = collapse(question)
        short = line if len(line) <= _MOST_TITLE else line[: _MOST_TITLE - 1] + "…"
        if ASK_ANSWER in commands:
            yield _action(words["answer"].format(short), ASK_ANSWER, asked)
        else:
            for said in ("yes", "no"):
                yield _action(words[said].format(short), "roundzero.answer", {**asked, "text": said})


def _action(title: str, command: str, argument: Mapping[str, object]) -> types.CodeAction:
    title = printable(title)
    run = types.Command(title=title, command=command, arguments=[dict(argument)])
    return types.CodeAction(title=title, kind=ABOUT, command=run)
