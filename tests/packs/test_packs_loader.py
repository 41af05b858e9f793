"""Packs and settings to items: what is found, what a fault costs, what settings change."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from roundzero.core.item import AstGrepCheck, Convention, ItemId, LinterCheck, LooksAt, RuffCheck, Severity, TextCheck
from roundzero.core.ruleset import Place
from roundzero.errors import OutsideError
from roundzero.packs.loader import REPOSITORY_FOLDER, built_in_files, load

if TYPE_CHECKING:
    from roundzero.core.ruleset import Ruleset

HEAD = "pack: mine\ntitle: {en: Mine, zh: 我的}\napplies: {languages: [python]}\nitems:\n"
BAD = "  - id: bad\n    title: t\n    severity: P1\n    why: w\n    "
GOOD = "  - {id: good, title: good one, severity: P1, why: {en: Because., zh: 因为。}, check: {ruff: [E722]}}\n"


def rules(
    folder: Path,
    *texts: str,
    overrides: dict[str, str] | None = None,
    packs: list[str] | None = None,
    cache_dir: Path | None = None,
) -> Ruleset:
    """Load the built-in packs and these texts as ``0.yaml``, ``1.yaml``, ... of a repository."""
    place = folder / REPOSITORY_FOLDER
    place.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts):
        (place / f"{number}.yaml").write_text(dedent(text), encoding="utf-8")
    return load(repository=folder, overrides=overrides or {}, packs=packs, cache_dir=cache_dir)


def complaints(ruleset: Ruleset) -> list[tuple[str, int, str]]:
    """The problems, with the file's bare name."""
    return [(problem.file.rsplit("/", 1)[-1], problem.line, problem.message) for problem in ruleset.problems]


def test_the_shipped_packs_load_without_a_problem() -> None:
    """The built-in packs are sound, general first, and have the items the catalogue names."""
    ruleset = load(repository=None, overrides={}, packs=None, cache_dir=None)
    assert ruleset.problems == ()
    assert ruleset.items[0].pack == "general"
    assert ruleset.by_id[ItemId("python/mutable-default")].severity is Severity.P2
    assert ruleset.by_id[ItemId("general/secret-added")].severity is Severity.P0


def test_an_item_is_what_its_file_says(tmp_path: Path) -> None:
    """Every field of an item arrives, and the pack's applies are the item's where it has none of its own."""
    ruleset = rules(
        tmp_path,
        HEAD
        + """\
  - id: whole
    aliases: [python/was-here]
    section: Z
    title: {en: whole thing, zh: 整体}
    severity: P0
    default: off
    why: {en: Because., zh: 因为。}
    looks_at: hunk
    applies: {paths: ["**/*.py"], not: ["tests/**"]}
    check:
      - text: {regex: 'TODO\\((?P<mark>\\w+)\\)', unless: 'ok'}
      - ast-grep: {rule: {pattern: "f($$$)"}, fix: g()}
    ask: Is it?
""",
    )
    item = ruleset.by_id[ItemId("python/was-here")]
    assert item.id == "mine/whole"
    assert (item.section, item.enabled, item.looks_at, item.severity, item.ask, item.line) == (
        "Z", False, LooksAt.HUNK, Severity.P0, "Is it?", 5,
    )  # fmt: skip
    assert (item.title.text("zh"), item.title.text("en"), item.origin_file) == (
        "整体",
        "whole thing",
        f"{REPOSITORY_FOLDER}/0.yaml",
    )
    assert (item.applies.languages, item.applies.paths, item.applies.exclude) == (
        ("python",),
        ("**/*.py",),
        ("tests/**",),
    )
    assert item.checks == (
        TextCheck(r"TODO\((?P<mark>\w+)\)", "ok"),
        AstGrepCheck('{"fix": "g()", "language": "python", "rule": {"pattern": "f($$$)"}}'),
    )


def test_chinese_falls_back_to_english(tmp_path: Path) -> None:
    """A title in one language is that title in both."""
    item = rules(tmp_path, HEAD + GOOD).by_id[ItemId("mine/good")]
    assert (item.title.text("zh"), item.why.text("zh")) == ("good one", "因为。")
    assert item.checks == (RuffCheck(("E722",)),)


