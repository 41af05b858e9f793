"""What leaves the machine holds no secret of any shape, keeps its names and lines, and stays readable code."""

from __future__ import annotations

import itertools
import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundzero.core.change import Source
from roundzero.core.posing import inline
from roundzero.core.secrets import find_secrets, find_sensitive
from roundzero.core.text import RelPath
from roundzero.core.units import redacted_text
from support.growth import is_linear
from support.planted import SECRETS, Planted


def redacted(planted: Planted) -> str:
    """What is sent of a file with nothing but a secret in it."""
    return redacted_text(Source(RelPath(planted.path), f"first\n{planted.text}\nlast\n", "blob"))


@pytest.mark.parametrize("planted", SECRETS, ids=[each.path for each in SECRETS])
def test_no_part_of_a_secret_is_left_and_its_name_and_lines_are(planted: Planted) -> None:
    """Not even eight characters of it; what it is called stays, and so does the number of each line."""
    sent = redacted(planted)
    for value in planted.values:
        assert not any(value[at : at + 8] in sent for at in range(0, max(1, len(value) - 8), 4))
    assert planted.stays in sent
    assert sent.split("\n")[0] == "first"
    assert sent.count("\n") == planted.text.count("\n") + 3
    assert "<secret 1: " in sent


def test_there_are_many_shapes() -> None:
    """More than forty ways of writing a secret down are tried."""
    assert len(SECRETS) >= 80
    assert len({value for planted in SECRETS for value in planted.values}) >= len(SECRETS)


@pytest.mark.parametrize("planted", SECRETS, ids=[each.path for each in SECRETS])
def test_a_text_without_its_secrets_has_none(planted: Planted) -> None:
    """Our own placeholders are no secrets, so that a redacted text is not redacted again."""
    sent = redacted(planted)
    assert redacted_text(Source(RelPath(planted.path), sent, "blob")) == sent


def test_equal_secrets_have_one_placeholder_and_others_another() -> None:
    """A model can see that two places hold the same value, and that a third does not."""
    text = 'a_password = "uB3xQ9tz"\nb_password = "uB3xQ9tz"\nc_password = "Zk7vW2mn"\n'
    sent = redacted_text(Source(RelPath("a.py"), text, "blob"))
    assert re.findall(r"<secret (\d)", sent) == ["1", "1", "2"]


@pytest.mark.parametrize(
    "line",
    [
        'password = os.environ["DB_PASSWORD"]',
        "password = config.password",
        "password: str | None = None",
        "token = get_token(session, refresh_interval=300)",
        "token = self.tokens[index]",
        "def login(user, password, token=None):",
        "if token.type == Token.NAME and key in known_keys:",
        "secret: ${{ secrets.GITHUB_TOKEN }}",
        "  password: ${DB_PASSWORD}",
        'parser.add_argument("--token", help="the token to use")',
        'token_url = "https://auth.acme.test/oauth2/token"',
        'PASSWORD_FIELD = "password"',
        'secret_name = "projects/acme/secrets/database"',
        "self.api_key = api_key",
        'headers["Authorization"] = self.header()',
        'key = "user_id"',
        "cookie = request.cookies.get(name)",
        'raise ValueError("the token is missing")',
        "signature = inspect.signature(function)",
        "assert response.json()['token'] == token",
        'sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
        '"integrity": "sha512-q7Zk2Lw9XvB4nT8sR1mY6cD3fG5hJ0pAeU8iK2oNq7Zk2Lw9XvB4nT8sR1mY6cD3fG5hJ0pAeU8iK2oNAA=="',
        "rev = 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "https://docs.acme.test/a/b?page=2&sort=name",
        "from roundzero.core.tokens_and_secrets_and_passwords import find_all_of_them_at_once_please",
    ],
)
def test_code_that_only_speaks_of_secrets_is_sent_as_it_is(line: str) -> None:
    """References, signatures, field names, digests and addresses are what a reviewer must read."""
    assert redacted_text(Source(RelPath("a.py"), line, "blob")) == line


def test_in_files_of_settings_plain_words_are_values() -> None:
    """What would be a name in code is a password in a configuration."""
    assert "swordfish" in redacted_text(Source(RelPath("a.py"), "password = swordfish\n", "blob"))
    for path in ("prod.env", "app.ini", "conf/app.yaml", ".env.local", "terraform.tfvars"):
        assert "swordfish" not in redacted_text(Source(RelPath(path), "password = swordfish\n", "blob"))


