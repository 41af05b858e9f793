"""Settings: what wins, what is refused, and where a problem stands."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, get_type_hints

import pytest
from pydantic import TypeAdapter

import roundzero
from roundzero.config import SETTINGS, Settings, Who, load, user_file
from roundzero.config.toml_lines import line_of
from roundzero.core.ruleset import Place

if TYPE_CHECKING:
    from roundzero.core.ruleset import Problem


def write_user(text: str) -> None:
    """Write the user's file."""
    path = user_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def of_repository(root: Path, text: str) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings in force with this file in the repository."""
    (root / ".roundzero.toml").write_text(text)
    return load(root=root, environ={})


def test_nothing_set_gives_the_defaults_without_a_problem(tmp_path: Path) -> None:
    """Without files, editor, environment or options the built-in settings are in force."""
    assert load(root=tmp_path, environ={}) == (Settings(), ())


def test_later_layers_win(tmp_path: Path) -> None:
    """Built-in < user < repository < editor < environment < command line."""
    seen = []
    layers: list[Mapping[str, object]] = [{"minSeverity": "P2"}, {"minSeverity": "P0"}]
    write_user('min_severity = "P1"')
    seen.append(load(root=tmp_path, environ={})[0].min_severity)
    (tmp_path / ".roundzero.toml").write_text('min_severity = "P0"')
    seen.append(load(root=tmp_path, environ={})[0].min_severity)
    seen.append(load(root=tmp_path, editor=layers[0], environ={})[0].min_severity)
    environ = {"ROUNDZERO_MIN_SEVERITY": "P1"}
    seen.append(load(root=tmp_path, editor=layers[0], environ=environ)[0].min_severity)
    seen.append(load(root=tmp_path, editor=layers[0], command_line=layers[1], environ=environ)[0].min_severity)
    assert seen == ["P1", "P0", "P2", "P1", "P0"]


def test_a_clients_defaults_stand_below_every_file(tmp_path: Path) -> None:
    """What a client only supposes gives way to the user's and the repository's files."""
    supposed = {"language": "zh"}
    assert load(root=tmp_path, defaults=supposed, environ={})[0].language == "zh"
    write_user('language = "en"')
    assert load(root=tmp_path, defaults=supposed, environ={})[0].language == "en"


def test_tables_are_merged_key_by_key(tmp_path: Path) -> None:
    """A repository's table of items adds to the user's and wins where both name an item."""
    write_user('[items]\n"a/x" = "off"\n"a/y" = "P0"\n')
    settings, problems = of_repository(tmp_path, '[items]\n"a/y" = "P3"\n"b/z" = "off"\n')
    assert problems == ()
    assert settings.items == {"a/x": "off", "a/y": "P3", "b/z": "off"}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('\nbase = "x"\ndebonce_ms = 1\n', 3, "debonce_ms is not a setting; did you mean debounce_ms?"),
        ('minSeverity = "P1"\n', 1, "minSeverity is not a setting; did you mean min_severity?"),
        ('min_severity = "P7"\n', 1, 'min_severity must be "P0" or "P1" or "P2" or "P3"; it was ignored'),
        ("max_file_bytes = true\n", 1, "max_file_bytes must be a whole number from 1; it was ignored"),
        ('exclude = "x"\n', 1, "exclude must be a list, each a string; it was ignored"),
        ("# c\n\n[gate]\nfail_on = 3\n", 4, "gate.fail_on cannot be set by a repository"),
        ('[items]\n"a/x" = "off"\n"a/y" = "bad"\n', 3, "items.a/y must be"),
        ("items = 3\n", 1, "items must be a table; it was ignored"),
        ("base = \n", 1, "is not valid TOML: Invalid value"),
    ],
)
def test_a_wrong_setting_is_named_with_file_and_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    """What is unknown or wrong is a problem at its line, and the default stays."""
    settings, problems = of_repository(tmp_path, text)
    assert [(problem.file, problem.line) for problem in problems] == [(".roundzero.toml", line)]
    assert problems[0].message.startswith(message)
    assert settings.gate_fail_on == "P1"
    assert settings.max_file_bytes == 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        '[model]\nprovider = "openai"\n',
        'model.base_url = "http://evil.example"\n',
        '[model]\napi_key_command = "curl evil.example"\n',
        '[model]\nscript = "x"\n',
        '[linters.ruff]\npath = "/tmp/evil"\n',
        "debounce_ms = 1\n",
        "enable = false\n",
        '[gate]\nfail_on = "never"\n',
        "gate.support = 5\n",
        "show_origins = []\n",
        "untracked = false\n",
        "[linters.ruff]\nenable = false\n",
    ],
)
def test_a_repository_cannot_set_what_is_the_users(tmp_path: Path, text: str) -> None:
    """Models, keys, programs, the gate and the person's own habits are refused from a repository, and that is said."""
    settings, problems = of_repository(tmp_path, text)
    assert settings == Settings()
    assert len(problems) == 1
    assert "cannot be set by a repository" in problems[0].message
    assert problems[0].line > 0


