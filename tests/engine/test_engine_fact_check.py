"""The claims of a change's findings, checked in a real repository by probes and by a scripted model."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from roundzero.core.anatomy import Anatomy, Claim, ClaimVerdict, Votes
from roundzero.core.change import Side
from roundzero.core.claims import texts_of
from roundzero.core.drafting import Texts
from roundzero.core.finding import Evidence, Observation
from roundzero.core.gate import GatePolicy
from roundzero.core.item import ItemId, Severity
from roundzero.core.model_part import Confirmations, FactChecks
from roundzero.core.model_values import Ask, Outcome, Reply, Usage
from roundzero.core.text import RelPath
from roundzero.engine.asking import Asking
from roundzero.engine.confirming import Confirmed, confirm
from roundzero.engine.fact_check import Checked, fact_check, probed
from roundzero.engine.quick_review import Inquiry
from roundzero.engine.repository import Snapshot
from roundzero.engine.toolbox import Toolbox
from roundzero.git.repository import CollectRules, Git
from support.inquiry import RULES, post_of
from support.loop import run
from support.repo import Repo

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

APP = RelPath("app.py")
BASE = "from parser import parse_header\n\n\ndef show(text):\n    return parse_header(text)\n"
HEAD = "from parser import parse_header\n\n\ndef show(text):\n    return parse_header(text.strip())\n"
CALL = "return parse_header(text.strip())"
QUOTED = {"path": "app.py", "side": "head", "line": 5, "quote": CALL, "role": "calls it"}
HOLDS = {"answer": "holds", "reason": "it calls", "evidence": [QUOTED]}
FALLS = {"answer": "does-not-hold", "reason": "text is never None", "evidence": [QUOTED]}
VERIFIED = {"claims": [{"claim": 0, "verdict": "verified", "reason": "it calls", "evidence": [QUOTED]}]}
UNQUOTED = {"claims": [{"claim": 0, "verdict": "verified", "reason": "surely", "evidence": []}]}


class Model:
    """Answers by form: what it is given for it, or how the request ends."""

    name = "model"

    def __init__(self, answers: dict[str, object]) -> None:
        """``answers`` by the name of the form; an Outcome is how it ends."""
        self.answers = answers
        self.asks: list[Ask] = []

    async def complete(self, ask: Ask) -> Reply:
        """Answer."""
        self.asks.append(ask)
        said = self.answers[ask.form]
        if isinstance(said, Outcome):
            return Reply(outcome=said, message="no host")
        texts = said if isinstance(said, list) else [said]
        number = sum(each.form == ask.form for each in self.asks) - 1
        return Reply(outcome=Outcome.OK, text=json.dumps(texts[min(number, len(texts) - 1)]), usage=Usage(1, 1))


def found(text: str, *, given: int = 5, severity: Severity = Severity.P1, confirmed: bool | None = None) -> Observation:
    """A finding on the changed call that stands or falls with a claim."""
    return Observation(
        item=ItemId("general/other-defect"),
        producer="m",
        producer_version="1",
        source="model",
        severity=severity,
        title="the call fails",
        why="w",
        path=APP,
        side=Side.HEAD,
        span=None,
        symbol="show",
        anchor_text=CALL,
        evidence=(Evidence(path=APP, side=Side.HEAD, line=5, quote=CALL, role="calls it", blob="h"),),
        anatomy=Anatomy(claims=(Claim(text=text, decisive=True),), votes=Votes(given, 5), confirmed=confirmed),
    )


class Case:
    """A repository with a change of one call, and a model."""

    def __init__(self, tmp_path: Path, answers: dict[str, object] | None = None, *, has: bool = True) -> None:
        """``has``: the called function exists."""
        self.repo = Repo(tmp_path / "repo")
        self.repo.write("app.py", BASE)
        self.repo.write("parser.py", "def parse_header(text):\n    return text\n" if has else "x = 1\n")
        self.repo.stage()
        self.repo.git("commit", "--quiet", "--message", "base")
        self.repo.write("app.py", HEAD)
        self.model = Model(answers or {})
        self.post = post_of(tmp_path, self.model)
        self.current: frozenset[str] = frozenset()

    def check(
        self,
        seen: Sequence[Observation],
        *,
        look: bool = False,
        wanted: Callable[[Observation], bool] | None = None,
        until: float | None = None,
    ) -> tuple[Checked, Confirmed | None, tuple[Observation, ...]]:
        """Probe, take second looks if asked for, then ask the model; what each step gave."""

        async def all_of_it() -> tuple[Checked, Confirmed | None, tuple[Observation, ...]]:
            git = await Git.open(self.repo.root)
            try:
                change = await git.collect(await git.choose_base(explicit="main", environ={}))
                self.current = texts_of(change)
                snapshot = Snapshot(git, change, CollectRules())
                inquiry = Inquiry(
                    change=change, ruleset=RULES, model="m", language="en", max_lines=150, covers=lambda _: True
                )
                asking, texts, policy = Asking(self.post), Texts.of(change), GatePolicy()
                after = await probed(seen, snapshot)
                seconds = None
                if look:
                    seconds = await confirm(after, inquiry, texts, asking, policy, wanted=wanted, until=until)
                async with Toolbox(snapshot) as toolbox:
                    checked = await fact_check(
                        seconds.observations if seconds is not None else after,
                        inquiry,
                        texts,
                        asking,
                        policy,
                        toolbox=toolbox,
                        until=until,
                    )
                return checked, seconds, after
            finally:
                await git.close()

        return run(all_of_it(), seconds=60)


def only(checked: Checked) -> tuple[Severity, Claim]:
    """The one finding's severity and claim."""
    (seen,) = checked.observations
    assert seen.anatomy is not None
    return seen.severity, seen.anatomy.claims[0]


