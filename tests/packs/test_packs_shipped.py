"""What the shipped checklists hold."""

from __future__ import annotations

import re

import pytest

from roundzero.core.item import Item, Severity
from roundzero.packs.compiling import compile_pack
from roundzero.packs.loader import built_in_files, load

CHINESE = re.compile(r"[\u4e00-\u9fff]")
GRAVER = {
    "dependencies": {"P1": {"parallel-lists-drift", "hash-shape"}, "P2": {"hash-shared"}},
    "build-and-ci": {
        "P1": {
            "label-names-nothing",
            "workflow-text-injection",
            "workflow-overwrites-main",
            "workflow-awaits-nothing",
            "status-always-zero",
            "option-not-known",
        },
        "P2": {
            "step-skipped-on-failure",
            "check-no-longer-reported",
            "personal-account",
            "kill-on-shared-machine",
            "argument-shifts",
        },
    },
    "general": {
        "P0": {"secret-added", "conflict-marker"},
        "P1": {"deleted-file-still-named"},
        "P2": {"plain-http", "unrelated-changes", "missing-path"},
    },
    "linters": {
        "P1": {"workflow-injection", "workflow-environment-file"},
        "P2": {
            "shell-deletes-root", "shell-arguments-split", "shell-constant-test", "shell-number-as-text",
            "shell-redirection", "shell-lost-assignment", "shell-array-as-scalar", "shell-never-reached",
            "shell-quoted-tilde", "workflow-trigger", "workflow-credential", "workflow-bot-check",
        },
    },
    "tests": {"P2": {"assertion-without-effect", "mock-takes-anything"}},
    "cpp": {
        "P1": {
            "delete-mismatch", "owner-of-array", "pointer-outlives-text", "lock-let-go-at-once",
            "assignment-as-condition",
        },
        "P2": {
            "copy-without-bound", "size-of-this", "missing-virtual-destructor", "swallowed-exception", "thrown-pointer",
            "build-macro-fork", "expectation-behind-macro",
        },
    },
    "typescript": {
        "P1": {"compared-with-nan", "no-such-type", "assigned-constant"},
        "P2": {
            "code-from-text", "html-from-text", "swallowed-error", "async-executor", "async-for-each", "async-effect",
            "focused-test",
        },
    },
    "python": {
        "P0": set(),
        "P1": {
            "unresolved-import", "attribute-on-wrong-module", "class-attribute-only-on-self", "test-never-collected",
            "removed-symbol-still-used", "syntax-error",
        },
        "P2": {
            "patch-at-definition", "mutable-default", "bare-except", "swallowed-error", "shell-true",
            "raises-without-match", "assertless-test", "constructor-bypassed", "test-writes-sys-modules",
            "import-side-effect", "environment-dump", "required-key-relaxed", "guard-removed", "field-not-copied",
            "enum-switch-drift", "removed-literal-still-consumed", "deleted-test-subject-alive",
            "assert-on-tuple", "eval-of-text", "certificate-not-verified", "yaml-builds-objects",
        },
    },
}  # fmt: skip
"""The severities of what is checked, the catalogue's where it names the item; the rest is P3."""


@pytest.fixture(scope="module")
def items() -> tuple[Item, ...]:
    """All shipped items."""
    return load(repository=None, overrides={}, packs=None, cache_dir=None).items


def test_every_item_speaks_both_languages(items: tuple[Item, ...]) -> None:
    """Titles and reasons are there in English and in Chinese."""
    for item in items:
        for prose in (item.title, item.why):
            assert prose.en.isascii(), item.id
            assert CHINESE.search(prose.zh), item.id
            assert not prose.en.endswith(" "), item.id


def test_titles_are_short_and_unlike_each_other(items: tuple[Item, ...]) -> None:
    """A title fits one line of a problem list beside its subject; a reason is a sentence or two."""
    assert [item.id for item in items if len(item.title.en) > 60 or len(item.title.zh) > 30] == []
    assert [item.id for item in items if len(item.why.en) > 240] == []
    for language in ("en", "zh"):
        assert len({getattr(item.title, language) for item in items}) == len(items)


def test_checked_items_have_the_severities_of_the_catalogue(items: tuple[Item, ...]) -> None:
    """What is named there for P0 to P2 has it, everything else that is checked is P3."""
    for item in items:
        if not item.checks:
            continue
        pack, name = item.id.split("/")
        wanted = next((grade for grade, names in GRAVER[pack].items() if name in names), "P3")
        assert item.severity is Severity[wanted], item.id


def test_nothing_but_questions_is_left_to_a_model(items: tuple[Item, ...]) -> None:
    """An item without a check asks something, and each question is one."""
    for item in items:
        assert item.checks or item.ask, item.id
        assert item.ask is None or "?" in item.ask, item.id


def test_the_example_of_a_pack_is_no_part_of_what_is_loaded(items: tuple[Item, ...]) -> None:
    """It is there to be copied, beside the packs, and holds what it shows."""
    (example,) = (built_in_files()[0].parent / "examples").glob("*.yaml")
    assert example.stem not in {item.pack for item in items}
    pack = compile_pack(example.read_text(encoding="utf-8"), example.name)
    assert pack.problems == ()
    assert any(item.convention is not None for item in pack.items)
    assert {item.id for item in pack.items if not CHINESE.search(item.title.zh + item.why.zh)} == set()