@pytest.mark.parametrize(
    ("broken", "line", "words"),
    [
        ("  - {id: bad, title: t, severity: P9, why: w, ask: q}\n", 5, "severity"),
        (BAD + "ask: q\n    colour: red\n", 10, 'unknown key "colour"'),
        ("  - id: bad\n    severity: P1\n    why: w\n    ask: q\n", 5, '"title" is missing'),
        ("  - {id: bad, title: t, severity: P1, why: w}\n", 5, 'a "check" or'),
        ("  - {id: Bad Name, title: t, severity: P1, why: w, ask: q}\n", 5, '"id"'),
        (BAD + "check:\n      ruff: [E722]\n      checker: x\n", 9, "exactly one"),
        (BAD + "check:\n      ruff: [e722]\n", 10, "pattern"),
        (BAD + "check:\n      text: {regex: 'a(?=b)'}\n", 10, "RE2"),
        (BAD + "check:\n      text: {regex: x, unless: '('}\n", 10, "RE2"),
        (BAD + "check:\n      ast-grep: {language: sql, rule: {kind: x}}\n", 10, '"sql"'),
        (BAD + "check:\n      checker: no-such\n", 5, '"no-such"'),
        ("  - 7\n", 5, "dictionary"),
    ],
)  # fmt: skip
def test_a_fault_in_an_item_costs_that_item_and_names_its_line(
    tmp_path: Path, broken: str, line: int, words: str
) -> None:
    """The other items of the pack stay, and the problem stands where the fault does."""
    ruleset = rules(tmp_path, HEAD + broken + GOOD)
    assert [(file, at, words in message) for file, at, message in complaints(ruleset)] == [("0.yaml", line, True)]
    assert ItemId("mine/good") in ruleset.by_id
    bad = ruleset.by_id.get(ItemId("mine/bad"))
    assert bad is None or not bad.enabled


def test_a_fault_in_the_head_costs_the_pack_only(tmp_path: Path) -> None:
    """An unreadable pack, one without a name and one whose name is taken are left out; others are not."""
    ruleset = rules(
        tmp_path,
        "pack: x\ntitle: [\n",
        "title: t\nitems: []\n",
        "pack: python\ntitle: t\nitems: []\n",
        "- 1\n",
        "pack: y\ntitle: t\nitems: 7\n",
        HEAD + GOOD,
    )
    assert [(file, line) for file, line, _ in complaints(ruleset)] == [
        ("0.yaml", 3), ("1.yaml", 1), ("3.yaml", 1), ("4.yaml", 3), ("2.yaml", 1),
    ]  # fmt: skip
    assert ItemId("mine/good") in ruleset.by_id


def test_the_first_of_two_items_with_one_name_counts(tmp_path: Path) -> None:
    """A name given twice is a problem at the second place."""
    ruleset = rules(tmp_path, HEAD + GOOD + GOOD.replace("P1", "P3"))
    assert ruleset.by_id[ItemId("mine/good")].severity is Severity.P1
    assert [line for _, line, _ in complaints(ruleset)] == [6]


def test_a_former_name_cannot_take_over_another_item(tmp_path: Path) -> None:
    """An alias that is an item's own name is a problem and leads to that item."""
    text = HEAD + GOOD.replace("id: good", "id: good, aliases: [python/bare-except, old/one]")
    ruleset = rules(tmp_path, text)
    assert ruleset.by_id[ItemId("python/bare-except")].id == "python/bare-except"
    assert ruleset.by_id[ItemId("old/one")].id == "mine/good"
    assert "python/bare-except" in complaints(ruleset)[0][2]


def test_an_exploding_expression_is_harmless(tmp_path: Path) -> None:
    """The classic (a+)+$ is accepted, because the engine that runs it is linear."""
    text = HEAD + "  - {id: aaa, title: t, severity: P3, why: w, check: {text: {regex: '(a+)+$'}}}\n"
    ruleset = rules(tmp_path, text)
    assert ruleset.problems == ()
    assert ruleset.by_id[ItemId("mine/aaa")].checks == (TextCheck("(a+)+$"),)


def test_a_repository_pack_may_use_a_built_in_checker(tmp_path: Path) -> None:
    """Naming what is there is allowed; it adds no code."""
    text = HEAD + "  - {id: ours, title: t, severity: P3, why: w, check: {checker: assertless-test}}\n"
    assert rules(tmp_path, text).problems == ()


def test_settings_switch_items_and_change_severities(tmp_path: Path) -> None:
    """By full name, former name, or a name that only one pack has; the rest of the item stays."""
    text = HEAD + GOOD.replace("id: good", "id: good, aliases: [old/good]")
    ruleset = rules(tmp_path, text, overrides={"python/bare-except": "off", "old/good": "P3", "mutable-default": "P0"})
    assert ruleset.problems == ()
    assert not ruleset.by_id[ItemId("python/bare-except")].enabled
    assert ruleset.by_id[ItemId("mine/good")].severity is Severity.P3
    assert ruleset.by_id[ItemId("python/mutable-default")].severity is Severity.P0
    assert ruleset.by_id[ItemId("python/mutable-default")].severity_set
    assert ItemId("python/bare-except") not in {item.id for item in ruleset.checked}


