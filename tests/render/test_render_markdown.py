"""What a pull request shows."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from roundzero.core.change import Side, Skip, SkipKind, Source
from roundzero.core.finding import Anchor, Edit, Evidence, Finding, FindingId, Fix, Grounds, Origin, State
from roundzero.core.item import ItemId, Severity
from roundzero.core.model_part import ModelStats, Strength
from roundzero.core.report import ChecklistLine, ItemStatus, Report, RoundInfo
from roundzero.core.text import LineIndex, Position, RelPath, Span
from roundzero.render.escape import visible
from roundzero.render.look import Look
from roundzero.render.markdown import DETAILED, FILES, render
from roundzero.render.markdown_fix import diff
from roundzero.render.markdown_text import MARK, block, cell, code, prose
from roundzero.render.markdown_words import MarkdownWords, markdown_words
from support.report import finding, fix, report, span

if TYPE_CHECKING:
    from collections.abc import Iterable

TEXT = "import os\ndef load(path, cache={}):\n    return cache\n"
KEY = "AKIAIOSFODNN7QWERTYU"
GFM = MarkdownIt("commonmark").enable(["table", "strikethrough"])
INVISIBLE = "\u200b"


def shown(made: Report) -> str:
    """The rendered report."""
    return render(made, Look())


def evidence(path: str = "lib.py", line: int = 7, quote: str = "cache = {}", side: Side = Side.BASE) -> Evidence:
    """A line that supports something."""
    return Evidence(path=RelPath(path), side=side, line=line, quote=quote, role="definition", blob="1" * 40)


def section(text: str, heading: str) -> str:
    """The part of the report under a heading of the second level that starts with ``heading``."""
    return re.split(r"^## ", text, flags=re.MULTILINE)[
        next(n for n, part in enumerate(re.split(r"^## ", text, flags=re.MULTILINE)) if part.startswith(heading))
    ]


def test_the_whole_report() -> None:
    """Marker, title, verdict, counts, versions, findings with reasons, proof and diff, checklists, files, figures."""
    shared = finding(at=span(2, 17, 19), fixes=(fix("app.py", span(2, 22, 24), "{}", "None"),))
    made = report(
        [
            shared.but(seen=replace(shared.seen, evidence=(evidence(),))),
            finding(
                at=span(1, 8, 10), severity=Severity.P1, blocking=True, title="boom", item="python/x", identity="rz-2"
            ),
        ],
        texts={"app.py": TEXT},
        skipped=(Skip(path=RelPath("a.png"), kind=SkipKind.BY_RULE, reason="binary"),),
        doubts=("already merged into develop",),
        notices=("pack x is broken",),
    )
    made = replace(
        made,
        checklists=(
            ChecklistLine(pack="python", item=ItemId("python/x"), title="", status=ItemStatus.FAIL,
                          findings=(made.findings[0].id,)),
            ChecklistLine(pack="python", item=ItemId("python/y"), title="", status=ItemStatus.NOT_CHECKED),
            ChecklistLine(pack="python", item=ItemId("python/z"), title="", status=ItemStatus.NOT_APPLICABLE),
        ),
    )  # fmt: skip
    assert shown(made) == (
        "<!-- roundzero:report -->\n"
        "# Round Zero: `topic` into `main`\n\n"
        "**BLOCKED** · 1 blocking · checks only\n\n"
        "P0/0 · P1/1 · P2/1 · P3/0\n\n"
        "- **Head** `ffffffffffff` on `topic`, with changes that are not committed\n"
        "- **Base** `main` at `1234567890ab`, the latest merge base with a main branch\n"
        "  - in doubt: already merged into develop\n"
        "- **Reviewed** `2026-01-02T03:04:05Z` by Round Zero `0.1.0`; "
        "the verdict holds for snapshot `555555555555` alone\n\n"
        "## Blocking issues (1)\n\n"
        "### P1 (1)\n\n"
        "- **F1 boom** @ `app.py:1` · `python/x` · `rz-2`\n\n"
        "  `import os`\n\n"
        "  One object serves all calls. It grows.\n\n"
        "## Non-blocking suggestions (1)\n\n"
        "### P2 (1)\n\n"
        "- **F2 a default is shared** @ `app.py:2` · `python/mutable-default` · `rz-000000000001`\n\n"
        "  Why: see F1.\n\n"
        "  - `lib.py:7` (at the base) definition: `cache = {}`\n\n"
        "  Safe fix (`roundzero review --fix` applies it): Write None\n\n"
        "  ```diff\n"
        "  @@ -2 +2 @@\n"
        "  -def load(path, cache={}):\n"
        "  +def load(path, cache=None):\n"
        "  ```\n\n"
        "## Checklists\n\n"
        "| Pack | Failed | Applicable | Not checked |\n"
        "|---|--:|--:|--:|\n"
        "| `python` | 1 | 2 | 1 |\n\n"
        "- `python/x` → F1\n\n"
        "## Overview\n\n"
        "Reviewed 1 of 2 files, 3 added lines.\n\n"
        "- `app.py` added, +1 -0\n\n"
        "## Statistics\n\n"
        "- Patch: +3 -0 lines, 0 bytes\n"
        "- Not shown: off 2\n"
        "- Seconds: diff 0.1\n"
        "- Notes: pack x is broken\n"
    )


def test_the_marker_comes_first_and_once() -> None:
    """The first line is the hidden mark, and nothing in the code can forge another."""
    text = shown(report([finding(title=MARK, why=MARK)], notices=(MARK,), texts={"app.py": f"{MARK}\n"}))
    assert text.startswith(MARK + "\n")
    assert text.count(MARK) == 1


def test_each_text_is_said_once() -> None:
    """Findings of one item share the reason: later ones name the first."""
    made = report([finding(at=span(line, 1, 2), identity=f"rz-{line}") for line in (1, 2, 3)], texts={"app.py": TEXT})
    text = shown(made)
    assert text.count("One object serves all calls") == 1
    assert text.count("Why: see F1.") == 2


def test_findings_that_do_not_count_have_their_own_places() -> None:
    """Fixed ones show the proof, dismissed ones reason and by whom, others their state; none is called a suggestion."""
    fates = [
        finding(title="mended", state=State.FIXED, state_text="the guard is back at app.py:3", identity="rz-1"),
        finding(title="intended", state=State.DISMISSED, state_text="a cache", identity="rz-2").but(state_by="code"),
        finding(title="wrong", state=State.REFUTED, state_text="never reached", identity="rz-3"),
        finding(title="older", origin=Origin.PRE_EXISTING, identity="rz-4"),
        finding(title="moved", state=State.STALE, identity="rz-5"),
    ]
    text = shown(report(fates))
    assert "mended" in section(text, "Fixed since the last round (1)")
    assert section(text, "Fixed").rstrip().endswith(": the guard is back at app.py:3")
    assert section(text, "Dismissed (1)").rstrip().endswith(": a cache (in the code)")
    assert section(text, "No longer open (1)").rstrip().endswith(": refuted never reached")
    assert "older" in section(text, "There before this branch (1)")
    assert section(text, "Open, not confirmed in this round (1)").rstrip().endswith(": stale")
    assert section(text, "Blocking issues (0)").split() == ["Blocking", "issues", "(0)", "None."]
    assert section(text, "Non-blocking suggestions (0)").rstrip().endswith("None.")


def test_a_round_says_how_far_the_branch_has_come() -> None:
    """Fixed, new, back again and still open; each finding since when; the first round has nothing to compare with."""
    found = [
        finding(title="older", identity="rz-1").but(first_seen=2),
        finding(title="back", identity="rz-2").but(first_seen=1, regressions=2),
        finding(title="fresh", identity="rz-3").but(first_seen=4),
        finding(title="mended", state=State.FIXED, state_text="gone", identity="rz-4").but(first_seen=3),
    ]
    made = replace(report(found), round=RoundInfo(index=4, previous=3, delta_files=1, full_files=7))
    text = shown(made)
    said = "- **Round** 4; 1 of 7 files changed since round 3; fixed 1, new 1, back again 1, open 3\n"
    assert said in text
    assert "**F1 older** @ `app.py` · `python/mutable-default` · `rz-1` · since round 2\n" in text
    assert "`rz-2` · since round 1 · came back 2x\n" in text
    assert "`rz-3`\n" in text
    first = replace(made, round=RoundInfo(index=1, previous=None, delta_files=7, full_files=7))
    assert "- **Round** 1; 7 files\n" in shown(first)
    chinese = shown(replace(made, language="zh"))
    assert "- **轮次** 4；自第 3 轮以来 7 个文件中有 1 个变动；已修复 1、新增 1、再次出现 1、未关闭 3\n" in chinese


def test_what_left_has_its_proof() -> None:
    """The line and the commit that show it, and until when a dismissal holds."""
    fixed = finding(state=State.FIXED, state_text="checked again, and no longer there", identity="rz-1")
    fixed = fixed.but(grounds=Grounds(path=RelPath("a b.py"), line=9, commit="abcdef0123456789"))
    aside = finding(state=State.DISMISSED, state_text="later", identity="rz-2")
    aside = aside.but(state_by="ann", grounds=Grounds(at="2026-01-01", expires="2026-12-31"))
    text = shown(report([fixed, aside]))
    proof = ": checked again, and no longer there @ `a b.py:9` (`abcdef012345`)"
    assert section(text, "Fixed since").rstrip().endswith(proof)
    assert section(text, "Dismissed").rstrip().endswith(": later (ann) until `2026-12-31`")


def test_findings_of_one_cause_name_the_first() -> None:
    """The others of a family refer to it, in place of why they do not block."""
    family = FindingId("rz-1")
    chief = finding(severity=Severity.P1, blocking=True, identity="rz-1").but(family=family)
    other = finding(severity=Severity.P1, identity="rz-2").but(family=family, not_blocking_because="rz-1 blocks")
    text = shown(report([chief, other]))
    assert section(text, "Non-blocking").rstrip().endswith("Same cause as F1.")
    assert "Does not block" not in text


def test_a_stale_verdict_says_so_beside_it() -> None:
    """Nobody reads it without seeing that it is for another version."""
    made = report()
    text = shown(replace(made, verdict=replace(made.verdict, stale=True)))
    assert "**LGTM** (for an older version of the change) · " in text


def test_a_line_beyond_the_change_is_quoted() -> None:
    """A finding in a file that the branch did not touch shows its line."""
    far = finding("far.py", span(2, 1, 4)).but(in_diff=False, anchor=Anchor(RelPath("app.py"), 1))
    made = replace(report([far]), outside=(Source(RelPath("far.py"), "x = 1\nuse(load)\n", "0" * 40),))
    assert "`use(load)`" in shown(made)


def test_what_the_branch_changes_about_its_review_comes_before_the_findings() -> None:
    """Settings and ignores the branch adds are listed; a dismissal by such an ignore refers to it."""
    ignored = finding(title="quiet", state=State.DISMISSED, state_text="a cache").but(state_by="code")
    line = "app.py:1: ignore[python/mutable-default] a cache"
    text = shown(replace(report([ignored]), settings_changed=(".roundzero.toml", line)))
    assert text.index("What this branch changes") < text.index("Blocking issues")
    assert f"- `{line}`\n" in text
    assert section(text, "Dismissed").rstrip().endswith(": reason above (in the code)")


def test_a_gap_is_named_once_with_its_reason() -> None:
    """A file that was not checked is counted beside the verdict and named in the overview."""
    made = report(texts={"b.py": "x\n"}, skipped=(Skip(path=RelPath("b.py"), kind=SkipKind.NOT_CHECKED, reason="odd"),))
    text = shown(made)
    assert "**INCOMPLETE** · 0 blocking · checks only · files not checked: 1 (see Overview)" in text
    assert "- `b.py` added, +1 -0, **not checked**: odd\n" in text
    assert text.count("odd") == 1


def test_a_finding_outside_the_diff_names_the_changed_line() -> None:
    """It is shown at its true place and tied to the change; a base line says so; the whole change has no place."""
    outside = finding("far.py", span(9, 1, 2)).but(in_diff=False, anchor=Anchor(RelPath("app.py"), 2))
    text = shown(report([outside, finding(None, identity="rz-2"), finding(at=span(3, 1, 2), side="base")]))
    assert "@ `far.py:9`" in text
    assert "Because of `app.py:2`" in text
    assert "@ the change as a whole" in text
    assert "@ `app.py:3` (at the base)" in text


def test_a_grave_finding_that_does_not_block_says_why() -> None:
    """A P0 or P1 among the suggestions has its reason."""
    grave = finding(severity=Severity.P1).but(not_blocking_because="its claim is not verified")
    assert "Does not block: its claim is not verified" in shown(report([grave]))


def test_strengths_have_their_places() -> None:
    """What the change does well is shown with its evidence, when there is any."""
    made = report()
    assert "Strengths" not in shown(made)
    text = shown(replace(made, strengths=(Strength("Errors are explicit.", (evidence(side=Side.HEAD),)),)))
    assert section(text, "Strengths").strip() == (
        "Strengths\n\n- Errors are explicit.\n  - `lib.py:7` definition: `cache = {}`"
    )


def test_no_secret_is_shown() -> None:
    """A credential on a quoted line, in evidence or on a line that a fix touches is masked."""
    text = f'key = "{KEY}"; import os\n'
    at = span(1, len(text) - 9, len(text))
    secret = finding(at=at, fixes=(fix("app.py", at, "import os", "pass"),))
    secret = secret.but(seen=replace(secret.seen, evidence=(evidence(quote=text.strip()),)))
    made = report([secret, finding(at=span(1, 1, 2), identity="rz-2")], texts={"app.py": text})
    shown_text = shown(replace(made, settings_changed=(f"app.py:1: ignore[x] {KEY}",), notices=(f"see {KEY}",)))
    assert KEY not in shown_text
    assert '+key = "********************"; pass' in shown_text


def test_many_findings_and_files_stay_readable() -> None:
    """Beyond a number findings get one line and files are counted, but none that was not checked."""
    findings = [finding(at=span(n, 1, 2), identity=f"rz-{n}") for n in range(1, DETAILED + 4)]
    texts = {f"f{n:04}.py": "x\n" for n in range(FILES + 5)}
    gap = Skip(path=RelPath(f"f{FILES + 4:04}.py"), kind=SkipKind.NOT_CHECKED, reason="odd")
    text = shown(report(findings, texts=texts, skipped=(gap,)))
    assert "3 more in one line each:" in text
    assert text.count("a default is shared") == DETAILED + 3
    assert "and 4 more files" in text
    assert f"f{FILES + 4:04}.py" in text


def test_hostile_text_does_nothing() -> None:
    """Wherever text of the repository stands it makes no markup: rendered, there is no link, image or HTML of it."""
    evil = "@all #1 !2 [x](http://y.z) ![i](j) <img src=x onerror=y> <!-- --> | a ` **b**\n\n/close\n# c\x1b[2J\u202e"
    evil += f"\n{MARK}`{MARK}`"
    seen = evidence(path=evil, quote=evil)
    bad = finding(evil, span(1, 1, 2), title=evil, why=evil, item=evil, fixes=(fix(evil, span(1, 1, 2), "x", evil),))
    bad = bad.but(seen=replace(bad.seen, evidence=(replace(seen, role=evil),)), state_text=evil)
    made = report(
        [bad, bad.but(state=State.DISMISSED, state_by=evil)],
        texts={evil: "x\n"},
        skipped=(Skip(path=RelPath(evil), kind=SkipKind.NOT_CHECKED, reason=evil),),
        notices=(evil,),
        doubts=(evil,),
    )
    head = replace(made.head, branch=evil)
    made = replace(made, head=head, settings_changed=(evil,), strengths=(Strength(evil, (seen,)),), summary=evil)
    text = shown(made)
    assert not {"\x1b", "\u202e"} & set(text)
    assert text.count(MARK) == 1
    assert not re.search(r"^\s*/close", text, flags=re.MULTILINE)
    tokens = [token for top in GFM.parse(text) for token in (top, *(top.children or ()))]
    assert not {token.type for token in tokens} & {"link_open", "image", "em_open", "s_open"}
    blocks = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert blocks == [MARK]
    assert not [token for token in tokens if token.type == "html_inline"]
    texts = [token.content for token in tokens if token.type == "text"]
    assert not [each for each in texts if re.search(r"@all|#1|!2|://", each)]


@example("__0__")
@example("_a_ __b__ c_d __e")
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_prose_reads_as_written(text: str) -> None:
    """Whatever the text, a reader sees it, spelled out where unsafe, and the only markup is code between backticks."""
    line = " ".join(text.split())
    tokens = [token for top in GFM.parse(f"x {prose(text)} x") for token in (top.children or ())]
    assert {token.type for token in tokens} <= {"text", "code_inline", "html_inline", "text_special"}
    assert {token.content for token in tokens if token.type == "html_inline"} <= {"<span>", "</span>"}
    read = "".join(token.content for token in tokens if token.type != "html_inline").replace(INVISIBLE, "")
    spaceless = re.sub(r"[\s`]", "", visible(line))
    assert re.sub(r"[\s`]", "", read) == f"x{spaceless}x"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_prose_may_start_a_line(text: str) -> None:
    """At the start of a line prose is a paragraph and nothing else, and no quick action of a forge."""
    assert {top.type for top in GFM.parse(prose(text))} <= {"paragraph_open", "inline", "paragraph_close"}
    assert not prose(text).startswith("/")


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("a `x|y` b", "a `x|y` b"),
        ("snake_case and _it_", "snake_case and \\_it\\_"),
        ("@user #12 !3 GH-4 a@b.c", "@&#8203;user #&#8203;12 !&#8203;3 GH-&#8203;4 a@&#8203;b.c"),
        ("http://a.b www.c.d", "http:&#8203;//a.b www&#8203;.c.d"),
        ("<b> & $x$ :tada:", "&lt;b&gt; &amp; <span>$</span>x<span>$</span> :&#8203;tada:"),
        ("/close", "\\/close"),
        ("1. one", "1\\. one"),
        ("two\n\nlines", "two lines"),
        ("``a`", "\\`\\`a\\`"),
    ],
)
def test_prose_is_stilled(text: str, marked: str) -> None:
    """What a forge would act on is escaped or cut in two by an invisible border."""
    assert prose(text) == marked


@pytest.mark.parametrize(
    ("text", "marked"),
    [("a", "`a`"), ("a`b", "``a`b``"), ("`", "`` ` ``"), (" a", "`  a `"), (" ", ""), ("a\nb", "`a b`")],
)
def test_code_is_fenced_by_more_than_it_holds(text: str, marked: str) -> None:
    """No text ends the code it stands in."""
    assert code(text) == marked


@pytest.mark.parametrize("text", [MARK, f"x = '{MARK}'", f"{MARK}\u200b", MARK.upper(), MARK.replace(" ", "")])
def test_code_never_holds_the_mark_of_a_report(text: str) -> None:
    """Who looks for the comment to replace finds a report, and no comment that only quotes such code."""
    for shown_as in (code(text), prose(f"`{text}`"), *block([text], "diff"), *block([f"+\t{text}"], "diff")):
        assert "<!--" not in shown_as


def test_a_bar_ends_no_cell() -> None:
    """Bars are escaped in cells, in code too."""
    assert cell(code("a|b") + prose("c|d")) == "`a\\|b`c\\|d"


def test_a_block_ends_where_it_should() -> None:
    """The fence is longer than any in the code; long lines and long blocks are cut and say so."""
    assert block(["````", "a\tb\x1b"], "diff", "  ") == ["  `````diff", "  ````", "  a\tb\\x1b", "  `````"]
    assert block(["x" * 500], "")[1] == "x" * 400 + "…"
    assert len(block(["x"] * 500, "")) == 83


def edit(start: tuple[int, int], end: tuple[int, int], old: str, new: str) -> Edit:
    """An edit of app.py."""
    return Edit(RelPath("app.py"), Span(Position(*start), Position(*end)), old, new)


@pytest.mark.parametrize(
    ("text", "edits", "lines"),
    [
        ("a\nb\nc\n", [edit((2, 1), (2, 2), "b", "B")], ["@@ -2 +2 @@", "-b", "+B"]),
        ("a\nb\n", [edit((2, 1), (2, 1), "", "x\n")], ["@@ -2 +2,2 @@", "+x", " b"]),
        ("a\nb\n", [edit((1, 1), (2, 1), "a\n", "")], ["@@ -1,2 +1 @@", "-a", " b"]),
        ("a", [edit((1, 2), (1, 2), "", "\n")], ["@@ -1 +1 @@", "-a", "\\ No newline at end of file", "+a"]),
        ("a\r\n", [edit((1, 1), (1, 2), "a", "b")], ["@@ -1 +1 @@", "-a", "+b"]),
        (
            "a\nb\nc\nd\ne\n",
            [edit((5, 1), (5, 2), "e", "E"), edit((1, 1), (1, 1), "", "0\n")],
            ["@@ -1 +1,2 @@", "+0", " a", "@@ -5 +6 @@", "-e", "+E"],
        ),
        ("a\n", [edit((1, 1), (1, 2), "z", "b")], ["@@ line 1 @@", "-z", "+b"]),
    ],
)
def test_a_fix_is_a_diff(text: str, edits: list[Edit], lines: list[str]) -> None:
    """Whole lines, hunks for what lies apart, common lines as context; edits that do not fit are shown bare."""
    made = Fix("t", True, tuple(edits))
    assert diff(made, RelPath("app.py"), lambda _path, _side: LineIndex(text)) == lines
    assert diff(made, RelPath("b.py"), lambda _path, _side: LineIndex(text))[:2] == ["--- a/app.py", "+++ b/app.py"]


def test_a_diff_of_an_unknown_text_is_bare() -> None:
    """Without the text only the replaced pieces are shown."""
    made = Fix("t", True, (edit((4, 1), (4, 2), "b", "B"),))
    assert diff(made, RelPath("app.py"), lambda _path, _side: None) == ["@@ line 4 @@", "-b", "+B"]


def test_chinese() -> None:
    """The words around the findings are Chinese when the report is, and names that programs read stay."""
    text = shown(report([finding(severity=Severity.P1, blocking=True)], language="zh"))
    assert "# Round Zero：`topic` 合入 `main`" in text
    assert "**BLOCKED** · 1 项阻止合入 · 仅检查" in text
    assert "## 阻止合入的问题 (1)" in text


def test_both_languages_have_the_same_places_to_fill() -> None:
    """A template takes the same names in both languages."""
    for each in fields(MarkdownWords):
        english, chinese = getattr(markdown_words("en"), each.name), getattr(markdown_words("zh"), each.name)
        for one, other in zip(*(_texts(text) for text in (english, chinese)), strict=True):
            assert one
            assert sorted(re.findall(r"\{\w+\}", one)) == sorted(re.findall(r"\{\w+\}", other)), each.name


def _texts(value: str | tuple[str, ...] | dict[str, str]) -> Iterable[str]:
    return [value] if isinstance(value, str) else value.values() if isinstance(value, dict) else value


def test_one_is_no_plural() -> None:
    """Files, lines, requests and tokens, in the head, the overview and the figures."""
    asked = ModelStats(name="m", hunks=1, covered=1, requests=1, cached=0, sent=1, received=0)
    made = report([finding()], texts={"app.py": "x\n"})
    coverage = replace(made.coverage, files=1, reviewed=1, added_lines=1)
    made = replace(made, coverage=coverage, stats=replace(made.stats, model=asked))
    for number, wanted in ((1, "- **Round** 1; 1 file\n"), (2, "- **Round** 2; 1 of 1 file changed since round 1;")):
        info = RoundInfo(index=number, previous=number - 1 or None, delta_files=1, full_files=1)
        text = shown(replace(made, round=info))
        assert wanted in text
        assert "Reviewed 1 of 1 file, 1 added line.\n" in text
        assert "of 1, 1 request, 1 token;" in text
        assert re.search(r"(?<![+-])\b1 (files|lines|added lines|requests|tokens)\b", text) is None
    texts = {f"f{n:04}.py": "x\n" for n in range(FILES + 1)}
    assert "- and 1 more file\n" in shown(report([], texts=texts))


def test_what_stands_at_the_end_is_chinese_too() -> None:
    """Notices of ours are reasons; what a program says stays."""
    made = replace(report([], language="zh"), notices=("fixed nothing", "ruff: it broke"))
    text = shown(made)
    assert "- 说明：未修复任何内容\n- 说明：ruff: it broke\n" in text


def test_equal_reports_give_equal_bytes() -> None:
    """The same report is the same text."""
    made: list[Finding] = [finding(), finding(identity="rz-2", state=State.FIXED)]
    assert shown(report(made)) == shown(report(made))
