"""Reads what any provider gives: a text into the value that was asked for.

The one place where a model's words are validated: bounds on every text and list, no unknown field, no control
characters. Each form of reply is a module ``_reply_<name>.py`` with a ``FORM``. Invariants: no form's ``read`` raises
anything; what it returns holds no character that could disturb a display.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Final

from roundzero import providers
from roundzero.providers._reply_base import Fault, Form
from roundzero.providers._reply_draft import read, schema

if TYPE_CHECKING:
    from collections.abc import Mapping

_PREFIX: Final = "_reply_"
_BASE: Final = "_reply_base"

__all__ = ["Fault", "Form", "fits", "forms", "read", "schema"]


@cache
def forms() -> Mapping[str, Form[object]]:
    """Every form of reply by its name."""
    names = sorted(
        module.name
        for module in pkgutil.iter_modules(providers.__path__)
        if module.name.startswith(_PREFIX) and module.name != _BASE
    )
    found = [importlib.import_module(f"{providers.__name__}.{name}").FORM for name in names]
    return {form.name: form for form in found}


def fits(form: str, text: str) -> bool:
    """Whether a text is a reply of a form, by its name; none is of a form that there is not."""
    known = forms().get(form)
    return known is not None and not isinstance(known.read(text), Fault)