def test_five_votes_for_what_is_not_so_ask_nobody(tmp_path: Path) -> None:
    """A probe refutes it, bound to texts of now; the model is not asked."""
    case = Case(tmp_path)
    checked, _, _ = case.check([found("`parse_header` does not exist")])
    severity, claim = only(checked)
    assert (severity, claim.verdict, claim.probe) == (
        Severity.P1,
        ClaimVerdict.REFUTED,
        "parser.py:1 defines parse_header",
    )
    assert set(claim.blobs) <= case.current
    assert checked.stats == FactChecks(checked=1, refuted=1)
    assert case.model.asks == []


def test_what_a_probe_verifies_needs_no_model(tmp_path: Path) -> None:
    """It stays as grave as it was."""
    case = Case(tmp_path, has=False)
    checked, _, _ = case.check([found("`parse_header` does not exist")])
    severity, claim = only(checked)
    assert (severity, claim.verdict) == (Severity.P1, ClaimVerdict.VERIFIED)
    assert set(claim.blobs) <= case.current
    assert checked.stats == FactChecks(checked=1, hold=1)


def test_a_model_settles_the_rest_where_it_quotes(tmp_path: Path) -> None:
    """After it looked around if it likes; what it used is counted."""
    calls = {"calls": [{"name": "grep", "arguments": {"word": "parse_header"}}]}
    case = Case(tmp_path, {"fact-check": [calls, VERIFIED]})
    checked, _, _ = case.check([found("nothing checks text for None")])
    severity, claim = only(checked)
    assert (severity, claim.verdict, claim.probe) == (Severity.P1, ClaimVerdict.VERIFIED, "read by the model: app.py:5")
    assert set(claim.blobs) <= case.current
    assert checked.used.calls == 1
    assert checked.stats == FactChecks(checked=1, hold=1)


def test_a_decisive_claim_nobody_could_verify_is_p2(tmp_path: Path) -> None:
    """A verdict without a quote is none; five votes help nothing."""
    case = Case(tmp_path, {"fact-check": UNQUOTED})
    checked, _, _ = case.check([found("nothing checks text for None")])
    severity, claim = only(checked)
    assert (severity, claim.verdict) == (Severity.P2, ClaimVerdict.UNVERIFIABLE)
    (seen,) = checked.observations
    assert seen.anatomy is not None
    assert seen.anatomy.severity_reason == "P2 and not P1, because its decisive claim could not be verified"
    assert checked.stats == FactChecks(checked=1, unverifiable=1)


def test_what_could_not_be_asked_is_a_gap_and_no_milder(tmp_path: Path) -> None:
    """The host is away: the finding waits, and the reason is told."""
    case = Case(tmp_path, {"fact-check": Outcome.REFUSED})
    checked, _, _ = case.check([found("nothing checks text for None")])
    severity, claim = only(checked)
    assert (severity, claim.probe) == (Severity.P1, None)
    assert checked.gaps == ("1 finding of a model was not fact-checked: refused (no host)",)


def test_a_reply_nobody_can_read_is_asked_for_again_and_counted(tmp_path: Path) -> None:
    """Once more, and then it is unparsable."""
    case = Case(tmp_path, {"fact-check": {"no": "form"}})
    checked, _, _ = case.check([found("nothing checks text for None")])
    assert checked.stats.unparsable == 1
    assert len(case.model.asks) == 2
    assert only(checked)[0] is Severity.P1


