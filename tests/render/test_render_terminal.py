"""What a person reads."""

from __future__ import annotations

import re
from dataclasses import Field, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.change import BaseHow, Side, Skip, SkipKind
from roundzero.core.finding import Evidence, FindingId, Origin, State
from roundzero.core.item import Severity
from roundzero.core.report import VerdictStatus
from roundzero.core.text import LineIndex, Position, RelPath, Span
from roundzero.render.excerpt import _cells, excerpt
from roundzero.render.look import Gate, Look
from roundzero.render.terminal import render
from roundzero.render.words import DeepWords, Words, words
from support.report import finding, fix, report, span

TEXT = "import os\ndef load(path, cache={}):\n    return cache\n"


def skip(path: str, kind: SkipKind = SkipKind.BY_RULE, reason: str = "binary") -> Skip:
    """A skipped path."""
    return Skip(path=RelPath(path), kind=kind, reason=reason)


def test_the_whole_output() -> None:
    """Blocking first, with place, source line and carets; then counts, coverage, base and the verdict."""
    shared = finding(at=span(2, 17, 19), fixes=(fix("app.py", span(2, 17, 19), "{}", "None"),))
    proof = Evidence(
        path=RelPath("lib.py"), side=Side.BASE, line=7, quote="    cache = {}", role="definition", blob="1" * 40
    )
    shown = render(
        report(
            [
                shared.but(seen=replace(shared.seen, evidence=(proof,))),
                finding(at=span(1, 8, 10), severity=Severity.P1, blocking=True, title="boom", item="python/x"),
            ],
            texts={"app.py": TEXT},
            skipped=(skip("a.png"), skip("b.png")),
            doubts=("already merged into develop",),
            notices=("pack x is broken",),
        ),
        Look(),
    )
    assert shown == (
        "Blocking (1)\n\n"
        "app.py:1:8 P1 boom [python/x] rz-0000000\n"
        " 1 │ import os\n"
        "   │        ^^\n"
        "    One object serves all calls. It grows.\n\n"
        "Not blocking (1)\n\n"
        "app.py:2:17 P2 a default is shared [python/mutable-default] rz-0000000\n"
        " 2 │ def load(path, cache={}):\n"
        "   │                 ^^\n"
        "    One object serves all calls. It grows.\n"
        "    see lib.py:7 (at the base), definition: cache = {}\n"
        "    fix (safe): Write None\n\n"
        "note: pack x is broken\n"
        "Safe fixes: 1 (roundzero review --fix)\n"
        "P0/0 · P1/1 · P2/1 · P3/0\n"
        "Reviewed 1 of 3 files (+3 lines)\n"
        "  skipped, binary: a.png, b.png\n"
        "Base main at 1234567890ab, the latest merge base with a main branch\n"
        "  doubt: already merged into develop\n"
        "BLOCKED (checks only): 1 blocking\n"
    )


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("status", list(VerdictStatus))
def test_the_last_line_is_the_verdict(language: str, status: VerdictStatus) -> None:
    """Whatever was found, the last line begins with the verdict."""
    made = report([finding()], status=status, language="zh" if language == "zh" else "en")
    assert render(made, Look()).splitlines()[-1].startswith(status.value)


def test_an_incomplete_review_says_so_on_the_last_line() -> None:
    """A file that was not checked is named, and the last line says INCOMPLETE and why."""
    lines = render(report(skipped=(skip("x.py", SkipKind.NOT_CHECKED, "not UTF-8"),)), Look()).splitlines()
    assert lines[-1] == "INCOMPLETE (checks only): 1 file not checked"
    assert "  not checked, not UTF-8: x.py" in lines


def test_reasons_are_in_the_readers_language() -> None:
    """Skips, doubts, states and what does not block; what a person gave as a reason stays as it was written."""
    shown = render(
        report(
            [
                finding(severity=Severity.P1).but(not_blocking_because="it was there before this branch"),
                finding(state=State.FIXED, state_text="the code was deleted", identity="rz-2"),
                finding(state=State.DISMISSED, state_text="part of the plan", identity="rz-3"),
            ],
            skipped=(skip("a.png"), skip("x.py", SkipKind.NOT_CHECKED, "it has unresolved merge conflicts")),
            doubts=("HEAD is already merged into develop",),
            language="zh",
        ),
        Look(),
    )
    for line in (
        "    不阻止合入：此分支之前就有\n", "    已修复：代码已删除\n", "    已忽略：part of the plan\n",
        "  已跳过，二进制文件：a.png\n", "  未检查，存在未解决的合并冲突：x.py\n", "  存疑：HEAD 已合入 develop\n",
    ):  # fmt: skip
        assert line in shown, line