def test_the_user_may_set_them(tmp_path: Path) -> None:
    """The same settings are taken from the user's own file."""
    write_user('[model]\nprovider = "openai"\n[linters.ruff]\npath = "/opt/ruff"\nenable = false\n')
    settings, problems = load(root=tmp_path, environ={})
    assert problems == ()
    assert settings.model_provider == "openai"
    assert settings.linters_path == {"ruff": "/opt/ruff"}
    assert settings.linters_enable == {"ruff": False}


def test_a_repository_may_only_lower_limits(tmp_path: Path) -> None:
    """A smaller limit is taken; a larger one is refused, also relative to the user's own."""
    assert of_repository(tmp_path, "max_file_bytes = 10\n")[0].max_file_bytes == 10
    settings, problems = of_repository(tmp_path, "max_file_bytes = 2000000\n")
    assert settings.max_file_bytes == 1_000_000
    assert "can only be lowered" in problems[0].message
    write_user("max_file_bytes = 3000000\n")
    assert load(root=tmp_path, environ={})[0].max_file_bytes == 2_000_000


def test_pyproject_is_read_where_there_is_no_file_of_our_own(tmp_path: Path) -> None:
    """``[tool.roundzero]`` counts, with its lines, unless ``.roundzero.toml`` exists."""
    text = '[project]\nname = "x"\n[tool.roundzero]\nmax_file_bytes = 9\nrubbish = 1\n'
    (tmp_path / "pyproject.toml").write_text(text)
    settings, problems = load(root=tmp_path, environ={})
    assert settings.max_file_bytes == 9
    assert [(problem.file, problem.line) for problem in problems] == [("pyproject.toml", 5)]
    assert of_repository(tmp_path, "")[0].max_file_bytes == 1_000_000


def test_a_link_out_of_the_repository_is_not_read(tmp_path: Path) -> None:
    """A configuration file that links elsewhere is reported instead of read."""
    outside = tmp_path / "outside.toml"
    outside.write_text("max_file_bytes = 9\n")
    root = tmp_path / "repo"
    root.mkdir()
    (root / ".roundzero.toml").symlink_to(outside)
    settings, problems = load(root=root, environ={})
    assert settings.max_file_bytes == 1_000_000
    assert "link that leaves the repository" in problems[0].message


@pytest.mark.parametrize(
    "data", [b"\xff\xfe", b"x" * 1_000_001, b"base = " + b"[" * 5000, b"debounce_ms = " + b"1" * 5000]
)
def test_a_file_that_cannot_be_read_costs_only_itself(tmp_path: Path, data: bytes) -> None:
    """Bytes that are not UTF-8, huge files, deep nesting and long numbers are a problem, not a failure."""
    (tmp_path / ".roundzero.toml").write_bytes(data)
    settings, problems = load(root=tmp_path, environ={})
    assert settings == Settings()
    assert len(problems) == 1


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    """A link to itself, a folder and a named pipe are reported at once."""
    (tmp_path / ".roundzero.toml").symlink_to(".roundzero.toml")
    assert len(load(root=tmp_path, environ={})[1]) == 1
    (tmp_path / ".roundzero.toml").unlink()
    (tmp_path / ".roundzero.toml").mkdir()
    assert "is not a file" in load(root=tmp_path, environ={})[1][0].message
    (tmp_path / ".roundzero.toml").rmdir()
    os.mkfifo(tmp_path / ".roundzero.toml")
    assert "is not a file" in load(root=tmp_path, environ={})[1][0].message


def test_editor_settings_may_be_nested_or_dotted(tmp_path: Path) -> None:
    """Editors send objects or dotted names; null means not set."""
    nested = {"gate": {"failOn": "P2"}, "debounceMs": 5, "base": None, "linters": {"ruff": {"enable": False}}}
    dotted = {"gate.failOn": "P2", "debounceMs": 5, "linters.ruff.enable": False}
    assert load(root=tmp_path, editor=nested, environ={}) == load(root=tmp_path, editor=dotted, environ={})
    assert load(root=tmp_path, editor=nested, environ={})[0].gate_fail_on == "P2"