def test_settings_that_name_nothing_are_problems(tmp_path: Path) -> None:
    """A misspelt item, value or pack is reported, with the nearest name, and ignored."""
    ruleset = rules(
        tmp_path, overrides={"python/bare-exept": "off", "python/bare-except": "loud"}, packs=["pyton", "general"]
    )
    words = [message for _, _, message in complaints(ruleset)]
    assert len(words) == 3
    assert 'did you mean "python"' in words[0]
    assert 'did you mean "python/bare-except"' in words[1]
    assert '"loud"' in words[2]


def test_settings_that_name_nothing_are_problems_where_they_stand() -> None:
    """File and line are those of the setting."""
    places = {("items", "python/no-such"): Place(".roundzero.toml", 4), ("packs", "pyton"): Place("editor settings")}
    ruleset = load(repository=None, overrides={"python/no-such": "off"}, packs=["pyton"], cache_dir=None, places=places)
    assert [(each.file, each.line, each.lost) for each in ruleset.problems] == [
        ("editor settings", 0, False),
        (".roundzero.toml", 4, False),
    ]


def test_a_severity_switches_on_what_is_off(tmp_path: Path) -> None:
    """An item that is off by default is used by giving it a severity, unless its pack is not in force."""
    text = HEAD + GOOD.replace("id: good", "id: good, default: off")
    good = ItemId("mine/good")
    assert not rules(tmp_path, text).by_id[good].enabled
    assert rules(tmp_path, text, overrides={"mine/good": "P2"}).by_id[good].enabled
    assert not rules(tmp_path, text, overrides={"mine/good": "P2"}, packs=["python"]).by_id[good].enabled


def test_an_item_may_be_a_convention(tmp_path: Path) -> None:
    """Its cases are compiled like a check, and the compiled cache says the same."""
    cases = "{rule: {kind: except_clause}, language: python}"
    text = HEAD + BAD + f"check: {{ruff: [E722]}}\n    convention: {{at_least: 0.9, min: 7, cases: {cases}}}\n" + GOOD
    for _ in range(2):
        ruleset = rules(tmp_path, text, cache_dir=tmp_path / "cache")
        assert ruleset.problems == ()
        found = ruleset.by_id[ItemId("mine/bad")].convention
        case = AstGrepCheck('{"language": "python", "rule": {"kind": "except_clause"}}')
        assert found == Convention(at_least=0.9, cases=(case,), min=7)


def test_only_a_check_that_can_be_counted_makes_a_convention(tmp_path: Path) -> None:
    """What breaks it is found by ruff or ast-grep; anything else costs the item, with the line."""
    text = (
        HEAD + BAD + "check: {text: {regex: x}}\n    convention: {at_least: 0.9, cases: {rule: {kind: call}}}\n" + GOOD
    )
    (problem,) = rules(tmp_path, text).problems
    assert (problem.line, problem.lost) == (10, True)
    assert problem.message == 'what breaks a convention is found by "ruff" or "ast-grep"'


def test_an_item_may_be_for_an_optional_linter(tmp_path: Path) -> None:
    """By name and codes; the compiled cache says the same."""
    text = HEAD + BAD + "check: {linter: {name: shellcheck, codes: [SC2115]}}\n" + GOOD
    for _ in range(2):
        found = rules(tmp_path, text, cache_dir=tmp_path / "cache").by_id[ItemId("mine/bad")]
        assert found.checks == (LinterCheck("shellcheck", ("SC2115",)),)
        assert (found.needs_linter, found.linters) == (True, frozenset({"shellcheck"}))


def test_what_no_linter_here_can_check_is_off(tmp_path: Path) -> None:
    """An item is on where one of its checks can be made."""
    both = "check: [{linter: {name: zizmor}}, {ruff: [E722]}]\n"
    ruleset = rules(tmp_path, HEAD + BAD + both + GOOD)
    assert ruleset.able(()).by_id[ItemId("mine/bad")].enabled
    ruleset = rules(tmp_path, HEAD + BAD + "check: {linter: {name: zizmor}}\n" + GOOD)
    assert not ruleset.able(("shellcheck",)).by_id[ItemId("mine/bad")].enabled
    assert ruleset.able(("zizmor",)).by_id[ItemId("mine/bad")].enabled


def test_a_lost_item_is_still_lost_when_the_pack_comes_from_the_cache(tmp_path: Path) -> None:
    """Reading the compiled pack gives the very problems that compiling it gave."""
    text = HEAD + BAD + "check: {ruff: [e722]}\n" + GOOD
    compiled = rules(tmp_path, text, cache_dir=tmp_path / "cache").problems
    assert [each.lost for each in compiled] == [True]
    assert rules(tmp_path, text, cache_dir=tmp_path / "cache").problems == compiled


