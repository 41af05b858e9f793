"""What is shown holds no secret of the reviewed texts."""

from __future__ import annotations

from dataclasses import replace

from roundzero.core.change import Side, Source
from roundzero.core.finding import Evidence
from roundzero.core.text import RelPath
from roundzero.render.redaction import Redactor
from support.report import finding, fix, report, span

VALUE = "Xk3!9fQz#21p"
KEY = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6"
TEXT = (
    f'password = "{VALUE}"\nlogin("{VALUE}")\n'
    f"key = '''-----BEGIN PRIVATE KEY-----\n{KEY}\n{KEY[::-1]}\n-----END PRIVATE KEY-----'''\n"
)


def test_a_value_is_hidden_wherever_it_stands_again() -> None:
    """The name makes it a secret once; the value is replaced everywhere, a key line by line."""
    shown = Redactor([Source(RelPath("app.py"), TEXT, "0" * 40)])
    assert shown.text(f"login({VALUE})") == "login([redacted])"
    assert shown.text(f"  {KEY[::-1]}") == "  [redacted]"
    assert shown.text("nothing here") == "nothing here"


def test_lines_keep_their_columns() -> None:
    """Every character of a secret is an asterisk, so that carets stand where they did."""
    source = Source(RelPath("app.py"), TEXT, "0" * 40)
    lines = Redactor([source]).lines(source)
    assert lines.line(2) == f'login("{"*" * len(VALUE)}")'
    assert [len(lines.line(number)) for number in range(1, 7)] == [len(source.index.line(n)) for n in range(1, 7)]
    assert KEY not in lines.text


def test_a_finding_is_shown_without_it() -> None:
    """Title, why, evidence and reason are redacted; a fix that would show it is left out, others stay."""
    proof = Evidence(
        path=RelPath("app.py"), side=Side.HEAD, line=2, quote=f"f('{VALUE}')", role=f"a {VALUE}", blob="1" * 40
    )
    given = finding(
        at=span(2, 1, 6),
        title=f"not {VALUE}",
        fixes=(fix("app.py", span(2, 7, 21), f'"{VALUE}"', "None"), fix("app.py", span(2, 1, 6), "login", "enter")),
    )
    given = given.but(seen=replace(given.seen, evidence=(proof,)), state_text=f"because {VALUE}")
    shown = Redactor.of(report([given], texts={"app.py": TEXT})).finding(given)
    assert (shown.seen.title, shown.state_text) == ("not [redacted]", "because [redacted]")
    assert [(each.quote, each.role) for each in shown.seen.evidence] == [("f('[redacted]')", "a [redacted]")]
    assert [each.title for each in shown.seen.fixes] == ["Write enter"]