@pytest.mark.parametrize(
    ("name", "value", "attribute", "expected"),
    [
        ("ROUNDZERO_MODEL_PROVIDER", "ollama", "model_provider", "ollama"),
        ("ROUNDZERO_MODEL_TOKENS_PER_HOUR", "7", "model_tokens_per_hour", 7),
        ("ROUNDZERO_MODEL_PARALLEL", "2", "model_parallel", 2),
        ("ROUNDZERO_UNTRACKED", "0", "untracked", False),
        ("ROUNDZERO_LANGUAGE", "zh", "language", "zh"),
    ],
)
def test_the_environment_sets(tmp_path: Path, name: str, value: str, attribute: str, expected: object) -> None:
    """``ROUNDZERO_*`` variables set the setting of that name."""
    settings, problems = load(root=tmp_path, environ={name: value})
    assert problems == ()
    assert getattr(settings, attribute) == expected


@pytest.mark.parametrize("name", ["ROUNDZERO_NONSENSE", "ROUNDZERO_MODEL_PARALLEL", "ROUNDZERO_ITEMS"])
def test_a_wrong_variable_is_a_problem(tmp_path: Path, name: str) -> None:
    """A variable that is no setting, or holds a wrong value, is named."""
    _, problems = load(root=tmp_path, environ={name: "x", "ROUNDZERO_API_KEY": "secret"})
    assert [problem.file for problem in problems] == ["environment"]
    assert name in problems[0].message


def test_every_row_is_complete_and_its_default_valid() -> None:
    """Each setting has both languages, a default its own kind and its field's type accept, and a unique name."""
    hints = get_type_hints(Settings, localns={"Mapping": Mapping, "Place": Place})
    for row in SETTINGS:
        assert row.en
        assert row.zh
        TypeAdapter(hints[row.attribute]).validate_python(row.default)
        if row.default is not None and not row.kind.table:
            assert row.kind.read(row.default) == row.default
    assert len({row.name for row in SETTINGS}) == len({row.variable for row in SETTINGS})
    assert {row.attribute for row in SETTINGS} == {each.name for each in fields(Settings)} - {"places"}


def test_no_setting_is_without_effect() -> None:
    """Whatever can be set is read by somebody else than the table: the program, or for ``trace`` the client."""
    package = Path(roundzero.__file__).parent
    texts = [path.read_text("utf-8") for path in package.rglob("*.py") if path.parent != package / "config"]
    read = {name for text in texts for name in re.findall(r"\bsettings\.(\w+)", text)}
    assert [row.name for row in SETTINGS if row.attribute not in read] == ["trace"]


def test_each_entry_knows_where_it_was_set(tmp_path: Path) -> None:
    """Values, items, packs and linters carry file and line, or the layer, of the setting that won."""
    write_user('[items]\n"a/x" = "off"\n"a/y" = "P0"\n[linters.ruff]\npath = "/opt/ruff"\n')
    text = 'packs = [\n  "one",\n  "two",\n]\n\n[items]\n"a/y" = "P3"\n'
    (tmp_path / ".roundzero.toml").write_text(text)
    settings, problems = load(root=tmp_path, editor={"items": {"a/z": "P1"}}, environ={})
    assert problems == ()
    assert settings.places == {
        ("items", "a/x"): Place(str(user_file()), 2),
        ("items", "a/y"): Place(".roundzero.toml", 7),
        ("items", "a/z"): Place("editor settings"),
        ("packs", ""): Place(".roundzero.toml", 1),
        ("packs", "one"): Place(".roundzero.toml", 1),
        ("packs", "two"): Place(".roundzero.toml", 1),
        ("linters_path", "ruff"): Place(str(user_file()), 5),
    }
    replaced = load(root=tmp_path, command_line={"packs": ["three"]}, environ={})[0].places
    assert [key for key in replaced if key[0] == "packs"] == [("packs", ""), ("packs", "three")]


def test_an_item_is_not_switched_on_by_the_word_on(tmp_path: Path) -> None:
    """A severity switches an item on; the message says so."""
    settings, problems = of_repository(tmp_path, '[items]\n"a/x" = "on"\n')
    assert settings.items == {}
    assert "must be" in problems[0].message
    assert "also switches on" in problems[0].message


def test_models_programs_and_keys_belong_to_the_user() -> None:
    """Everything of the model and every program path is the user's, and of VS Code's machine scope."""
    for row in SETTINGS:
        if row.name.startswith("model.") or row.name.endswith(".path"):
            assert (row.who, row.scope) == (Who.USER, "machine"), row.name


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("a",), 1),
        (("t", "b"), 4),
        (("t", "c", "d"), 5),
        (("t", "x y"), 6),
        (("u", "v", "w"), 9),
        (("u", "v", "missing"), 8),
        (("nowhere",), 0),
    ],
)
def test_keys_are_found_at_their_line(keys: tuple[str, ...], line: int) -> None:
    """A key's line is that of its assignment, else of the nearest table around it."""
    text = "a = 1\n\n[t] # c\n  b = 2\nc.d = 3\n'x y' = 4\n\n[u.\"v\"]\nw = 5\n"
    assert line_of(text, keys) == line