def test_nothing_but_misspelt_packs_switches_nothing_off() -> None:
    """A typo must not make the review greener; no packs at all is a choice."""
    misspelt = load(repository=None, overrides={}, packs=["pyhton"], cache_dir=None)
    assert misspelt.checked == load(repository=None, overrides={}, packs=None, cache_dir=None).checked
    assert [problem.message for problem in misspelt.problems] == ['there is no pack "pyhton"; did you mean "python"?']
    assert load(repository=None, overrides={}, packs=[], cache_dir=None).checked == ()


def test_only_chosen_packs_are_in_force() -> None:
    """Items of other packs are known, and off."""
    ruleset = load(repository=None, overrides={}, packs=["general"], cache_dir=None)
    assert {item.pack for item in ruleset.checked} == {"general"}
    assert not ruleset.by_id[ItemId("python/bare-except")].enabled


def test_the_digest_changes_with_whatever_can_change_a_result(tmp_path: Path) -> None:
    """Settings, packs and their texts each give another digest; loading again gives the same."""
    plain = rules(tmp_path)
    seen = {plain.digest}
    seen.add(rules(tmp_path, overrides={"python/bare-except": "off"}).digest)
    seen.add(rules(tmp_path, packs=["python"]).digest)
    assert rules(tmp_path).digest == plain.digest
    seen.add(rules(tmp_path, HEAD + GOOD).digest)
    seen.add(rules(tmp_path, HEAD + GOOD + "# remark\n").digest)
    assert len(seen) == 5


def test_links_folders_and_giants_are_not_read(tmp_path: Path) -> None:
    """A link could lead out of the repository; each refusal is a problem of that file only."""
    secret = tmp_path / "secret"
    secret.write_text("password")
    place = tmp_path / "repo" / REPOSITORY_FOLDER
    place.mkdir(parents=True)
    (place / "link.yaml").symlink_to(secret)
    (place / "folder.yaml").mkdir()
    (place / "latin.yaml").write_bytes(b"pack: \xff")
    (place / "giant.yaml").write_bytes(b"#" * 1_000_001)
    os.mkfifo(place / "pipe.yaml")
    ruleset = rules(tmp_path / "repo", HEAD + GOOD)
    assert [file for file, _, _ in complaints(ruleset)] == [
        "folder.yaml", "giant.yaml", "latin.yaml", "link.yaml", "pipe.yaml",
    ]  # fmt: skip
    assert ItemId("mine/good") in ruleset.by_id


def test_a_folder_that_leads_out_of_the_repository_is_not_read(tmp_path: Path) -> None:
    """The whole folder may be a link as well."""
    rules(tmp_path / "other", HEAD + GOOD)
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / ".roundzero").symlink_to(tmp_path / "other" / ".roundzero")
    ruleset = load(repository=tmp_path / "repo", overrides={}, packs=None, cache_dir=None)
    assert ItemId("mine/good") not in ruleset.by_id


def test_the_checklists_are_found_in_a_wheel_and_in_the_source_tree(tmp_path: Path) -> None:
    """Beside the code or two folders up, general first; nowhere is the installation's fault."""
    wheel = tmp_path / "wheel" / "roundzero"
    tree = tmp_path / "tree" / "server" / "roundzero"
    for folder in (wheel / "checklists", tmp_path / "tree" / "checklists"):
        folder.mkdir(parents=True)
        for name in ("a.yaml", "general.yaml", "notes.txt"):
            (folder / name).touch()
    assert [path.name for path in built_in_files(wheel)] == ["general.yaml", "a.yaml"]
    assert [path.name for path in built_in_files(tree)] == ["general.yaml", "a.yaml"]
    with pytest.raises(OutsideError):
        built_in_files(tmp_path / "nowhere" / "server" / "roundzero")


def test_a_cached_start_imports_neither_yaml_nor_pydantic(tmp_path: Path) -> None:
    """What was compiled once is loaded without the libraries that compiling needs."""
    program = dedent(
        """
        import sys
        from pathlib import Path
        from roundzero.packs.loader import load
        load(repository=None, overrides={}, packs=None, cache_dir=Path(sys.argv[1]))
        print(sorted({"yaml", "pydantic", "re2"} & {*sys.modules}))
        """
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    outputs = [subprocess.run(command, check=True, capture_output=True, text=True).stdout for _ in range(2)]
    assert "yaml" in outputs[0]
    assert outputs[1] == "[]\n"
