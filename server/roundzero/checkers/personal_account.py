"""personal-account: a workflow, script or build file depends on the account or the home folder of one person.

A person is known by ``git config user.name`` and ``user.email`` in the same file, or by a home folder of a name that
no image makes. Documentation, tests and examples are left alone. Invariant: one hit for each name in a file, where it
is first used, and none where the name is only told to git.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker, code
from roundzero.checkers._paths import is_example, is_test_data, is_test_path
from roundzero.checkers._scripts import is_dockerfile, is_shell_script
from roundzero.checkers._starlark import is_starlark
from roundzero.checkers._workflows import is_workflow_path
from roundzero.core.finding import Hit
from roundzero.core.item import language_of
from roundzero.core.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from roundzero.core.change import Source

_LANGUAGES: Final = frozenset({"bash", "yaml", "make", "cmake", "toml", "dockerfile"})
_HOME: Final = regex(r"(?<![\w.$}*~-])/(?:home|Users)/(?P<name>[A-Za-z][\w.-]*)(?=/|[\"'\s:;,)]|$)")
_MADE: Final = frozenset(
    {"runner", "runneradmin", "user", "users", "ubuntu", "debian", "centos", "fedora", "admin", "administrator",
     "root", "jenkins", "circleci", "gitlab-runner", "travis", "vsts", "vagrant", "ec2-user", "linuxbrew", "node",
     "vscode", "coder", "codespace", "gitpod", "app", "appuser", "docker", "devuser", "dev", "developer", "build",
     "builder", "buildbot", "buildkite-agent", "jovyan", "rstudio", "conda", "mambauser", "nonroot", "nobody",
     "git", "test", "tester", "testuser", "me", "you", "name", "username", "yourname", "your_name", "your-name",
     "foo", "bar", "alice", "bob", "shared", "Shared", "public", "Public", "default", "work", "workspace",
     "service", "default-user", "pi", "postgres", "nginx", "www", "www-data", "python", "ruby", "go", "rust",
     "java", "gradle", "spark", "hadoop", "airflow", "project", "projects", "src", "code", "data", "dataset",
     "datasets", "model", "models", "ckpt", "checkpoints", "output", "cache", "tools", "soft", "software",
     "project-web", "groups", "github", "xilinx", "petalinux", "tops", "bin", "lib", "share", "local", "opt",
     "tmp", "ci", "bot", "agent", "worker", "action", "actions", "deploy", "deployer", "steam", "sandbox", "container",
     "container_user", "host", "container-user", "myuser", "someuser", "user1", "xxx", "USER", "USERNAME",
     "USER_NAME", "non-root", "notebook", "opam", "emscripten"}
)  # fmt: skip
"""Accounts that images, services and documentation have."""
_TOLD: Final = regex(
    r"user\.(?:name|email)[\"']?\s*=?\s*[\"']?(?P<value>[A-Za-z][\w.+-]{0,40})(?:@(?P<host>[\w.-]{1,80}))?(?=[\"']|\s*(?:$|[;&|]))",
    re.MULTILINE,
)
_NO_HOST: Final = regex(r"noreply|example|localhost|invalid|\.local\b")
_INSIDE: Final = regex(r"(?:-v|--volume|-w|--workdir)[ =]\S*$")
"""What stands before a folder inside of a container."""
_NOBODY: Final = regex(
    r"bot\b|bot$|actions?$|^(?:ci|cd|git|github|gitlab|deploy|release|auto|build|test|noreply|no-reply|you|your|user|name|me|example"
    r"|admin|root|info|dev|dummy|foo|tester|publish|docs?|travis|jenkins|circle|runner|mail|email|support|team|hello"
    r"|rel-?eng|sre|ops|platform|automat|service|svc|machine|backend|frontend|infra|security|package|maintain|contact)",
    re.IGNORECASE,
)
_SERVICE: Final = regex(r".*(?:runner|agent|ci|bot|user|svc|service)\d*", re.IGNORECASE)
_CREATED: Final = regex(r"\b(?:useradd|adduser|groupadd|mkhomedir|chown|WORKDIR|USER|ENV\s+HOME|HOME=)")
SHORTEST: Final = 3


class PersonalAccount(TextChecker):
    """Finds what works for one person only."""

    name = "personal-account"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look for home folders, and for the names that the file tells to git."""
        if not _is_looked_at(source):
            return
        seen: set[str] = set()
        for start, end, name in sorted(_used(source.text)):
            if name not in seen and name not in source.path.split("/") and not _is_comment(source, start):
                seen.add(name)
                yield Hit(path=source.path, span=source.index.span(start, end), subject=code(source.text[start:end]))


def _is_looked_at(source: Source) -> bool:
    path = source.path
    if is_workflow_path(path):
        return True
    if is_test_path(path) or is_test_data(path) or is_example(path):
        return False
    return is_shell_script(source) or is_dockerfile(source) or is_starlark(path) or language_of(path) in _LANGUAGES


def _used(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a person's folder, account or pages are used: start, end and the name."""
    if "/home/" in text or "/Users/" in text:
        created = _CREATED.search(text) is not None
        for match in _HOME.finditer(text):
            name = match["name"]
            if (
                name in _MADE
                or (name.lower() != name and text.startswith("/home", match.start()))
                or _SERVICE.fullmatch(name) is not None
                or len(name) < SHORTEST
                or (created and _is_made_here(text, name))
            ):
                continue
            line = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - 200) : match.start()]
            inside = _INSIDE.search(line)
            if inside is None or (":" not in inside.group() and not inside.group().startswith(("-w", "--w"))):
                yield match.start(), match.end(), name
    for name in _persons(text):
        pattern = re.compile(
            rf"(?<![\w.}}~*-])/(?:[\w.-]+/)*(?P<folder>{re.escape(name)})(?=/)|\bsudo\s[^\n|;&]{{0,80}}?-u\s*(?P<user>{re.escape(name)})\b"
            rf"|(?<![\w.-]){re.escape(name)}(?:-\w+)?\.github\.io\b"
        )
        for match in pattern.finditer(text):
            yield *match.span(match.lastgroup or 0), name


def _persons(text: str) -> set[str]:
    """The names a file tells git, by which a program would hardly be called."""
    if "user.name" not in text and "user.email" not in text:
        return set()
    found = set()
    for match in _TOLD.finditer(text):
        value = match["value"]
        if len(value) > SHORTEST and _NOBODY.search(value) is None and _NO_HOST.search(match["host"] or "") is None:
            found.add(value)
    return found


def _is_made_here(text: str, name: str) -> bool:
    return re.search(rf"(?:useradd|adduser|chown|WORKDIR|USER|HOME).{{0,200}}\b{re.escape(name)}\b", text) is not None


def _is_comment(source: Source, start: int) -> bool:
    position = source.index.position(start)
    before = source.index.line(position.line)[: position.column - 1]
    return re.search(r"(?:^|\s)(?:#|//)", before) is not None


CHECKER: Final = PersonalAccount