def test_only_what_may_block_is_asked_about(tmp_path: Path) -> None:
    """Not what is mild, nor what too few drafts raised and nothing confirmed."""
    case = Case(tmp_path)
    rows = [
        found("nothing checks text", severity=Severity.P2),
        found("nothing checks text", given=2),
        found("nothing checks text", given=5, confirmed=False),
    ]
    checked, _, _ = case.check(rows)
    assert case.model.asks == []
    assert checked.gaps == ()


def test_a_second_look_is_taken_at_grave_findings_of_few_drafts(tmp_path: Path) -> None:
    """It holds, and its claim is verified after that; what has support, is mild or refuted is not looked at."""
    case = Case(tmp_path, {"confirmation": HOLDS, "fact-check": VERIFIED})
    rows = [
        found("nothing checks text for None", given=2),
        found("nothing checks text for None", given=2, severity=Severity.P2),
        found("`parse_header` does not exist", given=1),
    ]
    checked, seconds, _ = case.check(rows, look=True)
    assert seconds is not None
    assert seconds.stats == Confirmations(asked=1, held=1)
    first = checked.observations[0]
    assert first.anatomy is not None
    assert (first.severity, first.anatomy.confirmed) == (Severity.P1, True)
    assert first.anatomy.claims[0].verdict is ClaimVerdict.VERIFIED
    assert [ask.form for ask in case.model.asks] == ["confirmation", "fact-check"]


def test_what_does_not_hold_is_milder_and_kept(tmp_path: Path) -> None:
    """With the reason; its claims are not asked about."""
    case = Case(tmp_path, {"confirmation": FALLS})
    checked, seconds, _ = case.check([found("nothing checks text for None", given=2)], look=True)
    assert seconds is not None
    assert seconds.stats == Confirmations(asked=1, fell=1)
    (seen,) = checked.observations
    assert seen.severity is Severity.P2
    assert seen.anatomy is not None
    assert (seen.anatomy.severity_reason or "").endswith("it does not hold: text is never None")


def test_a_second_look_that_failed_leaves_the_finding_waiting(tmp_path: Path) -> None:
    """Nothing is known, and the reason is told."""
    case = Case(tmp_path, {"confirmation": Outcome.REFUSED})
    checked, seconds, _ = case.check([found("nothing checks text for None", given=2)], look=True)
    assert seconds is not None
    assert seconds.gaps == ("1 finding of a model was not looked at again: refused (no host)",)
    (seen,) = checked.observations
    assert seen.anatomy is not None
    assert (seen.severity, seen.anatomy.confirmed) == (Severity.P1, None)


def test_what_there_is_no_time_for_is_a_gap_and_the_rest_stands(tmp_path: Path) -> None:
    """What probes found out is kept."""
    case = Case(tmp_path)
    rows = [
        found("`parse_header` does not exist"),
        found("nothing checks text for None", given=2),
        found("nothing checks text for None"),
    ]
    checked, seconds, _ = case.check(rows, look=True, until=0.0)
    assert seconds is not None
    assert seconds.gaps == ("1 finding of a model was not looked at again: not answered in time",)
    assert checked.gaps == ("1 finding of a model was not fact-checked: not answered in time",)
    assert [each.severity for each in checked.observations] == [Severity.P1] * 3
    first = checked.observations[0].anatomy
    assert first is not None
    assert first.claims[0].verdict is ClaimVerdict.REFUTED


def test_one_finding_may_be_looked_at_by_name(tmp_path: Path) -> None:
    """Whatever its votes are."""
    case = Case(tmp_path, {"confirmation": FALLS, "fact-check": VERIFIED})
    rows = [found("nothing checks text for None"), replace(found("nothing checks it"), title="other")]
    _, seconds, _ = case.check(rows, look=True, wanted=lambda each: each.title == "other")
    assert seconds is not None
    assert [each.anatomy.confirmed for each in seconds.observations if each.anatomy] == [None, False]


def test_no_secret_leaves_in_a_question(tmp_path: Path) -> None:
    """Neither in a second look nor in a fact check."""
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
    case = Case(tmp_path, {"confirmation": HOLDS, "fact-check": VERIFIED})
    case.repo.write("app.py", HEAD.replace("def show(text):\n", f'def show(text):\n    key = "{token}"\n'))
    case.check([found(f"nothing checks {token}", given=2)], look=True)
    said = json.dumps([[turn.text for turn in ask.question.turns] for ask in case.model.asks])
    assert len(case.model.asks) == 2
    assert token not in said
