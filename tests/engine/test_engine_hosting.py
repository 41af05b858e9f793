"""Where questions may go is the user's to say, not the repository's; keys are found, checked and kept to themselves."""

from __future__ import annotations

import logging
import os
import pickle
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from roundzero.config import SETTINGS, Settings, load
from roundzero.core.model_values import Ask, Outcome, Question, Turn
from roundzero.engine.asking import Asking
from roundzero.engine.hosting import find_key, post_for
from roundzero.errors import UserError
from roundzero.providers import Endpoint
from roundzero.providers._recording import Recorder
from roundzero.providers.anthropic import PROVIDER as ANTHROPIC
from roundzero.providers.openai import PROVIDER as OPENAI
from roundzero.store.reply_cache import ReplyCache
from support.inquiry import NOTHING, post_of
from support.loop import run
from support.model_server import ModelServer

if TYPE_CHECKING:
    from roundzero.providers import HttpProvider

KEY = "uB3xQ9tzZk7vW2mnR5yL"
HOSTILE = {
    "provider": '"openai"',
    "base_url": '"https://evil.example/v1"',
    "api_key_command": "\"sh -c 'touch /tmp/owned'\"",
    "mode": '"onIdle"',
    "script": '"answers.jsonl"',
    "name": '"evil"',
    "depth": '"deep"',
    "tokens_per_hour": "1",
    "cache": "false",
    "max_unit_lines": "1000000",
}


def key_of(settings: Settings, provider: HttpProvider = OPENAI, **environ: str) -> str | None:
    """The key that is found."""
    return run(find_key(settings, provider, environ))


def command(program: str) -> Settings:
    """Settings whose key comes from a small Python program."""
    quoted = program.replace('"', '\\"')
    return Settings(model_provider="openai", model_api_key_command=f'{sys.executable} -c "{quoted}"')


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("file", [".roundzero.toml", "pyproject.toml"])
def test_a_repository_says_nothing_about_models(tmp_path: Path, file: str, name: str) -> None:
    """Each setting of the model is ignored in a repository's files, with a problem that names file and line."""
    table = "[model]" if file == ".roundzero.toml" else "[tool.roundzero.model]"
    (tmp_path / file).write_text(f"# a comment\n{table}\n{name} = {HOSTILE[name]}\n")
    settings, problems = load(root=tmp_path, environ={})
    assert settings == Settings()
    (problem,) = problems
    assert problem.file.endswith(file)
    assert problem.line == 3
    assert "cannot be set by a repository" in problem.message


def test_every_setting_of_the_model_is_tried() -> None:
    """The ones that could send code elsewhere or start a program are all among the above."""
    names = {row.toml.removeprefix("model.") for row in SETTINGS if row.toml.startswith("model.")}
    assert set(HOSTILE) <= names
    assert {"provider", "base_url", "api_key_command", "mode", "script"} <= set(HOSTILE)


def test_our_own_variable_comes_first_and_is_for_any_host() -> None:
    """ROUNDZERO_API_KEY, whatever else is set."""
    assert key_of(Settings(), ROUNDZERO_API_KEY="ours", OPENAI_API_KEY="theirs") == "ours"
    elsewhere = Settings(model_base_url="https://other.example/v1")
    assert key_of(elsewhere, ROUNDZERO_API_KEY="ours", OPENAI_API_KEY="theirs") == "ours"


@pytest.mark.parametrize(("provider", "name"), [(OPENAI, "OPENAI_API_KEY"), (ANTHROPIC, "ANTHROPIC_API_KEY")])
def test_a_providers_usual_variable_is_for_its_own_host_only(provider: HttpProvider, name: str) -> None:
    """A key for one host is not shown to another, nor to one that only looks alike."""
    assert key_of(Settings(), provider, **{name: KEY}) == KEY
    assert key_of(Settings(model_base_url=f"{provider.default_url}/"), provider, **{name: KEY}) == KEY
    for url in ("https://other.example/v1", f"{provider.default_url}.evil.example", "http://127.0.0.1:1/v1"):
        assert key_of(Settings(model_base_url=url), provider, **{name: KEY}) is None


def test_the_command_prints_the_key_without_a_shell(tmp_path: Path) -> None:
    """Words are split as a shell would, and nothing in them is run or expanded."""
    assert key_of(command(f"print('{KEY}')")) == KEY
    marker = tmp_path / "marker"
    settings = Settings(model_api_key_command=f"echo k$HOME;touch {marker}")
    with pytest.raises(UserError, match="no key"):
        key_of(settings)
    assert not marker.exists()


def test_the_command_is_not_asked_when_the_environment_has_a_key() -> None:
    """It may ask for a password, or take its time."""
    assert key_of(command("raise SystemExit(1)"), ROUNDZERO_API_KEY=KEY) == KEY


