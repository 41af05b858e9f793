"""A repository whose rules are few and known: the pack ``house``, of which a test names the items it needs."""

from __future__ import annotations

from typing import Final

_ITEMS: Final = {
    "mark": ("a mark", 'text: {regex: "MARK"}'),
    "none": ("a comparison with None", "ruff: [E711]"),
    "bare": ("a bare except", "ruff: [E722]"),
    "unused": ("an unused import", "ruff: [F401]"),
    "default": ("a shared default", "ruff: [B006]"),
    "eval": ("eval", "ast-grep: {language: python, rule: {pattern: eval($A)}}"),
}


def rules(**severities: str) -> dict[str, str | bytes]:
    """Files that make these items, each of a severity, the only ones: ``rules(mark="P2")``."""
    items = "".join(
        f"  - id: {name}\n    title: {{en: {_ITEMS[name][0]}}}\n    severity: {severity}\n"
        f"    why: {{en: It says so.}}\n    looks_at: added\n    check:\n      {_ITEMS[name][1]}\n"
        for name, severity in severities.items()
    )
    return {
        ".roundzero/checklists/house.yaml": f"pack: house\ntitle: {{en: House rules}}\nitems:\n{items}",
        ".roundzero.toml": 'packs = ["house"]\n',
    }
