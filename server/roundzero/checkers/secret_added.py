"""secret-added: a key, token or password in the text.

What a secret looks like is core/secrets; here only where one is expected: test data is not judged, in tests and in what
calls itself a dummy or self-signed only the tokens of a vendor count, and in documentation and examples a name alone
proves nothing. Invariant: the value is in no subject, no evidence and no fix.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from roundzero.checkers._base import TextChecker
from roundzero.checkers._paths import is_example, is_test_data, is_test_path
from roundzero.core.finding import Hit
from roundzero.core.regex import regex
from roundzero.core.secrets import SecretKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundzero.core.change import Source

_PRETENDS: Final = regex(
    r"(?:^|[/._-])(?:(?:dummy|fake)[a-z]*|mock(?:ed|s|server)?|snake[-_]?oil|self[-_]?signed)(?:[/._-]|$)",
    re.IGNORECASE,
)
_LOCK_FILES: Final = (".lock", "-lock.json", "-lock.yaml", "go.sum", ".ipynb", ".svg", ".min.js", ".map")


class SecretAdded(TextChecker):
    """Finds secrets by their shape, or by their name and randomness."""

    name = "secret-added"
    version = "2"

    def check(self, source: Source) -> Iterable[Hit]:
        """Look for secrets where they would be real."""
        if is_test_data(source.path) or source.path.endswith(_LOCK_FILES):
            return
        in_test = is_test_path(source.path) or _PRETENDS.search(source.path) is not None
        in_example = is_example(source.path)
        for secret in source.secrets:
            if in_test and secret.kind is not SecretKind.VENDOR:
                continue
            if in_example and secret.kind is SecretKind.NAMED:
                continue
            span = source.index.span(secret.start, secret.end)
            yield Hit(path=source.path, span=span, subject=secret.label)


CHECKER: Final = SecretAdded