def test_many_skipped_paths_are_counted() -> None:
    """At most five paths are named per reason."""
    shown = render(report(skipped=tuple(skip(f"{n}.png") for n in range(9))), Look())
    assert "  skipped, binary: 0.png, 1.png, 2.png, 3.png, 4.png, 4 more\n" in shown


def test_findings_that_are_not_open_come_last_in_one_line() -> None:
    """Dismissed findings show their reason and no source line; pre-existing ones have their own heading."""
    shown = render(
        report(
            [
                finding(at=span(1, 1, 7), state=State.DISMISSED, state_text="intended", title="gone"),
                finding(at=span(1, 1, 7), origin=Origin.PRE_EXISTING, title="old", identity="rz-2"),
            ],
            texts={"app.py": TEXT},
        ),
        Look(),
    )
    assert shown.index("There before this branch (1)") < shown.index("Dismissed (1)")
    assert "gone [python/mutable-default] rz-0000000\n    dismissed: intended\n" in shown


def test_hostile_text_cannot_act() -> None:
    """Control characters of a path, a title, a reason or the source are spelled out."""
    evil = "\x1b[2J\u202e"
    shown = render(
        report(
            [finding(f"{evil}.py", span(1, 1, 2), title=evil, why=evil, item=evil)],
            texts={f"{evil}.py": f"{evil}\n"},
            skipped=(skip(evil, reason=evil),),
            notices=(evil,),
            doubts=(evil,),
        ),
        Look(),
    )
    assert not {"\x1b", "\u202e"} & set(shown)
    assert shown.count("\\x1b[2J\\u202e") == 9


def test_colour_only_when_wanted() -> None:
    """With colour the same text is there once the escape sequences are taken out."""
    made = report([finding(at=span(2, 1, 4), severity=Severity.P0, blocking=True)], texts={"app.py": TEXT})
    coloured = render(made, Look(colour=True))
    assert "\x1b[1;31m" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == render(made, Look())


def test_chinese() -> None:
    """The words around the findings are Chinese when the report is."""
    shown = render(report([finding(severity=Severity.P1, blocking=True)], language="zh"), Look())
    assert shown.startswith("阻止合入 (1)")
    assert shown.splitlines()[-1].startswith("BLOCKED (仅检查)")


def test_both_languages_have_the_same_places_to_fill() -> None:
    """A template takes the same names in both languages."""
    pairs: list[tuple[Words | DeepWords, Words | DeepWords, Field[object]]] = []
    pairs += [(words("en"), words("zh"), each) for each in fields(Words) if each.name != "deep"]
    pairs += [(words("en").deep, words("zh").deep, each) for each in fields(DeepWords)]
    for one_language, other_language, each in pairs:
        english, chinese = getattr(one_language, each.name), getattr(other_language, each.name)
        for one, other in zip(
            *(
                text.values() if isinstance(text, dict) else text if isinstance(text, tuple) else [text]
                for text in (english, chinese)
            ),
            strict=True,
        ):
            assert one
            assert {*re.findall(r"\{\w+\}", one)} == {*re.findall(r"\{\w+\}", other)}, each.name


@pytest.mark.parametrize(
    ("line", "start", "end", "width", "code", "carets"),
    [
        ("    x = 1", 5, 6, 80, "x = 1", "^"),
        ("\tx\ty", 4, 5, 80, "x    y", "     ^"),
        ("中文 = x", 6, 7, 80, "中文 = x", "       ^"),
        ("é́ = x", 1, 2, 80, "é́ = x", "^"),
        ("ab", 3, 3, 80, "ab", "  ^"),
        ("", 1, 1, 80, "", "^"),
        ("a\x1bb", 2, 3, 80, "a\\x1bb", " ^^^^"),
        ("x" * 50 + "HERE" + "y" * 50, 51, 55, 40, "…" + "x" * 20 + "HERE" + "y" * 14 + "…", " " * 21 + "^^^^"),
        ("HERE" + "y" * 50, 1, 5, 20, "HERE" + "y" * 15 + "…", "^^^^"),
        ("x" * 20, 1, 21, 20, "x" * 20, "^" * 20),
    ],
)
def test_carets_stand_under_the_span(line: str, start: int, end: int, width: int, code: str, carets: str) -> None:
    """Wide characters, tabs, marks and escapes do not shift the carets, and long lines are cut around them."""
    assert excerpt(LineIndex(line), span(1, start, end), width) == (code, carets)


def test_a_span_of_several_lines_is_marked_on_its_first() -> None:
    """The carets reach to the end of the first line."""
    assert excerpt(LineIndex("ab cd \nef"), Span(Position(1, 4), Position(2, 2)), 80) == ("ab cd ", "   ^^")