def test_a_value_that_a_name_gave_away_is_taken_out_wherever_it_stands() -> None:
    """Without its name too; in another word it is another, and a plain word goes only where it is a whole string."""
    text = 'password = "uB3xQ9tz"\nlog("uB3xQ9tz")\n# not uB3xQ9tz7\npwd = "swordfish"\ncall("swordfish", swordfish)\n'
    sent = redacted_text(Source(RelPath("a.py"), text, "blob"))
    assert sent == (
        'password = "<secret 1: password>"\nlog("<secret 1: password>")\n# not uB3xQ9tz7\n'
        'pwd = "<secret 2: pwd>"\ncall("<secret 2: pwd>", swordfish)\n'
    )


@pytest.mark.parametrize("before", ["", "dump_", "logs/run-", "x/my_"])
@pytest.mark.parametrize("after", [".json", "_old.json", "/a.py"])
def test_a_token_in_the_name_of_a_file_is_not_shown(before: str, after: str) -> None:
    """Whatever words stand before and behind it."""
    for value in ("glpat-" + "uB3xQ9tzZk7vW2mnQ1rs", "ghp_" + "uB3xQ9tzZk7vW2mnQ1rsuB3xQ9tzZk7vW2mn"):
        assert value not in inline(f"{before}{value}{after}")


@pytest.mark.parametrize(
    "path",
    [
        "examples/multimodal/llama_3p1_nemotron_nano_vl_8b_v1/README.md",
        "examples/post_training/modelopt/conf/nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16.sh",
        "tests/functional_tests/test_cases/hybrid/hybrid_mr_te_tp2_pp1_cp4_dgx_a100_1N8G/model_config.yaml",
        "jvm-packages/xgboost4j/src/main/scala/ml/dmlc/xgboost4j/scala/ExternalCheckpointManager.scala",
    ],
)
def test_the_path_of_a_file_is_shown(path: str) -> None:
    """A model that is not told where it is could not say where anything is; paths are long and of many letters."""
    assert inline(path) == path
    random = "uB3xQ9tzZk7vW2mnQ1rsuB3xQ9tzZk7vW2mn8Pq4"
    assert random not in inline(f"{path.rpartition('/')[0]}/{random}")


@given(st.text(max_size=300), st.booleans())
def test_what_is_warned_of_is_never_sent(text: str, settings: bool) -> None:
    """The laxer level covers the stricter one, in order and without overlaps, whatever the text."""
    whole = text + '\npassword = "Xk3!9fQz#21p"\n' + text
    spans = find_sensitive(whole, settings=settings)
    assert all(one.end <= other.start for one, other in itertools.pairwise(spans))
    for secret in find_secrets(whole):
        assert any(span.start <= secret.start and secret.end <= span.end for span in spans)


PIECES = (
    "password=",
    "password: ",
    'token="',
    "token,",
    "://a:b",
    "://",
    "eyJ",
    "eyJ.",
    "-----BEGIN PRIVATE " + "KEY-----\n+",
    "a" * 40,
    "sk-ant-",
    "xoxb-",
    "--token ",
    "-u a:",
    "login a password ",
    "machine a ",
    "?key=",
    "&sig=",
    ";pwd=",
    "<password>",
    "<password ",
    "</",
    "Cookie: a=",
    "x-api-key",
    "authorization: ",
    "basic ",
    "bearer ",
    "key\\",
    "value=",
    "name: secret\n",
    ":AA",
    "....",
    "$6$",
    "A1b2",
    ":*:",
    ":5432:a:",
    '"""',
    "secret,\n",
    "pass ",
    "Private-Lines: 1\n",
    "dapi0",
    "x-",
    "x-x-key",
)


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("settings", [False, True])
def test_the_cost_is_linear_in_hostile_text(piece: str, settings: bool) -> None:
    """Four times as much of what is made to hurt patterns costs about four times as much, in both kinds of file."""
    assert is_linear(partial(find_sensitive, settings=settings), piece, 10_000)


NETRC = "machine api.acme.test\nlogin bob\npassword s3cr3tPass9x\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        *((each.path, f"first\n{each.text}\nlast\n") for each in SECRETS),
        (".netrc", NETRC),
        (".netrc", NETRC.replace("\n", " ")),
        ("conf/.pgpass", "db.acme.test:5432:main:bob:s3cr3tPass9x\ndb.acme.test:*:main:ann:s3cr3tPass8y\n"),
    ],
)
def test_as_much_is_found_where_lines_end_in_two_characters(path: str, text: str) -> None:
    """A file with carriage returns before its line feeds hides nothing that it would not hide without."""
    sent = redacted_text(Source(RelPath(path), text, "blob"))
    assert "<secret " in sent
    assert "s3cr3tPass" not in sent
    crlf = redacted_text(Source(RelPath(path), text.replace("\n", "\r\n"), "blob"))
    assert re.findall(r"<secret [^>]+>", crlf) == re.findall(r"<secret [^>]+>", sent)
