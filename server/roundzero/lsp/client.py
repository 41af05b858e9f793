"""What the client at the other end can do, read from ``initialize`` once and never again.

The parameters are read as plain JSON, value by value: a client may announce enum values, types and whole sections that
this protocol version does not know, and that must not keep it from starting. Invariant: reading never fails; what is
missing or odd counts as "cannot".
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Final, cast

from roundzero.core.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roundzero.lsp.convert import Encoding

_ENCODINGS: Final = ("utf-8", "utf-16", "utf-32")


@dataclass(frozen=True, slots=True)
class Folder:
    """A workspace folder in the client's spelling."""

    uri: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """The client's abilities and wishes. Names follow the capabilities they were read from."""

    name: str = ""
    process_id: int | None = None
    folders: tuple[Folder, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    trusted: bool | None = None
    model_provider: bool = False
    locale: str | None = None
    encoding: Encoding = "utf-16"
    markdown: bool = False
    related_information: bool = False
    unnecessary_tag: bool = False
    code_action_literals: bool = False
    code_action_preferred: bool = False
    code_action_resolve: bool = False
    document_changes: bool = False
    questions: bool = False
    progress: bool = False
    configuration: bool = False
    watch_configuration: bool = False
    watch_files: bool = False
    relative_patterns: bool = False
    commands: frozenset[str] = frozenset()


def read_client(params: Mapping[str, object]) -> Client:
    """The client that sent these ``initialize`` parameters."""
    capabilities = Json(params.get("capabilities"))
    options = Json(params.get("initializationOptions"))
    document, workspace = capabilities.at("textDocument"), capabilities.at("workspace")
    action, diagnostics = document.at("codeAction"), document.at("publishDiagnostics")
    return Client(
        name=Json(params.get("clientInfo")).at("name").text() or "",
        process_id=Json(params.get("processId")).whole(),
        folders=_folders(params),
        settings=unwrapped(options.at("settings").value),
        trusted=options.at("trusted").truth(),
        model_provider=bool(options.at("modelProvider").value),
        locale=options.at("locale").text() or Json(params.get("locale")).text(),
        encoding=_encoding(capabilities.at("general", "positionEncodings").items()),
        markdown="markdown" in document.at("hover", "contentFormat").items(),
        related_information=diagnostics.at("relatedInformation").yes(),
        unnecessary_tag=1 in diagnostics.at("tagSupport", "valueSet").items(),
        code_action_literals=isinstance(action.at("codeActionLiteralSupport").value, dict),
        code_action_preferred=action.at("isPreferredSupport").yes(),
        code_action_resolve=action.at("dataSupport").yes()
        and "edit" in action.at("resolveSupport", "properties").items(),
        document_changes=workspace.at("workspaceEdit", "documentChanges").yes(),
        questions=isinstance(capabilities.at("window", "showMessage").value, dict),
        progress=capabilities.at("window", "workDoneProgress").yes(),
        configuration=workspace.at("configuration").yes(),
        watch_configuration=workspace.at("didChangeConfiguration", "dynamicRegistration").yes(),
        watch_files=workspace.at("didChangeWatchedFiles", "dynamicRegistration").yes(),
        relative_patterns=workspace.at("didChangeWatchedFiles", "relativePatternSupport").yes(),
        commands=frozenset(
            item for item in capabilities.at("experimental", "commands", "commands").items() if isinstance(item, str)
        ),
    )


def unwrapped(settings: object) -> Mapping[str, object]:
    """Settings as a mapping of our own names, whether a client sent them bare, under or prefixed with ``roundzero``."""
    if not isinstance(settings, dict):
        return {}
    inner = settings.get("roundzero")
    if isinstance(inner, dict):
        return cast("Mapping[str, object]", inner)
    return {str(key).removeprefix("roundzero."): value for key, value in settings.items()}


class Json:
    """A JSON value of which nothing is known yet."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        """Wrap any value."""
        self.value = value

    def at(self, *keys: str) -> Json:
        """The value below these keys; null where there is none."""
        value = self.value
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return Json(value)

    def items(self) -> list[object]:
        """The members of a list; none of anything else."""
        return self.value if isinstance(self.value, list) else []

    def text(self) -> str | None:
        """The value if it is a string."""
        return self.value if isinstance(self.value, str) else None

    def whole(self) -> int | None:
        """The value if it is a whole number."""
        return self.value if isinstance(self.value, int) and not isinstance(self.value, bool) else None

    def truth(self) -> bool | None:
        """The value if it is true or false."""
        return self.value if isinstance(self.value, bool) else None

    def yes(self) -> bool:
        """Whether the value is true."""
        return self.value is True


def _encoding(preferred: list[object]) -> Encoding:
    """The first encoding of the client's that we know; UTF-16 is what every client can."""
    for name in preferred:
        if name in _ENCODINGS:
            return name
    return "utf-16"


def _folders(params: Mapping[str, object]) -> tuple[Folder, ...]:
    """Workspace folders, or else the one root that older clients send."""
    found = []
    for item in Json(params.get("workspaceFolders")).items():
        uri = Json(item).at("uri").text()
        if uri:
            found.append(Folder(uri, Json(item).at("name").text() or uri))
    if found:
        return tuple(found)
    uri = Json(params.get("rootUri")).text()
    path = Json(params.get("rootPath")).text()
    if not uri and path:
        from roundzero.lsp.uris import uri_of  # noqa: PLC0415  few clients still send a path

        uri = uri_of(path)
    return (Folder(uri, uri),) if uri else ()