@given(st.text(max_size=60), st.integers(1, 70), st.integers(0, 30), st.integers(20, 50))
def test_an_excerpt_never_overflows(line: str, start: int, length: int, width: int) -> None:
    """Whatever the line and the span, the line fits the width and there is a caret."""
    line = line.replace("\n", "")
    code, carets = excerpt(LineIndex(line), span(1, start, start + length), width)
    assert _cells(code) <= width
    assert "^" in carets
    assert set(carets) <= {" ", "^"}


def test_one_cause_with_one_text_is_shown_once() -> None:
    """Places of a family that say the same are named under the one that blocks, whichever section they would be in."""
    family = FindingId("rz-2")
    rows = [finding(at=span(line, 1, 2), severity=Severity.P1, identity=f"rz-{line}") for line in range(1, 9)]
    rows = [each.but(family=family, not_blocking_because="rz-2 blocks for the same cause") for each in rows]
    rows[1] = rows[1].but(blocking=True, not_blocking_because=None)
    shown = render(report(rows), Look())
    assert "Blocking (1)\n\napp.py:2:1 P1" in shown
    assert "    and 7 more places: app.py:1, app.py:3, app.py:4, app.py:5, app.py:6, 2 more\n" in shown
    assert "Not blocking" not in shown
    one = render(report(rows[:2]), Look())
    assert "    and 1 more place: app.py:1\n" in one


def test_one_cause_with_other_words_names_the_place_that_blocks() -> None:
    """A finding that does not block because a relative does says where that is, not what it is called."""
    family = FindingId("rz-1")
    chief = finding(at=span(3, 1, 2), severity=Severity.P1, blocking=True, identity="rz-1").but(family=family)
    other = finding(at=span(9, 1, 2), severity=Severity.P1, title="another way to say it", identity="rz-2")
    other = other.but(family=family, not_blocking_because="rz-1 blocks for the same cause")
    assert "    does not block: the same cause as app.py:3\n" in render(report([chief, other]), Look())
    chinese = render(report([chief, other], language="zh"), Look())
    assert "    不阻止合入：与 app.py:3 同一原因\n" in chinese


def test_findings_go_by_the_shortest_name_that_is_theirs_alone() -> None:
    """Seven digits, and as many more as it takes."""
    names = ("rz-0123456aaaaa", "rz-01234567bbbb", "rz-fedcba987654")
    rows = [finding(at=span(line, 1, 2), identity=name) for line, name in enumerate(names, 1)]
    shown = render(report(rows), Look())
    assert re.findall(r"\] (rz-\w+)$", shown, re.MULTILINE) == ["rz-0123456a", "rz-01234567", "rz-fedcba98"]


@pytest.mark.parametrize(
    ("status", "gate", "said"),
    [
        (VerdictStatus.LGTM, Gate(fails=True, by="--fail-on P2"), "fails by --fail-on P2"),
        (VerdictStatus.BLOCKED, Gate(fails=False, by="gate.failOn never"), "passes by gate.failOn never"),
        (VerdictStatus.LGTM, Gate(fails=False, by="gate.failOn P1"), None),
        (VerdictStatus.BLOCKED, Gate(fails=True, by="gate.failOn P1"), None),
        (VerdictStatus.BLOCKED, None, None),
    ],
)
def test_the_last_line_says_why_the_exit_status_is_another(
    status: VerdictStatus, gate: Gate | None, said: str | None
) -> None:
    """A verdict that the exit status does not follow names what decided instead, and any other says nothing of it."""
    last = render(report([finding()], status=status), Look(gate=gate)).splitlines()[-1]
    assert last.startswith(f"{status.value} (checks only)")
    assert (said is not None) == (" by " in last)
    assert said is None or last.endswith(said)


def test_comments_that_silence_are_counted_in_one_line() -> None:
    """Files that decide about the review have a line each, comments have one together."""
    made = report([finding()])
    comments = tuple(f"a.py:{line}: ignore[x] because" for line in range(1, 8))
    shown = render(replace(made, settings_changed=(".roundzero.toml", *comments)), Look())
    assert "note: changed by this branch: .roundzero.toml\n" in shown
    assert (
        "note: 7 comments of this branch ask to ignore findings: a.py:1, a.py:2, a.py:3, a.py:4, a.py:5, 2 more\n"
        in shown
    )


def test_no_commits_yet_is_said_without_a_dash() -> None:
    """Without a base there is none to name."""
    made = report()
    base = replace(made.base, ref=None, merge_base=None, how=BaseHow.EMPTY_TREE)
    assert "No base: no commits yet\n" in render(replace(made, base=base), Look())