@pytest.mark.parametrize(
    "program", ["print('a'); print('b')", "pass", f"print('{KEY}'); raise SystemExit(3)", f"print('{KEY} {KEY}')"]
)
def test_what_a_command_prints_wrongly_is_refused_and_not_repeated(program: str) -> None:
    """Two lines, none, a failure, a space: said in words that hold nothing of what was printed."""
    with pytest.raises(UserError, match=r"model\.apiKeyCommand") as refusal:
        key_of(command(program))
    assert KEY not in str(refusal.value)


@pytest.mark.parametrize("text", ["no-such-program --at-all", "'unclosed", "   "])
def test_a_command_that_is_none_is_the_persons_to_put_right(text: str) -> None:
    """A missing program or an open quote is named; blanks are no command."""
    settings = Settings(model_api_key_command=text)
    if not text.strip():
        assert key_of(settings) is None
        return
    with pytest.raises(UserError, match=r"model\.apiKeyCommand"):
        key_of(settings)


def test_a_command_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has seconds, not for ever."""
    monkeypatch.setattr("roundzero.engine.hosting._KEY_SECONDS", 0.3)
    with pytest.raises(UserError, match="did not finish within"):
        key_of(command("import time; time.sleep(600)"))


def test_a_key_that_cannot_be_one_is_refused_without_repeating_it() -> None:
    """A pasted line end or letter from elsewhere would go into a header."""
    for bad in ("with space", "line\nbreak", "schlüssel", "a\x1b[31m"):
        with pytest.raises(UserError, match="ROUNDZERO_API_KEY") as refusal:
            key_of(Settings(), ROUNDZERO_API_KEY=bad)
        assert bad not in str(refusal.value)


def test_a_way_that_leads_nowhere_is_told_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is charged, and nobody waits for attempts that cannot but fail."""
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/at/all.pem")
    with pytest.raises(UserError, match="SSL_CERT_FILE"):
        run(post_for(Settings(model_provider="openai"), consent=True, environ={"ROUNDZERO_API_KEY": KEY}))


def test_without_consent_no_command_runs_and_no_key_is_held(tmp_path: Path) -> None:
    """A post that may not send has no right to."""
    marker = tmp_path / "marker"
    settings = replace(command(f"open('{marker}', 'w'); print('{KEY}')"), model_name="m")
    post = run(post_for(settings, consent=False, environ={"ROUNDZERO_API_KEY": KEY}))
    assert post.endpoint == Endpoint("https://api.openai.com/v1", None)
    assert not post.consent
    assert not marker.exists()


def test_a_key_is_in_no_file_message_log_or_representation(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """After good answers, echoes and refusals: cache, budget, recordings, logs and values are searched for it."""

    async def play() -> str:
        said = []
        async with ModelServer({"m": NOTHING}) as server:
            for model in ("m", "echo", "echo-in-stream", "500", "401"):
                post = post_of(
                    tmp_path,
                    OPENAI,
                    endpoint=Endpoint(server.url, KEY),
                    cache=ReplyCache(tmp_path / "replies.sqlite3"),
                    recorder=Recorder(tmp_path / "recorded"),
                    longest_wait=0.0,
                )
                asking = Asking(post)
                turn = Turn("user", "x")
                question = Question(system="", turns=(turn,), schema={}, key=f"k-{model}", tokens=1)
                reply = await asking.put(Ask(question=question, model=model))
                said += [repr(post), repr(reply), asking.message, repr(asking.spent)]
            assert server.requests
            assert all(KEY.encode() in request for request in server.requests)
        return "\n".join(said)

    with caplog.at_level(logging.DEBUG):
        said = run(play())
    printed = capfd.readouterr()
    assert KEY not in said + caplog.text + printed.out + printed.err
    files = [Path(folder) / name for folder, _, names in os.walk(tmp_path) for name in names]
    assert len(files) >= 7
    for file in files:
        assert KEY.encode() not in file.read_bytes()
    assert KEY.encode() in pickle.dumps(Endpoint("u", KEY))  # the search above would have seen it


def test_a_replay_costs_nothing_and_waits_for_nothing(tmp_path: Path) -> None:
    """What was recorded is not charged again, and failures that were waited for are not waited for again."""

    async def play() -> tuple[Outcome, int]:
        turn = Turn("user", "x")
        question = Question(system="", turns=(turn,), schema={}, key="k" * 40, tokens=1)
        ask = Ask(question=question, model="m")
        async with ModelServer({"m": NOTHING}) as server:
            made = post_of(tmp_path, OPENAI, endpoint=Endpoint(server.url), recorder=Recorder(tmp_path / "recorded"))
            await Asking(made).put(ask)
        post = await post_for(Settings(), consent=True, environ={}, replay=tmp_path / "recorded")
        reply = await Asking(post).put(ask)
        await post.rest(3600.0)
        return reply.outcome, post.budget.tally(post.clock()).requests

    assert run(play(), seconds=20) == (Outcome.OK, 0)
