"""Names that a module offers and does not define: what a patch of one reaches, and whether one is there."""

from __future__ import annotations

import pytest

from support.checking import run

PATCH = "python/patch-at-definition"
PACKAGE = (
    "//- pkg/__init__.py\n NAME = 1\n//- pkg/auth/__init__.py\n from .tokens import make\n"
    "//- pkg/auth/tokens.py\n def make(user):\n     return user\n"
)
TEST = (
    "//- tests/test_web.py\n from unittest.mock import patch\n from pkg.web import login\n"
    '+@patch("pkg.auth.make", str)\n+def test_login():\n+    assert login(1)\n'
)


@pytest.mark.parametrize(
    ("web", "found"),
    [
        (" from pkg.auth import make\n def login(user):\n     return make(user)\n", True),
        (" from pkg import auth\n def login(user):\n     return auth.make(user)\n", False),
        (" from pkg.auth.tokens import make\n def login(user):\n     return make(user)\n", False),
        (" def login(user):\n     from pkg.auth import make\n     return make(user)\n", False),
    ],
)
def test_a_name_that_was_imported_from_the_package_stays_as_it_was(web: str, found: bool) -> None:
    """Who reads it through the package sees the patch; who has it from its home is another matter."""
    assert bool(run(f"{PACKAGE}//- pkg/web.py\n{web}{TEST}", PATCH).shown) == found


def test_a_compiled_protocol_may_have_any_name() -> None:
    """Its classes may be made by calls, whatever its text shows."""
    made = "//- pkg/__init__.py\n NAME = 1\n//- pkg/order_pb2.py\n DESCRIPTOR = None\n"
    assert run(f"{made}//- pkg/a.py\n+from pkg.order_pb2 import Order\n", "python/unresolved-import").shown == ()
