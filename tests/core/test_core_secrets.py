"""Secrets are found by shape or by name and randomness, placeholders are not, and values never come out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.secrets import find_secrets, redact
from support.growth import is_linear

# Put together here so that no scanner takes this file for a leak.
ALNUM = "q7Zk2Lw9XvB4nT8sR1mY6cD3fG5hJ0pA" + "eU8iK2oN"
BODY = "MIIEpAIBAAKCAQEAx3" + "Zk2Lw9XvB4nT8sR1mY6cD3fG5hJ0pAeU8iK2oNq7"
REAL = [
    ("AWS access key", "AKIA" + "Q3EGRZ7XWLP2MTKD"),
    ("GitHub token", "ghp_" + ALNUM[:36]),
    ("GitHub token", "github_pat_" + ALNUM[:22] + "_" + (ALNUM * 2)[:59]),
    ("GitLab token", "glpat-" + ALNUM[:20]),
    ("Slack token", "xoxb-" + "2841930756-" + ALNUM[:24]),
    ("Stripe key", "sk_live_" + ALNUM[:24]),
    ("Google API key", "AIza" + ALNUM[:35]),
    ("Anthropic key", "sk-ant-api03-" + (ALNUM * 2)[:60]),
    ("OpenAI key", "sk-proj-" + ALNUM),
    ("npm token", "npm_" + ALNUM[:36]),
    ("PyPI token", "pypi-Ag" + (ALNUM * 2)[:70]),
    ("JSON web token", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + ALNUM[:36]),
    ("password in a URL", "https://bob:" + ALNUM[:12] + "@db.acme.io/x"),
    ("password", 'password = "' + ALNUM[:9] + '!z"'),
    ("API key", "API_KEY: '" + ALNUM[:32] + "'"),
    ("secret", "CLIENT_SECRET=" + ALNUM),
    ("authorization", "curl -H 'Authorization: Bearer " + ALNUM + "' https://api.acme.io/"),
    ("authorization", "headers = {'Authorization': 'Basic " + ALNUM[:24] + "=='}"),
    ("private key", "-----BEGIN RSA PRIVATE " + "KEY-----\n" + BODY + "\n-----END RSA PRIVATE " + "KEY-----"),
    ("private key", '"-----BEGIN PRIVATE ' + "KEY-----\\n" + BODY + "\\n-----END PRIVATE " + 'KEY-----"'),
]


@pytest.mark.parametrize(("label", "text"), REAL, ids=[f"{label}-{at}" for at, (label, _) in enumerate(REAL)])
def test_a_real_one_is_found_and_can_be_redacted(label: str, text: str) -> None:
    """One secret, named by kind, whose value is gone from the redacted text."""
    (found,) = find_secrets(f"a line\n{text}\nanother\n")
    assert found.label == label
    value = f"a line\n{text}\nanother\n"[found.start : found.end]
    assert value not in found.label
    assert value not in redact(f"a line\n{text}\nanother\n")
    assert find_secrets(redact(f"a line\n{text}\nanother\n")) == ()


@pytest.mark.parametrize("text", [text for _, text in REAL])
def test_as_many_are_found_where_lines_end_in_two_characters(text: str) -> None:
    """Carriage returns before line feeds change nothing."""
    found = find_secrets(f"a line\n{text}\nanother\n".replace("\n", "\r\n"))
    assert [each.label for each in found] == [each.label for each in find_secrets(f"a line\n{text}\nanother\n")]


@pytest.mark.parametrize(
    "text",
    [
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ghp_" + "x" * 36,
        "sk-ant-" + "your-key-goes-here-please",
        'password = "changeme123!"',
        'password = os.environ["PASSWORD"]',
        'password = "current_password"',
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "token = get_token(session, refresh_interval=300)",
        'TOKEN = "Authorization: Bearer"',
        "Authorization: Bearer your-access-token-goes-here-1",
        "the Basic authentication_handler_for_requests2 class",
        "Authorization: Bearer ${ACCESS_TOKEN_OF_THE_DEPLOYMENT}",
        'secret_name = "projects/acme/secrets/database"',
        "postgres://user:password@db.acme.io/app",
        "postgres://app:app123@localhost/app",
        "https://{user}:{password}@db.acme.io/app",
        'token_url = "https://auth.acme.io/oauth2/v2/token/1234"',
        "-----BEGIN RSA PRIVATE " + "KEY-----",
        'if "-----BEGIN PRIVATE ' + 'KEY-----" in text:',
        'password_hash_algorithm = "pbkdf2_sha256"',
        "PASSWORD_RESET_TIMEOUT = 259200",
        'secret = "%s" % value',
        'apikey="MyServiceClientV2"',
        "tokens = tokenizer.tokenize(text1, text2, text3)",
        'key = "sk-learn-estimators-are-not-a-key-at-all"',
    ],
)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    """Examples, placeholders, look-ups, names and words are no secrets."""
    assert find_secrets(text) == ()


@pytest.mark.parametrize(
    "piece", ["password=", "://a:b", "eyJ", "-----BEGIN PRIVATE " + "KEY-----\n+", "token'", "a" * 40, "sk-ant-"]
)
def test_time_is_linear_in_hostile_text(piece: str) -> None:
    """Four times as much of what is made to hurt patterns costs about four times as much."""
    assert is_linear(find_secrets, piece, 20_000)


@given(st.text(max_size=300))
def test_spans_ascend_and_do_not_overlap(text: str) -> None:
    """Whatever the text, spans are in order and inside of it."""
    ends = 0
    for span in find_secrets(text + "\npassword = '" + ALNUM[:9] + "!z'\n" + text):
        assert ends <= span.start < span.end <= 2 * len(text) + 40
        ends = span.end
